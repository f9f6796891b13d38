// SPDX-License-Identifier: Apache-2.0

#include "reference.hpp"

using namespace tenon;

void movement() {
  constexpr shown print;

  // Given.
  const tensor<f32, 2, 3> x{{1, 2, 3}, {4, 5, 6}};
  const tensor<f32, 3> v{1, 0, -1};

  example("bitcast_convert");
  print(bitcast_convert<i32>(v));

  example("broadcast_in_dim");
  print(broadcast_in_dim<ints{2, 3}, ints{1}>(v));
  print(broadcast_in_dim<ints{3, 2}, ints{0}>(v));

  example("concatenate");
  print(concatenate<0>(x, x * 10));

  example("dynamic_broadcast_in_dim");
  print(dynamic_broadcast_in_dim<ints{2, 3}, ints{1}>(v, tensor<i32, 2>{2, 3}));

  example("dynamic_reshape");
  print(dynamic_reshape<ints{3, 2}>(x, tensor<i32, 2>{3, 2}));

  example("reshape");
  print(reshape<ints{3, 2}>(x));

  example("reverse");
  print(reverse<ints{1}>(x));

  example("set_dimension_size");
  constexpr auto shortened = trace([](auto a, auto size) { return set_dimension_size<0>(a, size); });
  print(shortened(v, tensor<i32>(2)).as<2>());

  example("slice");
  print(slice<ints{0, 1}, ints{2, 3}>(x));
}
