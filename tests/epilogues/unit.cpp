// SPDX-License-Identifier: Apache-2.0
#include <tenon/epilogues/unit.hpp>

#include <tenon/ops/contraction/convolution.hpp>
#include <tenon/ops/contraction/dot_general.hpp>
#include <tenon/ops/elementwise/add.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;

namespace {

constexpr index_t unit_of(const auto& op, const ints& lhs, const ints& rhs, const ints& result, dtype element,
                          dtype sums) {
  const tensor_type operands[] = {type_of(element, lhs), type_of(element, rhs)}, given = type_of(sums, result);
  find_epilogue_unit visit{{operands, 2}, given};
  return visit(op) ? visit.found : 0;
}

// As many as `unit`, on processors on which products are summed up where they lie; elsewhere none.
constexpr bool is(index_t found, index_t unit) { return found == (multiplies_in_place ? unit : 0); }

constexpr ops::convolution images{.dimension_numbers = {0, 3, {1, 2}, 2, 3, {0, 1}, 0, 3, {1, 2}}};
constexpr ops::convolution channels_first{.dimension_numbers = {0, 1, {2, 3}, 1, 0, {2, 3}, 0, 1, {2, 3}}};
constexpr ops::dot_general product{
    .dot_dimension_numbers = {.lhs_contracting_dimensions = {1}, .rhs_contracting_dimensions = {0}}};

static_assert(is(unit_of(images, {1, 4, 4, 3}, {3, 3, 3, 8}, {1, 2, 2, 8}, dtype::i8, dtype::i32), 8));
static_assert(is(unit_of(images, {1, 4, 4, 3}, {3, 3, 3, 8}, {1, 2, 2, 8}, dtype::ui8, dtype::ui32), 8));
static_assert(is(unit_of(product, {6, 5}, {5, 7}, {6, 7}, dtype::i8, dtype::i32), 7));
static_assert(is(unit_of(product, {1, 5}, {5, 256}, {1, 256}, dtype::i8, dtype::i32), 256));
static_assert(is(unit_of(product, {1, 5}, {5, 640}, {1, 640}, dtype::i8, dtype::i32), 1));
static_assert(unit_of(images, {1, 4, 4, 0}, {3, 3, 0, 8}, {1, 2, 2, 8}, dtype::i8, dtype::i32) == 0);
static_assert(unit_of(images, {1, 4, 4, 3}, {3, 3, 3, 8}, {1, 2, 2, 8}, dtype::i8, dtype::i8) == 0);
static_assert(unit_of(images, {1, 4, 4, 3}, {3, 3, 3, 8}, {1, 2, 2, 8}, dtype::f32, dtype::f32) == 0);
static_assert(unit_of(images, {1, 4, 4, 3}, {3, 3, 3, 8}, {1, 2, 2, 8}, dtype::i8, dtype::i64) == 0);
static_assert(unit_of(channels_first, {1, 3, 4, 4}, {8, 3, 3, 3}, {1, 8, 2, 2}, dtype::i8, dtype::i32) == 0);
static_assert(unit_of(product, {6, 0}, {0, 7}, {6, 7}, dtype::i8, dtype::i32) == 0);
static_assert(unit_of(ops::dot_general{.dot_dimension_numbers = {{0}, {0}, {2}, {1}}}, {2, 6, 5}, {2, 5, 7}, {2, 6, 7},
                      dtype::i8, dtype::i32) == 0);
static_assert(unit_of(ops::add{}, {6, 7}, {6, 7}, {6, 7}, dtype::i8, dtype::i8) == 0);

static_assert(epilogue_elements(8000, 64) == 256);
static_assert(epilogue_elements(8000, 300) == 600);
static_assert(epilogue_elements(64, 64) == 64);
static_assert(epilogue_elements(90, 3) == 90);

}  // namespace

TEST_CASE("how many elements are given at a time is known while compiling") {}
