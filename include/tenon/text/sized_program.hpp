// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/program_graph.hpp>
#include <tenon/text/specializer.hpp>

namespace tenon {

namespace text {

// The ops that a graph consists of.
constexpr op_set ops_in(const graph& g) {
  op_set result;
  for (const graph_node& node : g.nodes)
    if (node.kind >= 0) result.add(node.kind);
  return result;
}

// One try to specialize a program in constant evaluation, with memory as sizes_of_specialized says for this effort.
template <class Program, int Effort, class... Tensors>
struct sized_attempt {
  static constexpr graph from = parsed<Program>::view();
  static constexpr graph_function entry = *entry_of(from);
  static constexpr graph_sizes room = sizes_of_specialized(from, Effort);
  static_assert(Effort <= 1024, "tenon: the calls are recursive, or the program grows too large");

  struct outcome {
    graph_storage<room> storage;
    specialization_error error;
    bool done = false;
  };
  static constexpr outcome made = [] {
    outcome result;
    graph to = result.storage.open();
    int values[from.values.size + 1]{}, regions[from.regions.size + 1]{}, known[room.values + 1]{};
    index_t numbers[most_known_numbers * room.nodes + 1]{};
    specializing_memory memory{{values, 0, from.values.size + 1},
                               {regions, 0, from.regions.size + 1},
                               {numbers, 0, most_known_numbers * room.nodes + 1},
                               {known, 0, room.values}};
    const ints shapes[] = {Tensors::type.shape..., {}};
    specializer<ops_in(from)> writer(from, to, memory);
    result.done = writer.run(entry, {shapes, int(sizeof...(Tensors))});
    result.error = writer.error;
    result.storage.close(to);
    return result;
  }();
};
template <class Program, int Effort, class... Tensors>
constexpr const auto& sized() {
  using attempt = sized_attempt<Program, Effort, Tensors...>;
  if constexpr (attempt::made.done || bool(attempt::made.error))
    return attempt::made;
  else
    return sized<Program, 4 * Effort, Tensors...>();
}

}  // namespace text

// The graph of a program whose text leaves sizes open, for arguments of these tensor types. It is empty if there is an
// error, which is then located in the text.
template <class Program, class... Tensors>
struct sized_program {
  static constexpr parse_error error = [] {
    constexpr specialization_error found = text::sized<Program, 1, Tensors...>().error;
    text::lexer in(Program::text);
    if (found) in.fail(found.label, found.sentence, found.source < 0 ? 0 : found.source);
    in.locate_error();
    return in.error;
  }();
  static constexpr ir::graph_sizes sizes =
      error ? ir::graph_sizes{} : text::sized<Program, 1, Tensors...>().storage.used;
  static constexpr ir::graph_storage<sizes> storage = [] {
    ir::graph_storage<sizes> result;
    if (!error) result.take(text::sized<Program, 1, Tensors...>().storage.view());
    return result;
  }();

  static constexpr ir::graph view() { return storage.view(); }
};

}  // namespace tenon
