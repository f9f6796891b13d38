// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/order_lanes.hpp>

#include <tenon/ops/elementwise/maximum.hpp>
#include <tenon/ops/elementwise/minimum.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace tenon;
using namespace tenon::core;

namespace {

template <class T>
bool same(T a, T b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

// Every pair of edge values, in every lane.
template <class T>
void check_pairs() {
  if constexpr (has_lanes<T>) {
    using limits = std::numeric_limits<T>;
    const T edges[] = {T(0),
                       -T(0),
                       T(1),
                       T(-1),
                       limits::infinity(),
                       -limits::infinity(),
                       limits::denorm_min(),
                       limits::max(),
                       limits::quiet_NaN()};
    const hn::ScalableTag<T> d;
    for (const T lhs : edges)
      for (const T rhs : edges) {
        T larger[64] = {}, smaller[64] = {};
        hn::StoreU(ops::larger_of_floats(hn::Set(d, lhs), hn::Set(d, rhs)), d, larger);
        hn::StoreU(ops::smaller_of_floats(hn::Set(d, lhs), hn::Set(d, rhs)), d, smaller);
        for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
          CHECK(same(larger[i], ops::maximum::element(lhs, rhs)));
          CHECK(same(smaller[i], ops::minimum::element(lhs, rhs)));
        }
      }
  }
}

}  // namespace

TEST_CASE("vectors are ordered as single numbers are") {
  check_pairs<float>();
  check_pairs<double>();
}
