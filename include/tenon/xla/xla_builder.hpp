// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/xla.hpp>.
#pragma once

#include <tenon/run/invoke.hpp>
#include <tenon/xla/collective.hpp>

// XLA's vocabulary over the same graph: functions, arguments and defaults are named as on XLA's page of operations,
// what they record are ops of the graph, and broken rules are reported as anywhere else. A builder works while
// compiling, in a constexpr function, as well as at run time. https://openxla.org/xla/operation_semantics
namespace tenon::xla {

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

  static constexpr auto Abs = xla::Abs;
  static constexpr auto Cbrt = xla::Cbrt;
  static constexpr auto Ceil = xla::Ceil;
  static constexpr auto Clz = xla::Clz;
  static constexpr auto Cos = xla::Cos;
  static constexpr auto Cosh = xla::Cosh;
  static constexpr auto Erf = xla::Erf;
  static constexpr auto Exp = xla::Exp;
  static constexpr auto Expm1 = xla::Expm1;
  static constexpr auto Floor = xla::Floor;
  static constexpr auto Imag = xla::Imag;
  static constexpr auto IsFinite = xla::IsFinite;
  static constexpr auto Log = xla::Log;
  static constexpr auto Log1p = xla::Log1p;
  static constexpr auto Logistic = xla::Logistic;
  static constexpr auto Neg = xla::Neg;
  static constexpr auto Not = xla::Not;
  static constexpr auto LogicalNot = xla::LogicalNot;
  static constexpr auto PopulationCount = xla::PopulationCount;
  static constexpr auto Real = xla::Real;
  static constexpr auto Round = xla::Round;
  static constexpr auto RoundNearestAfz = xla::RoundNearestAfz;
  static constexpr auto RoundNearestEven = xla::RoundNearestEven;
  static constexpr auto Rsqrt = xla::Rsqrt;
  static constexpr auto Sign = xla::Sign;
  static constexpr auto Sin = xla::Sin;
  static constexpr auto Sqrt = xla::Sqrt;
  static constexpr auto Tan = xla::Tan;
  static constexpr auto Tanh = xla::Tanh;
  static constexpr auto Add = xla::Add;
  static constexpr auto And = xla::And;
  static constexpr auto LogicalAnd = xla::LogicalAnd;
  static constexpr auto Atan2 = xla::Atan2;
  static constexpr auto Complex = xla::Complex;
  static constexpr auto Div = xla::Div;
  static constexpr auto Max = xla::Max;
  static constexpr auto Min = xla::Min;
  static constexpr auto Mul = xla::Mul;
  static constexpr auto Or = xla::Or;
  static constexpr auto LogicalOr = xla::LogicalOr;
  static constexpr auto Pow = xla::Pow;
  static constexpr auto Rem = xla::Rem;
  static constexpr auto ShiftLeft = xla::ShiftLeft;
  static constexpr auto ShiftRightArithmetic = xla::ShiftRightArithmetic;
  static constexpr auto ShiftRightLogical = xla::ShiftRightLogical;
  static constexpr auto Sub = xla::Sub;
  static constexpr auto Xor = xla::Xor;
  static constexpr auto Eq = xla::Eq;
  static constexpr auto Ne = xla::Ne;
  static constexpr auto Ge = xla::Ge;
  static constexpr auto Gt = xla::Gt;
  static constexpr auto Le = xla::Le;
  static constexpr auto Lt = xla::Lt;
  static constexpr auto EqTotalOrder = xla::EqTotalOrder;
  static constexpr auto NeTotalOrder = xla::NeTotalOrder;
  static constexpr auto GeTotalOrder = xla::GeTotalOrder;
  static constexpr auto GtTotalOrder = xla::GtTotalOrder;
  static constexpr auto LeTotalOrder = xla::LeTotalOrder;
  static constexpr auto LtTotalOrder = xla::LtTotalOrder;
  static constexpr auto Compare = xla::Compare;
  static constexpr auto Select = xla::Select;
  static constexpr auto Clamp = xla::Clamp;
  static constexpr auto ConvertElementType = xla::ConvertElementType;
  static constexpr auto BitcastConvertType = xla::BitcastConvertType;
  static constexpr auto ReducePrecision = xla::ReducePrecision;
  static constexpr auto Broadcast = xla::Broadcast;
  static constexpr auto BroadcastInDim = xla::BroadcastInDim;
  static constexpr auto Transpose = xla::Transpose;
  static constexpr auto Reshape = xla::Reshape;
  static constexpr auto Collapse = xla::Collapse;
  static constexpr auto Slice = xla::Slice;
  static constexpr auto SliceInDim = xla::SliceInDim;
  static constexpr auto ConcatInDim = xla::ConcatInDim;
  static constexpr auto Concatenate = xla::Concatenate;
  static constexpr auto Pad = xla::Pad;
  static constexpr auto Rev = xla::Rev;
  static constexpr auto Bitcast = xla::Bitcast;
  static constexpr auto Gather = xla::Gather;
  static constexpr auto TorchIndexSelect = xla::TorchIndexSelect;
  static constexpr auto DynamicSlice = xla::DynamicSlice;
  static constexpr auto DynamicUpdateSlice = xla::DynamicUpdateSlice;
  static constexpr auto GetDimensionSize = xla::GetDimensionSize;
  static constexpr auto SetDimensionSize = xla::SetDimensionSize;
  static constexpr auto DynamicReshape = xla::DynamicReshape;
  static constexpr auto DotGeneral = xla::DotGeneral;
  static constexpr auto Dot = xla::Dot;
  static constexpr auto ScaledDot = xla::ScaledDot;
  static constexpr auto RaggedDot = xla::RaggedDot;
  static constexpr auto ConvGeneralDilated = xla::ConvGeneralDilated;
  static constexpr auto ConvGeneral = xla::ConvGeneral;
  static constexpr auto ConvWithGeneralDimensions = xla::ConvWithGeneralDimensions;
  static constexpr auto ConvWithGeneralPadding = xla::ConvWithGeneralPadding;
  static constexpr auto Conv = xla::Conv;
  static constexpr auto Cholesky = xla::Cholesky;
  static constexpr auto TriangularSolve = xla::TriangularSolve;
  static constexpr auto Fft = xla::Fft;
  static constexpr auto Reduce = xla::Reduce;
  static constexpr auto ReduceAll = xla::ReduceAll;
  static constexpr auto ReduceWindow = xla::ReduceWindow;
  static constexpr auto ReduceWindowWithGeneralPadding = xla::ReduceWindowWithGeneralPadding;
  static constexpr auto SelectAndScatter = xla::SelectAndScatter;
  static constexpr auto SelectAndScatterWithGeneralPadding = xla::SelectAndScatterWithGeneralPadding;
  static constexpr auto Scatter = xla::Scatter;
  static constexpr auto Sort = xla::Sort;
  static constexpr auto Map = xla::Map;
  static constexpr auto Scan = xla::Scan;
  static constexpr auto TopK = xla::TopK;
  static constexpr auto BatchNormTraining = xla::BatchNormTraining;
  static constexpr auto BatchNormInference = xla::BatchNormInference;
  static constexpr auto BatchNormGrad = xla::BatchNormGrad;
  static constexpr auto RngUniform = xla::RngUniform;
  static constexpr auto RngNormal = xla::RngNormal;
  static constexpr auto RngBernoulli = xla::RngBernoulli;
  static constexpr auto RngBitGenerator = xla::RngBitGenerator;
  static constexpr auto GetTupleElement = xla::GetTupleElement;
  static constexpr auto Copy = xla::Copy;
  static constexpr auto CopyStart = xla::CopyStart;
  static constexpr auto CopyDone = xla::CopyDone;
  static constexpr auto Domain = xla::Domain;
  static constexpr auto AsyncUpdate = xla::AsyncUpdate;
  static constexpr auto AsyncDone = xla::AsyncDone;
  static constexpr auto AllGatherDone = xla::AllGatherDone;
  static constexpr auto AllReduceDone = xla::AllReduceDone;
  static constexpr auto CollectivePermuteDone = xla::CollectivePermuteDone;
  static constexpr auto SendDone = xla::SendDone;
  static constexpr auto RecvDone = xla::RecvDone;
  static constexpr auto AddDependency = xla::AddDependency;
  static constexpr auto OptimizationBarrier = xla::OptimizationBarrier;
  static constexpr auto While = xla::While;
  static constexpr auto Conditional = xla::Conditional;
  static constexpr auto Call = xla::Call;
  static constexpr auto AsyncStart = xla::AsyncStart;
  static constexpr auto Fusion = xla::Fusion;
  static constexpr auto CompositeCall = xla::CompositeCall;
  static constexpr auto CustomCall = xla::CustomCall;
  static constexpr auto AllGather = xla::AllGather;
  static constexpr auto AllGatherStart = xla::AllGatherStart;
  static constexpr auto AllReduce = xla::AllReduce;
  static constexpr auto AllReduceStart = xla::AllReduceStart;
  static constexpr auto CrossReplicaSum = xla::CrossReplicaSum;
  static constexpr auto ReduceScatter = xla::ReduceScatter;
  static constexpr auto AllToAll = xla::AllToAll;
  static constexpr auto AllToAllTuple = xla::AllToAllTuple;
  static constexpr auto RaggedAllToAll = xla::RaggedAllToAll;
  static constexpr auto CollectiveBroadcast = xla::CollectiveBroadcast;
  static constexpr auto CollectivePermute = xla::CollectivePermute;
  static constexpr auto CollectivePermuteStart = xla::CollectivePermuteStart;
  static constexpr auto Send = xla::Send;
  static constexpr auto SendWithToken = xla::SendWithToken;
  static constexpr auto SendWithTokens = xla::SendWithTokens;
  static constexpr auto SendToHost = xla::SendToHost;
  static constexpr auto RecvWithToken = xla::RecvWithToken;
  static constexpr auto RecvWithTokens = xla::RecvWithTokens;
  static constexpr auto RecvFromHost = xla::RecvFromHost;
  static constexpr auto RecvToHost = xla::RecvToHost;
  static constexpr auto InfeedWithToken = xla::InfeedWithToken;
  static constexpr auto Outfeed = xla::Outfeed;
  static constexpr auto OutfeedWithToken = xla::OutfeedWithToken;
};

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
  using built = detail::built_graph<Function>;

 public:
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
  template <class... Arguments>
  constexpr auto operator()(const Arguments&... arguments) const {
    if constexpr ((std::is_same_v<Arguments, XlaOp> || ...)) {
      const XlaOp given[] = {arguments...};
      return recorded(*given[0].builder(), given);
    } else {
      return this->directed()(arguments...);
    }
  }
};

// Compiles what a function object builds, from statements as they stand in XLA's programs or in a builder that it is
// given; what it returns is the root. C++ computes what it is while it compiles, so a computation that is compiled with
// the program stands in a function that is, such as this one; outside of one, a builder makes its computation when the
// program runs, for loaded_program.
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
