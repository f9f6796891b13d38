// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/graph/plan/plan.hpp>
#include <tenon/kernels/copy/gathered.hpp>
#include <tenon/kernels/copy/strided.hpp>

#include <concepts>
#include <type_traits>

namespace tenon::kernels {

// How the tiles of fused groups take what they read, by size of element: 1, 2, 4, 8 and 16 bytes. Null where nothing is
// taken so: programs that are known while compiling need not compile it.
struct group_copies {
  static constexpr int sizes = 5;
  static constexpr int size_index(index_t bytes) {
    return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : 4;
  }

  // The parameters are those of copy_strided, copy_box, copy_gathered and repeat_along_rows.
  using strided_code = void (*)(void* to, const void* from, const strided_access& access, index_t first, index_t count);
  using box_code = void (*)(void* to, index_t to_row, const void* from, index_t from_row, index_t from_column,
                            index_t rows, index_t row);
  using gathered_code = void (*)(void* to, const void* from, const gathered_walk& walk, index_t first, index_t count);
  using repeated_code = void (*)(void* to, const void* from, index_t rows, index_t row);
  strided_code strided[sizes]{};
  box_code boxes[sizes]{};
  gathered_code gathered[sizes]{};
  repeated_code repeated[sizes]{};
};

// Which of them there must be: a bit for each way and size.
struct needed_copies {
  enum way { strided, boxes, gathered, repeated, ways };
  unsigned bits = 0;

  constexpr void add(way how, index_t bytes) {
    bits |= 1u << (how * group_copies::sizes + group_copies::size_index(bytes));
  }
  constexpr bool has(way how, index_t bytes) const {
    return (bits >> (how * group_copies::sizes + group_copies::size_index(bytes)) & 1u) != 0;
  }
  constexpr void add(const plan& p, const plan_step& step) {
    for (int m = 0; m < step.instruction_count; ++m) {
      const group_instruction& instruction = p.instructions.data[step.first_instruction + m];
      const index_t bytes = p.operands.data[instruction.first].bytes;
      if (instruction.does == group_instruction::action::broadcast_along_rows)
        add(repeated, bytes);
      else if (instruction.does == group_instruction::action::load)
        add(instruction.gather >= 0                          ? gathered
            : step.transposed_axis >= 0 && !instruction.once ? boxes
                                                             : strided,
            bytes);
    }
  }
  static constexpr needed_copies all() { return {(1u << (ways * group_copies::sizes)) - 1}; }
};

template <unsigned Needed, class Bytes>
constexpr void add_copies(group_copies& result) {
  constexpr needed_copies needed{Needed};
  constexpr index_t bytes = sizeof(Bytes);
  constexpr int size = group_copies::size_index(bytes);
  if constexpr (needed.has(needed_copies::strided, bytes))
    result.strided[size] = [](void* to, const void* from, const strided_access& access, index_t first, index_t count) {
      copy_strided(static_cast<Bytes*>(to), static_cast<const Bytes*>(from), access, first, count);
    };
  if constexpr (needed.has(needed_copies::boxes, bytes))
    result.boxes[size] = [](void* to, index_t to_row, const void* from, index_t from_row, index_t from_column,
                            index_t rows, index_t row) {
      copy_box(static_cast<Bytes*>(to), to_row, static_cast<const Bytes*>(from), from_row, from_column, rows, row);
    };
  if constexpr (needed.has(needed_copies::gathered, bytes))
    result.gathered[size] = [](void* to, const void* from, const gathered_walk& walk, index_t first, index_t count) {
      copy_gathered(static_cast<Bytes*>(to), static_cast<const Bytes*>(from), walk, first, count);
    };
  if constexpr (needed.has(needed_copies::repeated, bytes))
    result.repeated[size] = [](void* to, const void* from, index_t rows, index_t row) {
      repeat_along_rows(static_cast<Bytes*>(to), static_cast<const Bytes*>(from), rows, row);
    };
}

// `Needed`: needed_copies::bits. (Some values with arrays have the same symbol with GCC 12.)
template <unsigned Needed>
inline constexpr group_copies copies_for = [] {
  group_copies result;
  add_copies<Needed, std::uint8_t>(result), add_copies<Needed, std::uint16_t>(result);
  add_copies<Needed, std::uint32_t>(result), add_copies<Needed, std::uint64_t>(result);
  add_copies<Needed, element_bytes_16>(result);
  return result;
}();

// What a plan is run with: `kernels` stands beside plan::kernels.
struct plan_code {
  const kernel* kernels;
  const group_copies* copies;

  constexpr plan_code(const kernel* its_kernels, const group_copies& its_copies)
      : kernels(its_kernels), copies(&its_copies) {}
  // Of a plan that is not known while compiling, which may copy anything.
  template <class Kernel>
    requires std::same_as<std::remove_const_t<Kernel>, kernel>
  constexpr plan_code(Kernel* its_kernels) : plan_code(its_kernels, copies_for<needed_copies::all().bits>) {}
};

}  // namespace tenon::kernels
