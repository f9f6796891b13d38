// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/owned.hpp>
#include <tenon/quantized/expressed_types.hpp>
#include <tenon/quantized/stored_numbers.hpp>

namespace tenon::passes {

// A graph with its quantized arithmetic written out, and without quantized types where it can do without.
inline owned_graph write_expressed(const graph& from) {
  owned_graph expressed = write_conversions<expressed_types>(from);
  if (!stores_plain_numbers(from)) return expressed;
  owned_graph result(sizes_of_stored_numbers(expressed.get()));
  stored_numbers(expressed.get(), result.get()).write(owned_table<int>(expressed.get().nodes.size + 1).open());
  return result;
}

}  // namespace tenon::passes
