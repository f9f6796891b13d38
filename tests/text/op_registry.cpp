// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/op_registry.hpp>
#include <tenon/text/program_graph.hpp>

using namespace tenon;

namespace {

// g++ 12 finds the class of a template argument by the elements that were written, without their positions.
template <text::op_set Set>
struct held {
  static constexpr text::op_set set = Set;
};
template <int... Kinds>
constexpr text::op_set set_of = [] {
  text::op_set result;
  (result.add(Kinds), ...);
  return result;
}();
constexpr bool holds_exactly(const text::op_set& set, auto is_member) {
  for (int kind = 0; kind < ops::all::size; ++kind)
    if (set.has(kind) != is_member(kind)) return false;
  return true;
}
// Each op alone, and beside the one before it: neighbours of words differ by 64 from others.
template <int... Kinds>
constexpr bool are_told_apart(std::integer_sequence<int, Kinds...>) {
  return (holds_exactly(held<set_of<Kinds>>::set, [](int kind) { return kind == Kinds; }) && ...) &&
         (holds_exactly(held<set_of<Kinds, Kinds + 1>>::set,
                        [](int kind) { return kind == Kinds || kind == Kinds + 1; }) &&
          ...);
}
static_assert(are_told_apart(std::make_integer_sequence<int, ops::all::size - 1>{}));
static_assert(holds_exactly(held<text::op_set{}>::set, [](int) { return false; }));
static_assert(holds_exactly(held<text::every_op>::set, [](int) { return true; }));

struct convolution {
  static constexpr std::string_view text = R"(
func.func @main(%a: tensor<1x6x6x1xf32>, %b: tensor<1x1x1x1xf32>) -> tensor<1x6x6x1xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x6x6x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x6x6x1xf32>
  return %0 : tensor<1x6x6x1xf32>
})";
};
struct sign {
  static constexpr std::string_view text = R"(
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.sign %a : tensor<4xf32>
  return %0 : tensor<4xf32>
})";
};
struct add {
  static constexpr std::string_view text = R"(
func.func @main(%a: tensor<4xi32>) -> tensor<4xi32> {
  %0 = stablehlo.add %a, %a : tensor<4xi32>
  return %0 : tensor<4xi32>
})";
};
struct either {
  static constexpr std::string_view text = R"(
func.func @main(%a: tensor<4xi32>) -> tensor<4xi32> {
  %0 = stablehlo.or %a, %a : tensor<4xi32>
  return %0 : tensor<4xi32>
})";
};
static_assert(kind_of_op<ops::sign> == kind_of_op<ops::convolution> + 64);
static_assert(kind_of_op<ops::or_> == kind_of_op<ops::add> + 64);
static_assert(!parsed<convolution>::error && !parsed<sign>::error);
static_assert(!parsed<add>::error && !parsed<either>::error);

}  // namespace
