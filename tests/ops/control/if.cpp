// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/control/if.hpp>

#include <ops/evaluate.hpp>
#include <ops/signatures.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
using namespace core;

using namespace execution;

namespace {

constexpr ops::if_ self;
constexpr signature branch = signature_of<type_array<>, type_array<f32_2x3, token>>,
                    other = signature_of<type_array<>, type_array<f32_2x3>>,
                    taking = signature_of<type_array<f32_scalar>, type_array<f32_2x3, token>>,
                    tuples = signature_of<type_array<>, type_array<tuple_type>>;

static_assert(result_type(self, {i1_scalar}, {f32_2x3, token}, {branch, branch}) == f32_2x3);
static_assert(broken_by(self, {i1_scalar}, {}, {signature{}, signature{}}).empty());

static_assert(broken_by(self, {i1_2x3}, {}, {branch, branch}) == "if_i1");
static_assert(broken_by(self, {i32_scalar}, {}, {branch, branch}) == "if_i1");
static_assert(broken_by(self, {}, {}, {branch, branch}) == "if_i1");
static_assert(broken_by(self, {i1_scalar}, {}, {branch}) == "if_i2");
static_assert(broken_by(self, {i1_scalar}, {}, {taking, branch}) == "if_c1");
static_assert(broken_by(self, {i1_scalar}, {}, {branch, taking}) == "if_c1");
static_assert(broken_by(self, {i1_scalar}, {}, {branch, other}) == "if_c2");
static_assert(broken_by(self, {i1_scalar}, {f32_3x2, token}, {branch, branch}) == "if_c3");
static_assert(broken_by(self, {i1_scalar}, {f32_2x3}, {branch, branch}) == "if_c3");
static_assert(broken_by(self, {i1_scalar}, {}, {tuples, tuples}) == "if_o1");

TEST_CASE("one of the branches runs") {
  const region_code branches = [](int region, const void* const*, void* const* results) {
    *static_cast<i32*>(results[0]) = 10 + region;
  };
  CHECK(evaluate<ui8>(self, {scalar_of<bool>(true)}, {i32_scalar}, {branches, {}})[0].as<i32>()[0] == 10);
  CHECK(evaluate<ui8>(self, {scalar_of<bool>(false)}, {i32_scalar}, {branches, {}})[0].as<i32>()[0] == 11);
}

}  // namespace
}  // namespace tenon::test
