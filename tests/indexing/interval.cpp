// SPDX-License-Identifier: Apache-2.0
#include <tenon/indexing/interval.hpp>

#include <doctest/doctest.h>

#include <tenon/indexing/map.hpp>

using namespace tenon::indexing;

namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

static_assert(saturating_add(most, 1) == most && saturating_add(least, -1) == least && saturating_add(2, -5) == -3);
static_assert(saturating_multiply(most, 2) == most && saturating_multiply(least, 2) == least);
static_assert(saturating_multiply(least, -1) == most && saturating_multiply(-3, 4) == -12);
static_assert(saturating_negate(least) == most && saturating_negate(5) == -5);
static_assert(floor_divide(7, 2) == 3 && floor_divide(-7, 2) == -4 && floor_divide(7, -2) == -4);
static_assert(floor_divide(least, -1) == most && floor_divide(5, 0) == 0);
static_assert(modulo(-7, 3) == 2 && modulo(7, -3) == -2 && modulo(5, 0) == 5 && modulo(least, -1) == 0);
static_assert(greatest_common_divisor(12, -18) == 6 && greatest_common_divisor(0, 7) == 7);
static_assert(interval{3, 2}.is_empty() && interval{3, 3}.is_point() && all_integers.count() == most);
static_assert(interval{0, 9}.contains({2, 9}) && !interval{0, 9}.contains({2, 10}) && interval{0, 9}.contains({5, 1}));
static_assert(interval{0, 9} * -2 == interval{-18, 0} && -interval{least, 4} == interval{-4, most});
static_assert(floor_divide(interval{-5, 7}, point(4)) == interval{-2, 1});
static_assert(modulo(interval{13, 15}, point(4)) == interval{1, 3} &&
              modulo(interval{3, 4}, point(4)) == interval{0, 3});

}  // namespace

TEST_CASE("floor division and remainder make up the number") {
  for (std::int64_t a = -20; a <= 20; ++a)
    for (std::int64_t b = -6; b <= 6; ++b) {
      CHECK(a == floor_divide(a, b) * b + modulo(a, b));
      if (b > 0) CHECK(interval{0, b - 1}.contains(modulo(a, b)));
    }
}

TEST_CASE("intervals contain the result of every operation on what they contain") {
  constexpr operation operations[] = {operation::add, operation::multiply, operation::floordiv,
                                      operation::mod, operation::minimum,  operation::maximum};
  bool contained = true;
  for (std::int64_t a = -7; a <= 7; ++a)
    for (std::int64_t b = a; b <= 7; ++b)
      for (std::int64_t c = -5; c <= 5; ++c)
        for (std::int64_t d = c; d <= 5; ++d)
          for (const operation op : operations) {
            const interval range = apply(op, interval{a, b}, interval{c, d});
            for (std::int64_t x = a; x <= b; ++x)
              for (std::int64_t y = c; y <= d; ++y) contained = contained && range.contains(apply(op, x, y));
          }
  CHECK(contained);
}

TEST_CASE("intersection, hull and negation of intervals hold pointwise") {
  bool right = true;
  for (std::int64_t a = -4; a <= 4; ++a)
    for (std::int64_t b = -4; b <= 4; ++b)
      for (std::int64_t c = -4; c <= 4; ++c)
        for (std::int64_t d = -4; d <= 4; ++d)
          for (std::int64_t x = -5; x <= 5; ++x) {
            const interval p{a, b};
            const interval q{c, d};
            right = right && intersection(p, q).contains(x) == (p.contains(x) && q.contains(x));
            right = right && (!(p.contains(x) || q.contains(x)) || hull(p, q).contains(x));
            right = right && (-p).contains(-x) == p.contains(x);
          }
  CHECK(right);
}

TEST_CASE("arithmetic on bounds at the ends of 64 bits is defined") {
  constexpr std::int64_t ends[] = {least, least + 1, -1, 0, 1, most - 1, most};
  constexpr operation operations[] = {operation::add, operation::multiply, operation::floordiv,
                                      operation::mod, operation::minimum,  operation::maximum};
  bool contained = true;
  for (const std::int64_t a : ends)
    for (const std::int64_t b : ends)
      for (const std::int64_t c : ends)
        for (const std::int64_t d : ends)
          for (const operation op : operations) {
            if (a > b || c > d) continue;
            const interval range = apply(op, interval{a, b}, interval{c, d});
            contained = contained && range.contains(apply(op, a, c)) && range.contains(apply(op, b, d)) &&
                        range.contains(apply(op, a, d)) && range.contains(apply(op, b, c));
          }
  CHECK(contained);
}
