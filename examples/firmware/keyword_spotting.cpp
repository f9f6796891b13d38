// SPDX-License-Identifier: Apache-2.0
//
// Keyword spotting of MLPerf Tiny: what from_tflite.py makes of kws_ref_model.tflite, beside this file.

#include "tiny.hpp"

struct network {
  static constexpr std::string_view text =
#include "keyword_spotting.mlir.inc"
      ;
};
using net = tenon::program<network>;

[[gnu::section(".noinit")]] alignas(64) tenon::arena<net::arena_bytes> memory;

int main() {
  compare_all<net, tenon::tensor_view<const tenon::i8, 1, 49, 10, 1>, tenon::tensor_view<tenon::i8, 1, 12>, 490, 12>(
      memory, "keyword_spotting.inputs.npy", "keyword_spotting.outputs.npy");
}
