// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/complex_lanes.hpp>
#include <tenon/ops/elementwise/elementwise_op.hpp>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#select
struct select {
  static constexpr std::string_view name = "select";
  static constexpr op_notation notation = op_notation::select;
  static constexpr int typed_by = 1;
  static constexpr bool gives_an_operand = true;

  // `pred` may be 0-dimensional.
  static constexpr tensor_type infer(rules& rule, const tensor_type& pred, const tensor_type& on_true,
                                     const tensor_type& on_false) {
    constexpr const char* types = "baseline_type(on_true) = baseline_type(on_false) = baseline_type(result)";
    rule("select_i1", "pred: tensor of type i1", rule.is(pred, kinds::boolean));
    check_kind(rule, "select_i2", accepts::anything_or_quantized, on_true);
    check_kind(rule, "select_i3", accepts::anything_or_quantized, on_false);
    rule("select_c1", "rank(pred) = 0 or shape(pred) = shape(on_true)",
         pred.rank() == 0 || pred.shape == on_true.shape);
    rule("select_c2", types, same_baseline(rule, on_true, on_false));
    const tensor_type result = infer_result(rule, "select_c2", types, on_true);
    check_kind(rule, "select_o1", accepts::anything_or_quantized, result);
    return result;
  }

  template <class T>
  static constexpr T element(bool pred, T on_true, T on_false) {
    return pred ? on_true : on_false;
  }

  // `pred` as a mask of D.
  template <class D, class M, class V>
    requires std::same_as<M, hn::Mask<D>>
  static V lanes(D, M pred, V on_true, V on_false) {
    return hn::IfThenElse(pred, on_true, on_false);
  }
  template <class D>
  static complex_vector<D> complex_lanes(D, hn::Mask<D> pred, complex_vector<D> on_true, complex_vector<D> on_false) {
    return {hn::IfThenElse(pred, on_true.real, on_false.real), hn::IfThenElse(pred, on_true.imag, on_false.imag)};
  }
};

}  // namespace tenon::ops

namespace tenon {

// select(pred, x, y): an element of x where pred is true, else of y. pred is i1, of the shape of the others or without
// dimensions; x and y have one type of any kind, which is that of the result; one may be a number.
constexpr auto select(auto&& pred, auto&& on_true, auto&& on_false,
                      elementwise_check<ops::select{}, decltype(pred), decltype(on_true), decltype(on_false)> = {}) {
  return apply_elementwise<ops::select{}>(static_cast<decltype(pred)>(pred), static_cast<decltype(on_true)>(on_true),
                                          static_cast<decltype(on_false)>(on_false));
}

}  // namespace tenon
