// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/control/async_done.hpp>

#include <ops/evaluate.hpp>
#include <ops/signatures.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr ops::async_done self;
constexpr one_list_of_members<type_array<f32_3x2>> details;

static_assert(result_type(self, {future_type}, {f32_3x2}, {}, &details) == f32_3x2);
static_assert(result_type(self, {future_type}, {}, {}, &details) == f32_3x2);

static_assert(broken_by(self, {f32_3x2}, {f32_3x2}, {}, &details) == "async_done_i1");
static_assert(broken_by(self, {tuple_type}, {f32_3x2}, {}, &details) == "async_done_i1");
static_assert(broken_by(self, {future_type}, {f32_2x3}, {}, &details) == "async_done_c1");
static_assert(broken_by(self, {future_type}, {f32_3x2, f32_3x2}, {}, &details) == "async_done_c1");

TEST_CASE("the value of the future") {
  value future = blank(future_type, &details);
  const f32 elements[] = {1, 2, 3, 4, 5, 6};
  std::memcpy(future.bytes.data(), elements, sizeof elements);
  const auto results = evaluate<ui8>(self, {future}, {f32_3x2}, {nullptr, {}, &details});
  CHECK(results[0].as<f32>() == std::vector<f32>{1, 2, 3, 4, 5, 6});
}

}  // namespace
}  // namespace tenon::test
