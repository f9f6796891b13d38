// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/xla/control.hpp>

// Functions that take part in what several processes do, or the host. Memory is row-major: layouts mean nothing.
namespace tenon::xla {

struct ReplicaGroup {
  std::vector<std::int64_t> ids;

  constexpr ReplicaGroup() = default;
  constexpr ReplicaGroup(std::initializer_list<std::int64_t> replica_ids) : ids(replica_ids) {}
  constexpr void add_replica_ids(std::int64_t id) { ids.push_back(id); }
};

struct ChannelHandle {
  std::int64_t handle = 0;

  constexpr ChannelHandle() = default;
  constexpr ChannelHandle(std::int64_t number) : handle(number) {}
  constexpr ChannelHandle(std::nullopt_t) {}
  constexpr void set_handle(std::int64_t number) { handle = number; }
};

namespace detail {

// Rows of ids, which a table may refer to until the end of the expression.
struct kept_ids {
  std::vector<index_t> ids;
  int rows = 0, columns = 0, dropped = 0;

  constexpr operator id_table() const {
    id_table table(rows, columns, ids.data());
    table.dropped = dropped;
    return table;
  }
};
constexpr kept_ids table_of(Span<ReplicaGroup> groups) {
  kept_ids table;
  for (const ReplicaGroup& group : groups) {
    if (table.rows == 0) table.columns = int(group.ids.size());
    if (int(group.ids.size()) != table.columns) {
      ++table.dropped;
      continue;
    }
    table.ids.insert(table.ids.end(), group.ids.begin(), group.ids.end());
    ++table.rows;
  }
  return table;
}

// The same for every array of a tuple.
template <class Function>
constexpr XlaOp on_each(const XlaOp& operand, Function f) {
  recorder& r = *operand.builder();
  if (!r.is_tuple(operand)) return f(operand);
  std::vector<XlaOp> parts;
  for (int i = 0; i < r.member_count(operand); ++i) parts.push_back(on_each(r.member(operand, i), f));
  return r.tuple_of(parts);
}

struct all_gather_function {
  constexpr XlaOp operator()(const XlaOp& operand, std::int64_t all_gather_dimension, std::int64_t shard_count,
                             Span<ReplicaGroup> replica_groups = {}, ChannelHandle channel_id = {},
                             const std::optional<Layout>& /*layout*/ = std::nullopt,
                             bool use_global_device_ids = false) const {
    return on_each(operand, [&](const XlaOp& each) {
      tensor_type result = each.type();
      result.shape.set(all_gather_dimension, ints{result.dim(all_gather_dimension), shard_count}.product());
      return each.builder()->record(
          ops::all_gather{all_gather_dimension, table_of(replica_groups), channel_id.handle, use_global_device_ids},
          {each}, {result});
    });
  }
};
struct all_reduce_function {
  constexpr XlaOp operator()(const XlaOp& operand, const body& computation, Span<ReplicaGroup> replica_groups = {},
                             ChannelHandle channel_id = {},
                             const std::optional<Shape>& /*shape_with_layout*/ = std::nullopt,
                             bool use_global_device_ids = false) const {
    return on_each(operand, [&](const XlaOp& each) {
      recorder& r = *each.builder();
      return r.record(ops::all_reduce{table_of(replica_groups), channel_id.handle, use_global_device_ids}, {each}, {},
                      {r.region_of(computation, elements_of({each}, 2))});
    });
  }
};
struct cross_replica_sum_function {
  constexpr XlaOp operator()(const XlaOp& operand, Span<ReplicaGroup> replica_groups = {}) const {
    return all_reduce_function{}(operand, ops::add{}, replica_groups);
  }
};
struct reduce_scatter_function {
  constexpr XlaOp operator()(const XlaOp& operand, const body& computation, std::int64_t scatter_dimension,
                             std::int64_t shard_count, Span<ReplicaGroup> replica_groups = {},
                             ChannelHandle channel_id = {}, const std::optional<Layout>& /*layout*/ = std::nullopt,
                             bool use_global_device_ids = false) const {
    return on_each(operand, [&](const XlaOp& each) {
      recorder& r = *each.builder();
      tensor_type result = each.type();
      const index_t size = result.dim(scatter_dimension);
      if (!r.check("xla_reduce_scatter", "shard_count divides the dimension that is scattered",
                   shard_count > 0 && size % shard_count == 0, {each}))
        return XlaOp(&r, -1);
      result.shape.set(scatter_dimension, size / shard_count);
      return r.record(
          ops::reduce_scatter{scatter_dimension, table_of(replica_groups), channel_id.handle, use_global_device_ids},
          {each}, {result}, {r.region_of(computation, elements_of({each}, 2))});
    });
  }
};
struct all_to_all_function {
  constexpr XlaOp operator()(const XlaOp& operand, std::int64_t split_dimension, std::int64_t concat_dimension,
                             std::int64_t split_count, Span<ReplicaGroup> replica_groups = {},
                             const std::optional<Layout>& /*layout*/ = std::nullopt,
                             ChannelHandle channel_id = {}) const {
    return operand.builder()->record(
        ops::all_to_all{split_dimension, concat_dimension, split_count, table_of(replica_groups), channel_id.handle},
        {operand});
  }
};
// Operand i goes to process i of the group, result i comes from there.
struct all_to_all_tuple_function {
  constexpr XlaOp operator()(Span<XlaOp> operands, Span<ReplicaGroup> replica_groups = {},
                             const std::optional<Layout>& layout = std::nullopt, ChannelHandle channel_id = {}) const {
    std::vector<XlaOp> rows, parts;
    for (const XlaOp& each : operands) rows.push_back(reshape_function{}(each, ints{1} + each.type().shape));
    const XlaOp all = all_to_all_function{}(concatenate_function{}(rows, 0), 0, 0, operands.size(), replica_groups,
                                            layout, channel_id);
    for (int i = 0; i < operands.size(); ++i)
      parts.push_back(reshape_function{}(slice_in_dim_function{}(all, i, i + 1, 1, 0), operands[i].type().shape));
    return operands[0].builder()->tuple_of(parts);
  }
};
struct ragged_all_to_all_function {
  constexpr XlaOp operator()(const XlaOp& input, const XlaOp& input_offsets, const XlaOp& send_sizes,
                             const XlaOp& output, const XlaOp& output_offsets, const XlaOp& recv_sizes,
                             Span<ReplicaGroup> replica_groups = {}, ChannelHandle channel_id = {}) const {
    return input.builder()->record(ops::ragged_all_to_all{table_of(replica_groups), channel_id.handle},
                                   {input, output, input_offsets, send_sizes, output_offsets, recv_sizes});
  }
};
struct collective_broadcast_function {
  constexpr XlaOp operator()(const XlaOp& operand, Span<ReplicaGroup> replica_groups,
                             ChannelHandle channel_id = {}) const {
    return operand.builder()->record(ops::collective_broadcast{table_of(replica_groups), channel_id.handle}, {operand});
  }
};
struct collective_permute_function {
  constexpr XlaOp operator()(const XlaOp& operand, Span<std::pair<std::int64_t, std::int64_t>> source_target_pairs,
                             ChannelHandle channel_id = {}, bool /*inplace*/ = false) const {
    kept_ids pairs{{}, source_target_pairs.size(), 2};
    for (const auto& [source, target] : source_target_pairs) pairs.ids.push_back(source), pairs.ids.push_back(target);
    return on_each(operand, [&](const XlaOp& each) {
      return each.builder()->record(ops::collective_permute{pairs, channel_id.handle}, {each});
    });
  }
};

// Without a token, in the order in which they are written.
template <channel_types Type>
struct send_function {
  constexpr XlaOp operator()(const XlaOp& operand, const XlaOp& token, ChannelHandle handle) const {
    return operand.builder()->record(ops::send{handle.handle, Type, Type == channel_types::DEVICE_TO_HOST, {}},
                                     {operand, token});
  }
  constexpr XlaOp operator()(const XlaOp& operand, ChannelHandle handle) const {
    return (*this)(operand, CreateToken(operand.builder()), handle);
  }
  constexpr XlaOp operator()(const XlaOp& operand, const XlaOp& token, const Shape& /*shape_with_layout*/,
                             ChannelHandle handle) const {
    return (*this)(operand, token, handle);
  }
};
// What was received, and a token.
template <class Op>
constexpr XlaOp receive(const Op& op, const XlaOp& token, const Shape& shape) {
  recorder& r = *token.builder();
  const Shape both = ShapeUtil::MakeTupleShape({shape, ShapeUtil::MakeTokenShape()});
  std::vector<tensor_type> leaves;
  std::vector<int> results;
  both.append_leaves(leaves);
  return r.record_leaves(op, {token}, leaves, {}, results) ? r.value_with(both, results) : XlaOp(&r, -1);
}
template <channel_types Type>
struct receive_function {
  constexpr XlaOp operator()(const XlaOp& token, const Shape& shape, ChannelHandle handle) const {
    return receive(ops::recv{handle.handle, Type, Type == channel_types::HOST_TO_DEVICE, {}}, token, shape);
  }
};
struct infeed_with_token_function {
  constexpr XlaOp operator()(const XlaOp& token, const Shape& shape, std::string_view config = {}) const {
    return receive(ops::infeed{{config.empty() ? -1 : token.builder()->name(config)}, {}}, token, shape);
  }
};
struct outfeed_function {
  constexpr XlaOp operator()(const XlaOp& operand, const XlaOp& token, const Shape& /*shape_with_layout*/,
                             std::string_view outfeed_config = {}) const {
    recorder& r = *operand.builder();
    return r.record(ops::outfeed{{outfeed_config.empty() ? -1 : r.name(outfeed_config)}}, {operand, token});
  }
  constexpr XlaOp operator()(const XlaOp& operand, const Shape& shape_with_layout,
                             std::string_view outfeed_config = {}) const {
    return (*this)(operand, CreateToken(operand.builder()), shape_with_layout, outfeed_config);
  }
};

}  // namespace detail

inline constexpr detail::all_gather_function AllGather, AllGatherStart;
inline constexpr detail::all_reduce_function AllReduce, AllReduceStart;
inline constexpr detail::cross_replica_sum_function CrossReplicaSum;
inline constexpr detail::reduce_scatter_function ReduceScatter;
inline constexpr detail::all_to_all_function AllToAll;
inline constexpr detail::all_to_all_tuple_function AllToAllTuple;
inline constexpr detail::ragged_all_to_all_function RaggedAllToAll;
inline constexpr detail::collective_broadcast_function CollectiveBroadcast;
inline constexpr detail::collective_permute_function CollectivePermute, CollectivePermuteStart;
inline constexpr detail::send_function<channel_types::DEVICE_TO_DEVICE> Send, SendWithToken, SendWithTokens;
inline constexpr detail::send_function<channel_types::DEVICE_TO_HOST> SendToHost;
inline constexpr detail::receive_function<channel_types::DEVICE_TO_DEVICE> RecvWithToken, RecvWithTokens;
inline constexpr detail::receive_function<channel_types::HOST_TO_DEVICE> RecvFromHost, RecvToHost;
inline constexpr detail::infeed_with_token_function InfeedWithToken;
inline constexpr detail::outfeed_function Outfeed, OutfeedWithToken;

constexpr XlaOp Infeed(detail::recorder* builder, const Shape& shape, std::string_view config = {}) {
  return GetTupleElement(InfeedWithToken(CreateToken(builder), shape, config), 0);
}
constexpr XlaOp Recv(detail::recorder* builder, const Shape& shape, ChannelHandle handle) {
  return GetTupleElement(RecvWithToken(CreateToken(builder), shape, handle), 0);
}
// The shape may be written as well.
constexpr XlaOp ReplicaId(detail::recorder* builder, const Shape& shape = type_of(U32)) {
  return builder->record(ops::replica_id{}, {}, {shape.type()});
}
constexpr XlaOp PartitionId(detail::recorder* builder, const Shape& shape = type_of(U32)) {
  return builder->record(ops::partition_id{}, {}, {shape.type()});
}

}  // namespace tenon::xla
