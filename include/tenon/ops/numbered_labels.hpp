// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tenon {

namespace detail {

struct label_table {
  static constexpr int count = 40;
  char text[count][32]{};

  constexpr label_table(std::string_view op, char kind) {
    for (int number = 0; number < count; ++number) {
      char* to = text[number];
      for (char c : op) *to++ = c;
      *to++ = '_';
      *to++ = kind;
      if (number >= 10) *to++ = char('0' + number / 10);
      *to++ = char('0' + number % 10);
    }
  }
};
template <class Op, char Kind>
inline constexpr label_table labels_of_op{Op::name, Kind};

}  // namespace detail

// Labels of rules that several ops share: constraint_label<ops::convolution>(25) is "convolution_c25".
template <class Op>
constexpr const char* constraint_label(int number) {
  return detail::labels_of_op<Op, 'c'>.text[number];
}
template <class Op>
constexpr const char* input_label(int number) {
  return detail::labels_of_op<Op, 'i'>.text[number];
}

}  // namespace tenon
