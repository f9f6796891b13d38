// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/lanes.hpp>

// The name of a header of Eigen, which Debian keeps in a folder that a compiler without flags does not search. Highway
// comes first: it silences warnings of GCC's intrinsics, which Eigen includes, too.
#if __has_include(<Eigen/Core>)
#define TENON_EIGEN(header) <Eigen/header>
#define TENON_EIGEN_CXX11(header) <unsupported/Eigen/CXX11/header>
#else
#define TENON_EIGEN(header) <eigen3/Eigen/header>
#define TENON_EIGEN_CXX11(header) <eigen3/unsupported/Eigen/CXX11/header>
#endif
