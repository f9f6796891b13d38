// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/plan/plan.hpp>
#include <tenon/kernels/body_fold.hpp>
#include <tenon/kernels/contraction.hpp>
#include <tenon/kernels/contraction/untiled_sums.hpp>
#include <tenon/kernels/copy/joined_and_padded.hpp>
#include <tenon/kernels/copy/strided.hpp>
#include <tenon/kernels/elementwise.hpp>
#include <tenon/kernels/fold.hpp>
#include <tenon/kernels/fourier/transform.hpp>
#include <tenon/kernels/linear_algebra/triangular.hpp>
#include <tenon/kernels/lookup/indexed_fold.hpp>
#include <tenon/kernels/lookup/slices.hpp>
#include <tenon/kernels/random/numbers.hpp>
#include <tenon/kernels/region/turns.hpp>
#include <tenon/kernels/sort/sort.hpp>
#include <tenon/kernels/window_fold.hpp>
#include <tenon/kernels/window_selection.hpp>

namespace tenon::kernels {

// Ops whose code may be chosen by the op that their region consists of.
template <class Op>
concept runs_by_body = folds_axes<Op> || folds_windows<Op> || folds_at_indices<Op>;

template <class Op>
constexpr bool kernel_moves_bytes = moves_bytes<Op>();

template <dtype Size>
struct bytes_element {
  using type = element_t<Size>;
};
template <>
struct bytes_element<dtype::complex_f64> {
  using type = element_bytes_16;
};
template <class Op, dtype T>
using bytes_of_kernel = typename std::conditional_t<kernel_moves_bytes<Op>, bytes_element<T>, element_of<T>>::type;

template <class Body, dtype T>
using folded_t = decltype(folded_as<Body, element_t<T>>());

// The code for an op on elements of type T that gives elements of type R, with this op as its region's body (-1: any
// region); nullptr, of its own type, if the op does not take them.
template <class Op, dtype T, dtype R, int Body = -1, needs Needs = needs::all()>
constexpr auto kernel_of() {
  if constexpr (!complete<Op>) {
    return nullptr;
  } else if constexpr (has_element<Op>) {
    if constexpr (element_arity<Op, element_t<T>, element_t<R>>() > 0)
      return kernel(&elementwise_kernel<Op, element_t<T>, element_t<R>>);
    else
      return nullptr;
  } else if constexpr (Body >= 0 && folds_axes<Op>) {
    return kernel(
        &fold_kernel<Op, op_of_kind<Body>, folded_t<op_of_kind<Body>, R>, folded_t<op_of_kind<Body>, T>, Needs>);
  } else if constexpr (Body >= 0 && folds_windows<Op>) {
    return kernel(
        &window_fold_kernel<Op, op_of_kind<Body>, folded_t<op_of_kind<Body>, R>, folded_t<op_of_kind<Body>, T>, Needs>);
  } else if constexpr (Body >= 0 && folds_at_indices<Op>) {
    return kernel(&indexed_fold_kernel<Op, op_of_kind<Body>, folded_t<op_of_kind<Body>, T>>);
  } else if constexpr (folds_axes<Op> || folds_windows<Op>) {
    return kernel([](const evaluation& e) {
      if (fold_by_body<Op, Needs>(e)) return;
      begin_branch<Needs, body_branch::otherwise>();
      if constexpr (Needs.has(body_branch::otherwise))
        read_attributes<Op>(e.words).template evaluate<bytes_of_kernel<Op, T>>(e);
    });
  } else if constexpr (selects_in_windows<Op>) {
    return kernel([](const evaluation& e) {
      if (!select_by_bodies<Op, bytes_like<element_t<T>>>(e))
        read_attributes<Op>(e.words).template evaluate<bytes_of_kernel<Op, T>>(e);
    });
  } else if constexpr (folds_at_indices<Op>) {
    return kernel(&scatter_kernel<Op>);
  } else if constexpr (gathers_slices<Op>) {
    return kernel(&gather_kernel<Op, typename bytes_element<T>::type>);
  } else if constexpr (joins_operands<Op>) {
    return kernel(&join_kernel<Op, typename bytes_element<T>::type>);
  } else if constexpr (pads<Op>) {
    return kernel(&pad_kernel<Op, typename bytes_element<T>::type>);
  } else if constexpr (scans<Op>) {
    return kernel(&scan_kernel<Op>);
  } else if constexpr (sorts<Op>) {
    return kernel(&sort_kernel<Op>);
  } else if constexpr (selects_largest<Op>) {
    return kernel(&largest_kernel<Op, element_t<T>>);
  } else if constexpr (transforms_lines<Op>) {
    return kernel(&transform_kernel<Op, element_t<T>, Needs>);
  } else if constexpr (factors_matrices<Op>) {
    return kernel(&factorization_kernel<Op, element_t<T>>);
  } else if constexpr (solves_systems<Op>) {
    return kernel(&substitution_kernel<Op, element_t<T>>);
  } else if constexpr (sums_ragged_products<Op>) {
    return kernel(&ragged_sums_kernel<Op, element_t<T>>);
  } else if constexpr (generates_bits<Op>) {
    return kernel(&random_bits_kernel<Op>);
  } else if constexpr (draws_numbers<Op>) {
    return kernel(&random_numbers_kernel<Op, element_t<T>>);
  } else if constexpr (multiplies_matrices<Op> || has_contraction_kernel<Op, T>) {
    return kernel(&contraction_kernel<Op, element_t<T>, Needs>);
  } else if constexpr (has_evaluate<Op>) {
    return kernel(
        [](const evaluation& e) { read_attributes<Op>(e.words).template evaluate<bytes_of_kernel<Op, T>>(e); });
  } else {
    return nullptr;
  }
}

template <class Op>
inline constexpr needs needs_in_groups = folds_axes<Op> ? needs_of_rows() : needs::all();

// Needs of the kernel for one call; `in_lanes`: its region works element by element; `has_product`: it has e.product.
template <class Op, dtype T, dtype R, int Body>
constexpr needs needs_of_call([[maybe_unused]] const evaluation& e, [[maybe_unused]] bool in_lanes,
                              [[maybe_unused]] bool has_product) {
  if constexpr (!complete<Op> || has_element<Op>) {
    return needs::all();
  } else if constexpr (Body >= 0 && folds_axes<Op>) {
    return needs_of_fold<Op, folded_t<op_of_kind<Body>, R>, folded_t<op_of_kind<Body>, T>>(e);
  } else if constexpr (Body >= 0 && folds_windows<Op>) {
    return needs_of_windows<Op, op_of_kind<Body>, folded_t<op_of_kind<Body>, R>, folded_t<op_of_kind<Body>, T>>(e);
  } else if constexpr (folds_axes<Op>) {
    return in_lanes && body_fold<>::takes(e) ? body_fold<>::needs_along(e, read_attributes<Op>(e.words).folded_axes())
                                             : needs::all();
  } else if constexpr (transforms_lines<Op>) {
    return line_transforms<Op, needs::all()>::needs_of(e, read_attributes<Op>(e.words));
  } else if constexpr ((multiplies_matrices<Op> || has_contraction_kernel<Op, T>) && !sums_ragged_products<Op>) {
    return needs_of_contraction<Op, element_t<T>>(e, has_product);
  } else {
    return needs::all();
  }
}

}  // namespace tenon::kernels
