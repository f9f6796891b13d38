// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/control/async_start.hpp>

#include <tenon/ops/control/async_done.hpp>

#include <ops/evaluate.hpp>
#include <ops/signatures.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
using namespace core;

namespace {

constexpr ops::async_start self;
constexpr one_list_of_members<type_array<f32_3x2>> details;

constexpr signature body_of(int only_op, bool forwards = true) {
  return {type_array<f32_2x3>::all, type_array<f32_3x2>::all, only_op, forwards};
}
constexpr signature gathers = body_of(kind_of_op<ops::all_gather>);
constexpr std::string_view broken(std::initializer_list<tensor_type> operands,
                                  std::initializer_list<tensor_type> declared,
                                  std::initializer_list<signature> regions) {
  return broken_by(self, operands, declared, regions, &details);
}

static_assert(result_type(self, {f32_2x3}, {future_type}, {gathers}, &details) == future_type);
static_assert(broken({f32_2x3}, {future_type}, {body_of(signature::none)}).empty());
static_assert(broken({f32_2x3}, {future_type}, {body_of(kind_of_op<ops::all_reduce>)}).empty());
static_assert(broken({f32_2x3}, {future_type}, {body_of(kind_of_op<ops::all_to_all>)}).empty());
static_assert(broken({f32_2x3}, {future_type}, {body_of(kind_of_op<ops::collective_permute>)}).empty());
static_assert(broken({f32_2x3}, {future_type}, {body_of(kind_of_op<ops::reduce_scatter>)}).empty());
static_assert(broken({f32_2x3}, {future_type}, {body_of(kind_of_op<ops::collective_broadcast>)}).empty());
static_assert(broken({f32_2x3}, {future_type}, {body_of(kind_of_op<ops::slice>)}).empty());
static_assert(broken({f32_2x3}, {future_type}, {body_of(kind_of_op<ops::dynamic_slice>)}).empty());
static_assert(broken({f32_2x3}, {future_type}, {body_of(kind_of_op<ops::dynamic_update_slice>)}).empty());

static_assert(broken({token}, {future_type}, {gathers}) == "async_start_i1");
static_assert(broken({f32_2x3}, {future_type}, {}) == "async_start_c1");
static_assert(broken({f32_2x3}, {future_type}, {gathers, gathers}) == "async_start_c1");
static_assert(broken({f32_2x3}, {future_type}, {body_of(signature::mixed)}) == "async_start_c1");
static_assert(broken({f32_2x3}, {future_type}, {body_of(kind_of_op<ops::add>)}) == "async_start_c2");
static_assert(broken({f32_3x2}, {future_type}, {gathers}) == "async_start_c3");
static_assert(broken({f32_2x3}, {future_type}, {body_of(kind_of_op<ops::all_gather>, false)}) == "async_start_c3");
static_assert(broken({f32_2x3}, {f32_3x2}, {gathers}) == "async_start_c4");
static_assert(broken({f32_2x3}, {tuple_type}, {gathers}) == "async_start_c4");
static_assert(broken({f32_2x3}, {}, {gathers}) == "async_start_c4");
static_assert(broken({f32_2x3}, {future_type},
                     {signature{type_array<f32_2x3>::all, type_array<f32_2x3>::all, kind_of_op<ops::all_reduce>}}) ==
              "async_start_c4");

TEST_CASE("what is started is there when it is done") {
  const one_list_of_members<type_array<i32_scalar, f32_2x3>> two;
  const region_code code = [](int, const void* const* arguments, void* const* results) {
    *static_cast<i32*>(results[0]) = *static_cast<const i32*>(arguments[0]) + 1;
    for (int i = 0; i < 6; ++i) static_cast<f32*>(results[1])[i] = f32(i);
  };
  const value future = evaluate<ui32>(self, {scalar_of<i32>(4)}, {future_type}, {code, {}, &two})[0];
  const auto results = evaluate<ui8>(ops::async_done{}, {future}, {i32_scalar, f32_2x3}, {nullptr, {}, &two});
  CHECK(results[0].as<i32>() == std::vector<i32>{5});
  CHECK(results[1].as<f32>() == std::vector<f32>{0, 1, 2, 3, 4, 5});
}

}  // namespace
}  // namespace tenon::test
