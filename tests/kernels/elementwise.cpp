// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/elementwise.hpp>

#include <tenon/ops/elementwise/add.hpp>
#include <tenon/ops/elementwise/compare.hpp>
#include <tenon/ops/elementwise/convert.hpp>
#include <tenon/ops/elementwise/maximum.hpp>
#include <tenon/ops/elementwise/select.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

using namespace tenon;

namespace {

// What any number of elements of T may be, among them the ones at the ends of ranges.
template <class T>
std::vector<T> samples() {
  std::vector<T> result;
  if constexpr (std::same_as<T, bool>) {
    for (int i = 0; i < 100; ++i) result.push_back(i % 3 == 0);
  } else {
    const f64 special[] = {0,
                           -0.0,
                           0.5,
                           -0.5,
                           1.5,
                           127,
                           128,
                           -128,
                           -129,
                           255,
                           256,
                           32767.9,
                           -32768.5,
                           65535,
                           65536,
                           2147483520,
                           2147483648,
                           -2147483648.0,
                           -2147483904.0,
                           1e10,
                           -1e30,
                           3e-8,
                           -1e-40,
                           std::numeric_limits<f64>::infinity(),
                           -std::numeric_limits<f64>::infinity(),
                           std::numeric_limits<f64>::quiet_NaN()};
    for (const f64 each : special) result.push_back(convert_to<T>(each));
    for (int i = 0; i < 173; ++i) result.push_back(convert_to<T>(f64(i * i * 37 % 1000) * 0.37 - 150));
  }
  return result;
}

template <class T>
bool same_bits(const T& a, const T& b) {
  if constexpr (is_float(dtype_of<T>))
    if (convert_to<f64>(a) != convert_to<f64>(a)) return convert_to<f64>(b) != convert_to<f64>(b);
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class Op, class T, class R, class... E>
void check(const Op& op, const std::vector<E>&... operands) {
  std::size_t size = 0;
  ((size = operands.size()), ...);
  const auto make_results = [](std::size_t count) { return std::make_unique<R[]>(count + 1); };
  CAPTURE(std::string(name(dtype_of<T>)) + " to " + std::string(name(dtype_of<R>)));
  for (const std::size_t count : {size, std::size_t(1), std::size_t(7), std::size_t(64), std::size_t(67)}) {
    const auto found = make_results(count);
    detail::elementwise_loop<Op, T, R>(op, count, found.get(),
                                       std::unique_ptr<E[]>([&] {
                                         E* const copy = new E[count];
                                         for (std::size_t i = 0; i < count; ++i) copy[i] = operands[i];
                                         return copy;
                                       }())
                                           .get()...);
    int wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = detail::element_of_op<Op, R>(op, compute_t<E>(E(operands[i]))...);
      wrong += !same_bits(convert_to<R>(value), R(found[i]));
    }
    CHECK(wrong == 0);
  }
}

template <class T>
void check_conversions_from() {
  const std::vector<T> all = samples<T>();
  const auto to = [&]<class... R>(R*...) { (check<ops::convert, T, R>(ops::convert{}, all), ...); };
  [&]<class... R>(std::tuple<R...>*) {
    to(static_cast<R*>(nullptr)...);
  }(static_cast<
      std::tuple<bool, i4, i8, i16, i32, i64, ui8, ui16, ui32, ui64, f8E4M3FN, f8E5M2FNUZ, bf16, f16, f32, f64>*>(
      nullptr));
}

template <class T>
void check_arithmetic() {
  const std::vector<T> x = samples<T>();
  std::vector<T> y(x.rbegin(), x.rend());
  std::vector<bool> chosen;
  for (std::size_t i = 0; i < x.size(); ++i) chosen.push_back(i % 5 < 2);
  check<ops::add, T, T>(ops::add{}, x, y);
  check<ops::maximum, T, T>(ops::maximum{}, x, y);
  check<ops::compare, T, bool>(ops::compare{comparison_direction::LT}, x, y);
  check<ops::compare, T, bool>(ops::compare{comparison_direction::NE}, x, x);
  check<ops::select, T, T>(ops::select{}, chosen, x, y);
}

}  // namespace

TEST_CASE("conversions in lanes are those of one element") {
  check_conversions_from<bool>();
  check_conversions_from<i8>();
  check_conversions_from<i16>();
  check_conversions_from<i32>();
  check_conversions_from<i64>();
  check_conversions_from<ui8>();
  check_conversions_from<ui16>();
  check_conversions_from<ui32>();
  check_conversions_from<ui64>();
  check_conversions_from<f8E4M3FN>();
  check_conversions_from<bf16>();
  check_conversions_from<f16>();
  check_conversions_from<f32>();
  check_conversions_from<f64>();
}

TEST_CASE("lanes of narrow floats, and of booleans beside them") {
  check_arithmetic<f8E4M3FN>();
  check_arithmetic<bf16>();
  check_arithmetic<f16>();
  check_arithmetic<f32>();
  check_arithmetic<f64>();
  check_arithmetic<i8>();
  check_arithmetic<i16>();
  check_arithmetic<ui32>();
  check_arithmetic<i64>();
}
