// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/bit_cast.hpp>
#include <tenon/graph/passes/bounded/sizes.hpp>

#include <cstdint>

namespace tenon::passes {

// Ops that need the mean of the elements that count.
class sized_normalization : public size_keeper {
 public:
  using size_keeper::size_keeper;

  // Operands that have as many dimensions as the first agree with it; the others are per feature.
  constexpr dimension_sizes agreed_sizes_of_features(int feature) {
    const int rank = operand_type(0).rank();
    dimension_sizes sizes;
    for (int i = 0; i < node_.operand_count; ++i) {
      if (operand_type(i).rank() == rank && rank > 1) {
        for (int d = 0; d < rank; ++d) sizes.at[d] = agree(sizes.at[d], code(i, d), d, operand_type(0).dim(d));
      } else {
        sizes.at[feature] = agree(sizes.at[feature], code(i, 0), feature, operand_type(0).dim(feature));
      }
    }
    return sizes;
  }
  constexpr bool give_normalized(int feature, const dimension_sizes& sizes, const int* results) {
    const int rank = operand_type(0).rank();
    dimension_sizes per_feature;
    per_feature.at[0] = sizes.at[feature];
    for (int r = 0; r < node_.result_count; ++r)
      give(r, results[r], r == 0 || (result_type(r).rank() == rank && rank > 1) ? sizes : per_feature);
    return true;
  }
  constexpr bool write_normalization_again(int feature, const dimension_sizes& sizes) {
    const int first = write_again(), results[] = {first, first + 1, first + 2};
    return give_normalized(feature, sizes, results);
  }
  constexpr bool rewrite(const ops::batch_norm_inference& op) {
    const int feature = int(op.feature_index);
    return write_normalization_again(feature, agreed_sizes_of_features(feature));
  }

  // Arithmetic on elements and on numbers per feature, in the type that the op computes in.
  struct features {
    ints shape;
    int feature = 0;
    int mask = -1;   // of the elements that count; -1: all
    int count = -1;  // how many these are per feature; -1: not wanted
  };
  constexpr int widened(int i) {
    return convert(operand(i), operand_type(i).element == dtype::f64 ? dtype::f64 : dtype::f32);
  }
  constexpr int spread(const features& all, int vector) { return broadcast(vector, all.shape, {all.feature}); }
  constexpr int total(const features& all, int value) {
    return sum(keep(all.mask, value, zero_like(value)), ints::range(all.shape.size).without({all.feature}));
  }
  constexpr int more_by(int vector, float epsilon) {
    const tensor_type& type = type_of_target(vector);
    const index_t bits =
        type.element == dtype::f64 ? bit_cast<index_t>(double(epsilon)) : index_t(bit_cast<std::uint32_t>(epsilon));
    return both(ops::add{}, vector, broadcast(constant(type.with_shape({}), bits), type.shape));
  }
  constexpr int root(int vector) { return add(ops::sqrt{}, {vector}, type_of_target(vector)); }
  // The elements that count; false if all do.
  constexpr bool counted_elements(int feature, const dimension_sizes& sizes, features& all) {
    all.shape = operand_type(0).shape;
    all.feature = feature;
    dimension_sizes others = sizes;
    others.at[feature] = dimension_size::full;
    all.mask = mask_within(all.shape, others);
    if (all.mask < 0) return false;
    extent count{-1, 1};
    for (int d = 0; d < all.shape.size; ++d)
      if (d != feature) count = times(count, extent_of(sizes.at[d], all.shape[d]));
    const dtype element = operand_type(0).element == dtype::f64 ? dtype::f64 : dtype::f32;
    all.count = broadcast(convert(value_of(count), element), {all.shape[feature]});
    return true;
  }

  constexpr bool rewrite(const ops::batch_norm_training& op) {
    const int feature = int(op.feature_index);
    const dimension_sizes sizes = agreed_sizes_of_features(feature);
    features all;
    if (!counted_elements(feature, sizes, all)) return write_normalization_again(feature, sizes);
    const int x = widened(0), mean = both(ops::divide{}, total(all, x), all.count);
    const int distance = both(ops::subtract{}, x, spread(all, mean));
    const int variance = both(ops::divide{}, total(all, both(ops::multiply{}, distance, distance)), all.count);
    const int deviation = root(more_by(variance, float(op.epsilon)));
    const int scaled =
        both(ops::multiply{}, spread(all, widened(1)), both(ops::divide{}, distance, spread(all, deviation)));
    const int output = both(ops::add{}, scaled, spread(all, widened(2)));
    const int results[] = {convert(output, result_type(0).element), convert(mean, result_type(1).element),
                           convert(variance, result_type(2).element)};
    return give_normalized(feature, sizes, results);
  }

  constexpr bool rewrite(const ops::batch_norm_grad& op) {
    const int feature = int(op.feature_index);
    const dimension_sizes sizes = agreed_sizes_of_features(feature);
    features all;
    if (!counted_elements(feature, sizes, all)) return write_normalization_again(feature, sizes);
    const int grad = widened(4), variance = more_by(widened(3), float(op.epsilon)), deviation = root(variance);
    const int centered = both(ops::subtract{}, widened(0), spread(all, widened(2)));
    const int grad_sum = total(all, grad), centered_sum = total(all, both(ops::multiply{}, grad, centered));
    const int normalized = both(ops::divide{}, centered, spread(all, deviation));
    const int grad_scale = total(all, both(ops::multiply{}, grad, normalized));
    const int factor = both(ops::divide{}, both(ops::divide{}, widened(1), deviation), all.count);
    const int along =
        both(ops::divide{}, both(ops::multiply{}, spread(all, centered_sum), centered), spread(all, variance));
    const int rest =
        both(ops::subtract{},
             both(ops::subtract{}, both(ops::multiply{}, grad, spread(all, all.count)), spread(all, grad_sum)), along);
    const int results[] = {convert(both(ops::multiply{}, spread(all, factor), rest), result_type(0).element),
                           convert(grad_scale, result_type(1).element), convert(grad_sum, result_type(2).element)};
    return give_normalized(feature, sizes, results);
  }
};

}  // namespace tenon::passes
