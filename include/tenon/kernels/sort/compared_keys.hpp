// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/prepared_body.hpp>
#include <tenon/ops/elementwise/compare.hpp>
#include <tenon/ops/list.hpp>

#include <cstddef>
#include <cstdint>

namespace tenon {

// A comparator that compares keys in order: the first key in which two elements differ decides. A key is a function of
// an element, the same for both. Arguments of even numbers belong to the element that may come first, odd ones to the
// other.
//
// Found by what the comparator says, not by how it is written: it has to look at the elements through comparisons of
// functions of each only, and its other steps are run for every way in which these may end.
class compared_keys {
 public:
  using place = prepared_body::place;
  struct key {
    place left, right;  // its values for either element
    dtype element;
    bool total;  // by totalOrder of IEEE-754
    bool descends;
  };
  static constexpr int most = 5;

  int size() const { return size_; }
  const key& operator[](int i) const { return keys_[i]; }

  // False if the comparator is another one. The body is not of use any more.
  bool read(prepared_body& comparator) {
    size_ = 0;
    const list<prepared_body::step> steps = comparator.steps();
    place root{place::kind::result, 0, 1};
    for (const prepared_body::copy& each : comparator.copies())
      if (each.to == root) root = each.from;
    int atoms = 0;
    for (int s = 0; s < steps.size; ++s)
      if (compares_function(comparator, s)) ++atoms;
    bool wanted[prepared_body::most_steps]{};
    if (atoms == 0 || !decides(comparator, root, wanted)) return false;
    run_all(comparator, root, wanted);
    return sort_keys();
  }

  // Of the comparator, which is made ready anew, only the keys of one element are left: its results, one behind the
  // other.
  bool leave_functions(prepared_body& comparator) const {
    bool wanted[prepared_body::most_steps]{};
    for (int i = 0; i < size_; ++i) need(comparator, comparator.writer_of(keys_[i].left), wanted);
    comparator.keep_only(wanted);
    for (int i = 0; i < size_; ++i)
      if (!comparator.add(prepared_body::copy{keys_[i].left, {place::kind::result, i, keys_[i].left.bytes}}))
        return false;
    return true;
  }

 private:
  // A step that compares the values of one function, as `keys_` has it or the other way round.
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
  atom atoms_[prepared_body::most_steps]{};
  bool truth_[most_combinations];

  bool compares_function(const prepared_body& body, int s) {
    const prepared_body::step& step = body.steps().data[s];
    atoms_[s] = {};
    if (step.kind != kind_of_op<ops::compare> || step.operand_count != 2) return false;
    const place &first = step.operands[0], &second = step.operands[1];
    const bool turned = !same_function(body, first, second, 0);
    if (turned && !same_function(body, first, second, 1)) return false;
    const bool total = read_attributes<ops::compare>(step.words).compare_type == comparison_type::TOTALORDER;
    const key found{turned ? second : first, turned ? first : second, step.reads, total, false};
    int k = 0;
    while (k < size_ && !(keys_[k].left == found.left && keys_[k].right == found.right && keys_[k].total == total)) ++k;
    if (k == most) return false;
    if (k == size_) keys_[size_++] = found;
    atoms_[s] = {k, turned};
    return true;
  }
  // Whether `a` is of the element of this side what `b` is of the other.
  static bool same_function(const prepared_body& body, const place& a, const place& b, int side) {
    if (a.in == place::kind::argument)
      return b.in == a.in && a.index % 2 == side && b.index == (a.index ^ 1) && a.bytes == b.bytes;
    const int first = body.writer_of(a), second = body.writer_of(b);
    if (first < 0 || second < 0) return first == second && a == b;
    const prepared_body::step &one = body.steps().data[first], &other = body.steps().data[second];
    if (first == second || one.code != other.code || one.operand_count != other.operand_count ||
        one.word_count != other.word_count)
      return false;
    for (int i = 0; i < one.word_count; ++i)
      if (one.words[i] != other.words[i]) return false;
    for (int i = 0; i < one.operand_count; ++i)
      if (!same_function(body, one.operands[i], other.operands[i], side)) return false;
    return true;
  }
  static void need(const prepared_body& body, int s, bool* wanted) {
    if (s < 0 || wanted[s]) return;
    wanted[s] = true;
    const prepared_body::step& step = body.steps().data[s];
    for (int i = 0; i < step.operand_count; ++i) need(body, body.writer_of(step.operands[i]), wanted);
  }
  // Whether comparisons and constants are all that this value is made of. `wanted`: what else is done to them.
  bool decides(const prepared_body& body, const place& value, bool* wanted) const {
    if (value.in == place::kind::argument) return false;
    const int s = body.writer_of(value);
    if (s < 0 || atoms_[s].key >= 0 || wanted[s]) return true;
    wanted[s] = true;
    const prepared_body::step& step = body.steps().data[s];
    for (int i = 0; i < step.operand_count; ++i)
      if (!decides(body, step.operands[i], wanted)) return false;
    return true;
  }

  // What the comparator says for every way in which the comparisons of the keys may end.
  void run_all(prepared_body& body, const place& root, const bool* wanted) {
    struct written {
      place to;
      atom from;
      ops::compare op;
    } comparisons[prepared_body::most_steps];
    int count = 0;
    for (int s = 0; s < body.steps().size; ++s)
      if (atoms_[s].key >= 0)
        comparisons[count++] = {body.steps().data[s].result, atoms_[s],
                                read_attributes<ops::compare>(body.steps().data[s].words)};
    body.keep_only(wanted);
    const int all = combinations();
    unsigned char said[prepared_body::most_at_once];
    for (int first = 0; first < all; first += int(body.at_once())) {
      const int some = all - first < body.at_once() ? all - first : int(body.at_once());
      for (int c = 0; c < count; ++c) {
        const auto& [to, from, op] = comparisons[c];
        unsigned char* const values =
            to.in == place::kind::result ? said : static_cast<unsigned char*>(body.own_memory(to));
        for (int i = 0; i < some; ++i) {
          const std::int32_t left = outcome_of(from.key, first + i), right = equal;
          values[i] = from.turned ? op.element(right, left) : op.element(left, right);
        }
      }
      void* const results[] = {said};
      body(nullptr, results, some);
      const unsigned char* const decisions =
          root.in == place::kind::result ? said : static_cast<const unsigned char*>(body.own_memory(root));
      for (int i = 0; i < some; ++i) truth_[first + i] = decisions[i] != 0;
    }
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

}  // namespace tenon
