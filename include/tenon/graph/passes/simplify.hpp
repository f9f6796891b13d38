// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/build.hpp>
#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/folded_rows.hpp>
#include <tenon/graph/ir/views.hpp>
#include <tenon/graph/passes/elementwise_products.hpp>
#include <tenon/graph/passes/known_numbers.hpp>
#include <tenon/graph/passes/loop_invariants.hpp>
#include <tenon/graph/passes/node_writer.hpp>
#include <tenon/graph/passes/repeated_elements.hpp>
#include <tenon/graph/passes/simplified_sizes.hpp>
#include <tenon/graph/passes/simplifying_progress.hpp>
#include <tenon/graph/passes/split_folds.hpp>
#include <tenon/graph/passes/window_updates.hpp>
#include <tenon/graph/plan/access.hpp>

namespace tenon::passes {

// What a simplifier writes down while it runs; memory of the caller, all of it zero at the beginning.
struct simplifying_memory {
  table<bool> live;    // per node of the source
  table<int> values;   // per value of the source
  table<int> regions;  // per region of the source
  table<int> slots;    // a power of two, at least twice as many as nodes of the target
};

// Rewrites one function of a graph into a graph of its own: calls are replaced by the bodies of the functions they
// name, nodes whose results nobody needs are left out, and equal nodes become one.
class simplifier {
 public:
  // What a simplifier needs between two calls of `run` is in the target, the memory and the progress.
  constexpr simplifier(const graph& from, graph& to, const simplifying_memory& memory, simplifying_progress& progress)
      : from_(from),
        to_(to),
        live_(memory.live),
        values_(memory.values),
        regions_(memory.regions),
        slots_(memory.slots),
        progress_(progress) {}

  // Goes on until the function is written (true) or this much is done: one unit is about one operand of one op.
  constexpr bool run(const graph_function& function, int budget) {
    live_.size = from_.nodes.size, values_.size = from_.values.size, regions_.size = from_.regions.size;
    slots_.size = slots_.capacity;
    if (!progress_.begun) begin(function);
    for (budget_ = budget; budget_ > 0 && progress_.depth > 0 && !progress_.failed;) progress_.failed = !step();
    progress_.failed = progress_.failed || to_.overflow();
    return progress_.failed || progress_.depth == 0;
  }

 private:
  using frame = simplifying_progress::frame;

  const graph& from_;
  graph& to_;
  table<bool> live_;
  table<int> values_;
  table<int> regions_;  // where a region was last written to
  table<int> slots_;    // one above the node
  simplifying_progress& progress_;
  int budget_ = 0;

  constexpr void begin(const graph_function& function) {
    progress_.begun = true;
    for (const tensor_type& type : from_.types) progress_.keeps_loops = progress_.keeps_loops || type.bounded != 0;
    mark();
    for (const tensor_type& type : from_.types) to_.types.push(type);
    copy_references(from_, to_);
    keep_literals();
    const graph_region& body = from_.regions.data[function.region];
    const int target = open_like(function.region, -1);
    push({function.region, body.first, target, -1, 0, false});
    to_.functions.push({function.name, target, true});
  }

  constexpr void keep_literals() {
    for (graph_literal literal : from_.literals) {
      if (literal.where == graph_literal::place::words) {
        const int first = literal.first;
        literal.first = to_.words.size;
        for (int i = 0; i < literal.size; ++i) to_.words.push(from_.words.data[first + i]);
      }
      to_.literals.push(literal);
    }
  }

  constexpr void mark() {
    for (const graph_function& each : from_.functions) need_yields(each.region);
    for (int n = from_.nodes.size - 1; n >= 0; --n) {
      const graph_node& node = from_.nodes.data[n];
      bool needed = facts_of(node.kind).effects || is_call(node) || has_effect_inside(node);
      for (int r = 0; r < node.result_count; ++r) needed = needed || values_[node.results + r] != 0;
      if (!needed) continue;
      live_[n] = true;
      if (const int all = operand_that_is_all(node); all >= 0)
        values_[all] = 1;
      else
        for (int value : from_.operands_of(node)) need(value, n, facts_of(node.kind).elementwise);
      for (int region : from_.regions_of(node)) need_yields(region);
    }
    for (int i = 0; i < values_.size; ++i)
      if (values_[i] >= 0) values_[i] = -1;
  }
  // Until it is written, a value that elementwise ops alone read is only_elementwise_, and one that a single other op
  // reads says which.
  static constexpr int only_elementwise_ = -2;
  static constexpr int read_by(int node) { return only_elementwise_ - 1 - node; }
  constexpr void need(int value, int reader, bool elementwise) {
    if (values_[value] == 0)
      values_[value] = elementwise ? only_elementwise_ : read_by(reader);
    else if (!elementwise || values_[value] != only_elementwise_)
      values_[value] = 1;
  }

  constexpr void push(const frame& f) { progress_.stack[progress_.depth++] = f; }

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
    if (top.region == 0 && node.region_count > 0 && stands_for_twin(top, node)) return ++top.next, true;
    if (top.region < node.region_count && !window_update(from_, node).is_wanted()) {
      if (progress_.depth >= simplifying_progress::deepest) return false;
      const int inner = from_.regions_of(node)[top.region];
      const int target = open_like(inner, top.target);
      push({inner, from_.regions.data[inner].first, target, top.next, 0, false});
      return true;
    }
    write(top, node);
    top.region = 0;
    ++top.next;
    return true;
  }

  constexpr bool enter_call(frame& top, const graph_node& node) {
    const graph_function* callee = from_.find_function(callee_of(from_, node));
    if (callee == nullptr || callee->region < 0 || progress_.depth >= simplifying_progress::deepest) return false;
    for (int i = 0; i < progress_.depth; ++i)
      if (progress_.stack[i].source == callee->region) return false;
    const graph_region& body = from_.regions.data[callee->region];
    const list<int> operands = from_.operands_of(node);
    // What another call of it has written is not what this one writes.
    for (int n = body.first; n < body.last; ++n)
      for (int r = 0; r < from_.nodes.data[n].result_count; ++r)
        if (int& value = values_[from_.nodes.data[n].results + r]; value >= 0) value = -1;
    for (int a = 0; a < body.argument_count; ++a) values_[body.arguments + a] = values_[operands[a]];
    push({callee->region, body.first, top.target, top.next, 0, true});
    return true;
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
    graph_region& target = to_.regions.data[done.target];
    target.last = to_.nodes.size;
    target.yields = to_.operands.size;
    target.yield_count = yields.size;
    for (int value : yields) to_.operands.push(values_[value]);
    if (progress_.depth > 0) ++progress_.stack[progress_.depth - 1].region;
  }

  // The member that an element of a tuple is, where the tuple is put together in the program itself; else -1.
  constexpr int member_of_tuple(const graph_node& node) const {
    if (node.kind != kind_of_op<ops::get_tuple_element>) return -1;
    const int producer = to_.values.data[values_[from_.operands_of(node)[0]]].node;
    if (producer < 0 || to_.nodes.data[producer].kind != kind_of_op<ops::tuple>) return -1;
    const int index = read_attributes<ops::get_tuple_element>(from_.words.data + node.words).index;
    const list<int> members = to_.operands_of(to_.nodes.data[producer]);
    return 0 <= index && index < members.size ? members[index] : -1;
  }

  // The operand of a node that converts it to its own type, or joins it to others without elements; else -1.
  constexpr int operand_that_is_all(const graph_node& node) const {
    if (!facts_of(node.kind).joins_operands && !facts_of(node.kind).converts) return -1;
    for (int value : from_.operands_of(node))
      if (from_.values.data[value].type == from_.values.data[node.results].type) return value;
    return -1;
  }

  // Whether a node that moves elements leaves them in the order in which they lie in memory.
  constexpr bool keeps_order(const graph_node& node) const {
    if (node.operand_count != 1 || node.result_count != 1) return false;
    const tensor_type &operand = from_.type_of_value(from_.operands_of(node)[0]),
                      &result = from_.type_of_value(node.results);
    if (operand.element != result.element || operand.size() != result.size() || result.size() == 0) return false;
    if (!is_dense_tensor(operand) || !is_dense_tensor(result)) return false;
    strided_access access;
    return planning::access_through(
               op_tables::reads[node.kind](from_.words.data + node.words, 0, {&operand, 1}, result), operand.shape,
               result.shape, access) &&
           planning::is_contiguous(planning::merged(access));
  }

  constexpr void write(frame& top, graph_node node) {
    const int member = member_of_tuple(node), all = operand_that_is_all(node);
    if (member >= 0 || all >= 0) {
      values_[node.results] = member >= 0 ? member : values_[all];
      return;
    }
    read_in_front_of_loops(node);
    const read_values read(*this, node);
    repeat_inside(node);
    write_here(top, node);
    for (int i = read.all.size - 1; i >= 0; --i) values_[from_.operands_of(node)[i]] = read.at[i];
  }

  constexpr void write_here(frame& top, graph_node node) {
    const op_facts facts = facts_of(node.kind);
    if (write_as_others(top, node) || write_permuted_product(top, node)) return;
    if (facts.moves && node.operand_count == 1 && is_written_as(node, from_.operands_of(node)[0])) return;
    if (facts.moves && !facts.is_view && keeps_order(node)) {
      const int operand = from_.operands_of(node)[0];
      if (from_.values.data[operand].type == from_.values.data[node.results].type) {
        values_[node.results] = values_[operand];
        return;
      }
      node.kind = kind_of_op<ops::reshape>;
      node.word_count = 0;
    }
    if (values_[node.results] == only_elementwise_ && repeats_count(from_, node))
      return write_repeated_count(top, node);
    if (node.region_count == 0 && stands_for_twin(top, node)) return;
    if (write_element_once(top, node)) return;
    const split_fold split(from_, node);
    const int partial =
        split.is_wanted() ? split.write_partial(to_, values_[from_.operands_of(node)[0]], top.target, node.source) : -1;
    graph_node copy = node;
    copy.operands = to_.operands.size;
    for (int value : from_.operands_of(node)) to_.operands.push(values_[value]);
    if (partial >= 0) to_.operands.data[copy.operands] = partial;
    copy.words = to_.words.size;
    if (partial >= 0)
      write_attributes(to_.words, ops::reduce{split.remaining()});
    else
      for (int i = 0; i < node.word_count; ++i) to_.words.push(from_.words.data[node.words + i]);
    copy.word_count = to_.words.size - copy.words;
    copy.regions = to_.region_references.size;
    for (int region : from_.regions_of(node)) to_.region_references.push(regions_[region]);
    copy.region = top.target;
    copy.results = to_.values.size;
    for (int r = 0; r < node.result_count; ++r) {
      values_[node.results + r] = to_.values.size;
      to_.values.push({from_.values.data[node.results + r].type, to_.nodes.size, r, top.target});
    }
    to_.nodes.push(copy);
    if (can_be_shared(node)) slots_[find_slot(top, node)] = to_.nodes.size;
  }

  static constexpr int most_read_operands_ = 8;
  // What the node reads, where turns of a loop compute that alike, becomes what is computed in front of the loop.
  constexpr void read_in_front_of_loops(const graph_node& node) {
    const open_regions open(from_, values_, progress_);
    if (!open.has_loops() || node.operand_count > most_read_operands_ || progress_.keeps_loops) return;
    loop_invariants invariants(to_, open, progress_.hoisted);
    const read_values read(*this, node);
    if (!invariants.vary(read.all)) return;
    for (int i = 0; i < node.operand_count; ++i)
      values_[from_.operands_of(node)[i]] = invariants.in_front(read.at[i], node);
  }

  // What the node itself repeats, it repeats where it stands.
  constexpr void repeat_inside(const graph_node& node) {
    const open_regions open(from_, values_, progress_);
    if (!open.has_loops() || node.operand_count > most_read_operands_ || progress_.keeps_loops) return;
    loop_invariants invariants(to_, open, progress_.hoisted);
    for (int value : from_.operands_of(node)) values_[value] = invariants.inside(values_[value], node);
  }

  // A product that is read once, with its dimensions permuted, is the product of its operands in the other order, if
  // that has them so. The gradient of a matrix of weights is written like this.
  constexpr bool write_permuted_product(const frame& top, const graph_node& node) {
    if (node.kind != kind_of_op<ops::dot_general> || values_[node.results] >= only_elementwise_) return false;
    const graph_node& reader = from_.nodes.data[read_by(0) - values_[node.results]];
    const tensor_type& result = from_.type_of_value(reader.results);
    if (!facts_of(reader.kind).moves || reader.operand_count != 1 || !is_dense_tensor(result)) return false;
    const list<int> operands = from_.operands_of(node);
    const tensor_type types[] = {from_.type_of_value(operands[0]), from_.type_of_value(operands[1])};
    auto self = read_attributes<ops::dot_general>(from_.words.data + node.words);
    if (!self.swap_operands({types, 2}, permutation_of(reader))) return false;
    const int swapped[] = {values_[operands[1]], values_[operands[0]]};
    const node_writer to{to_, top.target, node.source};
    values_[node.results] = values_[reader.results] = to.append(self, {swapped, 2}, result);
    return true;
  }
  constexpr bool is_written_as(const graph_node& node, int value) const {
    return values_[value] >= 0 && values_[node.results] == values_[value];
  }
  // The dimensions of its operand that a node has as its own, where it only permutes them; else none.
  constexpr ints permutation_of(const graph_node& node) const {
    const tensor_type &operand = from_.type_of_value(from_.operands_of(node)[0]),
                      &result = from_.type_of_value(node.results);
    if (operand.rank() != result.rank()) return {};
    const indexing::indexing_map map =
        op_tables::reads[node.kind](from_.words.data + node.words, 0, {&operand, 1}, result);
    if (!map.is_defined() || map.constraint_count > 0) return {};
    ints permutation = ints::range(operand.rank());
    for (int d = 0; d < operand.rank(); ++d) {
      const indexing::node& read = map.nodes[map.results[d]];
      if (read.op != indexing::operation::dimension || operand.shape.at[d] != result.shape.at[read.value]) return {};
      permutation.at[read.value] = d;
    }
    return permutation.unique() ? permutation : ints();
  }

  // Numbers are counted along one dimension only: that they are repeated is left to the ops which read them.
  constexpr void write_repeated_count(const frame& top, const graph_node& node) {
    const tensor_type& type = from_.type_of_value(node.results);
    const index_t axis = read_attributes<ops::iota>(from_.words.data + node.words).iota_dimension;
    tensor_type line = type;
    line.shape = {type.shape.at[axis]};
    const node_writer write{to_, top.target, node.source};
    const int counted = write.append(ops::iota{0}, {}, line);
    values_[node.results] = write.append_unary(ops::broadcast_in_dim{ints{axis}}, counted, type);
  }

  // What the values of the target are that a node reads.
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
  // Elements that repeat, and numbers that are known.
  constexpr bool write_element_once(const frame& top, const graph_node& node) {
    const read_values read(*this, node);
    const node_writer to{to_, top.target, node.source};
    int value = may_repeat_element(from_, node) ? repeated_elements(to_, top.target).write(from_, node, read.all) : -1;
    if (value < 0 && may_be_known_number(from_, node)) value = write_known_number(to, from_, node, read.all);
    if (value >= 0) values_[node.results] = value;
    return value >= 0;
  }
  // What is written as other ops, which are fused, or have faster loops.
  constexpr bool write_as_others(const frame& top, const graph_node& node) {
    const read_values read(*this, node);
    const node_writer to{to_, top.target, node.source};
    int value = -1;
    if (const elementwise_product product(from_, node); product.is_wanted()) value = product.write(to, read.at);
    if (const window_update update(from_, node); update.is_wanted()) value = update.write(to, read.at);
    if (value >= 0) values_[node.results] = value;
    return value >= 0;
  }

  constexpr bool can_be_shared(const graph_node& node) const {
    const op_facts facts = facts_of(node.kind);
    return !facts.effects && !facts.impure;
  }
  // Uses the results of an equal node in place of this one's, if there is one.
  constexpr bool stands_for_twin(const frame& top, const graph_node& node) {
    if (!can_be_shared(node)) return false;
    const int found = slots_[find_slot(top, node)] - 1;
    for (int r = 0; found >= 0 && r < node.result_count; ++r)
      values_[node.results + r] = to_.nodes.data[found].results + r;
    return found >= 0;
  }
  // Where an equal node is found, or this one may be entered.
  constexpr int find_slot(const frame& top, const graph_node& node) const {
    unsigned hash = unsigned(node.kind) * 2654435761u;
    for (int value : from_.operands_of(node)) hash = (hash ^ unsigned(values_[value])) * 2654435761u;
    if (is_constant(node))
      hash = (hash ^ hash_of(literal_of(from_, node))) * 2654435761u;
    else
      for (int i = 0; i < node.word_count; ++i)
        hash = (hash ^ unsigned(from_.words.data[node.words + i])) * 2654435761u;
    const unsigned mask = unsigned(slots_.size) - 1;
    unsigned slot = (hash >> 7) & mask;
    while (slots_.data[slot] > 0 && !same(top, node, to_.nodes.data[slots_.data[slot] - 1])) slot = (slot + 1) & mask;
    return int(slot);
  }

  // All literals are kept, so that each has one number in both graphs.
  static constexpr int literal_of(const graph& g, const graph_node& constant) {
    return int(g.words.data[constant.words]);
  }
  // What a short literal says; long ones are told apart by where they stand.
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
    if (is_constant(node)) {
      if (!same(literal_of(from_, node), literal_of(to_, written))) return false;
    } else if (from_.words_of(node) != to_.words_of(written)) {
      return false;
    }
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
    // A value of the source, as the target knows it: those of the region in turn, those from outside as they are.
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
      if (from_.words_of(node) != to_.words_of(written)) return false;
      for (int i = 0; i < node.operand_count; ++i)
        if (counterpart(from_.operands_of(node)[i]) != to_.operands_of(written)[i]) return false;
      for (int r = 0; r < node.result_count; ++r)
        if (from_.values.data[node.results + r].type != to_.values.data[written.results + r].type) return false;
    }
    for (int y = 0; y < source.yield_count; ++y)
      if (counterpart(from_.yields_of(source)[y]) != to_.yields_of(target)[y]) return false;
    return true;
  }
};

}  // namespace tenon::passes
