// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/growing.hpp>
#include <tenon/graph/ir/diagnostic.hpp>
#include <tenon/xla/shape.hpp>

#include <string_view>
#include <type_traits>
#include <vector>

// What the functions of this folder record into.
namespace tenon::xla {

namespace detail {
class recorder;
}

// A value of the computation that a builder holds: an array, a token, or a tuple of values.
class XlaOp {
 public:
  constexpr XlaOp() = default;
  constexpr XlaOp(detail::recorder* of, int number) : builder_(of), number_(number) {}

  constexpr detail::recorder* builder() const { return builder_; }
  constexpr int number() const { return number_; }
  // False for what a broken rule has left without a value.
  constexpr bool valid() const { return number_ >= 0; }
  // Of an array or a token; none for others.
  constexpr tensor_type type() const;

 private:
  detail::recorder* builder_ = nullptr;
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
  // Copies the ops to the end of a region of another graph; gives the leaves of the result.
  constexpr std::vector<int> append_to(growing_graph& target, int region, const std::vector<int>& given) const {
    std::vector<int> parameters, leaves;
    for (int i = 0; i < int(given.size()); ++i) parameters.push_back(program().regions[0].arguments + i);
    append_body(target, region, program(), {parameters.data(), int(given.size())}, {given.data(), int(given.size())},
                leaves);
    return leaves;
  }

  growing_graph code;
  std::vector<tensor_type> arguments;  // the leaves of the parameters
  Shape result;
  const char* label = nullptr;
  const char* sentence = nullptr;
  std::vector<tensor_type> operands;  // of the op that breaks the rule
};

namespace detail {

class body;

// Appends ops to a graph, after asking their rules; takes note of the first that breaks.
class recorder {
  template <class T>
  static constexpr list<T> list_of(const std::vector<T>& all) {
    return {all.data(), int(all.size())};
  }

 public:
  constexpr explicit recorder(bool stops_at_broken_rule) : stops_(stops_at_broken_rule) {
    made_.code.make_room({.nodes = 32,
                          .values = 48,
                          .operands = 64,
                          .words = 128,
                          .types = 16,
                          .regions = 8,
                          .region_references = 8,
                          .functions = 1,
                          .literals = 8,
                          .names = 1,
                          .characters = 16});
    graph& g = made_.code.get();
    g.functions.push({g.intern_name("main"), open_region(g, -1, {}), true});
    region_ = 0;
  }
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;

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
  constexpr XlaOp leaf(int value) { return add({value, 0, -1}); }
  constexpr XlaOp tuple_of(Span<XlaOp> parts) {
    for (const XlaOp& part : parts)
      if (!part.valid()) return XlaOp(this, -1);
    const int first = int(members_.size());
    for (const XlaOp& part : parts) members_.push_back(part.number());
    return add({-1, first, parts.size()});
  }

  constexpr bool is_tuple(const XlaOp& op) const { return op.valid() && at(op).count >= 0; }
  constexpr int member_count(const XlaOp& op) const { return is_tuple(op) ? at(op).count : 0; }
  constexpr XlaOp member(const XlaOp& op, int i) { return XlaOp(this, members_[std::size_t(at(op).first + i)]); }
  constexpr const tensor_type& type_of_leaf(const XlaOp& op) const {
    return made_.program().type_of_value(at(op).value);
  }
  constexpr Shape shape_of(const XlaOp& op) {
    if (!op.valid()) return {};
    if (!is_tuple(op)) return type_of_leaf(op);
    std::vector<Shape> parts;
    for (int i = 0; i < member_count(op); ++i) parts.push_back(shape_of(member(op, i)));
    return Shape(parts);
  }
  // The values of the arrays and tokens within.
  constexpr bool append_leaves(const XlaOp& op, std::vector<int>& to) {
    if (!op.valid()) return false;
    if (!is_tuple(op)) return to.push_back(at(op).value), true;
    bool all = true;
    for (int i = 0; i < member_count(op); ++i) all = append_leaves(member(op, i), to) && all;
    return all;
  }
  constexpr bool append_leaves(Span<XlaOp> ops, std::vector<int>& to) {
    bool all = true;
    for (const XlaOp& each : ops) all = append_leaves(each, to) && all;
    return all;
  }

  // Records an op on the leaves of the operands; its results, one or a tuple.
  template <class Op>
  constexpr XlaOp record(const Op& op, Span<XlaOp> operands, Span<tensor_type> declared = {},
                         const std::vector<int>& regions = {}) {
    std::vector<int> results;
    if (!record_leaves(op, operands, declared, regions, results)) return last_ = XlaOp(this, -1);
    if (results.size() == 1) return leaf(results[0]);
    std::vector<XlaOp> parts;
    for (const int result : results) parts.push_back(leaf(result));
    return tuple_of(parts);
  }
  template <class Op>
  constexpr bool record_leaves(const Op& op, Span<XlaOp> operands, Span<tensor_type> declared,
                               const std::vector<int>& regions, std::vector<int>& to) {
    std::vector<int> values;
    if (!append_leaves(operands, values)) return note("xla_operand", "an operand has a value", {});
    for (const int region : regions)
      if (region < 0) return false;
    graph& g = made_.code.get();
    const std::vector<tensor_type> types = types_of(values);
    std::size_t most_results = types.size() + std::size_t(declared.size()) + 3;
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
    rule.details = &g;
    std::vector<tensor_type> inferred(most_results, tensor_type{});
    table<tensor_type> results{inferred.data(), 0, int(most_results)};
    infer_results(op, rule, list_of(types), results);
    if (rule.broken()) return note(rule.label, rule.sentence, types);
    made_.code.make_room(room_for(values.size(), std::size_t(results.size), regions.size()));
    if constexpr (!std::is_empty_v<Op>)
      made_.code.make_room({.words = most_words<Op> + tenon::detail::outside_ids(op)});
    const int node =
        append_unchecked(g, op, {list_of(values), list_of(regions), {}, region_}, results.part(0, results.size));
    for (int i = 0; i < results.size; ++i) to.push_back(g.nodes[node].results + i);
    return true;
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
    if (literal.type.size() * (is_complex(literal.type.element) ? 2 : 1) != count)
      return note("xla_literal", "a literal has an element for each index of its shape", {literal.type}),
             XlaOp(this, -1);
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
    return constant(Literal{type_of(dtype::i64, {numbers.size}), {numbers.begin(), numbers.end()}});
  }
  constexpr int name(std::string_view text) {
    made_.code.make_room({.names = 1, .characters = int(text.size())});
    return made_.code.get().intern_name(text);
  }
  // Of its own, whoever else has the same.
  constexpr int name_of_function(std::string_view text) {
    made_.code.make_room({.names = 1, .characters = int(text.size())});
    graph& g = made_.code.get();
    const graph_name added{g.characters.size, int(text.size())};
    for (const char c : text) g.characters.push(c);
    return g.names.push(added);
  }
  constexpr XlaOp parameter(std::int64_t number, const Shape& shape) {
    if (number < 0 || number >= 4096 || (number < std::int64_t(parameters_.size()) && found(number)))
      return note("xla_parameter", "parameters are numbered 0, 1, ..., each once", {shape.type()}), XlaOp(this, -1);
    std::vector<tensor_type> types;
    shape.append_leaves(types);
    made_.code.make_room(room_for(0, types.size()));
    graph& g = made_.code.get();
    std::vector<int> leaves;
    for (const tensor_type& type : types) leaves.push_back(g.values.push({g.intern_type(type), -1, 0, region_}));
    if (std::size_t(number) >= parameters_.size()) parameters_.resize(std::size_t(number) + 1, XlaOp());
    return parameters_[std::size_t(number)] = value_with(shape, leaves);
  }

  // The body in place of a call.
  constexpr XlaOp call(const body& function, Span<XlaOp> operands);
  // A region of an op, with arguments of these shapes; -1 if a rule is broken. Shows the shape of what it gives.
  constexpr int region_of(const body& function, const std::vector<Shape>& arguments, Shape* gives = nullptr);
  // One without arguments, which takes the operands from outside.
  constexpr int region_around(const body& function, Span<XlaOp> operands, Shape* gives = nullptr);
  constexpr XlaOp inlined(const XlaComputation& function, Span<XlaOp> operands) {
    std::vector<int> given;
    if (!append_leaves(operands, given)) return note("xla_operand", "an operand has a value", {}), XlaOp(this, -1);
    if (!function.ok()) return note(function.label, function.sentence, function.operands), XlaOp(this, -1);
    if (function.program().functions.size == 0 || types_of(given) != function.arguments)
      return note("xla_computation", "the operands have the shapes of the computation's parameters", types_of(given)),
             XlaOp(this, -1);
    return value_with(function.result, function.append_to(made_.code, region_, given));
  }
  // As a function of its own, of this name.
  constexpr signature declare(const XlaComputation& function, int name_of_function, std::vector<tensor_type>& gives) {
    made_.code.make_room(room_for(0, function.arguments.size()));
    graph& g = made_.code.get();
    const int region = open_region(g, -1, list_of(function.arguments));
    const std::vector<int> leaves = function.append_to(made_.code, region, arguments_of(g, region));
    made_.code.make_room(room_for(leaves.size(), 0));
    close_region(made_.code.get(), region, list_of(leaves));
    made_.code.get().functions.push({name_of_function, region, false});
    gives = types_of(leaves);
    return {list_of(function.arguments), list_of(gives)};
  }
  // An op on the leaves of the operands whose rules ask for a function.
  template <class Op>
  constexpr XlaOp record_call(const Op& op, const XlaComputation& function, Span<XlaOp> operands,
                              int name_of_function) {
    std::vector<int> values;
    if (!append_leaves(operands, values)) return note("xla_operand", "an operand has a value", {}), XlaOp(this, -1);
    std::vector<tensor_type> types = types_of(values), gives;
    const signature called = declare(function, name_of_function, gives);
    graph& g = made_.code.get();
    rules rule;
    rule.regions = {&called, 1};
    rule.details = &g;
    std::vector<tensor_type> inferred(gives.size() + 1, tensor_type{});
    table<tensor_type> results{inferred.data(), 0, int(inferred.size())};
    infer_results(op, rule, list_of(types), results);
    if (rule.broken()) return note(rule.label, rule.sentence, types), XlaOp(this, -1);
    made_.code.make_room(room_for(values.size(), gives.size()));
    made_.code.make_room({.words = most_words<Op>});
    const int node = append_unchecked(g, op, {list_of(values), {}, {}, region_}, results.part(0, results.size));
    std::vector<int> leaves;
    for (int i = 0; i < results.size; ++i) leaves.push_back(g.nodes[node].results + i);
    return value_with(function.result, leaves);
  }

  // A value that is there already, as what a statement gives.
  constexpr XlaOp again(const XlaOp& op) { return last_ = op; }
  // The last value, which is what a computation gives unless it is told otherwise.
  constexpr XlaOp last() const { return last_; }
  constexpr const XlaComputation& state() const { return made_; }

  constexpr XlaComputation finish(const XlaOp& root) {
    std::vector<int> given, yields;
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      if (!found(std::int64_t(i))) note("xla_parameter", "parameters are numbered 0, 1, ..., each once", {});
    append_leaves(root, yields);
    XlaComputation result;
    if (made_.label == nullptr) {
      append_leaves(parameters_, given);
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
    } else {
      result.label = made_.label, result.sentence = made_.sentence, result.operands = made_.operands;
    }
    return result;
  }

 private:
  struct entry {
    int value = -1;             // of an array or a token
    int first = 0, count = -1;  // members of a tuple, in members_
  };
  // Of the attributes of an op: ints take nine, tables of them 66.
  template <class Op>
  static constexpr int most_words = int(sizeof(Op));
  // For an op with so many operands, results and regions.
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

  static constexpr std::vector<int> arguments_of(const graph& g, int region) {
    std::vector<int> all;
    for (int i = 0; i < g.regions[region].argument_count; ++i) all.push_back(g.regions[region].arguments + i);
    return all;
  }
  constexpr int close(int region, int outside, const XlaOp& result, Shape* gives) {
    region_ = outside;
    std::vector<int> yields;
    if (!append_leaves(result, yields)) return note("xla_operand", "a computation gives a value", {}), -1;
    made_.code.make_room({.operands = int(yields.size())});
    close_region(made_.code.get(), region, list_of(yields));
    if (gives != nullptr) *gives = shape_of(result);
    return region;
  }
  constexpr const entry& at(const XlaOp& op) const { return entries_[std::size_t(op.number())]; }
  constexpr bool found(std::int64_t i) const { return parameters_[std::size_t(i)].builder() != nullptr; }
  constexpr XlaOp add(const entry& added) {
    entries_.push_back(added);
    return last_ = XlaOp(this, int(entries_.size()) - 1);
  }
  constexpr std::vector<tensor_type> types_of(const std::vector<int>& values) const {
    std::vector<tensor_type> types;
    for (const int value : values) types.push_back(made_.program().type_of_value(value));
    return types;
  }
};

// A function given to an op: a computation, an op of tenon, or a function object of XlaOps without captures.
class body {
 public:
  constexpr body(const XlaComputation& computation) : computation_(&computation) {}
  template <class Function>
    requires(!std::is_base_of_v<XlaComputation, Function> && std::is_empty_v<Function>)
  constexpr body(const Function&) : run_(&body::run<Function>) {}

  constexpr const XlaComputation* computation() const { return computation_; }
  constexpr XlaOp operator()(recorder& r, Span<XlaOp> operands) const {
    return computation_ != nullptr ? r.inlined(*computation_, operands) : run_(r, operands);
  }

 private:
  const XlaComputation* computation_ = nullptr;
  XlaOp (*run_)(recorder&, Span<XlaOp>) = nullptr;

  template <class Function>
  static constexpr XlaOp run(recorder& r, Span<XlaOp> operands) {
    if constexpr (op<Function>)
      return r.record(Function{}, operands);
    else if constexpr (requires { Function{}.recorded(r, operands); })
      return Function{}.recorded(r, operands);
    else
      return run_with<Function, 0>(r, operands);
  }
  // A function object of so many values.
  template <class Function, int Count, class... Values>
  static constexpr XlaOp run_with(recorder& r, Span<XlaOp> operands, const Values&... values) {
    if constexpr (Count > 16) {
      return r.note("xla_computation", "a function object takes at most 16 values", {}), XlaOp(&r, -1);
    } else if constexpr (std::is_invocable_v<Function, const Values&...>) {
      if (operands.size() == Count) return Function{}(values...);
      return r.note("xla_computation", "the function object takes as many values as it is given", {}), XlaOp(&r, -1);
    } else {
      return run_with<Function, Count + 1>(r, operands, values...,
                                           Count < operands.size() ? operands[Count] : XlaOp(&r, -1));
    }
  }
};

constexpr XlaOp recorder::call(const body& function, Span<XlaOp> operands) { return function(*this, operands); }

constexpr int recorder::region_of(const body& function, const std::vector<Shape>& arguments, Shape* gives) {
  std::vector<tensor_type> types;
  for (const Shape& each : arguments) each.append_leaves(types);
  made_.code.make_room(room_for(0, types.size()));
  graph& g = made_.code.get();
  const int outside = std::exchange(region_, open_region(g, region_, list_of(types))), region = region_;
  const std::vector<int> values = arguments_of(g, region);
  const int* next = values.data();
  std::vector<XlaOp> inside;
  for (const Shape& each : arguments) inside.push_back(value_of(each, next));
  return close(region, outside, function(*this, inside), gives);
}

constexpr int recorder::region_around(const body& function, Span<XlaOp> operands, Shape* gives) {
  made_.code.make_room(room_for(0, 0));
  const int outside = std::exchange(region_, open_region(made_.code.get(), region_, {})), region = region_;
  return close(region, outside, function(*this, operands), gives);
}

}  // namespace detail

constexpr tensor_type XlaOp::type() const {
  return valid() && !builder_->is_tuple(*this) ? builder_->type_of_leaf(*this) : tensor_type{};
}

}  // namespace tenon::xla
