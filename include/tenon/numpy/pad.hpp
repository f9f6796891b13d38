// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/numpy/arrays.hpp>

namespace tenon {

// Which elements of a tensor are put around it: the nearest one, those behind the outermost one, as in a mirror, or
// those of the other end.
enum class pad_mode { edge, reflect, wrap };

namespace detail {

template <index_t Width>
constexpr ints padding_of(int rank, const ints& widths) {
  return Width < 0 ? widths : ints::filled(rank, Width);
}

template <index_t Width, ints Before = ints{}, ints After = ints{}>
struct constant_padding {
  constexpr auto operator()(const auto& x, const auto& value) const {
    const int rank = type_of_operand(x).rank();
    return apply_value(ops::pad{padding_of<Width>(rank, Before), padding_of<Width>(rank, After), ints::filled(rank, 0)},
                       {}, x, value);
  }
};

template <pad_mode Mode, index_t Width, ints Before, ints After>
struct padding_from_within {
  constexpr auto operator()(const auto& x) const {
    const int rank = type_of_operand(x).rank();
    const ints before = padding_of<Width>(rank, Before), after = padding_of<Width>(rank, After);
    auto padded = x;
    for (int axis = 0; axis < before.size || axis < after.size; ++axis)
      padded = apply_value(ops::concatenate{axis}, {}, side(padded, axis, before[axis], true), padded,
                           side(padded, axis, after[axis], false));
    return padded;
  }

 private:
  static constexpr auto side(const auto& x, int axis, index_t width, bool is_before) {
    const ints shape = type_of_operand(x).shape;
    const index_t size = shape[axis];
    if constexpr (Mode == pad_mode::wrap) {
      return is_before ? slice_along(x, axis, size - width, size) : slice_along(x, axis, 0, width);
    } else if constexpr (Mode == pad_mode::reflect) {
      return apply_value(
          ops::reverse{ints{axis}}, {},
          is_before ? slice_along(x, axis, 1, width + 1) : slice_along(x, axis, size - 1 - width, size - 1));
    } else {
      ints spread = shape;
      spread.set(axis, width);
      const auto edge = is_before ? slice_along(x, axis, 0, 1) : slice_along(x, axis, size - 1, size);
      return broadcast_to(edge, spread, ints::range(shape.size));
    }
  }
};

}  // namespace detail

// One zero around x on every side: pad<1>(x). As many sevens before and behind each axis: pad<ints{1, 0}, ints{0,
// 2}>(x, 7).
template <index_t Width, operand_like X, class Value = int>
constexpr auto pad(X&& x, Value value = 0, function_check<detail::constant_padding<Width>, X, Value> = {}) {
  return apply_function(detail::constant_padding<Width>{}, static_cast<X&&>(x), static_cast<Value&&>(value));
}
template <ints Before, ints After, operand_like X, class Value = int>
constexpr auto pad(X&& x, Value value = 0, function_check<detail::constant_padding<-1, Before, After>, X, Value> = {}) {
  return apply_function(detail::constant_padding<-1, Before, After>{}, static_cast<X&&>(x),
                        static_cast<Value&&>(value));
}
// Elements of x, of which there must be enough: pad<2, pad_mode::reflect>(x).
template <index_t Width, pad_mode Mode, operand_like X>
  requires(Width >= 0)
constexpr auto pad(X&& x, function_check<detail::padding_from_within<Mode, Width, ints{}, ints{}>, X> = {}) {
  return apply_function(detail::padding_from_within<Mode, Width, ints{}, ints{}>{}, static_cast<X&&>(x));
}
template <ints Before, ints After, pad_mode Mode, operand_like X>
constexpr auto pad(X&& x, function_check<detail::padding_from_within<Mode, -1, Before, After>, X> = {}) {
  return apply_function(detail::padding_from_within<Mode, -1, Before, After>{}, static_cast<X&&>(x));
}

}  // namespace tenon
