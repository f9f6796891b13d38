// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/copy_run.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/prepared_body.hpp>
#include <tenon/ops/convert_element.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tenon {

// Runs a region (E0, ..., EN-1, E0, ..., EN-1) -> (E0, ..., EN-1) over elements that lie anywhere in memory: N
// accumulators come first, N elements second. What has another element type than the region asks for is converted.
class combiner {
 public:
  static constexpr index_t scratch_bytes(int n) { return n * index_t(3 * sizeof(slot) + 3 * sizeof(void*)); }

  // Elements have the types of `inputs`; memory is `scratch_bytes` long and aligned for any element.
  combiner(const evaluation& e, int region, list<tensor_type> inputs, void* memory)
      : evaluation_(e), region_(region), n_(inputs.size), inputs_(inputs) {
    accumulators_ = static_cast<slot*>(memory);
    next_ = accumulators_ + n_;
    converted_ = next_ + n_;
    arguments_ = static_cast<const void**>(static_cast<void*>(converted_ + n_));
    results_ = const_cast<void**>(arguments_ + 2 * n_);
    is_prepared_ = takes_elements_as_they_are() && e.prepare(region, true, prepared_);
    if (is_prepared_ && n_ == 1) forwarded_ = e.code_of(region).forwarded;
  }
  combiner(const combiner&) = delete;

  // Whether the region has the types of the elements.
  bool takes_elements_as_they_are() const {
    if (body().arguments.size != 2 * n_ || body().results.size != n_) return false;
    for (int i = 0; i < n_; ++i)
      for (const tensor_type& type : {body().arguments.data[i], body().arguments.data[n_ + i], body().results.data[i]})
        if (type.element != inputs_.data[i].element || type.quantization != 0 || inputs_.data[i].quantization != 0)
          return false;
    return true;
  }
  // Whether one call may combine many elements.
  bool takes_many() const { return is_prepared_; }
  // to[i][k] = region(to[...][k], elements[...][k]), if takes_many().
  void take_many(void* const* to, const void* const* elements, index_t count) {
    constexpr int most = 8;
    const void* few[2 * most];
    const void** const arguments = n_ <= most ? few : arguments_;
    for (int i = 0; i < n_; ++i) {
      arguments[i] = to[i];
      arguments[n_ + i] = elements[i];
    }
    prepared_(arguments, to, count);
  }
  // The same for a region of two arguments.
  void take_many(void* to, const void* elements, index_t count) {
    if (forwarded_ == 0) return;
    if (forwarded_ == 1) return copy_scattered_row(to, elements, count * storage_bytes(inputs_.data[0].element));
    const void* const arguments[] = {to, elements};
    prepared_(arguments, &to, count);
  }

  // to[positions[k] + r] = region(that, elements[k * step + r]) for 0 <= r < run, for one k after the other, where the
  // position is inside; false, and nothing is done, if the region is not ready for that.
  template <class Positions>
  bool take_at(void* to, Positions positions, const void* elements, index_t step, index_t count, index_t run) {
    if (n_ != 1 || !is_prepared_) return false;
    if (forwarded_ == 0) return true;
    detail::with_bytes(storage_bytes(inputs_.data[0].element), [&]<class Bytes>(Bytes) {
      take_each(static_cast<Bytes*>(to), positions, static_cast<const Bytes*>(elements), step, count, run);
    });
    return true;
  }

  // The accumulators become the elements at `position` of these tensors.
  void start(const void* const* tensors, index_t position) {
    for (int i = 0; i < n_; ++i) {
      const tensor_type type = body().arguments[i];
      convert_element(evaluation_.details, inputs_[i], element(tensors, i, position), type, accumulators_[i].bytes);
    }
  }

  // accumulators = region(accumulators, elements at `position` of these tensors)
  void take(const void* const* tensors, index_t position) {
    if (is_prepared_) {
      for (int i = 0; i < n_; ++i) {
        arguments_[i] = results_[i] = accumulators_[i].bytes;
        arguments_[n_ + i] = element(tensors, i, position);
      }
      return prepared_(arguments_, results_, 1);
    }
    for (int i = 0; i < n_; ++i) {
      const tensor_type& type = body().arguments.data[n_ + i];
      const std::byte* from = element(tensors, i, position);
      arguments_[i] = accumulators_[i].bytes;
      arguments_[n_ + i] = from;
      if (type.element != inputs_.data[i].element || type.quantization != inputs_.data[i].quantization) {
        convert_element(evaluation_.details, inputs_.data[i], from, type, converted_[i].bytes);
        arguments_[n_ + i] = converted_[i].bytes;
      }
      results_[i] = next_[i].bytes;
    }
    evaluation_.run(region_, arguments_, results_);
    slot* taken = accumulators_;
    accumulators_ = next_;
    next_ = taken;
  }

  // Writes the accumulators to `position` of tensors of the region's types.
  void store(void* const* tensors, index_t position) const {
    for (int i = 0; i < n_; ++i) {
      const index_t bytes = storage_bytes(body().results.data[i].element);
      std::memcpy(static_cast<std::byte*>(tensors[i]) + position * bytes, accumulators_[i].bytes, std::size_t(bytes));
    }
  }
  // The next accumulators are what stands there.
  void load(const void* const* tensors, index_t position) {
    for (int i = 0; i < n_; ++i) {
      const index_t bytes = storage_bytes(body().results.data[i].element);
      std::memcpy(accumulators_[i].bytes, static_cast<const std::byte*>(tensors[i]) + position * bytes,
                  std::size_t(bytes));
    }
  }

 private:
  struct slot {
    alignas(16) std::byte bytes[16];
  };

  // Different elements at a time: those whose places in a small table are different.
  static constexpr index_t most_at_once = 128, places = 8192;

  template <class Bytes, class Positions>
  void take_each(Bytes* target, Positions positions, const Bytes* source, index_t step, index_t count, index_t run) {
    if (forwarded_ == 1) return put_at(target, positions, source, step, count, run);
    if (prepared_.compiled().fold_at != nullptr)
      return prepared_.compiled().fold_at(target, positions.indices_of(), source, step, count, run);
    if (run > 1) {
      for (index_t k = 0; k < count; ++k)
        if (positions.is_inside(k)) take_many(target + positions[k], source + k * step, run);
      return;
    }
    alignas(64) Bytes before[most_at_once]{}, taken[most_at_once]{};
    for (index_t k = 0; k < count;) {
      begin_round();
      const index_t most = count - k < most_at_once ? count - k : most_at_once;
      const index_t some = get_different(before, target, positions, k, most, rounds_, round_);
      const Bytes* elements = source + k;
      if (step != 1) {
        copy_run(taken, source + k * step, step, some);
        elements = taken;
      }
      take_many(before, elements, some);
      put_back(target, positions, k, some, before);
      k += some;
    }
  }
  // to[i] = from[positions[first + i]], up to the first position that has been there before in this round, or shares
  // its place in the table with one; gives how many. Functions of their own, as put_at is.
  template <class Bytes, class Positions>
  [[gnu::noinline]] static index_t get_different(Bytes* to, const Bytes* from, Positions positions, index_t first,
                                                 index_t most, std::uint8_t* rounds, std::uint8_t round) {
    for (index_t i = 0; i < most; ++i) {
      if (!positions.is_inside(first + i)) continue;
      const index_t at = positions[first + i];
      std::uint8_t& last = rounds[std::uint64_t(at) % places];
      if (last == round) return i;
      last = round;
      to[i] = from[at];
    }
    return most;
  }
  template <class Bytes, class Positions>
  [[gnu::noinline]] static void put_back(Bytes* to, Positions positions, index_t first, index_t count,
                                         const Bytes* from) {
    for (index_t i = 0; i < count; ++i)
      if (positions.is_inside(first + i)) to[positions[first + i]] = from[i];
  }
  // A function of its own, for what it counts with to stay in registers.
  template <class Bytes, class Positions>
  [[gnu::noinline]] static void put_at(Bytes* to, Positions positions, const Bytes* from, index_t step, index_t count,
                                       index_t run) {
    if (run == 1) {
      for (index_t k = 0; k < count; ++k, from += step)
        if (positions.is_inside(k)) to[positions[k]] = *from;
    } else {
      for (index_t k = 0; k < count; ++k, from += step)
        if (positions.is_inside(k)) copy_scattered_row(to + positions[k], from, run * index_t(sizeof(Bytes)));
    }
  }
  // In which round each place of the table was last taken.
  void begin_round() {
    if (++round_ != 1) return;
    std::memset(rounds_, 0, sizeof rounds_);
  }

  const signature& body() const { return evaluation_.regions.data[region_]; }
  const std::byte* element(const void* const* tensors, int i, index_t position) const {
    return static_cast<const std::byte*>(tensors[i]) + position * storage_bytes(inputs_.data[i].element);
  }

  const evaluation& evaluation_;
  int region_;
  int n_;
  list<tensor_type> inputs_;
  slot* accumulators_;
  slot* next_;
  slot* converted_;
  const void** arguments_;
  void** results_;
  int forwarded_ = -1;
  bool is_prepared_ = false;
  std::uint8_t round_ = 0;
  std::uint8_t rounds_[places];
  prepared_body prepared_;
};

}  // namespace tenon
