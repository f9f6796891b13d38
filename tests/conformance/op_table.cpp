// SPDX-License-Identifier: Apache-2.0
//
// op_table: writes one line per op of the library, parted by tabs: its name, then for each group of element types how its
// elements are computed, then which quantized operands it takes. docs/coverage.sh makes a page of it.

#include <tenon/kernels/all.hpp>
#include <tenon/kernels/registry.hpp>

#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>

namespace {

using namespace tenon;

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

// Types of quantized tensors: per tensor with parameters 1, along dimension 0 with 2.
struct example_quantization final : type_details {
  dtype expressed = dtype::f32;
  double scale = 1;
  index_t zero_point = 0;

  quantization quantization_of(const tensor_type& type) const override {
    return {type.element, expressed, -128, 127, type.quantization == 1 ? -1 : 0, {&scale, 1}, {&zero_point, 1}};
  }
};

// The rule that the op breaks where the operand that counts, or, if none does, the result has this type. The other
// operands are what they are most often.
template <class Op>
std::string_view broken_by_type(const tensor_type& type, int count, const type_details& details) {
  constexpr int typed = detail::typed_by<Op>();
  tensor_type types[6];
  for (int i = 0; i < 6; ++i)
    types[i] = i < typed ? type_of(dtype::i1) : i == typed ? type : type_of(dtype::i64, type.shape);
  rules rule;
  rule.details = &details;
  if constexpr (typed < 0) rule.declared = {&type, 1};
  tensor_type storage[16];
  table<tensor_type> results{storage, 0, 16};
  infer_results(Op{}, rule, {types, count}, results);
  return rule.broken() ? std::string_view(rule.label) : std::string_view();
}

// Whether the rule is one about the kind of an operand or a result.
bool is_about_kind(std::string_view label) {
  const std::size_t at = label.rfind('_');
  return at != label.npos && at + 2 < label.size() && (label[at + 1] == 'i' || label[at + 1] == 'o');
}

// Whether no rule about kinds is broken by this type that the same tensor of numbers keeps.
template <class Op>
bool accepts_quantized(std::int16_t parameters) {
  const example_quantization details;
  for (const ints& shape : {ints{}, ints{1}, ints{1, 1}}) {
    for (int count = 0; count <= 6; ++count) {
      if (!is_about_kind(broken_by_type<Op>({dtype::i8, 0, parameters, 0, shape}, count, details))) continue;
      for (dtype plain : {dtype::i8, dtype::ui64, dtype::f32})
        if (!is_about_kind(broken_by_type<Op>(type_of(plain, shape), count, details))) return false;
    }
  }
  return true;
}

// Whether values of any kind pass: such an op has nothing to do with elements.
template <class Op>
bool knows_elements() {
  const example_quantization details;
  for (int count = 0; count <= 6; ++count)
    if (is_about_kind(broken_by_type<Op>(token_type(), count, details))) return true;
  return false;
}

template <class Op, class T>
constexpr bool fills_lanes() {
  if constexpr (has_lanes<T> && detail::has_element<Op>) {
    if constexpr (detail::ask_element<Op>(dtype_of<T>).accepted) {
      constexpr auto operands = std::make_index_sequence<std::size_t(detail::element_arity<Op, T, T>())>{};
      return detail::lanes_serve<Op, T, T>(operands) || detail::lanes_serve<Op, T, bool>(operands);
    }
  }
  return false;
}

// 'v' in vectors, 's' one by one, 'b' as bytes of any meaning, 0 not at all.
template <class Op, class T>
char how() {
  constexpr int kind = kind_of_op<Op>;
  constexpr dtype element = dtype_of<T>;
  const detail::element_answer answer = detail::ask_element<Op>(element);
  if (!answer.accepted) return 0;
  const dtype result = answer.result == dtype::none ? element : answer.result;
  if constexpr (detail::folds_axes<Op>)
    if (find_any_kernel({kind, element, element, kind_of_op<ops::add>}) != nullptr && fills_lanes<ops::add, T>())
      return 'v';
  if constexpr (detail::moves_bytes<Op>()) return 'b';
  if (find_any_kernel({kind, element, result}) == nullptr) return 0;
  return fills_lanes<Op, T>() ? 'v' : 's';
}

template <class Op>
void write_line() {
  std::printf("%s", std::string(Op::name).c_str());
  for (const element_group& group : groups) {
    std::string seen;
    for (dtype element : group.elements) {
      const char letter = visit(element, [&]<class T>() { return how<Op, T>(); });
      if (letter != 0 && seen.find(letter) == std::string::npos) seen += letter;
    }
    std::printf("\t%s", seen.c_str());
  }
  const bool per_tensor = accepts_quantized<Op>(1), per_axis = accepts_quantized<Op>(2);
  std::printf("\t%s\n", per_tensor ? (per_axis ? "tensor, axis" : "tensor") : per_axis ? "axis" : "");
}

template <class... Ops>
void write_lines(op_list<Ops...>) {
  (write_line<Ops>(), ...);
}

}  // namespace

int main() {
  std::printf("op");
  for (const element_group& group : groups) std::printf("\t%s", group.name);
  std::printf("\tquantized\n");
  write_lines(ops::all{});
}
