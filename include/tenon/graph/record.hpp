// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/tracer.hpp>

namespace tenon::detail {

// Room for a function of this many ops of the usual kind.
constexpr graph_sizes room_for(int ops) {
  return {.nodes = ops,
          .values = 2 * ops,
          .operands = 3 * ops,
          .words = 8 * ops,
          .types = ops,
          .regions = ops / 4,
          .region_references = ops / 4,
          .functions = 1,
          .literals = ops / 2,
          .names = 1,
          .characters = 16};
}

// How many ops a function may have at most.
inline constexpr int most_recorded_ops = 1 << 16;

// Records a function into a room of this size: Body::argument_count arguments, whose types Body::write_types(types)
// writes, and Body::call(graph, region), which gives the results. No functions in the graph: the room is too small.
template <class Body, graph_sizes Room>
constexpr graph_storage<Room> record_in_room() {
  graph_storage<Room> storage;
  graph g = storage.open();
  tensor_type types[Body::argument_count + 1];
  Body::write_types(types);
  const int region = open_region(g, -1, {types, Body::argument_count});
  int memory[most_operands]{};
  table<int> yields{memory, 0, most_operands};
  push_results(Body::call(g, region), tracer{&g, region}, yields);
  close_region(g, region, yields.part(0, yields.size));
  g.functions.push({g.intern_name("main"), region, true});
  storage.close(g);
  if (g.overflow()) storage.used.functions = 0;
  return storage;
}

template <class Body, int Ops = 128>
constexpr auto record() {
  constexpr auto storage = record_in_room<Body, room_for(Ops)>();
  static_assert(storage.used.functions == 1 || Ops < most_recorded_ops, "tenon: the function has too many ops");
  if constexpr (storage.used.functions == 1 || Ops >= most_recorded_ops)
    return cut_graph<storage.used>(storage.view());
  else
    return record<Body, 8 * Ops>();
}

// The graph of a recorded function, for `compiled`.
template <class Body>
struct recorded {
  static constexpr auto storage = record<Body>();
  static constexpr tenon::graph graph() { return storage.view(); }
  static constexpr graph_function function() { return storage.functions[0]; }
};

}  // namespace tenon::detail
