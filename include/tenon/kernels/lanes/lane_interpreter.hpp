// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/copy_run.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/kernels/lanes/lane_program.hpp>

#include <cstddef>
#include <cstring>

namespace tenon::kernels {

// Calls the kernel of an op that works element by element on elements that lie one behind the other. Of `call`, which
// serves many calls, what is the same for all of them has been filled in.
inline void apply_kernel(evaluation& call, kernel run, const index_t* words, list<const void*> operands, void* result,
                         index_t count) {
  call.operands = operands;
  call.results = {&result, 1};
  call.words = words;
  call.count = count;
  run(call);
}

// The executor of lane programs that are read at run time: one op after the other over a tile, which stays in the first
// cache. All that it refers to must outlive it.
struct lane_interpreter {
  const type_details* details;
  const index_t* words;  // that nodes refer to
  const kernel* kernels;
  const place* places;  // of the values that inputs behind the arguments refer to
  void* const* pointers;

  // Results may lie where the arguments of the same number do, and nowhere else among the arguments.
  // @pre the program fits, and is linked to the kernels
  void operator()(const lane_program& program, const void* const* arguments, void* const* results,
                  index_t count) const {
    alignas(64) std::byte tile[lane_program::tile_bytes];
    const index_t at_once = program.at_once;
    std::byte* next = tile;
    const auto own = [&] {
      std::byte* const at = next;
      next += program.room;
      return at;
    };
    struct value {
      std::byte* at;
      index_t bytes;  // from an element to its neighbour of the next tile, for each element of a tile
    } values[lane_program::most_inputs + lane_program::most_nodes];
    std::byte* moved[lane_program::most_results];
    for (int i = 0; i < program.input_count; ++i) {
      const index_t bytes = program.bytes_of_value[i];
      if (i < program.argument_count) {
        values[i] = {static_cast<std::byte*>(const_cast<void*>(arguments[i])), bytes};
        continue;
      }
      values[i] = {own(), 0};
      const place& from = places[program.inputs[i]];
      with_bytes(bytes, [&]<class Bytes>(Bytes) {
        Bytes element;
        std::memcpy(&element, static_cast<const char*>(pointers[from.base]) + from.offset, sizeof element);
        fill_row(reinterpret_cast<Bytes*>(values[i].at), element, count < at_once ? count : at_once);
      });
    }
    for (int n = 0; n < program.node_count; ++n) {
      const lane_node& node = program.nodes[n];
      values[program.input_count + n] = {
          node.result < 0 ? own() : static_cast<std::byte*>(results[node.result]),
          node.result < 0 ? 0 : index_t(program.bytes_of_value[program.input_count + n])};
    }
    for (int i = 0; i < program.result_count; ++i)
      if (program.is_moved(i)) moved[i] = own();

    const auto bytes_of = [&](int result, index_t elements) {
      return std::size_t(elements * program.bytes_of_value[program.position_of(program.results[result])]);
    };
    evaluation call;
    call.details = details;
    for (index_t first = 0; first < count; first += at_once) {
      const index_t some = count - first < at_once ? count - first : at_once;
      const auto address = [&](int operand) {
        const value& each = values[program.position_of(operand)];
        return each.at + first * each.bytes;
      };
      for (int n = 0; n < program.node_count; ++n) {
        const lane_node& node = program.nodes[n];
        const void* operands[lane_node::most_operands];
        for (int i = 0; i < node.operand_count; ++i) operands[i] = address(node.operands[i]);
        apply_kernel(call, kernels[node.kernel], words + node.words, {operands, node.operand_count}, address(n), some);
      }
      for (int i = 0; i < program.result_count; ++i)
        if (program.is_moved(i)) std::memcpy(moved[i], address(program.results[i]), bytes_of(i, some));
      for (int i = 0; i < program.result_count; ++i) {
        if (program.is_written(i)) continue;
        const std::byte* const from = program.is_moved(i) ? moved[i] : address(program.results[i]);
        std::byte* const to = static_cast<std::byte*>(results[i]) + bytes_of(i, first);
        if (from != to) std::memcpy(to, from, bytes_of(i, some));
      }
    }
  }
};

}  // namespace tenon::kernels
