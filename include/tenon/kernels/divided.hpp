// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/batch_dimensions.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/lane_function.hpp>
#include <tenon/kernels/tuning.hpp>

#include <cstddef>

namespace tenon::kernels {

// Whether there is enough in one of the tensors for the work to be divided.
constexpr bool is_large(list<tensor_type> types) {
  for (const tensor_type& type : types)
    if (type.size() >= tuning::least_shared_elements) return true;
  return false;
}

// An evaluation in parts: ranges of one of the batch dimensions, below single indices of those before it. Each part is
// an evaluation of the same op on what of the operands and results belongs to it.
class divided_evaluation {
 public:
  // `scratch_bytes`: what the kernel asked for
  divided_evaluation(const evaluation& whole, const batch_dimensions& batches, index_t scratch_bytes)
      : whole_(whole), batches_(batches), scratch_bytes_(scratch_bytes) {
    const ints& shape = whole.result_types[0].shape;
    const index_t wanted = index_t(whole.helpers->count()) * 4;
    while (dimension_ + 1 < batches.count && outer_ * shape.at[dimension_] < wanted) outer_ *= shape.at[dimension_++];
    along_ = shape.at[dimension_];
    ranges_ = (wanted + outer_ - 1) / outer_;
    if (ranges_ > along_) ranges_ = along_;
  }

  // Whether the work is large enough to be divided, and the parts can be done at the same time: the blocks of regions
  // have their places in the arena, so that regions must be functions of elements.
  static bool is_wanted(const evaluation& e, const batch_dimensions& batches) {
    if (e.helpers == nullptr || e.helpers->count() == 1 || batches.count == 0) return false;
    index_t indices = 1;
    for (int d = 0; d < batches.count; ++d) indices *= e.result_types[0].shape.at[d];
    if (indices < e.helpers->count()) return false;
    if (e.operands.size + e.results.size > most_values || e.operand_strides.size > 0) return false;
    for (const list<tensor_type>& types : {e.operand_types, e.result_types})
      for (const tensor_type& type : types)
        if (type.quantization != 0) return false;
    if (e.result_types[0].size() == 0 || (!is_large(e.operand_types) && !is_large(e.result_types))) return false;
    for (int i = 0; i < e.regions.size; ++i)
      if (!e.lanes_of(i)) return false;
    return true;
  }

  void run(kernel code) const {
    whole_.helpers->for_each(int(outer_ * ranges_), [&](int part) { run_part(code, part); });
  }

 private:
  static constexpr int most_values = 16;

  const evaluation& whole_;
  const batch_dimensions& batches_;
  index_t scratch_bytes_;
  int dimension_ = 0;
  index_t outer_ = 1, along_ = 1, ranges_ = 1;

  void run_part(kernel code, index_t part) const {
    static constexpr workers nobody;
    const index_t outer = part / ranges_, range = part % ranges_;
    const index_t first = along_ * range / ranges_, count = along_ * (range + 1) / ranges_ - first;
    tensor_type types[most_values];
    void* pointers[most_values];
    const auto cut = [&](int i, const tensor_type& type, const void* start) {
      types[i] = type;
      index_t below = storage_bytes(type.element);
      for (int d = dimension_ + 1; d < type.rank(); ++d) below *= type.shape.at[d];
      for (int d = 0; d < dimension_; ++d) types[i].shape.at[d] = 1;
      types[i].shape.at[dimension_] = count;
      pointers[i] = static_cast<char*>(const_cast<void*>(start)) + (outer * along_ + first) * below;
    };
    const int operands = whole_.operands.size, results = whole_.results.size;
    for (int i = 0; i < operands; ++i) {
      types[i] = whole_.operand_types.data[i], pointers[i] = const_cast<void*>(whole_.operands.data[i]);
      if ((batches_.shared >> i & 1) != 0) cut(i, whole_.operand_types.data[i], whole_.operands.data[i]);
    }
    for (int r = 0; r < results; ++r) cut(operands + r, whole_.result_types.data[r], whole_.results.data[r]);
    evaluation e = whole_;
    e.operands = {const_cast<const void* const*>(pointers), operands};
    e.operand_types = {types, operands};
    e.results = {pointers + operands, results};
    e.result_types = {types + operands, results};
    e.count = types[operands].size();
    e.helpers = &nobody;
    if (scratch_bytes_ > 0) e.scratch = whole_.helpers->memory(scratch_bytes_);
    e.region_context = &whole_;
    e.run_region = [](const void* context, int region, const void* const* arguments, void* const* to) {
      static_cast<const evaluation*>(context)->lanes_of(region)(arguments, to, 1);
    };
    e.find_lanes = [](const void* context, int region) {
      const evaluation& all = *static_cast<const evaluation*>(context);
      return all.find_lanes(all.region_context, region);
    };
    e.gives_in_place = nullptr;
    code(e);
  }
};

// Runs the kernel of an op, divided along its batch dimensions where several workers help and it pays.
inline void run_divided(kernel code, const evaluation& e, const batch_dimensions& batches, index_t scratch_bytes) {
  if (divided_evaluation::is_wanted(e, batches))
    divided_evaluation(e, batches, scratch_bytes).run(code);
  else
    code(e);
}

}  // namespace tenon::kernels
