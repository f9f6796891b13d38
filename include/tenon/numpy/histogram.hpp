// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/numpy/arrays.hpp>
#include <tenon/numpy/checks.hpp>
#include <tenon/numpy/matrices.hpp>

namespace tenon {

namespace detail {

// Of edges e_0 < ... < e_n, bin i has the elements with e_i <= x < e_(i + 1), the last one e_n as well.
template <index_t Bins>
struct histogram_of {
  constexpr auto operator()(const auto& x) const {
    return between(x, extreme<ops::minimum>(x), extreme<ops::maximum>(x));
  }
  constexpr auto operator()(const auto& x, const auto& low, const auto& high) const {
    return between(x, converted(low, number_of(x)), converted(high, number_of(x)));
  }

 private:
  static constexpr dtype number_of(const auto& x) {
    const dtype element = type_of_operand(x).element;
    return is_float(element) ? element : mean_element(element);
  }
  template <class Extreme>
  static constexpr auto extreme(const auto& x) {
    const auto all = reshape_to(converted(x, number_of(x)), ints{type_of_operand(x).shape.product()});
    const auto first = slice_along(all, 0, 0, 1);
    return reduce_over<Extreme>(all, reshape_to(first, ints{}), ints{0});
  }
  static constexpr auto between(const auto& x, const auto& given_low, const auto& given_high) {
    const dtype element = number_of(x);
    const index_t count = type_of_operand(x).shape.product();
    // As NumPy's, one wide where all are equal.
    const auto is_point = compare<comparison_direction::EQ>(given_low, given_high);
    const auto low = select(is_point, subtract(given_low, 0.5), given_low);
    const auto high = select(is_point, add(given_high, 0.5), given_high);

    const ints of_edges{Bins + 1}, shape{Bins + 1, count};
    const auto i = converted(positions_along(x, 0, of_edges), element);
    const auto width = broadcast_to(divide(subtract(high, low), Bins), of_edges, {});
    const auto is_last = compare<comparison_direction::EQ>(i, Bins);
    const auto edges =
        select(is_last, broadcast_to(high, of_edges, {}), add(broadcast_to(low, of_edges, {}), multiply(i, width)));

    const auto numbers = broadcast_to(reshape_to(converted(x, element), ints{count}), shape, ints{1});
    const auto spread = broadcast_to(edges, shape, ints{0});
    const auto is_beyond =
        select(broadcast_to(is_last, shape, ints{0}), compare<comparison_direction::GT>(numbers, spread),
               compare<comparison_direction::GE>(numbers, spread));
    const auto beyond = reduce_over<ops::add>(converted(is_beyond, dtype::i32), 0, ints{1});
    return results(subtract(slice_along(beyond, 0, 0, Bins), slice_along(beyond, 0, 1, Bins + 1)), edges);
  }
};

}  // namespace detail

// auto [counts, edges] = histogram<10>(x) or histogram<10>(x, 0, 1): counts (i32) of integers or floats in 10 bins of
// one width, from the least to the greatest, where NaN leaves all empty, or from one number to another, where NaN is in
// none. The upper edge belongs to the last bin. The Bins + 1 edges have the type of a mean of x.
template <index_t Bins, operand_like X>
  requires(Bins > 0)
constexpr auto histogram(X&& x, function_check<detail::histogram_of<Bins>, X> = {}) {
  return apply_function(detail::histogram_of<Bins>{}, static_cast<X&&>(x));
}
template <index_t Bins, operand_like X, class Low, class High>
  requires(Bins > 0)
constexpr auto histogram(X&& x, Low&& low, High&& high, function_check<detail::histogram_of<Bins>, X, Low, High> = {}) {
  return apply_function(detail::histogram_of<Bins>{}, static_cast<X&&>(x), static_cast<Low&&>(low),
                        static_cast<High&&>(high));
}

}  // namespace tenon
