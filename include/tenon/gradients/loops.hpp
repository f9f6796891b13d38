// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/gradients/by_element/loops.hpp>
#include <tenon/gradients/copied_nodes.hpp>
#include <tenon/gradients/iterations/fixed_point_rules.hpp>
#include <tenon/gradients/value.hpp>
#include <tenon/graph/passes/constant_operands.hpp>
#include <tenon/graph/passes/loop_invariants.hpp>

#include <optional>

// Gradients of loops. Forwards a loop carries tangents beside its values. Backwards a second loop goes from the last
// iteration to the first: it reads the values carried into an iteration, which the first loop has written to stacks,
// computes the iteration again, and carries cotangents.
namespace tenon::gradients {

// Counts the iterations of a loop, and tells which carried values are counters.
class counted_loop {
  const graph& g_;
  const graph_node& loop_;
  const graph_region condition_, body_;

  constexpr const graph_node* producer(int value) const {
    const int node = g_.values.data[value].node;
    return node < 0 ? nullptr : &g_.nodes.data[node];
  }
  // Which argument of one of the regions it is; -1: none.
  constexpr int argument(int value) const {
    for (const graph_region* region : {&condition_, &body_})
      if (value >= region->arguments && value < region->arguments + region->argument_count)
        return value - region->arguments;
    return -1;
  }
  constexpr bool constant(int value, index_t& number) const {
    if (const int i = argument(value); i >= 0) {
      if (!is_invariant(i)) return false;
      value = g_.operands_of(loop_)[i];
    }
    const tensor_type type = g_.type_of_value(value);
    for (const graph_node* node = producer(value); node != nullptr && is<ops::reshape>(*node); node = producer(value))
      value = g_.operands_of(*node)[0];
    const std::optional<std::uint64_t> bits = passes::splat_bits(g_, value);
    if (!bits || !is_integer(type.element) || type.size() != 1) return false;
    const int unused = is_unsigned_integer(type.element) ? 0 : 64 - int(num_bits(type.element));
    number = index_t(*bits << unused) >> unused;
    return true;
  }

 public:
  constexpr counted_loop(const graph& g, const graph_node& loop)
      : g_(g),
        loop_(loop),
        condition_(g.regions.data[g.regions_of(loop)[0]]),
        body_(g.regions.data[g.regions_of(loop)[1]]) {}

  constexpr bool is_invariant(int i) const { return g_.yields_of(body_)[i] == body_.arguments + i; }

  // An integer that begins at a constant, to which each iteration adds another one.
  struct counter {
    index_t first = 0, step = 0;
    bool is_known = false;
  };
  constexpr counter counter_of(int i) const {
    counter result;
    const graph_node* const change = producer(g_.yields_of(body_)[i]);
    if (change == nullptr || !is_integer(g_.type_of_value(body_.arguments + i).element)) return result;
    const bool adds = is<ops::add>(*change);
    if (!adds && !is<ops::subtract>(*change)) return result;
    const list<int> operands = g_.operands_of(*change);
    const bool second = adds && operands[0] != body_.arguments + i;
    if (operands[second ? 1 : 0] != body_.arguments + i || !constant(operands[second ? 0 : 1], result.step))
      return result;
    if (!adds) result.step = -result.step;
    result.is_known = constant(g_.operands_of(loop_)[i], result.first);
    return result;
  }
  // Whether there are as many iterations as there are at most.
  constexpr bool is_exact() const { return !is<ops::and_>(*producer(g_.yields_of(condition_)[0])); }
  // -1: not known.
  constexpr index_t most_iterations() const { return most_while(g_.yields_of(condition_)[0]); }
  constexpr index_t most_while(int holds) const {
    using enum comparison_direction;
    const graph_node* const asked = producer(holds);
    if (asked != nullptr && is<ops::and_>(*asked)) {
      const index_t a = most_while(g_.operands_of(*asked)[0]), b = most_while(g_.operands_of(*asked)[1]);
      return a < 0 || (0 <= b && b < a) ? b : a;
    }
    if (asked == nullptr || !is<ops::compare>(*asked)) return -1;
    comparison_direction direction = read_attributes<ops::compare>(g_.words.data + asked->words).comparison_direction;
    int counted = g_.operands_of(*asked)[0], limit = g_.operands_of(*asked)[1];
    if (argument(counted) < 0) {
      const int other = counted;
      counted = limit, limit = other;
      direction = direction == LT ? GT : direction == GT ? LT : direction == LE ? GE : direction == GE ? LE : direction;
    }
    index_t last = 0;
    const int i = argument(counted);
    if (i < 0 || !constant(limit, last)) return -1;
    const counter count = counter_of(i);
    if (!count.is_known || count.step == 0 || count.step == INT64_MIN || direction == EQ) return -1;
    index_t distance = 0;
    if (__builtin_sub_overflow(last, count.first, &distance)) return -1;
    index_t step = count.step;
    if (step < 0) {
      if (__builtin_sub_overflow(index_t(0), distance, &distance)) return -1;
      step = -step;
      direction = direction == GT ? LT : direction == GE ? LE : direction == NE ? NE : EQ;
    }
    if (direction != NE && direction != LT && direction != LE) return -1;
    if (direction == NE && (distance < 0 || distance % step != 0)) return -1;
    if (direction == LE) ++distance;
    const index_t iterations = distance <= 0 ? 0 : (distance - 1) / step + 1;
    // The counter does not wrap around on its way.
    const dtype element = g_.type_of_value(body_.arguments + i).element;
    const int bits = num_bits(element) - (is_unsigned_integer(element) ? 0 : 1);
    const index_t largest = bits >= 63 ? INT64_MAX : (index_t(1) << bits) - 1;
    const index_t least = is_unsigned_integer(element) ? 0 : -largest - 1;
    index_t end = 0;
    if (__builtin_mul_overflow(iterations, count.step, &end) || __builtin_add_overflow(end, count.first, &end))
      return -1;
    return least <= end && end <= largest ? iterations : -1;
  }
};

// Whether a node of a loop's body gives the same in each iteration, by values that the copier has replaced or that are
// from outside, in no more memory than these. What may be infinite is not computed for a loop without iterations.
constexpr bool is_invariant(const graph& g, const graph_node& node, const node_copier& copier,
                            const counted_loop& loop) {
  if (is_constant(node) || !passes::loop_invariants::may_move(node)) return is_constant(node);
  index_t larger = g.type_of_value(node.results).size();
  for (int value : g.operands_of(node)) {
    if (copier.copy_of(value) == value && g.values.data[value].region == node.region) return false;
    larger -= g.type_of_value(value).size();
  }
  return larger <= 0 && node.operand_count > 0 && (loop.is_exact() || facts_of(node.kind).moves);
}

// Moves nodes that stand at the end of the graph in front of others of `region`.
constexpr void move_to_front(graph& g, int first, int before, int region) {
  const int last = g.nodes.size, count = last - first, behind = first - before;
  graph_node* const moved = new graph_node[std::size_t(count) + 1];
  for (int i = 0; i < count; ++i) moved[i] = g.nodes.data[first + i];
  for (int i = behind; i-- > 0;) g.nodes.data[before + count + i] = g.nodes.data[before + i];
  for (int i = 0; i < count; ++i) g.nodes.data[before + i] = moved[i];
  delete[] moved;
  const auto place = [&](int node) { return node < before ? node : node < first ? node + count : node - behind; };
  for (int v = 0; v < g.values.size; ++v) g.values.data[v].node = place(g.values.data[v].node);
  for (int r = 0; r < g.regions.size; ++r) {
    bool is_around = false;
    for (int outer = region; outer >= 0; outer = g.regions.data[outer].parent) is_around = is_around || outer == r;
    graph_region& each = g.regions.data[r];
    if (is_around || each.last < each.first) continue;
    const int size = each.last - each.first;
    each.first = each.first >= last ? each.first : place(each.first), each.last = each.first + size;
  }
}

// Values from outside that a region reads and that are differentiated, as the copier names them, but for nodes that it
// has copied.
constexpr void find_captured(const auto& at, int region, growing_list<int>& captured, const node_copier& copier) {
  const graph& g = at.g();
  const auto add = [&](int value) {
    value = copier.copy_of(value);
    if (!at.engine.is_active(value)) return;
    for (int inner = g.values.data[value].region; inner >= 0; inner = g.regions.data[inner].parent)
      if (inner == region) return;
    for (int known : captured.all())
      if (known == value) return;
    captured.push(value);
  };
  for_each_read(g, region, add, [&](const graph_node& node) { return !copier.has_copied(node); });
}

// A slice that begins at i along a dimension and at 0 along the others, read or written behind these operands.
template <class Op>
constexpr value at_place(const Op& op, std::initializer_list<int> values, value i, index_t dimension,
                         const tensor_type& type) {
  int operands[max_rank + 2]{}, count = 0;
  for (int each : values) operands[count++] = each;
  const value zero = like(i, 0);
  for (int d = 0; d < type.rank() && count < max_rank + 2; ++d) operands[count++] = d == dimension ? i.id : zero.id;
  return i.to->append(op, {operands, count}, type);
}
// Row i of a stack of values, and a stack with such a row written.
constexpr value row_of(int stack, value i, const tensor_type& type) {
  const ints sizes = ints{1} + type.shape;
  return at_place(ops::dynamic_slice{sizes}, {stack}, i, 0, type.with_shape(sizes));
}
constexpr value with_row(int stack, value row, value i) {
  const int written = reshape(row, ints{1} + row.shape()).id;
  return at_place(ops::dynamic_update_slice{}, {stack, written}, i, 0, i.to->g.type_of_value(stack));
}

constexpr void pushforward(const ops::while_&, const auto& at) {
  if (is_fixed_point(at.node)) return push_fixed_point(at);
  auto& d = at.engine;
  builder& to = d.to;
  graph& g = to.g;
  const int carried = at.operand_count(), condition = region_of(at, 0), body = region_of(at, 1);
  growing_list<int> active, start;
  for (int i = 0; i < carried; ++i) start.push(at.x(i).id);
  for (int i = 0; i < carried; ++i)
    if (d.is_active(at.node.results + i)) active.push(i), start.push(at.tangent(i).id);
  const auto asks = [&](int first) { return copied_condition(to, condition, from_value(first)); };
  const int loop = write_loop(to, start.all(), asks, [&](int first, growing_list<int>& next) {
    const int begin = g.nodes.size;
    copy_body(to, body, from_value(first), next);
    const int end = g.nodes.size;
    for (int k = 0; k < active.size(); ++k)
      d.activate(first + active[k]), d.set(first + active[k], to.at(first + carried + k));
    d.activate_nodes(to.region, begin, end);
    d.push(to.region, begin, end, next.all());
    for (int i : active.all()) next.push(d.derivative_or_zeros(next[i]).id);
  });
  for (int k = 0; k < active.size(); ++k) at.set(active[k], to.at(loop + carried + k));
}

// A loop's node hands these values on in place of its results; all nodes from `first` on move in front of it.
constexpr void hand_on(const auto& at, list<int> values, int first) {
  graph& g = at.to().g;
  growing_list<tensor_type> types;
  for (int value : values) types.push(g.type_of_value(value));
  const node_parts parts{values, {}, {}, at.node.region, at.to().source};
  const graph_node barrier = g.nodes.data[append_unchecked(g, ops::optimization_barrier{}, parts, types.all())];
  graph_node& old = g.nodes.data[g.values.data[at.node.results].node];
  for (int k = 0; k < g.operands.size; ++k)
    if (int& value = g.operands.data[k]; value >= at.node.results && value < at.node.results + values.size)
      value = values[value - at.node.results];
  old.kind = barrier.kind, old.operands = barrier.operands, old.words = barrier.words,
  old.word_count = barrier.word_count;
  old.region_count = 0;
  move_to_front(g, first, g.regions.data[region_of(at, 0)].first, at.node.region);
}

// The loop again, with stacks of these carried values before each iteration, in place of the one that is there.
// Gives the first stack.
constexpr int with_stacks(const auto& at, list<int> stacked, index_t iterations) {
  builder& to = at.engine.to;
  graph& g = to.g;
  const int carried = at.operand_count(), emitting = to.region, first = g.nodes.size;
  const int condition = region_of(at, 0), body = region_of(at, 1);
  to.region = at.node.region;
  growing_list<int> start, handed;
  for (int i = 0; i < carried; ++i) start.push(at.x(i).id);
  start.push(to.zeros(type_of(dtype::i32)).id);
  for (int i : stacked) start.push(to.zeros(at.x(i).type().with_shape(ints{iterations} + at.x(i).shape())).id);
  const auto asks = [&](int values) { return copied_condition(to, condition, from_value(values)); };
  const int loop = write_loop(to, start.all(), asks, [&](int values, growing_list<int>& next) {
    const value i = to.at(values + carried);
    growing_list<int> stacks;
    for (int k = 0; k < stacked.size; ++k)
      stacks.push(with_row(values + carried + 1 + k, to.at(values + stacked[k]), i).id);
    copy_body(to, body, from_value(values), next);
    next.push((i + 1).id);
    for (int stack : stacks.all()) next.push(stack);
  });
  for (int k = 0; k < carried; ++k) handed.push(loop + k);
  hand_on(at, handed.all(), first);
  to.region = emitting;
  return loop + carried + 1;
}

// The reverse loop, by stacks of at most that number of rows.
constexpr void pull_loop(const auto& at, index_t most) {
  auto& d = at.engine;
  builder& to = d.to;
  graph& g = to.g;
  const counted_loop known(g, at.node);
  const int carried = at.operand_count(), body = region_of(at, 1);
  if (most == 0) {
    for (int i = 0; i < carried; ++i) at.give(i, at.ct(i));
    return;
  }
  growing_list<int> active, captured, start, rows, row_of_argument;
  const tensor_type index = type_of(dtype::i32);
  for (int i = 0; i < carried; ++i)
    if (d.is_active(at.node.results + i) && !known.is_invariant(i))
      active.push(i), start.push(d.derivative_or_zeros(at.node.results + i).id);
  // In front of the loop: what does not change, which takes its cotangents from the sums over all iterations.
  node_copier copier(g);
  const int in_front = g.nodes.size;
  for (int i = 0; i < carried; ++i) {
    if (!known.is_invariant(i)) continue;
    const value same = to.emit(ops::reshape{}, {at.x(i)}, at.x(i).type());
    copier.replace(g.regions.data[body].arguments + i, same.id), d.set(same.id, at.ct(i));
  }
  copier.copy_nodes(body, to.region, [&](const graph_node& node) { return is_invariant(g, node, copier, known); });
  const int behind = g.nodes.size;
  d.activate_nodes(to.region, in_front, behind);
  // A zero in the place of their number until the loop that counts them is there.
  const bool is_exact = known.is_exact();
  const value count = is_exact ? value{} : to.emit(ops::reshape{}, {to.zeros(index)}, index);
  find_captured(at, body, captured, copier);
  for (int value : captured.all()) start.push(d.derivative_or_zeros(value).id);
  const auto also = [&](int first) { return is_exact ? value{} : less(to.at(first), count); };
  const int loop = write_counted_loop(to, start.all(), most, also, [&](int first, growing_list<int>& yields) {
    const value i = (is_exact ? to.integers(most, index) : count) - (to.at(first) + 1);
    for (int k = 0; k < carried; ++k) {
      const int argument = g.regions.data[body].arguments + k;
      const tensor_type type = g.type_of_value(argument);
      const counted_loop::counter counter = known.counter_of(k);
      row_of_argument.push(-1);
      if (known.is_invariant(k)) continue;
      if (counter.is_known && type.rank() == 0) {
        const value at_iteration = convert(i, type.element);
        copier.replace(argument,
                       (to.integers(counter.first, type) + at_iteration * to.integers(counter.step, type)).id);
      } else {
        // Of a stack in whose place a zero stands until it is known whether the row is read.
        const value row = row_of(to.zeros(type.with_shape(ints{1} + type.shape)).id, i, type);
        row_of_argument[k] = row.id;
        copier.replace(argument, reshape(row, type.shape).id);
      }
    }
    const int begin = g.nodes.size;
    copier.copy_nodes(body, to.region,
                      [&](const graph_node& node) { return is_constant(node) || !copier.has_copied(node); });
    const int end = g.nodes.size;
    const auto copy_of_argument = [&](int k) { return copier.copy_of(g.regions.data[body].arguments + k); };
    for (int k : active.all()) d.activate(copy_of_argument(k));
    d.activate_nodes(to.region, begin, end);
    for (int c = 0; c < captured.size(); ++c) d.set(captured[c], to.at(first + 1 + active.size() + c));
    for (int k = 0; k < active.size(); ++k)
      d.add_to(copier.copy_of(g.yields_of(g.regions.data[body])[active[k]]), to.at(first + 1 + k));
    d.pull(to.region, begin, end);
    for (int k : active.all()) yields.push(d.derivative_or_zeros(copy_of_argument(k)).id);
    for (int value : captured.all()) yields.push(d.derivative_or_zeros(value).id);
  });
  if (d.refused().label != nullptr || g.overflow()) return;
  // First, as a value may be both captured and carried.
  for (int c = 0; c < captured.size(); ++c) d.set(captured[c], to.at(loop + active.size() + c));
  for (int k = 0; k < active.size(); ++k) at.give(active[k], to.at(loop + k));
  d.pull(to.region, in_front, behind);

  // Stacks for the rows that are read.
  numbered<bool> live(false);
  const int iteration = g.regions_of(g.nodes.data[g.values.data[loop].node])[1];
  const graph_region made = g.regions.data[iteration];
  for (int value : g.yields_of(made)) live.set(value, true);
  mark_live(g, iteration, made.first, made.last, live);
  for (int k = 0; k < carried; ++k)
    if (live[row_of_argument[k]]) rows.push(k);
  if (rows.size() > 0 || !is_exact) {
    const int stacks = with_stacks(at, rows.all(), most);
    if (!is_exact) g.operands.data[g.nodes.data[g.values.data[count.id].node].operands] = stacks - 1;
    for (int k = 0; k < rows.size(); ++k) {
      const graph_node& reads = g.nodes.data[g.values.data[row_of_argument[rows[k]]].node];
      g.operands.data[reads.operands] = stacks + k;
    }
  }
}

// A loop of `rows` loops, of which each is computed again going backwards, in place of the one that is there.
constexpr void pull_in_parts(const auto& at, index_t most, index_t rows) {
  auto& d = at.engine;
  builder& to = d.to;
  graph& g = to.g;
  const int emitting = to.region, first = g.nodes.size;
  const index_t each = (most + rows - 1) / rows;
  const counted_loop known(g, at.node);
  growing_list<int> start, handed, place;  // of what changes, which is carried behind the count
  for (int k = 0; k < at.operand_count(); ++k) {
    place.push(known.is_invariant(k) ? -1 : start.size() + 1);
    if (place[k] > 0) start.push(at.x(k).id);
  }
  const auto values_from = [&](int count) {
    return [&at, &place, count](int k) { return place[k] > 0 ? count + place[k] : at.x(k).id; };
  };
  const auto goes_on = [&](int count) { return copied_condition(to, region_of(at, 0), values_from(count)); };
  const auto step = [&](int count, growing_list<int>& next) {
    growing_list<int> made;
    copy_body(to, region_of(at, 1), values_from(count), made);
    for (int k = 0; k < at.operand_count(); ++k)
      if (place[k] > 0) next.push(made[k]);
  };
  const auto part = [&](int count, growing_list<int>& next) {
    growing_list<int> now;
    for (int k = 0; k < start.size(); ++k) now.push(count + 1 + k);
    const int inner = write_counted_loop(to, now.all(), each, goes_on, step);
    for (int k = 0; k < start.size(); ++k) next.push(inner + k);
  };
  to.region = at.node.region;
  const int loop = write_counted_loop(to, start.all(), (most + each - 1) / each, nothing_else, part);
  for (int k = 0; k < at.operand_count(); ++k) handed.push(values_from(loop - 1)(k));
  to.region = emitting;
  if (g.overflow()) return;
  hand_on(at, handed.all(), first);
  const int node = g.values.data[loop].node;
  d.activate_nodes(at.node.region, node, node + 1);
  for (int k = 0; k < at.operand_count(); ++k) d.add_to(handed[k], at.ct(k));
  --d.levels;
  pull_loop(std::remove_cvref_t<decltype(at)>{d, g.nodes.data[node]}, (most + each - 1) / each);
  ++d.levels;
}

constexpr void pullback(const ops::while_&, const auto& at) {
  if (is_fixed_point(at.node)) return pull_fixed_point(at);
  const index_t most = counted_loop(at.g(), at.node).most_iterations();
  if (most < 0 || most > INT32_MAX) return pull_by_element(at);
  index_t rows = at.engine.levels > 0 ? 1 : most;
  for (index_t all = 1; at.engine.levels > 0 && all < most;) {
    all = ++rows;
    for (int level = 0; level < at.engine.levels && all < most; ++level) all *= rows;
  }
  rows < most ? pull_in_parts(at, most, rows) : pull_loop(at, most);
}

// A scan as a loop that reads and writes slices along a dimension.
constexpr void decomposed(const ops::scan& op, const auto& at, value* y) {
  builder& to = at.to();
  const int inputs = int(op.operand_segment_sizes[0]), carries = int(op.operand_segment_sizes[1]);
  const int outputs = int(op.result_segment_sizes[0]);
  const index_t count = inputs > 0 ? at.x(0).type().dim(op.dimension) : at.y(0).type().dim(op.dimension);
  const tensor_type index = type_of(dtype::i32);
  growing_list<int> start;
  for (int k = 0; k < carries; ++k) start.push(at.x(inputs + k).id);
  for (int k = 0; k < outputs; ++k) start.push(to.zeros(at.y(k).type()).id);
  const auto step = [&](int first, growing_list<int>& next) {
    const value i = to.at(first), place = op.is_reverse ? to.integers(count - 1, index) - i : i;
    growing_list<int> arguments, made;
    for (int k = 0; k < inputs; ++k) {
      const tensor_type type = at.x(k).type(), row = type.with_size(op.dimension, 1);
      const value slice = at_place(ops::dynamic_slice{row.shape}, {at.x(k).id}, place, op.dimension, row);
      arguments.push(reshape(slice, type.shape.without({op.dimension})).id);
    }
    for (int k = 0; k < carries; ++k) arguments.push(first + 1 + k);
    copy_body(to, region_of(at), [&](int k) { return arguments[k]; }, made);
    for (int k = 0; k < carries; ++k) next.push(made[outputs + k]);
    for (int k = 0; k < outputs; ++k) {
      const tensor_type type = at.y(k).type();
      const int row = reshape(to.at(made[k]), type.with_size(op.dimension, 1).shape).id;
      next.push(at_place(ops::dynamic_update_slice{}, {first + 1 + carries + k, row}, place, op.dimension, type).id);
    }
  };
  const int loop = write_counted_loop(to, start.all(), count, nothing_else, step);
  for (int k = 0; k < outputs; ++k) y[k] = to.at(loop + carries + k);
  for (int k = 0; k < carries; ++k) y[outputs + k] = to.at(loop + k);
}

}  // namespace tenon::gradients
