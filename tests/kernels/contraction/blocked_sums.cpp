// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/contraction/untiled_sums.hpp>

#include <tenon/ops/contraction/dot_general.hpp>

#include "kernels/alike.hpp"

#include <doctest/doctest.h>
#include <shared/inference.hpp>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

template <class T>
value drawn(const ints& shape, int seed) {
  std::vector<T> elements;
  for (index_t i = 0; i < shape.product(); ++i)
    elements.push_back(convert_to<T>(f32((i * 7919 + seed * 104729) % 2003) / 317 - 3));
  return tensor_of<T>(shape, elements);
}

template <class T, class R = T>
void check(const ints& lhs_contracting, const ints& rhs_contracting, const ints& lhs, const ints& rhs,
           const ints& lhs_batching = {}, const ints& rhs_batching = {}) {
  const ops::dot_general op{.dot_dimension_numbers = {lhs_batching, rhs_batching, lhs_contracting, rhs_contracting}};
  const value a = drawn<T>(lhs, 1), b = drawn<T>(rhs, 2);
  const tensor_type result = result_type(op, {a.type, b.type}).with_element(dtype_of<R>);
  const kernel code = [](const evaluation& e) {
    sum_in_blocks<T>(e, read_attributes<ops::dot_general>(e.words).product(e.operand_types, e.details));
  };
  evaluate_alike<T>(code, op, {a, b}, {result});
}

template <class T, class R = T>
void check_all() {
  check<T, R>({}, {}, {3}, {4});
  check<T, R>({}, {}, {}, {});
  check<T, R>({0}, {0}, {7}, {7});
  check<T, R>({1}, {0}, {2, 0}, {0, 3});
  check<T, R>({}, {}, {3}, {2, 3}, {0}, {1});
  check<T, R>({2, 0}, {1, 3}, {2, 3, 4, 5}, {6, 4, 3, 2}, {1}, {2});
  check<T, R>({1, 2}, {2, 0}, {2, 3, 4, 5}, {4, 5, 3, 2, 2}, {0, 3}, {3, 1});
  // More columns than are summed up at a time, with and without columns that lie side by side.
  for (const index_t columns : {1, 63, 64, 65, 130}) {
    check<T, R>({1}, {0}, {3, 5}, {5, columns});
    check<T, R>({0}, {1}, {5, 3}, {columns, 5});
    check<T, R>({1}, {2}, {2, 3}, {2, columns, 3}, {0}, {0});
    check<T, R>({1}, {0}, {2, 3}, {3, columns, 2});
    check<T, R>({0, 1}, {0, 2}, {2, 3}, {2, columns, 3});
  }
}

}  // namespace

TEST_CASE("sums of products in blocks are those of the op, bit for bit") {
  check_all<f32>();
  check_all<f64>();
  check_all<bf16>();
  check_all<f16, f32>();
  check_all<i8, i64>();
  check_all<i64>();
  check_all<bool>();
  check_all<i4>();
  check_all<complex<f32>>();
}
