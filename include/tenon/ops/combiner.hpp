// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/ops/convert_element.hpp>

#include <cstddef>
#include <cstring>

namespace tenon::ops {

// Runs a region (E0, ..., EN-1, E0, ..., EN-1) -> (E0, ..., EN-1) over elements that lie anywhere in memory: N
// accumulators come first, N elements second. What has another element type than the region asks for is converted.
class combiner {
 public:
  static constexpr index_t scratch_bytes(int n) { return 3 * n * index_t(sizeof(slot)) + bytes_of_pointers(3 * n); }

  // Elements have the types of `inputs`; memory is `scratch_bytes` long and aligned for any element.
  combiner(const evaluation& e, int region, list<tensor_type> inputs, void* memory)
      : evaluation_(e), region_(region), n_(inputs.size), inputs_(inputs) {
    accumulators_ = static_cast<slot*>(memory);
    next_ = accumulators_ + n_;
    converted_ = next_ + n_;
    arguments_ = static_cast<const void**>(static_cast<void*>(converted_ + n_));
    results_ = const_cast<void**>(arguments_ + 2 * n_);
    if (takes_elements_as_they_are()) lanes_ = e.lanes_of(region);
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

  // The accumulators become the elements at `position` of these tensors.
  void start(const void* const* tensors, index_t position) {
    for (int i = 0; i < n_; ++i) {
      const tensor_type type = body().arguments[i];
      convert_element(evaluation_.details, inputs_[i], element(tensors, i, position), type, accumulators_[i].bytes);
    }
  }

  // accumulators = region(accumulators, elements at `position` of these tensors)
  void take(const void* const* tensors, index_t position) {
    if (lanes_) {
      for (int i = 0; i < n_; ++i) {
        arguments_[i] = results_[i] = accumulators_[i].bytes;
        arguments_[n_ + i] = element(tensors, i, position);
      }
      return lanes_(arguments_, results_, 1);
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

  // Whether a run of elements can be taken at once, by a region of two arguments.
  bool takes_runs() const { return bool(lanes_) && n_ == 1; }
  // Elements of `accumulated` become region(element, element of `elements`).
  void take_run(const void* elements, void* accumulated, index_t count) {
    arguments_[0] = results_[0] = accumulated;
    arguments_[1] = elements;
    lanes_(arguments_, results_, count);
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
  lane_function lanes_;
};

}  // namespace tenon::ops
