// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/lanes/integer_division.hpp>

#include <tenon/ops/elementwise/divide.hpp>
#include <tenon/ops/elementwise/remainder.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

using namespace tenon;
using namespace tenon::core;

namespace {

// Whether vectors of these numbers are divided as single ones are.
template <class T>
bool divides(const std::vector<T>& a, const std::vector<T>& b) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  std::vector<T> quotients(lanes), remainders(lanes);
  bool agree = true;
  if constexpr (math::lanes::divides_integers<hn::ScalableTag<T>>) {
    for (std::size_t i = 0; i + lanes <= a.size(); i += lanes) {
      const auto x = hn::LoadU(d, a.data() + i), y = hn::LoadU(d, b.data() + i);
      hn::StoreU(math::lanes::divide_integers(d, x, y), d, quotients.data());
      hn::StoreU(math::lanes::remainder_of_integers(d, x, y), d, remainders.data());
      for (std::size_t k = 0; k < lanes; ++k)
        agree = agree && quotients[k] == ops::divide::element(a[i + k], b[i + k]) &&
                remainders[k] == ops::remainder::element(a[i + k], b[i + k]);
    }
  }
  return agree;
}

// Whether `divisor`, which is b in all lanes, divides vectors of these numbers as b divides single ones.
template <class T, class Divisor>
bool divides_alike(const std::vector<T>& a, T b, const Divisor& divisor) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  std::vector<T> quotients(lanes), remainders(lanes);
  bool agree = true;
  for (std::size_t i = 0; i + lanes <= a.size(); i += lanes) {
    const auto x = hn::LoadU(d, a.data() + i);
    hn::StoreU(math::lanes::divide_integers(d, x, divisor), d, quotients.data());
    hn::StoreU(math::lanes::remainder_of_integers(d, x, divisor), d, remainders.data());
    for (std::size_t k = 0; k < lanes; ++k)
      agree = agree && quotients[k] == ops::divide::element(a[i + k], b) &&
              remainders[k] == ops::remainder::element(a[i + k], b);
  }
  return agree;
}
template <class T>
bool divides_by(const std::vector<T>& a, T b) {
  using D = hn::ScalableTag<T>;
  if constexpr (math::lanes::divides_integers<D>) return divides_alike(a, b, math::lanes::divisor_lanes<D>(b));
  return true;
}
// The same for a divisor that is known while compiling.
template <auto B, class T>
bool divides_by_known(const std::vector<T>& a) {
  using D = hn::ScalableTag<T>;
  if constexpr (math::lanes::divides_integers<D>) return divides_alike(a, T(B), math::lanes::known_divisor<D, T(B)>());
  return true;
}

}  // namespace

TEST_CASE_TEMPLATE("all pairs of bytes", T, std::int8_t, std::uint8_t) {
  std::vector<T> a, b;
  for (int i = 0; i < 256; ++i)
    for (int j = 0; j < 256; ++j) a.push_back(T(i)), b.push_back(T(j));
  CHECK(divides(a, b));
  a.resize(0);
  for (int i = 0; i < 256; ++i) a.push_back(T(i));
  for (int divisor = 0; divisor < 256; ++divisor) CHECK(divides_by(a, T(divisor)));
}

TEST_CASE_TEMPLATE("all numbers of 16 bits, by those next to limits and by random ones", T, std::int16_t,
                   std::uint16_t) {
  std::mt19937 random(7);
  std::vector<T> divisors{0, 1, 2, 3, 5, 7, 10, T(-1), T(-2), T(-3)};
  for (T each : {std::numeric_limits<T>::max(), std::numeric_limits<T>::min()})
    for (int k = -2; k <= 2; ++k) divisors.push_back(T(each + k));
  for (int i = 0; i < 100; ++i) divisors.push_back(T(random()));
  for (T divisor : divisors) {
    std::vector<T> a, b(65536, divisor);
    for (int i = 0; i < 65536; ++i) a.push_back(T(i));
    CHECK(divides(a, b));
    CHECK(divides_by(a, divisor));
  }
}

// A multiplier is right for all numbers if it is right for multiples of the divisor and those just below them.
TEST_CASE_TEMPLATE("every divisor of 16 bits, by its multiples and their neighbours", T, std::int16_t, std::uint16_t) {
  bool agree = true;
  for (int divisor = 0; divisor < 65536; ++divisor) {
    std::vector<T> a;
    for (int near : {0, 1, 2, 3, 32767, 32768, 65535, int(std::uint16_t(divisor * 9u)), int(65535u / (divisor | 1))})
      for (int k = -1; k <= 1; ++k) a.push_back(T(near * (near < 9 ? divisor : 1) + k));
    while (a.size() % 32 != 0) a.push_back(T(divisor * int(a.size() * 7) - 1));
    agree = agree && divides_by(a, T(divisor));
  }
  CHECK(agree);
}

TEST_CASE_TEMPLATE("the same divisor of 32 and 64 bits for all lanes", T, std::int32_t, std::uint32_t, std::int64_t,
                   std::uint64_t) {
  using U = std::make_unsigned_t<T>;
  constexpr int bits = 8 * sizeof(T);
  std::mt19937_64 random(23);
  std::vector<U> divisors;
  for (int i = 0; i < bits; ++i)
    for (U k : {U(-1), U(0), U(1)}) divisors.push_back(U(U(1) << i) + k), divisors.push_back(U(0) - (U(1) << i) + k);
  for (U i = 0; i < 200; ++i) divisors.push_back(i), divisors.push_back(U(0) - i);
  for (int i = 0; i < 3000; ++i) divisors.push_back(U(random()) >> random() % bits);
  bool agree = true;
  for (U divisor : divisors) {
    std::vector<T> a;
    for (U x : {U(0), U(-1), U(1) << (bits - 1), U(-1) / 2, U(-1) / (divisor | 1) * divisor, U(random())})
      for (U k : {U(-1), U(0), U(1)}) a.push_back(T(x + k));
    while (a.size() < 64) {
      const U multiple = divisor * (U(random()) >> random() % bits);
      for (U k : {U(-1), U(0)}) a.push_back(T(multiple + k)), a.push_back(T(U(0) - multiple + k));
    }
    a.resize(64);
    agree = agree && divides_by(a, T(divisor));
  }
  CHECK(agree);
}

TEST_CASE_TEMPLATE("lanes of 64 bits that differ", T, std::int64_t, std::uint64_t) {
  std::vector<T> a, b;
  for (T x : {T(0), T(1), T(-1), T(-7), std::numeric_limits<T>::min(), std::numeric_limits<T>::max()})
    for (T y : {T(0), T(1), T(-1), T(3), std::numeric_limits<T>::min(), std::numeric_limits<T>::max()})
      for (int k = 0; k < 2; ++k) a.push_back(x), b.push_back(y);
  CHECK(divides(a, b));
}

TEST_CASE_TEMPLATE("multiples and their neighbours, limits and random numbers of 32 bits", T, std::int32_t,
                   std::uint32_t) {
  std::mt19937 generator(11);
  const auto random = [&] { return std::uint32_t(generator()); };
  std::vector<T> a, b;
  const auto push = [&](std::uint32_t x, std::uint32_t y) { a.push_back(T(x)), b.push_back(T(y)); };
  for (int i = 0; i < 200000; ++i) {
    const std::uint32_t divisor = random() >> random() % 32, quotient = random() >> random() % 32;
    for (std::uint32_t k : {~0u, 0u, 1u}) {
      push(divisor * quotient + k, divisor);
      push(0 - divisor * quotient + k, divisor);
      push(divisor * quotient + k, 0 - divisor);
    }
    push(random(), random());
    push(random(), 0);
  }
  for (std::uint32_t x : {0u, 1u, 0x7FFFFFFFu, 0x80000000u, 0x80000001u, 0xFFFFFFFFu, 0xFFFFFFFEu})
    for (std::uint32_t y : {0u, 1u, 2u, 3u, 0x7FFFFFFFu, 0x80000000u, 0x80000001u, 0xFFFFFFFFu, 0xFFFFFFFEu})
      for (int k = 0; k < 64; ++k) push(x, y);
  CHECK(divides(a, b));
}

TEST_CASE_TEMPLATE("divisors that are known while compiling", T, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                   std::int32_t, std::uint32_t, std::int64_t, std::uint64_t) {
  std::mt19937_64 random(5);
  std::vector<T> a{0, 1, T(-1), 2, T(-2), 7, T(-7), 64, T(-64), 100, T(-100)};
  for (T limit : {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()})
    for (int k = -2; k <= 2; ++k) a.push_back(T(limit + k));
  while (a.size() < 4096) a.push_back(T(random() >> random() % 64));
  CHECK(divides_by_known<0>(a));
  CHECK(divides_by_known<1>(a));
  CHECK(divides_by_known<-1>(a));
  CHECK(divides_by_known<2>(a));
  CHECK(divides_by_known<-2>(a));
  CHECK(divides_by_known<3>(a));
  CHECK(divides_by_known<-7>(a));
  CHECK(divides_by_known<10>(a));
  CHECK(divides_by_known<64>(a));
  CHECK(divides_by_known<-64>(a));
  CHECK(divides_by_known<100>(a));
  CHECK(divides_by_known<1000003>(a));
  CHECK(divides_by_known<std::numeric_limits<T>::min()>(a));
  CHECK(divides_by_known<std::numeric_limits<T>::max()>(a));
}
