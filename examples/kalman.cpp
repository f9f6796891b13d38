// SPDX-License-Identifier: Apache-2.0
//
// A Kalman filter in expressions: where something is and how fast it moves, from noisy positions.

#include <tenon/tensors.hpp>

#include <cmath>
#include <cstdio>

using namespace tenon;

struct tracked {
  tensor<f64, 4> state{0, 0, 0, 0};  // x, y, and how they change per step
  tensor<f64, 4, 4> covariance{{9, 0, 0, 0}, {0, 9, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};

  void take(const tensor<f64, 2>& measured) {
    const tensor<f64, 4, 4> motion{{1, 0, 1, 0}, {0, 1, 0, 1}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    const tensor<f64, 2, 4> seen{{1, 0, 0, 0}, {0, 1, 0, 0}};
    const tensor<f64, 2, 2> noise{{0.25, 0}, {0, 0.25}};

    // What is expected, and how sure that is.
    state = matmul(motion, state);
    covariance = matmul(matmul(motion, covariance), transpose(motion)) + 1e-4;

    // With L L^T = S, the covariance of what is measured: gain = P H^T S^-1 = (L^-1 H P)^T L^-1.
    constexpr ops::triangular_solve by_lower{.left_side = true, .lower = true};
    const tensor<f64, 2, 4> shared = matmul(seen, covariance);
    const tensor<f64, 2, 2> root = cholesky(matmul(shared, transpose(seen)) + noise);
    const tensor<f64, 2, 4> pull = triangular_solve<by_lower>(root, shared);
    const tensor<f64, 2, 1> surprise = triangular_solve<by_lower>(root, expand_dims<1>(measured - matmul(seen, state)));
    state += reshape<ints{4}>(matmul(transpose(pull), surprise));
    covariance -= matmul(transpose(pull), pull);
  }
};

int main() {
  tracked ship;
  for (int step = 1; step <= 60; ++step) {
    const f64 wave = std::sin(7.0 * step), other_wave = std::cos(11.0 * step);  // stands for noise
    ship.take({0.5 * step + 0.5 * wave, 10 - 0.25 * step + 0.5 * other_wave});
    if (step % 20 == 0) print(ship.state, stdout, {.most_digits = 3});
  }
}
