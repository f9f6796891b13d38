// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/list.hpp>

namespace tenon::ir {

template <class Member>
struct element_of_table;
template <class Whole, class T>
struct element_of_table<table<T> Whole::*> {
  using type = T;
};

// A table of a whole, such as a graph, and which of the whole's sizes says how many elements it has.
template <auto Table, auto Size>
struct table_entry {
  using element = typename element_of_table<decltype(Table)>::type;
  static constexpr auto table = Table;
  static constexpr auto size = Size;
};

// All tables of a whole, each named once. What is done with every one of them is done by these.
template <class... Entries>
struct table_list {
  static constexpr int count = int(sizeof...(Entries));

  // Calls f(table) for each.
  template <class Whole>
  static constexpr void for_each(Whole& whole, auto f) {
    (f(whole.*Entries::table), ...);
  }
  template <class Whole>
  static constexpr bool overflow(const Whole& whole) {
    return ((whole.*Entries::table).overflow || ...);
  }
  template <class Sizes, class Whole>
  static constexpr Sizes sizes(const Whole& whole) {
    Sizes result;
    ((result.*Entries::size = (whole.*Entries::table).size), ...);
    return result;
  }
  template <class Sizes>
  static constexpr Sizes sum(const Sizes& a, const Sizes& b) {
    Sizes result;
    ((result.*Entries::size = a.*Entries::size + b.*Entries::size), ...);
    return result;
  }
  // Whether each table takes that many more elements.
  template <class Sizes, class Whole>
  static constexpr bool has_room(const Whole& whole, const Sizes& more) {
    return (((whole.*Entries::table).capacity - (whole.*Entries::table).size >= more.*Entries::size) && ...);
  }
};

// Memory for tables of at most these sizes, as a constant or on the way to one.
template <class Entry, int Capacity>
struct stored_table {
  typename Entry::element at[Capacity + 1]{};
};
template <class List, auto Sizes>
struct stored_tables;
template <class... Entries, auto Sizes>
struct stored_tables<table_list<Entries...>, Sizes> : stored_table<Entries, Sizes.*Entries::size>... {
  // @post the tables of `whole` lie here, and hold as many elements as `used` says
  template <class Whole, class Used>
  constexpr void open(Whole& whole, const Used& used) {
    ((whole.*Entries::table = {memory_of<Entries>(), used.*Entries::size, Sizes.*Entries::size}), ...);
  }
  template <class Whole>
  constexpr void take(const Whole& whole) {
    (take_table(whole.*Entries::table, memory_of<Entries>()), ...);
  }

 private:
  template <class Entry>
  constexpr typename Entry::element* memory_of() {
    return stored_table<Entry, Sizes.*Entry::size>::at;
  }
  template <class T>
  static constexpr void take_table(const table<T>& from, T* to) {
    for (int i = 0; i < from.size; ++i) to[i] = from.data[i];
  }
};

}  // namespace tenon::ir
