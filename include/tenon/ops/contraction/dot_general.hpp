// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/contraction/precision.hpp>
#include <tenon/ops/contraction/product_dimensions.hpp>
#include <tenon/ops/contraction/product_rules.hpp>
#include <tenon/ops/contraction/sum_products.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon {

struct dot_dimension_numbers {
  ints lhs_batching_dimensions{}, rhs_batching_dimensions{}, lhs_contracting_dimensions{}, rhs_contracting_dimensions{};

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("lhs_batching_dimensions", self.lhs_batching_dimensions) &&
           visit("rhs_batching_dimensions", self.rhs_batching_dimensions) &&
           visit("lhs_contracting_dimensions", self.lhs_contracting_dimensions) &&
           visit("rhs_contracting_dimensions", self.rhs_contracting_dimensions);
  }

  // The dimensions of lhs that neither run in step with rhs nor are summed over.
  constexpr ints lhs_result_dimensions(int rank) const {
    return ints::range(rank).without(lhs_batching_dimensions + lhs_contracting_dimensions);
  }
  constexpr ints rhs_result_dimensions(int rank) const {
    return ints::range(rank).without(rhs_batching_dimensions + rhs_contracting_dimensions);
  }
};

}  // namespace tenon

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#dot_general
struct dot_general {
  static constexpr std::string_view name = "dot_general";
  static constexpr op_notation notation = op_notation::dot_general;
  static constexpr int least_range = 32;  // products of few rows are summed up in another order
  static constexpr unsigned strided_operands = 0b11;
  static constexpr bool dequantizes = true;
  tenon::dot_dimension_numbers dot_dimension_numbers{};
  precision_list precision_config{};  // absent: DEFAULT
  dot_algorithm algorithm{};          // absent: as precision_config says

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("dot_dimension_numbers", self.dot_dimension_numbers) &&
           visit("precision_config", self.precision_config) && visit("algorithm", self.algorithm);
  }

  // The element type of the result may be another one of the same kind: it is then the type of the sum.
  constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs) const {
    const auto& [lhs_batching, rhs_batching, lhs_contracting, rhs_contracting] = dot_dimension_numbers;
    rule("dot_general_i1", "lhs: tensor or per-tensor quantized tensor",
         rule.is(lhs, kinds::any | kinds::per_tensor_quantized));
    rule("dot_general_i2", "rhs: tensor or quantized tensor", rule.is(rhs, kinds::any | kinds::quantized));
    rule("dot_general_c1", "size(lhs_batching_dimensions) = size(rhs_batching_dimensions)",
         lhs_batching.size == rhs_batching.size && lhs_batching.dropped + rhs_batching.dropped == 0);
    rule("dot_general_c2", "size(lhs_contracting_dimensions) = size(rhs_contracting_dimensions)",
         lhs_contracting.size == rhs_contracting.size && lhs_contracting.dropped + rhs_contracting.dropped == 0);
    rule("dot_general_c3", "is_unique(lhs_batching_dimensions + lhs_contracting_dimensions)",
         (lhs_batching + lhs_contracting).unique());
    rule("dot_general_c4", "is_unique(rhs_batching_dimensions + rhs_contracting_dimensions)",
         (rhs_batching + rhs_contracting).unique());
    rule("dot_general_c5", "0 <= lhs_batching_dimensions < rank(lhs)", lhs_batching.within(0, lhs.rank()));
    rule("dot_general_c6", "0 <= lhs_contracting_dimensions < rank(lhs)", lhs_contracting.within(0, lhs.rank()));
    rule("dot_general_c7", "0 <= rhs_batching_dimensions < rank(rhs)", rhs_batching.within(0, rhs.rank()));
    rule("dot_general_c8", "0 <= rhs_contracting_dimensions < rank(rhs)", rhs_contracting.within(0, rhs.rank()));
    rule("dot_general_c9", "dim(lhs, lhs_batching_dimensions...) = dim(rhs, rhs_batching_dimensions...)",
         lhs.shape.select(lhs_batching) == rhs.shape.select(rhs_batching));
    rule("dot_general_c10", "dim(lhs, lhs_contracting_dimensions...) = dim(rhs, rhs_contracting_dimensions...)",
         lhs.shape.select(lhs_contracting) == rhs.shape.select(rhs_contracting));
    rule("dot_general_c11", "size(precision_config) = 2", is_complete(precision_config));
    const ints shape = lhs.shape.select(lhs_batching) +
                       lhs.shape.select(dot_dimension_numbers.lhs_result_dimensions(lhs.rank())) +
                       rhs.shape.select(dot_dimension_numbers.rhs_result_dimensions(rhs.rank()));
    check_product_shape(rule, "dot_general_c12",
                        "shape(result) = dim(lhs, lhs_batching_dimensions) + dim(lhs, lhs_result_dimensions) + "
                        "dim(rhs, rhs_result_dimensions)",
                        shape);
    const tensor_type result = product_type(rule, lhs, shape);
    if (is_quantized_product(lhs, rhs, result)) {
      constexpr quantized_product_labels labels{"dot_general_c14", "dot_general_c17", "dot_general_c18",
                                                "dot_general_c19", "dot_general_c20"};
      const quantization q = rule.quantization_of(rhs);
      bool zero = true;
      for (index_t zero_point : q.zero_points) zero = zero && zero_point == 0;
      rule("dot_general_c15", "zero_points(rhs) = 0", zero);
      rule("dot_general_c16",
           "if is_per_axis_quantized(rhs), then quantization_dimension(rhs) not in rhs_contracting_dimensions",
           !q.per_axis() || !rhs_contracting.contains(q.dimension));
      check_quantized_product(rule, labels, lhs, rhs, result);
    } else {
      rule("dot_general_c13", "element_type(lhs) = element_type(rhs)", lhs.element == rhs.element);
      rule("dot_general_o1", "element_type(result) is of the same kind as element_type(lhs)",
           kind_of(result.element) == kind_of(lhs.element) || (is_integer(result.element) && is_integer(lhs.element)));
    }
    if (!algorithm.empty()) {
      rule("dot_general_c21", "precision_config... = DEFAULT", is_default(precision_config));
      rule("dot_general_c22", "0 < lhs_component_count", 0 < algorithm.lhs_component_count);
      rule("dot_general_c23", "0 < rhs_component_count", 0 < algorithm.rhs_component_count);
      rule("dot_general_c24", "0 < num_primitive_operations", 0 < algorithm.num_primitive_operations);
      rule("dot_general_i8", "lhs_precision_type: FloatType or TensorFloat32", is_float(algorithm.lhs_precision_type));
      rule("dot_general_i9", "rhs_precision_type: FloatType or TensorFloat32", is_float(algorithm.rhs_precision_type));
      rule("dot_general_i10", "accumulation_type: FloatType or TensorFloat32", is_float(algorithm.accumulation_type));
      rule("dot_general_algorithm", "some hardware is known to have the dot algorithm", algorithm.is_known());
    }
    return result;
  }

  constexpr indexing::indexing_map reads(int operand, list<tensor_type> operands, const tensor_type& result) const {
    const ints& shape = operands.data[operand].shape;
    return operand == 0
               ? indexing::dot_general_lhs_map(result.shape, shape, dot_dimension_numbers.lhs_batching_dimensions,
                                               dot_dimension_numbers.lhs_contracting_dimensions)
               : indexing::dot_general_rhs_map(result.shape, shape, dot_dimension_numbers.rhs_batching_dimensions,
                                               dot_dimension_numbers.rhs_contracting_dimensions);
  }

  // Turns into the product of the operands in the other order, if that is this one's result with its dimensions
  // permuted so.
  constexpr bool swap_operands(list<tensor_type> operands, const ints& permutation) {
    auto& numbers = dot_dimension_numbers;
    const ints batch = ints::range(numbers.lhs_batching_dimensions.size);
    const ints of_lhs = ints::range(batch.size + numbers.lhs_result_dimensions(operands[0].rank()).size);
    if (permutation != batch + ints::range(permutation.size).without(of_lhs) + of_lhs.without(batch)) return false;
    if (!algorithm.empty() || !is_default(precision_config)) return false;
    // Products with a vector are summed up in an order that depends on which operand it is.
    const auto is_vector = [](const ints& shape, const ints& dimensions) {
      return shape.select(dimensions).product() == 1;
    };
    if (is_vector(operands[0].shape, numbers.lhs_result_dimensions(operands[0].rank())) ||
        is_vector(operands[1].shape, numbers.rhs_result_dimensions(operands[1].rank())))
      return false;
    numbers = {numbers.rhs_batching_dimensions, numbers.lhs_batching_dimensions, numbers.rhs_contracting_dimensions,
               numbers.lhs_contracting_dimensions};
    return true;
  }

  // For the kernel, which copies a part of an operand at a time.
  constexpr index_t scratch_bytes(list<tensor_type> operands, list<tensor_type> results) const {
    return product(operands, nullptr).scratch_bytes(operands[0].element, results[0].element);
  }

  // Result dimensions are the batching ones, then the free ones of lhs, then of rhs.
  // `operand_strides`: of operands that are not dense.
  constexpr product_dimensions product(list<tensor_type> operands, const type_details*,
                                       list<ints> operand_strides = {}) const {
    const auto& [lhs_batching, rhs_batching, lhs_contracting, rhs_contracting] = dot_dimension_numbers;
    const ints &lhs = operands.data[0].shape, &rhs = operands.data[1].shape;
    const bool dense = operand_strides.size == 0;
    const ints lhs_strides = dense ? strides_of(lhs) : operand_strides[0];
    const ints rhs_strides = dense ? strides_of(rhs) : operand_strides[1];
    const ints lhs_free = dot_dimension_numbers.lhs_result_dimensions(lhs.size);
    const ints rhs_free = dot_dimension_numbers.rhs_result_dimensions(rhs.size);
    const ints strides = strides_of(lhs.select(lhs_batching) + lhs.select(lhs_free) + rhs.select(rhs_free));
    product_dimensions sizes;
    int axis = 0;
    for (int i = 0; i < lhs_batching.size; ++i)
      sizes.batch.push(lhs[lhs_batching[i]], lhs_strides[lhs_batching[i]], rhs_strides[rhs_batching[i]],
                       strides[axis++]);
    for (index_t free : lhs_free) sizes.rows.push(lhs[free], lhs_strides[free], 0, strides[axis++]);
    for (index_t free : rhs_free) sizes.columns.push(rhs[free], 0, rhs_strides[free], strides[axis++]);
    for (int i = 0; i < lhs_contracting.size; ++i)
      sizes.inner.push(lhs[lhs_contracting[i]], lhs_strides[lhs_contracting[i]], rhs_strides[rhs_contracting[i]], 0);
    return sizes;
  }

  template <class T>
  void evaluate(const evaluation& e) const {
    sum_products<T>(e, product(e.operand_types, e.details, e.operand_strides));
  }
};

}  // namespace tenon::ops

namespace tenon {

// dot_general<ops::dot_general{.dot_dimension_numbers = {.lhs_contracting_dimensions = ints{1}, ...}}>(lhs, rhs):
// products summed over the contracting dimensions, for each index of the batching ones. The result has the batching
// dimensions, then the free ones of lhs and of rhs. Any element type, the same for both; Result, as in dot_general<op,
// dtype::i32>, is another one to sum in.
template <ops::dot_general Op, operand_like Lhs, operand_like Rhs>
constexpr auto dot_general(Lhs&& lhs, Rhs&& rhs, op_check<Op, result_types<>, Lhs, Rhs> = {}) {
  return apply<Op>(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
}

// The same where the sum has another element type than the operands, such as i8 times i8 giving i32.
template <ops::dot_general Op, dtype Result, operand_like Lhs, operand_like Rhs>
constexpr auto dot_general(Lhs&& lhs, Rhs&& rhs, op_check<Op, result_types<with_open_shape(Result)>, Lhs, Rhs> = {}) {
  return apply<Op, result_types<with_open_shape(Result)>>(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
}

}  // namespace tenon
