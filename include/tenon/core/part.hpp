// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/core/broken_rule.hpp>
#include <tenon/core/ints.hpp>

#include <cstdint>
#include <type_traits>

// Parts of a tensor, an expression or a traced value: `x(at<0>, all)` is row 0, `x[range<0, 4, 2>]` rows 0 and 2. One
// part for each axis, in order; the axes without one are there as a whole. Positions count from the end where they are
// negative.
namespace tenon {

namespace detail {

template <index_t Position>
struct part_at {};
template <index_t First, index_t Limit, index_t Step>
struct part_between {};

// The function that x(parts...) is; defined in ops/numpy_slices.hpp.
template <class... Parts>
struct part_of;

}  // namespace detail

// The whole axis. An enumerator, so that variables of that name hide it without a warning.
enum whole_axis { all };
// The one position, as in NumPy: the axis is gone.
template <index_t Position>
inline constexpr detail::part_at<Position> at;
// From First up to Limit, each `Step`th; without a limit up to the end.
template <index_t First, index_t Limit = INT64_MAX, index_t Step = 1>
inline constexpr detail::part_between<First, Limit, Step> range;

namespace detail {

template <class T>
inline constexpr bool is_axis_part = std::is_same_v<T, whole_axis>;
template <index_t Position>
inline constexpr bool is_axis_part<part_at<Position>> = true;
template <index_t First, index_t Limit, index_t Step>
inline constexpr bool is_axis_part<part_between<First, Limit, Step>> = true;
template <class T>
concept axis_part = is_axis_part<std::remove_cvref_t<T>>;

// x(i, all) with a number that is known when the program runs only.
template <class... Parts>
concept mixed_parts = (axis_part<Parts> || ...) && !(axis_part<Parts> && ...);
template <class... Parts>
inline constexpr auto complaint_about_parts = [] {
  complaint result;
  result.label = "parts";
  result.message << "parts: positions beside parts are written at<0>; x.row(i) is the row of any i";
  return result;
}();

// What a call x(parts...) breaks, if anything; nothing is asked where no parts are given.
template <class X, class... Parts>
struct checked_parts {};
template <class X, axis_part... Parts>
  requires(sizeof...(Parts) > 0)
struct checked_parts<X, Parts...> : checked_call<function_call<part_of<Parts...>>, X>::outcome {};
template <class X, class... Parts>
  requires mixed_parts<Parts...>
struct checked_parts<X, Parts...> : outcome_of<complaint_about_parts<Parts...>> {};
template <class X, class... Parts>
using parts_kept = typename checked_parts<X, Parts...>::kept;
template <class X, class... Parts>
using parts_broken = typename checked_parts<X, Parts...>::broken;

// Row i of a traced value, where i is a number or traced too.
constexpr auto row_of_value(const auto& x, const auto& i);

}  // namespace detail

}  // namespace tenon
