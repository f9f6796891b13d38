// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/rules.hpp>
#include <tenon/math/root.hpp>

// What batch_norm_inference, batch_norm_training and batch_norm_grad share.
namespace tenon {

inline constexpr kinds batch_norm_kinds = kinds::floating_point | kinds::per_tensor_quantized;

// The written type of result i, whose baseline type must be that of `like`.
constexpr tensor_type batch_norm_result(rules& rule, const char* label, const char* sentence, const tensor_type& like,
                                        int i = 0) {
  if (i >= rule.declared.size) return like;
  const tensor_type& declared = rule.declared.data[i];
  rule(label, sentence, same_baseline(rule, declared, like) && rule.is(declared, batch_norm_kinds));
  return declared;
}

// A tensor as outer x features x inner elements, which are computed in `compute`.
template <class T>
class feature_layout {
 public:
  using compute = compute_t<T>;

  feature_layout(const ints& shape, index_t feature_index) : features_(shape[feature_index]) {
    for (int i = 0; i < shape.size; ++i) {
      if (i < feature_index) outer_ *= shape[i];
      if (i > feature_index) inner_ *= shape[i];
    }
  }
  index_t features() const { return features_; }
  compute elements_per_feature() const { return compute(outer_ * inner_); }

  // Calls f with the position of each element of that feature.
  template <class Function>
  void for_each(index_t feature, Function f) const {
    for (index_t i = 0; i < outer_; ++i)
      for (index_t k = 0; k < inner_; ++k) f((i * features_ + feature) * inner_ + k);
  }
  template <class Function>
  compute sum(index_t feature, Function term) const {
    compute total = 0;
    for_each(feature, [&](index_t i) { total += term(i); });
    return total;
  }

 private:
  index_t outer_ = 1, features_, inner_ = 1;
};

}  // namespace tenon
