// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/indexing/map.hpp>
#include <tenon/ops/all.hpp>
#include <tenon/ops/list.hpp>
#include <tenon/ops/op.hpp>

namespace tenon::ir {

// The traits of each op that passes use, by its number: read off the op's own declaration, never off its name.
struct op_facts {
  bool known = false;             // the library has the op
  bool elementwise = false;       // result element i is computed from operand elements i alone
  bool moves = false;             // the result's elements are operand elements, found through an indexing map
  bool gathers = false;           // they may be, and then other operands say where they lie
  bool effects = false;           // must run even if nobody uses its results, and in order
  bool impure = false;            // two equal nodes may give different results
  bool is_view = false;           // the results are the operands under other types (reshape, optimization_barrier)
  bool moves_bytes = false;       // the kernel depends on the size of the elements, not on their type
  bool folds = false;             // the kernel may depend on the op that the region consists of
  bool folds_windows = false;     // likewise, for what is under windows
  bool folds_at_indices = false;  // likewise, for what belongs to places that are known at run time
  bool associative = false;
  bool accumulates = false;       // its region, or adding, goes on from what it gave
  bool gives_an_operand = false;  // it rounds nothing
  neutral_element neutral = neutral_element::none;
  bool places_results = false;    // its regions may write where their results are wanted, as nothing else lies there
  bool runs_on_values = false;    // it says what it does to values in registers: `on_values`
  bool carries_in_place = false;  // the second region's results become its arguments, and may take their places
  bool updates_operands = false;  // result i begins as operand i, and may lie where that lies if nobody else reads it
  bool unwraps = false;           // the results are the members of the operand
  bool is_constant = false;
  bool converts = false;            // elements to another type
  bool joins_operands = false;      // one behind the other along a dimension
  bool checks_size = false;         // gives the size that it has looked at
  bool runs_targets = false;        // it runs what a custom_call_target has for its first attribute
  bool is_call = false;             // it stands for the body of a function, which its first attribute names
  bool sorts = false;               // by a region that compares
  bool scans = false;               // its region goes along a dimension and carries values on
  bool selects_in_windows = false;  // by its first region
  bool dequantizes = false;         // on quantized operands it computes with the expressed values
  int least_range = 0;   // leading indices that it can be done for at a time, bit for bit, at least; 0: for all only
  unsigned strided = 0;  // a bit for each operand that may lie in memory with any strides
  unsigned strided_rows = 0;  // likewise, if only neighbours along the last dimension are neighbours in memory
  int typed_by = 0;           // the operand whose element type chooses the kernel; -1: the result
};

template <class Op>
concept complete = requires { sizeof(Op); };

struct named_members {
  int element, evaluate;
};
template <class Op>
struct probe_members : Op, named_members {};
// An inherited name that is ambiguous cannot be used: so it is there, whatever its kind.
template <class Op>
concept has_element = complete<Op> && !requires { &probe_members<Op>::element; };
template <class Op>
concept has_evaluate = complete<Op> && !requires { &probe_members<Op>::evaluate; };

template <class Op>
concept has_reads =
    requires(const Op& o, list<tensor_type> types, const tensor_type& type) { o.reads(0, types, type); };

template <class Op>
concept reads_each_result = requires(const Op& o, list<tensor_type> types) { o.reads(0, 0, types, types); };
template <class Op>
concept says_sources = requires(const Op& o, list<tensor_type> types) { o.source_of(0, 0, types, types); };

template <class Op>
constexpr bool moves_bytes() {
  if constexpr (requires { Op::moves_bytes; })
    return Op::moves_bytes;
  else
    return false;
}

template <class Op>
constexpr op_facts facts_of() {
  op_facts facts;
  if constexpr (complete<Op>) {
    facts.known = true;
    facts.elementwise = has_element<Op>;
    facts.moves_bytes = moves_bytes<Op>();
    facts.moves = facts.moves_bytes && has_reads<Op>;
    facts.gathers = facts.moves_bytes && reads_each_result<Op> && says_sources<Op>;
    if constexpr (requires { Op::folds; }) facts.folds = Op::folds;
    if constexpr (requires { Op::folds_windows; }) facts.folds_windows = Op::folds_windows;
    if constexpr (requires { Op::folds_at_indices; }) facts.folds_at_indices = Op::folds_at_indices;
    if constexpr (requires { Op::places_results; }) facts.places_results = Op::places_results;
    if constexpr (requires { Op::runs_on_values; }) facts.runs_on_values = Op::runs_on_values;
    if constexpr (requires { Op::carries_in_place; }) facts.carries_in_place = Op::carries_in_place;
    if constexpr (requires { Op::updates_operands; }) facts.updates_operands = Op::updates_operands;
    if constexpr (requires { Op::unwraps; }) facts.unwraps = Op::unwraps;
    if constexpr (requires { Op::is_constant; }) facts.is_constant = Op::is_constant;
    if constexpr (requires { Op::converts; }) facts.converts = Op::converts;
    if constexpr (requires { Op::joins_operands; }) facts.joins_operands = Op::joins_operands;
    if constexpr (requires { Op::checks_size; }) facts.checks_size = Op::checks_size;
    if constexpr (requires { Op::is_call; }) facts.is_call = Op::is_call;
    if constexpr (requires { Op::sorts; }) facts.sorts = Op::sorts;
    if constexpr (requires { Op::scans; }) facts.scans = Op::scans;
    if constexpr (requires { Op::selects_in_windows; }) facts.selects_in_windows = Op::selects_in_windows;
    if constexpr (requires { Op::neutral; }) facts.neutral = Op::neutral;
    if constexpr (requires { Op::dequantizes; }) facts.dequantizes = Op::dequantizes;
    if constexpr (requires { Op::associative; }) facts.associative = Op::associative;
    if constexpr (requires { Op::accumulates; }) facts.accumulates = Op::accumulates;
    if constexpr (requires { Op::gives_an_operand; }) facts.gives_an_operand = Op::gives_an_operand;
    if constexpr (requires { Op::runs_for_effect; }) facts.effects = Op::runs_for_effect;
    if constexpr (requires { Op::is_impure; }) facts.impure = Op::is_impure;
    if constexpr (requires { Op::runs_targets; }) facts.runs_targets = Op::runs_targets;
    if constexpr (requires { Op::is_view; }) facts.is_view = Op::is_view;
    if constexpr (requires { Op::strided_operands; }) facts.strided = Op::strided_operands;
    if constexpr (requires { Op::strided_rows; }) facts.strided_rows = Op::strided_rows;
    if constexpr (requires { Op::least_range; }) facts.least_range = Op::least_range;
    if constexpr (requires { Op::typed_by; }) facts.typed_by = Op::typed_by;
  }
  return facts;
}

template <class Op>
constexpr indexing::indexing_map reads_of(const index_t* words, int operand, list<tensor_type> operands,
                                          const tensor_type& result) {
  if constexpr (complete<Op>) {
    if constexpr (has_reads<Op>)
      return read_attributes<Op>(words).reads(operand, operands, result);
    else if constexpr (facts_of<Op>().gathers)
      return read_attributes<Op>(words).reads(operand, 0, operands, {&result, 1});
  }
  return indexing::unknown_map<>();
}

using reads_function = indexing::indexing_map (*)(const index_t*, int, list<tensor_type>, const tensor_type&);

template <class Op>
constexpr indexing::runtime_source source_of(const index_t* words, int variable, list<tensor_type> operands,
                                             const tensor_type& result) {
  if constexpr (complete<Op>) {
    if constexpr (facts_of<Op>().gathers)
      return read_attributes<Op>(words).source_of(0, variable, operands, {&result, 1});
  }
  return {-1, indexing::unknown_map<>()};
}

using source_function = indexing::runtime_source (*)(const index_t*, int, list<tensor_type>, const tensor_type&);

template <class Op>
constexpr index_t scratch_of(const index_t* words, list<tensor_type> operands, list<tensor_type> results,
                             const type_details* details) {
  if constexpr (complete<Op>) {
    if constexpr (requires(const Op& o) { o.scratch_bytes(operands, results, details); })
      return read_attributes<Op>(words).scratch_bytes(operands, results, details);
    else if constexpr (requires(const Op& o) { o.scratch_bytes(operands, results); })
      return read_attributes<Op>(words).scratch_bytes(operands, results);
  }
  return 0;
}

// None where the op says nothing.
template <class Op>
constexpr batch_dimensions batches_of(const index_t* words, list<tensor_type> operands) {
  if constexpr (complete<Op>)
    if constexpr (requires(const Op& o) { o.batches(operands); }) return read_attributes<Op>(words).batches(operands);
  return {};
}

using batches_function = batch_dimensions (*)(const index_t*, list<tensor_type>);
using scratch_function = index_t (*)(const index_t*, list<tensor_type>, list<tensor_type>, const type_details*);

template <class Op>
constexpr std::string_view name_of_op() {
  if constexpr (complete<Op>)
    return Op::name;
  else
    return "";
}

template <class Visitor, class Op>
constexpr bool visit_as(Visitor& visitor, const index_t* words) {
  return visitor(read_attributes<Op>(words));
}
template <class Visitor>
constexpr bool visit_otherwise(Visitor& visitor, const index_t*) {
  return visitor.otherwise();
}
template <class Visitor, class Op>
constexpr auto visit_of() -> bool (*)(Visitor&, const index_t*) {
  if constexpr (requires(Visitor& visitor, const Op& op) { visitor(op); })
    return &visit_as<Visitor, Op>;
  else
    return &visit_otherwise<Visitor>;
}
template <class Visitor, class List>
struct op_visits;
template <class Visitor, class... Ops>
struct op_visits<Visitor, op_list<Ops...>> {
  static constexpr bool (*at[sizeof...(Ops)])(Visitor&, const index_t*) = {visit_of<Visitor, Ops>()...};
};

template <class List>
struct tables_of_ops;
template <class... Ops>
struct tables_of_ops<op_list<Ops...>> {
  static constexpr op_facts facts[sizeof...(Ops)] = {facts_of<Ops>()...};
  static constexpr reads_function reads[sizeof...(Ops)] = {&reads_of<Ops>...};
  static constexpr source_function sources[sizeof...(Ops)] = {&source_of<Ops>...};
  static constexpr scratch_function scratch[sizeof...(Ops)] = {&scratch_of<Ops>...};
  static constexpr batches_function batches[sizeof...(Ops)] = {&batches_of<Ops>...};
  static constexpr std::string_view names[sizeof...(Ops)] = {name_of_op<Ops>()...};
};

using op_tables = tables_of_ops<ops::all>;

// Ops that a front end marked as foreign (below -1) run for their effects.
inline constexpr op_facts facts_of_foreign{.effects = true, .impure = true};

// Facts of an op by its number.
constexpr const op_facts& facts_of(int kind) {
  return kind >= 0 && kind < ops::all::size ? op_tables::facts[kind] : facts_of_foreign;
}

// visitor(op) for the op of this number with these attributes, or visitor.otherwise() where that is no call.
template <class Visitor>
constexpr bool visit_op(int kind, const index_t* words, Visitor& visitor) {
  return kind >= 0 && kind < ops::all::size ? op_visits<Visitor, ops::all>::at[kind](visitor, words)
                                            : visitor.otherwise();
}

constexpr std::string_view name_of_kind(int kind) {
  return kind >= 0 && kind < ops::all::size ? op_tables::names[kind] : std::string_view("foreign");
}

}  // namespace tenon::ir
