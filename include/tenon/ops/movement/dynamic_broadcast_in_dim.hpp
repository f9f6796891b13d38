// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/indexing/builders.hpp>
#include <tenon/ops/movement/broadcast_in_dim.hpp>
#include <tenon/ops/shape_operand.hpp>

namespace tenon::ops {

// broadcast_in_dim to a shape that the program computes; it must be the one that the type of the result says.
// https://openxla.org/stablehlo/spec#dynamic_broadcast_in_dim
struct dynamic_broadcast_in_dim {
  static constexpr std::string_view name = "dynamic_broadcast_in_dim";
  static constexpr bool asks_for_constants = true;
  static constexpr bool moves_bytes = true;
  ints broadcast_dimensions, known_expanding_dimensions, known_nonexpanding_dimensions;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("broadcast_dimensions", self.broadcast_dimensions) &&
           visit("known_expanding_dimensions", self.known_expanding_dimensions) &&
           visit("known_nonexpanding_dimensions", self.known_nonexpanding_dimensions);
  }

  constexpr tensor_type infer(rules& rule, const tensor_type& operand, const tensor_type& output_dimensions) const {
    rule("dynamic_broadcast_in_dim_i1", "operand: tensor or quantized tensor",
         rule.is(operand, kinds::any | kinds::quantized));
    rule("dynamic_broadcast_in_dim_i2", "output_dimensions: 1-dimensional tensor of integer type",
         is_shape_operand(rule, output_dimensions));
    const tensor_type result = declared_result(rule, "dynamic_broadcast_in_dim_o1", operand);
    check_broadcast(rule,
                    {"dynamic_broadcast_in_dim_c1", "dynamic_broadcast_in_dim_c2", "dynamic_broadcast_in_dim_c3",
                     "dynamic_broadcast_in_dim_c4", "dynamic_broadcast_in_dim_c5", "dynamic_broadcast_in_dim_c6"},
                    operand, result, broadcast_dimensions);
    check_shape_operand(rule, "dynamic_broadcast_in_dim_c7", 1, output_dimensions, result);
    rule("dynamic_broadcast_in_dim_c8", "is_unique(known_expanding_dimensions + known_nonexpanding_dimensions)",
         (known_expanding_dimensions + known_nonexpanding_dimensions).unique());
    rule("dynamic_broadcast_in_dim_c9", "0 <= known_expanding_dimensions < rank(operand)",
         known_expanding_dimensions.within(0, operand.rank()));
    rule("dynamic_broadcast_in_dim_c10", "0 <= known_nonexpanding_dimensions < rank(operand)",
         known_nonexpanding_dimensions.within(0, operand.rank()));
    return result;
  }

  // As broadcast_in_dim; every element needs the shape.
  constexpr indexing::indexing_map reads(int operand, int, list<tensor_type> operands,
                                         list<tensor_type> results) const {
    if (operand == 1) return indexing::whole_map(results[0].shape, operands[1].shape);
    return indexing::broadcast_in_dim_map(results[0].shape, operands[0].shape, broadcast_dimensions);
  }

  template <class T>
  void evaluate(const evaluation& e) const {
    expect_result_shape(e, name, read_shape_operand(e, 1));
    broadcast_elements<T>(e, broadcast_dimensions);
  }
};

}  // namespace tenon::ops

namespace tenon {

// As broadcast_in_dim, to a shape that is known when it runs: integers, one for each dimension. `Shape` is what
// output_dimensions must turn out to hold.
template <ints Shape, ints BroadcastDimensions, class Operand, class OutputDimensions>
constexpr auto dynamic_broadcast_in_dim(
    Operand&& operand, OutputDimensions&& output_dimensions,
    op_check<ops::dynamic_broadcast_in_dim{BroadcastDimensions, {}, {}}, result_types<type_of(dtype::none, Shape)>,
             Operand, OutputDimensions> = {}) {
  return apply<ops::dynamic_broadcast_in_dim{BroadcastDimensions, {}, {}}, result_types<type_of(dtype::none, Shape)>>(
      static_cast<Operand&&>(operand), static_cast<OutputDimensions&&>(output_dimensions));
}

}  // namespace tenon
