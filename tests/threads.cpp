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
