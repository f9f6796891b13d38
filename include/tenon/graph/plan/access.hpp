// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/plan/plan.hpp>
#include <tenon/indexing/linear.hpp>

// The strided accesses of a group to the memory of tensors, read off indexing maps.
namespace tenon::planning {

// How a tensor of this shape is read over the domain of a map, if positions are affine in the index and in what is
// known when the program runs: `index_strides` gets a stride for each of those runtime variables; null: there must be
// none.
constexpr bool access_through(const indexing::indexing_map& map, const ints& shape, const ints& domain,
                              strided_access& out, index_t* index_strides = nullptr) {
  if (!map.is_defined() || map.result_count != shape.size || map.dimension_count != domain.size) return false;
  if (map.range_count > 0 || map.constraint_count > 0 || (map.runtime_count > 0 && index_strides == nullptr))
    return false;
  const auto add = [&](const auto& form, index_t stride) {
    out.base += form.base * stride;
    for (int d = 0; d < map.dimension_count; ++d) out.strides.at[d] += form.dimension_strides[d] * stride;
    for (int v = 0; v < map.runtime_count; ++v) index_strides[v] += form.runtime_strides[v] * stride;
    return form.affine;
  };
  const auto begin = [&] {
    out = {domain, ints::filled(domain.size, 0), 0};
    for (int v = 0; v < map.runtime_count; ++v) index_strides[v] = 0;
  };
  begin();
  const ints strides = strides_of(shape);
  bool affine = true;
  for (int result = 0; result < map.result_count && affine; ++result)
    affine = add(indexing::linear_form_of(map, result), strides.at[result]);
  if (affine) return true;
  begin();
  return add(indexing::linear_form_of(indexing::linearized(map, shape), 0), 1);
}

// Dimensions of size 1 vanish, and neighbours that one stride serves become one.
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

// The composition of two accesses: the first gives the positions in row-major order of the elements of the second that
// are read. Accesses along several dimensions of the second are cut where they go on to the next row of it.
class walk_composer {
 public:
  constexpr walk_composer(const strided_access& first, const strided_access& second) : second_(second) {
    is_empty_ = first.sizes.product() == 0;
    result_.base = second.base;
    index_t rest = first.base, unit = 1;
    for (int j = 0; j < second.sizes.size; ++j) unit *= second.sizes.at[j];
    fits_ = is_empty_ || (0 <= rest && rest < unit);
    for (int j = 0; j < second.sizes.size && fits_ && !is_empty_; ++j) {
      unit /= second.sizes.at[j];
      units_[j] = unit;
      low_[j] = high_[j] = rest / unit;
      rest %= unit;
      result_.base += low_[j] * second.strides.at[j];
    }
    if (is_empty_) {
      result_ = {first.sizes, ints::filled(first.sizes.size, 0), 0};
      return;
    }
    for (int d = 0; d < first.sizes.size; ++d) add_dimension(first.sizes.at[d], first.strides.at[d]);
  }

  // Takes into account that the positions are moved by `stride` times a number from 0 to `most`; gives by how much that
  // moves the result.
  constexpr index_t move(index_t stride, index_t most) {
    index_t moved = 0;
    if (!is_empty_ && !step(stride, most, moved)) fits_ = false;
    return moved;
  }
  // @post false if positions are not an access
  constexpr bool fits() const { return fits_ && result_.sizes.dropped == 0; }
  constexpr const strided_access& result() const { return result_; }

 private:
  strided_access second_;
  strided_access result_;
  bool fits_ = true, is_empty_ = false;
  index_t units_[max_rank]{};                   // elements of the second access per step along a dimension
  index_t low_[max_rank]{}, high_[max_rank]{};  // of the index along it

  constexpr bool step(index_t stride, index_t most, index_t& moved) {
    const bool back = stride < 0;
    index_t rest = back ? -stride : stride, lows[max_rank], highs[max_rank];
    moved = 0;
    for (int j = 0; j < second_.sizes.size; ++j) {
      const index_t along = rest / units_[j];
      rest %= units_[j];
      if (along != 0 && most > (second_.sizes.at[j] - 1) / along) return false;
      lows[j] = low_[j] - (back ? along * most : 0);
      highs[j] = high_[j] + (back ? 0 : along * most);
      if (lows[j] < 0 || highs[j] >= second_.sizes.at[j]) return false;
      moved += (back ? -along : along) * second_.strides.at[j];
    }
    for (int j = 0; j < second_.sizes.size; ++j) low_[j] = lows[j], high_[j] = highs[j];
    return true;
  }

  constexpr void add_dimension(index_t size, index_t stride) {
    if (!fits_) return;
    index_t moved = 0;
    if (!step(stride, size - 1, moved)) {
      // Up to the end of its innermost dimension, and then from row to row.
      int j = second_.sizes.size - 1;
      const index_t distance = stride < 0 ? -stride : stride;
      while (j > 0 && distance % units_[j - 1] == 0) --j;
      const index_t along = j < 0 ? 0 : distance / units_[j];
      const index_t steps = along > 0 && second_.sizes.at[j] % along == 0 ? second_.sizes.at[j] / along : 0;
      if (j < 0 || steps < 2 || size <= steps || size % steps != 0) {
        fits_ = false;
        return;
      }
      add_dimension(size / steps, stride * steps);
      add_dimension(steps, stride);
      return;
    }
    result_.sizes.push(size);
    result_.strides.push(moved);
  }
};

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

// The distance of neighbours along the dimension of an iteration that begins after `elements` of them.
constexpr index_t stride_at(const strided_access& access, index_t elements) {
  index_t inner = 1;
  for (int d = access.sizes.size - 1; d >= 0; --d) {
    if (elements < inner * access.sizes.at[d]) return access.strides.at[d] * (elements / inner);
    inner *= access.sizes.at[d];
  }
  return 0;
}

// Several accesses over the same elements with the same dimensions, few and as long as can be.
class common_walk {
 public:
  constexpr explicit common_walk(index_t count) {
    add(1);
    add(count);
  }
  // A dimension begins after that number of elements; false if there are too many dimensions.
  constexpr bool add(index_t elements) {
    int at = 0;
    while (at < count_ && cuts_[at] < elements) ++at;
    if (at < count_ && cuts_[at] == elements) return true;
    if (count_ == most_cuts) return false;
    for (int i = count_++; i > at; --i) cuts_[i] = cuts_[i - 1];
    cuts_[at] = elements;
    return true;
  }
  // So do those of an access, each step of which is over `elements`.
  constexpr bool cut(const strided_access& access, index_t elements = 1) {
    for (int d = access.sizes.size - 1; d >= 0; --d)
      if (elements *= access.sizes.at[d]; !add(elements)) return false;
    return true;
  }
  // False if the accesses have no common dimensions.
  constexpr bool close() {
    if (count_ - 1 > max_rank) return false;
    for (int d = count_ - 2; d >= 0; --d) {
      if (cuts_[d + 1] % cuts_[d] != 0) return false;
      sizes_.push(cuts_[d + 1] / cuts_[d]);
    }
    return true;
  }
  constexpr const ints& sizes() const { return sizes_; }
  // An access over the common dimensions.
  constexpr strided_access walk(const strided_access& access) const {
    strided_access result{sizes_, {}, access.base};
    for (int d = count_ - 2; d >= 0; --d) result.strides.push(stride_at(access, cuts_[d]));
    return result;
  }

 private:
  static constexpr int most_cuts = 2 * max_rank;
  index_t cuts_[most_cuts]{};  // elements after which some access begins a dimension, ascending
  int count_ = 0;
  ints sizes_;
};

// How many elements of an access, one after the other, are the same one at least.
constexpr index_t repeats_of(const strided_access& access) {
  index_t repeats = 1;
  for (int d = access.sizes.size - 1; d >= 0 && access.strides.at[d] == 0; --d) repeats *= access.sizes.at[d];
  return repeats;
}

// After how many elements an access begins again where it began.
constexpr index_t period_of(const strided_access& access) {
  int outermost = 0;
  while (outermost < access.sizes.size && access.strides.at[outermost] == 0) ++outermost;
  index_t period = 1;
  for (int d = outermost; d < access.sizes.size; ++d) period *= access.sizes.at[d];
  return period;
}

}  // namespace tenon::planning
