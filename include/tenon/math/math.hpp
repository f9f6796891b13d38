// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/bessel.hpp>
#include <tenon/math/divide.hpp>
#include <tenon/math/error_function.hpp>
#include <tenon/math/exponential.hpp>
#include <tenon/math/gamma.hpp>
#include <tenon/math/inverse.hpp>
#include <tenon/math/logarithm.hpp>
#include <tenon/math/magnitude.hpp>
#include <tenon/math/power.hpp>
#include <tenon/math/root.hpp>
#include <tenon/math/rounding.hpp>
#include <tenon/math/trigonometric.hpp>
