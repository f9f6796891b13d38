// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/lanes/apply_op.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;

namespace {

// The same bit of the numbers first, first + 1, ...: with three of them, lanes go through all rows of a table.
template <class D>
hn::Mask<D> operand(D d, unsigned bit, std::size_t first) {
  HWY_ALIGN std::uint8_t truths[hn::MaxLanes(d)];
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) truths[i] = std::uint8_t((i + first) >> bit & 1u);
  return hn::Ne(hn::Load(d, truths), hn::Zero(d));
}
template <class D>
bool truth_at(D d, hn::Mask<D> mask, std::size_t lane) {
  HWY_ALIGN std::uint8_t ones[hn::MaxLanes(d)];
  hn::Store(hn::IfThenElseZero(mask, hn::Set(d, 1)), d, ones);
  return ones[lane] != 0;
}

template <unsigned Table>
void check_table() {
  const hn::ScalableTag<std::uint8_t> d;
  bool holds = true;
  for (std::size_t first = 0; first < 8; ++first) {
    const auto x = operand(d, 2, first), y = operand(d, 1, first), z = operand(d, 0, first);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
      const unsigned row = unsigned(i + first) % 8;
      holds &= truth_at(d, mask_by_table<Table>(d, x, y, z), i) == ((Table >> row & 1u) != 0);
      holds &= truth_at(d, mask_by_table<Table % 16>(d, y, z), i) == ((Table >> row % 4 & 1u) != 0);
      holds &= truth_at(d, mask_by_table<Table % 4>(d, z), i) == ((Table >> row % 2 & 1u) != 0);
    }
  }
  CHECK(holds);
}
template <unsigned... Table>
void check_tables(std::integer_sequence<unsigned, Table...>) {
  (check_table<Table>(), ...);
}

constexpr auto implies = [](bool x, bool y) { return !x || y; };
static_assert(truth_table(implies, std::make_index_sequence<2>{}) == 0b1011);
constexpr auto chosen = [](bool p, bool x, bool y) { return p ? x : y; };
static_assert(truth_table(chosen, std::make_index_sequence<3>{}) == 0b11001010);

}  // namespace

TEST_CASE("functions of booleans on masks, by their tables") {
  check_tables(std::make_integer_sequence<unsigned, 256>{});
}
