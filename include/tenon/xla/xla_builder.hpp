// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/xla.hpp>.
#pragma once

#include <tenon/run/evaluate.hpp>
#include <tenon/run/invoke.hpp>
#include <tenon/xla/collective.hpp>

#include <concepts>

// XLA's vocabulary over the same graph: functions, arguments and defaults are named as on XLA's page of operations,
// what they record are ops of the graph, and broken rules are reported as anywhere else. A builder works while
// compiling, in a constexpr function, as well as at run time. https://openxla.org/xla/operation_semantics
namespace tenon::xla {

// Members of a class that are functions of this namespace, by their names.
#define TENON_AGAIN() TENON_EACH
#define TENON_EACH(Name, ...)             \
  static constexpr auto Name = xla::Name; \
  __VA_OPT__(TENON_AGAIN TENON_NONE()()(__VA_ARGS__))
#define TENON_NONE()
#define TENON_SCAN3(...) __VA_ARGS__
#define TENON_SCAN2(...) TENON_SCAN3(TENON_SCAN3(TENON_SCAN3(TENON_SCAN3(TENON_SCAN3(TENON_SCAN3(__VA_ARGS__))))))
#define TENON_SCAN1(...) TENON_SCAN2(TENON_SCAN2(TENON_SCAN2(TENON_SCAN2(TENON_SCAN2(TENON_SCAN2(__VA_ARGS__))))))
#define TENON_MEMBERS(...) TENON_SCAN1(TENON_SCAN1(TENON_SCAN1(TENON_SCAN1(TENON_SCAN1(TENON_EACH(__VA_ARGS__))))))

namespace detail {
// Ends the compilation at a broken rule, so that its messages lead to the op.
struct stopping {};
}  // namespace detail

// Makes a computation, op by op. Every function of this namespace whose operands say where it goes is a member as well.
//
//   xla::XlaBuilder b("sum");
//   auto x = xla::Parameter(&b, 0, xla::ShapeUtil::MakeShape(xla::F32, {2, 3}), "x");
//   xla::Add(x, xla::ConstantR1<f32>(&b, {1, 2, 3}), {1});
//   xla::XlaComputation sum = b.Build().value();
class XlaBuilder : public detail::recorder {
 public:
  constexpr explicit XlaBuilder(std::string_view /*computation_name*/ = {}) : recorder(false) {}
  constexpr explicit XlaBuilder(detail::stopping) : recorder(true) {}
  // A client has no say in what is built.
  template <class Client>
  constexpr XlaBuilder(const Client&, std::string_view computation_name) : XlaBuilder(computation_name) {}

  // The last value is what the computation gives, or the one that is named.
  constexpr XlaComputation Build() { return finish(last()); }
  constexpr XlaComputation Build(const XlaOp& root) { return finish(root); }
  constexpr Shape GetShape(const XlaOp& op) { return shape_of(op); }

  constexpr XlaOp Parameter(std::int64_t parameter_number, const Shape& shape, std::string_view name = {}) {
    return xla::Parameter(this, parameter_number, shape, name);
  }
  constexpr XlaOp ConstantLiteral(const Literal& literal) { return constant(literal); }
  constexpr XlaOp Constant(const Literal& literal) { return constant(literal); }
  template <class T>
  constexpr XlaOp ConstantR0(T value) {
    return xla::ConstantR0<T>(this, value);
  }
  template <class T>
  constexpr XlaOp ConstantR1(Span<T> values) {
    return xla::ConstantR1<T>(this, values);
  }
  template <class T>
  constexpr XlaOp ConstantR1(std::int64_t length, T value) {
    return xla::ConstantR1<T>(this, length, value);
  }
  template <class T>
  constexpr XlaOp ConstantR2(LiteralUtil::Values<LiteralUtil::Values<T>> values) {
    return xla::ConstantR2<T>(this, values);
  }
  constexpr XlaOp Iota(const Shape& shape, std::int64_t iota_dimension) {
    return xla::Iota(this, shape, iota_dimension);
  }
  constexpr XlaOp Iota(PrimitiveType type, std::int64_t size) { return xla::Iota(this, type, size); }
  constexpr XlaOp Tuple(Span<XlaOp> elements) { return tuple_of(elements); }
  constexpr XlaOp AfterAll(Span<XlaOp> tokens) { return xla::AfterAll(this, tokens); }
  constexpr XlaOp Infeed(const Shape& shape, std::string_view config = {}) { return xla::Infeed(this, shape, config); }
  constexpr XlaOp Recv(const Shape& shape, ChannelHandle handle) { return xla::Recv(this, shape, handle); }
  constexpr XlaOp ReplicaId() { return xla::ReplicaId(this); }

  TENON_MEMBERS(Abs, Cbrt, Ceil, Clz, Cos, Cosh, Erf, Exp, Expm1, Floor, Imag, IsFinite, Log, Log1p, Logistic, Neg, Not,
                LogicalNot, PopulationCount, Real, Round, RoundNearestAfz, RoundNearestEven, Rsqrt, Sign, Sin, Sqrt,
                Tan, Tanh, Add, And, LogicalAnd, Atan2, Complex, Div, Max, Min, Mul, Or, LogicalOr, Pow, Rem, ShiftLeft,
                ShiftRightArithmetic, ShiftRightLogical, Sub, Xor, Eq, Ne, Ge, Gt, Le, Lt, EqTotalOrder, NeTotalOrder,
                GeTotalOrder, GtTotalOrder, LeTotalOrder, LtTotalOrder, Compare, Select, Clamp, ConvertElementType,
                BitcastConvertType, ReducePrecision, Broadcast, BroadcastInDim, Transpose, Reshape, Collapse, Slice,
                SliceInDim, ConcatInDim, Concatenate, Pad, Rev, Bitcast, Gather, TorchIndexSelect, DynamicSlice,
                DynamicUpdateSlice, GetDimensionSize, SetDimensionSize, DynamicReshape, DotGeneral, Dot, ScaledDot,
                RaggedDot, ConvGeneralDilated, ConvGeneral, ConvWithGeneralDimensions, ConvWithGeneralPadding, Conv,
                Cholesky, TriangularSolve, Fft, Reduce, ReduceAll, ReduceWindow, ReduceWindowWithGeneralPadding,
                SelectAndScatter, SelectAndScatterWithGeneralPadding, Scatter, Sort, Map, Scan, TopK, BatchNormTraining,
                BatchNormInference, BatchNormGrad, RngUniform, RngNormal, RngBernoulli, RngBitGenerator,
                GetTupleElement, Copy, CopyStart, CopyDone, Domain, AsyncUpdate, AsyncDone, AllGatherDone,
                AllReduceDone, CollectivePermuteDone, SendDone, RecvDone, AddDependency, OptimizationBarrier, While,
                Conditional, Call, AsyncStart, Fusion, CompositeCall, CustomCall, AllGather, AllGatherStart, AllReduce,
                AllReduceStart, CrossReplicaSum, ReduceScatter, AllToAll, AllToAllTuple, RaggedAllToAll,
                CollectiveBroadcast, CollectivePermute, CollectivePermuteStart, Send, SendWithToken, SendWithTokens,
                SendToHost, RecvWithToken, RecvWithTokens, RecvFromHost, RecvToHost, InfeedWithToken, Outfeed,
                OutfeedWithToken, Square, Sinh, Asin, ZerosLike, AllGatherTuple, AllReduceTuple)
};

#undef TENON_MEMBERS
#undef TENON_SCAN1
#undef TENON_SCAN2
#undef TENON_SCAN3
#undef TENON_NONE
#undef TENON_EACH
#undef TENON_AGAIN

// Names of 2017.
using ComputationBuilder = XlaBuilder;
using Computation = XlaComputation;
using ComputationDataHandle = XlaOp;

namespace detail {

// The computation of a function object: it is given an XlaBuilder*, or nothing, and gives what is built, a value of it
// or the finished computation.
template <class Function, class... Stopping>
constexpr XlaComputation built_by(Stopping... stopping) {
  if constexpr (std::is_invocable_v<Function>) {
    return *Function{}();
  } else {
    XlaBuilder builder(stopping...);
    return builder.Build(Function{}(&builder));
  }
}

template <class Function>
struct built_graph {
  struct sizes_and_message {
    graph_sizes sizes;
    const char* label = nullptr;
    message_text<1000> message;
  };
  static constexpr sizes_and_message measured = [] {
    const XlaComputation made = built_by<Function>();
    return sizes_and_message{
        made.program().sizes(), made.label,
        tenon::detail::message_of_rule(made.label, made.sentence, {made.operands.data(), int(made.operands.size())})};
  }();
  static constexpr bool valid = measured.label == nullptr && measured.sizes.functions > 0;
  static constexpr auto storage = [] {
    if constexpr (valid)
      return cut_graph<measured.sizes>(built_by<Function>().program());
    else
      return tenon::detail::recorded<tenon::detail::nothing_recorded>::storage;
  }();
  static constexpr tenon::ir::graph graph() { return storage.view(); }
  static constexpr graph_function function() { return storage.view().functions[0]; }
};

// Ends the compilation if the computation breaks a rule; one that is given its builder is built again, up to the op
// that breaks it.
template <class Function>
struct checked_build {
  using made = built_graph<Function>;
  static constexpr bool has_own_builder = std::is_invocable_v<Function>;
  static constexpr auto message = tenon::core::cut_message<made::measured.message.length>(made::measured.message);
  static_assert(made::valid || has_own_builder || built_by<Function>(stopping{}).ok(),
                "tenon: the computation breaks a rule");
  static_assert(made::valid || !has_own_builder || tenon::detail::obeys_the_specification<message>,
                "tenon: the computation breaks a rule, or is empty");
};

}  // namespace detail

// A computation that is compiled with the program: called with tensors it runs; within another computation, as of
// Reduce or While, it is a part of that.
template <class Function>
class Executable : public tenon::execution::callable<Executable<Function>> {
 public:
  using built = detail::built_graph<Function>;
  static constexpr bool gives_single_tensors = true;

  // The simplified graph and its plan: code::graph(), code::plan().
  using code = compiled<built>;
  template <class...>
  using program_for = code;
  template <class...>
  static constexpr bool valid = built::valid;
  template <class...>
  using checked = detail::checked_build<Function>;

  static constexpr XlaOp recorded(detail::recorder& r, Span<XlaOp> operands) {
    return r.inlined(detail::built_by<Function>(), operands);
  }
  using tenon::execution::callable<Executable>::operator();
  template <std::same_as<XlaOp>... Operands>
  constexpr XlaOp operator()(const XlaOp& first, const Operands&... others) const {
    const XlaOp given[] = {first, others...};
    return recorded(detail::recorder_of(given), given);
  }
};

// Compiles the computation that a function object builds, by statements of XLA's programs or by a builder that it is
// given; it returns the root. A builder outside of such a function makes its computation when the program runs, for
// loaded_program.
//
//   constexpr auto sum = xla::Build([] {
//     xla::XlaBuilder b("sum");
//     auto x = xla::Parameter(&b, 0, xla::ShapeUtil::MakeShape(xla::F32, {2, 3}), "x");
//     xla::Add(x, xla::ConstantR1<f32>(&b, {1, 2, 3}), {1});
//     return b.Build();
//   });
//   tensor<f32, 2, 3> y = sum(x);
template <class Function>
constexpr Executable<Function> Build(Function) {
  static_assert(std::is_empty_v<Function> && std::is_default_constructible_v<Function>,
                "tenon: the function that builds a computation has no captures");
  return {};
}

}  // namespace tenon::xla
