// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/build.hpp>
#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/passes/loop_invariants.hpp>
#include <tenon/graph/passes/rewrites.hpp>
#include <tenon/graph/passes/simplifying_progress.hpp>

namespace tenon::passes {

// Tables of a simplifier; memory of the caller, all of it zero at the beginning.
struct simplifying_memory {
  table<bool> live;    // per node of the source
  table<int> values;   // per value of the source
  table<int> regions;  // per region of the source
  table<int> next;     // per node of the target: the next one with its hash, plus one
};

// Rewrites one function of a graph into a graph of its own: calls are replaced by the bodies of the functions they
// name, dead nodes are removed, equal nodes are merged, loop-invariant code is hoisted, and `all_rewrites` are applied.
class simplifier {
 public:
  // All state between two calls of `run` is in the target, the memory and the progress.
  constexpr simplifier(const graph& from, graph& to, const simplifying_memory& memory, simplifying_progress& progress)
      : from_(from),
        to_(to),
        live_(memory.live),
        values_(memory.values),
        regions_(memory.regions),
        next_(memory.next),
        progress_(progress) {}

  // Room that the target has to have before each step: for a node with regions, or what replaces it, and for all that
  // is hoisted for it.
  static constexpr graph_sizes room_for_step(const graph& from) {
    int widest = 0;
    bool has_loops = false;
    const auto widen = [&](int count) { widest = count > widest ? count : widest; };
    for (const graph_node& node : from.nodes) {
      widen(node.operand_count), widen(node.result_count), widen(node.word_count), widen(node.region_count);
      has_loops = has_loops || facts_of(node.kind).carries_in_place;
    }
    for (const graph_region& region : from.regions) widen(region.argument_count), widen(region.yield_count);
    graph_sizes room = most_rewritten;
    room.values += widest, room.operands += widest, room.words += widest, room.region_references += widest;
    return has_loops ? room + of_hoisted_nodes : room;
  }
  // Room for the beginning: names, types and literals are copied whole.
  static constexpr graph_sizes room_to_begin(const graph& from) {
    graph_sizes room = from.sizes();
    room.functions = 1;
    for (const graph_literal& literal : from.literals)
      if (literal.where == graph_literal::place::words) room.words += literal.size;
    return room + room_for_step(from);
  }

  // Writes the function into the target until it is done, or has failed (true), or until the budget is spent, of which
  // one unit is about one operand of one op, or the target has no room for another step (false).
  constexpr bool run(const graph_function& function, int budget, int most_nodes) {
    live_.size = from_.nodes.size, values_.size = from_.values.size, regions_.size = from_.regions.size;
    next_.size = next_.capacity;
    if (!progress_.begun) begin(function);
    const graph_sizes room = room_for_step(from_);
    for (budget_ = budget; budget_ > 0 && progress_.depth > 0 && !progress_.failure && has_room(to_, room);)
      if (step() && (to_.nodes.size > most_nodes || ++progress_.steps / 4 > most_nodes || to_.overflow()))
        fail("the program grows too large, with the bodies of functions in place of calls");
    return progress_.failure || progress_.depth == 0;
  }

 private:
  using frame = simplifying_progress::frame;

  const graph& from_;
  graph& to_;
  table<bool> live_;
  table<int> values_;
  table<int> regions_;  // where a region was last written to
  table<int> next_;
  simplifying_progress& progress_;
  int budget_ = 0;

  constexpr void begin(const graph_function& function) {
    progress_.begun = true;
    for (const tensor_type& type : from_.types) progress_.keeps_loops = progress_.keeps_loops || type.bounded != 0;
    mark();
    for (const tensor_type& type : from_.types) to_.types.push(type);
    copy_references(from_, to_);
    copy_literals(from_, to_);
    const graph_region& body = from_.regions.data[function.region];
    const int target = open_like(function.region, -1);
    push({function.region, body.first, target, -1, 0, false});
    to_.functions.push({function.name, target, true});
  }

  constexpr void mark() {
    for (const graph_function& each : from_.functions) need_yields(each.region);
    for (int n = from_.nodes.size - 1; n >= 0; --n) {
      const graph_node& node = from_.nodes.data[n];
      bool needed = facts_of(node.kind).effects || is_call(node) || has_effect_inside(node);
      for (int r = 0; r < node.result_count; ++r) needed = needed || values_[node.results + r] != 0;
      if (!needed) continue;
      live_[n] = true;
      if (const int only = only_nonempty_operand::find(from_, node); only >= 0 && !is_off(only_nonempty_operand::name))
        values_[only] = 1;
      else
        for (int value : from_.operands_of(node)) need(value, n, facts_of(node.kind).elementwise);
      for (int region : from_.regions_of(node)) need_yields(region);
    }
    for (int i = 0; i < values_.size; ++i)
      if (values_[i] >= 0) values_[i] = -1;
  }
  constexpr void need(int value, int reader, bool elementwise) {
    if (values_[value] == 0)
      values_[value] = elementwise ? rewrite_site::read_by_elementwise_ops : rewrite_site::read_by(reader);
    else if (!elementwise || values_[value] != rewrite_site::read_by_elementwise_ops)
      values_[value] = 1;
  }

  constexpr bool fail(const char* sentence, int owner = -1) {
    progress_.failure = sentence;
    progress_.failed_at = owner < 0 ? -1 : from_.nodes.data[owner].source;
    return false;
  }
  constexpr bool push(const frame& f) {
    if (progress_.depth == simplifying_progress::deepest)
      return fail("calls and regions are nested deeper than 96", f.owner);
    progress_.stack[progress_.depth++] = f;
    return true;
  }

  constexpr bool has_effect_inside(const graph_node& node) const {
    for (int region : from_.regions_of(node)) {
      const graph_region& inside = from_.regions.data[region];
      for (int n = inside.first; n < inside.last; ++n)
        if (live_[n] && facts_of(from_.nodes.data[n].kind).effects) return true;
    }
    return false;
  }

  constexpr void need_yields(int region) {
    if (region < 0) return;
    for (int value : from_.yields_of(from_.regions.data[region])) values_[value] = 1;
  }

  constexpr int open_like(int region, int parent) {
    const graph_region& source = from_.regions.data[region];
    const graph_region target = begin_region(to_, parent, source.source, source.argument_count);
    for (int a = 0; a < source.argument_count; ++a) {
      values_[source.arguments + a] = to_.values.size;
      to_.values.push({from_.values.data[source.arguments + a].type, -1, a, to_.regions.size});
    }
    regions_[region] = to_.regions.size;
    return to_.regions.push(target);
  }

  constexpr bool step() {
    frame& top = progress_.stack[progress_.depth - 1];
    const graph_region& region = from_.regions.data[top.source];
    while (top.next < region.last && (from_.nodes.data[top.next].region != top.source || !live_[top.next])) ++top.next;
    if (top.next >= region.last) return finish(), true;
    const graph_node& node = from_.nodes.data[top.next];
    budget_ -= 1 + node.operand_count + node.result_count;
    if (is_call(node)) return enter_call(top, node);
    if (top.region == 0 && node.region_count > 0 && reuse_equivalent_node(top, node)) return ++top.next, true;
    if (top.region < node.region_count && !drops_regions(node)) {
      const int inner = from_.regions_of(node)[top.region];
      const int target = open_like(inner, top.target);
      return push({inner, from_.regions.data[inner].first, target, top.next, 0, false});
    }
    write(top, node);
    top.region = 0;
    ++top.next;
    return true;
  }

  constexpr bool enter_call(frame& top, const graph_node& node) {
    const std::optional<graph_function> callee = from_.find_function(callee_of(from_, node));
    if (!callee || callee->region < 0) return fail("a function that is called has no body", top.next);
    for (int i = 0; i < progress_.depth; ++i)
      if (progress_.stack[i].source == callee->region) return fail("the calls are recursive", top.next);
    const graph_region& body = from_.regions.data[callee->region];
    const list<int> operands = from_.operands_of(node);
    // Another call of it writes other nodes than this one.
    for (int n = body.first; n < body.last; ++n)
      for (int r = 0; r < from_.nodes.data[n].result_count; ++r)
        if (int& value = values_[from_.nodes.data[n].results + r]; value >= 0) value = -1;
    for (int a = 0; a < body.argument_count; ++a) values_[body.arguments + a] = values_[operands[a]];
    return push({callee->region, body.first, top.target, top.next, 0, true});
  }

  constexpr void finish() {
    const frame done = progress_.stack[--progress_.depth];
    const list<int> yields = from_.yields_of(from_.regions.data[done.source]);
    budget_ -= 1 + yields.size;
    if (done.inlined) {
      const graph_node& call = from_.nodes.data[done.owner];
      for (int r = 0; r < call.result_count; ++r) values_[call.results + r] = values_[yields[r]];
      ++progress_.stack[progress_.depth - 1].next;
      return;
    }
    close_region(to_, done.target, yields, [this](int value) { return values_[value]; });
    if (progress_.depth > 0) ++progress_.stack[progress_.depth - 1].region;
  }

  constexpr bool is_off(std::string_view rewrite) const {
    return (progress_.switched_off >> all_rewrites::find(rewrite) & 1) != 0;
  }
  constexpr bool drops_regions(const graph_node& node) const {
    return window_update::begins_at(node.kind) && !is_off(window_update::name) && window_update(from_, node).matches();
  }

  constexpr void write(frame& top, const graph_node& node) {
    hoist_loop_invariant_operands(node);
    const read_values read(*this, node);
    sink_repeated_operands(node);
    write_here(top, node);
    for (int i = read.all.size - 1; i >= 0; --i) values_[from_.operands_of(node)[i]] = read.at[i];
  }

  constexpr void write_here(frame& top, const graph_node& node) {
    // A reader of a permuted product is written with that.
    if (node.operand_count == 1 && node.result_count == 1 && values_[node.results] >= 0) return;
    if (node.kind >= 0 && node.result_count == 1 && node.operand_count <= most_read_operands_) {
      int number = -1;
      const rewrite_site site{from_, node, to_, top.target, values_, regions_};
      if (const int value = all_rewrites::apply(site, progress_.switched_off, number); value >= 0) {
        values_[node.results] = value;
        ++progress_.applied[number];
        return;
      }
    }
    if (node.region_count == 0 && reuse_equivalent_node(top, node)) return;
    const int first_word = to_.words.size;
    for (index_t word : from_.words_of(node)) to_.words.push(word);
    const int added = copy_node(
        to_, from_, node, top.target, first_word, from_.operands_of(node), [this](int value) { return values_[value]; },
        [this](int region) { return regions_[region]; });
    for (int r = 0; r < node.result_count; ++r) values_[node.results + r] = to_.nodes.data[added].results + r;
    if (!can_be_shared(node)) return;
    int& head = progress_.heads[hash_of(node)];
    next_[added] = head, head = added + 1;
  }

  static constexpr int most_read_operands_ = 8;
  // The values of the target that a node reads.
  struct read_values {
    int at[most_read_operands_]{};
    list<int> all;

    constexpr read_values(const simplifier& self, const graph_node& node) {
      const list<int> operands = self.from_.operands_of(node);
      if (operands.size > most_read_operands_) return;
      for (int i = 0; i < operands.size; ++i) at[i] = self.values_[operands.data[i]];
      all = {at, operands.size};
    }
    read_values(const read_values&) = delete;
  };
  // Operands that each iteration of a loop computes alike are computed before the loop.
  constexpr void hoist_loop_invariant_operands(const graph_node& node) {
    const open_regions open(from_, values_, progress_);
    if (!open.has_loops() || node.operand_count > most_read_operands_ || progress_.keeps_loops) return;
    loop_invariants invariants(to_, open, progress_.hoisted);
    const read_values read(*this, node);
    if (!invariants.vary(read.all)) return;
    for (int i = 0; i < node.operand_count; ++i)
      values_[from_.operands_of(node)[i]] = invariants.in_front(read.at[i], node);
  }

  // A broadcast from outside of a loop is repeated at its reader, which reads the few elements.
  constexpr void sink_repeated_operands(const graph_node& node) {
    const open_regions open(from_, values_, progress_);
    if (!open.has_loops() || node.operand_count > most_read_operands_ || progress_.keeps_loops) return;
    loop_invariants invariants(to_, open, progress_.hoisted);
    for (int value : from_.operands_of(node)) values_[value] = invariants.inside(values_[value], node);
  }

  constexpr bool can_be_shared(const graph_node& node) const {
    const op_facts facts = facts_of(node.kind);
    return !facts.effects && !facts.impure;
  }
  // Uses the results of an equal node in place of this one's, if there is one.
  constexpr bool reuse_equivalent_node(const frame& top, const graph_node& node) {
    if (!can_be_shared(node)) return false;
    int found = progress_.heads[hash_of(node)] - 1;
    while (found >= 0 && !same(top, node, to_.nodes.data[found])) found = next_[found] - 1;
    if (found < 0) return false;
    for (int r = 0; r < node.result_count; ++r) values_[node.results + r] = to_.nodes.data[found].results + r;
    return true;
  }
  constexpr unsigned hash_of(const graph_node& node) const {
    unsigned hash = unsigned(node.kind) * 2654435761u;
    for (int value : from_.operands_of(node)) hash = (hash ^ unsigned(values_[value])) * 2654435761u;
    if (is_constant(node))
      hash = (hash ^ hash_of(literal_of(from_, node))) * 2654435761u;
    else
      for (index_t word : from_.words_of(node)) hash = (hash ^ unsigned(word)) * 2654435761u;
    return (hash >> 7) % unsigned(simplifying_progress::hashes);
  }

  // All literals are kept, so that each has one number in both graphs.
  static constexpr int literal_of(const graph& g, const graph_node& constant) {
    return int(g.words.data[constant.words]);
  }
  // Long literals are compared by position alone.
  static constexpr int longest_literal_ = 64;
  constexpr index_t part_of(const graph_literal& literal, int i) const {
    return literal.where == graph_literal::place::words ? from_.words.data[literal.first + i]
                                                        : from_.text[std::size_t(literal.first + i)];
  }
  constexpr unsigned hash_of(int number) const {
    const graph_literal& literal = from_.literals.data[number];
    if (literal.size > longest_literal_) return unsigned(number);
    unsigned hash = unsigned(literal.size);
    for (int i = 0; i < literal.size; ++i) hash = (hash ^ unsigned(part_of(literal, i))) * 16777619u;
    return hash;
  }
  constexpr bool same(int number, int other) const {
    if (number == other) return true;
    const graph_literal &a = from_.literals.data[number], &b = from_.literals.data[other];
    if (a.where != b.where || a.size != b.size || a.size > longest_literal_) return false;
    for (int i = 0; i < a.size; ++i)
      if (part_of(a, i) != part_of(b, i)) return false;
    return true;
  }

  // Whether `written`, an earlier node of the target, is `node` again and visible where it stands.
  constexpr bool same(const frame& top, const graph_node& node, const graph_node& written) const {
    if (written.kind != node.kind || written.operand_count != node.operand_count ||
        written.result_count != node.result_count || written.region_count != node.region_count)
      return false;
    for (int i = 0; i < node.operand_count; ++i)
      if (to_.operands.data[written.operands + i] != values_[from_.operands.data[node.operands + i]]) return false;
    const bool same_attributes = is_constant(node) ? same(literal_of(from_, node), literal_of(to_, written))
                                                   : to_.words_of(written) == from_.words_of(node);
    if (!same_attributes) return false;
    for (int r = 0; r < node.result_count; ++r)
      if (to_.values.data[written.results + r].type != from_.values.data[node.results + r].type) return false;
    for (int r = 0; r < node.region_count; ++r)
      if (!same_region(from_.regions_of(node)[r], to_.regions_of(written)[r])) return false;
    for (int region = top.target; region >= 0; region = to_.regions.data[region].parent)
      if (region == written.region) return true;
    return false;
  }
  // Whether a region of the source and one of the target do the same, op for op.
  constexpr bool same_region(int number, int other) const {
    const graph_region &source = from_.regions.data[number], &target = to_.regions.data[other];
    constexpr int most_nodes = 8;
    if (source.argument_count != target.argument_count || source.yield_count != target.yield_count) return false;
    if (source.last - source.first != target.last - target.first || source.last - source.first > most_nodes)
      return false;
    // A value of the source, as the target knows it: those of the region in order, those from outside as they are.
    const auto counterpart = [&](int value) {
      const graph_value& of = from_.values.data[value];
      if (of.region != number) return values_[value];
      return of.node < 0 ? target.arguments + of.index
                         : to_.nodes.data[target.first + of.node - source.first].results + of.index;
    };
    for (int a = 0; a < source.argument_count; ++a)
      if (from_.values.data[source.arguments + a].type != to_.values.data[target.arguments + a].type) return false;
    for (int n = 0; n < source.last - source.first; ++n) {
      const graph_node &node = from_.nodes.data[source.first + n], &written = to_.nodes.data[target.first + n];
      if (node.region_count != 0 || !can_be_shared(node) || node.kind != written.kind) return false;
      if (node.operand_count != written.operand_count || node.result_count != written.result_count) return false;
      for (int i = 0; i < node.operand_count; ++i)
        if (counterpart(from_.operands_of(node)[i]) != to_.operands_of(written)[i]) return false;
      if (from_.words_of(node) != to_.words_of(written)) return false;
      for (int r = 0; r < node.result_count; ++r)
        if (from_.values.data[node.results + r].type != to_.values.data[written.results + r].type) return false;
    }
    for (int y = 0; y < source.yield_count; ++y)
      if (counterpart(from_.yields_of(source)[y]) != to_.yields_of(target)[y]) return false;
    return true;
  }
};

}  // namespace tenon::passes
