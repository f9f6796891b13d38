// SPDX-License-Identifier: Apache-2.0
//
// What NumPy's words give for booleans, bytes, negative numbers and NaN. Behind each stands NumPy's expression, which
// tests/numpy_values.py computes: it has these values and a type of this kind, or what "differs" says.
#include <tenon/tensors.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <type_traits>

using namespace tenon;

namespace {

constexpr f32 no_number = element_traits<f32>::nan(), infinity = INFINITY;
const tensor<bool, 4> b{true, false, true, true};
const tensor<ui8, 4> u{250, 7, 0, 255};
const tensor<i32, 4> i{-7, 7, -1, 0}, d{2, -2, 3, 5};
const tensor<f32, 4> f{3, no_number, -1, infinity};
const tensor<f16, 4> h{60000, 60000, 60000, 60000};
const tensor<i8, 3> positions{-1, -4, 1};
const tensor<f32, 2, 2> m{{2, -2}, {1, 1}}, definite{{4, -2}, {-2, 5}}, indefinite{{1, 2}, {2, 1}},
    singular{{1, 2}, {2, 4}}, broken{{no_number, 0}, {0, 1}};

template <class T>
bool gives(const auto& expression, std::initializer_list<double> expected) {
  const auto result = evaluate(expression);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(*result.data())>, T>);
  return std::equal(result.data(), result.data() + result.size, expected.begin(), expected.end(), [](T x, double y) {
    const double number = double(x);
    return number == y || (std::isnan(number) && std::isnan(y));
  });
}

}  // namespace

TEST_CASE("sums and means") {
  CHECK(gives<i32>(sum(b), {3}));                          // np.sum(b)
  CHECK(gives<i32>(sum(f > 0), {2}));                      // np.sum(f > 0)
  CHECK(gives<i32>(cumsum(b), {1, 1, 2, 3}));              // np.cumsum(b)
  CHECK(gives<i32>(product(b), {0}));                      // np.prod(b)
  CHECK(gives<f32>(mean(b), {0.75}));                      // np.mean(b)
  CHECK(gives<f32>(var(b), {0.1875}));                     // np.var(b)
  CHECK(gives<ui8>(sum(u), {0}));                          // np.sum(u) differs: 512
  CHECK(gives<ui8>(cumsum(u), {250, 1, 1, 0}));            // np.cumsum(u) differs: 250, 257, 257, 512
  CHECK(gives<ui32>(sum(convert<ui32>(u)), {512}));        // np.sum(u)
  CHECK(gives<f32>(mean(u), {128}));                       // np.mean(u)
  CHECK(gives<f32>(var(u), {15509.5}));                    // np.var(u)
  CHECK(gives<f32>(mean<ints{0}, keepdims>(i), {-0.25}));  // np.mean(i, axis=0, keepdims=True)
  CHECK(gives<f32>(var(i), {24.6875}));                    // np.var(i)
  CHECK(gives<f16>(mean(h), {60000}));                     // np.mean(h)
  CHECK(gives<f16>(var(h), {0}));                          // np.var(h) differs: inf
  CHECK(gives<f32>(mean(f), {no_number}));                 // np.mean(f)
  CHECK(gives<bool>(any_of(i), {1}));                      // np.any(i)
  CHECK(gives<bool>(all_of(i), {0}));                      // np.all(i)
  CHECK(gives<bool>(all_of<ints{0}, keepdims>(b), {0}));   // np.all(b, axis=0, keepdims=True)
  CHECK(gives<bool>(any_of(f), {1}));                      // np.any(f)
  CHECK(gives<f32>(norm(tensor<f32, 2>{3, 4}), {5}));      // np.linalg.norm([3, 4])
  CHECK(gives<f32>(norm<ints{0}>(f), {no_number}));        // np.linalg.norm(f, axis=0)
  CHECK(gives<f32>(norm(tensor<complex<f32>, 2>{complex<f32>{0, 3}, complex<f32>{4, 0}}),
                   {5}));                                                  // np.linalg.norm([3j, 4])
  CHECK(gives<f32>(standard_deviation(tensor<f32, 4>{1, 1, 5, 5}), {2}));  // np.std([1, 1, 5, 5])
  CHECK(evaluate(var(tensor<complex<f32>, 2>{complex<f32>{1, 1}, complex<f32>{0, 0}}))() == 0.5f);
  CHECK(evaluate(mean(tensor<i64, 2>{i64(1) << 40, 1}))() == 0.5 + 0x1p+39);
  CHECK(evaluate(mean(tensor<ui8, 300>::filled(200)))() == 200);
}

TEST_CASE("greatest, least and sorted") {
  CHECK(gives<bool>(max(b), {1}));                                                       // np.max(b)
  CHECK(gives<f32>(max(f), {no_number}));                                                // np.max(f)
  CHECK(gives<i32>(argmax(f), {1}));                                                     // np.argmax(f)
  CHECK(gives<i32>(argmax(u), {3}));                                                     // np.argmax(u)
  CHECK(gives<i32>(argmin(-i), {1}));                                                    // np.argmin(-i)
  CHECK(gives<i32>(sort<-1>(i, [](auto p, auto q) { return p < q; }), {-7, -1, 0, 7}));  // np.sort(i)
  CHECK(gives<f32>(sort<-1>(f, [](auto p, auto q) { return (p < q) | ((p == p) & (q != q)); }),
                   {-1, 3, infinity, no_number}));
}

TEST_CASE("positions in order") {
  CHECK(gives<i32>(argsort(f), {2, 0, 3, 1}));     // np.argsort(f)
  CHECK(gives<i32>(argsort(b), {1, 0, 2, 3}));     // np.argsort(b, kind="stable")
  CHECK(gives<i32>(argsort<0>(i), {0, 2, 3, 1}));  // np.argsort(i, axis=0)
}

TEST_CASE("matrices of ones and zeros") {
  CHECK(gives<f32>(eye<f32, 2>(), {1, 0, 0, 1}));           // np.eye(2)
  CHECK(gives<i32>(eye<i32, 2, 3>(), {1, 0, 0, 0, 1, 0}));  // np.eye(2, 3, dtype=int)
  CHECK(gives<f32>(zeros_like(f), {0, 0, 0, 0}));           // np.zeros_like(f)
  CHECK(gives<ui8>(ones_like(u), {1, 1, 1, 1}));            // np.ones_like(u)
}

TEST_CASE("parts") {
  CHECK(gives<i32>(take(i, positions), {0, -7, 7}));           // np.take(i, positions)
  CHECK(gives<i32>(take(i, tensor<i32, 2>{9, -9}), {0, -7}));  // np.take(i, [9, -9]) differs: IndexError
  CHECK(gives<i32>(take(i, tensor<ui8, 2>{1, 200}), {7, 0}));  // np.take(i, [1, 200]) differs: IndexError
  CHECK(gives<f32>(take(tensor<f32, 200>::filled(1), positions), {1, 1, 1}));
}

TEST_CASE("element by element") {
  CHECK(gives<i32>(i % d, {-1, 1, -1, 0}));                                         // i % d differs: 1, -1, 2, 0
  CHECK(gives<i32>(i / d, {-3, -3, 0, 0}));                                         // i // d differs: -4, -4, -1, 0
  CHECK(gives<i32>(i % 2, {-1, 1, -1, 0}));                                         // np.fmod(i, 2)
  CHECK(gives<f32>(f % 2, {1, no_number, -1, no_number}));                          // f % 2 differs: 1, nan, 1, nan
  CHECK(gives<i32>(i / 0, {-1, -1, -1, -1}));                                       // i // 0 differs: 0, 0, 0, 0
  CHECK(gives<i32>(i % 0, {-7, 7, -1, 0}));                                         // i % 0 differs: 0, 0, 0, 0
  CHECK(gives<i32>(pow(i, 2), {49, 49, 1, 0}));                                     // i ** 2
  CHECK(gives<i32>(pow(i, -1), {0, 0, -1, 0}));                                     // i ** -1 differs: ValueError
  CHECK(gives<i32>(abs(i), {7, 7, 1, 0}));                                          // np.abs(i)
  CHECK(gives<ui8>(u - 1, {249, 6, 255, 254}));                                     // u - 1
  CHECK(gives<ui8>(-u, {6, 249, 0, 1}));                                            // -u
  CHECK(gives<i32>(i >> 1, {-4, 3, -1, 0}));                                        // i >> 1
  CHECK(gives<bool>(b + b, {1, 0, 1, 1}));                                          // b + b
  CHECK(gives<bool>(~b, {0, 1, 0, 0}));                                             // ~b
  CHECK(gives<f32>(maximum(f, 0), {3, no_number, 0, infinity}));                    // np.maximum(f, 0)
  CHECK(gives<f32>(clip(f, 0, 2), {2, no_number, 0, 2}));                           // np.clip(f, 0, 2)
  CHECK(gives<f32>(where(f > 0, f, 0), {3, 0, 0, infinity}));                       // np.where(f > 0, f, 0)
  CHECK(gives<f32>(round_nearest_even(convert<f32>(i) * 0.5f), {-4, 4, -0.0, 0}));  // np.round(i / 2)
  CHECK(gives<i32>(convert<i32>(tensor<f32, 3>{-2.5, 3e9, no_number}), {-2, 2147483647, 0}));
}

TEST_CASE("products") {
  CHECK(gives<ui8>(matmul(u, u), {86}));  // u @ u
  CHECK(gives<bool>(matmul(b, b), {1}));  // b @ b
  CHECK(
      gives<bool>(einsum<"i,j->ij">(b(range<0, 2>), b(range<1, 2>)), {0, 0}));  // np.einsum("i,j->ij", b[0:2], b[1:2])
}

TEST_CASE("padding") {
  CHECK(gives<bool>(pad<1>(b), {0, 1, 0, 1, 1, 0}));                              // np.pad(b, 1)
  CHECK(gives<ui8>(pad<2>(u), {0, 0, 250, 7, 0, 255, 0, 0}));                     // np.pad(u, 2)
  CHECK(gives<i32>(pad<2, pad_mode::reflect>(i), {-1, 7, -7, 7, -1, 0, -1, 7}));  // np.pad(i, 2, mode="reflect")
  CHECK(gives<f32>(pad<1, pad_mode::edge>(f), {3, 3, no_number, -1, infinity, infinity}));  // np.pad(f, 1, mode="edge")
}

TEST_CASE("linear algebra") {
  CHECK(gives<f32>(matmul(m, definite), {12, -14, 2, 3}));                         // m @ definite
  CHECK(gives<f32>(matmul(broken, m), {no_number, no_number, 1, 1}));              // broken @ m
  CHECK(gives<i32>(matmul(i, d), {-31}));                                          // i @ d
  CHECK(gives<f32>(einsum<"ij,j->i">(m, f(range<2, 4>)), {-infinity, infinity}));  // np.einsum("ij,j->i", m, f[2:4])
  CHECK(gives<f32>(det(m), {4}));                                                  // np.linalg.det(m)
  CHECK(gives<f32>(det(broken), {no_number}));                                     // np.linalg.det(broken)
  CHECK(gives<f32>(inv(m), {0.25, 0.5, -0.25, 0.5}));                              // np.linalg.inv(m)
  CHECK(gives<f32>(solve(m, tensor<f32, 2>{4, -2}), {0, -2}));                     // np.linalg.solve(m, [4, -2])
  CHECK(gives<f32>(cholesky(definite), {2, 0, -1, 2}));                            // np.linalg.cholesky(definite)
  CHECK(gives<f32>(cholesky(indefinite), {1, 0, 2, no_number}));  // np.linalg.cholesky(indefinite) differs: LinAlgError
  CHECK(gives<f32>(inv(singular),
                   {-infinity, infinity, infinity, -infinity}));  // np.linalg.inv(singular) differs: LinAlgError
  CHECK(gives<f32>(solve(singular, tensor<f32, 2>{1, 1}),
                   {-infinity, infinity}));  // np.linalg.solve(singular, [1, 1]) differs: LinAlgError
}

TEST_CASE("transforms") {
  CHECK(gives<f32>(real(fft<fft_type::RFFT, ints{4}>(convert<f32>(d))), {8, -1, 2}));  // np.fft.rfft(d).real
  CHECK(gives<f32>(imag(fft<fft_type::RFFT, ints{4}>(convert<f32>(d))), {0, 7, 0}));   // np.fft.rfft(d).imag
  CHECK(gives<f32>(real(fft<fft_type::RFFT, ints{4}>(convert<f32>(b))), {3, 0, 1}));   // np.fft.rfft(b).real
  CHECK(gives<f32>(real(fft<fft_type::RFFT, ints{4}>(tensor<f32, 4>{no_number, 1, 0, -1})),
                   {no_number, no_number, no_number}));  // np.fft.rfft([np.nan, 1, 0, -1]).real
}
