// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/indexing/builders.hpp>
#include <tenon/ops/contraction/fourier_table.hpp>
#include <tenon/ops/op.hpp>

#include <cstddef>

namespace tenon {

enum class fft_type { FFT, IFFT, RFFT, IRFFT };
template <>
inline constexpr std::string_view enumerators<fft_type>[] = {"FFT", "IFFT", "RFFT", "IRFFT"};

}  // namespace tenon

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#fft
struct fft {
  static constexpr std::string_view name = "fft";
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
      const bool real = fft_type == tenon::fft_type::IRFFT && i == 0;
      const index_t n = real ? result.dim(axis) : operand.dim(axis);
      const index_t lines = result.shape.without(ints{axis}).product();
      const index_t bytes = side_by_side(lines, n)     ? fourier_line<eight_lines>::scratch_bytes(n)
                            : fourier_table::serves(n) ? fourier_table::scratch_bytes(n)
                                                       : fourier_line<one_line>::scratch_bytes(n);
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

  // Each line is computed in f64. Several dimensions are transformed one by one: the last one first, but last for
  // IRFFT.
  template <class T>
  void evaluate(const evaluation& e) const {
    if constexpr (std::same_as<T, f32> || std::same_as<T, f64>) {
      const ints &from = e.operand_types.data[0].shape, &to = e.result_types.data[0].shape;
      transform<T, tenon::complex<T>>(e.operand<T>(0), from, e.result<tenon::complex<T>>(), to, from.size - 1,
                                      e.scratch);
      for (int i = 1; i < fft_length.size; ++i) {
        tenon::complex<T>* const result = e.result<tenon::complex<T>>();
        transform<tenon::complex<T>, tenon::complex<T>>(result, to, result, to, to.size - 1 - i, e.scratch);
      }
    } else if constexpr (is_complex(dtype_of<T>)) {
      const ints& shape = e.operand_types.data[0].shape;
      const T* from = e.operand<T>(0);
      const bool to_real = fft_type == tenon::fft_type::IRFFT;
      T* const complex_result = to_real ? copy<T>(e) : e.result<T>();
      for (int i = to_real ? 1 : 0; i < fft_length.size; ++i) {
        transform<T, T>(from, shape, complex_result, shape, shape.size - 1 - i, e.scratch);
        from = complex_result;
      }
      if (to_real) {
        using R = typename T::value_type;
        transform<T, R>(from, shape, e.result<R>(), e.result_types.data[0].shape, shape.size - 1, e.scratch);
      }
    }
  }

 private:
  // Whether so many lines of n numbers are worked on several at a time, for which the second cache must have room.
  static constexpr bool side_by_side(index_t lines, index_t n) {
    return 2 * lines >= eight_lines::count && fourier_line<eight_lines>::scratch_bytes(n) <= 1024 * 1024;
  }
  constexpr bool needs_copy() const { return fft_type == tenon::fft_type::IRFFT && fft_length.size > 1; }
  static constexpr bool ends_in(const ints& shape, const ints& end) {
    for (int i = 0; i < end.size; ++i)
      if (shape[shape.size - end.size + i] != end[i]) return false;
    return true;
  }
  // Memory for a tensor like the operand, behind that of the lines.
  template <class T>
  T* copy(const evaluation& e) const {
    const index_t behind =
        scratch_bytes(e.operand_types, e.result_types) - (needs_copy() ? byte_size(e.operand_types.data[0]) : 0);
    return static_cast<T*>(static_cast<void*>(static_cast<std::byte*>(e.scratch) + behind));
  }

  // Transforms all lines along `axis`. The two sides are of equal length, or one of them is the half of a spectrum that
  // determines the rest.
  template <class From, class To>
  void transform(const From* from, const ints& from_shape, To* to, const ints& to_shape, int axis, void* memory) const {
    if (to_shape.product() == 0) return;
    const bool inverse = fft_type == tenon::fft_type::IFFT || fft_type == tenon::fft_type::IRFFT;
    const index_t given = from_shape[axis], wanted = to_shape[axis], n = given > wanted ? given : wanted;
    const double scale = inverse ? 1 / double(n) : 1;
    const ints from_strides = strides_of(from_shape), to_strides = strides_of(to_shape), line_axis{axis};
    const index_t from_step = from_strides[axis], to_step = to_strides[axis];
    const ints rows = to_shape.without(line_axis);
    // Number i of the line that begins at `first`, and what comes out at frequency i for the one that goes to `target`.
    const auto read = [=](index_t first, index_t i) -> tenon::complex<double> {
      const bool mirrored = i >= given;
      const From value = from[first + (mirrored ? n - i : i) * from_step];
      tenon::complex<double> z;
      if constexpr (std::is_arithmetic_v<From>)
        z.real = value;
      else
        z = {value.real, mirrored ? -value.imag : value.imag};
      return inverse ? tenon::complex<double>{z.imag, z.real} : z;
    };
    const auto write = [=](index_t target, index_t i, const tenon::complex<double>& found) {
      const auto z = inverse ? tenon::complex<double>{found.imag, found.real} : found;
      To& result = to[target + i * to_step];
      if constexpr (std::is_arithmetic_v<To>)
        result = To(z.real * scale);
      else
        result = {typename To::value_type(z.real * scale), typename To::value_type(z.imag * scale)};
    };
    const auto transform_lines = [&]<class Numbers>(Numbers) {
      fourier_line<Numbers> line(n, memory);
      // Where lines begin that are yet to be transformed, and where they go.
      index_t firsts[Numbers::count], targets[Numbers::count], count = 0;
      const auto run = [&] {
        for (index_t i = 0; i < n; ++i)
          for (index_t l = 0; l < count; ++l) Numbers::set(line[i], l, read(firsts[l], i));
        line.run();
        for (index_t i = 0; i < wanted; ++i)
          for (index_t l = 0; l < count; ++l) write(targets[l], i, Numbers::get(line[i], l));
        count = 0;
      };
      for_each_offset(
          rows,
          [&](index_t first, index_t target) {
            firsts[count] = first, targets[count] = target;
            if (++count == Numbers::count) run();
          },
          from_strides.without(line_axis), to_strides.without(line_axis));
      if (count < 1) return;
      // What is left over is one of them several times.
      for (index_t l = count; l < Numbers::count; ++l) firsts[l] = firsts[0], targets[l] = targets[0];
      count = Numbers::count;
      run();
    };
    const auto transform_tables = [&] {
      fourier_table table(n, memory);
      for_each_offset(
          rows,
          [&](index_t first, index_t target) {
            table.run([&](index_t i) { return read(first, i); },
                      [&](index_t i, const tenon::complex<double>& z) {
                        if (i < wanted) write(target, i, z);
                      });
          },
          from_strides.without(line_axis), to_strides.without(line_axis));
    };
    if (side_by_side(rows.product(), n))
      transform_lines(eight_lines());
    else if (fourier_table::serves(n))
      transform_tables();
    else
      transform_lines(one_line());
  }
};

}  // namespace tenon::ops

namespace tenon {

// fft<fft_type::RFFT, ints{8}>(x)
template <fft_type Type, ints Length, operand_like Operand>
constexpr auto fft(Operand&& operand) {
  return apply<ops::fft{Type, Length}>(static_cast<Operand&&>(operand));
}

}  // namespace tenon
