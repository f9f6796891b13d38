// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/indexing/builders.hpp>
#include <tenon/ops/lookup/gather.hpp>
#include <tenon/ops/result_rules.hpp>
#include <tenon/ops/shape_operand.hpp>

namespace tenon::ops {

// gather of slices whose sizes the program computes; they must be those that the type of the result says.
// https://openxla.org/stablehlo/spec#dynamic_gather
struct dynamic_gather {
  static constexpr std::string_view name = "dynamic_gather";
  static constexpr bool asks_for_constants = true;
  static constexpr bool moves_bytes = true, gathers_slices = true;
  gather_dimension_numbers dimension_numbers{};
  bool indices_are_sorted = false;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("dimension_numbers", self.dimension_numbers) && visit("indices_are_sorted", self.indices_are_sorted);
  }

  constexpr tensor_type infer(rules& rule, const tensor_type& operand, const tensor_type& start_indices,
                              const tensor_type& slice_sizes) const {
    // The rules about batching dimensions stand under those that the specification has for the other dimensions.
    constexpr gather_labels labels{{"",
                                    "dynamic_gather_c1",
                                    "dynamic_gather_c2",
                                    "dynamic_gather_c3",
                                    "dynamic_gather_c4",
                                    "dynamic_gather_c5",
                                    "dynamic_gather_c6",
                                    "dynamic_gather_c6",
                                    "dynamic_gather_c7",
                                    "dynamic_gather_c8",
                                    "dynamic_gather_c6",
                                    "dynamic_gather_c7",
                                    "dynamic_gather_c8",
                                    "dynamic_gather_c6",
                                    "dynamic_gather_c7",
                                    "dynamic_gather_c7",
                                    "dynamic_gather_c1",
                                    "dynamic_gather_c1",
                                    "dynamic_gather_c9",
                                    "dynamic_gather_c10",
                                    "dynamic_gather_c11",
                                    "dynamic_gather_c12",
                                    "dynamic_gather_c13",
                                    "dynamic_gather_c14"}};
    rule("dynamic_gather_i1", "operand: tensor or per-tensor quantized tensor",
         rule.is(operand, kinds::any | kinds::per_tensor_quantized));
    rule("dynamic_gather_i2", "start_indices: tensor of integer type", rule.is(start_indices, kinds::integer));
    rule("dynamic_gather_i3", "slice_sizes: 1-dimensional tensor of integer type", is_shape_operand(rule, slice_sizes));
    check_gather(rule, labels, dimension_numbers, operand, start_indices);
    rule("dynamic_gather_c11", "size(slice_sizes) = rank(operand)", slice_sizes.dim(0) == operand.rank());
    const tensor_type result = declared_result(rule, "dynamic_gather_o1", operand);
    const ints sizes = is_known(rule, 2, slice_sizes) ? known_value(rule, 2) : promised_sizes(operand.rank(), result);
    rule("dynamic_gather_c13",
         "shape(result) = combine(shape(start_indices) without index_vector_dim at batch_dims, slice_sizes without "
         "collapsed and batching dimensions at offset_dims)",
         result.shape == check_slice_sizes(rule, labels, dimension_numbers, operand, start_indices, sizes));
    return result;
  }

  // As gather, with slices of the sizes that the result has room for; every element needs the sizes.
  constexpr indexing::indexing_map reads(int operand, int, list<tensor_type> operands,
                                         list<tensor_type> results) const {
    const indexing::gather_numbers numbers = numbers_for(operands, results);
    if (operand == 2) return indexing::whole_map(results[0].shape, operands[2].shape);
    if (operand == 1) return indexing::gather_indices_map(results[0].shape, operands[1].shape, numbers);
    return indexing::gather_operand_map(results[0].shape, operands[0].shape, numbers);
  }
  constexpr indexing::runtime_source source_of(int, int variable, list<tensor_type> operands,
                                               list<tensor_type> results) const {
    return {
        1, indexing::gather_indices_map(results[0].shape, operands[1].shape, numbers_for(operands, results), variable)};
  }
  constexpr indexing::gather_numbers numbers_for(list<tensor_type> operands, list<tensor_type> results) const {
    return dimension_numbers.numbers(promised_sizes(operands[0].rank(), results[0]));
  }

  void check_operands(const evaluation& e) const {
    const ints sizes = read_shape_operand(e, 2), promised = promised_sizes(sizes.size, e.result_types.data[0]);
    const window_numbers windows = dimension_numbers.windows();
    if (!(windows.window_sizes(sizes) == windows.window_sizes(promised)))
      fail("dynamic_gather: slice_sizes are not those of the type of the result");
  }
  template <class T>
  void evaluate(const evaluation& e) const {
    check_operands(e);
    gather_slices<T>(e, dimension_numbers.windows());
  }

 private:
  // The sizes of slices that make the shape of the result: those of its offset dimensions, 1 for the others.
  constexpr ints promised_sizes(int operand_rank, const tensor_type& result) const {
    return window_shape(dimension_numbers.windows(), operand_rank, result.shape);
  }
};

}  // namespace tenon::ops

namespace tenon {

// As gather, with slice sizes that are known when it runs: integers, one for each dimension of the operand. `Shape` is
// what the shape of the result must turn out to be.
template <ops::dynamic_gather Op, ints Shape, class Operand, class StartIndices, class SliceSizes>
constexpr auto dynamic_gather(
    Operand&& operand, StartIndices&& start_indices, SliceSizes&& slice_sizes,
    op_check<Op, result_types<type_of(dtype::none, Shape)>, Operand, StartIndices, SliceSizes> = {}) {
  return apply<Op, result_types<type_of(dtype::none, Shape)>>(static_cast<Operand&&>(operand),
                                                              static_cast<StartIndices&&>(start_indices),
                                                              static_cast<SliceSizes&&>(slice_sizes));
}

}  // namespace tenon
