// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/rules.hpp>

namespace tenon::test {
using namespace core;

template <tensor_type... Types>
struct type_array {
  static constexpr tensor_type at[] = {Types..., tensor_type{}};
  static constexpr list<tensor_type> all = {at, int(sizeof...(Types))};
};

template <class Arguments, class Results>
inline constexpr signature signature_of = {Arguments::all, Results::all};

// A program that has one tuple type, one future type, one buffer type and some names.
template <class Members>
struct one_list_of_members final : type_details {
  std::string_view names[4];

  constexpr one_list_of_members(std::string_view a = {}, std::string_view b = {}, std::string_view c = {})
      : names{a, b, c} {}
  constexpr list<tensor_type> members_of(const tensor_type& type) const override {
    return type.members == 1 ? Members::all : list<tensor_type>{};
  }
  constexpr std::string_view name_of(int name) const override {
    return 0 <= name && name < 4 ? names[name] : std::string_view{};
  }
};
inline constexpr tensor_type tuple_type{dtype::tuple, 0, 0, 1, {}}, future_type{dtype::future, 0, 0, 1, {}},
    buffer_type{dtype::other, 0, 0, 1, {}};

}  // namespace tenon::test
