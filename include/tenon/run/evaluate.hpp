// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/expression.hpp>
#include <tenon/run/compiled.hpp>

namespace tenon::detail {

// The graph of an expression: its tensors are the arguments.
template <class Expression>
struct expression_source {
  static constexpr graph_sizes room{.nodes = 256,
                                    .values = 512,
                                    .operands = 1024,
                                    .words = 4096,
                                    .types = 128,
                                    .regions = 32,
                                    .region_references = 32,
                                    .functions = 1,
                                    .literals = 128,
                                    .names = 8,
                                    .characters = 256};
  static constexpr auto wide = [] {
    graph_storage<room> storage;
    tenon::graph g = storage.open();
    tensor_type types[Expression::leaf_count + 1];
    int count = 0;
    Expression::for_each_leaf_type([&](const tensor_type& type) { types[count++] = type; });
    const int region = open_region(g, -1, {types, count});
    int argument = 0;
    int yields_storage[most_operands]{};
    table<int> yields{yields_storage, 0, most_operands};
    push_results(Expression::record(g, region, argument), yields);
    close_region(g, region, yields.part(0, yields.size));
    g.functions.push({g.intern_name("expression"), region, true});
    storage.take(g);
    return storage;
  }();
  static constexpr auto storage = cut_graph<wide.used>(wide.view());
  static constexpr tenon::graph graph() { return storage.view(); }
  static constexpr graph_function function() { return storage.functions[0]; }
};

template <class Expression, class T>
void evaluate_into(const Expression& source, T* result) {
  const void* arguments[Expression::leaf_count + 1];
  int count = 0;
  source.for_each_leaf([&](const auto& leaf) { arguments[count++] = leaf.data(); });
  void* const results[] = {result};
  compiled<expression_source<Expression>>::run(arguments, results);
}

}  // namespace tenon::detail
