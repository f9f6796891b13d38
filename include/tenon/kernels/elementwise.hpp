// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/lanes.hpp>

#include <type_traits>
#include <utility>

namespace tenon {

namespace detail {

template <class Op>
constexpr int typed_by() {
  if constexpr (requires { Op::typed_by; })
    return Op::typed_by;
  else
    return 0;
}

// The element type of operand I of an op that is typed by T: operands in front of the one that counts are booleans.
template <class Op, class T, std::size_t I>
using operand_element = std::conditional_t<(int(I) < typed_by<Op>()), bool, T>;

template <class Op, class R, class... T>
concept element_by_result = requires(const Op& self, T... x) { self.template element<R>(x...); };
template <class Op, class... T>
concept element_by_operands = requires(const Op& self, T... x) { self.element(x...); };

template <class Op, class R, class... T>
constexpr auto element_of_op(const Op& self, T... x) {
  if constexpr (element_by_operands<Op, T...>)
    return self.element(x...);
  else
    return self.template element<R>(x...);
}

// How many operands the op's scalar function takes for these element types; 0 if it takes them not at all.
template <class Op, class T, class R>
constexpr int element_arity() {
  using C = compute_t<T>;
  using first = compute_t<operand_element<Op, T, 0>>;
  using second = compute_t<operand_element<Op, T, 1>>;
  if constexpr (element_by_operands<Op, first> || element_by_result<Op, R, first>)
    return 1;
  else if constexpr (element_by_operands<Op, first, second> || element_by_result<Op, R, first, second>)
    return 2;
  else if constexpr (element_by_operands<Op, first, second, C> || element_by_result<Op, R, first, second, C>)
    return 3;
  else
    return 0;
}

template <class Op, class D, class... V>
concept has_lane_form = requires(const Op& self, D d, V... v) { self.lanes(d, v...); };

template <class Op, class T, std::size_t... I>
constexpr bool lanes_serve(std::index_sequence<I...>) {
  if constexpr (has_lanes<T> && (std::is_same_v<operand_element<Op, T, I>, T> && ...)) {
    using D = hn::ScalableTag<T>;
    return has_lane_form<Op, D, std::conditional_t<(I >= 0), hn::Vec<D>, void>...>;
  } else {
    return false;
  }
}

template <class Op, class T, class R, std::size_t... I>
void elementwise_loop(const evaluation& e, std::index_sequence<I...> all) {
  const Op self = read_attributes<Op>(e.words);
  R* const result = e.result<R>(0);
  const std::size_t count = std::size_t(e.count);
  if constexpr (std::is_same_v<T, R> && lanes_serve<Op, T>(all)) {
    const hn::ScalableTag<T> d;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes)
      hn::StoreU(self.lanes(d, hn::LoadU(d, e.operand<T>(int(I)) + i)...), d, result + i);
    if (i < count)
      store_first(self.lanes(d, load_first(d, e.operand<T>(int(I)) + i, count - i)...), d, result + i, count - i);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      using C = decltype(element_of_op<Op, R>(
          self, compute_t<operand_element<Op, T, I>>(e.operand<operand_element<Op, T, I>>(int(I))[i])...));
      const C value = element_of_op<Op, R>(
          self, compute_t<operand_element<Op, T, I>>(e.operand<operand_element<Op, T, I>>(int(I))[i])...);
      if constexpr (std::is_same_v<C, R>)
        result[i] = value;
      else
        result[i] = convert_to<R>(value);
    }
  }
}

}  // namespace detail

// Runs an op's scalar function, or its vector form, over neighbouring elements. Element types narrower than the ones
// that machines compute with are widened and rounded element by element.
template <class Op, class T, class R>
void elementwise_kernel(const evaluation& e) {
  constexpr int arity = detail::element_arity<Op, T, R>();
  static_assert(arity > 0, "the op has no scalar function for this element type");
  detail::elementwise_loop<Op, T, R>(e, std::make_index_sequence<std::size_t(arity)>{});
}

}  // namespace tenon
