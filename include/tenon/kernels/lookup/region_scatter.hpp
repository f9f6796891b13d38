// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/copy_run.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/scatter_positions.hpp>

#include <cstdint>
#include <cstring>

namespace tenon::kernels {

// Runs a region (E, E) -> E of ops that work element by element on many elements of a tensor, wherever these lie.
class region_scatter {
 public:
  region_scatter(const evaluation& e, int region, const tensor_type& elements)
      : bytes_(storage_bytes(elements.element)) {
    const signature& types = e.regions.data[region];
    if (types.arguments.size != 2 || types.results.size != 1 || elements.quantization != 0) return;
    for (const tensor_type& type : {types.arguments.data[0], types.arguments.data[1], types.results.data[0]})
      if (type.element != elements.element || type.quantization != 0) return;
    lanes_ = e.lanes_of(region);
  }
  region_scatter(const region_scatter&) = delete;

  // @return whether the region is made of such ops, and has the type of the elements.
  bool is_supported() const { return bool(lanes_); }

  // to[k] = region(to[k], elements[k]) for 0 <= k < count
  void combine(void* to, const void* elements, index_t count) {
    if (lanes_.forwarded == 0) return;
    if (lanes_.forwarded == 1) return copy_scattered_row(to, elements, count * bytes_);
    const void* const arguments[] = {to, elements};
    lanes_(arguments, &to, count);
  }

  // to[p + r] = region(to[p + r], elements[k * step + r]) for 0 <= r < run, for one k after the other, where position p
  // of k is inside.
  void combine_at(void* to, const scatter_positions& positions, const void* elements, index_t step, index_t count,
                  index_t run) {
    if (lanes_.forwarded == 0) return;
    if (lanes_.forwarded < 0 && lanes_.compiled.fold_at != nullptr)
      return lanes_.compiled.fold_at(to, positions, elements, step, count, run);
    with_bytes(bytes_, [&]<class Bytes>(Bytes) {
      auto* const target = static_cast<Bytes*>(to);
      const auto* const source = static_cast<const Bytes*>(elements);
      if (run > 1)
        positions.for_each_inside(count, [&](index_t k, index_t at) { combine(target + at, source + k * step, run); });
      else if (lanes_.forwarded == 1)
        put_at(target, positions, source, step, count);
      else
        combine_in_rounds(target, positions, source, step, count);
    });
  }

 private:
  // Different elements at a time: those whose places in a small table are different.
  static constexpr index_t most_at_once = 128, places = 8192;

  template <class Bytes>
  [[gnu::noinline]] static void put_at(Bytes* to, const scatter_positions& positions, const Bytes* from, index_t step,
                                       index_t count) {
    positions.for_each_inside(count, [=](index_t k, index_t at) { to[at] = from[k * step]; });
  }

  template <class Bytes>
  void combine_in_rounds(Bytes* to, const scatter_positions& positions, const Bytes* from, index_t step,
                         index_t count) {
    alignas(64) Bytes before[most_at_once]{}, taken[most_at_once]{};
    index_t at[most_at_once];
    for (index_t k = 0; k < count;) {
      if (++round_ == 1) std::memset(rounds_, 0, sizeof rounds_);
      const index_t most = count - k < most_at_once ? count - k : most_at_once;
      const index_t some = find_different(positions, k, most, at);
      for (index_t i = 0; i < some; ++i)
        if (at[i] >= 0) before[i] = to[at[i]];
      copy_run(taken, from + k * step, step, some);
      combine(before, taken, some);
      for (index_t i = 0; i < some; ++i)
        if (at[i] >= 0) to[at[i]] = before[i];
      k += some;
    }
  }
  // Positions first, first + 1, ..., up to one that has been there before in this round, or shares its place in the
  // table with such a one. @return how many they are.
  [[gnu::noinline]] index_t find_different(const scatter_positions& positions, index_t first, index_t most,
                                           index_t* at) {
    for (index_t i = 0; i < most; ++i) {
      at[i] = positions.exact(first + i);
      if (at[i] < 0) continue;
      std::uint8_t& last = rounds_[std::uint64_t(at[i]) % places];
      if (last == round_) return i;
      last = round_;
    }
    return most;
  }

  index_t bytes_;
  std::uint8_t round_ = 0;       // from 1 on, again and again
  std::uint8_t rounds_[places];  // in which round each place of the table was last taken
  lane_function lanes_;
};

}  // namespace tenon::kernels
