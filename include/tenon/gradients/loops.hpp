// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/gradients/copied_nodes.hpp>
#include <tenon/gradients/iterations/fixed_point_rules.hpp>
#include <tenon/gradients/value.hpp>
#include <tenon/graph/ir/views.hpp>

#include <cstddef>

// Gradients of loops. Forwards a loop carries tangents beside its values. Backwards a second loop goes from the last
// iteration to the first: it reads the values carried into an iteration, which the first loop has written to stacks,
// computes the iteration again, and carries cotangents.
namespace tenon::gradients {

// A list of at most one integer.
struct one_integer {
  index_t number = 0;
  std::size_t count = 0;

  constexpr void push_back(index_t value) {
    if (count++ == 0) number = value;
  }
  constexpr void resize(std::size_t size, index_t) { count = size; }
  constexpr std::size_t size() const { return count; }
  constexpr index_t operator[](std::size_t) const { return number; }
  constexpr const index_t* begin() const { return &number; }
  constexpr const index_t* end() const { return &number + 1; }
};

// Counts the iterations of a loop, and tells which carried values are counters.
class counted_loop {
  const graph& g_;
  const graph_node& loop_;
  const graph_region condition_, body_;

  template <class Op>
  static constexpr bool is(const graph_node& node) {
    return same_text(name_of_kind(node.kind), Op::name);
  }
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
    const tensor_type& type = g_.type_of_value(value);
    const graph_node* node = producer(value);
    while (node != nullptr && is<ops::reshape>(*node) && type.size() == 1) node = producer(g_.operands_of(*node)[0]);
    if (node == nullptr || !facts_of(node->kind).is_constant || !is_integer(type.element) || type.size() != 1)
      return false;
    one_integer found;
    const graph_literal& literal = g_.literals.data[int(g_.words.data[node->words])];
    if (!read_integers(g_, literal, type, found)) return false;
    number = found.number;
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

// A region with the arguments of another one and more.
constexpr int open_longer(builder& to, int like, list<tensor_type> more) {
  graph& g = to.g;
  const graph_region from = g.regions.data[like];
  const int region = g.regions.push(begin_region(g, to.region, from.source, from.argument_count + more.size));
  for (int a = 0; a < from.argument_count; ++a) g.values.push({g.values.data[from.arguments + a].type, -1, a, region});
  for (int a = 0; a < more.size; ++a) g.values.push({g.intern_type(more[a]), -1, from.argument_count + a, region});
  return region;
}
constexpr void replace_arguments(node_copier& copier, const graph& g, int region, int by) {
  const graph_region from = g.regions.data[region];
  for (int a = 0; a < from.argument_count; ++a) copier.replace(from.arguments + a, g.regions.data[by].arguments + a);
}

constexpr int copy_longer(builder& to, int region, list<tensor_type> more) {
  const int copy = open_longer(to, region, more);
  node_copier copier(to.g);
  replace_arguments(copier, to.g, region, copy);
  copier.copy_nodes(region, copy), copier.close(region, copy);
  return copy;
}

// Values from outside that a region reads and that are differentiated.
constexpr void find_captured(const auto& at, int region, growing_list<int>& captured) {
  const graph& g = at.g();
  const auto look = [&](int value) {
    if (!at.engine.is_active(value)) return;
    for (int inner = g.values.data[value].region; inner >= 0; inner = g.regions.data[inner].parent)
      if (inner == region) return;
    for (int known : captured.all())
      if (known == value) return;
    captured.push(value);
  };
  const graph_region from = g.regions.data[region];
  for (int n = from.first; n < from.last; ++n) {
    for (int value : g.operands_of(g.nodes.data[n])) look(value);
    for (int inner : g.regions_of(g.nodes.data[n]))
      for (int value : g.yields_of(g.regions.data[inner])) look(value);
  }
  for (int value : g.yields_of(from)) look(value);
}

// Row i of a stack of values, and a stack with such a row written.
constexpr value row_of(builder& to, int stack, value i, const tensor_type& type) {
  int operands[max_rank + 1]{stack, i.id}, count = 2;
  const value zero = like(i, 0);
  for (int d = 0; d < type.rank() && count <= max_rank; ++d) operands[count++] = zero.id;
  const ints sizes = ints{1} + type.shape;
  return to.append(ops::dynamic_slice{sizes}, {operands, count}, type.with_shape(sizes));
}
constexpr value with_row(builder& to, int stack, value row, value i) {
  int operands[max_rank + 2]{stack, reshape(row, ints{1} + row.shape()).id, i.id}, count = 3;
  const value zero = like(i, 0);
  for (int d = 0; d < row.rank() && count < max_rank + 2; ++d) operands[count++] = zero.id;
  return to.append(ops::dynamic_update_slice{}, {operands, count}, to.g.type_of_value(stack));
}

constexpr void pushforward(const ops::while_&, const auto& at) {
  if (is_fixed_point(at.node)) return push_fixed_point(at);
  auto& d = at.engine;
  builder& to = d.to;
  graph& g = to.g;
  const int carried = at.operand_count(), outside = to.region;
  const int condition = g.regions_of(at.node)[0], body = g.regions_of(at.node)[1];
  growing_list<int> active, operands, yields;
  growing_list<tensor_type> more, types;
  for (int i = 0; i < carried; ++i) operands.push(at.x(i).id), types.push(at.x(i).type());
  for (int i = 0; i < carried; ++i) {
    if (!d.is_active(at.node.results + i)) continue;
    active.push(i), operands.push(at.tangent(i).id);
    more.push(at.x(i).type()), types.push(at.x(i).type());
  }
  const int asks = copy_longer(to, condition, more.all());
  const int iteration = open_longer(to, body, more.all()), first = g.regions.data[iteration].arguments;
  node_copier copier(g);
  replace_arguments(copier, g, body, iteration);
  const int begin = g.nodes.size;
  copier.copy_nodes(body, iteration);
  const int end = g.nodes.size;
  to.region = iteration;
  for (int k = 0; k < active.size(); ++k)
    d.activate(first + active[k]), d.set(first + active[k], to.at(first + carried + k));
  d.activate_nodes(iteration, begin, end);
  for (int i = 0; i < carried; ++i) yields.push(copier.copy_of(g.yields_of(g.regions.data[body])[i]));
  d.push(iteration, begin, end, yields.all());
  for (int i : active.all()) yields.push(d.derivative_or_zeros(yields[i]).id);
  close_region(g, iteration, yields.all());
  to.region = outside;
  const int loop = to.emit_with_regions(ops::while_{}, operands.all(), {asks, iteration}, types.all());
  for (int k = 0; k < active.size(); ++k) at.set(active[k], to.at(loop + carried + k));
}

// The loop again, with stacks of these carried values before each iteration, in place of the one that is there.
// Gives the first stack.
constexpr int with_stacks(const auto& at, list<int> stacked, index_t iterations) {
  builder& to = at.engine.to;
  graph& g = to.g;
  const int carried = at.operand_count(), emitting = to.region, first = g.nodes.size;
  const int condition = g.regions_of(at.node)[0], body = g.regions_of(at.node)[1];
  to.region = at.node.region;
  growing_list<int> operands, yields;
  growing_list<tensor_type> more, types;
  const tensor_type index = type_of(dtype::i32);
  for (int i = 0; i < carried; ++i) operands.push(at.x(i).id), types.push(at.x(i).type());
  operands.push(to.zeros(index).id), types.push(index), more.push(index);
  for (int i : stacked) {
    const tensor_type type = at.x(i).type().with_shape(ints{iterations} + at.x(i).shape());
    operands.push(to.zeros(type).id), types.push(type), more.push(type);
  }
  const int asks = copy_longer(to, condition, more.all());
  const int again = open_longer(to, body, more.all()), argument = g.regions.data[again].arguments;
  node_copier copier(g);
  replace_arguments(copier, g, body, again);
  builder inside{g, again, to.source};
  const value i = inside.at(argument + carried);
  for (int k = 0; k < stacked.size; ++k)
    yields.push(with_row(inside, argument + carried + 1 + k, inside.at(argument + stacked[k]), i).id);
  copier.copy_nodes(body, again);
  growing_list<int> all;
  for (int k = 0; k < carried; ++k) all.push(copier.copy_of(g.yields_of(g.regions.data[body])[k]));
  all.push((i + 1).id);
  for (int stack : yields.all()) all.push(stack);
  close_region(g, again, all.all());
  const int loop = to.emit_with_regions(ops::while_{}, operands.all(), {asks, again}, types.all());
  // The old loop's node hands the results of the new one on.
  growing_list<int> handed;
  for (int k = 0; k < carried; ++k) handed.push(loop + k);
  const node_parts parts{handed.all(), {}, {}, to.region, to.source};
  const graph_node barrier =
      g.nodes.data[append_unchecked(g, ops::optimization_barrier{}, parts, types.all().part(0, carried))];
  graph_node& old = g.nodes.data[g.values.data[at.node.results].node];
  const int before = g.regions.data[condition].first;
  for (int k = 0; k < g.operands.size; ++k)
    if (int& value = g.operands.data[k]; value >= at.node.results && value < at.node.results + carried)
      value = loop + value - at.node.results;
  old.kind = barrier.kind, old.operands = barrier.operands, old.words = barrier.words,
  old.word_count = barrier.word_count;
  old.region_count = 0;
  move_to_front(g, first, before, at.node.region);
  to.region = emitting;
  return loop + carried + 1;
}

constexpr void pullback(const ops::while_&, const auto& at) {
  if (is_fixed_point(at.node)) return pull_fixed_point(at);
  auto& d = at.engine;
  builder& to = d.to;
  graph& g = to.g;
  const counted_loop known(g, at.node);
  const index_t most = known.most_iterations();
  const int carried = at.operand_count(), outside = to.region, body = g.regions_of(at.node)[1];
  if (most < 0 || most > INT32_MAX)
    return at.refuse("grad_while",
                     "backwards the number of iterations is known, or bounded by while_<at_most<N>>; or the loop is a "
                     "fixed_point");
  if (most == 0) {
    for (int i = 0; i < carried; ++i) at.give(i, at.ct(i));
    return;
  }
  growing_list<int> active, captured, operands, rows, row_of_argument, nothing_of_argument, yields;
  growing_list<tensor_type> types;
  const tensor_type index = type_of(dtype::i32);
  operands.push(to.zeros(index).id), types.push(index);
  const auto carry = [&](value cotangent, const tensor_type& type) {
    operands.push((cotangent ? cotangent : to.zeros(type)).id), types.push(type);
  };
  for (int i = 0; i < carried; ++i) {
    if (!d.is_active(at.node.results + i)) continue;
    active.push(i), carry(at.ct(i), at.x(i).type());
  }
  // A zero in the place of their number until the loop that counts them is there.
  const bool is_exact = known.is_exact();
  const value count = is_exact ? value{} : to.emit(ops::reshape{}, {to.zeros(index)}, index);
  find_captured(at, body, captured);
  for (int value : captured.all()) carry(d.derivative(value), g.type_of_value(value));

  const int asks = counting_condition(to, types.all(), most, [&](builder& asking, int first) {
    return is_exact ? value{} : less(asking.at(first), count);
  });
  const int iteration = open_region(g, to.region, types.all(), to.source), first = g.regions.data[iteration].arguments;
  to.region = iteration;
  node_copier copier(g);
  const value i = (is_exact ? to.integers(most, index) : count) - (to.at(first) + 1);
  for (int k = 0; k < carried; ++k) {
    const int argument = g.regions.data[body].arguments + k;
    const tensor_type type = g.type_of_value(argument);
    const counted_loop::counter counter = known.counter_of(k);
    row_of_argument.push(-1), nothing_of_argument.push(-1);
    if (known.is_invariant(k)) {
      const value same = d.is_active(at.node.results + k) ? to.emit(ops::reshape{}, {at.x(k)}, type) : at.x(k);
      copier.replace(argument, same.id);
    } else if (counter.is_known && type.rank() == 0) {
      const value at_iteration = convert(i, type.element);
      copier.replace(argument, (to.integers(counter.first, type) + at_iteration * to.integers(counter.step, type)).id);
    } else {
      // Of a stack in whose place the operand stands until it is known whether the row is read.
      nothing_of_argument[k] = to.zeros(type.with_shape(ints{1} + type.shape)).id;
      const value row = row_of(to, at.x(k).id, i, type);
      row_of_argument[k] = row.id;
      copier.replace(argument, reshape(row, type.shape).id);
    }
  }
  const int begin = g.nodes.size;
  copier.copy_nodes(body, iteration);
  const int end = g.nodes.size;
  const auto copy_of_argument = [&](int k) { return copier.copy_of(g.regions.data[body].arguments + k); };
  for (int k : active.all()) d.activate(copy_of_argument(k));
  d.activate_nodes(iteration, begin, end);
  for (int c = 0; c < captured.size(); ++c) d.set(captured[c], to.at(first + 1 + active.size() + c));
  for (int k = 0; k < active.size(); ++k)
    d.add_to(copier.copy_of(g.yields_of(g.regions.data[body])[active[k]]), to.at(first + 1 + k));
  d.pull(iteration, begin, end);
  yields.push((to.at(first) + 1).id);
  for (int k : active.all()) yields.push(d.derivative_or_zeros(copy_of_argument(k)).id);
  for (int value : captured.all()) yields.push(d.derivative_or_zeros(value).id);
  close_region(g, iteration, yields.all());
  to.region = outside;
  if (d.refused().label != nullptr || g.overflow()) return;
  const int loop = to.emit_with_regions(ops::while_{}, operands.all(), {asks, iteration}, types.all());

  // Stacks for the rows that are read.
  numbered<bool> live(false);
  const graph_region made = g.regions.data[iteration];
  for (int value : g.yields_of(made)) live.set(value, true);
  mark_live(g, iteration, made.first, made.last, live);
  for (int k = 0; k < carried; ++k) {
    if (row_of_argument[k] < 0) continue;
    if (live[row_of_argument[k]]) {
      rows.push(k);
      continue;
    }
    graph_node& unread = g.nodes.data[g.values.data[row_of_argument[k]].node];
    const graph_node& nothing = g.nodes.data[g.values.data[nothing_of_argument[k]].node];
    unread.kind = nothing.kind, unread.words = nothing.words, unread.word_count = nothing.word_count;
    unread.operand_count = 0;
  }
  if (rows.size() > 0 || !is_exact) {
    const int stacks = with_stacks(at, rows.all(), most);
    if (!is_exact) g.operands.data[g.nodes.data[g.values.data[count.id].node].operands] = stacks - 1;
    for (int k = 0; k < rows.size(); ++k) {
      const graph_node& reads = g.nodes.data[g.values.data[row_of_argument[rows[k]]].node];
      g.operands.data[reads.operands] = stacks + k;
    }
  }
  // First, as a value may be both captured and carried.
  for (int c = 0; c < captured.size(); ++c) d.set(captured[c], to.at(loop + 1 + active.size() + c));
  for (int k = 0; k < active.size(); ++k) at.give(active[k], to.at(loop + 1 + k));
}

// A scan as a loop that reads and writes slices along a dimension.
constexpr void decomposed(const ops::scan& op, const auto& at, value* y) {
  builder& to = at.to();
  graph& g = to.g;
  const int inputs = int(op.operand_segment_sizes[0]), carries = int(op.operand_segment_sizes[1]);
  const int outputs = int(op.result_segment_sizes[0]), body = region_of(at);
  const index_t count = inputs > 0 ? at.x(0).type().dim(op.dimension) : at.y(0).type().dim(op.dimension);
  const tensor_type index = type_of(dtype::i32);
  growing_list<int> start;
  for (int k = 0; k < carries; ++k) start.push(at.x(inputs + k).id);
  for (int k = 0; k < outputs; ++k) start.push(to.zeros(at.y(k).type()).id);
  const auto step = [&](int first, growing_list<int>& next) {
    const value i = to.at(first), place = op.is_reverse ? to.integers(count - 1, index) - i : i, zero = like(i, 0);
    int memory[max_rank + 2]{};
    const auto with_place = [&](std::initializer_list<int> values, int rank) {
      int size = 0;
      for (int value : values) memory[size++] = value;
      for (int d = 0; d < rank; ++d) memory[size++] = d == op.dimension ? place.id : zero.id;
      return list<int>{memory, size};
    };
    node_copier copier(g);
    const int arguments = g.regions.data[body].arguments;
    for (int k = 0; k < inputs; ++k) {
      const tensor_type type = at.x(k).type();
      ints sizes = type.shape;
      sizes.set(op.dimension, 1);
      const value slice =
          to.append(ops::dynamic_slice{sizes}, with_place({at.x(k).id}, type.rank()), type.with_shape(sizes));
      copier.replace(arguments + k, reshape(slice, type.shape.without({op.dimension})).id);
    }
    for (int k = 0; k < carries; ++k) copier.replace(arguments + inputs + k, first + 1 + k);
    copier.copy_nodes(body, to.region);
    const auto given = [&](int k) { return copier.copy_of(g.yields_of(g.regions.data[body])[k]); };
    for (int k = 0; k < carries; ++k) next.push(given(outputs + k));
    for (int k = 0; k < outputs; ++k) {
      const tensor_type type = at.y(k).type();
      ints sizes = type.shape;
      sizes.set(op.dimension, 1);
      const int row = reshape(to.at(given(k)), sizes).id;
      next.push(
          to.append(ops::dynamic_update_slice{}, with_place({first + 1 + carries + k, row}, type.rank()), type).id);
    }
  };
  const int loop = write_counted_loop(to, start.all(), count, nothing_else, step);
  for (int k = 0; k < outputs; ++k) y[k] = to.at(loop + carries + k);
  for (int k = 0; k < carries; ++k) y[outputs + k] = to.at(loop + k);
}

}  // namespace tenon::gradients
