// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/creation/rng.hpp>

#include "ops/constants.hpp"
#include "ops/evaluate.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr ops::rng uniform{rng_distribution::UNIFORM}, normal{rng_distribution::NORMAL};
constexpr tensor_type shape_2 = type_of(dtype::i64, {2});

// Types.

static_assert(result_type(uniform, {f32_scalar, f32_scalar, shape_2}, {f32_2x3}) == f32_2x3);
static_assert(result_type(uniform, {f32_scalar, f32_scalar, shape_2}, {type_of(dtype::none, {2, 3})}) == f32_2x3);
static_assert(broken_by_constants(normal, {f32_scalar, f32_scalar, shape_2}, {}, {{}, {}, {2, 3}}).empty());
static_assert(broken_by(uniform, {i1_scalar, i1_scalar, shape_2}, {i1_2x3}).empty());

// Broken rules.

static_assert(broken_by(uniform, {f32_2x3, f32_scalar, shape_2}, {f32_2x3}) == "rng_i1");
static_assert(broken_by(uniform, {type_of(dtype::complex_f32), f32_scalar, shape_2}, {f32_2x3}) == "rng_i1");
static_assert(broken_by(uniform, {f32_scalar, f32_2x3, shape_2}, {f32_2x3}) == "rng_i2");
static_assert(broken_by(uniform, {f32_scalar, f32_scalar, type_of(dtype::i64, {1, 2})}, {f32_2x3}) == "rng_i3");
static_assert(broken_by(uniform, {f32_scalar, f32_scalar, type_of(dtype::f32, {2})}, {f32_2x3}) == "rng_i3");
static_assert(broken_by(uniform, {f32_scalar, f64_scalar, shape_2}, {f32_2x3}) == "rng_c1");
static_assert(broken_by(uniform, {f32_scalar, f32_scalar, shape_2}, {f64_2x3}) == "rng_c1");
static_assert(broken_by(normal, {i32_scalar, i32_scalar, shape_2}, {i32_2x3}) == "rng_c2");
static_assert(broken_by(uniform, {f32_scalar, f32_scalar, shape_2}) == "rng_c3");
static_assert(broken_by(uniform, {f32_scalar, f32_scalar, shape_2}, {f32_scalar}) == "rng_c3");
static_assert(broken_by_constants(uniform, {f32_scalar, f32_scalar, shape_2}, {f32_3x2}, {{}, {}, {2, 3}}) == "rng_c3");

template <class T>
std::vector<T> run(const ops::rng& op, T a, T b, index_t count) {
  return evaluate<T>(op, {scalar_of(a), scalar_of(b), tensor_of<i64>({1}, {count})}, {type_of(dtype_of<T>, {count})})[0]
      .template as<T>();
}

// What the numbers of the first draw with the seed 0 are made of, block by block.
std::vector<ops::philox_block> blocks(ui64 count) {
  std::vector<ops::philox_block> all;
  for (ui64 i = 0; i < count; ++i) all.push_back(ops::philox(0, i, 0));
  return all;
}
ui64 bits_of(const std::vector<ops::philox_block>& all, std::size_t element) {
  const auto& words = all[element / 64 * 32 + element % 32].words;
  return element % 64 < 32 ? ops::joined(words[0], words[1]) : ops::joined(words[2], words[3]);
}

}  // namespace

TEST_CASE("rng: uniform integers reach both ends and nothing else") {
  int seen[5] = {};
  for (i32 x : run<i32>(uniform, -2, 3, 5000)) {
    REQUIRE(-2 <= x);
    REQUIRE(x < 3);
    ++seen[x + 2];
  }
  for (int count : seen) CHECK(std::abs(count - 1000) < 150);
  for (i64 x : run<i64>(uniform, INT64_MIN, INT64_MAX, 100)) CHECK(x < INT64_MAX);
  for (ui8 x : run<ui8>(uniform, 250, 255, 100)) CHECK((250 <= x && x < 255));
  CHECK(run<i4>(uniform, i4(-8), i4(-7), 3) == std::vector<i4>(3, i4(-8)));
  CHECK(run<i32>(uniform, 5, 5, 2) == std::vector<i32>{5, 5});
}

TEST_CASE("rng: uniform floats") {
  double sum = 0, squares = 0;
  const std::vector<f32> x = run<f32>(uniform, -1, 3, 20000);
  for (f32 v : x) {
    REQUIRE(-1 <= v);
    REQUIRE(v < 3);
    sum += v;
    squares += double(v) * v;
  }
  CHECK(sum / 20000 == doctest::Approx(1).epsilon(0.03));
  CHECK(squares / 20000 - 1 == doctest::Approx(4.0 / 3).epsilon(0.03));
  for (f16 v : run<f16>(uniform, f16(1.0f), f16(1.002f), 300)) CHECK(v < f16(1.002f));
  for (f64 v : run<f64>(uniform, -1.7e308, 1.7e308, 100)) CHECK(std::isfinite(v));
}

TEST_CASE("rng: each element has bits of its own, however many there are") {
  const std::vector<ops::philox_block> all = blocks(1024);
  for (index_t count : {1, 31, 33, 63, 64, 65, 200, 511, 512, 513, 1000, 1300}) {
    CAPTURE(count);
    const std::vector<f64> doubles = run<f64>(uniform, 0, 1, count);
    const std::vector<f32> floats = run<f32>(uniform, 0, 1, count);
    const std::vector<bf16> narrow = run<bf16>(uniform, bf16(0.0f), bf16(1.0f), count);
    const std::vector<i64> integers = run<i64>(uniform, 0, i64{1} << 40, count);
    for (std::size_t i = 0; i < std::size_t(count); ++i) {
      const ui64 bits = bits_of(all, i);
      const f64 fraction = f64(bits >> 11) * 0x1p-53;
      REQUIRE(doubles[i] == fraction);
      REQUIRE(floats[i] == (f32(fraction) < 1 ? f32(fraction) : 0));
      REQUIRE(narrow[i] == (convert_to<bf16>(fraction) < bf16(1.0f) ? convert_to<bf16>(fraction) : bf16(0.0f)));
      REQUIRE(integers[i] == i64(bits >> 24));
    }
  }
}

TEST_CASE("rng: narrow normal floats are rounded numbers of f64") {
  const std::vector<f64> wide = run<f64>(normal, 0.5, 2, 700);
  const std::vector<f16> narrow = run<f16>(normal, f16(0.5f), f16(2.0f), 700);
  for (std::size_t i = 0; i < wide.size(); ++i) REQUIRE(narrow[i] == convert_to<f16>(wide[i]));
}

TEST_CASE("rng: normal floats") {
  double moments[5] = {};
  const std::vector<f64> x = run<f64>(normal, 2, 3, 40000);
  for (f64 v : x) {
    double power = 1;
    for (double& moment : moments) {
      moment += power / 40000;
      power *= (v - 2) / 3;
    }
  }
  CHECK(std::fabs(moments[1]) < 0.02);
  CHECK(moments[2] == doctest::Approx(1).epsilon(0.02));
  CHECK(std::fabs(moments[3]) < 0.06);
  CHECK(moments[4] == doctest::Approx(3).epsilon(0.05));
}
