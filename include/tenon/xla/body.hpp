// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/xla/builder.hpp>

#include <utility>

// Which builder an op goes to, and the functions that ops are given.
namespace tenon::xla {

namespace detail {

// The builder of the first of these values that has one, which is told where the others are not its own.
constexpr recorder& recorder_of(Span<XlaOp> operands) {
  for (const XlaOp& each : operands) {
    if (each.builder() == nullptr) continue;
    each.builder()->admit(operands);
    return *each.builder();
  }
  fail("xla_operand: an operand is a value of a builder, and there is none");
}
constexpr recorder& recorder_of(recorder* builder) {
  if (builder == nullptr) fail("xla_operand: the builder is a null pointer");
  return *builder;
}
template <class Op>
constexpr XlaOp record(const Op& op, Span<XlaOp> operands, Span<tensor_type> declared = {}) {
  return recorder_of(operands).record(op, operands, declared);
}

constexpr std::vector<XlaOp> joined(Span<XlaOp> first, Span<XlaOp> second) {
  std::vector<XlaOp> all(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

// A function given to an op: a computation, an op of tenon, or a function object of XlaOps without captures.
class body {
 public:
  constexpr body(const XlaComputation& computation) : computation_(&computation) {}
  // Null pointers are computations that nobody has built.
  constexpr explicit body(const XlaComputation* computation) : computation_(computation) {}
  template <class Function>
    requires(!std::is_base_of_v<XlaComputation, Function> && std::is_empty_v<Function>)
  constexpr body(const Function&) : run_(&body::run<Function>) {}

  constexpr XlaOp operator()(recorder& r, Span<XlaOp> operands) const {
    if (run_ != nullptr) return run_(r, operands);
    return computation_ != nullptr ? r.inlined(*computation_, operands) : r.inlined({}, operands);
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
  // A function object, given values until it is callable.
  template <class Function, int Count, class... Values>
  static constexpr XlaOp run_with(recorder& r, Span<XlaOp> operands, const Values&... values) {
    if constexpr (Count > 16) {
      return r.note("xla_computation", "a function object takes at most 16 values", {}), r.nothing();
    } else if constexpr (std::is_invocable_v<Function, const Values&...>) {
      if (operands.size() == Count) return Function{}(values...);
      return r.note("xla_computation", "the function object takes as many values as it is given", {}), r.nothing();
    } else {
      return run_with<Function, Count + 1>(r, operands, values...,
                                           Count < operands.size() ? operands[Count] : r.nothing());
    }
  }
};

constexpr int recorder::region_of(const body& function, const std::vector<Shape>& arguments, Shape* gives,
                                  Span<XlaOp> from_outside) {
  std::vector<tensor_type> types;
  for (const Shape& each : arguments) each.append_leaves(types);
  made_.code.make_room(room_for(0, types.size()));
  const int outside = std::exchange(region_, open_region(made_.code.get(), region_, list_of(types))), region = region_;
  const std::vector<int> values = arguments_of(made_.program(), region);
  const int* next = values.data();
  std::vector<XlaOp> inside;
  for (const Shape& each : arguments) inside.push_back(value_of(each, next));
  inside.insert(inside.end(), from_outside.begin(), from_outside.end());
  const XlaOp result = function(*this, inside);
  std::vector<int> yields;
  const bool done = append_leaves({result}, yields);
  region_ = outside;
  if (!done) return -1;
  made_.code.make_room({.operands = int(yields.size())});
  close_region(made_.code.get(), region, list_of(yields));
  if (gives != nullptr) *gives = shape_of(result);
  return region;
}

}  // namespace detail

}  // namespace tenon::xla
