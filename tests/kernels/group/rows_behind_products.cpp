// SPDX-License-Identifier: Apache-2.0
//
// Rows that are folded in place, behind the product whose result they are.
#include <tenon/kernels/group/row_reduction_loop.hpp>

#include <tenon/ops/operators.hpp>
#include <tenon/run/trace.hpp>

#include <run/walked_alike.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::test;

namespace {

template <class Function, class... Arguments>
struct program_of {
  using code = typename Function::template program_for<Arguments...>;
};

// The last layer of a classifier.
template <index_t Rows, index_t Row>
constexpr auto shares = trace([](auto x, auto weights, auto bias) {
  constexpr ints shape{Rows, Row};
  auto score = dot(x, weights) + broadcast_in_dim<shape, ints{1}>(bias);
  auto each = exponential(score - broadcast_in_dim<shape, ints{0}>(reduce<ints{1}>(score, -1e30, ops::maximum{})));
  return each / broadcast_in_dim<shape, ints{0}>(reduce<ints{1}>(each, 0.0, ops::add{}));
});
template <class T, index_t Rows, index_t Row>
using shares_of = program_of<decltype(shares<Rows, Row>), tensor<T, Rows, 9>, tensor<T, 9, Row>, tensor<T, Row>>;

// What is folded is read again by each pass, and the last one leaves integers of another row beside it.
template <index_t Rows, index_t Row>
constexpr auto counted = trace([](auto x, auto weights, auto limits) {
  constexpr ints shape{Rows, Row};
  auto score = dot(x, weights);
  auto below = score < broadcast_in_dim<shape, ints{0}>(limits);
  auto sum = reduce<ints{1}>(select(below, score, -score), 3, ops::add{});
  auto product = reduce<ints{1}>(maximum(score, broadcast_in_dim<shape, ints{0}>(sum)), 1, ops::multiply{});
  return score - broadcast_in_dim<shape, ints{0}>(product);
});
template <index_t Rows, index_t Row>
using counted_of =
    program_of<decltype(counted<Rows, Row>), tensor<i32, Rows, 5>, tensor<i32, 5, Row>, tensor<i32, Rows>>;

template <class Program>
constexpr bool is_one_straight_step =
    Program::code::plan().steps.size == 1 && is_straight_program<typename Program::code>;

TEST_CASE("rows behind a product give the bits that tiles give, without tables") {
#if !HWY_HAVE_SCALABLE
  static_assert(is_one_straight_step<shares_of<f32, 2, 3>> && is_one_straight_step<shares_of<f32, 1, 10>>);
  static_assert(is_one_straight_step<shares_of<f32, 2, 8>> && is_one_straight_step<shares_of<f64, 2, 8>>);
  static_assert(is_one_straight_step<shares_of<f64, 40, 10>> && is_one_straight_step<counted_of<4, 70>>);
#endif
  CHECK(walked_alike<shares_of<f32, 2, 3>>());
  CHECK(walked_alike<shares_of<f32, 1, 10>>());
  CHECK(walked_alike<shares_of<f64, 40, 10>>());
  CHECK(walked_alike<shares_of<f32, 3, 2>>());
  CHECK(walked_alike<shares_of<f32, 2, 8>>());
  CHECK(walked_alike<shares_of<f32, 7, 130>>());
  CHECK(walked_alike<counted_of<4, 70>>());
  CHECK(walked_alike<counted_of<19, 6>>());
}

}  // namespace
