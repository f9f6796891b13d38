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

// Records one function whose arguments have the types that `write_types` writes: `body(graph, region)` gives its results.
template <graph_sizes Room, int Arguments, class Types, class Body>
constexpr graph_storage<Room> record_function(Types write_types, Body body) {
  graph_storage<Room> storage;
  graph g = storage.open();
  tensor_type types[Arguments + 1];
  write_types(types);
  const int region = open_region(g, -1, {types, Arguments});
  int memory[most_operands]{};
  table<int> yields{memory, 0, most_operands};
  push_results(body(g, region), tracer{&g, region}, yields);
  close_region(g, region, yields.part(0, yields.size));
  g.functions.push({g.intern_name("main"), region, true});
  storage.close(g);
  if (g.overflow()) storage.used.functions = 0;
  return storage;
}

// How many ops a function may have at most.
inline constexpr int most_recorded_ops = 1 << 16;

// What Source::record<room>() gives in a room that is large enough, cut to its size.
template <class Source, int Ops = 128>
constexpr auto record_fitting() {
  constexpr auto storage = Source::template record<room_for(Ops)>();
  static_assert(storage.used.functions == 1 || Ops < most_recorded_ops, "tenon: the function has too many ops");
  if constexpr (storage.used.functions == 1 || Ops >= most_recorded_ops)
    return cut_graph<storage.used>(storage.view());
  else
    return record_fitting<Source, 8 * Ops>();
}

template <class Source>
inline constexpr auto recorded = record_fitting<Source>();

}  // namespace tenon::detail
