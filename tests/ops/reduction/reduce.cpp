// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/reduction/reduce.hpp>

#include "ops/bodies.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::test;

namespace {

// Types.

constexpr tensor_type f32_2 = type_of(dtype::f32, {2}), f64_2 = type_of(dtype::f64, {2});
static_assert(result_type(ops::reduce{{1}}, {f32_2x3, f32_scalar}, {}, {combining<dtype::f32>}) == f32_2);
static_assert(result_type(ops::reduce{{0}}, {f32_2x3, f32_scalar}, {}, {combining<dtype::f32>}) ==
              type_of(dtype::f32, {3}));
static_assert(result_type(ops::reduce{{1, 0}}, {f32_2x3, f32_scalar}, {}, {combining<dtype::f32>}) == f32_scalar);
static_assert(result_type(ops::reduce{{}}, {f32_2x3, f32_scalar}, {}, {combining<dtype::f32>}) == f32_2x3);
static_assert(result_type(ops::reduce{{1}}, {f32_2x3, f32_scalar}, {f64_2}, {combining<dtype::f64>}) == f64_2);
static_assert(broken_by(ops::reduce{{1}}, {f32_2x3, i32_2x3, f32_scalar, i32_scalar}, {},
                        {combining_two<dtype::f32, dtype::i32>})
                  .empty());

constexpr tensor_type bounded_2x3 = {dtype::f32, 0b10, 0, 0, {2, 3}};
static_assert(result_type(ops::reduce{{0}}, {bounded_2x3, f32_scalar}, {}, {combining<dtype::f32>}).bounded == 1);

// A body over slices has always been accepted.
constexpr tensor_type f32_3 = type_of(dtype::f32, {3}), pair_of_3[] = {f32_3, f32_3};
constexpr signature over_slices{{pair_of_3, 2}, {pair_of_3, 1}};
static_assert(broken_by(ops::reduce{{0}}, {f32_2x3, f32_3}, {}, {over_slices}).empty());
static_assert(broken_by(ops::reduce{{1}}, {f32_2x3, f32_3}, {}, {over_slices}) == "reduce_c6");

// Broken rules.

constexpr std::string_view broken(std::initializer_list<tensor_type> operands, const signature& body,
                                  const ints& dimensions = {1}, std::initializer_list<tensor_type> declared = {}) {
  return broken_by(ops::reduce{dimensions}, operands, declared, {body});
}
constexpr auto& adding = combining<dtype::f32>;
static_assert(broken({token, f32_scalar}, adding) == "reduce_i1");
static_assert(broken({f32_2x3, token}, adding) == "reduce_i2");
static_assert(broken({f32_2x3, type_of(dtype::f32, {1})}, adding) == "reduce_i2");
static_assert(broken({f32_2x3, f32_3x2, f32_scalar, f32_scalar}, combining_two<dtype::f32, dtype::f32>) == "reduce_c1");
static_assert(broken({f32_2x3, i32_scalar}, adding) == "reduce_c2");
static_assert(broken({}, adding) == "reduce_c3");
static_assert(broken({f32_2x3, f32_2x3, f32_scalar}, adding) == "reduce_c3");
static_assert(broken({f32_2x3, f32_scalar}, adding, {1}, {f32_2, f32_2}) == "reduce_c3");
static_assert(broken({f32_2x3, f32_scalar}, adding, {2}) == "reduce_c4");
static_assert(broken({f32_2x3, f32_scalar}, adding, {-1}) == "reduce_c4");
static_assert(broken({f32_2x3, f32_scalar}, adding, {1, 1}) == "reduce_c5");
static_assert(broken({f32_2x3, f32_scalar}, combining<dtype::i32>) == "reduce_c6");
static_assert(broken({f64_2x3, f64_scalar}, adding) == "reduce_c6");
static_assert(broken({f32_2x3, f32_scalar}, comparing<dtype::f32>) == "reduce_c6");
static_assert(broken({f32_2x3, f32_scalar}, combining_two<dtype::f32, dtype::f32>) == "reduce_c6");
static_assert(broken({f32_2x3, f32_scalar}, adding, {1}, {f32_scalar}) == "reduce_c7");
static_assert(broken({f32_2x3, f32_scalar}, adding, {1}, {f64_2}) == "reduce_c8");

// The map: the reduced index runs freely.

constexpr tensor_type operands_of_map[] = {f32_2x3, f32_scalar};
static_assert(ops::reduce{{0}}.reads(0, {operands_of_map, 2}, f32_3).result_count == 2);
static_assert(ops::reduce{{0}}.reads(1, {operands_of_map, 2}, f32_3).result_count == 0);

}  // namespace

TEST_CASE("reduce: the specification's example") {
  const auto results = evaluate<i64>(ops::reduce{{1}}, {tensor_of<i64>({1, 6}, {0, 1, 2, 3, 4, 5}), scalar_of<i64>(0)},
                                     {type_of(dtype::i64, {1})}, combined_by<i64>([](i64 a, i64 b) { return a + b; }));
  CHECK(results[0].as<i64>() == std::vector<i64>{15});
}

TEST_CASE("reduce: ascending row-major order of the reduced indices, the accumulator first") {
  // Writes down the order in decimal digits.
  const auto digits = combined_by<i64>([](i64 sum, i64 digit) { return 10 * sum + digit; });
  const value input = tensor_of<i64>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto reduced = [&](const ints& dimensions) {
    return evaluate<i64>(ops::reduce{dimensions}, {input, scalar_of<i64>(9)},
                         {type_of(dtype::i64, input.type.shape.without(dimensions))}, digits)[0]
        .as<i64>();
  };
  CHECK(reduced({0, 1, 2}) == std::vector<i64>{912345678});
  CHECK(reduced({2, 0}) == std::vector<i64>{91256, 93478});
  CHECK(reduced({1}) == std::vector<i64>{913, 924, 957, 968});
  CHECK(reduced({}) == std::vector<i64>{91, 92, 93, 94, 95, 96, 97, 98});
}

TEST_CASE("reduce: nothing to reduce gives the initial value") {
  const auto results = evaluate<f32>(ops::reduce{{0}}, {tensor_of<f32>({0, 2}, {}), scalar_of(7.0f)},
                                     {type_of(dtype::f32, {2})}, combined_by<f32>([](f32 a, f32 b) { return a + b; }));
  CHECK(results[0].as<f32>() == std::vector<f32>{7, 7});
}

TEST_CASE("reduce: elements become those of the body first") {
  const auto add = [](auto a, auto b) { return a + b; };
  const auto wide = evaluate<bf16>(ops::reduce{{0}},
                                   {tensor_of<bf16>({300}, std::vector<bf16>(300, bf16(1.0f))), scalar_of(bf16(0.0f))},
                                   {type_of(dtype::f32)}, combined_by<f32>(add));
  CHECK(wide[0].as<f32>() == std::vector<f32>{300});
  const auto integers = evaluate<i8>(ops::reduce{{0}}, {tensor_of<i8>({3}, {-100, -100, 50}), scalar_of<i8>(-1)},
                                     {type_of(dtype::i32)}, combined_by<i32>(add));
  CHECK(integers[0].as<i32>() == std::vector<i32>{-151});
}

TEST_CASE("reduce: a quantized element is converted to the quantization of the body") {
  static constexpr tensor_type from = quantized(dtype::i8, 1, {2}), to = quantized(dtype::i8, 2, {});
  static constexpr tensor_type pair[] = {to, to};
  value input = tensor_of<i8>({2}, {-30, 20}), init = scalar_of<i8>(-30);
  input.type = from;
  init.type = from.with_shape({});
  const surroundings around{binary<i8>([](i8, i8 b) { return b; }), {{{pair, 2}, {pair, 1}}}, &quantized_details};
  // (20 + 30) * 0.1 = 5 = (-10 + 20) * 0.5
  CHECK(evaluate<i8>(ops::reduce{{0}}, {input, init}, {to}, around)[0].as<i8>() == std::vector<i8>{-10});
}

TEST_CASE("reduce: several inputs, the position of the largest") {
  const region_code later = [](int, const void* const* arguments, void* const* results) {
    const f32 a = *static_cast<const f32*>(arguments[0]), b = *static_cast<const f32*>(arguments[2]);
    const i32 i = *static_cast<const i32*>(arguments[1]), j = *static_cast<const i32*>(arguments[3]);
    // The results are written before the last argument is read.
    *static_cast<f32*>(results[0]) = a >= b ? a : b;
    *static_cast<i32*>(results[1]) = *static_cast<const f32*>(arguments[0]) >= b ? i : j;
  };
  const surroundings around{later, {combining_two<dtype::f32, dtype::i32>}};
  const auto results = evaluate<f32>(ops::reduce{{1}},
                                     {tensor_of<f32>({2, 3}, {1, 5, 2, 7, 6, 7}),
                                      tensor_of<i32>({2, 3}, {0, 1, 2, 0, 1, 2}), scalar_of(-1e9f), scalar_of<i32>(-1)},
                                     {f32_2, type_of(dtype::i32, {2})}, around);
  CHECK(results[0].as<f32>() == std::vector<f32>{5, 7});
  CHECK(results[1].as<i32>() == std::vector<i32>{1, 0});
}
