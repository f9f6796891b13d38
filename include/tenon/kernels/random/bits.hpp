// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/kernels/random/random_lanes.hpp>

namespace tenon::kernels {

// An op that fills its second result with the words of blocks of Philox, if it says `is_philox`.
template <class Op>
concept generates_bits = Op::generates_bits;

// The words of the next blocks, in pairs.
inline void take_blocks(ui64 (&state)[3], ui64* pairs, index_t count) {
  index_t i = 0;
  if constexpr (has_random_lanes)
    if (state[1] < ~ui64(count)) {  // the low half of the counter does not begin again
      const auto store = [&](auto first, auto second, index_t at) HWY_ATTR {
        hn::StoreInterleaved2(first, second, hn::DFromV<decltype(first)>(), pairs + 2 * at);
      };
      i = for_each_philox(state[0], state[1], state[2], count, store);
      state[1] += ui64(i);
    }
  for (; i < count; ++i) {
    const ops::philox_block block = ops::philox(state[0], state[1], state[2]);
    if (++state[1] == 0) ++state[2];
    pairs[2 * i] = ops::joined(block.words[0], block.words[1]);
    pairs[2 * i + 1] = ops::joined(block.words[2], block.words[3]);
  }
}

template <class T>
void fill_with_bits(ui64 (&state)[3], T* output, index_t count) {
  constexpr index_t per_pair = num_bits(dtype_of<T>) == 64 ? 1 : 2, most_blocks = 64;
  constexpr index_t most = 2 * most_blocks * per_pair;
  ui64 pairs[2 * most_blocks];
  for (index_t first = 0; first < count; first += most) {
    const index_t some = count - first < most ? count - first : most;
    take_blocks(state, pairs, (some + 2 * per_pair - 1) / (2 * per_pair));
    for (index_t i = 0; i < some; ++i) {
      const ui64 pair = pairs[i / per_pair];
      output[first + i] = from_bits<T>(per_pair == 1 ? pair : i % 2 == 0 ? ops::low_word(pair) : ops::high_word(pair));
    }
  }
}

// Runs an op that generates bits.
template <class Op>
void random_bits_kernel(const evaluation& e) {
  const Op op = read_attributes<Op>(e.words);
  if (!op.is_philox()) return op.template evaluate<ui64>(e);
  ui64 state[3];
  op.read_state(e, state);
  visit(e.result_types.data[1].element, [&]<class T>() {
    if constexpr (dtype_of<T> != dtype::i1 && !is_complex(dtype_of<T>))
      fill_with_bits(state, e.result<T>(1), e.result_types.data[1].size());
  });
  op.write_state(e, state);
}

}  // namespace tenon::kernels
