// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/written_number.hpp>

#include <tenon/tensors.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace tenon;
using namespace tenon::core;
using core::holds_number;
using core::is_number_for;

static_assert(is_number_for<i32, int> && is_number_for<f32, int> && is_number_for<f16, double>);
static_assert(!is_number_for<i32, double> && !is_number_for<ui8, float> && !is_number_for<bool, double>);
static_assert(!is_number_for<i4, double>);

static_assert(holds_number<i8>(127) && !holds_number<i8>(128) && holds_number<i8>(-128) && !holds_number<i8>(-129));
static_assert(holds_number<ui8>(255) && !holds_number<ui8>(256) && !holds_number<ui8>(-1));
static_assert(holds_number<ui32>(4294967295u) && !holds_number<ui32>(-1) && !holds_number<i32>(4294967295u));
static_assert(holds_number<i64>(std::numeric_limits<i64>::min()) && !holds_number<i64>(~std::uint64_t(0)));
static_assert(holds_number<ui64>(~std::uint64_t(0)) && !holds_number<ui64>(std::int64_t(-1)));
static_assert(holds_number<bool>(1) && holds_number<bool>(0) && !holds_number<bool>(2) && !holds_number<bool>(-1));
static_assert(holds_number<i4>(7) && !holds_number<i4>(8) && holds_number<i4>(-8) && !holds_number<ui4>(16));

// Floats are rounded; what is beyond them is not.
static_assert(holds_number<f32>(0.1) && holds_number<f32>(16777217) && holds_number<f32>(1e-300));
static_assert(holds_number<f32>(3.4028235e38) && !holds_number<f32>(3.5e38) && !holds_number<f32>(-1e39));
static_assert(holds_number<f16>(65519) && !holds_number<f16>(65536) && holds_number<bf16>(3e38));
static_assert(holds_number<f8E4M3FN>(448) && !holds_number<f8E4M3FN>(1000));
static_assert(holds_number<complex<f32>>(2.5) && !holds_number<complex<f32>>(1e39));
static_assert(holds_number<f64>(std::numeric_limits<double>::max()));
static_assert(holds_number<f16>(std::numeric_limits<double>::infinity()));

TEST_CASE("a number that an element does not hold fails, in lists and beside tensors") {
  const tensor<ui8, 2> x{200, 1};
  int number = 300;
  CHECK_THROWS_WITH_AS((tensor<bool, 2>(x > number)), "the number 300 is outside ui8", error);
  CHECK_THROWS_WITH_AS((tensor<ui8, 2>(x * -1)), "the number -1 is outside ui8", error);
  CHECK_THROWS_WITH_AS((tensor<i8, 2>{number, 1}), "the number 300 is outside i8", error);
  CHECK_THROWS_WITH_AS((tensor<f16, 2>{1e9, 1}), "a number is larger than any f16", error);
  CHECK_THROWS_WITH_AS((tensor<i8, 2>(full<i8, ints{2}>(number))), "the number 300 is outside i8", error);
  CHECK(equal(tensor<ui8, 2>(x + 55), tensor<ui8, 2>{255, 56}));
  CHECK(equal(tensor<bool, 2>(x > 1), tensor<bool, 2>{1, 0}));
  CHECK(std::isinf(tensor<f32, 1>(tensor<f32, 1>{1} * std::numeric_limits<double>::infinity())(0)));
}
