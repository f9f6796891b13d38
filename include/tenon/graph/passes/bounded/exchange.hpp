// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/bounded/sizes.hpp>
#include <tenon/ops/process_groups.hpp>

namespace tenon::passes {

// Ops that other processes take part in. Sizes travel with the elements that are sent, and add up along the dimension
// in which operands are put together; any other size has to be the same in all processes of a group.
class sized_exchange : public size_keeper {
 public:
  using size_keeper::size_keeper;

  // Whether every process is in a group by itself; false if only the grid decides it.
  static constexpr bool is_alone(const id_table& groups, process_grouping grouping) {
    return group_size(core::rules{}, groups, grouping) == 1;
  }

  // ---------- sizes that must be the same in a group

  // Sizes that are not known while compiling, each once, and of which dimension they are.
  struct open_sizes {
    static constexpr int most = 64;
    int values[most]{};
    int dimensions[most]{};
    int count = 0;

    constexpr void push(int value, int dimension) {
      for (int i = 0; i < count; ++i)
        if (values[i] == value) return;
      if (count < most) values[count] = value, dimensions[count++] = dimension;
    }
  };
  constexpr open_sizes open_sizes_but(int exempt) {
    open_sizes open;
    for (int i = 0; i < node_.operand_count; ++i)
      for (int d = 0; d < operand_type(i).rank(); ++d)
        if (d != exempt && is_dynamic(i, d)) open.push(code(i, d), d);
    return open;
  }

  // `largest_of` gives, for a list of numbers, those of the process that has the largest of each.
  template <class Largest>
  constexpr void agree_in_group(const open_sizes& open, Largest largest_of) {
    for (int first = 0; first < open.count; first += max_rank) {
      const int some = open.count - first < max_rank ? open.count - first : max_rank;
      int both_signs[2 * max_rank]{};
      for (int k = 0; k < some; ++k) {
        both_signs[k] = open.values[first + k];
        both_signs[some + k] = negative(open.values[first + k]);
      }
      const int largest = largest_of(listed({both_signs, 2 * some}, dtype::i64));
      for (int k = 0; k < some; ++k)
        check(size_relation::AGREE, open.dimensions[first + k], {negative(number_at(largest, some + k)), 0},
              {number_at(largest, k), 0});
    }
  }
  constexpr int negative(int number) { return add(ops::negate{}, {number}, scalar_type); }
  template <class Op>
  constexpr int largest_by(const Op& op, int numbers) {
    const tensor_type type = type_of_target(numbers);
    const int body = body_of<ops::maximum>(scalar_type);
    return add_with_bodies(op, {&numbers, 1}, {&body, 1}, {&type, 1});
  }

  // ---------- parts and wholes

  // Blocks of this room, one per process, one behind the other along the dimension: without what is behind the sizes of
  // each, which are listed. `total` is the sum of the sizes.
  constexpr int joined(int value, int dimension, int sizes, index_t room, extent& total) {
    const index_t processes = shape_of(sizes)[0];
    const ints pairs{processes, processes}, places{processes * room, processes};
    const int numbers = counting(processes), positions = counting(places[0]);
    const auto where = [&](int mask, int line) {
      const int all = spread_along(line, shape_of(mask), 1);
      return sum(keep(mask, all, zero_like(all)), {1});
    };
    const int ends = where(
        compare(comparison_direction::GE, spread_along(numbers, pairs, 0), spread_along(numbers, pairs, 1)), sizes);
    const int passed =
        compare(comparison_direction::GE, spread_along(positions, places, 0), spread_along(ends, places, 1));
    const int unused = both(ops::subtract{}, broadcast(constant(scalar_type, room), {processes}), sizes);
    total = {number_at(ends, processes - 1), 0};
    return take(value, dimension, both(ops::add{}, positions, where(passed, unused)));
  }

  // Operand i in this many parts of the same size along the dimension, each at the start of a room of its own.
  constexpr int parted(int i, int dimension, index_t parts, extent& part) {
    const extent whole = size(i, dimension);
    const index_t bound = operand_type(i).dim(dimension), room = bound / parts;
    part = over(whole, {-1, parts});
    if (whole.is_known() || room == 0) return operand(i);
    check(size_relation::AGREE, dimension, times(part, {-1, parts}), whole);
    const int positions = counting(bound);
    const int number = both(ops::divide{}, positions, broadcast(constant(scalar_type, room), {bound}));
    const int unused = broadcast(value_of(minus({-1, room}, part)), {bound});
    return take(operand(i), dimension, both(ops::subtract{}, positions, both(ops::multiply{}, number, unused)));
  }

  // ---------- groups that reduce

  // Of all_reduce, and of others that agree as it does.
  constexpr void agree_as(const ops::all_reduce& op, int exempt) {
    if (is_alone(op.replica_groups, grouping_of_reduction(op.channel_id, op.use_global_device_ids))) return;
    agree_in_group(open_sizes_but(exempt), [&](int numbers) { return largest_by(op, numbers); });
  }
  constexpr bool rewrite(const ops::all_reduce& op) {
    agree_as(op, -1);
    return write_pairwise();
  }
  constexpr bool rewrite(const ops::cross_replica_sum& op) { return rewrite(ops::all_reduce{op.replica_groups}); }
  constexpr bool rewrite(const ops::collective_reduce& op) {
    const ops::collective_reduce to_first{op.replica_groups, op.channel_id, false, op.use_global_device_ids};
    if (!is_alone(op.replica_groups, grouping_of_exchange(op.channel_id)))
      agree_in_group(open_sizes_but(-1), [&](int numbers) {
        const ops::collective_broadcast from_first{op.replica_groups, op.channel_id};
        return add(from_first, {largest_by(to_first, numbers)}, type_of_target(numbers));
      });
    return write_pairwise();
  }

  constexpr bool rewrite(const ops::reduce_scatter& op) {
    const int along = int(op.scatter_dimension);
    if (is_alone(op.replica_groups, grouping_of_reduction(op.channel_id, op.use_global_device_ids)))
      return write_pairwise();
    agree_as({op.replica_groups, op.channel_id, op.use_global_device_ids}, -1);
    const index_t room = result_type().dim(along);
    dimension_sizes sizes = sizes_of(0);
    operand_list values = collected();
    if (is_dynamic(0, along) && room > 0) {
      extent part;
      values.at[0] = parted(0, along, operand_type(0).dim(along) / room, part);
      sizes.at[along] = part.value;
    } else {
      sizes.at[along] = dimension_size::full;
    }
    return give_each(write_again(values), sizes);
  }

  constexpr bool rewrite(const ops::all_gather& op) {
    const process_grouping grouping = grouping_of_reduction(op.channel_id, op.use_global_device_ids);
    const int along = int(op.all_gather_dim);
    if (is_alone(op.replica_groups, grouping)) return write_pairwise();
    agree_as({op.replica_groups, op.channel_id, op.use_global_device_ids}, along);
    operand_list gathered;
    for (int i = 0; i < node_.operand_count; ++i) {
      const index_t room = operand_type(i).dim(along), processes = room > 0 ? result_type(i).dim(along) / room : 1;
      const ops::all_gather sizes{0, op.replica_groups, op.channel_id, op.use_global_device_ids};
      gathered.push(is_dynamic(i, along) ? add(sizes, {reshape(code(i, along), {1})}, type_of(dtype::i64, {processes}))
                                         : -1);
    }
    const int results = write_again();
    for (int i = 0; i < node_.operand_count; ++i) {
      dimension_sizes sizes = sizes_of(i);
      sizes.at[along] = dimension_size::full;
      int value = results + i;
      if (gathered.at[i] >= 0) {
        extent total;
        value = joined(value, along, gathered.at[i], operand_type(i).dim(along), total);
        sizes.at[along] = total.value;
      }
      give(i, value, sizes);
    }
    return true;
  }

  // ---------- groups that exchange

  // Of each process of the group one list of that length.
  constexpr int lists_of_group(const ops::all_to_all& op, int numbers) {
    const ints shape{op.split_count, shape_of(numbers)[0]};
    const ops::all_to_all to_all{0, 0, op.split_count, op.replica_groups, op.channel_id};
    return add(to_all, {broadcast(numbers, shape, {1})}, type_of(dtype::i64, shape));
  }
  constexpr bool rewrite(const ops::all_to_all& op) {
    const int split = int(op.split_dimension), concat = int(op.concat_dimension);
    if (op.split_count == 1) return write_pairwise();
    agree_in_group(open_sizes_but(concat), [&](int numbers) {
      const int all = lists_of_group(op, numbers), body = body_of<ops::maximum>(scalar_type);
      const int operands[] = {all, constant(scalar_type, INT64_MIN)};
      const tensor_type type = type_of_target(numbers);
      return add_with_bodies(ops::reduce{{0}}, {operands, 2}, {&body, 1}, {&type, 1});
    });
    operand_list values, sizes_of_parts;
    dimension_sizes sizes[operand_list::most / 2];
    for (int i = 0; i < node_.operand_count; ++i) {
      sizes[i] = sizes_of(i);
      extent part;
      values.push(parted(i, split, op.split_count, part));
      const int last = part.is_known() ? dimension_size::full : part.value;
      const int appended = split == concat ? last : code(i, concat);
      if (split != concat) sizes[i].at[split] = last;
      const bool open = appended >= 0;
      sizes_of_parts.push(open ? reshape(lists_of_group(op, reshape(appended, {1})), {op.split_count}) : -1);
    }
    const int results = write_again(values);
    for (int i = 0; i < node_.operand_count; ++i) {
      int value = results + i;
      if (sizes_of_parts.at[i] >= 0) {
        extent total;
        value = joined(value, concat, sizes_of_parts.at[i], result_type(i).dim(concat) / op.split_count, total);
        sizes[i].at[concat] = total.value;
      }
      give(i, value, sizes[i]);
    }
    return true;
  }

  // ---------- sizes that travel

  // Gives operand i with the sizes that `sent` makes of a list of its own, each one more than it is: whoever receives
  // nothing gets zeros, and keeps its own.
  template <class Send>
  constexpr dimension_sizes travelled_sizes(int i, Send sent) {
    dimension_sizes sizes = sizes_of(i);
    int own[max_rank]{}, count = 0;
    for (int d = 0; d < operand_type(i).rank(); ++d)
      if (is_dynamic(i, d)) own[count++] = value_of(plus({sizes.at[d], 0}, {-1, 1}));
    if (count == 0) return sizes;
    const int received = sent(listed({own, count}, dtype::i64));
    int k = 0;
    for (int d = 0; d < operand_type(i).rank(); ++d) {
      if (!is_dynamic(i, d)) continue;
      const int number = number_at(received, k++);
      const int nothing = compare(comparison_direction::EQ, number, constant(scalar_type, 0));
      sizes.at[d] = choose(nothing, sizes.at[d], value_of(minus({number, 0}, {-1, 1})));
    }
    return sizes;
  }
  constexpr bool rewrite(const ops::collective_permute& op) {
    const dimension_sizes sizes =
        travelled_sizes(0, [&](int numbers) { return add(op, {numbers}, type_of_target(numbers)); });
    return give_each(write_again(), sizes);
  }
  constexpr bool rewrite(const ops::collective_broadcast& op) {
    if (is_alone(op.replica_groups, grouping_of_exchange(op.channel_id))) return write_pairwise();
    dimension_sizes sizes[operand_list::most / 2];
    for (int i = 0; i < node_.result_count; ++i)
      sizes[i] = travelled_sizes(i, [&](int numbers) {
        const tensor_type type = type_of_target(numbers);
        if (!op.has_dynamic_root) return add(op, {numbers}, type);
        return add(op, {numbers, piece_at(operand(node_.result_count), i)}, type);
      });
    const int results = write_again();
    for (int i = 0; i < node_.result_count; ++i) give(i, results + i, sizes[i]);
    return true;
  }
};

}  // namespace tenon::passes
