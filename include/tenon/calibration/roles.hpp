// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/graph.hpp>
#include <tenon/ops/all.hpp>

#include <cmath>
#include <utility>
#include <vector>

namespace tenon::calibration {

using namespace detail;

// A sum of products whose weights are the second operand, or the first one of a product of matrices.
struct product_role {
  ops::convolution convolution{};
  ops::dot_general dot{};  // with the weights second
  bool convolves = false, is_swapped = false;
  ints summed;                                 // dimensions of the weights
  index_t weight_channel = -1;                 // the dimension of the weights along which scales differ; -1: none
  index_t channel = -1, written_channel = -1;  // of the result, and of the value that replaces it
  ints written_as;                             // which dimension of what is written each one of the result is
  bool sums_all = false;                       // the others are summed over

  // The dimensions of weights in an order in which those of a sum are neighbours, as they are multiplied by pairs; as
  // they are where each feature has sums of its own.
  ints best_order(const ints& weights) const {
    const convolution_dimension_numbers& n = convolution.dimension_numbers;
    const bool is_depthwise =
        convolution.feature_group_count > 1 && weights[int(n.kernel_input_feature_dimension)] == 1;
    if (convolves && is_depthwise) return ints::range(weights.size);
    return ints::range(weights.size).without(summed) + summed;
  }
  // @post weights have their dimensions in this order
  void arrange(const ints& order) {
    const auto move = [&](index_t& dimension) {
      for (int i = 0; i < order.size; ++i)
        if (order[i] == dimension) return void(dimension = i);
    };
    convolution_dimension_numbers& n = convolution.dimension_numbers;
    for (ints* all : {&n.kernel_spatial_dimensions, &dot.dot_dimension_numbers.rhs_batching_dimensions,
                      &dot.dot_dimension_numbers.rhs_contracting_dimensions, &summed})
      for (int i = 0; i < all->size; ++i) move(all->at[i]);
    move(n.kernel_input_feature_dimension), move(n.kernel_output_feature_dimension), move(weight_channel);
  }
};

// The role of an op in quantization, read off its type.
struct op_role {
  enum class is { nothing, sum, difference, product, quotient, negation, lower_bound, upper_bound, bounds, normalized };
  is role = is::nothing;
  double epsilon = 0;
  index_t feature = 0;
  bool multiplies = false;
  product_role found;

  explicit op_role(const ir::graph& g, const ir::graph_node& node, bool lhs_is_constant) {
    if (node.operand_count < 1 || node.result_count != 1) return;
    const auto type_of = [&](int i) { return g.type_of_value(g.operands_of(node)[i]); };
    for (const int i : {0, node.operand_count > 1 ? 1 : 0})
      if (type_of(i).element != dtype::f32) return;
    lhs_rank_ = type_of(0).rank(), rhs_ = type_of(node.operand_count > 1 ? 1 : 0).shape, lhs_ = type_of(0).shape;
    swaps_ = lhs_is_constant;
    multiplies = visit_op(node.kind, g.words.data + node.words, *this) && multiplies;
  }

  bool operator()(const ops::add&) { return set(is::sum); }
  bool operator()(const ops::subtract&) { return set(is::difference); }
  bool operator()(const ops::multiply&) { return set(is::product); }
  bool operator()(const ops::divide&) { return set(is::quotient); }
  bool operator()(const ops::negate&) { return set(is::negation); }
  bool operator()(const ops::maximum&) { return set(is::lower_bound); }
  bool operator()(const ops::minimum&) { return set(is::upper_bound); }
  bool operator()(const ops::clamp&) { return set(is::bounds); }
  bool operator()(const ops::batch_norm_inference& op) {
    epsilon = double(float(op.epsilon)), feature = op.feature_index;
    return set(is::normalized);
  }
  bool operator()(const ops::convolution& op) {
    const convolution_dimension_numbers& n = op.dimension_numbers;
    found.convolution = op, found.convolves = multiplies = found.sums_all = true;
    found.summed = n.kernel_spatial_dimensions + ints{n.kernel_input_feature_dimension};
    found.weight_channel = n.kernel_output_feature_dimension;
    found.channel = found.written_channel = n.output_feature_dimension;
    found.written_as = ints::range(lhs_rank_);
    return !swaps_ && is_small(rhs_);
  }
  bool operator()(const ops::dot_general& op) {
    dot_dimension_numbers n = op.dot_dimension_numbers;
    ints weights = rhs_;
    const int batch = n.lhs_batching_dimensions.size;
    const int left = n.lhs_result_dimensions(lhs_.size).size, right = n.rhs_result_dimensions(rhs_.size).size;
    if (found.is_swapped = swaps_; swaps_) {
      std::swap(n.lhs_batching_dimensions, n.rhs_batching_dimensions);
      std::swap(n.lhs_contracting_dimensions, n.rhs_contracting_dimensions);
      weights = lhs_;
    }
    found.dot.dot_dimension_numbers = n, multiplies = true;
    found.summed = n.rhs_contracting_dimensions;
    const ints kept = n.rhs_result_dimensions(weights.size);
    found.sums_all = batch == 0 && kept.size == 1;
    for (int d = 0; d < batch + left + right; ++d) {
      const int shift = d < batch ? 0 : d < batch + left ? right : -left;
      found.written_as.push(d + (swaps_ ? shift : 0));
    }
    if (kept.size > 0) {
      found.weight_channel = kept[kept.size - 1];
      found.written_channel = batch + left + right - 1;
      found.channel = swaps_ ? batch + left - 1 : found.written_channel;
    }
    return op.algorithm.empty() && is_small(weights);
  }
  bool operator()(const ops::dot& op) { return (*this)(op.general(lhs_rank_)); }
  static bool otherwise() { return false; }

 private:
  int lhs_rank_ = 0;
  ints lhs_, rhs_;
  bool swaps_ = false;

  bool set(is to) { return role = to, true; }
  // Sums of products of 8 bits that i32 holds.
  bool is_small(const ints& weights) const {
    return weights.product() > 0 && weights.select(found.summed).product() <= (index_t{1} << 31) / (255 * 255);
  }
};

// Factors and summands per channel, and bounds, that follow a value of the graph up to another one.
struct value_chain {
  int root = -1;  // the value that it begins at
  int node = -1;  // the node of that value whose sums it takes; -1: the elements of the value itself
  int channel = -1;
  std::vector<double> factors{1}, summands{0};
  double low = -HUGE_VAL, high = HUGE_VAL;
  bool is_bounds = true;      // and nothing else
  std::vector<int> absorbed;  // nodes between

  double factor(std::size_t i) const { return factors[factors.size() > 1 ? i : 0]; }
  double summand(std::size_t i) const { return summands[summands.size() > 1 ? i : 0]; }
};

}  // namespace tenon::calibration
