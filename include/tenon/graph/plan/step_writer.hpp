// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/plan/group_writer.hpp>

namespace tenon::planning {

// How many leading dimensions of an operand are the same leading dimensions of the result, if no other part of the map
// depends on any of the first `prefix` dimensions; else -1.
constexpr int shared_dimensions(const indexing::indexing_map& map, const ints& operand, const ints& result,
                                int prefix) {
  if (!map.is_defined() || map.result_count != operand.size || map.dimension_count != result.size) return -1;
  int shared = 0;
  for (; shared < prefix && shared < operand.size && operand.at[shared] == result.at[shared]; ++shared) {
    const indexing::node& step = map.nodes[map.results[shared]];
    if ((step.op != indexing::operation::dimension || step.value != shared) && operand.at[shared] != 1) break;
  }
  bool depends[indexing::indexing_map::node_capacity]{};
  for (int i = 0; i < map.node_count; ++i) {
    const indexing::node& step = map.nodes[i];
    if (step.op == indexing::operation::dimension)
      depends[i] = step.value < prefix && result.at[step.value] != 1;
    else if (!indexing::is_leaf(step.op))
      depends[i] = depends[step.lhs] || depends[step.rhs];
  }
  for (int i = shared; i < map.result_count; ++i)
    if (depends[map.results[i]]) return -1;
  for (int i = 0; i < map.constraint_count; ++i)
    if (depends[map.constraints[i].value]) return -1;
  return shared;
}

// Writes down the steps of ops with loops of their own, and divides them: where indexing maps show that a range of the
// leading dimensions of the result takes the same range of an operand and the others as they are, the op runs range by
// range. What computes such an operand is done just before each range and what follows just after it, while it is in
// the cache; of an operand that nobody else reads only one range is kept.
class step_writer : planning_tools {
 public:
  // The bytes of a range that stays in the second cache, and the limit of a range.
  static constexpr index_t good_range_bytes = 512 * 1024, most_range_bytes = 1024 * 1024;

  constexpr explicit step_writer(plan_draft& draft) : planning_tools(draft), groups_(draft) {}

  // Adds the step that computes node n, with the steps that run within it.
  constexpr void write(int n) {
    const graph_node& node = g_.nodes.data[n];
    if (groups_.grow_group(n))
      groups_.write_group(n, node);
    else
      write_op(n, node);
    complete_op();
  }

 private:
  group_writer groups_;

  constexpr void write_op(int n, const graph_node& node) {
    budget_ -= node.operand_count + node.result_count + 4;
    plan_step step;
    step.kernel = node.kind >= 0 ? kernel_for(node) : -2;
    step.node = n;
    step.first = p_.values.size;
    step.operand_count = node.operand_count;
    step.result_count = node.result_count;
    groups_.write_operands(node);
    for (int r = 0; r < node.result_count; ++r) p_.values.push(node.results + r);
    groups_.write_views(step, node.operand_count);
    step.count = node.result_count > 0 ? g_.type_of_value(node.results).size() : 0;
    step.first_block = p_.block_references.size;
    step.block_count = folds_by_one_op(node) ? 0 : node.region_count;
    for (int region : g_.regions_of(node).part(0, step.block_count)) {
      p_.block_references.push(m_.block_of_region[region]);
      for_each_captured(region, [&](int value) { m_.needed[value] = true; });
      budget_ -= g_.regions.data[region].last - g_.regions.data[region].first;
    }
    step.op_scratch_bytes = node.kind >= 0 ? arena_allocator::rounded(scratch_for(node)) : 0;
    step.scratch_bytes = step.op_scratch_bytes + call_bytes(node);
    p_.steps.push(step);
  }

  // Divides the step that was written last, if that pays, and marks what its op reads.
  constexpr void complete_op() {
    const int at = p_.steps.size - 1;
    if (p_.steps.overflow || !p_.steps[at].has_op()) return;
    const division found = find_division(p_.steps[at]);
    if (found.parts > 0) {
      p_.steps[at].parts = found.parts;
      note_division(p_.steps[at], found);
    }
    fuse_producers(at, found);
  }

  static constexpr int most_divided = 4;
  struct division {
    int prefix = 0;     // leading dimensions of the result that are divided: all of them, and the last in parts
    index_t parts = 0;  // of each; 0: it is not divided
    index_t units = 1;  // indices of the leading dimensions
    index_t least = 1;  // of the last one in a part
    int shared[most_divided]{};  // how many of them are leading dimensions of an operand
  };

  constexpr const tensor_type& result_type(const graph_node& node) const { return g_.type_of_value(node.results); }

  // Whether the op can be done for a range of its leading dimensions at a time.
  constexpr bool divides(const graph_node& node, int prefix, division& found) {
    const int least = facts_of(node.kind).least_range;
    if (least == 0 || node.result_count != 1 || node.operand_count > most_divided) return false;
    if (node.region_count > 0 && !folds_by_one_op(node)) return false;
    const tensor_type& result = result_type(node);
    if (!is_dense_tensor(result) || prefix >= result.rank() || result.size() == 0) return false;
    m_.types.size = 0;
    for (int value : g_.operands_of(node)) {
      if (!is_dense_tensor(g_.type_of_value(value))) return false;
      m_.types.push(g_.type_of_value(value));
    }
    const list<tensor_type> operands = m_.types.part(0, node.operand_count);
    bool any = false, all = true;
    for (int i = 0; i < operands.size; ++i) {
      found.shared[i] = shared_dimensions(op_tables::reads[node.kind](g_.words.data + node.words, i, operands, result),
                                          operands[i].shape, result.shape, prefix);
      if (found.shared[i] < 0) return false;
      any = any || found.shared[i] == prefix;
      all = all && (found.shared[i] == prefix || operands[i].size() == 1);
      budget_ -= 4;
    }
    found.prefix = prefix;
    found.units = 1;
    for (int d = 0; d < prefix; ++d) found.units *= result.shape.at[d];
    found.least = all ? 1 : least;
    // A short row may be done in another order.
    return any && (found.least == 1 || result.size() / found.units >= 16);
  }

  // Whether a value is computed for this one use of it.
  constexpr bool may_be_fused_producer(int value, int region) const {
    const int n = g_.values.data[value].node;
    if (n < 0 || m_.uses[value] != 1 || m_.needed[value]) return false;
    const graph_node& node = g_.nodes.data[n];
    const op_facts facts = facts_of(node.kind);
    return node.region == region && (facts.elementwise || facts.least_range > 0);
  }

  constexpr division find_division(const plan_step& step) {
    if (step.kernel < 0 || step.has_epilogue()) return {};
    const graph_node& node = g_.nodes.data[step.node];
    if (facts_of(node.kind).least_range == 0 || node.result_count != 1) return {};
    const list<int> operands = g_.operands_of(node);
    const tensor_type& result = result_type(node);
    const index_t result_bytes = result.size() * index_t(storage_bytes(result.element));
    for (int prefix = 1; prefix < result.rank(); ++prefix) {
      division found;
      if (!divides(node, prefix, found)) return {};
      const index_t along = result.shape.at[prefix - 1], outer = found.units / along;
      if (along == 1) continue;
      if (step.has_group() && step.count / found.units % step.row != 0) return {};
      index_t range = result_bytes, again = 0, saved = step.has_group() ? 2 * result_bytes : 0;
      for (int i = 0; i < operands.size; ++i) {
        const tensor_type& type = g_.type_of_value(operands[i]);
        const index_t bytes = type.size() * index_t(storage_bytes(type.element));
        if (found.shared[i] == prefix) {
          range += bytes;
          if (may_be_fused_producer(operands[i], node.region)) saved += 2 * bytes;
        } else if (type.size() > 1) {
          index_t times = 1;
          for (int d = 0; d < found.shared[i]; ++d) times *= type.shape.at[d];
          again += bytes / times;
        }
      }
      if (saved == 0) return {};
      range /= found.units;
      index_t size = good_range_bytes / range;
      if (size < found.least) size = found.least;
      index_t parts = (along + size - 1) / size;
      // Reading operands again for every part must cost less than it saves.
      if (again > 0 && parts > 1 + saved / outer / (2 * again)) parts = 1 + saved / outer / (2 * again);
      if (along / parts < found.least) parts = along / found.least > 0 ? along / found.least : 1;
      if ((along + parts - 1) / parts * range > most_range_bytes) continue;
      if (parts * outer > 1) found.parts = parts;
      return found;
    }
    return {};
  }

  constexpr void note_division(plan_step& step, const division& found) {
    step.prefix = found.prefix;
    step.units = found.units;
    step.first_shared = p_.values.size;
    for (int i = 0; i < g_.nodes.data[step.node].operand_count; ++i) p_.values.push(found.shared[i]);
  }

  // Lets what computes the divided operands of a step run within it, and marks the others as needed in memory.
  constexpr void fuse_producers(int at, const division& found) {
    const graph_node& node = g_.nodes.data[p_.steps[at].node];
    const list<int> operands = g_.operands_of(node);
    for (int i = 0; i < operands.size; ++i) {
      const int read = p_.values[p_.steps[at].first + p_.steps[at].read_count + i];
      if (found.parts > 0 && read == operands[i] && found.shared[i] == found.prefix &&
          may_be_fused_producer(operands[i], node.region) && write_fused_producer(operands[i], found))
        ++p_.steps[at].fused_producer_count;
      else
        m_.needed[read] = true;
    }
    p_.steps[at].fused_producer_span = p_.steps.size - 1 - at;
  }

  // Writes the step that computes an operand of another one range by range, if there is such a step.
  constexpr bool write_fused_producer(int value, const division& outer) {
    const int n = g_.values.data[value].node;
    const graph_node& node = g_.nodes.data[n];
    const index_t size = g_.type_of_value(value).size();
    division inner;
    if (facts_of(node.kind).elementwise) {
      const fused_group& group = groups_.group();
      if (!groups_.grow_group(n, false) || group.source_unit > 0 || group.count() % outer.units != 0 ||
          group.count() / outer.units % group.row() != 0)
        return false;
      for (int i = 0; i < group.leaf_count; ++i) {
        const strided_access access = group.access_of(group.leaves[i]);
        if (access.sizes.size > 1 && access.strides.at[access.sizes.size - 1] >= group_writer::far_apart) return false;
      }
      if (group.source >= 0 && !divides_alike(g_.nodes.data[g_.values.data[group.source].node], outer, inner))
        return false;
      groups_.write_group(n, node, true);
    } else {
      if (!divides_alike(node, outer, inner)) return false;
      write_op(n, node);
    }
    const int at = p_.steps.size - 1;
    if (p_.steps.overflow) return true;
    p_.steps[at].is_fused_producer = true;
    p_.steps[at].units = outer.units;
    p_.steps[at].parts = outer.parts;
    const index_t along = g_.type_of_value(value).shape.at[outer.prefix - 1];
    p_.steps[at].range_bytes =
        arena_allocator::rounded(size / outer.units * ((along + outer.parts - 1) / outer.parts) * bytes_of(value));
    if (p_.steps[at].has_op()) {
      inner.parts = outer.parts;
      note_division(p_.steps[at], inner);
      fuse_producers(at, inner);
    }
    return true;
  }
  constexpr bool divides_alike(const graph_node& node, const division& outer, division& inner) {
    if (!divides(node, outer.prefix, inner) || inner.units != outer.units) return false;
    const index_t along = result_type(node).shape.at[outer.prefix - 1];
    return outer.units / along * along == outer.units && along / outer.parts >= inner.least;
  }
};

}  // namespace tenon::planning
