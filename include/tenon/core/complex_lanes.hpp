// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex.hpp>
#include <tenon/core/lanes.hpp>

#include <cstring>

namespace tenon::core::inline HWY_NAMESPACE {

// Vectors of the real and of the imaginary parts of complex numbers: what ops take and give in `complex_lanes`.
template <class D>
struct complex_vector {
  hn::Vec<D> real, imag;
};

template <class D>
HWY_INLINE complex_vector<D> rounded(const complex_vector<D>& value) {
  return {rounded(value.real), rounded(value.imag)};
}

// Vectors without a size of their own cannot be members.
template <class T>
inline constexpr bool has_complex_lanes = has_lanes<T> && HWY_HAVE_SCALABLE == 0;

// The first `count` of `lanes` numbers, the others zero. Reads nothing beyond.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE complex_vector<D> load_complex(D d, const complex<T>* from, std::size_t count, std::size_t lanes) {
  complex_vector<D> result{hn::Zero(d), hn::Zero(d)};
  if (count == lanes) {
    hn::LoadInterleaved2(d, reinterpret_cast<const T*>(from), result.real, result.imag);
  } else {
    T parts[2 * hn::MaxLanes(d)] = {};
    std::memcpy(parts, from, count * sizeof(complex<T>));
    hn::LoadInterleaved2(d, parts, result.real, result.imag);
  }
  return result;
}
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store_complex(const complex_vector<D>& value, D d, complex<T>* to, std::size_t count,
                              std::size_t lanes) {
  if (count == lanes) {
    hn::StoreInterleaved2(value.real, value.imag, d, reinterpret_cast<T*>(to));
  } else {
    T parts[2 * hn::MaxLanes(d)];
    hn::StoreInterleaved2(value.real, value.imag, d, parts);
    std::memcpy(static_cast<void*>(to), parts, count * sizeof(complex<T>));
  }
}

}  // namespace tenon::core::inline HWY_NAMESPACE
