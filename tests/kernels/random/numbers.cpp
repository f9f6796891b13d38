// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/random/numbers.hpp>

#include "kernels/alike.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

template <class T>
void check(const ops::rng& op, T a, T b) {
  for (const index_t count : {0, 1, 31, 32, 33, 63, 64, 65, 200, 255, 256, 257, 1300}) {
    CAPTURE(count);
    evaluate_alike<T>(&random_numbers_kernel<ops::rng, T>, op,
                      {scalar_of(a), scalar_of(b), tensor_of<i64>({1}, {count})}, {type_of(dtype_of<T>, {count})});
  }
}
template <class T>
void check_floats(double a, double b) {
  for (const rng_distribution each : {rng_distribution::UNIFORM, rng_distribution::NORMAL})
    check(ops::rng{each}, convert_to<T>(a), convert_to<T>(b));
}
template <class T>
void check_integers(T a, T b) {
  check(ops::rng{rng_distribution::UNIFORM}, a, b);
  check(ops::rng{rng_distribution::UNIFORM}, b, a);
}

}  // namespace

TEST_CASE("numbers of a draw are those that the op says: floats of every width") {
  check_floats<f64>(-1.25, 7);
  check_floats<f64>(7, -1.25);
  check_floats<f32>(-1.25, 7);
  check_floats<f32>(1, 1.0000002);
  check_floats<f32>(-3e38, 3e38);
  check_floats<f16>(1, 1.002);
  check_floats<bf16>(0, 1);
  check_floats<f8E4M3FN>(-2, 3);
}

TEST_CASE("numbers of a draw are those that the op says: integers of every width") {
  check_integers<bool>(false, true);
  check_integers<i4>(i4(-8), i4(7));
  check_integers<i8>(-100, 100);
  check_integers<ui16>(3, 65535);
  check_integers<i32>(-2, 3);
  check_integers<i64>(INT64_MIN, INT64_MAX);
  check_integers<ui64>(0, UINT64_MAX);
}
