// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/group/short_row_loop.hpp>

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

// All pairs of points: differences, which are handed out and folded, and what a law of distances makes of them.
template <index_t Points, index_t Others, index_t Row>
constexpr auto forces = trace([](auto x, auto y, auto mass) {
  constexpr ints shape{Points, Others, Row};
  auto apart = broadcast_in_dim<shape, ints{0, 2}>(x) - broadcast_in_dim<shape, ints{1, 2}>(y);
  auto squared = reduce<ints{2}>(apart * apart, 0.25f, ops::add{});
  auto force = broadcast_in_dim<shape, ints{1}>(mass) * apart / broadcast_in_dim<shape, ints{0, 1}>(sqrt(squared));
  return results(force, apart, squared);
});
template <index_t Points, index_t Others, index_t Row>
using forces_of = program_of<decltype(forces<Points, Others, Row>), tensor<f32, Points, Row>, tensor<f32, Others, Row>,
                             tensor<f32, Others>>;

// Few classes: the fold of one pass is read in the next one.
template <index_t Rows, index_t Row>
constexpr auto shares = trace([](auto x) {
  constexpr ints shape{Rows, Row};
  auto each = exponential(x - broadcast_in_dim<shape, ints{0}>(reduce<ints{1}>(x, -1e30, ops::maximum{})));
  return each / broadcast_in_dim<shape, ints{0}>(reduce<ints{1}>(each, 0.0, ops::add{}));
});
template <index_t Rows, index_t Row>
using shares_of = program_of<decltype(shares<Rows, Row>), tensor<f64, Rows, Row>>;

// Truth values and integers, and rows whose elements lie far apart.
template <index_t Rows, index_t Row>
constexpr auto selected = trace([](auto x, auto y, auto limits) {
  constexpr ints shape{Rows, Row};
  auto turned = transpose<ints{1, 0}>(y);
  auto smaller = x < turned;
  auto all = reduce<ints{1}>(smaller, true, ops::and_{});
  auto sum = reduce<ints{1}>(select(smaller, x, turned), 3, ops::add{});
  auto limit = broadcast_in_dim<shape, ints{1}>(limits);
  return results(all, sum, select(smaller, limit, broadcast_in_dim<shape, ints{0}>(sum)));
});
template <index_t Rows, index_t Row>
using selected_of =
    program_of<decltype(selected<Rows, Row>), tensor<i32, Rows, Row>, tensor<i32, Row, Rows>, tensor<i32, Row>>;

// Colours: nothing is folded, and each channel has numbers of its own.
template <index_t Rows, index_t Row>
constexpr auto scaled = trace([](auto x, auto mean, auto scale, auto row_scale) {
  constexpr ints shape{2, Rows, Row};
  return (convert<f32>(x) - broadcast_in_dim<shape, ints{2}>(mean)) * broadcast_in_dim<shape, ints{2}>(scale) *
         broadcast_in_dim<shape, ints{0, 1}>(row_scale);
});
template <index_t Rows, index_t Row>
using scaled_of = program_of<decltype(scaled<Rows, Row>), tensor<ui8, 2, Rows, Row>, tensor<f32, Row>, tensor<f32, Row>,
                             tensor<f32, 2, Rows>>;

// Groups of channels: what belongs to a group, or to a channel, is the same for all rows; what belongs to a row is not.
template <index_t Rows, index_t Groups, index_t Row>
constexpr auto normalized = trace([](auto x, auto mean, auto scale, auto keeps, auto row_scale) {
  constexpr ints shape{Rows, Groups, Row};
  auto centred = x - broadcast_in_dim<shape, ints{1}>(mean);
  auto scaled = centred * broadcast_in_dim<shape, ints{1, 2}>(scale);
  auto kept = select(broadcast_in_dim<shape, ints{2}>(keeps), scaled, centred);
  return results(kept, kept * broadcast_in_dim<shape, ints{0}>(row_scale), centred);
});
template <index_t Rows, index_t Groups, index_t Row>
using normalized_of = program_of<decltype(normalized<Rows, Groups, Row>), tensor<f32, Rows, Groups, Row>,
                                 tensor<f32, Groups>, tensor<f32, Groups, Row>, tensor<bool, Row>, tensor<f32, Rows>>;

// The result of an op goes on where it lies, row by row of few columns.
template <index_t Rows, index_t Row>
constexpr auto biased = trace([](auto x, auto weights, auto bias) {
  return maximum(dot(x, weights) + broadcast_in_dim<ints{Rows, Row}, ints{1}>(bias), 0.0f);
});
template <index_t Rows, index_t Row>
using biased_of = program_of<decltype(biased<Rows, Row>), tensor<f32, Rows, 9>, tensor<f32, 9, Row>, tensor<f32, Row>>;

TEST_CASE("rows shorter than a vector give the bits that tiles give") {
  CHECK(walked_alike<forces_of<5, 16, 3>>());
  CHECK(walked_alike<forces_of<3, 19, 2>>());
  CHECK(walked_alike<forces_of<2, 9, 5>>());
  CHECK(walked_alike<shares_of<21, 3>>());
  CHECK(walked_alike<shares_of<4, 2>>());
  CHECK(walked_alike<selected_of<18, 4>>());
  CHECK(walked_alike<selected_of<33, 7>>());
  CHECK(walked_alike<scaled_of<11, 3>>());
  CHECK(walked_alike<scaled_of<16, 4>>());
}

TEST_CASE("short rows that are joined give the bits that tiles give") {
  CHECK(walked_alike<normalized_of<7, 8, 4>>());
  CHECK(walked_alike<normalized_of<784, 8, 4>>());
  CHECK(walked_alike<normalized_of<3, 5, 3>>());
  CHECK(walked_alike<normalized_of<1009, 2, 7>>());
  CHECK(walked_alike<normalized_of<120, 1, 10>>());
  CHECK(walked_alike<biased_of<400, 10>>());
  CHECK(walked_alike<biased_of<64, 20>>());
  CHECK(walked_alike<biased_of<5, 3>>());
}

}  // namespace
