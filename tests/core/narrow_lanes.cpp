// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/narrow_lanes.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <vector>

using namespace tenon;
using namespace tenon::core;

namespace {

template <class T, class D>
void check_all_patterns(D d) {
  using storage = typename T::storage_type;
  const std::size_t lanes = hn::Lanes(d);
  INFO(std::string(name(dtype_of<T>)), " in ", lanes, " lanes");
  std::vector<T> patterns;
  for (std::uint32_t bits = 0; bits < (1u << num_bits(dtype_of<T>)); ++bits) patterns.push_back(T::from_bits(bits));
  std::vector<f32> found(patterns.size());
  for (std::size_t i = 0; i < patterns.size(); i += lanes) {
    const std::size_t count = patterns.size() - i < lanes ? patterns.size() - i : lanes;
    store_elements(load_elements(d, &patterns[i], count, lanes), d, &found[i], count, lanes);
  }
  int wrong = 0;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const f32 wanted = convert_to<f32>(patterns[i]);
    const bool is_nan = wanted != wanted && found[i] != found[i];
    if (!is_nan && std::bit_cast<std::uint32_t>(wanted) != std::bit_cast<std::uint32_t>(found[i])) ++wrong;
  }
  CHECK(wrong == 0);

  // Floats of every exponent, and the neighbours of what the format holds and of the middles between.
  std::vector<f32> floats;
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 65521)
    floats.push_back(std::bit_cast<f32>(std::uint32_t(bits)));
  for (const T pattern : patterns)
    for (int step : {-1, 0, 1}) {
      const std::uint32_t bits = std::bit_cast<std::uint32_t>(convert_to<f32>(pattern)) + std::uint32_t(step);
      const int half = 22 - format_of(dtype_of<T>).mantissa_bits;
      floats.push_back(std::bit_cast<f32>(bits));
      floats.push_back(std::bit_cast<f32>(bits + (1u << half)));
    }
  std::vector<T> rounded(floats.size());
  for (std::size_t i = 0; i < floats.size(); i += lanes) {
    const std::size_t count = floats.size() - i < lanes ? floats.size() - i : lanes;
    store_elements(load_elements(d, &floats[i], count, lanes), d, &rounded[i], count, lanes);
  }
  for (std::size_t i = 0; i < floats.size(); ++i) {
    const storage wanted = convert_to<T>(floats[i]).bits;
    if (wanted == rounded[i].bits) continue;
    ++wrong;
    if (wrong < 5) CHECK(std::bit_cast<std::uint32_t>(floats[i]) == wanted);
  }
  CHECK(wrong == 0);
}

// In whole vectors and in parts of them.
template <class T>
void check_all_patterns() {
  check_all_patterns<T>(hn::ScalableTag<f32>());
  check_all_patterns<T>(hn::CappedTag<f32, 8>());
  check_all_patterns<T>(hn::CappedTag<f32, 4>());
  check_all_patterns<T>(hn::CappedTag<f32, 2>());
  check_all_patterns<T>(hn::CappedTag<f32, 1>());
}

}  // namespace

TEST_CASE("narrow floats become lanes and are rounded back as one by one") {
  check_all_patterns<f16>();
  check_all_patterns<bf16>();
  check_all_patterns<f8E3M4>();
  check_all_patterns<f8E4M3>();
  check_all_patterns<f8E4M3FN>();
  check_all_patterns<f8E4M3FNUZ>();
  check_all_patterns<f8E4M3B11FNUZ>();
  check_all_patterns<f8E5M2>();
  check_all_patterns<f8E5M2FNUZ>();
  check_all_patterns<f6E2M3FN>();
  check_all_patterns<f6E3M2FN>();
  check_all_patterns<f4E2M1FN>();
  static_assert(!is_narrow_lane<f8E8M0FNU>() && !is_narrow_lane<f32>() && !is_narrow_lane<i8>());
}
