// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/gradients/value.hpp>
#include <tenon/gradients/windows.hpp>

// Gradients of products, convolutions, transforms and systems of equations.
namespace tenon::gradients {

// A product with one of its operands in the place of the result.
constexpr value transposed_product(const ops::dot_general& op, value ct, value other, value wanted, int i) {
  const dot_dimension_numbers& n = op.dot_dimension_numbers;
  const ints& batch = i == 0 ? n.lhs_batching_dimensions : n.rhs_batching_dimensions;
  const ints& contracted = i == 0 ? n.lhs_contracting_dimensions : n.rhs_contracting_dimensions;
  const ints& other_batch = i == 0 ? n.rhs_batching_dimensions : n.lhs_batching_dimensions;
  const ints& other_contracted = i == 0 ? n.rhs_contracting_dimensions : n.lhs_contracting_dimensions;
  const ints free = ints::range(wanted.rank()).without(batch + contracted);
  const ints other_free = ints::range(other.rank()).without(other_batch + other_contracted);
  const int first = batch.size + (i == 0 ? free.size : 0);  // of the other operand's dimensions in the result
  dot_dimension_numbers back;
  back.lhs_batching_dimensions = ints::range(batch.size), back.rhs_batching_dimensions = other_batch;
  for (int k = 0; k < other_free.size; ++k) back.lhs_contracting_dimensions.push(first + k);
  back.rhs_contracting_dimensions = other_free;
  // The product has the batch, the free dimensions of `wanted`, and the others as they stand in the other operand.
  ints order = batch + free, shape = wanted.shape().select(order);
  for (int d = 0; d < other.rank(); ++d)
    if (const int k = other_contracted.find(d); k >= 0) order.push(contracted[k]), shape.push(other.type().dim(d));
  ints permutation = ints::range(order.size);
  for (int k = 0; k < order.size; ++k) permutation.set(order[k], k);
  ops::dot_general product = op;
  product.dot_dimension_numbers = back;
  const dtype element = ct.type().element;
  if (other.type().element != element) product.algorithm = {}, product.precision_config = {};
  const value made = ct.to->emit(product, {ct, convert(other, element)}, ct.type().with_shape(shape));
  return convert(transpose(made, permutation), wanted.type().element);
}
constexpr bool is_bilinear(const ops::dot_general&) { return true; }
constexpr value transposed(const ops::dot_general& op, const auto& at, value ct, int i) {
  return transposed_product(op, ct, at.x(1 - i), at.x(i), i);
}
constexpr void decomposed(const ops::dot&, const auto& at, value* y) {
  dot_dimension_numbers n;
  n.lhs_contracting_dimensions.push(at.x(0).rank() - 1), n.rhs_contracting_dimensions.push(0);
  y[0] = at.to().emit(ops::dot_general{n}, {at.x(0), at.x(1)}, at.y().type());
}

// Sizes of a convolution along one spatial dimension.
struct convolved_size {
  index_t lhs, rhs, result, low;  // dilated, and the padding in front

  constexpr index_t low_of_lhs() const { return rhs - low - 1; }
  constexpr index_t high_of_lhs() const { return lhs + rhs - 1 - result - low_of_lhs(); }
  constexpr index_t high_of_rhs() const { return result + rhs - lhs - 1 - low; }
};

// Divides dimension `from` into `groups` and the rest, and joins the groups with dimension `to`.
constexpr value move_groups(value x, index_t from, index_t to, index_t groups) {
  ints shape;
  for (int d = 0; d < x.rank(); ++d) {
    if (d == from) shape.push(groups);
    shape.push(d == from ? x.type().dim(d) / groups : x.type().dim(d));
  }
  value parted = reshape(x, shape);
  // The groups stand at `from`, dimension `to` one further behind if it stood behind.
  ints permutation;
  const index_t target = to > from ? to + 1 : to;
  for (int d = 0; d < parted.rank(); ++d) {
    if (d == target) permutation.push(from);
    if (d != from) permutation.push(d);
  }
  parted = transpose(parted, permutation);
  ints joined = x.shape();
  joined.set(from, joined[from] / groups), joined.set(to, joined[to] * groups);
  return reshape(parted, joined);
}

constexpr bool is_bilinear(const ops::convolution&) { return true; }
constexpr value transposed(const ops::convolution& op, const auto& at, value ct, int i) {
  const convolution_dimension_numbers& n = op.dimension_numbers;
  const value lhs = at.x(0), rhs = at.x(1);
  const int spatial = n.input_spatial_dimensions.size;
  ints reversed;  // dimensions of the kernel
  for (int d = 0; d < spatial; ++d)
    if (!op.window_reversal.empty() && op.window_reversal[d] != 0) reversed.push(n.kernel_spatial_dimensions[d]);
  ops::convolution back;
  back.precision_config = {};
  for (int d = 0; d < spatial; ++d) {
    const convolved_size size{
        dilated_size(lhs.type().dim(n.input_spatial_dimensions[d]), step_of(op.lhs_dilation, d)),
        dilated_size(rhs.type().dim(n.kernel_spatial_dimensions[d]), step_of(op.rhs_dilation, d)),
        dilated_size(ct.type().dim(n.output_spatial_dimensions[d]), step_of(op.window_strides, d)), op.padding(d, 0)};
    back.padding.push(i == 0 ? ints{size.low_of_lhs(), size.high_of_lhs()} : ints{size.low, size.high_of_rhs()});
    back.window_strides.push(step_of(i == 0 ? op.lhs_dilation : op.rhs_dilation, d));
    back.lhs_dilation.push(step_of(i == 0 ? op.window_strides : op.lhs_dilation, d));
    back.rhs_dilation.push(step_of(i == 0 ? op.rhs_dilation : op.window_strides, d));
  }
  convolution_dimension_numbers& m = back.dimension_numbers;
  const dtype element = ct.type().element;
  if (i == 0) {
    value kernel = rhs;
    const index_t groups = op.feature_group_count * op.batch_group_count;  // one of them is 1
    if (groups > 1)
      kernel = move_groups(kernel, n.kernel_output_feature_dimension, n.kernel_input_feature_dimension, groups);
    back.feature_group_count = groups;
    ints turned;
    for (int d = 0; d < spatial; ++d)
      if (!reversed.contains(n.kernel_spatial_dimensions[d])) turned.push(n.kernel_spatial_dimensions[d]);
    m.input_batch_dimension = n.output_batch_dimension, m.input_feature_dimension = n.output_feature_dimension;
    m.input_spatial_dimensions = n.output_spatial_dimensions;
    m.kernel_input_feature_dimension = n.kernel_output_feature_dimension;
    m.kernel_output_feature_dimension = n.kernel_input_feature_dimension;
    m.kernel_spatial_dimensions = n.kernel_spatial_dimensions;
    m.output_batch_dimension = n.input_batch_dimension, m.output_feature_dimension = n.input_feature_dimension;
    m.output_spatial_dimensions = n.input_spatial_dimensions;
    ints shape = lhs.shape();
    if (op.batch_group_count > 1) {
      shape.set(n.input_batch_dimension, shape[n.input_batch_dimension] / op.batch_group_count);
      shape.set(n.input_feature_dimension, shape[n.input_feature_dimension] * op.batch_group_count);
    }
    value made = ct.to->emit(back, {ct, convert(reverse(kernel, turned), element)}, ct.type().with_shape(shape));
    if (op.batch_group_count > 1)
      made = move_groups(made, n.input_feature_dimension, n.input_batch_dimension, op.batch_group_count);
    return convert(made, lhs.type().element);
  }
  back.feature_group_count = op.batch_group_count, back.batch_group_count = op.feature_group_count;
  m.input_batch_dimension = n.input_feature_dimension, m.input_feature_dimension = n.input_batch_dimension;
  m.input_spatial_dimensions = n.input_spatial_dimensions;
  m.kernel_input_feature_dimension = n.output_batch_dimension;
  m.kernel_output_feature_dimension = n.output_feature_dimension;
  m.kernel_spatial_dimensions = n.output_spatial_dimensions;
  m.output_batch_dimension = n.kernel_input_feature_dimension;
  m.output_feature_dimension = n.kernel_output_feature_dimension;
  m.output_spatial_dimensions = n.kernel_spatial_dimensions;
  const value made = ct.to->emit(back, {convert(lhs, element), ct}, ct.type().with_shape(rhs.shape()));
  return convert(reverse(made, reversed), rhs.type().element);
}

// A transform is a symmetric matrix. Of the spectrum of real numbers only half is kept: the rest was dropped, or
// counts twice.
constexpr unsigned linear_operands(const ops::fft&) { return 0b1; }
constexpr value transposed(const ops::fft& op, const auto& at, value ct, int) {
  const int last = ct.rank() - 1;
  const ints none = ints::filled(ct.rank(), 0);
  if (op.fft_type == fft_type::FFT || op.fft_type == fft_type::IFFT) return apply_to(op, ct);
  if (op.fft_type == fft_type::RFFT) {
    ints high = none;
    high.set(last, at.x(0).type().dim(last) - ct.type().dim(last));
    return real(apply_to(ops::fft{fft_type::FFT, op.fft_length}, pad(ct, none, high, none)));
  }
  const value spectrum = ct.to->emit(ops::fft{fft_type::RFFT, op.fft_length}, {ct}, at.x(0).type());
  const tensor_type type = ct.type().with_shape(at.x(0).shape());
  const tensor_type index_type = type.with_element(dtype::i32);
  const index_t length = ct.type().dim(last);
  const value index = iota(*ct.to, last, index_type);
  value once = equal(index, like(index, 0));
  if (length % 2 == 0) once = apply_to(ops::or_{}, once, equal(index, like(index, double(length / 2))));
  const double scale = 1 / double(op.fft_length.product());
  const value mask = select(once, ct.to->number(scale, type), ct.to->number(2 * scale, type));
  return complex_of(real(spectrum) * mask, -(imag(spectrum) * mask));
}

// Where op(A) X = B, or X op(A) = B.
constexpr ops::triangular_solve transposed_solve(const ops::triangular_solve& op) {
  ops::triangular_solve back = op;
  const bool is_plain = op.transpose_a == transpose_a_kind::NO_TRANSPOSE;
  back.transpose_a = is_plain ? transpose_a_kind::TRANSPOSE : transpose_a_kind::NO_TRANSPOSE;
  return back;
}
constexpr value solve(const ops::triangular_solve& op, value a, value b) { return b.to->emit(op, {a, b}, b.type()); }
// From a derivative by op(A) to one by A, and back.
constexpr value turned(const ops::triangular_solve& op, value x) {
  if (op.transpose_a == transpose_a_kind::NO_TRANSPOSE) return x;
  return op.transpose_a == transpose_a_kind::ADJOINT ? conjugate(transpose(x)) : transpose(x);
}
constexpr void pullback(const ops::triangular_solve& op, const auto& at) {
  const bool is_adjoint = op.transpose_a == transpose_a_kind::ADJOINT;
  const value by_b = solve(transposed_solve(op), is_adjoint ? conjugate(at.x(0)) : at.x(0), at.ct()), x = at.y();
  at.give(1, by_b);
  if (!at.is_active(0)) return;
  const value by_a = op.left_side ? multiply_matrices(by_b, transpose(x)) : multiply_matrices(transpose(x), by_b);
  at.give(0, -triangle(turned(op, by_a), op.lower, op.unit_diagonal ? 1 : 0));
}
constexpr void pushforward(const ops::triangular_solve& op, const auto& at) {
  value change = at.dx(1);
  if (at.dx(0)) {
    const value da = turned(op, triangle(at.dx(0), op.lower, op.unit_diagonal ? 1 : 0)), x = at.y();
    change = change - (op.left_side ? multiply_matrices(da, x) : multiply_matrices(x, da));
  }
  at.set(0, solve(op, at.x(0), change));
}

// dL = L phi(L^-1 dA L^-T), where phi keeps the lower triangle and half of the diagonal. Only a triangle of A is read.
constexpr value phi(value x) { return 0.5 * (triangle(x) + triangle(x, true, 1)); }
constexpr value solve(value l, value b, bool left_side, transpose_a_kind kind) {
  return solve(ops::triangular_solve{left_side, true, false, kind}, l, b);
}
constexpr bool is_refused(const ops::cholesky&, const auto& at) {
  const bool refused = is_complex(at.y().type().element);
  if (refused) at.refuse("grad_cholesky", "the factor of complex matrices has no rule");
  return refused;
}
constexpr void pullback(const ops::cholesky& op, const auto& at) {
  if (is_refused(op, at)) return;
  const value l = triangle(op.lower ? at.y() : transpose(at.y()));
  const value product = phi(multiply_matrices(transpose(l), triangle(op.lower ? at.ct() : transpose(at.ct()))));
  const value s = solve(l, solve(l, product, true, transpose_a_kind::TRANSPOSE), false, transpose_a_kind::NO_TRANSPOSE);
  const value by_a = phi(s + transpose(s));
  at.give(0, op.lower ? by_a : transpose(by_a));
}
constexpr void pushforward(const ops::cholesky& op, const auto& at) {
  if (is_refused(op, at)) return;
  const value l = triangle(op.lower ? at.y() : transpose(at.y())), da = op.lower ? at.dx(0) : transpose(at.dx(0));
  const value symmetric = triangle(da) + transpose(triangle(da, true, 1));
  const value m =
      solve(l, solve(l, symmetric, true, transpose_a_kind::NO_TRANSPOSE), false, transpose_a_kind::TRANSPOSE);
  const value dl = multiply_matrices(l, phi(m));
  at.set(0, op.lower ? dl : transpose(dl));
}

}  // namespace tenon::gradients
