// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/core/ints.hpp>

namespace tenon {

// Stands for no process where groups of different sizes are written as rows of one table.
inline constexpr index_t no_process = -1;

// Which id stands in a row of a table.
struct id_formula {
  index_t (*id)(int row, int column);
};

// Rows of ids of equal length, any number of them: replica groups, source-target pairs. A few lie in the table itself;
// more are in memory of somebody else, who has to outlive it, or follow a formula, which has a name, as compilers take
// no other pointers for template arguments. What is written row by row and does not fit is counted in `dropped`. A
// table that is written but empty may have columns all the same.
//
//   {{0, 1}, {2, 3}}
//   static constexpr id_formula neighbours{[](int row, int column) { return index_t{8} * row + column; }};
//   {125, 8, &neighbours}
struct id_table {
  static constexpr int most_inside = 64;
  // A text cannot ask for more.
  static constexpr index_t most_processes = 1 << 20;

  index_t inside[most_inside]{};
  const index_t* outside = nullptr;
  const id_formula* formula = nullptr;
  int rows = 0, columns = 0;
  int dropped = 0;
  bool has_formula = false;

  constexpr id_table() = default;
  constexpr id_table(std::initializer_list<ints> values) {
    for (const ints& row : values) push(row);
  }
  constexpr id_table(int row_count, int column_count, const id_formula* ids)
      : formula(ids), rows(row_count), columns(column_count), has_formula(true) {}
  // Ids that lie row by row.
  constexpr id_table(int row_count, int column_count, const index_t* ids) : rows(row_count), columns(column_count) {
    if (size() > most_inside)
      outside = ids;
    else
      for (int i = 0; i < size(); ++i) inside[i] = ids[i];
  }

  constexpr int size() const { return rows * columns; }
  constexpr bool empty() const { return rows == 0; }
  // The id at this place, row by row.
  constexpr index_t operator[](int i) const {
    return has_formula ? formula->id(i / columns, i % columns) : size() > most_inside ? outside[i] : inside[i];
  }
  constexpr index_t operator()(int row, int column) const {
    return 0 <= row && row < rows && 0 <= column && column < columns ? (*this)[row * columns + column] : 0;
  }
  constexpr void push(const ints& row) {
    if (rows == 0) columns = row.size;
    if (row.size != columns || row.dropped > 0 || size() + columns > most_inside) {
      ++dropped;
      return;
    }
    for (int i = 0; i < columns; ++i) inside[rows * columns + i] = row.at[i];
    ++rows;
  }

  friend constexpr bool operator==(const id_table& a, const id_table& b) {
    if (a.rows != b.rows || a.columns != b.columns || a.dropped != b.dropped) return false;
    for (int i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) return false;
    return true;
  }
};

}  // namespace tenon
