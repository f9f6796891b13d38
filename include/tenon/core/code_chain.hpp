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
  void (*code)();
  const std::byte* operands[2];  // those that are in memory
  index_t moves[2];              // all bits if the operand moves on with the elements, none if it stays
};

// What all links have in common that work on as many elements at a time.
struct chain_machine {
  // So many times: on elements `begin` bytes further on, then on those `step` bytes behind these, and so on.
  void (*run)(const chain_link* first, index_t begin, index_t step, index_t times);
  void (*load)();
  void (*store)();
  void (*end)();
  index_t strip_bytes;  // of elements that stay in registers together
  bool stores_results;  // links without a second operand in memory store what they give where it would be
};

// An op as links of a machine.
struct chain_form {
  const chain_machine* machine;  // none: it has no links
  void (*on_first)();            // with the first operand in registers
  void (*on_second)();           // with the second one of two
  void (*after_product[2])();    // the same two, behind a product by a constant
};

// What an op says that is asked for its links, in `evaluation::chained`.
struct chained_op {
  chain_form strips;
  chain_form singles[2];  // one element at a time, of four bytes and of eight
  bool is_product;
  int element_bytes;  // 0: any
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
  int element_bytes() const { return element_bytes_; }
  // The least number of elements from `count` on that is done as a whole.
  index_t rounded_up(index_t count) const {
    const index_t strip = strips_->strip_bytes / element_bytes_;
    return (count + strip - 1) / strip * strip;
  }

  // Own values lie at memory + index * room, where those that no step writes will be repeated for `repeated` elements.
  void prepare(list<body_step> steps, list<body_copy> copies, const type_details* details, std::byte* memory,
               index_t room, index_t repeated) {
    memory_ = memory, room_ = room;
    purpose_ = {};
    count_ = -1;
    forget_initial();
    serves_ = read(steps, copies, details, repeated);
  }
  void forbid() { serves_ = false; }

  // results[i][k] = what the body gives for arguments[...][k]; says for how many elements, from the first one on, it
  // has been done.
  index_t apply(const void* const* arguments, void* const* results, index_t count) {
    if (count != count_) divide(0, count);
    if (strip_count_ == 0) return 0;
    emit({.machine = strips_, .turns = 1});
    place_operands(results, arguments);
    strips_->run(links_, 0, strips_->strip_bytes, strip_count_);
    return done_;
  }
  // The same for a body whose `totals` first arguments lie where its results do: they take the elements of one place
  // after the other, of which each has as many inputs. They begin as *initial[i], also behind those for which it has
  // been done, or as they are if there are none.
  index_t fold(int totals, void* const* to, const void* const* initial, const void* const* places, index_t place_count,
               index_t count) {
    if (count != count_ || place_count != place_count_) divide(place_count, count);
    const index_t strip = strips_->strip_bytes;
    const bool begins = initial != nullptr && strip_count_ > 0 && place_count > 0 && gives_all(totals);
    const index_t begun = begins ? 0 : -1;  // the place in front of which they do
    if (initial != nullptr && !begins) fill(totals, to, initial, 0, count);
    for (int i = 0; i < totals && begins; ++i) keep_initial(i, initial[i]);
    for (index_t p = 0; p < place_count && strip_count_ > 0; p += together_, places += together_ * totals) {
      emit({.machine = strips_,
            .turns = int(place_count - p < together_ ? place_count - p : together_),
            .carries = totals,
            .in_place = true,
            .begins = p == begun});
      place_operands(to, places);
      strips_->run(links_, 0, strip, strip_count_);
    }
    if (begins && done_ < count && place_count <= together_) {
      // Totals that begin anew may be taken twice.
      strips_->run(links_, count * element_bytes_ - strip, strip, 1);
      return count;
    }
    if (begins) fill(totals, to, initial, done_, count);
    return done_;
  }

  // The same from initial values on for `rows` rows of totals, of which each lies so many elements behind the one
  // before, as its places do; false, and nothing is done, if that takes a call for each.
  bool fold_each(int totals, void* const* to, const void* const* initial, const void* const* places,
                 index_t place_count, index_t count, index_t rows, index_t distance, index_t place_distance) {
    if (count != count_ || place_count != place_count_) divide(place_count, count);
    if (strip_count_ == 0 || place_count == 0 || place_count > together_ || !gives_all(totals)) return false;
    for (int i = 0; i < totals; ++i) keep_initial(i, initial[i]);
    emit({.machine = strips_, .turns = int(place_count), .carries = totals, .in_place = true, .begins = true});
    const index_t strip = strips_->strip_bytes, bytes = count * element_bytes_;
    const index_t place_bytes = place_distance * element_bytes_, further = distance * element_bytes_ - place_bytes;
    // Strip after strip of as many rows as lie near each other; the last strip may take elements again.
    const index_t near = 0 < place_bytes && place_bytes < near_bytes ? near_bytes / place_bytes : 1;
    for (index_t first = 0; first < rows; first += near)
      for (index_t done = 0; done < bytes; done += strip) {
        place_operands(to, places, done + strip <= bytes ? done : bytes - strip);
        move_totals(first * further);
        for (index_t r = first; r < rows && r < first + near; ++r, move_totals(further))
          strips_->run(links_, r * place_bytes, 0, 1);
      }
    return true;
  }

  // The same without initial values, for places of which each lies `step` elements behind the one before, from
  // elements[i] on.
  index_t fold_rows(int totals, void* const* to, const void* const* elements, index_t step, index_t rows,
                    index_t count) {
    if (totals > most_totals) return 0;
    const index_t strip = strips_->strip_bytes, strips = count * element_bytes_ / strip, row = step * element_bytes_;
    // Laying out more than one turn takes time, which pays only where a total stays in registers in between.
    const index_t together = hands_on(totals) ? in_even_parts(rows, most_places()) : 1;
    const index_t whole = rows / together * together;
    const auto take = [&](index_t first, index_t turns, index_t times) {
      const void* from[most_totals];
      for (int i = 0; i < totals; ++i) from[i] = static_cast<const std::byte*>(elements[i]) + first * row;
      emit({.machine = strips_, .turns = int(turns), .carries = totals, .in_place = true, .in_rows = true});
      for (index_t s = 0; s < strips; ++s) {
        place_operands(to, from, s * strip, row);
        strips_->run(links_, 0, turns * row, times);
      }
    };
    // Strip after strip of as many rows as lie near each other.
    const index_t most = together * row < near_bytes ? near_bytes / (together * row) : 1;
    for (index_t first = 0, times = most; strips > 0 && first < whole; first += times * together) {
      if (const index_t left = (whole - first) / together; left < times) times = left;
      take(first, together, times);
    }
    if (strips > 0 && whole < rows) take(whole, rows - whole, 1);
    return strips * strip / element_bytes_;
  }

  // fused_body::take_turns for a body of so many inputs and outputs; false, and nothing is done, if that is faster turn
  // by turn.
  bool take_turns(int inputs, int outputs, int carries, const void* const* arguments, void* const* results,
                  index_t turns, index_t count, bool is_reverse) {
    constexpr index_t few = 4, many = 24;
    if (carries > most_totals || most_places() < 2 || turns == 0 || count == 0) return false;
    const index_t row = count * element_bytes_, strip = strips_->strip_bytes, next = is_reverse ? -row : row;
    // Strips of shorter rows reach into those of later turns, which write them again. The last turns have none.
    const index_t behind = (strip - 1) / row;
    const index_t in_strips = row < strip && (count < few || turns < 2 * behind) ? 0 : turns - behind;
    if (in_strips == 0 && count > many) return false;
    forget_initial();
    // Turns from `first` to `last`, on elements from `begin` bytes behind the start of a row on.
    const auto take = [&](const chain_machine* machine, index_t begin, index_t first, index_t last) {
      const index_t before = begin < 0 ? -begin : 0, all = last - first;
      const auto bytes = std::size_t(machine->strip_bytes < row ? machine->strip_bytes : row);
      for (int i = 0; i < carries; ++i) {
        const void* const from = first == 0 ? arguments[inputs + i] : results[outputs + i];
        std::memset(carried_[0][i], 0, std::size_t(machine->strip_bytes));
        std::memcpy(carried_[0][i] + before, static_cast<const std::byte*>(from) + begin + before, bytes);
      }
      const index_t together = turns_together(all);
      for (index_t turn = first, some = together; turn < last; turn += some) {
        index_t times = (last - turn) / together;
        if (times == 0) times = 1, some = last - turn;
        emit({.machine = machine,
              .turns = int(some),
              .carries = carries,
              .first_argument = inputs,
              .first_result = outputs});
        place_operands(results, arguments, begin + (is_reverse ? turns - 1 - turn : turn) * row, next);
        machine->run(links_, 0, some * next, times);
        some *= times;
      }
      for (int i = 0; i < carries; ++i)
        std::memcpy(static_cast<std::byte*>(results[outputs + i]) + begin + before, carried_[all % 2][i] + before,
                    bytes);
    };
    if (in_strips > 0 && row < strip) take(strips_, is_reverse ? row - strip : 0, 0, in_strips);
    // The last strip of a long row may take elements again.
    for (index_t done = 0; done < row && row >= strip; done += strip)
      take(strips_, row - done < strip ? row - strip : done, 0, turns);
    for (index_t done = 0; done < row && in_strips < turns; done += element_bytes_)
      take(singles_, done, in_strips, turns);
    return true;
  }

  static void repeat_element(void* to, const void* element, index_t bytes, index_t count) {
    std::byte* const target = static_cast<std::byte*>(to);
    if (count == 0) return;
    std::memcpy(target, element, std::size_t(bytes));
    for (index_t done = 1; done < count; done *= 2)
      std::memcpy(target + done * bytes, target, std::size_t((count - done < done ? count - done : done) * bytes));
  }

 private:
  // What rows lie near each other that are worked on strip after strip.
  static constexpr index_t near_bytes = 131072;

  // A step or a copy.
  struct node {
    chained_op op;
    bool is_copy;
    int operand_count;
    body_place operands[body_step::most_operands];
    body_place result;
  };
  // What links are for: so many turns, of which each begins with the carries that the one in front of it gave: the
  // arguments from `first_argument` on are the results from `first_result` on.
  struct purpose {
    const chain_machine* machine = nullptr;
    int turns = 0, carries = 0, first_argument = 0, first_result = 0;
    bool in_place = false;  // carries lie where results go, and other arguments are those of place after place
    bool begins = false;    // the first turn takes initial values
    bool in_rows = false;   // places follow each other: their elements move on from place to place, and carries stay

    friend constexpr bool operator==(const purpose&, const purpose&) = default;
  };
  // What a node gives in a turn has the number turn * node_count_ + node.
  struct computation {
    int sources[body_step::most_operands];  // which ones it reads; -1: what no node gives
    int in_registers;                       // which operand it finds there; -1: none
    int origin;                             // of a copy: the one that it is
    bool is_read;                           // in memory
  };
  // Whose elements a link reads or writes: those of a result as ~index, or of an argument. In place, arguments of
  // further turns are numbered on.
  struct use {
    int link, operand, slot, turn;
  };

  bool serves_ = false;
  const chain_machine* strips_ = nullptr;
  const chain_machine* singles_ = nullptr;
  int element_bytes_ = 0;
  std::byte* memory_ = nullptr;
  index_t room_ = 0;
  int node_count_ = 0, link_count_ = 0, use_count_ = 0;
  int most_per_turn_ = 0;
  purpose purpose_;
  // How the last elements and places were divided.
  index_t place_count_ = -1, count_ = -1, together_ = 0, strip_count_ = 0, done_ = 0;
  node nodes_[most_nodes];
  chain_link links_[most_links];
  use uses_[2 * most_links];
  computation computations_[most_links];
  static constexpr index_t most_strip = 512;
  alignas(64) std::byte carried_[2][most_totals][most_strip];  // of which the first ones hold initial values, too
  alignas(64) std::byte nowhere_[most_strip];                  // where links store what nobody reads
  bool has_initial_[most_totals]{};

  bool read(list<body_step> steps, list<body_copy> copies, const type_details* details, index_t repeated) {
    node_count_ = element_bytes_ = 0;
    strips_ = singles_ = nullptr;
    if (steps.size == 0 || steps.size + copies.size > most_nodes) return false;
    for (const body_step& each : steps) {
      node& next = nodes_[node_count_++];
      next = {ask(each, details), false, each.operand_count, {}, each.result};
      if (next.op.strips.machine == nullptr) return false;
      if (next.op.element_bytes > 0 && !has_elements(next.op.element_bytes)) return false;
      for (int i = 0; i < each.operand_count; ++i) next.operands[i] = each.operands[i];
    }
    for (const body_copy& each : copies) nodes_[node_count_++] = {{}, true, 1, {each.from}, each.to};
    strips_ = nodes_[0].op.strips.machine;
    for (int n = 0; n < node_count_; ++n) {
      for (int i = 0; i < nodes_[n].operand_count; ++i)
        if (!can_read(nodes_[n].operands[i], n)) return false;
      if (!can_write(nodes_[n].result)) return false;
    }
    if (element_bytes_ < 4 || room_ < strips_->strip_bytes || most_strip < strips_->strip_bytes) return false;
    if (repeated * element_bytes_ < strips_->strip_bytes) return false;
    singles_ = singles_of(nodes_[0]).machine;
    most_per_turn_ = 3 * node_count_;
    return most_per_turn_ < most_links;
  }
  static chained_op ask(const body_step& step, const type_details* details) {
    chained_op answer{};
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
  bool can_read(const body_place& from, int reader) { return writer_of(from, reader) >= 0 || has_elements(from.bytes); }
  bool can_write(const body_place& to) {
    return to.in == body_place::kind::own || (to.in == body_place::kind::result && has_elements(to.bytes));
  }

  // How many turns are taken at a time. Carries change between two places with every turn, and are in the first one
  // again after an even number of them.
  index_t turns_together(index_t turns) const {
    const index_t most = most_places() / 2 * 2;
    if (turns <= most) return turns;
    for (index_t fewer = most; fewer > most / 2; fewer -= 2)
      if (turns % fewer == 0) return fewer;
    return most;
  }
  void divide(index_t place_count, index_t count) {
    place_count_ = place_count, count_ = count;
    strip_count_ = count * element_bytes_ / strips_->strip_bytes;
    done_ = strip_count_ * strips_->strip_bytes / element_bytes_;
    together_ = in_even_parts(place_count, most_places());
  }
  // So many at a time, at most: as many each time, if that can be had.
  static index_t in_even_parts(index_t all, index_t most) {
    if (all <= most) return all;
    for (index_t fewer = most; fewer > most / 2; --fewer)
      if (all % fewer == 0) return fewer;
    return most;
  }

  // Which node in front of that one gives what is at this place in the same turn; -1: none.
  int writer_of(const body_place& value, int reader) const {
    for (int n = reader - 1; n >= 0; --n)
      if (nodes_[n].result == value) return n;
    return -1;
  }
  bool is_constant(const body_place& value) const {
    return value.in == body_place::kind::own && writer_of(value, node_count_) < 0;
  }
  // Which carry an argument or a result is; -1: none.
  int carry_of(const body_place& at) const {
    if (at.in == body_place::kind::own) return -1;
    const bool is_argument = at.in == body_place::kind::argument;
    const int carry = at.index - (is_argument ? purpose_.first_argument : purpose_.first_result);
    return 0 <= carry && carry < purpose_.carries ? carry : -1;
  }
  // Whether the last node of a turn leaves in registers what the first one of the next turn takes: one of the totals.
  bool hands_on(int totals) const {
    const node &first = nodes_[0], &last = nodes_[node_count_ - 1];
    if (last.result.in != body_place::kind::result || last.result.index >= totals) return false;
    const body_place total{body_place::kind::argument, last.result.index, last.result.bytes};
    for (int i = 0; i < first.operand_count; ++i)
      if (first.operands[i] == total && can_take(first, i)) return true;
    return false;
  }
  // Whether it finds that operand in registers, if that is left there.
  bool can_take(const node& each, int operand) const {
    return operand == 0 || (operand == 1 && each.operand_count == 2 && form_of(each).on_second != nullptr);
  }
  const chain_form& singles_of(const node& each) const { return each.op.singles[element_bytes_ == 8 ? 1 : 0]; }
  const chain_form& form_of(const node& each) const {
    return purpose_.machine == strips_ ? each.op.strips : singles_of(each);
  }
  int source_of(const body_place& value, int reader, int turn) const {
    if (const int n = writer_of(value, reader); n >= 0) return turn * node_count_ + n;
    if (turn == 0 || value.in != body_place::kind::argument) return -1;
    const int carry = carry_of(value);
    if (carry < 0) return -1;
    const int n = writer_of({body_place::kind::result, purpose_.first_result + carry, value.bytes}, node_count_);
    return n >= 0 ? (turn - 1) * node_count_ + n : -1;
  }
  // Finds out which computation leaves what the next one needs in registers, and which ones must be read from memory.
  void follow() {
    int held = -1;  // whose result registers hold
    for (int turn = 0, c = 0; turn < purpose_.turns; ++turn)
      for (int n = 0; n < node_count_; ++n, ++c) {
        const node& each = nodes_[n];
        computation& next = computations_[c];
        next.in_registers = -1, next.origin = c, next.is_read = false;
        for (int i = 0; i < each.operand_count; ++i) {
          // Turns repeat each other, but for the first one.
          const int earlier = turn > 1 ? computations_[c - node_count_].sources[i] : -1;
          const int source =
              turn > 1 ? (earlier < 0 ? -1 : earlier + node_count_) : source_of(each.operands[i], n, turn);
          next.sources[i] = source;
          if (next.in_registers < 0 && source >= 0 && computations_[source].origin == held && can_take(each, i))
            next.in_registers = i;
        }
        for (int i = 0; i < each.operand_count; ++i)
          if (i != next.in_registers && next.sources[i] >= 0) computations_[next.sources[i]].is_read = true;
        if (each.is_copy && next.sources[0] >= 0) next.origin = computations_[next.sources[0]].origin;
        held = next.origin;
      }
  }
  bool is_stored(int c) const {
    const body_place& to = nodes_[c % node_count_].result;
    const bool leaves =
        to.in == body_place::kind::result && (carry_of(to) < 0 || c >= (purpose_.turns - 1) * node_count_);
    return leaves || computations_[c].is_read;
  }

  void emit(const purpose& wanted) {
    if (wanted == purpose_) return;
    purpose_ = wanted;
    link_count_ = use_count_ = 0;
    follow();
    const chain_machine& machine = *purpose_.machine;
    for (int turn = 0, c = 0; turn < purpose_.turns; ++turn)
      for (int n = 0; n < node_count_; ++n, ++c) {
        const node* each = &nodes_[n];
        int in_registers = computations_[c].in_registers, link = -1;
        if (in_registers < 0) {
          refer(add(machine.load), 0, each->operands[0], turn);
          in_registers = 0;
        }
        if (const int second = operand_of_product(n, c, in_registers); second >= 0) {
          const node& sum = nodes_[++n];
          ++c;
          link = add(form_of(sum).after_product[second]);
          refer(link, 0, each->operands[1 - in_registers], turn);
          refer(link, 1, sum.operands[1 - second], turn);
          each = &sum;
        } else if (!each->is_copy) {
          link = add(in_registers == 0 ? form_of(*each).on_first : form_of(*each).on_second);
          int at = 0;
          for (int i = 0; i < each->operand_count; ++i)
            if (i != in_registers) refer(link, at++, each->operands[i], turn);
          if (at == 2 || !machine.stores_results) link = -1;
        }
        if (is_stored(c))
          refer(link >= 0 && machine.stores_results ? link : add(machine.store),
                link >= 0 && machine.stores_results ? 1 : 0, each->result, turn);
      }
    add(machine.end);
  }
  // Which operand of the next node it is, if node n is a product by a constant that nobody else reads; -1: it is not.
  int operand_of_product(int n, int c, int in_registers) const {
    if (!nodes_[n].op.is_product || n + 1 == node_count_ || is_stored(c)) return -1;
    if (!is_constant(nodes_[n].operands[1 - in_registers])) return -1;
    const int operand = computations_[c + 1].in_registers;
    return operand >= 0 && form_of(nodes_[n + 1]).after_product[operand] != nullptr ? operand : -1;
  }
  int add(void (*code)()) {
    links_[link_count_] = {code, {nowhere_, nowhere_}, {}};
    return link_count_++;
  }
  void refer(int link, int operand, const body_place& at, int turn) {
    const std::byte*& place = links_[link].operands[operand];
    if (at.in == body_place::kind::own) {
      place = memory_ + at.index * room_;
      return;
    }
    const bool is_argument = at.in == body_place::kind::argument;
    const int carry = carry_of(at);
    if (carry >= 0 && !purpose_.in_place) {
      place = carried_[(is_argument ? turn : turn + 1) % 2][carry];
      return;
    }
    if (carry >= 0 && is_argument && turn == 0 && purpose_.begins) {
      place = carried_[0][carry];
      return;
    }
    int slot = is_argument ? at.index : ~at.index;
    if (purpose_.in_place && carry >= 0)
      slot = ~carry;
    else if (purpose_.in_place)
      slot = at.index - purpose_.carries + (purpose_.in_rows ? 0 : turn * purpose_.carries);
    const bool stays = purpose_.in_rows && carry >= 0;
    links_[link].moves[operand] = stays ? 0 : -1;
    uses_[use_count_++] = {link, operand, slot, stays ? 0 : turn};
  }
  // Arguments and results, `begin` bytes further on, and those of every turn so many behind the one in front.
  void place_operands(void* const* results, const void* const* arguments, index_t begin = 0, index_t turn_bytes = 0) {
    for (int u = 0; u < use_count_; ++u) {
      const auto& [link, operand, slot, turn] = uses_[u];
      links_[link].operands[operand] =
          static_cast<const std::byte*>(slot < 0 ? results[~slot] : arguments[slot]) + begin + turn * turn_bytes;
    }
  }

  // Totals lie so many bytes further on than what is read.
  void move_totals(index_t bytes) {
    for (int u = 0; u < use_count_; ++u)
      if (const use& each = uses_[u]; each.slot < 0) links_[each.link].operands[each.operand] += bytes;
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
    if (has_initial_[total] && std::memcmp(carried_[0][total], element, bytes) == 0) return;
    repeat_element(carried_[0][total], element, element_bytes_, strips_->strip_bytes / element_bytes_);
    has_initial_[total] = true;
  }
  void forget_initial() {
    for (bool& each : has_initial_) each = false;
  }
  void fill(int totals, void* const* to, const void* const* initial, index_t begin, index_t end) const {
    for (int i = 0; i < totals; ++i)
      repeat_element(static_cast<std::byte*>(to[i]) + begin * element_bytes_, initial[i], element_bytes_, end - begin);
  }
};

}  // namespace tenon
