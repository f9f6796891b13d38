// SPDX-License-Identifier: Apache-2.0
//
// A number with a fraction beside a tensor of integers.
//
// expect: number: a number with a fraction is no element of an integer type
// expect: wrong_number.cpp:11
#include <tenon/tenon.hpp>

using namespace tenon;

tensor<i32, 3> half(const tensor<i32, 3>& x) { return x * 0.5; }
