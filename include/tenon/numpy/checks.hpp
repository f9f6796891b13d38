// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/core/part.hpp>
#include <tenon/core/tensor.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>

// Options of functions of whole arrays, and their rules besides those of ops.
namespace tenon {

// The subscripts of `einsum`: "ij,jk->ik".
template <std::size_t Size>
struct einsum_subscripts {
  char at[Size]{};

  constexpr einsum_subscripts(const char (&text)[Size]) {
    for (std::size_t i = 0; i < Size; ++i) at[i] = text[i];
  }
  constexpr std::string_view lhs() const { return text().substr(0, text().find(',')); }
  constexpr std::string_view rhs() const {
    const std::size_t first = lhs().size() + 1;
    return text().substr(first, text().find("->") - first);
  }
  constexpr std::string_view result() const { return text().substr(text().find("->") + 2); }
  // One comma, one arrow, no letter twice in a part, and each letter of the result in an operand.
  constexpr bool are_well_formed() const {
    const std::size_t comma = text().find(','), arrow = text().find("->");
    if (comma == text().npos || arrow == text().npos || comma > arrow) return false;
    for (std::string_view part : {lhs(), rhs(), result()})
      for (std::size_t i = 0; i < part.size(); ++i)
        if (part[i] < 'A' || part.find(part[i], i + 1) != part.npos) return false;
    for (char letter : result())
      if (lhs().find(letter) == text().npos && rhs().find(letter) == text().npos) return false;
    return true;
  }

 private:
  constexpr std::string_view text() const { return {at, Size - 1}; }
};

// How the borders of images are treated.
enum padding_kind { valid, same };

// Options of `conv2d`: strides of the images and of the kernel, in both directions.
struct conv2d_options {
  index_t stride = 1;
  padding_kind padding = valid;
  index_t dilation = 1;
  index_t feature_group_count = 1;
};

namespace detail {

// The rules of a function besides those of its ops, then these.
template <const auto& Complaint, class Function, class... Operands>
constexpr auto find_asked() {
  if constexpr (Complaint.message.length > 0)
    return std::type_identity<outcome_of<Complaint>>{};
  else
    return std::type_identity<typename checked_call<function_call<Function>, Operands...>::outcome>{};
}
template <const auto& Complaint, class Function, class... Operands>
using asked_of_function = typename decltype(find_asked<Complaint, Function, Operands...>())::type::type;

template <einsum_subscripts Subscripts, class Lhs, class Rhs>
inline constexpr auto complaint_about_subscripts = [] {
  const auto count = []<class Operand>(std::type_identity<Operand>, std::string_view letters) {
    if constexpr (has_static_type<Operand>) {
      constexpr tensor_type type = std::remove_cvref_t<Operand>::type;
      if (int(letters.size()) != type.rank())
        return complain("einsum", letters, " has ", int(letters.size()), " letters, the operand is a ", type);
    }
    return complaint{};
  };
  if (!Subscripts.are_well_formed())
    return complain("einsum",
                    "subscripts are as in ij,jk->ik: two operands, no letter twice in one, no blanks, a "
                    "result of letters that they have");
  const complaint of_lhs = count(std::type_identity<Lhs>{}, Subscripts.lhs());
  return of_lhs.message.length > 0 ? of_lhs : count(std::type_identity<Rhs>{}, Subscripts.rhs());
}();

template <conv2d_options Options, class Images, class Kernel>
inline constexpr auto complaint_about_conv2d = [] {
  bool are_images = true;
  if constexpr (has_static_type<Images>) are_images = are_images && std::remove_cvref_t<Images>::type.rank() == 4;
  if constexpr (has_static_type<Kernel>) are_images = are_images && std::remove_cvref_t<Kernel>::type.rank() == 4;
  if (!are_images)
    return complain("conv2d", "images are batch x height x width x features, kernels height x width x features x new");
  if (Options.stride < 1 || Options.dilation < 1 || Options.feature_group_count < 1)
    return complain("conv2d", "stride, dilation and feature_group_count are at least 1");
  return complaint{};
}();

template <index_t Axis, class X>
inline constexpr auto complaint_about_axis = [] {
  if constexpr (has_static_type<X>) {
    constexpr tensor_type type = std::remove_cvref_t<X>::type;
    if (Axis < -type.rank() || Axis >= type.rank()) return complain("axis", "a ", type, " has no axis ", Axis);
  }
  return complaint{};
}();
template <index_t Axis, class Function, class X>
using axis_check = asked_of_function<complaint_about_axis<Axis, X>, Function, X>;

template <index_t Parts, index_t Axis, class X>
inline constexpr auto complaint_about_split = [] {
  if constexpr (has_static_type<X>) {
    constexpr tensor_type type = std::remove_cvref_t<X>::type;
    constexpr index_t axis = Axis < 0 ? Axis + type.rank() : Axis;
    if (axis < 0 || axis >= type.rank() || Parts < 1 || type.dim(int(axis)) % (Parts < 1 ? 1 : Parts) != 0)
      return complain("split", "a ", type, " has no ", Parts, " equal parts along axis ", Axis);
  }
  return complaint{};
}();

template <class Key>
inline constexpr auto complaint_about_key =
    operand_like<Key> ? complaint{} : complain("key", "numbers are drawn with a key: random::key(42) makes one");
// A number as a tensor without dimensions.
template <class T, class Number>
using scalar = std::conditional_t<operand_like<Number>, Number, tensor<T>>;
template <class T, class Number>
constexpr decltype(auto) as_scalar(Number&& number) {
  if constexpr (operand_like<Number>)
    return static_cast<Number&&>(number);
  else
    return tensor<T>(element_of_number<T>(number));
}
// A function of a key and of numbers of type T.
template <class Function, class T, class Key, class... Numbers>
using draw_check = asked_of_function<complaint_about_key<Key>, Function, Key, scalar<T, Numbers>...>;

}  // namespace detail

}  // namespace tenon
