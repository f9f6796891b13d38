// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/core/element.hpp>
#include <tenon/ops/elementwise/baseline_rules.hpp>
#include <tenon/ops/op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#convert
struct convert {
  static constexpr std::string_view name = "convert";
  static constexpr bool converts = true;

  // The declared type says what to convert to.
  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    check_kind(rule, "convert_i1", accepts::anything, operand);
    const tensor_type declared = rule.declared[0];
    rule("convert_o1", "result: tensor", rule.is(declared, kinds::any));
    if (!has_open_shape(declared)) rule.result_shape("convert_c1", "shape(operand) = shape(result)", operand.shape);
    return operand.with_element(declared.element);
  }

  // The value in the element type R of the result, rounded once.
  template <class R, class T>
  static constexpr R element(T operand) {
    return convert_to<R>(operand);
  }
};

}  // namespace tenon::ops

namespace tenon {

// `convert<f64>(x)`: each element as one of the type R, rounded once; to integers without the fraction, to the nearest
// that there is. Every element type; the result has the shape of the operand.
template <element_like R, operand_like Operand>
constexpr auto convert(Operand&& operand,
                       op_check<ops::convert{}, result_types<with_open_shape(dtype_of<R>)>, Operand> = {}) {
  return apply<ops::convert{}, result_types<with_open_shape(dtype_of<R>)>>(static_cast<Operand&&>(operand));
}

}  // namespace tenon
