// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>, <tenon/programs.hpp>, <tenon/planned_programs.hpp>.
#pragma once

#include <tenon/core/dtype.hpp>
#include <tenon/core/ints.hpp>

namespace tenon {

// Element type and shape as a value: what the rules of the specification speak about. One value stands for every kind
// of type in a program, since operands and results may be tokens, tuples and futures as well.
// https://openxla.org/stablehlo/spec#types
struct tensor_type {
  // For a quantized tensor the storage type; `token`, `tuple`, `future`, `other` where the value is no tensor.
  dtype element = dtype::none;
  // Bit d: the size of dimension d is known at run time only, and shape[d] is its bound.
  std::uint8_t bounded = 0;
  // Which quantization parameters of the program (1, 2, ...); 0 if not quantized. Equal parameters have equal numbers.
  std::int16_t quantization = 0;
  // Which member list of the program (1, 2, ...), for tuples and futures.
  std::int16_t members = 0;
  ints shape;

  constexpr int rank() const { return shape.size; }
  constexpr index_t size() const { return shape.product(); }
  constexpr index_t dim(index_t axis) const { return shape[axis]; }
  constexpr bool is_bounded(index_t axis) const { return 0 <= axis && axis < max_rank && (bounded >> axis & 1) != 0; }
  constexpr void bound(index_t axis) {
    if (0 <= axis && axis < max_rank) bounded = std::uint8_t(bounded | 1 << axis);
  }
  // The same, with another size along a dimension that is known while compiling.
  constexpr tensor_type with_size(index_t axis, index_t size) const {
    tensor_type result = *this;
    result.shape.set(int(axis), size);
    if (is_bounded(axis)) result.bounded = std::uint8_t(bounded ^ 1 << axis);
    return result;
  }
  constexpr bool is_tensor() const { return element > dtype::none && element < dtype::token; }
  constexpr bool is_quantized() const { return quantization != 0; }
  constexpr bool is_token() const { return element == dtype::token; }

  constexpr tensor_type with_shape(const ints& other) const {
    tensor_type result = *this;
    result.shape = other;
    result.bounded = 0;
    return result;
  }
  constexpr tensor_type with_element(dtype other) const {
    tensor_type result = *this;
    result.element = other;
    result.quantization = 0;
    return result;
  }

  friend constexpr bool operator==(const tensor_type& a, const tensor_type& b) = default;
};

constexpr tensor_type token_type() { return {dtype::token, 0, 0, 0, {}}; }
constexpr tensor_type type_of(dtype element, const ints& shape = {}) { return {element, 0, 0, 0, shape}; }

// A declared result type that leaves the shape to the operands, as C++ writes it in `convert<f64>(x)`.
constexpr tensor_type with_open_shape(dtype element) {
  tensor_type result = type_of(element);
  result.shape.dropped = -1;
  return result;
}
constexpr bool has_open_shape(const tensor_type& type) { return type.shape.dropped < 0; }

// Bytes of a tensor in memory; saturates at the largest index_t. Types narrower than a byte take one.
constexpr index_t byte_size(const tensor_type& type) {
  const index_t size = type.size(), bytes = index_t(storage_bytes(type.element));
  return bytes != 0 && size > INT64_MAX / bytes ? INT64_MAX : size * bytes;
}

// Sets of element types, as the input tables of the specification name them.
enum class kinds : unsigned {
  boolean = 1,
  signed_integer = 2,
  unsigned_integer = 4,
  integer = 6,
  floating_point = 8,
  complex = 16,
  any = 31,
  per_tensor_quantized = 32,
  per_axis_quantized = 64,
  quantized = 96
};
constexpr kinds operator|(kinds a, kinds b) { return kinds(unsigned(a) | unsigned(b)); }
constexpr bool has(kinds set, kinds member) { return (unsigned(set) & unsigned(member)) != 0; }

constexpr kinds kind_of(dtype element) {
  if (is_boolean(element)) return kinds::boolean;
  if (is_signed_integer(element)) return kinds::signed_integer;
  if (is_unsigned_integer(element)) return kinds::unsigned_integer;
  if (is_float(element)) return kinds::floating_point;
  if (is_complex(element)) return kinds::complex;
  return kinds(0);
}

}  // namespace tenon
