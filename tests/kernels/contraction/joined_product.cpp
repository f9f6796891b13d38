// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/contraction/joined_product.hpp>

#include <tenon/ops/all.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::kernels;

namespace {

constexpr ints sizes{4, 3, 5};
constexpr ints dense_strides[1] = {ints{15, 5, 1}}, cut_strides[1] = {ints{30, 5, 1}};
constexpr joined_dimensions<1> dense(sizes, dense_strides), cut(sizes, cut_strides);

constexpr tensor_type operands[] = {type_of(dtype::f32, {2, 3, 4}), type_of(dtype::f32, {2, 4, 5})};
constexpr ops::dot_general batched{.dot_dimension_numbers = {{0}, {0}, {2}, {1}}};
constexpr joined_product product(batched.product({operands, 2}, nullptr));

}  // namespace

// Neighbours that lie behind each other are one dimension.
static_assert(dense.size == 60 && dense.strides[0] == 1 && dense.outer.empty());
static_assert(cut.size == 15 && cut.outer == ints{4} && cut.outer_strides[0] == ints{30});

static_assert(product.rows.size == 3 && product.columns.size == 5 && product.inner.size == 4);
static_assert(product.outer.count() == 2 && product.row_of_result() == 5 && !product.swapped);

TEST_CASE("each product of a batch begins behind the one before") {
  std::vector<index_t> begins;
  for (index_t number = 0; number < 2; ++number)
    product.multiply(number, [&](index_t a, index_t b, index_t result, bool accumulate) {
      CHECK(!accumulate);
      for (index_t each : {a, b, result}) begins.push_back(each);
    });
  CHECK(begins == std::vector<index_t>{0, 0, 0, 12, 20, 15});
}

TEST_CASE("what is summed over and lies apart is added up") {
  const tensor_type apart[] = {type_of(dtype::f32, {2, 3, 4}), type_of(dtype::f32, {4, 2, 5})};
  const ops::dot_general both{.dot_dimension_numbers = {{}, {}, {0, 2}, {1, 0}}};
  const joined_product sums(both.product({apart, 2}, nullptr));
  std::vector<bool> adds;
  sums.multiply(0, [&](index_t, index_t, index_t, bool accumulate) { adds.push_back(accumulate); });
  CHECK(adds == std::vector<bool>{false, true});
}

TEST_CASE("ops say which sums of products they are") {
  find_product visit{{operands, 2}, nullptr, {}, {}};
  CHECK(visit(batched));
  CHECK(visit.found.batch.count() == 2);
  index_t words[1]{};
  CHECK(!visit_op(kind_of_op<ops::add>, words, visit));
}
