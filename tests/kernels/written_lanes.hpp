// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/elementwise.hpp>
#include <tenon/kernels/lanes/lane_interpreter.hpp>
#include <tenon/ops/elementwise/add.hpp>
#include <tenon/ops/elementwise/compare.hpp>
#include <tenon/ops/elementwise/multiply.hpp>
#include <tenon/ops/elementwise/select.hpp>

#include "ops/bodies.hpp"

#include <deque>
#include <initializer_list>
#include <memory>
#include <vector>

// Regions as they are for one element, and as functions of many.
namespace tenon::test {
using namespace core;

using namespace planning;
using namespace kernels;

// A lane program that is written op by op. Operands are arguments, elements that are the same for all, or what apply
// returned.
class written_lanes {
 public:
  explicit written_lanes(std::initializer_list<dtype> arguments, index_t elements = 1) {
    program.fits = true;
    program.elements = elements;
    for (dtype element : arguments) add_input(element, -1);
    program.argument_count = program.input_count;
  }
  written_lanes(const written_lanes&) = delete;

  lane_program program;

  static constexpr int argument(int i) { return ~i; }
  template <class T>
  int repeated(const T& element) {
    elements_.push_back({});
    std::memcpy(elements_.back().bytes, &element, sizeof(T));
    pointers_.push_back(elements_.back().bytes);
    places_.push_back({int(pointers_.size()) - 1, 0});
    return add_input(dtype_of<T>, int(places_.size()) - 1);
  }
  // `run` computes elements of `result`; `element` is what the op is chosen by.
  int apply(kernel run, int kind, dtype element, dtype result, std::initializer_list<int> operands) {
    lane_node& node = program.nodes[program.node_count];
    node.key = {kind, element, result, -1};
    node.kernel = int(kernels_.size());
    kernels_.push_back(run);
    for (int operand : operands) node.operands[node.operand_count++] = operand;
    return program.node_count++;
  }
  template <class Op, class T, class R = T>
  int apply(std::initializer_list<int> operands, const Op& op = {}) {
    const int made = apply(&elementwise_kernel<Op, T, R>, kind_of_op<Op>, dtype_of<T>, dtype_of<R>, operands);
    table<index_t> written{words_[made], 0, words_of_an_op};
    write_attributes(written, op);
    program.nodes[made].words = made * words_of_an_op;
    program.nodes[made].word_count = written.size;
    return made;
  }
  void give(std::initializer_list<int> results) {
    for (int result : results) program.results[program.result_count++] = result;
    program.place_values();
  }

  lane_function function() const {
    const auto interpret = [](const void* context, const lane_program& some, const void* const* arguments,
                              void* const* results, index_t count) {
      const written_lanes& self = *static_cast<const written_lanes*>(context);
      lane_interpreter{nullptr, self.words_[0], self.kernels_.data(), self.places_.data(), self.pointers_.data()}(
          some, arguments, results, count);
    };
    return {&program, words_[0], program.elements, program.forwarded(), interpret, this, {}};
  }

 private:
  static constexpr int words_of_an_op = 8;
  struct slot {
    alignas(16) std::byte bytes[16];
  };
  std::vector<kernel> kernels_;
  std::vector<place> places_;
  mutable std::vector<void*> pointers_;
  std::deque<slot> elements_;
  index_t words_[lane_program::most_nodes][words_of_an_op]{};

  int add_input(dtype element, int value) {
    program.inputs[program.input_count] = value;
    program.input_elements[program.input_count] = element;
    return ~program.input_count++;
  }
};
using shared_lanes = std::shared_ptr<const written_lanes>;
inline lanes_of_regions every_region(shared_lanes lanes) {
  return [lanes](int) { return lanes->function(); };
}

// x * factor + y
template <class T>
shared_lanes weighted_lanes(const T& factor) {
  const auto lanes = std::make_shared<written_lanes>(std::initializer_list<dtype>{dtype_of<T>, dtype_of<T>});
  const int product = lanes->template apply<ops::multiply, T>({lanes->argument(0), lanes->repeated(factor)});
  lanes->give({lanes->template apply<ops::add, T>({product, lanes->argument(1)})});
  return lanes;
}
template <class T>
surroundings weighted(const T& factor, bool has_lanes_of_it) {
  surroundings around = combined_by<T>([factor](T x, T y) {
    const auto apply = [](auto op, const T& a, const T& b) {
      evaluation e;
      T result;
      const void* const operands[] = {&a, &b};
      void* to = &result;
      e.operands = {operands, 2}, e.results = {&to, 1}, e.count = 1;
      elementwise_kernel<decltype(op), T, T>(e);
      return result;
    };
    return apply(ops::add{}, apply(ops::multiply{}, x, factor), y);
  });
  if (has_lanes_of_it) around.lanes = every_region(weighted_lanes(factor));
  return around;
}

// x >= y
template <class T>
shared_lanes lanes_of_at_least() {
  const auto lanes = std::make_shared<written_lanes>(std::initializer_list<dtype>{dtype_of<T>, dtype_of<T>});
  lanes->give({lanes->template apply<ops::compare, T, bool>({~0, ~1}, ops::compare{comparison_direction::GE})});
  return lanes;
}

// The larger element and its place, the first one of equals.
template <class T>
surroundings place_of_largest(bool has_lanes_of_it) {
  surroundings around{[](int, const void* const* arguments, void* const* results) {
                        const T x = *static_cast<const T*>(arguments[0]), y = *static_cast<const T*>(arguments[2]);
                        const int from = x >= y ? 0 : 2;
                        std::memcpy(results[0], arguments[from], sizeof(T));
                        std::memcpy(results[1], arguments[from + 1], sizeof(i32));
                      },
                      {combining_two<dtype_of<T>, dtype::i32>}};
  if (!has_lanes_of_it) return around;
  const auto lanes =
      std::make_shared<written_lanes>(std::initializer_list<dtype>{dtype_of<T>, dtype::i32, dtype_of<T>, dtype::i32});
  const int larger = lanes->template apply<ops::compare, T, bool>({~0, ~2}, ops::compare{comparison_direction::GE});
  const int element = lanes->template apply<ops::select, T>({larger, ~0, ~2});
  lanes->give({element, lanes->template apply<ops::select, i32>({larger, ~1, ~3})});
  around.lanes = every_region(lanes);
  return around;
}

}  // namespace tenon::test
