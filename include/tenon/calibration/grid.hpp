// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/quantize.hpp>.
#pragma once

#include <tenon/core/element.hpp>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <vector>

namespace tenon {

// The real numbers that stand for those of 8 bits: (stored - zero_point) * scale. Zero is one of them.
struct quantized_grid {
  double scale = 1;
  int zero_point = 0;

  double stored_of(double real) const { return std::nearbyint(real / scale) + zero_point; }
  i8 operator()(double real) const { return i8(std::clamp(stored_of(real), -128.0, 127.0)); }
};

namespace calibration {

// A scale that a text in f32 holds.
inline double scale_of(double wanted) { return double(float(std::clamp(wanted, double(FLT_MIN), double(FLT_MAX)))); }

// The grid of all 8 bits for what lies between these numbers, and for 0.
inline quantized_grid grid_of(double low, double high) {
  low = std::min(low, 0.0), high = std::max(high, 0.0);
  if (low == high) return {};
  const double scale = scale_of((high - low) / 255);
  return {scale, int(std::clamp(std::nearbyint(-128 - low / scale), -128.0, 127.0))};
}
// One without a zero point, for weights between -127 and 127.
inline quantized_grid symmetric_grid_of(double low, double high) {
  const double most = std::max(std::abs(low), std::abs(high));
  return {most > 0 ? scale_of(most / 127) : 1, 0};
}

// Real factors as integers of at most this many bits, divided by a power of two that all share.
struct fixed_factors {
  std::vector<std::int64_t> integers;
  int shift = 0;

  fixed_factors(const std::vector<double>& factors, int bits, int most_shift) {
    double largest = 0;
    for (const double factor : factors) largest = std::max(largest, std::abs(factor));
    int exponent = 0;
    std::frexp(largest, &exponent);
    shift = std::clamp(bits - exponent, 0, most_shift);
    if (shift > 0 && std::nearbyint(std::ldexp(largest, shift)) >= std::ldexp(1, bits)) --shift;
    const double most = std::ldexp(1, bits) - 1;
    for (const double factor : factors)
      integers.push_back(std::int64_t(std::clamp(std::nearbyint(std::ldexp(factor, shift)), -most, most)));
  }
};

}  // namespace calibration

}  // namespace tenon
