// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/build.hpp>
#include <tenon/text/mlir/generic_form.hpp>
#include <tenon/text/mlir/tile_assignment.hpp>

namespace tenon::text::mlir {

// Ops that are several of the graph, or none: products of two element types, custom calls that are known by their name,
// and what says nothing but where a value lies.
class expansion_reader : public reader_part {
 public:
  constexpr explicit expansion_reader(generic_form_reader& of_ops) : reader_part(of_ops), form(of_ops) {}

  // Ops whose result is their operand: collectives of Shardy, too, speak of wholes.
  constexpr bool is_annotation(const word& name) const {
    constexpr key_list<13> of_shardy(
        "sharding_constraint reshard propagation_barrier sharding_group data_flow_edge all_gather all_slice all_to_all "
        "collective_permute all_reduce reduce_scatter replicated_to_unreduced sharded_to_unreduced");
    if (!in.same_characters(name.first, "sdy.", 4)) return in.is(name, "mhlo.copy");
    return of_shardy.contains(in.key_of_range(name.first + 4, name.size - 4));
  }
  // A custom call that is one of these.
  constexpr bool is_annotating_call(const op_parts& parts) const {
    if (parts.kind != kind_of_op<ops::custom_call> || parts.operand_count != 1 || parts.result_count != 1) return false;
    const bool same = g.values.data[g.operands.data[parts.operands]].type == g.values.data[parts.results].type;
    return same && (calls(parts, "Sharding") || changes_division(parts) || calls(parts, "annotate_device_placement") ||
                    calls(parts, "xla.sdy.FuncResultSharding"));
  }
  constexpr bool changes_division(const op_parts& parts) const {
    return parts.kind == kind_of_op<ops::custom_call> && parts.operand_count == 1 && parts.result_count == 1 &&
           (calls(parts, "SPMDFullToShardShape") || calls(parts, "SPMDShardToFullShape"));
  }
  constexpr bool change_division(op_parts& parts) {
    return calls(parts, "SPMDFullToShardShape") ? tiles.write_part(parts)
                                                : tiles.write_whole(parts, position_of("mhlo.sharding", parts));
  }
  // The operand takes the place of the result.
  constexpr bool pass_operand(op_parts& parts) {
    if (parts.operand_count != 1 || parts.result_count > 1)
      return in.fail("results", "the op has one operand, and its result is of the same type", parts.name);
    const int value = g.operands.data[parts.operands];
    if (parts.result_count == 1 && g.values.data[value].type != g.values.data[parts.results].type)
      return in.fail("results", "the op has one operand, and its result is of the same type", parts.name);
    g.operands.size = parts.operands;
    g.values.size = parts.results;
    parts.results = value;
    return true;
  }

  // The specification wants operands of one element type; JAX multiplies f8E4M3FN by f8E5M2, and XLA computes that in
  // f32, or in f64 if one operand has that, integers in the type of the result.
  constexpr bool unite_factors(op_parts& parts) {
    if (parts.operand_count != 2 || parts.result_count != 1) return true;
    const tensor_type lhs = type_of_operand(parts, 0), rhs = type_of_operand(parts, 1);
    if (lhs.element == rhs.element || lhs.is_quantized() || rhs.is_quantized()) return true;
    const int result = g.values.data[parts.results].type;
    const dtype wide = common_element(lhs.element, rhs.element, g.types.data[result].element);
    if (wide == dtype::none) return true;
    g.values.size = parts.results;
    for (int i = 0; i < 2; ++i) {
      tensor_type type = type_of_operand(parts, i);
      if (type.element == wide) continue;
      type.element = wide;
      int value = g.operands.data[parts.operands + i];
      if (!add(parts, ops::convert{}, value, build.intern(type), value)) return false;
      if (build.full()) return true;
      g.operands.data[parts.operands + i] = value;
    }
    build.renew_result(parts, result);
    return true;
  }

  // A custom call whose target is an op that StableHLO has not, as in @mhlo.erf, becomes that op, with the attributes
  // in `mhlo.attributes`.
  constexpr bool become_named_op(op_parts& parts) {
    const int after = in.at, target = position_of_target(parts);
    if (parts.kind != kind_of_op<ops::custom_call> || target < 0) return true;
    in.at = target;
    const word name = in.read_word();
    in.at = after;
    const int kind = form.is_of_mhlo(name) ? form.find_op(name) : -1;
    if (kind < 0) return true;
    parts.kind = kind;
    in.at = position_of("mhlo.attributes", parts);
    state.attributes.size = parts.attributes;
    if (in.at >= 0 && in.accept('{') && !scanner.read_dictionary('}', true)) return false;
    in.at = after;
    return true;
  }
  // Of the top_k of MHLO.
  constexpr bool takes_largest(const op_parts& parts) {
    const int position = position_of("largest", parts);
    return position < 0 || in.same_characters(position, "true", 4) ||
           in.fail("not_supported", "the smallest elements are not supported: take the largest of negated ones",
                   position);
  }
  // Elements that nothing defines, as of tensor.empty, are zeros.
  constexpr bool write_zeros(op_parts& parts) {
    const index_t zeros[2]{};
    const bool known = parts.operand_count == 0 && parts.result_count == 1;
    if (!known || !g.type_of_value(parts.results).is_tensor())
      return in.fail("not_supported", "tensor.empty has no operands, and one tensor as its result", parts.name);
    const bool pairs = is_complex(g.type_of_value(parts.results).element);
    return form.checker.append(ops::constant{{push_literal(g, {zeros, pairs ? 2 : 1})}}, parts,
                               build.enclosing_region());
  }
  // The regions of a composite say more about what its decomposition computes: nothing of them stays in the graph.
  constexpr void forget_regions(op_parts& parts) {
    const int number = state.open_regions.data[parts.regions], first = parts.results;
    const graph_region region = g.regions.data[number];
    parts.region_count = 0, parts.results = region.arguments;
    for (int i = 0; i < parts.result_count; ++i)
      g.values.data[region.arguments + i] = {g.values.data[first + i].type, -1, i, -1};
    g.values.size = region.arguments + parts.result_count;
    g.nodes.size = region.first, g.regions.size = number;
    state.open_regions.size = parts.regions;
    while (state.calls.size > 0 && state.calls.data[state.calls.size - 1] >= g.nodes.size) --state.calls.size;
    while (state.divided.size > 0 && state.divided.data[state.divided.size - 1].value >= region.arguments)
      --state.divided.size;
  }

  constexpr bool is_approximate_top_k(const op_parts& parts) const {
    return parts.kind == kind_of_op<ops::custom_call> && calls(parts, "ApproxTopK");
  }
  // (inputs..., initial values...): the first elements of the inputs in the order of the computation that is called.
  // The exact ones are one of the answers that are approximate enough.
  constexpr bool write_approximate_top_k(op_parts& parts) {
    const int inputs = parts.operand_count / 2;
    name_id comparator;
    index_t dimension = -1, count = 1;
    if (inputs == 0 || inputs > most_inputs || parts.operand_count != 2 * inputs || parts.result_count != inputs ||
        parts.region_count > 0)
      return in.fail("attribute", "ApproxTopK has one initial value and one result for each input", parts.name);
    if (!read_comparator(parts, comparator) || !read_number(parts, "reduction_dim", dimension) ||
        !read_number(parts, "top_k", count))
      return false;
    int values[most_inputs]{}, types[most_inputs]{};
    for (int i = 0; i < inputs; ++i) {
      values[i] = g.operands.data[parts.operands + i];
      types[i] = g.values.data[parts.results + i].type;
      const tensor_type from = type_of_operand(parts, i), to = g.types.data[types[i]];
      const bool fits = !has_open_sizes(to) && 0 <= dimension && dimension < from.rank() &&
                        from.with_size(dimension, 0) == to.with_size(dimension, 0) && 0 < count &&
                        count <= to.dim(dimension) && to.dim(dimension) <= from.dim(dimension);
      if (!fits) return in.fail("attribute", "ApproxTopK gives top_k elements along its reduction_dim", parts.name);
    }
    g.values.size = parts.results;
    int sorted = 0;
    if (!sort(parts, comparator, dimension, {values, inputs}, sorted)) return false;
    for (int i = 0; i < inputs && !build.full(); ++i) {
      const ints shape = g.types.data[types[i]].shape;
      const ops::slice first{ints::filled(shape.size, 0), shape, ints::filled(shape.size, 1)};
      if (!add(parts, first, sorted + i, types[i], values[i])) return false;
    }
    parts.results = values[0];
    return true;
  }

 private:
  static constexpr int most_inputs = 8;
  generic_form_reader& form;
  tile_assignment_reader tiles{form.divided};
  attribute_reader& attributes = form.attributes;
  attribute_scanner& scanner = form.scanner;

  template <class Op>
  constexpr bool add(const op_parts& parts, const Op& self, int operand, int type, int& value) {
    return form.checker.add_node(self, {&operand, 1}, {&type, 1}, build.enclosing_region(), parts.name, value);
  }
  constexpr const tensor_type& type_of_operand(const op_parts& parts, int i) const {
    return g.type_of_value(g.operands.data[parts.operands + i]);
  }
  constexpr int position_of(const keyword& name, const op_parts& parts) const {
    return scanner.find_noted(name, parts.attributes);
  }
  // Where the target of a custom call, `@name` or "name", has its first letter, or -1.
  constexpr int position_of_target(const op_parts& parts) const {
    int first = position_of("call_target_name", parts);
    if (first >= 0 && in.data[first] == '@') ++first;
    return first + (first >= 0 && first < in.size && in.data[first] == '"' ? 1 : 0);
  }
  constexpr bool calls(const op_parts& parts, const keyword& target) const {
    const int first = position_of_target(parts), end = first + target.size;
    if (first < 0 || !in.same_characters(first, target.characters, target.size)) return false;
    return end >= in.size || !text::detail::is(in.data[end], text::detail::word_part);
  }
  constexpr bool read_comparator(const op_parts& parts, name_id& name) {
    short_list<name_id> called;
    if (!attributes.read_field({"called_computations", 19, key_of("called_computations")}, called, parts.attributes))
      return false;
    if (called.size == 1) name = called.at[0];
    return called.size == 1 || in.fail("attribute", "ApproxTopK calls one computation, which compares", parts.name);
  }
  // A number that is in one of the two dictionaries.
  constexpr bool read_number(const op_parts& parts, const keyword& name, index_t& number) {
    const int last = state.attributes.size, after = in.at;
    bool found = false;
    for (int i = parts.attributes; i < last && !found; ++i) {
      const attribute_entry dictionary = state.attributes.data[i];
      const bool configures = in.is(dictionary.name, "backend_config") || in.is(dictionary.name, "mhlo.backend_config");
      if (!configures || dictionary.position < 0 || in.data[dictionary.position] != '{') continue;
      in.at = dictionary.position + 1;
      if (!scanner.read_dictionary('}', false)) return false;
      for (int j = last; j < state.attributes.size && !found; ++j) {
        if (!is_key(state.attributes.data[j].name, name)) continue;
        in.at = state.attributes.data[j].position;
        if (!in.read_integer(number)) return false;
        found = true;
      }
      state.attributes.size = last;
    }
    in.at = after;
    return found || number >= 0 ||
           in.fail("attribute", "ApproxTopK says along which reduction_dim it goes", parts.name);
  }

  // A sort by a function, whose results are from number `sorted` on.
  constexpr bool sort(const op_parts& parts, name_id comparator, index_t dimension, list<int> values, int& sorted) {
    const int outside = build.enclosing_region(), count = 2 * values.size, number = g.regions.size;
    const graph_region region = begin_region(g, outside, parts.begin, count);
    g.regions.push(region);
    int types[most_inputs]{};
    for (int i = 0; i < count; ++i) {
      types[i / 2] = g.values.data[values.data[i / 2]].type;
      g.values.push({build.intern(g.types.data[types[i / 2]].with_shape({})), -1, i, number});
    }
    const int truth = build.intern(type_of(dtype::i1));
    if (build.full()) return true;
    state.calls.push(g.nodes.size);
    const int first = g.operands.size;
    for (int i = 0; i < count; ++i) g.operands.push(region.arguments + i);
    const int less = build.add_call(comparator.id, first, count, {&truth, 1}, number, parts);
    if (build.full()) return true;
    close_region(g, number, {&less, 1});
    state.open_regions.push(number);
    if (build.full()) return true;
    return form.checker.add_node(ops::sort{dimension, true}, values, {types, values.size}, outside, parts.name, sorted,
                                 1);
  }
};

}  // namespace tenon::text::mlir
