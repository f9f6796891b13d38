// SPDX-License-Identifier: Apache-2.0

#include "reference.hpp"

using namespace tenon;

void creation() {
  constexpr shown print;

  example("iota");
  print(iota<f32, ints{2, 3}, 1>());

  example("dynamic_iota");
  print(dynamic_iota<f32, ints{3}>(tensor<i32, 1>{3}));

  example("get_dimension_size");
  print(get_dimension_size<1>(tensor<f32, 2, 3>{}));

  example("rng");
  constexpr auto dice =
      trace([](auto shape) { return rng<rng_distribution::UNIFORM, ints{4}>(tensor<i32>(1), tensor<i32>(7), shape); });
  const tensor<i32, 4> thrown = dice(tensor<i64, 1>{4});
  print(min(thrown) >= 1);
  print(max(thrown) <= 6);

  example("rng_bit_generator");
  constexpr auto bits =
      trace([](auto state) { return rng_bit_generator<ui32, ints{4}, rng_algorithm::THREE_FRY>(state); });
  const auto [next, words] = bits(tensor<ui64, 2>{1, 0});
  print(words);
  print(next);
}
