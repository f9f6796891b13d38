// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/run/execute.hpp>
#include <tenon/run/step_call.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace tenon {

// The calls that the steps of a plan come down to, for programs that run more than once on one arena. They lie together
// in memory, where walking the tables of plan and graph would wait for one line of the cache after the other.
class prepared_calls {
 public:
  prepared_calls() = default;
  // As for plan_walker. Graph and plan may move, but what their tables hold may not.
  prepared_calls(const graph& g, const plan& p, const plan_code& code, const void* constants, void* arena)
      : bases_{static_cast<char*>(arena), static_cast<char*>(const_cast<void*>(constants))} {
    if (p.steps.size > most_steps) return;
    calls_.steps = take<step_call>(p.steps.size);
    block_call* const blocks = take<block_call>(p.blocks.size);
    for (int s = 0; s < p.steps.size; ++s) prepare(g, p, code, p.steps.data[s], *new (&calls_.steps[s]) step_call);
    for (int b = 0; b < p.blocks.size; ++b) prepare(g, p, p.blocks.data[b], *new (&blocks[b]) block_call);
    if (reads_table_)
      for (int i = place::first_pointer; i < p.pointer_count; ++i)
        uses_.push_back({plan_walker::pointers_of(p, arena) + i, 0, i});
    std::sort(uses_.begin(), uses_.end(), [](const auto& a, const auto& b) { return a.source < b.source; });
    for (int b = 0; b < p.blocks.size; ++b) give_uses(p.blocks.data[b], blocks[b]);
    for (int b = 0; b < p.blocks.size; ++b)
      for (int u = blocks[b].first_use; u < blocks[b].last_use; ++u) uses_[u].source -= p.blocks.data[b].first_pointer;
    calls_.blocks = blocks;
    calls_.uses = uses_.data();
    if (!reads_table_) main_ = &blocks[p.main_block];
  }

  // None where there are too many steps.
  const plan_calls* calls() const { return calls_.blocks != nullptr ? &calls_ : nullptr; }

  // Whether the program is no more than calls, one after the other.
  bool are_all() const { return main_ != nullptr; }
  // Does them. Nobody shares the work.
  void run(const graph& g, const void* const* arguments, void* const* results, const run_options& options) const {
    random_source random{options.seed, 0};
    set_pointers(calls_, *main_, arguments, results);
    for (int s = main_->first_step; s < main_->last_step; ++s) {
      step_call& call = calls_.steps[s];
      if (call.does == step_call::action::op) {
        call.e.process = options.process;
        call.e.random = &random;
        call.e.helpers = &options.workers;
      }
      run_prepared(call, g);
    }
  }

 private:
  // What is prepared takes about a kilobyte for each step. Programs of more do not run in microseconds.
  static constexpr int most_steps = 4096;

  std::vector<std::unique_ptr<std::max_align_t[]>> memory_;
  std::size_t left_ = 0;
  unsigned char* next_ = nullptr;
  char* bases_[place::first_pointer] = {};
  std::vector<pointer_use> uses_;  // at first, `source` is a base of places
  bool reads_table_ = false;       // something walks the plan, which finds places by the table of pointers
  plan_calls calls_;
  const block_call* main_ = nullptr;

  template <class T>
  T* take(int count) {
    static_assert(alignof(T) <= alignof(std::max_align_t));
    constexpr std::size_t unit = sizeof(std::max_align_t), block = 16384;
    const std::size_t bytes = (std::size_t(count) * sizeof(T) + unit - 1) / unit * unit;
    if (bytes > left_) {
      left_ = bytes > block ? bytes : block;
      memory_.emplace_back(new std::max_align_t[left_ / unit]);
      next_ = reinterpret_cast<unsigned char*>(memory_.back().get());
    }
    T* const result = reinterpret_cast<T*>(next_);
    next_ += bytes;
    left_ -= bytes;
    return result;
  }

  void place_pointer(void*& pointer, const place& at, index_t further = 0) {
    const index_t offset = at.offset + further;
    if (at.base < place::first_pointer)
      pointer = at.base < 0 ? nullptr : bases_[at.base] + offset;
    else
      uses_.push_back({&pointer, offset, at.base});
  }

  void prepare(const graph& g, const plan& p, const plan_code& code, const plan_step& step, step_call& call) {
    using action = step_call::action;
    if (step.feeds) {
      call.does = action::nothing;
    } else if (step.has_op() && step.parts == 0 && step.kernel >= 0) {
      prepare_op(g, p, code, step, call);
    } else if (!step.has_op() && step.micro_count == 1 && step.row == 1 && step.across < 0) {
      const plan_micro& micro = p.micros.data[step.first_micro];
      if (micro.does == plan_micro::action::compute) {
        prepare_piece(p, step, micro, call);
        call.e.words = g.words.data + g.nodes.data[micro.node].words;
        call.code = code.kernels[micro.kernel];
        call.does = action::compute;
      } else if (micro.does == plan_micro::action::load && micro.gather < 0 && step.count > 0) {
        prepare_piece(p, step, micro, call);
        call.access = &p.accesses.data[micro.access];
        call.copy = code.copies->strided[group_copies::size_index(p.operands.data[micro.first].bytes)];
        call.does = action::copy;
      }
    }
    reads_table_ = reads_table_ || call.does == action::walk || call.has_group || call.e.regions.size > 0;
  }

  // The only piece of a group, which does all of it at once.
  void prepare_piece(const plan& p, const plan_step& step, const plan_micro& micro, step_call& call) {
    void** const pointers = take<void*>(micro.operand_count + 1);
    for (int i = 0; i <= micro.operand_count; ++i) {
      const plan_operand& operand = p.operands.data[micro.first + i];
      if (operand.from == plan_operand::source::tile)
        place_pointer(*new (&pointers[i]) void*(nullptr), step.scratch, step.tile_offset + operand.offset);
      else
        place_pointer(*new (&pointers[i]) void*(nullptr), p.places.data[operand.value]);
    }
    call.e.operands = {const_cast<const void* const*>(pointers), micro.operand_count};
    call.e.results = {pointers + micro.operand_count, 1};
    call.e.count = step.count;
  }

  void prepare_op(const graph& g, const plan& p, const plan_code& code, const plan_step& step, step_call& call) {
    const graph_node& node = g.nodes.data[step.node];
    const described_op op = describe_op(g, p, step, [&]<class T>(T*, int count) { return take<T>(count); });
    for (int i = 0; i < node.operand_count + node.result_count; ++i) {
      const bool is_result = i >= node.operand_count;
      const int value =
          is_result ? node.results + i - node.operand_count : p.values.data[step.first + step.read_count + i];
      const bool is_strided = step.first_view >= 0 && !is_result && i < most_strided;
      const int view = is_strided ? p.values.data[step.first_view + i] : -1;
      const index_t first = view >= 0 ? p.accesses.data[view].base : 0;
      place_pointer(*new (&op.pointers[i]) void*(nullptr), p.places.data[value],
                    first* index_t(storage_bytes(op.types[i].element)));
    }
    call.e = op.e;
    if (step.op_scratch_bytes > 0) place_pointer(call.e.scratch, step.scratch);
    call.code = code.kernels[step.kernel];
    call.has_group = step.has_group();
    call.does = step_call::action::op;
  }

  void prepare(const graph& g, const plan& p, const plan_block& block, block_call& call) {
    call.first_step = block.first_step, call.last_step = block.last_step;
    call.argument_count = g.regions.data[block.region].argument_count;
    call.leaves_results = block.places_results;
    for (int i = 0; i < block.yield_count && call.leaves_results; ++i) {
      const int value = p.values.data[block.first_yield + i];
      call.leaves_results = value >= 0 && p.places.data[value].base == block.first_pointer + call.argument_count + i &&
                            p.places.data[value].offset == 0;
    }
    reads_table_ = reads_table_ || !call.leaves_results;
  }

  // The block's part of the uses, which stand in the order of pointers, by its own count of arguments and results.
  void give_uses(const plan_block& block, block_call& call) {
    const int last = block.first_pointer + call.argument_count + (block.places_results ? block.yield_count : 0);
    const auto first_of = [&](int source) {
      const auto is_before = [](const pointer_use& use, int bound) { return use.source < bound; };
      return int(std::lower_bound(uses_.begin(), uses_.end(), source, is_before) - uses_.begin());
    };
    call.first_use = first_of(block.first_pointer), call.last_use = first_of(last);
  }
};

}  // namespace tenon
