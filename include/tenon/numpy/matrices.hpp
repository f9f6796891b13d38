// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/numpy/arrays.hpp>
#include <tenon/ops/contraction/triangular_solve.hpp>
#include <tenon/ops/control/while.hpp>
#include <tenon/ops/lookup/dynamic_slice.hpp>

// Linear systems as numpy.linalg has them, of one matrix of floating-point or complex numbers, and tensors of ones and
// zeros. `cholesky` and `triangular_solve` are ops.
namespace tenon {

namespace detail {

// A rule of a function that is made of ops, noted as those of ops are.
constexpr void require_rule(const auto& x, const char* label, const char* sentence, bool holds) {
  const tensor_type type = type_of_operand(x);
  rules rule;
  rule(label, sentence, holds);
  if (rule.broken()) x.into->template note_broken<1>(rule, {&type, 1});
}
constexpr bool is_matrix_of_numbers(const tensor_type& type) {
  return (is_float(type.element) || is_complex(type.element)) && type.rank() == 2 && type.dim(0) == type.dim(1);
}
inline constexpr const char* matrix_rule = "the matrix is n x n, of floating-point or complex numbers";

// The positions along an axis of this shape.
constexpr auto positions_along(const auto& neighbour, int axis, const ints& shape) {
  const tensor_type type = type_of(dtype::i64, shape);
  return apply_value_beside(neighbour, ops::iota{axis}, {&type, 1});
}
constexpr auto is_diagonal(const auto& neighbour, const ints& shape) {
  return compare<comparison_direction::EQ>(positions_along(neighbour, 0, shape), positions_along(neighbour, 1, shape));
}
constexpr auto identity_like(const auto& a) {
  return converted(is_diagonal(a, type_of_operand(a).shape), type_of_operand(a).element);
}

// Elimination with partial pivoting: what remains is upper triangular in the first columns. State: the column, the
// matrix, and whether rows changed places an odd number of times.
struct column_remains {
  constexpr auto operator()(const auto& k, const auto& a, const auto&) const {
    return compare<comparison_direction::LT>(k, type_of_operand(a).dim(0));
  }
};
struct eliminate_column {
  constexpr auto operator()(const auto& k, const auto& a, const auto& is_odd) const {
    const ints shape = type_of_operand(a).shape, column{shape[0]};
    const auto row_at = [&](const auto& i) {
      return reshape_to(apply_value(ops::dynamic_slice{ints{1, shape[1]}}, {}, a, i, tensor<i64>(0)), ints{shape[1]});
    };
    const auto entry_at_k = [&](const auto& row) { return apply_value(ops::dynamic_slice{ints{1}}, {}, row, k); };
    const auto below =
        reshape_to(apply_value(ops::dynamic_slice{ints{column[0], 1}}, {}, a, tensor<i64>(0), k), column);
    const auto rows = positions_along(k, 0, column), step = broadcast_to(k, column, {});
    const auto sizes = select(compare<comparison_direction::LT>(rows, step), -1, abs(below));
    const auto pivot = convert<i64>(argmax_of<0, dropdims>{}(sizes));
    const auto pivot_row = row_at(pivot), row = row_at(k);

    // Row k and the row of the pivot change places.
    const auto is_pivot = compare<comparison_direction::EQ>(rows, broadcast_to(pivot, column, {}));
    const auto entries = select(is_pivot, broadcast_to(entry_at_k(row), column, ints{0}), below);
    const auto swapped = select(broadcast_to(is_pivot, shape, ints{0}), broadcast_to(row, shape, ints{1}), a);
    // A column of zeros stays, so that the determinant is zero and no NaN.
    const auto changes =
        and_(compare<comparison_direction::GT>(rows, step), compare<comparison_direction::NE>(entries, 0));
    const auto factors = select(changes, divide(entries, broadcast_to(entry_at_k(pivot_row), column, ints{0})), 0);
    const auto spread = broadcast_to(pivot_row, shape, ints{1});
    const auto reduced = subtract(swapped, multiply(broadcast_to(factors, shape, ints{0}), spread));
    const auto is_k = broadcast_to(compare<comparison_direction::EQ>(rows, step), shape, ints{0});
    return results(add(k, 1), select(is_k, spread, reduced), xor_(is_odd, compare<comparison_direction::NE>(pivot, k)));
  }
};
constexpr auto eliminate(const auto& a) {
  return while_(tensor<i64>(0), a, tensor<i1>(false), column_remains{}, eliminate_column{});
}

struct solution {
  constexpr auto operator()(const auto& a, const auto& b) const {
    const tensor_type &matrix = type_of_operand(a), &given = type_of_operand(b);
    const index_t n = matrix.dim(0);
    require_rule(a, "solve_a", matrix_rule, is_matrix_of_numbers(matrix));
    require_rule(b, "solve_b", "the right sides are n or n x m, of the type of the matrix",
                 given.element == matrix.element && (given.rank() == 1 || given.rank() == 2) && given.dim(0) == n);
    const index_t sides = given.rank() == 1 ? 1 : given.dim(1);
    const auto both = apply_value(ops::concatenate{1}, {}, a, reshape_to(b, ints{n, sides}));
    const auto reduced = eliminate(both)[1];
    const auto x = apply_value(ops::triangular_solve{.left_side = true}, {}, slice_along(reduced, 1, 0, n),
                               slice_along(reduced, 1, n, n + sides));
    return reshape_to(x, given.shape);
  }
};
struct inverse_matrix {
  constexpr auto operator()(const auto& a) const {
    require_rule(a, "inv_a", matrix_rule, is_matrix_of_numbers(type_of_operand(a)));
    return solution{}(a, identity_like(a));
  }
};
struct determinant {
  constexpr auto operator()(const auto& a) const {
    const tensor_type& matrix = type_of_operand(a);
    require_rule(a, "det_a", matrix_rule, is_matrix_of_numbers(matrix));
    const auto reduced = eliminate(a);
    const auto pivots = select(is_diagonal(a, matrix.shape), reduced[1], 1);
    const auto product_of_pivots = reduce_over<ops::multiply>(pivots, 1, ints{0, 1});
    return select(reduced[2], negate(product_of_pivots), product_of_pivots);
  }
};

struct filled_like {
  constexpr auto operator()(const auto& x, const auto& number) const {
    return broadcast_to(number, type_of_operand(x).shape, {});
  }
};

}  // namespace detail

// x of a x = b, where b is a vector or the columns of a matrix: by elimination with partial pivoting. Where `a` is
// singular, there are infinities or NaN among the elements.
constexpr auto solve(auto&& a, auto&& b, function_check<detail::solution, decltype(a), decltype(b)> = {}) {
  return apply_function(detail::solution{}, static_cast<decltype(a)>(a), static_cast<decltype(b)>(b));
}
// The inverse of a matrix, with infinities or NaN among the elements where there is none.
constexpr auto inv(auto&& a, function_check<detail::inverse_matrix, decltype(a)> = {}) {
  return apply_function(detail::inverse_matrix{}, static_cast<decltype(a)>(a));
}
// The determinant of a matrix, as a tensor without dimensions.
constexpr auto det(auto&& a, function_check<detail::determinant, decltype(a)> = {}) {
  return apply_function(detail::determinant{}, static_cast<decltype(a)>(a));
}
// Tensors of the type of x, all of whose elements are 0 or 1.
constexpr auto zeros_like(operand_like auto&& x) {
  return apply_function(detail::filled_like{}, static_cast<decltype(x)>(x), 0);
}
constexpr auto ones_like(operand_like auto&& x) {
  return apply_function(detail::filled_like{}, static_cast<decltype(x)>(x), 1);
}
// eye<f32, 3>(): ones where row and column are the same, else zeros.
template <class T, index_t Rows, index_t Columns = Rows>
constexpr auto eye() {
  return convert<T>(
      compare<comparison_direction::EQ>(iota<i32, ints{Rows, Columns}, 0>(), iota<i32, ints{Rows, Columns}, 1>()));
}

}  // namespace tenon
