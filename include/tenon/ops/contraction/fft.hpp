// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/strided.hpp>
#include <tenon/ops/contraction/fourier_sizes.hpp>
#include <tenon/ops/contraction/matrices.hpp>
#include <tenon/ops/tensor_op.hpp>

#include <concepts>
#include <type_traits>

namespace tenon {

enum class fft_type { FFT, IFFT, RFFT, IRFFT };
template <>
inline constexpr std::string_view core::enumerators<fft_type>[] = {"FFT", "IFFT", "RFFT", "IRFFT"};

}  // namespace tenon

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#fft
struct fft {
  static constexpr std::string_view name = "fft";
  static constexpr op_notation notation = op_notation::attributes;
  static constexpr bool transforms_lines = true;
  tenon::fft_type fft_type{};
  ints fft_length{};

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("fft_type", self.fft_type) && visit("fft_length", self.fft_length);
  }

  constexpr tensor_type infer(rules& rule, const tensor_type& operand) const {
    const dtype element = operand.element;
    const int rank = operand.rank(), last = rank - 1, transformed = fft_length.size;
    const index_t length = fft_length[transformed - 1];
    rule("fft_i1", "operand: tensor of floating-point or complex type",
         rule.is(operand, kinds::floating_point | kinds::complex));
    rule("fft_c1", "size(fft_length) <= rank(operand)", transformed <= rank);
    rule("fft_c3", "1 <= size(fft_length) <= 3", 1 <= transformed && transformed <= 3);
    constexpr const char* elements =
        "FFT and IFFT: complex to the same, RFFT: E to complex<E>, IRFFT: complex<E> to E, where E is f32 or f64";
    tensor_type result = operand;
    if (fft_type == tenon::fft_type::RFFT) {
      rule("fft_c2", elements, element == dtype::f32 || element == dtype::f64);
      rule("fft_c4", "shape(operand)[-size(fft_length):] = fft_length", ends_in(operand.shape, fft_length));
      result = operand.with_element(element == dtype::f64 ? dtype::complex_f64 : dtype::complex_f32);
      result.shape.set(last, operand.dim(last) == 0 ? 0 : operand.dim(last) / 2 + 1);
    } else {
      rule("fft_c2", elements, is_complex(element));
    }
    if (fft_type == tenon::fft_type::IRFFT) {
      result = operand.with_element(real_type(element));
      result.shape.set(last, length);
      rule("fft_c4", "shape(result)[-size(fft_length):] = fft_length", ends_in(result.shape, fft_length));
      rule("fft_c5", "dim(operand, -1) = dim(result, -1) = 0 ? 0 : dim(result, -1) / 2 + 1",
           operand.dim(last) == (length == 0 ? 0 : length / 2 + 1));
    }
    rule.result_element("fft_c2", elements, result);
    rule.result_shape("fft_c5",
                      "shape(result) = shape(operand), but the last dimension is dim / 2 + 1 on the complex side of "
                      "RFFT and IRFFT",
                      result.shape);
    return result;
  }

  constexpr index_t scratch_bytes(list<tensor_type> operands, list<tensor_type> results) const {
    const tensor_type operand = operands[0], result = results[0];
    index_t line = 0;
    for (int i = 0; i < fft_length.size; ++i) {
      const int axis = operand.rank() - 1 - i;
      const bool is_to_real = fft_type == tenon::fft_type::IRFFT && i == 0;
      const index_t n = is_to_real ? result.dim(axis) : operand.dim(axis);
      const bool halves = (is_to_real || (fft_type == tenon::fft_type::RFFT && i == 0)) && n % 2 == 0;
      const index_t lines = result.shape.without(ints{axis}).product();
      const index_t bytes = fourier::bytes(lines, halves ? n / 2 : n, halves);
      if (bytes > line) line = bytes;
    }
    return line + (needs_copy() ? byte_size(operand) : 0);
  }

  // All along the transformed dimensions, which are the last ones.
  constexpr indexing::indexing_map reads(int, int, list<tensor_type> operands, list<tensor_type> results) const {
    ints whole;
    for (int i = results[0].rank() - fft_length.size; i < results[0].rank(); ++i) whole.push(i);
    return indexing::whole_axes_map(results[0].shape, operands[0].shape, whole);
  }

  constexpr batch_dimensions batches(list<tensor_type> operands) const {
    return {operands[0].rank() - fft_length.size};
  }

  // By the definition, in f64: a sum over all places along the transformed dimensions. What is not there of a real
  // signal's spectrum mirrors the rest. Programs run kernels/fourier/transform.hpp.
  template <class T>
  void evaluate(const evaluation& e) const {
    if constexpr (std::same_as<T, f32> || std::same_as<T, f64> || is_complex(dtype_of<T>)) {
      using R = element_t<is_complex(dtype_of<T>) ? real_type(dtype_of<T>) : dtype_of<T>>;
      const ints &from = e.operand_types.data[0].shape, &to = e.result_types.data[0].shape, steps = strides_of(from);
      const int batch = to.size - fft_length.size, last = fft_length.size - 1;
      index_t stored = 0;
      for_each_index(to, [&](const ints& frequency) {
        tenon::complex<double> sum{};
        for_each_index(fft_length, [&](const ints& place) {
          const bool is_mirrored = place.at[last] >= from[to.size - 1];
          tenon::complex<double> root{1, 0};
          index_t at = 0;
          for (int d = 0; d < batch; ++d) at += frequency.at[d] * steps.at[d];
          for (int d = 0; d <= last; ++d) {
            const index_t n = fft_length.at[d];
            at += (is_mirrored ? (n - place.at[d]) % n : place.at[d]) * steps.at[batch + d];
            root = root * root_of_unity(place.at[d] * frequency.at[batch + d] % n, n);
          }
          sum = sum + (is_inverse() ? conjugate(root) : root) * widened(e.operand<T>(0)[at], is_mirrored);
        });
        const double scale = is_inverse() ? 1 / double(fft_length.product()) : 1;
        if (fft_type == tenon::fft_type::IRFFT)
          e.result<R>()[stored++] = R(sum.real * scale);
        else
          e.result<tenon::complex<R>>()[stored++] = {R(sum.real * scale), R(sum.imag * scale)};
      });
    }
  }

  constexpr bool is_inverse() const { return fft_type == tenon::fft_type::IFFT || fft_type == tenon::fft_type::IRFFT; }
  // A copy of the operand is worked on, behind what lines take.
  constexpr bool needs_copy() const { return fft_type == tenon::fft_type::IRFFT && fft_length.size > 1; }

 private:
  template <class T>
  static constexpr tenon::complex<double> widened(const T& x, bool is_mirrored) {
    if constexpr (std::is_arithmetic_v<T>)
      return {double(x), 0};
    else
      return {double(x.real), is_mirrored ? -double(x.imag) : double(x.imag)};
  }
  static constexpr bool ends_in(const ints& shape, const ints& end) {
    for (int i = 0; i < end.size; ++i)
      if (shape[shape.size - end.size + i] != end[i]) return false;
    return true;
  }
};

}  // namespace tenon::ops

namespace tenon {

// fft<fft_type::RFFT, ints{8}>(x): the discrete Fourier transform over the last axes, as many as Length has. FFT and
// IFFT take and give complex numbers; RFFT takes floats and gives Length / 2 + 1 complex numbers along the last axis,
// IRFFT the other way round.
template <fft_type Type, ints Length, operand_like Operand>
constexpr auto fft(Operand&& operand, op_check<ops::fft{Type, Length}, result_types<>, Operand> = {}) {
  return apply<ops::fft{Type, Length}>(static_cast<Operand&&>(operand));
}

}  // namespace tenon
