// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/kernels/lanes/apply_op.hpp>

#include <cstring>
#include <type_traits>
#include <utility>

namespace tenon::kernels {

template <class Op, class T, class R>
void conversion_loop(const T* from, R* to, std::size_t count) {
  using from_lane = std::conditional_t<std::is_same_v<T, bool>, lane_t<R>, lane_t<T>>;
  using to_lane = std::conditional_t<std::is_same_v<R, bool>, lane_t<T>, lane_t<R>>;
  using wide = std::conditional_t<(sizeof(from_lane) > sizeof(to_lane)), from_lane, to_lane>;
  const hn::Rebind<from_lane, hn::ScalableTag<wide>> source;
  const hn::Rebind<to_lane, hn::ScalableTag<wide>> target;
  const hn::ScalableTag<wide> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto converted_at = [&](std::size_t i, std::size_t some) HWY_ATTR __attribute__((always_inline)) {
    const auto value = load_lanes<T>(source, from + i, some, lanes);
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<R, bool>)
      return apply_op<Op, T, R>(no_attributes<Op>(), d, value);
    else
      return apply_op<Op, T, R>(no_attributes<Op>(), d, loaded_once(value));
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

// The same for a second operand that repeats one element; false: its elements differ.
template <class Op, class T>
bool repeated_rhs_loop(std::size_t count, T* result, const T* lhs, const T* rhs) {
  const hn::ScalableTag<T> d;
  if (count < 2 * hn::Lanes(d) || std::memcmp(rhs, rhs + 1, (count - 1) * sizeof(T)) != 0) return false;
  const auto apply = [repeated = Op::repeated_rhs(d, *rhs)](auto v) HWY_ATTR
      __attribute__((always_inline)) { return Op::lanes(hn::ScalableTag<T>(), v, repeated); };
  lane_loop(d, count, result, apply, lhs);
  return true;
}

template <class Op, class T, class R, class... Operands>
void elementwise_loop(const Op& self, std::size_t count, R* result, const Operands*... operands) {
  constexpr lane_form form = lane_form_of<Op, T, R, int(sizeof...(Operands))>;
  if constexpr (form == lane_form::numbers || form == lane_form::complex) {
    using D = hn::ScalableTag<lane_t<T>>;
    if constexpr (takes_repeated_rhs<Op, T, D>)
      if (repeated_rhs_loop<Op>(count, result, operands...)) return;
    const auto run = [&]<class Fixed>(const Fixed& fixed) {
      // A copy, as what is written might otherwise be its attributes.
      const auto apply = [own = given_attributes<Fixed>{fixed}](auto... v) HWY_ATTR
          __attribute__((always_inline)) { return apply_op<Op, T, R>(own, D(), v...); };
      lane_loop(D(), count, result, apply, operands...);
    };
    if constexpr (form == lane_form::numbers)
      with_fixed_attributes<lane_t<T>>(self, run);
    else
      run(self);
  } else if constexpr (form == lane_form::booleans && HWY_TARGET != HWY_SCALAR) {
    with_fixed_attributes<bool>(self, [&]<class Fixed>(const Fixed&) {
      const hn::ScalableTag<std::uint8_t> d;
      const auto apply = [=](auto... truths) HWY_ATTR
          __attribute__((always_inline)) { return apply_op<Op, T, R>(no_attributes<Fixed>(), d, truths...); };
      lane_loop(d, count, result, apply, operands...);
    });
  } else if constexpr (form == lane_form::conversion) {
    conversion_loop<Op>(operands..., result, count);
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

// Runs an op's scalar function, or its vector form, over neighbouring elements. Element types narrower than the ones
// that machines compute with are widened and rounded element by element.
template <class Op, class T, class R>
void elementwise_kernel(const evaluation& e) {
  constexpr int arity = element_arity<Op, T, R>();
  static_assert(arity > 0, "the op has no scalar function for this element type");
  if constexpr (takes_operands_twice<Op, T>()) {
    if (e.operands.data[0] == e.operands.data[1]) {
      const hn::ScalableTag<T> d;
      const auto apply = [=, self = read_attributes<Op>(e.words)](auto v) HWY_ATTR
          __attribute__((always_inline)) { return self.lanes(d, v, v); };
      return lane_loop(d, std::size_t(e.count), e.result<R>(0), apply, e.operand<T>(0));
    }
  }
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    elementwise_loop<Op, T, R>(read_attributes<Op>(e.words), std::size_t(e.count), e.result<R>(0),
                               e.operand<operand_element<Op, T, I>>(int(I))...);
  }(std::make_index_sequence<std::size_t(arity)>{});
}

}  // namespace tenon::kernels
