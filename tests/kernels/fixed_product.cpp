// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/fixed_product.hpp>

#include <tenon/ops/contraction/dot_general.hpp>

#include <doctest/doctest.h>

#include <cstring>

using namespace tenon;
using namespace tenon::kernels;

namespace {

template <index_t M, index_t N, index_t K, bool LeftTurned, bool RightTurned>
struct shape {
  static constexpr fixed_matrices product{
      M, N, K, LeftTurned ? 1 : K, LeftTurned ? M : 1, RightTurned ? 1 : N, RightTurned ? K : 1, N, false};
};

template <class T, class Shape>
void check_shape() {
  constexpr fixed_matrices p = Shape::product;
  using code = fixed_product<T, Shape>;
  static_assert(code::is_supported() || HWY_HAVE_SCALABLE);
  CAPTURE(p.m);
  CAPTURE(p.n);
  CAPTURE(p.k);
  T a[p.m * p.k], b[p.k * p.n], got[p.m * p.n + 1], wanted[p.m * p.n + 1];
  alignas(64) static unsigned char scratch[ops::packing::product(p.m, p.n, p.k, sizeof(T)) + 64];
  for (index_t i = 0; i < p.m * p.k; ++i) a[i] = T(i * 7 % 23) / T(3) - T(2);
  for (index_t i = 0; i < p.k * p.n; ++i) b[i] = T(i * 5 % 19) / T(7) - T(1);
  got[p.m * p.n] = wanted[p.m * p.n] = T(77);
  code::run(a, b, got, scratch);
  matrix_product<T>(p.m, p.n, p.k, {a, p.lhs_row, p.lhs_column}, {b, p.rhs_row, p.rhs_column}, wanted, p.n, false,
                    scratch, {0, p.m, 0, p.n});
  CHECK(std::memcmp(got, wanted, sizeof got) == 0);
}
template <index_t M, index_t N, index_t K>
void check() {
  check_shape<f32, shape<M, N, K, false, false>>();
  check_shape<f32, shape<M, N, K, false, true>>();
  check_shape<f32, shape<M, N, K, true, false>>();
  check_shape<f32, shape<M, N, K, true, true>>();
  check_shape<f64, shape<M, N, K, false, false>>();
  check_shape<f64, shape<M, N, K, true, true>>();
}

TEST_CASE("small products whose sizes are constants are those of matrix_product, bit for bit") {
  check<1, 1, 1>();
  check<1, 5, 3>();
  check<5, 1, 3>();
  check<2, 3, 4>();
  check<4, 4, 4>();
  check<2, 4, 4>();
  check<3, 4, 4>();
  check<8, 4, 4>();
  check<12, 4, 4>();
  check<2, 2, 2>();
  check<4, 2, 2>();
  check<6, 2, 2>();
  check<7, 9, 2>();
  check<1, 32, 7>();
  check<1, 29, 5>();
  check<32, 1, 9>();
  check<9, 17, 5>();
  check<13, 31, 8>();
  check<16, 16, 16>();
  check<32, 32, 32>();
}

// What sums of products of these shapes are, along one dimension of each.
constexpr fixed_matrices found(const ints& lhs, const ints& rhs, index_t along_lhs, index_t along_rhs,
                               const ints& batch = {}) {
  const tensor_type types[] = {type_of(dtype::f32, lhs), type_of(dtype::f32, rhs)};
  ops::dot_general op;
  op.dot_dimension_numbers.lhs_batching_dimensions = op.dot_dimension_numbers.rhs_batching_dimensions = batch;
  op.dot_dimension_numbers.lhs_contracting_dimensions = {along_lhs};
  op.dot_dimension_numbers.rhs_contracting_dimensions = {along_rhs};
  return fixed_matrices_of(op.product({types, 2}, nullptr));
}
constexpr bool are(const fixed_matrices& p, index_t m, index_t n, index_t k, bool swapped) {
  return p.m == m && p.n == n && p.k == k && p.swapped == swapped;
}
static_assert(are(found({6, 3}, {3, 5}, 1, 0), 6, 5, 3, false));
static_assert(found({3, 6}, {5, 3}, 0, 1).lhs_row == 1 && found({3, 6}, {5, 3}, 0, 1).rhs_column == 3);
static_assert(are(found({6, 3}, {3}, 1, 0), 6, 1, 3, false));
// A vector behind columns is a row in front of them.
static_assert(are(found({3, 6}, {3}, 0, 0), 1, 6, 3, true) && found({3, 6}, {3}, 0, 0).rhs_column == 1);
static_assert(are(found({2, 3, 4}, {4, 5}, 2, 0), 6, 5, 4, false) && found({2, 3, 4}, {4, 5}, 2, 0).result_row == 5);
static_assert(are(found({1, 6, 3}, {1, 3, 5}, 2, 1, {0}), 6, 5, 3, false));
static_assert(found({2, 6, 3}, {2, 3, 5}, 2, 1, {0}).m == 0);
static_assert(found({6, 3}, {3, 5, 2}, 1, 0).m * found({6, 3}, {3, 5, 2}, 1, 0).n == 60);

static_assert(!fixed_product<f32, shape<33, 4, 4, false, false>>::is_supported());
static_assert(!fixed_product<f32, shape<0, 4, 4, false, false>>::is_supported());

}  // namespace
