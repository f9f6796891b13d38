// SPDX-License-Identifier: Apache-2.0

// How far the functions of tenon/math are from the correctly rounded results; prints docs/accuracy.md.
//
//   accuracy [stride [samples [function]]] [section]
//
// f32: every stride-th of the 2^32 inputs (1, the default, means all of them), against the C library in double
// precision. f64, and functions of two arguments: random samples and hard cases, against MPFR. Each result of the lanes
// is also compared, bit for bit, with the one of the scalar function. "section" leaves out the title, to append the
// results of another build.

#include <tenon/math/math.hpp>

#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

namespace {

namespace hn = tenon::core::hn;
namespace ieee = tenon::ieee;
namespace math = tenon::math;

struct report {
  std::uint64_t tested = 0, wrong_class = 0, not_nearest = 0, scalar_differs = 0, distance = 0;
  double error = 0;
  double worst[2] = {};
};

// Position of a float in ascending order, both zeros at the same place.
template <class T>
std::int64_t rank(T x) {
  const auto bits = std::int64_t(ieee::to_bits(ieee::magnitude(x)));
  return ieee::is_negative(x) ? -bits : bits;
}

template <class T>
void compare(report& result, T computed, T nearest, double error, T x, T y) {
  ++result.tested;
  if (std::isnan(nearest) || std::isnan(computed)) {
    if (std::isnan(nearest) != std::isnan(computed)) {
      if (result.wrong_class++ == 0) std::fprintf(stderr, "NaN: f(%a, %a) = %a, not %a\n", x, y, computed, nearest);
    }
    return;
  }
  if (std::signbit(nearest) != std::signbit(computed)) {
    if (result.wrong_class++ == 0) std::fprintf(stderr, "sign: f(%a, %a) = %a, not %a\n", x, y, computed, nearest);
    return;
  }
  const std::uint64_t distance = std::uint64_t(std::llabs(rank(computed) - rank(nearest)));
  result.not_nearest += distance != 0;
  result.distance = std::max(result.distance, distance);
  if (error > result.error) result.error = error, result.worst[0] = x, result.worst[1] = y;
}

template <class T>
double unit_in_last_place(double exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::ldexp(1.0, std::max(exponent, 2 - ieee::layout<T>::bias) - ieee::layout<T>::precision);
}

bool same_bits(auto a, auto b) { return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); }

#if defined(__clang__)
constexpr const char* compiler = "clang " __clang_version__;
#else
constexpr const char* compiler = "GCC " __VERSION__;
#endif

constexpr std::size_t block = 1024;

template <class T>
void run_lanes(auto lanes, const T* x, const T* y, T* z) {
  const hn::ScalableTag<T> d;
  for (std::size_t i = 0; i < block; i += hn::Lanes(d)) {
    if constexpr (requires { lanes(d, hn::LoadU(d, x)); })
      hn::StoreU(lanes(d, hn::LoadU(d, x + i)), d, z + i);
    else
      hn::StoreU(lanes(d, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, z + i);
  }
}

void print(const char* type, const char* name, const report& r, bool binary) {
  std::printf("| %s | %s | %llu | ", type, name, static_cast<unsigned long long>(r.tested));
  if (r.not_nearest == 0) {
    std::printf("at most 0.5 | 0 | 0 | ");
  } else {
    std::printf("%.4f | %llu | %.3g %% | ", r.error, static_cast<unsigned long long>(r.distance),
                100.0 * double(r.not_nearest) / double(r.tested));
    if (binary)
      std::printf("%a, %a", r.worst[0], r.worst[1]);
    else
      std::printf("%a", r.worst[0]);
  }
  std::printf(" |%s%s\n", r.wrong_class != 0 ? " **wrong NaN or sign**" : "",
              r.scalar_differs != 0 ? " **scalar and lanes differ**" : "");
  std::fflush(stdout);
}

void all_f32(const char* name, auto lanes, auto scalar, double (*oracle)(double), std::uint64_t stride) {
  report result;
  std::vector<float> x(block), z(block);
  for (std::uint64_t start = 0; start < (std::uint64_t(1) << 32); start += block * stride) {
    for (std::size_t i = 0; i < block; ++i) x[i] = ieee::from_bits<float>(std::uint32_t(start + i * stride));
    run_lanes(lanes, x.data(), x.data(), z.data());
    for (std::size_t i = 0; i < block; ++i) {
      if (!same_bits(scalar(x[i]), z[i])) ++result.scalar_differs;
      const double exact = oracle(double(x[i]));
      const float nearest = float(exact);
      const bool measurable = z[i] != nearest && std::isfinite(exact) && std::isfinite(z[i]);
      const double error = measurable ? std::fabs(double(z[i]) - exact) / unit_in_last_place<float>(exact) : 0;
      compare(result, z[i], nearest, error, x[i], 0.0f);
    }
  }
  print("f32", name, result, false);
}

// Uniform in the exponent, or near one, or any bits at all.
template <class T>
T sample(std::mt19937_64& random) {
  switch (random() % 4) {
    case 0:
      return ieee::from_bits<T>(ieee::bits_of<T>(random()));
    case 1:
      return T(std::ldexp(double(random()), int(random() % 24) - 76)) * (random() % 2 ? T(1) : T(-1));
    case 2:
      return T(1) + T(std::ldexp(double(random()), -int(random() % 40) - 64)) * (random() % 2 ? T(1) : T(-1));
    default:
      return T(std::ldexp(double(random() >> 11), -52) * 1000 - 1000);
  }
}

// x, or where the function changes its sign between x and a number near it, one next to that.
template <class T>
T next_to_zero(auto scalar, T x, std::mt19937_64& random) {
  T y = x + T(std::ldexp(double(random() >> 11), -53));
  if (std::signbit(scalar(x)) == std::signbit(scalar(y))) return x;
  for (T middle = x + (y - x) / 2; middle != x && middle != y; middle = x + (y - x) / 2)
    (std::signbit(scalar(middle)) == std::signbit(scalar(x)) ? x : y) = middle;
  return x;
}

template <class T>
constexpr T special[] = {0, -T(0), 1, -1, 2, -2, 3, -3, T(0.5), T(-0.5), std::numeric_limits<T>::infinity(),
                         -std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN(),
                         std::numeric_limits<T>::max(), -std::numeric_limits<T>::max(), std::numeric_limits<T>::min(),
                         -std::numeric_limits<T>::min(), std::numeric_limits<T>::denorm_min(),
                         -std::numeric_limits<T>::denorm_min(),
                         // The doubles closest to a multiple of pi / 2, of pi / 4
                         T(0x1.6ac5b262ca1ffp+849), T(0x1.921fb54442d18p+0), T(0x1.f9cbe7ff11f16p+799)};

// Rounds to T once, also below the normal numbers, and gives the error of `computed`.
template <class T>
T nearest(mpfr_t exact, T computed, double& error) {
  mpfr_t difference;
  mpfr_init2(difference, 200);
  const T result = sizeof(T) == 4 ? T(mpfr_get_flt(exact, MPFR_RNDN)) : T(mpfr_get_d(exact, MPFR_RNDN));
  error = 0;
  if (computed != result && std::isfinite(computed) && std::isfinite(result)) {
    mpfr_sub_d(difference, exact, double(computed), MPFR_RNDN);
    const int unit = std::ilogb(unit_in_last_place<T>(double(result)));
    mpfr_mul_2si(difference, difference, -unit, MPFR_RNDN);
    error = std::fabs(mpfr_get_d(difference, MPFR_RNDN));
  }
  mpfr_clear(difference);
  return result;
}

template <class T>
void sampled(const char* type, const char* name, auto lanes, auto scalar, auto oracle, std::uint64_t samples) {
  constexpr bool binary = requires(T v) { scalar(v, v); };
  report result;
  std::mt19937_64 random(1);
  std::vector<T> x(block), y(block), z(block);
  mpfr_t a, b, exact;
  mpfr_inits2(sizeof(T) * 8, a, b, nullptr);
  mpfr_init2(exact, 200);
  for (std::uint64_t start = 0; start < samples; start += block) {
    for (std::size_t i = 0; i < block; ++i) {
      x[i] = sample<T>(random);
      y[i] = sample<T>(random);
      if (binary && random() % 8 == 0) x[i] = special<T>[random() % std::size(special<T>)];
      if (binary && random() % 8 == 0) y[i] = special<T>[random() % std::size(special<T>)];
      if (!binary && start == 0 && i < std::size(special<T>)) x[i] = special<T>[i];
      if constexpr (!binary)
        if (random() % 8 == 0) x[i] = next_to_zero(scalar, x[i], random);
    }
    run_lanes(lanes, x.data(), y.data(), z.data());
    for (std::size_t i = 0; i < block; ++i) {
      mpfr_set_d(a, double(x[i]), MPFR_RNDN);
      mpfr_set_d(b, double(y[i]), MPFR_RNDN);
      if constexpr (binary) {
        if (!same_bits(scalar(x[i], y[i]), z[i])) ++result.scalar_differs;
        oracle(exact, a, b, MPFR_RNDN);
      } else {
        if (!same_bits(scalar(x[i]), z[i])) ++result.scalar_differs;
        oracle(exact, a, MPFR_RNDN);
      }
      double error = 0;
      const T expected = nearest<T>(exact, z[i], error);
      compare(result, z[i], expected, error, x[i], y[i]);
    }
  }
  mpfr_clears(a, b, exact, nullptr);
  print(type, name, result, binary);
}

int logistic_mpfr(mpfr_t result, mpfr_t x, mpfr_rnd_t rounding) {
  mpfr_neg(result, x, rounding);
  mpfr_exp(result, result, rounding);
  mpfr_add_ui(result, result, 1, rounding);
  return mpfr_ui_div(result, 1, result, rounding);
}

int sign_mpfr(mpfr_t result, mpfr_t x, mpfr_rnd_t rounding) {
  mpfr_set(result, x, rounding);
  if (!mpfr_nan_p(x) && !mpfr_zero_p(x)) mpfr_set_si(result, mpfr_sgn(x), rounding);
  return 0;
}

int rsqrt_mpfr(mpfr_t result, mpfr_t x, mpfr_rnd_t rounding) {
  const int inexact = mpfr_rec_sqrt(result, x, rounding);
  if (mpfr_zero_p(x)) mpfr_setsign(result, result, mpfr_signbit(x), rounding);
  return inexact;
}

// Where erf is x, by Newton's method on 1 - erf.
int erf_inv_mpfr(mpfr_t result, mpfr_t x, mpfr_rnd_t rounding) {
  const double start = math::erf_inv(std::fabs(mpfr_get_d(x, rounding)));
  const bool negative = mpfr_signbit(x);
  mpfr_set_d(result, start, rounding);
  if (!std::isfinite(start)) return mpfr_setsign(result, result, negative, rounding);
  mpfr_t rest, slope, size;
  mpfr_inits2(260, rest, slope, size, nullptr);
  mpfr_abs(size, x, rounding);
  for (int step = 0; step < 3; ++step) {
    // (1 - size - erfc(y)) sqrt(pi) / 2 e^(y^2), erf near zero
    if (start < 0.5) {
      mpfr_erf(rest, result, rounding);
      mpfr_sub(rest, rest, size, rounding);
    } else {
      mpfr_erfc(rest, result, rounding);
      mpfr_ui_sub(slope, 1, size, rounding);
      mpfr_sub(rest, slope, rest, rounding);
    }
    mpfr_sqr(slope, result, rounding);
    mpfr_exp(slope, slope, rounding);
    mpfr_mul(rest, rest, slope, rounding);
    mpfr_const_pi(slope, rounding);
    mpfr_sqrt(slope, slope, rounding);
    mpfr_mul(rest, rest, slope, rounding);
    mpfr_div_2ui(rest, rest, 1, rounding);
    mpfr_sub(result, result, rest, rounding);
  }
  mpfr_clears(rest, slope, size, nullptr);
  return mpfr_setsign(result, result, negative, rounding);
}
double erf_inv_double(double x) {
  const double size = std::fabs(x), start = math::erf_inv(size);
  if (!std::isfinite(start) || size < 1e-20) return math::erf_inv(x);
  const double rest = size < 0.5 ? std::erf(start) - size : 1 - size - std::erfc(start);
  return std::copysign(start - rest * 0.88622692545275801 * std::exp(start * start), x);
}

int lgamma_mpfr(mpfr_t result, mpfr_t x, mpfr_rnd_t rounding) {
  int sign = 0;
  return mpfr_lgamma(result, &sign, x, rounding);
}
// MPFR has signed infinities at the poles.
int digamma_mpfr(mpfr_t result, mpfr_t x, mpfr_rnd_t rounding) {
  if (mpfr_zero_p(x)) return mpfr_ui_div(result, 1, x, rounding), mpfr_neg(result, result, rounding);
  return mpfr_digamma(result, x, rounding);
}
double digamma_double(double x) {
  if (x == 0) return -1 / x;
  if (std::isnan(x) || (x < 0 && x == std::floor(x))) return ieee::nan<double>;
  if (std::isinf(x)) return x;
  long double y = x, result = 0;
  if (x < 0) {
    const long double pi = 3.14159265358979323846264338327950288L;
    result = -pi / std::tan(pi * (y - std::nearbyint(y)));
    y = 1 - y;
  }
  for (; y < 12; y += 1) result -= 1 / y;
  const long double w = 1 / (y * y);
  const long double series =
      w * (1 / 12.0L -
           w * (1 / 120.0L - w * (1 / 252.0L - w * (1 / 240.0L - w * (1 / 132.0L - w * (691 / 32760.0L - w / 12))))));
  return double(result + std::log(y) - 1 / (2 * y) - series);
}

// The series of I1, and beyond 50 the one in 1 / x.
int bessel_i1e_mpfr(mpfr_t result, mpfr_t x, mpfr_rnd_t rounding) {
  if (mpfr_nan_p(x) || mpfr_zero_p(x)) return mpfr_set(result, x, rounding);
  mpfr_t size, square, term, sum;
  mpfr_inits2(260, size, square, term, sum, nullptr);
  mpfr_abs(size, x, rounding);
  mpfr_set_ui(term, 1, rounding);
  mpfr_set_ui(sum, 1, rounding);
  if (mpfr_cmp_ui(size, 50) < 0) {
    mpfr_sqr(square, size, rounding);
    mpfr_div_2ui(square, square, 2, rounding);
    for (unsigned long k = 1; k < 160; ++k) {
      mpfr_mul(term, term, square, rounding);
      mpfr_div_ui(term, term, k * (k + 1), rounding);
      mpfr_add(sum, sum, term, rounding);
    }
    mpfr_mul(sum, sum, size, rounding);
    mpfr_div_2ui(sum, sum, 1, rounding);
    mpfr_neg(size, size, rounding);
    mpfr_exp(size, size, rounding);
    mpfr_mul(result, sum, size, rounding);
  } else {
    for (long k = 1; k < 40; ++k) {
      mpfr_mul_si(term, term, (2 * k - 1) * (2 * k - 1) - 4, rounding);
      mpfr_div_ui(term, term, (unsigned long)(8 * k), rounding);
      mpfr_div(term, term, size, rounding);
      mpfr_add(sum, sum, term, rounding);
    }
    mpfr_const_pi(square, rounding);
    mpfr_mul(square, square, size, rounding);
    mpfr_mul_2ui(square, square, 1, rounding);
    mpfr_rec_sqrt(square, square, rounding);
    mpfr_mul(result, sum, square, rounding);
  }
  mpfr_clears(size, square, term, sum, nullptr);
  return mpfr_setsign(result, result, mpfr_signbit(x), rounding);
}
double bessel_i1e_double(double x) {
  const long double size = std::fabs(x);
  if (std::isnan(x) || size == 0) return x;
  long double term = 1, sum = 1;
  if (size < 30) {
    for (int k = 1; k < 100 && term > sum * 1e-20L; ++k) sum += term *= size * size / (4 * k * (k + 1));
    sum *= size / 2 * std::exp(-size);
  } else {
    for (int k = 1; k < 20; ++k) sum += term *= ((2 * k - 1) * (2 * k - 1) - 4) / (8 * k * size);
    sum /= std::sqrt(2 * 3.14159265358979323846264338327950288L * size);
  }
  return std::copysign(double(sum), x);
}

void print_heading(int count, char** arguments, bool section) {
  char date[32] = "";
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  if (!section) {
    std::printf(
        "# Accuracy\n\n"
        "How far the results of `tenon/math` are from the exact ones, in units in the last place (ULP) of the result:\n"
        "0.5 is the best that rounding allows. f32 functions of one argument are tested on every input, or every n-th\n"
        "where the heading gives n first, the others on random samples and hard cases. Scalar functions, constant\n"
        "evaluation and vectors give the same bits on the same target; targets with a fused multiply-add differ from\n"
        "those without in the last place. Written by `bench/accuracy.sh` from the output of `bench/accuracy.cpp`, a\n"
        "section for each target.\n\n");
  }
  std::printf("## %s, %s fused multiply-add\n\n%s, on %s: `accuracy", hwy::TargetName(HWY_TARGET),
              math::lanes::is_fused<float> ? "with" : "without", compiler, date);
  for (int i = 1; i < count; ++i) std::printf(" %s", arguments[i]);
  std::printf("`\n\n");
}

}  // namespace

int main(int count, char** arguments) {
  const bool section = count > 1 && std::string_view(arguments[count - 1]) == "section";
  if (section) --count;
  print_heading(count, arguments, section);
  const std::uint64_t stride = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1;
  const std::uint64_t samples = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 4'000'000;
  const std::string_view only = count > 3 ? arguments[3] : "";

  std::printf(
      "| type | function | inputs | largest error in ULP | ULP from the nearest | not nearest | worst input |\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- |\n");
  const auto unary = [&](const char* name, auto lanes, auto scalar, double (*oracle)(double), auto exact) {
    if (!only.empty() && only != name) return;
    if (stride != 0) all_f32(name, lanes, scalar, oracle, stride);
    if constexpr (tenon::core::has_lanes<double>)
      if (samples != 0) sampled<double>("f64", name, lanes, scalar, exact, samples);
  };
  const auto binary = [&](const char* name, auto lanes, auto scalar, auto exact) {
    if (!only.empty() && only != name) return;
    sampled<float>("f32", name, lanes, scalar, exact, samples);
    if constexpr (tenon::core::has_lanes<double>) sampled<double>("f64", name, lanes, scalar, exact, samples);
  };
  unary(
      "exponential", [](auto d, auto x) { return math::lanes::exponential(d, x); },
      [](auto x) { return math::exponential(x); }, [](double x) { return std::exp(x); }, mpfr_exp);
  unary(
      "exponential_minus_one", [](auto d, auto x) { return math::lanes::exponential_minus_one(d, x); },
      [](auto x) { return math::exponential_minus_one(x); }, [](double x) { return std::expm1(x); }, mpfr_expm1);
  unary(
      "logistic", [](auto d, auto x) { return math::lanes::logistic(d, x); }, [](auto x) { return math::logistic(x); },
      [](double x) { return 1 / (1 + std::exp(-x)); }, logistic_mpfr);
  unary(
      "tanh", [](auto d, auto x) { return math::lanes::tanh(d, x); }, [](auto x) { return math::tanh(x); },
      [](double x) { return std::tanh(x); }, mpfr_tanh);
  unary(
      "erf", [](auto d, auto x) { return math::lanes::erf(d, x); }, [](auto x) { return math::erf(x); },
      [](double x) { return std::erf(x); }, mpfr_erf);
  unary(
      "log", [](auto d, auto x) { return math::lanes::log(d, x); }, [](auto x) { return math::log(x); },
      [](double x) { return std::log(x); }, mpfr_log);
  unary(
      "log_plus_one", [](auto d, auto x) { return math::lanes::log_plus_one(d, x); },
      [](auto x) { return math::log_plus_one(x); }, [](double x) { return std::log1p(x); }, mpfr_log1p);
  unary(
      "rsqrt", [](auto d, auto x) { return math::lanes::rsqrt(d, x); }, [](auto x) { return math::rsqrt(x); },
      [](double x) { return 1 / std::sqrt(x); }, rsqrt_mpfr);
  unary(
      "cbrt", [](auto d, auto x) { return math::lanes::cbrt(d, x); }, [](auto x) { return math::cbrt(x); },
      [](double x) { return std::cbrt(x); }, mpfr_cbrt);
  unary(
      "sign", [](auto d, auto x) { return math::lanes::sign(d, x); }, [](auto x) { return math::sign(x); },
      [](double x) { return x != x || x == 0 ? x : std::copysign(1.0, x); }, sign_mpfr);
  unary(
      "floor", [](auto d, auto x) { return math::lanes::floor(d, x); }, [](auto x) { return math::floor(x); },
      [](double x) { return std::floor(x); }, mpfr_rint_floor);
  unary(
      "ceil", [](auto d, auto x) { return math::lanes::ceil(d, x); }, [](auto x) { return math::ceil(x); },
      [](double x) { return std::ceil(x); }, mpfr_rint_ceil);
  unary(
      "round_nearest_even", [](auto d, auto x) { return math::lanes::round_nearest_even(d, x); },
      [](auto x) { return math::round_nearest_even(x); }, [](double x) { return std::nearbyint(x); },
      mpfr_rint_roundeven);
  unary(
      "round_nearest_afz", [](auto d, auto x) { return math::lanes::round_nearest_afz(d, x); },
      [](auto x) { return math::round_nearest_afz(x); }, [](double x) { return std::round(x); }, mpfr_rint_round);
  binary(
      "remainder", [](auto d, auto x, auto y) { return math::lanes::remainder(d, x, y); },
      [](auto x, auto y) { return math::remainder(x, y); }, mpfr_fmod);
  unary(
      "sine", [](auto d, auto x) { return math::lanes::sine(d, x); }, [](auto x) { return math::sine(x); },
      [](double x) { return std::sin(x); }, mpfr_sin);
  unary(
      "cosine", [](auto d, auto x) { return math::lanes::cosine(d, x); }, [](auto x) { return math::cosine(x); },
      [](double x) { return std::cos(x); }, mpfr_cos);
  unary(
      "tan", [](auto d, auto x) { return math::lanes::tan(d, x); }, [](auto x) { return math::tan(x); },
      [](double x) { return std::tan(x); }, mpfr_tan);
  unary(
      "erfc", [](auto d, auto x) { return math::lanes::erfc(d, x); }, [](auto x) { return math::erfc(x); },
      [](double x) { return std::erfc(x); }, mpfr_erfc);
  unary(
      "erf_inv", [](auto d, auto x) { return math::lanes::erf_inv(d, x); }, [](auto x) { return math::erf_inv(x); },
      erf_inv_double, erf_inv_mpfr);
  unary(
      "sinh", [](auto d, auto x) { return math::lanes::sinh(d, x); }, [](auto x) { return math::sinh(x); },
      [](double x) { return std::sinh(x); }, mpfr_sinh);
  unary(
      "cosh", [](auto d, auto x) { return math::lanes::cosh(d, x); }, [](auto x) { return math::cosh(x); },
      [](double x) { return std::cosh(x); }, mpfr_cosh);
  unary(
      "asin", [](auto d, auto x) { return math::lanes::asin(d, x); }, [](auto x) { return math::asin(x); },
      [](double x) { return std::asin(x); }, mpfr_asin);
  unary(
      "acos", [](auto d, auto x) { return math::lanes::acos(d, x); }, [](auto x) { return math::acos(x); },
      [](double x) { return std::acos(x); }, mpfr_acos);
  unary(
      "atan", [](auto d, auto x) { return math::lanes::atan(d, x); }, [](auto x) { return math::atan(x); },
      [](double x) { return std::atan(x); }, mpfr_atan);
  unary(
      "asinh", [](auto d, auto x) { return math::lanes::asinh(d, x); }, [](auto x) { return math::asinh(x); },
      [](double x) { return std::asinh(x); }, mpfr_asinh);
  unary(
      "acosh", [](auto d, auto x) { return math::lanes::acosh(d, x); }, [](auto x) { return math::acosh(x); },
      [](double x) { return std::acosh(x); }, mpfr_acosh);
  unary(
      "atanh", [](auto d, auto x) { return math::lanes::atanh(d, x); }, [](auto x) { return math::atanh(x); },
      [](double x) { return std::atanh(x); }, mpfr_atanh);
  unary(
      "lgamma", [](auto d, auto x) { return math::lanes::lgamma(d, x, math::detail::real_lgamma); },
      [](auto x) { return math::lgamma(x); }, [](double x) { return std::lgamma(x); }, lgamma_mpfr);
  unary(
      "digamma", [](auto d, auto x) { return math::lanes::digamma(d, x, math::detail::real_digamma); },
      [](auto x) { return math::digamma(x); }, digamma_double, digamma_mpfr);
  unary(
      "bessel_i1e", [](auto d, auto x) { return math::lanes::bessel_i1e(d, x); },
      [](auto x) { return math::bessel_i1e(x); }, bessel_i1e_double, bessel_i1e_mpfr);
  binary(
      "atan2", [](auto d, auto x, auto y) { return math::lanes::atan2(d, x, y); },
      [](auto x, auto y) { return math::atan2(x, y); }, mpfr_atan2);
  binary(
      "power", [](auto d, auto x, auto y) { return math::lanes::power(d, x, y); },
      [](auto x, auto y) { return math::power(x, y); }, mpfr_pow);
}
