// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/code_chain.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/fused_body.hpp>
#include <tenon/core/list.hpp>

#include <cstddef>
#include <cstring>

namespace tenon {

// A region of ops that work element by element, made ready to be applied to many elements of its arguments at a time:
// the code of its ops, one after the other, over places that are known. Elements of an argument or a result lie one
// behind the other; what ops hand to each other lies in memory of its own.
class prepared_body {
 public:
  static constexpr int most_steps = 48, most_operands = body_step::most_operands, most_copies = 8;
  static constexpr index_t most_at_once = 1024;

  using place = body_place;
  using step = body_step;
  using copy = body_copy;

  prepared_body() = default;
  // With room for its steps as a chain, which pays for many elements.
  explicit prepared_body(code_chain& chain) : chain_(&chain) {}
  prepared_body(const prepared_body&) = delete;
  prepared_body& operator=(const prepared_body&) = delete;

  // How many elements the region's values have, if all have as many.
  index_t elements() const { return elements_; }
  // How many elements a call works on together.
  index_t at_once() const { return is_chained() ? most_at_once : at_once_; }

  // results[i][k] = what the region gives for arguments[...][k], for 0 <= k < count. Results may lie where the
  // arguments of the same number do if that was asked for, and nowhere else among the arguments.
  void operator()(const void* const* arguments, void* const* results, index_t count) {
    if (fused_.apply != nullptr) return fused_.apply(arguments, results, count);
    const index_t done = is_chained() ? chain_->apply(arguments, results, count) : 0;
    run_steps(arguments, results, done, count);
  }

  // Whether it takes many places together, if it combines totals with as many elements and gives totals over its
  // arguments.
  bool folds_places() const { return fused_.fold != nullptr || is_chained(); }
  // The same for so many places at once, whatever the number of elements.
  bool folds_together(index_t places) const {
    return fused_.fold != nullptr || (is_chained() && places <= chain_->most_places());
  }
  // As fast as `count` elements are so many, if they are at most `most`.
  index_t padded(index_t count, index_t most) const {
    const index_t more = is_chained() ? chain_->rounded_up(count) : count;
    return more <= most ? more : count;
  }
  // In turn for each place p: to[i][k] = what it gives for to[...][k] and places[p * totals + ...][k]. Totals begin as
  // *initial[i], or as they are if there are none.
  void fold(int totals, void* const* to, const void* const* initial, const void* const* places, index_t place_count,
            index_t count) {
    if (fused_.fold != nullptr) return fused_.fold(to, initial, places, place_count, count);
    const index_t done = chain_->fold(totals, to, initial, places, place_count, count);
    for (index_t p = 0; p < place_count && done < count; ++p) {
      const void* arguments[most_steps];
      for (int i = 0; i < totals; ++i) arguments[i] = to[i], arguments[totals + i] = places[p * totals + i];
      run_steps(arguments, to, done, count);
    }
  }

  // The same from initial values on for `rows` rows of totals, of which each lies so many elements behind the one
  // before, as its places do; false, and nothing is done, if that takes a call for each.
  bool fold_each(int totals, void* const* to, const void* const* initial, const void* const* places,
                 index_t place_count, index_t count, index_t rows, index_t distance, index_t place_distance) {
    return fused_.fold == nullptr && is_chained() &&
           chain_->fold_each(totals, to, initial, places, place_count, count, rows, distance, place_distance);
  }

  // The same without initial values, for places of which each lies `distance` elements behind the one before, from
  // elements[i] on.
  void fold_rows(int totals, void* const* to, const void* const* elements, index_t distance, index_t rows,
                 index_t count) {
    if (fused_.fold_rows != nullptr) return fused_.fold_rows(to, elements, distance, rows, count);
    const index_t done = chain_->fold_rows(totals, to, elements, distance, rows, count);
    for (index_t r = 0; r < rows && done < count; ++r) {
      const void* arguments[most_steps];
      for (int i = 0; i < totals; ++i) {
        arguments[i] = to[i];
        arguments[totals + i] = static_cast<const std::byte*>(elements[i]) + r * distance * chain_->element_bytes();
      }
      run_steps(arguments, to, done, count);
    }
  }

  // What fused_body::take_turns says, for a region of so many inputs, outputs and carries that was not made ready over
  // its arguments; false, and nothing is done, if that takes a call for each turn.
  bool take_turns(int inputs, int outputs, int carries, const void* const* arguments, void* const* results,
                  index_t turns, index_t count, bool is_reverse) {
    return is_chained() && chain_->take_turns(inputs, outputs, carries, arguments, results, turns, count, is_reverse);
  }

  // Loops of its own, which may stand in place of steps.
  const fused_body& fused() const { return fused_; }
  void use(const fused_body& loops) {
    begin(nullptr);
    fused_ = loops;
    at_once_ = most_at_once;
  }

  // What it consists of, in order: computations, and then copies.
  list<step> steps() const { return {steps_, step_count_}; }
  list<copy> copies() const { return {copies_, copy_count_}; }
  // Where the value of a place of its own lies, once it has been computed; there for who computes it otherwise, too.
  void* own_memory(const place& at) { return memory_ + at.index * room_; }
  // Which step writes there; -1: none does.
  int writer_of(const place& at) const {
    for (int s = step_count_ - 1; s >= 0; --s)
      if (steps_[s].result == at) return s;
    return -1;
  }
  bool reads(int argument) const { return is_read(argument, 0); }
  // Leaves the steps that are wanted, and no copy.
  void keep_only(const bool* wanted) {
    int kept = 0;
    for (int s = 0; s < step_count_; ++s)
      if (wanted[s]) steps_[kept++] = steps_[s];
    step_count_ = kept;
    copy_count_ = 0;
    fused_ = {};
    if (chain_ != nullptr) chain_->forbid();
  }

  // For who prepares it: false where there is no more room.
  void begin(const type_details* details, index_t elements = 1) {
    elements_ = elements;
    step_count_ = copy_count_ = own_count_ = 0;
    widest_ = 1;
    fused_ = {};
    if (chain_ != nullptr) chain_->forbid();
    inner_.details = details;
  }
  bool add(const step& next) {
    if (step_count_ == most_steps) return false;
    for (int i = 0; i < next.operand_count; ++i)
      widest_ = widest_ < next.operands[i].bytes ? next.operands[i].bytes : widest_;
    widest_ = widest_ < next.result.bytes ? next.result.bytes : widest_;
    steps_[step_count_++] = next;
    return true;
  }
  bool add(const copy& next) {
    if (copy_count_ == most_copies) return false;
    widest_ = widest_ < next.to.bytes ? next.to.bytes : widest_;
    copies_[copy_count_++] = next;
    return true;
  }
  place own(int bytes) { return {place::kind::own, own_count_++, bytes}; }

  // Keeps results that would lie over arguments that are still read elsewhere, until nobody reads these.
  bool keep_arguments() {
    for (int s = 0; s < step_count_; ++s) {
      const place target = steps_[s].result;
      if (target.in != place::kind::result || !is_read(target.index, s + 1)) continue;
      const place kept = own(target.bytes);
      for (int t = s; t < step_count_; ++t) {
        for (place& each : steps_[t].operands)
          if (each == target) each = kept;
        if (steps_[t].result == target) steps_[t].result = kept;
      }
      for (int c = 0; c < copy_count_; ++c)
        if (copies_[c].from == target) copies_[c].from = kept;
      if (!add(copy{kept, target})) return false;
    }
    return true;
  }
  // Divides the memory.
  bool end() {
    constexpr index_t least_at_once = 16;
    room_ = memory_bytes / (own_count_ > 0 ? own_count_ : 1) / 64 * 64;
    at_once_ = room_ / widest_ < most_at_once ? room_ / widest_ : most_at_once;
    if (at_once_ < least_at_once) return false;
    if (chain_ != nullptr) chain_->prepare(steps(), copies(), inner_.details, memory_, room_, at_once_);
    return true;
  }
  // The element that is the same in all calls.
  void repeat(const place& to, const void* element) {
    code_chain::repeat_element(memory_ + to.index * room_, element, to.bytes, at_once_);
  }

 private:
  static constexpr index_t memory_bytes = 8192;

  bool is_chained() const { return chain_ != nullptr && chain_->serves(); }

  // The elements from `first` on.
  void run_steps(const void* const* arguments, void* const* results, index_t first, index_t count) {
    for (; first < count; first += at_once_) {
      inner_.count = count - first < at_once_ ? count - first : at_once_;
      const auto at = [&](const place& each) -> void* {
        if (each.in == place::kind::own) return memory_ + each.index * room_;
        const void* const start =
            each.in == place::kind::argument ? arguments[each.index] : static_cast<const void*>(results[each.index]);
        return static_cast<std::byte*>(const_cast<void*>(start)) + first * each.bytes;
      };
      for (int s = 0; s < step_count_; ++s) {
        const step& each = steps_[s];
        const void* inputs[most_operands];
        for (int i = 0; i < each.operand_count; ++i) inputs[i] = at(each.operands[i]);
        void* to = at(each.result);
        inner_.operands = {inputs, each.operand_count};
        inner_.results = {&to, 1};
        inner_.words = each.words;
        each.code(inner_);
      }
      for (int c = 0; c < copy_count_; ++c)
        std::memcpy(at(copies_[c].to), at(copies_[c].from), std::size_t(inner_.count * copies_[c].to.bytes));
    }
  }

  bool is_read(int argument, int from) const {
    for (int s = from; s < step_count_; ++s)
      for (int i = 0; i < steps_[s].operand_count; ++i)
        if (steps_[s].operands[i].in == place::kind::argument && steps_[s].operands[i].index == argument) return true;
    for (int c = 0; c < copy_count_; ++c)
      if (copies_[c].from.in == place::kind::argument && copies_[c].from.index == argument) return true;
    return false;
  }

  alignas(64) std::byte memory_[memory_bytes];
  evaluation inner_;
  fused_body fused_;
  code_chain* chain_ = nullptr;
  step steps_[most_steps];
  copy copies_[most_copies];
  int step_count_ = 0, copy_count_ = 0, own_count_ = 0;
  index_t elements_ = 1, widest_ = 1, at_once_ = 0, room_ = 0;
};

// A body with a chain of its own.
class chained_body : public prepared_body {
 public:
  chained_body() : prepared_body(chain_) {}

 private:
  code_chain chain_;
};

inline bool evaluation::prepare(int region, bool over_arguments, prepared_body& body) const {
  if (fused_of(region).apply == nullptr) return prepare_steps(region, over_arguments, body);
  body.use(fused_of(region));
  return true;
}

}  // namespace tenon
