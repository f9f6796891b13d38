// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/strided.hpp>
#include <tenon/ops/call_with_regions.hpp>
#include <tenon/ops/reduction/sort_memory.hpp>
#include <tenon/ops/tensor_op.hpp>

#include <cstddef>
#include <cstring>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#sort
struct sort {
  static constexpr std::string_view name = "sort";
  static constexpr bool moves_bytes = true, sorts = true;
  index_t dimension = -1;  // negative: counted from the last
  bool is_stable = false;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("dimension", self.dimension) && visit("is_stable", self.is_stable);
  }

  constexpr void infer(rules& rule, list<tensor_type> inputs, table<tensor_type>& results) const {
    const signature comparator = rule.regions[0];
    const index_t rank = inputs[0].rank();
    rule("sort_c1", "0 < size(inputs)", !inputs.empty());
    rule("sort_c4", "-R <= dimension < R, where R = rank(inputs[0])", -rank <= dimension && dimension < rank);
    bool compares = rule.regions.size == 1 && comparator.arguments.size == 2 * inputs.size &&
                    comparator.results.size == 1 && comparator.results[0] == type_of(dtype::i1);
    for (int i = 0; i < inputs.size; ++i) {
      rule("sort_i1", "inputs: tensors or per-tensor quantized tensors",
           rule.is(inputs[i], kinds::any | kinds::per_tensor_quantized));
      rule("sort_c3", "same(shape(inputs...) + shape(results...))", inputs[i].shape == inputs[0].shape);
      rule.result_shape("sort_c3", "same(shape(inputs...) + shape(results...))", inputs[0].shape, i);
      rule.result("sort_c2", "type(inputs...) = type(results...)", inputs[i], i);
      results.push(inputs[i]);
      const tensor_type element = inputs[i].with_shape({});
      compares = compares && comparator.arguments[2 * i] == element && comparator.arguments[2 * i + 1] == element;
    }
    rule("sort_c5", "comparator: (tensor<E1>, tensor<E1>, ..., tensor<EN-1>, tensor<EN-1>) -> tensor<i1>", compares);
  }

  // The arguments of the comparator, for front ends that have yet to write it.
  constexpr void region_arguments(int, list<tensor_type> inputs, table<tensor_type>& arguments) const {
    for (const tensor_type& input : inputs)
      for (int side = 0; side < 2; ++side) arguments.push(input.with_shape({}));
  }

  constexpr index_t scratch_bytes(list<tensor_type> inputs, list<tensor_type>) const {
    return sort_memory(inputs, axis(inputs[0].rank()), planned_machine().pointer_bytes).bytes;
  }

  // Each element depends on all elements along the dimension.
  constexpr indexing::indexing_map reads(int, int, list<tensor_type>, list<tensor_type> results) const {
    const ints shape = results[0].shape;
    return indexing::whole_axes_map(shape, shape, {dimension < 0 ? dimension + shape.size : dimension});
  }

  constexpr batch_dimensions batches(list<tensor_type> inputs) const { return {axis(inputs[0].rank())}; }

  constexpr int axis(int rank) const { return int(dimension < 0 ? dimension + rank : dimension); }

  // Inserts one element after the other behind all that it does not come before: equal elements keep their order, and
  // whatever the comparator says, elements are permuted. Programs run kernels/sort/sort.hpp.
  template <class>
  void evaluate(const evaluation& e) const {
    const ints &shape = e.operand_types.data[0].shape, strides = strides_of(shape), sorted{axis(shape.size)};
    const index_t count = shape[sorted[0]], stride = strides[sorted[0]];
    index_t* const order = static_cast<index_t*>(e.scratch);
    const void** const arguments = static_cast<const void**>(static_cast<void*>(order + count));
    const auto sort_row = [&](index_t first) {
      const auto bytes = [&](int i) { return storage_bytes(e.operand_types.data[i].element); };
      const auto at = [&](int i, index_t k) { return (first + k * stride) * bytes(i); };
      const auto comes_before = [&](index_t a, index_t b) {
        for (int i = 0; i < 2 * e.operands.size; ++i)
          arguments[i] = e.operand<std::byte>(i / 2) + at(i / 2, i % 2 == 0 ? a : b);
        bool answer = false;
        void* const results[] = {&answer};
        e.run(0, arguments, results);
        return answer;
      };
      for (index_t k = 0; k < count; ++k) {
        index_t to = k;
        for (; to > 0 && comes_before(k, order[to - 1]); --to) order[to] = order[to - 1];
        order[to] = k;
      }
      for (int i = 0; i < e.operands.size; ++i)
        for (index_t k = 0; k < count; ++k)
          std::memcpy(e.result<std::byte>(i) + at(i, k), e.operand<std::byte>(i) + at(i, order[k]),
                      std::size_t(bytes(i)));
    };
    for_each_offset(shape.without(sorted), sort_row, strides.without(sorted));
  }
};

}  // namespace tenon::ops

namespace tenon {

// sort<-1>(x, less): sorted along a dimension by a comparator, a function of two scalars for each input; always stable.
// Inputs first, the comparator last. Any element types, of one shape; a result of the same type for each input.
template <index_t Dimension, bool IsStable = false, class... Arguments,
          class Rules = ops::regions_kept<ops::sort{Dimension, IsStable}, 1, Arguments...>>
constexpr auto sort(Arguments&&... arguments) {
  return ops::call_with_regions<ops::sort{Dimension, IsStable}>(static_cast<Arguments&&>(arguments)...);
}
template <index_t Dimension, bool IsStable = false, class... Arguments,
          class Rule = ops::regions_broken<ops::sort{Dimension, IsStable}, 1, Arguments...>>
void sort(Arguments&&...) = delete;

}  // namespace tenon
