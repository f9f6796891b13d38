// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/mlir/broadcast.hpp>
#include <tenon/text/mlir/expansions.hpp>
#include <tenon/text/mlir/function.hpp>
#include <tenon/text/mlir/manual_computation.hpp>
#include <tenon/text/mlir/notation.hpp>
#include <tenon/text/steps.hpp>

namespace tenon::text::mlir {

// Reads StableHLO text, in the syntax of MLIR, op by op.
class parser {
 public:
  lexer in;

  constexpr parser(graph& program, parser_tables& memory, int from, const parse_options& options,
                   const op_registry& registry)
      : in(program.text, from), build(in, program, memory), form(scope, attributes, options, registry) {
    state.open_sizes = options.open_sizes;
    state.in_parts = options.in_parts, state.part_shapes = options.part_shapes;
  }
  parser(const parser&) = delete;
  parser& operator=(const parser&) = delete;

  constexpr outcome run(int steps, int bytes) {
    return take_steps(build, steps, bytes, [this] { return step(); });
  }

 private:
  graph_builder build;
  graph& g = build.g;
  parser_tables& state = build.state;
  type_reader types{build};
  attribute_scanner scanner{types};
  attribute_reader attributes{scanner};
  scope_reader scope{types};
  module_reader modules{attributes};
  function_reader functions{scope, modules};
  generic_form_reader form;
  broadcast_reader broadcasts{attributes, form.checker};
  expansion_reader expansions{form};
  notation_reader notations{form};
  manual_computation_reader manual_computations{form};

  // Calls take(name, count) for `%a`, `%a:2`, `%a, %b`.
  template <class Take>
  constexpr bool for_result_names(Take take) {
    do {
      if (!in.expect('%', "the name of a result is expected")) return false;
      const word name = in.read_name();
      index_t count = 1;
      if (in.at < in.size && in.data[in.at] == ':' && (++in.at, !in.read_natural(count))) return false;
      if (count < 1 || count > 100000) return in.fail("syntax", "the number of results is out of range");
      if (!take(name, int(count))) return false;
    } while (in.accept(','));
    return true;
  }

  constexpr bool step() {
    if (state.frames.size == 0 || build.top().kind == frame::what::module) return read_outside();
    if (build.top().region < 0) return build.top().opening ? open_next_region() : read_op(build.top().begin, true);
    const char c = in.peek();
    if (c == '}') return build.top().kind == frame::what::function ? functions.close_function() : scope.close_region();
    if (in.at >= in.size) return in.fail("syntax", "the text ends within a region");
    if (c == '^') return scope.read_label();
    if (build.top().finished) return in.fail("syntax", "nothing may follow the return of a region");
    return read_op(in.at, false);
  }

  constexpr bool read_outside() {
    const char c = in.peek();
    if (in.at >= in.size) {
      if (state.frames.size != 0) return in.fail("syntax", "the module is not closed");
      build.finished = true;
      return functions.check_calls();
    }
    if (c == '}' && state.frames.size != 0) return modules.close_module();
    if (c == '#' || c == '!') return modules.read_alias();
    if (c == '{' && in.peek_at(1) == '-') {
      in.at = in.size;
      return true;
    }
    word name;
    if (c == '"') {
      if (!in.read_quoted(name)) return false;
      if (in.is(name, "func.func")) return functions.read_generic_function(name.first);
      if (in.is(name, "builtin.module")) return modules.read_generic_module(name.first);
      if (in.is(name, "sdy.mesh")) return modules.read_generic_mesh(name.first);
    } else {
      name = in.read_word();
    }
    if (in.is(name, "func.func")) return functions.read_function(name.first);
    if (in.is(name, "module") || in.is(name, "builtin.module")) return modules.read_module(name.first);
    if (in.is(name, "sdy.mesh")) return modules.read_mesh();
    if (in.same_characters(0, "ML\xEFR", 4))
      return in.fail("not_supported", "the program is bytecode of MLIR: print it as text", 0);
    if (in.same_characters(name.first, "vhlo.", 5))
      return in.fail("not_supported", "VHLO is not supported: convert the program to StableHLO", name.first);
    return in.fail("syntax", "a function is expected: func.func @name(...)", name.first);
  }

  constexpr bool open_next_region() {
    build.top().opening = false;
    if (!in.expect('{', "{ is expected before a region") || !scope.open_region(build.enclosing_region(), in.at))
      return false;
    return build.top().kind != frame::what::while_body || notations.define_while_arguments();
  }

  constexpr bool read_op(int begin, bool resumed) {
    in.at = begin;
    state.attributes.size = 0;
    attributes.literal_type = -1;
    form.forget_literal();
    op_parts parts;
    parts.begin = begin;
    parts.operands = g.operands.size;
    parts.results = g.values.size;
    int named_results = 0;
    if (in.peek() == '%' && !read_result_names(named_results)) return false;
    in.skip_space();
    parts.name = attributes.op_position = in.at;
    const bool generic = in.at < in.size && in.data[in.at] == '"';
    word name;
    if (generic) {
      if (!in.read_string(name)) return false;
      name.key = in.key_of_range(name.first, name.size);
    } else {
      name = in.read_word();
    }
    if (name.size == 0) return in.fail("syntax", "an op is expected");

    parts.kind = form.find_op(name);
    const bool annotates = parts.kind == -1 && expansions.is_annotation(name), is_empty = in.is(name, "tensor.empty");
    if (parts.kind == -1) {
      const bool of_op = in.is(name, "stablehlo.return") || in.is(name, "mhlo.return");
      if (of_op || in.is(name, "func.return") || in.is(name, "return")) {
        if (named_results != 0) return in.fail("syntax", "a return has no results", begin);
        return form.read_return(parts, generic, !of_op);
      }
      if (in.is(name, "sdy.manual_computation") || in.is(name, "sdy.named_computation"))
        return manual_computations.open(parts, generic, in.is(name, "sdy.named_computation"));
      if (in.is(name, "sdy.return") && build.top().kind == frame::what::manual_computation)
        return close_manual_computation(parts, generic);
      if (in.is(name, "func.call") || in.is(name, "call"))
        parts.kind = kind_of_op<ops::call>;
      else if (annotates || is_empty || form.is_foreign_dialect(name))
        parts.kind = foreign_kind(build.intern_text(name.first, name.size));
      else
        return in.fail(
            "unknown_op",
            in.same_characters(name.first, "chlo.")
                ? "this op of CHLO is not supported: write it out first, with the pass chlo-legalize-to-stablehlo"
            : form.is_of_mhlo(name)
                ? "this op of MHLO is none of StableHLO: convert the program with the pass hlo-legalize-to-stablehlo"
                : "the op is unknown",
            parts.name);
    }
    parts.of_chlo = parts.kind >= 0 && in.same_characters(name.first, "chlo.", 5);
    if (build.names_overflow()) return true;
    bool region_opened = false;
    const bool good = generic           ? form.read_generic(parts, resumed, region_opened)
                      : parts.kind < -1 ? form.read_foreign(parts, named_results)
                                        : notations.read_notation(parts, resumed, region_opened);
    if (!good) return false;
    if (region_opened) {
      g.operands.size = parts.operands;
      return true;
    }
    if (!in.skip_location()) return false;
    if (g.operands.overflow || g.values.overflow || g.literals.overflow || build.types_overflow()) return true;
    if (state.divided.size > 0 && !annotates && !make_operands_whole(parts)) return false;
    if (g.overflow() || state.divided.overflow) return true;
    if (parts.of_chlo && broadcasts.is_broadcast(name)) {
      if (!broadcasts.spread_operands(parts)) return false;
      if (g.overflow() || build.types_overflow()) return true;
    }
    if (!expansions.become_named_op(parts)) return false;
    if (parts.kind == kind_of_op<ops::top_k> && !expansions.takes_largest(parts)) return false;
    if (parts.kind == kind_of_op<ops::composite> && parts.region_count > 0) expansions.forget_regions(parts);
    if (annotates || expansions.is_annotating_call(parts)) {
      if (!expansions.pass_operand(parts)) return false;
    } else if (!append(parts, is_empty)) {
      return false;
    }
    if (build.full()) return true;
    if (parts.region_count > 0) state.open_regions.size = parts.regions;
    if (resumed) --state.frames.size;
    return define(begin, parts, named_results);
  }

  constexpr bool append(op_parts& parts, bool is_empty) {
    if (is_empty) return expansions.write_zeros(parts);
    if (expansions.changes_division(parts)) return expansions.change_division(parts);
    if (expansions.is_approximate_top_k(parts)) return expansions.write_approximate_top_k(parts);
    if (parts.of_chlo && parts.kind == kind_of_op<ops::broadcast_in_dim>) return broadcasts.write_constant_like(parts);
    if (parts.kind == kind_of_op<ops::dot_general> && !expansions.unite_factors(parts)) return false;
    if (build.full()) return true;
    if (!form.finish(parts)) return false;
    if (!build.full()) build.append_node(parts, build.enclosing_region());
    return true;
  }
  // Of an op that has been read; its results follow.
  constexpr bool make_operands_whole(op_parts& parts) {
    const int first = parts.results, before = g.nodes.size;
    if (!form.divided.make_operands_whole(parts.operands, parts.operand_count, parts.begin)) return false;
    if (g.nodes.size == before || build.full()) return true;
    parts.results = g.values.size;
    for (int i = 0; i < parts.result_count; ++i) g.values.push({g.values.data[first + i].type, -1, i, -1});
    return true;
  }
  constexpr bool close_manual_computation(op_parts& parts, bool generic) {
    const int begin = build.top().begin;
    const int at = in.at;
    int named_results = 0;
    in.at = begin;
    if (in.peek() == '%' && !read_result_names(named_results)) return false;
    in.at = at;
    if (!manual_computations.close(parts, generic, named_results)) return false;
    return build.full() || define(begin, parts, named_results);
  }
  // The names of the results of an op that begins here.
  constexpr bool define(int begin, const op_parts& parts, int named_results) {
    if (named_results == 0) return true;
    if (named_results != parts.result_count)
      return in.fail("syntax", "the op has another number of results than is named", begin);
    const int after = in.at;
    int value = parts.results;
    in.at = begin;
    const auto add = [&](const word& name, int count) {
      return build.define(name, std::exchange(value, value + count), count);
    };
    if (!for_result_names(add)) return false;
    in.at = after;
    return true;
  }

  constexpr bool read_result_names(int& count) {
    return for_result_names([&](const word&, int several) { return count += several, true; }) &&
           in.expect('=', "= is expected after the names of results");
  }
};

}  // namespace tenon::text::mlir
