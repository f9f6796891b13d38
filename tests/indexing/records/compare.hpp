// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "record.hpp"

#include <functional>

namespace records {

using point = std::vector<std::int64_t>;

std::string text_of(const map& given);

// Visits the points of the box of all variables (dimensions, range and runtime variables): all if they are few, else a
// sample with ends, neighbours of the ends, and points that were moved towards the constraints of `guide`.
void for_each_point(const map& guide, const std::function<bool(const point&)>& visit);

// Why two maps differ: in their variables, their bounds, their domain or their results. Empty if they do not.
std::string difference(const map& expected, const map& actual);

// Why `actual` reads something that `expected` does not read for the same dimensions. Empty if it reads a part of it.
std::string excess(const map& expected, const map& actual);

// Length of the results in symbols: variables, constants, operators.
std::int64_t length_of_results(const map& given);

}  // namespace records
