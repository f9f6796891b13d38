// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/control/composite.hpp>

#include <ops/bodies.hpp>
#include <ops/evaluate.hpp>
#include <ops/signatures.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
using namespace core;

using namespace execution;

namespace {

constexpr ops::composite self{.decomposition = {0}, .name_ = {1}};
constexpr signature function = signature_of<type_array<f32_2x3>, type_array<i32_scalar>>;
constexpr one_list_of_members<type_array<>> named{"impl", "my.op", "{k = 1}"}, unnamed{"impl", "op"};

static_assert(is_namespaced_op_name("a.b"));
static_assert(is_namespaced_op_name("stablehlo.add_n"));
static_assert(is_namespaced_op_name("a1._b.c$2"));
static_assert(is_namespaced_op_name("a.1"));
static_assert(!is_namespaced_op_name(""));
static_assert(!is_namespaced_op_name("add"));
static_assert(!is_namespaced_op_name("foo."));
static_assert(!is_namespaced_op_name(".foo"));
static_assert(!is_namespaced_op_name("foo..bar"));
static_assert(!is_namespaced_op_name("foo.%"));
static_assert(!is_namespaced_op_name("foo.foo.%"));
static_assert(!is_namespaced_op_name("1.foo"));
static_assert(!is_namespaced_op_name("a.b "));

static_assert(result_type(self, {f32_2x3}, {i32_scalar}, {function}, &named) == i32_scalar);
static_assert(result_type(self, {f32_2x3}, {}, {function}, &named) == i32_scalar);
static_assert(result_type(self, {f32_2x3}, {i32_scalar}, {}, &named) == i32_scalar);

static_assert(broken_by(self, {f32_2x3}, {i32_scalar}, {function}, &unnamed) == "composite_c1");
static_assert(broken_by(ops::composite{.name_ = {1}}, {f32_2x3}, {i32_scalar}, {function}, &named) == "composite_c2");
constexpr ops::composite with_attributes(int name) { return {{0}, {1}, {name}}; }
static_assert(broken_by(with_attributes(2), {f32_2x3}, {i32_scalar}, {function}, &named) == "");
static_assert(broken_by(with_attributes(1), {f32_2x3}, {i32_scalar}, {function}, &named) == "composite_i3");
static_assert(broken_by(self, {f32_3x2}, {i32_scalar}, {function}, &named) == "composite_c3");
static_assert(broken_by(self, {}, {i32_scalar}, {function}, &named) == "composite_c3");
static_assert(broken_by(self, {f32_2x3}, {f32_scalar}, {function}, &named) == "composite_c4");
static_assert(broken_by(self, {f32_2x3}, {i32_scalar, i32_scalar}, {function}, &named) == "composite_c4");

TEST_CASE("the decomposition runs") {
  const auto add = combined_by<i32>([](i32 a, i32 b) { return a + b; });
  const auto results = evaluate<ui32>(self, {scalar_of<i32>(9), scalar_of<i32>(4)}, {i32_scalar}, add);
  CHECK(results[0].as<i32>() == std::vector<i32>{13});
}

TEST_CASE("the decomposition is the first attribute, as the callee of a call") {
  index_t memory[8];
  table<index_t> words{memory, 0, 8};
  write_attributes(words, ops::composite{{5}, {6}, {7}, 8});
  CHECK(memory[0] == 5);
  const auto read = read_attributes<ops::composite>(memory);
  CHECK(read.name_ == name_id{6});
  CHECK(read.version == 8);
}

}  // namespace
}  // namespace tenon::test
