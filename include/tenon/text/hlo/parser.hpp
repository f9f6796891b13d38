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

// Reads HLO text, the form that XLA dumps, into the graph that StableHLO text gives: every computation becomes a
// function; what runs another computation calls it. Tuples are taken apart: a name stands for the values of their
// leaves. A template, so that programs without HLO text do not pay for it.
template <class Registry = op_registry>
class parser {
 public:
  lexer in;

  constexpr parser(graph& program, parser_tables& memory, int from, const parse_options&, const Registry& registry)
      : in(program.text, from), build(in, program, memory), emit(attributes, now, registry) {}
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
  attribute_reader attributes{in, build, now};
  emitter emit;
  instruction_reader lines{shapes, attributes, emit, now};
  op_attribute_reader fields{attributes, emit, lines, now};
  expansion_reader expansions{shapes, attributes, emit, fields, now};

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
      case key_of("transpose"):
        return read_op(ops::transpose{});
      case key_of("reverse"):
        return read_op(ops::reverse{});
      case key_of("concatenate"):
        return read_op(ops::concatenate{});
      case key_of("iota"):
        return read_op(ops::iota{});
      case key_of("slice"):
        return read_op(ops::slice{});
      case key_of("pad"):
        return read_op(ops::pad{});
      case key_of("dynamic-slice"):
        return read_op(ops::dynamic_slice{});
      case key_of("get-dimension-size"):
        return read_op(ops::get_dimension_size{});
      case key_of("set-dimension-size"):
        return read_op(ops::set_dimension_size{});
      case key_of("compare"):
        return read_op(ops::compare{});
      case key_of("reduce-precision"):
        return read_op(ops::reduce_precision{});
      case key_of("convolution"):
        return read_op(ops::convolution{});
      case key_of("ragged-dot"):
        return read_op(ops::ragged_dot{});
      case key_of("fft"):
        return read_op(ops::fft{});
      case key_of("cholesky"):
        return read_op(ops::cholesky{});
      case key_of("triangular-solve"):
        return read_op(ops::triangular_solve{});
      case key_of("reduce"):
        return read_op(ops::reduce{});
      case key_of("map"):
        return read_op(ops::map{});
      case key_of("reduce-window"):
        return read_op(ops::reduce_window{});
      case key_of("select-and-scatter"):
        return read_op(ops::select_and_scatter{});
      case key_of("sort"):
        return read_op(ops::sort{});
      case key_of("scan"):
        return read_op(ops::scan{});
      case key_of("gather"):
        return read_op(ops::gather{});
      case key_of("scatter"):
        return read_op(ops::scatter{});
      case key_of("batch-norm-training"):
        return read_op(ops::batch_norm_training{});
      case key_of("batch-norm-inference"):
        return read_op(ops::batch_norm_inference{});
      case key_of("batch-norm-grad"):
        return read_op(ops::batch_norm_grad{});
      case key_of("rng-bit-generator"):
        return read_op(ops::rng_bit_generator{});
      case key_of("while"):
        return read_op(ops::while_{});
      case key_of("opt-barrier"):
      case key_of("optimization-barrier"):
        return read_op(ops::optimization_barrier{});
      case key_of("all-reduce"):
      case key_of("all-reduce-start"):
        return read_op(ops::all_reduce{});
      case key_of("all-gather"):
      case key_of("all-gather-start"):
        return read_op(ops::all_gather{});
      case key_of("reduce-scatter"):
        return read_op(ops::reduce_scatter{});
      case key_of("collective-broadcast"):
        return read_op(ops::collective_broadcast{});
      case key_of("collective-permute"):
      case key_of("collective-permute-start"):
        return read_op(ops::collective_permute{});
      case key_of("infeed"):
        return read_op(ops::infeed{});
      case key_of("outfeed"):
        return read_op(ops::outfeed{});
      case key_of("send"):
        return read_op(ops::send{});
      case key_of("recv"):
        return read_op(ops::recv{});
      case key_of("stochastic-convert"):
        return emit.unsupported(
            "stochastic-convert is not supported: compare the fraction with the random bits, and convert");
      case key_of("rng-get-and-update-state"):
        return emit.unsupported("a state that is kept between runs is not supported: give it to rng-bit-generator");
      case key_of("ragged-all-to-all"):
        return emit.unsupported("ragged-all-to-all is not supported: pad the parts to one size for all-to-all");
      case key_of("collective-reduce"):
        return emit.unsupported("collective-reduce is not supported in HLO text: all-reduce gives all what one needs");
      case key_of("shuffle"):
        return emit.unsupported("shuffle is not supported: print the program after the pass that expands it");
      case key_of("case"):
      case key_of("if"):
      case key_of("composite"):
      case key_of("einsum"):
        return emit.unknown();
      default:
        return lines.ends_in("-start")                              ? build_started()
               : lines.ends_in("-done") || lines.ends_in("-update") ? lines.pass_on(1)
                                                                    : add_plain();
    }
  }
  constexpr bool build_started() {
    if (!lines.read_started_op()) return false;
    const bool no_op = lines.ends_in("-start") || in.is(now.opcode, "parameter") || in.is(now.opcode, "constant");
    return no_op ? emit.unknown() : build_instruction();
  }
  // An op with the attributes that the instruction has.
  template <class Op>
  constexpr bool read_op(Op self) {
    return fields.read_into(self) && (build.full() || emit.add(self));
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
    for (const keyword& name : {keyword("acos"), keyword("acosh"), keyword("asin"), keyword("asinh"), keyword("atan"),
                                keyword("atanh"), keyword("cosh"), keyword("erf"), keyword("mulhi"), keyword("sinh")})
      if (now.opcode.key == name.key) return true;
    return false;
  }
  // An op without attributes, by its name, whose words HLO joins by - and StableHLO by _.
  constexpr bool add_plain() {
    word_key key = is_of_chlo() ? key_of("chlo.") : key_of("stablehlo.");
    for (int i = 0; i < now.opcode.size; ++i) {
      const char c = in.data[now.opcode.first + i];
      if (c == '_') return emit.unknown();
      key = extend(key, c == '-' ? '_' : c);
    }
    unsigned slot = slots::start(key) % unsigned(emit.checker.registry.slot_count);
    for (; emit.checker.registry.slot[slot] != 0; slot = (slot + 1) % unsigned(emit.checker.registry.slot_count)) {
      if (emit.checker.registry.slot[slot] > ops::all::size) continue;
      const text::detail::known_op& op = emit.checker.registry.ops[emit.checker.registry.slot[slot] - 1];
      if (op.key != key || int(op.name.size()) != now.opcode.size) continue;
      now.parts.kind = emit.checker.registry.slot[slot] - 1;
      emit.add_written_results();
      if (build.full()) return true;
      now.parts.words = g.words.size;
      if (!op.finish(emit.checker, nullptr, now.parts)) return false;
      if (build.full()) return true;
      emit.finish_node();
      return build.full() || emit.define_values(now.parts.results, emit.result_mark());
    }
    return emit.unknown();
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
    return build.names_overflow() ||
           (attributes.read("custom_call_has_side_effect", self.has_side_effect) && emit.add(self));
  }
  constexpr index_t last_size(int type) const {
    const tensor_type& of = g.types.data[type];
    return of.rank() > 0 ? of.dim(of.rank() - 1) : 0;
  }
};

}  // namespace hlo

}  // namespace tenon::text
