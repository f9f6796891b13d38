// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/control/tuple.hpp>

#include <tenon/ops/control/get_tuple_element.hpp>

#include <ops/evaluate.hpp>
#include <ops/signatures.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr ops::tuple self;
constexpr one_list_of_members<type_array<f32_2x3, token, i32_scalar>> details;

static_assert(result_type(self, {f32_2x3, token, i32_scalar}, {tuple_type}, {}, &details) == tuple_type);

static_assert(broken_by(self, {f32_2x3, token, i32_scalar}, {}, {}, &details) == "tuple_o1");
static_assert(broken_by(self, {f32_2x3, token, i32_scalar}, {f32_2x3}, {}, &details) == "tuple_o1");
static_assert(broken_by(self, {f32_2x3, token}, {tuple_type}, {}, &details) == "tuple_c1");
static_assert(broken_by(self, {f32_2x3, token, f32_scalar}, {tuple_type}, {}, &details) == "tuple_c1");

TEST_CASE("what is put in comes out") {
  const value a = counting<f32>({2, 3}), b = scalar_of<i32>(7);
  const surroundings around{nullptr, {}, &details};
  const value packed = evaluate<ui32>(self, {a, blank(token), b}, {tuple_type}, around)[0];
  CHECK(packed.bytes.size() == 2 * value_alignment);
  CHECK(evaluate<ui8>(ops::get_tuple_element{0}, {packed}, {f32_2x3}, around)[0].bytes == a.bytes);
  CHECK(evaluate<ui8>(ops::get_tuple_element{1}, {packed}, {token}, around)[0].bytes.empty());
  CHECK(evaluate<ui8>(ops::get_tuple_element{2}, {packed}, {i32_scalar}, around)[0].bytes == b.bytes);
}

}  // namespace
}  // namespace tenon::test
