// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/reduction/select_and_scatter.hpp>

#include "ops/bodies.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::test;

namespace {

constexpr ops::select_and_scatter pooling{.window_dimensions = {2, 1}};
constexpr tensor_type source = type_of(dtype::f32, {1, 3});
constexpr auto& choosing = comparing<dtype::f32>;
constexpr auto& adding = combining<dtype::f32>;

// Types.

static_assert(result_type(pooling, {f32_2x3, source, f32_scalar}, {}, {choosing, adding}) == f32_2x3);
static_assert(result_type(pooling, {f32_2x3, source, f32_scalar}, {}, {choosing, combining<dtype::f64>}) == f64_2x3);
static_assert(result_type(ops::select_and_scatter{{2, 2}, {2, 2}, {{1, 1}, {0, 1}}},
                          {f32_2x3, type_of(dtype::f32, {2, 2}), f32_scalar}, {}, {choosing, adding}) == f32_2x3);

// Broken rules.

constexpr std::string_view broken(const ops::select_and_scatter& op,
                                  std::initializer_list<tensor_type> operands = {f32_2x3, source, f32_scalar},
                                  const signature& select = choosing, const signature& scatter = adding,
                                  std::initializer_list<tensor_type> declared = {}) {
  return broken_by(op, operands, declared, {select, scatter});
}
static_assert(broken(pooling).empty());
static_assert(broken(pooling, {token, source, f32_scalar}) == "select_and_scatter_i1");
static_assert(broken(pooling, {f32_2x3, token, f32_scalar}) == "select_and_scatter_i2");
static_assert(broken(pooling, {f32_2x3, source, source}) == "select_and_scatter_i3");
static_assert(broken(pooling, {f32_2x3, type_of(dtype::f64, {1, 3}), f32_scalar}) == "select_and_scatter_c1");
static_assert(broken(pooling, {f32_2x3, f32_2x3, f32_scalar}) == "select_and_scatter_c2");
static_assert(broken(pooling, {f32_2x3, source, f64_scalar}) == "select_and_scatter_c3");
static_assert(broken({.window_dimensions = {2}}) == "select_and_scatter_c4");
static_assert(broken({.window_dimensions = {2, 0}}) == "select_and_scatter_c5");
static_assert(broken({.window_dimensions = {2, 1}, .window_strides = {1}}) == "select_and_scatter_c6");
static_assert(broken({.window_dimensions = {2, 1}, .window_strides = {1, 0}}) == "select_and_scatter_c7");
static_assert(broken({.window_dimensions = {2, 1}, .padding = {{0, 0}}}) == "select_and_scatter_c8");
static_assert(broken({.window_dimensions = {2, 1}, .padding = {{0, 0, 0}, {0, 0, 0}}}) == "select_and_scatter_c8");
static_assert(broken(pooling, {f32_2x3, source, f32_scalar}, adding) == "select_and_scatter_c9");
static_assert(broken(pooling, {f32_2x3, source, f32_scalar}, comparing<dtype::i32>) == "select_and_scatter_c9");
static_assert(broken_by(pooling, {f32_2x3, source, f32_scalar}, {}, {choosing}) == "select_and_scatter_c9");
static_assert(broken(pooling, {f32_2x3, source, f32_scalar}, choosing, combining<dtype::i32>) ==
              "select_and_scatter_c10");
static_assert(broken(pooling, {f32_2x3, source, f32_scalar}, choosing, adding, {f32_3x2}) == "select_and_scatter_c11");
static_assert(broken(pooling, {f32_2x3, source, f32_scalar}, choosing, adding, {f64_2x3}) == "select_and_scatter_c12");

template <class T>
surroundings select_larger_and_add() {
  return {[](int region, const void* const* arguments, void* const* results) {
            if (region == 0)
              binary<T>([](T a, T b) { return a >= b; })(0, arguments, results);
            else
              binary<T>([](T a, T b) { return T(a + b); })(1, arguments, results);
          },
          {comparing<dtype_of<T>>, combining<dtype_of<T>>}};
}

}  // namespace

TEST_CASE("select_and_scatter: the specification's example") {
  const ops::select_and_scatter op{.window_dimensions = {3, 1}, .window_strides = {2, 1}, .padding = {{0, 1}, {0, 0}}};
  const value operand = tensor_of<i64>({4, 2}, {1, 5, 2, 5, 3, 6, 4, 4}), from = tensor_of<i64>({2, 2}, {5, 6, 7, 8});
  CHECK(evaluate<i64>(op, {operand, from, scalar_of<i64>(0)}, {operand.type}, select_larger_and_add<i64>())[0]
            .as<i64>() == std::vector<i64>{0, 0, 0, 0, 5, 14, 7, 0});
}

TEST_CASE("select_and_scatter: windows over padding alone scatter nothing") {
  const ops::select_and_scatter op{.window_dimensions = {2}, .window_strides = {2}, .padding = {{2, 3}}};
  const value operand = tensor_of<i64>({3}, {-3, -1, -2}), from = tensor_of<i64>({4}, {1, 10, 100, 1000});
  CHECK(evaluate<i64>(op, {operand, from, scalar_of<i64>(7)}, {operand.type}, select_larger_and_add<i64>())[0]
            .as<i64>() == std::vector<i64>{7, 17, 107});
}

TEST_CASE("select_and_scatter: the first of equal elements, the order of the source") {
  const ops::select_and_scatter op{.window_dimensions = {1, 3}, .window_strides = {1, 1}};
  const value operand = tensor_of<i64>({1, 4}, {5, 5, 1, 5}), from = tensor_of<i64>({1, 2}, {1, 2});
  CHECK(evaluate<i64>(op, {operand, from, scalar_of<i64>(0)}, {operand.type}, select_larger_and_add<i64>())[0]
            .as<i64>() == std::vector<i64>{1, 2, 0, 0});
}

TEST_CASE("select_and_scatter: the sum may have a wider type") {
  surroundings around = select_larger_and_add<f32>();
  around.regions = [](int region, const void* const* arguments, void* const* results) {
    if (region == 0)
      binary<f32>([](f32 a, f32 b) { return a >= b; })(0, arguments, results);
    else
      binary<f64>([](f64 a, f64 b) { return a + b; })(1, arguments, results);
  };
  around.signatures[1] = combining<dtype::f64>;
  const value operand = tensor_of<f32>({2}, {1, 2}), from = tensor_of<f32>({1}, {0.5f});
  CHECK(evaluate<f32>(ops::select_and_scatter{.window_dimensions = {2}}, {operand, from, scalar_of(1.0f)},
                      {type_of(dtype::f64, {2})}, around)[0]
            .as<f64>() == std::vector<f64>{1, 1.5});
}
