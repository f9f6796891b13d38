// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/views.hpp>
#include <tenon/graph/passes/bounded/writer.hpp>

namespace tenon::passes {

// The size of a dimension, as far as it is known: a value of the target graph that holds it, or one of these.
namespace dimension_size {
inline constexpr int full = -1;      // the size that the type says, or its bound
inline constexpr int unpinned = -2;  // that of whatever it is combined with, else the bound
inline constexpr int unset = -3;
}  // namespace dimension_size

struct dimension_sizes {
  int at[max_rank]{dimension_size::unset, dimension_size::unset, dimension_size::unset, dimension_size::unset,
                   dimension_size::unset, dimension_size::unset, dimension_size::unset, dimension_size::unset};
};

// Keeps the sizes of the values of the source and looks up those of the op at hand.
class size_keeper : public size_writer {
 public:
  constexpr explicit size_keeper(bounded_progress& progress)
      : size_writer(progress), memory_(progress.memory), refusal_(progress.refusal) {}

 protected:
  bounded_memory& memory_;
  bounded_refusal& refusal_;

  static constexpr const char* too_many = "the op has too many operands or results";
  static constexpr const char* no_static_form =
      "the op cannot work along a dimension whose size is below its bound: give the dimension a static size first";

  constexpr bool refuse(int dimension, const char* sentence = no_static_form) {
    if (!refusal_) refusal_ = {sentence, node_.kind, dimension, node_.source};
    return false;
  }

  // ---------- operands and results of the op at hand

  constexpr int operand_value(int i) const { return from_.operands.data[node_.operands + i]; }
  constexpr int operand(int i) const { return memory_.values.data[operand_value(i)]; }
  constexpr const tensor_type& operand_type(int i) const { return from_.type_of_value(operand_value(i)); }
  constexpr const tensor_type& result_type(int i = 0) const { return from_.type_of_value(node_.results + i); }
  constexpr tensor_type static_result(int i = 0) const {
    const tensor_type& type = result_type(i);
    return type.bounded == 0 ? type : type.with_shape(type.shape);
  }

  constexpr int& code_of_value(int value, int dimension) { return memory_.sizes.data[value * max_rank + dimension]; }
  // The size of a dimension of operand i, as a number of dimension_size or a value.
  constexpr int code(int i, int dimension) {
    return canonical(memory_.sizes.data[operand_value(i) * max_rank + dimension]);
  }
  constexpr bool is_dynamic(int i, int dimension) { return code(i, dimension) >= 0; }
  constexpr bool is_dynamic(int i) {
    for (int d = 0; d < operand_type(i).rank(); ++d)
      if (is_dynamic(i, d)) return true;
    return false;
  }
  constexpr extent extent_of(int code, index_t bound) const { return code >= 0 ? extent{code, 0} : extent{-1, bound}; }
  constexpr extent size(int i, int dimension) { return extent_of(code(i, dimension), operand_type(i).dim(dimension)); }

  // ---------- sizes that must be the same

  constexpr bool encloses(int region) const {
    for (int inner = region_; inner >= 0; inner = to_.regions.data[inner].parent)
      if (inner == region) return true;
    return false;
  }
  constexpr int canonical(int code) const {
    if (code < 0) return code;
    for (int i = memory_.agreed.size; i-- > 0;)
      if (const agreed_sizes& each = memory_.agreed.data[i];
          each.first >= 0 && each.second == code && encloses(each.region))
        return canonical(each.first);
    return code;
  }
  constexpr bool is_exactly(int code, index_t bound) const {
    for (int i = 0; i < memory_.agreed.size; ++i)
      if (const agreed_sizes& each = memory_.agreed.data[i];
          each.first < 0 && each.second == code && each.bound == bound && encloses(each.region))
        return true;
    return false;
  }
  constexpr void remember(const agreed_sizes& sizes) {
    if (memory_.agreed.size < memory_.agreed.capacity) memory_.agreed.push(sizes);
  }
  constexpr int agree(int a, int b, int dimension, index_t bound) {
    using namespace dimension_size;
    a = canonical(a), b = canonical(b);
    if (a == b || b == unset) return a;
    if (a == unset) return b;
    if (a == unpinned) return b;
    if (b == unpinned) return a;
    if (a == full || b == full) return exactly(a == full ? b : a, dimension, bound);
    check(size_relation::AGREE, dimension, {a, 0}, {b, 0});
    remember({a, b, region_});
    return a;
  }
  constexpr int exactly(int code, int dimension, index_t bound) {
    code = canonical(code);
    if (code >= 0 && !is_exactly(code, bound)) {
      check(size_relation::EXACT, dimension, {code, 0}, {-1, bound});
      remember({dimension_size::full, code, region_, bound});
    }
    return dimension_size::full;
  }

  // ---------- results

  // A bound of a computed size, where the result has room for `bound` elements.
  constexpr int resolved(const extent& size, int dimension, const tensor_type& type, bool may_be_outside) {
    const index_t bound = type.dim(dimension);
    if (size.is_known()) {
      if (size.known == bound) return dimension_size::full;
      if (size.known < 0 || size.known > bound || !type.is_bounded(dimension))
        return refuse(dimension, "the dimension has another size than the type of the result says"),
               dimension_size::full;
      return value_of(size);
    }
    if (!type.is_bounded(dimension)) return exactly(size.value, dimension, bound);
    return may_be_outside && !has_bound(size.value, bound) ? check(size_relation::AT_MOST, dimension, size, {-1, bound})
                                                           : size.value;
  }
  // Whether the value has been checked against no larger a bound.
  constexpr bool has_bound(int value, index_t bound) const {
    const int producer = to_.values.data[value].node;
    if (producer < 0 || !tenon::ir::facts_of(to_.nodes.data[producer].kind).checks_size) return false;
    const graph_node& node = to_.nodes.data[producer];
    const ops::bounded_size op = read_attributes<ops::bounded_size>(to_.words.data + node.words);
    return node.operand_count == 1 && op.relation == size_relation::AT_MOST && op.bound <= bound;
  }

  // Result i is this value of the target, with these sizes.
  constexpr void give(int i, int value, const dimension_sizes& sizes) {
    using namespace dimension_size;
    const tensor_type& type = result_type(i);
    memory_.values.data[node_.results + i] = value;
    // GCC believes in ranks above the limit, and warns of them, unless the limit is named here.
    for (int d = 0; d < max_rank && d < type.rank(); ++d) {
      int code = sizes.at[d];
      if (code == unset) code = type.is_bounded(d) ? unpinned : full;
      if (!type.is_bounded(d)) code = exactly(code, d, type.dim(d));
      code_of_value(node_.results + i, d) = code;
    }
  }
  // All results are these values and their neighbours.
  constexpr bool give_each(int first_value, const dimension_sizes& sizes) {
    for (int r = 0; r < node_.result_count; ++r) give(r, first_value + r, sizes);
    return true;
  }

  constexpr int write_on(list<int> operands, const auto& value_of, list<tensor_type> more_results = {}) {
    const int added = copy_node(to_, from_, node_, region_, node_.words, operands, value_of,
                                [this](int region) { return memory_.regions.data[region]; });
    for (const tensor_type& type : more_results)
      to_.values.push({to_.intern_type(type), added, to_.nodes.data[added].result_count++, region_});
    return to_.nodes.data[added].results;
  }
  // Writes the op at hand again, on these operands; gives its first result.
  constexpr int write_again(list<int> operands, list<tensor_type> more_results = {}) {
    return write_on(operands, std::identity(), more_results);
  }
  constexpr int write_again() {
    return write_on(from_.operands_of(node_), [this](int value) { return memory_.values.data[value]; });
  }
  // The first operands of the op at hand, or all, to be changed.
  struct operand_list {
    static constexpr int most = 512;
    int at[most];
    int count = 0;

    constexpr void push(int value) {
      if (count < most) at[count++] = value;
    }
    constexpr operator list<int>() const { return {at, count}; }
  };
  constexpr operand_list collected(int count) const {
    operand_list all;
    for (int i = 0; i < count; ++i) all.push(operand(i));
    return all;
  }
  constexpr operand_list collected() const { return collected(node_.operand_count); }

  // A mask over the places of this shape that lie within the sizes; -1 where all do.
  constexpr int mask_within(const ints& shape, const dimension_sizes& sizes) {
    int mask = -1;
    for (int d = 0; d < shape.size; ++d)
      if (sizes.at[d] >= 0) mask = conjunction(mask, spread_along(below({sizes.at[d], 0}, shape[d]), shape, d));
    return mask;
  }
  // Operand i with this number instead of its padding along some dimensions.
  constexpr int without_padding(int i, const ints& dimensions, int fill) {
    dimension_sizes sizes;
    bool any = false;
    for (index_t d : dimensions) {
      sizes.at[d] = code(i, int(d));
      any = any || sizes.at[d] >= 0;
    }
    return any ? keep(mask_within(operand_type(i).shape, sizes), operand(i), fill) : operand(i);
  }
  constexpr int without_padding(int i, const ints& dimensions) {
    for (index_t d : dimensions)
      if (is_dynamic(i, int(d))) return without_padding(i, dimensions, zero_like(operand(i)));
    return operand(i);
  }
  constexpr int truth(const ints& shape) { return broadcast(constant(type_of(dtype::i1), 1), shape); }
  constexpr int mask_or_truth(const ints& shape, const dimension_sizes& sizes) {
    const int mask = mask_within(shape, sizes);
    return mask < 0 ? truth(shape) : mask;
  }

  static constexpr int pinned(int code) { return code == dimension_size::unpinned ? dimension_size::full : code; }
  // Each result has the sizes of its operand.
  constexpr bool write_pairwise() {
    const int results = write_again();
    for (int r = 0; r < node_.result_count; ++r) give(r, results + r, sizes_of(r));
    return true;
  }
  constexpr dimension_sizes sizes_of(int i) {
    dimension_sizes sizes;
    for (int d = 0; d < operand_type(i).rank(); ++d) sizes.at[d] = code(i, d);
    return sizes;
  }

  // ---------- operands that hold one number per dimension

  // Number d of operand i, a list of integers.
  constexpr extent listed_number(int i, int d) {
    const int list = operand(i);
    const int producer = to_.values.data[list].node;
    if (producer >= 0) {
      const graph_node& node = to_.nodes.data[producer];
      const bool in_pieces = tenon::ir::facts_of(node.kind).joins_operands && node.operand_count == shape_of(list)[0];
      if (in_pieces || shape_of(list)[0] == 1)
        if (const int scalar = behind_reshapes(in_pieces ? to_.operands_of(node).data[d] : list);
            shape_of(scalar).size == 0)
          return {counted(scalar), 0};
    }
    return {number_at(list, d), 0};
  }
  constexpr int behind_reshapes(int value) const {
    for (int producer = to_.values.data[value].node; producer >= 0; producer = to_.values.data[value].node) {
      const graph_node& node = to_.nodes.data[producer];
      if (!tenon::ir::facts_of(node.kind).moves || node.operand_count != 1 ||
          shape_of(to_.operands_of(node).data[0]).product() != 1)
        break;
      value = to_.operands_of(node).data[0];
    }
    return value;
  }
  // The number as i64: where it was converted from a size, that size itself.
  constexpr int counted(int scalar) {
    const int producer = to_.values.data[scalar].node;
    if (producer >= 0 && tenon::ir::facts_of(to_.nodes.data[producer].kind).converts) {
      const int source = to_.operands_of(to_.nodes.data[producer]).data[0];
      const int before = to_.values.data[source].node;
      if (before >= 0 && tenon::ir::facts_of(to_.nodes.data[before].kind).checks_size) return source;
    }
    return convert(scalar, dtype::i64);
  }
  // The sizes of the result as operand i lists them.
  constexpr dimension_sizes listed_sizes(int i) {
    dimension_sizes sizes;
    // The rules have looked at the numbers of a constant.
    const bool is_given = constant_of(to_, operand(i)).has_value();
    for (int d = 0; d < result_type().rank(); ++d)
      sizes.at[d] = !result_type().is_bounded(d) && is_given ? dimension_size::full
                                                             : resolved(listed_number(i, d), d, result_type(), true);
    return sizes;
  }

  // ---------- windows

  static constexpr bool is_single(const ops::window_axis& axis) {
    return axis.window == 1 && axis.stride == 1 && axis.base_dilation == 1 && axis.low == 0 && axis.high == 0;
  }
  static constexpr index_t dilated_window(index_t window, index_t dilation) {
    return window <= 0 ? 0 : ops::saturating_add(ops::saturating_multiply(window - 1, dilation), 1);
  }
  constexpr extent window_count(const extent& size, const ops::window_axis& axis) {
    return windows(plus(dilated(size, {-1, axis.base_dilation}), {-1, ops::saturating_add(axis.low, axis.high)}),
                   dilated_window(axis.window, axis.window_dilation), axis.stride);
  }
};

}  // namespace tenon::passes
