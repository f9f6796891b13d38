// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/indexing/builders.hpp>
#include <tenon/indexing/inverse.hpp>

#include <string_view>

// Which elements belong together, for every op of the library. An op says it in one of four ways: `element` (index by
// index, scalars for all), `reads(operand, operands, result)` (all results alike), `reads(operand, result, operands,
// results)`, or `no_maps`, the reason why there are none. An op added later brings its own.
namespace tenon::ir {

template <class Op>
concept says_writes = requires(const Op& o, list<tensor_type> types) { o.writes(0, 0, types, types); };
template <class Op>
concept says_replicas = requires(const Op& o, list<tensor_type> types) { o.replicas(0, 0, types, types); };

// Whether the op says which elements it reads.
template <class Op>
inline constexpr bool has_maps = has_reads<Op> || reads_each_result<Op> || has_element<Op>;

// From an element of a result to the elements of an operand that it needs.
// @post the value of the element depends on no other elements of the operand
template <class Op>
constexpr indexing::indexing_map reads_of(const Op& op, int operand, int result, list<tensor_type> operands,
                                          list<tensor_type> results) {
  if constexpr (reads_each_result<Op>) {
    return op.reads(operand, result, operands, results);
  } else if constexpr (has_reads<Op>) {
    return op.reads(operand, operands, results[result]);
  } else if constexpr (has_element<Op>) {
    if (operands[operand].shape == results[result].shape) return indexing::identity_map(results[result].shape);
    if (operands[operand].rank() == 0) return indexing::scalar_map(results[result].shape);
  }
  return indexing::unknown_map();
}

// From an element of an operand to the elements of a result that it takes part in.
// @post j in writes_of(i) exactly if i in reads_of(j)
template <class Op>
constexpr indexing::indexing_map writes_of(const Op& op, int operand, int result, list<tensor_type> operands,
                                           list<tensor_type> results) {
  if constexpr (says_writes<Op>) {
    return op.writes(operand, result, operands, results);
  } else {
    const ints shape = operands[operand].shape;
    return indexing::inverse(reads_of(op, operand, result, operands, results), indexing::integers(shape));
  }
}

// Where runtime variable `variable` of reads_of is found.
// @post element: from the dimensions and range variables of reads_of to the operand that holds the value
template <class Op>
constexpr indexing::runtime_source source_of(const Op& op, int operand, int variable, list<tensor_type> operands,
                                             list<tensor_type> results) {
  if constexpr (says_sources<Op>)
    return op.source_of(operand, variable, operands, results);
  else
    return {-1, indexing::unknown_map()};
}

// Of a collective: from an element of a result to the positions, within the group, of the processes whose operand has
// the elements of reads_of. Unknown for other ops, which read their own operands.
// @post symbols as in reads_of come after those of this map
template <class Op>
constexpr indexing::indexing_map replicas_of(const Op& op, int operand, int result, list<tensor_type> operands,
                                             list<tensor_type> results) {
  if constexpr (says_replicas<Op>)
    return op.replicas(operand, result, operands, results);
  else
    return indexing::unknown_map();
}

struct map_functions {
  using map_function = indexing::indexing_map (*)(const index_t*, int, int, list<tensor_type>, list<tensor_type>);
  using source_function = indexing::runtime_source (*)(const index_t*, int, int, list<tensor_type>, list<tensor_type>);
  map_function reads = nullptr, writes = nullptr, replicas = nullptr;
  source_function source = nullptr;
};
template <class Op>
constexpr map_functions map_functions_of() {
  map_functions all;
  if constexpr (complete<Op>) {
    if constexpr (has_maps<Op>) {
      all.reads = [](const index_t* words, auto... arguments) {
        return reads_of(read_attributes<Op>(words), arguments...);
      };
      all.writes = [](const index_t* words, auto... arguments) {
        return writes_of(read_attributes<Op>(words), arguments...);
      };
    }
    if constexpr (says_replicas<Op>)
      all.replicas = [](const index_t* words, auto... arguments) {
        return replicas_of(read_attributes<Op>(words), arguments...);
      };
    if constexpr (says_sources<Op>)
      all.source = [](const index_t* words, auto... arguments) {
        return source_of(read_attributes<Op>(words), arguments...);
      };
  }
  return all;
}

template <class List>
struct map_tables;
template <class... Ops>
struct map_tables<op_list<Ops...>> {
  static constexpr map_functions at[sizeof...(Ops)] = {map_functions_of<Ops>()...};
};

// The same for an op by its number, with its attributes as words. Unknown where there are no maps.
constexpr map_functions map_functions_of(int kind) {
  return kind >= 0 && kind < ops::all::size ? map_tables<ops::all>::at[kind] : map_functions();
}
constexpr indexing::indexing_map reads_of(int kind, const index_t* words, int operand, int result,
                                          list<tensor_type> operands, list<tensor_type> results) {
  const auto reads = map_functions_of(kind).reads;
  return reads ? reads(words, operand, result, operands, results) : indexing::unknown_map();
}
constexpr indexing::indexing_map writes_of(int kind, const index_t* words, int operand, int result,
                                           list<tensor_type> operands, list<tensor_type> results) {
  const auto writes = map_functions_of(kind).writes;
  return writes ? writes(words, operand, result, operands, results) : indexing::unknown_map();
}
constexpr indexing::runtime_source source_of(int kind, const index_t* words, int operand, int variable,
                                             list<tensor_type> operands, list<tensor_type> results) {
  const auto source = map_functions_of(kind).source;
  if (source == nullptr) return {-1, indexing::unknown_map()};
  return source(words, operand, variable, operands, results);
}

}  // namespace tenon::ir
