// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/list.hpp>

#include <cstddef>
#include <cstring>

namespace tenon {

// One op of a body, as code that takes what the op in front of it leaves in registers and hands its own result on to
// the next one. `code` has the type that kernels/chained_lanes.hpp says.
struct chain_link {
  void (*code)() = nullptr;
  const std::byte* operands[2] = {};  // those that are in memory
  index_t moves[2] = {};              // all bits if the operand moves on with the elements, none if it stays
};

// What all links have in common.
struct chain_machine {
  void (*run)(const chain_link* first, index_t begin, index_t end);  // on these bytes of elements, strip by strip
  void (*load)();
  void (*store)();
  void (*end)();
  index_t strip_bytes;  // of elements that stay in registers together
};

// What an op says that is asked for its link, in `evaluation::chained`.
struct chained_op {
  const chain_machine* machine = nullptr;  // none: it has no link
  void (*on_first)() = nullptr;            // with the first operand in registers
  void (*on_second)() = nullptr;           // with the second one of two
  void (*after_product[2])() = {};         // the same two, behind a product by a constant
  bool is_product = false;
  int element_bytes = 0;  // 0: any
};

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

// The steps of a body as links, where all its elements have the same size and all its ops know theirs. Booleans that
// steps hand to each other are masks as wide as elements.
class code_chain {
 public:
  static constexpr int most_nodes = 24, most_links = 96, most_totals = 4;

  bool serves() const { return serves_; }
  // So many places are taken at once.
  index_t most_places() const { return (most_links - 1) / most_per_turn_; }
  // The least number of elements from `count` on that is done as a whole.
  index_t rounded_up(index_t count) const {
    const index_t strip = machine_->strip_bytes / element_bytes_;
    return (count + strip - 1) / strip * strip;
  }

  // Own values lie at memory + index * room, where those that no step writes will be repeated for `repeated` elements.
  void prepare(list<body_step> steps, list<body_copy> copies, const type_details* details, std::byte* memory,
               index_t room, index_t repeated) {
    memory_ = memory, room_ = room;
    turns_ = -1, count_ = -1;
    for (bool& each : has_initial_) each = false;
    serves_ = read(steps, copies, details, repeated);
  }
  void forbid() { serves_ = false; }

  // results[i][k] = what the body gives for arguments[...][k]; says for how many elements, from the first one on, it
  // has been done.
  index_t apply(const void* const* arguments, void* const* results, index_t count) {
    const index_t bytes = whole_strips(count);
    if (bytes == 0) return 0;
    emit(1, 0, false);
    place_operands(results, arguments);
    machine_->run(links_, 0, bytes);
    return bytes / element_bytes_;
  }
  // The same for a body whose `totals` first arguments lie where its results do: they take the elements of one place
  // after the other, of which each has as many inputs. They begin as *initial[i], also behind those for which it has
  // been done, or as they are if there are none.
  index_t fold(int totals, void* const* to, const void* const* initial, const void* const* places, index_t place_count,
               index_t count) {
    if (count != count_ || place_count != place_count_) divide(place_count, count);
    const bool begins = initial != nullptr && bytes_ > 0 && place_count > 0 && gives_all(totals);
    const index_t begun = begins ? 0 : -1;  // the place in front of which they do
    if (initial != nullptr && !begins) fill(totals, to, initial, 0, count);
    for (int i = 0; i < totals && begins; ++i) keep_initial(i, initial[i]);
    for (index_t p = 0; p < place_count && bytes_ > 0; p += together_, places += together_ * totals) {
      emit(int(place_count - p < together_ ? place_count - p : together_), totals, p == begun);
      place_operands(to, places);
      machine_->run(links_, 0, bytes_);
    }
    if (begins && done_ < count && place_count <= together_) {
      // Totals that begin anew may be taken twice.
      machine_->run(links_, count * element_bytes_ - machine_->strip_bytes, count * element_bytes_);
      return count;
    }
    if (begins) fill(totals, to, initial, done_, count);
    return done_;
  }

  static void repeat_element(void* to, const void* element, index_t bytes, index_t count) {
    std::byte* const target = static_cast<std::byte*>(to);
    if (count == 0) return;
    std::memcpy(target, element, std::size_t(bytes));
    for (index_t done = 1; done < count; done *= 2)
      std::memcpy(target + done * bytes, target, std::size_t((count - done < done ? count - done : done) * bytes));
  }

 private:
  // A step or a copy.
  struct node {
    void (*on_first)() = nullptr;
    void (*on_second)() = nullptr;
    void (*after_product[2])() = {};
    bool is_product = false;
    int operand_count = 1;
    body_place operands[body_step::most_operands] = {};
    body_place result = {};
  };
  // Whose elements a link reads or writes: those of a result as ~index, or of an argument. Without totals, arguments of
  // further turns are numbered on.
  struct use {
    int link, operand, slot;
  };

  bool serves_ = false;
  const chain_machine* machine_ = nullptr;
  int element_bytes_ = 0;
  std::byte* memory_ = nullptr;
  index_t room_ = 0;
  int node_count_ = 0, link_count_ = 0, use_count_ = 0;
  int most_per_turn_ = 0;
  int turns_ = -1, totals_ = 0;  // what the links are for
  bool begins_ = false;          // whether they begin with initial values
  // How the last fold was divided.
  index_t place_count_ = -1, count_ = -1, together_ = 0, bytes_ = 0, done_ = 0;
  node nodes_[most_nodes];
  chain_link links_[most_links];
  use uses_[2 * most_links];
  static constexpr index_t most_strip = 512;
  alignas(64) std::byte initial_[most_totals][most_strip];
  bool has_initial_[most_totals]{};

  bool read(list<body_step> steps, list<body_copy> copies, const type_details* details, index_t repeated) {
    node_count_ = element_bytes_ = 0;
    machine_ = nullptr;
    if (steps.size == 0 || steps.size + copies.size > most_nodes) return false;
    for (const body_step& each : steps) {
      const chained_op op = ask(each, details);
      if (op.machine == nullptr || (op.element_bytes > 0 && !has_elements(op.element_bytes))) return false;
      machine_ = op.machine;
      node& next = nodes_[node_count_++];
      next = {op.on_first, op.on_second, {op.after_product[0], op.after_product[1]}, op.is_product, each.operand_count};
      next.result = each.result;
      for (int i = 0; i < each.operand_count; ++i) next.operands[i] = each.operands[i];
    }
    for (const body_copy& each : copies) {
      node& next = nodes_[node_count_++];
      next = {};
      next.operands[0] = each.from, next.result = each.to;
    }
    for (int n = 0; n < node_count_; ++n) {
      for (int i = 0; i < nodes_[n].operand_count; ++i)
        if (!can_read(nodes_[n].operands[i], n)) return false;
      if (!can_write(nodes_[n].result)) return false;
    }
    if (element_bytes_ < 4 || room_ < machine_->strip_bytes || most_strip < machine_->strip_bytes) return false;
    if (repeated * element_bytes_ < machine_->strip_bytes) return false;
    // Masks in memory take more of it than booleans do.
    totals_ = 0;
    for (int n = 0; n < node_count_; ++n)
      if (nodes_[n].result.bytes != element_bytes_ && is_stored(n, true)) return false;
    most_per_turn_ = 3 * node_count_;
    return most_per_turn_ < most_links;
  }
  static chained_op ask(const body_step& step, const type_details* details) {
    chained_op answer;
    const void* const operands[body_step::most_operands] = {};
    void* const results[] = {nullptr};
    evaluation e;
    e.operands = {operands, step.operand_count};
    e.results = {results, 1};
    e.words = step.words;
    e.details = details;
    e.chained = &answer;
    step.code(e);
    return answer;
  }
  bool has_elements(int bytes) {
    if (element_bytes_ == 0) element_bytes_ = bytes;
    return element_bytes_ == bytes;
  }
  // What memory holds for all has elements of the one size; masks never leave the chain.
  bool can_read(const body_place& from, int reader) {
    if (from.in == body_place::kind::own)
      for (int n = 0; n < reader; ++n)
        if (nodes_[n].result == from) return true;
    return has_elements(from.bytes);
  }
  bool can_write(const body_place& to) {
    return to.in == body_place::kind::own || (to.in == body_place::kind::result && has_elements(to.bytes));
  }

  void divide(index_t place_count, index_t count) {
    place_count_ = place_count, count_ = count;
    bytes_ = whole_strips(count), done_ = bytes_ / element_bytes_;
    const index_t most = most_places();
    together_ = most < place_count ? most : place_count;
    // As many in each round, if that can be had.
    for (index_t fewer = together_; fewer > most / 2; --fewer)
      if (place_count % fewer == 0) {
        together_ = fewer;
        break;
      }
  }

  bool is_constant(const body_place& value) const {
    for (int n = 0; n < node_count_; ++n)
      if (nodes_[n].result == value) return false;
    return value.in == body_place::kind::own;
  }
  // Whether they are one place: in turns, an argument is what the turn before gave.
  bool same(const body_place& a, const body_place& b) const {
    const bool joins = totals_ > 0 && a.in != body_place::kind::own && b.in != body_place::kind::own;
    return a.index == b.index && (joins || a.in == b.in);
  }
  int reads(const node& reader, const body_place& value) const {
    int count = 0;
    for (int i = 0; i < reader.operand_count; ++i) count += same(reader.operands[i], value) ? 1 : 0;
    return count;
  }
  // Which operand a link finds in registers that hold this value; -1: none.
  int taken_over(const node& reader, const body_place& value) const {
    if (same(reader.operands[0], value)) return 0;
    return reader.operand_count == 2 && reader.on_second != nullptr && same(reader.operands[1], value) ? 1 : -1;
  }
  // Whether what node n gives must be in memory, for others to find it there.
  bool is_stored(int n, bool is_last) const {
    const body_place& value = nodes_[n].result;
    for (int k = 1; k <= node_count_; ++k) {
      if (n + k >= node_count_ && is_last) break;
      const node& next = nodes_[(n + k) % node_count_];
      const int count = reads(next, value);
      if (count > 1 || (count == 1 && (k > 1 || taken_over(next, value) < 0))) return true;
      if (same(next.result, value)) return false;
    }
    return value.in == body_place::kind::result;
  }

  void emit(int turns, int totals, bool begins) {
    if (turns_ == turns && totals_ == totals && begins_ == begins) return;
    turns_ = turns, totals_ = totals, begins_ = begins;
    link_count_ = use_count_ = 0;
    const body_place* held = nullptr;
    for (int turn = 0; turn < turns; ++turn)
      for (int n = 0; n < node_count_; ++n) {
        const bool is_last = turn + 1 == turns;
        const node* each = &nodes_[n];
        int in_registers = held != nullptr ? taken_over(*each, *held) : -1;
        if (in_registers < 0) {
          refer(add(machine_->load), 0, each->operands[0], turn);
          in_registers = 0;
        }
        if (const int second = operand_of_product(n, in_registers, is_last); second >= 0) {
          const node& sum = nodes_[++n];
          const int link = add(sum.after_product[second]);
          refer(link, 0, each->operands[1 - in_registers], turn);
          refer(link, 1, sum.operands[1 - second], turn);
          each = &sum;
        } else if (each->on_first != nullptr) {
          const int link = add(in_registers == 0 ? each->on_first : each->on_second);
          for (int i = 0, at = 0; i < each->operand_count; ++i)
            if (i != in_registers) refer(link, at++, each->operands[i], turn);
        }
        held = &each->result;
        if (is_stored(n, is_last)) refer(add(machine_->store), 0, each->result, turn);
      }
    add(machine_->end);
  }
  // Which operand of the next node it is, if node n is a product by a constant that nobody else reads; -1: it is not.
  int operand_of_product(int n, int in_registers, bool is_last) const {
    if (!nodes_[n].is_product || n + 1 == node_count_ || is_stored(n, is_last)) return -1;
    if (!is_constant(nodes_[n].operands[1 - in_registers])) return -1;
    const node& next = nodes_[n + 1];
    const int operand = reads(next, nodes_[n].result) == 1 ? taken_over(next, nodes_[n].result) : -1;
    return operand >= 0 && next.after_product[operand] != nullptr ? operand : -1;
  }
  int add(void (*code)()) {
    links_[link_count_] = {};
    links_[link_count_].code = code;
    return link_count_++;
  }
  void refer(int link, int operand, const body_place& at, int turn) {
    if (at.in == body_place::kind::own) {
      links_[link].operands[operand] = memory_ + at.index * room_;
      return;
    }
    if (begins_ && turn == 0 && at.in == body_place::kind::argument && at.index < totals_) {
      links_[link].operands[operand] = initial_[at.index];
      return;
    }
    links_[link].moves[operand] = -1;
    const bool is_result = at.in == body_place::kind::result || at.index < totals_;
    uses_[use_count_++] = {link, operand, is_result ? ~at.index : at.index - totals_ + turn * totals_};
  }
  void place_operands(void* const* results, const void* const* arguments) {
    for (int u = 0; u < use_count_; ++u) {
      const auto& [link, operand, slot] = uses_[u];
      links_[link].operands[operand] = static_cast<const std::byte*>(slot < 0 ? results[~slot] : arguments[slot]);
    }
  }

  index_t whole_strips(index_t count) const {
    return count * element_bytes_ / machine_->strip_bytes * machine_->strip_bytes;
  }
  bool gives_all(int totals) const {
    for (int i = 0; i < totals; ++i) {
      bool given = false;
      for (int n = 0; n < node_count_; ++n)
        given = given || (nodes_[n].result.in == body_place::kind::result && nodes_[n].result.index == i);
      if (!given) return false;
    }
    return totals <= most_totals;
  }
  void keep_initial(int total, const void* element) {
    const std::size_t bytes = std::size_t(element_bytes_);
    if (has_initial_[total] && std::memcmp(initial_[total], element, bytes) == 0) return;
    repeat_element(initial_[total], element, element_bytes_, machine_->strip_bytes / element_bytes_);
    has_initial_[total] = true;
  }
  void fill(int totals, void* const* to, const void* const* initial, index_t begin, index_t end) const {
    for (int i = 0; i < totals; ++i)
      repeat_element(static_cast<std::byte*>(to[i]) + begin * element_bytes_, initial[i], element_bytes_, end - begin);
  }
};

}  // namespace tenon
