// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/fail.hpp>
#include <tenon/graph/growing.hpp>
#include <tenon/graph/ir/diagnostic.hpp>
#include <tenon/xla/shape.hpp>

#include <atomic>
#include <string_view>
#include <type_traits>
#include <vector>

// The builder that the functions of this folder record into.
namespace tenon::xla {

namespace detail {
class recorder;
}

// A value of the computation that a builder holds: an array, a token, or a tuple of values.
// @pre the builder outlives the uses of its values
class XlaOp {
 public:
  constexpr XlaOp() = default;

  constexpr detail::recorder* builder() const { return builder_; }
  constexpr int number() const { return number_; }
  // False where a rule is broken, and for values that nobody has made.
  constexpr bool valid() const { return number_ >= 0; }
  // Of an array or a token; none for others.
  constexpr tensor_type type() const;

 private:
  friend detail::recorder;
  constexpr XlaOp(detail::recorder* of, unsigned of_serial, int number)
      : builder_(of), serial_(of_serial), number_(number) {}

  detail::recorder* builder_ = nullptr;
  unsigned serial_ = 0;
  int number_ = -1;
};

// A finished function: its graph, what it takes and what it gives, or the first rule that it breaks.
class XlaComputation {
 public:
  constexpr XlaComputation() = default;

  constexpr bool ok() const { return label == nullptr; }
  // Where XLA has a status, or an optional, the computation stands itself.
  constexpr const XlaComputation& value() const { return *this; }
  constexpr const XlaComputation& ConsumeValueOrDie() const { return *this; }
  constexpr const XlaComputation& operator*() const { return *this; }
  constexpr const XlaComputation* operator->() const { return this; }

  constexpr const graph& program() const { return code.get(); }

  growing_graph code;
  std::vector<tensor_type> arguments;  // the leaves of the parameters
  Shape result;
  const char* label = nullptr;
  const char* sentence = nullptr;
  std::vector<tensor_type> operands;  // of the op that breaks the rule
};

namespace detail {

class body;

// Counts the builders of a process, so that the values of one that is gone are not taken for those of its successor.
inline std::atomic<unsigned> builders_made = 0;

// Whether every list of an attribute holds all that was written.
template <class T>
constexpr bool is_complete(const T& attribute) {
  if constexpr (std::is_same_v<T, ints> || std::is_same_v<T, ints_table>)
    return attribute.dropped == 0;
  else if constexpr (core::has_attributes<const T>)
    return visit_attributes(attribute, [](std::string_view, const auto& field) { return is_complete(field); });
  else
    return true;
}

// Appends ops to a graph, after asking their rules; takes note of the first that breaks. Operands, shapes and
// attributes come in through `admit`.
class recorder {
  template <class T>
  static constexpr list<T> list_of(const std::vector<T>& all) {
    return {all.data(), int(all.size())};
  }

 public:
  constexpr explicit recorder(bool stops_at_broken_rule)
      : stops_(stops_at_broken_rule), serial_(std::is_constant_evaluated() ? 0 : ++builders_made) {
    graph_sizes room = room_for(0, 0);
    room.names = 1, room.characters = 4;
    made_.code.make_room(room);
    graph& g = made_.code.get();
    g.functions.push({g.intern_name("main"), open_region(g, -1, {}), true});
    region_ = 0;
  }
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;

  // The value of an op that breaks a rule.
  constexpr XlaOp nothing() { return XlaOp(this, serial_, -1); }
  constexpr XlaOp value_with(const Shape& shape, const std::vector<int>& leaves) {
    const int* next = leaves.data();
    return value_of(shape, next);
  }
  // The value with these parts, `leaves` of which come next.
  constexpr XlaOp value_of(const Shape& shape, const int*& leaves) {
    if (!shape.IsTuple()) return leaf(*leaves++);
    std::vector<XlaOp> parts;
    for (const Shape& member : shape.tuple_shapes()) parts.push_back(value_of(member, leaves));
    return tuple_of(parts);
  }
  constexpr XlaOp leaf(int value) { return add({value, 0, -1, region_}); }
  constexpr XlaOp tuple_of(Span<XlaOp> parts) {
    if (!admit(parts)) return nothing();
    const int first = int(members_.size());
    for (const XlaOp& part : parts) members_.push_back(part.number());
    return add({-1, first, parts.size(), region_});
  }

  constexpr bool has(const XlaOp& op) const {
    return op.builder_ == this && op.serial_ == serial_ && op.valid() && op.number() < int(entries_.size());
  }
  constexpr bool is_tuple(const XlaOp& op) const { return has(op) && at(op).count >= 0; }
  constexpr int member_count(const XlaOp& op) const { return is_tuple(op) ? at(op).count : 0; }
  constexpr XlaOp member(const XlaOp& op, int i) {
    if (i < 0 || i >= member_count(op)) return nothing();
    return XlaOp(this, serial_, members_[std::size_t(at(op).first + i)]);
  }
  constexpr tensor_type type_of(const XlaOp& op) const {
    return has(op) && !is_tuple(op) ? made_.program().type_of_value(at(op).value) : tensor_type{};
  }
  constexpr Shape shape_of(const XlaOp& op) {
    if (!is_tuple(op)) return type_of(op);
    std::vector<Shape> parts;
    for (int i = 0; i < member_count(op); ++i) parts.push_back(shape_of(member(op, i)));
    return Shape(parts);
  }

  // Operands are values of this builder, made in the region that is open or around it. The error goes to both builders.
  constexpr bool admit(Span<XlaOp> operands) {
    for (const XlaOp& each : operands) {
      const bool foreign = each.builder() != nullptr && each.builder() != this;
      const char* const sentence =
          foreign ? "an operand is a value of the builder that records the op" : "an operand has a value";
      if (foreign) each.builder()->note("xla_operand", sentence, {each.type()});
      if (!has(each)) return note("xla_operand", sentence, {});
      if (!is_visible(each))
        return note("xla_operand", "an operand is made where the op is, or around it", {each.type()});
    }
    return true;
  }
  // Shapes that are written, or follow from those of operands.
  constexpr bool admit(list<tensor_type> types, bool inferred = false) {
    for (const tensor_type& each : types)
      if (!is_possible(each) && !has_open_shape(each) && !(inferred && !each.is_tensor()))
        return note("xla_operand",
                    "a shape has an element type and at most 8 sizes, none of them negative, of fewer than 2^63 bytes",
                    {each});
    return true;
  }
  // The values of the arrays and tokens within.
  constexpr bool append_leaves(Span<XlaOp> operands, std::vector<int>& to) {
    if (!admit(operands)) return false;
    for (const XlaOp& each : operands) append_admitted(each, to);
    return true;
  }

  // Records an op on the leaves of the operands; its results, one or a tuple.
  template <class Op>
  constexpr XlaOp record(const Op& op, Span<XlaOp> operands, Span<tensor_type> declared = {},
                         const std::vector<int>& regions = {}) {
    std::vector<int> results;
    if (!record_leaves(op, operands, declared, regions, results)) return last_ = nothing();
    std::vector<XlaOp> parts;
    for (const int result : results) parts.push_back(leaf(result));
    return parts.size() == 1 ? parts[0] : tuple_of(parts);
  }
  // The same, as a value of a shape.
  template <class Op>
  constexpr XlaOp record_as(const Shape& shape, const Op& op, Span<XlaOp> operands, Span<tensor_type> declared = {},
                            const std::vector<int>& regions = {}) {
    std::vector<int> results;
    if (!record_leaves(op, operands, declared, regions, results)) return last_ = nothing();
    return value_with(shape, results);
  }
  // An op whose rules ask for a function.
  template <class Op>
  constexpr XlaOp record_call(const Op& op, const XlaComputation& function, Span<XlaOp> operands,
                              int name_of_function) {
    std::vector<int> values, results;
    if (!accepts(function, operands, values)) return last_ = nothing();
    const std::vector<tensor_type> gives = declare(function, name_of_function);
    const signature called{list_of(function.arguments), list_of(gives)};
    rules rule;
    rule.regions = {&called, 1};
    if (!append(op, rule, values, {}, gives.size(), results)) return last_ = nothing();
    return value_with(function.result, results);
  }

  // A rule of XLA's own.
  constexpr bool check(const char* label, const char* sentence, bool holds, Span<XlaOp> operands) {
    std::vector<tensor_type> types;
    for (const XlaOp& each : operands) types.push_back(each.type());
    return holds || note(label, sentence, types);
  }
  constexpr bool note(const char* label, const char* sentence, const std::vector<tensor_type>& types) {
    if (made_.label != nullptr) return false;
    if (stops_) tenon::detail::report_broken<4>(label, sentence, list_of(types));
    made_.label = label, made_.sentence = sentence, made_.operands = types;
    return false;
  }

  constexpr XlaOp constant(const Literal& literal) {
    const int count = int(literal.words.size());
    const ints words{literal.type.size(), is_complex(literal.type.element) ? 2 : 1};
    if (!admit({&literal.type, 1})) return last_ = nothing();
    if (literal.ragged || words.product() != count)
      return note("xla_literal", "a literal has an element for each index of its shape", {literal.type}),
             last_ = nothing();
    made_.code.make_room(room_for(0, 1));
    made_.code.make_room({.words = count + 1});
    graph& g = made_.code.get();
    const int first = g.words.size;
    for (const index_t word : literal.words) g.words.push(word);
    const index_t id = g.literals.push({graph_literal::place::words, first, count});
    const int node = append_unchecked(g, ops::constant{literal_id{int(id)}}, {{}, {}, {}, region_}, {&literal.type, 1});
    return leaf(g.nodes[node].results);
  }
  // Numbers as a vector of i64.
  constexpr XlaOp constant(const ints& numbers) {
    return constant(Literal{tenon::type_of(dtype::i64, {numbers.size}), {numbers.begin(), numbers.end()}});
  }
  // A function has a name of its own, whoever else has the same.
  constexpr int name(std::string_view text, bool of_function = false) {
    made_.code.make_room({.names = 1, .characters = int(text.size())});
    graph& g = made_.code.get();
    if (!of_function) return g.intern_name(text);
    const graph_name added{g.characters.size, int(text.size())};
    for (const char c : text) g.characters.push(c);
    return g.names.push(added);
  }
  constexpr XlaOp parameter(std::int64_t number, const Shape& shape) {
    std::vector<tensor_type> types;
    shape.append_leaves(types);
    if (number < 0 || number >= 4096 || (number < std::int64_t(parameters_.size()) && found(number)))
      return note("xla_parameter", "parameters are numbered 0, 1, ..., each once", {shape.type()}), last_ = nothing();
    if (!admit(list_of(types))) return last_ = nothing();
    made_.code.make_room(room_for(0, types.size()));
    graph& g = made_.code.get();
    std::vector<int> leaves;
    for (const tensor_type& type : types) leaves.push_back(g.values.push({g.intern_type(type), -1, 0, 0}));
    if (std::size_t(number) >= parameters_.size()) parameters_.resize(std::size_t(number) + 1, XlaOp());
    return parameters_[std::size_t(number)] = value_with(shape, leaves);
  }

  // A region of an op, with arguments of these shapes, and the operands from outside; -1 if a rule is broken. Shows the
  // shape of what it gives.
  constexpr int region_of(const body& function, const std::vector<Shape>& arguments, Shape* gives = nullptr,
                          Span<XlaOp> from_outside = {});
  constexpr XlaOp inlined(const XlaComputation& function, Span<XlaOp> operands) {
    std::vector<int> given;
    if (!accepts(function, operands, given)) return last_ = nothing();
    return value_with(function.result, append_to(region_, function, given));
  }

  // A value that is there already, as what a statement gives.
  constexpr XlaOp again(const XlaOp& op) { return last_ = admit({op}) ? op : nothing(); }
  // The last value, which is what a computation gives unless it is told otherwise.
  constexpr XlaOp last() const { return last_; }

  constexpr XlaComputation finish(const XlaOp& root) {
    std::vector<int> given, yields;
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      if (!found(std::int64_t(i))) note("xla_parameter", "parameters are numbered 0, 1, ..., each once", {});
    if (region_ != 0) note("xla_computation", "a computation is built outside of the bodies of its ops", {});
    append_leaves({root}, yields);
    XlaComputation result;
    result.label = made_.label, result.sentence = made_.sentence, result.operands = made_.operands;
    if (!append_leaves(parameters_, given) || !result.ok()) return result;
    result.arguments = types_of(given);
    result.result = shape_of(root);
    made_.code.make_room({.operands = int(yields.size())});
    close_region(made_.code.get(), 0, list_of(yields));
    graph_sizes room = room_for(0, given.size());
    room.names = 1, room.characters = 4;
    result.code.make_room(room);
    graph& g = result.code.get();
    g.functions.push({g.intern_name("main"), open_region(g, -1, list_of(result.arguments)), true});
    const std::vector<int> to = arguments_of(g, 0);
    std::vector<int> leaves;
    append_body(result.code, 0, made_.program(), list_of(given), list_of(to), leaves);
    result.code.make_room({.operands = int(leaves.size())});
    close_region(result.code.get(), 0, list_of(leaves));
    return result;
  }

 private:
  struct entry {
    int value = -1;             // of an array or a token
    int first = 0, count = -1;  // members of a tuple, in members_
    int region = 0;             // where it is made
  };
  // Of the attributes of an op: ints take nine, tables of them 66.
  template <class Op>
  static constexpr int most_words = int(sizeof(Op));
  // For an op with these numbers of operands, results and regions.
  static constexpr graph_sizes room_for(std::size_t operands, std::size_t results, std::size_t regions = 0) {
    return {.nodes = 1,
            .values = int(results),
            .operands = int(operands),
            .words = 8,
            .types = int(results),
            .regions = 1,
            .region_references = int(regions),
            .functions = 1,
            .literals = 1};
  }

  XlaComputation made_;
  std::vector<entry> entries_;
  std::vector<int> members_;
  std::vector<XlaOp> parameters_;
  XlaOp last_;
  int region_ = 0;
  bool stops_;
  unsigned serial_;

  template <class Op>
  constexpr bool record_leaves(const Op& op, Span<XlaOp> operands, Span<tensor_type> declared,
                               const std::vector<int>& regions, std::vector<int>& to) {
    std::vector<int> values;
    if (!append_leaves(operands, values) || !admit({declared.begin(), declared.size()})) return false;
    for (const int region : regions)
      if (region < 0) return false;
    const graph& g = made_.program();
    std::size_t most_results = values.size() + std::size_t(declared.size());
    std::vector<std::vector<tensor_type>> region_types;
    std::vector<signature> signatures;
    for (const int region : regions) {
      const graph_region& r = g.regions[region];
      region_types.push_back({}), region_types.push_back({});
      std::vector<tensor_type>&takes = *(region_types.end() - 2), &gives = region_types.back();
      for (int i = 0; i < r.argument_count; ++i) takes.push_back(g.type_of_value(r.arguments + i));
      for (const int value : g.yields_of(r)) gives.push_back(g.type_of_value(value));
      most_results += gives.size();
    }
    for (std::size_t i = 0; i < region_types.size(); i += 2)
      signatures.push_back({list_of(region_types[i]), list_of(region_types[i + 1])});
    rules rule;
    rule.declared = {declared.begin(), declared.size()};
    rule.regions = list_of(signatures);
    return append(op, rule, values, regions, most_results, to);
  }
  // Appends an op that keeps its rules.
  template <class Op>
  constexpr bool append(const Op& op, rules& rule, const std::vector<int>& values, const std::vector<int>& regions,
                        std::size_t most_results, std::vector<int>& to) {
    const std::vector<tensor_type> types = types_of(values);
    std::vector<tensor_type> inferred(most_results + 3, tensor_type{});
    table<tensor_type> results{inferred.data(), 0, int(inferred.size())};
    graph& g = made_.code.get();
    rule.details = &g;
    if (!is_complete(op)) return note("xla_operand", "a list has at most 8 numbers", types);
    infer_results(op, rule, list_of(types), results);
    if (rule.broken()) return note(rule.label, rule.sentence, types);
    if (!admit(results.part(0, results.size), true)) return false;
    made_.code.make_room(room_for(values.size(), std::size_t(results.size), regions.size()));
    if constexpr (!std::is_empty_v<Op>)
      made_.code.make_room({.words = most_words<Op> + tenon::detail::outside_ids(op)});
    const int node =
        append_unchecked(g, op, {list_of(values), list_of(regions), {}, region_}, results.part(0, results.size));
    for (int i = 0; i < results.size; ++i) to.push_back(g.nodes[node].results + i);
    return true;
  }

  // Whether a computation can be called with these operands; appends their leaves.
  constexpr bool accepts(const XlaComputation& function, Span<XlaOp> operands, std::vector<int>& given) {
    if (!append_leaves(operands, given)) return false;
    if (!function.ok()) return note(function.label, function.sentence, function.operands);
    if (function.program().functions.size == 0) return note("xla_computation", "a computation has been built", {});
    return types_of(given) == function.arguments ||
           note("xla_computation", "the operands have the shapes of the computation's parameters", types_of(given));
  }
  // Copies the ops of a computation to the end of a region; gives the leaves of the result.
  constexpr std::vector<int> append_to(int region, const XlaComputation& function, const std::vector<int>& given) {
    const std::vector<int> parameters = arguments_of(function.program(), 0);
    std::vector<int> leaves;
    append_body(made_.code, region, function.program(), list_of(parameters), list_of(given), leaves);
    return leaves;
  }
  // The computation as a function of its own, of this name; gives the types of its results.
  constexpr std::vector<tensor_type> declare(const XlaComputation& function, int name_of_function) {
    made_.code.make_room(room_for(0, function.arguments.size()));
    const int region = open_region(made_.code.get(), -1, list_of(function.arguments));
    const std::vector<int> leaves = append_to(region, function, arguments_of(made_.program(), region));
    made_.code.make_room(room_for(leaves.size(), 0));
    close_region(made_.code.get(), region, list_of(leaves));
    made_.code.get().functions.push({name_of_function, region, false});
    return types_of(leaves);
  }

  static constexpr std::vector<int> arguments_of(const graph& g, int region) {
    std::vector<int> all;
    for (int i = 0; i < g.regions[region].argument_count; ++i) all.push_back(g.regions[region].arguments + i);
    return all;
  }
  constexpr const entry& at(const XlaOp& op) const { return entries_[std::size_t(op.number())]; }
  constexpr void append_admitted(const XlaOp& op, std::vector<int>& to) {
    if (!is_tuple(op)) return to.push_back(at(op).value);
    for (int i = 0; i < member_count(op); ++i) append_admitted(member(op, i), to);
  }
  constexpr bool is_visible(const XlaOp& op) const {
    int region = region_;
    while (region >= 0 && region != at(op).region) region = made_.program().regions[region].parent;
    return region >= 0;
  }
  constexpr bool found(std::int64_t i) const { return parameters_[std::size_t(i)].valid(); }
  constexpr XlaOp add(const entry& added) {
    entries_.push_back(added);
    return last_ = XlaOp(this, serial_, int(entries_.size()) - 1);
  }
  constexpr std::vector<tensor_type> types_of(const std::vector<int>& values) const {
    std::vector<tensor_type> types;
    for (const int value : values) types.push_back(made_.program().type_of_value(value));
    return types;
  }
};

}  // namespace detail

constexpr tensor_type XlaOp::type() const { return builder_ != nullptr ? builder_->type_of(*this) : tensor_type{}; }

}  // namespace tenon::xla
