// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/linear_algebra/triangular.hpp>

#include <tenon/ops/contraction/triangular_solve.hpp>

#include "kernels/alike.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

template <class T>
value drawn(const ints& shape, bool is_matrix) {
  std::vector<T> elements;
  const index_t n = shape[shape.size - 1];
  for (index_t i = 0; i < shape.product(); ++i)
    elements.push_back(convert_to<T>(f32((i * 5 + 3) % 17) / 16 - 0.5f + (is_matrix && i / n % n == i % n ? 2.0f : 0)));
  return tensor_of<T>(shape, elements);
}

template <class T>
void check() {
  for (const bool left_side : {true, false})
    for (const bool lower : {true, false})
      for (const bool unit_diagonal : {true, false})
        for (const transpose_a_kind transpose_a :
             {transpose_a_kind::NO_TRANSPOSE, transpose_a_kind::TRANSPOSE, transpose_a_kind::ADJOINT})
          for (const index_t n : {0, 1, 5})
            for (const index_t systems : {0, 1, 2, 31, 32, 33, 64, 65, 130}) {
              const value b = drawn<T>(left_side ? ints{2, n, systems} : ints{2, systems, n}, false);
              evaluate_alike<T>(&substitution_kernel<ops::triangular_solve, T>,
                                ops::triangular_solve{left_side, lower, unit_diagonal, transpose_a},
                                {drawn<T>({2, n, n}, true), b}, {b.type});
            }
}

}  // namespace

TEST_CASE("triangular systems are solved as the op says it, several at once and alone") {
  check<f32>();
  check<f64>();
  check<f16>();
  check<bf16>();
  check<complex<f64>>();
}
