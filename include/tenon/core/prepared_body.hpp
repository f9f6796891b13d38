// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/compiled_region.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/list.hpp>

#include <cstddef>
#include <cstring>

namespace tenon {

// A place of a region's values: elements of an argument, of a result, or of what its ops hand to each other.
struct body_place {
  enum class kind : int { argument, result, own } in;
  int index;
  int bytes;  // of an element

  friend constexpr bool operator==(const body_place&, const body_place&) = default;
};
struct body_step {
  static constexpr int most_operands = 3;

  void (*code)(const evaluation&);
  const index_t* words;
  int operand_count;
  body_place operands[most_operands];
  body_place result;
  int word_count = 0;
  int kind = -1;              // the op's number
  dtype reads = dtype::none;  // the element type of its first operand
};
struct body_copy {
  body_place from, to;
};

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
  prepared_body(const prepared_body&) = delete;
  prepared_body& operator=(const prepared_body&) = delete;

  // How many elements the region's values have, if all have as many.
  index_t elements() const { return elements_; }
  // How many elements a call works on together.
  index_t at_once() const { return at_once_; }

  // results[i][k] = what the region gives for arguments[...][k], for 0 <= k < count. Results may lie where the
  // arguments of the same number do if that was asked for, and nowhere else among the arguments.
  void operator()(const void* const* arguments, void* const* results, index_t count) {
    if (compiled_.apply != nullptr) return compiled_.apply(arguments, results, count);
    run_steps(arguments, results, 0, count);
  }

  // Loops of its own, which may stand in place of steps.
  const compiled_region& compiled() const { return compiled_; }
  void use(const compiled_region& loops) {
    begin(nullptr);
    compiled_ = loops;
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
    compiled_ = {};
  }

  // For who prepares it: false where there is no more room.
  void begin(const type_details* details, index_t elements = 1) {
    elements_ = elements;
    step_count_ = copy_count_ = own_count_ = 0;
    widest_ = 1;
    compiled_ = {};
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
    return true;
  }
  // The element that is the same in all calls.
  void repeat(const place& to, const void* element) {
    std::byte* const target = memory_ + to.index * room_;
    for (index_t i = 0; i < at_once_; ++i) std::memcpy(target + i * to.bytes, element, std::size_t(to.bytes));
  }

 private:
  static constexpr index_t memory_bytes = 8192;

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
  compiled_region compiled_;
  step steps_[most_steps];
  copy copies_[most_copies];
  int step_count_ = 0, copy_count_ = 0, own_count_ = 0;
  index_t elements_ = 1, widest_ = 1, at_once_ = 0, room_ = 0;
};

inline bool evaluation::prepare(int region, bool over_arguments, prepared_body& body) const {
  if (compiled_of(region).apply == nullptr) return prepare_steps(region, over_arguments, body);
  body.use(compiled_of(region));
  return true;
}

}  // namespace tenon
