// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/owned.hpp>
#include <tenon/text/specializer.hpp>

namespace tenon {

// The function for arguments of these shapes; of an argument whose sizes the text says the shape is not looked at. No
// functions in the result: `error` says why. A template, so that only who calls it pays for the rules of all ops.
template <text::op_set Wanted = text::every_op>
passes::owned_graph specialize(const ir::graph& from, const ir::graph_function& function, core::list<ints> shapes,
                               int most_nodes, specialization_error& error) {
  const passes::owned_table<int> values(from.values.size), regions(from.regions.size);
  for (int effort = 1;; effort *= 4) {
    const ir::graph_sizes sizes = sizes_of_specialized(from, effort);
    if (sizes.nodes / 4 > most_nodes || effort > 1024) {
      error = {"too_large", "the calls are recursive, or the program grows too large"};
      return passes::owned_graph(ir::graph_sizes{});
    }
    passes::owned_graph result(sizes);
    const passes::owned_table<int> known(sizes.values);
    const passes::owned_table<index_t> numbers(text::most_known_numbers * sizes.nodes);
    specializing_memory memory{values.open(), regions.open(), numbers.open(), known.open()};
    text::specializer<Wanted> writer(from, result.get(), memory);
    const bool done = writer.run(function, shapes);
    error = writer.error;
    if (!done) result.get().functions.size = 0;
    if (done || error) return result;
  }
}

}  // namespace tenon
