// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients.hpp>

#include <doctest/doctest.h>

using namespace tenon;

namespace {

using vector8 = tensor<f64, 8>;

// 1,000 iterations, of which each reads the values before it.
constexpr auto rolled = trace([](auto x, auto w) {
  return sum(square(while_<at_most<1000>>(
      x, [](auto at) { return max(at) < 3.0; }, [=](auto at) { return sin(at * w) + 0.01 * at; })));
});
constexpr auto kept = value_and_grad<0, 1>(rolled);
constexpr auto few = kept.within<16_KiB>;
constexpr index_t bytes_of_all = decltype(kept)::arena_bytes<vector8, vector8>,
                  bytes_of_few = decltype(few)::arena_bytes<vector8, vector8>;
static_assert(bytes_of_all > 1000 * 8 * 8 && bytes_of_few <= 16_KiB);

}  // namespace

TEST_CASE("rows that are computed again in place of kept") {
  const vector8 w{1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8};
  for (const double start : {0.5, 2.0, 5.0}) {
    const vector8 x = start * w;
    const auto [value, by_x, by_w] = kept(x, w);
    const auto [same_value, same_by_x, same_by_w] = few(x, w);
    CHECK(same_value() == value());
    for (index_t i = 0; i < 8; ++i) {
      CHECK(same_by_x(i) == doctest::Approx(by_x(i)));
      CHECK(same_by_w(i) == doctest::Approx(by_w(i)));
    }
  }
}
