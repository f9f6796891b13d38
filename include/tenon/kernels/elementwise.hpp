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

// Booleans in memory as a mask over the lanes of D, and back. Widened and narrowed step by step: not every target goes
// from one byte to eight at once.
template <class D>
HWY_INLINE hn::Mask<D> load_mask(D d, const bool* from, std::size_t count) {
  const hn::RebindToUnsigned<D> wide;
  const hn::Rebind<std::uint8_t, D> bytes;
  const auto loaded = load_first(bytes, reinterpret_cast<const std::uint8_t*>(from), count);
  if constexpr (sizeof(hn::TFromD<D>) == 1) {
    return hn::MaskFromVec(hn::BitCast(d, hn::VecFromMask(bytes, hn::Ne(loaded, hn::Zero(bytes)))));
  } else if constexpr (sizeof(hn::TFromD<D>) <= 4) {
    return hn::RebindMask(d, hn::Ne(hn::PromoteTo(wide, loaded), hn::Zero(wide)));
  } else {
    const hn::Rebind<std::uint32_t, D> half;
    return hn::RebindMask(d, hn::Ne(hn::PromoteTo(wide, hn::PromoteTo(half, loaded)), hn::Zero(wide)));
  }
}
template <class D>
HWY_INLINE void store_mask(D, hn::Mask<D> mask, bool* to, std::size_t count) {
  const hn::RebindToUnsigned<D> wide;
  const hn::Rebind<std::uint8_t, D> bytes;
  std::uint8_t* const target = reinterpret_cast<std::uint8_t*>(to);
  const auto ones = hn::IfThenElseZero(hn::RebindMask(wide, mask), hn::Set(wide, 1));
  if constexpr (sizeof(hn::TFromD<D>) == 1) {
    store_first(ones, bytes, target, count);
  } else if constexpr (sizeof(hn::TFromD<D>) <= 4) {
    store_first(hn::DemoteTo(bytes, hn::BitCast(hn::RebindToSigned<D>{}, ones)), bytes, target, count);
  } else {
    HWY_ALIGN std::uint64_t lanes[hn::MaxLanes(wide)];
    hn::Store(ones, wide, lanes);
    for (std::size_t i = 0; i < count; ++i) target[i] = std::uint8_t(lanes[i]);
  }
}

// Lanes of an operand or a result: a mask where the elements are booleans beside elements of type T.
template <class E, class D>
HWY_INLINE auto load_lanes(D d, const E* from, std::size_t count, std::size_t lanes) {
  if constexpr (std::is_same_v<E, bool> && !std::is_same_v<hn::TFromD<D>, bool>)
    return load_mask(d, from, count);
  else
    return count == lanes ? hn::LoadU(d, from) : load_first(d, from, count);
}
template <class D, class V>
HWY_INLINE void store_lanes(V value, D d, hn::TFromD<D>* to, std::size_t count, std::size_t lanes) {
  if (count == lanes)
    hn::StoreU(value, d, to);
  else
    store_first(value, d, to, count);
}
template <class D>
HWY_INLINE void store_lanes(hn::Mask<D> mask, D d, bool* to, std::size_t count, std::size_t) {
  store_mask(d, mask, to, count);
}

template <class E, class D>
using lanes_of = std::conditional_t<std::is_same_v<E, bool>, hn::Mask<D>, hn::Vec<D>>;

template <class Op, class D, class R, class... V>
concept has_lane_form = requires(const Op& self, D d, V... v) {
  { self.lanes(d, v...) } -> std::same_as<lanes_of<R, D>>;
};

template <class Op, class T, class R, std::size_t... I>
constexpr bool lanes_serve(std::index_sequence<I...>) {
  if constexpr (has_lanes<T> && (std::is_same_v<T, R> || std::is_same_v<R, bool>)) {
    using D = hn::ScalableTag<T>;
    return has_lane_form<Op, D, R, lanes_of<operand_element<Op, T, I>, D>...>;
  } else {
    return false;
  }
}

// The addresses are parameters: read from the evaluation in the loop, they would be read again after every store.
template <class Op, class T, class R, class... From>
void elementwise_loop(const Op& self, std::size_t count, R* to, const From*... from) {
  if constexpr (lanes_serve<Op, T, R>(std::index_sequence_for<From...>())) {
    const hn::ScalableTag<T> d;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes)
      store_lanes(self.lanes(d, load_lanes(d, from + i, lanes, lanes)...), d, to + i, lanes, lanes);
    if (i < count)
      store_lanes(self.lanes(d, load_lanes(d, from + i, count - i, lanes)...), d, to + i, count - i, lanes);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = element_of_op<Op, R>(self, compute_t<From>(from[i])...);
      if constexpr (std::is_same_v<decltype(value), const R>)
        to[i] = value;
      else
        to[i] = convert_to<R>(value);
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
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    detail::elementwise_loop<Op, T, R>(read_attributes<Op>(e.words), std::size_t(e.count), e.result<R>(0),
                                       e.operand<detail::operand_element<Op, T, I>>(int(I))...);
  }(std::make_index_sequence<std::size_t(arity)>{});
}

}  // namespace tenon
