// SPDX-License-Identifier: Apache-2.0
//
// Groups of rows that have more results than one.
#include <tenon/kernels/group/row_reduction_loop.hpp>

#include <tenon/ops/operators.hpp>
#include <tenon/run/thread_pool.hpp>
#include <tenon/run/trace.hpp>

#include <run/single_ops.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::test;

namespace {

// A sum that is read again later, and its norm; what a gradient needs of it beside.
template <index_t Rows, index_t Columns>
constexpr auto residual = trace([](auto x, auto y, auto scale) {
  const auto spread = [](auto each) { return broadcast_in_dim<ints{Rows, Columns}, ints{0}>(each); };
  auto sum = x + y;
  auto centred = sum - spread(reduce<ints{1}>(sum, 0.0f, ops::add{}));
  auto squared = reduce<ints{1}>(centred * centred, 0.0f, ops::add{});
  auto norm = sqrt(squared) + scale;
  auto small = norm < scale;
  return results(centred / spread(select(small, scale, norm)), sum, centred, squared, norm, small);
});
// Sums along rows, of what others read too.
constexpr auto sums_and_elements = trace([](auto x, auto y) {
  auto product = x * y;
  auto smaller = x < y;
  return results(sqrt(reduce<ints{1}>(select(smaller, product, x), 0.0f, ops::add{})), product, smaller);
});

template <index_t Rows, index_t Columns>
constexpr auto both = trace([](auto x, auto y, auto scale, auto a, auto b) {
  return results(residual<Rows, Columns>(x, y, scale), sums_and_elements(a, b));
});

template <index_t Rows, index_t Columns>
void check() {
  const value x = some_elements<f32>({Rows, Columns}, 1), y = some_elements<f32>({Rows, Columns}, 2);
  const value scale = some_elements<f32>({Rows}, 4);
  using matrix = tensor<f32, Rows, Columns>;
  using program = program_of<decltype(both<Rows, Columns>), matrix, matrix, tensor<f32, Rows>, matrix, matrix>;
  static_assert(program::plan().steps.size == 2);
  static_assert(program::plan().steps[0].result_count == 6 && program::plan().steps[1].result_count == 3);

  const value sum = plus(x, y);
  const value centred = minus(sum, along_rows(sum_of_rows(sum), x));
  const value squared = sum_of_rows(times(centred, centred));
  const value norm = plus(root(squared), scale);
  const value small = less(norm, scale);
  const std::vector<value> found = results_of<program>({x, y, scale, x, y});
  thread_pool pool(3);
  CHECK(same_bits(results_of<program>({x, y, scale, x, y}, {.workers = workers(pool)}), found));
  CHECK(same_bits(found[0], over(centred, along_rows(chosen(small, scale, norm), x))));
  CHECK(same_bits(found[1], sum));
  CHECK(same_bits(found[2], centred));
  CHECK(same_bits(found[3], squared));
  CHECK(same_bits(found[4], norm));
  CHECK(same_bits(found[5], small));

  const value product = times(x, y), smaller = less(x, y);
  CHECK(same_bits(found[6], root(sum_of_rows(chosen(smaller, product, x)))));
  CHECK(same_bits(found[7], product));
  CHECK(same_bits(found[8], smaller));
}

TEST_CASE("rows of several results, by one thread and by several") {
  check<3, 2>();
  check<5, 64>();
  check<2, 100>();
  check<7, 257>();
  check<70, 1000>();
}

TEST_CASE("elements of rows that are too long are computed by themselves") {
  const value x = some_elements<f32>({2, 20011}, 1), y = some_elements<f32>({2, 20011}, 2);
  using matrix = tensor<f32, 2, 20011>;
  using program = program_of<decltype(sums_and_elements), matrix, matrix>;
  static_assert(program::plan().steps.size == 3);
  const std::vector<value> found = results_of<program>({x, y});
  CHECK(same_bits(found[1], times(x, y)));
  CHECK(same_bits(found[0], root(sum_of_rows(chosen(less(x, y), times(x, y), x)))));
}

}  // namespace
