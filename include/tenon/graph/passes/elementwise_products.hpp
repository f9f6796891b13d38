// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/folded_rows.hpp>
#include <tenon/graph/passes/rewrite.hpp>

// Batched products with nothing to multiply as matrices: outer and elementwise products, which sum nothing, and dot
// products of many pairs of vectors. They are multiplications of elements, folded where they are summed, and are fused
// as such.
namespace tenon::passes {

// dot_general(x, y) = reduce(multiply(broadcast(x), broadcast(y)), 0, add)
class elementwise_product {
 public:
  static constexpr std::string_view name = "elementwise_product";

  static constexpr bool begins_at(int kind) { return is_one_of<ops::dot_general>(kind); }
  constexpr explicit elementwise_product(const rewrite_site& at)
      : at_(at), result_(at.result()), is_wanted_(read(at.attributes<ops::dot_general>(), at.type(0), at.type(1))) {}

  constexpr bool matches() const { return is_wanted_; }
  constexpr int rewrite() const {
    const node_writer to = at_.writer();
    const tensor_type whole = result_.with_shape(space_);
    const auto spread = [&](int value, const ints& places) {
      const bool in_order = places.sorted() && to.to.type_of_value(value).size() == whole.size();
      return in_order ? to.append_reshaped(value, whole) : to.append_unary(ops::broadcast_in_dim{places}, value, whole);
    };
    const int both[] = {spread(at_.operand(0), lhs_places_), spread(at_.operand(1), rhs_places_)};
    const int product = to.append(ops::multiply{}, {both, 2}, whole);
    if (folded_.size == 0) return product;
    constexpr index_t zero[2] = {};
    const int initial = to.append_constant({zero, is_complex(result_.element) ? 2 : 1}, result_.with_shape({}));
    return to.append_fold(ops::add{}, product, initial, folded_, result_);
  }

 private:
  // An operand that is folded along other dimensions than the last ones is copied before.
  static constexpr index_t most_stored = 1 << 18;

  const rewrite_site& at_;
  tensor_type result_;
  ints space_, lhs_places_, rhs_places_;  // of all that is multiplied: its shape, and which dimensions operands have
  ints folded_;
  bool is_wanted_ = false;

  constexpr bool read(const ops::dot_general& op, const tensor_type& lhs, const tensor_type& rhs) {
    if (!op.algorithm.empty() || !sums_in_its_own_type(lhs, rhs)) return false;
    const auto& [lhs_batch, rhs_batch, lhs_summed, rhs_summed] = op.dot_dimension_numbers;
    const ints lhs_free = op.dot_dimension_numbers.lhs_result_dimensions(lhs.rank());
    const ints rhs_free = op.dot_dimension_numbers.rhs_result_dimensions(rhs.rank());
    if (lhs.rank() + rhs_free.size > max_rank) return false;
    // Dimensions of lhs keep their order, if the result has the same one.
    const ints kept = lhs_batch + lhs_free, order = kept.sorted() ? ints::range(lhs.rank()) : kept + lhs_summed;
    space_ = lhs.shape.select(order);
    for (int d = 0; d < lhs.rank(); ++d) lhs_places_.push(order.find(d));
    rhs_places_ = ints::filled(rhs.rank(), 0);
    for (int i = 0; i < rhs_batch.size; ++i) rhs_places_.at[rhs_batch.at[i]] = order.find(lhs_batch.at[i]);
    for (int i = 0; i < rhs_summed.size; ++i) rhs_places_.at[rhs_summed.at[i]] = order.find(lhs_summed.at[i]);
    for (index_t d : rhs_free) rhs_places_.at[d] = space_.size, space_.push(rhs.shape.at[d]);
    for (int d = 0; d < order.size; ++d)
      if (lhs_summed.contains(order.at[d])) folded_.push(d);
    const index_t free = lhs.shape.select(lhs_free).product() * rhs.shape.select(rhs_free).product();
    return space_.product() > 0 && (folded_.size == 0 || (free == 1 && folds_fast()));
  }
  // Narrow floats are summed in f32, and narrow integers by instructions of their own.
  constexpr bool sums_in_its_own_type(const tensor_type& lhs, const tensor_type& rhs) const {
    const dtype element = result_.element;
    if (!is_dense_tensor(lhs) || !is_dense_tensor(rhs) || !is_dense_tensor(result_)) return false;
    if (lhs.element != element || rhs.element != element) return false;
    return element == dtype::f32 || element == dtype::f64 || is_complex(element) ||
           (is_integer(element) && num_bits(element) >= 32);
  }
  // A single pair of vectors is multiplied as fast by a product.
  constexpr bool folds_fast() const {
    index_t summed = 1, from_first = 1;
    for (index_t d : folded_) summed *= space_.at[d];
    for (int d = int(folded_.at[0]); d < space_.size; ++d) from_first *= space_.at[d];
    return result_.size() > 1 && (summed == from_first || space_.product() <= most_stored);
  }
};

}  // namespace tenon::passes
