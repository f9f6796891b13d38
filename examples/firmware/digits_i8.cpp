// SPDX-License-Identifier: Apache-2.0
//
// The same network with weights and activations in i8, sums in i32 (train.py).

#include "classify.hpp"

struct classifier {
  static constexpr std::string_view text =
#include "digits_i8.mlir.inc"
      ;
};
using net = tenon::program<classifier>;

// All the memory that the network works in. It needs no value at start.
[[gnu::section(".noinit")]] alignas(64) tenon::arena<net::arena_bytes> memory;

int main() { classify_all<net, tenon::tensor_view<const tenon::ui8, 1, 8, 8, 1>>(memory, "digits_i8.npy", 1e-5f); }
