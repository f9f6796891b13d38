// SPDX-License-Identifier: Apache-2.0
//
// expect: tenon: the nested list has another shape than the tensor

#include <tenon/tenon.hpp>

using namespace tenon;

int main() { tensor<f32, 2, 3> x{{1, 2, 3}, {4, 5}}; }
