// SPDX-License-Identifier: Apache-2.0
//
// expect: of constants alone a trace computes one: make a constant an argument
// errors: 2
// expect: several_results_of_constants.cpp:16
// expect clang: several_results_of_constants.cpp:13

#include <tenon/tenon.hpp>

using namespace tenon;

constexpr auto halves = trace([](auto x) {
  const auto [first, second] = split<2>(tensor<f32, 4>{1, 2, 3, 4});
  return x * first + second;
});
tensor<f32, 2> x, y = halves(x);
