// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/numpy/checks.hpp>
#include <tenon/numpy/functions.hpp>
#include <tenon/ops/contraction/convolution.hpp>
#include <tenon/ops/lookup/gather.hpp>
#include <tenon/ops/reduction/reduce_window.hpp>
#include <tenon/ops/reduction/sort.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

// Functions of whole arrays as NumPy and JAX name them, made of a few ops each. Axes count from the end where they are
// negative; what breaks a rule of one of the ops does not compile.
namespace tenon {

namespace detail {

template <einsum_subscripts Subscripts>
struct einsum_of {
  constexpr auto operator()(const auto& a, const auto& b) const {
    const ints result = letters(Subscripts.result());
    ints of_a = letters(Subscripts.lhs()), of_b = letters(Subscripts.rhs());
    const ints in_a = of_a + result, in_b = of_b + result;
    const auto lhs = without_lonely(a, of_a, in_b), rhs = without_lonely(b, of_b, in_a);
    ops::dot_general op;
    auto& numbers = op.dot_dimension_numbers;
    ints order, rest;
    for (int i = 0; i < of_a.size; ++i) {
      const int j = of_b.find(of_a.at[i]);
      const bool is_batch = j >= 0 && result.contains(of_a.at[i]);
      if (is_batch || j < 0) (is_batch ? order : rest).push(of_a.at[i]);
      if (j < 0) continue;
      (is_batch ? numbers.lhs_batching_dimensions : numbers.lhs_contracting_dimensions).push(i);
      (is_batch ? numbers.rhs_batching_dimensions : numbers.rhs_contracting_dimensions).push(j);
    }
    for (index_t letter : of_b)
      if (!of_a.contains(letter)) rest.push(letter);
    order = order + rest;
    ints permutation;
    for (index_t letter : result) permutation.push(order.find(letter));
    return apply_value(ops::transpose{permutation}, {}, apply_value(op, {}, lhs, rhs));
  }

 private:
  static constexpr ints letters(std::string_view text) {
    ints result;
    for (char letter : text) result.push(letter);
    return result;
  }
  // Sums over the axes that nobody else names.
  static constexpr auto without_lonely(const auto& x, ints& names, const ints& others) {
    ints lonely;
    for (int i = 0; i < names.size; ++i)
      if (!others.contains(names.at[i])) lonely.push(i);
    names = names.without(lonely);
    if (lonely.empty()) return x;
    return reduce_over<ops::add>(x, 0, lonely);
  }
};

template <conv2d_options Options>
struct conv2d_of {
  constexpr auto operator()(const auto& images, const auto& kernel) const {
    ops::convolution op{.window_strides = ints{Options.stride, Options.stride},
                        .rhs_dilation = ints{Options.dilation, Options.dilation},
                        .dimension_numbers = {.input_batch_dimension = 0,
                                              .input_feature_dimension = 3,
                                              .input_spatial_dimensions = {1, 2},
                                              .kernel_input_feature_dimension = 2,
                                              .kernel_output_feature_dimension = 3,
                                              .kernel_spatial_dimensions = {0, 1},
                                              .output_batch_dimension = 0,
                                              .output_feature_dimension = 3,
                                              .output_spatial_dimensions = {1, 2}},
                        .feature_group_count = Options.feature_group_count};
    for (int d = 0; d < 2; ++d) {
      const index_t size = type_of_operand(images).dim(1 + d),
                    reach = (type_of_operand(kernel).dim(d) - 1) * Options.dilation + 1;
      const index_t missing = ((size + Options.stride - 1) / Options.stride - 1) * Options.stride + reach - size;
      const index_t padding = Options.padding == same && missing > 0 ? missing : 0;
      op.padding.push(ints{padding / 2, padding - padding / 2});
    }
    return apply_value(op, {}, images, kernel);
  }
};

// x[first : limit] along an axis.
constexpr auto slice_along(const auto& x, int axis, index_t first, index_t limit) {
  ints starts = ints::filled(type_of_operand(x).rank(), 0), limits = type_of_operand(x).shape;
  starts.set(axis, first), limits.set(axis, limit);
  return apply_value(ops::slice{starts, limits, {}}, {}, x);
}

template <index_t Parts, index_t Axis>
struct split_along {
  constexpr auto operator()(const auto& x) const {
    const int axis = from_the_front(Axis, type_of_operand(x).rank());
    const index_t size = type_of_operand(x).dim(axis) / Parts;
    return [&]<index_t... I>(std::integer_sequence<index_t, I...>) {
      return results(slice_along(x, axis, I * size, (I + 1) * size)...);
    }(std::make_integer_sequence<index_t, Parts>{});
  }
};
template <index_t Shift, index_t Axis>
struct roll_along {
  constexpr auto operator()(const auto& x) const {
    const int axis = from_the_front(Axis, type_of_operand(x).rank());
    const index_t size = type_of_operand(x).dim(axis), shift = size > 0 ? (Shift % size + size) % size : 0;
    if (shift == 0) return x;
    return apply_value(ops::concatenate{axis}, {}, slice_along(x, axis, size - shift, size),
                       slice_along(x, axis, 0, size - shift));
  }
};
template <index_t Axis, bool CountsFromTheEnd = true>
struct take_along {
  constexpr auto operator()(const auto& x, const auto& indices) const {
    const tensor_type type = type_of_operand(x);
    const int axis = from_the_front(Axis, type.rank()), count = type_of_operand(indices).rank();
    const dtype element = type_of_operand(indices).element;
    ops::gather op;
    op.slice_sizes = type.shape;
    op.slice_sizes.set(axis, 1);
    for (int d = 0; d < type.rank(); ++d)
      if (d != axis) op.dimension_numbers.offset_dims.push(d < axis ? d : d - 1 + count);
    op.dimension_numbers.collapsed_slice_dims = op.dimension_numbers.start_index_map = ints{axis};
    op.dimension_numbers.index_vector_dim = count;
    if (!CountsFromTheEnd || !is_signed_integer(element)) return apply_value(op, {}, x, indices);
    const auto positions = converted(indices, num_bits(element) < 32 ? dtype::i32 : element);
    const auto from_the_end = add(positions, type.dim(axis));
    return apply_value(op, {}, x, select(compare<comparison_direction::LT>(positions, 0), from_the_end, positions));
  }
};
struct first_is_less {
  constexpr auto operator()(const auto& x, const auto& y, const auto&, const auto&) const {
    const auto is_number = compare<comparison_direction::EQ>(x, x), is_none = compare<comparison_direction::NE>(y, y);
    return or_(compare<comparison_direction::LT>(x, y), and_(is_number, is_none));
  }
};
template <index_t Axis>
struct sorting_positions {
  constexpr auto operator()(const auto& x) const {
    const tensor_type type = type_of_operand(x), positions = type.with_element(dtype::i32);
    const int axis = from_the_front(Axis, type.rank());
    const auto indices = apply_value_beside(x, ops::iota{axis}, {&positions, 1});
    return apply_value<bodies<first_is_less>>(ops::sort{axis, true}, {}, x, indices)[1];
  }
};
template <index_t Axis>
struct cumulative_sum {
  constexpr auto operator()(const auto& x) const {
    const tensor_type& type = type_of_operand(x);
    const int axis = from_the_front(Axis, type.rank());
    ops::reduce_window op;
    op.window_dimensions = ints::filled(type.rank(), 1);
    op.window_dimensions.set(axis, type.dim(axis));
    for (int d = 0; d < type.rank(); ++d) op.padding.push(ints{d == axis ? type.dim(axis) - 1 : 0, 0});
    return apply_value<bodies<ops::add>>(op, {}, counted(x), 0);
  }
};

}  // namespace detail

// einsum<"ij,jk->ik">(a, b): products summed over the letters that the result lacks; result axis i is letter i. Axes of
// one letter have one size, and no operand has a letter twice.
template <einsum_subscripts Subscripts, operand_like Lhs, operand_like Rhs>
constexpr auto einsum(Lhs&& lhs, Rhs&& rhs,
                      detail::asked_of_function<detail::complaint_about_subscripts<Subscripts, Lhs, Rhs>,
                                                detail::einsum_of<Subscripts>, Lhs, Rhs> = {}) {
  return apply_function(detail::einsum_of<Subscripts>{}, static_cast<Lhs&&>(lhs), static_cast<Rhs&&>(rhs));
}

// conv2d<conv2d_options{.stride = 2, .padding = same}>(images, kernel): images are batch x height x width x features,
// kernels height x width x features x new features; `same` gives height / stride rows, rounded up, `valid` those that
// lie inside.
template <conv2d_options Options = conv2d_options{}, operand_like Images, operand_like Kernel>
constexpr auto conv2d(Images&& images, Kernel&& weights,
                      detail::asked_of_function<detail::complaint_about_conv2d<Options, Images, Kernel>,
                                                detail::conv2d_of<Options>, Images, Kernel> = {}) {
  return apply_function(detail::conv2d_of<Options>{}, static_cast<Images&&>(images), static_cast<Kernel&&>(weights));
}

// auto [a, b] = split<2>(x): equal parts along an axis, whose size they divide.
template <index_t Parts, index_t Axis = 0, operand_like X>
constexpr auto split(X&& x, detail::asked_of_function<detail::complaint_about_split<Parts, Axis, X>,
                                                      detail::split_along<Parts, Axis>, X> = {}) {
  return apply_function(detail::split_along<Parts, Axis>{}, static_cast<X&&>(x));
}
// Elements moved on by `Shift` along an axis; those that leave at the end come in at the front.
template <index_t Shift, index_t Axis = -1, operand_like X>
constexpr auto roll(X&& x, detail::axis_check<Axis, detail::roll_along<Shift, Axis>, X> = {}) {
  return apply_function(detail::roll_along<Shift, Axis>{}, static_cast<X&&>(x));
}
// The parts of x at these indices along an axis, which the axes of the indices replace. Indices are integers of any
// type; negative ones count from the end, and those outside are moved to the nearest that is not.
template <index_t Axis = 0, operand_like X, operand_like Indices>
constexpr auto take(X&& x, Indices&& indices, function_check<detail::take_along<Axis>, X, Indices> = {}) {
  return apply_function(detail::take_along<Axis>{}, static_cast<X&&>(x), static_cast<Indices&&>(indices));
}
// Sums of all elements up to each along an axis. The result has the type of x; booleans are counted, in i32.
template <index_t Axis = -1, operand_like X>
constexpr auto cumsum(X&& x, detail::axis_check<Axis, detail::cumulative_sum<Axis>, X> = {}) {
  return apply_function(detail::cumulative_sum<Axis>{}, static_cast<X&&>(x));
}
// The positions (i32) that sort x along an axis, NaN last; equal elements keep their order.
template <index_t Axis = -1, operand_like X>
constexpr auto argsort(X&& x, detail::axis_check<Axis, detail::sorting_positions<Axis>, X> = {}) {
  return apply_function(detail::sorting_positions<Axis>{}, static_cast<X&&>(x));
}
}  // namespace tenon
