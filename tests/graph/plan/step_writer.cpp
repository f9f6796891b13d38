// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/plan/step_writer.hpp>

#include <shared/read_function.hpp>
#include <shared/simplified_program.hpp>
#include <tenon/indexing/builders.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::passes;
using namespace tenon::planning;

namespace {

// How many leading dimensions the operands of a product share with its result.
constexpr int shared_by_product(int operand, const dot_dimension_numbers& numbers, const ints& lhs, const ints& rhs,
                                const ints& result, int prefix) {
  const ints& shape = operand == 0 ? lhs : rhs;
  const indexing::indexing_map map = operand == 0
                                         ? indexing::dot_general_lhs_map(result, lhs, numbers.lhs_batching_dimensions,
                                                                         numbers.lhs_contracting_dimensions)
                                         : indexing::dot_general_rhs_map(result, rhs, numbers.rhs_batching_dimensions,
                                                                         numbers.rhs_contracting_dimensions);
  return shared_dimensions(map, shape, result, prefix);
}
constexpr dot_dimension_numbers plain{{}, {}, {1}, {0}}, batched{{0}, {0}, {2}, {1}};

// Rows of a product take the same rows of the first operand, and all of the second one.
static_assert(shared_by_product(0, plain, {6, 4}, {4, 5}, {6, 5}, 1) == 1);
static_assert(shared_by_product(1, plain, {6, 4}, {4, 5}, {6, 5}, 1) == 0);
// Columns do not lead.
static_assert(shared_by_product(1, plain, {6, 4}, {4, 5}, {6, 5}, 2) == -1);
// Matrices of a batch share theirs; rows of one matrix are shared with the first operand only.
static_assert(shared_by_product(0, batched, {3, 6, 4}, {3, 4, 5}, {3, 6, 5}, 1) == 1);
static_assert(shared_by_product(1, batched, {3, 6, 4}, {3, 4, 5}, {3, 6, 5}, 1) == 1);
static_assert(shared_by_product(0, batched, {3, 6, 4}, {3, 4, 5}, {3, 6, 5}, 2) == 2);
static_assert(shared_by_product(1, batched, {3, 6, 4}, {3, 4, 5}, {3, 6, 5}, 2) == 1);

// A program of these arguments and its steps.
struct planned {
  test::read_function source;
  owned_graph simple;
  owned_plan steps;

  planned(const std::string& arguments, const std::string& ops, const std::string& results)
      : source(test::function_text(arguments, ops, results)),
        simple(simplified_program(source.program())),
        steps(tenon::planned_program(simple.get())) {}
  const plan& p() const { return steps.get(); }
  // The step of the only op of this kind.
  template <class Op>
  const plan_step& step_of() const {
    const plan_step* found = nullptr;
    for (const plan_step& each : p().steps)
      if (each.has_op() && simple.get().nodes.data[each.node].kind == kind_of_op<Op>) found = &each;
    REQUIRE(found != nullptr);
    return *found;
  }
};

// tanh(x) w, and an exponential of that; x has so many rows.
struct layer : planned {
  explicit layer(int rows, const std::string& given = "")
      : planned("%x: " + matrix(rows, 256) + ", %w: " + matrix(256, 128),
                "%t = stablehlo.tanh %x : " + matrix(rows, 256) +
                    "\n%p = stablehlo.dot_general %t, %w, contracting_dims = [1] x [0] : (" + matrix(rows, 256) + ", " +
                    matrix(256, 128) + ") -> " + matrix(rows, 128) +
                    "\n%r = stablehlo.exponential %p : " + matrix(rows, 128),
                "%r" + (given.empty() ? "" : ", " + given) + " : " + matrix(rows, 128) +
                    (given.empty() ? "" : ", " + matrix(rows, 256))) {}
  static std::string matrix(int rows, int columns) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "xf32>";
  }
};

}  // namespace

TEST_CASE("a product of many rows is done part by part, with what comes before and after it") {
  const layer found(8000);
  const plan_step& product = found.step_of<ops::dot_general>();
  REQUIRE(product.parts > 1);
  CHECK(product.prefix == 1);
  CHECK(product.units == 8000);
  CHECK(product.has_group());
  // Parts fit into the second cache: rows of both matrices.
  const index_t rows = (8000 + product.parts - 1) / product.parts;
  CHECK(rows * (256 + 128) * 4 <= step_writer::most_range_bytes);
  CHECK(rows * (256 + 128) * 4 > step_writer::good_range_bytes / 2);
  // The first operand is computed before each part, and only a part of it is kept.
  REQUIRE(product.fused_producer_count == 1);
  const plan_step& feeder = (&product)[-1];
  CHECK(feeder.is_fused_producer);
  CHECK(feeder.units == product.units);
  CHECK(feeder.parts == product.parts);
  CHECK(feeder.range_bytes >= rows * 256 * 4);
  CHECK(feeder.range_bytes < rows * 256 * 4 + 64);
  CHECK(found.p().arena_bytes < 8000 * 256 * 4);
}

TEST_CASE("what is small is done at once") {
  const layer found(16);
  CHECK(found.step_of<ops::dot_general>().parts == 0);
  CHECK(found.step_of<ops::dot_general>().fused_producer_count == 0);
}

TEST_CASE("what others read too is in memory before") {
  const layer found(8000, "%t");
  const plan_step& product = found.step_of<ops::dot_general>();
  CHECK(product.fused_producer_count == 0);
  for (const plan_step& each : found.p().steps) CHECK(!each.is_fused_producer);
}

TEST_CASE("a product alone is not divided") {
  const planned found("%x: tensor<8000x256xf32>, %w: tensor<256x128xf32>",
                      "%r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8000x256xf32>, "
                      "tensor<256x128xf32>) -> tensor<8000x128xf32>",
                      "%r : tensor<8000x128xf32>");
  CHECK(found.step_of<ops::dot_general>().parts == 0);
}
