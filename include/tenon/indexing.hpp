// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/indexing/builders.hpp>
#include <tenon/indexing/compose.hpp>
#include <tenon/indexing/interval.hpp>
#include <tenon/indexing/linear.hpp>
#include <tenon/indexing/map.hpp>
#include <tenon/indexing/simplify.hpp>
