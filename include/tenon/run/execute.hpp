// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/core/value_bytes.hpp>
#include <tenon/graph/ir/graph.hpp>
#include <tenon/graph/plan/plan.hpp>
#include <tenon/kernels/divided.hpp>
#include <tenon/kernels/group/group_tiles.hpp>
#include <tenon/kernels/tuning.hpp>
#include <tenon/run/executor.hpp>
#include <tenon/run/link.hpp>
#include <tenon/run/run_options.hpp>

#include <cstring>
#include <new>
#include <type_traits>

namespace tenon::execution {

// Runs the code of a group of `elements` elements; `scratch` serves where work is not divided.
inline void run_loop(const group_loop& loop, index_t elements, void* const* pointers, char* scratch,
                     index_t scratch_bytes, const workers& helpers) {
  if (helpers.count() == 1 || elements < tuning::least_shared_elements)
    return loop.run({pointers}, 0, loop.count, scratch);
  helpers.for_each_range(loop.count, loop.unit, [&](index_t first, index_t last) {
    loop.run({pointers}, first, last, static_cast<char*>(helpers.memory(scratch_bytes)));
  });
}

// Runs the steps of a plan, one after the other. Needs no memory but the arena, whose size is plan::arena_bytes and
// whose alignment is 64.
class plan_executor : protected group_tiles {
 public:
  // `constants` holds plan::constant_bytes, decoded. All must outlive this.
  plan_executor(const graph& g, const plan& p, const linked_calls& calls, const plan_code& code, const void* constants,
                void* arena, const run_options& options = usual_options, const group_loop* loops = nullptr)
      : group_tiles(g, p, code, pointers_of(p, arena)), calls_(calls), loops_(loops), options_(options) {
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
  // The code of a step that is known while compiling.
  using step_code = void (*)(plan_executor&);
  const step_code* codes_ = nullptr;  // beside plan::steps, null for those that are interpreted; none at all: null

  const linked_calls& calls_;
  const group_loop* loops_;  // beside plan::steps, without code where tiles serve; none at all: null
  const run_options& options_;
  random_source random_;

  // How an op's code gets at the regions of its node.
  struct region_call {
    plan_executor* self;
    const plan_step* step;
  };

  static void run_region(const void* context, int region, const void* const* arguments, void* const* results) {
    const region_call& call = *static_cast<const region_call*>(context);
    call.self->run_block(call.self->p_.block_references.data[call.step->first_block + region], arguments, results);
  }

  static lane_function find_lanes(const void* context, int region) {
    const region_call& call = *static_cast<const region_call*>(context);
    const linked_calls& calls = call.self->calls_;
    const int at = calls.program_of_region[calls.steps[call.step - call.self->p_.steps.data].first_region + region];
    if (at < 0) return {};
    const lane_program& program = calls.programs[at];
    return {&program, call.self->g_.words.data, program.elements, program.forwarded(), &interpret, call.self, {}};
  }
  static void interpret(const void* context, const lane_program& program, const void* const* arguments,
                        void* const* results, index_t count) {
    const plan_executor& self = *static_cast<const plan_executor*>(context);
    const lane_interpreter run{&self.g_, self.g_.words.data, self.kernels_, self.p_.places.data, self.pointers_};
    run(program, arguments, results, count);
  }

  static bool gives_in_place(const void* context, int region, int result) {
    const region_call& call = *static_cast<const region_call*>(context);
    const plan& p = call.self->p_;
    const plan_block& block = p.blocks.data[p.block_references.data[call.step->first_block + region]];
    const int value = p.values.data[block.first_yield + result];
    return value >= 0 && p.places.data[value].base == block.first_pointer + result && p.places.data[value].offset == 0;
  }

  void run_block(int block_id, const void* const* arguments, void* const* results) {
    const plan_block& block = p_.blocks.data[block_id];
    const graph_region& region = g_.regions.data[block.region];
    for (int a = 0; a < region.argument_count; ++a)
      pointers_[block.first_pointer + a] = const_cast<void*>(arguments[a]);
    if (block.places_results)
      for (int i = 0; i < block.yield_count; ++i)
        pointers_[block.first_pointer + region.argument_count + i] = results[i];
    for (int s = block.first_step; s < block.last_step; ++s) {
      if (codes_ != nullptr && codes_[s] != nullptr)
        codes_[s](*this);
      else if (!p_.steps.data[s].is_fused_producer)
        run_step(p_.steps.data[s]);
    }
    give_results(block, results);
  }

  void give_results(const plan_block& block, void* const* results) const {
    for (int i = 0; i < block.yield_count; ++i) {
      const int value = p_.values.data[block.first_yield + i];
      // Constants that are the same everywhere are repeated.
      if (const tensor_type& type = g_.type_of_value(value < 0 ? ~value : value); value < 0 && type.size() > 0)
        with_bytes(storage_bytes(type.element), [&]<class Bytes>(Bytes) {
          fill_row(static_cast<Bytes*>(results[i]), *reinterpret_cast<const Bytes*>(address_of(~value)), type.size());
        });
      else if (value < 0)
        continue;
      else if (const char* const from = address_of(value); from != results[i])
        copy_value(results[i], from, g_.type_of_value(value));
    }
  }

  void copy_value(void* to, const void* from, const tensor_type& type) const {
    if (const index_t bytes = value_bytes(type, &g_); bytes > 0) std::memmove(to, from, std::size_t(bytes));
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
    if (step.has_group() && !step.has_epilogue()) run_group(step);
  }

  void run_range(const plan_step& step, const range& part) {
    const plan_step* producer = &step;
    for (int i = 0; i < step.fused_producer_count; ++i) {
      producer -= 1 + (i > 0 ? producer->fused_producer_span : 0);
      run_range(*producer, part);
    }
    if (step.has_op()) run_op(step, &part);
    const index_t each = step.count / step.units;
    if (step.has_group()) run_range_of_group(step, part.begin() * each, part.end() * each);
  }

  void run_range_of_group(const plan_step& step, index_t begin, index_t end) {
    const index_t kept_from = step.range_bytes > 0 ? begin : 0;
    const group_loop* const loop = loop_of(step);
    const auto run = [&](index_t from, index_t to, char* buffers) {
      if (loop != nullptr)
        loop->run({pointers_, kept_from}, from, to, buffers);
      else
        run_tiles(step, from, to, kept_from, buffers);
    };
    if (options_.workers.count() > 1 && end - begin >= tuning::least_shared_elements && end - begin > step.row) {
      const index_t unit = loop != nullptr ? loop->unit : step.has_long_rows() ? step.row : step.tile;
      options_.workers.for_each_range(end - begin, unit, [&](index_t first, index_t last) {
        run(begin + first, begin + last, static_cast<char*>(options_.workers.memory(step.tile_bytes)));
      });
    } else {
      run(begin, end, address(step.scratch) + step.tile_offset);
    }
  }

  // The code of a group, if it has its own.
  const group_loop* loop_of(const plan_step& step) const {
    const group_loop* const loop = loops_ == nullptr ? nullptr : &loops_[&step - p_.steps.data];
    return loop != nullptr && *loop ? loop : nullptr;
  }

  void run_group(const plan_step& step) {
    if (const group_loop* const loop = loop_of(step); loop != nullptr)
      return run_loop(*loop, step.count, pointers_, address(step.scratch) + step.tile_offset, step.tile_bytes,
                      options_.workers);
    if (step.instruction_count == 1 && step.count < tuning::least_shared_elements)
      if (const group_instruction& instruction = p_.instructions.data[step.first_instruction];
          instruction.does == group_instruction::action::compute)
        return compute_all(step, instruction);
    if (step.transposed_axis >= 0) {
      const index_t boxes = box_count(step);
      if (options_.workers.count() > 1 && step.count >= tuning::least_shared_elements) {
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

  // All of the result, or only this part of it, from the parts of the operands that belong to it.
  void run_op(const plan_step& step, const range* part = nullptr) {
    const linked_call& call = calls_.steps[&step - p_.steps.data];
    void** const pointers = reinterpret_cast<void**>(address(step.scratch) + step.op_scratch_bytes);
    evaluation e = calls_.call(g_, step, call, pointers);
    const int operand_count = e.operands.size, total = operand_count + e.results.size;
    tensor_type* const types = reinterpret_cast<tensor_type*>(pointers + total);
    for (int i = 0; i < total; ++i) {
      const place& at = calls_.places[call.first_place + i];
      pointers[i] = at.base < 0 ? nullptr : address(at);
      if (part == nullptr) continue;
      const bool is_result = i >= operand_count;
      new (&types[i]) tensor_type(calls_.types[call.first_type + i]);
      const int shared = is_result ? step.prefix : p_.values.data[step.first_shared + i];
      const ints walked = is_result ? strides_of(types[i].shape) : e.strides_of_operand(i);
      const index_t first = cut(types[i], walked, shared, step, *part);
      const bool is_whole = is_result ? !step.is_fused_producer
                                      : !p_.fuses_producer(step, p_.values.data[step.first + step.read_count + i]);
      // Of what is computed part by part, only this part is there.
      if (is_whole && first != 0)
        pointers[i] = static_cast<char*>(pointers[i]) + first * index_t(storage_bytes(types[i].element));
    }
    if (part != nullptr) {
      e.product = nullptr;
      e.operand_types = {types, operand_count};
      e.result_types = {types + operand_count, e.results.size};
    }
    run_linked(e, step);
  }

  void run_linked(evaluation& e, const plan_step& step) {
    const region_call call{this, &step};
    if (step.op_scratch_bytes > 0) e.scratch = address(step.scratch);
    if (step.has_epilogue())
      e.epilogue = {[](const void* context, index_t first, index_t last) {
                      const region_call& of = *static_cast<const region_call*>(context);
                      of.self->run_range_of_group(*of.step, first, last);
                    },
                    &call, step.range_bytes / index_t(storage_bytes(e.result_types[0].element))};
    if (e.regions.size > 0) {
      e.run_region = &run_region;
      e.find_lanes = &find_lanes;
      e.gives_in_place = &gives_in_place;
      e.region_context = &call;
    }
    e.process = options_.process;
    e.random = &random_;
    e.helpers = &options_.workers;
    if (step.kernel >= 0 && (options_.workers.count() == 1 || step.has_epilogue())) {
      kernels_[step.kernel](e);
    } else if (step.kernel >= 0) {
      const int kind = g_.nodes.data[step.node].kind;
      run_divided(kernels_[step.kernel], e, op_tables::batches[kind](e.words, e.operand_types), step.op_scratch_bytes);
    } else if (options_.foreign != nullptr) {
      options_.foreign(options_.foreign_context, g_, g_.nodes.data[step.node], e);
    } else {
      fail("the program has an op that nobody runs");
    }
  }
};

}  // namespace tenon::execution
