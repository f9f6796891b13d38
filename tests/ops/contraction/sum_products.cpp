// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/contraction/sum_products.hpp>

#include "ops/evaluate.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace tenon;
using namespace tenon::kernels;
using namespace tenon::core;

namespace {

// The product of a 2 x 3 and a 3 x 2 matrix.
template <class T, class R>
std::vector<R> product_of(const T (&a)[6], const T (&b)[6]) {
  ops::product_dimensions all;
  all.rows.push(2, 3, 0, 2);
  all.columns.push(2, 0, 1, 1);
  all.inner.push(3, 1, 2, 0);
  const void* const operands[] = {a, b};
  const tensor_type types[] = {type_of(dtype_of<R>, {2, 2})};
  std::vector<R> result(4);
  void* const results[] = {result.data()};
  evaluation e;
  e.operands = {operands, 2}, e.results = {results, 1}, e.result_types = {types, 1};
  ops::sum_products<T>(e, all);
  return result;
}

}  // namespace

TEST_CASE("sums of products, in the type of the operands or of a wider result") {
  CHECK(product_of<f32, f32>({1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}) == std::vector<f32>{22, 28, 49, 64});
  CHECK(product_of<i8, i8>({100, 1, 0, 0, 0, 1}, {2, 1, 1, 1, 1, 1}) == std::vector<i8>{-55, 101, 1, 1});
  CHECK(product_of<i8, i32>({100, 1, 0, 0, 0, 1}, {2, 1, 1, 1, 1, 1}) == std::vector<i32>{201, 101, 1, 1});
}

TEST_CASE("narrow floats are summed up in f32, and rounded once") {
  const bf16 one(1.0f), small(0x1p-8f);
  const std::vector<bf16> sums =
      product_of<bf16, bf16>({one, small, small, one, small, small}, {one, one, one, one, one, one});
  // In bf16, 1 + 2^-8 is 1.
  CHECK(convert_to<f32>(sums[0]) == 1 + 0x1p-7f);
}
