// SPDX-License-Identifier: Apache-2.0
//
// expect: line 3, column 12: unknown_op: the op is unknown; %sum = stablehlo.ad %x, %x : tensor<4xf32>

#include <tenon/tenon.hpp>

using net = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %sum = stablehlo.ad %x, %x : tensor<4xf32>
    return %sum : tensor<4xf32>
  }
)");
static_assert(net::arena_bytes < 1024);
