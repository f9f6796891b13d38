// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/core/value_bytes.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/plan.hpp>
#include <tenon/kernels/gathered_copy.hpp>
#include <tenon/run/executor.hpp>
#include <tenon/run/prepare_body.hpp>
#include <tenon/run/step_call.hpp>

#include <cstring>
#include <type_traits>

namespace tenon {

// Runs an op that the library does not know: what the front end let through as foreign.
using foreign_kernel = void (*)(const void* context, const graph& g, const graph_node& node, const evaluation& e);

// Where and by whom a program is run.
struct run_options {
  process_context* process = nullptr;  // the place in a grid of processes; none: the program runs by itself
  tenon::workers workers;              // who does the work; inline if nobody says
  foreign_kernel foreign = nullptr;    // runs the ops that the parser let through as foreign
  const void* foreign_context = nullptr;
  std::uint64_t seed = 0;  // of `rng`: runs with the same seed give the same numbers
};
// By itself, inline. A constant, so that no call has to write them down.
inline constexpr run_options usual_options{};

// The code of a fused group that is known while compiling, over the pointers of the executor and the scratch memory of
// the step. There is `count` to do, which can be divided at multiples of `unit`.
struct group_loop {
  void (*run)(void* const* pointers, index_t first, index_t last, char* scratch) = nullptr;
  index_t count = 0, unit = 1;
};

// Walks the steps of a plan. Needs no memory but the arena, whose size is plan::arena_bytes and whose alignment is 64.
class plan_walker {
 public:
  // `kernels` stands beside plan::kernels. `constants` holds plan::constant_bytes, decoded. `calls` are those of the
  // plan's steps, if somebody has prepared them. All must outlive this.
  plan_walker(const graph& g, const plan& p, const kernel* kernels, const void* constants, void* arena,
              const run_options& options = usual_options, const group_loop* loops = nullptr,
              const plan_calls* calls = nullptr)
      : g_(g),
        p_(p),
        kernels_(kernels),
        loops_(loops),
        calls_(options.workers.count() > 1 ? nullptr : calls),
        arena_(static_cast<char*>(arena)),
        options_(options) {
    pointers_ = pointers_of(p, arena);
    pointers_[place::arena] = arena;
    pointers_[place::constants] = const_cast<void*>(constants);
  }

  // Runs the program: reads the arguments, writes the results, both dense and row-major.
  void operator()(const void* const* arguments, void* const* results) {
    random_ = {options_.seed, 0};
    run_block(p_.main_block, arguments, results);
  }

  // Where in an arena the pointers are kept that places refer to.
  static void** pointers_of(const plan& p, void* arena) {
    return reinterpret_cast<void**>(static_cast<char*>(arena) + p.pointer_table);
  }

 protected:
  // Groups of fewer elements are not worth dividing.
  static constexpr index_t least_shared_elements = 32768;
  const graph& g_;
  const plan& p_;
  const kernel* kernels_;
  const group_loop* loops_;  // beside plan::steps, without code where tiles serve; none at all: null
  const plan_calls* calls_;
  char* arena_;
  void** pointers_;
  const run_options& options_;
  random_source random_;

  // How an op's code gets at the regions of its node.
  struct region_call {
    plan_walker* self;
    const plan_step* step;
  };

  char* address(const place& at) const { return static_cast<char*>(pointers_[at.base]) + at.offset; }
  char* address_of(int value) const { return address(p_.places.data[value]); }

  static void run_region(const void* context, int region, const void* const* arguments, void* const* results) {
    const region_call& call = *static_cast<const region_call*>(context);
    call.self->run_block(call.self->p_.block_references.data[call.step->first_block + region], arguments, results);
  }

  static body_code find_code(const void* context, int region) {
    const region_call& call = *static_cast<const region_call*>(context);
    return call.self->code_of_block(call.self->p_.block_references.data[call.step->first_block + region]);
  }

  static bool gives_in_place(const void* context, int region, int result) {
    const region_call& call = *static_cast<const region_call*>(context);
    const plan& p = call.self->p_;
    const plan_block& block = p.blocks.data[p.block_references.data[call.step->first_block + region]];
    const int value = p.values.data[block.first_yield + result];
    return value >= 0 && p.places.data[value].base == block.first_pointer + result && p.places.data[value].offset == 0;
  }

  static bool prepare_region(const void* context, int region, bool over_arguments, prepared_body& body) {
    const region_call& call = *static_cast<const region_call*>(context);
    const plan_walker& self = *call.self;
    const plan_block& block = self.p_.blocks.data[self.p_.block_references.data[call.step->first_block + region]];
    return prepare_body(
        self.g_, self.p_, self.kernels_, block, over_arguments, [&](int value) { return self.address_of(value); },
        body);
  }

  body_code code_of_block(int block_id) const {
    const plan_block& block = p_.blocks.data[block_id];
    const graph_region& region = g_.regions.data[block.region];
    body_code result;
    if (block.yield_count != 1) return result;
    const int yielded = p_.values.data[block.first_yield], steps = block.last_step - block.first_step;
    const auto argument = [&](int value) {
      const int a = value - region.arguments;
      return 0 <= a && a < region.argument_count ? a : -1;
    };
    if (steps == 0) result.forwarded = argument(yielded);
    if (steps != 1) return result;
    const plan_step& step = p_.steps.data[block.first_step];
    if (step.kernel != -1 || step.micro_count != 1 || step.row != 1 || step.across >= 0) return result;
    const plan_micro& micro = p_.micros.data[step.first_micro];
    const plan_operand* const operands = p_.operands.data + micro.first;
    const auto is_value = [](const plan_operand& each) {
      return each.from == plan_operand::source::memory && each.bytes > 0 && !each.per_row;
    };
    const plan_operand& to = operands[micro.operand_count];
    if (micro.does != plan_micro::action::compute || micro.operand_count > body_code::most_operands) return result;
    if (!is_value(to) || to.value != yielded) return result;
    for (int i = 0; i < micro.operand_count; ++i) {
      if (!is_value(operands[i]) || argument(operands[i].value) < 0) return result;
      result.arguments[i] = argument(operands[i].value);
    }
    result.operand_count = micro.operand_count;
    result.words = g_.words.data + g_.nodes.data[micro.node].words;
    result.kind = g_.nodes.data[micro.node].kind;
    result.code = kernels_[micro.kernel];
    return result;
  }

  void run_block(int block_id, const void* const* arguments, void* const* results) {
    if (calls_ != nullptr) return run_calls(block_id, arguments, results);
    const plan_block& block = p_.blocks.data[block_id];
    const graph_region& region = g_.regions.data[block.region];
    for (int a = 0; a < region.argument_count; ++a)
      pointers_[block.first_pointer + a] = const_cast<void*>(arguments[a]);
    if (block.places_results)
      for (int i = 0; i < block.yield_count; ++i)
        pointers_[block.first_pointer + region.argument_count + i] = results[i];
    for (int s = block.first_step; s < block.last_step; ++s)
      if (!p_.steps.data[s].feeds) run_step(p_.steps.data[s]);
    give_results(block, results);
  }

  void run_calls(int block_id, const void* const* arguments, void* const* results) {
    const block_call& block = calls_->blocks[block_id];
    set_pointers(*calls_, block, arguments, results);
    for (int s = block.first_step; s < block.last_step; ++s) {
      step_call& call = calls_->steps[s];
      const plan_step& step = p_.steps.data[s];
      if (call.does == step_call::action::walk) {
        run_step(step);
      } else if (call.does == step_call::action::op) {
        run_described(call.e, call.code, step);
        if (call.has_group) run_group(step);
      } else {
        run_prepared(call, g_);
      }
    }
    if (!block.leaves_results) give_results(p_.blocks.data[block_id], results);
  }

  void give_results(const plan_block& block, void* const* results) const {
    for (int i = 0; i < block.yield_count; ++i) {
      const int value = p_.values.data[block.first_yield + i];
      if (value < 0)
        fill(results[i], ~value);
      else if (const char* const from = address_of(value); from != results[i])
        copy_value(results[i], from, g_.type_of_value(value));
    }
  }

  void copy_value(void* to, const void* from, const tensor_type& type) const {
    if (const index_t bytes = value_bytes(type, &g_); bytes > 0) std::memmove(to, from, std::size_t(bytes));
  }
  // With a constant that is the same everywhere.
  void fill(void* to, int constant) const {
    const tensor_type& type = g_.type_of_value(constant);
    if (const index_t count = type.size(); count > 0)
      copy_strided(to, address_of(constant), int(storage_bytes(type.element)), {{count}, {0}, 0}, 0, count);
  }

  // A part of the index space of a step that is done range by range: indices `first` to `first + count` of the last of
  // the dimensions that are divided, which has `size`, below index `outer` of the ones before.
  struct range {
    index_t outer = 0, first = 0, count = 0, size = 1;

    index_t begin() const { return outer * size + first; }
    index_t end() const { return begin() + count; }
  };

  void run_step(const plan_step& step) {
    if (step.parts > 0) {
      const int result = g_.nodes.data[step.node].results;
      range part;
      part.size = g_.type_of_value(result).shape.at[step.prefix - 1];
      for (part.outer = 0; part.outer < step.units / part.size; ++part.outer)
        for (index_t i = 0; i < step.parts; ++i) {
          part.first = part.size * i / step.parts;
          part.count = part.size * (i + 1) / step.parts - part.first;
          run_range(step, part);
        }
      return;
    }
    if (step.has_op()) run_op(step);
    if (step.has_group()) run_group(step);
  }

  void run_range(const plan_step& step, const range& part) {
    const plan_step* feeder = &step;
    for (int i = 0; i < step.feeder_count; ++i) {
      feeder -= 1 + (i > 0 ? feeder->feeder_span : 0);
      run_range(*feeder, part);
    }
    if (step.has_op()) run_op(step, &part);
    const index_t each = step.count / step.units;
    if (step.has_group()) run_range_of_group(step, part.begin() * each, part.end() * each);
  }

  void run_range_of_group(const plan_step& step, index_t begin, index_t end) {
    const index_t kept_from = step.feeds ? begin : 0;
    if (options_.workers.count() > 1 && end - begin >= least_shared_elements && end - begin > step.row) {
      const index_t unit = step.has_long_rows() ? step.row : step.tile;
      options_.workers.for_each_range(end - begin, unit, [&](index_t first, index_t last) {
        run_tiles(step, begin + first, begin + last, kept_from,
                  static_cast<char*>(options_.workers.memory(step.tile_bytes)));
      });
    } else {
      run_tiles(step, begin, end, kept_from, address(step.scratch) + step.tile_offset);
    }
  }

  void run_group(const plan_step& step) {
    if (loops_ != nullptr)
      if (const group_loop& loop = loops_[&step - p_.steps.data]; loop.run != nullptr) return run_loop(step, loop);
    if (step.micro_count == 1 && step.count < least_shared_elements)
      if (const plan_micro& micro = p_.micros.data[step.first_micro]; micro.does == plan_micro::action::compute)
        return compute_all(step, micro);
    if (step.across >= 0) {
      const index_t boxes = box_count(step);
      if (options_.workers.count() > 1 && step.count >= least_shared_elements) {
        options_.workers.for_each_range(boxes, 1, [&](index_t first, index_t last) {
          run_boxes(step, first, last, static_cast<char*>(options_.workers.memory(step.tile_bytes)));
        });
      } else {
        run_boxes(step, 0, boxes, address(step.scratch) + step.tile_offset);
      }
      return;
    }
    run_range_of_group(step, 0, step.count);
  }

  void run_loop(const plan_step& step, const group_loop& loop) {
    if (options_.workers.count() == 1 || step.count < least_shared_elements)
      return loop.run(pointers_, 0, loop.count, address(step.scratch) + step.tile_offset);
    options_.workers.for_each_range(loop.count, loop.unit, [&](index_t first, index_t last) {
      loop.run(pointers_, first, last, static_cast<char*>(options_.workers.memory(step.tile_bytes)));
    });
  }

  // A group of one op that works element by element, and on few elements: there, every instruction counts.
  void compute_all(const plan_step& step, const plan_micro& micro) const {
    const plan_operand* const operands = p_.operands.data + micro.first;
    const auto start_of = [&](const plan_operand& operand) {
      return operand.from == plan_operand::source::tile ? address(step.scratch) + step.tile_offset + operand.offset
                                                        : address_of(operand.value);
    };
    const void* inputs[8];
    for (int i = 0; i < micro.operand_count; ++i) inputs[i] = start_of(operands[i]);
    void* result = start_of(operands[micro.operand_count]);
    evaluation e;
    e.operands = {inputs, micro.operand_count};
    e.results = {&result, 1};
    e.words = g_.words.data + g_.nodes.data[micro.node].words;
    e.details = &g_;
    e.count = step.count;
    kernels_[micro.kernel](e);
  }

  // Part of the index space of a group.
  struct tile {
    index_t first = 0, count = 0;  // elements
    index_t first_row = 0, rows = 0;
    bool is_first = false;                      // of those that are done in turn
    index_t kept_from = 0, rows_kept_from = 0;  // of operands of which a range is kept
    bool begins_row = true, ends_row = true;    // where a row takes several tiles
    ints index;                                 // where a box begins
    index_t box_rows = 0, box_row = 0;
  };

  static index_t boxes_along(index_t size, index_t side) { return (size + side - 1) / side; }
  index_t box_count(const plan_step& step) const {
    const ints& sizes = p_.accesses.data[step.walk].sizes;
    index_t count = 1;
    for (int d = 0; d < sizes.size; ++d) count *= boxes_along(sizes.at[d], box_side(step, d));
    return count;
  }
  index_t box_side(const plan_step& step, int dimension) const {
    if (dimension == p_.accesses.data[step.walk].sizes.size - 1) return step.box_row;
    return dimension == step.across ? step.box_rows : 1;
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
        if (d == step.across) part.box_rows = length;
      }
      part.count = part.box_rows * part.box_row;
      part.is_first = box == begin;
      for (int m = 0; m < step.micro_count; ++m) {
        const plan_micro& micro = p_.micros.data[step.first_micro + m];
        if (micro.does == plan_micro::action::compute && !stays_in_tiles(micro))
          run_rows_of_box(step, micro, part, buffers, e);
        else
          run_micro(step, micro, part, buffers, e);
      }
    }
  }

  bool stays_in_tiles(const plan_micro& micro) const {
    for (int i = 0; i <= micro.operand_count; ++i)
      if (p_.operands.data[micro.first + i].from != plan_operand::source::tile) return false;
    return true;
  }

  // What is read in order, and the result, lie in memory row by row; what was loaded for a box lies there densely.
  void run_rows_of_box(const plan_step& step, const plan_micro& micro, const tile& box, char* buffers,
                       evaluation& e) const {
    constexpr int most_operands = 8;
    const strided_access& walk = p_.accesses.data[step.walk];
    index_t first = 0;
    for (int d = 0; d < walk.sizes.size; ++d) first += box.index.at[d] * walk.strides.at[d];
    char* at[most_operands];
    index_t steps[most_operands];
    for (int i = 0; i <= micro.operand_count; ++i) {
      const plan_operand& operand = p_.operands.data[micro.first + i];
      const bool in_tile = operand.from == plan_operand::source::tile;
      at[i] = in_tile ? buffers + operand.offset : address_of(operand.value) + first * operand.bytes;
      steps[i] = (in_tile ? box.box_row : walk.strides.at[step.across]) * operand.bytes;
    }
    const void* inputs[most_operands];
    void* result = at[micro.operand_count];
    e.operands = {inputs, micro.operand_count};
    e.results = {&result, 1};
    e.words = g_.words.data + g_.nodes.data[micro.node].words;
    e.count = box.box_row;
    const kernel run = kernels_[micro.kernel];
    for (index_t r = 0; r < box.box_rows; ++r) {
      for (int i = 0; i < micro.operand_count; ++i) inputs[i] = at[i] + r * steps[i];
      result = at[micro.operand_count] + r * steps[micro.operand_count];
      run(e);
    }
  }

  // A box between memory and its buffer, in which it is dense.
  void move_box(const plan_step& step, const plan_micro& micro, const tile& part, char* buffers) const {
    const plan_operand* const operands = p_.operands.data + micro.first;
    const strided_access& access = p_.accesses.data[micro.access];
    const bool stores = micro.does == plan_micro::action::store;
    const plan_operand &in_memory = operands[stores ? 1 : 0], &in_tile = operands[stores ? 0 : 1];
    index_t position = access.base;
    for (int d = 0; d < access.sizes.size; ++d) position += part.index.at[d] * access.strides.at[d];
    char* const memory = address_of(in_memory.value) + position * in_memory.bytes;
    char* const box = buffers + in_tile.offset;
    const index_t row_stride = access.strides.at[step.across], stride = access.strides.at[access.sizes.size - 1];
    if (stores)
      copy_box(memory, row_stride, box, part.box_row, 1, in_memory.bytes, part.box_rows, part.box_row);
    else
      copy_box(box, part.box_row, memory, row_stride, stride, in_memory.bytes, part.box_rows, part.box_row);
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
          for (int m = 0; m < step.micro_count; ++m)
            if (const plan_micro& micro = p_.micros.data[step.first_micro + m]; !micro.per_row)
              run_micro(step, micro, part, buffers, e);
        }
        part.is_first = row == begin;
        for (int m = 0; m < step.micro_count; ++m)
          if (const plan_micro& micro = p_.micros.data[step.first_micro + m]; micro.per_row)
            run_micro(step, micro, part, buffers, e);
      }
      return;
    }
    part.first_row = begin / step.row;
    // What needs no buffer needs no tiles.
    const index_t size = step.micro_count == 1 && step.row == 1 ? end - begin : step.tile;
    for (part.first = begin; part.first < end; part.first += size) {
      part.count = end - part.first < size ? end - part.first : size;
      part.rows = step.row == 1 ? part.count : part.count / step.row;
      part.is_first = part.first == begin;
      for (int m = 0; m < step.micro_count; ++m)
        run_micro(step, p_.micros.data[step.first_micro + m], part, buffers, e);
      part.first_row += part.rows;
    }
  }

  void run_micro(const plan_step& step, const plan_micro& micro, const tile& part, char* buffers, evaluation& e) const {
    if (micro.once && !part.is_first) return;
    if (step.across >= 0 && !micro.once &&
        (micro.does == plan_micro::action::load || micro.does == plan_micro::action::store))
      return move_box(step, micro, part, buffers);
    const plan_operand* const operands = p_.operands.data + micro.first;
    const auto tile_of = [&](const plan_operand& operand) -> char* {
      if (operand.from == plan_operand::source::tile) return buffers + operand.offset;
      const index_t kept_from = !operand.ranged ? 0 : operand.per_row ? part.rows_kept_from : part.kept_from;
      return address_of(operand.value) + ((operand.per_row ? part.first_row : part.first) - kept_from) * operand.bytes;
    };
    if (micro.does == plan_micro::action::load) {
      const index_t first = micro.per_row ? part.first_row : part.first;
      const index_t count = step.across >= 0 ? step.tile : micro.per_row ? part.rows : part.count;
      if (micro.gather >= 0) return gather(micro, tile_of(operands[1]), first, count);
      return copy_strided(tile_of(operands[1]), address_of(operands[0].value), operands[0].bytes,
                          p_.accesses.data[micro.access], first, count);
    }
    if (micro.does == plan_micro::action::spread)
      return repeat_along_rows(tile_of(operands[1]), tile_of(operands[0]), operands[0].bytes, part.rows, step.row);
    const void* inputs[8];
    void* result = tile_of(operands[micro.operand_count]);
    for (int i = 0; i < micro.operand_count; ++i) inputs[i] = tile_of(operands[i]);
    e.operands = {inputs, micro.operand_count};
    e.results = {&result, 1};
    e.words = g_.words.data + g_.nodes.data[micro.node].words;
    if (micro.does == plan_micro::action::fold) {
      e.count = part.rows;
      e.row = part.count / part.rows;
      e.begins_row = part.begins_row, e.ends_row = part.ends_row;
      e.scratch = buffers + micro.state;
    } else {
      e.count = micro.per_row ? part.rows : part.count;
    }
    kernels_[micro.kernel](e);
  }

  // What a load reads where indices say, or by walks one after the other.
  void gather(const plan_micro& micro, void* to, index_t first, index_t count) const {
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
    const plan_gather& last = p_.gathers.data[micro.gather];
    gathered_walk before, walk = walk_of(last);
    if (last.before >= 0) {
      before = walk_of(p_.gathers.data[last.before]);
      walk.before = &before;
    }
    const plan_operand& operand = p_.operands.data[micro.first];
    copy_gathered(to, address_of(operand.value), operand.bytes, walk, first, count);
  }

  // Cuts a tensor down to a range of its first `prefix` dimensions; gives where that begins.
  static index_t cut(tensor_type& type, const ints& strides, int prefix, const plan_step& step, const range& part) {
    index_t first = 0, rest = part.outer, below = step.units / part.size;  // indices of the dimensions from d on
    for (int d = 0; d < prefix && d < step.prefix - 1; ++d) {
      below /= type.shape.at[d];
      first += rest / below * strides.at[d];
      rest %= below;
      type.shape.at[d] = 1;
    }
    if (prefix == step.prefix) {
      first += part.first * strides.at[prefix - 1];
      type.shape.at[prefix - 1] = part.count;
    }
    return first;
  }

  // `part`: only that much of the result.
  void run_op(const plan_step& step, const range* part = nullptr) {
    char* memory = address(step.scratch) + step.op_scratch_bytes;
    ints strides[most_strided];
    const auto reserve = [&]<class T>(T*, int count) {
      if constexpr (std::is_same_v<T, ints>) {
        return strides;
      } else {
        T* const start = reinterpret_cast<T*>(memory);
        memory += std::size_t(count) * sizeof(T);
        return start;
      }
    };
    described_op op = describe_op(g_, p_, step, reserve);
    const int operand_count = op.e.operands.size, total = operand_count + op.e.results.size;
    for (int i = 0; i < total; ++i) {
      const bool is_result = i >= operand_count;
      const int value = is_result ? g_.nodes.data[step.node].results + i - operand_count
                                  : p_.values.data[step.first + step.read_count + i];
      tensor_type& type = op.types[i];
      op.pointers[i] = p_.places.data[value].base >= 0 ? address_of(value) : nullptr;
      const bool is_strided = step.first_view >= 0 && !is_result && i < most_strided;
      const int view = is_strided ? p_.values.data[step.first_view + i] : -1;
      index_t first = view >= 0 ? p_.accesses.data[view].base : 0;
      if (part != nullptr) {
        const int shared = is_result ? step.prefix : p_.values.data[step.first_shared + i];
        const ints walked = is_strided ? strides[i] : strides_of(type.shape);
        const index_t begin = cut(type, walked, shared, step, *part);
        if (is_result ? !step.feeds : !p_.is_fed(step, value)) first += begin;
      }
      if (first != 0)
        op.pointers[i] = static_cast<char*>(op.pointers[i]) + first * index_t(storage_bytes(type.element));
    }
    if (step.op_scratch_bytes > 0) op.e.scratch = address(step.scratch);
    run_described(op.e, step.kernel >= 0 ? kernels_[step.kernel] : nullptr, step);
  }

  // An op of which only this run is left to be told; without code: a foreign one.
  void run_described(evaluation& e, kernel code, const plan_step& step) {
    const region_call call{this, &step};
    e.details = &g_;
    if (e.regions.size > 0) {
      e.run_region = &run_region;
      e.find_code = &find_code;
      e.prepare_region = &prepare_region;
      e.gives_in_place = &gives_in_place;
      e.region_context = &call;
    }
    e.process = options_.process;
    e.random = &random_;
    e.helpers = &options_.workers;
    if (code != nullptr) {
      code(e);
    } else if (options_.foreign != nullptr) {
      options_.foreign(options_.foreign_context, g_, g_.nodes.data[step.node], e);
    } else {
      fail("the program has an op that nobody runs");
    }
  }
};

}  // namespace tenon
