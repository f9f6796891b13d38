// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/elementwise.hpp>

#include <tenon/ops/elementwise/abs.hpp>
#include <tenon/ops/elementwise/add.hpp>
#include <tenon/ops/elementwise/and.hpp>
#include <tenon/ops/elementwise/clamp.hpp>
#include <tenon/ops/elementwise/compare.hpp>
#include <tenon/ops/elementwise/complex.hpp>
#include <tenon/ops/elementwise/convert.hpp>
#include <tenon/ops/elementwise/exponential.hpp>
#include <tenon/ops/elementwise/imag.hpp>
#include <tenon/ops/elementwise/maximum.hpp>
#include <tenon/ops/elementwise/minimum.hpp>
#include <tenon/ops/elementwise/multiply.hpp>
#include <tenon/ops/elementwise/negate.hpp>
#include <tenon/ops/elementwise/not.hpp>
#include <tenon/ops/elementwise/or.hpp>
#include <tenon/ops/elementwise/real.hpp>
#include <tenon/ops/elementwise/reduce_precision.hpp>
#include <tenon/ops/elementwise/select.hpp>
#include <tenon/ops/elementwise/shift_left.hpp>
#include <tenon/ops/elementwise/shift_right_logical.hpp>
#include <tenon/ops/elementwise/subtract.hpp>
#include <tenon/ops/elementwise/xor.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;

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
  if constexpr (is_complex(dtype_of<T>)) return same_bits(a.real, b.real) && same_bits(a.imag, b.imag);
  if constexpr (is_float(dtype_of<T>))
    if (convert_to<f64>(a) != convert_to<f64>(a)) return convert_to<f64>(b) != convert_to<f64>(b);
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

void expect_none(int wrong, dtype from, dtype to) {
  CHECK_MESSAGE(wrong == 0, (std::string(name(from)) + " to " + std::string(name(to))));
}

template <class Op, class T, class R, class... E>
void check(const Op& op, const std::vector<E>&... operands) {
  std::size_t size = 0;
  ((size = operands.size()), ...);
  const auto make_results = [](std::size_t count) { return std::make_unique<R[]>(count + 1); };
  for (const std::size_t count : {size, std::size_t(1), std::size_t(7), std::size_t(64), std::size_t(67)}) {
    const auto found = make_results(count);
    elementwise_loop<Op, T, R>(op, count, found.get(),
                               std::unique_ptr<E[]>([&] {
                                 E* const copy = new E[count];
                                 for (std::size_t i = 0; i < count; ++i) copy[i] = operands[i];
                                 return copy;
                               }())
                                   .get()...);
    int wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = element_of_op<Op, R>(op, compute_t<E>(E(operands[i]))...);
      wrong += !same_bits(convert_to<R>(value), R(found[i]));
    }
    expect_none(wrong, dtype_of<T>, dtype_of<R>);
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
  check<ops::minimum, T, T>(ops::minimum{}, x, y);
  // All pairs of the first numbers, among which are the zeros of both signs.
  for (std::size_t shift = 0; shift < 27; ++shift) {
    std::vector<T> turned(x.begin() + std::ptrdiff_t(shift), x.end());
    turned.insert(turned.end(), x.begin(), x.begin() + std::ptrdiff_t(shift));
    check<ops::maximum, T, T>(ops::maximum{}, x, turned);
    check<ops::minimum, T, T>(ops::minimum{}, x, turned);
  }
  check<ops::clamp, T, T>(ops::clamp{}, y, x, x);
  for (const auto direction : {comparison_direction::EQ, comparison_direction::NE, comparison_direction::GE,
                               comparison_direction::GT, comparison_direction::LE, comparison_direction::LT}) {
    check<ops::compare, T, bool>(ops::compare{direction}, x, y);
    check<ops::compare, T, bool>(ops::compare{direction}, x, x);
    if constexpr (is_float(dtype_of<T>))
      check<ops::compare, T, bool>(ops::compare{direction, comparison_type::TOTALORDER}, x, y);
  }
  check<ops::select, T, T>(ops::select{}, chosen, x, y);
}

static_assert(table_of_op<2>(ops::and_{}) == 0b1000 && table_of_op<2>(ops::or_{}) == 0b1110);
static_assert(table_of_op<2>(ops::xor_{}) == 0b0110 && table_of_op<1>(ops::not_{}) == 0b01);

void check_truths() {
  std::vector<bool> x, y, z;
  for (int i = 0; i < 300; ++i) x.push_back(i % 3 == 0), y.push_back(i % 5 < 2), z.push_back(i % 7 > 3);
  check<ops::not_, bool, bool>(ops::not_{}, x);
  check<ops::and_, bool, bool>(ops::and_{}, x, y);
  check<ops::or_, bool, bool>(ops::or_{}, x, y);
  check<ops::xor_, bool, bool>(ops::xor_{}, x, y);
  check<ops::add, bool, bool>(ops::add{}, x, y);
  check<ops::multiply, bool, bool>(ops::multiply{}, x, y);
  check<ops::maximum, bool, bool>(ops::maximum{}, x, y);
  check<ops::minimum, bool, bool>(ops::minimum{}, x, y);
  check<ops::select, bool, bool>(ops::select{}, x, y, z);
  for (const auto direction : {comparison_direction::EQ, comparison_direction::NE, comparison_direction::GE,
                               comparison_direction::GT, comparison_direction::LE, comparison_direction::LT})
    check<ops::compare, bool, bool>(ops::compare{direction}, x, y);
}

template <class T>
void check_precisions() {
  std::vector<T> x = samples<T>();
  for (const f64 each :
       {65504.0, 65519.0, 65520.0, 3.4028234e38, 3.4e38, 1.17549435e-38, 6.1e-5, 2.0, 1.9999999, 1e300})
    x.push_back(convert_to<T>(each)), x.push_back(convert_to<T>(-each));
  for (const int exponent_bits : {1, 4, 5, 8, 11, 40})
    for (const int mantissa_bits : {0, 1, 3, 7, 10, 23, 52, 99})
      check<ops::reduce_precision, T, T>(ops::reduce_precision{exponent_bits, mantissa_bits}, x);
}

template <class T>
void check_shifts() {
  std::vector<T> x, y;
  for (int i = 0; i < 300; ++i) {
    x.push_back(T(std::uint64_t(i) * 0x9E3779B97F4A7C15u >> (i % 40)));
    y.push_back(T(i % 7 == 0 ? i * 31 : i % 70));
  }
  check<ops::shift_left, T, T>(ops::shift_left{}, x, y);
  check<ops::shift_right_logical, T, T>(ops::shift_right_logical{}, x, y);
}

template <class T>
void check_complex() {
  using C = tenon::complex<T>;
  const std::vector<T> parts = samples<T>();
  std::vector<C> x, y;
  std::vector<T> reals, imags;
  std::vector<bool> chosen;
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t j = 0; j < parts.size(); j += 1 + i / 7) {
      x.push_back({parts[i], parts[j]});
      y.push_back({parts[(i + j) % parts.size()], parts[(3 * i + j + j / 5) % parts.size()]});
      reals.push_back(parts[i]), imags.push_back(parts[j]);
      chosen.push_back((i + j) % 3 == 0);
    }
  check<ops::add, C, C>(ops::add{}, x, y);
  check<ops::subtract, C, C>(ops::subtract{}, x, y);
  check<ops::multiply, C, C>(ops::multiply{}, x, y);
  check<ops::negate, C, C>(ops::negate{}, x);
  check<ops::real, C, T>(ops::real{}, x);
  check<ops::imag, C, T>(ops::imag{}, x);
  check<ops::abs, C, T>(ops::abs{}, x);
  check<ops::exponential, C, C>(ops::exponential{}, x);
  check<ops::complex, T, C>(ops::complex{}, reals, imags);
  check<ops::select, C, C>(ops::select{}, chosen, x, y);
  check<ops::convert, C, C>(ops::convert{}, x);
  check<ops::convert, T, C>(ops::convert{}, reals);
  for (const auto direction : {comparison_direction::EQ, comparison_direction::NE, comparison_direction::GE,
                               comparison_direction::GT, comparison_direction::LE, comparison_direction::LT}) {
    check<ops::compare, C, bool>(ops::compare{direction}, x, y);
    check<ops::compare, C, bool>(ops::compare{direction}, x, x);
  }
}

// Of an op that is given the same elements twice, and writes over them.
template <class Op, class T>
void check_itself() {
  for (const std::size_t count : {std::size_t(0), std::size_t(1), std::size_t(7), samples<T>().size()}) {
    std::vector<T> x = samples<T>();
    x.resize(count);
    const std::vector<T> before = x;
    const void* const operands[] = {x.data(), x.data()};
    void* const results[] = {x.data()};
    evaluation e;
    e.operands = {operands, 2}, e.results = {results, 1};
    e.count = index_t(count);
    elementwise_kernel<Op, T, T>(e);
    int wrong = 0;
    for (std::size_t i = 0; i < count; ++i) wrong += !same_bits(Op::element(before[i], before[i]), x[i]);
    expect_none(wrong, dtype_of<T>, dtype_of<T>);
  }
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

TEST_CASE("an operand that is given twice") {
  check_itself<ops::add, f32>();
  check_itself<ops::add, f64>();
  check_itself<ops::multiply, f32>();
  check_itself<ops::multiply, f64>();
  check_itself<ops::multiply, i32>();
}

TEST_CASE("lanes of booleans alone") { check_truths(); }

TEST_CASE("lanes of fewer bits of a mantissa") {
  check_precisions<f8E5M2>();
  check_precisions<f8E4M3FN>();
  check_precisions<bf16>();
  check_precisions<f16>();
  check_precisions<f32>();
  check_precisions<f64>();
}

TEST_CASE("lanes of shifted bits") {
  check_shifts<i8>();
  check_shifts<ui8>();
  check_shifts<i16>();
  check_shifts<ui16>();
  check_shifts<i32>();
  check_shifts<ui64>();
}

TEST_CASE("lanes of complex numbers") {
  check_complex<f32>();
  check_complex<f64>();
}
