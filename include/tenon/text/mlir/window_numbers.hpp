// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>
#include <tenon/text/lexer.hpp>

namespace tenon::text {

// The parts of `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`, in the order of the fields of its long form.
struct window_numbers {
  ints part[9];
};

inline constexpr keyword window_number_names[] = {
    "input_batch_dimension",          "input_feature_dimension",         "input_spatial_dimensions",
    "kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions",
    "output_batch_dimension",         "output_feature_dimension",        "output_spatial_dimensions"};

namespace detail {

constexpr bool read_window_side(lexer& in, window_numbers& numbers, int part, char first, char second) {
  if (!in.expect('[', "[ is expected, as in [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]")) return false;
  const int start = in.at;
  index_t axis_of[max_rank];
  int axis = 0, spatial = 0;
  for (int i = 0; i < max_rank; ++i) axis_of[i] = -1;
  if (!in.accept(']')) {
    do {
      const char c = in.peek();
      if (c == first || c == second) {
        ints& where = numbers.part[part + (c == first ? 0 : 1)];
        if (!where.empty()) return in.fail("syntax", "the dimension is given twice");
        where.push(axis);
        ++in.at;
      } else if (c == '?') {
        ++in.at;
      } else {
        const int number = in.at;
        index_t which = 0;
        if (!in.read_natural(which)) return false;
        if (which >= max_rank) return in.fail("syntax", "spatial dimensions are numbered from 0", number);
        if (axis_of[which] >= 0) return in.fail("syntax", "the dimension is given twice", number);
        axis_of[which] = axis;
        ++spatial;
      }
      ++axis;
    } while (in.accept(','));
    if (!in.expect(']', "] is expected")) return false;
  }
  for (int i = 0; i < spatial; ++i) {
    if (axis_of[i] < 0) return in.fail("syntax", "spatial dimensions are numbered from 0", start);
    numbers.part[part + 2].push(axis_of[i]);
  }
  if (numbers.part[part].empty() || numbers.part[part + 1].empty())
    return in.fail("syntax", "a dimension is missing among the window numbers", start);
  return true;
}

}  // namespace detail

constexpr bool read_window_numbers(lexer& in, window_numbers& numbers) {
  return detail::read_window_side(in, numbers, 0, 'b', 'f') && in.expect('x', "x is expected between window numbers") &&
         detail::read_window_side(in, numbers, 3, 'i', 'o') &&
         (in.accept_arrow() || in.fail("syntax", "-> is expected between window numbers")) &&
         detail::read_window_side(in, numbers, 6, 'b', 'f');
}

}  // namespace tenon::text
