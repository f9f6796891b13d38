// SPDX-License-Identifier: Apache-2.0
//
// Shows what the compiler made of a program: explain says which ops share a loop and why, explain dump prints the
// program and its plan, explain dot | dot -Tsvg > program.svg draws it.

#include <tenon/tenon.hpp>

using namespace tenon;

constexpr auto layer = trace([](auto x, auto w) { return softmax(matmul(x, w) * 2 + 1); });
using program_of_layer = decltype(layer)::program_for<tensor<f32, 8, 16>, tensor<f32, 16, 10>>;

int main(int argument_count, char** arguments) {
  const std::string_view what = argument_count > 1 ? arguments[1] : "";
  if (what == "dot")
    to_dot<program_of_layer>();
  else if (what == "dump")
    dump<program_of_layer>();
  else
    explain<program_of_layer>();
}
