// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/xla/builder.hpp>

namespace tenon::xla {

// A tuple is several values at once; While and Build take and give it.
template <int Count>
constexpr tracers<Count> Tuple(XlaBuilder*, const XlaOp (&elements)[Count]) {
  tracers<Count> tuple;
  for (int i = 0; i < Count; ++i) tuple.at[i] = elements[i];
  return tuple;
}
template <int Count>
constexpr XlaOp GetTupleElement(const tracers<Count>& tuple_data, std::int64_t index) {
  if (!detail::check("xla_get_tuple_element", "0 <= index < size of the tuple", 0 <= index && index < Count,
                     tuple_data.at[0]))
    return tuple_data.at[0];
  return tuple_data.at[index];
}

template <class Condition, class Body>
constexpr XlaOp While(Condition, Body, XlaOp init) {
  return detail::record<bodies<Condition, Body>>(ops::while_{}, init);
}
template <class Condition, class Body, int Count>
constexpr auto While(Condition, Body, const tracers<Count>& init) {
  return detail::record_all<bodies<detail::with_tuple<Condition>, detail::with_tuple<Body>>>(ops::while_{}, init.at);
}

namespace detail {

// A region without arguments, where a computation of a value from outside is.
template <class Computation>
constexpr int record_branch(tenon::detail::recording& r, XlaOp operand) {
  const int outside = r.region, region = open_region(r.program, outside, {});
  int storage[tenon::detail::most_operands]{};
  table<int> yields{storage, 0, tenon::detail::most_operands};
  r.region = region;
  tenon::detail::push_results(r, tenon::detail::call_body<Computation>(operand), yields);
  r.region = outside;
  close_region(r.program, region, yields.part(0, yields.size));
  return region;
}

}  // namespace detail

// The branches give one array each, of one shape.
template <class TrueComputation, class FalseComputation>
constexpr XlaOp Conditional(XlaOp predicate, XlaOp true_operand, TrueComputation, XlaOp false_operand,
                            FalseComputation) {
  tenon::detail::recording& r = *predicate.into;
  const int regions[] = {detail::record_branch<TrueComputation>(r, true_operand),
                         detail::record_branch<FalseComputation>(r, false_operand)};
  const tenon::detail::region_signatures<> signatures(r.program, {regions, 2});
  const tensor_type type = predicate.type();
  rules rule;
  rule.details = &r.program;
  rule.regions = signatures.all;
  tensor_type storage[tenon::detail::most_operands];
  table<tensor_type> results{storage, 0, tenon::detail::most_operands};
  infer_results(ops::if_{}, rule, {&type, 1}, results);
  if (rule.broken()) r.note_broken<1>(rule, {&type, 1});
  const int node =
      append_unchecked(r.program, ops::if_{}, {{&predicate.value, 1}, {regions, 2}, {}, r.region}, {storage, 1});
  return {&r, r.program.nodes[node].results};
}

}  // namespace tenon::xla
