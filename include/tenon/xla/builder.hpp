// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/record.hpp>
#include <tenon/ops/all.hpp>
#include <tenon/run/invoke.hpp>

#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <utility>

// The builder that the functions of this folder record into, and its types under XLA's names.
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

}  // namespace tenon::xla
