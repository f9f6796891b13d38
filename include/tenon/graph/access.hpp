// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/plan.hpp>
#include <tenon/indexing/compose.hpp>
#include <tenon/indexing/linear.hpp>

// How a group walks through the memory of a tensor, read off indexing maps.
namespace tenon {

// Maps as the fuser uses them: few nodes, since most are permutations, slices and broadcasts. What does not fit is
// unknown, and what is unknown is not fused.
using fusion_map = indexing::basic_indexing_map<64, 8, 4, 4>;

namespace detail {

constexpr std::span<const std::int64_t> span_of(const ints& shape) { return {shape.at, std::size_t(shape.size)}; }

// A map of the library's general form in the fuser's, if it needs no symbols and no constraints.
constexpr fusion_map narrow(const indexing::indexing_map& map) {
  if (!map.is_defined() || map.symbol_count() > 0 || map.constraint_count > 0 ||
      map.node_count > fusion_map::node_capacity)
    return indexing::unknown_map<fusion_map>();
  fusion_map result;
  result.state = map.state;
  result.node_count = map.node_count;
  result.dimension_count = map.dimension_count;
  result.result_count = map.result_count;
  for (int i = 0; i < map.node_count; ++i) result.nodes[i] = map.nodes[i];
  for (int i = 0; i < map.dimension_count; ++i) result.dimension_bounds[i] = map.dimension_bounds[i];
  for (int i = 0; i < map.result_count; ++i) result.results[i] = map.results[i];
  return result;
}

constexpr bool affine_position(const fusion_map& map, const ints& shape, strided_access& out) {
  const ints strides = strides_of(shape);
  out.base = 0;
  for (int result = 0; result < map.result_count; ++result) {
    const auto form = indexing::linear_form_of(map, result);
    if (!form.affine) return false;
    out.base += form.base * strides.at[result];
    for (int d = 0; d < map.dimension_count; ++d) out.strides.at[d] += form.dimension_strides[d] * strides.at[result];
  }
  return true;
}

// How a tensor of this shape is read over the domain of the map, if positions are affine in the index.
constexpr bool access_through(const fusion_map& map, const ints& shape, const ints& domain, strided_access& out) {
  if (!map.is_defined() || map.result_count != shape.size || map.dimension_count != domain.size) return false;
  out = {domain, ints::filled(domain.size, 0), 0};
  if (affine_position(map, shape, out)) return true;
  const fusion_map position = indexing::linearized(map, span_of(shape));
  out = {domain, ints::filled(domain.size, 0), 0};
  const auto form = indexing::linear_form_of(position, 0);
  if (!form.affine) return false;
  out.base = form.base;
  for (int d = 0; d < domain.size; ++d) out.strides.at[d] = form.dimension_strides[d];
  return true;
}

// Dimensions of size 1 vanish, and neighbours that are walked as one become one.
// @post visits the same positions in the same order
constexpr strided_access merged(const strided_access& access) {
  strided_access result;
  result.base = access.base;
  for (int d = 0; d < access.sizes.size; ++d) {
    const index_t size = access.sizes.at[d], stride = access.strides.at[d];
    if (size == 1) continue;
    const int last = result.sizes.size - 1;
    if (last >= 0 && result.strides.at[last] == stride * size) {
      result.sizes.at[last] *= size;
      result.strides.at[last] = stride;
    } else {
      result.sizes.push(size);
      result.strides.push(stride);
    }
  }
  return result;
}

// A tensor of this shape that is read in order.
constexpr strided_access dense_access(const ints& shape) {
  const index_t size = shape.product();
  if (size == 1) return {};
  return {{size}, {1}, 0};
}
constexpr bool is_contiguous(const strided_access& access) {
  return access.base == 0 && (access.sizes.empty() || (access.sizes.size == 1 && access.strides.at[0] == 1));
}
constexpr bool is_constant(const strided_access& access) {
  for (index_t stride : access.strides)
    if (stride != 0) return false;
  return true;
}

// Several walks over the same elements with the same dimensions, few and as long as can be.
class common_walk {
 public:
  constexpr explicit common_walk(index_t count) {
    add(1);
    add(count);
  }
  // Takes a walk into account; false if there are too many dimensions.
  constexpr bool cut(const strided_access& access) {
    index_t elements = 1;
    for (int d = access.sizes.size - 1; d >= 0; --d)
      if (elements *= access.sizes.at[d]; !add(elements)) return false;
    return true;
  }
  // False if the walks have no common dimensions.
  constexpr bool close() {
    if (count_ - 1 > max_rank) return false;
    for (int d = count_ - 2; d >= 0; --d) {
      if (cuts_[d + 1] % cuts_[d] != 0) return false;
      sizes_.push(cuts_[d + 1] / cuts_[d]);
    }
    return true;
  }
  constexpr const ints& sizes() const { return sizes_; }
  // The same walk with the common dimensions.
  constexpr strided_access walk(const strided_access& access) const {
    strided_access result{sizes_, {}, access.base};
    for (int d = count_ - 2; d >= 0; --d) {
      index_t inner = 1, stride = 0;
      for (int e = access.sizes.size - 1; e >= 0; --e) {
        if (cuts_[d] < inner * access.sizes.at[e]) {
          stride = access.strides.at[e] * (cuts_[d] / inner);
          break;
        }
        inner *= access.sizes.at[e];
      }
      result.strides.push(stride);
    }
    return result;
  }

 private:
  static constexpr int most_cuts = 2 * max_rank;
  index_t cuts_[most_cuts]{};  // elements after which some walk begins a dimension, ascending
  int count_ = 0;
  ints sizes_;

  constexpr bool add(index_t elements) {
    int at = 0;
    while (at < count_ && cuts_[at] < elements) ++at;
    if (at < count_ && cuts_[at] == elements) return true;
    if (count_ == most_cuts) return false;
    for (int i = count_++; i > at; --i) cuts_[i] = cuts_[i - 1];
    cuts_[at] = elements;
    return true;
  }
};

// After how many elements a walk begins again where it began.
constexpr index_t period_of(const strided_access& access) {
  int outermost = 0;
  while (outermost < access.sizes.size && access.strides.at[outermost] == 0) ++outermost;
  index_t period = 1;
  for (int d = outermost; d < access.sizes.size; ++d) period *= access.sizes.at[d];
  return period;
}

}  // namespace detail

}  // namespace tenon
