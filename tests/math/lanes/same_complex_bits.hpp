// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/lanes/complex.hpp>

#include "math/samples.hpp"

namespace tenon::test {

using namespace core;
// Special values beside each other, numbers of any size, and some close to the unit circle.
template <class T>
std::vector<complex<T>> complex_samples() {
  std::vector<complex<T>> result;
  for (const T x : special_values<T>())
    for (const T y : special_values<T>()) result.push_back({x, y});
  const std::vector<T> parts = samples<T>();
  for (std::size_t i = 0; i < parts.size(); ++i) result.push_back({parts[i], parts[(i * 7919 + 13) % parts.size()]});
  for (int i = 0; i < 2000; ++i) result.push_back({T(std::cos(0.01 * i)), T(std::sin(0.01 * i))});
  return result;
}

// A kernel on vectors gives what it gives for one number, bit for bit: usual and rare numbers beside each other.
template <class T, class Kernel, class Rare, class Scalar>
void check_same_complex_bits(Rare rare, Scalar scalar) {
  if constexpr (math::lanes::has_complex_functions<T>) {
    constexpr bool binary = requires(complex<T> z) { scalar(z, z); };
    const hn::ScalableTag<T> d;
    using D = hn::ScalableTag<T>;
    const std::size_t size = hn::Lanes(d);
    std::vector<complex<T>> values = complex_samples<T>();
    values.resize(values.size() / size * size);
    int differing = 0;
    complex<T> example{}, other{};
    std::vector<complex<T>> results(size);
    for (std::size_t start = 0; start < values.size(); start += size) {
      const std::size_t second = (start * 31 + 7 * size) % values.size();
      const complex_vector<D> z = load_complex(d, values.data() + start, size, size),
                              w = load_complex(d, values.data() + second, size, size);
      if constexpr (binary)
        store_complex(math::lanes::complex_function<Kernel>(d, rare, z, w), d, results.data(), size, size);
      else
        store_complex(math::lanes::complex_function<Kernel>(d, rare, z), d, results.data(), size, size);
      for (std::size_t i = 0; i < size; ++i) {
        const complex<T> a = values[start + i], b = values[second + i];
        complex<T> expected;
        if constexpr (binary)
          expected = scalar(a, b);
        else
          expected = scalar(a);
        if (same(results[i], expected)) continue;
        ++differing;
        example = a, other = b;
      }
    }
    CAPTURE(example.real);
    CAPTURE(example.imag);
    CAPTURE(other.real);
    CAPTURE(other.imag);
    CHECK(differing == 0);
  } else {
    MESSAGE("this target computes complex numbers one by one");
  }
}

}  // namespace tenon::test
