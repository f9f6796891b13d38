// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/graph/ir/expression.hpp>
#include <tenon/graph/ir/record.hpp>
#include <tenon/run/compiled.hpp>

namespace tenon {

namespace detail {

// An expression as a program: its tensors are the arguments.
template <class Expression>
struct expression_body {
  static constexpr int argument_count = Expression::leaf_count;

  static constexpr void write_types(tensor_type* types) {
    Expression::for_each_leaf_type([&](const tensor_type& type) { *types++ = type; });
  }
  template <class Positions>
  static constexpr auto call(recording& r, int argument, Positions) {
    return Expression::record(r, argument);
  }
};

template <class Expression>
void evaluate_to(const Expression& source, void* const* results, const run_options& options = usual_options) {
  const void* arguments[Expression::leaf_count + 1]{};
  int count = 0;
  source.check_alive();
  source.for_each_leaf([&](const auto& leaf) { arguments[count++] = leaf.data(); });
  compiled<recorded<expression_body<Expression>>>::run(arguments, results, options);
}

template <class Expression, class T>
void evaluate_into(const Expression& source, T* result) {
  void* const results[] = {result};
  evaluate_to(source, results);
}

template <class Expression>
auto evaluate_results(const Expression& source) {
  return [&]<int... I>(std::integer_sequence<int, I...>) {
    results<tensor_of<Expression::result_types.at[I]>...> all{((void)I, uninitialized)...};
    if constexpr (Expression::valid) {
      void* const pointers[] = {get<I>(all).data()...};
      evaluate_to(source, pointers);
    }
    return all;
  }(std::make_integer_sequence<int, Expression::result_types.size>{});
}

}  // namespace detail

// The value of an expression as a tensor.
template <detail::evaluable Expression>
auto evaluate(const Expression& source) {
  return tensor_of<Expression::type>(source);
}

// The same, the work done by an executor: c = by(pool, matmul(a, b)). The bits do not depend on it.
template <class Executor, detail::evaluable Expression>
auto by(Executor&& workers, const Expression& source, execution::executor_check<Executor> = {}) {
  tensor_of<Expression::type> result(uninitialized);
  if constexpr (Expression::valid) {
    run_options options;
    options.workers = tenon::workers(workers);
    void* const results[] = {result.data()};
    detail::evaluate_to(source, results, options);
  }
  return result;
}

}  // namespace tenon
