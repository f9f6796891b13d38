// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>, <tenon/programs.hpp>, <tenon/planned_programs.hpp>.
#pragma once

#include <tenon/core/rooms.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tenon {

// Element types, spelled as in StableHLO text. `tf32` exists only as a precision in dot algorithms; the names after
// `complex_f64` mark values that are not tensors; `none` is the answer for an unknown name.
// https://openxla.org/stablehlo/spec#types
enum class dtype : std::uint8_t {
  none,
  i1,
  i2,
  i4,
  i8,
  i16,
  i32,
  i64,
  ui2,
  ui4,
  ui8,
  ui16,
  ui32,
  ui64,
  f4E2M1FN,
  f6E2M3FN,
  f6E3M2FN,
  f8E3M4,
  f8E4M3,
  f8E4M3FN,
  f8E4M3FNUZ,
  f8E4M3B11FNUZ,
  f8E5M2,
  f8E5M2FNUZ,
  f8E8M0FNU,
  bf16,
  f16,
  tf32,
  f32,
  f64,
  complex_f32,
  complex_f64,
  token,
  tuple,
  future,
  other
};

// The numbers of C++ that are elements.
using i1 = bool;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using ui8 = std::uint8_t;
using ui16 = std::uint16_t;
using ui32 = std::uint32_t;
using ui64 = std::uint64_t;
using f32 = float;
using f64 = double;

inline constexpr int dtype_count = int(dtype::other) + 1;

namespace detail {

struct dtype_facts {
  std::string_view name;
  int bits = 0;
};

// Indexed by dtype.
inline constexpr dtype_facts dtype_table[] = {
    {"none", 0},
    {"i1", 1},
    {"i2", 2},
    {"i4", 4},
    {"i8", 8},
    {"i16", 16},
    {"i32", 32},
    {"i64", 64},
    {"ui2", 2},
    {"ui4", 4},
    {"ui8", 8},
    {"ui16", 16},
    {"ui32", 32},
    {"ui64", 64},
    {"f4E2M1FN", 4},
    {"f6E2M3FN", 6},
    {"f6E3M2FN", 6},
    {"f8E3M4", 8},
    {"f8E4M3", 8},
    {"f8E4M3FN", 8},
    {"f8E4M3FNUZ", 8},
    {"f8E4M3B11FNUZ", 8},
    {"f8E5M2", 8},
    {"f8E5M2FNUZ", 8},
    {"f8E8M0FNU", 8},
    {"bf16", 16},
    {"f16", 16},
    {"tf32", 19},
    {"f32", 32},
    {"f64", 64},
    {"complex<f32>", 64},
    {"complex<f64>", 128},
    {"token", 0},
    {"tuple", 0},
    {"future", 0},
    {"other", 0},
};
static_assert(sizeof dtype_table / sizeof dtype_table[0] == dtype_count);

constexpr bool same_text(std::string_view a, std::string_view b) { return a == b; }

// Distinct for all names of the table.
constexpr unsigned dtype_slot(std::string_view text) {
  unsigned hash = unsigned(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) hash = hash * 57u + static_cast<unsigned char>(text[i]);
  return hash % 127u;
}

struct dtype_slots {
  dtype at[127] = {};

  constexpr dtype_slots() {
    for (int i = int(dtype::none) + 1; i <= int(dtype::complex_f64); ++i) {
      dtype& slot = at[dtype_slot(dtype_table[i].name)];
      collision = collision || slot != dtype::none;
      slot = dtype(i);
    }
  }

  bool collision = false;
};

inline constexpr dtype_slots dtype_by_name;
static_assert(!dtype_by_name.collision);

}  // namespace detail

// "f32", "complex<f32>", ...
constexpr std::string_view name(dtype type) { return detail::dtype_table[int(type)].name; }

// The element type of that name; `none` if there is none. Names of types that no tensor can hold are not found.
constexpr dtype dtype_named(std::string_view text) {
  if (text.size() < 2 || text.size() > 13) return dtype::none;
  const dtype candidate = detail::dtype_by_name.at[detail::dtype_slot(text)];
  return text == name(candidate) ? candidate : dtype::none;
}

constexpr bool is_boolean(dtype type) { return type == dtype::i1; }
constexpr bool is_signed_integer(dtype type) { return type >= dtype::i2 && type <= dtype::i64; }
constexpr bool is_unsigned_integer(dtype type) { return type >= dtype::ui2 && type <= dtype::ui64; }
// Not i1.
constexpr bool is_integer(dtype type) { return type >= dtype::i2 && type <= dtype::ui64; }
constexpr bool is_float(dtype type) { return type >= dtype::f4E2M1FN && type <= dtype::f64; }
constexpr bool is_complex(dtype type) { return type == dtype::complex_f32 || type == dtype::complex_f64; }

// Something a tensor can hold.
constexpr bool is_element(dtype type) {
  return type > dtype::none && type <= dtype::complex_f64 && type != dtype::tf32;
}

// A complex number counts both parts; 0 for types that are not numbers.
constexpr int num_bits(dtype type) { return detail::dtype_table[int(type)].bits; }

// Elements narrower than a byte take a byte each.
constexpr int storage_bytes(dtype type) { return type == dtype::tf32 ? 4 : (num_bits(type) + 7) / 8; }

// The unsigned integer type of 1, 2, 4 or 8 bytes.
constexpr dtype unsigned_type(int bytes) {
  return bytes == 1 ? dtype::ui8 : bytes == 2 ? dtype::ui16 : bytes == 4 ? dtype::ui32 : dtype::ui64;
}

// complex_element_type of the specification: f32 for complex<f32>; other types answer themselves.
constexpr dtype real_type(dtype type) {
  if (type == dtype::complex_f32) return dtype::f32;
  if (type == dtype::complex_f64) return dtype::f64;
  return type;
}

// is_promotable of the specification, for element types that are not quantized.
// https://openxla.org/stablehlo/spec#functions-on-types
constexpr bool is_promotable(dtype from, dtype to) {
  const bool same_kind = (is_boolean(from) && is_boolean(to)) || (is_integer(from) && is_integer(to)) ||
                         (is_float(from) && is_float(to)) || (is_complex(from) && is_complex(to));
  return same_kind && num_bits(from) <= num_bits(to);
}

}  // namespace tenon
