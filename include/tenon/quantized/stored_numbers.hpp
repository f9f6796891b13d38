// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/bit_cast.hpp>
#include <tenon/core/element.hpp>
#include <tenon/graph/passes/node_writer.hpp>
#include <tenon/quantized/integer_product.hpp>

#include <climits>
#include <cstdint>

namespace tenon::passes {

// Memory for the result of `stored_numbers`.
constexpr graph_sizes sizes_of_stored_numbers(const graph& g) {
  graph_sizes sizes = g.sizes();
  constexpr int most = 32;  // nodes in place of one
  for (const graph_node& node : g.nodes) {
    int scales = 0;
    for (int v = 0; v < node.operand_count + node.result_count; ++v) {
      const bool is_operand = v < node.operand_count;
      const tensor_type& type =
          g.type_of_value(is_operand ? g.operands_of(node)[v] : node.results + v - node.operand_count);
      if (type.is_quantized()) scales += 2 * g.quantization_of(type).scales.size + 1;
    }
    if (scales == 0) continue;
    sizes.nodes += most, sizes.values += 2 * most, sizes.operands += 4 * most, sizes.types += most;
    sizes.words += scales + most * (3 * max_rank + 8), sizes.literals += most;
    sizes.regions += 1, sizes.region_references += 1;
  }
  return sizes;
}

// A graph after `expressed_types` without quantized types: values are what is stored, and conversions and sums of
// products are written out.
class stored_numbers {
 public:
  constexpr stored_numbers(const graph& from, graph& to) : from_(from), to_(to) {}

  // `moved` has room for a number per node and one more.
  constexpr void write(table<int> moved) {
    copy_table(from_.values, to_.values), copy_table(from_.operands, to_.operands);
    copy_table(from_.words, to_.words), copy_table(from_.types, to_.types), copy_table(from_.regions, to_.regions);
    copy_table(from_.region_references, to_.region_references), copy_table(from_.functions, to_.functions);
    copy_table(from_.literals, to_.literals);
    copy_references(from_, to_), to_.quantizations.size = 0;
    for (int v = 0; v < from_.values.size; ++v)
      if (from_.type_of_value(v).is_quantized()) to_.values[v].type = to_.intern_type(stored(from_.type_of_value(v)));
    for (int n = 0; n < from_.nodes.size; ++n) {
      moved[n] = to_.nodes.size;
      const graph_node node = from_.nodes.data[n];
      const int written = write_node(node);
      if (written >= 0) {
        to_.nodes[to_.values[written].node].results = node.results;
        to_.values[node.results].node = to_.values[written].node;
      } else {
        for (int r = 0; r < node.result_count; ++r) to_.values[node.results + r].node = to_.nodes.size;
        to_.nodes.push(node);
      }
    }
    moved[from_.nodes.size] = to_.nodes.size;
    for (int r = 0; r < from_.regions.size; ++r) {
      to_.regions[r].first = moved[to_.regions[r].first];
      to_.regions[r].last = moved[to_.regions[r].last];
    }
  }

 private:
  const graph& from_;
  graph& to_;

  static constexpr tensor_type stored(const tensor_type& type) { return type.with_element(type.element); }

  // Which ops change the quantization, and which may change nothing else.
  struct changes_quantization {
    bool keeps_bits = false;
    constexpr bool operator()(const ops::uniform_quantize&) { return true; }
    constexpr bool operator()(const ops::uniform_dequantize&) { return true; }
    constexpr bool operator()(const ops::bitcast_convert&) { return keeps_bits = true; }
    static constexpr bool otherwise() { return false; }
  };

  // The value that new nodes give in place of the node's result; -1: the node stays.
  constexpr int write_node(const graph_node& node) {
    if (integer_product product; integer_product::find(from_, node, product)) return write_sums(node, product);
    changes_quantization change;
    if (!visit_op(node.kind, from_.words.data + node.words, change)) return -1;
    const node_writer write{to_, node.region, node.source};
    int value = from_.operands_of(node)[0];
    const tensor_type &type = from_.type_of_value(value), &result = from_.type_of_value(node.results);
    if (change.keeps_bits)
      return stored(type) == stored(result) ? write.append_unary(ops::reshape{}, value, stored(type)) : -1;
    if (type.is_quantized()) value = dequantized(write, value, from_.quantization_of(type));
    return result.is_quantized() ? quantized(write, value, from_.quantization_of(result)) : value;
  }

  // A constant of this type: number(i) in every element, or as element i along a dimension.
  constexpr int constant(const node_writer& write, const tensor_type& type, int dimension, int count,
                         const auto& number) {
    const int first = to_.words.size;
    bool differ = false;
    for (int i = 0; i < count; ++i) {
      const double value = double(number(i));
      to_.words.push(type.element == dtype::f32   ? index_t(core::bit_cast<std::uint32_t>(float(value)))
                     : type.element == dtype::f64 ? core::bit_cast<index_t>(value)
                                                  : index_t(value));
      differ = differ || to_.words[first + i] != to_.words[first];
    }
    if (!differ) to_.words.size = first + 1;
    const int literal = to_.literals.push({graph_literal::place::words, first, to_.words.size - first});
    const ints axis = differ ? ints{dimension} : ints{};
    const int made = write.append(ops::constant{{literal}}, {}, type.with_shape(type.shape.select(axis)));
    return type.rank() == 0 ? made : write.append_unary(ops::broadcast_in_dim{axis}, made, type);
  }
  constexpr int scales_of(const node_writer& write, const tensor_type& type, const quantization& q) {
    return constant(write, type, q.dimension, q.scales.size, [&](int i) { return q.scales[i]; });
  }
  constexpr int combine(const node_writer& write, const auto& op, int lhs, int rhs) {
    const int both[] = {lhs, rhs};
    return write.append(op, {both, 2}, to_.type_of_value(lhs));
  }
  static constexpr bool has_zero_points(const quantization& q) {
    for (index_t zero_point : q.zero_points)
      if (zero_point != 0) return true;
    return false;
  }

  // (stored - zero_point) * scale
  constexpr int dequantized(const node_writer& write, int value, const quantization& q) {
    const tensor_type expressed = to_.type_of_value(value).with_element(q.expressed);
    if (has_zero_points(q)) {
      const tensor_type wide = expressed.with_element(num_bits(q.storage) < 32 ? dtype::i32 : dtype::i64);
      const int zero_points =
          constant(write, wide, q.dimension, q.zero_points.size, [&](int i) { return q.zero_points[i]; });
      value = combine(write, ops::subtract{}, write.append_unary(ops::convert{}, value, wide), zero_points);
    }
    value = write.append_unary(ops::convert{}, value, expressed);
    return combine(write, ops::multiply{}, value, scales_of(write, expressed, q));
  }
  // round_nearest_even(clamp(storage_min, value / scale + zero_point, storage_max)); NaN gives 0.
  constexpr int quantized(const node_writer& write, int value, const quantization& q) {
    const tensor_type expressed = to_.type_of_value(value), storage = expressed.with_element(q.storage);
    value = combine(write, ops::divide{}, value, scales_of(write, expressed, q));
    if (has_zero_points(q))
      value =
          combine(write, ops::add{}, value,
                  constant(write, expressed, q.dimension, q.zero_points.size, [&](int i) { return q.zero_points[i]; }));
    // Clamping integers is cheaper, and the same where it leaves 0 alone.
    const bool clamps_integers = num_bits(q.storage) < 32 && q.storage_min <= 0 && 0 <= q.storage_max;
    const tensor_type clamped = clamps_integers ? expressed.with_element(dtype::i32) : expressed;
    if (clamps_integers) {
      value = write.append_unary(ops::round_nearest_even{}, value, expressed);
      value = write.append_unary(ops::convert{}, value, clamped);
    }
    const auto limit = [&](index_t number) {
      return constant(write, clamped.with_shape({}), -1, 1, [&](int) { return number; });
    };
    const int operands[] = {limit(q.storage_min), value, limit(q.storage_max)};
    value = write.append(ops::clamp{}, {operands, 3}, clamped);
    if (!clamps_integers) value = write.append_unary(ops::round_nearest_even{}, value, expressed);
    return write.append_unary(ops::convert{}, value, storage);
  }

  constexpr int write_sums(const graph_node& node, integer_product product) {
    const node_writer write{to_, node.region, node.source};
    const list<int> operands = from_.operands_of(node);
    const tensor_type &rhs = from_.type_of_value(operands[1]), &result = from_.type_of_value(node.results);
    const quantization of_lhs = from_.quantization_of(from_.type_of_value(operands[0]));
    const quantization of_rhs = from_.quantization_of(rhs), of_result = from_.quantization_of(result);
    const tensor_type sums = type_of(dtype::i32, result.shape);
    const index_t zero_point = of_lhs.zero_points[0];
    int both[] = {operands[0], operands[1]};
    if (zero_point != 0 && product.convolves)
      both[0] = padded(write, both[0], product.convolution, rhs.shape, zero_point);
    int value = product.convolves ? write.append(product.convolution, {both, 2}, sums)
                                  : write.append(product.dot, {both, 2}, sums);
    if (zero_point != 0) {
      const tensor_type wide = type_of(dtype::i32, rhs.shape);
      const tensor_type totals = wide.with_shape(rhs.shape.select(ints::range(rhs.rank()).without(product.summed)));
      const auto number = [&](index_t n) { return [n](int) { return n; }; };
      const int zero = constant(write, wide.with_shape({}), -1, 1, number(0));
      int total = write.append_fold(ops::add{}, write.append_unary(ops::convert{}, both[1], wide), zero, product.summed,
                                    totals);
      total = combine(write, ops::multiply{}, total, constant(write, totals, -1, 1, number(zero_point)));
      total = write.append_unary(ops::broadcast_in_dim{product.kept_as}, total, sums);
      value = combine(write, ops::subtract{}, value, total);
    }
    // Along which dimension of the result the scales of sums differ.
    const ints kept = ints::range(rhs.rank()).without(product.summed);
    int dimension = -1;
    for (int i = 0; i < kept.size; ++i)
      if (kept[i] == of_rhs.dimension) dimension = int(product.kept_as[i]);
    const auto scale = [&](int i) {
      const list<double>& scales = of_rhs.scales;
      return double(float(double(float(of_lhs.scales[0])) * double(float(scales[scales.size > 1 ? i : 0]))));
    };
    if (holds_sums(of_result, of_rhs.scales.size > 1 ? dimension : -1, scale)) return value;
    const tensor_type real = sums.with_element(dtype::f32);
    value = combine(write, ops::multiply{}, write.append_unary(ops::convert{}, value, real),
                    constant(write, real, dimension, of_rhs.scales.size, scale));
    return quantized(write, value, of_result);
  }
  // Whether numbers in i32 with these scales are stored as they are, but for what rounding scales makes of them.
  static constexpr bool holds_sums(const quantization& q, int dimension, const auto& scale) {
    if (q.storage != dtype::i32 || has_zero_points(q)) return false;
    if (q.storage_min != INT32_MIN || q.storage_max != INT32_MAX) return false;
    if (q.per_axis() && dimension >= 0 && q.dimension != dimension) return false;
    if (!q.per_axis() && dimension >= 0) return false;
    for (int i = 0; i < q.scales.size; ++i) {
      const double apart = q.scales[i] - scale(i);
      if ((apart < 0 ? -apart : apart) > q.scales[i] * 0x1p-23) return false;
    }
    return true;
  }
  // Elements outside the operand stand for 0: its zero point.
  constexpr int padded(const node_writer& write, int value, ops::convolution& op, const ints& rhs, index_t zero_point) {
    const ints& spatial = op.dimension_numbers.input_spatial_dimensions;
    tensor_type type = to_.type_of_value(value);
    ints low = ints::filled(type.rank(), 0), high = low, interior = low;
    bool is_padded = false;
    for (int d = 0; d < spatial.size; ++d) {
      const int at = int(spatial[d]);
      const ops::window_axis axis = op.window(rhs).axis(type.shape.select(spatial), d);
      low.set(at, axis.low), high.set(at, op.padding.empty() ? 0 : op.padding(d, 1));
      interior.set(at, axis.base_dilation - 1);
      is_padded = is_padded || low[at] != 0 || high[at] != 0 || interior[at] != 0;
    }
    if (!is_padded) return value;
    for (index_t d : spatial) {
      const index_t size = padded_size(type.dim(d), low[d], high[d], interior[d]);
      type.shape.set(int(d), size > 0 ? size : 0);
    }
    const int both[] = {value, constant(write, type.with_shape({}), -1, 1, [&](int) { return zero_point; })};
    op.padding = {}, op.lhs_dilation = {};
    return write.append(ops::pad{low, high, interior}, {both, 2}, type);
  }
};

}  // namespace tenon::passes
