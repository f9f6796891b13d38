// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/gradients/copied_nodes.hpp>
#include <tenon/gradients/elementwise.hpp>
#include <tenon/gradients/lapack/tridiagonal.hpp>

#include <string_view>
#include <utility>

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
// The elements from a row and a column on.
constexpr value block(value x, index_t top, index_t left, index_t rows, index_t columns) {
  ints start = ints::filled(x.rank(), 0), limit = x.shape();
  start.set(x.rank() - 2, top), limit.set(x.rank() - 2, top + rows);
  start.set(x.rank() - 1, left), limit.set(x.rank() - 1, left + columns);
  const bool is_whole = limit == x.shape() && top == 0 && left == 0;
  return is_whole ? x : slice(x, start, limit, ints::filled(x.rank(), 1));
}
constexpr value corner(value x, index_t rows, index_t columns) { return block(x, 0, 0, rows, columns); }
// L X = B with ones on the diagonal of L, or X L = B; X U = B.
constexpr value solve_by_lower(value l, value b, bool left_side = true) {
  return solve(ops::triangular_solve{left_side, true, true, transpose_a_kind::NO_TRANSPOSE}, l, b);
}
constexpr value solve_by_upper(value u, value b) {
  return solve(ops::triangular_solve{false, false, false, transpose_a_kind::NO_TRANSPOSE}, u, b);
}
// A = L U: of F = L^-1 dA U^-1 for the first k rows and columns one triangle belongs to L, one to U.
constexpr value lu_tangent(value factors, value da) {
  const index_t m = da.shape()[da.rank() - 2], n = da.shape()[da.rank() - 1], k = m < n ? m : n;
  const value below = triangle(corner(factors, m, k), true, 1), l = below + identity_like(below);
  const value top = corner(factors, k, k), u = triangle(corner(factors, k, n), false);
  const value f = triangle(solve_by_upper(top, solve_by_lower(top, corner(da, k, k))), false);
  const value dk = multiply_matrices(l, multiply_matrices(f, corner(u, k, k)));
  const value dl = triangle(solve_by_upper(top, corner(da, m, k) - dk), true, 1);
  const value du = solve_by_lower(top, corner(da - multiply_matrices(dl, u), k, n));
  return enlarged(dl, m, n) + enlarged(triangle(du, false), m, n);
}

// A = Q R, where Q and R have k columns and rows: dQ = Q (O - Q^H W) + W and dR = Q^H dA - O R, where W = dA R_k^-1 for
// the first k columns, and O is skew; below the diagonal it is Q^H W.
constexpr std::pair<value, value> tangents_of_qr(value q, value packed, value da) {
  const index_t m = q.shape()[q.rank() - 2], k = q.shape()[q.rank() - 1], n = da.shape()[q.rank() - 1];
  const value r = triangle(corner(packed, k, n), false), w = solve_by_upper(corner(r, k, k), corner(da, m, k));
  const value inner = multiply_matrices(adjoint(q), w), low = triangle(inner, true, 1);
  value skew = low - adjoint(low);
  if (is_complex(da.type().element)) skew = skew + identity_like(inner) * (0.5 * (inner - adjoint(inner)));
  return {multiply_matrices(q, skew - inner) + w,
          triangle(multiply_matrices(adjoint(q), da) - multiply_matrices(skew, r), false)};
}
// Of geqp3 with the columns of A in the order that it gives.
constexpr value in_order_of(const auto& at, const graph_node& call, value da) {
  if (call.operand_count == 1) return da;
  const value order = at.to().at(call.results + 1) - 1;
  const ints shape = da.type().with_size(da.rank() - 2, da.shape()[da.rank() - 1]).shape;
  const value moves = equal(iota(at.to(), da.rank() - 2, order.type().with_shape(shape)), in_rows(order, shape));
  return multiply_matrices(da, convert(moves, da.type().element));
}
// Q = I - V T V^H, and the first k columns of Q - I are V U with U = -T V_k^H, whose diagonal is -tau.
constexpr void set_reflection_tangents(ops::custom_call op, const auto& at) {
  builder& to = at.to();
  const int last = at.node.result_count - 1;
  const value packed = at.y(0), tau = at.y(last);
  const ints shape = packed.shape();
  const index_t m = shape[shape.size - 2], n = shape[shape.size - 1], k = m < n ? m : n;
  const value given = corner(packed, m, k), ones = identity_like(corner(packed, k, k));
  const char* const name = is_complex(packed.type().element) ? "ungqr_ffi" : "orgqr_ffi";
  const message_text<20> target = message_text<20>() << to.g.name_of(op.call_target_name.id).substr(0, 8) << name;
  op.call_target_name.id = to.g.intern_name(target.view());
  op.operand_layouts = {op.operand_layouts[0], op.result_layouts[last]};
  op.result_layouts = {op.operand_layouts[0]}, op.output_operand_aliases = {};
  const value q = to.emit(op, {given, tau}, given.type());
  const auto [dq, dr] = tangents_of_qr(q, packed, in_order_of(at, at.node, at.dx(0)));
  const value u = triangle(solve_by_lower(corner(packed, k, k), corner(q, k, k) - ones), false, 1) -
                  ones * in_rows(with_replaced_zeros(tau), ones.shape());
  const value d = lu_tangent(triangle(given, true, 1) + enlarged(u, m, k), dq);
  at.set(0, enlarged(triangle(d, true, 1), m, n) + enlarged(dr, m, n));
  at.set(last, -sum(corner(d, k, k) * ones, {shape.size - 1}));
}
// The call of geqrf or geqp3 whose reflections a product takes, as they are, cut or enlarged on the right.
constexpr graph_node factored_by(const auto& at) {
  const graph& g = at.g();
  const auto made_by = [&](int value) {
    const graph_value& found = g.values.data[value];
    return found.node >= 0 && found.region == at.node.region ? g.nodes.data[found.node] : graph_node{};
  };
  const graph_node call = made_by(at.x(1).id), moved = made_by(at.x(0).id);
  const ints none = ints::filled(at.y().rank(), 0);
  const int packed = call.results, columns = none.size - 1;
  bool takes_all = at.x(0).id == packed;
  if (is<ops::slice>(moved))
    takes_all = read_attributes<ops::slice>(g.words.data + moved.words).limit_indices == at.x(0).shape();
  if (is<ops::pad>(moved)) {
    const auto op = read_attributes<ops::pad>(g.words.data + moved.words);
    takes_all = op.edge_padding_low == none && op.interior_padding == none;
  }
  if (call.kind != at.node.kind || packed + call.result_count - 1 != at.x(1).id || !takes_all ||
      (at.x(0).id != packed && g.operands_of(moved)[0] != packed))
    return {};
  const auto op = read_attributes<ops::custom_call>(g.words.data + call.words);
  const std::string_view name = lapack_name(g.name_of(op.call_target_name.id));
  const index_t rows = g.type_of_value(packed).dim(columns - 1), q = at.y().type().dim(columns);
  const bool fits = at.y().type().dim(columns - 1) == rows && (q == rows || q == at.x(1).type().dim(columns - 1));
  return fits && (same_text(name, "geqrf") || same_text(name, "geqp3")) ? call : graph_node{};
}
// Columns behind the first k follow from these: Q_p = I_p + (Q_k - I_k) Z^H, where Z = V_p V_k^-1.
constexpr value product_tangent(const auto& at, const graph_node& call, value da) {
  const value packed = at.to().at(call.results), q = at.y();
  const int last = q.rank() - 1;
  const index_t m = q.shape()[last - 1], k = at.x(1).shape()[last - 1], p = q.shape()[last] - k;
  const value dq = tangents_of_qr(corner(q, m, k), packed, in_order_of(at, call, da)).first;
  if (p == 0) return dq;
  const value z = solve_by_lower(corner(packed, k, k), block(packed, k, 0, p, k), false);
  const value rest = block(dq, k, 0, p, k) - multiply_matrices(z, corner(dq, k, k));
  const value more = corner(q, m, k) + multiply_matrices(block(q, 0, k, m, p), z);
  return concatenate(dq, multiply_matrices(dq, adjoint(z)) - multiply_matrices(more, adjoint(rest)), last);
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
    const value moves = permutation_of(at.y(1), da.shape(), da.type().element);
    at.set(0, lu_tangent(at.y(0), multiply_matrices(moves, da)));
  } else if ((is("geqrf") || is("geqp3")) && da) {
    set_reflection_tangents(op, at);
  } else if (const graph_node call = is("orgqr") || is("ungqr") ? factored_by(at) : graph_node{}; call.kind >= 0) {
    at.set(0, product_tangent(at, call, at.engine.derivative(at.g().operands.data[call.operands])));
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
    is_tridiagonal(name) ? push_tridiagonal(op, at) : refuse("the call into a library has no rule");
  }
}
// Functions of reflections are differentiated by the matrix that these factor.
constexpr bool linearizes(const ops::custom_call& op, const auto& at) {
  const std::string_view name = lapack_name(at.g().name_of(op.call_target_name.id));
  return !is_tridiagonal(name) && (!(same_text(name, "orgqr") || same_text(name, "ungqr")) || factored_by(at).kind < 0);
}
constexpr void pullback(const ops::custom_call& op, const auto& at) {
  const graph_node call = factored_by(at);
  if (call.kind < 0) return pull_tridiagonal(op, at);
  at.engine.pull_transposed(at, {at.g().operands.data + call.operands, 1}, [&](list<int> tangents, int* results) {
    results[0] = product_tangent(at, call, at.to().at(tangents[0])).id;
  });
}

}  // namespace tenon::gradients
