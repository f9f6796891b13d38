// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/wrap.hpp>
#include <tenon/indexing/interval.hpp>

namespace tenon::ops {

using indexing::saturating_add, indexing::saturating_multiply;

// One dimension of a window that slides over a dilated and padded operand.
struct window_axis {
  index_t size = 0;  // of the operand
  index_t window = 1;
  index_t stride = 1;
  index_t base_dilation = 1;
  index_t window_dilation = 1;
  index_t low = 0, high = 0;  // padding

  // Saturates, and is 0 where an attribute that must be positive is not.
  constexpr index_t count() const {
    if (stride <= 0 || base_dilation <= 0 || window_dilation <= 0) return 0;
    const index_t padded = saturating_add(saturating_add(low, high), dilated(size, base_dilation));
    const index_t dilated_window = dilated(window, window_dilation);
    if (padded == 0 || dilated_window > padded) return 0;
    return saturating_add((padded - dilated_window) / stride, 1);
  }

  constexpr bool is_plain() const { return window == 1 && stride == 1 && base_dilation == 1 && low == 0 && high == 0; }

  // The operand's index under place `place` of window number `index`; -1 over padding and between dilated elements.
  constexpr index_t position(index_t index, index_t place) const {
    const index_t shifted = wrap::subtract(index * stride + place * window_dilation, low);
    if (base_dilation == 1) return shifted < size ? (shifted < 0 ? -1 : shifted) : -1;
    if (shifted < 0 || shifted % base_dilation != 0) return -1;
    const index_t result = shifted / base_dilation;
    return result < size ? result : -1;
  }

  // Without base dilation: the first of the windows from <= index < to whose place lies at index `wanted` of the
  // operand or behind it; `to` if there is none.
  constexpr index_t first_not_below(index_t wanted, index_t place, index_t from, index_t to) const {
    const index_t distance = wrap::subtract(saturating_add(wanted, low), place * window_dilation);
    const index_t first = distance <= 0 ? 0 : (distance - 1) / stride + 1;
    return first < from ? from : first < to ? first : to;
  }

  // The most elements of a copy in which `count` neighbouring windows read neighbours at every offset.
  constexpr index_t most_copied(index_t count) const {
    const index_t span = saturating_multiply(count, stride), more = saturating_multiply(window, window_dilation);
    return saturating_add(span, more) < window * count ? span + more : window * count;
  }

 private:
  static constexpr index_t dilated(index_t extent, index_t dilation) {
    return extent <= 0 ? 0 : saturating_add(saturating_multiply(extent - 1, dilation), 1);
  }
};

// The attributes of a window over all dimensions of an operand; what is absent is 1, or no padding.
struct window_attributes {
  ints dimensions, strides, base_dilations, window_dilations;
  ints_table padding;

  constexpr window_axis axis(const ints& shape, int i) const {
    return {shape[i],      dimensions[i], or_one(strides, i), or_one(base_dilations, i), or_one(window_dilations, i),
            padding(i, 0), padding(i, 1)};
  }
  // The leading dimensions whose windows are the elements themselves.
  constexpr int plain_dimensions(const ints& shape) const {
    int count = 0;
    while (count < shape.size && axis(shape, count).is_plain()) ++count;
    return count;
  }
  // num_windows of the specification.
  constexpr ints count(const ints& shape) const {
    ints result;
    for (int i = 0; i < shape.size; ++i) result.push(axis(shape, i).count());
    return result;
  }

 private:
  static constexpr index_t or_one(const ints& values, int i) { return values.empty() ? 1 : values[i]; }
};

}  // namespace tenon::ops
