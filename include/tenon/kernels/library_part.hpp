// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/library.hpp>
#include <tenon/kernels/registry.hpp>

// The definition of library_kernel, for the sources of the library tenon::kernels alone.
namespace tenon::kernels::inline HWY_NAMESPACE {

template <class Op, dtype T, dtype R, class Body>
void library_kernel(const evaluation& e) {
  kernel_of<Op, T, R, kind_of_op<Body>>()(e);
}

}  // namespace tenon::kernels::inline HWY_NAMESPACE

namespace tenon::kernels {

template <class Op, dtype T, class... Bodies>
void enter_folding(table<kernel>& all, op_list<Bodies...>) {
  const auto enter = [&]<class Body>() {
    constexpr element_answer answer = ask_element<Body>(T);
    if constexpr (answer.accepted && answer.result == T) all.push(&library_kernel<Op, T, T, Body>);
  };
  (enter.template operator()<Bodies>(), ...);
}

template <class Op, dtype T>
void enter_for_element(table<kernel>& all) {
  constexpr element_answer answer = ask_element<Op>(T);
  if constexpr (has_element<Op>) {
    const auto enter = [&]<dtype R>() {
      constexpr bool is_result = answer.result == R || answer.result == dtype::none;
      if constexpr (answer.accepted && is_result) {
        if constexpr (element_arity<Op, element_t<T>, element_t<R>>() > 0) all.push(&library_kernel<Op, T, R, void>);
      }
    };
    [&]<int... I>(std::integer_sequence<int, I...>) {
      (enter.template operator()<library_elements[I]>(), ...);
    }(std::make_integer_sequence<int, int(std::size(library_elements))>{});
  } else {
    if constexpr (runs_by_body<Op>) enter_folding<Op, T>(all, library_bodies{});
    if constexpr (links_whole<Op>) {
      if constexpr (moves_bytes<Op>() ? T == unsigned_type(storage_bytes(T)) : answer.accepted)
        all.push(&library_kernel<Op, T, T, void>);
    }
  }
}

// Uses, and so compiles, the kernels of the library for each pair of an op and an element type whose number, divided by
// Parts, leaves Part: pairs, because a few ops take most of the time, each with all element types. Nobody calls it.
template <int Part, int Parts>
void enter_library_part(table<kernel>& all) {
  constexpr int elements = int(std::size(library_elements)), pairs = ops::all::size * elements;
  const auto enter = [&]<int Pair>() {
    using Op = op_of_kind<Pair / elements>;
    if constexpr (complete<Op>) enter_for_element<Op, library_elements[Pair % elements]>(all);
  };
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (enter.template operator()<Part + I * Parts>(), ...);
  }(std::make_integer_sequence<int, (pairs - Part + Parts - 1) / Parts>{});
}

}  // namespace tenon::kernels
