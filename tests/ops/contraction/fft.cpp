// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/contraction/fft.hpp>

#include "ops/evaluate.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr ops::fft forward(const ints& length) { return {fft_type::FFT, length}; }
constexpr ops::fft to_complex_half(const ints& length) { return {fft_type::RFFT, length}; }
constexpr ops::fft to_real(const ints& length) { return {fft_type::IRFFT, length}; }
constexpr tensor_type c64_3x9 = type_of(dtype::complex_f32, {3, 9}), f32_3x9 = type_of(dtype::f32, {3, 9}),
                      c64_3x5 = type_of(dtype::complex_f32, {3, 5});

// Types.

static_assert(result_type(forward({9}), {c64_3x9}) == c64_3x9);
static_assert(result_type(ops::fft{fft_type::IFFT, {3, 9}}, {c64_3x9}) == c64_3x9);
static_assert(result_type(to_complex_half({9}), {f32_3x9}) == c64_3x5);
static_assert(result_type(to_complex_half({8}), {type_of(dtype::f64, {8})}) == type_of(dtype::complex_f64, {5}));
static_assert(result_type(to_real({3, 9}), {c64_3x5}) == f32_3x9);
static_assert(result_type(to_real({8}), {c64_3x5}) == type_of(dtype::f32, {3, 8}));
static_assert(result_type(to_complex_half({0}), {type_of(dtype::f32, {2, 0})}) == type_of(dtype::complex_f32, {2, 0}));

// Broken rules.

static_assert(broken_by(forward({3}), {i32_2x3}) == "fft_i1");
static_assert(broken_by(forward({3, 9, 1}), {c64_3x9}) == "fft_c1");
static_assert(broken_by(forward({9}), {f32_3x9}) == "fft_c2");
static_assert(broken_by(to_complex_half({9}), {c64_3x9}) == "fft_c2");
static_assert(broken_by(to_complex_half({9}), {type_of(dtype::f16, {3, 9})}) == "fft_c2");
static_assert(broken_by(to_real({16}), {f32_3x9}) == "fft_c2");
static_assert(broken_by(forward({9}), {c64_3x9}, {f32_3x9}) == "fft_c2");
static_assert(broken_by(forward({}), {c64_3x9}) == "fft_c3");
static_assert(broken_by(forward({1, 1, 1, 1}), {type_of(dtype::complex_f32, {1, 1, 1, 1})}) == "fft_c3");
static_assert(broken_by(to_complex_half({8}), {f32_3x9}) == "fft_c4");
static_assert(broken_by(to_real({9, 9}), {c64_3x5}) == "fft_c4");
static_assert(broken_by(to_real({7}), {c64_3x5}) == "fft_c5");
static_assert(broken_by(to_complex_half({9}), {f32_3x9}, {c64_3x9}) == "fft_c5");

template <class R, class T>
std::vector<R> run(const ops::fft& op, const value& x) {
  return evaluate<T>(op, {x}, {result_type(op, {x.type})})[0].template as<R>();
}

}  // namespace

TEST_CASE("fft: the specification's example, and other exact results") {
  using c = complex<f32>;
  CHECK(run<c, c>(forward({4}), tensor_of<c>({4}, {{1, 0}, {0, 0}, {0, 0}, {0, 0}})) == std::vector<c>(4, c{1, 0}));
  CHECK(run<c, c>(forward({4}), tensor_of<c>({4}, {{1, 0}, {2, 0}, {3, 0}, {4, 0}})) ==
        std::vector<c>{{10, 0}, {-2, 2}, {-2, 0}, {-2, -2}});
  CHECK(run<c, c>({fft_type::IFFT, {4}}, tensor_of<c>({4}, {{10, 0}, {-2, 2}, {-2, 0}, {-2, -2}})) ==
        std::vector<c>{{1, 0}, {2, 0}, {3, 0}, {4, 0}});
  CHECK(run<c, f32>(to_complex_half({4}), tensor_of<f32>({4}, {1, 2, 3, 4})) ==
        std::vector<c>{{10, 0}, {-2, 2}, {-2, 0}});
  CHECK(run<f32, c>(to_real({4}), tensor_of<c>({3}, {{10, 0}, {-2, 2}, {-2, 0}})) == std::vector<f32>{1, 2, 3, 4});
  // The imaginary parts of what must be real do not matter.
  CHECK(run<f32, c>(to_real({4}), tensor_of<c>({3}, {{10, 9}, {-2, 2}, {-2, 7}})) == std::vector<f32>{1, 2, 3, 4});
}

TEST_CASE("fft: empty dimensions") {
  CHECK(run<complex<f32>, complex<f32>>(forward({0}), tensor_of<complex<f32>>({2, 0}, {})).empty());
  CHECK(run<complex<f32>, complex<f32>>(forward({3}), tensor_of<complex<f32>>({0, 3}, {})).empty());
  CHECK(run<complex<f32>, f32>(to_complex_half({0}), tensor_of<f32>({2, 0}, {})).empty());
}
