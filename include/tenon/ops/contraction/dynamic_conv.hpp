// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/contraction/convolution.hpp>

namespace tenon::ops {

// A convolution whose padding is an operand. https://openxla.org/stablehlo/spec#dynamic_conv
struct dynamic_conv {
  static constexpr std::string_view name = "dynamic_conv";
  static constexpr bool asks_for_constants = true;
  static constexpr bool dequantizes = true;
  ints window_strides{};   // absent: 1
  ints lhs_dilation{};     // absent: 1
  ints rhs_dilation{};     // absent: 1
  ints window_reversal{};  // 1 for true; absent: false
  convolution_dimension_numbers dimension_numbers{};
  index_t feature_group_count = 1;
  index_t batch_group_count = 1;
  precision_list precision_config{};  // absent: DEFAULT

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("window_strides", self.window_strides) && visit("lhs_dilation", self.lhs_dilation) &&
           visit("rhs_dilation", self.rhs_dilation) && visit("window_reversal", self.window_reversal) &&
           visit("dimension_numbers", self.dimension_numbers) &&
           visit("feature_group_count", self.feature_group_count) &&
           visit("batch_group_count", self.batch_group_count) && visit("precision_config", self.precision_config);
  }

  // Where the padding is no constant, the result's shape is the declared one.
  constexpr tensor_type infer(rules& rule, const tensor_type& lhs, const tensor_type& rhs,
                              const tensor_type& padding) const {
    rule("dynamic_conv_i3", "padding: 2-dimensional tensor of integer type",
         rule.is(padding, kinds::integer) && padding.rank() == 2);
    rule("dynamic_conv_c4", "shape(padding) = [N - 2, 2]",
         !lhs.is_tensor() || padding.shape == ints{lhs.rank() - 2, 2});
    const list<index_t> values = rule.constants[2];
    const bool known = padding.size() == 0 || values.size == padding.size();
    rule("dynamic_conv_c25", "the result's type is written where the padding is not constant",
         known || !rule.declared.empty());
    return with_padding(values).infer_as(rule_labels::of<dynamic_conv>(), rule, lhs, rhs, known);
  }

  // The same as a convolution, for padding values in row-major order.
  constexpr convolution with_padding(list<index_t> values) const {
    ints_table padding;
    for (int i = 0; i + 1 < values.size; i += 2) padding.push({values[i], values[i + 1]});
    return {window_strides,      padding,           lhs_dilation,    rhs_dilation, window_reversal, dimension_numbers,
            feature_group_count, batch_group_count, precision_config};
  }

  // As convolution; the padding in front is known when the program runs.
  constexpr indexing::indexing_map reads(int operand, int, list<tensor_type> operands,
                                         list<tensor_type> results) const {
    if (operand == 2) return indexing::whole_map(results[0].shape, operands[2].shape);
    return with_padding({}).reads_padded(operand, operands, results[0], true);
  }
  static constexpr indexing::runtime_source source_of(int, int variable, list<tensor_type>, list<tensor_type> results) {
    indexing::indexing_map element = indexing::map_over(results[0].shape);
    element.add_result(element.constant(variable));
    element.add_result(element.constant(0));
    return {2, element};
  }

  constexpr index_t scratch_bytes(list<tensor_type> operands, list<tensor_type> results) const {
    return with_padding({}).scratch_bytes(operands, results);
  }

  template <class T>
  void evaluate(const evaluation& e) const {
    padded(e).template evaluate<T>(e);
  }

  // The convolution that the padding at run time makes of it.
  convolution padded(const evaluation& e) const {
    const tensor_type& padding = e.operand_types.data[2];
    index_t values[2 * max_rank]{};
    const int count = int(padding.size() < 2 * max_rank ? padding.size() : 2 * max_rank);
    const index_t bytes = storage_bytes(padding.element);
    for (int i = 0; i < count; ++i)
      values[i] = read_element<i64>(padding.element, static_cast<const std::byte*>(e.operands.data[2]) + i * bytes);
    return with_padding({values, count});
  }
};

}  // namespace tenon::ops

namespace tenon {

// dynamic_conv<ops::dynamic_conv{...}, ints{2, 6, 6, 3}>(lhs, rhs, padding): a convolution whose padding is known when
// it runs, as integers of space x 2. The shape is that of the result; element types are as for convolution.
template <ops::dynamic_conv Op, ints Shape, operand_like Lhs, operand_like Rhs, operand_like Padding>
constexpr auto dynamic_conv(Lhs&& lhs, Rhs&& rhs, Padding&& padding,
                            op_check<Op, result_types<type_of(dtype::none, Shape)>, Lhs, Rhs, Padding> = {}) {
  return apply<Op, result_types<type_of(dtype::none, Shape)>>(static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs),
                                                              static_cast<Padding&&>(padding));
}

}  // namespace tenon
