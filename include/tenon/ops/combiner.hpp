// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
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
    const signature& types = body();
    if (n_ == 1 && types.arguments.size == 2 && types.results.size == 1 &&
        types.arguments.data[1] == types.results.data[0] &&
        types.arguments.data[1].element == inputs_.data[0].element && types.arguments.data[1].quantization == 0 &&
        inputs_.data[0].quantization == 0) {
      code_ = e.code_of(region);
      runs_on_many_ = e.run_on_many(region, nullptr, nullptr, 0);
    }
  }

  // Whether the region has the types of the elements.
  bool takes_elements_as_they_are() const {
    for (int i = 0; i < n_; ++i)
      for (const tensor_type& type : {body().arguments.data[i], body().arguments.data[n_ + i], body().results.data[i]})
        if (type.element != inputs_.data[i].element || type.quantization != 0 || inputs_.data[i].quantization != 0)
          return false;
    return true;
  }
  // Whether one call may combine so many elements, and is worth it.
  bool takes_many(index_t count) const { return is_one_op() || (runs_on_many_ && count > 2); }
  // to[k] = region(to[k], elements[k]), if takes_many(count).
  void take_many(void* to, const void* elements, index_t count) const {
    const void* const arguments[] = {to, elements};
    if (code_.code != nullptr)
      evaluation_.apply(code_, arguments, to, count);
    else if (runs_on_many_)
      evaluation_.run_on_many(region_, arguments, &to, count);
    else if (code_.forwarded == 1)
      std::memcpy(to, elements, std::size_t(count * storage_bytes(inputs_.data[0].element)));
  }

  // to[positions[k]] = region(to[positions[k]], elements[k * step]) for one after the other, where the position is not
  // below zero; false, and nothing is done, if that is not worth more than one call for each.
  bool take_at(void* to, const index_t* positions, const void* elements, index_t step, index_t count) const {
    const index_t bytes = storage_bytes(inputs_.data[0].element);
    auto* const target = static_cast<std::byte*>(to);
    const auto* const source = static_cast<const std::byte*>(elements);
    if (code_.forwarded == 0) return true;
    if (code_.forwarded == 1) {
      bool all_inside = true;
      for (index_t k = 0; k < count; ++k) all_inside &= positions[k] >= 0;
      const auto put = [&]<class Bytes>(Bytes) {
        if (all_inside && step == 1) {
          for (index_t k = 0; k < count; ++k)
            std::memcpy(target + positions[k] * index_t(sizeof(Bytes)), source + k * index_t(sizeof(Bytes)),
                        sizeof(Bytes));
          return true;
        }
        for (index_t k = 0; k < count; ++k)
          if (positions[k] >= 0)
            std::memcpy(target + positions[k] * index_t(sizeof(Bytes)), source + k * step * index_t(sizeof(Bytes)),
                        sizeof(Bytes));
        return true;
      };
      if (bytes == 4) return put(std::uint32_t{});
      if (bytes == 8) return put(std::uint64_t{});
      if (bytes == 1) return put(std::uint8_t{});
      if (bytes == 2) return put(std::uint16_t{});
    }
    if (!takes_many(most_at_once)) return false;
    // Different elements at a time: those whose places in a small table are different.
    constexpr index_t places = 4096;
    alignas(16) std::byte before[most_at_once * 16], taken[most_at_once * 16];
    bool is_taken[places];
    index_t chosen[most_at_once];
    for (index_t k = 0; k < count;) {
      std::memset(is_taken, 0, sizeof is_taken);
      index_t some = 0;
      for (; k < count && some < most_at_once; ++k) {
        const index_t at = positions[k];
        if (at < 0) continue;
        if (is_taken[at % places]) break;
        is_taken[at % places] = true;
        std::memcpy(before + some * bytes, target + at * bytes, std::size_t(bytes));
        std::memcpy(taken + some * bytes, source + k * step * bytes, std::size_t(bytes));
        chosen[some++] = at;
      }
      if (some == 0) continue;
      take_many(before, taken, some);
      for (index_t i = 0; i < some; ++i)
        std::memcpy(target + chosen[i] * bytes, before + i * bytes, std::size_t(bytes));
    }
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
    if (is_one_op()) return take_many(accumulators_->bytes, element(tensors, 0, position), 1);
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

  static constexpr index_t most_at_once = 128;

  bool is_one_op() const { return code_.code != nullptr || code_.forwarded >= 0; }
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
  body_code code_;
  bool runs_on_many_ = false;
};

}  // namespace tenon
