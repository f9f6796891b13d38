// SPDX-License-Identifier: Apache-2.0
//
// expect: list: expected 6 elements (2 x 3), got 5 (3 + 2)

#include <tenon/tenon.hpp>

using namespace tenon;

int main() { tensor<f32, 2, 3> x{{1, 2, 3}, {4, 5}}; }
