// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/xla/creation.hpp>

namespace tenon::xla {

constexpr XlaOp Tuple(detail::recorder* builder, Span<XlaOp> elements) {
  return recorder_of(builder).tuple_of(elements);
}
constexpr XlaOp CreateToken(detail::recorder* builder) { return recorder_of(builder).record(ops::after_all{}, {}); }
constexpr XlaOp AfterAll(detail::recorder* builder, Span<XlaOp> tokens) {
  return recorder_of(builder).record(ops::after_all{}, tokens);
}

namespace detail {

struct get_tuple_element_function {
  constexpr XlaOp operator()(const XlaOp& tuple_data, std::int64_t index) const {
    recorder& r = recorder_of(tuple_data);
    if (!r.check("xla_get_tuple_element", "0 <= index < size of the tuple",
                 0 <= index && index < r.member_count(tuple_data), {tuple_data}))
      return r.nothing();
    return r.again(r.member(tuple_data, int(index)));
  }
};
// Ops of their own in dumps that are the identity.
struct pass_on_function {
  constexpr XlaOp operator()(const XlaOp& operand) const { return recorder_of(operand).again(operand); }
};
struct add_dependency_function {
  constexpr XlaOp operator()(const XlaOp& operand, const XlaOp& token) const {
    return recorder_of({operand, token}).again(operand);
  }
};
struct barrier_function {
  constexpr XlaOp operator()(const XlaOp& operand) const {
    recorder& r = recorder_of(operand);
    return r.record_as(r.shape_of(operand), ops::optimization_barrier{}, {operand});
  }
};

struct while_function {
  constexpr XlaOp operator()(const body& condition, const body& turn, const XlaOp& init) const {
    recorder& r = recorder_of(init);
    const Shape state = r.shape_of(init);
    return r.record_as(state, ops::while_{}, {init}, {}, {r.region_of(condition, {state}), r.region_of(turn, {state})});
  }
};
struct conditional_function {
  // An index outside of the list is the last.
  constexpr XlaOp operator()(const XlaOp& branch_index, Span<body> branch_computations,
                             Span<XlaOp> branch_operands) const {
    recorder& r = recorder_of(joined(branch_index, branch_operands));
    if (!r.check("xla_conditional", "each branch has an operand", branch_computations.size() == branch_operands.size(),
                 {branch_index}))
      return r.nothing();
    std::vector<int> regions;
    Shape gives;
    for (int i = 0; i < branch_operands.size(); ++i)
      regions.push_back(r.region_of(branch_computations[i], {}, &gives, {branch_operands[i]}));
    return branch_index.type().element == PRED ? r.record_as(gives, ops::if_{}, {branch_index}, {}, regions)
                                               : r.record_as(gives, ops::case_{}, {branch_index}, {}, regions);
  }
  // The computations by their addresses.
  constexpr XlaOp operator()(const XlaOp& branch_index, Span<const XlaComputation*> branch_computations,
                             Span<XlaOp> branch_operands) const {
    const std::vector<body> bodies(branch_computations.begin(), branch_computations.end());
    return (*this)(branch_index, Span<body>(bodies), branch_operands);
  }
  constexpr XlaOp operator()(const XlaOp& predicate, const XlaOp& true_operand, const body& true_computation,
                             const XlaOp& false_operand, const body& false_computation) const {
    return (*this)(predicate, Span<body>{true_computation, false_computation}, {true_operand, false_operand});
  }
};

struct call_function {
  constexpr XlaOp operator()(recorder* builder, const body& computation, Span<XlaOp> operands) const {
    recorder& r = recorder_of(builder);
    return r.admit(operands) ? r.again(computation(r, operands)) : r.nothing();
  }
  constexpr XlaOp operator()(const body& computation, Span<XlaOp> operands) const {
    return (*this)(&recorder_of(operands), computation, operands);
  }
  // The start of an asynchronous call, or a fusion.
  constexpr XlaOp operator()(Span<XlaOp> operands, const body& computation) const {
    return (*this)(computation, operands);
  }
};
struct composite_call_function {
  constexpr XlaOp operator()(recorder* builder, const XlaComputation& computation, Span<XlaOp> operands,
                             std::string_view name, std::optional<std::string_view> attributes = std::nullopt,
                             std::optional<std::int64_t> version = std::nullopt) const {
    recorder& r = recorder_of(builder);
    const int function = r.name(name, true);
    return r.record_call(
        ops::composite{name_id{function}, name_id{r.name(name)}, opaque_attribute{r.name(attributes.value_or("{}"))},
                       std::int32_t(version.value_or(0))},
        computation, operands, function);
  }
  template <class... Rest>
  constexpr XlaOp operator()(const XlaComputation& computation, Span<XlaOp> operands, const Rest&... rest) const {
    return (*this)(&recorder_of(operands), computation, operands, rest...);
  }
};

// Runs what a custom_call_target of this name says; see from_extern_c.
struct custom_call_function {
  constexpr XlaOp operator()(recorder* builder, std::string_view target_name, Span<XlaOp> operands, const Shape& shape,
                             std::string_view opaque = {}, bool has_side_effect = false) const {
    recorder& r = recorder_of(builder);
    std::vector<tensor_type> leaves;
    shape.append_leaves(leaves);
    ops::custom_call op;
    op.call_target_name.id = r.name(target_name);
    op.has_side_effect = has_side_effect;
    if (!opaque.empty()) op.backend_config.id = r.name(opaque);
    return r.record_as(shape, op, operands, leaves);
  }
  constexpr XlaOp operator()(std::string_view target_name, Span<XlaOp> operands, const Shape& shape) const {
    return (*this)(&recorder_of(operands), target_name, operands, shape);
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
