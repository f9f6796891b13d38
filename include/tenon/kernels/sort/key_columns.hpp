// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/copy_run.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/kernels/lanes/lane_program.hpp>
#include <tenon/kernels/tuning.hpp>
#include <tenon/ops/elementwise/compare.hpp>
#include <tenon/ops/elementwise/order.hpp>
#include <tenon/ops/list.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

// Sorting rows: by the bytes of an integer key, the lowest one first, without comparisons, or by merging. Equal keys
// keep their order.
namespace tenon::kernels {

// A comparator that compares keys in order: the first key in which two elements differ decides. A key is a function of
// an element, the same for both. Arguments of even numbers belong to the element that may come first, odd ones to the
// other.
//
// Found by what the comparator says, not by how it is written: it has to look at the elements through comparisons of
// functions of each only, and its other ops are run for every way in which these may end.
class compared_keys {
 public:
  struct key {
    int left, right;  // its values for either element, as operands of the comparator's ops
    dtype element;
    bool total;  // by totalOrder of IEEE-754
    bool descends;
  };
  static constexpr int most = 5;

  int size() const { return size_; }
  const key& operator[](int i) const { return keys_[i]; }

  // False if the comparator is another one.
  bool read(const lane_function& comparator) {
    const lane_program& program = *comparator.program;
    size_ = 0;
    bool any = false;
    for (int n = 0; n < program.node_count; ++n) any = compares_function(program, comparator.words, n) || any;
    return any && decide_all(comparator) && sort_keys();
  }

  // The keys of one element, as a program of the comparator's arguments; it does not fit if there are too many.
  lane_program functions(const lane_program& comparator) const {
    int given[lane_program::most_inputs], wanted[most];
    for (int i = 0; i < comparator.argument_count; ++i) given[i] = ~i;
    for (int i = 0; i < size_; ++i) wanted[i] = keys_[i].left;
    return part_of(comparator, {given, comparator.argument_count}, {wanted, size_});
  }

 private:
  // An op that compares the values of one function, as `keys_` has it or the other way round.
  struct atom {
    int key = -1;
    bool turned = false;
  };
  enum outcome : std::uint8_t { less, equal, greater, outcomes };
  static constexpr int most_combinations = 243;  // outcomes to the power of `most`
  int combinations() const {
    int all = 1;
    for (int k = 0; k < size_; ++k) all *= int(outcomes);
    return all;
  }
  static constexpr outcome outcome_of(int key, int combination) {
    for (; key > 0; --key) combination /= int(outcomes);
    return outcome(combination % int(outcomes));
  }

  key keys_[most];
  int size_ = 0;
  atom atoms_[lane_program::most_nodes]{};
  bool truth_[most_combinations];

  bool compares_function(const lane_program& program, const index_t* words, int n) {
    const lane_node& node = program.nodes[n];
    atoms_[n] = {};
    if (node.key.kind != kind_of_op<ops::compare> || node.operand_count != 2) return false;
    const int first = node.operands[0], second = node.operands[1];
    const bool turned = !same_function(program, words, first, second, 0);
    if (turned && !same_function(program, words, first, second, 1)) return false;
    const bool total = read_attributes<ops::compare>(words + node.words).compare_type == comparison_type::TOTALORDER;
    const key found{turned ? second : first, turned ? first : second, node.key.element, total, false};
    int k = 0;
    while (k < size_ && !(keys_[k].left == found.left && keys_[k].right == found.right && keys_[k].total == total)) ++k;
    if (k == most) return false;
    if (k == size_) keys_[size_++] = found;
    atoms_[n] = {k, turned};
    return true;
  }
  // Whether `a` is of the element of this side what `b` is of the other.
  static bool same_function(const lane_program& program, const index_t* words, int a, int b, int side) {
    if (program.is_argument(a)) return ~a % 2 == side && ~b == (~a ^ 1);
    if (a < 0 || b < 0) return a == b;
    const lane_node &one = program.nodes[a], &other = program.nodes[b];
    if (a == b || !(one.key == other.key) || one.word_count != other.word_count) return false;
    for (int i = 0; i < one.word_count; ++i)
      if (words[one.words + i] != words[other.words + i]) return false;
    for (int i = 0; i < one.operand_count; ++i)
      if (!same_function(program, words, one.operands[i], other.operands[i], side)) return false;
    return true;
  }

  // Tabulates the comparator over all outcomes of comparing the keys; false if it reads anything but these and
  // constants.
  bool decide_all(const lane_function& comparator) {
    const lane_program& program = *comparator.program;
    static constexpr int most_atoms = 24;
    int listed[most_atoms], count = 0;
    for (int n = 0; n < program.node_count; ++n) {
      if (atoms_[n].key < 0) continue;
      if (count == most_atoms) return false;
      listed[count++] = n;
    }
    const lane_program decision = part_of(program, {listed, count}, {program.results, 1});
    if (!decision.fits) return false;
    const int all = combinations();
    bool answers[most_atoms][most_combinations];
    const void* arguments[most_atoms];
    for (int a = 0; a < count; ++a) {
      const ops::compare op = read_attributes<ops::compare>(comparator.words + program.nodes[listed[a]].words);
      for (int c = 0; c < all; ++c) {
        const std::int32_t left = outcome_of(atoms_[listed[a]].key, c), right = equal;
        answers[a][c] = atoms_[listed[a]].turned ? op.element(right, left) : op.element(left, right);
      }
      arguments[a] = answers[a];
    }
    void* const results[] = {truth_};
    comparator.interpret(comparator.context, decision, arguments, results, all);
    return true;
  }

  // Puts the keys in the order in which they decide, without those that never do.
  bool sort_keys() {
    const int known = size_, all = combinations();
    bool ties[most]{};
    key in_order[most];
    int listed = 0;
    const auto open = [&](int combination) {
      for (int k = 0; k < known; ++k)
        if (ties[k] && outcome_of(k, combination) != equal) return false;
      return true;
    };
    // Whether elements with the same keys so far are compared by this one first.
    const auto decides_next = [&](int k, bool& descends) {
      int seen[int(outcomes)][2]{};
      for (int c = 0; c < all; ++c)
        if (open(c)) ++seen[outcome_of(k, c)][truth_[c] ? 1 : 0];
      descends = seen[less][0] > 0;
      return seen[less][descends ? 1 : 0] == 0 && seen[greater][descends ? 0 : 1] == 0;
    };
    for (;;) {
      bool any = false;
      for (int c = 0; c < all; ++c) any = any || (open(c) && truth_[c]);
      if (!any) break;
      int next = 0;
      bool descends = false;
      while (next < known && (ties[next] || !decides_next(next, descends))) ++next;
      if (next == known) return false;
      in_order[listed] = keys_[next];
      in_order[listed++].descends = descends;
      ties[next] = true;
    }
    for (int k = 0; k < listed; ++k) keys_[k] = in_order[k];
    size_ = listed;
    return listed > 0;
  }
};

// An unsigned integer in the order of the numbers. Zeros of both signs have the same one; NaN is beyond.
template <class T>
constexpr auto order_key(T x) {
  if constexpr (binary_float<T>) {
    using key = ieee::bits_of<T>;
    return key(key(ops::total_order_key(x == T(0) ? T(0) : x)) ^ ieee::sign_bit<T>);
  } else {
    using key = std::make_unsigned_t<T>;
    return key(key(x) ^ key(std::numeric_limits<T>::min()));
  }
}

// The same in the order of totalOrder of IEEE-754: -0 before +0, NaN at the ends by its sign.
template <class T>
constexpr auto total_order_digits(T x) {
  if constexpr (binary_float<T>) {
    using key = ieee::bits_of<T>;
    return key(key(ops::total_order_key(x)) ^ ieee::sign_bit<T>);
  } else {
    return order_key(x);
  }
}

// How often each value of each byte occurs.
struct digit_counts {
  static constexpr int values = 256, most_digits = 8;
  std::uint32_t at[most_digits][values];
};

// Sorts `count` < 2^32 items by key_of(item), an unsigned integer. `other` is as large as `items`; gives where they are
// in the end, there or in `items`.
template <class Item, class KeyOf>
Item* sort_by_digits(Item* items, Item* other, index_t count, digit_counts& counts, KeyOf key_of) {
  using key = decltype(key_of(*items));
  static_assert(std::unsigned_integral<key>);
  constexpr int digits = int(sizeof(key));
  if (count < 2) return items;
  const auto digit = [](key from, int place) { return std::size_t(from >> (8 * place) & 0xFF); };
  std::memset(counts.at, 0, sizeof counts.at[0] * digits);
  for (index_t i = 0; i < count; ++i) {
    const key k = key_of(items[i]);
    for (int d = 0; d < digits; ++d) ++counts.at[d][digit(k, d)];
  }
  for (int d = 0; d < digits; ++d) {
    std::uint32_t* const places = counts.at[d];
    if (index_t(places[digit(key_of(items[0]), d)]) == count) continue;
    std::uint32_t first = 0;
    for (int v = 0; v < digit_counts::values; ++v) {
      const std::uint32_t many = places[v];
      places[v] = first;
      first += many;
    }
    for (index_t i = 0; i < count; ++i) {
      const Item item = items[i];
      other[places[digit(key_of(item), d)]++] = item;
    }
    Item* const sorted = other;
    other = items;
    items = sorted;
  }
  return items;
}

template <class Item, class Less>
void merge_items(const Item* from, index_t low, index_t middle, index_t high, Item* to, Less is_less) {
  index_t left = low, right = middle, at = low;
  // Without branches that nobody can predict.
  while (left < middle && right < high) {
    const Item a = from[left], b = from[right];
    const bool takes_right = is_less(b, a);
    to[at++] = takes_right ? b : a;
    right += takes_right;
    left += !takes_right;
  }
  while (left < middle) to[at++] = from[left++];
  while (right < high) to[at++] = from[right++];
}

// Sorts `count` items, equal ones in their order, by their keys if there are enough of them, else by merging.
// `ordered`: the keys say the same as is_less, which is not so for numbers that have no order. Otherwise like
// sort_by_digits.
template <class Item, class Less, class KeyOf>
Item* sort_row(Item* items, Item* other, index_t count, bool ordered, digit_counts& counts, Less is_less,
               KeyOf key_of) {
  if (ordered && count >= tuning::least_sorted_by_digits(sizeof(key_of(*items))))
    return sort_by_digits(items, other, count, counts, key_of);
  constexpr index_t run = 8;
  for (index_t low = 0; low < count; low += run) {
    const index_t high = low + run < count ? low + run : count;
    for (index_t i = low + 1; i < high; ++i) {
      const Item inserted = items[i];
      index_t at = i;
      for (; at > low && is_less(inserted, items[at - 1]); --at) items[at] = items[at - 1];
      items[at] = inserted;
    }
  }
  for (index_t width = run; width < count; width *= 2) {
    for (index_t low = 0; low < count; low += 2 * width) {
      const index_t middle = low + width < count ? low + width : count;
      merge_items(items, low, middle, middle + width < count ? middle + width : count, other, is_less);
    }
    std::swap(items, other);
  }
  return items;
}

// Computes the keys that a comparator compares as integers, for some elements of a row at a time. Keys that fit
// sixty-four bits together make a group; the first group has the keys that decide last.
class key_columns {
 public:
  static constexpr index_t at_once = 128;

  // `function` gives the keys of an element, and is a part of the comparator. Neighbours in a row are `stride` elements
  // apart.
  key_columns(const evaluation& e, const compared_keys& keys, const lane_function& comparator,
              const lane_program& function, index_t stride)
      : e_(e), keys_(keys), comparator_(comparator), function_(function), stride_(stride) {
    int sum = 0;
    begins_[0] = keys_.size();
    for (int i = keys_.size() - 1; i >= 0; --i) {
      const int bits = bits_of(keys_[i].element);
      is_supported_ = is_supported_ && bits > 0;
      may_be_unordered_ = may_be_unordered_ || (is_float(keys_[i].element) && !keys_[i].total);
      if (sum + bits > 64) begins_[++groups_] = i + 1, sum = 0;
      sum += bits;
      bits_ = bits_ < sum ? sum : bits_;
    }
    begins_[++groups_] = 0;
    for (int i = 0; i < e_.operands.size; ++i)
      if (reads(i)) ++operands_read_;
    is_supported_ = is_supported_ && operands_read_ <= most_operands && e_.operands.size <= most_arguments;
  }

  bool is_supported() const { return is_supported_; }
  int groups() const { return groups_; }
  int bits() const { return bits_; }  // of the longest group
  bool may_be_unordered() const { return may_be_unordered_; }

  // The group's keys of elements first_of_row, ..., `count` of them from k on or, if there are places, those of these
  // numbers. False if some number has no order.
  template <class Key>
  bool compute(int group, index_t first_of_row, index_t k, const index_t* places, index_t count, Key* to) {
    const void* arguments[2 * most_arguments]{};
    int gathered = 0;
    for (int i = 0; i < e_.operands.size; ++i)
      if (reads(i))
        arguments[2 * i] = arguments[2 * i + 1] = gather(i, first_of_row, k, places, count, gathered_[gathered++]);
    void* results[compared_keys::most];
    for (int i = 0; i < keys_.size(); ++i) results[i] = values_[i];
    comparator_.interpret(comparator_.context, function_, arguments, results, count);
    for (index_t v = 0; v < count; ++v) to[v] = 0;
    bool ordered = true;
    for (int i = begins_[group + 1]; i < begins_[group]; ++i) ordered &= append(keys_[i], values_[i], count, to);
    return ordered;
  }

 private:
  static constexpr int most_operands = 5, most_arguments = 32;

  const evaluation& e_;
  const compared_keys& keys_;
  const lane_function& comparator_;
  const lane_program& function_;
  index_t stride_;
  int begins_[compared_keys::most + 1]{};  // group i has keys begins_[i + 1] <= k < begins_[i]
  int groups_ = 0, bits_ = 0, operands_read_ = 0;
  bool is_supported_ = true, may_be_unordered_ = false;
  alignas(64) std::byte gathered_[most_operands][at_once * 16];
  alignas(64) std::byte values_[compared_keys::most][at_once * 8];

  template <class F>
  static bool with_key(dtype element, F f) {
    if (element == dtype::i1) element = dtype::ui8;
    return visit<dtype::f16, dtype::bf16, dtype::f32, dtype::f64, dtype::i8, dtype::i16, dtype::i32, dtype::i64,
                 dtype::ui8, dtype::ui16, dtype::ui32, dtype::ui64>(element, f);
  }
  // An element of such a type as an integer in its order. Floats of sixteen bits are looked at as f32.
  template <class T>
  static auto digits(const T& value, bool total) {
    if constexpr (is_narrow_float<T>)
      return digits(convert_to<f32>(value), total);
    else
      return total ? total_order_digits(value) : order_key(value);
  }
  template <class T>
  static constexpr bool is_narrow_float = std::is_same_v<T, f16> || std::is_same_v<T, bf16>;
  static int bits_of(dtype element) {
    int bits = 0;
    with_key(element, [&]<class T>() { return bits = 8 * int(sizeof(digits(T{}, false))), true; });
    return bits;
  }

  bool reads(int operand) const {
    return function_.reads_argument(2 * operand) || function_.reads_argument(2 * operand + 1);
  }

  const void* gather(int operand, index_t first, index_t k, const index_t* places, index_t count, void* memory) const {
    const index_t bytes = storage_bytes(e_.operand_types.data[operand].element);
    const std::byte* const from = e_.operand<std::byte>(operand) + first * bytes;
    if (places == nullptr && stride_ == 1) return from + k * bytes;
    const auto copy = [&]<class Bytes>(Bytes) {
      const Bytes* const source = reinterpret_cast<const Bytes*>(from);
      Bytes* const to = static_cast<Bytes*>(memory);
      if (places == nullptr) return copy_run(to, source + k * stride_, stride_, count);
      for (index_t v = 0; v < count; ++v) to[v] = source[places[v] * stride_];
    };
    with_bytes(bytes, copy);
    return memory;
  }

  // Shifts the key in from below.
  template <class Key>
  static bool append(const compared_keys::key& key, const void* values, index_t count, Key* to) {
    bool ordered = true;
    with_key(key.element, [&]<class T>() {
      using bits = decltype(digits(T{}, false));
      const T* const from = static_cast<const T*>(values);
      const bits flipped = key.descends ? bits(~bits(0)) : bits(0);
      const auto append_all = [&](bool total) {
        for (index_t v = 0; v < count; ++v) {
          const Key each = Key(bits(digits(from[v], total) ^ flipped));
          if constexpr (sizeof(bits) >= sizeof(Key))
            to[v] = each;
          else
            to[v] = Key(to[v] << (8 * sizeof(bits))) | each;
          if constexpr (std::floating_point<T>)
            ordered &= total || from[v] == from[v];
          else if constexpr (is_narrow_float<T>)
            ordered &= total || !ieee::is_nan(convert_to<f32>(from[v]));
        }
      };
      key.total ? append_all(true) : append_all(false);
      return true;
    });
    return ordered;
  }
};

}  // namespace tenon::kernels
