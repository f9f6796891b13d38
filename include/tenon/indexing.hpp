// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/indexing/builders.hpp>
#include <tenon/indexing/compose.hpp>
#include <tenon/indexing/cost.hpp>
#include <tenon/indexing/equality.hpp>
#include <tenon/indexing/interval.hpp>
#include <tenon/indexing/inverse.hpp>
#include <tenon/indexing/linear.hpp>
#include <tenon/indexing/map.hpp>
#include <tenon/indexing/simplifier.hpp>
#include <tenon/indexing/simplify.hpp>
#include <tenon/indexing/text.hpp>
#include <tenon/indexing/variables.hpp>
