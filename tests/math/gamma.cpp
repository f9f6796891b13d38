// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/gamma.hpp>

#include <doctest/doctest.h>

#include <cmath>

#include "math/samples.hpp"

namespace {

namespace ieee = tenon::ieee;
namespace math = tenon::math;

constexpr double infinity = ieee::infinity<double>, nan = ieee::nan<double>;

static_assert(math::lgamma(1.0) == 0 && math::lgamma(2.0f) == 0 && math::lgamma(3.0) == 0x1.62e42fefa39efp-1);
static_assert(math::lgamma(0.0) == infinity && math::lgamma(-1.0) == infinity && math::lgamma(-infinity) == infinity);
static_assert(math::digamma(1.0) == -0x1.2788cfc6fb619p-1 && math::digamma(infinity) == infinity);
static_assert(math::digamma(0.0) == -infinity && math::digamma(-0.0) == infinity);
static_assert(math::digamma(0.0f) == -ieee::infinity<float> && math::digamma(-0.0f) == ieee::infinity<float>);
static_assert(ieee::is_nan(math::digamma(-5.0)) && ieee::is_nan(math::digamma(nan)) &&
              ieee::is_nan(math::digamma(-infinity)));
static_assert(math::zeta(2.0, 1.0) == 0x1.a51a6625307d3p+0 && math::zeta(1.0, 5.0) == infinity);
static_assert(ieee::is_nan(math::zeta(0.5, 1.0)) && math::zeta(4.0, -3.0) == infinity &&
              math::zeta(3.0, infinity) == 0);
static_assert(math::zeta(0.0, -1.0) == infinity && ieee::is_nan(math::zeta(-0.5, -1.0)));
static_assert(math::polygamma(0.0, 1.0) == math::digamma(1.0) && ieee::is_nan(math::polygamma(1.5, 1.0)));

// Below 0 the C library is the less exact one next to zeros, so only positive numbers count.
TEST_CASE_TEMPLATE("lgamma", T, float, double) {
  if constexpr (tenon::test::has_wider<T>) {
    std::uint64_t largest = 0;
    T worst = 0;
    for (const T x : tenon::test::samples<T>()) {
      if (!(x > 0)) continue;
      const std::uint64_t d = tenon::test::distance(math::lgamma(x), T(std::lgamma(tenon::test::wider_t<T>(x))));
      if (d > largest) largest = d, worst = x;
    }
    CAPTURE(worst);
    CHECK(largest <= 1);
  }
}

TEST_CASE("lgamma below 0") {
  for (double x = -0.25; x > -30; x -= 0.75) {
    if (x == std::floor(x)) continue;
    CHECK(math::lgamma(x) == doctest::Approx(std::lgamma(x)).epsilon(1e-13));
    CHECK(math::lgamma(float(x)) == doctest::Approx(std::lgamma(x)).epsilon(1e-6));
  }
}

// A number next to a zero, and what the function is there, to 53 bits.
struct next_to_zero {
  double x, value;
};
constexpr next_to_zero zeros_of_lgamma[] = {
    {-0x1.3a7fc9600f86cp+1, 0x1.0323b6d1fe86dp-54},  {-0x1.9260dbc9e59afp+1, 0x1.e9605e3ae7a62p-50},
    {-0x1.5fb410a1bd901p+1, 0x1.8fb8530ba7689p-53},  {-0x1.0284e78599581p+2, -0x1.982d05a2f456bp-48},
    {-0x1.fa471547c2fe5p+1, -0x1.ddc0336980b58p-52}, {-0x1.4086a57f0b6d9p+2, 0x1.867827fdc0e93p-48},
    {-0x1.3f7577a6eeafdp+2, 0x1.3e8f4cd45ea7bp-46},  {-0x1.8016b25897c8dp+2, -0x1.a23d2367ff1e9p-45},
    {-0x1.7fe92f591f40dp+2, -0x1.0b134f9ffc148p-42}, {-0x1.c0033fdedfe1fp+2, -0x1.638f6c2b4fb95p-40},
    {-0x1.bffcbf76b86f0p+2, 0x1.de8db1b9953d0p-45},  {-0x1.000034028b3f9p+3, 0x1.34e935f3e5a5dp-36},
    {-0x1.ffff97f8159cfp+2, -0x1.2a8c24e015bf0p-39}, {-0x1.200005c7768fbp+3, 0x1.2ef5ea4b4dd94p-35},
    {-0x1.1ffffa3884bd0p+3, -0x1.6211e6b51db52p-34}, {-0x1.40000093f2777p+3, 0x1.5c377c9a79b5ap-30},
    {-0x1.3fffff6c0d7c0p+3, 0x1.e71234a0c85f6p-30},  {-0x1.6000000d7322ap+3, 0x1.d5cec19a5810cp-26},
    {-0x1.5ffffff28cdd4p+3, 0x1.102aa0e23a287p-27},  {-0x1.800000011eed9p+3, -0x1.f6e87484c2c6dp-25},
    {-0x1.3a7fc964f985ep+1, -0x1.dca7ee2e7ac31p-29}, {-0x1.9260dbd02f1e6p+1, -0x1.87685fd62abfap-26},
    {-0x1.5fb410a73c605p+1, 0x1.50a447d77f8a8p-28},  {-0x1.0284e789a36bbp+2, -0x1.b0dda52a5b1fdp-24},
    {-0x1.fa47154fac1aap+1, 0x1.47e5157c7bebdp-24},  {-0x1.4086a5840d882p+2, -0x1.34e989955fe13p-21}};
constexpr next_to_zero zeros_of_digamma[] = {
    {-0x1.02172b05ee260p-1, 0x1.502e5780c52dap-54},   {-0x1.02172b09f682bp-1, -0x1.2068de9eb0fe2p-28},
    {-0x1.92d0cbc289d4ap+0, 0x1.68dc0bb58132fp-53},   {-0x1.92d0cbc8d517dp+0, -0x1.f493197bfaf13p-27},
    {-0x1.4e2c19f679e5ap+1, -0x1.34fdacb52af39p-50},  {-0x1.4e2c19fbb2960p+1, -0x1.c526bc76f3cbap-26},
    {-0x1.d1514b041b2a8p+1, -0x1.6e558890267e6p-51},  {-0x1.d1514b0b606fbp+1, -0x1.52d6309181d73p-25},
    {-0x1.29cea5c1ccbd0p+2, 0x1.c6723103dc2cbp-49},   {-0x1.29cea5c673f79p+2, -0x1.cc788ac95deabp-25},
    {-0x1.6ab2ca18e6ce3p+2, 0x1.822988de86981p-55},   {-0x1.6ab2ca1e91996p+2, -0x1.272d7f8758db7p-24},
    {-0x1.ab6b34398a4ffp+2, -0x1.549a9ca2f20b1p-48},  {-0x1.ab6b344037fccp+2, -0x1.6bcf40642f741p-24},
    {-0x1.0623926bff0b3p+5, 0x1.03f598972034cp-45},   {-0x1.0623927017998p+5, -0x1.6a70148f58a06p-21},
    {-0x1.01a282de46b34p+7, -0x1.7c1cdf04eef92p-43},  {-0x1.01a282e24d3d5p+7, -0x1.0dbd85d5ac84cp-18},
    {-0x1.003755189530fp+10, 0x1.ff91b4a50f870p-40},  {-0x1.0037551c960e4p+10, -0x1.cfda7d8aa47f6p-15},
    {-0x1.00000edd71931p+20, 0x1.ff7f590640167p-27},  {-0x1.00000ee171935p+20, -0x1.99a630d2a93abp-3},
    {-0x1.000000007a706p+33, -0x1.5c7fd1e5d29fdp-12}, {-0x1.000000007a705p+33, 0x1.66d3429f7a2a9p-11},
    {-0x1.000000000007cp+45, -0x1.69379b791fadep-1},  {-0x1.000000000007bp+45, 0x1.6e18c92cab85fp+2}};

// One of them in constant evaluation, whose steps compilers limit.
static_assert(math::lgamma(zeros_of_lgamma[0].x) == zeros_of_lgamma[0].value);

TEST_CASE("lgamma and digamma keep their digits next to their zeros") {
  for (const auto& [x, value] : zeros_of_lgamma) CHECK(tenon::test::distance(math::lgamma(x), value) <= 1);
  for (const auto& [x, value] : zeros_of_digamma) CHECK(tenon::test::distance(math::digamma(x), value) <= 1);
}

TEST_CASE("every input has a result") {
  for (const double x : tenon::test::samples<double>()) {
    CHECK(ieee::is_nan(math::lgamma(x)) == ieee::is_nan(x));
    if (x > 0) CHECK_FALSE(ieee::is_nan(math::digamma(x)));
    if (x > 1) CHECK_FALSE(ieee::is_nan(math::zeta(x, 0.75)));
    CHECK(ieee::is_nan(math::zeta(2.0, x)) == ieee::is_nan(x));
    math::polygamma(x, 2.5), math::polygamma(3.0, x);
  }
}

// digamma(x + 1) = digamma(x) + 1 / x, and likewise for its derivatives and zeta.
TEST_CASE("recurrences") {
  for (double x = 0.0625; x < 40; x *= 1.3) {
    CHECK(math::digamma(x + 1) == doctest::Approx(math::digamma(x) + 1 / x).epsilon(1e-13));
    CHECK(math::digamma(-x) == doctest::Approx(math::digamma(1 - x) + 1 / x).epsilon(1e-12));
    CHECK(math::polygamma(1.0, x) == doctest::Approx(math::polygamma(1.0, x + 1) + 1 / (x * x)).epsilon(1e-13));
    for (const double s : {1.5, 3.0, 20.0})
      CHECK(math::zeta(s, x) == doctest::Approx(math::zeta(s, x + 1) + std::pow(x, -s)).epsilon(1e-13));
  }
}

}  // namespace
