// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/table.hpp>
#include <tenon/ops/elementwise.hpp>
#include <tenon/ops/movement/broadcast_in_dim.hpp>
#include <tenon/ops/reduction/reduce.hpp>

#include <tenon/run/execute.hpp>

#include <ops/evaluate.hpp>

#include <vector>

// Ops one by one, and programs, on values whose sizes are known only when the test runs: what a program of many sizes
// is compared with needs no code for each of them.
namespace tenon::test {
using namespace core;

using namespace kernels;

template <class T>
value some_elements(const ints& shape, int seed) {
  std::vector<T> elements;
  for (index_t i = 0; i < shape.product(); ++i) elements.push_back(T(f64((i * 7919 + seed * 104729) % 2003) / 317 - 3));
  return tensor_of(shape, elements);
}

// What one op gives, by the code that programs call.
template <class Op>
value given_by(kernel code, const Op& op, const std::vector<value>& operands, const tensor_type& type) {
  const auto run = [&](const evaluation& e) {
    evaluation counted = e;
    counted.count = type.size();
    code(counted);
  };
  return evaluate_by(run, op, operands, {type})[0];
}

template <class Op, class T>
value elementwise(const std::vector<value>& operands) {
  constexpr dtype element = dtype_of<T>;
  return given_by(kernel_of<Op, element, element>(), Op{}, operands, type_of(element, operands[0].type.shape));
}
inline value less(const value& x, const value& y) {
  return given_by(kernel_of<ops::compare, dtype::f32, dtype::i1>(), ops::compare{comparison_direction::LT}, {x, y},
                  type_of(dtype::i1, x.type.shape));
}

// Each row of a matrix, folded.
template <class Body, class T>
value fold_of_rows(const value& x, T initial) {
  return given_by(kernel_of<ops::reduce, dtype_of<T>, dtype_of<T>, kind_of_op<Body>>(), ops::reduce{{1}},
                  {x, scalar_of(initial)}, type_of(dtype_of<T>, {x.type.shape[0]}));
}
// A vector as the columns or the rows of a matrix of this shape, of elements of four bytes.
inline value spread(const value& x, const ints& shape, index_t dimension) {
  return given_by(kernel_of<ops::broadcast_in_dim, dtype::ui32, dtype::ui32>(), ops::broadcast_in_dim{{dimension}}, {x},
                  x.type.with_shape(shape));
}

inline bool same_bits(const value& a, const value& b) { return a.type == b.type && a.bytes == b.bytes; }
inline bool same_bits(const std::vector<value>& a, const std::vector<value>& b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i) same = same_bits(a[i], b[i]);
  return same;
}

inline value plus(const value& x, const value& y) { return elementwise<ops::add, f32>({x, y}); }
inline value minus(const value& x, const value& y) { return elementwise<ops::subtract, f32>({x, y}); }
inline value times(const value& x, const value& y) { return elementwise<ops::multiply, f32>({x, y}); }
inline value over(const value& x, const value& y) { return elementwise<ops::divide, f32>({x, y}); }
inline value chosen(const value& p, const value& x, const value& y) { return elementwise<ops::select, f32>({p, x, y}); }
inline value power(const value& x) { return elementwise<ops::exponential, f32>({x}); }
inline value root(const value& x) { return elementwise<ops::sqrt, f32>({x}); }
inline value sum_of_rows(const value& x) { return fold_of_rows<ops::add>(x, 0.0f); }
inline value along_rows(const value& x, const value& like) { return spread(x, like.type.shape, 0); }

template <class Function, class... Arguments>
using program_of = typename Function::template program_for<Arguments...>;

// What a program gives that is known while compiling.
template <class Program>
std::vector<value> results_of(const std::vector<value>& arguments, const run_options& options = usual_options) {
  std::vector<value> results;
  std::vector<const void*> from;
  std::vector<void*> to;
  for (int i = 0; i < Program::result_count; ++i) results.push_back(blank(Program::result_type(i)));
  for (const value& each : arguments) from.push_back(each.bytes.data());
  for (value& each : results) to.push_back(each.bytes.data());
  Program::run(from.data(), to.data(), options);
  return results;
}

}  // namespace tenon::test
