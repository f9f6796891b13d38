// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/registry.hpp>

// Kernels of the ops of random_program.hpp and random_loop.hpp alone, on one element type: all of them would take
// minutes to compile.
namespace tenon::test {

template <dtype T, class Op>
constexpr core::kernel kernel_that_moves(const planning::kernel_key& key) {
  constexpr dtype moved = num_bits(T) == 8    ? dtype::ui8
                          : num_bits(T) == 16 ? dtype::ui16
                          : num_bits(T) == 32 ? dtype::ui32
                                              : dtype::ui64;
  // Masks, too, are moved.
  if (key.element == dtype::ui8) return kernels::kernel_of<Op, dtype::ui8, dtype::ui8>();
  return num_bits(key.element) == 32 ? core::kernel(kernels::kernel_of<Op, dtype::ui32, dtype::ui32>())
                                     : kernels::kernel_of<Op, moved, moved>();
}

template <dtype T, class Op>
constexpr core::kernel kernel_that_folds(const planning::kernel_key& key) {
  constexpr dtype sum = ir::accumulator_of(T);
  return key.body == kind_of_op<ops::add> ? core::kernel(kernels::kernel_of<Op, T, sum, kind_of_op<ops::add>>())
                                          : kernels::kernel_of<Op, T, T, kind_of_op<ops::maximum>>();
}

template <dtype T>
core::kernel find_random_kernel(const planning::kernel_key& key) {
  using core::kernel;
  using kernels::kernel_of;
  // Sums of narrow floats are wider.
  constexpr dtype wide = ir::accumulator_of(T);
  if constexpr (wide != T)
    if (key.element == wide && key.kind != kind_of_op<ops::convert>) return find_random_kernel<wide>(key);
  switch (key.kind) {
    case kind_of_op<ops::add>:
      return key.result == dtype::i32 ? kernel(kernel_of<ops::add, dtype::i32, dtype::i32>())
                                      : kernel_of<ops::add, T, T>();
    case kind_of_op<ops::subtract>:
      return kernel_of<ops::subtract, T, T>();
    case kind_of_op<ops::multiply>:
      return kernel_of<ops::multiply, T, T>();
    case kind_of_op<ops::divide>:
      return kernel_of<ops::divide, T, T>();
    case kind_of_op<ops::maximum>:
      return key.result == dtype::i32 ? kernel(kernel_of<ops::maximum, dtype::i32, dtype::i32>())
                                      : kernel_of<ops::maximum, T, T>();
    case kind_of_op<ops::negate>:
      return kernel_of<ops::negate, T, T>();
    case kind_of_op<ops::abs>:
      return kernel_of<ops::abs, T, T>();
    case kind_of_op<ops::floor>:
      if constexpr (is_float(T)) return kernel_of<ops::floor, T, T>();
      return nullptr;
    case kind_of_op<ops::exponential>:
      if constexpr (is_float(T)) return kernel_of<ops::exponential, T, T>();
      return nullptr;
    case kind_of_op<ops::compare>:
      return key.element == dtype::i32 ? kernel(kernel_of<ops::compare, dtype::i32, dtype::i1>())
                                       : kernel_of<ops::compare, T, dtype::i1>();
    case kind_of_op<ops::clamp>:
      return kernel_of<ops::clamp, dtype::i32, dtype::i32>();
    case kind_of_op<ops::while_>:
      return kernel_of<ops::while_, dtype::ui32, dtype::ui32>();
    case kind_of_op<ops::if_>:
      return kernel_of<ops::if_, dtype::ui32, dtype::ui32>();
    case kind_of_op<ops::case_>:
      return kernel_of<ops::case_, dtype::ui32, dtype::ui32>();
    case kind_of_op<ops::sort>:
      return kernel_that_moves<T, ops::sort>(key);
    case kind_of_op<ops::scatter>:
      return key.body == kind_of_op<ops::add> ? kernel(kernel_of<ops::scatter, T, wide, kind_of_op<ops::add>>())
                                              : kernel_that_moves<T, ops::scatter>(key);
    case kind_of_op<ops::and_>:
      return kernel_of<ops::and_, dtype::i1, dtype::i1>();
    case kind_of_op<ops::select>:
      return kernel_of<ops::select, T, T>();
    case kind_of_op<ops::convert>:
      if (key.element == dtype::i32) return kernel_of<ops::convert, dtype::i32, T>();
      if (key.result == dtype::i32) return kernel_of<ops::convert, T, dtype::i32>();
      if (key.element == wide) return kernel_of<ops::convert, wide, T>();
      return kernel_of<ops::convert, T, T == dtype::f32 ? dtype::f64 : dtype::f32>();
    case kind_of_op<ops::reduce>:
      return kernel_that_folds<T, ops::reduce>(key);
    case kind_of_op<ops::reduce_window>:
      return kernel_that_folds<T, ops::reduce_window>(key);
    case kind_of_op<ops::dot_general>:
      return kernel_of<ops::dot_general, T, T>();
    case kind_of_op<ops::convolution>:
      return kernel_of<ops::convolution, T, T>();
    case kind_of_op<ops::transpose>:
      return kernel_that_moves<T, ops::transpose>(key);
    case kind_of_op<ops::slice>:
      return kernel_that_moves<T, ops::slice>(key);
    case kind_of_op<ops::reverse>:
      return kernel_that_moves<T, ops::reverse>(key);
    case kind_of_op<ops::reshape>:
      return kernel_that_moves<T, ops::reshape>(key);
    case kind_of_op<ops::broadcast_in_dim>:
      return kernel_that_moves<T, ops::broadcast_in_dim>(key);
    case kind_of_op<ops::gather>:
      return kernel_that_moves<T, ops::gather>(key);
    case kind_of_op<ops::dynamic_slice>:
      return kernel_that_moves<T, ops::dynamic_slice>(key);
    case kind_of_op<ops::dynamic_update_slice>:
      return kernel_that_moves<T, ops::dynamic_update_slice>(key);
    case kind_of_op<ops::pad>:
      return kernel_that_moves<T, ops::pad>(key);
    case kind_of_op<ops::concatenate>:
      return kernel_that_moves<T, ops::concatenate>(key);
    default:
      return nullptr;
  }
}

}  // namespace tenon::test
