// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/core/rules.hpp>
#include <tenon/ops/elementwise/expressed_values.hpp>

#include <cstring>

namespace tenon::ops {

template <class T>
T loaded(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T>
void stored(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

// The widest type of T's kind: every conversion within the kind may pass through it.
template <class T>
using widest_t = std::conditional_t<is_complex(dtype_of<T>), tenon::complex<f64>,
                                    std::conditional_t<is_float(dtype_of<T>), f64, i64>>;

// Reads one element of a type of the same kind as Wide, which is i64 (also for booleans), f64 or tenon::complex<f64>.
template <class Wide>
Wide read_element(dtype element, const void* from) {
  return visit(element, [&]<class T>() {
    if constexpr (std::same_as<widest_t<T>, Wide>)
      return convert_to<Wide>(loaded<T>(from));
    else
      return Wide{};
  });
}

// Writes one element: integers wrap around, floats are rounded once.
template <class Wide>
void write_element(dtype element, void* to, Wide value) {
  visit(element, [&]<class T>() {
    if constexpr (std::same_as<widest_t<T>, Wide>) stored(to, convert_to<T>(value));
  });
}

// Copies one element, converting between element types of the same kind.
inline void convert_element(dtype from_type, const void* from, dtype to_type, void* to) {
  if (from_type == to_type)
    std::memcpy(to, from, std::size_t(storage_bytes(to_type)));
  else if (is_float(from_type))
    write_element(to_type, to, read_element<f64>(from_type, from));
  else if (is_complex(from_type))
    write_element(to_type, to, read_element<tenon::complex<f64>>(from_type, from));
  else
    write_element(to_type, to, read_element<i64>(from_type, from));
}

// Writes a number as an element of a tensor that is quantized per tensor.
inline void quantize_element(const type_details* details, const tensor_type& type, f64 value, void* to) {
  const quantization parameters = details->quantization_of(type);
  scale_walk scales(parameters, type);
  expressed_values values;
  values.at[0] = value;
  values.round(parameters, 1);
  values.quantize(parameters, scales, 1);
  write_element(type.element, to, convert_to<i64>(values.at[0]));
}

// From one quantization to another. Cold: it works on all element types, and hardly any program asks for it.
[[gnu::cold, gnu::noinline]] inline void requantize_element(const type_details* details, const tensor_type& from_type,
                                                            const void* from, const tensor_type& to_type, void* to) {
  const quantization parameters = details->quantization_of(from_type);
  scale_walk scales(parameters, from_type);
  expressed_values values;
  values.at[0] = is_float(from_type.element) ? read_element<f64>(from_type.element, from)
                                             : convert_to<f64>(read_element<i64>(from_type.element, from));
  values.dequantize(parameters, scales, 1);
  quantize_element(details, to_type, values.at[0], to);
}

// convert_element for elements of these tensors, which may be quantized per tensor with different parameters.
inline void convert_element(const type_details* details, const tensor_type& from_type, const void* from,
                            const tensor_type& to_type, void* to) {
  if (from_type.quantization == to_type.quantization || details == nullptr) {
    convert_element(from_type.element, from, to_type.element, to);
    return;
  }
  requantize_element(details, from_type, from, to_type, to);
}

}  // namespace tenon::ops
