// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/folded_rows.hpp>
#include <tenon/kernels/table.hpp>

namespace tenon::kernels {

constexpr bool is_label_of_input(std::string_view label, int input) {
  const std::size_t size = label.size();
  return size > 3 && label[size - 3] == '_' && label[size - 2] == 'i' && label[size - 1] == char('0' + input);
}

// The verdict of the op's rules on operands of rank 0 with this element type.
struct element_answer {
  bool accepted = true;        // the kind of the operand that counts is one that the op takes
  dtype result = dtype::none;  // the element type of the result, where the operands decide it
};

template <class Op>
constexpr element_answer ask_element(dtype element) {
  constexpr int typed = typed_by<Op>();
  element_answer answer;
  tensor_type types[6];
  for (int i = 0; i < 6; ++i) types[i] = type_of(i < typed ? dtype::i1 : element);
  for (int count = typed < 0 ? 0 : typed + 1; count <= 6; ++count) {
    rules rule;
    tensor_type storage[16];
    table<tensor_type> results{storage, 0, 16};
    infer_results(Op{}, rule, {types, count}, results);
    if (rule.broken() && typed >= 0 && is_label_of_input(rule.label, typed + 1)) answer.accepted = false;
    if (!rule.broken() && results.size == 1) answer.result = storage[0].element;
  }
  return answer;
}

// The kinds of the ops that folds may be by.
struct associative_ops {
  int kinds[ops::all::size]{};
  int count = 0;
};
inline constexpr associative_ops all_associative = [] {
  associative_ops result;
  for (int kind = 0; kind < ops::all::size; ++kind)
    if (tenon::ir::facts_of(kind).associative) result.kinds[result.count++] = kind;
  return result;
}();

template <class Op, dtype T, class Body>
constexpr kernel folding_kernel() {
  constexpr element_answer answer = ask_element<Body>(T);
  constexpr dtype total = gives_an_operand<Body> ? T : tenon::ir::accumulator_of(T);
  if constexpr (answer.accepted && answer.result == T && (total == T || !folds_at_indices<Op>))
    return kernel_of<Op, T, total, kind_of_op<Body>>();
  else
    return nullptr;
}

// The kernel for an op whose body is one associative op.
template <class Op, dtype T>
kernel find_folding(const kernel_key& key) {
  return [&]<int... I>(std::integer_sequence<int, I...>) -> kernel {
    static constexpr kernel kernels[] = {folding_kernel<Op, T, op_of_kind<all_associative.kinds[I]>>()...};
    for (int i = 0; i < all_associative.count; ++i)
      if (all_associative.kinds[i] == key.body) return kernels[i];
    return nullptr;
  }(std::make_integer_sequence<int, all_associative.count>{});
}

template <class Op, dtype T>
kernel find_for_element(const kernel_key& key) {
  constexpr element_answer answer = ask_element<Op>(T);
  if constexpr (!answer.accepted) {
    return nullptr;
  } else if constexpr (!has_element<Op>) {
    return kernel_of<Op, T, T>();
  } else if constexpr (answer.result != dtype::none) {
    return key.result == answer.result ? kernel(kernel_of<Op, T, answer.result>()) : nullptr;
  } else {
    kernel found = nullptr;
    visit(key.result, [&]<class R>() { found = kernel_of<Op, T, dtype_of<R>>(); });
    return found;
  }
}

template <class Op>
kernel find_for_op(const kernel_key& key) {
  if constexpr (!complete<Op>) {
    return nullptr;
  } else if constexpr (moves_bytes<Op>()) {
    if constexpr (runs_by_body<Op>) {
      kernel folding = nullptr;
      if (key.body >= 0) visit(key.element, [&]<class T>() { folding = find_folding<Op, dtype_of<T>>(key); });
      if (key.body >= 0) return folding;
    }
    kernel found = kernel_of<Op, dtype::complex_f64, dtype::complex_f64>();
    visit<dtype::ui8, dtype::ui16, dtype::ui32, dtype::ui64>(
        key.element, [&]<class T>() { found = kernel_of<Op, dtype_of<T>, dtype_of<T>>(); });
    return found;
  } else if constexpr (has_element<Op> || has_evaluate<Op>) {
    kernel found = nullptr;
    if (key.element == dtype::none || key.element >= dtype::token) return find_for_element<Op, dtype::ui8>(key);
    visit(key.element, [&]<class T>() { found = find_for_element<Op, dtype_of<T>>(key); });
    return found;
  } else {
    return nullptr;
  }
}

// Looks kernels up by key, for programs that are read at run time. Each set of ops is compiled where its table is, so a
// large program may spread the sets over several translation units.
using kernel_finder = kernel (*)(const kernel_key&);

// The kernel for this key if the op's number, divided by Parts, leaves Part; null if there is none.
template <int Part = 0, int Parts = 1>
kernel find_kernel(const kernel_key& key) {
  constexpr int count = (ops::all::size - Part + Parts - 1) / Parts;
  return []<int... I>(const kernel_key& wanted, std::integer_sequence<int, I...>) {
    static constexpr kernel_finder finders[] = {&find_for_op<op_of_kind<Part + I * Parts>>...};
    const bool ours = wanted.kind >= 0 && wanted.kind < ops::all::size && wanted.kind % Parts == Part;
    return ours ? finders[wanted.kind / Parts](wanted) : nullptr;
  }(key, std::make_integer_sequence<int, count>{});
}

}  // namespace tenon::kernels
