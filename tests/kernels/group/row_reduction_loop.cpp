// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/group/row_reduction_loop.hpp>

#include <tenon/ops/operators.hpp>
#include <tenon/run/thread_pool.hpp>
#include <tenon/run/trace.hpp>

#include <run/single_ops.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

template <index_t Rows, index_t Columns>
constexpr auto powers = trace([](auto x) {
  const auto spread = [](auto each) { return broadcast_in_dim<ints{Rows, Columns}, ints{0}>(each); };
  auto each = exponential(x - spread(reduce<ints{1}>(x, -1e30f, ops::maximum{})));
  return each / spread(reduce<ints{1}>(each, 0.0f, ops::add{}));
});
template <index_t Rows, index_t Columns>
constexpr auto centred_and_scaled = trace([](auto x, auto bias, auto scale) {
  const auto spread = [](auto each) { return broadcast_in_dim<ints{Rows, Columns}, ints{0}>(each); };
  auto centred = x - spread(reduce<ints{1}>(x, 0.0f, ops::add{}));
  auto norm = sqrt(reduce<ints{1}>(centred * centred, 0.0f, ops::add{})) + scale;
  return centred / spread(norm) + broadcast_in_dim<ints{Rows, Columns}, ints{1}>(bias);
});
constexpr auto norms = trace([](auto x) { return sqrt(reduce<ints{1}>(x * x, 0.0f, ops::add{})); });
// A truth value of the first pass is read in the second one.
template <index_t Rows, index_t Columns>
constexpr auto where_less = trace([](auto x, auto y) {
  auto smaller = x < y;
  auto sum = reduce<ints{1}>(select(smaller, x, y), 0.0f, ops::add{});
  return select(smaller, broadcast_in_dim<ints{Rows, Columns}, ints{0}>(sum), x);
});
constexpr auto squares = trace([](auto x) { return reduce<ints{1}>(x * x, 0, ops::add{}); });

// All of them in one program, which takes less time to compile than five: on arguments that are not shared, so that
// nothing else is.
template <index_t Rows, index_t Columns>
constexpr auto one_of_each = trace([](auto a, auto b, auto bias, auto scale, auto c, auto d, auto e, auto whole) {
  return results(powers<Rows, Columns>(a), centred_and_scaled<Rows, Columns>(b, bias, scale), norms(c),
                 where_less<Rows, Columns>(d, e), squares(whole));
});

template <index_t Rows, index_t Columns, class Matrix = tensor<f32, Rows, Columns>>
using each_of = program_of<decltype(one_of_each<Rows, Columns>), Matrix, Matrix, tensor<f32, Columns>,
                           tensor<f32, Rows>, Matrix, Matrix, Matrix, tensor<i32, Rows, Columns>>;

template <index_t Rows, index_t Columns>
void check() {
  const ints shape{Rows, Columns};
  using program = each_of<Rows, Columns>;
  static_assert(program::plan().steps.size == 5);
  const value x = some_elements<f32>(shape, 1), y = some_elements<f32>(shape, 2);
  const value bias = some_elements<f32>({Columns}, 3), scale = some_elements<f32>({Rows}, 4);
  const value whole = some_elements<i32>(shape, 5);
  const std::vector<value> found = results_of<program>({x, x, bias, scale, x, x, y, whole});
  thread_pool pool(3);
  CHECK(same_bits(results_of<program>({x, x, bias, scale, x, x, y, whole}, {.workers = workers(pool)}), found));

  const value e = power(minus(x, along_rows(fold_of_rows<ops::maximum>(x, -1e30f), x)));
  CHECK(same_bits(found[0], over(e, along_rows(sum_of_rows(e), x))));
  const value centred = minus(x, along_rows(sum_of_rows(x), x));
  const value norm = plus(root(sum_of_rows(times(centred, centred))), scale);
  CHECK(same_bits(found[1], plus(over(centred, along_rows(norm, x)), spread(bias, shape, 1))));
  CHECK(same_bits(found[2], root(sum_of_rows(times(x, x)))));
  const value smaller = less(x, y);
  CHECK(same_bits(found[3], chosen(smaller, along_rows(sum_of_rows(chosen(smaller, x, y)), x), x)));
  CHECK(same_bits(found[4], fold_of_rows<ops::add>(elementwise<ops::multiply, i32>({whole, whole}), 0)));
}

TEST_CASE("rows in passes give what their ops give one by one, bit for bit, by one thread and by several") {
  check<3, 2>();
  check<5, 64>();
  check<1, 100>();
  check<4, 128>();
  check<7, 257>();
  check<70, 1000>();
}

TEST_CASE("rows that are too long to be kept are folded all the same") {
  const value x = some_elements<f32>({2, 20011}, 1);
  CHECK(same_bits(results_of<program_of<decltype(norms), tensor<f32, 2, 20011>>>({x})[0],
                  root(sum_of_rows(times(x, x)))));
}

constexpr int kept_nodes(const loop_nest& nest) {
  int count = 0;
  for (const loop_nest::node& each : nest.nodes) count += each.kept >= 0;
  return count;
}
template <class Program>
constexpr loop_nest nest_of_step(int step) {
  return nest_of(Program::graph(), Program::plan(), Program::plan().steps.data[step]);
}

TEST_CASE("passes, and what is kept between them") {
  using program = each_of<70, 1000>;
  constexpr loop_nest soft = nest_of_step<program>(0);
  static_assert(soft.fits && soft.has_rows && soft.pass_count == 3);
  static_assert(soft.sizes == ints{70, 1000});
  static_assert(kept_nodes(soft) == 1);
  constexpr loop_nest norm = nest_of_step<program>(2);
  static_assert(norm.fits && norm.pass_count == 1 && norm.gives_rows(norm.node_count - 1));
}

}  // namespace
