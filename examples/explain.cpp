// SPDX-License-Identifier: Apache-2.0
//
// Shows what the compiler made of a program: explain prints it, explain dot | dot -Tsvg > program.svg draws it.

#include <tenon/tenon.hpp>

using namespace tenon;

constexpr auto layer = trace([](auto x, auto w) { return softmax(matmul(x, w) * 2 + 1); });
using program_of_layer = decltype(layer)::program_for<tensor<f32, 8, 16>, tensor<f32, 16, 10>>;

int main(int argument_count, char**) {
  if (argument_count > 1)
    to_dot<program_of_layer>();
  else
    dump<program_of_layer>();
}
