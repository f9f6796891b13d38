// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/graph_builder.hpp>

// A text is read in steps, one statement each. Between two steps everything that is known is in the graph and in the
// tables, so that reading can go on later, elsewhere, and with more memory.
namespace tenon::text {

enum class outcome { more, done, error, full };

namespace detail {

// How full the tables are before a step.
struct marks {
  int nodes, values, operands, words, regions, region_references, functions, literals;
  int names, frames, open_regions, signatures, signature_types, calls, aliases, symbols, divided;
  frame top;
};

constexpr marks mark(const graph& g, const parser_tables& state) {
  return {g.nodes.size,
          g.values.size,
          g.operands.size,
          g.words.size,
          g.regions.size,
          g.region_references.size,
          g.functions.size,
          g.literals.size,
          state.names.size,
          state.frames.size,
          state.open_regions.size,
          state.signatures.size,
          state.signature_types.size,
          state.calls.size,
          state.aliases.size,
          state.symbols.size,
          state.divided.size,
          state.frames.size > 0 ? state.frames.data[state.frames.size - 1] : frame{}};
}
constexpr void roll_back(graph_builder& build, const marks& before) {
  graph& g = build.g;
  parser_tables& state = build.state;
  g.nodes.size = before.nodes, g.values.size = before.values, g.operands.size = before.operands;
  g.words.size = before.words, g.regions.size = before.regions;
  g.region_references.size = before.region_references, g.functions.size = before.functions;
  g.literals.size = before.literals;
  build.forget_names(before.names);
  state.frames.size = before.frames;
  if (before.frames > 0) state.frames.data[before.frames - 1] = before.top;
  state.open_regions.size = before.open_regions, state.signatures.size = before.signatures;
  state.signature_types.size = before.signature_types, state.calls.size = before.calls;
  state.aliases.size = before.aliases, state.symbols.size = before.symbols;
  state.divided.size = before.divided;
}

}  // namespace detail

// Takes at most `steps` steps, and no further one after so many bytes. `full`: a table has no room; nothing of the
// unfinished step is left behind.
template <class Step>
constexpr outcome take_steps(graph_builder& build, int steps, int bytes, Step take_step) {
  lexer& in = build.in;
  const int last = bytes < in.size - in.at ? in.at + bytes : in.size;
  for (; steps > 0 && in.at <= last; --steps) {
    const int begin = in.at;
    const detail::marks before = detail::mark(build.g, build.state);
    const bool good = take_step();
    if (build.full()) {
      in.error = {};
      detail::roll_back(build, before);
      in.at = begin;
      return outcome::full;
    }
    if (!good) {
      in.locate_error();
      return outcome::error;
    }
    if (build.finished) return outcome::done;
  }
  return outcome::more;
}

}  // namespace tenon::text
