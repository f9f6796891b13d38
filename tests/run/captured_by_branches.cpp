// SPDX-License-Identifier: Apache-2.0
#include <shared/shared_program.hpp>

#include <run/random_kernels.hpp>

#include <doctest/doctest.h>

using namespace tenon;

// The branch computes nothing and yields %mirrored, which must outlive all iterations.
TEST_CASE("a branch in a loop yields a value from outside the loop") {
  shared_program program(R"(
    func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %mirrored = stablehlo.reverse %b, dims = [0] : tensor<3xf32>
      %r:2 = stablehlo.while(%i = %zero, %c = %a) : tensor<i32>, tensor<3xf32>
      cond {
        %end = stablehlo.constant dense<4> : tensor<i32>
        %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %chosen = "stablehlo.case"(%zero) ({
          stablehlo.return %mirrored : tensor<3xf32>
        }, {
          stablehlo.return %c : tensor<3xf32>
        }) : (tensor<i32>) -> tensor<3xf32>
        %next = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %next, %chosen : tensor<i32>, tensor<3xf32>
      }
      return %r#1 : tensor<3xf32>
    })",
                         &tenon::test::find_random_kernel<dtype::f32>);
  REQUIRE(!program.error());
  const float a[] = {10, 20, 30}, b[] = {1, 2, 3};
  float result[3] = {};
  const void* const from[] = {a, b};
  void* const to[] = {result};
  program(from, to);
  CHECK(result[0] == 3);
  CHECK(result[1] == 2);
  CHECK(result[2] == 1);
}
