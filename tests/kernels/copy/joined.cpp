// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/copy/joined_and_padded.hpp>

#include <tenon/ops/movement/concatenate.hpp>

#include "kernels/alike.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

// Pieces of these sizes along the dimension, of `outer` rows and `inner` elements behind it.
template <class T>
void check(index_t outer, const std::vector<index_t>& sizes, index_t inner) {
  std::vector<value> operands;
  index_t all = 0;
  for (const index_t size : sizes) {
    operands.push_back(counting<T>({outer, size, inner}));
    all += size;
  }
  evaluate_alike<bytes_like<T>>(&join_kernel<ops::concatenate, bytes_like<T>>, ops::concatenate{1}, operands,
                                {type_of(dtype_of<T>, {outer, all, inner})});
}

template <class T>
void check_all() {
  for (const index_t outer : {0, 1, 3, 301})
    for (const index_t inner : {0, 1, 2, 5, 40}) {
      check<T>(outer, {1}, inner);
      check<T>(outer, {3, 1}, inner);
      check<T>(outer, {2, 0, 7}, inner);
      check<T>(outer, {129, 1, 70}, inner);
      check<T>(outer, std::vector<index_t>(20, 3), inner);
    }
}

}  // namespace

TEST_CASE("operands are joined as the op says: long pieces and short ones, many and few") {
  check_all<ui8>();
  check_all<bf16>();
  check_all<f32>();
  check_all<f64>();
  check_all<complex<f64>>();
}
