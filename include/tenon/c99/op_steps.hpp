// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/c99/regions.hpp>
#include <tenon/graph/ir/maps.hpp>
#include <tenon/ops/contraction/accumulator.hpp>

#include <functional>

namespace tenon::c99 {

// The operands and results of an op that has a loop of its own, and the loops that follow from its indexing maps.
class op_step {
 public:
  c_function& f;
  const planning::plan_step& step;
  const ir::graph_node& node;
  std::vector<tensor_type> operand_types, result_types;

  op_step(c_function& to, const planning::plan_step& of) : f(to), step(of), node(to.g.nodes.data[of.node]) {
    for (const int value : f.g.operands_of(node)) operand_types.push_back(f.g.type_of_value(value));
    for (int r = 0; r < node.result_count; ++r) result_types.push_back(f.g.type_of_value(node.results + r));
  }

  int operand_value(int i) const { return f.p.values.data[step.first + step.read_count + i]; }
  int result_value(int r = 0) const { return node.results + r; }
  const tensor_type& operand_type(int i) const { return operand_types[std::size_t(i)]; }
  const tensor_type& result_type(int r = 0) const { return result_types[std::size_t(r)]; }
  dtype element(int i) const { return operand_type(i).element; }
  std::string pointer(int i) { return f.pointer(operand_value(i)); }
  std::string result_pointer(int r = 0) { return f.pointer(result_value(r)); }
  list<tensor_type> operands() const { return {operand_types.data(), int(operand_types.size())}; }
  list<tensor_type> results() const { return {result_types.data(), int(result_types.size())}; }

  bool has_types() {
    for (const auto* types : {&operand_types, &result_types})
      for (const tensor_type& type : *types)
        if (!type.is_tensor() || type.is_quantized() || type.bounded != 0 || !has_c_type(type.element))
          return f.refuse(node, "has tensors that C has no type for; convert them to f32 or an integer first");
    return true;
  }

  // Where the element of operand i with these indices lies.
  linear position(int i, const std::vector<linear>& index) const {
    const int view = step.first_view >= 0 ? f.p.values.data[step.first_view + i] : -1;
    const ints strides = view >= 0 ? f.p.accesses.data[view].strides : strides_of(operand_type(i).shape);
    linear at = view >= 0 ? f.p.accesses.data[view].base : 0;
    for (std::size_t d = 0; d < index.size(); ++d) at.add(index[d], strides[int(d)]);
    return at;
  }
  std::string load(int i, const linear& at) {
    const int value = operand_value(i);
    return f.is_number(value) ? f.load_scalar(value) : f.load(element(i), pointer(i), at);
  }
  std::string load_index(int i, const linear& at) {
    const std::string number = load(i, at);
    return element(i) == dtype::ui64 ? f.helpers.call("index_of") + "(" + number + ")" : "(int64_t)" + number;
  }

  indexing::indexing_map map_of(int operand, int result = 0) const {
    return ir::reads_of(node.kind, f.g.words.data + node.words, operand, result, operands(), results());
  }

  // Loops over a shape; gives their indices.
  std::vector<std::string> loops(const ints& shape, int& blocks) {
    std::vector<std::string> names;
    for (const index_t size : shape) names.push_back(f.loop(size, blocks));
    return names;
  }
  static linear dense(const ints& shape, const std::vector<std::string>& names) {
    linear at;
    const ints strides = strides_of(shape);
    for (int d = 0; d < shape.size; ++d) at.add(linear(names[std::size_t(d)]), strides[d]);
    return at;
  }

  // Result elements that are elements of an operand: where its map has them, and as far as it does.
  bool move_elements(int operand) {
    const indexing::indexing_map map = map_of(operand);
    if (map.is_known_empty() || result_type().size() == 0) return true;
    if (!map.is_defined() || map.range_count > 0) return f.refuse(node, "has no indexing map");
    map_names names;
    int blocks = 0;
    names.runtimes.resize(std::size_t(map.runtime_count));
    const auto read_runtime = [&](int depth) {
      for (int v = 0; v < map.runtime_count; ++v) {
        if (!names.runtimes[std::size_t(v)].empty()) continue;
        const indexing::runtime_source from =
            ir::source_of(node.kind, f.g.words.data + node.words, operand, v, operands(), results());
        int needs = 0;
        for (int k = 0; k < from.element.node_count; ++k)
          if (const indexing::node& each = from.element.nodes[k]; each.op == indexing::operation::dimension)
            needs = std::max(needs, int(each.value) + 1);
        if (needs > depth) continue;
        map_names known = names;
        known.dimensions.resize(std::size_t(map.dimension_count));
        const map_writer source(from.element, known);
        std::vector<linear> index;
        for (int r = 0; r < from.element.result_count; ++r) index.push_back(source.result(r));
        const indexing::interval bounds = map.runtime_bounds[v];
        names.runtimes[std::size_t(v)] = f.let(
            "int64_t", f.helpers.call("clamp_index") + "(" + load_index(from.operand, position(from.operand, index)) +
                           ", " + std::to_string(bounds.lower) + ", " + std::to_string(bounds.upper) + ")");
      }
    };
    read_runtime(0);
    linear to;
    const ints strides = strides_of(result_type().shape);
    for (int d = 0; d < map.dimension_count; ++d) {
      const indexing::interval bounds = map.dimension_bounds[d];
      if (bounds.lower == bounds.upper) {
        names.dimensions.push_back("");
        to.add(linear(bounds.lower), strides[d]);
      } else {
        names.dimensions.push_back(f.loop(bounds.upper + 1, blocks, bounds.lower));
        to.add(linear(names.dimensions.back()), strides[d]);
      }
      read_runtime(d + 1);
    }
    const map_writer writer(map, names);
    std::vector<linear> index;
    for (int r = 0; r < map.result_count; ++r) index.push_back(writer.result(r));
    const std::string condition = writer.condition();
    if (!condition.empty()) f.open("if (" + condition + ")"), ++blocks;
    f.store(result_type().element, result_pointer(), to, load(operand, position(operand, index)));
    f.close(blocks);
    return true;
  }

  // A fold: results over their dimensions, and for each of them all points of the ranges of a map.
  struct fold {
    std::vector<dtype> accumulators;
    std::vector<std::string> starts;
    // From the names of the accumulators and of the elements, whether they are there, to the accumulators that follow.
    std::function<std::vector<std::string>(const std::vector<std::string>&, const std::vector<std::string>&)> take;
    std::function<std::string(int, const std::string&)> finish;
    std::vector<int> operands;         // whose elements are taken
    std::vector<std::string> padding;  // read where there is no element; empty: such are left out
  };
  bool fold_elements(const fold& how) {
    const ints shape = result_type().shape;
    if (shape.product() == 0) return true;
    std::vector<indexing::indexing_map> maps;
    for (const int operand : how.operands) maps.push_back(map_of(operand));
    bool is_empty = false;
    for (const auto& map : maps) {
      is_empty = is_empty || map.is_known_empty();
      if (!map.is_defined() && !map.is_known_empty()) return f.refuse(node, "has no indexing map that C could follow");
    }
    int blocks = 0;
    f.open(""), ++blocks;
    const std::size_t count = how.starts.size(), last = std::size_t(shape.size) - 1;
    // Along the last dimension of the result side by side, if its neighbours meet neighbours and those of the ranges
    // do not.
    const bool in_rows = !is_empty && shape.size > 0 && shape[shape.size - 1] > 1 && prefers_rows(maps, how.operands);
    map_names names;
    const index_t row = in_rows ? shape[shape.size - 1] : 1;
    std::vector<std::string> rows;
    for (std::size_t i = 0; i < count && in_rows; ++i) {
      const std::string type = value_type(how.accumulators[i]), name = f.fresh("r_");
      const std::string memory = f.extra(type, row * storage_bytes(how.accumulators[i]) * 2);
      f.line(type + " *restrict const " + name + " = " + memory + ";");
      rows.push_back(name);
    }
    for (std::size_t d = 0; d < std::size_t(shape.size) - (in_rows ? 1 : 0); ++d)
      names.dimensions.push_back(f.loop(shape[int(d)], blocks));
    std::vector<std::string> accumulators;
    const auto row_loop = [&](int& opened) {
      names.dimensions.resize(last);
      names.dimensions.push_back(f.loop(row, opened));
      return linear(names.dimensions.back());
    };
    const auto at_row = [&](std::size_t i, const linear& at) { return rows[i] + "[" + at.text() + "]"; };
    if (in_rows) {
      int opened = 0;
      const linear at = row_loop(opened);
      for (std::size_t i = 0; i < count; ++i) f.line(at_row(i, at) + " = " + how.starts[i] + ";");
      f.close(opened);
    } else {
      for (std::size_t i = 0; i < count; ++i)
        accumulators.push_back(f.variable(value_type(how.accumulators[i]), how.starts[i]));
    }
    if (!is_empty) {
      int opened = 0;
      for (int s = 0; s < maps[0].range_count; ++s)
        names.ranges.push_back(f.loop(maps[0].range_bounds[s].upper + 1, opened));
      linear at;
      if (in_rows) at = row_loop(opened);
      take_elements(how, maps, names, in_rows, accumulators, rows, at);
      f.close(opened);
    }
    int opened = 0;
    linear at;
    if (in_rows) at = row_loop(opened);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string total = in_rows ? f.let(value_type(how.accumulators[i]), at_row(i, at)) : accumulators[i];
      f.store(result_type(int(i)).element, result_pointer(int(i)), dense(shape, names.dimensions),
              how.finish(int(i), total));
    }
    f.close(opened + blocks);
    return true;
  }

 private:
  void take_elements(const fold& how, const std::vector<indexing::indexing_map>& maps, const map_names& names,
                     bool in_rows, std::vector<std::string> accumulators, const std::vector<std::string>& rows,
                     const linear& at) {
    std::string condition;
    std::vector<linear> positions;
    for (std::size_t k = 0; k < maps.size(); ++k) {
      const map_writer writer(maps[k], names);
      std::vector<linear> index;
      for (int r = 0; r < maps[k].result_count; ++r) index.push_back(writer.result(r));
      positions.push_back(position(how.operands[k], index));
      if (const std::string more = writer.condition(); condition.find(more) == condition.npos || condition.empty())
        condition += (condition.empty() || more.empty() ? "" : " && ") + more;
    }
    const bool skips = !condition.empty() && how.padding.empty();
    if (skips) f.open("if (" + condition + ")");
    std::vector<std::string> elements;
    for (std::size_t k = 0; k < maps.size(); ++k) {
      std::string element = load(how.operands[k], positions[k]);
      if (!condition.empty() && !skips) element = condition + " ? " + element + " : " + how.padding[k];
      elements.push_back(f.let(value_type(this->element(how.operands[k])), element));
    }
    std::vector<std::string> before = accumulators;
    for (std::size_t i = 0; i < rows.size(); ++i)
      before.push_back(f.let(value_type(how.accumulators[i]), rows[i] + "[" + at.text() + "]"));
    const std::vector<std::string> after = how.take(before, elements);
    for (std::size_t i = 0; i < after.size(); ++i)
      f.line((in_rows ? rows[i] + "[" + at.text() + "]" : accumulators[i]) + " = " + after[i] + ";");
    if (skips) f.close();
  }

  bool prefers_rows(const std::vector<indexing::indexing_map>& maps, const std::vector<int>& of) const {
    bool any = false;
    for (std::size_t k = 0; k < maps.size(); ++k) {
      map_names names;
      for (int d = 0; d < maps[k].dimension_count; ++d) names.dimensions.push_back("d_" + std::to_string(d) + "_");
      for (int s = 0; s < maps[k].range_count; ++s) names.ranges.push_back("s_" + std::to_string(s) + "_");
      const map_writer writer(maps[k], names);
      std::vector<linear> index;
      for (int r = 0; r < maps[k].result_count; ++r) index.push_back(writer.result(r));
      const linear at = position(of[k], index);
      const index_t distance = at.factor_of(names.dimensions.back());
      if (distance != 0 && distance != 1) return false;
      any = any || distance == 1;
    }
    return any;
  }
};

}  // namespace tenon::c99
