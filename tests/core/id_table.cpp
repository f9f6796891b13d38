// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/id_table.hpp>

namespace tenon::test {
namespace {

constexpr id_table few{{0, 1}, {2, 3}};
static_assert(few.rows == 2 && few.columns == 2 && few.dropped == 0);
static_assert(few(1, 0) == 2 && few[3] == 3 && few(2, 0) == 0 && few(0, -1) == 0);
static_assert(id_table{{0, 1}, {2}}.dropped == 1 && id_table{{0, 1, 2, 3, 4, 5, 6, 7, 8}}.dropped == 1);
static_assert(id_table{}.empty() && id_table{} == id_table{});

constexpr id_formula backwards{[](int row, int column) { return index_t{999} - (8 * row + column); }};
constexpr id_table computed{125, 8, &backwards};
static_assert(computed.size() == 1000 && computed(0, 0) == 999 && computed(124, 7) == 0);
constexpr id_formula in_order{[](int row, int column) { return index_t{2} * row + column; }};
static_assert(id_table(2, 2, &in_order) == few);

struct thousand {
  index_t at[1000]{};
  constexpr thousand() {
    for (int i = 0; i < 1000; ++i) at[i] = 999 - i;
  }
};
constexpr thousand memory;
constexpr id_table many{125, 8, memory.at}, copied{2, 2, memory.at};
static_assert(many == computed && !(many == few) && many.outside == memory.at);
static_assert(copied.outside == nullptr && copied == id_table{{999, 998}, {997, 996}});

}  // namespace
}  // namespace tenon::test
