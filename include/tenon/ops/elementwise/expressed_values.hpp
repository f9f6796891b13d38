// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/core/rules.hpp>
#include <tenon/math/rounding.hpp>
#include <tenon/ops/elementwise/quantized_lanes.hpp>

namespace tenon::ops {

// Steps through the scales of a quantized tensor in the order of its elements.
class scale_walk {
 public:
  scale_walk(const quantization& parameters, const tensor_type& type) : parameters_(parameters) {
    if (!parameters.per_axis()) return;
    period_ = 1;
    for (int i = parameters.dimension + 1; i < type.rank(); ++i) period_ *= type.dim(i);
    left_ = period_;
  }

  double scale() const { return parameters_.scales[at_]; }
  double zero_point() const { return double(parameters_.zero_points[at_]); }
  void step() { advance(1); }
  // How many of the next `most` elements have the same scale.
  index_t run(index_t most) const { return period_ == 0 || most < left_ ? most : left_; }
  // Advances by a number of elements, at most a run.
  void advance(index_t elements) {
    if (period_ == 0 || (left_ -= elements) > 0) return;
    left_ = period_;
    if (++at_ == parameters_.scales.size) at_ = 0;
  }
  // Whether runs are too short for vectors.
  bool has_short_runs() const { return period_ != 0 && period_ < 16; }
  lane_scale in_f32() const {
    return {convert_to<f32>(scale()), f32(zero_point()), f32(parameters_.storage_min), f32(parameters_.storage_max)};
  }

 private:
  quantization parameters_;
  index_t period_ = 0, left_ = 0;  // elements to the next scale; period 0: there is but one scale
  int at_ = 0;
};

// Whether this quantization is of f32, and can be undone and done in vectors of the storage type T.
template <class T>
bool quantizes_in_lanes(const quantization& parameters, const scale_walk& walk) {
  return quantizes_lanes<T> && parameters.expressed == dtype::f32 && parameters.storage == dtype_of<T> &&
         !walk.has_short_runs();
}

// f(T{}) for the type T of what is stored, if there are vectors for it; false if not.
template <class Function>
bool with_lanes_of(const quantization& parameters, const scale_walk& walk, Function f) {
  return visit(parameters.storage, [&]<class T>() {
    if constexpr (quantizes_lanes<T>) {
      if (quantizes_in_lanes<T>(parameters, walk)) return f(T{}), true;
    }
    return false;
  });
}

// The next elements, `count` of them, in runs of one scale.
template <class T>
void dequantize_in_lanes(const T* from, f32* to, index_t count, scale_walk& walk) {
  for (index_t i = 0, run = 0; i < count; i += run, walk.advance(run))
    dequantize_run(from + i, to + i, run = walk.run(count - i), walk.in_f32());
}
template <class T>
void quantize_in_lanes(const f32* from, T* to, index_t count, scale_walk& walk) {
  for (index_t i = 0, run = 0; i < count; i += run, walk.advance(run))
    quantize_run(from + i, to + i, run = walk.run(count - i), walk.in_f32());
}

// The arithmetic of quantization, which the specification does in the expressed type: here it is done in f64 and
// rounded to the expressed type after every step, which gives the same. Works on blocks, so that types are looked up
// but once for many elements.
struct expressed_values {
  static constexpr index_t capacity = 64;
  double at[capacity];

  void read(dtype element, const void* from, index_t first, index_t count) {
    visit(element, [&]<class T>() {
      if constexpr (!is_complex(dtype_of<T>))
        for (index_t i = 0; i < count; ++i) at[i] = convert_to<double>(static_cast<const T*>(from)[first + i]);
    });
  }
  template <class T>
  void write(T* to, index_t first, index_t count) const {
    for (index_t i = 0; i < count; ++i) to[first + i] = convert_to<T>(at[i]);
  }

  // To values of the expressed type.
  void round(const quantization& parameters, index_t count) {
    with_rounding(parameters.expressed, [&](auto rounded) {
      for (index_t i = 0; i < count; ++i) at[i] = rounded(at[i]);
    });
  }

  // (stored - zero_point) * scale
  void dequantize(const quantization& parameters, scale_walk& walk, index_t count) {
    with_rounding(parameters.expressed, [&](auto rounded) {
      const auto dequantized = [rounded](double value, double zero_point, double scale) {
        return rounded(rounded(value - zero_point) * scale);
      };
      if (!parameters.per_axis()) {
        const double zero_point = walk.zero_point(), scale = rounded(walk.scale());
        for (index_t i = 0; i < count; ++i) at[i] = dequantized(at[i], zero_point, scale);
        return;
      }
      for (index_t i = 0; i < count; ++i, walk.step())
        at[i] = dequantized(at[i], walk.zero_point(), rounded(walk.scale()));
    });
  }
  // round_nearest_even(clamp(storage_min, value / scale + zero_point, storage_max))
  void quantize(const quantization& parameters, scale_walk& walk, index_t count) {
    with_rounding(parameters.expressed, [&](auto rounded) {
      const double min = rounded(double(parameters.storage_min)), max = rounded(double(parameters.storage_max));
      const auto quantized = [rounded, min, max](double value, double zero_point, double scale) {
        const double shifted = rounded(rounded(value / scale) + zero_point);
        // Storage has at most 32 bits, so the sum keeps no fraction.
        constexpr double whole = 6755399441055744.0;
        return (shifted < min ? min : shifted > max ? max : shifted) + whole - whole;
      };
      if (!parameters.per_axis()) {
        const double zero_point = rounded(walk.zero_point()), scale = rounded(walk.scale());
        for (index_t i = 0; i < count; ++i) at[i] = quantized(at[i], zero_point, scale);
        return;
      }
      for (index_t i = 0; i < count; ++i, walk.step())
        at[i] = quantized(at[i], rounded(walk.zero_point()), rounded(walk.scale()));
    });
  }

 private:
  template <class E>
  static double rounded_to(double value) {
    return convert_to<double>(convert_to<E>(value));
  }
  // Calls f with what rounds to the expressed type. For f32, which is what models have, compilers see through that.
  template <class Function>
  static void with_rounding(dtype expressed, Function f) {
    if (expressed == dtype::f32) return f([](double value) { return rounded_to<f32>(value); });
    double (*rounded)(double) = nullptr;
    visit(expressed, [&]<class E>() {
      if constexpr (is_float(dtype_of<E>)) rounded = &rounded_to<E>;
    });
    if (rounded != nullptr) f(rounded);
  }
};

}  // namespace tenon::ops
