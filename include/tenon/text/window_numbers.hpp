// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/mesh.hpp>

namespace tenon::text {

namespace detail {

// The parts of `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`, in the order of the fields of its long form.
struct window_numbers {
  ints part[9];
};

inline constexpr keyword window_number_names[] = {
    "input_batch_dimension",          "input_feature_dimension",         "input_spatial_dimensions",
    "kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions",
    "output_batch_dimension",         "output_feature_dimension",        "output_spatial_dimensions"};

}  // namespace detail

// Reads the dimensions of a convolution in their short form.
class window_number_reader : public mesh_reader {
 public:
  using mesh_reader::mesh_reader;

 protected:
  constexpr bool read_window_numbers(text::detail::window_numbers& numbers) {
    return read_window_side(numbers, 0, 'b', 'f') && accept_or("x", "x is expected between window numbers") &&
           read_window_side(numbers, 3, 'i', 'o') &&
           (accept_arrow() || fail("syntax", "-> is expected between window numbers")) &&
           read_window_side(numbers, 6, 'b', 'f');
  }
  constexpr bool accept_or(const keyword& wanted, const char* sentence) {
    if (peek() == wanted.characters[0]) {
      ++at;
      return true;
    }
    return fail("syntax", sentence);
  }
  constexpr bool read_window_side(text::detail::window_numbers& numbers, int part, char first, char second) {
    if (!expect('[', "[ is expected, as in [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]")) return false;
    const int start = at;
    index_t axis_of[max_rank];
    int axis = 0, spatial = 0;
    for (int i = 0; i < max_rank; ++i) axis_of[i] = -1;
    if (!accept(']')) {
      do {
        const char c = peek();
        if (c == first || c == second) {
          ints& where = numbers.part[part + (c == first ? 0 : 1)];
          if (!where.empty()) return fail("syntax", "the dimension is given twice");
          where.push(axis);
          ++at;
        } else if (c == '?') {
          ++at;
        } else {
          const int number = at;
          index_t which = 0;
          if (!read_natural(which)) return false;
          if (which >= max_rank) return fail("syntax", "spatial dimensions are numbered from 0", number);
          if (axis_of[which] >= 0) return fail("syntax", "the dimension is given twice", number);
          axis_of[which] = axis;
          ++spatial;
        }
        ++axis;
      } while (accept(','));
      if (!expect(']', "] is expected")) return false;
    }
    for (int i = 0; i < spatial; ++i) {
      if (axis_of[i] < 0) return fail("syntax", "spatial dimensions are numbered from 0", start);
      numbers.part[part + 2].push(axis_of[i]);
    }
    if (numbers.part[part].empty() || numbers.part[part + 1].empty())
      return fail("syntax", "a dimension is missing among the window numbers", start);
    return true;
  }
};

}  // namespace tenon::text
