// SPDX-License-Identifier: Apache-2.0
//
// A Kalman filter for position and speed that sees noisy positions, written in expressions: one step for each measured
// position.

#include "report.hpp"

#include <tenon/tensors.hpp>

using namespace tenon;

namespace {

struct estimate {
  tensor<f32, 2, 1> state{{0}, {0}};
  tensor<f32, 2, 2> covariance{{1, 0}, {0, 1}};

  void take(f32 measured) {
    const tensor<f32, 2, 2> motion{{1, 0.1f}, {0, 1}}, drift{{1e-4f, 0}, {0, 1e-3f}};
    const tensor<f32, 1, 2> seen{{1, 0}};
    const tensor<f32, 2, 1> expected = dot(motion, state);
    const tensor<f32, 2, 2> spread = dot(dot(motion, covariance), transpose<ints{1, 0}>(motion)) + drift;
    const tensor<f32, 2, 1> shared = dot(spread, transpose<ints{1, 0}>(seen));
    const tensor<f32, 1, 1> noise = dot(seen, shared) + 0.01f;
    const tensor<f32, 2, 1> gain = shared / broadcast_in_dim<ints{2, 1}, ints{0, 1}>(noise);
    const tensor<f32, 1, 1> surprise = measured - dot(seen, expected);
    state = expected + dot(gain, surprise);
    covariance = spread - dot(gain, dot(seen, spread));
  }
};

}  // namespace

int main() {
  constexpr unsigned steps = 200, header = 128;  // of an .npy file
  estimate estimated;
  largest_difference difference;
  std::uint32_t time = 0;
  for (unsigned i = 0; i < steps; ++i) {
    f32 measured = 0, wanted[2];
    if (!board::read("measured.npy", header + i * sizeof measured, &measured, sizeof measured) ||
        !board::read("states.npy", header + i * sizeof wanted, wanted, sizeof wanted))
      board::stop(3);
    const std::uint32_t start = board::now();
    estimated.take(measured);
    if (const std::uint32_t taken = board::now() - start; i == 0 || taken < time) time = taken;
    for (int k = 0; k < 2; ++k) difference.add(estimated.state.data()[k], wanted[k]);
  }
  line() << "position " << estimated.state.data()[0] << ", speed " << estimated.state.data()[1];
  finish(difference.is_at_most(1e-5f), difference, 0, time);
}
