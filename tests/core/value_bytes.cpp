// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/value_bytes.hpp>

#include <doctest/doctest.h>

namespace tenon {
using namespace core;

namespace {

struct nested final : type_details {
  // 1: (f32[3], token, 2), 2: (i8[65])
  tensor_type outer[3] = {type_of(dtype::f32, {3}), token_type(), {dtype::tuple, 0, 0, 2, {}}};
  tensor_type inner[1] = {type_of(dtype::i8, {65})};

  constexpr list<tensor_type> members_of(const tensor_type& type) const override {
    return type.members == 1 ? list<tensor_type>{outer, 3} : list<tensor_type>{inner, 1};
  }
};
constexpr nested details;
constexpr tensor_type outer{dtype::tuple, 0, 0, 1, {}};

static_assert(value_bytes(type_of(dtype::f64, {3, 2}), nullptr) == 48);
static_assert(value_bytes(token_type(), nullptr) == 0);
static_assert(value_bytes(outer, &details) == 64 + 0 + 128);
static_assert(member_offset(outer, 0, &details) == 0);
static_assert(member_offset(outer, 1, &details) == 64);
static_assert(member_offset(outer, 2, &details) == 64);
static_assert(aligned(INT64_MAX) == INT64_MAX);
static_assert(aligned(1) == value_alignment);

TEST_CASE("sizes of values are decided while compiling") { CHECK(value_bytes(outer, &details) == 192); }

}  // namespace
}  // namespace tenon
