// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/bit_cast.hpp>
#include <tenon/core/dtype.hpp>
#include <tenon/core/id_table.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/core/list.hpp>

#include <concepts>
#include <string_view>
#include <type_traits>

namespace tenon::core {

// A short list of rows of equal length, such as padding as [low, high] rows. A table that is written but empty may have
// columns all the same.
struct ints_table {
  static constexpr int capacity = 2 * max_rank;
  index_t at[capacity]{};
  int rows = 0, columns = 0;
  int dropped = 0;

  constexpr ints_table() = default;
  constexpr ints_table(std::initializer_list<ints> values) {
    for (const ints& row : values) push(row);
  }
  constexpr void push(const ints& row) {
    if (rows == 0) columns = row.size;
    if (row.size != columns || (rows + 1) * columns > capacity) {
      ++dropped;
      return;
    }
    for (int i = 0; i < columns; ++i) at[rows * columns + i] = row.at[i];
    ++rows;
  }
  constexpr index_t operator()(int row, int column) const {
    return 0 <= row && row < rows && 0 <= column && column < columns ? at[row * columns + column] : 0;
  }
  constexpr ints column(int which) const {
    ints result;
    for (int row = 0; row < rows; ++row) result.push((*this)(row, which));
    return result;
  }
  constexpr bool empty() const { return rows == 0; }
  friend constexpr bool operator==(const ints_table& a, const ints_table& b) = default;
};

// A few values of one kind, written as [a, b, ...].
template <class T, int Capacity = 16>
struct short_list {
  T at[Capacity]{};
  int size = 0;
  int dropped = 0;

  constexpr short_list() = default;
  constexpr short_list(std::initializer_list<T> values) {
    for (const T& value : values) push(value);
  }
  constexpr void push(const T& value) {
    if (size < Capacity) {
      at[size++] = value;
    } else {
      ++dropped;
    }
  }
  constexpr T operator[](int i) const { return 0 <= i && i < size ? at[i] : T{}; }
  constexpr const T* begin() const { return at; }
  constexpr const T* end() const { return at + size; }
  constexpr bool empty() const { return size == 0; }
  friend constexpr bool operator==(const short_list& a, const short_list& b) = default;
};

// Where the program keeps something, or -1.
template <class Kept>
struct kept_id {
  int id = -1;
  friend constexpr bool operator==(const kept_id&, const kept_id&) = default;
};
// A name or text, an index into the program's list of names.
using name_id = kept_id<struct kept_name>;
// The value of a constant, an index into its list of literals.
using literal_id = kept_id<struct kept_literal>;
// An attribute as it is written, for ops that carry it without reading it: an index into its list of names.
using opaque_attribute = kept_id<struct kept_attribute>;

// The spellings of an enumeration's values in StableHLO text, in order from 0. Specialised next to each enumeration.
template <class Enum>
inline constexpr std::string_view enumerators[1] = {};

struct visit_nothing {
  constexpr bool operator()(std::string_view, const auto&) const { return true; }
};

// A struct whose fields are attributes, an op or a part of one, shows them with their names, one after the other until
// the visitor answers false:
//
//   static constexpr bool attributes(auto& self, auto visit) {
//     return visit("start_indices", self.start_indices) && visit("strides", self.strides);
//   }
template <class T>
concept has_attributes = requires(T& value) {
  { T::attributes(value, visit_nothing{}) } -> std::same_as<bool>;
};

// Calls f(name, field) for every attribute of an op, in the order of declaration, until it answers false.
template <class Op, class Function>
constexpr bool visit_attributes(Op& op, Function f) {
  if constexpr (has_attributes<std::remove_const_t<Op>>) {
    return Op::attributes(op, f);
  } else {
    static_assert(std::is_empty_v<Op>, "an op with fields lists them in `attributes`");
    return true;
  }
}

// Calls f(name, field) for every attribute of an op, in the order of declaration.
template <class Op, class Function>
constexpr void for_each_attribute(Op& op, Function f) {
  visit_attributes(op, [&](std::string_view name, auto& field) { return f(name, field), true; });
}

template <class Op>
inline constexpr int attribute_count = [] {
  int count = 0;
  const Op op{};
  for_each_attribute(op, [&](std::string_view, const auto&) { ++count; });
  return count;
}();

template <class T>
inline constexpr bool is_short_list = false;
template <class T, int Capacity>
inline constexpr bool is_short_list<short_list<T, Capacity>> = true;

// Calls word(value) for all words of a field, sizes before what they count.
template <class T, class Function>
constexpr void for_each_word(T& field, Function word) {
  using value_type = std::remove_const_t<T>;
  if constexpr (std::is_same_v<value_type, ints_table>) {
    word(field.rows), word(field.columns);
    for (int i = 0; i < field.rows * field.columns; ++i) word(field.at[i]);
  } else if constexpr (std::is_same_v<value_type, ints> || is_short_list<value_type>) {
    word(field.size);
    for (int i = 0; i < field.size; ++i) for_each_word(field.at[i], word);
  } else if constexpr (requires { field.id; }) {
    word(field.id);
  } else if constexpr (has_attributes<value_type>) {
    for_each_attribute(field, [&](std::string_view, auto& inner) { for_each_word(inner, word); });
  } else {
    word(field);
  }
}

template <class T>
constexpr void write_words(table<index_t>& words, const T& field) {
  if constexpr (std::is_same_v<T, id_table>) {
    words.push(field.rows), words.push(field.columns);
    for (int i = 0; i < field.size(); ++i) words.push(field[i]);
  } else {
    for_each_word(field, [&]<class Word>(const Word& value) {
      if constexpr (std::is_floating_point_v<Word>)
        words.push(bit_cast<index_t>(double(value)));
      else
        words.push(index_t(value));
    });
  }
}

template <class T>
constexpr void read_words(const index_t*& at, T& field) {
  field = T{};
  if constexpr (std::is_same_v<T, id_table>) {
    field = id_table(int(at[0]), int(at[1]), at + 2);
    at += 2 + field.size();
  } else {
    for_each_word(field, [&]<class Word>(Word& value) {
      if constexpr (std::is_floating_point_v<Word>)
        value = Word(bit_cast<double>(*at++));
      else
        value = Word(*at++);
    });
  }
}

// Attributes as words, so that a program of many ops is one flat list.
template <class Op>
constexpr void write_attributes(table<index_t>& words, const Op& op) {
  for_each_attribute(op, [&](std::string_view, const auto& field) { write_words(words, field); });
}

// @post read_attributes<Op>(w) == op for the words w that write_attributes(w, op) wrote. Tables of many ids stay there.
template <class Op>
constexpr Op read_attributes(const index_t* words) {
  Op op{};
  for_each_attribute(op, [&](std::string_view, auto& field) { read_words(words, field); });
  return op;
}

}  // namespace tenon::core
