// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/tracer.hpp>

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

// A recorded function: a graph with one function, or with none where the room was too small; and the rule
// that it breaks.
template <graph_sizes Room>
struct recorded_graph {
  graph_storage<Room> storage;
  const char* label = nullptr;
  message_text<1000> message;
};

// Records a function into a room of this size: Body::argument_count arguments, whose types Body::write_types(types)
// writes, and Body::call(recording, first, positions), which gives the results; `first` is the value of the first
// argument. Compilers show the message when they stop at a broken rule.
template <class Body, graph_sizes Room, auto Message = message_text<0>{}>
constexpr recorded_graph<Room> record_in_room(bool stops_at_broken_rule) {
  recorded_graph<Room> result;
  recording r{.program = result.storage.open(), .stops_at_broken_rule = stops_at_broken_rule};
  graph& g = r.program;
  tensor_type types[Body::argument_count + 1];
  Body::write_types(types);
  r.region = open_region(g, -1, {types, Body::argument_count});
  int memory[most_operands]{};
  table<int> yields{memory, 0, most_operands};
  push_results(
      r, Body::call(r, g.regions.data[r.region].arguments, std::make_integer_sequence<int, Body::argument_count>{}),
      yields);
  close_region(g, r.region, yields.part(0, yields.size));
  g.functions.push({g.intern_name("main"), r.region, true});
  if (g.overflow()) g.functions.size = 0;
  result.storage.close(g);
  result.label = r.label;
  result.message = message_of_rule(r.label, r.sentence, {r.operands, r.operand_count});
  return result;
}

template <class Body, int Ops = 128>
struct recorded_within {
  static constexpr auto wide = record_in_room<Body, room_for(Ops)>(false);
  static constexpr bool fits = wide.storage.used.functions == 1, valid = wide.message.length == 0;
};

// None if the function itself does not compile, or runs into what cannot be known while compiling: that has been
// reported then, and what would follow from it need not be.
template <class Body, int Ops = 128>
constexpr auto find_room() {
  if constexpr (!requires { typename std::bool_constant<recorded_within<Body, Ops>::fits>; }) {
    return std::integral_constant<int, 0>{};
  } else if constexpr (recorded_within<Body, Ops>::fits || Ops >= most_recorded_ops) {
    static_assert(recorded_within<Body, Ops>::fits, "tenon: the function has too many ops");
    return std::integral_constant<int, Ops>{};
  } else {
    return find_room<Body, 8 * Ops>();
  }
}
template <class Body>
constexpr int sufficient_ops() {
  if constexpr (requires(recording& r) { Body::call(r, 0, std::make_integer_sequence<int, Body::argument_count>{}); })
    return decltype(find_room<Body>())::value;
  else
    return 0;
}
template <class Body>
concept recordable = sufficient_ops<Body>() > 0;

// The graph of a recorded function, for `compiled`. `valid` is false where a rule is broken.
template <class Body>
struct recorded {
  static constexpr int ops = sufficient_ops<Body>();
  using within = recorded_within<Body, ops>;
  static constexpr bool valid = within::valid;
  static constexpr auto storage = cut_graph<within::wide.storage.used>(within::wide.storage.view());
  static constexpr tenon::ir::graph graph() { return storage.view(); }
  static constexpr graph_function function() { return storage.view().functions[0]; }
};

struct nothing_recorded {
  static constexpr int argument_count = 0;

  static constexpr void write_types(tensor_type*) {}
  static constexpr auto call(recording&, int, std::integer_sequence<int>) { return results<>{}; }
};
template <class Body>
  requires(!recordable<Body>)
struct recorded<Body> : recorded<nothing_recorded> {
  static constexpr bool valid = false;
};

// Ends the compilation if a recorded function breaks a rule: it is recorded again, up to the op that breaks it.
template <class Body>
struct checked_recording {
  using within = typename recorded<Body>::within;
  static constexpr auto message = cut_message<within::wide.message.length>(within::wide.message);
  static_assert(within::valid || record_in_room<Body, room_for(recorded<Body>::ops), message>(true).message.length == 0,
                "tenon: the program breaks a rule of StableHLO");
};
template <class Body>
  requires(!recordable<Body>)
struct checked_recording<Body> {};

}  // namespace tenon::detail
