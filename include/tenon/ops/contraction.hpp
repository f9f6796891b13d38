// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/contraction/cholesky.hpp>
#include <tenon/ops/contraction/convolution.hpp>
#include <tenon/ops/contraction/dot.hpp>
#include <tenon/ops/contraction/dot_general.hpp>
#include <tenon/ops/contraction/dynamic_conv.hpp>
#include <tenon/ops/contraction/einsum.hpp>
#include <tenon/ops/contraction/fft.hpp>
#include <tenon/ops/contraction/triangular_solve.hpp>
#include <tenon/ops/contraction/unary_einsum.hpp>
