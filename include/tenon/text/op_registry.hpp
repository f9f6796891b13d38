// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/all.hpp>
#include <tenon/ops/list.hpp>
#include <tenon/text/tables.hpp>

namespace tenon::text {

namespace mlir {
class attribute_reader;
}
class op_checker;

namespace detail {

using finish_function = bool (*)(op_checker&, mlir::attribute_reader*, op_parts&);

struct known_op {
  word_key key = 0;
  std::string_view dialect, name;
  op_notation notation = op_notation::generic;
  bool asks_for_constants = false;
  bool is_read = false;
  finish_function finish = nullptr;
};

// A name of CHLO for an op that has another name here.
struct other_name {
  keyword name;
  int kind = -1;
};
inline constexpr other_name other_names[] = {
    {"chlo.tan", kind_of_op<ops::tan>},
    {"chlo.constant", kind_of_op<ops::constant>},
    {"chlo.constant_like", kind_of_op<ops::broadcast_in_dim>},
    {"chlo.broadcast_add", kind_of_op<ops::add>},
    {"chlo.broadcast_atan2", kind_of_op<ops::atan2>},
    {"chlo.broadcast_divide", kind_of_op<ops::divide>},
    {"chlo.broadcast_maximum", kind_of_op<ops::maximum>},
    {"chlo.broadcast_minimum", kind_of_op<ops::minimum>},
    {"chlo.broadcast_multiply", kind_of_op<ops::multiply>},
    {"chlo.broadcast_power", kind_of_op<ops::power>},
    {"chlo.broadcast_remainder", kind_of_op<ops::remainder>},
    {"chlo.broadcast_shift_left", kind_of_op<ops::shift_left>},
    {"chlo.broadcast_shift_right_arithmetic", kind_of_op<ops::shift_right_arithmetic>},
    {"chlo.broadcast_shift_right_logical", kind_of_op<ops::shift_right_logical>},
    {"chlo.broadcast_subtract", kind_of_op<ops::subtract>},
    {"chlo.broadcast_and", kind_of_op<ops::and_>},
    {"chlo.broadcast_or", kind_of_op<ops::or_>},
    {"chlo.broadcast_xor", kind_of_op<ops::xor_>},
    {"chlo.broadcast_complex", kind_of_op<ops::complex>},
    {"chlo.broadcast_compare", kind_of_op<ops::compare>},
    {"chlo.broadcast_select", kind_of_op<ops::select>},
    {"chlo.broadcast_next_after", kind_of_op<ops::next_after>},
    {"chlo.broadcast_polygamma", kind_of_op<ops::polygamma>},
    {"chlo.broadcast_zeta", kind_of_op<ops::zeta>},
};

}  // namespace detail

// A bit for each op.
struct op_set {
  static constexpr int words = (ops::all::size + 63) / 64;
  std::uint64_t bits[words]{};

  constexpr bool has(int kind) const { return (bits[kind / 64] >> (kind % 64) & 1) != 0; }
  constexpr void add(int kind) { bits[kind / 64] |= std::uint64_t{1} << (kind % 64); }
};
inline constexpr op_set every_op = [] {
  op_set result;
  for (int kind = 0; kind < ops::all::size; ++kind) result.add(kind);
  return result;
}();

// The ops that a parser knows, by the key of their full name. The slots count the ops from 1, and on through the other
// names that they have.
struct op_registry {
  static constexpr int slot_count = 512;
  detail::known_op ops[ops::all::size];
  short slot[slot_count] = {};

  constexpr void enter(word_key key, int entry) {
    unsigned at = slots::start(key) % slot_count;
    while (slot[at] != 0) at = (at + 1) % slot_count;
    slot[at] = short(entry + 1);
  }
  // Calls f with every entry that may have this key.
  constexpr void for_each_entry(word_key key, auto f) const {
    for (unsigned at = slots::start(key) % slot_count; slot[at] != 0; at = (at + 1) % slot_count) f(slot[at] - 1);
  }
};

}  // namespace tenon::text
