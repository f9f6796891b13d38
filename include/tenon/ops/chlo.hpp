// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/chlo/acos.hpp>
#include <tenon/ops/chlo/acosh.hpp>
#include <tenon/ops/chlo/asin.hpp>
#include <tenon/ops/chlo/asinh.hpp>
#include <tenon/ops/chlo/atan.hpp>
#include <tenon/ops/chlo/atanh.hpp>
#include <tenon/ops/chlo/bessel_i1e.hpp>
#include <tenon/ops/chlo/conj.hpp>
#include <tenon/ops/chlo/cosh.hpp>
#include <tenon/ops/chlo/digamma.hpp>
#include <tenon/ops/chlo/erf.hpp>
#include <tenon/ops/chlo/erf_inv.hpp>
#include <tenon/ops/chlo/erfc.hpp>
#include <tenon/ops/chlo/is_inf.hpp>
#include <tenon/ops/chlo/is_neg_inf.hpp>
#include <tenon/ops/chlo/is_pos_inf.hpp>
#include <tenon/ops/chlo/lgamma.hpp>
#include <tenon/ops/chlo/mulhi.hpp>
#include <tenon/ops/chlo/next_after.hpp>
#include <tenon/ops/chlo/polygamma.hpp>
#include <tenon/ops/chlo/sinh.hpp>
#include <tenon/ops/chlo/square.hpp>
#include <tenon/ops/chlo/top_k.hpp>
#include <tenon/ops/chlo/zeta.hpp>
