// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/simplify.hpp>
#include <tenon/text/op_registry.hpp>
#include <tenon/text/size_calculator.hpp>

#include <utility>

// Programs whose text leaves sizes open (`tensor<?x4xf32>`), written for arguments whose sizes are known.
namespace tenon {

// Why a program has no meaning for these sizes, and the byte of the text where that shows.
struct specialization_error {
  const char* label = nullptr;
  const char* sentence = nullptr;
  int source = -1;

  constexpr explicit operator bool() const { return sentence != nullptr; }
};

namespace text {

// Writes one function of a graph with the bodies of those that it calls. Integers that the program computes from sizes
// are computed here, and what they are the shape of gets its type from them; all rules are asked again. The graph has
// no other ops than `Wanted`.
template <op_set Wanted = every_op>
class specializer : size_calculator {
 public:
  constexpr specializer(const graph& from, graph& to, specializing_memory& memory)
      : size_calculator(from, to, memory) {}

  // @post no type of the target has an open size, unless `error` says why, or the target has no room
  constexpr bool run(const graph_function& function, list<ints> shapes) {
    const graph_region& body = from_.regions.data[function.region];
    memory_.values.size = from_.values.size, memory_.regions.size = from_.regions.size;
    memory_.known.size = memory_.known.capacity;
    copy_references(from_, to_);
    copy_literals(from_, to_);
    if (shapes.size != body.argument_count) return fail("type", "there is one shape for each argument", body.source);
    const int region = open_like(function.region, -1);
    for (int a = 0; a < shapes.size && !to_.overflow(); ++a) {
      const tensor_type& written = from_.type_of_value(body.arguments + a);
      tensor_type given = written;
      if (has_open_sizes(written)) given.shape = shapes[a];
      if (!suits(written, given)) return fail("type", "an argument has another shape than the text says", body.source);
      to_.values.data[to_.regions.data[region].arguments + a].type = to_.intern_type(given);
    }
    if (!write_body(function.region, region, 0)) return false;
    close_like(function.region, region);
    to_.functions.push({function.name, region, true});
    return !to_.overflow();
  }

  specialization_error error;

 private:
  static constexpr int deepest = 64, most_bodies = 100000;
  int bodies_ = 0;
  int region_ = -1;  // of the target
  int depth_ = 0;
  int regions_[most_operands]{};
  tensor_type declared_;  // the type of the result, where something else than the text says it

  constexpr bool fail(const char* label, const char* sentence, int source) {
    if (!error) error = {label, sentence, source};
    return false;
  }
  constexpr bool fail(const char* label, const char* sentence) { return fail(label, sentence, node_.source); }

  // Whether a type is what is written, with sizes for those that are open.
  static constexpr bool suits(const tensor_type& written, const tensor_type& given) {
    if (written.element != given.element || written.quantization != given.quantization) return false;
    if (written.members != given.members || written.rank() != given.rank()) return false;
    for (int d = 0; d < given.rank(); ++d)
      if (given.dim(d) < 0 || (written.dim(d) != open_size && written.dim(d) != given.dim(d))) return false;
    return true;
  }

  constexpr int open_like(int region, int parent) {
    const graph_region& source = from_.regions.data[region];
    const graph_region target = begin_region(to_, parent, source.source, source.argument_count);
    for (int a = 0; a < source.argument_count; ++a) {
      memory_.values[source.arguments + a] = to_.values.size;
      // A type with open sizes is replaced by who opens the region.
      const tensor_type& type = from_.type_of_value(source.arguments + a);
      to_.values.push({has_open_sizes(type) ? 0 : to_.intern_type(type), -1, a, to_.regions.size});
    }
    return memory_.regions[region] = to_.regions.push(target);
  }
  constexpr void close_like(int region, int target) {
    close_region(to_, target, from_.yields_of(from_.regions.data[region]),
                 [this](int value) { return memory_.values[value]; });
  }

  constexpr bool write_body(int source, int target, int depth) {
    if (depth == deepest) return fail("too_large", "regions and calls are nested deeper than 64");
    if (++bodies_ > most_bodies) return fail("too_large", "the calls are recursive, or the program grows too large");
    const graph_region body = from_.regions.data[source];
    for (int n = body.first; n < body.last; ++n) {
      const graph_node& node = from_.nodes.data[n];
      if (node.region != source) continue;
      node_ = node;
      if (to_.overflow()) return false;
      if (is_call(node) ? !write_call(node, target, depth) : !write_node(node, target, depth)) return false;
    }
    return true;
  }
  constexpr bool write_call(const graph_node& node, int target, int depth) {
    const std::optional<graph_function> callee = from_.find_function(callee_of(from_, node));
    if (!callee || callee->region < 0) return fail("not_supported", "the function that is called has no body");
    const graph_region& body = from_.regions.data[callee->region];
    for (int a = 0; a < body.argument_count; ++a)
      memory_.values[body.arguments + a] = memory_.values[from_.operands_of(node)[a]];
    if (!write_body(callee->region, target, depth + 1)) return false;
    for (int r = 0; r < node.result_count; ++r)
      memory_.values[node.results + r] = memory_.values[from_.yields_of(body)[r]];
    return true;
  }
  constexpr bool write_node(const graph_node& node, int target, int depth) {
    if (node.operand_count > most_operands || node.result_count > most_operands || node.region_count > most_operands)
      return fail("too_large", "the op has more than 64 operands, results or regions");
    for (int r = 0; r < node.region_count; ++r) {
      const int inner = from_.regions_of(node)[r], region = open_like(inner, target);
      const graph_region& source = from_.regions.data[inner];
      for (int a = 0; a < source.argument_count && !to_.overflow(); ++a) {
        if (!has_open_sizes(from_.type_of_value(source.arguments + a))) continue;
        // Of a while; the rules see to it that the results of its body are of the same types.
        if (!facts_of(node.kind).carries_in_place || a >= node.operand_count)
          return fail("not_supported", "the region of this op takes a tensor whose size is open");
        to_.values.data[to_.regions.data[region].arguments + a].type =
            to_.values.data[memory_.values[from_.operands_of(node)[a]]].type;
      }
      if (!write_body(inner, region, depth + 1)) return false;
      close_like(inner, region);
    }
    if (to_.overflow()) return false;
    enter(node, target);
    depth_ = depth;
    if (facts_of(node.kind).runs_targets && is_assertion()) return check_assertion();
    index_t numbers[most_numbers]{};
    if (const int count = compute(numbers); count >= 0) return add_constant({numbers, count});
    writer write{*this};
    return visit_op(node.kind, from_.words.data + node.words, write);
  }

  constexpr void enter(const graph_node& node, int target) {
    node_ = node, region_ = target;
    for (int r = 0; r < node.region_count; ++r) regions_[r] = memory_.regions[from_.regions_of(node)[r]];
    for (int i = 0; i < node.operand_count; ++i) {
      operands_[i] = memory_.values[from_.operands_of(node)[i]];
      types_[i] = to_.type_of_value(operands_[i]);
    }
  }

  constexpr bool add_constant(list<index_t> numbers) {
    const tensor_type type = result_of_numbers(numbers.size);
    const ops::constant self{{push_literal(to_, numbers)}};
    if (to_.overflow() || memory_.numbers.capacity - memory_.numbers.size < numbers.size) {
      memory_.numbers.overflow = true;
      return false;
    }
    const int added = append_unchecked(to_, self, {{}, {}, {}, region_, node_.source}, {&type, 1});
    if (to_.overflow()) return false;
    const int value = to_.nodes.data[added].results;
    memory_.values[node_.results] = value;
    memory_.known[value] = memory_.numbers.size + 1;
    for (const index_t number : numbers) memory_.numbers.push(number);
    return true;
  }
  constexpr tensor_type result_of_numbers(int count) const {
    tensor_type type = written_result();
    if (has_open_sizes(type)) type.shape = {count};
    return type;
  }

  // JAX asks for its conditions on sizes by a custom call of a boolean.
  constexpr bool is_assertion() const {
    return tenon::detail::same_text(from_.name_of(attributes<ops::custom_call>().call_target_name.id),
                                    "shape_assertion") &&
           node_.operand_count > 0 && has_numbers(0);
  }
  constexpr bool check_assertion() {
    return numbers(0)[0] != 0 || fail("shape_assertion", "the program does not allow arguments of these sizes");
  }

  // ---------- ops

  struct writer {
    specializer& self;

    template <class Op>
      requires(Wanted.has(kind_of_op<Op>))
    constexpr bool operator()(const Op& op) const {
      return self.write(op);
    }
    constexpr bool otherwise() const { return self.fail("not_supported", "an op of another dialect has open sizes"); }
  };

  template <class Op>
  constexpr bool write(const Op& op) {
    return add(op, node_.operand_count);
  }
  // Ops that take the shape of their result as an operand.
  constexpr bool write(const ops::dynamic_broadcast_in_dim& op) {
    return with_shape(1) && add(ops::broadcast_in_dim{op.broadcast_dimensions}, 1);
  }
  constexpr bool write(const ops::dynamic_reshape&) { return with_shape(1) && add(ops::reshape{}, 1); }
  constexpr bool write(const ops::dynamic_iota& op) { return with_shape(0) && add(ops::iota{op.iota_dimension}, 0); }
  constexpr bool write(const ops::rng& op) { return with_shape(2) && add(op, 3); }
  constexpr bool write(const ops::dynamic_pad&) {
    ops::pad pad;
    return read(2, pad.edge_padding_low) && read(3, pad.edge_padding_high) && read(4, pad.interior_padding) &&
           add(pad, 2);
  }
  constexpr bool write(const ops::real_dynamic_slice&) {
    if (!has_numbers(1)) return write_moving_slice();
    ops::slice slice;
    return read(1, slice.start_indices) && read(2, slice.limit_indices) && read(3, slice.strides) && add(slice, 1);
  }
  // A slice whose start follows while the program runs, and whose sizes are known: its limit is the sum of both.
  constexpr bool write_moving_slice() {
    const int sum = to_.values.data[operands_[2]].node;
    if (sum < 0 || to_.nodes.data[sum].kind != kind_of_op<ops::add> || !has_numbers(3)) return unknown_shape();
    const list<int> terms = to_.operands_of(to_.nodes.data[sum]);
    const bool first = terms[0] == operands_[1];
    const int sizes = terms[first ? 1 : 0];
    if ((!first && terms[1] != operands_[1]) || memory_.known[sizes] == 0) return unknown_shape();
    ops::gather gather;
    gather.dimension_numbers.offset_dims = gather.dimension_numbers.start_index_map = ints::range(types_[0].rank());
    for (const index_t size : numbers_of(sizes)) gather.slice_sizes.push(size);
    for (const index_t stride : numbers(3))
      if (stride != 1) return unknown_shape();
    return add(gather, 2);
  }
  constexpr bool write(const ops::dynamic_gather& op) {
    ops::gather gather{op.dimension_numbers, {}, op.indices_are_sorted};
    return read(2, gather.slice_sizes) && add(gather, 2);
  }
  constexpr bool write(const ops::dynamic_conv& op) {
    return has_numbers(2) ? add(op.with_padding(numbers(2)), 2) : unknown_shape();
  }
  constexpr bool write(const ops::reshape& op) {
    tensor_type type = written_result();
    index_t others = 1;
    int open = -1, count = 0;
    for (int d = 0; d < type.rank(); ++d) {
      if (type.dim(d) == open_size)
        open = d, ++count;
      else
        others *= type.dim(d);
    }
    if (count > 1) return unknown_shape();
    if (count == 1 && others > 0) type.shape.set(open, types_[0].size() / others);
    declared_ = type;
    return add(op, 1);
  }

  // Where JAX has no op for what it exports.
  constexpr bool write(const ops::custom_call& op) {
    const std::string_view name = from_.name_of(op.call_target_name.id);
    if (tenon::detail::same_text(name, "stablehlo.dynamic_top_k") && node_.operand_count == 2 && has_numbers(1))
      return add(ops::top_k{.k = numbers(1)[0]}, 1);
    if (tenon::detail::same_text(name, "stablehlo.dynamic_reduce_window")) return write_reduce_window(op);
    return op.indices_of_shape_operands.empty() ? add(op, node_.operand_count) : write_with_shapes(op);
  }
  // The last operands are the shapes of the results.
  constexpr bool write_with_shapes(ops::custom_call op) {
    const ints shapes = std::exchange(op.indices_of_shape_operands, {});
    const int operands = node_.operand_count - shapes.size;
    if (shapes.size != node_.result_count || operands < 0) return unknown_shape();
    tensor_type declared[most_operands];
    for (int r = 0; r < shapes.size; ++r) {
      declared[r] = from_.type_of_value(node_.results + r);
      declared[r].shape = {};
      if (shapes[r] != operands + r || !read(operands + r, declared[r].shape)) return unknown_shape();
    }
    if (op.operand_layouts.size > operands) op.operand_layouts.size = operands;
    return infer(op, operands, {declared, shapes.size}, true);
  }
  // (inputs..., initial values..., window_dimensions, window_strides, base_dilations, window_dilations, padding)
  constexpr bool write_reduce_window(const ops::custom_call& op) {
    const int inputs = node_.result_count, first = 2 * inputs;
    const std::optional<graph_function> body = from_.find_function(from_.name_of(op.called_computations[0].id));
    if (node_.operand_count != first + 5 || op.called_computations.size != 1 || !body || body->region < 0)
      return unknown_shape();
    ops::reduce_window self;
    if (!read(first, self.window_dimensions) || !read(first + 1, self.window_strides) ||
        !read(first + 2, self.base_dilations) || !read(first + 3, self.window_dilations) || !has_numbers(first + 4))
      return unknown_shape();
    for (int i = 0; i + 1 < numbers(first + 4).size; i += 2)
      self.padding.push({numbers(first + 4)[i], numbers(first + 4)[i + 1]});
    const graph_node node = node_;
    const int target = region_, region = open_like(body->region, target);
    if (!write_body(body->region, region, depth_ + 1)) return false;
    close_like(body->region, region);
    if (to_.overflow()) return false;
    enter(node, target);
    regions_[0] = region;
    node_.region_count = 1;
    return add(self, first);
  }

  constexpr bool unknown_shape() {
    return fail("not_supported", "the shape of the result does not follow from the sizes of the arguments");
  }
  constexpr bool read(int i, ints& into) {
    if (!has_numbers(i)) return unknown_shape();
    for (const index_t number : numbers(i)) into.push(number);
    return true;
  }
  // The result has the shape that operand i lists.
  constexpr bool with_shape(int i) {
    declared_ = written_result();
    declared_.shape = {};
    return read(i, declared_.shape);
  }

  // Writes the op on the first operands. Where its result has open sizes the rules say what they are: some of them from
  // the operands alone, others want to know the element type.
  template <class Op>
  constexpr bool add(const Op& op, int operands) {
    tensor_type declared[most_operands];
    const int count = node_.result_count;
    bool open = false;
    for (int r = 0; r < count; ++r) {
      declared[r] = from_.type_of_value(node_.results + r);
      open = open || has_open_sizes(declared[r]);
    }
    if (declared_.element != dtype::none) declared[0] = std::exchange(declared_, {});
    const list<tensor_type> as_written{declared, count};
    bool still_open = false;
    for (const tensor_type& type : as_written) still_open = still_open || has_open_sizes(type);
    if (!still_open) return infer(op, operands, as_written, true);
    tensor_type elements[most_operands];
    for (int r = 0; r < count; ++r) {
      elements[r] = with_open_shape(declared[r].element);
      elements[r].quantization = declared[r].quantization;
    }
    return infer(op, operands, {elements, count}, false) || (!error && infer(op, operands, {}, true));
  }
  template <class Op>
  constexpr bool infer(const Op& op, int operands, list<tensor_type> declared, bool last) {
    if (node_.region_count == 0) return infer(op, operands, declared, last, {});
    const list<int> regions{regions_, node_.region_count};
    if (node_.region_count <= tenon::ir::region_signatures<>::most) {
      const tenon::ir::region_signatures<> signatures(to_, regions);
      return infer(op, operands, declared, last, signatures.all);
    }
    const tenon::ir::region_signatures<64> signatures(to_, regions);
    return infer(op, operands, declared, last, signatures.all);
  }
  template <class Op>
  constexpr bool infer(const Op& op, int operands, list<tensor_type> declared, bool last, list<signature> regions) {
    rules rule;
    rule.declared = declared;
    rule.regions = regions;
    rule.details = &to_;
    list<index_t> constants[most_operands];
    for (int i = 0; i < operands; ++i) constants[i] = numbers(i);
    rule.constants = {constants, operands};
    tensor_type storage[most_operands];
    table<tensor_type> results{storage, 0, most_operands};
    infer_results(op, rule, {types_, operands}, results);
    bool good = !rule.broken() && results.size == node_.result_count;
    for (int r = 0; good && r < results.size; ++r) good = suits(from_.type_of_value(node_.results + r), storage[r]);
    if (!good) {
      if (!last) return false;
      return rule.broken() ? fail(rule.label, rule.sentence) : unknown_shape();
    }
    const int added =
        append_unchecked(to_, op, {{operands_, operands}, {regions_, node_.region_count}, {}, region_, node_.source},
                         {storage, results.size});
    if (to_.overflow()) return false;
    for (int r = 0; r < results.size; ++r) memory_.values[node_.results + r] = to_.nodes.data[added].results + r;
    return true;
  }
};

}  // namespace text

// Memory for the result: calls and custom calls become larger only as they are written, and where that does not
// suffice, it takes more effort.
constexpr ir::graph_sizes sizes_of_specialized(const ir::graph& g, int effort) {
  ir::graph_sizes total = passes::simplifier::room_to_begin(g);
  total.nodes *= effort, total.values *= effort, total.operands *= effort, total.words *= effort;
  total.regions *= effort, total.region_references = (total.region_references + 1) * effort;
  // Every op may become a constant, and every value have a type of its own; the attributes of static ops are longer.
  total.types += total.values, total.literals += total.nodes;
  total.words += (text::most_known_numbers + 32) * total.nodes;
  return total;
}

}  // namespace tenon
