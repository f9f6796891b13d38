// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/lanes.hpp>
#include <tenon/math/ieee.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

// Whether the vector form of an op gives what its scalar form gives, bit for bit.
namespace tenon::test {

using namespace kernels;
using namespace core;
template <class T>
std::vector<T> notable_values() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::floating_point<T>) {
    std::vector<T> values = {T(0),
                             T(0.25),
                             T(0.5),
                             T(1),
                             T(1.5),
                             T(2),
                             T(2.5),
                             T(3),
                             T(100.75),
                             limits::min(),
                             limits::denorm_min(),
                             limits::max(),
                             limits::infinity(),
                             limits::quiet_NaN(),
                             T(1) / limits::epsilon()};
    for (std::size_t i = 0, n = values.size(); i < n; ++i) values.push_back(ieee::negate(values[i]));
    return values;
  } else {
    return {T(0),
            T(1),
            T(2),
            T(3),
            T(7),
            T(100),
            limits::max(),
            limits::min(),
            T(limits::max() - 1),
            T(limits::min() + 1),
            T(-1),
            T(-2),
            T(-3),
            T(-100)};
  }
}

template <class T>
bool same_value(T a, T b) {
  if constexpr (std::floating_point<T>)
    return ieee::to_bits(a) == ieee::to_bits(b) || (ieee::is_nan(a) && ieee::is_nan(b));
  else
    return a == b;
}

// Every combination of notable values; the first operand differs from lane to lane.
template <class T, int Arity = 1, class Op>
void check_lanes(const Op& op) {
  using D = hn::ScalableTag<T>;
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::vector<T> values = notable_values<T>();
  const std::size_t count = values.size();
  values.resize(count + lanes, T(1));
  std::vector<T> got(lanes);
  int wrong = 0;
  const auto scalar = [&](auto... x) {
    if constexpr (requires { op.element(x...); })
      return op.element(x...);
    else
      return op.template element<T>(x...);
  };
  const auto check = [&](const auto& vector_form, const auto& scalar_form) {
    for (std::size_t at = 0; at < count; at += lanes) {
      const auto result = vector_form(hn::LoadU(d, values.data() + at));
      if constexpr (std::is_same_v<decltype(result), const hn::Mask<D>>)
        hn::StoreU(hn::IfThenElseZero(result, hn::Set(d, T(1))), d, got.data());
      else
        hn::StoreU(result, d, got.data());
      for (std::size_t i = 0; i < lanes; ++i) wrong += same_value(got[i], T(scalar_form(values[at + i]))) ? 0 : 1;
    }
  };
  if constexpr (Arity == 1) {
    check([&](auto x) { return op.lanes(d, x); }, [&](T x) { return scalar(x); });
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      const T b = values[i];
      if constexpr (Arity == 2) {
        check([&](auto x) { return op.lanes(d, x, hn::Set(d, b)); }, [&](T x) { return scalar(x, b); });
      } else {
        for (std::size_t j = 0; j < count; ++j) {
          const T c = values[j];
          check([&](auto x) { return op.lanes(d, x, hn::Set(d, b), hn::Set(d, c)); },
                [&](T x) { return scalar(x, b, c); });
        }
      }
    }
  }
  CHECK(wrong == 0);
}

template <int Arity = 1, class Op>
void check_float_lanes(const Op& op) {
  check_lanes<float, Arity>(op);
  if constexpr (has_lanes<double>) check_lanes<double, Arity>(op);
}

}  // namespace tenon::test
