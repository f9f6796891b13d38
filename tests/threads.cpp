// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensors.hpp>
#include <tenon/threads.hpp>

#include <doctest/doctest.h>

using namespace tenon;

TEST_CASE("threads share the work of a traced function") {
  constexpr auto doubled = trace([](auto a) { return a + a; });
  thread_pool pool(2);
  tensor<f32, 3> twice;
  doubled.by(pool).into(twice)(tensor<f32, 3>{1, 2, 3});
  CHECK(twice(2) == 6);
}

TEST_CASE("threads share the work of an expression, which has the same bits") {
  const tensor<f32, 192, 160> a = reshape<ints{192, 160}>(sin(arange<f32, 192 * 160>()));
  const tensor<f32, 160, 224> b = reshape<ints{160, 224}>(cos(arange<f32, 160 * 224>()));
  const tensor<f32, 192, 224> alone = tanh(matmul(a, b));
  const tensor<f32, 192, 224> twice = alone + alone;
  for (const int threads : {1, 2, 3}) {
    thread_pool pool(threads);
    tensor<f32, 192, 224> c;
    c = by(pool, tanh(matmul(a, b)));
    CHECK(equal(c, alone));
    // Where an operand is assigned to, too.
    c = by(pool, c + c);
    CHECK(equal(c, twice));
  }
}
