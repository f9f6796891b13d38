// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/fused_rows.hpp>

#include <tenon/run/thread_pool.hpp>
#include <tenon/tenon.hpp>

#include <doctest/doctest.h>

#include <cstring>

using namespace tenon;

namespace {

template <class A, class B>
bool same_bits(const A& a, const B& b) {
  return std::memcmp(a.data(), b.data(), std::size_t(byte_size(A::type))) == 0;
}

template <class T, index_t... Dims>
tensor<T, Dims...> numbers(int seed) {
  tensor<T, Dims...> result;
  for (index_t i = 0; i < result.size; ++i) result.data()[i] = T(f64((i * 7919 + seed * 104729) % 2003) / 317 - 3);
  return result;
}

// Single ops, which are no groups.
constexpr auto plus = trace([](auto x, auto y) { return x + y; });
constexpr auto minus = trace([](auto x, auto y) { return x - y; });
constexpr auto times = trace([](auto x, auto y) { return x * y; });
constexpr auto over = trace([](auto x, auto y) { return x / y; });
constexpr auto less = trace([](auto x, auto y) { return x < y; });
constexpr auto chosen = trace([](auto p, auto x, auto y) { return select(p, x, y); });
constexpr auto power = trace([](auto x) { return exponential(x); });
constexpr auto root = trace([](auto x) { return sqrt(x); });
template <class T>
constexpr auto sum_of_rows = trace([](auto x) { return reduce<ints{1}>(x, T(0), ops::add{}); });
constexpr auto largest_of_rows = trace([](auto x) { return reduce<ints{1}>(x, -1e30f, ops::maximum{}); });
template <index_t Rows, index_t Columns>
constexpr auto along_rows = trace([](auto x) { return broadcast_in_dim<ints{Rows, Columns}, ints{0}>(x); });
template <index_t Rows, index_t Columns>
constexpr auto to_each_row = trace([](auto x) { return broadcast_in_dim<ints{Rows, Columns}, ints{1}>(x); });

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

template <index_t Rows, index_t Columns>
void check() {
  const auto x = numbers<f32, Rows, Columns>(1), y = numbers<f32, Rows, Columns>(2);
  const auto bias = numbers<f32, Columns>(3);
  const auto scale = numbers<f32, Rows>(4);
  constexpr auto& along = along_rows<Rows, Columns>;

  const auto e = power(minus(x, along(largest_of_rows(x))));
  CHECK(same_bits(powers<Rows, Columns>(x), over(e, along(sum_of_rows<f32>(e)))));

  const auto centred = minus(x, along(sum_of_rows<f32>(x)));
  const auto norm = plus(root(sum_of_rows<f32>(times(centred, centred))), scale);
  CHECK(same_bits(centred_and_scaled<Rows, Columns>(x, bias, scale),
                  plus(over(centred, along(norm)), to_each_row<Rows, Columns>(bias))));

  CHECK(same_bits(norms(x), root(sum_of_rows<f32>(times(x, x)))));

  const auto smaller = less(x, y);
  CHECK(same_bits(where_less<Rows, Columns>(x, y), chosen(smaller, along(sum_of_rows<f32>(chosen(smaller, x, y))), x)));

  const auto whole = numbers<i32, Rows, Columns>(5);
  CHECK(same_bits(squares(whole), sum_of_rows<i32>(times(whole, whole))));
}

TEST_CASE("rows in passes give what their ops give one by one, bit for bit") {
  check<3, 2>();
  check<5, 64>();
  check<1, 100>();
  check<4, 128>();
  check<7, 257>();
  check<33, 1000>();
}

TEST_CASE("rows that are too long to be kept are folded all the same") {
  const auto x = numbers<f32, 2, 20011>(1);
  CHECK(same_bits(norms(x), root(sum_of_rows<f32>(times(x, x)))));
}

TEST_CASE("rows are divided among threads") {
  thread_pool pool(3);
  const auto x = numbers<f32, 70, 1000>(1);
  CHECK(same_bits(powers<70, 1000>.by(pool)(x), powers<70, 1000>(x)));
  CHECK(same_bits(norms.by(pool)(x), norms(x)));
}

// What becomes of the one step of a program.
template <class Program>
constexpr fused_nest nest_of_program() {
  return nest_of(Program::graph(), Program::plan(), Program::plan().steps.data[0]);
}
template <class Function, class... Arguments>
using program_of = typename Function::template program_for<Arguments...>;

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
void check_results() {
  const auto x = numbers<f32, Rows, Columns>(1), y = numbers<f32, Rows, Columns>(2);
  const auto scale = numbers<f32, Rows>(4);
  constexpr auto& along = along_rows<Rows, Columns>;
  using matrix = tensor<f32, Rows, Columns>;
  using program = program_of<decltype(residual<Rows, Columns>), matrix, matrix, tensor<f32, Rows>>;
  static_assert(program::plan().steps.size == 1);
  static_assert(program::plan().steps[0].result_count == 6);

  const auto sum = plus(x, y);
  const auto centred = minus(sum, along(sum_of_rows<f32>(sum)));
  const auto squared = sum_of_rows<f32>(times(centred, centred));
  const auto norm = plus(root(squared), scale);
  const auto found = residual<Rows, Columns>(x, y, scale);
  const auto small = less(norm, scale);
  CHECK(same_bits(std::get<0>(found), over(centred, along(chosen(small, scale, norm)))));
  CHECK(same_bits(std::get<1>(found), sum));
  CHECK(same_bits(std::get<2>(found), centred));
  CHECK(same_bits(std::get<3>(found), squared));
  CHECK(same_bits(std::get<4>(found), norm));
  CHECK(same_bits(std::get<5>(found), small));

  const auto [norms_of, product, smaller] = sums_and_elements(x, y);
  CHECK(same_bits(product, times(x, y)));
  CHECK(same_bits(smaller, less(x, y)));
  CHECK(same_bits(norms_of, root(sum_of_rows<f32>(chosen(smaller, product, x)))));
}

TEST_CASE("rows of several results") {
  check_results<3, 2>();
  check_results<5, 64>();
  check_results<2, 100>();
  check_results<7, 257>();
  check_results<33, 1000>();
}

TEST_CASE("rows of several results are divided among threads") {
  thread_pool pool(3);
  const auto x = numbers<f32, 70, 1000>(1), y = numbers<f32, 70, 1000>(2);
  const auto scale = numbers<f32, 70>(3);
  const auto found = residual<70, 1000>.by(pool)(x, y, scale), alone = residual<70, 1000>(x, y, scale);
  CHECK(same_bits(std::get<0>(found), std::get<0>(alone)));
  CHECK(same_bits(std::get<1>(found), std::get<1>(alone)));
  CHECK(same_bits(std::get<4>(found), std::get<4>(alone)));
}

TEST_CASE("elements of rows that are too long are computed by themselves") {
  const auto x = numbers<f32, 2, 20011>(1), y = numbers<f32, 2, 20011>(2);
  using matrix = tensor<f32, 2, 20011>;
  using program = program_of<decltype(sums_and_elements), matrix, matrix>;
  static_assert(program::plan().steps.size == 3);
  const auto [norms_of, product, smaller] = sums_and_elements(x, y);
  CHECK(same_bits(product, times(x, y)));
  CHECK(same_bits(norms_of, root(sum_of_rows<f32>(chosen(smaller, product, x)))));
}

constexpr int kept_nodes(const fused_nest& nest) {
  int count = 0;
  for (const fused_nest::node& each : nest.nodes) count += each.kept >= 0;
  return count;
}

TEST_CASE("passes, and what is kept between them") {
  using matrix = tensor<f32, 33, 1000>;
  constexpr fused_nest soft = nest_of_program<program_of<decltype(powers<33, 1000>), matrix>>();
  static_assert(soft.fits && soft.has_rows && soft.pass_count == 3);
  static_assert(soft.sizes == ints{33, 1000});
  static_assert(kept_nodes(soft) == 1);
  constexpr fused_nest norm = nest_of_program<program_of<decltype(norms), matrix>>();
  static_assert(norm.fits && norm.pass_count == 1 && norm.gives_rows(norm.node_count - 1));
}

}  // namespace
