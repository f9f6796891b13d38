// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/notation.hpp>

namespace tenon::text {

// Reads a program op by op. Between two steps everything it knows is in the graph and in its tables, so that reading
// can go on later, elsewhere, and with more memory.
class parser : public notation_reader {
 public:
  using notation_reader::notation_reader;

  enum class outcome { more, done, error, full };

 protected:
  // Some compilers want it to be known where it is used.
  template <class Step>
  constexpr outcome run(int steps, int bytes, Step take_step) {
    const int last = bytes < size - at ? at + bytes : size;
    for (; steps > 0 && at <= last; --steps) {
      const int begin = at;
      const marks before = mark();
      const bool good = take_step();
      if (g.overflow() || state.overflow()) {
        error = {};
        roll_back(before);
        at = begin;
        return outcome::full;
      }
      if (!good) {
        locate_error();
        return outcome::error;
      }
      if (finished_) return outcome::done;
    }
    return outcome::more;
  }

 public:
  // Takes at most `steps` steps, and no further one after so many bytes. `full`: a table has no room; nothing of the
  // unfinished step is left behind.
  constexpr outcome run(int steps, int bytes) {
    return run(steps, bytes, [this] { return step(); });
  }

 protected:
  struct marks {
    int nodes, values, operands, words, regions, region_references, functions, literals;
    int names, frames, open_regions, signatures, signature_types, calls, aliases, symbols;
    frame top;
  };

  bool finished_ = false;

  constexpr marks mark() const {
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
            state.frames.size > 0 ? state.frames.data[state.frames.size - 1] : frame{}};
  }
  constexpr void roll_back(const marks& before) {
    g.nodes.size = before.nodes, g.values.size = before.values, g.operands.size = before.operands;
    g.words.size = before.words, g.regions.size = before.regions;
    g.region_references.size = before.region_references, g.functions.size = before.functions;
    g.literals.size = before.literals;
    forget_names(before.names);
    state.frames.size = before.frames;
    if (before.frames > 0) state.frames.data[before.frames - 1] = before.top;
    state.open_regions.size = before.open_regions, state.signatures.size = before.signatures;
    state.signature_types.size = before.signature_types, state.calls.size = before.calls;
    state.aliases.size = before.aliases, state.symbols.size = before.symbols;
  }

  constexpr bool step() {
    if (state.frames.size == 0 || top().kind == frame::what::module) return read_outside();
    if (top().region < 0) return top().opening ? open_next_region() : read_op(top().begin, true);
    const char c = peek();
    if (c == '}') return top().kind == frame::what::function ? close_function() : close_region();
    if (at >= size) return fail("syntax", "the text ends within a region");
    if (c == '^') return read_label();
    if (top().finished) return fail("syntax", "nothing may follow the return of a region");
    return read_op(at, false);
  }

  constexpr bool read_outside() {
    const char c = peek();
    if (at >= size) {
      if (state.frames.size != 0) return fail("syntax", "the module is not closed");
      finished_ = true;
      return check_calls();
    }
    if (c == '}' && state.frames.size != 0) return close_module();
    if (c == '#' || c == '!') return read_alias();
    if (c == '{' && peek_at(1) == '-') {
      at = size;
      return true;
    }
    word name;
    if (c == '"') {
      if (!read_quoted(name)) return false;
      if (is(name, "func.func")) return read_generic_function(name.first);
      if (is(name, "builtin.module")) return read_generic_module(name.first);
      if (is(name, "sdy.mesh")) return read_generic_mesh(name.first);
    } else {
      name = read_word();
    }
    if (is(name, "func.func")) return read_function(name.first);
    if (is(name, "module") || is(name, "builtin.module")) return read_module(name.first);
    if (is(name, "sdy.mesh")) return read_mesh();
    return fail("syntax", "a function is expected: func.func @name(...)", name.first);
  }

  constexpr bool open_next_region() {
    top().opening = false;
    if (!expect('{', "{ is expected before a region") || !open_region(enclosing_region(), at)) return false;
    return top().kind != frame::what::while_body || define_while_arguments();
  }

  constexpr bool read_op(int begin, bool resumed) {
    at = begin;
    state.attributes.size = 0;
    literal_type_ = -1;
    foreign_literal_ = {};
    op_parts parts;
    parts.begin = begin;
    parts.operands = g.operands.size;
    parts.results = g.values.size;
    word result;
    int named_results = 0;
    bool one_name = true;
    if (peek() == '%') {
      if (!read_result_names(result, named_results, one_name)) return false;
    }
    skip_space();
    parts.name = op_position_ = at;
    const bool generic = at < size && data[at] == '"';
    word name;
    if (generic) {
      if (!read_string(name)) return false;
      name.key = key_of_range(name.first, name.size);
    } else {
      name = read_word();
    }
    if (name.size == 0) return fail("syntax", "an op is expected");

    parts.kind = find_op(name);
    if (parts.kind == -1) {
      if (is(name, "stablehlo.return") || is(name, "func.return") || is(name, "return")) {
        if (named_results != 0) return fail("syntax", "a return has no results", begin);
        return read_return(parts, generic, !is(name, "stablehlo.return"));
      }
      if (is(name, "func.call") || is(name, "call"))
        parts.kind = kind_of_op<ops::call>;
      else if (is_foreign_dialect(name))
        parts.kind = foreign_kind(intern_text(name.first, name.size));
      else
        return fail(
            "unknown_op",
            same_characters(name.first, "chlo.")
                ? "this op of CHLO is not supported: write it out first, with the pass chlo-legalize-to-stablehlo"
                : "the op is unknown",
            parts.name);
    }
    parts.of_chlo = parts.kind >= 0 && same_characters(name.first, "chlo.", 5);
    if (names_overflow()) return true;
    bool region_opened = false;
    const bool good = generic           ? read_generic(parts, resumed, region_opened)
                      : parts.kind < -1 ? read_foreign(parts, named_results)
                                        : read_notation(parts, resumed, region_opened);
    if (!good) return false;
    if (region_opened) {
      g.operands.size = parts.operands;
      return true;
    }
    if (!skip_location()) return false;
    if (g.operands.overflow || g.values.overflow || g.literals.overflow || types_overflow()) return true;
    if (parts.of_chlo && is_broadcast(name)) {
      if (!spread_operands(parts)) return false;
      if (g.overflow() || types_overflow()) return true;
    }
    const bool like = parts.of_chlo && parts.kind == kind_of_op<ops::broadcast_in_dim>;
    if (like ? !write_constant_like(parts) : !finish(parts)) return false;
    if (like && (g.overflow() || types_overflow())) return true;
    append_node(parts, enclosing_region());
    if (parts.region_count > 0) state.open_regions.size = parts.regions;
    if (resumed) --state.frames.size;
    if (named_results == 0) return true;
    if (named_results != parts.result_count)
      return fail("syntax", "the op has another number of results than is named", begin);
    if (one_name) return define(result, parts.results, named_results);
    return define_results(begin, parts.results);
  }

  // `%a =`, `%a:2 =`, `%a, %b =`.
  constexpr bool read_result_names(word& first, int& count, bool& one_name) {
    do {
      if (!expect('%', "the name of a result is expected")) return false;
      const word name = read_name();
      if (count == 0)
        first = name;
      else
        one_name = false;
      if (at < size && data[at] == ':') {
        ++at;
        index_t several = 0;
        if (!read_natural(several)) return false;
        if (several < 1 || several > 100000) return fail("syntax", "the number of results is out of range");
        count += int(several);
      } else {
        ++count;
      }
    } while (accept(','));
    return expect('=', "= is expected after the names of results");
  }
  constexpr bool define_results(int begin, int value) {
    const int after = at;
    at = begin;
    do {
      skip_space();
      ++at;
      const word name = read_name();
      index_t count = 1;
      if (at < size && data[at] == ':') {
        ++at;
        if (!read_natural(count)) return false;
      }
      if (!define(name, value, int(count))) return false;
      value += int(count);
    } while (accept(','));
    at = after;
    return true;
  }
};

}  // namespace tenon::text
