// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/xla/builder.hpp>

namespace tenon::xla {

constexpr XlaOp ReplicaId(XlaBuilder* builder) {
  return detail::record_alone(builder, type_of(U32), ops::replica_id{});
}
constexpr XlaOp PartitionId(XlaBuilder* builder) {
  return detail::record_alone(builder, type_of(U32), ops::partition_id{});
}
template <class Computation>
constexpr XlaOp AllReduce(XlaOp operand, Computation, const ints_table& replica_groups = {},
                          std::int64_t channel_id = 0, bool use_global_device_ids = false) {
  return detail::record<bodies<Computation>>(ops::all_reduce{replica_groups, channel_id, use_global_device_ids},
                                             operand);
}
constexpr XlaOp CrossReplicaSum(XlaOp operand, const ints_table& replica_groups = {}) {
  return AllReduce(operand, ops::add{}, replica_groups);
}
constexpr XlaOp AllGather(XlaOp operand, std::int64_t all_gather_dimension, std::int64_t shard_count,
                          const ints_table& replica_groups = {}, std::int64_t channel_id = 0,
                          bool use_global_device_ids = false) {
  Shape result = operand.type();
  result.shape.set(all_gather_dimension, ints{result.dim(all_gather_dimension), shard_count}.product());
  return detail::record_as(
      result, ops::all_gather{all_gather_dimension, replica_groups, channel_id, use_global_device_ids}, operand);
}
constexpr XlaOp AllToAll(XlaOp operand, std::int64_t split_dimension, std::int64_t concat_dimension,
                         std::int64_t split_count, const ints_table& replica_groups = {}, std::int64_t channel_id = 0) {
  return detail::record(ops::all_to_all{split_dimension, concat_dimension, split_count, replica_groups, channel_id},
                        operand);
}
constexpr XlaOp CollectivePermute(XlaOp operand, const ints_table& source_target_pairs, std::int64_t channel_id = 0) {
  return detail::record(ops::collective_permute{source_target_pairs, channel_id}, operand);
}

}  // namespace tenon::xla
