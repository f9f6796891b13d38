// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/registry.hpp>

#include <calibration/kernels.hpp>

namespace tenon {

using namespace kernels;

namespace {

template <class Op>
kernel find(const kernel_key& key) {
  if constexpr (ir::moves_bytes<Op>()) {
    if constexpr (runs_by_body<Op>) {
      if (key.body >= 0)
        return key.element == dtype::f32   ? find_folding<Op, dtype::f32>(key)
               : key.element == dtype::i32 ? find_folding<Op, dtype::i32>(key)
               : key.element == dtype::i8  ? find_folding<Op, dtype::i8>(key)
                                           : nullptr;
    }
    return num_bits(key.element) == 8    ? kernel_of<Op, dtype::ui8, dtype::ui8>()
           : num_bits(key.element) == 32 ? kernel_of<Op, dtype::ui32, dtype::ui32>()
                                         : kernel_of<Op, dtype::ui64, dtype::ui64>();
  } else {
    switch (key.element) {
      case dtype::f32:
        return find_for_element<Op, dtype::f32>(key);
      case dtype::i32:
        return find_for_element<Op, dtype::i32>(key);
      case dtype::i64:
        return find_for_element<Op, dtype::i64>(key);
      case dtype::i8:
        return find_for_element<Op, dtype::i8>(key);
      default:
        return nullptr;
    }
  }
}

template <class... Ops>
kernel find_among(const kernel_key& key) {
  kernel found = nullptr;
  (void)((kind_of_op<Ops> == key.kind && ((found = find<Ops>(key)), true)) || ...);
  return found;
}

}  // namespace

kernel find_network_kernel(const kernel_key& key) {
  return find_among<ops::add, ops::subtract, ops::multiply, ops::divide, ops::maximum, ops::clamp, ops::convert,
                    ops::constant, ops::broadcast_in_dim, ops::reshape, ops::transpose, ops::pad, ops::reduce,
                    ops::reduce_window, ops::convolution, ops::dot, ops::dot_general, ops::exponential,
                    ops::round_nearest_even, ops::shift_right_arithmetic, ops::concatenate, ops::batch_norm_inference,
                    ops::negate>(key);
}

}  // namespace tenon
