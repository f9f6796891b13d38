// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/gradients/differentiator.hpp>
#include <tenon/graph/growing.hpp>
#include <tenon/graph/owned.hpp>

#include <concepts>
#include <initializer_list>

namespace tenon::gradients {

// Before, equal ops become one and calls what they call; what might change derivatives at edges stays as it is.
struct merging {
  static constexpr void choose_rewrites(passes::simplifying_progress& progress) {
    progress.keeps_loops = true, progress.switched_off = ~0u;
  }
};

// Rewrites a program without calls to one of its derivatives by the arguments with these numbers. The graph must have
// room.
template <kind_set Kinds>
constexpr refusal differentiate(graph& g, const graph_function& function, list<int> by, derivative which) {
  const graph_region body = g.regions.data[function.region];
  const auto type_at = [&](int value) { return g.type_of_value(value); };
  if (g.quantizations.size > 0) return {"grad_quantized", "quantized arithmetic has no rule", -1, {}};
  for (const tensor_type& type : g.types)
    if (type.bounded != 0) return {"grad_bounded", "sizes are known while compiling", -1, type};
  for (const int i : by) {
    if (i < 0 || i >= body.argument_count)
      return {"grad_argument", "what is differentiated by is the number of an argument", -1, {}};
    if (const refusal why = check_differentiable(type_at(body.arguments + i))) return why;
  }
  // The arguments, and tangents or cotangents behind them.
  growing_list<tensor_type> types;
  for (int i = 0; i < body.argument_count; ++i) types.push(type_at(body.arguments + i));
  if (which == derivative::pushforward)
    for (const int i : by) types.push(type_at(body.arguments + i));
  if (which == derivative::pullback)
    for (const int y : g.yields_of(body))
      if (is_differentiable(type_at(y))) types.push(type_at(y));
  const int region = open_region(g, -1, types.all(), body.source);
  const int arguments = g.regions.data[region].arguments, given = arguments + body.argument_count;
  node_copier copier(g);
  for (int i = 0; i < body.argument_count; ++i) copier.replace(body.arguments + i, arguments + i);
  copier.copy_nodes(function.region, region);
  growing_list<int> results, yields;
  differentiator<Kinds> d(g, region);
  const int first = g.regions.data[region].first, last = g.nodes.size;
  for (const int i : by) d.activate(arguments + i);
  d.activate_nodes(region, first, last);
  for (int r = 0; r < body.yield_count; ++r) results.push(copier.copy_of(g.operands.data[body.yields + r]));
  if (which != derivative::gradients)
    for (const int y : results.all()) yields.push(y);
  if (which == derivative::pushforward) {
    for (int k = 0; k < by.size; ++k) d.set(arguments + by[k], d.to.at(given + k));
    d.push(region, first, last, results.all());
    for (const int y : results.all())
      if (is_differentiable(type_at(y))) yields.push(d.derivative_or_zeros(y).id);
  } else {
    if (which == derivative::pullback) {
      int k = given;
      for (const int y : results.all())
        if (is_differentiable(type_at(y))) d.add_to(y, d.to.at(k++));
    } else {
      const tensor_type type = results.size() == 1 ? type_at(results[0]) : tensor_type{};
      if (const refusal why = check_loss(type)) return why;
      d.add_to(results[0], d.to.number(1, type));
    }
    d.pull(region, first, last);
    for (const int i : by) yields.push(d.derivative_or_zeros(arguments + i).id);
  }
  close_region(g, region, yields.all());
  g.functions.data[0] = {function.name, region, true};
  g.functions.size = 1;
  return g.overflow() ? refusal{"grad_size", "the derivative has more ops than there is room for", -1, {}}
                      : d.refused();
}

// Room for a derivative: `effort` times the usual room of its ops, at most a million ops; four times its program.
inline constexpr int most_effort = 1024, most_nodes = 1 << 20;
constexpr graph_sizes room_for_derivative(const graph& g, int effort) {
  graph_sizes s = g.sizes();
  const index_t wanted = effort * (8 * index_t(s.nodes) + 64), most = most_nodes;
  const int n = int(wanted < most ? wanted : most);
  s.values += s.values + 2 * n, s.operands += s.operands + 3 * n, s.regions += s.regions + n / 2;
  s.nodes += s.nodes + n, s.words += 24 * n, s.types += n, s.literals += n;
  s.region_references += s.region_references + n / 2, s.functions += 1, s.names += 1, s.characters += 32;
  return s;
}

// The derivative of a program that is known when it runs. With a refusal the graph is of no use. A template, so that
// all rules are compiled where it is called.
template <std::same_as<graph> Graph>
growing_graph differentiated(const Graph& from, const graph_function& function, list<int> by, derivative which,
                             refusal& why) {
  passes::simplifying_progress progress;
  merging::choose_rewrites(progress);
  const passes::owned_graph merged = passes::simplify(from, function, most_nodes / 4, progress);
  if (progress.failure) why = {"grad_call", progress.failure, progress.failed_at, {}};
  for (int effort = 1; !progress.failure; effort *= 4) {
    growing_graph result;
    result.make_room(room_for_derivative(merged.get(), effort));
    copy_graph(merged.get(), result.get());
    why = differentiate<every_kind>(result.get(), merged.get().functions.data[0], by, which);
    if (!result.get().overflow() || effort == most_effort) return result;
  }
  return {};
}

}  // namespace tenon::gradients
