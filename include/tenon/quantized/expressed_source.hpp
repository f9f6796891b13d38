// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/converted_values.hpp>
#include <tenon/quantized/expressed_types.hpp>
#include <tenon/quantized/stored_numbers.hpp>

#include <type_traits>

namespace tenon::execution {

// A program with conversions where its nodes compute in other types than those of their operands and results.
template <class Source, class Types>
struct converted_source {
  static constexpr auto storage = [] {
    constexpr tenon::ir::graph from = Source::graph();
    graph_storage<sizes_with_conversions(from, Types{from})> result;
    tenon::ir::graph to = result.open();
    int moved[from.nodes.size + 1]{};
    write_conversions(from, to, {moved, 0, from.nodes.size + 1}, Types{from});
    result.close(to);
    return result;
  }();
  static constexpr tenon::ir::graph graph() { return storage.view(); }
  static constexpr graph_function function() { return Source::function(); }
};
// With its quantized arithmetic written out, and without quantized types where it can do without.
template <class Source>
struct stored_source {
  static constexpr auto storage = [] {
    constexpr tenon::ir::graph from = Source::graph();
    graph_storage<sizes_of_stored_numbers(from)> result;
    tenon::ir::graph to = result.open();
    int moved[from.nodes.size + 1]{};
    stored_numbers(from, to).write({moved, 0, from.nodes.size + 1});
    result.close(to);
    return result;
  }();
  static constexpr tenon::ir::graph graph() { return storage.view(); }
  static constexpr graph_function function() { return Source::function(); }
};
template <class Source>
constexpr auto select_expressed_source() {
  using expressed = converted_source<Source, expressed_types>;
  if constexpr (Source::graph().quantizations.size == 0)
    return std::type_identity<Source>{};
  else if constexpr (stores_plain_numbers(Source::graph()))
    return std::type_identity<stored_source<expressed>>{};
  else
    return std::type_identity<expressed>{};
}
template <class Source>
using expressed_source = typename decltype(select_expressed_source<Source>())::type;

}  // namespace tenon::execution
