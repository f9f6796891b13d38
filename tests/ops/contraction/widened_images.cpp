// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/contraction/widened_images.hpp>

#include <tenon/ops/contraction/convolution.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;

namespace {

constexpr convolution_dimension_numbers images_last{0, 3, {1, 2}, 2, 3, {0, 1}, 0, 3, {1, 2}};

}  // namespace

TEST_CASE("rows under windows are those that the windows see, with what padding is left before them") {
  for (index_t low : {-7, 0, 3, 25})
    for (index_t base_dilation : {1, 3})
      for (index_t window_dilation : {1, 2})
        for (index_t stride : {1, 2, 5}) {
          const ops::window_axis axis{11, 3, stride, base_dilation, window_dilation, low, 40};
          for (index_t first = 0; first < axis.count(); ++first)
            for (index_t last = first + 1; last <= axis.count(); ++last) {
              const ops::rows_under_windows under(axis, first, last);
              ops::window_axis part = axis;
              part.size = under.count, part.low = under.low;
              bool agree = under.begin >= 0 && under.count >= 1 && under.begin + under.count <= axis.size &&
                           under.count <= ops::rows_under_windows::most(axis, last - first);
              for (index_t i = first; i < last; ++i)
                for (index_t place = 0; place < axis.window; ++place) {
                  const index_t whole = axis.position(i, place), some = part.position(i - first, place);
                  agree = agree && whole == (some < 0 ? -1 : some + under.begin);
                }
              REQUIRE(agree);
            }
        }
}

TEST_CASE("copies of images are bounded, and weights are packed for many pixels") {
  const auto copied = [](const ints& lhs, const ints& rhs, const ints& result) {
    return ops::convolution{.dimension_numbers = images_last}.widened(
        type_of(dtype::f16, lhs), type_of(dtype::f16, rhs), type_of(dtype::f16, result));
  };
  const index_t most = ops::widened_images::most_bytes;
  // Few images, many images, parts of one, and images of few pixels.
  const ops::widened_images few = copied({3, 24, 24, 16}, {3, 3, 16, 32}, {3, 22, 22, 32});
  CHECK(few.together == 3);
  CHECK(few.rows == 22);
  CHECK(few.bytes() == (3 * 24 * 24 * 16 + 3 * 3 * 16 * 32 + 3 * 22 * 22 * 32) * 4);
  const ops::widened_images many = copied({300, 24, 24, 16}, {3, 3, 16, 32}, {300, 22, 22, 32});
  CHECK(many.together > 1);
  CHECK((many.lhs + many.result) * 4 <= most);
  const ops::widened_images rows = copied({7, 512, 512, 16}, {3, 3, 16, 32}, {7, 510, 510, 32});
  CHECK(rows.together == 1);
  CHECK(rows.rows < 510);
  CHECK((rows.lhs + rows.result) * 4 <= most + 2 * 512 * 16 * 4);
  const ops::widened_images deep = copied({64, 7, 7, 2048}, {1, 1, 2048, 2048}, {64, 7, 7, 2048});
  CHECK(deep.together * 49 >= ops::widened_images::least_pixels);
  CHECK(deep.together < 64);
  CHECK(copied({0, 7, 7, 8}, {1, 1, 8, 8}, {0, 7, 7, 8}).bytes() == 0);
  CHECK(copied({2, 7, 7, 0}, {1, 1, 0, 8}, {2, 7, 7, 8}).bytes() == 0);
}
