// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/chlo/scan.hpp>

#include <ops/evaluate.hpp>
#include <ops/signatures.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::execution;
using namespace tenon::test;

namespace {

constexpr tensor_type f32_3 = type_of(dtype::f32, {3}), f32_2 = type_of(dtype::f32, {2});

// One input, one carry, one output, along dimension 0.
constexpr ops::scan self{.operand_segment_sizes = {1, 1}, .result_segment_sizes = {1, 1}};
constexpr ops::scan with(index_t dimension, index_t size, ints operands, ints results) {
  return {.dimension = dimension,
          .scan_dim_size = size,
          .operand_segment_sizes = operands,
          .result_segment_sizes = results};
}
constexpr signature body = signature_of<type_array<f32_3, f32_3>, type_array<f32_3, f32_3>>;

// types
static_assert(result_type(self, {f32_2x3, f32_3}, {}, {body}) == f32_2x3);
static_assert(result_type(self, {f32_2x3, f32_3}, {f32_2x3, f32_3}, {body}) == f32_2x3);
constexpr signature columns = signature_of<type_array<f32_2, f32_scalar>, type_array<f32_2, f32_scalar>>;
static_assert(result_type(with(1, 3, {1, 1}, {1, 1}), {f32_2x3, f32_scalar}, {}, {columns}) == f32_2x3);
// Without inputs the number of turns is said, or stands in the results.
constexpr signature counting_up = signature_of<type_array<f32_scalar>, type_array<f32_scalar, f32_scalar>>;
static_assert(result_type(with(0, 3, {0, 1}, {1, 1}), {f32_scalar}, {}, {counting_up}) == f32_3);
static_assert(result_type(with(0, -1, {0, 1}, {1, 1}), {f32_scalar}, {f32_3, f32_scalar}, {counting_up}) == f32_3);

// broken rules
static_assert(broken_by(with(0, -1, {1, 2}, {1, 1}), {f32_2x3, f32_3}, {}, {body}) == "scan_operands");
static_assert(broken_by(ops::scan{}, {f32_2x3, f32_3}, {}, {body}) == "scan_operands");
static_assert(broken_by(with(0, -1, {1, 1}, {2, 1}), {f32_2x3, f32_3}, {}, {body}) == "scan_results");
static_assert(broken_by(with(0, -1, {1, 1}, {2, 0}), {f32_2x3, f32_3}, {}, {body}) == "scan_results");
static_assert(broken_by(with(-1, -1, {1, 1}, {1, 1}), {f32_2x3, f32_3}, {}, {body}) == "scan_i3");
static_assert(broken_by(with(0, -2, {1, 1}, {1, 1}), {f32_2x3, f32_3}, {}, {body}) == "scan_i4");
constexpr signature carries_only = signature_of<type_array<f32_3>, type_array<f32_3>>;
static_assert(broken_by(with(0, 2, {0, 1}, {0, 1}), {f32_3}, {}, {carries_only}) == "scan_c1");
static_assert(broken_by(with(2, -1, {1, 1}, {1, 1}), {f32_2x3, f32_3}, {}, {body}) == "scan_c2");
static_assert(broken_by(with(0, 3, {1, 1}, {1, 1}), {f32_2x3, f32_3}, {}, {body}) == "scan_c3");
constexpr signature two = signature_of<type_array<f32_3, f32_3>, type_array<f32_3>>;
static_assert(broken_by(with(0, -1, {2, 0}, {1, 0}), {f32_2x3, type_of(dtype::f32, {3, 3})}, {}, {two}) == "scan_c3");
static_assert(broken_by(with(0, -1, {0, 1}, {1, 1}), {f32_scalar}, {}, {counting_up}) == "scan_c4");
static_assert(broken_by(self, {f32_2x3, type_of(dtype::i32, {3})}, {}, {body}) == "scan_c5");
static_assert(broken_by(self, {f32_2x3, f32_3}, {}, {columns}) == "scan_c5");
constexpr signature other_carry = signature_of<type_array<f32_3, f32_3>, type_array<f32_3, f32_2>>;
static_assert(broken_by(self, {f32_2x3, f32_3}, {}, {other_carry}) == "scan_c6");
constexpr signature flat = signature_of<type_array<f32_2, f32_scalar>, type_array<f32_scalar, f32_scalar>>;
static_assert(broken_by(with(1, -1, {1, 1}, {1, 1}), {f32_2x3, f32_scalar}, {}, {flat}) == "scan_c7");
static_assert(broken_by(self, {f32_2x3, f32_3}, {f32_3x2, f32_3}, {body}) == "scan_c8");

// Adds what the input has to the carry, element by element, and gives the sum twice.
region_code sums_of(int size) {
  return [size](int, const void* const* arguments, void* const* results) {
    for (int i = 0; i < size; ++i) {
      const i32 sum = static_cast<const i32*>(arguments[0])[i] + static_cast<const i32*>(arguments[1])[i];
      static_cast<i32*>(results[0])[i] = static_cast<i32*>(results[1])[i] = sum;
    }
  };
}

std::vector<value> running_sums(ops::scan op, const ints& shape, int size) {
  const ints slice = shape.select(ints::range(shape.size).without({op.dimension}));
  return evaluate<ui32>(op, {counting<i32>(shape), tensor_of<i32>(slice, std::vector<i32>(std::size_t(size), 100))},
                        {type_of(dtype::i32, shape), type_of(dtype::i32, slice)}, {sums_of(size), {}});
}

}  // namespace

TEST_CASE("scan: running sums along each dimension, from either end") {
  // 1 2 3
  // 4 5 6
  const ints shape{2, 3};
  ops::scan op = self;
  auto results = running_sums(op, shape, 3);
  CHECK(results[0].as<i32>() == std::vector<i32>{101, 102, 103, 105, 107, 109});
  CHECK(results[1].as<i32>() == std::vector<i32>{105, 107, 109});
  op.is_reverse = true;
  results = running_sums(op, shape, 3);
  CHECK(results[0].as<i32>() == std::vector<i32>{105, 107, 109, 104, 105, 106});
  CHECK(results[1].as<i32>() == std::vector<i32>{105, 107, 109});
  op.dimension = 1;
  results = running_sums(op, shape, 2);
  CHECK(results[0].as<i32>() == std::vector<i32>{106, 105, 103, 115, 111, 106});
  CHECK(results[1].as<i32>() == std::vector<i32>{106, 115});
  op.is_reverse = false;
  results = running_sums(op, shape, 2);
  CHECK(results[0].as<i32>() == std::vector<i32>{101, 103, 106, 104, 109, 115});
  CHECK(results[1].as<i32>() == std::vector<i32>{106, 115});
}

TEST_CASE("scan: no turns give the first carries") {
  const auto results = running_sums(self, {0, 3}, 3);
  CHECK(results[1].as<i32>() == std::vector<i32>{100, 100, 100});
}

TEST_CASE("scan: several inputs, carries of other shapes, outputs without inputs") {
  const region_code count_up = [](int, const void* const* arguments, void* const* results) {
    const i32 now = *static_cast<const i32*>(arguments[0]);
    for (int i = 0; i < 2; ++i) static_cast<f64*>(results[0])[i] = now + i * 0.5;
    *static_cast<i32*>(results[1]) = now + 1;
  };
  const auto counted = evaluate<ui32>(with(1, 3, {0, 1}, {1, 1}), {scalar_of<i32>(7)},
                                      {type_of(dtype::f64, {2, 3}), type_of(dtype::i32)}, {count_up, {}});
  CHECK(counted[0].as<f64>() == std::vector<f64>{7, 8, 9, 7.5, 8.5, 9.5});
  CHECK(counted[1].as<i32>() == std::vector<i32>{10});

  // The largest so far and where it stands.
  const region_code largest = [](int, const void* const* arguments, void* const* results) {
    const i32 here = *static_cast<const i32*>(arguments[0]), best = *static_cast<const i32*>(arguments[2]);
    const ui8 place = *static_cast<const ui8*>(arguments[1]), best_place = *static_cast<const ui8*>(arguments[3]);
    *static_cast<i32*>(results[0]) = *static_cast<i32*>(results[2]) = here > best ? here : best;
    *static_cast<ui8*>(results[1]) = *static_cast<ui8*>(results[3]) = here > best ? place : best_place;
  };
  const tensor_type i32_5 = type_of(dtype::i32, {5}), ui8_5 = type_of(dtype::ui8, {5});
  const auto found = evaluate<ui32>(with(0, -1, {2, 2}, {2, 2}),
                                    {tensor_of<i32>({5}, {3, 1, 4, 1, 5}), tensor_of<ui8>({5}, {0, 1, 2, 3, 4}),
                                     scalar_of<i32>(-9), scalar_of<ui8>(9)},
                                    {i32_5, ui8_5, type_of(dtype::i32), type_of(dtype::ui8)}, {largest, {}});
  CHECK(found[0].as<i32>() == std::vector<i32>{3, 3, 4, 4, 5});
  CHECK(found[1].as<ui8>() == std::vector<ui8>{0, 0, 2, 2, 4});
  CHECK(found[2].as<i32>() == std::vector<i32>{5});
  CHECK(found[3].as<ui8>() == std::vector<ui8>{4});
}
