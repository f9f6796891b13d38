// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/graph.hpp>

namespace tenon::passes {

// Quantized arithmetic, as the specification defines it: the operands are dequantized, the op works on the expressed
// types, and its result is quantized. Ops that only move elements, and those that convert, stay as they are.
// https://openxla.org/stablehlo/spec#quantization-computations

constexpr bool works_on_expressed_values(const graph& g, const graph_node& node) {
  const op_facts facts = facts_of(node.kind);
  if (!(facts.elementwise || facts.dequantizes)) return false;
  for (int value : g.operands_of(node))
    if (g.type_of_value(value).is_quantized()) return true;
  for (int i = 0; i < node.result_count; ++i)
    if (g.type_of_value(node.results + i).is_quantized()) return true;
  return false;
}

// Memory that `dequantize` takes for its result.
constexpr graph_sizes sizes_of_dequantized(const graph& g) {
  graph_sizes sizes = g.sizes();
  for (const graph_node& node : g.nodes) {
    if (!works_on_expressed_values(g, node)) continue;
    const int added = node.operand_count + node.result_count;
    sizes.nodes += added, sizes.values += added, sizes.operands += node.operand_count + added, sizes.types += added;
  }
  return sizes;
}

// Copies `from` to `to` with quantized arithmetic written out. `moved` has room for a number per node and one more.
// @post no node of `to` computes on quantized values but uniform_quantize, uniform_dequantize and what moves elements
constexpr void dequantize(const graph& from, graph& to, table<int> moved) {
  const auto keep = [](const auto& source, auto& target) {
    for (const auto& each : source) target.push(each);
  };
  keep(from.values, to.values), keep(from.operands, to.operands), keep(from.words, to.words);
  keep(from.types, to.types), keep(from.region_references, to.region_references);
  keep(from.functions, to.functions), keep(from.literals, to.literals);
  copy_references(from, to);

  const auto expressed = [&](const tensor_type& type) {
    return to.intern_type(type.is_quantized() ? type.with_element(from.quantization_of(type).expressed) : type);
  };
  // A node with one operand and one result; the result is a new value of this type, or the one that is given.
  const auto convert = [&]<class Op>(const Op&, const graph_node& like, int operand, int type, int result) {
    if (result < 0) result = to.values.push({type, to.nodes.size, 0, like.region});
    to.values[result].node = to.nodes.size;
    to.values[result].index = 0;
    graph_node node;
    node.kind = kind_of_op<Op>;
    node.operands = to.operands.push(operand);
    node.operand_count = node.result_count = 1;
    node.results = result;
    node.words = to.words.size;
    node.region = like.region;
    node.source = like.source;
    to.nodes.push(node);
    return result;
  };
  for (int n = 0; n < from.nodes.size; ++n) {
    moved[n] = to.nodes.size;
    graph_node node = from.nodes.data[n];
    if (!works_on_expressed_values(from, node)) {
      for (int r = 0; r < node.result_count; ++r) to.values[node.results + r].node = to.nodes.size;
      to.nodes.push(node);
      continue;
    }
    const list<int> operands = from.operands_of(node);
    const int first = to.operands.size;
    for (int value : operands) to.operands.push(value);
    for (int i = 0; i < operands.size; ++i) {
      const tensor_type& type = from.type_of_value(operands.data[i]);
      if (type.is_quantized())
        to.operands[first + i] = convert(ops::uniform_dequantize{}, node, operands.data[i], expressed(type), -1);
    }
    node.operands = first;
    bool quantizes = false;
    for (int r = 0; r < node.result_count; ++r)
      quantizes = quantizes || from.type_of_value(node.results + r).is_quantized();
    const int results = node.results;
    if (quantizes) {
      node.results = to.values.size;
      for (int r = 0; r < node.result_count; ++r)
        to.values.push({expressed(from.type_of_value(results + r)), to.nodes.size, r, node.region});
    }
    for (int r = 0; r < node.result_count; ++r) to.values[node.results + r].node = to.nodes.size;
    to.nodes.push(node);
    if (!quantizes) continue;
    for (int r = 0; r < node.result_count; ++r)
      if (from.type_of_value(results + r).is_quantized())
        convert(ops::uniform_quantize{}, node, node.results + r, 0, results + r);
      else
        convert(ops::convert{}, node, node.results + r, 0, results + r);
  }
  moved[from.nodes.size] = to.nodes.size;
  for (graph_region region : from.regions) {
    region.first = moved[region.first];
    region.last = moved[region.last];
    to.regions.push(region);
  }
}

}  // namespace tenon::passes
