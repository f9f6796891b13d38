// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/hlo/attributes.hpp>
#include <tenon/text/op_checker.hpp>

namespace tenon::text::hlo {

// Puts the ops of an instruction into the function that is open, and gives their results its name.
class emitter : public reader_part {
 public:
  op_checker checker;
  attribute_reader& attributes;

  constexpr emitter(attribute_reader& of_attributes, const op_registry& known)
      : reader_part(of_attributes), checker(build, known), attributes(of_attributes) {}

  constexpr tensor_type type_of_operand(int i) const { return hlo::type_of_operand(build, now, i); }
  constexpr bool define_values(int value, int count) { return build.define(now.name, value, count); }
  // The instruction is another name for values that exist already.
  constexpr bool define_as(const value_name& source, int first, int count) {
    const int mark = now.nested ? -count : count;
    return define_values(source.value >= 0 ? source.value + first : source.value - first, mark);
  }
  // The same for the operands, taken together.
  constexpr bool define_operands(int count) {
    const int first = leaves(state).size;
    for (int i = 0; i < count; ++i) leaves(state).push(g.operands.data[now.parts.operands + i]);
    g.operands.size = now.parts.operands;
    return define_values(-1 - first, now.nested ? -count : count);
  }
  // Those must have the types that are written.
  constexpr bool define_operands_of_types() {
    if (g.operands.overflow) return true;
    if (now.parts.operand_count != now.type_count) return wrong_type();
    for (int i = 0; i < now.type_count; ++i)
      if (g.values.data[g.operands.data[now.parts.operands + i]].type != type(i)) return wrong_type();
    return define_operands(now.parts.operand_count);
  }
  constexpr bool wrong_type() {
    return in.fail("type", "the type written for the result is not the one that it has", now.name.first);
  }
  constexpr int type(int i) const { return state.signature_types.data[now.types + i]; }

  // The types that are written for the results.
  constexpr void add_written_results() {
    now.parts.results = g.values.size;
    for (int i = 0; i < now.type_count; ++i) build.add_result(now.parts, type(i));
  }
  // Adds the op to the function, with these results and the regions that were made for it.
  template <class Op>
  constexpr bool add_node(const Op& self) {
    if (!checker.append(self, now.parts, build.top().region)) return false;
    if (!build.full()) state.open_regions.size = now.parts.regions;
    return true;
  }
  // An op whose results are what the instruction gives.
  template <class Op>
  constexpr bool add(const Op& self) {
    add_written_results();
    return add_node(self) && (build.full() || define_values(now.parts.results, result_mark()));
  }
  constexpr int result_mark() const { return now.nested ? -now.type_count : now.type_count; }

  constexpr bool unknown() { return in.fail("unknown_op", "the op is unknown", now.opcode.first); }
  constexpr bool unsupported(const char* sentence) { return in.fail("not_supported", sentence, now.opcode.first); }

  // An op that the instruction is made of, with one result.
  template <class Op>
  constexpr bool add_link(const Op& self, list<int> operands, const tensor_type& result, int& value) {
    now.parts.operands = g.operands.size;
    now.parts.operand_count = operands.size;
    for (const int each : operands) g.operands.push(each);
    build.renew_result(now.parts, build.intern(result));
    value = now.parts.results;
    return add_node(self);
  }
  template <class Op>
  constexpr bool add_link(const Op& self, int operand, const tensor_type& result, int& value) {
    return add_link(self, list<int>{&operand, 1}, result, value);
  }

  // A computation that stands above, by the name that begins at `position`.
  constexpr const function_signature* find_computation(int position) {
    in.at = position;
    const word name = in.read_symbol();
    const int id = name.size > 0 ? build.intern_text(name.first, name.size) : 0;
    if (build.names_overflow()) return nullptr;
    const int found = name.size > 0 ? state.function_of_name.data[id] : -1;
    if (found < 0) {
      in.fail("name", "no computation of that name stands above", position);
      return nullptr;
    }
    return &state.signatures.data[found];
  }
  // A call, with operands from `operands` on that are on the table already.
  constexpr bool add_call(const function_signature& callee, int operands, int count, int region, int& results) {
    bool same = count == callee.argument_count;
    for (int i = 0; same && i < count; ++i)
      same = g.values.data[g.operands.data[operands + i]].type == state.signature_types.data[callee.arguments + i];
    if (!same) return in.fail("call_c2", "type(operands...) = types of the callee's arguments", now.parts.name);
    results = build.add_call(callee.name, operands, count,
                             {state.signature_types.data + callee.results, callee.result_count}, region, now.parts);
    return true;
  }
  // A region that calls the computation which the attribute names. Its operands are the arguments of the region, or
  // values from outside, and then it has no arguments.
  constexpr bool add_region(int position, bool has_arguments, int captured, int captured_count) {
    const function_signature* const callee = find_computation(position);
    if (callee == nullptr) return !in.error;
    const function_signature called = *callee;
    const graph_region region =
        begin_region(g, build.top().region, now.parts.begin, has_arguments ? called.argument_count : 0);
    const int number = g.regions.push(region);
    for (int i = 0; i < region.argument_count; ++i)
      g.values.push({state.signature_types.data[called.arguments + i], -1, i, number});
    const int operands = g.operands.size;
    if (has_arguments)
      for (int i = 0; i < region.argument_count; ++i) g.operands.push(region.arguments + i);
    else
      for (int i = 0; i < captured_count; ++i) g.operands.push(g.operands.data[captured + i]);
    if (build.full()) return true;
    int results = 0;
    if (!add_call(called, operands, g.operands.size - operands, number, results)) return false;
    if (build.full()) return true;
    graph_region& closed = g.regions.data[number];
    closed.last = g.nodes.size;
    closed.yields = g.operands.size;
    closed.yield_count = called.result_count;
    for (int i = 0; i < called.result_count; ++i) g.operands.push(results + i);
    state.open_regions.push(number);
    ++now.parts.region_count;
    return true;
  }
  constexpr bool add_region(const keyword& name) {
    const int position = attributes.find_attribute(name);
    if (position < 0) return attributes.missing("the computation that the op applies is missing");
    return add_region(position, true, 0, 0);
  }

  // fusion, call: the results are those of the computation.
  constexpr bool add_call_of(const keyword& name) {
    const int position = attributes.find_attribute(name);
    if (position < 0) return attributes.missing("the computation that is called is missing");
    const function_signature* const callee = find_computation(position);
    return callee == nullptr ? !in.error : add_call_of(function_signature(*callee));
  }
  // Operands of an asynchronous call may be missing still: then its name stands for those that are there.
  constexpr bool add_call_of(const function_signature& called) {
    int results = 0;
    const bool goes_on = in.is(now.opcode, "async-start") || in.is(now.opcode, "async-update");
    if (goes_on && now.parts.operand_count < called.argument_count) return define_operands(now.parts.operand_count);
    if (!add_call(called, now.parts.operands, now.parts.operand_count, build.top().region, results)) return false;
    if (build.full()) return true;
    if (goes_on) return define_values(results, called.result_count);
    bool same = called.result_count == now.type_count;
    for (int i = 0; same && i < now.type_count; ++i) same = g.values.data[results + i].type == type(i);
    if (!same) return in.fail("call_c3", "type(results...) = types of the callee's results", now.name.first);
    return define_values(results, result_mark());
  }

 private:
  instruction& now = attributes.now;
};

}  // namespace tenon::text::hlo
