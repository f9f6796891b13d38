// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/linear_algebra/triangular.hpp>

#include <tenon/ops/contraction/cholesky.hpp>

#include "kernels/alike.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

// Stacks of matrices with a heavy diagonal, whose other triangle is not what symmetry asks for.
template <class T>
void check() {
  for (const index_t n : {0, 1, 2, 3, 4, 5, 8, 15, 16, 17, 33, 40})
    for (const bool lower : {true, false}) {
      CAPTURE(n);
      std::vector<T> a;
      for (index_t i = 0; i < 2 * n * n; ++i) {
        const index_t row = i / n % n, column = i % n;
        a.push_back(convert_to<T>(row == column ? f32(n + 1) : f32((i * 7 + row * 3) % 11) / 11 - 0.4f));
      }
      const value x = tensor_of<T>({2, n, n}, a);
      evaluate_alike<T>(&factorization_kernel<ops::cholesky, T>, ops::cholesky{lower}, {x}, {x.type});
    }
}

}  // namespace

TEST_CASE("matrices are factored as the op says it") {
  check<f32>();
  check<f64>();
  check<f16>();
  check<bf16>();
  check<complex<f32>>();
}
