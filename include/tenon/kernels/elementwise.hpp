// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/complex_lanes.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/lanes.hpp>
#include <tenon/core/narrow_lanes.hpp>
#include <tenon/kernels/truths.hpp>
#include <tenon/math/lanes/convert.hpp>

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

// Booleans in memory as a mask over the lanes of D, and back.
template <class D>
HWY_INLINE hn::Mask<D> load_mask(D d, const bool* from, std::size_t count) {
  const hn::RebindToUnsigned<D> wide;
  const hn::Rebind<std::uint8_t, D> bytes;
  const auto loaded = load_first(bytes, reinterpret_cast<const std::uint8_t*>(from), count);
  if constexpr (sizeof(hn::TFromD<D>) == 1) {
    return hn::MaskFromVec(hn::BitCast(d, hn::VecFromMask(bytes, hn::Ne(loaded, hn::Zero(bytes)))));
  } else {
    return hn::RebindMask(d, hn::Ne(resize_lanes<decltype(wide), std::uint8_t>(wide, bytes, loaded), hn::Zero(wide)));
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
  } else {
    store_first(truncate_lanes<decltype(bytes), hn::TFromD<decltype(wide)>>(ones), bytes, target, count);
  }
}

#if HWY_TARGET <= HWY_AVX3
// The bits of masks of so many lanes each, one behind the other from the one at i on: `Bits` in all.
template <std::size_t Bits, std::size_t Lanes, class MaskAt>
HWY_INLINE auto joined_masks(const MaskAt& mask_at, std::size_t i) {
  if constexpr (Bits == Lanes) {
    return mask_at(i).raw;
  } else {
    const auto low = joined_masks<Bits / 2, Lanes>(mask_at, i),
               high = joined_masks<Bits / 2, Lanes>(mask_at, i + Bits / 2);
    if constexpr (Bits == 16)
      return _mm512_kunpackb(high, low);
    else if constexpr (Bits == 32)
      return _mm512_kunpackw(high, low);
    else
      return _mm512_kunpackd(high, low);
  }
}
#endif

// Masks over the lanes of D, one behind the other, as booleans: as many as fill vectors of bytes, where the target can.
// Gives how many have been written.
template <class D, class MaskAt>
HWY_INLINE std::size_t store_masks([[maybe_unused]] D d, [[maybe_unused]] bool* to, [[maybe_unused]] std::size_t count,
                                   [[maybe_unused]] MaskAt mask_at) {
  std::size_t i = 0;
#if HWY_TARGET <= HWY_AVX3
  constexpr std::size_t lanes = hn::MaxLanes(D());
  if constexpr (lanes < 64) {
    const hn::ScalableTag<std::uint8_t> bytes;
    for (; i + 64 <= count; i += 64)
      hn::StoreU(hn::IfThenElseZero(hn::Mask<decltype(bytes)>{joined_masks<64, lanes>(mask_at, i)}, hn::Set(bytes, 1)),
                 bytes, reinterpret_cast<std::uint8_t*>(to) + i);
  }
#endif
  return i;
}

// The type of the lanes in which elements of T are worked on: f32 for narrower floats, that of the parts for complex
// numbers.
template <class T>
struct lane_of {
  using type = std::conditional_t<is_narrow_lane<T>(), f32, T>;
};
template <class T>
struct lane_of<complex<T>> {
  using type = T;
};
template <class T>
using lane_t = typename lane_of<T>::type;

// Lanes of an operand or a result: a mask where the elements are booleans beside elements of type T.
template <class E, class D>
HWY_INLINE auto load_lanes(D d, const E* from, std::size_t count, std::size_t lanes) {
  if constexpr (std::is_same_v<E, bool>)
    return load_mask(d, from, count);
  else if constexpr (is_complex(dtype_of<E>))
    return load_complex(d, from, count, lanes);
  else
    return load_elements(d, from, count, lanes);
}
template <class T, class D>
HWY_INLINE void store_lanes(hn::Vec<D> value, D d, T* to, std::size_t count, std::size_t lanes) {
  store_elements(value, d, to, count, lanes);
}
template <class T, class D>
HWY_INLINE void store_lanes(const complex_vector<D>& value, D d, T* to, std::size_t count, std::size_t lanes) {
  store_complex(value, d, to, count, lanes);
}
template <class D>
HWY_INLINE void store_lanes(hn::Mask<D> mask, D d, bool* to, std::size_t count, std::size_t) {
  store_mask(d, mask, to, count);
}

template <class E, class D>
struct lanes_of_element {
  using type = std::conditional_t<std::is_same_v<E, bool>, hn::Mask<D>, hn::Vec<D>>;
};
template <class T, class D>
struct lanes_of_element<complex<T>, D> {
  using type = complex_vector<D>;
};
template <class E, class D>
using lanes_of = typename lanes_of_element<E, D>::type;

// The op's form for vectors; R is the element type of its result.
template <class R, class Op, class D, class... V>
HWY_INLINE auto lanes_of_op(const Op& self, D d, V... v) {
  if constexpr (requires { self.lanes(d, v...); })
    return self.lanes(d, v...);
  else
    return self.template lanes_of_result<R>(d, v...);
}

template <class Op, class D, class R, class... V>
concept has_lane_form = requires(const Op& self, D d, V... v) {
  { self.lanes(d, v...) } -> std::same_as<lanes_of<R, D>>;
} || requires(const Op& self, D d, V... v) {
  { self.template lanes_of_result<R>(d, v...) } -> std::same_as<lanes_of<R, D>>;
};
template <class Op, class D, class R, class... V>
concept has_complex_lane_form = requires(const Op& self, D d, V... v) {
  { self.complex_lanes(d, v...) } -> std::same_as<lanes_of<R, D>>;
};

template <class Op, class T, class R, std::size_t... I>
constexpr bool lanes_apply(std::index_sequence<I...>) {
  if constexpr (!is_complex(dtype_of<T>) && has_lanes<lane_t<T>> && (std::is_same_v<T, R> || std::is_same_v<R, bool>)) {
    using D = hn::ScalableTag<lane_t<T>>;
    return has_lane_form<Op, D, R, lanes_of<operand_element<Op, T, I>, D>...>;
  } else {
    return false;
  }
}

// Ops on complex numbers, or that give some.
template <class Op, class T, class R, std::size_t... I>
constexpr bool complex_lanes_apply(std::index_sequence<I...>) {
  if constexpr ((is_complex(dtype_of<T>) || is_complex(dtype_of<R>)) && has_complex_lanes<lane_t<T>>) {
    using D = hn::ScalableTag<lane_t<T>>;
    return has_complex_lane_form<Op, D, R, lanes_of<operand_element<Op, T, I>, D>...>;
  } else {
    return false;
  }
}

// An op on booleans alone, which are masks then.
template <class Op, class T, class R>
constexpr bool truths_apply() {
  return std::is_same_v<T, bool> && std::is_same_v<R, bool> && HWY_TARGET != HWY_SCALAR;
}
template <int Arity, class Op>
constexpr unsigned table_of_op(const Op& self) {
  return truth_table([&](auto... x) { return element_of_op<Op, bool>(self, x...); },
                     std::make_index_sequence<std::size_t(Arity)>{});
}

// An op that gives its operand in another element type; a number that is rounded to a float of at most 16 bits must not
// have been rounded before.
template <class Op, class T, class R>
constexpr bool conversion_applies() {
  if constexpr (!requires { Op::converts; })
    return false;
  else if constexpr ((std::is_same_v<T, bool> && std::is_same_v<R, bool>) || is_complex(dtype_of<T>) ||
                     is_complex(dtype_of<R>))
    return false;
  else if constexpr (std::is_same_v<T, bool>)
    return has_lanes<lane_t<R>>;
  else if constexpr (std::is_same_v<R, bool>)
    return has_lanes<lane_t<T>>;
  else if constexpr (is_narrow_lane<R>() && (std::is_same_v<T, f64> || (std::is_integral_v<T> && sizeof(T) > 2)))
    return false;
  else
    return math::lanes::converts_lanes<lane_t<R>, lane_t<T>>();
}

// The same on lanes of Source and Target: booleans are masks.
template <class T, class R, class Source, class Target, class V>
HWY_INLINE auto converted_lanes(Source source, Target target, V value) {
  if constexpr (std::is_same_v<T, bool>)
    return hn::IfThenElseZero(value, hn::Set(target, hn::TFromD<Target>(1)));
  else if constexpr (std::is_same_v<R, bool> && std::is_floating_point_v<hn::TFromD<Source>>)
    // All bits but the sign: whether Highway's Ne holds for NaN differs between targets.
    return hn::RebindMask(source, hn::Ne(hn::BitCast(hn::RebindToUnsigned<Source>(), hn::Abs(value)),
                                         hn::Zero(hn::RebindToUnsigned<Source>())));
  else if constexpr (std::is_same_v<R, bool>)
    return hn::Ne(value, hn::Zero(source));
  else
    return math::lanes::convert_lanes<Target, hn::TFromD<Source>>(target, source, value);
}

// Whether the op runs over vectors, or else element by element.
template <class Op, class T, class R, std::size_t... I>
constexpr bool fills_lanes(std::index_sequence<I...> operands) {
  return lanes_apply<Op, T, R>(operands) || complex_lanes_apply<Op, T, R>(operands) || truths_apply<Op, T, R>() ||
         conversion_applies<Op, T, R>();
}

template <class T, class R>
void conversion_loop(const T* from, R* to, std::size_t count) {
  using from_lane = std::conditional_t<std::is_same_v<T, bool>, lane_t<R>, lane_t<T>>;
  using to_lane = std::conditional_t<std::is_same_v<R, bool>, lane_t<T>, lane_t<R>>;
  using wide = std::conditional_t<(sizeof(from_lane) > sizeof(to_lane)), from_lane, to_lane>;
  const hn::Rebind<from_lane, hn::ScalableTag<wide>> source;
  const hn::Rebind<to_lane, hn::ScalableTag<wide>> target;
  const std::size_t lanes = hn::Lanes(source);
  const auto converted_at = [&](std::size_t i, std::size_t some) HWY_ATTR __attribute__((always_inline)) {
    if constexpr (std::is_same_v<T, bool>)
      return converted_lanes<T, R>(source, target, load_mask(target, from + i, some));
    else if constexpr (std::is_same_v<R, bool>)
      return converted_lanes<T, R>(source, target, load_elements(source, from + i, some, lanes));
    else
      return converted_lanes<T, R>(source, target, loaded_once(load_elements(source, from + i, some, lanes)));
  };
  const auto convert_at = [&](std::size_t i, std::size_t some) HWY_ATTR {
    if constexpr (std::is_same_v<R, bool>)
      store_mask(source, converted_at(i, some), to + i, some);
    else
      store_lanes(converted_at(i, some), target, to + i, some, lanes);
  };
  std::size_t i = 0;
  if constexpr (std::is_same_v<R, bool>)
    i = store_masks(source, to, count,
                    [&](std::size_t j) HWY_ATTR __attribute__((always_inline)) { return converted_at(j, lanes); });
#if HWY_TARGET <= HWY_AVX3
  if constexpr (std::is_same_v<from_lane, f32> && std::is_integral_v<R> && sizeof(to_lane) == 1)
    for (; i + 4 * lanes <= count; i += 4 * lanes) {
      const auto load = [&](std::size_t k) HWY_ATTR
          __attribute__((always_inline)) { return load_elements(source, from + i + k * lanes, lanes, lanes); };
      hn::StoreU(math::lanes::convert_to_bytes<to_lane>({load(0), load(1), load(2), load(3)}),
                 hn::ScalableTag<to_lane>(), to + i);
    }
  if constexpr (std::is_same_v<from_lane, f32> && std::is_same_v<R, bf16>)
    for (; i + 2 * lanes <= count; i += 2 * lanes) {
      const hn::ScalableTag<std::uint16_t> halves;
      const auto low = hn::BitCast(halves, round_to_bf16(source, converted_at(i, lanes)));
      const auto high = hn::BitCast(halves, round_to_bf16(source, converted_at(i + lanes, lanes)));
      hn::StoreU(hn::ConcatOdd(halves, high, low), halves, reinterpret_cast<std::uint16_t*>(to + i));
    }
#endif
  for (; i + lanes <= count; i += lanes) convert_at(i, lanes);
  if (i < count) convert_at(i, count - i);
}

// Applies a vector form to all elements.
template <class D, class R, class Apply, class... Operands>
HWY_INLINE void lane_loop(D d, std::size_t count, R* result, Apply apply, const Operands*... operands) {
  const std::size_t lanes = hn::Lanes(d);
  // The only operand may be used several times, and so may the three floats of clamp.
  constexpr bool used_again =
      sizeof...(Operands) == 1 || (sizeof...(Operands) == 3 && (std::is_floating_point_v<Operands> && ...));
  const auto load = [=](const auto* from, std::size_t some) HWY_ATTR __attribute__((always_inline)) {
    const auto value = load_lanes(d, from, some, lanes);
    if constexpr (used_again)
      return loaded_once(value);
    else
      return value;
  };
  const auto lanes_at = [=](std::size_t i, std::size_t some) HWY_ATTR
      __attribute__((always_inline)) { return apply(load(operands + i, some)...); };
  std::size_t i = 0;
  if constexpr (std::is_same_v<R, bool>)
    i = store_masks(d, result, count,
                    [&](std::size_t j) HWY_ATTR __attribute__((always_inline)) { return lanes_at(j, lanes); });
  for (; i + lanes <= count; i += lanes) store_lanes(lanes_at(i, lanes), d, result + i, lanes, lanes);
  if (i < count) store_lanes(lanes_at(i, count - i), d, result + i, count - i, lanes);
}

// Calls f with the op, or with a form of it that knows its attributes while compiling: then loops do not ask for them.
template <class T, class Op, class F>
void with_fixed_attributes(const Op& self, F f) {
  if constexpr (requires { self.template fix_attributes<T>(f); })
    self.template fix_attributes<T>(f);
  else
    f(self);
}

template <class Op, class T, class R, class... Operands>
void elementwise_loop(const Op& self, std::size_t count, R* result, const Operands*... operands) {
  using indices = std::index_sequence_for<Operands...>;
  using D = hn::ScalableTag<lane_t<T>>;
  if constexpr (lanes_apply<Op, T, R>(indices{})) {
    with_fixed_attributes<lane_t<T>>(self, [&](const auto& fixed) {
      // A copy, as what is written might otherwise be its attributes.
      const auto apply = [own = fixed](auto... v) HWY_ATTR
          __attribute__((always_inline)) { return lanes_of_op<R>(own, D(), v...); };
      lane_loop(D(), count, result, apply, operands...);
    });
  } else if constexpr (complex_lanes_apply<Op, T, R>(indices{})) {
    const auto apply = [own = self](auto... v) HWY_ATTR { return own.complex_lanes(D(), v...); };
    lane_loop(D(), count, result, apply, operands...);
  } else if constexpr (truths_apply<Op, T, R>()) {
    with_fixed_attributes<bool>(self, [&]<class Fixed>(const Fixed&) {
      const hn::ScalableTag<std::uint8_t> d;
      const auto apply = [=](auto... truths) HWY_ATTR __attribute__((always_inline)) {
        return mask_by_table<table_of_op<int(sizeof...(Operands))>(Fixed{})>(d, truths...);
      };
      lane_loop(d, count, result, apply, operands...);
    });
  } else if constexpr (conversion_applies<Op, T, R>()) {
    conversion_loop(operands..., result, count);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = element_of_op<Op, R>(self, compute_t<Operands>(operands[i])...);
      if constexpr (std::is_same_v<decltype(value), const R>)
        result[i] = value;
      else
        result[i] = convert_to<R>(value);
    }
  }
}

// Sums and products of floats, of which doubles and squares are common.
template <class Op, class T>
constexpr bool takes_operands_twice() {
  if constexpr (requires { Op::commutative; } && !requires { Op::gives_an_operand; })
    return std::is_floating_point_v<T> && has_lanes<T>;
  else
    return false;
}

}  // namespace detail

// Runs an op's scalar function, or its vector form, over neighbouring elements. Element types narrower than the ones
// that machines compute with are widened and rounded element by element.
template <class Op, class T, class R>
void elementwise_kernel(const evaluation& e) {
  constexpr int arity = detail::element_arity<Op, T, R>();
  static_assert(arity > 0, "the op has no scalar function for this element type");
  if constexpr (detail::takes_operands_twice<Op, T>()) {
    if (e.operands.data[0] == e.operands.data[1]) {
      const hn::ScalableTag<T> d;
      const auto apply = [=, self = read_attributes<Op>(e.words)](auto v) HWY_ATTR
          __attribute__((always_inline)) { return self.lanes(d, v, v); };
      return detail::lane_loop(d, std::size_t(e.count), e.result<R>(0), apply, e.operand<T>(0));
    }
  }
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    detail::elementwise_loop<Op, T, R>(read_attributes<Op>(e.words), std::size_t(e.count), e.result<R>(0),
                                       e.operand<detail::operand_element<Op, T, I>>(int(I))...);
  }(std::make_index_sequence<std::size_t(arity)>{});
}

}  // namespace tenon
