// SPDX-License-Identifier: Apache-2.0
#pragma once

// Explanations and pictures of a program that another header makes: `explain<net>()` says which ops share a loop and
// why others do not, `dump<net>()` prints the simplified program and its plan, `to_dot<net>()` draws it, `to_svg` draws
// what elements are computed from.
//
// Costs 1.3 s to include (g++ 12 -O2).

#include <tenon/core/lanes_note.hpp>
#include <tenon/pictures/dump.hpp>
#include <tenon/pictures/explain.hpp>
#include <tenon/pictures/svg.hpp>
