// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/core/tensor_type.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

// The comparisons that third-party programs ask for, element by element: computed on the left, expected on the right.
namespace conformance {

// The worst element so far; `failed` once one breaks its check.
struct verdict {
  bool failed = false;
  double worst = 0;
  std::string detail;

  void fail(tenon::index_t at, const std::string& computed, const std::string& expected) {
    if (!failed) detail = "element " + std::to_string(at) + ": " + computed + ", expected " + expected;
    failed = true;
  }
};

template <class T>
constexpr bool is_complex_element = requires(T x) { x.imag; };

template <class T>
constexpr bool is_float_element = tenon::is_float(tenon::dtype_of<T>);

template <class T>
double as_double(const T& x) {
  return tenon::convert_to<double>(x);
}

template <class T>
std::string text_of(const T& x) {
  char buffer[96];
  if constexpr (is_complex_element<T>)
    std::snprintf(buffer, sizeof buffer, "(%.17g,%.17g)", as_double(x.real), as_double(x.imag));
  else if constexpr (is_float_element<T>)
    std::snprintf(buffer, sizeof buffer, "%.17g", as_double(x));
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    std::snprintf(buffer, sizeof buffer, "%llu", static_cast<unsigned long long>(x));
  else
    std::snprintf(buffer, sizeof buffer, "%lld", static_cast<long long>(tenon::convert_to<std::int64_t>(x)));
  return buffer;
}

template <class T>
bool equal(const T& a, const T& b) {
  if constexpr (is_complex_element<T>)
    return equal(a.real, b.real) && equal(a.imag, b.imag);
  else
    return a == b;
}

// Absolute distance; equal infinities and two NaNs are near.
template <class T>
double distance(const T& a, const T& b) {
  if constexpr (is_complex_element<T>) {
    return std::fmax(distance(a.real, b.real), distance(a.imag, b.imag));
  } else {
    const double x = as_double(a), y = as_double(b);
    if (x == y || (std::isnan(x) && std::isnan(y))) return 0;
    if (!std::isfinite(x) || !std::isfinite(y)) return INFINITY;
    return std::fabs(x - y);
  }
}

// How many values of the type lie between the two; huge where only one is finite.
template <class T>
double ulps(const T& a, const T& b) {
  if constexpr (is_complex_element<T>) {
    return std::fmax(ulps(a.real, b.real), ulps(a.imag, b.imag));
  } else {
    std::uint64_t x = 0, y = 0;
    std::memcpy(&x, &a, sizeof(T));
    std::memcpy(&y, &b, sizeof(T));
    if (x == y) return 0;
    const double p = as_double(a), q = as_double(b);
    if (std::isnan(p) && std::isnan(q)) return 0;
    if (!std::isfinite(p) || !std::isfinite(q)) return 18446744073709551615.0;
    const int bits = tenon::num_bits(tenon::dtype_of<T>);
    const std::uint64_t sign = std::uint64_t(1) << (bits - 1), magnitude = sign - 1;
    const std::uint64_t m = x & magnitude, n = y & magnitude;
    return ((x ^ y) & sign) != 0 ? double(m) + double(n) : (m > n ? double(m - n) : double(n - m));
  }
}

enum class check { equal, almost_equal, close };

// Compares two tensors of one type; `most` is the tolerance or the largest distance in ULP, `least` the smallest.
inline verdict compare(check how, const tenon::tensor_type& type, const void* computed, const void* expected,
                       double most, double least = 0) {
  verdict result;
  tenon::visit(type.element, [&]<class T>() {
    const T* const a = static_cast<const T*>(computed);
    const T* const b = static_cast<const T*>(expected);
    for (tenon::index_t i = 0; i < type.size(); ++i) {
      double difference = 0;
      bool holds = true;
      if (how == check::equal) {
        holds = equal(a[i], b[i]);
      } else if constexpr (is_float_element<T> || is_complex_element<T>) {
        difference = how == check::close ? ulps(a[i], b[i]) : distance(a[i], b[i]);
        holds = difference <= most && difference >= least;
      } else {
        holds = equal(a[i], b[i]);
      }
      if (difference > result.worst) result.worst = difference;
      if (!holds) result.fail(i, text_of(a[i]), text_of(b[i]));
    }
  });
  return result;
}

}  // namespace conformance
