// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/control/get_tuple_element.hpp>

#include <ops/evaluate.hpp>
#include <ops/signatures.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

using op = ops::get_tuple_element;
constexpr one_list_of_members<type_array<f32_2x3, i32_scalar>> details;

static_assert(result_type(op{1}, {tuple_type}, {i32_scalar}, {}, &details) == i32_scalar);

static_assert(broken_by(op{0}, {f32_2x3}, {}, {}, &details) == "get_tuple_element_i1");
static_assert(broken_by(op{0}, {future_type}, {}, {}, &details) == "get_tuple_element_i1");
static_assert(broken_by(op{2}, {tuple_type}, {}, {}, &details) == "get_tuple_element_c1");
static_assert(broken_by(op{-1}, {tuple_type}, {}, {}, &details) == "get_tuple_element_c1");
static_assert(broken_by(op{0}, {tuple_type}, {i32_scalar}, {}, &details) == "get_tuple_element_c2");

TEST_CASE("the member that is asked for") {
  value packed = blank(tuple_type, &details);
  const i32 seven = 7;
  std::memcpy(packed.bytes.data() + value_alignment, &seven, sizeof seven);
  const auto found = evaluate<ui8>(op{1}, {packed}, {i32_scalar}, {nullptr, {}, &details});
  CHECK(found[0].as<i32>() == std::vector<i32>{7});
}

}  // namespace
}  // namespace tenon::test
