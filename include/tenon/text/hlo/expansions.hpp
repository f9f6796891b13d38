// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/build.hpp>
#include <tenon/text/hlo/op_attributes.hpp>

#include <initializer_list>

namespace tenon::text::hlo {

// Instructions that are several ops of the graph. Templates, so that programs without HLO text do not pay for them.
class expansion_reader : public reader_part {
 public:
  constexpr explicit expansion_reader(op_attribute_reader& of_fields) : reader_part(of_fields), fields(of_fields) {}

  // The layout of an array where it is defined; row-major if none is written.
  constexpr bool layout_of(const value_name& name, int rank, ints& major_to_minor) {
    in.at = name.text.end();
    int count = 0;
    if (!in.take('=') || !shapes.count_leaves(count)) return false;
    major_to_minor = reversed(shapes.layout, rank);
    return true;
  }
  static constexpr ints reversed(const ints& minor_to_major, int rank) {
    if (minor_to_major.size != rank) return ints::range(rank);
    ints result;
    for (int i = rank; i-- > 0;) result.push(minor_to_major[i]);
    return result;
  }

  // The bytes stay where they are: transpose into the order of memory, reshape, transpose into the order of the result.
  template <class = void>
  constexpr bool build_bitcast() {
    if (now.operand_count != 1 || now.parts.operand_count != 1 || now.type_count != 1)
      return emit.unsupported("a bitcast has one array as operand");
    const tensor_type from = emit.type_of_operand(0), to = g.types.data[emit.type(0)];
    if (num_bits(from.element) != num_bits(to.element) || from.size() != to.size())
      return emit.unsupported("bitcasts between elements of different sizes are not supported");
    const ints to_memory = reversed(now.layout, to.rank());
    ints from_memory;
    if (!layout_of(now.first_operand, from.rank(), from_memory)) return false;
    int value = g.operands.data[now.parts.operands];
    if (!(from_memory == ints::range(from.rank())) &&
        !emit.add_link(ops::transpose{from_memory}, value, from.with_shape(from.shape.select(from_memory)), value))
      return false;
    const ints in_memory = to.shape.select(to_memory);
    if (!build.full() && !(in_memory == from.shape.select(from_memory)) &&
        !emit.add_link(ops::reshape{}, value, from.with_shape(in_memory), value))
      return false;
    ints order;
    for (int i = 0; i < to.rank(); ++i) order.push(to_memory.find(i));
    if (!build.full() && !(order == ints::range(to.rank())) &&
        !emit.add_link(ops::transpose{order}, value, from.with_shape(to.shape), value))
      return false;
    if (!build.full() && from.element != to.element && !emit.add_link(ops::bitcast_convert{}, value, to, value))
      return false;
    return build.full() || emit.define_values(value, 1);
  }

  // Operands of different element types are multiplied in f32, or in f64 if one has that, integers in the type of the
  // result.
  template <class = void>
  constexpr bool build_dot() {
    ops::dot_general self;
    if (!fields.read_into(self)) return false;
    const dtype lhs = emit.type_of_operand(0).element, rhs = emit.type_of_operand(1).element;
    const dtype wide = common_element(lhs, rhs);
    if (now.parts.operand_count != 2 || now.type_count != 1 || lhs == rhs || wide == dtype::none) return emit.add(self);
    int left = operand(0), right = operand(1);
    return add_convert(wide, left) && add_convert(wide, right) && add_product(self, wide, left, right);
  }
  // (lhs, rhs, scales of lhs, scales of rhs): a scale is for one element, or for a block of neighbours.
  template <class = void>
  constexpr bool build_scaled_dot() {
    ops::dot_general self;
    if (!fields.read_into(self)) return false;
    if (now.parts.operand_count != 4 || now.type_count != 1) return attributes.missing("scaled-dot has four operands");
    const dtype wide = common_element(emit.type_of_operand(0).element, emit.type_of_operand(1).element);
    if (wide == dtype::none) return emit.unsupported("scaled-dot multiplies floats");
    int left = operand(0), right = operand(1), left_scale = operand(2), right_scale = operand(3);
    return add_scaled(wide, left, left_scale) && add_scaled(wide, right, right_scale) &&
           add_product(self, wide, left, right);
  }

  // The smallest elements are the largest in reverse order: of negated floats, and of integers whose bits are turned.
  template <class = void>
  constexpr bool build_topk() {
    ops::top_k self;
    bool largest = true;
    if (!attributes.read("k", self.k) || !attributes.read("largest", largest)) return false;
    if (largest || now.parts.operand_count != 1 || now.type_count != 2) return emit.add(self);
    const tensor_type values = emit.type_of_operand(0), chosen = g.types.data[emit.type(0)];
    const auto reverse = [&](int& value, const tensor_type& of) {
      return is_float(of.element) ? emit.add_link(ops::negate{}, value, of, value)
                                  : emit.add_link(ops::not_{}, value, of, value);
    };
    int value = operand(0);
    if (!reverse(value, values)) return false;
    if (build.full()) return true;
    now.parts.operands = g.operands.size;
    g.operands.push(value);
    now.parts.result_count = 0;
    emit.add_written_results();
    const int places = now.parts.results + 1;
    value = now.parts.results;
    if (!emit.add_node(self) || (!build.full() && !reverse(value, chosen))) return false;
    const int first = leaves(state).size;
    leaves(state).push(value), leaves(state).push(places);
    return build.full() || emit.define_values(-1 - first, 2);
  }

  // (operand, size, size, ...)
  template <class = void>
  constexpr bool build_dynamic_reshape() {
    const int count = now.parts.operand_count - 1, value = operand(0);
    if (count < 1 || count > max_rank || now.type_count != 1)
      return emit.unsupported("dynamic-reshape has an operand, and 1 to 8 sizes");
    const dtype element = emit.type_of_operand(1).element;
    int sizes[max_rank]{};
    for (int i = 0; i < count; ++i) {
      if (emit.type_of_operand(1 + i) != type_of(element))
        return attributes.missing("the sizes of dynamic-reshape have one type");
      sizes[i] = operand(1 + i);
    }
    for (int i = 0; i < count; ++i)
      if (!build.full() && !emit.add_link(ops::reshape{}, sizes[i], type_of(element, {1}), sizes[i])) return false;
    int both[] = {value, 0};
    return build.full() ||
           (emit.add_link(ops::concatenate{0}, list<int>{sizes, count}, type_of(element, {count}), both[1]) &&
            (build.full() || add_last(ops::dynamic_reshape{}, {both, 2})));
  }

  // The shape is an operand in StableHLO.
  template <class = void>
  constexpr bool build_rng() {
    ops::rng self;
    if (!attributes.read_fields(self)) return false;
    if (now.type_count != 1) return emit.wrong_type();
    const ints shape = g.types.data[emit.type(0)].shape;
    const int bounds[] = {operand(0), operand(1)}, count = now.parts.operand_count;
    const ops::constant sizes{{push_literal(g, {shape.at, shape.size})}};
    int value = 0;
    if (!link(sizes, {}, type_of(dtype::i64, {shape.size}), value)) return false;
    const int all[] = {bounds[0], bounds[1], value};
    return count == 2 ? add_last(self, {all, 3}) : attributes.missing("rng has two operands");
  }

  // A float as a signed integer. The fraction of its magnitude, counted in steps as fine as the random bits, is rounded
  // up where it is above them.
  template <class = void>
  constexpr bool build_stochastic_convert() {
    if (now.parts.operand_count != 2 || now.type_count != 1)
      return attributes.missing("stochastic-convert has two operands: numbers, and random bits");
    const tensor_type from = emit.type_of_operand(0), bits = emit.type_of_operand(1), to = g.types.data[emit.type(0)];
    if (!is_float(from.element) || !is_unsigned_integer(bits.element) ||
        num_bits(from.element) != num_bits(bits.element) || bits.shape != from.shape)
      return emit.unsupported("stochastic-convert has an unsigned integer as wide as the float for each of them");
    if (!is_signed_integer(to.element))
      return emit.unsupported("stochastic-convert gives signed integers: XLA does not say what others would be");
    const tensor_type wide = from.with_element(from.element == dtype::f64 ? dtype::f64 : dtype::f32);
    int value = operand(0), sign = 0, whole = 0, fraction = 0, steps = 0, up = 0;
    const int random = operand(1);
    const index_t steps_in_one = wide.element == dtype::f64 ? index_t{1023 + num_bits(bits.element)} << 52
                                                            : index_t{127 + num_bits(bits.element)} << 23;
    return add_convert(wide.element, value) && link(ops::sign{}, {value}, wide, sign) &&
           link(ops::abs{}, {value}, wide, value) && link(ops::floor{}, {value}, wide, whole) &&
           link(ops::subtract{}, {value, whole}, wide, fraction) &&
           link(ops::constant{{push_literal(g, {&steps_in_one, 1})}}, {}, wide, steps) &&
           link(ops::multiply{}, {fraction, steps}, wide, fraction) &&
           link(ops::convert{}, {fraction}, bits, fraction) &&
           link(ops::compare{.comparison_direction = comparison_direction::LT}, {random, fraction},
                bits.with_element(dtype::i1), up) &&
           link(ops::convert{}, {up}, wide, up) && link(ops::add{}, {whole, up}, wide, value) &&
           link(ops::multiply{}, {value, sign}, wide, value) && (build.full() || add_last(ops::convert{}, {&value, 1}));
  }

  template <class = void>
  constexpr bool build_all_to_all() {
    ops::all_to_all self;
    const bool has_dimension = attributes.find_attribute("dimensions") >= 0;
    if (!attributes.read("channel_id", self.channel_id) || !attributes.read("replica_groups", self.replica_groups) ||
        !attributes.read("dimensions", self.split_dimension))
      return false;
    if (!has_dimension) return build_all_to_all_of_parts(self);
    self.concat_dimension = self.split_dimension;
    self.split_count = self.replica_groups.columns;
    return emit.add(self);
  }
  // Operand i goes to process i of the group, result i comes from there: one operand that is cut into these parts.
  template <class = void>
  constexpr bool build_all_to_all_of_parts(ops::all_to_all self) {
    const int count = now.parts.operand_count;
    const tensor_type part = emit.type_of_operand(0);
    if (count == 0 || count != now.type_count || part.rank() == 0)
      return emit.unsupported("an all-to-all without dimensions has as many arrays as results");
    tensor_type whole = part;
    whole.shape.set(0, ints{part.dim(0), count}.product());
    self.split_count = count;
    build.renew_result(now.parts, build.intern(whole));
    int value = now.parts.results;
    if (!emit.add_node(ops::concatenate{0}) || (!build.full() && !emit.add_link(self, value, whole, value)))
      return false;
    const int first = leaves(state).size;
    for (int i = 0; i < count && !build.full(); ++i) {
      ops::slice cut;
      for (int axis = 0; axis < part.rank(); ++axis) {
        const index_t start = axis == 0 ? i * part.dim(0) : 0;
        cut.start_indices.push(start), cut.limit_indices.push(start + part.dim(axis)), cut.strides.push(1);
      }
      int piece = 0;
      if (!emit.add_link(cut, value, part, piece)) return false;
      leaves(state).push(piece);
    }
    if (build.full()) return true;
    for (int i = 0; i < count; ++i)
      if (g.values.data[leaves(state).data[first + i]].type != emit.type(i)) return emit.wrong_type();
    return emit.define_values(-1 - first, count);
  }

 private:
  op_attribute_reader& fields;
  shape_reader& shapes = fields.lines.shapes;
  emitter& emit = fields.lines.emit;
  attribute_reader& attributes = emit.attributes;
  instruction& now = attributes.now;

  constexpr int operand(int i) const {
    return i < now.parts.operand_count ? g.operands.data[now.parts.operands + i] : 0;
  }
  constexpr const tensor_type& type_of_value(int value) const { return g.type_of_value(value); }
  // An op whose results are what the instruction gives.
  template <class Op>
  constexpr bool add_last(const Op& self, list<int> operands) {
    now.parts.operands = g.operands.size;
    now.parts.operand_count = operands.size;
    now.parts.result_count = 0;
    for (const int each : operands) g.operands.push(each);
    return build.full() || emit.add(self);
  }

  // An op that the instruction is made of, unless there is no room.
  template <class Op>
  constexpr bool link(const Op& self, std::initializer_list<int> operands, const tensor_type& result, int& value) {
    return build.full() || emit.add_link(self, {operands.begin(), int(operands.size())}, result, value);
  }

  constexpr dtype common_element(dtype a, dtype b) const {
    if (is_complex(a) || is_complex(b) || now.type_count != 1) return dtype::none;
    return text::common_element(a, b, g.types.data[emit.type(0)].element);
  }
  template <class = void>
  constexpr bool add_convert(dtype wanted, int& value) {
    if (build.full() || type_of_value(value).element == wanted) return true;
    return emit.add_link(ops::convert{}, value, type_of_value(value).with_element(wanted), value);
  }
  template <class = void>
  constexpr bool add_product(const ops::dot_general& self, dtype element, int left, int right) {
    const tensor_type written = g.types.data[emit.type(0)];
    if (build.full()) return true;
    const int both[] = {left, right};
    if (written.element == element) return add_last(self, {both, 2});
    int value = 0;
    return emit.add_link(self, list<int>{both, 2}, written.with_element(element), value) &&
           (build.full() || add_last(ops::convert{}, {&value, 1}));
  }
  // value * scale, where the scale is repeated over blocks.
  template <class = void>
  constexpr bool add_scaled(dtype element, int& value, int scale) {
    if (!add_convert(element, value) || !add_convert(element, scale)) return false;
    if (build.full()) return true;
    const tensor_type whole = type_of_value(value);
    if (type_of_value(scale).rank() != whole.rank()) return emit.unsupported("a scale has the rank of what it scales");
    for (int axis = 0; axis < whole.rank() && !build.full(); ++axis)
      if (!add_repetition(axis, whole.dim(axis), scale)) return false;
    const int both[] = {value, scale};
    return build.full() || emit.add_link(ops::multiply{}, list<int>{both, 2}, whole, value);
  }
  template <class = void>
  constexpr bool add_repetition(int axis, index_t count, int& value) {
    const tensor_type from = type_of_value(value);
    const index_t had = from.dim(axis);
    if (had == count) return true;
    if (had == 0 || count % had != 0 || from.rank() == max_rank)
      return emit.unsupported("a scale is for blocks of one size, of at most 7 dimensions");
    ints apart, places;
    for (int i = 0; i < from.rank(); ++i) {
      places.push(apart.size);
      apart.push(from.dim(i));
      if (i == axis) apart.push(count / had);
    }
    ints together = from.shape;
    together.set(axis, count);
    return emit.add_link(ops::broadcast_in_dim{places}, value, type_of(from.element, apart), value) &&
           (build.full() || emit.add_link(ops::reshape{}, value, type_of(from.element, together), value));
  }
};

}  // namespace tenon::text::hlo
