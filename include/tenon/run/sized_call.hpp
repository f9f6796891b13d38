// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/fail.hpp>
#include <tenon/core/list.hpp>
#include <tenon/graph/ir/graph.hpp>

namespace tenon::execution {

// A program with bounded dimensions takes the sizes of its arguments behind them, and gives the sizes of its results
// behind these. Puts the two together from what it is called with.
class sized_call {
 public:
  constexpr sized_call(list<tensor_type> arguments, list<tensor_type> results)
      : arguments_(arguments), results_(results) {
    for (const tensor_type& type : arguments) taken_ += bounded_dimensions(type);
    for (const tensor_type& type : results) given_ += bounded_dimensions(type);
  }

  constexpr bool is_sized() const { return taken_ + given_ > 0; }
  constexpr int size_count() const { return taken_ + given_; }
  constexpr int argument_count() const { return arguments_.size + taken_; }
  constexpr int result_count() const { return results_.size + given_; }

  // Fills `inputs` and `outputs`, which have room for all; `sizes` has room for size_count(). Without argument sizes
  // these are the bounds.
  void prepare(const void* const* arguments, const index_t* argument_sizes, void* const* results, const void** inputs,
               void** outputs, index_t* sizes) const {
    for (int i = 0; i < arguments_.size; ++i) inputs[i] = arguments[i];
    for (int i = 0; i < results_.size; ++i) outputs[i] = results[i];
    int at = 0;
    for (const tensor_type& type : arguments_)
      for (int d = 0; d < type.rank(); ++d) {
        if (!type.is_bounded(d)) continue;
        sizes[at] = argument_sizes != nullptr ? argument_sizes[at] : type.dim(d);
        inputs[arguments_.size + at] = sizes + at;
        ++at;
      }
    for (int i = 0; i < given_; ++i) outputs[results_.size + i] = sizes + taken_ + i;
  }

  // Hands over the sizes of the results. Who does not ask for them gets results as large as the bounds.
  void finish(const index_t* sizes, index_t* result_sizes) const {
    const index_t* from = sizes + taken_;
    for (int i = 0; i < results_.size; ++i)
      for (int d = 0; d < results_.data[i].rank(); ++d) {
        if (!results_.data[i].is_bounded(d)) continue;
        if (result_sizes != nullptr)
          *result_sizes++ = *from;
        else if (*from != results_.data[i].dim(d))
          fail("result ", i, ": dimension ", d, " has size ", *from, " below its bound ", results_.data[i].dim(d),
               ", and nobody asked for it");
        ++from;
      }
  }

 private:
  list<tensor_type> arguments_, results_;
  int taken_ = 0, given_ = 0;
};

}  // namespace tenon::execution
