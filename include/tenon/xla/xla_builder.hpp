// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/record.hpp>
#include <tenon/ops/all.hpp>
#include <tenon/run/invoke.hpp>

#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <utility>

// XLA's vocabulary over the same graph: functions, arguments and defaults are named as in XLA's xla_builder.h, what
// they record are StableHLO ops, and broken rules are reported as anywhere else. Spans are `ints`, shapes are
// `tensor_type`, computations are function objects without captures. https://openxla.org/xla/operation_semantics
namespace tenon::xla {

using XlaOp = tracer;
using PrimitiveType = dtype;
using Shape = tensor_type;

inline constexpr PrimitiveType PRED = dtype::i1, S2 = dtype::i2, S4 = dtype::i4, S8 = dtype::i8, S16 = dtype::i16,
                               S32 = dtype::i32, S64 = dtype::i64, U2 = dtype::ui2, U4 = dtype::ui4, U8 = dtype::ui8,
                               U16 = dtype::ui16, U32 = dtype::ui32, U64 = dtype::ui64, F16 = dtype::f16,
                               BF16 = dtype::bf16, F32 = dtype::f32, F64 = dtype::f64, C64 = dtype::complex_f32,
                               C128 = dtype::complex_f64;

struct ShapeUtil {
  static constexpr Shape MakeShape(PrimitiveType element_type, const ints& dimensions) {
    return type_of(element_type, dimensions);
  }
};

enum class Padding { kSame, kValid };

struct PaddingConfig {
  ints edge_padding_low, edge_padding_high, interior_padding;
};

using DotDimensionNumbers = dot_dimension_numbers;
using GatherDimensionNumbers = gather_dimension_numbers;
using ConvolutionDimensionNumbers = convolution_dimension_numbers;

namespace detail {

inline constexpr int most_parameters = 64;

struct parameter_list {
  Shape at[most_parameters]{};
  int count = 0;
};

}  // namespace detail

// Where ops without operands go, and what the parameters are. Build makes one.
class XlaBuilder {
 public:
  // A computation whose parameters are these; or, with `found`, one whose parameters are being found out.
  constexpr XlaBuilder(tenon::detail::recording& into, const XlaOp* arguments, int count,
                       detail::parameter_list* found = nullptr)
      : into_(&into), arguments_(arguments), count_(count), found_(found) {}

  constexpr tenon::detail::recording& into() const { return *into_; }

  constexpr XlaOp parameter(std::int64_t number, const Shape& shape) {
    rules rule;
    rule("xla_parameter", "parameters are numbered 0, 1, ..., and have the shapes that they are given",
         0 <= number && number < count_ && (found_ != nullptr || arguments_[number].type() == shape));
    if (rule.broken()) {
      into_->note_broken<1>(rule, {&shape, 1});
      return count_ > 0 ? arguments_[0] : XlaOp{into_, 0};
    }
    const XlaOp argument = arguments_[number];
    if (found_ != nullptr) {
      found_->at[number] = shape;
      if (number >= found_->count) found_->count = int(number) + 1;
      into_->program.values[argument.value].type = into_->program.intern_type(shape);
    }
    return argument;
  }

 private:
  tenon::detail::recording* into_;
  const XlaOp* arguments_;
  int count_;
  detail::parameter_list* found_;
};

namespace detail {

// Takes note of a rule of XLA's that the operands break.
template <class... Operands>
constexpr bool check(const char* label, const char* sentence, bool holds, const XlaOp& first, const Operands&... rest) {
  if (holds) return true;
  const tensor_type types[] = {first.type(), rest.type()...};
  rules rule;
  rule(label, sentence, false);
  first.into->note_broken<1 + int(sizeof...(Operands))>(rule, {types, 1 + int(sizeof...(Operands))});
  return false;
}

template <class Bodies = bodies<>, class Op, class... Operands>
constexpr auto record(const Op& op, const Operands&... operands) {
  return apply_value<Bodies>(op, {}, operands...);
}
template <class Op, class... Operands>
constexpr XlaOp record_as(const Shape& result, const Op& op, const Operands&... operands) {
  return apply_value(op, {&result, 1}, operands...);
}
template <class Op>
constexpr XlaOp record_alone(XlaBuilder* builder, const Shape& result, const Op& op) {
  const int none = -1;
  const tenon::detail::attribute_words words(op);
  return tenon::detail::record_op<0, 1>(builder->into(), op, words.all(), &result, &none, bodies<>{});
}
// Any number of operands; `Leading` stand before those of the array.
template <class Bodies = bodies<>, class Op, int Count, class... Leading>
constexpr auto record_all(const Op& op, const XlaOp (&operands)[Count], const Leading&... leading) {
  int values[sizeof...(Leading) + std::size_t(Count)] = {leading.value...};
  for (int i = 0; i < Count; ++i) values[int(sizeof...(Leading)) + i] = operands[i].value;
  const tenon::detail::attribute_words words(op);
  return tenon::detail::record_op<int(sizeof...(Leading)) + Count, 0>(*operands[0].into, op, words.all(), nullptr,
                                                                      values, Bodies{});
}

constexpr XlaOp expand(const XlaOp& operand, const ints& shape, const ints& dimensions) {
  if (operand.type().shape == shape) return operand;
  return record_as(operand.type().with_shape(shape), ops::broadcast_in_dim{dimensions}, operand);
}

// Makes the shapes of two operands equal: a scalar goes everywhere, dimensions of size 1 stretch, and the operand of
// lower rank is laid along `broadcast_dimensions` of the other.
// https://openxla.org/xla/broadcasting
constexpr bool broadcast_together(XlaOp& lhs, XlaOp& rhs, const ints& broadcast_dimensions) {
  const Shape a = lhs.type(), b = rhs.type();
  const int rank = a.rank() > b.rank() ? a.rank() : b.rank();
  ints of_lhs = ints::range(a.rank()), of_rhs = ints::range(b.rank());
  ints& lower = a.rank() < b.rank() ? of_lhs : of_rhs;
  bool fits = true;
  if (!broadcast_dimensions.empty()) {
    fits = broadcast_dimensions.size == lower.size && broadcast_dimensions.within(0, rank) &&
           broadcast_dimensions.sorted() && broadcast_dimensions.unique();
    lower = broadcast_dimensions;
  } else {
    fits = lower.size == rank || lower.size == 0;
  }
  ints shape = ints::filled(rank, 1);
  const auto merge = [&](const ints& sizes, const ints& dimensions) {
    for (int i = 0; i < sizes.size; ++i) {
      const index_t so_far = shape[dimensions[i]];
      if (sizes[i] == 1 || sizes[i] == so_far) continue;
      fits = fits && so_far == 1;
      shape.set(dimensions[i], sizes[i]);
    }
  };
  merge(a.shape, of_lhs);
  merge(b.shape, of_rhs);
  if (!check("xla_broadcast",
             "shapes are equal but for dimensions of size 1, or one operand is a scalar or laid along "
             "broadcast_dimensions",
             fits, lhs, rhs))
    return false;
  lhs = expand(lhs, shape, of_lhs);
  rhs = expand(rhs, shape, of_rhs);
  return true;
}

template <class Op>
constexpr XlaOp binary(const Op& op, XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions) {
  return broadcast_together(lhs, rhs, broadcast_dimensions) ? record(op, lhs, rhs) : lhs;
}

// What Padding means for windows of these sizes.
constexpr ints_table padding_of(Padding padding, const ints& sizes, const ints& window, const ints& strides) {
  ints_table result;
  for (int i = 0; i < window.size; ++i) {
    const index_t stride = strides.empty() ? 1 : strides[i];
    index_t total = 0;
    if (padding == Padding::kSame && stride > 0)
      total = ((sizes[i] + stride - 1) / stride - 1) * stride + window[i] - sizes[i];
    if (total < 0) total = 0;
    result.push({total / 2, total - total / 2});
  }
  return result;
}

// Hands all arguments to a function of a tuple.
template <class Function>
struct with_tuple {
  template <class... Arguments>
  constexpr auto operator()(const Arguments&... arguments) const {
    return Function{}(tracers<int(sizeof...(Arguments))>{{arguments...}});
  }
};

template <class Function>
constexpr parameter_list find_parameters() {
  graph_storage<tenon::detail::room_for(128)> storage;
  tenon::detail::recording r{.program = storage.open(), .stops_at_broken_rule = false};
  const Shape unknown[most_parameters]{};
  r.region = open_region(r.program, -1, {unknown, most_parameters});
  XlaOp arguments[most_parameters];
  for (int i = 0; i < most_parameters; ++i) arguments[i] = {&r, r.program.regions[r.region].arguments + i};
  parameter_list found;
  XlaBuilder builder(r, arguments, most_parameters, &found);
  Function{}(&builder);
  return found;
}

template <class Function>
inline constexpr parameter_list parameters_of = find_parameters<Function>();

template <class Function>
struct computation_body {
  static constexpr int argument_count = parameters_of<Function>.count;

  static constexpr void write_types(tensor_type* types) {
    for (int i = 0; i < argument_count; ++i) types[i] = parameters_of<Function>.at[i];
  }
  template <int... I>
  static constexpr auto call(tenon::detail::recording& r, int first, std::integer_sequence<int, I...>) {
    const XlaOp arguments[] = {XlaOp{&r, first + I}..., XlaOp{}};
    XlaBuilder builder(r, arguments, argument_count);
    return Function{}(&builder);
  }
};

}  // namespace detail

// What Build gives: called with tensors it runs, called with XlaOps, as by Reduce or While, it becomes part of another
// computation.
template <class Function>
class XlaComputation : public tenon::detail::callable<XlaComputation<Function>> {
  using body = detail::computation_body<Function>;

 public:
  static constexpr bool gives_single_tensors = true;

  // The simplified graph and its plan: code::graph(), code::plan().
  using code = compiled<tenon::detail::recorded<body>>;
  template <class...>
  using program_for = code;
  template <class...>
  static constexpr bool valid = tenon::detail::recorded<body>::valid;
  template <class...>
  using checked = tenon::detail::checked_recording<body>;

  template <class... Arguments>
  constexpr auto operator()(const Arguments&... arguments) const {
    if constexpr ((tenon::detail::is_traced<Arguments> || ...)) {
      const XlaOp given[] = {arguments...};
      XlaBuilder builder(*given[0].into, given, int(sizeof...(Arguments)));
      return Function{}(&builder);
    } else {
      return this->directed()(arguments...);
    }
  }
};

// Runs a function of an XlaBuilder* while compiling; what it returns is the root:
//
//   constexpr auto net = xla::Build([](xla::XlaBuilder* b) {
//     const auto x = xla::Parameter(b, 0, xla::ShapeUtil::MakeShape(xla::F32, {2, 3}), "x");
//     return xla::Add(x, xla::ConstantR1<f32>(b, {1, 2, 3}), {1});
//   });
//   tensor<f32, 2, 3> y = net(x);
template <class Function>
constexpr XlaComputation<Function> Build(Function) {
  static_assert(std::is_empty_v<Function> && std::is_default_constructible_v<Function>,
                "tenon: the function that builds a computation has no captures");
  return {};
}

constexpr XlaOp Parameter(XlaBuilder* builder, std::int64_t parameter_number, const Shape& shape,
                          std::string_view /*name*/) {
  return builder->parameter(parameter_number, shape);
}

// ---------- constants

template <class T>
constexpr XlaOp ConstantR0(XlaBuilder* builder, T value) {
  return tenon::detail::record_number(builder->into(), type_of(dtype_of<T>), value);
}
template <class T>
constexpr XlaOp ConstantR1(XlaBuilder* builder, std::initializer_list<T> values) {
  table<index_t>& words = builder->into().program.words;
  const int first = words.size;
  for (const T& value : values) tenon::detail::push_element(words, value);
  return tenon::detail::record_literal(builder->into(), type_of(dtype_of<T>, {index_t(values.size())}), first);
}
template <class T>
constexpr XlaOp ConstantR2(XlaBuilder* builder, std::initializer_list<std::initializer_list<T>> values) {
  table<index_t>& words = builder->into().program.words;
  const int first = words.size;
  const std::size_t columns = values.size() > 0 ? values.begin()->size() : 0;
  for (const auto& row : values)
    for (std::size_t i = 0; i < columns; ++i)
      tenon::detail::push_element(words, i < row.size() ? row.begin()[i] : T(0));
  return tenon::detail::record_literal(builder->into(),
                                       type_of(dtype_of<T>, {index_t(values.size()), index_t(columns)}), first);
}
constexpr XlaOp Iota(XlaBuilder* builder, const Shape& shape, std::int64_t iota_dimension) {
  return detail::record_alone(builder, shape, ops::iota{iota_dimension});
}
constexpr XlaOp Iota(XlaBuilder* builder, PrimitiveType type, std::int64_t size) {
  return Iota(builder, type_of(type, {size}), 0);
}

// ---------- element by element

constexpr XlaOp Abs(XlaOp operand) { return detail::record(ops::abs{}, operand); }
constexpr XlaOp Cbrt(XlaOp operand) { return detail::record(ops::cbrt{}, operand); }
constexpr XlaOp Ceil(XlaOp operand) { return detail::record(ops::ceil{}, operand); }
constexpr XlaOp Clz(XlaOp operand) { return detail::record(ops::count_leading_zeros{}, operand); }
constexpr XlaOp Cos(XlaOp operand) { return detail::record(ops::cosine{}, operand); }
constexpr XlaOp Exp(XlaOp operand) { return detail::record(ops::exponential{}, operand); }
constexpr XlaOp Expm1(XlaOp operand) { return detail::record(ops::exponential_minus_one{}, operand); }
constexpr XlaOp Floor(XlaOp operand) { return detail::record(ops::floor{}, operand); }
constexpr XlaOp Imag(XlaOp operand) { return detail::record(ops::imag{}, operand); }
constexpr XlaOp IsFinite(XlaOp operand) { return detail::record(ops::is_finite{}, operand); }
constexpr XlaOp Log(XlaOp operand) { return detail::record(ops::log{}, operand); }
constexpr XlaOp Log1p(XlaOp operand) { return detail::record(ops::log_plus_one{}, operand); }
constexpr XlaOp Logistic(XlaOp operand) { return detail::record(ops::logistic{}, operand); }
constexpr XlaOp Neg(XlaOp operand) { return detail::record(ops::negate{}, operand); }
constexpr XlaOp Not(XlaOp operand) { return detail::record(ops::not_{}, operand); }
constexpr XlaOp PopulationCount(XlaOp operand) { return detail::record(ops::popcnt{}, operand); }
constexpr XlaOp Real(XlaOp operand) { return detail::record(ops::real{}, operand); }
constexpr XlaOp Round(XlaOp operand) { return detail::record(ops::round_nearest_afz{}, operand); }
constexpr XlaOp RoundNearestEven(XlaOp operand) { return detail::record(ops::round_nearest_even{}, operand); }
constexpr XlaOp Rsqrt(XlaOp operand) { return detail::record(ops::rsqrt{}, operand); }
constexpr XlaOp Sign(XlaOp operand) { return detail::record(ops::sign{}, operand); }
constexpr XlaOp Sin(XlaOp operand) { return detail::record(ops::sine{}, operand); }
constexpr XlaOp Sqrt(XlaOp operand) { return detail::record(ops::sqrt{}, operand); }
constexpr XlaOp Tan(XlaOp operand) { return detail::record(ops::tan{}, operand); }
constexpr XlaOp Tanh(XlaOp operand) { return detail::record(ops::tanh{}, operand); }
constexpr XlaOp ReducePrecision(XlaOp operand, int exponent_bits, int mantissa_bits) {
  return detail::record(ops::reduce_precision{exponent_bits, mantissa_bits}, operand);
}
constexpr XlaOp ConvertElementType(XlaOp operand, PrimitiveType new_element_type) {
  return detail::record_as(operand.type().with_element(new_element_type), ops::convert{}, operand);
}

constexpr XlaOp Add(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::add{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp Sub(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::subtract{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp Mul(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::multiply{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp Div(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::divide{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp Rem(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::remainder{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp Max(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::maximum{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp Min(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::minimum{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp Pow(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::power{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp And(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::and_{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp Or(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::or_{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp Xor(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::xor_{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp Atan2(XlaOp y, XlaOp x, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::atan2{}, y, x, broadcast_dimensions);
}
constexpr XlaOp Complex(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::complex{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp ShiftLeft(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::shift_left{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp ShiftRightArithmetic(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::shift_right_arithmetic{}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp ShiftRightLogical(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return detail::binary(ops::shift_right_logical{}, lhs, rhs, broadcast_dimensions);
}

constexpr XlaOp Compare(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions, comparison_direction direction,
                        comparison_type compare_type = comparison_type::NOTYPE) {
  return detail::binary(ops::compare{direction, compare_type}, lhs, rhs, broadcast_dimensions);
}
constexpr XlaOp Compare(XlaOp lhs, XlaOp rhs, comparison_direction direction) {
  return Compare(lhs, rhs, {}, direction);
}
constexpr XlaOp Eq(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return Compare(lhs, rhs, broadcast_dimensions, comparison_direction::EQ);
}
constexpr XlaOp Ne(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return Compare(lhs, rhs, broadcast_dimensions, comparison_direction::NE);
}
constexpr XlaOp Ge(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return Compare(lhs, rhs, broadcast_dimensions, comparison_direction::GE);
}
constexpr XlaOp Gt(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return Compare(lhs, rhs, broadcast_dimensions, comparison_direction::GT);
}
constexpr XlaOp Le(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return Compare(lhs, rhs, broadcast_dimensions, comparison_direction::LE);
}
constexpr XlaOp Lt(XlaOp lhs, XlaOp rhs, const ints& broadcast_dimensions = {}) {
  return Compare(lhs, rhs, broadcast_dimensions, comparison_direction::LT);
}

constexpr XlaOp Select(XlaOp pred, XlaOp on_true, XlaOp on_false) {
  return detail::record(ops::select{}, pred, on_true, on_false);
}
constexpr XlaOp Clamp(XlaOp min, XlaOp operand, XlaOp max) { return detail::record(ops::clamp{}, min, operand, max); }

// ---------- movement

// New dimensions on the left.
constexpr XlaOp Broadcast(XlaOp operand, const ints& broadcast_sizes) {
  ints dimensions;
  for (int i = 0; i < operand.type().rank(); ++i) dimensions.push(broadcast_sizes.size + i);
  return detail::record_as(operand.type().with_shape(broadcast_sizes + operand.type().shape),
                           ops::broadcast_in_dim{dimensions}, operand);
}
constexpr XlaOp BroadcastInDim(XlaOp operand, const ints& out_dim_size, const ints& broadcast_dimensions) {
  return detail::record_as(operand.type().with_shape(out_dim_size), ops::broadcast_in_dim{broadcast_dimensions},
                           operand);
}
constexpr XlaOp Reshape(XlaOp operand, const ints& dimensions) {
  return detail::record_as(operand.type().with_shape(dimensions), ops::reshape{}, operand);
}
// Neighbouring dimensions, in order, become one.
constexpr XlaOp Collapse(XlaOp operand, const ints& dimensions) {
  const ints& shape = operand.type().shape;
  bool follow = dimensions.within(0, shape.size);
  for (int i = 1; i < dimensions.size; ++i) follow = follow && dimensions[i] == dimensions[i - 1] + 1;
  if (!detail::check("xla_collapse", "dimensions are neighbours, in order", follow, operand)) return operand;
  if (dimensions.size <= 1) return operand;
  ints collapsed;
  for (int i = 0; i < shape.size; ++i) {
    if (i == dimensions[0]) collapsed.push(shape.select(dimensions).product());
    if (!dimensions.contains(i)) collapsed.push(shape[i]);
  }
  return Reshape(operand, collapsed);
}
constexpr XlaOp Transpose(XlaOp operand, const ints& permutation) {
  return detail::record(ops::transpose{permutation}, operand);
}
constexpr XlaOp Slice(XlaOp operand, const ints& start_indices, const ints& limit_indices, const ints& strides) {
  return detail::record(ops::slice{start_indices, limit_indices, strides}, operand);
}
constexpr XlaOp SliceInDim(XlaOp operand, std::int64_t start_index, std::int64_t limit_index, std::int64_t stride,
                           std::int64_t dimno) {
  const ints& shape = operand.type().shape;
  if (!detail::check("xla_slice_in_dim", "0 <= dimno < rank(operand)", 0 <= dimno && dimno < shape.size, operand))
    return operand;
  ints start = ints::filled(shape.size, 0), limit = shape, strides = ints::filled(shape.size, 1);
  start.set(dimno, start_index);
  limit.set(dimno, limit_index);
  strides.set(dimno, stride);
  return Slice(operand, start, limit, strides);
}
template <int Count>
constexpr XlaOp ConcatInDim(XlaBuilder*, const XlaOp (&operands)[Count], std::int64_t dimension) {
  return detail::record_all(ops::concatenate{dimension}, operands);
}
constexpr XlaOp Pad(XlaOp operand, XlaOp padding_value, const PaddingConfig& config) {
  return detail::record(ops::pad{config.edge_padding_low, config.edge_padding_high, config.interior_padding}, operand,
                        padding_value);
}
constexpr XlaOp Rev(XlaOp operand, const ints& dimensions) { return detail::record(ops::reverse{dimensions}, operand); }

// ---------- lookup

constexpr XlaOp Gather(XlaOp input, XlaOp start_indices, const GatherDimensionNumbers& dimension_numbers,
                       const ints& slice_sizes, bool indices_are_sorted = false) {
  return detail::record(ops::gather{dimension_numbers, slice_sizes, indices_are_sorted}, input, start_indices);
}
template <int Count>
constexpr XlaOp DynamicSlice(XlaOp operand, const XlaOp (&start_indices)[Count], const ints& slice_sizes) {
  return detail::record_all(ops::dynamic_slice{slice_sizes}, start_indices, operand);
}
template <int Count>
constexpr XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, const XlaOp (&start_indices)[Count]) {
  return detail::record_all(ops::dynamic_update_slice{}, start_indices, operand, update);
}

// ---------- reductions; a computation is an XlaComputation, an op of tenon, or a function object of XlaOps

template <class Computation>
constexpr XlaOp Reduce(XlaOp operand, XlaOp init_value, Computation, const ints& dimensions_to_reduce) {
  return detail::record<bodies<Computation>>(ops::reduce{dimensions_to_reduce}, operand, init_value);
}
template <class Computation>
constexpr XlaOp ReduceAll(XlaOp operand, XlaOp init_value, Computation computation) {
  return Reduce(operand, init_value, computation, ints::range(operand.type().rank()));
}
template <class Computation>
constexpr XlaOp ReduceWindowWithGeneralPadding(XlaOp operand, XlaOp init_value, Computation,
                                               const ints& window_dimensions, const ints& window_strides,
                                               const ints& base_dilations, const ints& window_dilations,
                                               const ints_table& padding) {
  return detail::record<bodies<Computation>>(
      ops::reduce_window{window_dimensions, window_strides, base_dilations, window_dilations, padding}, operand,
      init_value);
}
template <class Computation>
constexpr XlaOp ReduceWindow(XlaOp operand, XlaOp init_value, Computation computation, const ints& window_dimensions,
                             const ints& window_strides, Padding padding) {
  return ReduceWindowWithGeneralPadding(
      operand, init_value, computation, window_dimensions, window_strides, {}, {},
      detail::padding_of(padding, operand.type().shape, window_dimensions, window_strides));
}
// The comparator takes two values of each operand: (a0, b0, a1, b1, ...).
template <class Comparator, int Count>
constexpr auto Sort(const XlaOp (&operands)[Count], Comparator, std::int64_t dimension = -1, bool is_stable = false) {
  return detail::record_all<bodies<Comparator>>(ops::sort{dimension, is_stable}, operands);
}

// ---------- contractions

constexpr XlaOp DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dimension_numbers) {
  return detail::record(
      ops::dot_general{.dot_dimension_numbers = dimension_numbers, .precision_config = {}, .algorithm = {}}, lhs, rhs);
}
// Vectors and matrices.
constexpr XlaOp Dot(XlaOp lhs, XlaOp rhs) {
  const int rank = lhs.type().rank();
  if (!detail::check("xla_dot", "lhs and rhs have 1 or 2 dimensions",
                     1 <= rank && rank <= 2 && 1 <= rhs.type().rank() && rhs.type().rank() <= 2, lhs, rhs))
    return lhs;
  return DotGeneral(lhs, rhs, {.lhs_contracting_dimensions = {rank - 1}, .rhs_contracting_dimensions = {0}});
}
constexpr XlaOp ConvGeneralDilated(XlaOp lhs, XlaOp rhs, const ints& window_strides, const ints_table& padding,
                                   const ints& lhs_dilation, const ints& rhs_dilation,
                                   const ConvolutionDimensionNumbers& dimension_numbers,
                                   std::int64_t feature_group_count = 1, std::int64_t batch_group_count = 1) {
  ops::convolution op;
  op.window_strides = window_strides;
  op.padding = padding;
  op.lhs_dilation = lhs_dilation;
  op.rhs_dilation = rhs_dilation;
  op.dimension_numbers = dimension_numbers;
  op.feature_group_count = feature_group_count;
  op.batch_group_count = batch_group_count;
  return detail::record(op, lhs, rhs);
}
constexpr XlaOp ConvGeneral(XlaOp lhs, XlaOp rhs, const ints& window_strides, const ints_table& padding,
                            const ConvolutionDimensionNumbers& dimension_numbers, std::int64_t feature_group_count = 1,
                            std::int64_t batch_group_count = 1) {
  return ConvGeneralDilated(lhs, rhs, window_strides, padding, {}, {}, dimension_numbers, feature_group_count,
                            batch_group_count);
}
constexpr XlaOp ConvWithGeneralDimensions(XlaOp lhs, XlaOp rhs, const ints& window_strides, Padding padding,
                                          const ConvolutionDimensionNumbers& dimension_numbers,
                                          std::int64_t feature_group_count = 1, std::int64_t batch_group_count = 1) {
  const ints sizes = lhs.type().shape.select(dimension_numbers.input_spatial_dimensions);
  const ints window = rhs.type().shape.select(dimension_numbers.kernel_spatial_dimensions);
  return ConvGeneral(lhs, rhs, window_strides, detail::padding_of(padding, sizes, window, window_strides),
                     dimension_numbers, feature_group_count, batch_group_count);
}

// Batch, feature, then spatial dimensions; in the kernel output feature, input feature, then spatial dimensions.
constexpr ConvolutionDimensionNumbers CreateDefaultConvDimensionNumbers(int num_spatial_dims = 2) {
  ConvolutionDimensionNumbers numbers;
  for (int i = 0; i < num_spatial_dims; ++i) numbers.input_spatial_dimensions.push(2 + i);
  numbers.input_feature_dimension = numbers.output_feature_dimension = numbers.kernel_input_feature_dimension = 1;
  numbers.kernel_spatial_dimensions = numbers.output_spatial_dimensions = numbers.input_spatial_dimensions;
  return numbers;
}
constexpr XlaOp ConvWithGeneralPadding(XlaOp lhs, XlaOp rhs, const ints& window_strides, const ints_table& padding,
                                       std::int64_t feature_group_count = 1, std::int64_t batch_group_count = 1) {
  return ConvGeneral(lhs, rhs, window_strides, padding, CreateDefaultConvDimensionNumbers(lhs.type().rank() - 2),
                     feature_group_count, batch_group_count);
}
constexpr XlaOp Conv(XlaOp lhs, XlaOp rhs, const ints& window_strides, Padding padding,
                     std::int64_t feature_group_count = 1, std::int64_t batch_group_count = 1) {
  return ConvWithGeneralDimensions(lhs, rhs, window_strides, padding,
                                   CreateDefaultConvDimensionNumbers(lhs.type().rank() - 2), feature_group_count,
                                   batch_group_count);
}
constexpr XlaOp Cholesky(XlaOp a, bool lower) { return detail::record(ops::cholesky{lower}, a); }

// ---------- control

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
  const int node = append_unchecked(r.program, kind_of_op<ops::if_>, {},
                                    {{&predicate.value, 1}, {regions, 2}, {}, r.region}, {storage, 1});
  return {&r, r.program.nodes[node].results};
}

// ---------- collectives

constexpr XlaOp ReplicaId(XlaBuilder* builder) {
  return detail::record_alone(builder, type_of(U32), ops::replica_id{});
}
constexpr XlaOp PartitionId(XlaBuilder* builder) {
  return detail::record_alone(builder, type_of(U32), ops::partition_id{});
}
template <class Computation>
constexpr XlaOp AllReduce(XlaOp operand, Computation, const ints_table& replica_groups = {},
                          std::int64_t channel_id = 0, bool use_global_device_ids = false) {
  return detail::record<bodies<Computation>>(ops::all_reduce{replica_groups, channel_id, use_global_device_ids},
                                             operand);
}
constexpr XlaOp CrossReplicaSum(XlaOp operand, const ints_table& replica_groups = {}) {
  return AllReduce(operand, ops::add{}, replica_groups);
}
constexpr XlaOp AllGather(XlaOp operand, std::int64_t all_gather_dimension, std::int64_t shard_count,
                          const ints_table& replica_groups = {}, std::int64_t channel_id = 0,
                          bool use_global_device_ids = false) {
  Shape result = operand.type();
  result.shape.set(all_gather_dimension, ints{result.dim(all_gather_dimension), shard_count}.product());
  return detail::record_as(
      result, ops::all_gather{all_gather_dimension, replica_groups, channel_id, use_global_device_ids}, operand);
}
constexpr XlaOp AllToAll(XlaOp operand, std::int64_t split_dimension, std::int64_t concat_dimension,
                         std::int64_t split_count, const ints_table& replica_groups = {}, std::int64_t channel_id = 0) {
  return detail::record(ops::all_to_all{split_dimension, concat_dimension, split_count, replica_groups, channel_id},
                        operand);
}
constexpr XlaOp CollectivePermute(XlaOp operand, const ints_table& source_target_pairs, std::int64_t channel_id = 0) {
  return detail::record(ops::collective_permute{source_target_pairs, channel_id}, operand);
}

}  // namespace tenon::xla
