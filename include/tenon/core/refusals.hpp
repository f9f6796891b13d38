// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/broken_rule.hpp>
#include <tenon/core/tensor_type.hpp>

#include <concepts>

// Messages of deleted overloads: sources that tensors and views are neither made of nor assigned.
namespace tenon::detail {

template <class Source>
concept has_type = requires {
  { Source::type } -> std::convertible_to<tensor_type>;
};

template <tensor_type Target, tensor_type Source>
inline constexpr auto complaint_about_assignment =
    Target == Source ? complaint{} : complain("assignment", "a ", Target, " cannot hold a ", Source);
template <class Target, class Source>
using checked_assignment = outcome_of<complaint_about_assignment<Target::type, Source::type>>;

// Lists of elements: one of `Given` elements, or rows of so many each.
template <tensor_type Type, index_t... Given>
inline constexpr auto complaint_about_list = [] {
  const index_t wanted = Type.rank() == 2 ? Type.dim(1) : Type.shape.product();
  if (((Given == wanted) && ...) && (Type.rank() != 2 || sizeof...(Given) == Type.dim(0))) return complaint{};
  complaint result = complain("list", "expected ", Type.shape.product(), " elements (");
  for (int d = 0; d < Type.rank(); ++d) result.message << (d > 0 ? " x " : "") << Type.dim(d);
  result.message << "), got " << (Given + ... + 0);
  if (Type.rank() == 2) {
    const char* separator = " (";
    ((result.message << separator << Given, separator = " + "), ...);
    result.message << ")";
  }
  return result;
}();
template <class Tensor, index_t... Given>
using checked_list = outcome_of<complaint_about_list<Tensor::type, Given...>>;

template <tensor_type Type>
inline constexpr auto complaint_about_braces =
    complain("list", "the elements of a ", Type, " are in nested braces, a pair for each row");
template <tensor_type Type>
inline constexpr auto complaint_about_number =
    complain("assignment", "a ", Type, " cannot hold a number; x = full<f32, ints{2, 3}>(1) sets all elements");
template <tensor_type Type>
inline constexpr auto complaint_about_copies =
    complain("memory", "a tensor_view is made from it, and a ", Type, " from the view");
inline constexpr auto complaint_about_temporaries =
    complain("lifetime", "it refers to elements that end with this statement: name the tensor that owns them");
using ends_too_early = outcome_of<complaint_about_temporaries>;
template <class Memory>
concept memory_like = !has_type<Memory> && requires(Memory& memory) { memory.data() + memory.size(); };
// An assigned value that is neither of the type nor an element.
template <class Tensor, class Source>
struct checked_source {};
template <class Tensor, has_type Source>
struct checked_source<Tensor, Source> : checked_assignment<Tensor, Source> {};
template <class Tensor, class Source>
  requires(Tensor::type.rank() > 0 && std::is_arithmetic_v<Source>)
struct checked_source<Tensor, Source> : outcome_of<complaint_about_number<Tensor::type>> {};

}  // namespace tenon::detail
