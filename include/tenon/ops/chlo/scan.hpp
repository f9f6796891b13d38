// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/function_reference.hpp>
#include <tenon/core/value_bytes.hpp>
#include <tenon/ops/call_with_regions.hpp>
#include <tenon/ops/chlo/slices_along.hpp>
#include <tenon/ops/op.hpp>

#include <utility>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chloscan_chloscanop
// Goes along a dimension of the inputs, from its end if is_reverse: body takes what the inputs have there and the
// carries, and gives what the outputs have there and the next carries. The results are the outputs and the last
// carries.
struct scan {
  static constexpr std::string_view dialect = "chlo", name = "scan";
  static constexpr op_notation notation = op_notation::scan;
  static constexpr std::string_view no_maps = "its body has them, once for each turn";
  static constexpr bool moves_bytes = true, scans = true, accumulates = true;
  index_t dimension = 0;
  index_t scan_dim_size = absent;
  bool is_reverse = false, is_associative = false;
  ints operand_segment_sizes{};  // inputs, inits
  ints result_segment_sizes{};   // outputs, carries

  static constexpr index_t absent = -1;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("dimension", self.dimension) && visit("scan_dim_size", self.scan_dim_size) &&
           visit("is_reverse", self.is_reverse) && visit("is_associative", self.is_associative) &&
           visit("operandSegmentSizes", self.operand_segment_sizes) &&
           visit("resultSegmentSizes", self.result_segment_sizes);
  }

  constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) const {
    const signature body = rule.regions[0];
    const int inputs = int(operand_segment_sizes[0]), carries = int(operand_segment_sizes[1]);
    const int outputs = int(result_segment_sizes[0]);
    const bool parted = operand_segment_sizes.size == 2 && operand_segment_sizes.within(0, operands.size + 1) &&
                        inputs + carries == operands.size;
    rule("scan_operands", "operandSegmentSizes: how many operands are inputs, and how many are inits", parted);
    const bool results_parted = result_segment_sizes.size == 2 && outputs >= 0 && outputs <= body.results.size &&
                                result_segment_sizes[1] == carries && outputs + carries == body.results.size;
    rule("scan_results", "resultSegmentSizes: how many results of body are outputs, and as many carries as inits",
         results_parted);
    rule("scan_i3", "dimension: not negative", dimension >= 0);
    rule("scan_i4", "scan_dim_size: not negative", scan_dim_size >= absent);
    if (!parted || !results_parted || dimension < 0 || scan_dim_size < absent) return;
    rule("scan_c1", "0 < size(inputs) or 0 < size(outputs)", inputs > 0 || outputs > 0);
    bool within = true, same_size = true;
    index_t count = scan_dim_size;
    bool is_bounded = false;
    for (const tensor_type& input : operands.part(0, inputs)) {
      within = within && dimension < input.rank();
      const index_t here = input.dim(int(dimension));
      is_bounded = is_bounded || input.is_bounded(dimension);
      same_size = same_size && (count < 0 || here == count);
      count = here;
    }
    if (count < 0 && outputs > 0 && rule.declared.size > 0) count = rule.declared[0].dim(int(dimension));
    rule("scan_c2", "dimension < rank(inputs...)", within);
    rule("scan_c3", "dim(inputs..., dimension) = scan_dim_size", same_size);
    rule("scan_c4", "scan_dim_size is given, or there are inputs or results that have it", count >= 0);
    bool suits = rule.regions.size == 1 && body.arguments.size == operands.size;
    for (int i = 0; suits && within && i < operands.size; ++i)
      suits = body.arguments[i] == (i < inputs ? slice_of(operands[i]) : operands[i]);
    rule("scan_c5", "body takes the inputs without the dimension, then values of the types of inits", suits);
    bool goes_round = true;
    for (int i = 0; i < carries; ++i) goes_round = goes_round && body.results[outputs + i] == operands[inputs + i];
    rule("scan_c6", "body gives values of the outputs without the dimension, then values of the types of inits",
         goes_round);
    for (int i = 0; i < body.results.size; ++i) {
      tensor_type result = body.results[i];
      if (i < outputs) {
        const bool fits = dimension <= result.rank() && result.rank() < max_rank;
        rule("scan_c7", "dimension <= rank(body's outputs...)", fits);
        if (fits) result = result.with_shape(shape_of_slices(result.shape, dimension, count < 0 ? 0 : count));
        if (fits && is_bounded) result.bound(dimension);
      }
      results.push(
          rule.result("scan_c8", "the results are what body gives, the outputs with the dimension", result, i));
    }
  }

  constexpr void region_arguments(int, list<tensor_type> operands, table<tensor_type>& arguments) const {
    for (int i = 0; i < operands.size; ++i)
      arguments.push(i < int(operand_segment_sizes[0]) ? slice_of(operands[i]) : operands[i]);
  }

  constexpr bool carries_one() const { return operand_segment_sizes[1] == 1; }

  // Room for pointers to what goes into body and comes out of it, for copies of slices, and for the carries before and
  // after an iteration.
  constexpr index_t scratch_bytes(list<tensor_type> operands, list<tensor_type> results,
                                  const type_details* details) const {
    index_t bytes = aligned(bytes_of_pointers(2 * operands.size + results.size));
    const auto add = [&](index_t more) { bytes = bytes > INT64_MAX - more ? INT64_MAX : bytes + more; };
    const int inputs = int(operand_segment_sizes[0]), outputs = int(result_segment_sizes[0]);
    for (const tensor_type& input : operands.part(0, inputs)) add(aligned(slices(input).copied_bytes()));
    for (const tensor_type& output : results.part(0, outputs)) add(aligned(slices(output).copied_bytes()));
    for (const tensor_type& carry : operands.part(inputs, operands.size - inputs))
      for (int side = 0; side < 2; ++side) add(aligned(value_bytes(carry, details)));
    return bytes;
  }

  // Programs run kernels/region/turns.hpp.
  template <class>
  void evaluate(const evaluation& e) const {
    take_turns(e, [&](const void* const* arguments, void* const* results) { e.run(0, arguments, results); });
  }

  // turn(arguments, results) is what body does.
  using turn_function = function_reference<void(const void* const* arguments, void* const* results)>;
  void take_turns(const evaluation& e, turn_function turn) const {
    const int operands = e.operands.size, inputs = int(operand_segment_sizes[0]),
              outputs = int(result_segment_sizes[0]);
    const auto carry_bytes = [&](int i) { return value_bytes(e.operand_types.data[i], e.details); };
    auto* memory = static_cast<unsigned char*>(e.scratch);
    const auto take = [&](index_t bytes) { return static_cast<void*>(std::exchange(memory, memory + aligned(bytes))); };
    auto** const own = static_cast<void**>(take(pointer_bytes(operands, e.results.size)));
    auto** const given = own + operands;
    auto** const arguments = const_cast<const void**>(given + e.results.size);
    for (int i = 0; i < inputs; ++i) own[i] = take(slices(e.operand_types.data[i]).copied_bytes());
    for (int i = 0; i < outputs; ++i) given[i] = take(slices(e.result_types.data[i]).copied_bytes());
    for (int i = inputs, o = outputs; i < operands; ++i, ++o) {
      own[i] = take(carry_bytes(i)), given[o] = take(carry_bytes(i));
      copy_bytes(own[i], e.operands.data[i], carry_bytes(i));
    }
    const index_t count = turns(e);
    for (index_t k = 0; k < count; ++k) {
      const index_t at = is_reverse ? count - 1 - k : k;
      for (int i = 0; i < operands; ++i)
        arguments[i] = i < inputs ? slices(e.operand_types.data[i]).read(e.operands.data[i], at, own[i]) : own[i];
      for (int i = 0; i < outputs; ++i) given[i] = slices(e.result_types.data[i]).room(e.results.data[i], at, given[i]);
      turn(arguments, given);
      for (int i = 0; i < outputs; ++i) slices(e.result_types.data[i]).write(e.results.data[i], at, given[i]);
      for (int i = inputs, o = outputs; i < operands; ++i, ++o) std::swap(own[i], given[o]);
    }
    for (int i = inputs, o = outputs; i < operands; ++i, ++o) copy_bytes(e.results.data[o], own[i], carry_bytes(i));
  }

  constexpr slices_along slices(const tensor_type& type) const { return {type, dimension}; }
  index_t turns(const evaluation& e) const {
    const list<tensor_type> types = operand_segment_sizes[0] > 0 ? e.operand_types : e.result_types;
    return operand_segment_sizes[0] + result_segment_sizes[0] > 0 ? slices(types.data[0]).count : 0;
  }

 private:
  static constexpr index_t pointer_bytes(int operands, int results) {
    return (2 * operands + results) * index_t(sizeof(void*));
  }
  constexpr tensor_type slice_of(const tensor_type& type) const {
    return type.with_shape(type.shape.select(ints::range(type.rank()).without({dimension})));
  }
};

}  // namespace tenon::ops

namespace tenon {

// scan<Dimension, Inputs, Carries, Outputs>(inputs..., inits..., body): what a body makes of a slice of each input and
// of the carries in each iteration; IsReverse: from the end. The body gives slices of the outputs, then the next
// carries; so does scan, with `Dimension` put back into the outputs. Any element types.
template <index_t Dimension, int Inputs, int Carries, int Outputs, bool IsReverse = false, class... Arguments>
constexpr auto scan(Arguments&&... arguments) {
  static_assert(sizeof...(Arguments) == Inputs + Carries + 1, "scan: as many inputs and inits as said, and a body");
  constexpr ops::scan op{.dimension = Dimension,
                         .is_reverse = IsReverse,
                         .operand_segment_sizes = {Inputs, Carries},
                         .result_segment_sizes = {Outputs, Carries}};
  return ops::call_with_regions<op>(static_cast<Arguments&&>(arguments)...);
}

}  // namespace tenon
