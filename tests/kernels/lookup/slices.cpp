// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/lookup/slices.hpp>

#include <tenon/ops/lookup/gather.hpp>

#include "kernels/alike.hpp"

#include <doctest/doctest.h>
#include <shared/inference.hpp>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

template <class T, class I>
void check(const ops::gather& op, const ints& shape, const ints& indices_shape) {
  std::vector<I> indices;
  unsigned state = 12345;
  for (index_t i = 0; i < indices_shape.product(); ++i) {
    state = state * 1103515245u + 12345u;
    indices.push_back(I(int(state >> 16) % 47 - (std::is_signed_v<I> ? 3 : 0)));
  }
  const value operand = counting<T>(shape), starts = tensor_of<I>(indices_shape, indices);
  const tensor_type type = result_type(op, {operand.type, starts.type});
  REQUIRE(type.element == dtype_of<T>);
  evaluate_alike<T>(&gather_kernel<ops::gather, bytes_like<T>>, op, {operand, starts}, {type});
}

template <class T, class I>
void check_all() {
  for (const index_t count : {0, 1, 5, 256, 257, 515}) {
    // Rows, elements, elements of rows of their own, parts of columns.
    for (const index_t row : {2, 7, 37, 150}) check<T, I>({{{1}, {0}, {}, {}, {0}, 1}, {1, row}}, {9, row}, {count});
    check<T, I>({{{}, {0}, {}, {}, {0}, 1}, {1}}, {41}, {count});
    check<T, I>({{{}, {1}, {0}, {0}, {1}, 2}, {1, 1}}, {3, 41}, {3, count});
    check<T, I>({{{0}, {1}, {}, {}, {1}, 1}, {3, 1}}, {3, 41}, {count});
    check<T, I>({{{1}, {0}, {}, {}, {0, 1}, 1}, {1, 20}}, {7, 35}, {count, 2});
    // Index vectors of two components, which lie along either dimension.
    check<T, I>({{{}, {0, 1}, {}, {}, {1, 0}, 1}, {1, 1}}, {7, 5}, {count, 2});
    check<T, I>({{{0, 1}, {}, {}, {}, {1, 0}, 0}, {3, 2}}, {7, 5}, {2, count});
  }
}

}  // namespace

TEST_CASE("slices are gathered as the op says, whatever the elements and the indices are") {
  check_all<i8, i32>();
  check_all<bf16, ui8>();
  check_all<f32, i64>();
  check_all<f64, i32>();
  check_all<complex<f64>, i16>();
}
