// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/calibration/grid.hpp>
#include <tenon/calibration/roles.hpp>
#include <tenon/gradients/copied_nodes.hpp>
#include <tenon/graph/growing.hpp>
#include <tenon/graph/passes/node_writer.hpp>

#include <array>
#include <bit>
#include <string>

namespace tenon::calibration {

// Elements of a grid, and what they are multiplied by: one number, or one per channel.
struct moved_term {
  int value;
  quantized_grid grid;
  std::vector<double> factors;
};

// Appends arithmetic in integers to a region of a graph, which grows with it.
class integers_writer {
 public:
  int region, source = -1;

  integers_writer(ir::growing_graph& target, int at) : region(at), target_(target) {}

  // Characters of constants that stand behind the text of the graph.
  const std::string& characters() const { return characters_; }

  void make_room(int some = 32) {
    target_.make_room({some, some, some, 16 * some, some, some, some, 0, some, 0, 0, some, 0, 0, 0});
  }
  void make_room(const ir::graph_node& node) {
    make_room(32 + node.result_count + node.operand_count + node.word_count + node.region_count);
  }

  // Types

  tensor_type quantized_type(ints shape, const quantized_grid& grid) {
    return quantized_type(shape, dtype::i8, {grid.scale}, -1, grid.zero_point);
  }
  tensor_type quantized_type(ints shape, dtype element, const std::vector<double>& scales, int dimension,
                             int zero_point = 0) {
    target_.make_room({.types = 2, .quantizations = 1, .scales = int(scales.size())});
    const index_t most = element == dtype::i32 ? INT32_MAX : INT8_MAX;
    const int count = dimension >= 0 ? int(scales.size()) : 1;
    ir::graph_quantization q{element, dtype::f32, -most - 1, most, dimension, g().scales.size, count};
    tensor_type type = type_of(element, shape);
    for (int i = 0; i < g().quantizations.size && type.quantization == 0; ++i)
      if (is_equal(g().quantizations[i], q, scales, zero_point)) type.quantization = std::int16_t(i + 1);
    if (type.quantization != 0) return type;
    if (g().quantizations.size >= INT16_MAX) fail("quantize_types: the program has too many quantized types");
    for (int i = 0; i < count; ++i) g().scales.push(scales[std::size_t(i)]), g().zero_points.push(zero_point);
    type.quantization = std::int16_t(g().quantizations.push(q) + 1);
    return type;
  }

  // Nodes

  int append(const auto& op, std::initializer_list<int> operands, const tensor_type& type) {
    make_room();
    const list<int> all{operands.begin(), int(operands.size())};
    return passes::node_writer{g(), region, source}.append(op, all, type);
  }
  // A node of the same op; with one type for its result, or with those that it had.
  int append(const ir::graph_node& like, const std::vector<int>& operands, const std::vector<int>& regions,
             const tensor_type& type = {}) {
    std::vector<tensor_type> types;
    for (int r = 0; r < like.result_count; ++r)
      types.push_back(type.element == dtype::none ? g().type_of_value(like.results + r) : type);
    const ir::node_parts parts{
        {operands.data(), int(operands.size())}, {regions.data(), int(regions.size())}, {}, region, like.source};
    const std::vector<index_t> words(g().words.data + like.words, g().words.data + like.words + like.word_count);
    const int node =
        ir::append_unchecked(g(), like.kind, {words.data(), like.word_count}, parts, {types.data(), like.result_count});
    return g().nodes[node].results;
  }
  tensor_type type_of_value(int v) { return g().type_of_value(v); }
  int retyped(int v, const tensor_type& type) { return append(ops::bitcast_convert{}, {v}, type); }
  // The stored integers of a quantized value.
  int bits(int v) { return retyped(v, type_of(type_of_value(v).element, type_of_value(v).shape)); }
  int quantized(int v, const tensor_type& type) { return append(ops::uniform_quantize{}, {v}, type); }
  int dequantized(int v) { return append(ops::uniform_dequantize{}, {v}, type_of(dtype::f32, type_of_value(v).shape)); }
  int converted(int v, dtype element) { return append(ops::convert{}, {v}, type_of_value(v).with_element(element)); }
  int transposed(int v, const ints& dimensions) {
    if (dimensions == ints::range(dimensions.size)) return v;
    const tensor_type type = type_of_value(v);
    return append(ops::transpose{dimensions}, {v}, type.with_shape(type.shape.select(dimensions)));
  }

  // Constants

  int integer(index_t number, const tensor_type& type) {
    make_room();
    return passes::node_writer{g(), region, source}.append_constant(number, type);
  }
  template <class T>
  int constant_of(const std::vector<T>& elements, const tensor_type& type) {
    constexpr char digits[] = "0123456789ABCDEF";
    make_room();
    const std::size_t first = characters_.size();
    characters_ += "\"0x";
    for (const T& element : elements)
      for (const unsigned char byte : std::bit_cast<std::array<unsigned char, sizeof(T)>>(element))
        (characters_ += digits[byte >> 4]) += digits[byte & 15];
    characters_ += '"';
    const int literal = g().literals.push(
        {ir::graph_literal::place::text, int(g().text.size() + first), int(characters_.size() - first)});
    return append(ops::constant{{literal}}, {}, type);
  }
  // One number for all, or one for each element of a dimension.
  int spread(const std::vector<index_t>& numbers, const tensor_type& type, int dimension) {
    bool differ = false;
    for (const index_t number : numbers) differ = differ || number != numbers[0];
    if (!differ) {
      const int one = integer(numbers[0], type.with_shape({}));
      return type.rank() == 0 ? one : append(ops::broadcast_in_dim{ints{}}, {one}, type);
    }
    const std::vector<std::int32_t> row(numbers.begin(), numbers.end());
    const int made = constant_of(row, type_of(dtype::i32, {type.dim(dimension)}));
    const int wide = append(ops::broadcast_in_dim{ints{dimension}}, {made}, type.with_element(dtype::i32));
    return type.element == dtype::i32 ? wide : converted(wide, type.element);
  }

  // Arithmetic

  int combined(const auto& op, int v, const std::vector<index_t>& numbers, int dimension = -1) {
    const tensor_type type = type_of_value(v);
    return append(op, {v, spread(numbers, type, dimension)}, type);
  }
  int biased(int sums, const std::vector<index_t>& bias, int channel) {
    const int plain = bits(sums);
    bool is_zero = true;
    for (const index_t each : bias) is_zero = is_zero && each == 0;
    return is_zero ? plain : combined(ops::add{}, plain, bias, channel);
  }
  int without_zero_point(int v, int zero_point) {
    const int wide = converted(v, dtype::i32);
    return zero_point == 0 ? wide : combined(ops::subtract{}, wide, {zero_point});
  }
  // The product of numbers on a grid of this zero point, 0 if weights make up for it.
  int product(const product_role& p, int data, int weights, int zero_point, const tensor_type& sums) {
    ops::convolution convolution = p.convolution;
    if (zero_point != 0) {
      const tensor_type type = type_of_value(data);
      int plain = bits(data);
      if (p.convolves) plain = padded(plain, convolution, type_of_value(weights).shape, zero_point);
      const double scale = g().quantization_of(type).scales[0];
      data = retyped(plain, quantized_type(type_of_value(plain).shape, {scale, 0}));
    }
    return p.convolves ? append(convolution, {data, weights}, sums) : append(p.dot, {data, weights}, sums);
  }
  int folded(const ir::graph_node& like, int body_kind, int elements, int initial, const tensor_type& type) {
    make_room(like);
    const tensor_type scalar = type.with_shape({}), both[] = {scalar, scalar};
    const int body = ir::open_region(g(), region, {both, 2}, source);
    const int first = g().regions[body].arguments, operands[] = {first, first + 1};
    const int made = passes::node_writer{g(), body, source}.append(body_kind, {operands, 2}, scalar);
    ir::close_region(g(), body, {&made, 1});
    return append(like, {elements, initial}, {body}, type);
  }

  // Sums in i32 of these scales, as integers of 8 bits on a grid: (sum * multiplier + half) >> shift.
  int requantized(int sums, const std::vector<double>& scales, int channel, const quantized_grid& to, double low,
                  double high) {
    std::vector<double> factors;
    for (const double scale : scales) factors.push_back(scale / to.scale);
    const fixed_factors by(factors, 31, 62);
    const int wide = combined(ops::multiply{}, converted(sums, dtype::i64), by.integers, channel);
    if (by.shift < 34) {
      const index_t half = by.shift > 0 ? index_t{1} << (by.shift - 1) : 0;
      int y = combined(ops::shift_right_arithmetic{}, combined(ops::add{}, wide, {half}), {by.shift});
      y = clamped(y, -1024, 1024);
      return narrowed(combined(ops::add{}, converted(y, dtype::i32), {to.zero_point}), to, low, high);
    }
    const int upper = converted(combined(ops::shift_right_arithmetic{}, wide, {32}), dtype::i32), right = by.shift - 32;
    const index_t half = index_t{1} << (right - 1), offset = index_t(to.zero_point) * (index_t{1} << right);
    const bool fits = right <= 20;
    const int y =
        combined(ops::shift_right_arithmetic{}, combined(ops::add{}, upper, {half + (fits ? offset : 0)}), {right});
    return narrowed(fits ? y : combined(ops::add{}, y, {to.zero_point}), to, low, high);
  }
  // Sums of elements times factors, and of a number per channel, on another grid.
  int moved_to(const quantized_grid& to, const std::vector<moved_term>& terms, const std::vector<double>& summands,
               int channel, double low = -HUGE_VAL, double high = HUGE_VAL) {
    const std::size_t channels = std::max(terms[0].factors.size(), summands.size());
    std::vector<double> most(channels);
    for (std::size_t c = 0; c < channels; ++c) {
      most[c] = std::abs(summands[summands.size() > 1 ? c : 0]) / to.scale + 256;
      for (const moved_term& term : terms)
        most[c] += 256 * std::abs(term.factors[term.factors.size() > 1 ? c : 0]) * term.grid.scale / to.scale;
    }
    const int shift = fixed_factors(most, 30, 24).shift;
    std::vector<index_t> rest;
    for (std::size_t c = 0; c < channels; ++c) {
      const double number = summands[summands.size() > 1 ? c : 0] / to.scale + to.zero_point;
      rest.push_back(index_t(std::nearbyint(std::ldexp(number, shift))) + (shift > 0 ? index_t{1} << (shift - 1) : 0));
    }
    int sum = -1;
    for (const moved_term& term : terms) {
      std::vector<index_t> factors;
      for (std::size_t c = 0; c < channels; ++c) {
        const double factor = term.factors[term.factors.size() > 1 ? c : 0] * term.grid.scale / to.scale;
        factors.push_back(index_t(std::nearbyint(std::ldexp(factor, shift))));
        rest[c] -= factors[c] * term.grid.zero_point;
      }
      const int scaled = combined(ops::multiply{}, converted(term.value, dtype::i32), factors, channel);
      sum = sum < 0 ? scaled : append(ops::add{}, {sum, scaled}, type_of_value(scaled));
    }
    sum = combined(ops::add{}, sum, rest, channel);
    return narrowed(combined(ops::shift_right_arithmetic{}, sum, {shift}), to, low, high);
  }
  int bounded(int elements, const quantized_grid& grid, double low, double high) {
    return clamped(elements, grid(low), grid(high));
  }
  int bounded_real(int v, double low, double high) {
    const tensor_type type = type_of_value(v), scalar = type.with_shape({});
    const auto bound = [&](double number) {
      return integer(index_t(std::bit_cast<std::uint32_t>(float(number))), scalar);
    };
    if (low > -HUGE_VAL || high < HUGE_VAL) v = append(ops::clamp{}, {bound(low), v, bound(high)}, type);
    return v;
  }

 private:
  ir::growing_graph& target_;
  std::string characters_;

  ir::graph& g() { return target_.get(); }

  bool is_equal(const ir::graph_quantization& a, const ir::graph_quantization& b, const std::vector<double>& scales,
                int zero_point) {
    if (a.storage != b.storage || a.expressed != b.expressed || a.storage_min != b.storage_min ||
        a.storage_max != b.storage_max || a.dimension != b.dimension || a.count != b.count)
      return false;
    for (int i = 0; i < a.count; ++i)
      if (g().scales[a.first + i] != scales[std::size_t(i)] || g().zero_points[a.first + i] != zero_point) return false;
    return true;
  }
  int clamped(int v, index_t low, index_t high) {
    const tensor_type type = type_of_value(v), scalar = type.with_shape({});
    return append(ops::clamp{}, {integer(low, scalar), v, integer(high, scalar)}, type);
  }
  int narrowed(int v, const quantized_grid& to, double low, double high) {
    return converted(clamped(v, to(low), to(high)), dtype::i8);
  }
  // Elements outside the image stand for 0: its zero point.
  int padded(int plain, ops::convolution& op, const ints& weights, int zero_point) {
    const ints spatial = op.dimension_numbers.input_spatial_dimensions;
    tensor_type type = type_of_value(plain);
    ints low = ints::filled(type.rank(), 0), high = low, interior = low;
    bool is_padded = false;
    for (int d = 0; d < spatial.size; ++d) {
      const ops::window_axis axis = op.window(weights).axis(type.shape.select(spatial), d);
      const int at = int(spatial[d]);
      low.set(at, axis.low), high.set(at, axis.high), interior.set(at, axis.base_dilation - 1);
      is_padded = is_padded || axis.low != 0 || axis.high != 0 || axis.base_dilation != 1;
      type.shape.set(at, padded_size(type.dim(at), low[at], high[at], interior[at]));
    }
    if (!is_padded) return plain;
    op.padding = {}, op.lhs_dilation = {};
    return append(ops::pad{low, high, interior}, {plain, integer(zero_point, type.with_shape({}))}, type);
  }
};

}  // namespace tenon::calibration
