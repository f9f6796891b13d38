// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/lanes/complex.hpp>

#include <tenon/math/exponential.hpp>
#include <tenon/math/magnitude.hpp>

#include <doctest/doctest.h>

#include "math/samples.hpp"

namespace tenon {
namespace {

using number = complex<f32>;

[[maybe_unused]] std::vector<number> numbers() {
  std::vector<number> result;
  for (const f32 x : test::special_values<f32>())
    for (const f32 y : test::special_values<f32>()) result.push_back({x, y});
  const std::vector<f32> parts = test::samples<f32>();
  for (std::size_t i = 0; i < parts.size(); ++i) result.push_back({parts[i], parts[(i * 7919 + 13) % parts.size()]});
  return result;
}

// Vectors of both halves of numbers in f64, rounded to f32 in the end, beside the function of one number.
template <class F>
void check(F lanes, auto scalar) {
  if constexpr (math::lanes::computes_complex_in_f64<f32>) {
    const hn::ScalableTag<f32> d;
    using tag = hn::ScalableTag<f32>;
    const std::size_t size = hn::Lanes(d);
    std::vector<number> values = numbers();
    values.resize(values.size() / size * size);
    int differing = 0;
    number example{};
    for (std::size_t start = 0; start < values.size(); start += size) {
      const complex_vector<tag> z = load_complex(d, values.data() + start, size, size);
      const auto results = math::lanes::in_f64(d, lanes, z);
      std::vector<f32> real(size), imag(size);
      if constexpr (requires { results.imag; }) {
        hn::StoreU(results.real, d, real.data());
        hn::StoreU(results.imag, d, imag.data());
      } else {
        hn::StoreU(results, d, real.data());
      }
      for (std::size_t i = 0; i < size; ++i) {
        const number expected = scalar(values[start + i]);
        if (test::same(number{real[i], imag[i]}, expected)) continue;
        ++differing;
        example = values[start + i];
      }
    }
    CAPTURE(example.real);
    CAPTURE(example.imag);
    CHECK(differing == 0);
  } else {
    MESSAGE("this target computes complex numbers one by one");
  }
}

TEST_CASE("the magnitude is that of one number") {
  check([](auto wide, const auto& z) { return math::lanes::magnitude(wide, z); },
        [](const number& z) { return number{math::abs(z), 0}; });
}

TEST_CASE("the exponential is that of one number") {
  check([](auto wide, const auto& z) { return math::lanes::exponential_of_complex(wide, z); },
        [](const number& z) { return math::exponential(z); });
}

}  // namespace
}  // namespace tenon
