// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/elementwise.hpp>
#include <tenon/ops/elementwise/add.hpp>
#include <tenon/ops/elementwise/compare.hpp>
#include <tenon/ops/elementwise/multiply.hpp>
#include <tenon/ops/elementwise/select.hpp>

#include "ops/bodies.hpp"

// Regions as they are for one element, and made ready for many.
namespace tenon::test {

using body_place = prepared_body::place;

inline body_place argument_of_body(int i, std::size_t bytes) { return {body_place::kind::argument, i, int(bytes)}; }
inline body_place result_of_body(int i, std::size_t bytes) { return {body_place::kind::result, i, int(bytes)}; }

// x * factor + y
template <class T>
bool prepare_weighted(bool over_arguments, const T& factor, prepared_body& body) {
  const int bytes = int(sizeof(T));
  body.begin(nullptr);
  const body_place constant = body.own(bytes), product = body.own(bytes);
  body.add(prepared_body::step{
      &elementwise_kernel<ops::multiply, T, T>, nullptr, 2, {argument_of_body(0, sizeof(T)), constant, {}}, product});
  body.add(prepared_body::step{&elementwise_kernel<ops::add, T, T>,
                               nullptr,
                               2,
                               {product, argument_of_body(1, sizeof(T)), {}},
                               result_of_body(0, sizeof(T))});
  if (over_arguments && !body.keep_arguments()) return false;
  if (!body.end()) return false;
  body.repeat(constant, &factor);
  return true;
}
template <class T>
surroundings weighted(const T& factor, bool prepared) {
  surroundings around = combined_by<T>([factor](T x, T y) {
    const auto apply = [](auto op, const T& a, const T& b) {
      evaluation e;
      T result;
      const void* const operands[] = {&a, &b};
      void* to = &result;
      e.operands = {operands, 2}, e.results = {&to, 1}, e.count = 1;
      elementwise_kernel<decltype(op), T, T>(e);
      return result;
    };
    return apply(ops::add{}, apply(ops::multiply{}, x, factor), y);
  });
  if (prepared)
    around.prepare = [factor](int, bool over_arguments, prepared_body& body) {
      return prepare_weighted(over_arguments, factor, body);
    };
  return around;
}

// x >= y, or y > x
inline const index_t* words_of_compare(comparison_direction direction) {
  static index_t words[2][64];
  index_t* const to = words[direction == comparison_direction::GE];
  table<index_t> written{to, 0, 64};
  write_attributes(written, ops::compare{direction});
  return to;
}

// The larger element and its place, the first one of equals.
template <class T>
surroundings place_of_largest(bool prepared) {
  surroundings around{[](int, const void* const* arguments, void* const* results) {
                        const T x = *static_cast<const T*>(arguments[0]), y = *static_cast<const T*>(arguments[2]);
                        const int from = x >= y ? 0 : 2;
                        std::memcpy(results[0], arguments[from], sizeof(T));
                        std::memcpy(results[1], arguments[from + 1], sizeof(i32));
                      },
                      {combining_two<dtype_of<T>, dtype::i32>}};
  if (prepared)
    around.prepare = [](int, bool over_arguments, prepared_body& body) {
      body.begin(nullptr);
      const body_place larger = body.own(1);
      body.add(prepared_body::step{&elementwise_kernel<ops::compare, T, bool>,
                                   words_of_compare(comparison_direction::GE),
                                   2,
                                   {argument_of_body(0, sizeof(T)), argument_of_body(2, sizeof(T)), {}},
                                   larger});
      body.add(prepared_body::step{&elementwise_kernel<ops::select, T, T>,
                                   nullptr,
                                   3,
                                   {larger, argument_of_body(0, sizeof(T)), argument_of_body(2, sizeof(T))},
                                   result_of_body(0, sizeof(T))});
      body.add(prepared_body::step{&elementwise_kernel<ops::select, i32, i32>,
                                   nullptr,
                                   3,
                                   {larger, argument_of_body(1, 4), argument_of_body(3, 4)},
                                   result_of_body(1, 4)});
      return (!over_arguments || body.keep_arguments()) && body.end();
    };
  return around;
}

}  // namespace tenon::test
