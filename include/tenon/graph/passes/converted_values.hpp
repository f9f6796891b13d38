// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/passes/node_writer.hpp>

namespace tenon::passes {

// Lets nodes compute in other element types than those of the values around them. `types.of_value(value)` is the type
// that a value has afterwards. A node that `types.converts` takes and gives values as `types.of_node(node, value)`:
// where that differs, a conversion stands in front of the node or behind it.

// Memory for the result of `write_conversions`.
constexpr graph_sizes sizes_with_conversions(const graph& g, const auto& types) {
  graph_sizes sizes = g.sizes();
  for (int v = 0; v < g.values.size; ++v) sizes.types += types.of_value(v) == g.type_of_value(v) ? 0 : 1;
  for (const graph_node& node : g.nodes) {
    if (!types.converts(node)) continue;
    const int added = node.operand_count + node.result_count;
    sizes.nodes += added, sizes.values += added + node.result_count, sizes.types += added;
    sizes.operands += node.operand_count + added;
  }
  return sizes;
}

// Copies `from` to `to` with the conversions. `moved` has room for a number per node and one more.
constexpr void write_conversions(const graph& from, graph& to, table<int> moved, const auto& types) {
  copy_table(from.values, to.values), copy_table(from.operands, to.operands), copy_table(from.words, to.words);
  copy_table(from.types, to.types), copy_table(from.region_references, to.region_references);
  copy_table(from.functions, to.functions), copy_table(from.literals, to.literals);
  copy_references(from, to);
  for (int v = 0; v < from.values.size; ++v)
    if (const tensor_type type = types.of_value(v); type != from.type_of_value(v))
      to.values[v].type = to.intern_type(type);

  const auto convert = [&](const graph_node& like, int operand, const tensor_type& type) {
    const node_writer write{to, like.region, like.source};
    if (type.is_quantized()) return write.append_unary(ops::uniform_quantize{}, operand, type);
    if (!to.type_of_value(operand).is_quantized()) return write.append_unary(ops::convert{}, operand, type);
    return write.append_unary(ops::uniform_dequantize{}, operand, type);
  };
  for (int n = 0; n < from.nodes.size; ++n) {
    moved[n] = to.nodes.size;
    const graph_node& source = from.nodes.data[n];
    graph_node node = source;
    const int results = node.results;
    bool converts_results = false;
    if (types.converts(source)) {
      node.operands = to.operands.size;
      for (int value : from.operands_of(source)) to.operands.push(value);
      for (int i = 0; i < node.operand_count; ++i) {
        const int value = to.operands[node.operands + i];
        const tensor_type type = types.of_node(source, value);
        if (type != to.type_of_value(value)) to.operands[node.operands + i] = convert(node, value, type);
      }
      for (int r = 0; r < node.result_count; ++r)
        converts_results = converts_results || types.of_node(source, results + r) != to.type_of_value(results + r);
    }
    if (converts_results) node.results = to.values.size;
    for (int r = 0; r < node.result_count && converts_results; ++r)
      to.values.push({to.intern_type(types.of_node(source, results + r)), -1, r, node.region});
    for (int r = 0; r < node.result_count; ++r) to.values[node.results + r].node = to.nodes.size;
    to.nodes.push(node);
    for (int r = 0; r < node.result_count && converts_results; ++r) {
      const int converted = convert(node, node.results + r, to.type_of_value(results + r));
      to.nodes[to.values[converted].node].results = results + r;
      to.values[results + r].node = to.values[converted].node, to.values[results + r].index = 0;
    }
  }
  moved[from.nodes.size] = to.nodes.size;
  for (graph_region region : from.regions) {
    region.first = moved[region.first];
    region.last = moved[region.last];
    to.regions.push(region);
  }
}

}  // namespace tenon::passes
