// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/region/window_lanes.hpp>

#include <run/walked_alike.hpp>
#include <tenon/ops/creation/iota.hpp>
#include <tenon/ops/elementwise.hpp>
#include <tenon/ops/movement/broadcast_in_dim.hpp>
#include <tenon/ops/movement/reshape.hpp>
#include <tenon/ops/operators.hpp>
#include <tenon/run/trace.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <type_traits>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

constexpr ops::reduce_window windows_of(const ints& dimensions, const ints& strides = {}, const ints& dilations = {}) {
  return {.window_dimensions = dimensions, .window_strides = strides, .window_dilations = dilations};
}

// What is under windows, folded by a body of two ops. Each operand has windows of its own.
struct scaled_sums {
  static constexpr f32 number = 0.7f;
  constexpr auto operator()(auto x, auto y) const { return x * number + y; }
};
template <class T>
struct scaled_differences {
  static constexpr T number = std::is_integral_v<T> ? T(3) : T(0.7);
  constexpr auto operator()(auto x, auto y) const { return x * number - y; }
};
template <class Body, ops::reduce_window... Windows>
constexpr auto folded =
    trace([](auto... operands) { return results(reduce_window<Windows>(operands, Body::number, Body{})...); });

template <class Function, class... Arguments>
struct net {
  using code = typename Function::template program_for<Arguments...>;
};

using floats = net<decltype(folded<scaled_sums, windows_of({3, 3}), windows_of({2, 2}, {2, 2}),
                                   windows_of({3, 3}, {2, 2}), windows_of({1, 2, 2, 2}, {1, 2, 1, 2}, {1, 1, 2, 3})>),
                   tensor<f32, 9, 37>, tensor<f32, 8, 64>, tensor<f32, 9, 66>, tensor<f32, 3, 5, 6, 7>>;
using shapes = net<decltype(folded<scaled_sums, windows_of({8}), windows_of({3}, {2}, {2}),
                                   windows_of({1, 3, 3, 1}, {1, 2, 2, 1}), windows_of({2, 2, 1}, {1, 2, 1})>),
                   tensor<f32, 100>, tensor<f32, 67>, tensor<f32, 2, 9, 10, 3>, tensor<f32, 6, 5, 1>>;

// One window each with a single row, too many places, too large a stride, and padding.
constexpr ops::reduce_window padded{.window_dimensions = {2, 3}, .window_strides = {2, 2}, .padding = {{1, 0}, {1, 1}}};
using places_of_others = net<decltype(folded<scaled_sums, windows_of({1, 1, 2}, {1, 1, 2}), windows_of({1, 17}),
                                             windows_of({2, 3}, {1, 3}), padded>),
                             tensor<f32, 4, 1, 33>, tensor<f32, 4, 33>, tensor<f32, 7, 40>, tensor<f32, 7, 34>>;

using doubles = net<decltype(folded<scaled_differences<f64>, windows_of({3, 3}), windows_of({2, 2}, {2, 2}),
                                    windows_of({2, 3}, {2, 2})>),
                    tensor<f64, 9, 21>, tensor<f64, 9, 21>, tensor<f64, 5, 18>>;
using integers = net<decltype(folded<scaled_differences<i32>, windows_of({3, 3}), windows_of({2, 2}, {2, 2})>),
                     tensor<i32, 9, 37>, tensor<i32, 9, 37>>;
using bytes = net<decltype(folded<scaled_differences<i8>, windows_of({3, 3}), windows_of({2, 2}, {2, 2}),
                                  windows_of({2, 3}, {1, 2})>),
                  tensor<i8, 9, 75>, tensor<i8, 9, 75>, tensor<i8, 3, 131>>;
using wide = net<decltype(folded<scaled_differences<i64>, windows_of({3, 3}), windows_of({2, 2}, {2, 2})>),
                 tensor<i64, 9, 37>, tensor<i64, 9, 37>>;

// The largest element under each window, and the place that it has.
template <class Place, ops::reduce_window Windows>
constexpr auto largest(auto x, auto places) {
  constexpr f32 least = -std::numeric_limits<f32>::infinity();
  return reduce_window<Windows>(x, places, least, tensor<Place>(-1), [](auto value, auto i, auto other, auto j) {
    auto first = value >= other;
    return results(select(first, value, other), select(first, i, j));
  });
}
template <class Place, ints Shape>
constexpr auto counted_along(index_t dimension, auto x) {
  const tensor_type type = type_of(dtype_of<Place>, Shape);
  return apply_value_beside(x, ops::iota{dimension}, {&type, 1});
}

constexpr ops::reduce_window quarters = windows_of({1, 2, 2}, {1, 2, 2});
constexpr auto flat_place = trace([](auto x) {
  auto places = reshape<ints{4, 8, 34}>(counted_along<i32, ints{1088}>(0, x));
  return largest<i32, quarters>(x, places)[1];
});
constexpr auto flat_place_read = trace([](auto x) {
  auto places = reshape<ints{4, 8, 34}>(counted_along<i32, ints{1088}>(0, x));
  auto found = largest<i32, quarters>(x, places);
  return results(found[0], found[1], places);
});
constexpr auto place_in_image = trace([](auto x) {
  auto place = reshape<ints{1, 9, 21}>(counted_along<i32, ints{189}>(0, x));
  auto places = broadcast_in_dim<ints{2, 3, 9, 21}, ints{0, 2, 3}>(place);
  return largest<i32, windows_of({1, 1, 3, 3}, {1, 1, 2, 2})>(x, places);
});
constexpr auto column =
    trace([](auto x) { return largest<i64, windows_of({3, 3}, {1, 1})>(x, counted_along<i64, ints{9, 21}>(1, x)); });
constexpr auto row_alone =
    trace([](auto x) { return largest<i32, windows_of({3, 2}, {2, 1})>(x, counted_along<i32, ints{9, 21}>(0, x))[1]; });

using flat_places = net<decltype(flat_place), tensor<f32, 4, 8, 34>>;
using flat_places_read = net<decltype(flat_place_read), tensor<f32, 4, 8, 34>>;
using places_in_images = net<decltype(place_in_image), tensor<f32, 2, 3, 9, 21>>;
using columns = net<decltype(column), tensor<f64, 9, 21>>;
using rows_of_windows = net<decltype(row_alone), tensor<f32, 9, 21>>;

// What the first op with a region does by itself.
template <class Net>
struct first_window {
  using code = typename Net::code;
  static constexpr const graph& g = code::opened_graph;
  static constexpr int node = [] {
    int n = 0;
    while (g.nodes[n].region_count == 0) ++n;
    return n;
  }();
  using lanes = window_lanes<code, node, g.regions_of(g.nodes[node])[0]>;
};
static_assert(first_window<floats>::lanes::is_supported() && !first_window<floats>::lanes::counts(0));
static_assert(first_window<flat_places>::lanes::counts(1) && !first_window<flat_places>::lanes::counts(0));
static_assert(first_window<places_in_images>::lanes::counts(1));
static_assert(first_window<columns>::lanes::counts(1) && first_window<rows_of_windows>::lanes::counts(1));

}  // namespace

TEST_CASE("windows written out: along rows, every other element, and what they leave to others") {
  CHECK(walked_alike<floats>());
  CHECK(walked_alike<shapes>());
  CHECK(walked_alike<places_of_others>());
  CHECK(walked_alike<doubles>());
  CHECK(walked_alike<integers>());
  CHECK(walked_alike<bytes>());
  CHECK(walked_alike<wide>());
}
TEST_CASE("places that are counted under windows") {
  CHECK(walked_alike<flat_places>());
  CHECK(walked_alike<flat_places_read>());
  CHECK(walked_alike<places_in_images>());
  CHECK(walked_alike<columns>());
  CHECK(walked_alike<rows_of_windows>());
}
