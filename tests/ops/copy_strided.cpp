// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/copy_strided.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace tenon::test {

namespace {

static_assert(ops::whole_tensor({2, 3}).strides == ints{3, 1});

TEST_CASE("a box moves to another place, in another order") {
  const std::vector<std::uint16_t> from{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  std::vector<std::uint16_t> to(8, 99);
  // columns 3 and 1 of a 3 by 4 matrix become rows 0 and 1 of a 2 by 4 one
  ops::copy_strided<std::uint16_t>({2, 3}, to.data(), {0, {4, 1}}, from.data(), {3, {-2, 4}});
  CHECK(to == std::vector<std::uint16_t>{3, 7, 11, 99, 1, 5, 9, 99});
}

TEST_CASE("one element everywhere, a scalar, nothing") {
  const double value = 7;
  std::vector<double> to(4, 0);
  ops::copy_strided<double>({2, 2}, to.data(), ops::whole_tensor({2, 2}), &value, {0, {0, 0}});
  CHECK(to == std::vector<double>(4, 7));
  const double nine = 9;
  ops::copy_strided<double>({}, to.data(), {2, {}}, &nine, {0, {}});
  CHECK(to == std::vector<double>{7, 7, 9, 7});
  double never = 1;
  ops::copy_strided<double>({3, 0}, &never, ops::whole_tensor({3, 0}), nullptr, ops::whole_tensor({3, 0}));
  CHECK(never == 1);
}

}  // namespace
}  // namespace tenon::test
