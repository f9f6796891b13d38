// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/dtype.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;

namespace {

constexpr bool every_name_is_found() {
  for (int i = int(dtype::none) + 1; i <= int(dtype::complex_f64); ++i)
    if (dtype_named(name(dtype(i))) != dtype(i)) return false;
  return true;
}
static_assert(every_name_is_found());

static_assert(name(dtype::f32) == "f32" && name(dtype::complex_f64) == "complex<f64>" && name(dtype::i1) == "i1");
static_assert(name(dtype::f8E4M3B11FNUZ) == "f8E4M3B11FNUZ" && name(dtype::other) == "other");

static_assert(dtype_named("") == dtype::none && dtype_named("f") == dtype::none && dtype_named("f33") == dtype::none);
static_assert(dtype_named("none") == dtype::none && dtype_named("token") == dtype::none);
static_assert(dtype_named("F32") == dtype::none && dtype_named("f8E4M3fn") == dtype::none);
static_assert(dtype_named("si32") == dtype::none && dtype_named("complex<f16>") == dtype::none);

static_assert(is_boolean(dtype::i1) && !is_integer(dtype::i1) && !is_signed_integer(dtype::i1));
static_assert(is_integer(dtype::i2) && is_signed_integer(dtype::i64) && !is_signed_integer(dtype::ui2));
static_assert(is_integer(dtype::ui64) && is_unsigned_integer(dtype::ui2) && !is_unsigned_integer(dtype::i64));
static_assert(is_float(dtype::f4E2M1FN) && is_float(dtype::f64) && !is_float(dtype::ui64) &&
              !is_float(dtype::complex_f32));
static_assert(is_complex(dtype::complex_f32) && is_complex(dtype::complex_f64) && !is_complex(dtype::token));
static_assert(is_element(dtype::i1) && is_element(dtype::complex_f64) && !is_element(dtype::none) &&
              !is_element(dtype::tf32) && !is_element(dtype::token) && !is_element(dtype::other));

static_assert(num_bits(dtype::i1) == 1 && num_bits(dtype::ui4) == 4 && num_bits(dtype::f6E3M2FN) == 6);
static_assert(num_bits(dtype::tf32) == 19 && num_bits(dtype::complex_f64) == 128 && num_bits(dtype::token) == 0);
static_assert(storage_bytes(dtype::i1) == 1 && storage_bytes(dtype::i2) == 1 && storage_bytes(dtype::f4E2M1FN) == 1);
static_assert(unsigned_type(1) == dtype::ui8 && unsigned_type(2) == dtype::ui16 && unsigned_type(4) == dtype::ui32 &&
              unsigned_type(8) == dtype::ui64);
static_assert(storage_bytes(dtype::bf16) == 2 && storage_bytes(dtype::complex_f32) == 8);

static_assert(real_type(dtype::complex_f32) == dtype::f32 && real_type(dtype::complex_f64) == dtype::f64);
static_assert(real_type(dtype::i8) == dtype::i8);

static_assert(is_promotable(dtype::i4, dtype::ui4) && is_promotable(dtype::ui8, dtype::i64));
static_assert(!is_promotable(dtype::i64, dtype::i32) && !is_promotable(dtype::i1, dtype::i8));
static_assert(is_promotable(dtype::i1, dtype::i1) && is_promotable(dtype::f8E5M2, dtype::bf16));
static_assert(is_promotable(dtype::f16, dtype::bf16) && !is_promotable(dtype::f32, dtype::f16));
static_assert(!is_promotable(dtype::f32, dtype::complex_f32) && is_promotable(dtype::complex_f32, dtype::complex_f64));
static_assert(!is_promotable(dtype::token, dtype::token));

}  // namespace

TEST_CASE("a name with one character changed, added or removed is not found") {
  for (int i = int(dtype::none) + 1; i <= int(dtype::complex_f64); ++i) {
    const std::string text{name(dtype(i))};
    for (std::size_t at = 0; at < text.size(); ++at) {
      std::string changed = text;
      changed[at] = '?';
      CHECK(dtype_named(changed) == dtype::none);
      changed.insert(at, "?");
      CHECK(dtype_named(changed) == dtype::none);
    }
    CHECK(dtype_named(text + " ") == dtype::none);
  }
}
