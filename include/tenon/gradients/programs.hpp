// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/gradients/differentiator.hpp>
#include <tenon/graph/growing.hpp>

#include <initializer_list>

namespace tenon::gradients {

// Rewrites a program to one of its derivatives by the arguments with these numbers. The graph must have room.
template <kind_set Kinds>
constexpr refusal differentiate(graph& g, int function, list<int> by, derivative which) {
  const graph_region body = g.regions.data[g.functions.data[function].region];
  const auto is_differentiable = [&](int value) {
    const tensor_type& type = g.type_of_value(value);
    return type.is_tensor() && !type.is_quantized() && (is_float(type.element) || is_complex(type.element));
  };
  if (g.quantizations.size > 0) return {"grad_quantized", "quantized arithmetic has no rule", -1, {}};
  for (const tensor_type& type : g.types)
    if (type.bounded != 0) return {"grad_bounded", "sizes are known while compiling", -1, type};
  for (const int i : by) {
    if (i < 0 || i >= body.argument_count)
      return {"grad_argument", "what is differentiated by is the number of an argument", -1, {}};
    if (!is_differentiable(body.arguments + i))
      return {"grad_argument", "what is differentiated by has elements of floating-point or complex type", -1,
              g.type_of_value(body.arguments + i)};
  }
  // The arguments, and tangents or cotangents behind them.
  numbered<int> extra(-1);
  int extras = 0;
  tensor_type* const types = new tensor_type[std::size_t(body.argument_count + by.size + body.yield_count) + 1];
  for (int i = 0; i < body.argument_count; ++i) types[i] = g.type_of_value(body.arguments + i);
  const auto add = [&](int value) { types[body.argument_count + extras++] = g.type_of_value(value); };
  if (which == derivative::pushforward)
    for (const int i : by) add(body.arguments + i);
  if (which == derivative::pullback)
    for (const int y : g.yields_of(body))
      if (is_differentiable(y)) add(y);
  const int region = open_region(g, -1, {types, body.argument_count + extras}, body.source);
  delete[] types;
  const int arguments = g.regions.data[region].arguments, given = arguments + body.argument_count;
  node_copier copier(g);
  for (int i = 0; i < body.argument_count; ++i) copier.replace(body.arguments + i, arguments + i);
  copier.copy_nodes(g.functions.data[function].region, region);
  if (copier.failed())
    return {"grad_call", "calls do not go round in a circle or lead to a function without a body", -1, {}};

  numbered<int> yields(-1);
  int count = 0;
  differentiator<Kinds> d(g, region);
  const int first = g.regions.data[region].first, last = g.nodes.size;
  for (const int i : by) d.activate(arguments + i);
  d.activate_nodes(region, first, last);
  for (int r = 0; r < body.yield_count; ++r) yields.set(count++, copier.copy_of(g.operands.data[body.yields + r]));
  if (which == derivative::pushforward) {
    for (int k = 0; k < by.size; ++k) d.set(arguments + by[k], d.to.at(given + k));
    int* const wanted = new int[std::size_t(count) + 1];
    for (int r = 0; r < count; ++r) wanted[r] = yields[r];
    d.push(region, first, last, {wanted, count});
    delete[] wanted;
    for (int r = 0; r < body.yield_count; ++r)
      if (is_differentiable(yields[r])) yields.set(count++, d.derivative_or_zeros(yields[r]).id);
  } else {
    if (which == derivative::pullback) {
      int k = given;
      for (int r = 0; r < count; ++r)
        if (is_differentiable(yields[r])) d.add_to(yields[r], d.to.at(k++));
    } else {
      const tensor_type type = count == 1 ? g.type_of_value(yields[0]) : tensor_type{};
      if (!is_float(type.element) || type.is_quantized() || type.rank() != 0)
        return {"grad_loss", "what is differentiated is one real number, of floating-point type and without dimensions",
                -1, type};
      d.add_to(yields[0], d.to.number(1, type));
      if (which == derivative::gradients) count = 0;
    }
    d.pull(region, first, last);
    for (const int i : by) yields.set(count++, d.derivative_or_zeros(arguments + i).id);
  }
  int* const all = new int[std::size_t(count) + 1];
  for (int r = 0; r < count; ++r) all[r] = yields[r];
  close_region(g, region, {all, count});
  delete[] all;
  g.functions.data[0] = {g.functions.data[function].name, region, true};
  g.functions.size = 1;
  return d.refused();
}

// Room for a derivative: `effort` times what its ops usually take.
constexpr graph_sizes room_for_derivative(const graph& g, int effort) {
  graph_sizes s = g.sizes();
  const int n = effort * (8 * s.nodes + 64);
  s.values += s.values + 2 * n, s.operands += s.operands + 3 * n, s.regions += s.regions + n / 2;
  s.nodes += s.nodes + n, s.words += 24 * n, s.types += n, s.literals += n;
  s.region_references += s.region_references + n / 2, s.functions += 1;
  return s;
}

// The derivative of a program that is known when it runs. With a refusal the graph is of no use.
inline growing_graph differentiated(const graph& from, const graph_function& function, list<int> by, derivative which,
                                    refusal& why) {
  int number = 0;
  while (from.functions.data[number].region != function.region) ++number;
  for (int effort = 1;; effort *= 4) {
    growing_graph result;
    result.make_room(room_for_derivative(from, effort));
    copy_graph(from, result.get());
    why = differentiate<every_kind>(result.get(), number, by, which);
    if (!result.get().overflow() || effort > 1000) return result;
  }
}

}  // namespace tenon::gradients
