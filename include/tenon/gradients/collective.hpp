// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/gradients/bodies.hpp>

// Gradients of ops of several processes, for the sum of what all of them differentiate: the transposes are those of the
// map from the operands of all processes to the results of all.
namespace tenon::gradients {

// Operand i by the op of the same groups that adds, or by one that moves.
template <class Op>
constexpr value reduce_operand(const Op& op, value x, const tensor_type& type) {
  const int operand = convert(x, type.element).id;
  return x.to->emit_with_body(op, ops::add{}, {&operand, 1}, type);
}
constexpr bool is_refused_reduction(const auto& at, const char* label) {
  const bool adds = is_region_of<ops::add>(at.g(), region_of(at));
  if (!adds) at.refuse(label, "only sums over processes have a rule");
  return !adds;
}

constexpr void pullback(const ops::all_reduce& op, const auto& at) {
  if (is_refused_reduction(at, "grad_all_reduce")) return;
  pull_each(at, [&](int i) { return convert(reduce_operand(op, at.ct(i), at.y(i).type()), at.x(i).type().element); });
}
constexpr void pushforward(const ops::all_reduce& op, const auto& at) {
  if (is_refused_reduction(at, "grad_all_reduce")) return;
  push_each(at, [&](int i) { return reduce_operand(op, at.dx(i), at.y(i).type()); });
}
constexpr value transposed(const ops::cross_replica_sum& op, const auto&, value ct, int) { return apply_to(op, ct); }

constexpr void pullback(const ops::all_gather& op, const auto& at) {
  ops::reduce_scatter back;
  back.scatter_dimension = op.all_gather_dim, back.replica_groups = op.replica_groups;
  back.channel_id = op.channel_id, back.use_global_device_ids = op.use_global_device_ids;
  pull_each(at, [&](int i) { return reduce_operand(back, at.ct(i), at.x(i).type()); });
}
constexpr void pullback(const ops::reduce_scatter& op, const auto& at) {
  if (is_refused_reduction(at, "grad_reduce_scatter")) return;
  ops::all_gather back;
  back.all_gather_dim = op.scatter_dimension, back.replica_groups = op.replica_groups;
  back.channel_id = op.channel_id, back.use_global_device_ids = op.use_global_device_ids;
  const tensor_type type = at.x(0).type();
  at.give(0, convert(at.to().emit(back, {at.ct()}, type.with_element(at.ct().type().element)), type.element));
}
constexpr void pushforward(const ops::reduce_scatter& op, const auto& at) {
  if (!is_refused_reduction(at, "grad_reduce_scatter")) at.set(0, reduce_operand(op, at.dx(0), at.y().type()));
}

// The pairs the other way round.
constexpr value transposed(const ops::collective_permute& op, const auto&, value ct, int) {
  ops::collective_permute back;
  const id_table& pairs = op.source_target_pairs;
  index_t* const ids = new index_t[std::size_t(pairs.size()) + 1];
  for (int i = 0; i < pairs.size(); ++i) ids[i] = pairs(i / 2, 1 - i % 2);
  back.channel_id = op.channel_id, back.source_target_pairs = id_table(pairs.rows, pairs.columns, ids);
  const value result = apply_to(back, ct);
  delete[] ids;
  return result;
}

constexpr void pullback(const ops::all_to_all& op, const auto& at) {
  ops::all_to_all back = op;
  back.split_dimension = op.concat_dimension, back.concat_dimension = op.split_dimension;
  pull_each(at, [&](int i) { return at.to().emit(back, {at.ct(i)}, at.x(i).type()); });
}
template <class Op>
  requires(std::same_as<Op, ops::all_gather> || std::same_as<Op, ops::all_to_all>)
constexpr void pushforward(const Op& op, const auto& at) {
  push_each(at, [&](int i) { return at.to().emit(op, {at.dx(i)}, at.y(i).type()); });
}

// One tensor of an op for which each tensor has a root: behind the tensors, if that is no constant, stand the roots.
template <class Op>
constexpr value emit_rooted(const Op& op, const auto& at, int i, value x, const tensor_type& type) {
  builder& to = at.to();
  int operands[2] = {convert(x, type.element).id, -1};
  if (op.has_dynamic_root) operands[1] = slice(at.x(at.operand_count() - 1), {i}, {i + 1}, {1}).id;
  const list<int> all{operands, op.has_dynamic_root ? 2 : 1};
  if constexpr (std::same_as<Op, ops::collective_broadcast>)
    return to.append(op, all, type);
  else
    return to.emit_with_body(op, ops::add{}, all, type);
}
template <class Back, class Op>
constexpr void pull_rooted(const Op& op, const auto& at) {
  Back back;
  back.replica_groups = op.replica_groups, back.channel_id = op.channel_id, back.has_dynamic_root = op.has_dynamic_root;
  pull_each(at, [&](int i) {
    const tensor_type type = at.x(i).type();
    return convert(emit_rooted(back, at, i, at.ct(i), type.with_element(at.ct(i).type().element)), type.element);
  });
}
constexpr void pullback(const ops::collective_broadcast& op, const auto& at) {
  pull_rooted<ops::collective_reduce>(op, at);
}
constexpr void pullback(const ops::collective_reduce& op, const auto& at) {
  if (!is_refused_reduction(at, "grad_collective_reduce")) pull_rooted<ops::collective_broadcast>(op, at);
}
template <class Op>
  requires requires(const Op& op) { op.has_dynamic_root; }
constexpr void pushforward(const Op& op, const auto& at) {
  if constexpr (std::same_as<Op, ops::collective_reduce>)
    if (is_refused_reduction(at, "grad_collective_reduce")) return;
  push_each(at, [&](int i) { return emit_rooted(op, at, i, at.dx(i), at.y(i).type()); });
}

}  // namespace tenon::gradients
