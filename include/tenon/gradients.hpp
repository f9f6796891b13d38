// SPDX-License-Identifier: Apache-2.0
#pragma once

// Gradients of traced functions and of programs, written while compiling: grad, value_and_grad, vjp, jvp, hvp,
// jacobian, hessian.
//
//   constexpr auto loss = trace([](auto w, auto x, auto y) { return mean(square(matmul(x, w) - y)); });
//   auto [value, by_w] = value_and_grad(loss)(w, x, y);

#include <tenon/gradients/custom.hpp>
#include <tenon/gradients/derived_program.hpp>
#include <tenon/gradients/functions.hpp>
#include <tenon/gradients/iterations/loops.hpp>
#include <tenon/tensors.hpp>
