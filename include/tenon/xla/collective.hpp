// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/xla/control.hpp>

// Functions that take part in what several processes do, or the host. Memory is row-major: layouts mean nothing.
namespace tenon::xla {

struct ReplicaGroup {
  std::vector<std::int64_t> ids;

  constexpr ReplicaGroup() = default;
  constexpr ReplicaGroup(std::initializer_list<std::int64_t> replica_ids) : ids(replica_ids) {}
  constexpr ReplicaGroup(const std::vector<std::int64_t>& replica_ids) : ids(replica_ids) {}
  constexpr void add_replica_ids(std::int64_t id) { ids.push_back(id); }
};

struct ChannelHandle {
  std::int64_t handle = 0;

  constexpr ChannelHandle() = default;
  constexpr ChannelHandle(std::int64_t number) : handle(number) {}
  constexpr void set_handle(std::int64_t number) { handle = number; }
};

namespace detail {

constexpr std::int64_t number_of(const std::optional<ChannelHandle>& channel) {
  return channel.value_or(ChannelHandle()).handle;
}

// Groups of one size, or pairs: rows of ids, which a table may refer to until the end of the expression.
class id_rows {
 public:
  constexpr id_rows() = default;
  constexpr id_rows(std::initializer_list<ReplicaGroup> groups) {
    for (const ReplicaGroup& group : groups) add(group);
  }
  // Of groups, or of lists of numbers.
  template <class Group>
  constexpr id_rows(const std::vector<Group>& groups) {
    for (const Group& group : groups) add(group);
  }

  constexpr operator id_table() const {
    id_table table(rows_, columns_, ids_.data());
    table.dropped = dropped_;
    return table;
  }

 private:
  std::vector<index_t> ids_;
  int rows_ = 0, columns_ = 0, dropped_ = 0;

  constexpr void add(const ReplicaGroup& group) {
    if (rows_ == 0) columns_ = int(group.ids.size());
    if (int(group.ids.size()) != columns_) {
      ++dropped_;
      return;
    }
    ids_.insert(ids_.end(), group.ids.begin(), group.ids.end());
    ++rows_;
  }
};

// The same for every array of a tuple.
template <class Function>
constexpr XlaOp on_each(const XlaOp& operand, Function f) {
  recorder& r = recorder_of(operand);
  if (!r.is_tuple(operand)) return f(operand);
  std::vector<XlaOp> parts;
  for (int i = 0; i < r.member_count(operand); ++i) parts.push_back(on_each(r.member(operand, i), f));
  return r.tuple_of(parts);
}

struct all_gather_function {
  constexpr XlaOp operator()(const XlaOp& operand, std::int64_t all_gather_dimension, std::int64_t shard_count,
                             const id_rows& replica_groups = {}, const std::optional<ChannelHandle>& channel_id = {},
                             const std::optional<Layout>& /*layout*/ = std::nullopt,
                             std::optional<bool> use_global_device_ids = std::nullopt) const {
    return on_each(operand, [&](const XlaOp& each) {
      tensor_type result = each.type();
      result.shape.set(all_gather_dimension, ints{result.dim(all_gather_dimension), shard_count}.product());
      return record(ops::all_gather{all_gather_dimension, replica_groups, number_of(channel_id),
                                    use_global_device_ids.value_or(false)},
                    {each}, {result});
    });
  }
};
struct all_reduce_function {
  constexpr XlaOp operator()(const XlaOp& operand, const body& computation, const id_rows& replica_groups = {},
                             const std::optional<ChannelHandle>& channel_id = {},
                             const std::optional<Shape>& /*shape_with_layout*/ = std::nullopt,
                             std::optional<bool> use_global_device_ids = std::nullopt) const {
    return on_each(operand, [&](const XlaOp& each) {
      recorder& r = recorder_of(each);
      return r.record(ops::all_reduce{replica_groups, number_of(channel_id), use_global_device_ids.value_or(false)},
                      {each}, {}, {r.region_of(computation, elements_of({each}, 2))});
    });
  }
};
// Of a list of arrays.
template <class Function>
struct on_tuple {
  template <class... Rest>
  constexpr XlaOp operator()(Span<XlaOp> operands, const Rest&... rest) const {
    return Function{}(recorder_of(operands).tuple_of(operands), rest...);
  }
};
struct cross_replica_sum_function {
  constexpr XlaOp operator()(const XlaOp& operand, const id_rows& replica_groups = {}) const {
    return all_reduce_function{}(operand, ops::add{}, replica_groups);
  }
};
struct reduce_scatter_function {
  constexpr XlaOp operator()(const XlaOp& operand, const body& computation, std::int64_t scatter_dimension,
                             std::int64_t shard_count, const id_rows& replica_groups = {},
                             const std::optional<ChannelHandle>& channel_id = {},
                             const std::optional<Layout>& /*layout*/ = std::nullopt,
                             std::optional<bool> use_global_device_ids = std::nullopt) const {
    return on_each(operand, [&](const XlaOp& each) {
      recorder& r = recorder_of(each);
      tensor_type result = each.type();
      const index_t size = result.dim(scatter_dimension);
      if (!r.check("xla_reduce_scatter", "shard_count divides the dimension that is scattered",
                   shard_count > 0 && size % shard_count == 0, {each}))
        return r.nothing();
      result.shape.set(scatter_dimension, size / shard_count);
      return r.record(ops::reduce_scatter{scatter_dimension, replica_groups, number_of(channel_id),
                                          use_global_device_ids.value_or(false)},
                      {each}, {result}, {r.region_of(computation, elements_of({each}, 2))});
    });
  }
};
struct all_to_all_function {
  constexpr XlaOp operator()(const XlaOp& operand, std::int64_t split_dimension, std::int64_t concat_dimension,
                             std::int64_t split_count, const id_rows& replica_groups = {},
                             const std::optional<Layout>& /*layout*/ = std::nullopt,
                             const std::optional<ChannelHandle>& channel_id = {}) const {
    return record(
        ops::all_to_all{split_dimension, concat_dimension, split_count, replica_groups, number_of(channel_id)},
        {operand});
  }
};
// Operand i goes to process i of the group, result i comes from there.
struct all_to_all_tuple_function {
  constexpr XlaOp operator()(Span<XlaOp> operands, const id_rows& replica_groups = {},
                             const std::optional<Layout>& layout = std::nullopt,
                             const std::optional<ChannelHandle>& channel_id = {}) const {
    std::vector<XlaOp> rows, parts;
    for (const XlaOp& each : operands) rows.push_back(reshape_function{}(each, ints{1} + each.type().shape));
    const XlaOp all = all_to_all_function{}(concatenate_function{}(rows, 0), 0, 0, operands.size(), replica_groups,
                                            layout, channel_id);
    for (int i = 0; i < operands.size(); ++i)
      parts.push_back(reshape_function{}(slice_in_dim_function{}(all, i, i + 1, 1, 0), operands[i].type().shape));
    return recorder_of(operands).tuple_of(parts);
  }
};
struct ragged_all_to_all_function {
  constexpr XlaOp operator()(const XlaOp& input, const XlaOp& input_offsets, const XlaOp& send_sizes,
                             const XlaOp& output, const XlaOp& output_offsets, const XlaOp& recv_sizes,
                             const id_rows& replica_groups = {},
                             const std::optional<ChannelHandle>& channel_id = {}) const {
    return record(ops::ragged_all_to_all{replica_groups, number_of(channel_id)},
                  {input, output, input_offsets, send_sizes, output_offsets, recv_sizes});
  }
};
struct collective_broadcast_function {
  constexpr XlaOp operator()(const XlaOp& operand, const id_rows& replica_groups,
                             const std::optional<ChannelHandle>& channel_id = {}) const {
    return record(ops::collective_broadcast{replica_groups, number_of(channel_id)}, {operand});
  }
};
struct collective_permute_function {
  constexpr XlaOp operator()(const XlaOp& operand, Span<std::pair<std::int64_t, std::int64_t>> source_target_pairs,
                             const std::optional<ChannelHandle>& channel_id = {},
                             std::optional<bool> /*inplace*/ = std::nullopt) const {
    std::vector<ReplicaGroup> rows;
    for (const auto& [source, target] : source_target_pairs) rows.push_back({source, target});
    const id_rows pairs(rows);
    return on_each(operand, [&](const XlaOp& each) {
      return record(ops::collective_permute{pairs, number_of(channel_id)}, {each});
    });
  }
};

// Without a token, in the order in which they are written.
template <channel_types Type>
struct send_function {
  constexpr XlaOp operator()(const XlaOp& operand, const XlaOp& token, ChannelHandle handle) const {
    return record(ops::send{handle.handle, Type, Type == channel_types::DEVICE_TO_HOST, {}}, {operand, token});
  }
  constexpr XlaOp operator()(const XlaOp& operand, ChannelHandle handle) const {
    return (*this)(operand, CreateToken(&recorder_of(operand)), handle);
  }
  constexpr XlaOp operator()(const XlaOp& operand, const XlaOp& token, const Shape& /*shape_with_layout*/,
                             ChannelHandle handle) const {
    return (*this)(operand, token, handle);
  }
};
// The received value, and a token. Nothing is received of a shape without arrays.
template <class Op>
constexpr XlaOp receive(const Op& op, const XlaOp& token, const Shape& shape) {
  recorder& r = recorder_of(token);
  const Shape both = ShapeUtil::MakeTupleShape({shape, ShapeUtil::MakeTokenShape()});
  std::vector<tensor_type> leaves;
  both.append_leaves(leaves);
  if (leaves.size() == 1 && shape.IsTuple()) return r.tuple_of({r.tuple_of({}), token});
  return r.record_as(both, op, {token}, leaves);
}
template <channel_types Type>
struct receive_function {
  constexpr XlaOp operator()(const XlaOp& token, const Shape& shape, ChannelHandle handle) const {
    return receive(ops::recv{handle.handle, Type, Type == channel_types::HOST_TO_DEVICE, {}}, token, shape);
  }
};
struct infeed_with_token_function {
  constexpr XlaOp operator()(const XlaOp& token, const Shape& shape, std::string_view config = {}) const {
    return receive(ops::infeed{{config.empty() ? -1 : recorder_of(token).name(config)}, {}}, token, shape);
  }
};
struct outfeed_function {
  constexpr XlaOp operator()(const XlaOp& operand, const XlaOp& token, const Shape& /*shape_with_layout*/,
                             std::string_view outfeed_config = {}) const {
    recorder& r = recorder_of({operand, token});
    return r.record(ops::outfeed{{outfeed_config.empty() ? -1 : r.name(outfeed_config)}}, {operand, token});
  }
  constexpr XlaOp operator()(const XlaOp& operand, const Shape& shape_with_layout,
                             std::string_view outfeed_config = {}) const {
    return (*this)(operand, CreateToken(&recorder_of(operand)), shape_with_layout, outfeed_config);
  }
};

}  // namespace detail

inline constexpr detail::all_gather_function AllGather, AllGatherStart;
inline constexpr detail::all_reduce_function AllReduce, AllReduceStart;
inline constexpr detail::on_tuple<detail::all_gather_function> AllGatherTuple;
inline constexpr detail::on_tuple<detail::all_reduce_function> AllReduceTuple;
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
  return recorder_of(builder).record(ops::replica_id{}, {}, {shape.type()});
}
constexpr XlaOp PartitionId(detail::recorder* builder, const Shape& shape = type_of(U32)) {
  return recorder_of(builder).record(ops::partition_id{}, {}, {shape.type()});
}
inline constexpr auto& PartitionID = PartitionId;

}  // namespace tenon::xla
