// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/control/case.hpp>

#include <ops/evaluate.hpp>
#include <ops/signatures.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
using namespace core;

using namespace execution;

namespace {

constexpr ops::case_ self;
constexpr signature branch = signature_of<type_array<>, type_array<i32_scalar>>,
                    other = signature_of<type_array<>, type_array<f32_scalar>>,
                    taking = signature_of<type_array<f32_scalar>, type_array<i32_scalar>>,
                    tuples = signature_of<type_array<>, type_array<tuple_type>>;

static_assert(result_type(self, {i32_scalar}, {i32_scalar}, {branch}) == i32_scalar);
static_assert(result_type(self, {i32_scalar}, {}, {branch, branch, branch}) == i32_scalar);

static_assert(broken_by(self, {f32_scalar}, {}, {branch}) == "case_i1");
static_assert(broken_by(self, {i32_2x3}, {}, {branch}) == "case_i1");
static_assert(broken_by(self, {i32_scalar}, {i32_scalar}) == "case_c1");
static_assert(broken_by(self, {i32_scalar}, {}, {branch, taking}) == "case_c2");
static_assert(broken_by(self, {i32_scalar}, {}, {branch, other}) == "case_c3");
static_assert(broken_by(self, {i32_scalar}, {f32_scalar}, {branch, branch}) == "case_c4");
static_assert(broken_by(self, {i32_scalar}, {}, {tuples}) == "case_o1");

i32 chosen(i32 index) {
  const region_code branches = [](int region, const void* const*, void* const* results) {
    *static_cast<i32*>(results[0]) = region;
  };
  return evaluate<ui32>(self, {scalar_of(index)}, {i32_scalar}, {branches, {branch, branch, branch}})[0].as<i32>()[0];
}

TEST_CASE("an index that names no branch stands for the last") {
  CHECK(chosen(0) == 0);
  CHECK(chosen(1) == 1);
  CHECK(chosen(2) == 2);
  CHECK(chosen(3) == 2);
  CHECK(chosen(-1) == 2);
  CHECK(chosen(INT32_MIN) == 2);
}

}  // namespace
}  // namespace tenon::test
