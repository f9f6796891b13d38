// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

namespace tenon::core {

// All that a plan depends on of the machine that runs it.
struct machine {
  std::int64_t pointer_bytes = std::int64_t(sizeof(void*));
  // Whether products of integers of 8 bits are summed up where their factors lie; -1: as here (integers/products.hpp).
  int multiplies_in_place = -1;
};

// Programs are planned for the machine that compiles or runs them, but by a planner that prints plans for others: it
// alone changes this.
inline constinit machine machine_of_plans{};
constexpr machine planned_machine() { return std::is_constant_evaluated() ? machine{} : machine_of_plans; }
constexpr std::int64_t bytes_of_pointers(std::int64_t count) { return count * planned_machine().pointer_bytes; }

}  // namespace tenon::core
