// SPDX-License-Identifier: Apache-2.0
//
// op_table: writes one line per op of the library, parted by tabs: its name, then for each group of element types how
// its elements are computed, and what there is of its gradient. docs/coverage.sh makes a page of it.

#include <tenon/gradients/differentiator.hpp>
#include <tenon/kernels/all.hpp>
#include <tenon/kernels/registry.hpp>

#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>

namespace {

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;
using namespace tenon::kernels;

struct element_group {
  const char* name;
  std::initializer_list<dtype> elements;
};
const element_group groups[] = {
    {"i1", {dtype::i1}},
    {"i2 i4", {dtype::i2, dtype::i4, dtype::ui2, dtype::ui4}},
    {"i8..i64", {dtype::i8, dtype::i16, dtype::i32, dtype::i64, dtype::ui8, dtype::ui16, dtype::ui32, dtype::ui64}},
    {"f4..f8",
     {dtype::f4E2M1FN, dtype::f6E2M3FN, dtype::f6E3M2FN, dtype::f8E3M4, dtype::f8E4M3, dtype::f8E4M3FN,
      dtype::f8E4M3FNUZ, dtype::f8E4M3B11FNUZ, dtype::f8E5M2, dtype::f8E5M2FNUZ, dtype::f8E8M0FNU}},
    {"bf16 f16", {dtype::bf16, dtype::f16}},
    {"f32 f64", {dtype::f32, dtype::f64}},
    {"complex", {dtype::complex_f32, dtype::complex_f64}},
};

// A quantized type whose expressed type may be chosen.
struct example_quantization final : type_details {
  dtype expressed = dtype::f32;
  double scale = 1;
  index_t zero_point = 0;

  quantization quantization_of(const tensor_type& type) const override {
    return {type.element, expressed, -128, 127, -1, {&scale, 1}, {&zero_point, 1}};
  }
};

// Whether the op, whose operands do not decide it, may give elements of this type.
template <class Op>
bool may_give(dtype element) {
  example_quantization details;
  if (is_float(element)) details.expressed = element;
  const tensor_type stored{dtype::i8, 0, 1, 0, {1}}, quantized{element, 0, 1, 0, {1}};
  for (const tensor_type& declared : {type_of(element, {1}), quantized}) {
    if (declared.is_quantized() && !is_integer(element)) continue;
    for (const tensor_type& operand : {type_of(dtype::i64, {1}), type_of(dtype::f32, {1}), stored})
      if (broken_by(Op{}, {operand}, {declared}, {}, &details).empty() ||
          broken_by(Op{}, {}, {declared}, {}, &details).empty())
        return true;
  }
  return false;
}

template <class Op>
concept takes_nothing = requires(const Op& self, rules& rule) { self.infer(rule); };

// How an op with a scalar function computes elements of R from elements of T.
template <class Op, class T, class R>
constexpr char how_elements() {
  constexpr int arity = element_arity<Op, T, R>();
  if constexpr (arity > 0)
    return lane_form_of<Op, T, R, arity> == lane_form::none ? 's' : 'v';
  else
    return 0;
}

// 'v' in vectors, 's' one by one, 'o' in loops of the op's own, 'b' as bytes of any meaning; nothing where not at all.
template <class Op, class T>
std::string how() {
  constexpr int kind = kind_of_op<Op>;
  constexpr dtype element = dtype_of<T>;
  constexpr element_answer answer = ask_element<Op>(element);
  if (!answer.accepted) return {};
  if constexpr (typed_by<Op>() < 0) {
    if (!may_give<Op>(element)) return {};
  } else if constexpr (std::is_same_v<Op, ops::constant>) {
    return "b";
  } else if constexpr (takes_nothing<Op>) {
    return {};
  }
  if constexpr (has_element<Op> && !answer.accepted) {
    return {};
  } else if constexpr (has_element<Op>) {
    std::string seen;
    const auto add = [&](char letter) {
      if (letter != 0 && seen.find(letter) == std::string::npos) seen += letter;
    };
    if constexpr (answer.result != dtype::none)
      add(how_elements<Op, T, element_t<answer.result>>());
    else
      for (const element_group& group : groups)
        for (dtype result : group.elements) visit(result, [&]<class R>() { add(how_elements<Op, T, R>()); });
    return seen;
  } else {
    if constexpr (runs_by_body<Op>)
      if (find_any_kernel({kind, element, element, kind_of_op<ops::add>}) != nullptr)
        return std::string(1, how_elements<ops::add, T, T>());
    if constexpr (moves_bytes<Op>()) return "b";
    if constexpr (has_contraction_kernel<Op, element>) return "v";
    return find_any_kernel({kind, element, element}) == nullptr ? "" : "o";
  }
}

// Both modes, or why there is none.
template <class Op>
std::string gradient() {
  using namespace tenon::gradients;
  if constexpr (has_gradient<Op, differentiator<every_kind>::view>) return "both modes";
  if constexpr (has_no_gradient<Op>) return std::string("none: ") + no_gradient(Op{});
  if constexpr (is_refused_by_name<Op>) return std::string("refused: ") + refused(Op{});
  return facts_of<Op>().is_call ? "that of its body" : "";
}

template <class Op>
void write_line() {
  if constexpr (requires { Op::is_internal; }) return;
  constexpr std::string_view dialect = dialect_of_op<Op>();
  std::printf("%s%s", dialect == "chlo" ? "chlo." : "", std::string(Op::name).c_str());
  for (const element_group& group : groups) {
    std::string seen;
    for (dtype element : group.elements)
      for (char letter : visit(element, [&]<class T>() { return how<Op, T>(); }))
        if (seen.find(letter) == std::string::npos) seen += letter;
    std::printf("\t%s", seen.c_str());
  }
  std::printf("\t%s\n", gradient<Op>().c_str());
}

template <class... Ops>
void write_lines(op_list<Ops...>) {
  (write_line<Ops>(), ...);
}

}  // namespace

int main() {
  std::printf("op");
  for (const element_group& group : groups) std::printf("\t%s", group.name);
  std::printf("\tgradient\n");
  write_lines(ops::all{});
}
