// SPDX-License-Identifier: Apache-2.0
#pragma once

// The calls into LAPACK that jnp.linalg and jax.scipy.linalg become on a CPU (`custom_call @lapack_spotrf_ffi` ...):
// whoever includes this runs them, in programs that are known while compiling and in those that are read. They need
// Eigen where the compiler looks for headers, and memory from the heap.

#include <tenon/core/lanes_note.hpp>
#include <tenon/lapack/factorization.hpp>
#include <tenon/lapack/general.hpp>
#include <tenon/lapack/orthogonal.hpp>
#include <tenon/lapack/spectral.hpp>
#include <tenon/lapack/tridiagonal.hpp>
