// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/list.hpp>
#include <tenon/core/read_index.hpp>
#include <tenon/kernels/copy/strided.hpp>

namespace tenon::kernels {

// Indices of some tensor, kept between `low` and `high`, that move what a walk reads by `stride` elements each.
struct index_walk {
  const void* elements = nullptr;
  dtype type = dtype::none;
  const strided_access* access = nullptr;
  index_t stride = 0, low = 0, high = 0;
};

// A walk whose positions are moved by indices, which are the same for `run` neighbours. It is taken of the positions
// that the walk `before` gives, if there is one, or else of the index space in order.
struct gathered_walk {
  const strided_access* access = nullptr;
  list<index_walk> indices;
  index_t run = 0;
  const gathered_walk* before = nullptr;
};

// f(done, start, stride, run) for elements first, first + 1, ... of a walk: after `done` of them there are `run` at
// start, start + stride, ...
template <class F>
void for_each_run(const strided_access& access, index_t first, index_t count, const F& f) {
  const int inner = access.sizes.size - 1;
  const index_t row = inner < 0 ? 1 : access.sizes.at[inner], stride = inner < 0 ? 0 : access.strides.at[inner];
  for (index_t done = 0; done < count;) {
    const index_t left = row - (first + done) % row, run = left < count - done ? left : count - done;
    f(done, position_at(access, first + done), stride, run);
    done += run;
  }
}
// Where the elements first, first + 1, ... of a walk lie.
inline void positions_of(const strided_access& access, index_t first, index_t count, index_t* to) {
  for_each_run(access, first, count, [=](index_t done, index_t start, index_t stride, index_t run) {
    for (index_t i = 0; i < run; ++i) to[done + i] = start + i * stride;
  });
}

inline constexpr index_t most_positions = 256;

// At most most_positions of them.
inline void positions_of(const gathered_walk& walk, index_t first, index_t count, index_t* to) {
  index_t given[most_positions], index[most_positions];
  if (walk.before != nullptr) {
    positions_of(*walk.before, first, count, given);
    for (index_t i = 0; i < count; ++i) to[i] = position_at(*walk.access, given[i]);
  } else {
    positions_of(*walk.access, first, count, to);
  }
  constexpr index_t short_row = 16;
  for (const index_walk& each : walk.indices) {
    const ints& sizes = each.access->sizes;
    if (walk.before == nullptr && !sizes.empty() && sizes.at[sizes.size - 1] >= short_row) {
      for_each_run(*each.access, first, count, [&](index_t done, index_t start, index_t stride, index_t run) {
        const auto offset_of = [low = each.low, high = each.high, by = each.stride](index_t at) {
          return (at < low ? low : at > high ? high : at) * by;
        };
        add_index_offsets(each.type, each.elements, start, stride, run, offset_of, to + done);
      });
      continue;
    }
    if (walk.before != nullptr)
      for (index_t i = 0; i < count; ++i) index[i] = position_at(*each.access, given[i]);
    else
      positions_of(*each.access, first, count, index);
    read_indices_at(each.type, each.elements, index, count, each.low, each.high);
    for (index_t i = 0; i < count; ++i) to[i] += index[i] * each.stride;
  }
}

// By how much the indices move element `number`.
inline index_t moved_by(const list<index_walk>& indices, index_t number) {
  index_t moved = 0;
  for (const index_walk& each : indices) {
    index_t index = position_at(*each.access, number);
    read_indices_at(each.type, each.elements, &index, 1, each.low, each.high);
    moved += index * each.stride;
  }
  return moved;
}

// Elements first, first + 1, ... of such a walk over `from`, one after the other. `count` is not 0 and stays within the
// walk.
template <class Bytes>
void copy_gathered(Bytes* to, const Bytes* from, const gathered_walk& walk, index_t first, index_t count) {
  constexpr index_t short_run = 8;
  if (walk.before == nullptr && walk.run >= short_run) {
    for (index_t done = 0; done < count;) {
      const index_t left = walk.run - (first + done) % walk.run, run = left < count - done ? left : count - done;
      copy_strided(to + done, from + moved_by(walk.indices, first + done), *walk.access, first + done, run);
      done += run;
    }
    return;
  }
  index_t positions[most_positions];
  for (index_t done = 0; done < count; done += most_positions) {
    const index_t some = count - done < most_positions ? count - done : most_positions;
    positions_of(walk, first + done, some, positions);
    for (index_t i = 0; i < some; ++i) to[done + i] = from[positions[i]];
  }
}

}  // namespace tenon::kernels
