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

// A name of CHLO, or of another dialect, for an op that has another name here.
struct other_name {
  std::string_view prefix, name;
  int kind = -1;
  word_key key = 0;

  constexpr int size() const { return int(prefix.size() + name.size()); }
};
template <class Op>
constexpr other_name named(std::string_view prefix, std::string_view name = Op::name) {
  word_key key = key_of(prefix);
  for (const char c : name) key = extend(key, c);
  return {prefix, name, kind_of_op<Op>, key};
}
// CHLO spreads the operands of these over the shape of their result.
template <class... Ops>
struct names_with_broadcast {
  static constexpr other_name at[] = {named<ops::tan>("chlo."),
                                      named<ops::constant>("chlo."),
                                      named<ops::constant>("sdy."),
                                      named<ops::constant>("arith."),
                                      named<ops::broadcast_in_dim>("chlo.", "constant_like"),
                                      named<Ops>("chlo.broadcast_")...};
};
inline constexpr auto& other_names =
    names_with_broadcast<ops::add, ops::atan2, ops::divide, ops::maximum, ops::minimum, ops::multiply, ops::power,
                         ops::remainder, ops::shift_left, ops::shift_right_arithmetic, ops::shift_right_logical,
                         ops::subtract, ops::and_, ops::or_, ops::xor_, ops::complex, ops::compare, ops::select,
                         ops::next_after, ops::polygamma, ops::zeta>::at;

}  // namespace detail

// A bit for each op. All words are written: g++ 12 takes sets for one that differ in which of their words were.
struct op_set {
  static constexpr int words = (ops::all::size + 63) / 64;
  std::uint64_t bits[words]{0, 0, 0};

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
  static constexpr int slot_count = 512, all_ops = tenon::ops::all::size;
  detail::known_op ops[all_ops];
  short slot[slot_count] = {};

  constexpr void enter(word_key key, int entry) {
    unsigned at = slots::start(key) % slot_count;
    while (slot[at] != 0) at = (at + 1) % slot_count;
    slot[at] = short(entry + 1);
  }
  // The first entry with this key for which `wanted` is true, or -1.
  constexpr int find(word_key key, auto wanted) const {
    for (unsigned at = slots::start(key) % slot_count; slot[at] != 0; at = (at + 1) % slot_count)
      if (key_of_entry(slot[at] - 1) == key && wanted(slot[at] - 1)) return slot[at] - 1;
    return -1;
  }
  // The op that MHLO has by this name, which StableHLO or CHLO has too, or -1.
  constexpr int find_of_mhlo(std::string_view name) const {
    if (name == "topk") name = "top_k";
    for (const std::string_view dialect : {"stablehlo.", "chlo."}) {
      word_key key = key_of(dialect);
      for (const char c : name) key = extend(key, c);
      if (const int found = find(key, [&](int i) { return i < all_ops && ops[i].name == name; }); found >= 0)
        return found;
    }
    return -1;
  }
  constexpr word_key key_of_entry(int entry) const {
    return entry >= all_ops ? detail::other_names[entry - all_ops].key : ops[entry].key;
  }
  static constexpr int kind_of_entry(int entry) {
    return entry >= all_ops ? detail::other_names[entry - all_ops].kind : entry;
  }
};

}  // namespace tenon::text
