// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/copy_run.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/lanes.hpp>
#include <tenon/ops/convert_element.hpp>
#include <tenon/ops/result_rules.hpp>
#include <tenon/ops/tensor_op.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

namespace tenon {

inline constexpr kinds iota_kinds =
    kinds::integer | kinds::floating_point | kinds::complex | kinds::per_tensor_quantized;

namespace detail {

// to[k] = k
template <class T>
void count_up(T* to, index_t size) {
  index_t k = 0;
  if constexpr (has_lanes<T>) {
    const hn::ScalableTag<T> d;
    const index_t lanes = index_t(hn::Lanes(d));
    index_t end = size;
    // Sums are exact as far as that.
    if constexpr (std::is_floating_point_v<T>) end = std::min(size, index_t(1) << std::numeric_limits<T>::digits);
    auto next = hn::Iota(d, 0);
    const auto step = hn::Set(d, T(lanes));
    for (; k + lanes <= end; k += lanes) {
      hn::StoreU(next, d, to + k);
      next = hn::Add(next, step);
    }
  }
  for (T* at = to + k; at != to + size; ++at) *at = convert_to<T>(k++);
}

}  // namespace detail

// Each element of result 0 becomes its index along `dimension`; T is the type of the elements, or what a quantized
// tensor stores.
template <class T>
void fill_with_indices(const core::evaluation& e, index_t dimension) {
  const tensor_type& type = e.result_types.data[0];
  ints inner = type.shape;
  for (int axis = 0; axis <= dimension; ++axis) inner.set(axis, 1);
  const index_t size = type.dim(dimension), repeats = inner.product(), total = type.size();
  T* to = e.result<T>();
  if (total == 0) return;
  if (repeats == 1 && !type.is_quantized()) {
    // Once along the dimension, and copies of that.
    detail::count_up(to, size);
    for (index_t first = size; first < total; first += size) std::memcpy(to + first, to, std::size_t(size) * sizeof(T));
    return;
  }
  const auto fill = [&](auto value_of) {
    for (T* const end = to + total; to != end;)
      for (index_t k = 0; k < size; ++k, to += repeats) core::fill_row(to, value_of(k), repeats);
  };
  if (!type.is_quantized()) return fill([](index_t k) { return convert_to<T>(k); });
  fill([&](index_t k) {
    // As large as any element, for compilers that do not see which one it is.
    alignas(16) std::byte bytes[16]{};
    ops::quantize_element(e.details, type, f64(k), bytes);
    T value{};
    std::memcpy(&value, bytes, sizeof value);
    return value;
  });
}

}  // namespace tenon

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#iota
struct iota {
  static constexpr std::string_view name = "iota";
  static constexpr op_notation notation = op_notation::attributes;
  static constexpr std::string_view no_maps = "it has no operands";
  static constexpr int typed_by = -1;
  index_t iota_dimension = 0;

  static constexpr bool attributes(auto& self, auto visit) { return visit("iota_dimension", self.iota_dimension); }

  constexpr tensor_type infer(rules& rule) const {
    const tensor_type result = declared_result(rule, "iota_o1");
    rule("iota_o1", "output: tensor of integer, floating-point, or complex type or per-tensor quantized tensor",
         rule.is(result, iota_kinds));
    rule("iota_c1", "0 <= iota_dimension < rank(output)", 0 <= iota_dimension && iota_dimension < result.rank());
    return result;
  }

  template <class T>
  void evaluate(const evaluation& e) const {
    fill_with_indices<T>(e, iota_dimension);
  }
};

}  // namespace tenon::ops

namespace tenon {

// A tensor of T's, integers, floats or complex numbers, of this shape, whose elements are their indices along
// IotaDimension.
template <class T, ints Shape, index_t IotaDimension = 0>
constexpr auto iota() {
  return apply<ops::iota{IotaDimension}, result_types<type_of(dtype_of<T>, Shape)>>();
}

}  // namespace tenon
