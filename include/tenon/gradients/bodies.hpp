// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/gradients/copied_nodes.hpp>
#include <tenon/gradients/windows.hpp>

// Regions of scalars, applied to tensors: maps, and folds by any associative function.
namespace tenon::gradients {

// Whether a region is `Op` of its two numbers.
template <class Op>
constexpr bool is_region_of(const graph& g, int region) {
  const graph_region& body = g.regions.data[region];
  if (body.yield_count != 1 || body.argument_count != 2) return false;
  const int number = g.values.data[g.yields_of(body)[0]].node;
  if (number < body.first || number >= body.last) return false;
  const graph_node& node = g.nodes.data[number];
  const list<int> operands = g.operands_of(node);
  const bool takes_both = operands.size == 2 && operands[0] + operands[1] == 2 * body.arguments + 1 &&
                          (operands[0] == body.arguments || operands[1] == body.arguments);
  return takes_both && is<Op>(node);
}
constexpr bool is_region_of_second(const graph& g, int region) {
  const graph_region& body = g.regions.data[region];
  return body.yield_count == 1 && body.argument_count == 2 && g.yields_of(body)[0] == body.arguments + 1;
}

// Whether the region works on scalars by ops that work element by element.
constexpr bool works_by_element(const graph& g, int region) {
  const graph_region& body = g.regions.data[region];
  for (int n = body.first; n < body.last; ++n) {
    const graph_node& node = g.nodes.data[n];
    const op_facts& facts = facts_of(node.kind);
    if (node.region != region || node.region_count > 0 || !(facts.elementwise || facts.is_constant)) return false;
    for (int r = 0; r < node.result_count; ++r)
      if (g.type_of_value(node.results + r).rank() > 0) return false;
  }
  return true;
}

// The results of a region that works by element, for tensors of this shape as arguments.
constexpr void apply_body(builder& to, int region, list<int> arguments, const ints& shape, int* results) {
  graph& g = to.g;
  const graph_region body = g.regions.data[region];
  numbered<int> copies(-1);
  for (int i = 0; i < arguments.size; ++i) copies.set(body.arguments + i, arguments[i]);
  const auto copy_of = [&](int value) {
    if (copies[value] < 0) copies.set(value, broadcast(to.at(value), {}, shape).id);
    return copies[value];
  };
  for (int n = body.first; n < body.last; ++n) {
    const graph_node node = g.nodes.data[n];
    growing_list<int> operands;
    growing_list<tensor_type> types;
    for (int i = 0; i < node.operand_count; ++i) operands.push(copy_of(g.operands.data[node.operands + i]));
    const bool is_constant = facts_of(node.kind).is_constant;
    for (int r = 0; r < node.result_count; ++r)
      types.push(g.type_of_value(node.results + r).with_shape(is_constant ? ints{} : shape));
    const int copy = append_node(g, node.kind, node.words, {operands.all(), {}, {}, to.region, to.source}, types.all());
    g.nodes.data[copy].word_count = node.word_count;
    for (int r = 0; r < node.result_count; ++r) {
      const value made = to.at(g.nodes.data[copy].results + r);
      copies.set(node.results + r, is_constant ? broadcast(made, {}, shape).id : made.id);
    }
  }
  for (int k = 0; k < body.yield_count; ++k) results[k] = copy_of(g.yields_of(g.regions.data[region])[k]);
}

// Tensors of one shape that an associative region combines, element by element of each.
struct folded {
  builder& to;
  int region, count;
  int values[most_operands]{};

  constexpr folded(builder& writes, int body, int tensors)
      : to(writes), region(body), count(tensors < most_operands / 2 ? tensors : most_operands / 2) {}

  constexpr ints shape() const { return to.at(values[0]).shape(); }
  constexpr folded mapped(const auto& f) const {
    folded result(to, region, count);
    for (int i = 0; i < count; ++i) result.values[i] = f(to.at(values[i])).id;
    return result;
  }
  // Every element from `start` on that `step` reaches along the dimension, `size` of them.
  constexpr folded part(index_t dimension, index_t start, index_t size, index_t step = 1) const {
    return mapped([&](value x) {
      ints first = ints::filled(x.rank(), 0), last = x.shape(), steps = ints::filled(x.rank(), 1);
      first.set(dimension, start), last.set(dimension, size > 0 ? start + (size - 1) * step + 1 : start);
      steps.set(dimension, step);
      return slice(x, first, last, steps);
    });
  }
  constexpr folded with(const folded& other) const {
    int arguments[most_operands]{};
    for (int i = 0; i < count; ++i) arguments[i] = values[i], arguments[count + i] = other.values[i];
    folded result(to, region, count);
    apply_body(to, region, {arguments, 2 * count}, shape(), result.values);
    return result;
  }
  // Neighbours along a dimension are combined until one is left.
  constexpr folded along(index_t dimension) const {
    folded all = *this;
    for (index_t size = shape()[dimension]; size > 1; size = all.shape()[dimension]) {
      folded pairs = all.part(dimension, 0, size / 2, 2).with(all.part(dimension, 1, size / 2, 2));
      if (size % 2 != 0) {
        const folded last = all.part(dimension, size - 1, 1);
        for (int i = 0; i < count; ++i)
          pairs.values[i] = concatenate(to.at(pairs.values[i]), to.at(last.values[i]), dimension).id;
      }
      all = pairs;
    }
    return all;
  }
  // Of each window of `size` elements that stand `dilation` apart: windows of 1, 2, 4, ... are joined.
  constexpr folded windows(index_t dimension, index_t size, index_t dilation) const {
    const index_t results = shape()[dimension] - (size - 1) * dilation;
    folded power = *this, joined = *this;
    for (index_t covered = 0, width = 1; covered < size; width *= 2) {
      if ((size & width) != 0) {
        const folded next = power.part(dimension, covered * dilation, results);
        joined = covered == 0 ? next : joined.with(next);
        covered += width;
      }
      if (covered >= size) break;
      const index_t room = power.shape()[dimension] - width * dilation;
      power = power.part(dimension, 0, room).with(power.part(dimension, width * dilation, room));
    }
    return joined;
  }

  constexpr folded& operator=(const folded& other) {
    for (int i = 0; i < count; ++i) values[i] = other.values[i];
    return *this;
  }
  constexpr folded(const folded&) = default;
};

// The operands of a node that folds, as elements of the types that the region takes, or their initial values in each
// element of a shape.
constexpr folded folded_operands(const auto& at, int region) {
  folded all(at.to(), region, at.operand_count() / 2);
  for (int i = 0; i < all.count; ++i) all.values[i] = convert(at.x(i), at.y(i).type().element).id;
  return all;
}
constexpr folded initial_values(const auto& at, int region, const ints& shape) {
  folded all(at.to(), region, at.operand_count() / 2);
  for (int i = 0; i < all.count; ++i) all.values[i] = broadcast(at.x(all.count + i), {}, shape).id;
  return all;
}

// Element by element; a body of other ops runs once for each, in a scan.
constexpr void decomposed(const ops::map&, const auto& at, value* y) {
  builder& to = at.to();
  const tensor_type type = at.y().type();
  const int region = region_of(at), count = at.operand_count();
  growing_list<int> operands;
  if (works_by_element(to.g, region)) {
    for (int i = 0; i < count; ++i) operands.push(at.x(i).id);
    apply_body(to, region, operands.all(), type.shape, &y[0].id);
    y[0].to = &to;
    return;
  }
  const ints line{type.shape.product()};
  for (int i = 0; i < count; ++i) operands.push(reshape(at.x(i), line).id);
  node_copier copier(to.g);
  const int body = copier.copy_region(region, to.region);
  ops::scan over;
  over.operand_segment_sizes = {count, 0}, over.result_segment_sizes = {1, 0};
  const tensor_type made = type.with_shape(line);
  y[0] = reshape(to.at(to.emit_with_regions(over, operands.all(), {body}, {&made, 1})), type.shape);
}

}  // namespace tenon::gradients
