// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>, <tenon/programs.hpp>, <tenon/planned_programs.hpp>.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

namespace tenon {

// Several values at once: what a traced function returns, `return results(mean, variance);`, and what calling it gives,
// `auto [mean, variance] = moments(x);`.
template <class... T>
struct results : std::tuple<T...> {
  using std::tuple<T...>::tuple;

  // A single one is what it holds: tensor<f32, 3> y = net{}(x);
  template <class Only>
    requires std::is_same_v<results, results<Only>>
  constexpr operator Only() && {
    return std::get<0>(std::move(*this));
  }
  template <class Number>
    requires(sizeof...(T) == 1 && std::is_arithmetic_v<Number> && (std::is_convertible_v<T, Number> && ...))
  constexpr operator Number() const {
    return std::get<0>(*this);
  }
};
template <class... T>
results(T...) -> results<T...>;

}  // namespace tenon

template <class... T>
struct std::tuple_size<tenon::results<T...>> : std::integral_constant<std::size_t, sizeof...(T)> {};
template <std::size_t I, class... T>
struct std::tuple_element<I, tenon::results<T...>> : std::tuple_element<I, std::tuple<T...>> {};
