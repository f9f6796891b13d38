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

// One operand of an einsum: its index along each dimension, every index once. Diagonals are summed where indices meet,
// and dimensions of size 1 that are broadcast are dropped.
struct indexed_operand {
  value x;
  ints indices;

  constexpr indexed_operand(value from, const ints& along, const auto& size_of) : x(from), indices(along) {
    for (int d = 0; d < indices.size; ++d) {
      int first = 0;
      while (indices[first] != indices[d]) ++first;
      const bool is_broadcast = x.type().dim(d) == 1 && size_of(indices[d]) != 1;
      if (first == d && !is_broadcast) continue;
      if (!is_broadcast) {
        const tensor_type index = type_of(dtype::i32, x.shape());
        x = where(equal(iota(*x.to, first, index), iota(*x.to, d, index)), x);
      }
      drop({d--});
    }
  }
  constexpr void drop(const ints& dimensions) {
    x = sum(x, dimensions), indices = indices.select(ints::range(indices.size).without(dimensions));
  }
  constexpr void keep(const ints& wanted) {
    ints others;
    for (int d = 0; d < indices.size; ++d)
      if (!wanted.contains(indices[d])) others.push(d);
    drop(others);
  }
  constexpr value ordered(const ints& wanted) const {
    ints order;
    for (index_t index : wanted) order.push(indices.find(index));
    return transpose(x, order);
  }
};
template <class Op>
constexpr void decompose_einsum(const Op& op, const auto& at, value* y) {
  const int count = at.operand_count();
  ints shapes[2];
  for (int k = 0; k < count; ++k) shapes[k] = at.x(k).shape();
  const ops::einsum_plan plan(at.g().name_of(op.einsum_config.id), shapes, count);
  const auto size_of = [&](index_t index) {
    index_t size = 1;
    for (int k = 0; k < count; ++k)
      for (int d = 0; d < shapes[k].size; ++d)
        if (plan.operands[k].indices[d] == index && shapes[k][d] != 1) size = shapes[k][d];
    return size;
  };
  indexed_operand lhs(at.x(0), plan.operands[0].indices, size_of);
  if (count == 1) {
    lhs.keep(plan.result_indices);
    y[0] = convert(lhs.ordered(plan.result_indices), at.y().type().element);
    return;
  }
  indexed_operand rhs(at.x(1), plan.operands[1].indices, size_of);
  lhs.keep(plan.result_indices + rhs.indices), rhs.keep(plan.result_indices + lhs.indices);
  dot_dimension_numbers n;
  ints batch, of_lhs, of_rhs;
  for (int d = 0; d < lhs.indices.size; ++d) {
    const index_t index = lhs.indices[d];
    const int other = rhs.indices.find(index);
    if (other < 0)
      of_lhs.push(index);
    else if (plan.result_indices.contains(index))
      batch.push(index), n.lhs_batching_dimensions.push(d), n.rhs_batching_dimensions.push(other);
    else
      n.lhs_contracting_dimensions.push(d), n.rhs_contracting_dimensions.push(other);
  }
  for (index_t index : rhs.indices)
    if (!lhs.indices.contains(index)) of_rhs.push(index);
  ints shape;
  const ints order = batch + of_lhs + of_rhs;
  for (index_t index : order) shape.push(size_of(index));
  indexed_operand product = lhs;
  product.x = at.to().emit(ops::dot_general{n}, {lhs.x, rhs.x}, at.y().type().with_shape(shape));
  product.indices = order;
  y[0] = product.ordered(plan.result_indices);
}
constexpr void decomposed(const ops::einsum& op, const auto& at, value* y) { decompose_einsum(op, at, y); }
constexpr void decomposed(const ops::unary_einsum& op, const auto& at, value* y) { decompose_einsum(op, at, y); }

// A product of all rows with the matrices of all groups, in which rows of other groups are zero.
constexpr void decomposed(const ops::ragged_dot& op, const auto& at, value* y) {
  builder& to = at.to();
  const ragged_dot_dimension_numbers& r = op.ragged_dot_dimension_numbers;
  const value x = at.x(0), rhs = at.x(1);
  const tensor_type type = at.y().type();
  dot_dimension_numbers n{r.lhs_batching_dimensions, r.rhs_batching_dimensions, r.lhs_contracting_dimensions,
                          r.rhs_contracting_dimensions};
  if (r.is_ragged_batch()) {
    y[0] = to.emit(ops::dot_general{n}, {x, rhs}, type);
    return;
  }
  value sizes = at.x(2);
  if (num_bits(sizes.type().element) < 32) sizes = convert(sizes, dtype::i32);
  sizes = apply_to(ops::maximum{}, sizes, like(sizes, 0));
  // The first row of each group: the sum of the sizes before it.
  const int rank = sizes.rank();
  const index_t groups = sizes.shape()[rank - 1];
  ints kept = ints::range(rank - 1);
  kept.push(rank - 1);
  const value wide = broadcast(sizes, kept, sizes.shape() + ints{groups});
  const value first = sum(triangle(wide, false, 1), {rank - 1});
  const ints shape = ints{groups} + x.shape();
  ints along;
  for (int d = 0; d < rank - 1; ++d) along.push(r.sized_dimensions(x.rank())[d] + 1);
  along.push(0);
  const value row = iota(to, r.ragged() + 1, sizes.type().with_shape(shape));
  const value from = broadcast(first, along, shape), end = broadcast(first + sizes, along, shape);
  const value is_member = both(compare(row, comparison_direction::GE, from), less(row, end));
  const value parted = where(is_member, broadcast(x, ints::range(x.rank() + 1).without({0}), shape));
  for (ints* each : {&n.lhs_batching_dimensions, &n.lhs_contracting_dimensions})
    for (int i = 0; i < each->size; ++i) each->set(i, (*each)[i] + 1);
  if (!r.is_ragged_contracting()) {
    n.lhs_contracting_dimensions.push(0), n.rhs_contracting_dimensions.push(r.rhs_group_dimensions[0]);
    y[0] = to.emit(ops::dot_general{n}, {parted, rhs}, type);
    return;
  }
  // The groups stand behind the batch, and first in the result.
  const int batches = n.lhs_batching_dimensions.size;
  ints order = ints::range(type.rank());
  for (int d = 0; d <= batches; ++d) order.set(d, d == 0 ? batches : d - 1);
  ints made = type.shape;
  for (int d = 0; d < type.rank(); ++d) made.set(int(order[d]), type.shape[d]);
  y[0] = transpose(to.emit(ops::dot_general{n}, {parted, rhs}, type.with_shape(made)), order);
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
    ints forwards;
    for (int d = 0; d < spatial; ++d)
      if (!reversed.contains(n.kernel_spatial_dimensions[d])) forwards.push(n.kernel_spatial_dimensions[d]);
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
    value made = ct.to->emit(back, {ct, convert(reverse(kernel, forwards), element)}, ct.type().with_shape(shape));
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
constexpr value solve(const ops::triangular_solve& op, value a, value b) { return b.to->emit(op, {a, b}, b.type()); }
// From a derivative by op(A) to one by A, and back.
constexpr value untransposed(const ops::triangular_solve& op, value x) {
  if (op.transpose_a == transpose_a_kind::NO_TRANSPOSE) return x;
  return op.transpose_a == transpose_a_kind::ADJOINT ? conjugate(transpose(x)) : transpose(x);
}
constexpr void pullback(const ops::triangular_solve& op, const auto& at) {
  const bool is_adjoint = op.transpose_a == transpose_a_kind::ADJOINT;
  const bool is_plain = op.transpose_a == transpose_a_kind::NO_TRANSPOSE;
  ops::triangular_solve back = op;
  back.transpose_a = is_plain ? transpose_a_kind::TRANSPOSE : transpose_a_kind::NO_TRANSPOSE;
  const value by_b = solve(back, is_adjoint ? conjugate(at.x(0)) : at.x(0), at.ct()), x = at.y();
  at.give(1, by_b);
  if (!at.is_active(0)) return;
  const value by_a = op.left_side ? multiply_matrices(by_b, transpose(x)) : multiply_matrices(transpose(x), by_b);
  at.give(0, -triangle(untransposed(op, by_a), op.lower, op.unit_diagonal ? 1 : 0));
}
constexpr void pushforward(const ops::triangular_solve& op, const auto& at) {
  value change = at.dx(1);
  if (at.dx(0)) {
    const value da = untransposed(op, triangle(at.dx(0), op.lower, op.unit_diagonal ? 1 : 0)), x = at.y();
    change = change - (op.left_side ? multiply_matrices(da, x) : multiply_matrices(x, da));
  }
  at.set(0, solve(op, at.x(0), change));
}

// dL = L phi(L^-1 dA L^-T), where phi keeps the lower triangle and half of the diagonal. Only a triangle of A is read.
constexpr value phi(value x) { return 0.5 * (triangle(x) + triangle(x, true, 1)); }
constexpr value solve(value l, value b, bool left_side, transpose_a_kind kind) {
  return solve(ops::triangular_solve{left_side, true, false, kind}, l, b);
}
constexpr value adjoint(value x) { return conjugate(transpose(x)); }
constexpr value factor_tangent(value l, value da) {
  value symmetric = triangle(da) + adjoint(triangle(da, true, 1));
  if (is_complex(da.type().element)) symmetric = 0.5 * (symmetric + adjoint(symmetric));
  const transpose_a_kind back = transpose_a_kind::ADJOINT;
  const value m = solve(l, solve(l, symmetric, true, transpose_a_kind::NO_TRANSPOSE), false, back);
  return multiply_matrices(l, phi(m));
}
constexpr void pushforward(const ops::cholesky& op, const auto& at) {
  const value dl =
      factor_tangent(triangle(op.lower ? at.y() : adjoint(at.y())), op.lower ? at.dx(0) : adjoint(at.dx(0)));
  at.set(0, op.lower ? dl : adjoint(dl));
}

}  // namespace tenon::gradients
