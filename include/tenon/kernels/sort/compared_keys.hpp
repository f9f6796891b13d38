// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/kernels/lanes/lane_program.hpp>
#include <tenon/ops/elementwise/compare.hpp>
#include <tenon/ops/list.hpp>

#include <cstddef>
#include <cstdint>

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

  // What the comparator says for every way in which the comparisons of the keys may end; false if it looks at more than
  // these and constants.
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

}  // namespace tenon::kernels
