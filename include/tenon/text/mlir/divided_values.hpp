// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/collective/all_gather.hpp>
#include <tenon/ops/collective/partition_id.hpp>
#include <tenon/ops/creation/constant.hpp>
#include <tenon/ops/elementwise/add.hpp>
#include <tenon/ops/elementwise/divide.hpp>
#include <tenon/ops/elementwise/multiply.hpp>
#include <tenon/ops/elementwise/remainder.hpp>
#include <tenon/ops/lookup/dynamic_slice.hpp>
#include <tenon/text/mlir/mesh.hpp>
#include <tenon/text/op_checker.hpp>

namespace tenon::text::mlir {

// Values of which each process has a part, as the axes of a mesh say. Outside of a manual computation a program speaks
// of wholes: they are put together where an op needs them, and cut where only parts are wanted.
class divided_values : public reader_part {
 public:
  mesh_reader& meshes;

  constexpr divided_values(op_checker& of_ops, mesh_reader& of_meshes)
      : reader_part(of_ops), meshes(of_meshes), checker(of_ops) {}

  // The sharding of a value; null if it has none.
  constexpr const divided_value* find(int value) const {
    for (int i = state.divided.size; i-- > 0;)
      if (const divided_value& each = state.divided.data[i]; each.value == value && each.whole < 0) return &each;
    return nullptr;
  }

  // Returns shards from main in place of these values: sharded as its result is, or as the value is.
  constexpr bool return_parts(int operands, int count, int region, int types, int source) {
    for (const divided_value& each : state.divided) {
      const int result = -1 - each.value;
      if (result < 0 || result >= count || each.region != region) continue;
      int& value = g.operands.data[operands + result];
      int part = value;
      if (const int after = in.at; each.part >= 0) {
        division how;
        in.at = each.part;
        if (!meshes.read_sharding(-1, how) || !take_part(part, how, source)) return false;
        in.at = after;
      } else if (const divided_value* const known = find(value)) {
        part = known->part;
      }
      if (build.full()) return true;
      value = part;
      state.signature_types.data[types + result] = g.values.data[part].type;
    }
    return true;
  }

  constexpr bool make_operands_whole(int operands, int count, int source) {
    for (int i = operands; i < operands + count && !build.full(); ++i)
      if (int value = g.operands.data[i]; make_whole(value, source))
        g.operands.data[i] = value;
      else
        return false;
    return true;
  }
  // The parts of all processes, dimension by dimension.
  constexpr bool make_whole(int& value, int source) {
    const divided_value* const found = find(value);
    if (found == nullptr) return true;
    const divided_value from = *found;
    if (!from.is_known)
      return in.fail("not_supported", "nothing says how this argument is divided: every process has to have all of it",
                     source);
    for (const divided_value& each : state.divided)
      if (each.value == value && each.whole >= 0 && is_open(each.region)) {
        value = each.whole;
        return true;
      }
    int part = from.part;
    tensor_type type = g.type_of_value(part);
    for (int dimension = 0; dimension < type.rank(); ++dimension) {
      mesh_digit digits[division::most_digits];
      int count = 0;
      for (int i = 0; i < from.how.count; ++i)
        if (from.how.digits[i].dimension == dimension) digits[count++] = from.how.digits[i];
      if (count == 0) continue;
      ops::all_gather self{.all_gather_dim = dimension, .channel_id = 1, .use_global_device_ids = true};
      state.constants.size = 0;
      if (!meshes.write_groups({digits, count}, from.how.processes, 0, self.replica_groups, source)) return false;
      type.shape.set(dimension, type.dim(dimension) * from.how.parts_along(dimension));
      if (build.full()) return false;
      const int larger = build.intern(type);
      if (!checker.add_node(self, {&part, 1}, {&larger, 1}, build.enclosing_region(), source, part)) return false;
      if (build.full()) return true;
    }
    state.divided.push({value, from.part, part, build.enclosing_region(), true, from.how});
    value = part;
    return true;
  }

  // The part of a value that this process has of it. A value that is divided like that already has it.
  constexpr bool take_part(int& value, const division& how, int source) {
    if (const divided_value* const from = find(value); from != nullptr && from->is_known && from->how == how) {
      value = from->part;
      return true;
    }
    if (!make_whole(value, source) || build.full()) return !build.full();
    if (how.count == 0) return true;
    const int region = build.enclosing_region();
    tensor_type type = g.type_of_value(value);
    int operands[1 + max_rank]{value};
    const int scalar = build.intern(type_of(dtype::ui32));
    const auto add = [&]<class Op>(const Op& self, std::initializer_list<int> of) {
      int result = 0;
      if (!in.error) checker.add_node(self, {of.begin(), int(of.size())}, {&scalar, 1}, region, source, result);
      return result;
    };
    const auto number = [&](index_t each) { return add(ops::constant{{push_literal(g, {&each, 1})}}, {}); };
    const int process = add(ops::partition_id{}, {}), zero = number(0);
    for (int dimension = 0; dimension < type.rank(); ++dimension) {
      const int parts = how.parts_along(dimension);
      int start = zero;
      if (type.dim(dimension) % parts != 0)
        return in.fail("attribute", "the axes of a sharding divide sizes without a remainder", source);
      type.shape.set(dimension, type.dim(dimension) / parts);
      for (int i = 0; i < how.count; ++i) {
        const mesh_digit& digit = how.digits[i];
        if (digit.dimension != dimension) continue;
        const int line = add(ops::divide{}, {process, number(digit.stride)});
        const int own = add(ops::remainder{}, {line, number(digit.size)});
        start = add(ops::add{}, {add(ops::multiply{}, {start, number(digit.size)}), own});
      }
      operands[1 + dimension] = parts > 1 ? add(ops::multiply{}, {start, number(type.dim(dimension))}) : zero;
    }
    if (in.error || build.full()) return !in.error;
    const int cut = build.intern(type);
    return checker.add_node(ops::dynamic_slice{type.shape}, {operands, 1 + type.rank()}, {&cut, 1}, region, source,
                            value);
  }

 private:
  op_checker& checker;

  constexpr bool is_open(int region) const {
    for (const frame& each : state.frames)
      if (each.region == region) return true;
    return false;
  }
};

}  // namespace tenon::text::mlir
