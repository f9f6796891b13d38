// SPDX-License-Identifier: Apache-2.0
// Results that are too large for the caches are written past them: they are what small ones are, piece by piece.
#include <tenon/kernels/group/nest_lanes.hpp>

#include <tenon/numpy/elementwise.hpp>
#include <tenon/ops/operators.hpp>
#include <tenon/run/trace.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

using namespace tenon;
using namespace tenon::kernels;

namespace {

// Rows begin at every alignment that elements have.
constexpr index_t pieces = 100, rows = 22, columns = 1001, count = pieces * rows * columns;
static_assert(count * index_t(sizeof(f32)) > tuning::last_cache_bytes);

template <index_t Rows>
using from = tensor_view<const f32, Rows, columns>;
template <index_t Rows>
using to = tensor_view<f32, Rows, columns>;

std::vector<f32> numbers(index_t factor) {
  std::vector<f32> all(count);
  for (index_t i = 0; i < count; ++i) all[std::size_t(i)] = f32(i * factor % 1009 - 504) / 64;
  return all;
}
bool same_bits(const std::vector<f32>& a, const std::vector<f32>& b) {
  return std::memcmp(a.data(), b.data(), sizeof(f32) * std::size_t(count)) == 0;
}

// What a program makes of all rows at once, and of some of them at a time.
template <class Run>
void check(Run run) {
  const std::vector<f32> x = numbers(7), y = numbers(31);
  std::vector<f32> first(count), second(count), first_pieces(count), second_pieces(count);
  run(std::integral_constant<index_t, pieces * rows>(), x.data(), y.data(), first.data(), second.data());
  for (index_t i = 0; i < count; i += rows * columns)
    run(std::integral_constant<index_t, rows>(), x.data() + i, y.data() + i, first_pieces.data() + i,
        second_pieces.data() + i);
  CHECK(same_bits(first, first_pieces));
  CHECK(same_bits(second, second_pieces));
}

constexpr auto update = trace([](auto x, auto y) {
  auto product = x * y;
  return results(maximum(product + x, 0.0f), product);
});
constexpr auto scores = trace([](auto x, auto y) {
  auto sum = x + y;
  return results(softmax(sum), sum);
});

}  // namespace

TEST_CASE("large results of single elements") {
  check([](auto size, const f32* x, const f32* y, f32* first, f32* second) {
    update.into(to<size>(first), to<size>(second))(from<size>(x), from<size>(y));
  });
}

TEST_CASE("large results of rows in passes") {
  check([](auto size, const f32* x, const f32* y, f32* first, f32* second) {
    scores.into(to<size>(first), to<size>(second))(from<size>(x), from<size>(y));
  });
}
