// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/mlir/divided_values.hpp>
#include <tenon/text/mlir/generic_form.hpp>

namespace tenon::text::mlir {

// Reads `sdy.manual_computation`, what jax.shard_map writes: its ops work on parts of the operands, and its results are
// parts of wholes. They stand in the region around it, so that a process goes through them like through all others;
// axes that are not manual divide nothing, and processes along them do the same. https://openxla.org/shardy/sdy_dialect
class manual_computation_reader : public reader_part {
 public:
  constexpr explicit manual_computation_reader(generic_form_reader& of_ops) : reader_part(of_ops), form(of_ops) {}

  // `(%a, ...) in_shardings=[...] out_shardings=[...] manual_axes={"x"} (%b: T, ...) {`, or
  // `(%a, ...) <{...}> ({ ^bb0(%b: T, ...):`. A named computation, `<"name">(%a, ...)`, has no manual axes: nothing is
  // divided.
  constexpr bool open(op_parts& parts, bool generic, bool named_only) {
    places of;
    if (named_only && in.peek() == '<' && !in.skip_balanced()) return false;
    in.skip_space();
    const int operands = in.at;
    if (!form.scope.read_operands_in_parentheses(parts) || !read_places(of, generic)) return false;
    if (of.manual_axes < 0 ? !named_only : of.in_shardings < 0 || of.out_shardings < 0)
      return in.fail("attribute", "in_shardings, out_shardings and manual_axes are expected");
    if (!form.scope.push_op_frame(frame::what::manual_computation, parts)) return false;
    build.top().region = build.enclosing_region();
    build.top().generic = generic;
    build.top().resume = operands;
    if (generic && (!in.expect('(', "( is expected before a region") || !in.expect('{', "{ is expected"))) return false;
    const bool labelled = generic && in.accept('^');
    if (labelled) in.read_name();
    int count = 0;
    const bool named = labelled ? in.accept('(') : !generic && in.expect('(', "( is expected before the arguments");
    if (named && !in.accept(')')) {
      do {
        if (!read_argument(parts, count++, of)) return false;
        if (build.full()) return true;
      } while (in.accept(','));
      if (!in.expect(')', ", or ) is expected after an argument")) return false;
    }
    if (count != parts.operand_count)
      return in.fail("manual_computation", "there is one argument for each operand", parts.name);
    return generic ? !labelled || in.expect(':', ": is expected after a label")
                   : in.expect('{', "{ is expected before a region");
  }

  // From `sdy.return %a, ... : T, ...` to the end of the computation: its results, which stand for wholes.
  constexpr bool close(op_parts& parts, bool generic, int named_results) {
    const frame computation = build.top();
    if (!form.read_returned(parts, generic) ||
        !divided.make_operands_whole(parts.operands, parts.operand_count, parts.begin))
      return false;
    if (build.full()) return true;
    if (!in.expect('}', "nothing may follow the return of a region") ||
        (computation.generic && !in.expect(')', ") is expected after the region")))
      return false;
    if (in.peek() == '{' && (!in.skip_balanced())) return false;
    if (!in.expect(':', ": and the op's type are expected") || in.peek() != '(' || !in.skip_balanced() ||
        !in.accept_arrow())
      return in.fail("syntax", "the types of operands and results are expected: (T, ...) -> (T, ...)");
    const int parts_of_results = parts.operands, count = parts.operand_count;
    parts.results = g.values.size;
    if (!form.read_result_types(parts)) return false;
    if (build.full()) return true;
    if (parts.result_count != count)
      return in.fail("manual_computation", "there is one result for each value that is returned", parts.name);
    const int after = in.at;
    in.at = computation.resume;
    places of;
    if (!in.skip_balanced() || !read_places(of, computation.generic)) return false;
    if (of.manual_axes < 0 && !give_values(parts)) return false;
    in.at = of.out_shardings;
    for (int i = 0; i < count && of.manual_axes >= 0; ++i) {
      division how;
      if (!read_next_sharding(of, i, how)) return false;
      const tensor_type whole = g.type_of_value(parts.results + i),
                        part = g.type_of_value(g.operands.data[parts_of_results + i]);
      if (!how.divides(whole, part))
        return in.fail("manual_computation", "results are as many parts as the manual axes of out_shardings have",
                       parts.name);
      state.divided.push({parts.results + i, g.operands.data[parts_of_results + i], -1, -1, true, how});
    }
    in.at = after;
    if (state.names.capacity - computation.names < named_results) state.names.overflow = true;
    if (build.full()) return true;
    build.forget_names(computation.names);
    --state.frames.size;
    return in.skip_location();
  }

 private:
  generic_form_reader& form;
  divided_values& divided = form.divided;

  // Where the attributes stand; in.at is where the next sharding of a list is expected.
  struct places {
    int in_shardings = -1, out_shardings = -1, manual_axes = -1;
  };
  constexpr bool read_places(places& of, bool generic) {
    const int first = state.attributes.size;
    if (generic) {
      if (!in.expect('<', "<{...}> is expected") || !in.expect('{', "{ is expected after <") ||
          !form.scanner.read_dictionary('}', false) || !in.expect('>', "> is expected after the properties"))
        return false;
    } else {
      while (in.peek() != '(') {
        const word name = in.read_word();
        if (name.size == 0 || !in.expect('=', "= is expected"))
          return in.fail("syntax", "in_shardings, out_shardings and manual_axes are expected");
        in.skip_space();
        form.scanner.add_attribute(name, in.at, false);
        if (!form.scanner.skip_value(false)) return false;
      }
    }
    of = {form.scanner.find_noted("in_shardings", first), form.scanner.find_noted("out_shardings", first),
          form.scanner.find_noted("manual_axes", first)};
    return state.attributes.size = first, true;
  }
  // The results of a named computation are what is returned; several have a node each, since they follow one another.
  constexpr bool give_values(op_parts& parts) {
    const int first = parts.results, count = parts.result_count;
    bool same = true;
    for (int i = 0; i < count; ++i)
      same = same && g.type_of_value(first + i) == g.type_of_value(g.operands.data[parts.operands + i]) &&
             g.type_of_value(first + i).is_tensor();
    if (!same) return in.fail("named_computation", "the results are the tensors that are returned", parts.name);
    g.values.size = first;
    if (count == 1) return parts.results = g.operands.data[parts.operands], true;
    for (int i = 0, value = 0; i < count && !build.full(); ++i)
      if (!form.checker.add_node(ops::reshape{}, {g.operands.data + parts.operands + i, 1},
                                 {&g.values.data[g.operands.data[parts.operands + i]].type, 1},
                                 build.enclosing_region(), parts.name, value))
        return false;
    parts.results = first;
    return true;
  }
  // Sharding i of a list; `in.at` is where the one before ended, or where the list begins.
  constexpr bool read_next_sharding(const places& of, int i, division& how) {
    if (i == 0) {
      if (in.accept('#') && (in.read_name(), !in.expect('<', "< is expected"))) return false;
      if (!in.expect('[', "[ is expected before shardings")) return false;
    } else if (!in.expect(',', "there is a sharding for each operand and result")) {
      return false;
    }
    return divided.meshes.read_sharding(of.manual_axes, how);
  }
  constexpr bool read_argument(const op_parts& parts, int i, places& of) {
    word name;
    int type = 0;
    division how;
    if (!form.scope.read_block_argument(name, type)) return false;
    if (i >= parts.operand_count)
      return in.fail("manual_computation", "there is one argument for each operand", name.first);
    const int after = in.at;
    in.at = of.in_shardings;
    if (of.manual_axes >= 0 && !read_next_sharding(of, i, how)) return false;
    of.in_shardings = in.at;
    in.at = after;
    int value = g.operands.data[parts.operands + i];
    const divided_value* const known = divided.find(value);
    if (!how.divides(g.type_of_value(value), g.types.data[type]))
      return in.fail("manual_computation", "arguments are parts of operands, as the manual axes of in_shardings say",
                     name.first);
    if (known != nullptr && !known->is_known && g.values.data[known->part].type == type)
      value = known->part;
    else if (of.manual_axes >= 0 && !divided.take_part(value, how, parts.name))
      return false;
    return build.full() || build.define(name, value, 1);
  }
};

}  // namespace tenon::text::mlir
