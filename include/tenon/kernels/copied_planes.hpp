// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>

#include <algorithm>
#include <numeric>

namespace tenon::kernels {

// Windows along a dimension whose elements are copied to runs in which neighbours meet neighbours: window x meets place
// start + x * stride + position * dilation, which is entry x + shift(position) of run position % runs. Every `holes`-th
// place has an element, but for padding.
struct copied_axis {
  index_t start, stride, window, dilation, count;
  index_t size, step, holes = 1;  // of the elements
  index_t runs = 1, extent = 0;   // of the copy
  bool is_shared = true;          // by positions whose distances have equal remainders by the stride

  // `repeats`: a run for every position, whose entries are met by all windows.
  constexpr void lay_out(bool repeats) {
    const index_t remainders = std::min(window, stride / std::gcd(stride, dilation));
    const index_t shared = count + (window - 1) * dilation / stride;
    is_shared = !repeats && remainders * shared <= window * count;
    runs = is_shared ? remainders : window, extent = is_shared ? shared : count;
  }
  // All places, as they lie.
  constexpr void lie_in_place() { stride = 1, runs = 1, extent = size, is_shared = true; }

  constexpr index_t shift(index_t position) const { return is_shared ? position * dilation / stride : 0; }
  // The place of the first entry of a run.
  constexpr index_t origin(index_t run) const { return start + (is_shared ? run * dilation % stride : run * dilation); }
  // Where the element of an entry lies; below 0: it has none.
  constexpr index_t offset(index_t run, index_t entry) const {
    const index_t at = origin(run) + entry * stride;
    return at < 0 || at >= size * holes || at % holes != 0 ? -1 : at / holes;
  }
  // The first entry of a run that lies at this place or behind it.
  constexpr index_t first_from(index_t place, index_t run) const {
    const index_t distance = place - origin(run);
    return distance <= 0 ? 0 : std::min(extent, (distance - 1) / stride + 1);
  }
};

// Such dimensions together: the runs of the first one are outermost.
struct copied_planes {
  int rank = 0;
  copied_axis axes[max_rank];
  ints extents, runs, counts, steps;

  constexpr void add(const copied_axis& axis) { axes[rank++] = axis; }
  constexpr void lay_out() {
    extents = runs = counts = {};
    for (int d = 0; d < rank; ++d) extents.push(axes[d].extent), runs.push(axes[d].runs), counts.push(axes[d].count);
    steps = strides_of(extents);
  }
  constexpr index_t entries() const { return extents.product() * runs.product(); }
  // From the first entry that a window meets to the last one.
  constexpr index_t length() const {
    index_t last = 0;
    for (int d = 0; d < rank; ++d) last += (counts.at[d] - 1) * steps.at[d];
    return last + 1;
  }
  // From the entry of a window to that which it meets at a position, in the dimensions from `first` on.
  constexpr index_t offset_of(const ints& position, int first) const {
    index_t run = 0, shift = 0;
    for (int d = first; d < rank; ++d) {
      run = run * axes[d].runs + position.at[d - first] % axes[d].runs;
      shift += axes[d].shift(position.at[d - first]) * steps.at[d];
    }
    return run * extents.product() + shift;
  }

  // Calls f(line, offset, begin, end, run) for the lines of the copy: where the elements of each begin, but for the
  // last dimension, in which they are entries `begin` to `end` of a run; none over padding.
  template <class Function>
  void for_each_line(Function f) const {
    const int inner = rank - 1;
    const copied_axis& last = axes[inner];
    ints lines = extents, run = ints::filled(rank, 0);
    --lines.size;
    index_t line = 0;
    do {
      const index_t begin = last.first_from(0, run.at[inner]);
      const index_t end = last.first_from(last.size * last.holes, run.at[inner]);
      ints index = ints::filled(inner, 0);
      do {
        index_t offset = 0;
        bool is_inside = begin < end;
        for (int d = 0; d < inner; ++d) {
          const index_t at = axes[d].offset(run.at[d], index.at[d]);
          is_inside = is_inside && at >= 0;
          offset += at * axes[d].step;
        }
        f(line, offset, is_inside ? begin : last.extent, is_inside ? end : last.extent, run.at[inner]);
        line += last.extent;
      } while (advance(lines, index));
    } while (advance(runs, run));
  }
  // Calls f(entry, index, count) for the lines of windows among `length` entries from `index` on, which is advanced.
  template <class Function>
  void for_each_row(ints& index, index_t length, Function f) const {
    const int inner = rank - 1;
    for (index_t j = 0, count = 0; j < length; j += count) {
      count = std::min(extents.at[inner] - index.at[inner], length - j);
      bool is_window = true;
      for (int d = 0; d < inner; ++d) is_window = is_window && index.at[d] < counts.at[d];
      const index_t some = std::min(count, counts.at[inner] - index.at[inner]);
      if (is_window && some > 0) f(j, static_cast<const ints&>(index), some);
      index.at[inner] += count - 1;
      advance(extents, index);
    }
  }
};

}  // namespace tenon::kernels
