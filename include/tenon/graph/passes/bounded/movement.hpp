// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/bounded/sizes.hpp>

namespace tenon::passes {

// Ops that move elements, and those that are told a shape.
class sized_movement : public size_keeper {
 public:
  using size_keeper::size_keeper;

  // Element i of each result is computed of elements i.
  constexpr bool rewrite_elementwise() {
    const int rank = result_type().rank();
    dimension_sizes sizes;
    for (int i = 0; i < node_.operand_count; ++i)
      for (int d = 0; d < rank && operand_type(i).rank() == rank; ++d)
        sizes.at[d] = agree(sizes.at[d], code(i, d), d, result_type().dim(d));
    return give_each(write_again(), sizes);
  }
  constexpr bool rewrite(const ops::map&) { return rewrite_elementwise(); }
  constexpr bool rewrite(const ops::uniform_quantize&) { return rewrite_elementwise(); }
  constexpr bool rewrite(const ops::uniform_dequantize&) { return rewrite_elementwise(); }
  constexpr bool rewrite(const ops::optimization_barrier&) { return write_pairwise(); }

  constexpr bool rewrite(const ops::constant&) { return rewrite_creation(); }
  constexpr bool rewrite(const ops::iota&) { return rewrite_creation(); }
  constexpr bool rewrite(const ops::rng_bit_generator&) { return rewrite_creation(); }

  constexpr bool rewrite(const ops::get_dimension_size& op) {
    const int of = code(0, int(op.dimension));
    return give_each(of >= 0 ? convert(of, dtype::i32) : write_again(), {});
  }

  constexpr bool rewrite(const ops::set_dimension_size& op) {
    const int d = int(op.dimension);
    dimension_sizes sizes = sizes_of(0);
    const int before = code(0, d);
    const extent wanted{counted(operand(1)), 0};
    if (before >= 0) check(size_relation::AT_MOST, d, wanted, {before, 0});
    sizes.at[d] = resolved(wanted, d, result_type(), true);
    int value = operand(0);
    if (result_type().dim(d) < operand_type(0).dim(d)) {
      const int rank = result_type().rank();
      const ops::slice first{ints::filled(rank, 0), result_type().shape, ints::filled(rank, 1)};
      value = add(first, {value}, static_result());
    }
    return give_each(value, sizes);
  }

  constexpr bool rewrite(const ops::transpose& op) {
    dimension_sizes sizes;
    for (int d = 0; d < result_type().rank(); ++d) sizes.at[d] = code(0, int(op.permutation[d]));
    return give_each(write_again(), sizes);
  }

  constexpr bool rewrite(const ops::broadcast& op) {
    const int before = op.broadcast_sizes.size;
    return rewrite_broadcast(ints::range(before + operand_type(0).rank()).without(ints::range(before)));
  }
  constexpr bool rewrite(const ops::broadcast_in_dim& op) { return rewrite_broadcast(op.broadcast_dimensions); }
  // Dimension k of the operand is dimension axes[k] of the result.
  constexpr bool rewrite_broadcast(const ints& axes) {
    dimension_sizes sizes;
    for (int k = 0; k < operand_type(0).rank(); ++k) {
      const int d = int(axes[k]);
      if (operand_type(0).dim(k) == result_type().dim(d))
        sizes.at[d] = code(0, k);
      else
        exactly(code(0, k), k, 1);
    }
    return give_each(write_again(), sizes);
  }

  // Which size a dimension of the operand has is known when the program runs; one of size 1 is repeated.
  constexpr bool rewrite(const ops::dynamic_broadcast_in_dim& op) {
    const dimension_sizes sizes = listed_sizes(1);
    int value = operand(0);
    for (int k = 0; k < operand_type(0).rank(); ++k) {
      const int d = int(op.broadcast_dimensions[k]), from = pinned(code(0, k));
      const index_t have = operand_type(0).dim(k), bound = result_type().dim(d);
      if (have == 1 && bound != 1) {
        exactly(from, k, 1);
        continue;
      }
      if (canonical(sizes.at[d]) == from || (have == 1 && from < 0)) continue;
      if (from < 0 || op.known_nonexpanding_dimensions.contains(k)) {
        agree(from, sizes.at[d], d, bound);
        continue;
      }
      // Either every element is at its place, or the only one is at each.
      const int one = compare(comparison_direction::EQ, from, constant(scalar_type, 1));
      const int needed = sizes.at[d] >= 0 ? sizes.at[d] : constant(scalar_type, bound);
      check(size_relation::AGREE, k, {choose(one, needed, from), 0}, {needed, 0});
      const int step = convert(add(ops::not_{}, {one}, type_of(dtype::i1)), dtype::i64);
      value = take(value, k, both(ops::multiply{}, counting(have), broadcast(step, {have})));
    }
    return give_each(add(ops::broadcast_in_dim{op.broadcast_dimensions}, {value}, static_result()), sizes);
  }

  constexpr bool rewrite(const ops::dynamic_iota& op) {
    const dimension_sizes sizes = listed_sizes(0);
    return give_each(add(ops::iota{op.iota_dimension}, {}, static_result()), sizes);
  }

  constexpr bool rewrite(const ops::bitcast_convert&) {
    const int rank = result_type().rank(), common = rank < operand_type(0).rank() ? rank : operand_type(0).rank();
    dimension_sizes sizes;
    for (int d = 0; d < common; ++d) sizes.at[d] = code(0, d);
    for (int d = common; d < operand_type(0).rank(); ++d) exactly(code(0, d), d, operand_type(0).dim(d));
    for (int d = common; d < rank; ++d) sizes.at[d] = dimension_size::full;
    return give_each(write_again(), sizes);
  }

  // A slice up to a limit that the operand has not reached yet ends where the operand does, if the result may be
  // smaller.
  constexpr bool rewrite(const ops::slice& op) {
    dimension_sizes sizes;
    for (int d = 0; d < result_type().rank(); ++d) {
      const index_t start = op.start_indices[d], limit = op.limit_indices[d];
      const index_t stride = op.strides.empty() ? 1 : op.strides[d];
      const int from = code(0, d);
      sizes.at[d] = dimension_size::full;
      if (start == 0 && stride == 1 && limit == operand_type(0).dim(d)) {
        sizes.at[d] = from;
      } else if (from >= 0 && result_type().is_bounded(d)) {
        sizes.at[d] = value_of(sliced({-1, start}, least({-1, limit}, {from, 0}), {-1, stride}));
      } else if (from >= 0) {
        check(size_relation::AT_MOST, d, {-1, limit}, {from, 0});
      }
    }
    return give_each(write_again(), sizes);
  }

  constexpr bool rewrite(const ops::pad& op) {
    dimension_sizes sizes;
    ints dynamic;
    for (int d = 0; d < result_type().rank(); ++d) {
      sizes.at[d] = pinned(code(0, d));
      const index_t low = op.edge_padding_low[d], high = op.edge_padding_high[d], interior = op.interior_padding[d];
      if (sizes.at[d] < 0 || (low == 0 && high == 0 && interior == 0)) continue;
      dynamic.push(d);
      const extent padded =
          plus(dilated(size(0, d), {-1, ops::saturating_add(interior, 1)}), {-1, ops::saturating_add(low, high)});
      sizes.at[d] = resolved(padded, d, result_type(), low < 0 || high < 0);
    }
    const int all[] = {without_padding(0, dynamic, operand(1)), operand(1)};
    return give_each(write_again({all, 2}), sizes);
  }

  // The result is computed at its bound: the padding behind is what is missing to it.
  constexpr bool rewrite(const ops::dynamic_pad&) {
    const int rank = result_type().rank();
    dimension_sizes sizes;
    ints dynamic;
    int lows[max_rank]{}, highs[max_rank]{}, interiors[max_rank]{};
    for (int d = 0; d < rank; ++d) {
      const extent low = listed_number(2, d), high = listed_number(3, d), interior = listed_number(4, d);
      const extent step = plus(interior, {-1, 1});
      sizes.at[d] = resolved(plus(plus(dilated(size(0, d), step), low), high), d, result_type(), true);
      if (is_dynamic(0, d)) dynamic.push(d);
      const extent all = plus(dilated({-1, operand_type(0).dim(d)}, step), low);
      lows[d] = low.value, interiors[d] = interior.value;
      highs[d] = value_of(minus({-1, result_type().dim(d)}, all));
    }
    const auto numbers = [&](const int* all) { return listed({all, rank}, dtype::i64); };
    const int all[] = {without_padding(0, dynamic, operand(1)), operand(1), numbers(lows), numbers(highs),
                       numbers(interiors)};
    return give_each(write_again({all, 5}), sizes);
  }

  constexpr bool rewrite(const ops::reverse& op) {
    ints dynamic, others;
    for (index_t d : op.dimensions) (is_dynamic(0, int(d)) ? dynamic : others).push(d);
    const tensor_type type = static_result();
    int value = operand(0);
    if (!others.empty()) value = add(ops::reverse{others}, {value}, type);
    dimension_sizes sizes = sizes_of(0);
    for (index_t d : others) sizes.at[d] = pinned(sizes.at[d]);
    for (index_t d : dynamic) {
      const index_t bound = type.dim(d);
      const int last = value_of(minus(size(0, int(d)), {-1, 1}));
      value = take(value, int(d), both(ops::subtract{}, broadcast(last, {bound}), counting(bound)));
    }
    return give_each(value, sizes);
  }

  // One behind the other: each operand is written over the padding of those before it.
  constexpr bool rewrite(const ops::concatenate& op) {
    const int along = int(op.dimension), rank = result_type().rank();
    dimension_sizes sizes;
    for (int i = 0; i < node_.operand_count; ++i)
      for (int d = 0; d < rank; ++d)
        if (d != along) sizes.at[d] = agree(sizes.at[d], code(i, d), d, result_type().dim(d));
    int value = write_again();
    extent offset = size(0, along);
    for (int i = 1; i < node_.operand_count; ++i) {
      if (!offset.is_known()) {
        operand_list all;
        all.push(value);
        all.push(operand(i));
        for (int d = 0; d < rank; ++d) all.push(d == along ? value_of(offset) : constant(scalar_type, 0));
        value = add_op(ops::dynamic_update_slice{}, all, static_result());
      }
      offset = plus(offset, size(i, along));
    }
    sizes.at[along] = resolved(offset, along, result_type(), false);
    return give_each(value, sizes);
  }

  // ---------- reshapes

  constexpr bool rewrite(const ops::reshape&) {
    extent to[max_rank];
    if (!sizes_of_reshaped(to)) return refuse(first_dynamic(0), ambiguous);
    return move_reshaped(to);
  }
  constexpr bool rewrite(const ops::dynamic_reshape&) {
    extent to[max_rank], from[max_rank];
    const dimension_sizes sizes = listed_sizes(1);
    const int rank = result_type().rank();
    for (int d = 0; d < rank; ++d) to[d] = extent_of(sizes.at[d], result_type().dim(d));
    for (int d = 0; d < operand_type(0).rank(); ++d) from[d] = size(0, d);
    const extent have = total({from, operand_type(0).rank()}), want = total({to, rank});
    if (!(have.is_known() && want.is_known() && have.known == want.known))
      check(size_relation::AGREE, 0, {value_of(want), 0}, {value_of(have), 0});
    return move_reshaped(to);
  }

 private:
  // Nothing says how large the result is.
  constexpr bool rewrite_creation() {
    const int results = write_again();
    for (int r = 0; r < node_.result_count; ++r) give(r, results + r, {});
    return true;
  }

  constexpr extent total(list<extent> sizes) {
    extent all{-1, 1};
    for (const extent& each : sizes) all = times(all, each);
    return all;
  }

  static constexpr const char* ambiguous =
      "the operand does not decide how large the bounded dimensions of the result are: use dynamic_reshape";

  constexpr int first_dynamic(int i) {
    for (int d = 0; d < operand_type(i).rank(); ++d)
      if (is_dynamic(i, d)) return d;
    return 0;
  }

  // Neighbouring dimensions of the operand and of the result that have as many elements at their bounds.
  struct group {
    int first = 0, last = 0;  // of the operand
    int result_first = 0, result_last = 0;
  };
  constexpr bool next_group(group& g) const {
    const ints &from = operand_type(0).shape, &to = result_type().shape;
    g.first = g.last, g.result_first = g.result_last;
    if (g.first == from.size && g.result_first == to.size) return false;
    index_t a = 1, b = 1;
    bool begun = false;
    while (!begun || a != b) {
      begun = true;
      if (a <= b && g.last < from.size)
        a = ops::saturating_multiply(a, from[g.last++]);
      else if (g.result_last < to.size)
        b = ops::saturating_multiply(b, to[g.result_last++]);
      else if (g.last < from.size)
        a = ops::saturating_multiply(a, from[g.last++]);
      else
        break;
    }
    // Dimensions of size 1 at the end belong to the last group.
    while (g.last == from.size && g.result_last < to.size && to[g.result_last] == 1) ++g.result_last;
    while (g.result_last == to.size && g.last < from.size && from[g.last] == 1) ++g.last;
    return true;
  }
  // Whether the groups have as many elements on both sides. A dimension of at most one element might belong to either
  // of its neighbours.
  constexpr bool splits_into_groups() {
    for (int d = 0; d < operand_type(0).rank(); ++d)
      if (operand_type(0).dim(d) == 1 && is_dynamic(0, d)) return false;
    group g;
    while (next_group(g)) {
      index_t a = 1, b = 1;
      for (int d = g.first; d < g.last; ++d) a = ops::saturating_multiply(a, operand_type(0).dim(d));
      for (int d = g.result_first; d < g.result_last; ++d) b = ops::saturating_multiply(b, result_type().dim(d));
      if (a != b || a == 0) return false;
    }
    return true;
  }

  // The sizes of the result of a reshape without a shape operand: false if they are not decided.
  constexpr bool sizes_of_reshaped(extent* to) {
    const int rank = result_type().rank();
    for (int d = 0; d < rank; ++d) to[d] = {-1, result_type().dim(d)};
    if (!splits_into_groups()) return reshaped_part({0, operand_type(0).rank(), 0, rank}, to);
    group g;
    while (next_group(g))
      if (!reshaped_part(g, to)) return false;
    return true;
  }
  constexpr bool reshaped_part(const group& g, extent* to) {
    extent have{-1, 1};
    index_t others = 1;
    bool dynamic = false;
    int open = -1, count = 0;
    for (int d = g.first; d < g.last; ++d) {
      have = times(have, size(0, d));
      dynamic = dynamic || is_dynamic(0, d);
    }
    for (int d = g.result_first; d < g.result_last; ++d) {
      if (result_type().is_bounded(d))
        open = d, ++count;
      else
        others = ops::saturating_multiply(others, result_type().dim(d));
    }
    if (count == 0) {
      if (!dynamic && have.is_known() && have.known == others) return true;
      if (have.is_known()) return refuse(g.first, "the result has another number of elements than the operand"), true;
      check(size_relation::EXACT, g.first, have, {-1, others});
      return true;
    }
    if (count > 1) {
      index_t room = 1;
      for (int d = g.result_first; d < g.result_last; ++d) room = ops::saturating_multiply(room, result_type().dim(d));
      return !dynamic && have.is_known() && have.known == room;
    }
    if (others == 0) return false;
    to[open] = over(have, {-1, others});
    if (!have.is_known() && others != 1)
      check(size_relation::AGREE, g.first, times(to[open], {-1, others}), have);
    else if (have.is_known() && have.known % others != 0)
      return refuse(g.first, "the result has another number of elements than the operand"), true;
    return true;
  }

  // Whether the elements lie in the same order behind the padding as without it: if of the dimensions that are put
  // together only the first is smaller than its bound.
  constexpr bool keeps_places(const extent* to) {
    if (!splits_into_groups()) return false;
    int unequal = 0;
    group g;
    while (next_group(g)) {
      if (g.first == g.last || g.result_first == g.result_last) continue;
      int first = g.first, result_first = g.result_first;
      while (first + 1 < g.last && operand_type(0).dim(first) == 1 && !is_dynamic(0, first)) ++first;
      while (result_first + 1 < g.result_last && result_type().dim(result_first) == 1 && to[result_first].is_known())
        ++result_first;
      bool inner = false;
      for (int d = first + 1; d < g.last; ++d) inner = inner || is_dynamic(0, d);
      for (int d = result_first + 1; d < g.result_last; ++d)
        inner = inner || !to[d].is_known() || to[d].known != result_type().dim(d);
      if (inner) return false;
      const extent from = size(0, first);
      const bool same_value = !from.is_known() && canonical(from.value) == canonical(to[result_first].value) &&
                              operand_type(0).dim(first) == result_type().dim(result_first);
      const bool same_size =
          from.is_known() && to[result_first].is_known() && to[result_first].known == result_type().dim(result_first);
      if (!same_value && !same_size) ++unequal;
    }
    // The numbers of elements are the same altogether, and with that in the only group where they may not be.
    return unequal <= 1;
  }

  constexpr bool move_reshaped(const extent* to) {
    const tensor_type type = static_result();
    const ints &have = operand_type(0).shape, &room = type.shape;
    dimension_sizes sizes;
    const bool in_place = keeps_places(to);
    for (int d = 0; d < room.size; ++d) sizes.at[d] = resolved(to[d], d, result_type(), true);
    if (in_place) {
      return give_each(add(ops::reshape{}, {operand(0)}, type), sizes);
    }
    if (have.product() == 0 || room.product() == INT64_MAX || have.product() == INT64_MAX)
      return refuse(first_dynamic(0));
    // For each place of the result: its position among the elements, and where the operand has that one.
    extent position, stride{-1, 1};
    for (int d = room.size - 1; d >= 0; --d) {
      const int line = both(ops::multiply{}, counting(room[d]), broadcast(value_of(stride), {room[d]}));
      const int part = spread_along(line, room, d);
      position = {d == room.size - 1 ? part : both(ops::add{}, position.value, part), 0};
      stride = times(stride, to[d]);
    }
    int rest = room.size == 0 ? constant(scalar_type, 0) : position.value, place = -1;
    index_t step = 1;
    for (int k = have.size - 1; k >= 0; --k) {
      const int along = broadcast(value_of(size(0, k)), room);
      int index = both(ops::remainder{}, rest, along);
      if (step != 1) index = both(ops::multiply{}, index, broadcast(constant(scalar_type, step), room));
      place = place < 0 ? index : both(ops::add{}, place, index);
      if (k > 0) rest = both(ops::divide{}, rest, along);
      step *= have[k];
    }
    if (place < 0) place = broadcast(constant(scalar_type, 0), room);
    const int moved = take(reshape(operand(0), {have.product()}), 0, reshape(place, {room.product()}));
    return give_each(add(ops::reshape{}, {moved}, type), sizes);
  }
};

}  // namespace tenon::passes
