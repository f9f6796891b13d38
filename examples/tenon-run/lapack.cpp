// SPDX-License-Identifier: Apache-2.0

// Programs from JAX call LAPACK; to compile what answers takes longer than all the rest, so it is a source of its own.
#include <tenon/lapack.hpp>
