// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/registry.hpp>

#include <gradients/kernels.hpp>

namespace tenon {

using namespace kernels;

namespace {

template <class Op>
kernel find(const kernel_key& key) {
  if constexpr (!ir::complete<Op>) {
    return nullptr;
  } else if constexpr (ir::moves_bytes<Op>()) {
    if constexpr (runs_by_body<Op>) {
      if (key.body >= 0)
        return key.element == dtype::f64   ? find_folding<Op, dtype::f64>(key)
               : key.element == dtype::f32 ? find_folding<Op, dtype::f32>(key)
               : key.element == dtype::i32 ? find_folding<Op, dtype::i32>(key)
               : key.element == dtype::i1  ? find_folding<Op, dtype::i1>(key)
                                           : nullptr;
    }
    switch (key.element) {
      case dtype::ui8:
        return kernel_of<Op, dtype::ui8, dtype::ui8>();
      case dtype::ui32:
        return kernel_of<Op, dtype::ui32, dtype::ui32>();
      case dtype::ui64:
        return kernel_of<Op, dtype::ui64, dtype::ui64>();
      default:
        return kernel_of<Op, dtype::complex_f64, dtype::complex_f64>();
    }
  } else if constexpr (ir::has_element<Op> || ir::has_evaluate<Op>) {
    switch (key.element) {
      case dtype::f64:
        return find_for_element<Op, dtype::f64>(key);
      case dtype::f32:
        return find_for_element<Op, dtype::f32>(key);
      case dtype::complex_f64:
        return find_for_element<Op, dtype::complex_f64>(key);
      case dtype::i64:
        return find_for_element<Op, dtype::i64>(key);
      case dtype::i32:
        return find_for_element<Op, dtype::i32>(key);
      case dtype::i1:
        return find_for_element<Op, dtype::i1>(key);
      default:
        return key.element == dtype::none ? find_for_element<Op, dtype::ui8>(key) : nullptr;
    }
  } else {
    return nullptr;
  }
}

}  // namespace

kernel find_wide_kernel(const kernel_key& key) {
  return []<int... I>(const kernel_key& wanted, std::integer_sequence<int, I...>) {
    static constexpr kernel_finder finders[] = {&find<op_of_kind<I>>...};
    return finders[wanted.kind](wanted);
  }(key, std::make_integer_sequence<int, ops::all::size>{});
}

}  // namespace tenon
