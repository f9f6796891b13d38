// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/list.hpp>
#include <tenon/core/read_index.hpp>
#include <tenon/kernels/copy/strided.hpp>

#include <type_traits>

namespace tenon::kernels {

// Indices of some tensor, kept between `low` and `high`, that move what an access reads by `stride` elements each.
struct index_walk {
  const void* elements = nullptr;
  dtype type = dtype::none;
  const strided_access* access = nullptr;
  index_t stride = 0, low = 0, high = 0;
};

// A strided access whose positions are moved by indices, which are the same for `run` neighbours. It reads at the
// positions that the access `before` gives, if there is one, or else at the index space in order.
struct gathered_walk {
  const strided_access* access = nullptr;
  list<index_walk> indices;
  index_t run = 0;
  const gathered_walk* before = nullptr;
};

// f(done, start, stride, run) for elements first, first + 1, ... of an access: after `done` of them there are `run` at
// start, start + stride, ...
template <class F>
void for_each_run(const strided_access& access, index_t first, index_t count, const F& f) {
  const int inner = access.sizes.size - 1;
  const index_t row = inner < 0 ? 1 : access.sizes.at[inner], stride = inner < 0 ? 0 : access.strides.at[inner];
  index_t index[max_rank]{}, position = access.base, rest = first;
  for (int d = inner; d >= 0; --d) {
    index[d] = rest % access.sizes.at[d];
    rest /= access.sizes.at[d];
    position += index[d] * access.strides.at[d];
  }
  for (index_t done = 0; done < count;) {
    const index_t at = inner < 0 ? 0 : index[inner], left = row - at, run = left < count - done ? left : count - done;
    f(done, position, stride, run);
    done += run;
    // The next row begins where the dimensions around it go on.
    position -= at * stride;
    if (inner >= 0) index[inner] = 0;
    for (int d = inner - 1; d >= 0; --d) {
      position += access.strides.at[d];
      if (++index[d] < access.sizes.at[d]) break;
      position -= access.sizes.at[d] * access.strides.at[d];
      index[d] = 0;
    }
  }
}
// Where the elements first, first + 1, ... of an access lie.
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

// The starts of runs of `run` neighbours along an access. False: runs do not divide its rows.
inline bool walk_over_runs(const strided_access& access, index_t run, strided_access& runs) {
  const int inner = access.sizes.size - 1;
  if (inner < 0 || access.sizes.at[inner] % run != 0) return false;
  runs = access;
  if (access.sizes.at[inner] == run)
    --runs.sizes.size, --runs.strides.size;
  else
    runs.sizes.at[inner] /= run, runs.strides.at[inner] *= run;
  return true;
}

// Copies the elements at `count` positions, and `run` - 1 neighbours of each.
template <class Bytes>
void copy_runs(Bytes* to, const Bytes* from, const index_t* positions, index_t count, index_t run, index_t stride) {
  const auto copy = [&](auto length) {
    for (index_t i = 0; i < count; ++i, to += length)
      for (index_t k = 0; k < length; ++k) to[k] = from[positions[i] + k * stride];
  };
  if (run == 2) return copy(std::integral_constant<index_t, 2>());
  if (run == 3) return copy(std::integral_constant<index_t, 3>());
  if (run == 4) return copy(std::integral_constant<index_t, 4>());
  copy(run);
}

// Whole runs from element `first` on, where indices are the same for a few neighbours: false if they are not taken run
// by run.
template <class Bytes>
bool copy_short_runs(Bytes* to, const Bytes* from, const gathered_walk& walk, index_t first, index_t count) {
  constexpr int most_indices = 16;
  const index_t run = walk.run;
  if (walk.indices.size > most_indices) return false;
  strided_access starts, accesses[most_indices];
  index_walk indices[most_indices];
  if (!walk_over_runs(*walk.access, run, starts)) return false;
  for (int i = 0; i < walk.indices.size; ++i) {
    indices[i] = walk.indices.data[i];
    if (!walk_over_runs(*indices[i].access, run, accesses[i])) return false;
    indices[i].access = &accesses[i];
  }
  const gathered_walk runs{&starts, {indices, walk.indices.size}, 1};
  const index_t stride = walk.access->strides.at[walk.access->sizes.size - 1];
  index_t positions[most_positions];
  for (index_t done = 0; done < count / run; done += most_positions) {
    const index_t left = count / run - done, some = left < most_positions ? left : most_positions;
    positions_of(runs, first / run + done, some, positions);
    copy_runs(to + done * run, from, positions, some, run, stride);
  }
  return true;
}

// Elements first, first + 1, ... of such an access over `from`, in order. `count` is not 0 and stays within the access.
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
  const auto copy_elements = [&](index_t begin, index_t end) {
    index_t positions[most_positions];
    for (index_t done = begin; done < end; done += most_positions) {
      const index_t some = end - done < most_positions ? end - done : most_positions;
      positions_of(walk, first + done, some, positions);
      for (index_t i = 0; i < some; ++i) to[done + i] = from[positions[i]];
    }
  };
  if (walk.before == nullptr && walk.run > 1) {
    // Runs that begin before the first element, or end behind the last one, are taken element by element.
    const index_t ahead = (walk.run - first % walk.run) % walk.run;
    const index_t whole = ahead < count ? (count - ahead) / walk.run * walk.run : 0;
    if (whole > 0 && copy_short_runs(to + ahead, from, walk, first + ahead, whole)) {
      copy_elements(0, ahead);
      return copy_elements(ahead + whole, count);
    }
  }
  copy_elements(0, count);
}

}  // namespace tenon::kernels
