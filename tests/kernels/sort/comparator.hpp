// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/sort/compared_keys.hpp>
#include <tenon/kernels/table.hpp>

#include <doctest/doctest.h>

namespace tenon::comparators {

using location = prepared_body::place;
using direction = comparison_direction;

// A comparator put together step by step. Arguments 0 and 1 are the values of one operand, 2 and 3 of the next.
struct comparator {
  prepared_body body;
  index_t attributes[prepared_body::most_steps][8]{};
  int written = 0;

  comparator() { body.begin(nullptr); }

  static location argument(int i, int bytes = 4) { return {location::kind::argument, i, bytes}; }
  template <class Op, dtype Element, dtype Result>
  location apply(const Op& op, location a, location b, location to) {
    table<index_t> words{attributes[written], 0, 8};
    write_attributes(words, op);
    prepared_body::step step{kernel_of<Op, Element, Result>(), attributes[written++], 2, {a, b}, to};
    step.word_count = words.size;
    step.kind = kind_of_op<Op>;
    step.reads = Element;
    REQUIRE(body.add(step));
    return to;
  }
  template <dtype Element = dtype::f32>
  location compare(direction by, location a, location b, comparison_type type = comparison_type::FLOAT) {
    return apply<ops::compare, Element, dtype::i1>({by, type}, a, b, body.own(1));
  }
  template <class Op>
  location combine(location a, location b) {
    return apply<Op, dtype::i1, dtype::i1>({}, a, b, body.own(1));
  }
  location subtract(location a, location b) {
    return apply<ops::subtract, dtype::f32, dtype::f32>({}, a, b, body.own(4));
  }
  void return_value(location returned) {
    REQUIRE(body.add(prepared_body::copy{returned, {location::kind::result, 0, 1}}));
    REQUIRE(body.end());
  }
  // Whether it compares keys, given the value that it returns.
  bool read(location returned, compared_keys& keys) {
    return_value(returned);
    return keys.read(body);
  }
};

}  // namespace tenon::comparators
