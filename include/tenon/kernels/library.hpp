// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/table.hpp>

namespace tenon::kernels::inline HWY_NAMESPACE {

// A kernel that the library tenon::kernels holds, compiled once. It is defined there (kernels/library_part.hpp), and in
// no header that programs include: so these compile without it. A library for another vector target does not link.
template <class Op, dtype T, dtype R, class Body>
void library_kernel(const evaluation& e);

}  // namespace tenon::kernels::inline HWY_NAMESPACE

namespace tenon::kernels {

// Whether programs take common kernels from the library: CMake defines this for who links tenon::kernels.
#ifdef TENON_LINKS_KERNELS
inline constexpr bool links_kernels = true;
#else
inline constexpr bool links_kernels = false;
#endif

// The element types and the bodies of folds that the library has kernels for.
inline constexpr dtype library_elements[] = {dtype::i1,   dtype::i32,  dtype::i64, dtype::ui8,
                                             dtype::ui32, dtype::ui64, dtype::f32};
using library_bodies = op_list<ops::add, ops::multiply, ops::maximum, ops::minimum, ops::and_, ops::or_>;

constexpr bool is_library_element(dtype type) {
  for (const dtype known : library_elements)
    if (known == type) return true;
  return false;
}
template <class Op, class... Bodies>
constexpr bool is_library_body(op_list<Bodies...>) {
  return (std::is_same_v<Op, Bodies> || ...);
}

// Ops without elements of their own whose kernels may be linked; the others are small, or run by what only a program
// knows.
template <class Op>
concept links_whole = runs_by_body<Op> || selects_in_windows<Op> || sorts<Op> || selects_largest<Op> ||
                      generates_bits<Op> || draws_numbers<Op> || has_evaluate<Op>;

template <class Op, dtype T, dtype R, int Body>
constexpr bool is_library_kernel() {
  if constexpr (!links_kernels || !complete<Op> || !is_library_element(T))
    return false;
  else if constexpr (has_element<Op>)
    return is_library_element(R) && element_arity<Op, element_t<T>, element_t<R>>() > 0;
  else if constexpr (Body >= 0)
    return runs_by_body<Op> && is_library_body<op_of_kind<Body>>(library_bodies{});
  else
    return links_whole<Op>;
}

// kernel_of<Op, T, R, Body>() for a program that is known while compiling: by its address in the library where that has
// it, else without what the program has no use for.
template <class Op, dtype T, dtype R, int Body, needs Needs>
constexpr auto linked_kernel_of() {
  if constexpr (!is_library_kernel<Op, T, R, Body>())
    return kernel_of<Op, T, R, Body, Needs>();
  else if constexpr (Body >= 0)
    return kernel(&library_kernel<Op, T, T, op_of_kind<Body>>);
  else
    return kernel(&library_kernel < Op, T, has_element<Op> ? R : T, void >);
}

}  // namespace tenon::kernels
