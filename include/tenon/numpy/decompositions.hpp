// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/numpy/arrays.hpp>
#include <tenon/numpy/diagonals.hpp>
#include <tenon/numpy/matrices.hpp>
#include <tenon/ops/contraction/triangular_solve.hpp>
#include <tenon/ops/control/while.hpp>
#include <tenon/ops/lookup/dynamic_slice.hpp>
#include <tenon/ops/lookup/dynamic_update_slice.hpp>

// Decompositions as numpy.linalg has them, of one m x n matrix of floating-point or complex numbers, and least squares.
// They are loops of ops, so that they run wherever traced functions do, without a library.
namespace tenon {

namespace detail {

inline constexpr const char* rectangle_rule = "the matrix is m x n, neither of them 0, of f32, f64 or complex numbers";
constexpr bool is_rectangle_of_numbers(const tensor_type& type) {
  const bool are_numbers = is_complex(type.element) || (is_float(type.element) && num_bits(type.element) >= 32);
  return are_numbers && type.rank() == 2 && type.shape.product() > 0;
}

constexpr auto conjugate_of(const auto& x) {
  return is_complex(type_of_operand(x).element) ? apply_value(ops::complex{}, {}, real(x), negate(imag(x))) : x;
}
constexpr auto adjoint_of(const auto& a) { return conjugate_of(apply_value(ops::transpose{ints{1, 0}}, {}, a)); }
// x y^T
constexpr auto outer_product(const auto& x, const auto& y) {
  const ints shape{type_of_operand(x).dim(0), type_of_operand(y).dim(0)};
  return multiply(broadcast_to(x, shape, ints{0}), broadcast_to(y, shape, ints{1}));
}
// Entry i of a vector, and row i of a matrix, where i is a number of the program.
constexpr auto entry_of(const auto& x, const auto& i) {
  return reshape_to(apply_value(ops::dynamic_slice{ints{1}}, {}, x, i), ints{});
}
constexpr auto row_of(const auto& a, const auto& i) {
  const index_t size = type_of_operand(a).dim(1);
  return reshape_to(apply_value(ops::dynamic_slice{ints{1, size}}, {}, a, i, tensor<i64>(0)), ints{size});
}
constexpr auto zeros_beside(const auto& x, const ints& shape) {
  return converted(compare<comparison_direction::LT>(positions_along(x, 0, shape), 0), type_of_operand(x).element);
}
constexpr auto is_zero(const auto& x) { return compare<comparison_direction::EQ>(x, 0); }
// x, but 1 where it is 0: a divisor.
constexpr auto or_one(const auto& x) { return select(is_zero(x), 1, x); }

// Householder: column k becomes beta e_k under I - conj(tau) v v^H, where v = (x - beta e_k) / (x_k - beta), beta is
// the length of x = a[k:, k] with the other sign than x_k, and tau = (beta - x_k) / beta. State: k, the matrix, the
// vectors v as rows, the factors tau.
struct columns_remain {
  constexpr auto operator()(const auto& k, const auto&, const auto& vectors, const auto&) const {
    return compare<comparison_direction::LT>(k, type_of_operand(vectors).dim(0));
  }
};
struct reflect_column {
  constexpr auto operator()(const auto& k, const auto& a, const auto& vectors, const auto& factors) const {
    const tensor_type type = type_of_operand(a);
    const ints column{type.dim(0)};
    const auto x = reshape_to(apply_value(ops::dynamic_slice{ints{column[0], 1}}, {}, a, tensor<i64>(0), k), column);
    const auto rows = positions_along(k, 0, column), step = broadcast_to(k, column, {});
    const auto below = select(compare<comparison_direction::GT>(rows, step), x, zeros_beside(a, column));
    const auto head = entry_of(x, k);

    const auto sizes = select(compare<comparison_direction::GE>(rows, step), abs(x), 0);
    const auto largest = reduce_over<ops::maximum>(sizes, 0, ints{0});
    const auto scaled = divide(sizes, broadcast_to(or_one(largest), column, {}));
    const auto length = multiply(largest, sqrt(or_one(reduce_over<ops::add>(multiply(scaled, scaled), 0, ints{0}))));
    const auto signed_length = select(compare<comparison_direction::LT>(real(head), 0), length, negate(length));
    // A column that is beta e_k already stays as it is.
    const auto rest = reduce_over<ops::maximum>(abs(below), 0, ints{0});
    const auto stays = and_(is_zero(rest), is_zero(imag(head)));
    const auto beta = converted(select(stays, 1, signed_length), type.element);
    const auto divisor = select(stays, 1, subtract(head, beta));
    const auto v =
        select(compare<comparison_direction::EQ>(rows, step), 1, divide(below, broadcast_to(divisor, column, {})));
    const auto tau = select(stays, 0, divide(subtract(beta, head), beta));

    const auto change =
        outer_product(multiply(broadcast_to(conjugate_of(tau), column, {}), v), matrix_product{}(conjugate_of(v), a));
    return results(
        add(k, 1), subtract(a, change),
        apply_value(ops::dynamic_update_slice{}, {}, vectors, reshape_to(v, ints{1, column[0]}), k, tensor<i64>(0)),
        apply_value(ops::dynamic_update_slice{}, {}, factors, reshape_to(tau, ints{1}), k));
  }
};
// Q = H_0 H_1 ..., from the last: Q becomes H_k Q. State: reflections done, Q, vectors, factors.
struct reflections_remain {
  constexpr auto operator()(const auto& done, const auto&, const auto& vectors, const auto&) const {
    return compare<comparison_direction::LT>(done, type_of_operand(vectors).dim(0));
  }
};
struct reflect_q {
  constexpr auto operator()(const auto& done, const auto& q, const auto& vectors, const auto& factors) const {
    const auto k = subtract(type_of_operand(vectors).dim(0) - 1, done);
    const auto v = row_of(vectors, k);
    const auto tau = broadcast_to(entry_of(factors, k), type_of_operand(v).shape, {});
    const auto change = outer_product(multiply(tau, v), matrix_product{}(conjugate_of(v), q));
    return results(add(done, 1), subtract(q, change), vectors, factors);
  }
};

// A = Q R with m x k and k x n entries, where k = min(m, n).
struct orthogonal_factors {
  constexpr auto operator()(const auto& a) const {
    const tensor_type type = type_of_operand(a);
    require_rule(a, "qr_a", rectangle_rule, is_rectangle_of_numbers(type));
    const index_t m = type.dim(0), n = type.dim(1), k = m < n ? m : n;
    const auto done = while_(tensor<i64>(0), a, zeros_beside(a, ints{k, m}), zeros_beside(a, ints{k}), columns_remain{},
                             reflect_column{});
    const auto identity = converted(is_diagonal(a, ints{m, k}), type.element);
    const auto q = while_(tensor<i64>(0), identity, done[2], done[3], reflections_remain{}, reflect_q{});
    const ints shape{k, n};
    const auto upper = compare<comparison_direction::LE>(positions_along(a, 0, shape), positions_along(a, 1, shape));
    return results(q[1], select(upper, slice_along(done[1], 0, 0, k), 0));
  }
};

struct least_squares {
  constexpr auto operator()(const auto& a, const auto& b) const {
    const tensor_type &matrix = type_of_operand(a), &given = type_of_operand(b);
    require_rule(a, "lstsq_a", rectangle_rule, is_rectangle_of_numbers(matrix));
    require_rule(
        b, "lstsq_b", "the right sides are m or m x k, of the type of the matrix",
        given.element == matrix.element && (given.rank() == 1 || given.rank() == 2) && given.dim(0) == matrix.dim(0));
    const index_t m = matrix.dim(0), n = matrix.dim(1), sides = given.rank() == 1 ? 1 : given.dim(1);
    const auto right = reshape_to(b, ints{m, sides});
    const auto [q, r] = orthogonal_factors{}(m < n ? adjoint_of(a) : a);
    const ops::triangular_solve by_r{.left_side = true,
                                     .transpose_a = m < n ? transpose_a_kind::ADJOINT : transpose_a_kind::NO_TRANSPOSE};
    const auto x = m < n ? matrix_product{}(q, apply_value(by_r, {}, r, right))
                         : apply_value(by_r, {}, r, matrix_product{}(adjoint_of(q), right));
    return reshape_to(x, given.rank() == 1 ? ints{n} : ints{n, sides});
  }
};

// Jacobi's rotations on rows (w_j, v_j), pair by pair, until all w_j are orthogonal; `columns` is the size of w_j. Rows
// 2i + first and 2i + first + 1 are a pair; they are swapped, so that alternating from 0 and from 1 each row meets
// each other one within as many steps as there are rows.
struct rotated_pairs {
  index_t first, columns;

  constexpr auto operator()(const auto& rows, const auto& worst) const {
    const tensor_type type = type_of_operand(rows);
    const index_t size = type.dim(1), pairs = (type.dim(0) - first) / 2, end = first + 2 * pairs;
    const ints pair_of_rows{pairs, 2, size}, row{pairs, size};
    const auto both = reshape_to(slice_along(rows, 0, first, end), pair_of_rows);
    const auto x = reshape_to(slice_along(both, 1, 0, 1), row), y = reshape_to(slice_along(both, 1, 1, 2), row);
    const auto w = slice_along(x, 1, 0, columns), z = slice_along(y, 1, 0, columns);
    const auto square = [&](const auto& of) {
      const auto sizes = abs(of);
      return reduce_over<ops::add>(multiply(sizes, sizes), 0, ints{1});
    };
    const auto alpha = square(w), beta = square(z);
    const auto product = reduce_over<ops::add>(multiply(conjugate_of(w), z), 0, ints{1}), gamma = abs(product);
    const auto scale = multiply(sqrt(alpha), sqrt(beta));
    const auto stays = or_(is_zero(gamma), is_zero(scale));

    // tan of the angle, the smaller root of t^2 + 2 zeta t = 1.
    const auto zeta = divide(subtract(beta, alpha), multiply(select(stays, 1, gamma), 2));
    const auto size_of_t = divide(1, add(abs(zeta), sqrt(add(multiply(zeta, zeta), 1))));
    const auto t = select(compare<comparison_direction::LT>(zeta, 0), negate(size_of_t), size_of_t);
    const auto cosine_of = select(stays, 1, rsqrt(add(multiply(t, t), 1)));
    const auto sine_of = select(stays, 0, multiply(cosine_of, t));
    // The phase that makes the product real.
    const auto phase =
        conjugate_of(select(stays, 1, divide(product, converted(select(stays, 1, gamma), type.element))));
    const auto over_rows = [&](const auto& number) {
      return broadcast_to(converted(number, type.element), row, ints{0});
    };
    const auto in_phase = multiply(y, over_rows(phase));
    const auto new_x = subtract(multiply(x, over_rows(cosine_of)), multiply(in_phase, over_rows(sine_of)));
    const auto new_y = add(multiply(x, over_rows(sine_of)), multiply(in_phase, over_rows(cosine_of)));
    const ints one_of_pair{pairs, 1, size};
    const auto swapped =
        reshape_to(apply_value(ops::concatenate{1}, {}, reshape_to(new_y, one_of_pair), reshape_to(new_x, one_of_pair)),
                   ints{2 * pairs, size});
    return results(apply_value(ops::concatenate{0}, {}, slice_along(rows, 0, 0, first), swapped,
                               slice_along(rows, 0, end, type.dim(0))),
                   maximum(worst, reduce_over<ops::maximum>(divide(gamma, or_one(scale)), 0, ints{0})));
  }
};
// All pairs once: state of a loop of half as many steps as there are rows.
struct steps_remain {
  constexpr auto operator()(const auto& step, const auto& rows, const auto&) const {
    return compare<comparison_direction::LT>(step, (type_of_operand(rows).dim(0) + 1) / 2);
  }
};
struct rotate_twice {
  constexpr auto operator()(const auto& step, const auto& rows, const auto& worst) const {
    const index_t columns = type_of_operand(rows).dim(1) - type_of_operand(rows).dim(0);
    const auto [some, worst_of_some] = rotated_pairs{0, columns}(rows, worst);
    const auto [others, worst_of_all] = rotated_pairs{1, columns}(some, worst_of_some);
    return results(add(step, 1), others, worst_of_all);
  }
};
// Until the cosine of the angle between any two rows is a rounding error.
struct angles_remain {
  static constexpr index_t most_sweeps = 40;

  constexpr auto operator()(const auto& sweep, const auto&, const auto& worst) const {
    const f64 small_angle = type_of_operand(worst).element == dtype::f64 ? 1e-15 : 4e-7;
    return and_(compare<comparison_direction::LT>(sweep, most_sweeps),
                compare<comparison_direction::GT>(worst, small_angle));
  }
};
struct sweep_of_pairs {
  constexpr auto operator()(const auto& sweep, const auto& rows, const auto& worst) const {
    const auto done = while_(tensor<i64>(0), rows, multiply(worst, 0), steps_remain{}, rotate_twice{});
    return results(add(sweep, 1), done[1], done[2]);
  }
};

// A = U diag(s) V^H: of R in A = Q R, rotations give R V = W with orthogonal columns, W = U' diag(s), and U = Q U'.
struct singular_value_decomposition {
  static constexpr int parts = 6;

  constexpr auto operator()(const auto& a) const {
    const tensor_type type = type_of_operand(a);
    require_rule(a, "svd_a", rectangle_rule, is_rectangle_of_numbers(type));
    const index_t m = type.dim(0), n = type.dim(1), k = m < n ? m : n;
    const auto largest = reduce_over<ops::maximum>(abs(a), 0, ints{0, 1});
    const auto unit = converted(or_one(largest), type.element);
    const auto [q, r] = orthogonal_factors{}(
        divide(m < n ? adjoint_of(a) : a, broadcast_to(unit, m < n ? ints{n, m} : ints{m, n}, {})));

    const auto identity = converted(is_diagonal(a, ints{k, k}), type.element);
    const auto begin = apply_value(ops::concatenate{1}, {}, apply_value(ops::transpose{ints{1, 0}}, {}, r), identity);
    const auto rotated = while_(tensor<i64>(0), begin, add(multiply(largest, 0), 1), angles_remain{}, sweep_of_pairs{});

    const auto sizes = abs(slice_along(rotated[1], 1, 0, k));
    const auto lengths = sqrt(reduce_over<ops::add>(multiply(sizes, sizes), 0, ints{1}));
    const auto order = sorting_positions<0>{}(negate(lengths));
    const auto rows = take_along<0, false>{}(rotated[1], order);
    const auto [own, upper] =
        orthogonal_factors{}(apply_value(ops::transpose{ints{1, 0}}, {}, slice_along(rows, 1, 0, k)));
    const auto signs =
        select(compare<comparison_direction::LT>(real(diagonal_of{}(upper)), 0), -1, add(multiply(lengths, 0), 1));
    const auto u =
        matrix_product{}(q, multiply(own, broadcast_to(converted(signs, type.element), ints{k, k}, ints{1})));
    const auto s = multiply(take_along<0, false>{}(lengths, order), broadcast_to(largest, ints{k}, {}));
    const auto v_adjoint = conjugate_of(slice_along(rows, 1, k, 2 * k));
    return m < n ? results(adjoint_of(v_adjoint), s, adjoint_of(u)) : results(u, s, v_adjoint);
  }
};

}  // namespace detail

// auto [q, r] = qr(a): A = Q R by reflections, where the k = min(m, n) columns of Q are orthonormal and R is upper
// triangular, with the signs of LAPACK.
constexpr auto qr(auto&& a, function_check<detail::orthogonal_factors, decltype(a)> = {}) {
  return apply_function(detail::orthogonal_factors{}, static_cast<decltype(a)>(a));
}
// The x of least |a x - b|, and of those the shortest, where b is a vector or the columns of a matrix and `a` has full
// rank; else there are infinities or NaN among the elements.
constexpr auto lstsq(auto&& a, auto&& b, function_check<detail::least_squares, decltype(a), decltype(b)> = {}) {
  return apply_function(detail::least_squares{}, static_cast<decltype(a)>(a), static_cast<decltype(b)>(b));
}
// auto [u, s, v_adjoint] = svd(a): A = U diag(s) V^H, by Jacobi's rotations, where s has the k = min(m, n) singular
// values, from the largest, in the type of the parts of a, and the k columns of U and rows of V^H are orthonormal.
constexpr auto svd(auto&& a, function_check<detail::singular_value_decomposition, decltype(a)> = {}) {
  return apply_function(detail::singular_value_decomposition{}, static_cast<decltype(a)>(a));
}

}  // namespace tenon
