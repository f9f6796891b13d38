// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/xla/contraction.hpp>

// Functions that combine elements by a computation: an XlaComputation, an op of tenon, or a function object of XlaOps.
namespace tenon::xla {

struct ScatterDimensionNumbers : scatter_dimension_numbers {
  constexpr void add_update_window_dims(index_t value) { update_window_dims.push(value); }
  constexpr void add_inserted_window_dims(index_t value) { inserted_window_dims.push(value); }
  constexpr void add_scatter_dims_to_operand_dims(index_t value) { scatter_dims_to_operand_dims.push(value); }
  constexpr void add_input_batching_dims(index_t value) { input_batching_dims.push(value); }
  constexpr void add_scatter_indices_batching_dims(index_t value) { scatter_indices_batching_dims.push(value); }
  constexpr void set_index_vector_dim(index_t value) { index_vector_dim = value; }
};

namespace detail {

// An element of each of these, `times` over.
constexpr std::vector<Shape> elements_of(Span<XlaOp> operands, int times) {
  std::vector<Shape> elements;
  for (int i = 0; i < times; ++i)
    for (const XlaOp& each : operands) elements.push_back(each.type().with_shape({}));
  return elements;
}
// An op whose region combines two values of each operand.
template <class Op>
constexpr XlaOp combine(const Op& op, Span<XlaOp> operands, Span<XlaOp> init_values, const body& computation) {
  const std::vector<XlaOp> all = joined(operands, init_values);
  recorder& r = recorder_of(all);
  return r.record(op, all, {}, {r.region_of(computation, elements_of(init_values, 2))});
}

struct reduce_function {
  constexpr XlaOp operator()(recorder* builder, Span<XlaOp> operands, Span<XlaOp> init_values, const body& computation,
                             const Int64Span& dimensions_to_reduce) const {
    recorder& r = recorder_of(builder);
    return r.record(ops::reduce{dimensions_to_reduce}, joined(operands, init_values), {},
                    {r.region_of(computation, elements_of(init_values, 2))});
  }
  constexpr XlaOp operator()(Span<XlaOp> operands, Span<XlaOp> init_values, const body& computation,
                             const Int64Span& dimensions_to_reduce) const {
    return combine(ops::reduce{dimensions_to_reduce}, operands, init_values, computation);
  }
  // Of all dimensions.
  constexpr XlaOp operator()(const XlaOp& operand, const XlaOp& init_value, const body& computation) const {
    return (*this)(operand, init_value, computation, ints::range(operand.type().rank()));
  }
};

struct reduce_window_general_function {
  constexpr XlaOp operator()(Span<XlaOp> operands, Span<XlaOp> init_values, const body& computation,
                             const Int64Span& window_dimensions, const Int64Span& window_strides,
                             const Int64Span& base_dilations, const Int64Span& window_dilations,
                             const PaddingPairs& padding) const {
    return combine(ops::reduce_window{window_dimensions, window_strides, base_dilations, window_dilations, padding},
                   operands, init_values, computation);
  }
};
struct reduce_window_function {
  constexpr XlaOp operator()(Span<XlaOp> operands, Span<XlaOp> init_values, const body& computation,
                             const Int64Span& window_dimensions, const Int64Span& window_strides,
                             const Int64Span& base_dilations, const Int64Span& window_dilations,
                             Padding padding) const {
    const ints sizes = dilated(recorder_of(operands).type_of(operands[0]).shape, base_dilations);
    const ints window = dilated(window_dimensions, window_dilations);
    return reduce_window_general_function{}(operands, init_values, computation, window_dimensions, window_strides,
                                            base_dilations, window_dilations,
                                            padding_of(padding, sizes, window, window_strides));
  }
  constexpr XlaOp operator()(Span<XlaOp> operands, Span<XlaOp> init_values, const body& computation,
                             const Int64Span& window_dimensions, const Int64Span& window_strides,
                             Padding padding) const {
    return (*this)(operands, init_values, computation, window_dimensions, window_strides, {}, {}, padding);
  }
  // The order in which the example of the older pages writes them.
  constexpr XlaOp operator()(const XlaOp& operand, const body& computation, const XlaOp& init_value,
                             const Int64Span& window_dimensions, const Int64Span& window_strides,
                             Padding padding) const {
    return (*this)(operand, init_value, computation, window_dimensions, window_strides, padding);
  }
};

struct select_and_scatter_general_function {
  constexpr XlaOp operator()(const XlaOp& operand, const body& select, const Int64Span& window_dimensions,
                             const Int64Span& window_strides, const PaddingPairs& padding, const XlaOp& source,
                             const XlaOp& init_value, const body& scatter) const {
    recorder& r = recorder_of({operand, source, init_value});
    const std::vector<Shape> two = elements_of({operand}, 2);
    return r.record(ops::select_and_scatter{window_dimensions, window_strides, padding}, {operand, source, init_value},
                    {}, {r.region_of(select, two), r.region_of(scatter, two)});
  }
};
struct select_and_scatter_function {
  constexpr XlaOp operator()(const XlaOp& operand, const body& select, const Int64Span& window_dimensions,
                             const Int64Span& window_strides, Padding padding, const XlaOp& source,
                             const XlaOp& init_value, const body& scatter) const {
    return select_and_scatter_general_function{}(
        operand, select, window_dimensions, window_strides,
        padding_of(padding, operand.type().shape, window_dimensions, window_strides), source, init_value, scatter);
  }
};

struct scatter_function {
  constexpr XlaOp operator()(Span<XlaOp> operands, const XlaOp& scatter_indices, Span<XlaOp> updates,
                             const body& update_computation, const ScatterDimensionNumbers& dimension_numbers,
                             bool indices_are_sorted = false, bool unique_indices = false) const {
    const std::vector<XlaOp> all = joined(joined(operands, {scatter_indices}), updates);
    recorder& r = recorder_of(all);
    return r.record(ops::scatter{dimension_numbers, indices_are_sorted, unique_indices}, all, {},
                    {r.region_of(update_computation, elements_of(operands, 2))});
  }
};

// The comparator takes two values of each operand: (a0, b0, a1, b1, ...). Without one, in ascending order.
struct sort_function {
  constexpr XlaOp operator()(Span<XlaOp> operands, const body& comparator, std::int64_t dimension = -1,
                             bool is_stable = false) const {
    recorder& r = recorder_of(operands);
    std::vector<Shape> pairs;
    for (const XlaOp& each : operands) pairs.insert(pairs.end(), 2, each.type().with_shape({}));
    return r.record(ops::sort{dimension, is_stable}, operands, {}, {r.region_of(comparator, pairs)});
  }
  constexpr XlaOp operator()(const XlaOp& operand, std::int64_t dimension = -1) const {
    return (*this)(Span<XlaOp>{operand}, total_comparison<comparison_direction::LT>{}, dimension);
  }
  // Sorts the values together with the keys.
  constexpr XlaOp operator()(const XlaOp& keys, const XlaOp& values, std::int64_t dimension = -1) const {
    return (*this)(Span<XlaOp>{keys, values}, by_key{}, dimension);
  }

 private:
  struct by_key {
    constexpr XlaOp operator()(const XlaOp& a, const XlaOp& b, const XlaOp&, const XlaOp&) const {
      return total_comparison<comparison_direction::LT>{}(a, b);
    }
  };
};

struct map_function {
  constexpr XlaOp operator()(Span<XlaOp> operands, const body& computation, const Int64Span& dimensions,
                             Span<XlaOp> static_operands = {}) const {
    return (*this)(&recorder_of(operands), operands, computation, dimensions, static_operands);
  }
  constexpr XlaOp operator()(Span<XlaOp> operands, const body& computation) const {
    recorder& r = recorder_of(operands);
    return (*this)(&r, operands, computation, ints::range(operands[0].type().rank()));
  }
  // The computation is given an element of each operand, and all of each static one.
  constexpr XlaOp operator()(recorder* builder, Span<XlaOp> operands, const body& computation,
                             const Int64Span& dimensions, Span<XlaOp> static_operands = {}) const {
    recorder& r = recorder_of(builder);
    if (!r.admit(operands) || !r.admit(static_operands)) return r.nothing();
    return r.record(ops::map{dimensions}, operands, {},
                    {r.region_of(computation, elements_of(operands, 1), nullptr, static_operands)});
  }
};

struct scan_function {
  constexpr XlaOp operator()(Span<XlaOp> inputs, Span<XlaOp> inits, const body& to_apply, std::int64_t scan_dimension,
                             bool is_reverse = false, bool is_associative = false) const {
    const std::vector<XlaOp> all = joined(inputs, inits);
    recorder& r = recorder_of(all);
    std::vector<Shape> turn;
    for (const XlaOp& each : inputs)
      turn.push_back(each.type().with_shape(each.type().shape.without({scan_dimension})));
    for (const XlaOp& each : inits) turn.push_back(each.type());
    Shape gives;
    const int region = r.region_of(to_apply, turn, &gives);
    std::vector<tensor_type> leaves;
    gives.append_leaves(leaves);
    return r.record(ops::scan{scan_dimension,
                              ops::scan::absent,
                              is_reverse,
                              is_associative,
                              {inputs.size(), inits.size()},
                              {index_t(leaves.size()) - inits.size(), inits.size()}},
                    all, {}, {region});
  }
};

// Values, and where they are. The smallest are the largest in reverse order: of negated floats, and of integers whose
// bits are turned.
struct top_k_function {
  constexpr XlaOp operator()(const XlaOp& operand, std::int64_t k, bool largest = true) const {
    recorder& r = recorder_of(operand);
    const XlaOp found = r.record(ops::top_k{k}, {largest ? operand : reversed(operand)});
    return largest || !found.valid() ? found : r.tuple_of({reversed(r.member(found, 0)), r.member(found, 1)});
  }

 private:
  static constexpr XlaOp reversed(const XlaOp& x) {
    return is_float(x.type().element) ? unary<ops::negate{}>{}(x) : unary<ops::not_{}>{}(x);
  }
};

struct batch_norm_training_function {
  constexpr XlaOp operator()(const XlaOp& operand, const XlaOp& scale, const XlaOp& offset, float epsilon,
                             std::int64_t feature_index) const {
    return record(ops::batch_norm_training{epsilon, feature_index}, {operand, scale, offset});
  }
};
struct batch_norm_inference_function {
  constexpr XlaOp operator()(const XlaOp& operand, const XlaOp& scale, const XlaOp& offset, const XlaOp& mean,
                             const XlaOp& variance, float epsilon, std::int64_t feature_index) const {
    return record(ops::batch_norm_inference{epsilon, feature_index}, {operand, scale, offset, mean, variance});
  }
};
struct batch_norm_grad_function {
  constexpr XlaOp operator()(const XlaOp& operand, const XlaOp& scale, const XlaOp& batch_mean, const XlaOp& batch_var,
                             const XlaOp& grad_output, float epsilon, std::int64_t feature_index) const {
    return record(ops::batch_norm_grad{epsilon, feature_index}, {operand, scale, batch_mean, batch_var, grad_output});
  }
};

}  // namespace detail

inline constexpr detail::reduce_function Reduce, ReduceAll;
inline constexpr detail::reduce_window_function ReduceWindow;
inline constexpr detail::reduce_window_general_function ReduceWindowWithGeneralPadding;
inline constexpr detail::select_and_scatter_function SelectAndScatter;
inline constexpr detail::select_and_scatter_general_function SelectAndScatterWithGeneralPadding;
inline constexpr detail::scatter_function Scatter;
inline constexpr detail::sort_function Sort;
inline constexpr detail::map_function Map;
inline constexpr detail::scan_function Scan;
inline constexpr detail::top_k_function TopK;
inline constexpr detail::batch_norm_training_function BatchNormTraining;
inline constexpr detail::batch_norm_inference_function BatchNormInference;
inline constexpr detail::batch_norm_grad_function BatchNormGrad;

}  // namespace tenon::xla
