// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/hlo/computation.hpp>
#include <tenon/text/hlo/expansions.hpp>
#include <tenon/text/parse_options.hpp>
#include <tenon/text/steps.hpp>

#include <string_view>

namespace tenon::text {

// Whether a text is HLO, as XLA prints it, rather than StableHLO: it starts with HloModule, with a computation or with
// an instruction.
constexpr bool is_hlo(std::string_view text) {
  text::lexer in(text);
  if (in.peek() == '/' && in.peek_at(1) == '*') return true;
  if (in.at >= in.size || in.data[in.at] == '%') return in.at < in.size;
  const word first = in.read_name();
  if (first.size == 0 || in.is(first, "module") || in.is(first, "func.func") || in.is(first, "builtin.module"))
    return false;
  if (in.is(first, "HloModule") || in.is(first, "ENTRY") || in.is(first, "ROOT")) return true;
  const char next = in.peek();
  return next == '{' || next == '(' || next == '=';
}

namespace hlo {

// Ops with attributes or regions whose words HLO joins by - and StableHLO by _.
using ops_named_alike =
    op_list<ops::transpose, ops::reverse, ops::concatenate, ops::iota, ops::slice, ops::pad, ops::dynamic_slice,
            ops::get_dimension_size, ops::set_dimension_size, ops::compare, ops::reduce_precision, ops::convolution,
            ops::ragged_dot, ops::fft, ops::cholesky, ops::triangular_solve, ops::reduce, ops::map, ops::reduce_window,
            ops::select_and_scatter, ops::sort, ops::scan, ops::gather, ops::scatter, ops::batch_norm_training,
            ops::batch_norm_inference, ops::batch_norm_grad, ops::rng_bit_generator, ops::while_,
            ops::optimization_barrier, ops::all_reduce, ops::all_gather, ops::reduce_scatter, ops::collective_broadcast,
            ops::collective_reduce, ops::collective_permute, ops::ragged_all_to_all, ops::rng_get_and_update_state,
            ops::infeed, ops::outfeed, ops::send, ops::recv>;
template <class Op>
inline constexpr word_key opcode_of = [] {
  word_key key = 0;
  for (const char c : Op::name) key = extend(key, c == '_' ? '-' : c);
  return key;
}();

// Reads HLO text, the form that XLA dumps, into the graph that StableHLO text gives: every computation becomes a
// function; what runs another computation calls it. Tuples are taken apart: a name stands for the values of their
// leaves. A template, so that programs without HLO text do not pay for it.
template <class Registry = op_registry>
class parser {
 public:
  lexer in;

  constexpr parser(graph& program, parser_tables& memory, int from, const parse_options&, const Registry& registry)
      : in(program.text, from), build(in, program, memory), emit(attributes, registry) {}
  parser(const parser&) = delete;
  parser& operator=(const parser&) = delete;

  constexpr outcome run(int steps, int bytes) {
    return take_steps(build, steps, bytes, [this] { return step(); });
  }

 private:
  graph_builder build;
  graph& g = build.g;
  parser_tables& state = build.state;
  instruction now;
  shape_reader shapes{in, build};
  computation_reader computations{shapes};
  attribute_reader attributes{shapes, now};
  emitter emit;
  instruction_reader lines{shapes, emit};
  op_attribute_reader fields{lines};
  expansion_reader expansions{fields};

  constexpr bool step() {
    if (state.frames.size == 0) return computations.read_outside();
    if (build.top().opening) return computations.find_parameters();
    const char c = in.next();
    if (c == '}' && !build.top().labelled) return computations.close_computation();
    if (in.at < in.size) return read_instruction();
    return build.top().labelled ? computations.close_computation()
                                : in.fail("syntax", "the text ends within a computation");
  }

  constexpr bool read_instruction() {
    bool is_root = false;
    if (!lines.read_line(is_root)) return false;
    const int after = in.at;
    if (build.full()) return true;
    if (!build_instruction()) return false;
    if (build.full() || state.names.overflow) return true;
    in.at = after;
    if (!lines.check_attributes_are_used()) return false;
    state.signature_types.size = now.types;
    if (is_root) build.top().regions_done = state.names.size - 1;
    return true;
  }

  // An op with the attributes that the instruction has.
  template <class Op>
  constexpr bool read_op(Op self) {
    return fields.read_into(self) && (build.full() || emit.add(self));
  }

  constexpr bool build_instruction() {
    using text::key_of;
    switch (now.opcode.key) {
      case key_of("parameter"):
        return lines.read_parameter();
      case key_of("constant"):
        return read_constant();
      case key_of("tuple"):
      case key_of("copy"):
        return emit.define_operands_of_types();
      case key_of("get-tuple-element"):
        return lines.build_get_tuple_element();
      case key_of("copy-start"):
      case key_of("domain"):
        return lines.pass_on(1);
      case key_of("add-dependency"):
        return lines.pass_on(2);
      case key_of("fusion"):
      case key_of("async-start"):
        return emit.add_call_of("calls");
      case key_of("async-update"):
      case key_of("async-done"):
        return lines.build_async();
      case key_of("call"):
        return emit.add_call_of("to_apply");
      case key_of("conditional"):
        return build_conditional();
      case key_of("custom-call"):
        return build_custom_call();
      case key_of("bitcast"):
        return expansions.build_bitcast();
      case key_of("dot"):
        return expansions.build_dot();
      case key_of("scaled-dot"):
        return expansions.build_scaled_dot();
      case key_of("topk"):
        return expansions.build_topk();
      case key_of("dynamic-reshape"):
        return expansions.build_dynamic_reshape();
      case key_of("rng"):
        return expansions.build_rng();
      case key_of("all-to-all"):
        return expansions.build_all_to_all();
      case key_of("broadcast"):
        return read_op(ops::broadcast_in_dim{});
      case key_of("opt-barrier"):
        return read_op(ops::optimization_barrier{});
      case key_of("all-reduce-start"):
        return read_op(ops::all_reduce{});
      case key_of("all-gather-start"):
        return read_op(ops::all_gather{});
      case key_of("collective-permute-start"):
        return read_op(ops::collective_permute{});
      case key_of("stochastic-convert"):
        return expansions.build_stochastic_convert();
      case key_of("shuffle"):
        return emit.unsupported("shuffle is not supported: print the program after the pass that expands it");
      case key_of("case"):
      case key_of("if"):
      case key_of("composite"):
      case key_of("einsum"):
        return emit.unknown();
      default:
        return build_named_alike(ops_named_alike{});
    }
  }
  template <class... Ops>
  constexpr bool build_named_alike(op_list<Ops...>) {
    bool result = false;
    if (((now.opcode.key == opcode_of<Ops> && (result = read_op(Ops{}), true)) || ...)) return result;
    if (lines.ends_in("-start")) return build_started();
    return lines.ends_in("-done") || lines.ends_in("-update") ? lines.pass_on(1) : add_plain();
  }
  constexpr bool build_started() {
    if (!lines.read_started_op()) return false;
    const bool no_op = lines.ends_in("-start") || in.is(now.opcode, "parameter") || in.is(now.opcode, "constant");
    return no_op ? emit.unknown() : build_instruction();
  }
  constexpr bool read_constant() {
    in.at = now.argument;
    int end = now.argument_end;
    in.skip_blank();
    const int first = in.at;
    if (now.type_count != 1 || (in.next() == '(' && !is_complex(g.types.data[emit.type(0)].element)))
      return in.fail("not_supported", "constants that are tuples are not supported", first);
    while (end > first && text::detail::is(in.data[end - 1], text::detail::space)) --end;
    if (in.same_characters(first, "{...}", 5))
      return in.fail("not_supported",
                     "the elements were left out when the text was printed: it takes print_large_constants", first);
    ops::constant self;
    self.value.id = g.literals.push({graph_literal::place::hlo_text, first, end - first});
    if (!emit.checker.check_literal(self.value, g.types.data[emit.type(0)], first)) return false;
    return emit.add(self);
  }

  // The ops of HLO that CHLO has and StableHLO has not.
  constexpr bool is_of_chlo() const {
    constexpr key_list<10> names("acos acosh asin asinh atan atanh cosh erf mulhi sinh");
    return names.contains(now.opcode.key);
  }
  // An op without attributes, by its name, whose words HLO joins by - and StableHLO by _.
  constexpr bool add_plain() {
    word_key key = is_of_chlo() ? key_of("chlo.") : key_of("stablehlo.");
    for (int i = 0; i < now.opcode.size; ++i) {
      const char c = in.data[now.opcode.first + i];
      if (c == '_') return emit.unknown();
      key = extend(key, c == '-' ? '_' : c);
    }
    const op_registry& known = emit.checker.registry;
    now.parts.kind = known.find(
        key, [&](int entry) { return entry < known.all_ops && int(known.ops[entry].name.size()) == now.opcode.size; });
    if (now.parts.kind < 0) return emit.unknown();
    emit.add_written_results();
    if (build.full()) return true;
    now.parts.words = g.words.size;
    if (!known.ops[now.parts.kind].finish(emit.checker, nullptr, now.parts)) return false;
    if (build.full()) return true;
    build.append_node(now.parts, build.top().region);
    state.open_regions.size = now.parts.regions;
    return build.full() || emit.define_values(now.parts.results, emit.result_mark());
  }
  constexpr bool build_conditional() {
    const int operands = now.parts.operands, count = now.parts.operand_count;
    const int listed = now.operand_count;
    if (listed < 1 || listed > instruction::most_listed_operands)
      return emit.unsupported("a conditional has 1 to 63 branches");
    const bool on_truth = is_boolean(emit.type_of_operand(0).element);
    const auto branch = [&](int i, int position) {
      if (i + 1 >= listed) return in.fail("syntax", "a conditional has an operand for each branch", now.opcode.first);
      const int first = now.first_leaves[i + 1];
      const int last = i + 2 < listed ? now.first_leaves[i + 2] : count;
      return emit.add_region(position, false, operands + first, last - first);
    };
    int branches = 0;
    if (const int all = attributes.find_attribute("branch_computations"); all >= 0) {
      in.at = all;
      if (!in.take('{')) return attributes.expected("computations such as {a, b} are expected");
      do {
        in.skip_blank();
        if (!branch(branches++, in.at)) return false;
        if (build.full()) return true;
      } while (in.take(','));
      if (!in.take('}')) return attributes.expected(", or } is expected");
    } else {
      const int when_true = attributes.find_attribute("true_computation"),
                when_false = attributes.find_attribute("false_computation");
      if (when_true < 0 || when_false < 0) return attributes.missing("the computations of the branches are missing");
      if (!branch(branches++, when_true)) return false;
      if (build.full()) return true;
      if (!branch(branches++, when_false)) return false;
    }
    if (build.full()) return true;
    if (branches != listed - 1) return attributes.missing("a conditional has an operand for each branch");
    now.parts.operand_count = 1;
    return on_truth ? emit.add(ops::if_{}) : emit.add(ops::case_{});
  }
  constexpr bool build_custom_call() {
    const int position = attributes.find_attribute("custom_call_target");
    if (position < 0) return attributes.missing("custom-call has the attribute custom_call_target");
    in.at = position;
    word target;
    if (!in.read_string(target)) return false;
    // Marks how an array is spread over devices.
    if (in.same_characters(target.first, "Sharding\"", 9)) return emit.define_operands_of_types();
    if (in.same_characters(target.first, "TopK\"", 5))
      return emit.add(ops::top_k{now.type_count > 0 ? last_size(emit.type(0)) : 0});
    ops::custom_call self;
    self.call_target_name.id = build.intern_text(target.first, target.size);
    return read_layouts(self) && read_configuration(self) &&
           (build.names_overflow() ||
            (attributes.read("custom_call_has_side_effect", self.has_side_effect) && emit.add(self)));
  }
  // Layouts mean something to who is called, where the text constrains those of the operands.
  constexpr bool read_layouts(ops::custom_call& self) {
    const int constraints = attributes.find_attribute("operand_layout_constraints");
    if (constraints < 0) return true;
    short_list<ints> operands, results;
    in.at = constraints;
    if (!read_layouts(operands)) return false;
    in.at = now.name.end();
    if (!in.take('=') || !read_layouts(results)) return false;
    const bool for_all = operands.size == now.parts.operand_count && results.size == now.type_count;
    if (for_all) self.operand_layouts = operands, self.result_layouts = results;
    return true;
  }
  // Of a shape or of several in brackets.
  constexpr bool read_layouts(short_list<ints>& to) {
    const int before = state.signature_types.size;
    while (in.take('{') || in.take('(')) {
    }
    while (in.next() != '}' && in.next() != ')') {
      if (!shapes.read_array()) return false;
      const int rank = g.types.data[state.signature_types.data[before]].rank();
      state.signature_types.size = before;
      to.push(expansions.reversed(expansions.reversed(shapes.layout, rank), rank));
      if (!in.take(',')) break;
    }
    return true;
  }
  // The dictionary of a typed call.
  constexpr bool read_configuration(ops::custom_call& self) {
    const int position = attributes.find_attribute("backend_config");
    if (position < 0 || !in.same_characters(position, "{", 1)) return true;
    const int version = attributes.find_attribute("api_version");
    if (version < 0 || !in.same_characters(version, "API_VERSION_TYPED_FFI", 21)) return true;
    in.at = position;
    if (!in.skip_group()) return false;
    self.api_version = ops::custom_call::typed_api_version;
    self.backend_config.id = build.intern_text(position, in.at - position);
    return true;
  }
  constexpr index_t last_size(int type) const {
    const tensor_type& of = g.types.data[type];
    return of.rank() > 0 ? of.dim(of.rank() - 1) : 0;
  }
};

}  // namespace hlo

}  // namespace tenon::text
