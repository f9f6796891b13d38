// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/contraction/untiled_sums.hpp>

#include "kernels/alike.hpp"

#include <doctest/doctest.h>
#include <shared/inference.hpp>

using namespace tenon;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

using numbers = ragged_dot_dimension_numbers;

template <class T>
value drawn(const ints& shape, int seed) {
  std::vector<T> elements;
  for (index_t i = 0; i < shape.product(); ++i)
    elements.push_back(convert_to<T>(f32((i * 7919 + seed * 104729) % 2003) / 317 - 3));
  return tensor_of<T>(shape, elements);
}

template <class T>
void check(const ragged_dot_dimension_numbers& of, const ints& lhs, const ints& rhs, const ints& groups,
           const std::vector<i64>& sizes) {
  const ops::ragged_dot op{of};
  const value a = drawn<T>(lhs, 1), b = drawn<T>(rhs, 2), counts = tensor_of<i64>(groups, sizes);
  REQUIRE(broken_by(op, {a.type, b.type, counts.type}) == "");
  evaluate_alike<T>(&ragged_sums_kernel<ops::ragged_dot, T>, op, {a, b, counts},
                    {result_type(op, {a.type, b.type, counts.type})});
}

template <class T>
void check_all() {
  // Rows, with and without a batch, with groups of their own and without.
  for (const std::vector<i64>& sizes : {std::vector<i64>{4, 4, 3}, {0, 11, 0}, {2, -3, 4}, {0, 0, 0}, {20, 1, 1}}) {
    check<T>(numbers{{}, {}, {1}, {1}, {0}, {0}}, {11, 5}, {3, 5, 70}, {3}, sizes);
    check<T>(numbers{{0}, {1}, {2}, {2}, {1}, {0}}, {2, 11, 5}, {3, 2, 5, 7}, {3}, sizes);
    // Sums.
    check<T>(numbers{{}, {}, {1}, {0}, {1}, {}}, {4, 11}, {11, 65}, {3}, sizes);
    check<T>(numbers{{0}, {0}, {2}, {1}, {2}, {}}, {2, 3, 11}, {2, 11, 4}, {3}, sizes);
    // Of two dimensions that are summed over the first one is ragged.
    check<T>(numbers{{}, {}, {1, 2}, {0, 1}, {1}, {}}, {2, 11, 3}, {11, 3, 4}, {3}, sizes);
    // What batches.
    check<T>(numbers{{0}, {0}, {2}, {1}, {0}, {}}, {11, 3, 5}, {11, 5, 4}, {3}, sizes);
  }
  check<T>(numbers{{0}, {1}, {2}, {2}, {1}, {0}}, {2, 11, 5}, {3, 2, 5, 7}, {2, 3}, {4, 4, 3, 0, -1, 5});
  check<T>(numbers{{}, {}, {1, 2}, {0, 1}, {2}, {}}, {2, 3, 5}, {3, 5, 4}, {3, 2}, {1, 4, 5, 0, 2, 2});
  check<T>(numbers{{}, {}, {2}, {1}, {1}, {0}}, {3, 4, 5}, {2, 5, 6}, {3, 2}, {1, 3, 2, 2, 4, 0});
}

}  // namespace

TEST_CASE("sums of ragged products are those of the op, bit for bit") {
  check_all<f32>();
  check_all<f64>();
  check_all<bf16>();
  check_all<i32>();
  check_all<complex<f32>>();
}
