// SPDX-License-Identifier: Apache-2.0
#pragma once

// Indexing maps: which elements of its operands an element of a result is computed from. In namespace
// `tenon::indexing`, and useful without the rest.
//
// Costs 0.1 s to include (g++ 12 -O2).

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
#include <tenon/indexing/tile.hpp>
#include <tenon/indexing/variables.hpp>
