// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/evaluate.hpp"

// Regions of one or two pairs of scalars, for ops that combine or compare elements.
namespace tenon::test {
using namespace core;

template <dtype... Elements>
inline constexpr tensor_type scalars[] = {type_of(Elements)...};

template <dtype Element>
inline constexpr signature combining = {{scalars<Element, Element>, 2}, {scalars<Element>, 1}};
template <dtype Element>
inline constexpr signature comparing = {{scalars<Element, Element>, 2}, {scalars<dtype::i1>, 1}};
template <dtype A, dtype B>
inline constexpr signature combining_two = {{scalars<A, B, A, B>, 4}, {scalars<A, B>, 2}};

// A region of one pair of scalars, by a function of two E.
template <class E, class Function>
region_code binary(Function f) {
  return [f](int, const void* const* arguments, void* const* results) {
    const E a = *static_cast<const E*>(arguments[0]), b = *static_cast<const E*>(arguments[1]);
    const auto result = f(a, b);
    std::memcpy(results[0], &result, sizeof result);
  };
}

template <class E, class Function>
surroundings combined_by(Function f) {
  return {binary<E>(f), {combining<dtype_of<E>>}};
}

}  // namespace tenon::test
