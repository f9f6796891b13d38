// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/numpy/functions.hpp>
#include <tenon/ops/chlo.hpp>
#include <tenon/ops/elementwise.hpp>

// Functions of single elements as NumPy and jax.nn name them: the shape of the result is that of x, and so is its
// element type, but for tests, which give i1. Each is an op of StableHLO or CHLO under another name, or a few of them.
namespace tenon {

namespace detail {

struct silu_of {
  constexpr auto operator()(const auto& x) const { return multiply(x, logistic(x)); }
};
struct softplus_of {
  constexpr auto operator()(const auto& x) const {
    return add(maximum(x, 0), log_plus_one(exponential(negate(abs(x)))));
  }
};
template <bool IsApproximate>
struct gelu_of {
  constexpr auto operator()(const auto& x) const {
    if constexpr (IsApproximate) {
      const auto inner = multiply(add(x, multiply(multiply(multiply(x, x), x), 0.044715)), 0.7978845608028654);
      return multiply(multiply(x, 0.5), add(tanh(inner), 1));
    } else {
      return multiply(multiply(x, 0.5), erfc(multiply(negate(x), 0.7071067811865476)));
    }
  }
};
template <ints Axes, reduced_axes Reduced>
struct variance_of {
  constexpr auto operator()(const auto& x) const {
    const dtype element = type_of_operand(x).element;
    const ints shape = type_of_operand(x).shape;
    const auto y = converted(x, mean_element(element));
    const ints kept = ints::range(shape.size).without(axes_of<Axes>(x));
    const auto distance = subtract(y, broadcast_to(mean_of<Axes>{}(y), shape, kept));
    const auto square_of = [](const auto& number) { return multiply(number, number); };
    const auto square =
        is_complex(element) ? add(square_of(real(distance)), square_of(imag(distance))) : square_of(distance);
    const auto variance = mean_of<Axes, Reduced>{}(square);
    return is_float(element) ? converted(variance, element) : variance;
  }
};
template <index_t Axis>
struct softmax_along {
  constexpr auto operator()(const auto& x) const {
    const ints shape = type_of_operand(x).shape, axes = from_the_front(ints{Axis}, shape.size);
    const ints kept = ints::range(shape.size).without(axes);
    const auto largest = reduce_over<ops::maximum>(x, least_element{}, axes);
    const auto e = exponential(subtract(x, broadcast_to(largest, shape, kept)));
    return divide(e, broadcast_to(reduce_over<ops::add>(e, 0, axes), shape, kept));
  }
};

template <index_t Classes>
struct one_hot_of {
  constexpr auto operator()(const auto& x) const {
    const tensor_type& labels = type_of_operand(x);
    ints shape = labels.shape;
    shape.push(Classes);
    const tensor_type positions = type_of(labels.element, shape);
    const auto classes = apply_value_beside(x, ops::iota{labels.rank()}, {&positions, 1});
    return convert<f32>(compare<comparison_direction::EQ>(broadcast_to(x, shape, ints::range(labels.rank())), classes));
  }
};

}  // namespace detail

// e to the power of each element.
constexpr auto exp(operand_like auto&& x, elementwise_check<ops::exponential{}, decltype(x)> = {}) {
  return exponential(static_cast<decltype(x)>(x));
}
// e^x - 1 and log(1 + x), exact next to 0 too.
constexpr auto expm1(operand_like auto&& x, elementwise_check<ops::exponential_minus_one{}, decltype(x)> = {}) {
  return exponential_minus_one(static_cast<decltype(x)>(x));
}
constexpr auto log1p(operand_like auto&& x, elementwise_check<ops::log_plus_one{}, decltype(x)> = {}) {
  return log_plus_one(static_cast<decltype(x)>(x));
}
constexpr auto sin(operand_like auto&& x, elementwise_check<ops::sine{}, decltype(x)> = {}) {
  return sine(static_cast<decltype(x)>(x));
}
constexpr auto cos(operand_like auto&& x, elementwise_check<ops::cosine{}, decltype(x)> = {}) {
  return cosine(static_cast<decltype(x)>(x));
}
constexpr auto arctan2(auto&& y, auto&& x, elementwise_check<ops::atan2{}, decltype(y), decltype(x)> = {}) {
  return atan2(static_cast<decltype(y)>(y), static_cast<decltype(x)>(x));
}
// x^y; one of them may be a number: pow(x, 2).
constexpr auto pow(auto&& x, auto&& y, elementwise_check<ops::power{}, decltype(x), decltype(y)> = {}) {
  return power(static_cast<decltype(x)>(x), static_cast<decltype(y)>(y));
}
// x where low <= x <= high, else the nearer of them, which may be numbers.
constexpr auto clip(operand_like auto&& x, auto&& low, auto&& high,
                    elementwise_check<ops::maximum{}, decltype(x), decltype(low)> = {},
                    elementwise_check<ops::minimum{}, decltype(x), decltype(high)> = {}) {
  return minimum(maximum(static_cast<decltype(x)>(x), static_cast<decltype(low)>(low)),
                 static_cast<decltype(high)>(high));
}
constexpr auto isfinite(operand_like auto&& x, elementwise_check<ops::is_finite{}, decltype(x)> = {}) {
  return is_finite(static_cast<decltype(x)>(x));
}
constexpr auto isinf(operand_like auto&& x, elementwise_check<ops::is_inf{}, decltype(x)> = {}) {
  return is_inf(static_cast<decltype(x)>(x));
}

// 1 / (1 + e^-x)
constexpr auto sigmoid(operand_like auto&& x, elementwise_check<ops::logistic{}, decltype(x)> = {}) {
  return logistic(static_cast<decltype(x)>(x));
}
// x sigmoid(x)
constexpr auto silu(operand_like auto&& x, function_check<detail::silu_of, decltype(x)> = {}) {
  return apply_function(detail::silu_of{}, static_cast<decltype(x)>(x));
}
// log(1 + e^x)
constexpr auto softplus(operand_like auto&& x, function_check<detail::softplus_of, decltype(x)> = {}) {
  return apply_function(detail::softplus_of{}, static_cast<decltype(x)>(x));
}
// x times the probability that a normal number is below x: by tanh, as jax.nn.gelu has it, or exactly, by gelu<false>.
template <bool IsApproximate = true>
constexpr auto gelu(operand_like auto&& x, function_check<detail::gelu_of<IsApproximate>, decltype(x)> = {}) {
  return apply_function(detail::gelu_of<IsApproximate>{}, static_cast<decltype(x)>(x));
}

// e^x along an axis, divided by their sum. Floats; the result has the type of x.
template <index_t Axis = -1, operand_like X>
constexpr auto softmax(X&& x, function_check<detail::softmax_along<Axis>, X> = {}) {
  return apply_function(detail::softmax_along<Axis>{}, static_cast<X&&>(x));
}
// Each element, but 0 where it is negative.
constexpr auto relu(operand_like auto&& x) { return maximum(static_cast<decltype(x)>(x), 0); }

// The mean square of the distances from the mean, over all axes or over some: var<ints{0}>(x). Its type is that of the
// mean, that of the parts for complex numbers.
template <ints Axes = detail::every_axis, reduced_axes Reduced = dropdims, operand_like X>
constexpr auto var(X&& x, function_check<detail::variance_of<Axes, Reduced>, X> = {}) {
  return apply_function(detail::variance_of<Axes, Reduced>{}, static_cast<X&&>(x));
}
// The root of the variance.
template <ints Axes = detail::every_axis, reduced_axes Reduced = dropdims, operand_like X>
constexpr auto standard_deviation(X&& x, function_check<detail::variance_of<Axes, Reduced>, X> = {}) {
  return sqrt(var<Axes, Reduced>(static_cast<X&&>(x)));
}
// The root of the sum of squares, over all axes or over some: of floats, or of complex numbers, whose parts give it.
template <ints Axes = detail::every_axis, reduced_axes Reduced = dropdims, operand_like X>
constexpr auto norm(X&& x, elementwise_check<ops::sqrt{}, X> = {}) {
  return sqrt(sum<Axes, Reduced>(square(abs(static_cast<X&&>(x)))));
}
// Whether any element, or all of them, are not zero: i1, over all axes or over some.
template <ints Axes = detail::every_axis, reduced_axes Reduced = dropdims, operand_like X>
constexpr auto any_of(X&& x, elementwise_check<ops::compare{comparison_direction::NE}, X, int> = {}) {
  return max<Axes, Reduced>(compare<comparison_direction::NE>(static_cast<X&&>(x), 0));
}
template <ints Axes = detail::every_axis, reduced_axes Reduced = dropdims, operand_like X>
constexpr auto all_of(X&& x, elementwise_check<ops::compare{comparison_direction::NE}, X, int> = {}) {
  return min<Axes, Reduced>(compare<comparison_direction::NE>(static_cast<X&&>(x), 0));
}
// one_hot<10>(labels): f32, of the shape of the labels and one more axis, 1 where it is the label, else 0.
template <index_t Classes, operand_like X>
constexpr auto one_hot(X&& x, function_check<detail::one_hot_of<Classes>, X> = {}) {
  return apply_function(detail::one_hot_of<Classes>{}, static_cast<X&&>(x));
}

// A vector of Count floats from start to stop, both among them, at equal distances.
template <class T, index_t Count>
  requires(Count > 0)
constexpr auto linspace(T start, T stop) {
  return iota<T, ints{Count}>() * ((stop - start) / T(Count > 1 ? Count - 1 : 1)) + start;
}

}  // namespace tenon
