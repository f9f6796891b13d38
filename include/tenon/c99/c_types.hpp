// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/core/tensor_type.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

// Programs as text in C99.
namespace tenon::c99 {

using namespace detail;

// Floats of 16 bits are stored as their bits, and are floats where C computes.
constexpr bool is_narrow_float(dtype element) { return element == dtype::bf16 || element == dtype::f16; }

// Whether C has a type for these elements.
constexpr bool has_c_type(dtype element) {
  return is_boolean(element) || is_integer(element) || is_narrow_float(element) || element == dtype::f32 ||
         element == dtype::f64 || is_complex(element);
}

inline std::string integer_type(int bytes, bool is_signed) {
  return std::string(is_signed ? "int" : "uint") + std::to_string(8 * bytes) + "_t";
}
// The type of an element in memory.
inline std::string stored_type(dtype element) {
  if (is_boolean(element)) return "bool";
  if (is_complex(element)) return element == dtype::complex_f32 ? "complex_f32" : "complex_f64";
  if (element == dtype::f32) return "float";
  if (element == dtype::f64) return "double";
  return integer_type(storage_bytes(element), is_signed_integer(element));
}
// The type of an element in an expression.
inline std::string value_type(dtype element) { return is_narrow_float(element) ? "float" : stored_type(element); }
// The type of pointers in the function's head: complex numbers are pairs.
inline std::string parameter_type(dtype element) {
  if (is_complex(element)) return element == dtype::complex_f32 ? "float" : "double";
  return stored_type(element);
}
// The unsigned type in which integers wrap around, and which no promotion makes signed.
inline std::string wrapping_type(dtype element) { return num_bits(element) > 32 ? "uint64_t" : "uint32_t"; }

// Of names of functions: add_f, add_d. Narrow floats are computed as float.
inline std::string suffix_of(dtype element) {
  if (element == dtype::complex_f32) return "cf";
  if (element == dtype::complex_f64) return "cd";
  return element == dtype::f64 ? "d" : "f";
}
inline std::string name_of(dtype element) { return std::string(name(element)); }

inline std::string float_literal(double value, bool is_single) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value < 0 ? "-INFINITY" : "INFINITY";
  char text[48];
  std::snprintf(text, sizeof text, is_single ? "%.9g" : "%.17g", value);
  std::string result = text;
  if (result.find_first_of(".e") == result.npos) result += ".0";
  return is_single ? result + "f" : result;
}

// An element of memory as a constant of C: of its stored type, or else of the type of values.
inline std::string literal(dtype element, const void* from, bool is_stored) {
  return visit(element, [&]<class T>() -> std::string {
    T value;
    std::memcpy(&value, from, sizeof value);
    if constexpr (std::is_same_v<T, bool>) {
      return value ? "true" : "false";
    } else if constexpr (is_complex(dtype_of<T>)) {
      const bool single = sizeof(value.real) == sizeof(float);
      const std::string parts =
          "{" + float_literal(double(value.real), single) + ", " + float_literal(double(value.imag), single) + "}";
      return is_stored ? parts : "(" + stored_type(element) + ")" + parts;
    } else if constexpr (is_float(dtype_of<T>)) {
      if constexpr (sizeof(T) == 2)
        if (is_stored) {
          std::uint16_t bits;
          std::memcpy(&bits, from, sizeof bits);
          return std::to_string(bits);
        }
      return float_literal(convert_to<double>(value), element != dtype::f64);
    } else {
      const index_t number = convert_to<index_t>(value);
      if (element == dtype::i64) return number == INT64_MIN ? "INT64_MIN" : "INT64_C(" + std::to_string(number) + ")";
      if (element == dtype::ui64) return "UINT64_C(" + std::to_string(std::uint64_t(number)) + ")";
      if (element == dtype::ui32) return std::to_string(number) + "u";
      if (element == dtype::i32 && number == INT32_MIN) return "INT32_MIN";
      return std::to_string(number);
    }
  });
}

inline std::string text_of(const tensor_type& type) {
  std::string text = "tensor<";
  for (const index_t size : type.shape) text += std::to_string(size) + "x";
  return text + name_of(type.element) + ">";
}

}  // namespace tenon::c99
