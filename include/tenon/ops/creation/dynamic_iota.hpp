// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/indexing/builders.hpp>
#include <tenon/ops/creation/iota.hpp>
#include <tenon/ops/shape_operand.hpp>

namespace tenon::ops {

// iota of a shape that the program computes; it must be the one that the type of the result says.
// https://openxla.org/stablehlo/spec#dynamic_iota
struct dynamic_iota {
  static constexpr std::string_view name = "dynamic_iota";
  static constexpr op_notation notation = op_notation::attributes;
  static constexpr bool asks_for_constants = true;
  static constexpr int typed_by = -1;
  index_t iota_dimension = 0;

  static constexpr bool attributes(auto& self, auto visit) { return visit("iota_dimension", self.iota_dimension); }

  constexpr tensor_type infer(rules& rule, const tensor_type& output_shape) const {
    rule("dynamic_iota_i1", "output_shape: 1-dimensional tensor of integer type", is_shape_operand(rule, output_shape));
    const tensor_type result = declared_result(rule, "dynamic_iota_o1");
    rule("dynamic_iota_o1", "result: tensor of integer, floating-point, or complex type or per-tensor quantized tensor",
         rule.is(result, iota_kinds));
    rule("dynamic_iota_c1", "0 <= iota_dimension < size(output_shape)",
         0 <= iota_dimension && iota_dimension < output_shape.size());
    check_shape_operand(rule, "dynamic_iota_c2", 0, output_shape, result);
    return result;
  }

  // Every element needs the shape.
  static constexpr indexing::indexing_map reads(int operand, int, list<tensor_type> operands,
                                                list<tensor_type> results) {
    return indexing::whole_map(results[0].shape, operands[operand].shape);
  }

  template <class T>
  void evaluate(const evaluation& e) const {
    expect_result_shape(e, name, read_shape_operand(e, 0));
    fill_with_indices<T>(e, iota_dimension);
  }
};

}  // namespace tenon::ops

namespace tenon {

// As iota, of a shape that is known when it runs: integers, one for each dimension. `Shape` is what output_shape must
// turn out to hold.
template <class T, ints Shape, index_t IotaDimension = 0, class OutputShape>
constexpr auto dynamic_iota(
    OutputShape&& output_shape,
    op_check<ops::dynamic_iota{IotaDimension}, result_types<type_of(dtype_of<T>, Shape)>, OutputShape> = {}) {
  return apply<ops::dynamic_iota{IotaDimension}, result_types<type_of(dtype_of<T>, Shape)>>(
      static_cast<OutputShape&&>(output_shape));
}

}  // namespace tenon
