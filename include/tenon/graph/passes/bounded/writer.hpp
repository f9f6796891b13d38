// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/node_writer.hpp>

#include <initializer_list>

namespace tenon::passes {

// Why a program with bounded dimensions has no static form: the op, the dimension, and a sentence.
struct bounded_refusal {
  const char* sentence = nullptr;
  int kind = -1;
  int dimension = -1;
  int source = -1;

  constexpr explicit operator bool() const { return sentence != nullptr; }
};

// A size that is known while compiling, or else the value of the target graph that holds it, a number of type i64.
struct extent {
  int value = -1;
  index_t known = 0;

  constexpr bool is_known() const { return value < 0; }
};

// Two sizes that have been found to be the same, or one that was found to be as large as its bound.
struct agreed_sizes {
  int first = -1, second = -1;  // first: -1 for the bound
  int region = -1;              // of the target, where the program checks it
  index_t bound = 0;            // of a size that is full
};

// Notes about each value of the source; memory of the caller.
struct bounded_memory {
  table<int> values;   // where it went
  table<int> sizes;    // max_rank per value
  table<int> regions;  // where a region went; -1: not yet
  table<int> owners;   // which node has the region
  table<agreed_sizes> agreed;
};

// How far a program has been rewritten. All writers of one program share it.
struct bounded_progress {
  constexpr bounded_progress(const graph& from, graph& to, const bounded_memory& notes)
      : source(from), target(to), memory(notes) {}

  const graph& source;
  graph& target;
  bounded_memory memory;
  graph_node node;  // of the source: the op at hand, which new nodes stand for
  int region = -1;  // of the target: where new nodes go
  bounded_refusal refusal;
};

// Writes ops of static shape and arithmetic on sizes to the target.
class size_writer {
 public:
  constexpr explicit size_writer(bounded_progress& progress)
      : from_(progress.source), to_(progress.target), node_(progress.node), region_(progress.region) {}

 protected:
  const graph& from_;
  graph& to_;
  graph_node& node_;
  int& region_;

  static constexpr tensor_type scalar_type = type_of(dtype::i64);

  constexpr const tensor_type& type_of_target(int value) const { return to_.type_of_value(value); }
  constexpr const ints& shape_of(int value) const { return type_of_target(value).shape; }

  // Whether the target has room for one op of this many values: nobody reads what did not fit.
  constexpr bool has_room(int values) {
    const int nodes = 512 + 16 * values;
    const auto lacks = [](const auto& to, int count) { return to.capacity - to.size < count; };
    if (lacks(to_.nodes, nodes) || lacks(to_.values, 2 * nodes) || lacks(to_.operands, 3 * nodes) ||
        lacks(to_.words, 6 * nodes) || lacks(to_.types, nodes) || lacks(to_.literals, nodes) || lacks(to_.names, 16) ||
        lacks(to_.characters, 256) || lacks(to_.regions, 4) || lacks(to_.region_references, 4))
      to_.nodes.overflow = true;
    return !to_.overflow();
  }

  template <class Op>
  constexpr int add(const Op& op, std::initializer_list<int> operands, const tensor_type& type) {
    return add_op(op, {operands.begin(), int(operands.size())}, type);
  }
  template <class Op>
  constexpr int add_op(const Op& op, list<int> operands, const tensor_type& type) {
    return add_with_bodies(op, operands, {}, {&type, 1});
  }
  // Gives the first result.
  template <class Op>
  constexpr int add_with_bodies(const Op& op, list<int> operands, list<int> bodies, list<tensor_type> types) {
    const int node = append_unchecked(to_, op, {operands, bodies, {}, region_, node_.source}, types);
    return to_.nodes.data[node].results;
  }
  // A body that is this op on two numbers.
  template <class Op>
  constexpr int body_of(const tensor_type& number) {
    const tensor_type numbers[] = {number, number};
    const int outside = region_, id = open_region(to_, outside, {numbers, 2}, node_.source);
    region_ = id;
    const int first = to_.regions.data[id].arguments, result = both(Op{}, first, first + 1);
    close_region(to_, id, {&result, 1});
    region_ = outside;
    return id;
  }

  // ---------- constants, and values of other shapes

  constexpr int constant(const tensor_type& type, index_t bits) {
    const index_t parts[] = {bits, 0};
    return node_writer{to_, region_, node_.source}.append_constant({parts, is_complex(type.element) ? 2 : 1}, type);
  }
  constexpr int zero_like(int value) {
    const tensor_type type = type_of_target(value).with_shape({});
    return constant(type, type.is_quantized() ? to_.quantization_of(type).zero_points[0] : 0);
  }
  constexpr int broadcast(int value, const ints& shape, const ints& dimensions = {}) {
    if (shape_of(value) == shape && dimensions == ints::range(shape.size)) return value;
    return add(ops::broadcast_in_dim{dimensions}, {value}, type_of_target(value).with_shape(shape));
  }
  constexpr int reshape(int value, const ints& shape) {
    if (shape_of(value) == shape) return value;
    return add(ops::reshape{}, {value}, type_of_target(value).with_shape(shape));
  }
  constexpr int convert(int value, dtype element) {
    const tensor_type type = type_of_target(value);
    return type.element == element ? value : add(ops::convert{}, {value}, type.with_element(element));
  }
  template <class Op>
  constexpr int both(const Op& op, int a, int b) {
    return add(op, {a, b}, type_of_target(a));
  }

  // ---------- arithmetic on sizes

  constexpr int value_of(const extent& e) { return e.is_known() ? constant(scalar_type, e.known) : e.value; }

  constexpr extent plus(const extent& a, const extent& b) {
    if (a.is_known() && b.is_known()) return {-1, tenon::ops::saturating_add(a.known, b.known)};
    if (b.is_known() && b.known == 0) return a;
    if (a.is_known() && a.known == 0) return b;
    return {both(ops::add{}, value_of(a), value_of(b)), 0};
  }
  constexpr extent minus(const extent& a, const extent& b) {
    if (b.is_known() && b.known > -INT64_MAX) return plus(a, {-1, -b.known});
    return {both(ops::subtract{}, value_of(a), value_of(b)), 0};
  }
  constexpr extent times(const extent& a, const extent& b) {
    if (a.is_known() && b.is_known()) return {-1, tenon::ops::saturating_multiply(a.known, b.known)};
    if (b.is_known() && b.known == 1) return a;
    if (a.is_known() && a.known == 1) return b;
    return {both(ops::multiply{}, value_of(a), value_of(b)), 0};
  }
  // Towards zero; divisors are positive.
  constexpr extent over(const extent& a, const extent& b) {
    if (a.is_known() && b.is_known() && b.known > 0) return {-1, a.known / b.known};
    if (b.is_known() && b.known == 1) return a;
    return {both(ops::divide{}, value_of(a), value_of(b)), 0};
  }
  constexpr extent least(const extent& a, const extent& b) {
    if (a.is_known() && b.is_known()) return a.known < b.known ? a : b;
    return {both(ops::minimum{}, value_of(a), value_of(b)), 0};
  }
  constexpr extent most(const extent& a, const extent& b) {
    if (a.is_known() && b.is_known()) return a.known < b.known ? b : a;
    return {both(ops::maximum{}, value_of(a), value_of(b)), 0};
  }
  // 0 for nothing, else the distance from the first to the last of that number of elements, and one.
  constexpr extent dilated(const extent& size, const extent& dilation) {
    if (dilation.is_known() && dilation.known == 1) return size;
    return most(plus(times(minus(size, {-1, 1}), dilation), {-1, 1}), {-1, 0});
  }
  // How many windows there are along a dimension.
  constexpr extent windows(const extent& padded, index_t dilated_window, index_t stride) {
    return most(over(plus(padded, {-1, stride - dilated_window}), {-1, stride}), {-1, 0});
  }
  // How many elements there are from start to limit.
  constexpr extent sliced(const extent& start, const extent& limit, const extent& stride) {
    return most(over(plus(minus(limit, start), minus(stride, {-1, 1})), stride), {-1, 0});
  }

  // ---------- checks when the program runs

  constexpr int check(size_relation relation, int dimension, const extent& size, const extent& other,
                      std::string_view of = {}) {
    const ops::bounded_size op{{to_.intern_name(of.empty() ? name_of_kind(node_.kind) : of)},
                               dimension,
                               relation,
                               other.is_known() ? other.known : 0};
    const int checked = value_of(size);
    if (other.is_known()) return add(op, {checked}, scalar_type);
    return add(op, {checked, other.value}, scalar_type);
  }

  // ---------- masks, and elements in another order

  // 0, 1, 2 ...
  constexpr int counting(index_t count, dtype element = dtype::i64) {
    return add(ops::iota{0}, {}, type_of(element, {count}));
  }
  constexpr int compare(comparison_direction direction, int a, int b) {
    return add(ops::compare{direction}, {a, b}, type_of(dtype::i1, shape_of(a)));
  }
  // For each index along a dimension whether it is below the size.
  constexpr int below(const extent& size, index_t bound) {
    const int counted = counting(bound, dtype::i32);  // first, by every compiler
    return compare(comparison_direction::LT, counted, broadcast(convert(value_of(size), dtype::i32), {bound}));
  }
  constexpr int spread_along(int line, const ints& shape, int dimension) { return broadcast(line, shape, {dimension}); }
  constexpr int conjunction(int a, int b) { return a < 0 ? b : b < 0 ? a : both(ops::and_{}, a, b); }
  constexpr int choose(int mask, int where_true, int where_false) {
    return add(ops::select{}, {mask, where_true, where_false}, type_of_target(where_true));
  }
  // The elements for which the mask holds; elsewhere this number.
  constexpr int keep(int mask, int value, int otherwise) {
    return mask < 0 ? value : choose(mask, value, broadcast(otherwise, shape_of(value)));
  }
  // Along the dimension the elements at these indices, a list of i64; those outside give any element.
  constexpr int take(int value, int dimension, int indices) {
    const tensor_type type = type_of_target(value);
    ints shape = type.shape, sizes = type.shape;
    shape.set(dimension, shape_of(indices)[0]);
    sizes.set(dimension, 1);
    ops::gather op;
    op.dimension_numbers.offset_dims = ints::range(shape.size).without({dimension});
    op.dimension_numbers.collapsed_slice_dims = {dimension};
    op.dimension_numbers.start_index_map = {dimension};
    op.dimension_numbers.index_vector_dim = 1;
    op.slice_sizes = sizes;
    return add(op, {value, indices}, type.with_shape(shape));
  }
  // Sums along these dimensions.
  constexpr int sum(int value, const ints& dimensions) {
    const tensor_type type = type_of_target(value), result = type.with_shape(type.shape.without(dimensions));
    const int operands[] = {value, zero_like(value)}, body = body_of<ops::add>(type.with_shape({}));
    return add_with_bodies(ops::reduce{dimensions}, {operands, 2}, {&body, 1}, {&result, 1});
  }
  // The part of a list that is one of its numbers.
  constexpr int piece_at(int list, index_t at) {
    return add(ops::slice{{at}, {at + 1}, {1}}, {list}, type_of_target(list).with_shape({1}));
  }
  // One of a list of integers, as i64.
  constexpr int number_at(int list, index_t at) { return convert(reshape(piece_at(list, at), {}), dtype::i64); }
  // The numbers as a list.
  constexpr int listed(list<int> scalars, dtype element) {
    int memory[2 * max_rank]{};
    table<int> parts{memory, 0, 2 * max_rank};
    for (int each : scalars) parts.push(reshape(convert(each, element), {1}));
    if (parts.size == 1) return parts[0];
    return add_op(ops::concatenate{0}, parts.part(0, parts.size), type_of(element, {parts.size}));
  }
};

}  // namespace tenon::passes
