// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/contraction/widened_convolution.hpp>

#include <ops/evaluate.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

constexpr convolution_dimension_numbers images{0, 3, {1, 2}, 2, 3, {0, 1}, 0, 3, {1, 2}},
    outputs_first{0, 3, {1, 2}, 3, 0, {1, 2}, 0, 3, {1, 2}}, planes{0, 1, {2, 3}, 2, 3, {0, 1}, 0, 3, {1, 2}};

template <class T>
std::vector<T> numbers(const ints& shape, int seed) {
  std::vector<T> result;
  for (index_t i = 0; i < shape.product(); ++i) result.push_back(T(std::uint32_t(i + seed) * 2654435761u >> 24));
  return result;
}

// Whether the sums of whichever kernel does it are those that the op defines; `copies`: whether windows are copied.
template <class T>
void check(const ops::convolution& op, const ints& lhs, const ints& rhs, const ints& result, bool copies = true) {
  const auto run = [&](const auto& kernel) {
    return evaluate_by(kernel, op, {tensor_of(lhs, numbers<T>(lhs, 1)), tensor_of(rhs, numbers<T>(rhs, 2))},
                       {type_of(dtype::i32, result)})[0]
        .template as<i32>();
  };
  const auto by = [&](auto convolves, bool runs) {
    return run([&](evaluation e) {
      std::vector<std::uint32_t> scratch(std::size_t(op.scratch_bytes(e.operand_types, e.result_types) + 3) / 4);
      e.scratch = scratch.data();
      CHECK(convolves(e) == runs);
    });
  };
  const std::vector<i32> expected = run([&](const evaluation& e) { op.evaluate<T>(e); });
  CHECK(by([&](const evaluation& e) { return convolve<T, needs::all()>(op, e); }, true) == expected);
  if constexpr (tiling::products_in_lane<T> > 1) {
    const auto got =
        by([&](const evaluation& e) { return tiling::convolve_windows<T>(convolution_layout(op, e), e); }, copies);
    if (copies) CHECK(got == expected);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("convolutions of bytes are products of copied windows", T, std::int8_t, std::uint8_t) {
  check<T>({.dimension_numbers = images}, {1, 14, 13, 5}, {3, 3, 5, 17}, {1, 12, 11, 17});
  check<T>({.dimension_numbers = outputs_first}, {2, 9, 12, 3}, {33, 2, 4, 3}, {2, 8, 9, 33});
  check<T>({.window_strides = ints{2, 1}, .padding = {{1, 1}, {2, 0}}, .dimension_numbers = images}, {3, 9, 7, 6},
           {3, 3, 6, 4}, {3, 5, 7, 4});
  check<T>({.lhs_dilation = ints{1, 2}, .rhs_dilation = ints{2, 1}, .dimension_numbers = images}, {1, 9, 7, 4},
           {3, 3, 4, 9}, {1, 5, 11, 9});
  check<T>({.window_reversal = ints{1, 0}, .dimension_numbers = images}, {1, 6, 7, 4}, {3, 3, 4, 9}, {1, 4, 5, 9});
  check<T>({.dimension_numbers = images}, {1, 12, 12, 100}, {3, 3, 100, 34}, {1, 10, 10, 34});
  check<T>({.dimension_numbers = images}, {2, 9, 8, 30}, {1, 1, 30, 40}, {2, 9, 8, 40});
  check<T>({.dimension_numbers = images}, {1, 5, 4, 1}, {1, 1, 1, 1}, {1, 5, 4, 1});
  check<T>({.dimension_numbers = planes}, {2, 6, 9, 8}, {3, 3, 6, 20}, {2, 7, 6, 20}, false);
  check<T>({.dimension_numbers = images, .feature_group_count = 2}, {1, 9, 8, 6}, {3, 3, 3, 16}, {1, 7, 6, 16}, false);
}
