// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/gradients/contraction.hpp>
#include <tenon/gradients/copied_nodes.hpp>
#include <tenon/gradients/elementwise.hpp>

#include <string_view>

// Gradients of the calls into LAPACK that JAX makes: tangents, which are transposed going backwards.
namespace tenon::gradients {

// "potrf" of "lapack_dpotrf_ffi"; empty for another call.
constexpr std::string_view lapack_name(std::string_view target) {
  constexpr std::string_view prefix = "lapack_", suffix = "_ffi";
  if (target.size() < prefix.size() + suffix.size() + 2 || !same_text(target.substr(0, prefix.size()), prefix) ||
      !same_text(target.substr(target.size() - suffix.size()), suffix))
    return {};
  return target.substr(prefix.size() + 1, target.size() - prefix.size() - suffix.size() - 1);
}
// The letter that the dictionary of a call has for a name, written as its number: `{uplo = 76 : ui8}`.
constexpr char letter_of(std::string_view dictionary, std::string_view name) {
  for (std::size_t at = 1; at + name.size() + 3 < dictionary.size(); ++at) {
    const char before = dictionary[at - 1];
    if ((before != ' ' && before != '{' && before != ',') || !same_text(dictionary.substr(at, name.size()), name))
      continue;
    int number = 0;
    for (std::size_t i = at + name.size(); i < dictionary.size() && dictionary[i] != ':'; ++i) {
      const char c = dictionary[i];
      if ('0' <= c && c <= '9') number = number * 10 + (c - '0');
      if (number > 127) return 0;
    }
    return char(number);
  }
  return 0;
}

// Ones where the row is the column.
constexpr value identity_like(value x) {
  const tensor_type index = type_of(dtype::i32, x.shape());
  return convert(equal(iota(*x.to, x.rank() - 2, index), iota(*x.to, x.rank() - 1, index)), x.type().element);
}
// Row or column vectors, in each column or row of matrices.
constexpr value in_rows(value v, const ints& shape) {
  return broadcast(v, ints::range(shape.size).without({shape.size - 2}), shape);
}
constexpr value in_columns(value v, const ints& shape) { return broadcast(v, ints::range(shape.size - 1), shape); }
constexpr value diagonal(value x) {
  const value line = sum(x * identity_like(x), {x.rank() - 1});
  return is_complex(x.type().element) ? real(line) : line;
}
// 1 / x but where x is 0, and 0 there.
constexpr value safe_inverse(value x) {
  return where(compare(x, comparison_direction::NE, like(x, 0)), 1 / with_replaced_zeros(x));
}

// The matrices whose rows the exchanges of getrf permute: counted from 1, row k changes places with row pivots[k].
constexpr value permutation_of(value pivots, const ints& shape, dtype element) {
  builder& to = *pivots.to;
  const int rank = shape.size;
  const index_t rows = shape[rank - 2], steps = pivots.shape()[rank - 2];
  const tensor_type index = type_of(dtype::i32, shape).with_size(rank - 1, rows);
  const tensor_type type = index.with_shape(shape.without({rank - 1}));
  const int start = iota(to, rank - 2, type).id;
  const auto step = [&](int count, growing_list<int>& next) {
    const value k = to.at(count), order = to.at(count + 1), number = iota(to, rank - 2, type);
    const value of_steps = iota(to, rank - 2, pivots.type()), here = broadcast(k, {}, type.shape);
    const auto in_all = [&](value v) { return broadcast(v, ints::range(rank - 2), type.shape); };
    const value other = in_all(sum(where(equal(of_steps, broadcast(k, {}, pivots.shape())), pivots), {rank - 2}) - 1);
    const value of_here = in_all(sum(where(equal(number, here), order), {rank - 2}));
    const value of_other = in_all(sum(where(equal(number, other), order), {rank - 2}));
    next.push(select(equal(number, here), of_other, select(equal(number, other), of_here, order)).id);
  };
  const value order_of_rows = to.at(write_counted_loop(to, {&start, 1}, steps, nothing_else, step));
  return convert(equal(in_columns(order_of_rows, index.shape), iota(to, rank - 1, index)), element);
}

// Zeros below and beside, to this size.
constexpr value enlarged(value x, index_t rows, index_t columns) {
  ints high = ints::filled(x.rank(), 0);
  high.set(x.rank() - 2, rows - x.shape()[x.rank() - 2]), high.set(x.rank() - 1, columns - x.shape()[x.rank() - 1]);
  return pad(x, ints::filled(x.rank(), 0), high, ints::filled(x.rank(), 0));
}
constexpr value corner(value x, index_t rows, index_t columns) {
  ints limit = x.shape();
  limit.set(x.rank() - 2, rows), limit.set(x.rank() - 1, columns);
  return slice(x, ints::filled(x.rank(), 0), limit, ints::filled(x.rank(), 1));
}
// P A = L U: d(L U) = L (phi_L + phi_U) U of F = L^-1 P dA U^-1, whose triangles belong to L and to U.
constexpr value lu_tangent(value factors, value pivots, value da) {
  const int rank = factors.rank();
  const index_t m = factors.shape()[rank - 2], n = factors.shape()[rank - 1], k = m < n ? m : n;
  const value lower = enlarged(corner(triangle(factors, true, 1), m, k), m, m);
  const value l = lower + identity_like(lower);
  value u = enlarged(corner(triangle(factors, false), k, n), n, n);
  if (n > k) {  // ones where U has no rows
    const tensor_type index = type_of(dtype::i32, u.shape());
    const value row = iota(*u.to, rank - 2, index);
    u = u + where(compare(row, comparison_direction::GE, like(row, double(k))), identity_like(u));
  }
  const transpose_a_kind plain = transpose_a_kind::NO_TRANSPOSE;
  const value moved = multiply_matrices(permutation_of(pivots, factors.shape(), da.type().element), da);
  const value f = solve(ops::triangular_solve{false, false, false, plain}, u,
                        solve(ops::triangular_solve{true, true, true, plain}, l, moved));
  return multiply_matrices(l, triangle(f, true, 1)) + multiply_matrices(triangle(f, false), u);
}

// A V = V diag(w): dw is the diagonal of V^H dA V, and dV = V (F * V^H dA V) with F_ij = 1 / (w_j - w_i).
constexpr void set_eigen_tangents(const auto& at, value symmetric) {
  const value v = at.y(0), w = at.y(1);
  const value inner = multiply_matrices(multiply_matrices(adjoint(v), symmetric), v);
  const value differences = in_rows(w, v.shape()) - in_columns(w, v.shape());
  const value f = convert(safe_inverse(differences), v.type().element);
  at.set(0, multiply_matrices(v, f * inner)), at.set(1, diagonal(inner));
}

// The results of the same call with as many columns of U and V as there are singular values.
constexpr int with_singular_vectors(ops::custom_call op, const auto& at) {
  op.backend_config.id = at.to().g.intern_name("{mode = 83 : ui8}");
  const tensor_type a = at.x(0).type(), s = at.y(1).type(), info = at.y(4).type();
  const index_t rank = a.rank(), count = s.dim(rank - 2);
  const tensor_type types[] = {a, s, a.with_size(rank - 1, count), a.with_size(rank - 2, count), info};
  const int operand = at.x(0).id;
  return at.to().emit_with_regions(op, {&operand, 1}, {}, {types, 5});
}

// A = U diag(s) V^H, with as many columns of U and V as s has; they are results `vectors` + 2 and 3.
constexpr void set_singular_tangents(const auto& at, value da, int vectors) {
  const value s = at.y(1), u = at.to().at(vectors + 2), vh = at.to().at(vectors + 3), v = adjoint(vh);
  const dtype element = u.type().element;
  const value inner = multiply_matrices(multiply_matrices(adjoint(u), da), v);
  const ints shape = inner.shape();
  const value right = in_rows(s, shape), left = in_columns(s, shape);
  const value f = convert(safe_inverse((right + left) * (right - left)), element);
  const value by_right = convert(right, element) * inner, by_left = convert(left, element) * inner;
  const value halved = 0.5 * (inner - adjoint(inner));
  const value between = identity_like(inner) * halved * convert(safe_inverse(left), element);
  value du = multiply_matrices(u, f * (by_right + adjoint(by_right)) + between);
  value dv = multiply_matrices(v, f * (by_left + adjoint(by_left)));
  // Of what the columns do not span.
  const auto outside = [&](value basis, value moved) {
    const value projected = multiply_matrices(basis, multiply_matrices(adjoint(basis), moved));
    return (moved - projected) * convert(safe_inverse(in_rows(s, moved.shape())), element);
  };
  const int rank = u.rank();
  const index_t least = s.shape()[rank - 2];
  if (u.shape()[rank - 2] > least) du = du + outside(u, multiply_matrices(da, v));
  if (v.shape()[rank - 2] > least) dv = dv + outside(v, multiply_matrices(adjoint(da), u));
  at.set(1, diagonal(inner));
  if (vectors == at.y(0).id) at.set(2, du), at.set(3, adjoint(dv));
}

constexpr void pushforward(const ops::custom_call& op, const auto& at) {
  const std::string_view target = at.g().name_of(op.call_target_name.id), name = lapack_name(target);
  const std::string_view options = at.g().name_of(op.backend_config.id);
  const auto refuse = [&](const char* sentence) {
    at.engine.refuse({"grad_custom_call", sentence, at.node.source, {}, message_text<40>() << target});
  };
  const auto is = [&](std::string_view wanted) { return same_text(name, wanted); };
  const bool lower = letter_of(options, "uplo") == 'L', is_matrix = at.operand_count() > 0 && at.x(0).rank() >= 2;
  const value da = is_matrix ? at.dx(0) : value{};
  // Of Hermitian matrices one triangle is read.
  const auto of_triangle = [&] { return lower ? da : adjoint(da); };
  if (is("potrf") && da) {
    const value y = at.y(), dl = factor_tangent(triangle(lower ? y : adjoint(y)), of_triangle());
    at.set(0, (lower ? dl : adjoint(dl)) + triangle(da, !lower, 1));
  } else if (is("trsm")) {
    const char form = letter_of(options, "trans_x");
    pushforward(ops::triangular_solve{letter_of(options, "side") == 'L', lower, letter_of(options, "diag") == 'U',
                                      form == 'N'   ? transpose_a_kind::NO_TRANSPOSE
                                      : form == 'T' ? transpose_a_kind::TRANSPOSE
                                                    : transpose_a_kind::ADJOINT},
                at);
  } else if (is("getrf") && da) {
    at.set(0, lu_tangent(at.y(0), at.y(1), da));
  } else if ((is("syevd") || is("heevd")) && da) {
    if (letter_of(options, "mode") != 'V')
      return refuse("eigenvalues have a rule where their vectors are computed too");
    value symmetric = triangle(of_triangle());
    symmetric = symmetric + adjoint(triangle(of_triangle(), true, 1));
    if (is_complex(da.type().element)) symmetric = 0.5 * (symmetric + adjoint(symmetric));
    set_eigen_tangents(at, symmetric);
  } else if ((is("gesdd") || is("gesvd")) && da) {
    const char mode = letter_of(options, "mode");
    if (mode != 'S' && mode != 'N') return refuse("singular vectors have a rule if there is one for each value");
    set_singular_tangents(at, da, mode == 'S' ? at.y(0).id : with_singular_vectors(op, at));
  } else {
    refuse("the call into a library has no rule");
  }
}

}  // namespace tenon::gradients
