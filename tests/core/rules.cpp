// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/rules.hpp>

#include <doctest/doctest.h>

namespace {

using namespace tenon;
using namespace tenon::core;

constexpr tensor_type f32_4 = type_of(dtype::f32, {4}), i8_4 = type_of(dtype::i8, {4});

constexpr tensor_type quantized_type(std::int16_t number) {
  tensor_type type = i8_4;
  type.quantization = number;
  return type;
}
constexpr tensor_type per_tensor = quantized_type(1), per_axis = quantized_type(2);

struct two_quantizations : type_details {
  constexpr quantization quantization_of(const tensor_type& type) const override {
    quantization result;
    result.storage = dtype::i8;
    result.expressed = dtype::f32;
    result.dimension = type.quantization == 2 ? 0 : -1;
    return result;
  }
};
constexpr two_quantizations details;

// The first rule that breaks is the one that is reported.
constexpr rules broken = [] {
  rules rule;
  rule("op_c1", "first", true);
  rule("op_c2", "second", false);
  rule("op_c3", "third", false);
  return rule;
}();
static_assert(broken.broken() && std::string_view(broken.label) == "op_c2" &&
              std::string_view(broken.sentence) == "second");
static_assert(!rules{}.broken());

constexpr bool breaks(const tensor_type& declared, auto check) {
  rules rule;
  rule.declared = {&declared, 1};
  check(rule);
  return rule.broken();
}
static_assert(!breaks(f32_4, [](rules& rule) { rule.result("c", "", f32_4); }));
static_assert(breaks(f32_4, [](rules& rule) { rule.result("c", "", i8_4); }));
static_assert(!breaks(f32_4, [](rules& rule) { rule.result("c", "", i8_4, 1); }));
static_assert(!breaks(f32_4, [](rules& rule) { rule.result_shape("c", "", {4}); }));
static_assert(breaks(f32_4, [](rules& rule) { rule.result_shape("c", "", {5}); }));
static_assert(!breaks(f32_4, [](rules& rule) { rule.result_element("c", "", type_of(dtype::f32)); }));
static_assert(breaks(per_tensor, [](rules& rule) { rule.result_element("c", "", i8_4); }));

constexpr rules with_details = [] {
  rules rule;
  rule.details = &details;
  return rule;
}();
static_assert(with_details.is_per_tensor_quantized(per_tensor) && !with_details.is_per_axis_quantized(per_tensor));
static_assert(with_details.is_per_axis_quantized(per_axis) && !with_details.is_per_tensor_quantized(per_axis));
static_assert(!with_details.is_per_tensor_quantized(i8_4));
static_assert(with_details.baseline(per_axis) == dtype::f32 && with_details.baseline(i8_4) == dtype::i8);
static_assert(with_details.is(per_axis, kinds::per_axis_quantized) && !with_details.is(per_axis, kinds::integer) &&
              !with_details.is(per_tensor, kinds::per_axis_quantized | kinds::any) &&
              with_details.is(i8_4, kinds::any));
static_assert(!with_details.is(token_type(), kinds::any | kinds::quantized));
static_assert(same_baseline(with_details, per_tensor, f32_4) && same_baseline(with_details, per_tensor, per_axis) &&
              !same_baseline(with_details, per_tensor, i8_4));

// Nothing is known of a program without details, and nothing breaks.
static_assert(rules{}.members_of(f32_4).empty() && rules{}.name_of(3).empty() &&
              rules{}.quantization_of(per_axis).expressed == dtype::none);

}  // namespace

TEST_CASE("rules go on after a broken one") {
  rules rule;
  int asked = 0;
  rule("op_c1", "", ++asked == 2);
  rule("op_c2", "", ++asked == 2);
  CHECK(asked == 2);
  CHECK(std::string_view(rule.label) == "op_c1");
}
