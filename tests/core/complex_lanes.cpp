// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/complex_lanes.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;

TEST_CASE("complex numbers are taken apart and put together, and nothing beyond them is touched") {
  if constexpr (has_complex_lanes<float>) {
    const hn::ScalableTag<float> d;
    const std::size_t lanes = hn::Lanes(d);
    for (std::size_t count = 0; count <= lanes; ++count) {
      tenon::complex<float> from[64], to[64];
      for (int i = 0; i < 64; ++i) from[i] = {float(i), -float(i)}, to[i] = {7, 7};
      const auto loaded = load_complex(d, from, count, lanes);
      float reals[64] = {}, imags[64] = {};
      hn::StoreU(loaded.real, d, reals);
      hn::StoreU(loaded.imag, d, imags);
      for (std::size_t i = 0; i < lanes; ++i) {
        CHECK(reals[i] == (i < count ? float(i) : 0));
        CHECK(imags[i] == (i < count ? -float(i) : 0));
      }
      store_complex(loaded, d, to, count, lanes);
      for (std::size_t i = 0; i < 64; ++i) CHECK((to[i] == (i < count ? from[i] : tenon::complex<float>{7, 7})));
    }
  }
}
