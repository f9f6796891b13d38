// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/straight_walker.hpp>

#include <tenon/run/program.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <utility>
#include <vector>

using namespace tenon;

namespace {

template <class Code, int... I>
auto kernels_of(std::integer_sequence<int, I...>) {
  static constexpr plan p = Code::plan();
  return std::vector<kernel>{
      kernel_of<op_of_kind<p.kernels[I].kind>, p.kernels[I].element, p.kernels[I].result, p.kernels[I].body>()...};
}

template <index_t Bytes>
struct block {
  alignas(64) unsigned char at[Bytes + 64]{};
};

// Whether a program gives, compiled, what plan_walker gives that walks the same plan.
template <class Net>
bool agrees() {
  using code = typename Net::code;
  static constexpr graph g = code::graph();
  static constexpr plan p = code::plan();
  const auto kernels = kernels_of<code>(std::make_integer_sequence<int, p.kernels.size>());
  static block<p.arena_bytes> arena;
  static block<p.constant_bytes> constants;
  if (!decode_constants(g, p, constants.at)) return false;
  std::vector<std::vector<f32>> arguments, got, wanted;
  std::vector<const void*> from;
  std::vector<void*> to, expected;
  for (int i = 0; i < code::argument_count; ++i) {
    std::vector<f32>& each = arguments.emplace_back(std::size_t(code::argument_type(i).size()));
    for (std::size_t k = 0; k < each.size(); ++k) each[k] = f32(int(k * 37 + std::size_t(i) * 11) % 17) * 0.5f - 4.0f;
  }
  for (int i = 0; i < code::result_count; ++i) {
    got.emplace_back(std::size_t(code::result_type(i).size()), -99.0f);
    wanted.emplace_back(std::size_t(code::result_type(i).size()), -98.0f);
  }
  for (auto& each : arguments) from.push_back(each.data());
  for (auto& each : got) to.push_back(each.data());
  for (auto& each : wanted) expected.push_back(each.data());
  code::run(from.data(), to.data());
  plan_walker(g, p, kernels.data(), constants.at, arena.at)(from.data(), expected.data());
  for (std::size_t i = 0; i < got.size(); ++i)
    if (std::memcmp(got[i].data(), wanted[i].data(), got[i].size() * sizeof(f32)) != 0) return false;
  return true;
}

TEST_CASE("groups, small products, and results that are arguments or constants") {
  CHECK(agrees<TENON_PROGRAM(R"(
    func.func @main(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<5xf32>) {
      %sum = stablehlo.add %a, %b : tensor<4x4xf32>
      %product = stablehlo.dot_general %sum, %b, contracting_dims = [1] x [1] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %tanh = stablehlo.tanh %product : tensor<4x4xf32>
      %again = stablehlo.dot %tanh, %sum : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %c = stablehlo.constant dense<1.5> : tensor<5xf32>
      return %again, %a, %tanh, %c : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<5xf32>
    })")>());
}

TEST_CASE("products through transposes and slices") {
  CHECK(agrees<TENON_PROGRAM(R"(
    func.func @main(%a: tensor<8x6xf32>, %b: tensor<3x9xf32>) -> tensor<6x3xf32> {
      %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x6xf32>) -> tensor<6x8xf32>
      %s = stablehlo.slice %b [0:3, 1:9] : (tensor<3x9xf32>) -> tensor<3x8xf32>
      %r = stablehlo.dot_general %t, %s, contracting_dims = [1] x [1] : (tensor<6x8xf32>, tensor<3x8xf32>) -> tensor<6x3xf32>
      return %r : tensor<6x3xf32>
    })")>());
}

TEST_CASE("branches and loops over tensors") {
  CHECK(agrees<TENON_PROGRAM(R"(
    func.func @main(%a: tensor<7xf32>, %b: tensor<7xf32>) -> (tensor<7xf32>, tensor<7xf32>) {
      %x = stablehlo.slice %a [3:4] : (tensor<7xf32>) -> tensor<1xf32>
      %y = stablehlo.slice %b [3:4] : (tensor<7xf32>) -> tensor<1xf32>
      %less = stablehlo.compare LT, %x, %y : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
      %p = stablehlo.reshape %less : (tensor<1xi1>) -> tensor<i1>
      %chosen:2 = "stablehlo.if"(%p) ({
        %s = stablehlo.add %a, %b : tensor<7xf32>
        stablehlo.return %s, %a : tensor<7xf32>, tensor<7xf32>
      }, {
        %s = stablehlo.subtract %a, %b : tensor<7xf32>
        stablehlo.return %b, %s : tensor<7xf32>, tensor<7xf32>
      }) : (tensor<i1>) -> (tensor<7xf32>, tensor<7xf32>)
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %r:3 = "stablehlo.while"(%zero, %chosen#0, %chosen#1) ({
      ^bb0(%i: tensor<i32>, %c: tensor<7xf32>, %d: tensor<7xf32>):
        %end = stablehlo.constant dense<5> : tensor<i32>
        %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      }, {
      ^bb0(%i: tensor<i32>, %c: tensor<7xf32>, %d: tensor<7xf32>):
        %one = stablehlo.constant dense<1> : tensor<i32>
        %next = stablehlo.add %i, %one : tensor<i32>
        %m = stablehlo.multiply %c, %d : tensor<7xf32>
        %t = stablehlo.tanh %m : tensor<7xf32>
        stablehlo.return %next, %d, %t : tensor<i32>, tensor<7xf32>, tensor<7xf32>
      }) : (tensor<i32>, tensor<7xf32>, tensor<7xf32>) -> (tensor<i32>, tensor<7xf32>, tensor<7xf32>)
      return %r#1, %r#2 : tensor<7xf32>, tensor<7xf32>
    })")>());
}

TEST_CASE("ops that ask for the code of their regions") {
  CHECK(agrees<TENON_PROGRAM(R"(
    func.func @main(%a: tensor<6x40xf32>) -> (tensor<40xf32>, tensor<6x40xf32>, tensor<6xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %squares = "stablehlo.reduce"(%a, %zero) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %s = stablehlo.multiply %y, %y : tensor<f32>
        %t = stablehlo.add %x, %s : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }) {dimensions = array<i64: 0>} : (tensor<6x40xf32>, tensor<f32>) -> tensor<40xf32>
      %sorted = "stablehlo.sort"(%a) ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %c = stablehlo.compare GT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }) {dimension = 1 : i64, is_stable = true} : (tensor<6x40xf32>) -> tensor<6x40xf32>
      %sums = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x40xf32>, tensor<f32>) -> tensor<6xf32>
      return %squares, %sorted, %sums : tensor<40xf32>, tensor<6x40xf32>, tensor<6xf32>
    })")>());
}

}  // namespace
