// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/graph/ir/graph.hpp>
#include <tenon/graph/plan/plan.hpp>
#include <tenon/kernels/copy/gathered.hpp>
#include <tenon/kernels/copy/strided.hpp>
#include <tenon/kernels/lanes/lane_interpreter.hpp>
#include <tenon/kernels/needs.hpp>

#include <concepts>
#include <type_traits>

namespace tenon::kernels {

// Where a group reads and writes: the pointers of its executor, and the element at which the range begins that is there
// of values of which one range is kept.
struct group_memory {
  void* const* pointers = nullptr;
  index_t kept_from = 0;
};

// The code of a fused group that is known while compiling, over the pointers of the executor and the scratch memory of
// the step. There is `count` to do, which can be divided at multiples of `unit`.
struct group_loop {
  void (*run)(group_memory memory, index_t first, index_t last, char* scratch) = nullptr;
  index_t count = 0, unit = 0;
  // Sanitizers allow no comparison of `run` with null in constant evaluation.
  constexpr explicit operator bool() const { return unit > 0; }
};

// How the tiles of fused groups take what they read, elements of so many bytes: the functions of that name.
struct group_copies {
  void (*strided)(index_t bytes, void* to, const void* from, const strided_access& access, index_t first,
                  index_t count) = nullptr;
  void (*box)(index_t bytes, void* to, index_t to_row, const void* from, index_t from_row, index_t from_column,
              index_t rows, index_t row) = nullptr;
  void (*gathered)(index_t bytes, void* to, const void* from, const gathered_walk& walk, index_t first,
                   index_t count) = nullptr;
  void (*repeated)(index_t bytes, void* to, const void* from, index_t rows, index_t row) = nullptr;
};

enum class copy_branch { strided, box = 5, gathered = 10, repeated = 15 };

constexpr needs needs_of_tiles(const plan& p, const plan_step& step) {
  needs all;
  for (int m = 0; m < step.instruction_count; ++m) {
    const group_instruction& each = p.instructions.data[step.first_instruction + m];
    const bool repeats = each.does == group_instruction::action::broadcast_along_rows;
    const copy_branch how = each.gather >= 0                          ? copy_branch::gathered
                            : step.transposed_axis >= 0 && !each.once ? copy_branch::box
                                                                      : copy_branch::strided;
    if (repeats || each.does == group_instruction::action::load)
      all.add_size(repeats ? copy_branch::repeated : how, p.operands.data[each.first].bytes);
  }
  return all;
}

template <needs Needs>
inline constexpr group_copies copies_for{
    [](index_t bytes, void* to, const void* from, const strided_access& access, index_t first, index_t count) {
      with_bytes<Needs.sizes(copy_branch::strided)>(bytes, [&]<class Bytes>(Bytes) {
        copy_strided(static_cast<Bytes*>(to), static_cast<const Bytes*>(from), access, first, count);
      });
    },
    [](index_t bytes, void* to, index_t to_row, const void* from, index_t from_row, index_t from_column, index_t rows,
       index_t row) {
      with_bytes<Needs.sizes(copy_branch::box)>(bytes, [&]<class Bytes>(Bytes) {
        copy_box(static_cast<Bytes*>(to), to_row, static_cast<const Bytes*>(from), from_row, from_column, rows, row);
      });
    },
    [](index_t bytes, void* to, const void* from, const gathered_walk& walk, index_t first, index_t count) {
      with_bytes<Needs.sizes(copy_branch::gathered)>(bytes, [&]<class Bytes>(Bytes) {
        copy_gathered(static_cast<Bytes*>(to), static_cast<const Bytes*>(from), walk, first, count);
      });
    },
    [](index_t bytes, void* to, const void* from, index_t rows, index_t row) {
      with_bytes<Needs.sizes(copy_branch::repeated)>(bytes, [&]<class Bytes>(Bytes) {
        repeat_along_rows(static_cast<Bytes*>(to), static_cast<const Bytes*>(from), rows, row);
      });
    }};

// The code that a plan runs: `kernels` is parallel to plan::kernels.
struct plan_code {
  const kernel* kernels;
  const group_copies* copies;

  constexpr plan_code(const kernel* its_kernels, const group_copies& its_copies)
      : kernels(its_kernels), copies(&its_copies) {}
  // Of a plan that is not known while compiling, which may copy anything.
  template <class Kernel>
    requires std::same_as<std::remove_const_t<Kernel>, kernel>
  constexpr plan_code(Kernel* its_kernels) : plan_code(its_kernels, copies_for<needs::all()>) {}
};

// Runs the ops of a fused group on a part of its index space at a time, a tile or a box, in buffers that stay in the
// first cache, or the second one for boxes. Several threads may do so at once, each with buffers of its own.
class group_tiles {
 public:
  // `pointers` is what places refer to. All must outlive this.
  group_tiles(const graph& g, const plan& p, const plan_code& code, void** pointers)
      : g_(g), p_(p), kernels_(code.kernels), copies_(*code.copies), pointers_(pointers) {}

  char* address(const place& at) const { return static_cast<char*>(pointers_[at.base]) + at.offset; }
  char* address_of(int value) const { return address(p_.places.data[value]); }

  // A group of one op that works element by element, and on few elements: there, every instruction counts.
  void compute_all(const plan_step& step, const group_instruction& instruction) const {
    const plan_operand* const operands = p_.operands.data + instruction.first;
    const auto start_of = [&](const plan_operand& operand) {
      return operand.from == plan_operand::source::tile ? address(step.scratch) + step.tile_offset + operand.offset
                                                        : address_of(operand.value);
    };
    const void* inputs[8];
    for (int i = 0; i < instruction.operand_count; ++i) inputs[i] = start_of(operands[i]);
    evaluation e;
    e.details = &g_;
    apply(instruction, e, inputs, start_of(operands[instruction.operand_count]), step.count);
  }

  index_t box_count(const plan_step& step) const {
    const ints& sizes = p_.accesses.data[step.walk].sizes;
    index_t count = 1;
    for (int d = 0; d < sizes.size; ++d) count *= boxes_along(sizes.at[d], box_side(step, d));
    return count;
  }
  // The boxes of a group that is done across, neighbours along the last dimension first.
  void run_boxes(const plan_step& step, index_t begin, index_t end, char* buffers) const {
    evaluation e;
    e.details = &g_;
    const ints& sizes = p_.accesses.data[step.walk].sizes;
    tile part;
    part.index = sizes;
    for (index_t box = begin; box < end; ++box) {
      index_t rest = box;
      for (int d = sizes.size - 1; d >= 0; --d) {
        const index_t side = box_side(step, d), along = boxes_along(sizes.at[d], side);
        part.index.at[d] = rest % along * side;
        rest /= along;
        const index_t left = sizes.at[d] - part.index.at[d], length = left < side ? left : side;
        if (d == sizes.size - 1) part.box_row = length;
        if (d == step.transposed_axis) part.box_rows = length;
      }
      part.count = part.box_rows * part.box_row;
      part.is_first = box == begin;
      for (int m = 0; m < step.instruction_count; ++m) {
        const group_instruction& instruction = p_.instructions.data[step.first_instruction + m];
        if (instruction.does == group_instruction::action::compute && !stays_in_tiles(instruction))
          run_rows_of_box(step, instruction, part, buffers, e);
        else
          run_instruction(step, instruction, part, buffers, e);
      }
    }
  }

  // The tiles of a group from element `begin` to `end`.
  void run_tiles(const plan_step& step, index_t begin, index_t end, index_t kept_from, char* buffers) const {
    evaluation e;
    e.details = &g_;
    tile part;
    part.kept_from = kept_from;
    part.rows_kept_from = kept_from / step.row;
    if (step.has_long_rows()) {
      for (index_t row = begin; row < end; row += step.row) {
        part.first_row = row / step.row;
        part.rows = 1;
        for (index_t done = 0; done < step.row; done += step.tile) {
          part.first = row + done;
          part.count = step.row - done < step.tile ? step.row - done : step.tile;
          part.begins_row = done == 0;
          part.ends_row = done + part.count == step.row;
          part.is_first = part.first == begin;
          for (int m = 0; m < step.instruction_count; ++m)
            if (const group_instruction& instruction = p_.instructions.data[step.first_instruction + m];
                !instruction.per_row)
              run_instruction(step, instruction, part, buffers, e);
        }
        part.is_first = row == begin;
        for (int m = 0; m < step.instruction_count; ++m)
          if (const group_instruction& instruction = p_.instructions.data[step.first_instruction + m];
              instruction.per_row)
            run_instruction(step, instruction, part, buffers, e);
      }
      return;
    }
    part.first_row = begin / step.row;
    // A lone op without rows needs no buffer, hence no tiles.
    const index_t size = step.instruction_count == 1 && step.row == 1 ? end - begin : step.tile;
    for (part.first = begin; part.first < end; part.first += size) {
      part.count = end - part.first < size ? end - part.first : size;
      part.rows = step.row == 1 ? part.count : part.count / step.row;
      part.is_first = part.first == begin;
      for (int m = 0; m < step.instruction_count; ++m)
        run_instruction(step, p_.instructions.data[step.first_instruction + m], part, buffers, e);
      part.first_row += part.rows;
    }
  }

 protected:
  const graph& g_;
  const plan& p_;
  const kernel* kernels_;
  const group_copies& copies_;
  void** pointers_;

 private:
  // Part of the index space of a group.
  struct tile {
    index_t first = 0, count = 0;  // elements
    index_t first_row = 0, rows = 0;
    bool is_first = false;                      // of those that are done in sequence
    index_t kept_from = 0, rows_kept_from = 0;  // of operands of which a range is kept
    bool begins_row = true, ends_row = true;    // where a row takes several tiles
    ints index;                                 // where a box begins
    index_t box_rows = 0, box_row = 0;
  };

  void apply(const group_instruction& instruction, evaluation& e, const void* const* inputs, void* result,
             index_t count) const {
    apply_kernel(e, kernels_[instruction.kernel], g_.words.data + g_.nodes.data[instruction.node].words,
                 {inputs, instruction.operand_count}, result, count);
  }

  static index_t boxes_along(index_t size, index_t side) { return (size + side - 1) / side; }
  index_t box_side(const plan_step& step, int dimension) const {
    if (dimension == p_.accesses.data[step.walk].sizes.size - 1) return step.box_row;
    return dimension == step.transposed_axis ? step.box_rows : 1;
  }

  bool stays_in_tiles(const group_instruction& instruction) const {
    for (int i = 0; i <= instruction.operand_count; ++i)
      if (p_.operands.data[instruction.first + i].from != plan_operand::source::tile) return false;
    return true;
  }

  // Operands read in order and the result have the strides of memory; operands loaded for a box are dense.
  void run_rows_of_box(const plan_step& step, const group_instruction& instruction, const tile& box, char* buffers,
                       evaluation& e) const {
    constexpr int most_operands = 8;
    const strided_access& walk = p_.accesses.data[step.walk];
    index_t first = 0;
    for (int d = 0; d < walk.sizes.size; ++d) first += box.index.at[d] * walk.strides.at[d];
    char* at[most_operands];
    index_t steps[most_operands];
    for (int i = 0; i <= instruction.operand_count; ++i) {
      const plan_operand& operand = p_.operands.data[instruction.first + i];
      const bool in_tile = operand.from == plan_operand::source::tile;
      at[i] = in_tile ? buffers + operand.offset : address_of(operand.value) + first * operand.bytes;
      steps[i] = (in_tile ? box.box_row : walk.strides.at[step.transposed_axis]) * operand.bytes;
    }
    const void* inputs[most_operands];
    for (index_t r = 0; r < box.box_rows; ++r) {
      for (int i = 0; i < instruction.operand_count; ++i) inputs[i] = at[i] + r * steps[i];
      const int last = instruction.operand_count;
      apply(instruction, e, inputs, at[last] + r * steps[last], box.box_row);
    }
  }

  // Loads an operand that a box reads across: into its dense buffer, or into the result.
  void load_box(const plan_step& step, const group_instruction& instruction, const tile& box, char* buffers) const {
    const plan_operand &from = p_.operands.data[instruction.first], &to = p_.operands.data[instruction.first + 1];
    const strided_access &access = p_.accesses.data[instruction.access], &walk = p_.accesses.data[step.walk];
    index_t position = access.base, first = 0;
    for (int d = 0; d < access.sizes.size; ++d) {
      position += box.index.at[d] * access.strides.at[d];
      first += box.index.at[d] * walk.strides.at[d];
    }
    const bool in_tile = to.from == plan_operand::source::tile;
    copies_.box(from.bytes, in_tile ? buffers + to.offset : address_of(to.value) + first * to.bytes,
                in_tile ? box.box_row : walk.strides.at[step.transposed_axis],
                address_of(from.value) + position * from.bytes, access.strides.at[step.transposed_axis],
                access.strides.at[access.sizes.size - 1], box.box_rows, box.box_row);
  }

  void run_instruction(const plan_step& step, const group_instruction& instruction, const tile& part, char* buffers,
                       evaluation& e) const {
    if (instruction.once && !part.is_first) return;
    if (step.transposed_axis >= 0 && !instruction.once && instruction.does == group_instruction::action::load)
      return load_box(step, instruction, part, buffers);
    const plan_operand* const operands = p_.operands.data + instruction.first;
    const auto tile_of = [&](const plan_operand& operand) -> char* {
      if (operand.from == plan_operand::source::tile) return buffers + operand.offset;
      const index_t kept_from = !operand.ranged ? 0 : operand.per_row ? part.rows_kept_from : part.kept_from;
      return address_of(operand.value) + ((operand.per_row ? part.first_row : part.first) - kept_from) * operand.bytes;
    };
    if (instruction.does == group_instruction::action::load) {
      const index_t first = instruction.per_row ? part.first_row : part.first;
      const index_t count = step.transposed_axis >= 0 ? step.tile : instruction.per_row ? part.rows : part.count;
      if (instruction.gather >= 0) return gather(instruction, tile_of(operands[1]), first, count);
      return copies_.strided(operands[0].bytes, tile_of(operands[1]), address_of(operands[0].value),
                             p_.accesses.data[instruction.access], first, count);
    }
    if (instruction.does == group_instruction::action::broadcast_along_rows)
      return copies_.repeated(operands[0].bytes, tile_of(operands[1]), tile_of(operands[0]), part.rows, step.row);
    const void* inputs[8];
    for (int i = 0; i < instruction.operand_count; ++i) inputs[i] = tile_of(operands[i]);
    const bool folds = instruction.does == group_instruction::action::fold;
    if (folds) {
      e.row = part.count / part.rows;
      e.begins_row = part.begins_row, e.ends_row = part.ends_row;
      e.scratch = buffers + instruction.state;
    }
    apply(instruction, e, inputs, tile_of(operands[instruction.operand_count]),
          folds || instruction.per_row ? part.rows : part.count);
  }

  // Loads by run-time indices, or by a sequence of strided runs.
  void gather(const group_instruction& instruction, void* to, index_t first, index_t count) const {
    index_walk indices[2 * plan_gather::most_indices];
    index_walk* next = indices;
    const auto walk_of = [&](const plan_gather& each) {
      index_walk* const start = next;
      for (int i = 0; i < each.index_count; ++i) {
        const plan_index& index = p_.indices.data[each.first_index + i];
        *next++ = {address_of(index.value),
                   g_.type_of_value(index.value).element,
                   &p_.accesses.data[index.access],
                   index.stride,
                   index.low,
                   index.high};
      }
      return gathered_walk{&p_.accesses.data[each.access], {start, each.index_count}, each.run, nullptr};
    };
    const plan_gather& last = p_.gathers.data[instruction.gather];
    gathered_walk before, walk = walk_of(last);
    if (last.before >= 0) {
      before = walk_of(p_.gathers.data[last.before]);
      walk.before = &before;
    }
    const plan_operand& operand = p_.operands.data[instruction.first];
    copies_.gathered(operand.bytes, to, address_of(operand.value), walk, first, count);
  }
};

}  // namespace tenon::kernels
