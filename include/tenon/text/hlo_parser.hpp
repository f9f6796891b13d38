// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/hlo_computation.hpp>

#include <string_view>

namespace tenon::text {

// Whether a text is HLO, as XLA prints it, rather than StableHLO: it starts with HloModule, with a computation or with
// an instruction.
constexpr bool is_hlo(std::string_view text) {
  lexer in(text);
  if (in.peek() == '/' && in.peek_at(1) == '*') return true;
  if (in.at >= in.size || in.data[in.at] == '%') return in.at < in.size;
  const word first = in.read_name();
  if (first.size == 0 || in.is(first, "module") || in.is(first, "func.func") || in.is(first, "builtin.module"))
    return false;
  if (in.is(first, "HloModule") || in.is(first, "ENTRY") || in.is(first, "ROOT")) return true;
  const char next = in.peek();
  return next == '{' || next == '(' || next == '=';
}

// Reads HLO text, the form that XLA dumps, into the graph that StableHLO text gives: every computation becomes a
// function; what runs another computation calls it. Tuples are taken apart: a name stands for the values of their
// leaves. A template, so that programs without HLO text do not pay for it.
template <class Registry = op_registry>
class hlo_parser : public hlo_computation_reader {
 public:
  constexpr hlo_parser(graph& program, parser_tables& memory, int from, const parse_options& options,
                       const Registry& registry)
      : hlo_computation_reader(program, memory, from, options, registry) {}

  // As parser::run.
  constexpr outcome run(int steps, int bytes) {
    return parser::run(steps, bytes, [this] { return step(); });
  }

 private:
  constexpr bool step() {
    if (state.frames.size == 0) return read_outside();
    if (top().opening) return find_parameters();
    const char c = next();
    if (c == '}' && !top().labelled) return close_computation();
    if (at < size) return read_instruction();
    return top().labelled ? close_computation() : fail("syntax", "the text ends within a computation");
  }

  constexpr bool read_instruction() {
    now_ = {};
    parts_ = {};
    state.attributes.size = 0;
    literal_type_ = -1;
    parts_.begin = at;
    parts_.operands = g.operands.size;
    parts_.regions = state.open_regions.size;
    now_.name = read_symbol();
    bool is_root = false;
    if (is(now_.name, "ROOT") && next() != '=') {
      is_root = true;
      now_.name = read_symbol();
    }
    if (now_.name.size == 0) return fail("syntax", "an instruction is expected: name = shape opcode(operands)");
    if (!need('=', "= is expected after the name of an instruction")) return false;
    now_.types = state.signature_types.size;
    if (!read_shape(now_.type_count, now_.nested)) return false;
    now_.layout = layout_;
    skip_blank();
    now_.opcode = read_name();
    parts_.name = now_.opcode.first;
    if (now_.opcode.size == 0) return fail("syntax", "an opcode is expected");
    if (!need('(', "( is expected before the operands")) return false;
    const int argument = at;
    const bool has_argument = is(now_.opcode, "parameter") || is(now_.opcode, "constant");
    if (has_argument ? !skip_argument() : !read_hlo_operands()) return false;
    const int argument_end = at;
    if (!read_hlo_attributes()) return false;
    const int after = at;
    parts_.attributes = state.attributes.size;
    if (full()) return true;
    const bool good = is(now_.opcode, "parameter")  ? read_parameter(argument)
                      : is(now_.opcode, "constant") ? read_constant(argument, argument_end - 1)
                                                    : build();
    if (!good) return false;
    if (full() || state.names.overflow) return true;
    at = after;
    for (const attribute_entry& each : state.attributes)
      if (!each.used && !text::detail::means_nothing(each.name.key))
        return fail("attribute", "the op has no such attribute", each.name.first);
    state.signature_types.size = now_.types;
    if (is_root) top().regions_done = state.names.size - 1;
    return true;
  }
  // Past the literal of a constant, or the number of a parameter, and its bracket. A list ends with }), and may be
  // long.
  constexpr bool skip_argument() {
    const int open = at - 1;
    if (next() == '{') {
      for (int end = find(')', at); end < size; end = find(')', end + 1)) {
        int last = end - 1;
        while (text::detail::is(data[last], text::detail::space)) --last;
        if (data[last] != '}') continue;
        at = end + 1;
        return true;
      }
      return fail("syntax", "the bracket is not closed", open);
    }
    at = open;
    return skip_group();
  }

  constexpr bool read_hlo_operands() {
    if (take(')')) return true;
    do {
      const char c = next();
      if (c == '(' && !skip_group()) return false;
      word name = read_symbol();
      if (next() == '[' && c != '(' && c != '%') {
        // An element type: the shape of the operand is written before its name.
        if (!skip_group()) return false;
        if (peek_at(0) == '{' && !skip_group()) return false;
        name = read_symbol();
      }
      const int found = state.name_slots.at[slot_of_name(name)];
      if (name.size == 0) return fail("syntax", "the name of an operand is expected");
      if (found == 0) return fail("name", "no instruction of that name stands above", name.first);
      const value_name& entry = state.names.data[found - 1];
      if (now_.operand_count < most_listed_operands) first_leaves_[now_.operand_count] = parts_.operand_count;
      if (now_.operand_count++ == 0) now_.first_operand = entry;
      const int count = entry.count < 0 ? -entry.count : entry.count;
      for (int i = 0; i < count; ++i) g.operands.push(leaf(entry, i));
      parts_.operand_count += count;
    } while (take(','));
    return need(')', ", or ) is expected after an operand");
  }
  constexpr bool read_parameter(int argument) {
    at = argument;
    index_t number = 0;
    skip_blank();
    if (!read_natural(number)) return false;
    if (number >= state.symbols.size)
      return fail("syntax", "every instruction begins a line, and parameters are numbered 0, 1, 2, ...", argument);
    const int value = state.symbols.data[number].position;
    const graph_region& region = g.regions.data[top().region];
    for (int i = 0; i < now_.type_count; ++i)
      if (value + i >= region.arguments + region.argument_count || g.values.data[value + i].type != type(i))
        return fail("syntax", "two parameters have the same number", argument);
    return define_values(value, now_.nested ? -now_.type_count : now_.type_count);
  }

  constexpr bool read_constant(int argument, int end) {
    at = argument;
    skip_blank();
    const int first = at;
    if (now_.type_count != 1 || (next() == '(' && !is_complex(g.types.data[type(0)].element)))
      return fail("not_supported", "constants that are tuples are not supported", first);
    while (end > first && text::detail::is(data[end - 1], text::detail::space)) --end;
    if (same_characters(first, "{...}", 5))
      return fail("not_supported",
                  "the elements were left out when the text was printed: it takes print_large_constants", first);
    ops::constant self;
    self.value.id = g.literals.push({graph_literal::place::hlo_text, first, end - first});
    if (!check_literal(self.value, g.types.data[type(0)], first)) return false;
    return add(self);
  }

  // The ops of HLO that CHLO has and StableHLO has not.
  constexpr bool is_of_chlo() const {
    for (const keyword& name : {keyword("acos"), keyword("acosh"), keyword("asin"), keyword("asinh"), keyword("atanh"),
                                keyword("cosh"), keyword("erf"), keyword("sinh")})
      if (now_.opcode.key == name.key) return true;
    return false;
  }
  // An op without attributes, by its name, whose words HLO joins by - and StableHLO by _.
  constexpr bool add_plain() {
    word_key key = is_of_chlo() ? key_of("chlo.") : key_of("stablehlo.");
    for (int i = 0; i < now_.opcode.size; ++i) {
      const char c = data[now_.opcode.first + i];
      if (c == '_') return unknown();
      key = extend(key, c == '-' ? '_' : c);
    }
    unsigned slot = slots::start(key) % unsigned(registry_.slot_count);
    for (; registry_.slot[slot] != 0; slot = (slot + 1) % unsigned(registry_.slot_count)) {
      if (registry_.slot[slot] > ops::all::size) continue;
      const text::detail::known_op& op = registry_.ops[registry_.slot[slot] - 1];
      if (op.key != key || int(op.name.size()) != now_.opcode.size) continue;
      parts_.kind = registry_.slot[slot] - 1;
      add_written_results();
      if (full()) return true;
      if (!finish(parts_)) return false;
      if (full()) return true;
      finish_node();
      return full() || define_values(parts_.results, result_mark());
    }
    return unknown();
  }
  constexpr bool build_conditional() {
    const int operands = parts_.operands, count = parts_.operand_count;
    const int listed = now_.operand_count;
    if (listed < 1 || listed > most_listed_operands) return unsupported("a conditional has 1 to 63 branches");
    const bool on_truth = is_boolean(type_of_operand(0).element);
    const auto branch = [&](int i, int position) {
      if (i + 1 >= listed) return fail("syntax", "a conditional has an operand for each branch", now_.opcode.first);
      const int first = first_leaves_[i + 1];
      const int last = i + 2 < listed ? first_leaves_[i + 2] : count;
      return add_region(position, false, operands + first, last - first);
    };
    int branches = 0;
    if (const int all = find_attribute("branch_computations"); all >= 0) {
      at = all;
      if (!take('{')) return expected("computations such as {a, b} are expected");
      do {
        skip_blank();
        if (!branch(branches++, at)) return false;
        if (full()) return true;
      } while (take(','));
      if (!take('}')) return expected(", or } is expected");
    } else {
      const int when_true = find_attribute("true_computation"), when_false = find_attribute("false_computation");
      if (when_true < 0 || when_false < 0) return missing("the computations of the branches are missing");
      if (!branch(branches++, when_true)) return false;
      if (full()) return true;
      if (!branch(branches++, when_false)) return false;
    }
    if (full()) return true;
    if (branches != listed - 1) return missing("a conditional has an operand for each branch");
    parts_.operand_count = 1;
    return on_truth ? add(ops::if_{}) : add(ops::case_{});
  }

  constexpr bool build() {
    using text::key_of;
    switch (now_.opcode.key) {
      case key_of("tuple"):
        return define_operands_of_types();
      case key_of("get-tuple-element"):
        return build_get_tuple_element();
      case key_of("copy"):
      case key_of("opt-barrier"):
      case key_of("optimization-barrier"):
        return is(now_.opcode, "copy") ? define_operands_of_types() : add(ops::optimization_barrier{});
      case key_of("copy-start"):
      case key_of("copy-done"):
      case key_of("async-update"):
      case key_of("async-done"):
      case key_of("all-reduce-done"):
      case key_of("all-gather-done"):
      case key_of("collective-permute-done"):
      case key_of("send-done"):
      case key_of("recv-done"):
      case key_of("domain"):
        find_attribute("domain");
        find_attribute("calls");
        return define_operands(parts_.operand_count);
      case key_of("add-dependency"):
        return define_operands(parts_.operand_count > 0 ? parts_.operand_count - 1 : 0);
      case key_of("bitcast"):
        return build_bitcast();
      case key_of("fusion"):
      case key_of("async-start"):
        return add_call_of("calls");
      case key_of("call"):
        return add_call_of("to_apply");
      case key_of("while"):
        return add_region("condition") && (full() || (add_region("body") && (full() || add(ops::while_{}))));
      case key_of("conditional"):
        return build_conditional();
      case key_of("broadcast"): {
        ops::broadcast_in_dim self;
        return read("dimensions", self.broadcast_dimensions) && add(self);
      }
      case key_of("transpose"): {
        ops::transpose self;
        return read("dimensions", self.permutation) && add(self);
      }
      case key_of("reverse"): {
        ops::reverse self;
        return read("dimensions", self.dimensions) && add(self);
      }
      case key_of("concatenate"): {
        ops::concatenate self;
        return read_single("dimensions", self.dimension) && add(self);
      }
      case key_of("iota"): {
        ops::iota self;
        return read("iota_dimension", self.iota_dimension) && add(self);
      }
      case key_of("slice"): {
        ops::slice self;
        return read_slices(self) && add(self);
      }
      case key_of("pad"): {
        ops::pad self;
        return read_padding(self) && add(self);
      }
      case key_of("dynamic-slice"): {
        ops::dynamic_slice self;
        return read("dynamic_slice_sizes", self.slice_sizes) && add(self);
      }
      case key_of("get-dimension-size"): {
        ops::get_dimension_size self;
        return read_single("dimensions", self.dimension) && add(self);
      }
      case key_of("set-dimension-size"): {
        ops::set_dimension_size self;
        return read_single("dimensions", self.dimension) && add(self);
      }
      case key_of("compare"):
        return build_compare();
      case key_of("reduce-precision"): {
        ops::reduce_precision self;
        return read("exponent_bits", self.exponent_bits) && read("mantissa_bits", self.mantissa_bits) && add(self);
      }
      case key_of("dot"):
        return build_dot();
      case key_of("convolution"):
        return build_convolution();
      case key_of("reduce"): {
        ops::reduce self;
        return read("dimensions", self.dimensions) && add_region("to_apply") && (full() || add(self));
      }
      case key_of("map"): {
        ops::map self;
        return read("dimensions", self.dimensions) && add_region("to_apply") && (full() || add(self));
      }
      case key_of("sort"): {
        ops::sort self;
        return read_single("dimensions", self.dimension) && read("is_stable", self.is_stable) &&
               add_region("to_apply") && (full() || add(self));
      }
      case key_of("topk"): {
        ops::top_k self;
        bool largest = true;
        if (!read("k", self.k) || !read("largest", largest)) return false;
        return largest ? add(self) : unsupported("the smallest elements of topk are not supported");
      }
      case key_of("reduce-window"):
        return build_reduce_window();
      case key_of("select-and-scatter"):
        return build_select_and_scatter();
      case key_of("gather"):
        return build_gather();
      case key_of("scatter"):
        return build_scatter();
      case key_of("fft"):
        return build_fft();
      case key_of("cholesky"): {
        ops::cholesky self;
        return read("lower", self.lower) && add(self);
      }
      case key_of("triangular-solve"):
        return build_triangular_solve();
      case key_of("rng"):
        return build_rng();
      case key_of("rng-bit-generator"): {
        ops::rng_bit_generator self;
        return read_choice("algorithm", self.rng_algorithm, {"rng_default", "rng_three_fry", "rng_philox"},
                           {rng_algorithm::DEFAULT, rng_algorithm::THREE_FRY, rng_algorithm::PHILOX}) &&
               add(self);
      }
      case key_of("batch-norm-training"):
        return build_batch_norm(ops::batch_norm_training{});
      case key_of("batch-norm-inference"):
        return build_batch_norm(ops::batch_norm_inference{});
      case key_of("batch-norm-grad"):
        return build_batch_norm(ops::batch_norm_grad{});
      case key_of("custom-call"):
        return build_custom_call();
      case key_of("all-reduce"):
      case key_of("all-reduce-start"): {
        ops::all_reduce self;
        return read_groups(self) && read("use_global_device_ids", self.use_global_device_ids) &&
               add_region("to_apply") && (full() || add(self));
      }
      case key_of("all-gather"):
      case key_of("all-gather-start"): {
        ops::all_gather self;
        if (!read_groups(self) || !read("use_global_device_ids", self.use_global_device_ids) ||
            !read_single("dimensions", self.all_gather_dim))
          return false;
        // (operands..., results...)
        if (is(now_.opcode, "all-gather-start") && now_.type_count == 2 * parts_.operand_count)
          keep_types(parts_.operand_count, parts_.operand_count);
        return add(self);
      }
      case key_of("reduce-scatter"): {
        ops::reduce_scatter self;
        return read_groups(self) && read("use_global_device_ids", self.use_global_device_ids) &&
               read_single("dimensions", self.scatter_dimension) && add_region("to_apply") && (full() || add(self));
      }
      case key_of("all-to-all"):
        return build_all_to_all();
      case key_of("collective-broadcast"): {
        ops::collective_broadcast self;
        return read_groups(self) && add(self);
      }
      case key_of("collective-permute"):
      case key_of("collective-permute-start"): {
        ops::collective_permute self;
        if (!read("channel_id", self.channel_id) || !read("source_target_pairs", self.source_target_pairs))
          return false;
        // (operand, result, contexts...)
        if (is(now_.opcode, "collective-permute-start") && now_.type_count > 1) keep_types(1, 1);
        return add(self);
      }
      case key_of("infeed"):
        return add(ops::infeed{});
      case key_of("outfeed"):
        return add(ops::outfeed{});
      case key_of("send"):
        return build_send();
      case key_of("recv"):
        return build_recv();
      case key_of("case"):
      case key_of("if"):
      case key_of("composite"):
      case key_of("einsum"):
        return unknown();
      default:
        return add_plain();
    }
  }

  // Of what an asynchronous op gives, only its results.
  constexpr void keep_types(int first, int count) {
    for (int i = 0; i < count; ++i) state.signature_types.data[now_.types + i] = type(first + i);
    now_.type_count = count;
    now_.nested = false;
  }

  template <class Op>
  constexpr bool read_groups(Op& self) {
    return read("channel_id", self.channel_id) && read("replica_groups", self.replica_groups);
  }

  constexpr bool build_get_tuple_element() {
    index_t index = -1;
    if (!read("index", index)) return false;
    const value_name& tuple = now_.first_operand;
    if (now_.operand_count != 1 || index < 0) return missing("get-tuple-element has one operand and an index");
    int first = int(index < INT32_MAX ? index : INT32_MAX);
    if (tuple.count < 0 && !leaves_before(tuple, first)) return false;
    const int leaf_count = tuple.count < 0 ? -tuple.count : tuple.count;
    if (first > leaf_count || now_.type_count > leaf_count - first)
      return fail("get_tuple_element_c1", "0 <= index < size(operand)", now_.opcode.first);
    for (int i = 0; i < now_.type_count; ++i)
      if (g.values.data[leaf(tuple, first + i)].type != type(i)) return wrong_type();
    g.operands.size = parts_.operands;
    return define_as(tuple, first, now_.type_count);
  }
  // In place of the number of an element of a tuple, that of its first leaf: the shape is read where it is defined.
  constexpr bool leaves_before(const value_name& tuple, int& element) {
    at = tuple.text.end();
    if (!take('=') || !take('(')) return true;
    int count = 0;
    bool nested = false;
    const int before = state.signature_types.size;
    for (int i = 0; i < element; ++i) {
      if (next() == ')' || !read_shape(count, nested)) break;
      if (!take(',')) break;
    }
    state.signature_types.size = before;
    element = count;
    return !error;
  }

  // The layout of an array where it is defined; row-major if none is written.
  constexpr bool layout_of(const value_name& name, int rank, ints& major_to_minor) {
    at = name.text.end();
    int count = 0;
    bool nested = false;
    const int before = state.signature_types.size;
    if (!take('=') || !read_shape(count, nested)) return false;
    state.signature_types.size = before;
    major_to_minor = reversed(layout_, rank);
    return true;
  }
  static constexpr ints reversed(const ints& minor_to_major, int rank) {
    if (minor_to_major.size != rank) return ints::range(rank);
    ints result;
    for (int i = rank; i-- > 0;) result.push(minor_to_major[i]);
    return result;
  }

  // The bytes stay where they are: transpose into the order of memory, reshape, transpose into the order of the result.
  constexpr bool build_bitcast() {
    if (now_.operand_count != 1 || parts_.operand_count != 1 || now_.type_count != 1)
      return unsupported("a bitcast has one array as operand");
    const tensor_type from = type_of_operand(0), to = g.types.data[type(0)];
    if (num_bits(from.element) != num_bits(to.element) || from.size() != to.size())
      return unsupported("bitcasts between elements of different sizes are not supported");
    const ints to_memory = reversed(now_.layout, to.rank());
    ints from_memory;
    if (!layout_of(now_.first_operand, from.rank(), from_memory)) return false;
    int value = g.operands.data[parts_.operands];
    if (!(from_memory == ints::range(from.rank())) &&
        !add_link(ops::transpose{from_memory}, value, from.with_shape(from.shape.select(from_memory)), value))
      return false;
    const ints in_memory = to.shape.select(to_memory);
    if (!full() && !(in_memory == from.shape.select(from_memory)) &&
        !add_link(ops::reshape{}, value, from.with_shape(in_memory), value))
      return false;
    ints order;
    for (int i = 0; i < to.rank(); ++i) order.push(to_memory.find(i));
    if (!full() && !(order == ints::range(to.rank())) &&
        !add_link(ops::transpose{order}, value, from.with_shape(to.shape), value))
      return false;
    if (!full() && from.element != to.element && !add_link(ops::bitcast_convert{}, value, to, value)) return false;
    return full() || define_values(value, 1);
  }

  constexpr bool build_compare() {
    using enum comparison_direction;
    ops::compare self;
    return read_choice("direction", self.comparison_direction, {"EQ", "NE", "GE", "GT", "LE", "LT"},
                       {EQ, NE, GE, GT, LE, LT}) &&
           read_choice("type", self.compare_type, {"FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"},
                       {comparison_type::FLOAT, comparison_type::TOTALORDER, comparison_type::SIGNED,
                        comparison_type::UNSIGNED}) &&
           add(self);
  }
  constexpr bool build_dot() {
    ops::dot_general self;
    auto& numbers = self.dot_dimension_numbers;
    return read("lhs_batch_dims", numbers.lhs_batching_dimensions) &&
           read("rhs_batch_dims", numbers.rhs_batching_dimensions) &&
           read("lhs_contracting_dims", numbers.lhs_contracting_dimensions) &&
           read("rhs_contracting_dims", numbers.rhs_contracting_dimensions) && add(self);
  }
  constexpr bool build_convolution() {
    ops::convolution self;
    window over;
    if (!read_window(over) || !read_labels(self.dimension_numbers) ||
        !read("feature_group_count", self.feature_group_count) || !read("batch_group_count", self.batch_group_count))
      return false;
    const auto& spatial = self.dimension_numbers.kernel_spatial_dimensions;
    for (int i = 0; i < over.size.size; ++i)
      if (over.size[i] != type_of_operand(1).dim(spatial[i]))
        return fail("attribute", "the window has the size of the kernel", now_.opcode.first);
    self.window_strides = over.stride;
    self.padding = over.padding();
    self.lhs_dilation = over.lhs_dilate;
    self.rhs_dilation = over.rhs_dilate;
    self.window_reversal = over.rhs_reversal;
    return add(self);
  }
  constexpr bool build_reduce_window() {
    ops::reduce_window self;
    window over;
    if (!read_window(over) || !add_region("to_apply")) return false;
    self.window_dimensions = over.size;
    self.window_strides = over.stride;
    self.base_dilations = over.lhs_dilate;
    self.window_dilations = over.rhs_dilate;
    self.padding = over.padding();
    return full() || add(self);
  }
  constexpr bool build_select_and_scatter() {
    ops::select_and_scatter self;
    window over;
    if (!read_window(over) || !add_region("select") || (!full() && !add_region("scatter"))) return false;
    if (!over.lhs_dilate.empty() || !over.rhs_dilate.empty()) return unsupported("the window is not dilated");
    self.window_dimensions = over.size;
    self.window_strides = over.stride;
    self.padding = over.padding();
    return full() || add(self);
  }
  constexpr bool build_gather() {
    ops::gather self;
    auto& numbers = self.dimension_numbers;
    return read("offset_dims", numbers.offset_dims) && read("collapsed_slice_dims", numbers.collapsed_slice_dims) &&
           read("operand_batching_dims", numbers.operand_batching_dims) &&
           read("start_indices_batching_dims", numbers.start_indices_batching_dims) &&
           read("start_index_map", numbers.start_index_map) && read("index_vector_dim", numbers.index_vector_dim) &&
           read("slice_sizes", self.slice_sizes) && read("indices_are_sorted", self.indices_are_sorted) && add(self);
  }
  constexpr bool build_scatter() {
    ops::scatter self;
    auto& numbers = self.scatter_dimension_numbers;
    return read("update_window_dims", numbers.update_window_dims) &&
           read("inserted_window_dims", numbers.inserted_window_dims) &&
           read("input_batching_dims", numbers.input_batching_dims) &&
           read("scatter_indices_batching_dims", numbers.scatter_indices_batching_dims) &&
           read("scatter_dims_to_operand_dims", numbers.scatter_dims_to_operand_dims) &&
           read("index_vector_dim", numbers.index_vector_dim) && read("indices_are_sorted", self.indices_are_sorted) &&
           read("unique_indices", self.unique_indices) && add_region("to_apply") && (full() || add(self));
  }
  constexpr bool build_fft() {
    using enum fft_type;
    ops::fft self;
    return read_choice("fft_type", self.fft_type, {"FFT", "IFFT", "RFFT", "IRFFT"}, {FFT, IFFT, RFFT, IRFFT}) &&
           read("fft_length", self.fft_length) && add(self);
  }
  constexpr bool build_triangular_solve() {
    using enum transpose_a_kind;
    ops::triangular_solve self;
    return read("left_side", self.left_side) && read("lower", self.lower) &&
           read("unit_diagonal", self.unit_diagonal) &&
           read_choice("transpose_a", self.transpose_a, {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"},
                       {NO_TRANSPOSE, TRANSPOSE, ADJOINT}) &&
           add(self);
  }
  // The shape is an operand in StableHLO.
  constexpr bool build_rng() {
    ops::rng self;
    if (!read_choice("distribution", self.rng_distribution, {"rng_uniform", "rng_normal"},
                     {rng_distribution::UNIFORM, rng_distribution::NORMAL}))
      return false;
    const ints shape = g.types.data[type(0)].shape;
    ops::constant sizes;
    const int first = g.words.size;
    for (const index_t each : shape) g.words.push(each);
    sizes.value.id = g.literals.push({graph_literal::place::words, first, shape.size});
    int shape_type = 0;
    if (!intern(type_of(dtype::i64, {shape.size}), shape_type)) return false;
    op_parts node;
    node.begin = parts_.begin;
    node.kind = kind_of_op<ops::constant>;
    node.operands = g.operands.size;
    node.regions = state.open_regions.size;
    node.results = g.values.size;
    add_result(node, shape_type);
    node.words = g.words.size;
    write_attributes(g.words, sizes);
    if (full()) return true;
    append_node(node, top().region);
    g.operands.push(node.results);
    ++parts_.operand_count;
    return add(self);
  }
  template <class Op>
  constexpr bool build_batch_norm(Op self) {
    return read("epsilon", self.epsilon) && read("feature_index", self.feature_index) && add(self);
  }
  constexpr bool build_custom_call() {
    const int position = find_attribute("custom_call_target");
    if (position < 0) return missing("custom-call has the attribute custom_call_target");
    at = position;
    word target;
    if (!read_string(target)) return false;
    // Marks how an array is spread over devices.
    if (same_characters(target.first, "Sharding\"", 9)) return define_operands_of_types();
    ops::custom_call self;
    self.call_target_name.id = intern_text(target.first, target.size);
    return names_overflow() || (read("custom_call_has_side_effect", self.has_side_effect) && add(self));
  }
  constexpr bool build_all_to_all() {
    ops::all_to_all self;
    const bool has_dimension = find_attribute("dimensions") >= 0;
    if (!read_groups(self) || !read_single("dimensions", self.split_dimension)) return false;
    if (!has_dimension) return build_all_to_all_of_parts(self);
    self.concat_dimension = self.split_dimension;
    self.split_count = self.replica_groups.columns;
    return add(self);
  }
  // Operand i goes to process i of the group, result i comes from there: one operand that is cut into these parts.
  constexpr bool build_all_to_all_of_parts(ops::all_to_all self) {
    const int count = parts_.operand_count;
    const tensor_type part = type_of_operand(0);
    if (count == 0 || count != now_.type_count || part.rank() == 0)
      return unsupported("an all-to-all without dimensions has as many arrays as results");
    tensor_type whole = part;
    whole.shape.set(0, ints{part.dim(0), count}.product());
    self.split_count = count;
    int id = 0, value = 0;
    if (!intern(whole, id)) return false;
    parts_.results = g.values.size;
    add_result(parts_, id);
    value = parts_.results;
    if (!add_node(ops::concatenate{0}) || (!full() && !add_link(self, value, whole, value))) return false;
    const int first = leaves().size;
    for (int i = 0; i < count && !full(); ++i) {
      ops::slice cut;
      for (int axis = 0; axis < part.rank(); ++axis) {
        const index_t start = axis == 0 ? i * part.dim(0) : 0;
        cut.start_indices.push(start), cut.limit_indices.push(start + part.dim(axis)), cut.strides.push(1);
      }
      int piece = 0;
      if (!add_link(cut, value, part, piece)) return false;
      leaves().push(piece);
    }
    if (full()) return true;
    for (int i = 0; i < count; ++i)
      if (g.values.data[leaves().data[first + i]].type != type(i)) return wrong_type();
    return define_values(-1 - first, count);
  }
  // (data, context, token)
  constexpr bool build_send() {
    ops::send self;
    if (!read("channel_id", self.channel_id) || !read("is_host_transfer", self.is_host_transfer)) return false;
    if (self.is_host_transfer) self.channel_type = channel_types::DEVICE_TO_HOST;
    keep_types(now_.type_count - 1, 1);
    return add(self);
  }
  constexpr bool build_recv() {
    ops::recv self;
    if (!read("channel_id", self.channel_id) || !read("is_host_transfer", self.is_host_transfer)) return false;
    if (self.is_host_transfer) self.channel_type = channel_types::HOST_TO_DEVICE;
    if (now_.type_count > 2) {
      state.signature_types.data[now_.types + now_.type_count - 2] = type(now_.type_count - 1);
      keep_types(0, now_.type_count - 1);
    }
    return add(self);
  }
};

}  // namespace tenon::text
