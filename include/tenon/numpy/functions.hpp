// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/core/results.hpp>
#include <tenon/core/tensor.hpp>
#include <tenon/ops/contraction/dot_general.hpp>
#include <tenon/ops/creation/iota.hpp>
#include <tenon/ops/elementwise.hpp>
#include <tenon/ops/movement.hpp>
#include <tenon/ops/reduction/reduce.hpp>

#include <cstdint>

// Functions by NumPy's names that differ from StableHLO's, or take several of its ops. Each works for
// tensors, expressions and traced values alike. Axes count from the end where they are negative.
namespace tenon {

// Whether axes that are reduced are gone, or stay with size 1: mean<ints{-1}, keepdims>(x).
enum reduced_axes { dropdims, keepdims };

namespace detail {

constexpr ints from_the_front(ints axes, int rank) {
  for (int i = 0; i < axes.size; ++i)
    if (axes.at[i] < 0) axes.at[i] += rank;
  return axes;
}
constexpr int from_the_front(index_t axis, int rank) { return int(axis < 0 ? axis + rank : axis); }

// Neutral elements of maximum and minimum; of complex numbers there are none.
template <bool IsLeast>
struct extreme_element {
  template <class T>
  constexpr T as() const {
    if constexpr (is_complex(dtype_of<T>))
      return T{};
    else if constexpr (is_boolean(dtype_of<T>))
      return !IsLeast;
    else
      return IsLeast ? element_traits<T>::least() : element_traits<T>::greatest();
  }
};
using least_element = extreme_element<true>;
using greatest_element = extreme_element<false>;

constexpr auto reshape_to(const auto& x, const ints& shape) {
  const tensor_type type = type_of(dtype::none, shape);
  return apply_value(ops::reshape{}, {&type, 1}, x);
}
constexpr auto broadcast_to(const auto& x, const ints& shape, const ints& dimensions) {
  const tensor_type type = type_of(dtype::none, shape);
  return apply_value(ops::broadcast_in_dim{dimensions}, {&type, 1}, x);
}
// Aligned at the last axis, as in NumPy.
constexpr auto broadcast_to(const auto& x, const ints& shape) {
  if (type_of_operand(x).shape == shape) return x;
  const int rank = type_of_operand(x).rank();
  ints dimensions;
  for (int i = 0; i < rank; ++i) dimensions.push(shape.size - rank + i);
  return broadcast_to(x, shape, dimensions);
}

template <class Body>
constexpr auto reduce_over(const auto& x, const auto& init, const ints& axes) {
  return apply_value<bodies<Body>>(ops::reduce{axes}, {}, x, init);
}

inline constexpr ints every_axis{INT64_MAX};

template <ints Axes>
constexpr ints axes_of(const auto& x) {
  const int rank = type_of_operand(x).rank();
  return Axes == every_axis ? ints::range(rank) : from_the_front(Axes, rank);
}

// A reduction of x, with axes of size 1 in place of the reduced ones.
template <reduced_axes Reduced>
constexpr auto with_reduced_axes(const auto& reduced, const auto& x, const ints& axes) {
  if constexpr (Reduced == dropdims) {
    return reduced;
  } else {
    ints shape = type_of_operand(x).shape;
    for (index_t axis : axes) shape.set(axis, 1);
    return reshape_to(reduced, shape);
  }
}

constexpr auto converted(const auto& x, dtype element) -> decltype(apply_value(ops::convert{}, {}, x)) {
  if (type_of_operand(x).element == element) return x;
  const tensor_type type = with_open_shape(element);
  return apply_value(ops::convert{}, {&type, 1}, x);
}
// Booleans as integers, whose sums count.
constexpr auto counted(const auto& x) {
  const dtype element = type_of_operand(x).element;
  return converted(x, is_boolean(element) ? dtype::i32 : element);
}
// The type that a mean is computed in.
constexpr dtype mean_element(dtype element) {
  return is_complex(element) ? element : num_bits(element) > 32 ? dtype::f64 : dtype::f32;
}

template <class Body, auto Init, ints Axes, reduced_axes Reduced>
struct reduction {
  constexpr auto operator()(const auto& x) const {
    const ints axes = axes_of<Axes>(x);
    const auto numbers = std::is_integral_v<decltype(Init)> ? counted(x) : x;
    return with_reduced_axes<Reduced>(reduce_over<Body>(numbers, Init, axes), x, axes);
  }
};
template <ints Axes, reduced_axes Reduced>
using max_of = reduction<ops::maximum, least_element{}, Axes, Reduced>;
template <ints Axes, reduced_axes Reduced>
using min_of = reduction<ops::minimum, greatest_element{}, Axes, Reduced>;

template <ints Axes, reduced_axes Reduced = dropdims>
struct mean_of {
  constexpr auto operator()(const auto& x) const {
    const tensor_type type = type_of_operand(x);
    const dtype computed = mean_element(type.element);
    const ints axes = axes_of<Axes>(x);
    const auto total = reduce_over<ops::add>(converted(x, computed), 0, axes);
    const auto average = divide(total, type.shape.select(axes).product());
    return with_reduced_axes<Reduced>(converted(average, is_float(type.element) ? type.element : computed), x, axes);
  }
};

// Of two values and their positions: the one that is greater (or less), NaN before everything, then the first.
template <comparison_direction Direction>
struct better_of_two {
  constexpr auto operator()(const auto& x, const auto& i, const auto& y, const auto& j) const {
    const auto better = or_(compare<Direction>(x, y), compare<comparison_direction::NE>(x, x));
    const auto tie = and_(compare<comparison_direction::EQ>(x, y), compare<comparison_direction::LT>(i, j));
    return results(select(better, x, y), select(or_(better, tie), i, j));
  }
};
template <comparison_direction Direction, class Init, index_t Axis, reduced_axes Reduced>
struct position_of_extreme {
  constexpr auto operator()(const auto& x) const {
    const tensor_type& type = type_of_operand(x);
    const int axis = from_the_front(Axis, type.rank());
    const tensor_type positions = type_of(dtype::i32, type.shape);
    const auto indices = apply_value_beside(x, ops::iota{axis}, {&positions, 1});
    const auto found =
        apply_value<bodies<better_of_two<Direction>>>(ops::reduce{ints{axis}}, {}, x, indices, Init{}, tensor<i32>(0));
    return with_reduced_axes<Reduced>(found[1], x, ints{axis});
  }
};

template <index_t Axis, reduced_axes Reduced>
using argmax_of = position_of_extreme<comparison_direction::GT, least_element, Axis, Reduced>;
template <index_t Axis, reduced_axes Reduced>
using argmin_of = position_of_extreme<comparison_direction::LT, greatest_element, Axis, Reduced>;

template <ints Shape>
struct broadcast_operand {
  constexpr auto operator()(const auto& x) const { return broadcast_to(x, Shape); }
};

struct reverse_axes {
  constexpr auto operator()(const auto& x) const {
    const int rank = type_of_operand(x).rank();
    ints permutation;
    for (int axis = rank; axis-- > 0;) permutation.push(axis);
    return apply_value(ops::transpose{permutation}, {}, x);
  }
};

constexpr ints with_axis(const ints& shape, index_t axis) {
  ints result;
  for (int i = 0; i <= shape.size; ++i) {
    if (i == axis) result.push(1);
    if (i < shape.size) result.push(shape[i]);
  }
  return result;
}
template <index_t Axis>
struct expand_axis {
  constexpr auto operator()(const auto& x) const {
    const ints shape = type_of_operand(x).shape;
    return reshape_to(x, with_axis(shape, from_the_front(Axis, shape.size + 1)));
  }
};
template <index_t Axis>
struct stack_along {
  constexpr auto operator()(const auto& first, const auto&... rest) const {
    const int axis = from_the_front(Axis, type_of_operand(first).rank() + 1);
    return apply_value(ops::concatenate{axis}, {}, expand_axis<Axis>{}(first), expand_axis<Axis>{}(rest)...);
  }
};

// Leading axes that are iterated together: the longer shape, or in each axis the one that is not 1.
constexpr ints common_shape(const ints& a, const ints& b) {
  const ints &longer = a.size >= b.size ? a : b, &shorter = a.size >= b.size ? b : a;
  ints result = longer;
  for (int i = 0; i < shorter.size; ++i) {
    const int at = longer.size - shorter.size + i;
    if (result[at] == 1) result.set(at, shorter[i]);
  }
  return result;
}

struct matrix_product {
  constexpr auto operator()(const auto& a, const auto& b) const {
    const ints a_shape = type_of_operand(a).shape, b_shape = type_of_operand(b).shape;
    const int a_rank = a_shape.size, b_rank = b_shape.size;
    // A vector is summed with the last axis of the other, and takes part in no batch.
    const ints a_batch = a_shape.without({a_rank - 1, a_rank - 2}), b_batch = b_shape.without({b_rank - 1, b_rank - 2});
    const ints batch = a_rank > 1 && b_rank > 1 ? common_shape(a_batch, b_batch) : ints{};
    const ints a_all = batch + a_shape.select(last_axes(a_rank, batch.size)),
               b_all = batch + b_shape.select(last_axes(b_rank, batch.size));
    const ints axes = ints::range(batch.size);
    ops::dot_general op;
    op.dot_dimension_numbers.lhs_batching_dimensions = op.dot_dimension_numbers.rhs_batching_dimensions = axes;
    op.dot_dimension_numbers.lhs_contracting_dimensions.push(a_all.size - 1);
    op.dot_dimension_numbers.rhs_contracting_dimensions.push(b_rank > 1 ? b_all.size - 2 : 0);
    return apply_value(op, {}, broadcast_to(a, a_all), broadcast_to(b, b_all));
  }

 private:
  // Those that are multiplied, if there are batches; else all.
  static constexpr ints last_axes(int rank, int batch_rank) {
    return batch_rank == 0 ? ints::range(rank) : ints{rank - 2, rank - 1};
  }
};

}  // namespace detail

// The elements combined over all axes, or over some: sum(x), sum<ints{0}>(x), mean<ints{-1}, keepdims>(x). The result
// has the type of x, and lacks these axes, or has them with size 1. Integers wrap around; sums and products of booleans
// are i32, means of them and of integers f32, or f64 for 64 bits.
template <ints Axes = detail::every_axis, reduced_axes Reduced = dropdims, operand_like X>
constexpr auto sum(X&& x, function_check<detail::reduction<ops::add, 0, Axes, Reduced>, X> = {}) {
  return apply_function(detail::reduction<ops::add, 0, Axes, Reduced>{}, static_cast<X&&>(x));
}
template <ints Axes = detail::every_axis, reduced_axes Reduced = dropdims, operand_like X>
constexpr auto product(X&& x, function_check<detail::reduction<ops::multiply, 1, Axes, Reduced>, X> = {}) {
  return apply_function(detail::reduction<ops::multiply, 1, Axes, Reduced>{}, static_cast<X&&>(x));
}
template <ints Axes = detail::every_axis, reduced_axes Reduced = dropdims, operand_like X>
constexpr auto mean(X&& x, function_check<detail::mean_of<Axes, Reduced>, X> = {}) {
  return apply_function(detail::mean_of<Axes, Reduced>{}, static_cast<X&&>(x));
}
template <ints Axes = detail::every_axis, reduced_axes Reduced = dropdims, operand_like X>
constexpr auto max(X&& x, function_check<detail::max_of<Axes, Reduced>, X> = {}) {
  return apply_function(detail::max_of<Axes, Reduced>{}, static_cast<X&&>(x));
}
template <ints Axes = detail::every_axis, reduced_axes Reduced = dropdims, operand_like X>
constexpr auto min(X&& x, function_check<detail::min_of<Axes, Reduced>, X> = {}) {
  return apply_function(detail::min_of<Axes, Reduced>{}, static_cast<X&&>(x));
}

// The position (i32) of the greatest or least element along an axis, the first of several; NaN counts as both. Integers
// and floats; the result lacks the axis, or has it with size 1.
template <index_t Axis = -1, reduced_axes Reduced = dropdims, operand_like X>
constexpr auto argmax(X&& x, function_check<detail::argmax_of<Axis, Reduced>, X> = {}) {
  return apply_function(detail::argmax_of<Axis, Reduced>{}, static_cast<X&&>(x));
}
template <index_t Axis = -1, reduced_axes Reduced = dropdims, operand_like X>
constexpr auto argmin(X&& x, function_check<detail::argmin_of<Axis, Reduced>, X> = {}) {
  return apply_function(detail::argmin_of<Axis, Reduced>{}, static_cast<X&&>(x));
}

// As in NumPy: vectors, matrices, and stacks of matrices, whose leading axes are broadcast. m x n and n x k elements
// give m x k, m x n and n give m. Any element type, the same for both, which the result has.
constexpr auto matmul(auto&& lhs, auto&& rhs,
                      function_check<detail::matrix_product, decltype(lhs), decltype(rhs)> = {}) {
  return apply_function(detail::matrix_product{}, static_cast<decltype(lhs)>(lhs), static_cast<decltype(rhs)>(rhs));
}

// The axes in reverse order; with an order, transpose<ints{0, 2, 1}>(x). Any element type.
constexpr auto transpose(auto&& x, function_check<detail::reverse_axes, decltype(x)> = {}) {
  return apply_function(detail::reverse_axes{}, static_cast<decltype(x)>(x));
}

// Spread over a tensor of this shape, aligned at the last axis; axes of size 1 and missing ones repeat.
template <ints Shape, operand_like X>
constexpr auto broadcast(X&& x, function_check<detail::broadcast_operand<Shape>, X> = {}) {
  return apply_function(detail::broadcast_operand<Shape>{}, static_cast<X&&>(x));
}

// x spread over the shape of `like`, as by `broadcast`.
template <operand_like X, operand_like Like>
constexpr auto broadcast_like(X&& x, const Like&) {
  return broadcast<Like::type.shape>(static_cast<X&&>(x));
}

// An element of lhs where the condition, a tensor of booleans, is true, else of rhs; one of them may be a number.
constexpr auto where(operand_like auto&& x, auto&& lhs, auto&& rhs,
                     elementwise_check<ops::select{}, decltype(x), decltype(lhs), decltype(rhs)> = {}) {
  return select(static_cast<decltype(x)>(x), static_cast<decltype(lhs)>(lhs), static_cast<decltype(rhs)>(rhs));
}

// A new axis of size 1: its position in the result.
template <index_t Axis, operand_like X>
constexpr auto expand_dims(X&& x, function_check<detail::expand_axis<Axis>, X> = {}) {
  return apply_function(detail::expand_axis<Axis>{}, static_cast<X&&>(x));
}
// Operands of one type side by side along a new axis.
template <index_t Axis = 0, class... X, class Rules = rules_kept_by<function_call<detail::stack_along<Axis>>, X...>>
constexpr auto stack(X&&... x) {
  return apply_function(detail::stack_along<Axis>{}, static_cast<X&&>(x)...);
}
template <index_t Axis = 0, class... X, class Rule = call_broken_by<function_call<detail::stack_along<Axis>>, X...>>
void stack(X&&...) = delete;

// full<f32, ints{2, 3}>(1.5): a tensor of such elements. All of `zeros` are 0, all of `ones` 1.
template <class T, ints Shape, class Number>
constexpr auto full(Number number) {
  return broadcast_in_dim<Shape, ints{}>(tensor<T>(core::element_of_number<T>(number)));
}
template <class T, ints Shape>
constexpr auto zeros() {
  return full<T, Shape>(0);
}
template <class T, ints Shape>
constexpr auto ones() {
  return full<T, Shape>(1);
}
// The vector 0, 1, ..., Count - 1 of T's.
template <class T, index_t Count>
constexpr auto arange() {
  return iota<T, ints{Count}>();
}

}  // namespace tenon
