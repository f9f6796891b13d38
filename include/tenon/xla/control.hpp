// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/xla/creation.hpp>

namespace tenon::xla {

constexpr XlaOp Tuple(detail::recorder* builder, Span<XlaOp> elements) { return builder->tuple_of(elements); }
constexpr XlaOp CreateToken(detail::recorder* builder) { return builder->record(ops::after_all{}, {}); }
constexpr XlaOp AfterAll(detail::recorder* builder, Span<XlaOp> tokens) {
  return builder->record(ops::after_all{}, tokens);
}

namespace detail {

struct get_tuple_element_function {
  constexpr XlaOp operator()(const XlaOp& tuple_data, std::int64_t index) const {
    recorder& r = *tuple_data.builder();
    if (!r.check("xla_get_tuple_element", "0 <= index < size of the tuple",
                 0 <= index && index < r.member_count(tuple_data), {tuple_data}))
      return XlaOp(&r, -1);
    return r.again(r.member(tuple_data, int(index)));
  }
};
struct tuple_function {
  constexpr XlaOp operator()(Span<XlaOp> elements) const { return elements[0].builder()->tuple_of(elements); }
};
// What is known as an op of its own in dumps, and is the value itself.
struct pass_on_function {
  constexpr XlaOp operator()(const XlaOp& operand) const { return operand.builder()->again(operand); }
};
struct add_dependency_function {
  constexpr XlaOp operator()(const XlaOp& operand, const XlaOp& /*token*/) const {
    return operand.builder()->again(operand);
  }
};
struct barrier_function {
  constexpr XlaOp operator()(const XlaOp& operand) const {
    recorder& r = *operand.builder();
    std::vector<int> results;
    if (!r.record_leaves(ops::optimization_barrier{}, {operand}, {}, {}, results)) return XlaOp(&r, -1);
    return r.value_with(r.shape_of(operand), results);
  }
};
struct after_all_function {
  constexpr XlaOp operator()(Span<XlaOp> tokens) const { return tokens[0].builder()->record(ops::after_all{}, tokens); }
};

struct while_function {
  constexpr XlaOp operator()(const body& condition, const body& turn, const XlaOp& init) const {
    recorder& r = *init.builder();
    const Shape state = r.shape_of(init);
    std::vector<int> results;
    if (!r.record_leaves(ops::while_{}, {init}, {}, {r.region_of(condition, {state}), r.region_of(turn, {state})},
                         results))
      return XlaOp(&r, -1);
    return r.value_with(state, results);
  }
};
struct conditional_function {
  // An index outside of the list is the last.
  constexpr XlaOp operator()(const XlaOp& branch_index, Span<body> branch_computations,
                             Span<XlaOp> branch_operands) const {
    recorder& r = *branch_index.builder();
    if (!r.check("xla_conditional", "each branch has an operand", branch_computations.size() == branch_operands.size(),
                 {branch_index}))
      return XlaOp(&r, -1);
    std::vector<int> regions, results;
    Shape gives;
    for (int i = 0; i < branch_operands.size(); ++i)
      regions.push_back(r.region_around(branch_computations[i], {branch_operands[i]}, &gives));
    const bool done = branch_index.type().element == PRED
                          ? r.record_leaves(ops::if_{}, {branch_index}, {}, regions, results)
                          : r.record_leaves(ops::case_{}, {branch_index}, {}, regions, results);
    return done ? r.value_with(gives, results) : XlaOp(&r, -1);
  }
  // The computations by their addresses.
  constexpr XlaOp operator()(const XlaOp& branch_index, Span<const XlaComputation*> branch_computations,
                             Span<XlaOp> branch_operands) const {
    std::vector<body> bodies;
    for (const XlaComputation* const each : branch_computations) bodies.push_back(*each);
    return (*this)(branch_index, Span<body>(bodies), branch_operands);
  }
  constexpr XlaOp operator()(const XlaOp& predicate, const XlaOp& true_operand, const body& true_computation,
                             const XlaOp& false_operand, const body& false_computation) const {
    return (*this)(predicate, Span<body>{true_computation, false_computation}, {true_operand, false_operand});
  }
};

struct call_function {
  constexpr XlaOp operator()(recorder* builder, const body& computation, Span<XlaOp> operands) const {
    return builder->call(computation, operands);
  }
  constexpr XlaOp operator()(const body& computation, Span<XlaOp> operands) const {
    return operands[0].builder()->call(computation, operands);
  }
  // The start of an asynchronous call, or a fusion.
  constexpr XlaOp operator()(Span<XlaOp> operands, const body& computation) const {
    return (*this)(computation, operands);
  }
};
struct composite_call_function {
  constexpr XlaOp operator()(recorder* builder, const XlaComputation& computation, Span<XlaOp> operands,
                             std::string_view name, std::string_view attributes = "{}",
                             std::int64_t version = 0) const {
    if (!computation.ok()) return builder->inlined(computation, operands);
    const int function = builder->name_of_function(name);
    return builder->record_call(ops::composite{name_id{function}, name_id{builder->name(name)},
                                               opaque_attribute{builder->name(attributes)}, std::int32_t(version)},
                                computation, operands, function);
  }
  constexpr XlaOp operator()(const XlaComputation& computation, Span<XlaOp> operands, std::string_view name,
                             std::string_view attributes = "{}", std::int64_t version = 0) const {
    return (*this)(operands[0].builder(), computation, operands, name, attributes, version);
  }
};

// Runs what a custom_call_target of this name says; see from_extern_c.
struct custom_call_function {
  constexpr XlaOp operator()(recorder* builder, std::string_view target_name, Span<XlaOp> operands, const Shape& shape,
                             std::string_view opaque = {}, bool has_side_effect = false) const {
    std::vector<tensor_type> leaves;
    std::vector<int> results;
    shape.append_leaves(leaves);
    ops::custom_call op;
    op.call_target_name.id = builder->name(target_name);
    op.has_side_effect = has_side_effect;
    if (!opaque.empty()) op.backend_config.id = builder->name(opaque);
    if (!builder->record_leaves(op, operands, leaves, {}, results)) return XlaOp(builder, -1);
    return builder->value_with(shape, results);
  }
  constexpr XlaOp operator()(std::string_view target_name, Span<XlaOp> operands, const Shape& shape) const {
    return (*this)(operands[0].builder(), target_name, operands, shape);
  }
};

}  // namespace detail

inline constexpr detail::get_tuple_element_function GetTupleElement;
inline constexpr detail::pass_on_function Copy, CopyStart, CopyDone, Domain, AsyncUpdate, AsyncDone, AllGatherDone,
    AllReduceDone, CollectivePermuteDone, SendDone, RecvDone;
inline constexpr detail::add_dependency_function AddDependency;
inline constexpr detail::barrier_function OptimizationBarrier;
inline constexpr detail::while_function While;
inline constexpr detail::conditional_function Conditional;
inline constexpr detail::call_function Call, AsyncStart, Fusion;
inline constexpr detail::composite_call_function CompositeCall;
inline constexpr detail::custom_call_function CustomCall;

// A function of the form `void target(void* out, const void** in)` as custom_call_target takes it; `out` is the result,
// or the list of the results where there are several.
//
//   const tenon::custom_call_target target("myfunc", tenon::xla::from_extern_c<&myfunc>);
template <auto Function>
inline void from_extern_c(const evaluation& e) {
  const bool single = e.results.size == 1;
  void* const out = single ? e.results.data[0] : const_cast<void*>(static_cast<const void*>(e.results.data));
  if constexpr (std::is_invocable_v<decltype(Function), void*, const void**>)
    Function(out, const_cast<const void**>(e.operands.data));
  else
    Function(out, const_cast<void**>(e.operands.data));
}

}  // namespace tenon::xla
