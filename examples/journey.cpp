// SPDX-License-Identifier: Apache-2.0
//
// One program on its way from C++ to a loop, as docs/architecture.md tells it.

#include <tenon/tenon.hpp>
#include <tenon/text/print.hpp>

using namespace tenon;

constexpr auto layer = trace([](auto x, auto y, auto z) { return softmax(x * y + z); });
using layer_of_rows = decltype(layer)::program_for<tensor<f32, 2, 8>, tensor<f32, 2, 8>, tensor<f32, 2, 8>>;

int main() {
  // The graph, after simplification, as StableHLO text.
  std::printf("%s\n", to_text(layer_of_rows::graph()).c_str());

  // What fusion decided, and where values lie.
  explain<layer_of_rows>();
  std::printf("arena: %td bytes\n\n", std::ptrdiff_t(layer_of_rows::arena_bytes));

  tensor<f32, 2, 8> x{{1, 2, 3, 4, 5, 6, 7, 8}, {8, 7, 6, 5, 4, 3, 2, 1}}, y = x * 0.25f, z = x - 4.0f;
  tensor<f32, 2, 8> result = layer(x, y, z);
  print(result, stdout, {.most_digits = 3});
}
