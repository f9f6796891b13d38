// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/rules.hpp>
#include <tenon/math/root.hpp>

// The common part of batch_norm_inference, batch_norm_training and batch_norm_grad.
namespace tenon::ops {

inline constexpr kinds batch_norm_kinds = kinds::floating_point | kinds::per_tensor_quantized;

// The written type of result i, whose baseline type must be that of `like`.
constexpr tensor_type batch_norm_result(rules& rule, const char* label, const char* sentence, const tensor_type& like,
                                        int i = 0) {
  if (i >= rule.declared.size) return like;
  const tensor_type& declared = rule.declared.data[i];
  rule(label, sentence, same_baseline(rule, declared, like) && rule.is(declared, batch_norm_kinds));
  return declared;
}

// A tensor as outer x features x inner elements, which are computed in `compute`. Neighbouring features whose elements
// lie side by side are worked on together, up to `at_once` of them.
template <class T>
class feature_layout {
 public:
  using compute = compute_t<T>;
  static constexpr index_t at_once = 64;

  feature_layout(const ints& shape, index_t feature_index) : features_(shape[feature_index]) {
    for (int i = 0; i < shape.size; ++i) {
      if (i < feature_index) outer_ *= shape[i];
      if (i > feature_index) inner_ *= shape[i];
    }
  }
  index_t features() const { return features_; }
  compute elements_per_feature() const { return compute(outer_ * inner_); }

  // Calls f(first, count) for all features.
  template <class Function>
  void for_each_block(Function f) const {
    const index_t most = inner_ == 1 ? at_once : 1;
    for (index_t first = 0; first < features_; first += most)
      f(first, features_ - first < most ? features_ - first : most);
  }
  // Calls f with the position of each element of features `first` to `first` + `count`, and the feature from `first`
  // on.
  template <class Function>
  void for_each(index_t first, index_t count, Function f) const {
    for (index_t i = 0; i < outer_; ++i) {
      const index_t position = (i * features_ + first) * inner_;
      if (count > 1)
        for (index_t k = 0; k < count; ++k) f(position + k, k);
      else
        for (index_t k = 0; k < inner_; ++k) f(position + k, index_t(0));
    }
  }
  // totals[k] = the sum of term(position, k) over the elements of feature `first` + k.
  template <class Function>
  void sum(index_t first, index_t count, compute* totals, Function term) const {
    for (index_t k = 0; k < count; ++k) totals[k] = 0;
    for_each(first, count, [&](index_t i, index_t k) { totals[k] += term(i, k); });
  }

 private:
  index_t outer_ = 1, features_, inner_ = 1;
};

}  // namespace tenon::ops
