// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/core/broken_rule.hpp>
#include <tenon/core/ints.hpp>

#include <cstddef>
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

// The function that x(parts...) is; defined in numpy/slices.hpp.
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
// The index of an element: an integer, or a type that converts to one.
template <class T>
concept position_like = !axis_part<T> && !std::is_floating_point_v<T> && std::is_convertible_v<T, index_t> &&
                        !requires { requires !is_integer(std::remove_cvref_t<T>::type.element); };

// The rule that a call x(parts...) breaks, if any; nothing is checked without parts.
template <class X, class... Parts>
struct checked_parts;
template <class X, class... Parts>
using parts_kept = typename checked_parts<X, Parts...>::type::kept;
template <class X, class... Parts>
using parts_broken = typename checked_parts<X, Parts...>::type::broken;
template <class X, class... Parts>
using parts_call_broken = typename checked_parts<X, Parts...>::type::broken_function;

template <class X>
concept has_static_type = requires { std::integral_constant<int, std::remove_cvref_t<X>::type.rank()>{}; };

// Nothing where an element of a tensor of so many dimensions is not found by these.
template <std::size_t Rank, class... Index>
using found_by = std::enable_if_t<sizeof...(Index) == Rank && (position_like<Index> && ...)>;

// x(i, all) with a number that is known when the program runs only.
template <class... Parts>
concept mixed_parts = (axis_part<Parts> || ...) && !(axis_part<Parts> && ...);
template <class... Parts>
inline constexpr auto complaint_about_parts =
    complain("parts", "positions beside parts are written at<0>; x.row(i) is the row of any i");

// x(i) of a matrix, x(0.5): not as many integers as there are dimensions.
template <class... Positions>
concept are_positions = sizeof...(Positions) > 0 && !(axis_part<Positions> || ...);
template <class X>
concept has_memory = requires(const std::remove_cvref_t<X>& x) { x.data(); };
template <class X, class... Positions>
concept are_positions_of = has_memory<X> && int(sizeof...(Positions)) == std::remove_cvref_t<X>::type.rank() &&
                           (position_like<Positions> && ...);
template <tensor_type Type, int Given, bool AreIntegers, bool InMemory>
inline constexpr auto complaint_about_positions =
    !InMemory ? complain("position", "parts of a ", Type, " that is computed are x(at<0>, all), and x.row(i) is row i")
    : AreIntegers ? complain("position", "expected ", Type.rank(), " integers for a ", Type, ", got ", Given,
                             "; x.row(i) is row i, x(at<0>) and x[range<0, 2>] are parts")
                  : complain("position", "elements of a ", Type, " are found by integers");

template <class X, class... Parts>
struct checked_parts {};
template <class X, class... Parts>
  requires(are_positions<Parts...> && has_static_type<X> && !are_positions_of<X, Parts...>)
struct checked_parts<X, Parts...>
    : std::type_identity<outcome_of<complaint_about_positions<std::remove_cvref_t<X>::type, int(sizeof...(Parts)),
                                                              (position_like<Parts> && ...), has_memory<X>>>> {};
template <class X, axis_part... Parts>
  requires(sizeof...(Parts) > 0)
struct checked_parts<X, Parts...>
    : std::type_identity<typename checked_call<function_call<part_of<Parts...>>, X>::outcome> {};
template <class X, class... Parts>
  requires mixed_parts<Parts...>
struct checked_parts<X, Parts...> : std::type_identity<outcome_of<complaint_about_parts<Parts...>>> {};

// Parts of a view, an expression or a traced value, which the expression keeps.
template <class Self>
struct has_parts {
  template <class... Parts, class Rules = parts_kept<Self, Parts...>>
    requires(axis_part<Parts> && ...)
  constexpr auto operator()(Parts...) const {
    return apply_function(part_of<Parts...>{}, static_cast<const Self&>(*this));
  }
  template <class... Parts, class Rule = parts_call_broken<Self, Parts...>>
    requires(sizeof...(Parts) > 0)
  void operator()(Parts...) const = delete;
  template <class Part, class Rules = parts_kept<Self, Part>>
    requires axis_part<Part>
  constexpr auto operator[](Part part) const {
    return (*this)(part);
  }
  template <class Part, class Rule = parts_broken<Self, Part>>
    requires(!(has_memory<Self> && position_like<Part>))
  void operator[](Part) const = delete;
};

// Row i of a traced value, where i is a number or traced too.
constexpr auto row_of_value(const auto& x, const auto& i);

}  // namespace detail

}  // namespace tenon
