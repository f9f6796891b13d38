// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/lanes.hpp>
#include <tenon/run/program.hpp>

#include <lanes/sweep.hpp>

#include <cstddef>

namespace lane_cases {

inline constexpr int vector_bytes = int(tenon::core::hn::MaxLanes(tenon::core::hn::ScalableTag<std::uint8_t>()));

// A list of cases, made while compiling.
template <int Capacity>
struct case_list {
  lane_case at[Capacity]{};
  int size = 0;
  constexpr void add(group_of_ops ops, dtype type, int rows, int columns) { at[size++] = {ops, type, rows, columns}; }
};

// How many lanes a vector has for a type; floats of fewer than 32 bits are lanes of f32.
constexpr int lanes_of(dtype type) {
  if (is_complex(type)) return vector_bytes * 2 / storage_bytes(type);
  return vector_bytes / (is_float(type) && num_bits(type) < 32 ? 4 : storage_bytes(type));
}

// The cases of a type: vectors of every power of two of lanes, filled and filled in part, or one of three of those
// sizes, another one for the next type, or a single one.
enum class share : int { every, third, single };
struct wanted_cases {
  dtype type;
  share sizes = share::single;
  bool moves = false;
};
constexpr auto cases_of(wanted_cases wanted) {
  case_list<64> list;
  const dtype type = wanted.type;
  const int lanes = lanes_of(type);
  list.add(group_of_ops::folds, type, lanes + 1, 3);
  if (wanted.sizes == share::single) {
    list.add(group_of_ops::elements, type, 0, lanes / (1 << int(type) % 3) + 3);
    return list;
  }
  int number = int(type);
  const auto add = [&](int size) {
    if (wanted.sizes == share::every || number++ % 3 == 0) list.add(group_of_ops::elements, type, 0, size);
  };
  for (int size = 1; size <= lanes; size *= 2) {
    add(size);
    if (1 < size && size < lanes) add(size + (size + 1) / 2);
  }
  add(lanes + 1);
  add(2 * lanes + 1);
  list.add(group_of_ops::folds, type, 0, lanes / 2 + 1);
  list.add(group_of_ops::folds, type, 3, lanes + 1);
  if (type != dtype::i1) list.add(group_of_ops::products, type, 3, 5);
  if (wanted.moves) list.add(group_of_ops::moves, type, 5, lanes + 1);
  return list;
}

// The program of the cases of a type.
template <wanted_cases Wanted>
struct program_of_cases {
  static constexpr auto list = cases_of(Wanted);
  static constexpr auto cases = [] {
    struct {
      lane_case at[list.size];
    } result;
    for (int i = 0; i < list.size; ++i) result.at[i] = list.at[i];
    return result;
  }();
  static constexpr auto storage = cases_text<2000 * list.size, list.size>(cases.at);
  static constexpr std::string_view text{storage.at, std::size_t(storage.size)};

  static void run(const void* const* arguments, void* const* results) {
    tenon::program<program_of_cases>::code::run(arguments, results);
  }
  static constexpr compiled_cases entry{"program", cases.at, list.size, &run};
};

template <wanted_cases... Wanted>
struct programs_of_cases {
  static constexpr compiled_cases entries[] = {program_of_cases<Wanted>::entry...};
  static constexpr compiled_list list{entries, int(sizeof...(Wanted))};
};

}  // namespace lane_cases
