// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/kernels/fourier/fourier_table.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace tenon {

namespace detail {

// An op that is a Fourier transform along the last dimensions.
template <class Op>
concept transforms_lines = Op::transforms_lines;

// Transforms all lines along one dimension after the other, in f64: the last one first, but last for IRFFT.
template <class Op>
class line_transforms {
 public:
  line_transforms(const evaluation& e, const Op& op) : e_(e), op_(op), inverse_(op.is_inverse()) {}

  template <class T>
  void run() const {
    const int dimensions = op_.fft_length.size;
    if constexpr (std::same_as<T, f32> || std::same_as<T, f64>) {
      const ints &from = e_.operand_types.data[0].shape, &to = e_.result_types.data[0].shape;
      transform<T, complex<T>>(e_.operand<T>(0), from, e_.result<complex<T>>(), to, from.size - 1);
      for (int i = 1; i < dimensions; ++i) {
        complex<T>* const result = e_.result<complex<T>>();
        transform<complex<T>, complex<T>>(result, to, result, to, to.size - 1 - i);
      }
    } else if constexpr (is_complex(dtype_of<T>)) {
      const ints& shape = e_.operand_types.data[0].shape;
      const T* from = e_.operand<T>(0);
      const bool to_real = is_to_real();
      T* const complex_result = to_real ? copy_of_operand<T>() : e_.result<T>();
      for (int i = to_real ? 1 : 0; i < dimensions; ++i) {
        transform<T, T>(from, shape, complex_result, shape, shape.size - 1 - i);
        from = complex_result;
      }
      if (to_real) {
        using R = typename T::value_type;
        transform<T, R>(from, shape, e_.result<R>(), e_.result_types.data[0].shape, shape.size - 1);
      }
    }
  }

 private:
  const evaluation& e_;
  const Op& op_;
  bool inverse_;

  bool is_to_real() const { return inverse_ && e_.operand_types.data[0].element != e_.result_types.data[0].element; }
  // Memory for a tensor like the operand, behind that of the lines.
  template <class T>
  T* copy_of_operand() const {
    const index_t behind = op_.scratch_bytes(e_.operand_types, e_.result_types) -
                           (op_.needs_copy() ? byte_size(e_.operand_types.data[0]) : 0);
    return static_cast<T*>(static_cast<void*>(static_cast<std::byte*>(e_.scratch) + behind));
  }

  // Transforms all lines along `axis`. The two sides are of equal length, or one of them is the half of a spectrum that
  // determines the rest.
  template <class From, class To>
  void transform(const From* from, const ints& from_shape, To* to, const ints& to_shape, int axis) const {
    if (to_shape.product() == 0) return;
    const bool inverse = inverse_;
    void* const memory = e_.scratch;
    const index_t given = from_shape[axis], wanted = to_shape[axis], n = given > wanted ? given : wanted;
    const double scale = inverse ? 1 / double(n) : 1;
    const ints from_strides = strides_of(from_shape), to_strides = strides_of(to_shape), line_axis{axis};
    const index_t from_step = from_strides[axis], to_step = to_strides[axis];
    const ints rows = to_shape.without(line_axis);
    // Number i of the line that begins at `first`, and what comes out at frequency i for the one that goes to `target`.
    const auto read = [=](index_t first, index_t i) -> complex<double> {
      const bool mirrored = i >= given;
      const From value = from[first + (mirrored ? n - i : i) * from_step];
      complex<double> z;
      if constexpr (std::is_arithmetic_v<From>)
        z.real = value;
      else
        z = {value.real, mirrored ? -value.imag : value.imag};
      return inverse ? complex<double>{z.imag, z.real} : z;
    };
    const auto write = [=](index_t target, index_t i, const complex<double>& found) {
      const auto z = inverse ? complex<double>{found.imag, found.real} : found;
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
                      [&](index_t i, const complex<double>& z) {
                        if (i < wanted) write(target, i, z);
                      });
          },
          from_strides.without(line_axis), to_strides.without(line_axis));
    };
    if (fourier::are_side_by_side(rows.product(), n))
      transform_lines(eight_lines());
    else if (fourier_table::is_supported(n))
      transform_tables();
    else
      transform_lines(one_line());
  }
};

}  // namespace detail

// Runs an op that transforms lines.
template <class Op, class T>
void transform_kernel(const evaluation& e) {
  const Op op = read_attributes<Op>(e.words);
  detail::line_transforms<Op>(e, op).template run<T>();
}

}  // namespace tenon
