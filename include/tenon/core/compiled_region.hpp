// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/scatter_positions.hpp>

namespace tenon::core {

// The code of a region that is known while compiling, whose ops work element by element: loops in which what ops hand
// to each other stays in registers. Elements of an argument or a result lie one behind the other.
struct compiled_region {
  // results[i][k] = what the region gives for arguments[...][k]. Results may lie where arguments do.
  void (*apply)(const void* const* arguments, void* const* results, index_t count) = nullptr;

  // For a region that combines totals with as many elements, of the same types. For p in order:
  // totals[i][k] = what the region gives for totals[...][k] and places[p * inputs + ...][k]. Totals begin as
  // *initial[i], or as they are if there are none.
  void (*fold)(void* const* totals, const void* const* initial, const void* const* places, index_t place_count,
               index_t count) = nullptr;

  // The same for places far apart, which are taken as they come from memory: totals[i][k] takes elements[i][r * step +
  // k], one row r after the other.
  void (*fold_rows)(void* const* totals, const void* const* elements, index_t step, index_t rows,
                    index_t count) = nullptr;

  // All that an op does that folds what is under windows.
  void (*windows)(const void* const* inputs, const void* const* initial, void* const* results) = nullptr;

  // For a region that combines one total with one element. For k in order that has a position, for 0 <= r < run:
  // to[positions[k] + r] = what the region gives for that and elements[k * step + r].
  void (*fold_at)(void* to, const scatter_positions& positions, const void* elements, index_t step, index_t count,
                  index_t run) = nullptr;

  // For a region of inputs and carries that gives outputs and the next carries. Of inputs and outputs there are `turns`
  // rows, one behind the other, which are taken in order, or from the last one on; each row, as each carry, has `count`
  // elements. Carries are read where arguments are, and written at the end where results go.
  void (*take_turns)(const void* const* arguments, void* const* results, index_t turns, index_t count,
                     bool is_reverse) = nullptr;
};

}  // namespace tenon::core
