// SPDX-License-Identifier: Apache-2.0
//
// Two dense layers on the same digits (train.py).

#include "classify.hpp"

struct classifier {
  static constexpr std::string_view text =
#include "mlp.mlir.inc"
      ;
};
using net = tenon::program<classifier>;

// All the memory that the network works in. It needs no value at start.
[[gnu::section(".noinit")]] alignas(64) tenon::arena<net::arena_bytes> memory;

int main() { classify_all<net, tenon::tensor_view<const tenon::ui8, 1, 64>>(memory, "mlp.npy", 1e-5f); }
