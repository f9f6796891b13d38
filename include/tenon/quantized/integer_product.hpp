// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/graph.hpp>

namespace tenon::passes {

// Whether a graph can do without quantized types: their numbers are stored in whole bytes and have static shapes.
constexpr bool stores_plain_numbers(const graph& g) {
  for (const graph_quantization& q : g.quantizations)
    if ((q.expressed != dtype::f32 && q.expressed != dtype::f64) || num_bits(q.storage) < 8) return false;
  for (const tensor_type& type : g.types)
    if (type.bounded != 0) return false;
  for (const tensor_type& type : g.member_types)
    if (type.is_quantized()) return false;
  return true;
}

// A sum of products of quantized operands as integers: the scale of a sum is the product of both scales.
//   sum of (x - zero point) * w = sum of x * w - zero point * sum of w
struct integer_product {
  ops::convolution convolution{};  // one or the other
  ops::dot_general dot{};
  bool convolves = false;
  ints summed;           // dimensions of the weights
  ints kept_as;          // the dimensions of the result that are the others
  index_t products = 0;  // in a sum

  constexpr bool operator()(const ops::convolution& op) {
    const convolution_dimension_numbers& n = op.dimension_numbers;
    convolution = op, convolves = true;
    summed = n.kernel_spatial_dimensions + ints{n.kernel_input_feature_dimension};
    kept_as = {n.output_feature_dimension};
    return true;
  }
  constexpr bool operator()(const ops::dot_general& op) {
    const dot_dimension_numbers& n = op.dot_dimension_numbers;
    const ints batch = ints::range(n.rhs_batching_dimensions.size), left = n.rhs_result_dimensions(rank_);
    dot = op;
    summed = n.rhs_contracting_dimensions;
    const int behind = result_rank_ - left.size;
    // The kept dimensions of the weights in ascending order.
    for (index_t d : ints::range(rank_).without(summed))
      for (int i = 0; i < batch.size + left.size; ++i)
        if ((i < batch.size ? n.rhs_batching_dimensions[i] : left[i - batch.size]) == d)
          kept_as.push(i < batch.size ? i : behind + i - batch.size);
    return op.algorithm.empty();
  }
  constexpr bool operator()(const ops::dot& op) { return (*this)(op.general(lhs_rank_)); }
  static constexpr bool otherwise() { return false; }

  // Whether the node is one: of integers of 8 bits, weights without a zero point, and sums that i32 holds.
  static constexpr bool find(const graph& g, const graph_node& node, integer_product& found) {
    if (!facts_of(node.kind).dequantizes || node.operand_count != 2) return false;
    const list<int> operands = g.operands_of(node);
    const tensor_type &lhs = g.type_of_value(operands[0]), &rhs = g.type_of_value(operands[1]);
    const tensor_type& result = g.type_of_value(node.results);
    if (!lhs.is_quantized() || !rhs.is_quantized() || !result.is_quantized() || lhs.element != rhs.element)
      return false;
    const quantization of_lhs = g.quantization_of(lhs), of_rhs = g.quantization_of(rhs);
    if (num_bits(of_lhs.storage) != 8 || of_lhs.per_axis()) return false;
    for (index_t zero_point : of_rhs.zero_points)
      if (zero_point != 0) return false;
    for (const tensor_type* type : {&lhs, &rhs, &result})
      if (type->bounded != 0 || g.quantization_of(*type).expressed != dtype::f32) return false;
    found = {};
    found.rank_ = rhs.rank(), found.lhs_rank_ = lhs.rank(), found.result_rank_ = result.rank();
    if (!visit_op(node.kind, g.words.data + node.words, found)) return false;
    found.products = rhs.shape.select(found.summed).product();
    return found.products <= (index_t{1} << 31) / (255 * 255);
  }

 private:
  int rank_ = 0, lhs_rank_ = 0, result_rank_ = 0;
};

}  // namespace tenon::passes
