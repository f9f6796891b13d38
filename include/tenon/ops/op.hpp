// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/rules.hpp>

#include <concepts>
#include <string_view>
#include <type_traits>

namespace tenon {

// An op is a small structural value: `name`, its `dialect` if that is not StableHLO, its attributes as fields, and
// `infer`, which states the rules and gives the result type. `infer` takes the operand types one by one, or, where
// their number is open, as a list together with the table that receives the result types.
template <class T>
concept op = requires {
  { T::name } -> std::convertible_to<std::string_view>;
};

// The number that an op on two numbers leaves the other one alone with, to the last bit: `Op::neutral`.
enum class neutral_element : int {
  none,
  zero,      // of sums: among floats -0
  one,       // of products
  all_bits,  // of and
  no_bits,   // of or
  highest,   // of minima
  lowest     // of maxima
};

// The dialect in front of the op's name in text: StableHLO, unless the op names another one.
template <class Op>
constexpr std::string_view dialect_of_op() {
  if constexpr (requires { Op::dialect; })
    return Op::dialect;
  else
    return "stablehlo";
}

// How StableHLO text writes an op. Printer and parser ask notation_of_op; an op that has no more than operands and
// types need not say anything.
enum class op_notation {
  generic,         // "stablehlo.gather"(%0, %1) <{...}> : (T, U) -> V, as any op may be written
  operands,        // stablehlo.add %0, %1 : T, or : (T, U) -> V where the types differ
  typed_operands,  // chlo.zeta %0, %1 : T, U -> V, as CHLO has it
  attributes,      // stablehlo.transpose %0, dims = [1, 0] : (T) -> U
  // Of one op each.
  call,
  compare,
  complex,
  composite,
  constant,
  convolution,
  custom_call,
  dot_general,
  get_tuple_element,
  optimization_barrier,
  reduce,
  reduce_precision,
  scan,
  select,
  slice,
  top_k,
  tuple,
  while_
};

// The op's `notation`, or what follows from its dialect and its attributes.
template <class Op>
constexpr op_notation notation_of_op() {
  if constexpr (requires { Op::notation; }) return Op::notation;
  if (dialect_of_op<Op>() != "stablehlo") return op_notation::typed_operands;
  if constexpr (requires { &Op::region_arguments; }) return op_notation::generic;
  constexpr bool only_operands = !core::has_attributes<Op> || requires { &Op::result_accuracy; };
  return only_operands ? op_notation::operands : op_notation::generic;
}

namespace detail {

template <int... I>
struct positions {};

template <class Op, int... I>
concept infers_from = requires(const Op& o, rules& r, const tensor_type& t) { o.infer(r, ((void)I, t)...); };

template <class Op, int... I>
constexpr bool infer_fixed(const Op& self, rules& rule, list<tensor_type> operands, table<tensor_type>& results,
                           positions<I...>) {
  if constexpr (infers_from<Op, I...>) {
    rule("operands", "the number of operands is the one that the op takes", operands.size == int(sizeof...(I)));
    results.push(self.infer(rule, operands[I]...));
    rule("results", "the op has one result", rule.declared.empty() || rule.declared.size == 1);
    return true;
  } else {
    return false;
  }
}

}  // namespace detail

// Checks every rule of the op for these operand types and pushes its result types.
template <class Op>
constexpr void infer_results(const Op& self, core::rules& rule, core::list<tensor_type> operands,
                             core::table<tensor_type>& results) {
  using detail::infer_fixed, detail::positions;
  if constexpr (requires { self.infer(rule, operands, results); }) {
    const int before = results.size;
    self.infer(rule, operands, results);
    rule("results", "the number of results is the one that the op has",
         rule.declared.empty() || rule.declared.size == results.size - before);
  } else {
    const bool done = infer_fixed(self, rule, operands, results, positions<>{}) ||
                      infer_fixed(self, rule, operands, results, positions<0>{}) ||
                      infer_fixed(self, rule, operands, results, positions<0, 1>{}) ||
                      infer_fixed(self, rule, operands, results, positions<0, 1, 2>{}) ||
                      infer_fixed(self, rule, operands, results, positions<0, 1, 2, 3>{}) ||
                      infer_fixed(self, rule, operands, results, positions<0, 1, 2, 3, 4>{});
    rule("operands", "the op states its rules", done);
  }
}

}  // namespace tenon
