// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tenon::ops {

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

// Labels of rules that several ops share: rule_labels::of<ops::convolution>().constraint(25) is "convolution_c25".
class rule_labels {
 public:
  template <class Op>
  static constexpr rule_labels of() {
    return {labels_of_op<Op, 'c'>, labels_of_op<Op, 'i'>};
  }
  constexpr const char* constraint(int number) const { return constraints_->text[number]; }
  constexpr const char* input(int number) const { return inputs_->text[number]; }

 private:
  constexpr rule_labels(const label_table& constraints, const label_table& inputs)
      : constraints_(&constraints), inputs_(&inputs) {}

  const label_table* constraints_;
  const label_table* inputs_;
};

}  // namespace tenon::ops
