// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/elementwise/expressed_values.hpp>

#include "ops/types.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::kernels;
using namespace tenon::core;
using namespace tenon::test;

TEST_CASE("scales follow the elements along the quantized dimension") {
  const quantization rows = quantized_details.quantization_of(axis0_2x3);
  ops::scale_walk walk(rows, axis0_2x3);
  for (int element = 0; element < 12; ++element, walk.step()) {
    CHECK(walk.scale() == rows.scales[element / 3 % 2]);
    CHECK(walk.zero_point() == double(rows.zero_points[element / 3 % 2]));
  }
  const quantization whole = quantized_details.quantization_of(q8_2x3);
  ops::scale_walk one(whole, q8_2x3);
  for (int element = 0; element < 5; ++element, one.step()) CHECK(one.scale() == whole.scales[0]);
}

TEST_CASE("what is stored comes back, and what is too large is clamped") {
  const quantization parameters = quantized_details.quantization_of(other_scale_2x3);
  const i8 stored[] = {-128, -20, -19, 0, 127};
  ops::expressed_values block;
  block.read(dtype::i8, stored, 0, 5);
  ops::scale_walk there(parameters, other_scale_2x3), back(parameters, other_scale_2x3);
  block.dequantize(parameters, there, 5);
  CHECK(block.at[1] == 0);
  CHECK(block.at[2] == 0.5);
  CHECK(block.at[3] == 10);
  block.quantize(parameters, back, 5);
  i8 found[5]{};
  block.write(found, 0, 5);
  for (int i = 0; i < 5; ++i) CHECK(found[i] == stored[i]);
  block.at[0] = 1e6;
  block.at[1] = -1e6;
  block.at[2] = 0.25;  // half a step: to the even neighbour
  block.quantize(parameters, back, 3);
  CHECK(block.at[0] == 127);
  CHECK(block.at[1] == -128);
  CHECK(block.at[2] == -20);
}
