// SPDX-License-Identifier: Apache-2.0
//
// The network of examples/digits for the page: JavaScript writes 8 x 8 pixels, calls classify, and reads the scores and
// what the two convolutions gave. build.sh makes layers.mlir, which is the model of the example with these as results.

#include <tenon/programs.hpp>

using namespace tenon;

namespace {

struct layers {
  static constexpr std::string_view text =
#include "layers.mlir.inc"
      ;
};
using net = program<layers>;

arena<net::arena_bytes> memory;
tensor<ui8, 1, 8, 8, 1> image;
tensor<f32, 1, 10> score;
tensor<f32, 1, 8, 8, 8> first;
tensor<f32, 1, 8, 8, 16> second;

}  // namespace

extern "C" {

ui8* pixels() { return image.data(); }
const f32* scores() { return score.data(); }
const f32* first_layer() { return first.data(); }
const f32* second_layer() { return second.data(); }
int arena_bytes() { return int(net::arena_bytes); }
void classify() { net{}.on(memory).into(score, first, second)(image); }
}
