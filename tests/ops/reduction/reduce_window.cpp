// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/reduction/reduce_window.hpp>

#include "ops/bodies.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::test;

namespace {

// Types.

constexpr ops::reduce_window pooling{.window_dimensions = {2, 1}, .window_strides = {1, 2}};
constexpr tensor_type f32_1x2 = type_of(dtype::f32, {1, 2});
constexpr auto& adding = combining<dtype::f32>;
static_assert(result_type(pooling, {f32_2x3, f32_scalar}, {}, {adding}) == f32_1x2);
static_assert(result_type(ops::reduce_window{.window_dimensions = {3, 3}}, {f32_2x3, f32_scalar}, {}, {adding}) ==
              type_of(dtype::f32, {0, 1}));
static_assert(result_type(ops::reduce_window{.window_dimensions = {2, 2}, .padding = {{1, 1}, {-1, 0}}},
                          {f32_2x3, f32_scalar}, {}, {adding}) == type_of(dtype::f32, {3, 1}));
static_assert(
    result_type(ops::reduce_window{.window_dimensions = {2, 2}, .base_dilations = {3, 1}, .window_dilations = {3, 1}},
                {f32_2x3, f32_scalar}, {}, {adding}) == type_of(dtype::f32, {1, 2}));
static_assert(result_type(ops::reduce_window{.window_dimensions = {}}, {f32_scalar, f32_scalar}, {}, {adding}) ==
              f32_scalar);
static_assert(result_type(pooling, {f32_2x3, f32_scalar}, {}, {combining<dtype::f64>}) == type_of(dtype::f64, {1, 2}));
// Attributes that overflow give huge or empty results, not undefined behaviour.
static_assert(ops::window_axis{.size = 4, .window = 1, .low = INT64_MAX, .high = INT64_MAX}.count() == INT64_MAX);
static_assert(ops::window_axis{.size = 4, .window = 1, .low = INT64_MIN, .high = -5}.count() == 0);
static_assert(ops::window_axis{.size = INT64_MAX, .window = INT64_MAX, .window_dilation = INT64_MAX}.count() == 1);

// Slices of a window have always been accepted.
constexpr tensor_type f32_3 = type_of(dtype::f32, {3}), pair_of_3[] = {f32_3, f32_3};
constexpr signature over_slices{{pair_of_3, 2}, {pair_of_3, 1}};
static_assert(broken_by(ops::reduce_window{.window_dimensions = {1, 3}}, {f32_2x3, f32_3}, {}, {over_slices}).empty());
static_assert(broken_by(pooling, {f32_2x3, f32_3}, {}, {over_slices}) == "reduce_window_c13");

// Broken rules.

constexpr std::string_view broken(const ops::reduce_window& op,
                                  std::initializer_list<tensor_type> operands = {f32_2x3, f32_scalar},
                                  const signature& body = adding, std::initializer_list<tensor_type> declared = {}) {
  return broken_by(op, operands, declared, {body});
}
static_assert(broken(pooling, {token, f32_scalar}) == "reduce_window_i1");
static_assert(broken(pooling, {f32_2x3, token}) == "reduce_window_i2");
static_assert(broken(pooling, {f32_2x3, type_of(dtype::f32, {1})}) == "reduce_window_i2");
static_assert(broken(pooling, {}) == "reduce_window_c1");
static_assert(broken(pooling, {f32_2x3, f32_scalar, f32_scalar}) == "reduce_window_c1");
static_assert(broken(pooling, {f32_2x3, f32_scalar}, adding, {f32_1x2, f32_1x2}) == "reduce_window_c1");
static_assert(broken(pooling, {f32_2x3, f32_3x2, f32_scalar, f32_scalar}, combining_two<dtype::f32, dtype::f32>) ==
              "reduce_window_c2");
static_assert(broken(pooling, {f32_2x3, i32_scalar}) == "reduce_window_c3");
static_assert(broken({.window_dimensions = {2}}) == "reduce_window_c4");
static_assert(broken({.window_dimensions = {2, 0}}) == "reduce_window_c5");
static_assert(broken({.window_dimensions = {2, 1}, .window_strides = {1}}) == "reduce_window_c6");
static_assert(broken({.window_dimensions = {2, 1}, .window_strides = {1, 0}}) == "reduce_window_c7");
static_assert(broken({.window_dimensions = {2, 1}, .base_dilations = {1}}) == "reduce_window_c8");
static_assert(broken({.window_dimensions = {2, 1}, .base_dilations = {1, 0}}) == "reduce_window_c9");
static_assert(broken({.window_dimensions = {2, 1}, .window_dilations = {1}}) == "reduce_window_c10");
static_assert(broken({.window_dimensions = {2, 1}, .window_dilations = {1, -1}}) == "reduce_window_c11");
static_assert(broken({.window_dimensions = {2, 1}, .padding = {{1, 1}}}) == "reduce_window_c12");
static_assert(broken({.window_dimensions = {2, 1}, .padding = {{1, 1, 1}, {1, 1, 1}}}) == "reduce_window_c12");
static_assert(broken(pooling, {f32_2x3, f32_scalar}, combining<dtype::i32>) == "reduce_window_c13");
static_assert(broken(pooling, {f32_2x3, f32_2x3, f32_scalar, f32_scalar}, combining_two<dtype::f32, dtype::f32>,
                     {f32_1x2, f32_2x3}) == "reduce_window_c14");
static_assert(broken(pooling, {f32_2x3, f32_scalar}, adding, {f32_2x3}) == "reduce_window_c15");
static_assert(broken(pooling, {f32_2x3, f32_scalar}, adding, {type_of(dtype::f64, {1, 2})}) == "reduce_window_c16");

// Values.

std::vector<i64> evaluated(const ops::reduce_window& op, const value& input, i64 init, const surroundings& around) {
  const ints shape = op.window().count(input.type.shape);
  return evaluate<i64>(op, {input, scalar_of(init)}, {type_of(dtype::i64, shape)}, around)[0].as<i64>();
}

const surroundings sum = combined_by<i64>([](i64 a, i64 b) { return a + b; });

}  // namespace

TEST_CASE("reduce_window: the specification's example") {
  const ops::reduce_window op{.window_dimensions = {2, 1},
                              .window_strides = {4, 1},
                              .base_dilations = {2, 1},
                              .window_dilations = {3, 1},
                              .padding = {{2, 1}, {0, 0}}};
  CHECK(evaluated(op, counting<i64>({3, 2}), 0, sum) == std::vector<i64>{0, 0, 3, 4});
}

TEST_CASE("reduce_window: padding and holes take the initial value, in order") {
  const surroundings digits = combined_by<i64>([](i64 so_far, i64 digit) { return 10 * so_far + digit; });
  CHECK(evaluated({.window_dimensions = {3}, .padding = {{1, 1}}}, counting<i64>({3}), 9, digits) ==
        std::vector<i64>{9912, 9123, 9239});
  CHECK(evaluated({.window_dimensions = {5}, .base_dilations = {2}}, counting<i64>({3}), 9, digits) ==
        std::vector<i64>{919293});
  CHECK(evaluated({.window_dimensions = {2, 2}}, counting<i64>({2, 3}), 9, digits) == std::vector<i64>{91245, 92356});
  CHECK(evaluated({.window_dimensions = {2}, .padding = {{-1, -1}}}, counting<i64>({4}), 9, digits) ==
        std::vector<i64>{923});
}

TEST_CASE("reduce_window: every combination of small attributes against a padded copy") {
  for (index_t size = 0; size <= 4; ++size)
    for (index_t window = 1; window <= 3; ++window)
      for (index_t stride = 1; stride <= 2; ++stride)
        for (index_t base = 1; base <= 3; ++base)
          for (index_t dilation = 1; dilation <= 2; ++dilation)
            for (index_t low = -2; low <= 2; ++low)
              for (index_t high = -1; high <= 2; ++high) {
                std::vector<i64> dilated;
                for (index_t i = 0; i < size; ++i) {
                  if (i > 0) dilated.resize(dilated.size() + std::size_t(base - 1), 100);
                  dilated.push_back(i + 1);
                }
                const index_t length = index_t(dilated.size()), padded = low + length + high;
                std::vector<i64> expected;
                for (index_t at = 0; padded > 0 && at + (window - 1) * dilation < padded; at += stride) {
                  i64 total = 100;
                  for (index_t k = 0; k < window; ++k) {
                    const index_t from = at + k * dilation - low;
                    total += 0 <= from && from < length ? dilated[std::size_t(from)] : 100;
                  }
                  expected.push_back(total);
                }
                const ops::reduce_window op{.window_dimensions = {window},
                                            .window_strides = {stride},
                                            .base_dilations = {base},
                                            .window_dilations = {dilation},
                                            .padding = {{low, high}}};
                REQUIRE(evaluated(op, counting<i64>({size}), 100, sum) == expected);
              }
}

TEST_CASE("reduce_window: elements become those of the body first") {
  const auto results =
      evaluate<i8>(ops::reduce_window{.window_dimensions = {2}}, {tensor_of<i8>({3}, {100, 100, -1}), scalar_of<i8>(0)},
                   {type_of(dtype::i16, {2})}, combined_by<i16>([](i16 a, i16 b) { return i16(a + b); }));
  CHECK(results[0].as<i16>() == std::vector<i16>{200, 99});
}
