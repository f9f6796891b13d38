// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/sort/key_columns.hpp>
#include <tenon/ops/elementwise/subtract.hpp>

#include "kernels/written_lanes.hpp"

#include <doctest/doctest.h>

namespace tenon::comparators {

using direction = comparison_direction;

// A comparator put together op by op. Arguments 0 and 1 are the values of one operand, 2 and 3 of the next.
struct comparator {
  test::written_lanes lanes;

  explicit comparator(dtype first = dtype::f32, dtype second = dtype::f32) : lanes{first, first, second, second} {}

  static int argument(int i) { return ~i; }
  template <class T = f32>
  int compare(direction by, int a, int b, comparison_type type = comparison_type::FLOAT) {
    return lanes.apply<ops::compare, T, bool>({a, b}, {by, type});
  }
  template <class Op>
  int combine(int a, int b) {
    return lanes.apply<Op, bool>({a, b});
  }
  int subtract(int a, int b) { return lanes.apply<ops::subtract, f32>({a, b}); }
  // Whether it compares keys, given the value that it returns.
  bool read(int returned, kernels::compared_keys& keys) {
    lanes.give({returned});
    return keys.read(lanes.function());
  }
};

}  // namespace tenon::comparators
