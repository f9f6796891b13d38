// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/gradients/bodies.hpp>
#include <tenon/gradients/copied_nodes.hpp>
#include <tenon/gradients/windows.hpp>
#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/passes/constant_operands.hpp>
#include <tenon/graph/passes/neutral_bits.hpp>

#include <optional>

// Gradients of what folds elements, and of what orders them.
namespace tenon::gradients {

// The product of all elements along the dimensions but the one that stands there: of those before it and those behind,
// so that zeros do no harm. Products of 1, 2, 4, ... neighbours are joined.
constexpr value others_product(value x, const ints& dimensions, value initial) {
  const ints order = ints::range(x.rank()).without(dimensions) + dimensions;
  const index_t count = x.shape().select(dimensions).product(), rows = x.shape().without(dimensions).product();
  const value lines = reshape(transpose(x, order), {rows, count});
  const value one = x.to->number(1, x.type().with_shape({}));
  const auto moved = [&](value line, index_t by) { return pad(line, {0, by}, {0, -by}, {0, 0}, one); };
  value before = moved(lines, 1), behind = moved(lines, -1);
  for (index_t joined = 1; joined < count; joined *= 2)
    before = before * moved(before, joined), behind = behind * moved(behind, -joined);
  ints back = order;
  for (int i = 0; i < order.size; ++i) back.set(order[i], i);
  return transpose(reshape(before * behind * broadcast(initial, {}, lines.shape()), x.shape().select(order)), back);
}

constexpr bool is_minimum(const auto& at) { return is_region_of<ops::minimum>(at.g(), region_of(at)); }

enum class folding { sum, extremum, product, other };
constexpr folding folding_of(const auto& at) {
  const int region = region_of(at);
  if (is_region_of<ops::add>(at.g(), region)) return folding::sum;
  if (is_region_of<ops::multiply>(at.g(), region)) return folding::product;
  const bool extremum = is_region_of<ops::maximum>(at.g(), region) || is_minimum(at);
  return extremum && !is_complex(at.y().type().element) ? folding::extremum : folding::other;
}
// Whether the initial value changes no minimum or maximum.
constexpr bool is_infinite(const auto& at, int operand, bool lowest) {
  index_t bits = 0;
  const std::optional<std::uint64_t> written = passes::splat_bits(at.g(), at.x(operand).id);
  const neutral_element neutral = lowest ? neutral_element::lowest : neutral_element::highest;
  return written && passes::neutral_bits(neutral, at.x(operand).type().element, bits) &&
         *written == std::uint64_t(bits);
}
// A fold is written as others where it has no rule of its own: several tensors, other ops, an initial value that
// counts.
constexpr bool is_single(const auto& at, folding kind) {
  return at.operand_count() == 2 && kind != folding::other && at.x(0).type().element == at.y().type().element;
}
constexpr bool counts_initial(const auto& at, folding kind) {
  return kind == folding::extremum ? !is_infinite(at, 1, !is_minimum(at)) : kind != folding::sum && at.is_active(1);
}
// The minimum or maximum of the initial value and a fold without it.
constexpr value with_initial(const auto& at, const auto& fold_by) {
  const value initial = broadcast(at.x(1), {}, at.y().shape());
  return is_minimum(at) ? apply_to(ops::minimum{}, initial, fold_by(ops::minimum{}, __builtin_inf()))
                        : apply_to(ops::maximum{}, initial, fold_by(ops::maximum{}, -__builtin_inf()));
}
constexpr bool is_refused_body(const auto& at, const char* label) {
  const bool refused = !works_by_element(at.g(), region_of(at)) || at.operand_count() > most_operands;
  if (refused) at.refuse(label, "a body has a rule if its ops work element by element");
  return refused;
}
constexpr bool decomposes(const ops::reduce&, const auto& at) {
  const folding kind = folding_of(at);
  return !is_single(at, kind) || counts_initial(at, kind);
}
constexpr void decomposed(const ops::reduce& op, const auto& at, value* y) {
  if (const folding kind = folding_of(at); kind == folding::extremum && is_single(at, kind)) {
    y[0] = with_initial(at, [&](auto of, double start) { return fold(of, at.x(0), start, op.dimensions); });
    return;
  }
  if (is_refused_body(at, "grad_reduce")) return;
  const ints shape = at.x(0).shape(), kept = ints::range(shape.size).without(op.dimensions);
  const ints rest = shape.select(kept), lines = ints{shape.select(op.dimensions).product()} + rest;
  folded result = initial_values(at, region_of(at), rest);
  if (shape.product() > 0) {
    const folded all = folded_operands(at, region_of(at)).mapped([&](value x) {
      return reshape(transpose(x, op.dimensions + kept), lines);
    });
    result = result.with(all.along(0).mapped([&](value x) { return reshape(x, rest); }));
  }
  for (int i = 0; i < result.count; ++i) y[i] = at.to().at(result.values[i]);
}
constexpr bool linearizes(const ops::reduce&, const auto& at) { return folding_of(at) != folding::sum; }
constexpr void pullback(const ops::reduce& op, const auto& at) {
  const value x = at.x(0), ct = at.ct();
  at.give(0, broadcast(ct, ints::range(x.rank()).without(op.dimensions), x.shape()));
  if (at.is_active(1)) at.give(1, sum(ct));
}
constexpr void pushforward(const ops::reduce& op, const auto& at) {
  const folding kind = folding_of(at);
  const value x = at.x(0), dx = at.dx(0);
  if (kind == folding::sum) {
    const value start = at.dx(1) ? broadcast(at.dx(1), {}, at.y().shape()) : value{};
    at.set(0, (dx ? sum(dx, op.dimensions) : dx) + start);
  } else if (kind == folding::product) {
    at.set(0, sum(dx * others_product(x, op.dimensions, at.x(1)), op.dimensions));
  } else {
    // All places that hold the result share the derivative.
    const value y = broadcast(at.y(), ints::range(x.rank()).without(op.dimensions), x.shape());
    const value holds = where(equal(x, y), like(x, 1));
    at.set(0, sum(dx * holds, op.dimensions) / sum(holds, op.dimensions));
  }
}

// Windows.

constexpr bool has_no_dilation(const ops::reduce_window& op) {
  for (const ints& each : {op.base_dilations, op.window_dilations})
    for (index_t size : each)
      if (size != 1) return false;
  return true;
}

// Whether it folds pairs, of which the one whose first number is chosen stays: select_and_gather.
constexpr bool gathers_chosen(const auto& at, comparison_direction& direction) {
  const graph& g = at.g();
  const graph_region& body = g.regions.data[region_of(at)];
  if (body.argument_count != 4 || body.yield_count != 2 || body.last - body.first != 3) return false;
  const int first = body.arguments;
  const graph_node* const nodes = g.nodes.data + body.first;
  const auto reads = [&](const graph_node& node, std::initializer_list<int> operands) {
    return g.operands_of(node) == list<int>{operands.begin(), int(operands.size())};
  };
  if (!is<ops::compare>(nodes[0]) || nodes[1].kind != nodes[2].kind || !is<ops::select>(nodes[1]) ||
      !reads(nodes[0], {first, first + 2}) || !reads(nodes[1], {nodes[0].results, first, first + 2}) ||
      !reads(nodes[2], {nodes[0].results, first + 1, first + 3}))
    return false;
  direction = read_attributes<ops::compare>(g.words.data + nodes[0].words).comparison_direction;
  return g.yields_of(body)[0] == nodes[1].results && g.yields_of(body)[1] == nodes[2].results;
}

constexpr bool decomposes(const ops::reduce_window& op, const auto& at) {
  comparison_direction chosen{};
  if (gathers_chosen(at, chosen) && has_no_dilation(op) && !at.is_active(3) &&
      is_infinite(at, 2, chosen == comparison_direction::GE || chosen == comparison_direction::GT))
    return false;
  const folding kind = folding_of(at);
  return !is_single(at, kind) || kind == folding::product || at.is_active(1) || counts_initial(at, kind) ||
         (kind == folding::extremum && !has_no_dilation(op));
}
constexpr void decomposed(const ops::reduce_window& op, const auto& at, value* y) {
  if (const folding kind = folding_of(at); kind == folding::extremum && is_single(at, kind) && has_no_dilation(op)) {
    const tensor_type type = at.y().type();
    y[0] = with_initial(at, [&](auto of, double start) { return fold(of, op, at.x(0), start, type); });
    return;
  }
  if (is_refused_body(at, "grad_reduce_window")) return;
  const int rank = at.x(0).rank();
  folded all = folded_operands(at, region_of(at)), initial = initial_values(at, region_of(at), at.y().shape());
  ints low, high, interior;
  for (int d = 0; d < rank; ++d)
    low.push(op.padding(d, 0)), high.push(op.padding(d, 1)), interior.push(step_of(op.base_dilations, d) - 1);
  for (int i = 0; i < all.count; ++i)
    all.values[i] = pad(at.to().at(all.values[i]), low, high, interior, at.x(all.count + i)).id;
  for (int d = 0; d < rank && at.y().type().size() > 0; ++d) {
    all = all.windows(d, op.window_dimensions[d], step_of(op.window_dilations, d));
    all = all.part(d, 0, at.y().shape()[d], step_of(op.window_strides, d));
  }
  if (at.y().type().size() > 0) initial = initial.with(all);
  for (int i = 0; i < all.count; ++i) y[i] = at.to().at(initial.values[i]);
}
// Whether an element of each window is the result, and how it compares with the others.
constexpr bool chooses(const auto& at, comparison_direction& direction) {
  if (gathers_chosen(at, direction)) return true;
  direction = is_minimum(at) ? comparison_direction::LE : comparison_direction::GE;
  return folding_of(at) == folding::extremum;
}
constexpr void pullback(const ops::reduce_window& op, const auto& at) {
  if (comparison_direction chosen{}; chooses(at, chosen)) {
    ops::select_and_scatter back;
    back.window_dimensions = op.window_dimensions, back.window_strides = op.window_strides, back.padding = op.padding;
    return pull_each(at, [&](int i) { return select_and_scatter(back, chosen, at.x(0), at.ct(i)); });
  }
  const value x = at.x(0), ct = at.ct();
  const int rank = x.rank();
  // Each element stands in the windows around it.
  ints low, high, interior;
  ops::reduce_window back;
  back.window_dimensions = op.window_dimensions, back.window_dilations = op.window_dilations;
  back.window_strides = op.base_dilations;
  for (int d = 0; d < rank; ++d) {
    const index_t stride = step_of(op.window_strides, d);
    const index_t window = dilated_size(op.window_dimensions[d], step_of(op.window_dilations, d));
    const index_t base = dilated_size(x.type().dim(d), step_of(op.base_dilations, d));
    const index_t result = dilated_size(ct.type().dim(d), stride), before = window - op.padding(d, 0) - 1;
    low.push(before), high.push(base + window - 1 - result - before), interior.push(stride - 1);
  }
  at.give(0, fold(ops::add{}, back, pad(ct, low, high, interior), 0, x.type()));
}
constexpr void pushforward(const ops::reduce_window& op, const auto& at) {
  const tensor_type type = at.y().type();
  if (comparison_direction chosen{}; chooses(at, chosen))
    return push_each(at, [&](int i) { return select_and_gather(op, chosen, at.x(0), at.dx(i), type); });
  at.set(0, fold(ops::add{}, op, at.dx(0), 0, type));
}

// Of the operand only which element of a window is chosen is read.
constexpr bool is_refused(const ops::select_and_scatter&, const auto& at, comparison_direction& direction) {
  const graph& g = at.g();
  const graph_region& choice = g.regions.data[region_of(at, 0)];
  bool fits = is_region_of<ops::compare>(g, region_of(at, 0)) && is_region_of<ops::add>(g, region_of(at, 1));
  if (fits) {
    const graph_node& node = g.nodes.data[g.values.data[g.yields_of(choice)[0]].node];
    const bool forwards = g.operands_of(node)[0] == choice.arguments;
    direction = read_attributes<ops::compare>(g.words.data + node.words).comparison_direction;
    fits = forwards && (direction == comparison_direction::GE || direction == comparison_direction::LE ||
                        direction == comparison_direction::GT || direction == comparison_direction::LT);
  }
  if (!fits) at.refuse("grad_select_and_scatter", "only sums where minima and maxima stand have a rule");
  return !fits;
}
constexpr void pullback(const ops::select_and_scatter& op, const auto& at) {
  comparison_direction direction{};
  if (is_refused(op, at, direction)) return;
  if (at.is_active(2)) at.give(2, sum(at.ct()));
  ops::reduce_window windows;
  windows.window_dimensions = op.window_dimensions, windows.window_strides = op.window_strides;
  windows.padding = op.padding;
  if (at.is_active(1)) at.give(1, select_and_gather(windows, direction, at.x(0), at.ct(), at.x(1).type()));
}
constexpr void pushforward(const ops::select_and_scatter& op, const auto& at) {
  comparison_direction direction{};
  if (is_refused(op, at, direction)) return;
  const value start = at.dx(2) ? broadcast(at.dx(2), {}, at.y().shape()) : value{};
  at.set(0, (at.dx(1) ? select_and_scatter(op, direction, at.x(0), at.dx(1)) : value{}) + start);
}

// The inputs in the order of a node that sorts, and their tangents or their numbers with them: `more` goes along.
// Gives its first result.
constexpr int sort_with(const ops::sort& op, const auto& at, list<int> more, bool is_stable) {
  builder& to = at.to();
  graph& g = to.g;
  const int inputs = at.operand_count(), count = inputs + more.size;
  int operands[most_operands]{};
  tensor_type types[most_operands], arguments[2 * most_operands];
  for (int i = 0; i < count; ++i) {
    operands[i] = i < inputs ? at.x(i).id : more[i - inputs];
    types[i] = g.type_of_value(operands[i]);
    arguments[2 * i] = arguments[2 * i + 1] = types[i].with_shape({});
  }
  const int comparator = open_region(g, to.region, {arguments, 2 * count}, to.source), old = region_of(at);
  node_copier copier(g);
  for (int a = 0; a < 2 * inputs; ++a)
    copier.replace(g.regions.data[old].arguments + a, g.regions.data[comparator].arguments + a);
  copier.copy_nodes(old, comparator);
  copier.close(old, comparator);
  ops::sort sorting = op;
  sorting.is_stable = op.is_stable || is_stable;
  return to.emit_with_regions(sorting, {operands, count}, {comparator}, {types, count});
}
constexpr bool is_refused(const ops::sort&, const auto& at, int more) {
  const bool refused = at.operand_count() + more > most_operands;
  if (refused) at.refuse("grad_sort", "at most 64 tensors are sorted together with their tangents");
  return refused;
}
// Back by the numbers of the places that the elements came from.
constexpr void pullback(const ops::sort& op, const auto& at) {
  if (is_refused(op, at, 1)) return;
  builder& to = at.to();
  const int inputs = at.operand_count();
  const index_t axis = op.dimension < 0 ? op.dimension + at.x(0).rank() : op.dimension;
  const tensor_type index = type_of(dtype::i32, at.x(0).shape());
  const int numbers = iota(to, axis, index).id;
  const int places = sort_with(op, at, {&numbers, 1}, true) + inputs;
  for (int i = 0; i < inputs; ++i) {
    if (!at.is_active(i) || !at.ct(i)) continue;
    const tensor_type types[] = {index, at.x(i).type()};
    const tensor_type number = index.with_shape({}), element = types[1].with_shape({});
    const tensor_type arguments[] = {number, number, element, element};
    const int comparator = region_with(to, {arguments, 4}, [](builder& inside, int first) {
      return std::array<int, 1>{{less(inside.at(first), inside.at(first + 1)).id}};
    });
    const int operands[] = {places, at.ct(i).id};
    ops::sort back;
    back.dimension = axis, back.is_stable = true;
    at.give(i, to.at(to.emit_with_regions(back, {operands, 2}, {comparator}, {types, 2}) + 1));
  }
}
constexpr void pushforward(const ops::sort& op, const auto& at) {
  if (is_refused(op, at, at.operand_count())) return;
  int tangents[most_operands]{}, of[most_operands]{}, count = 0;
  for (int i = 0; i < at.operand_count(); ++i)
    if (at.dx(i)) of[count] = i, tangents[count++] = at.dx(i).id;
  const int first = sort_with(op, at, {tangents, count}, true) + at.operand_count();
  for (int i = 0; i < count; ++i) at.set(of[i], at.to().at(first + i));
}

// Normalisation, written as other ops.

// The features of x, along one dimension: sums over all others, and numbers for each in every element.
struct features {
  value x;
  index_t dimension;
  double epsilon;

  constexpr features(const auto& op, const auto& at)
      : x(at.x(0)), dimension(op.feature_index), epsilon(double(float(op.epsilon))) {}
  constexpr value mean(value of) const { return 1 / count() * total(of); }
  constexpr value total(value of) const { return sum(of, ints::range(x.rank()).without({dimension})); }
  constexpr value all(value of) const { return broadcast(of, ints{dimension}, x.shape()); }
  constexpr double count() const { return double(x.shape().without({dimension}).product()); }
  constexpr value deviation(value variance) const { return apply_to(ops::sqrt{}, variance + epsilon); }
};
constexpr void decomposed(const ops::batch_norm_inference& op, const auto& at, value* y) {
  const features f(op, at);
  y[0] = (f.x - f.all(at.x(3))) / f.all(f.deviation(at.x(4))) * f.all(at.x(1)) + f.all(at.x(2));
}
constexpr void decomposed(const ops::batch_norm_training& op, const auto& at, value* y) {
  const features f(op, at);
  const value mean = f.mean(f.x), centered = f.x - f.all(mean), variance = f.mean(centered * centered);
  y[0] = centered / f.all(f.deviation(variance)) * f.all(at.x(1)) + f.all(at.x(2)), y[1] = mean, y[2] = variance;
}
constexpr void decomposed(const ops::batch_norm_grad& op, const auto& at, value* y) {
  const features f(op, at);
  const value ct = at.x(4), deviation = f.deviation(at.x(3)), centered = f.x - f.all(at.x(2)), sum_of_ct = f.total(ct);
  const value product = f.total(ct * centered);
  const value rest = f.count() * ct - f.all(sum_of_ct) - centered * f.all(product / (at.x(3) + f.epsilon));
  y[0] = f.all(1 / f.count() * (at.x(1) / deviation)) * rest, y[1] = product / deviation, y[2] = sum_of_ct;
}

}  // namespace tenon::gradients
