// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/prepared_body.hpp>
#include <tenon/core/value_bytes.hpp>
#include <tenon/ops/call_with_regions.hpp>
#include <tenon/ops/copy_value.hpp>
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
  static constexpr bool moves_bytes = true, scans = true;
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
        if (fits) result = result.with_shape(with_dimension(result.shape, count < 0 ? 0 : count));
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

  // Room for the places of what goes into body and comes out of it, for the carries before and after a turn, and for
  // slices of values whose slices do not lie in one piece.
  constexpr index_t scratch_bytes(list<tensor_type> operands, list<tensor_type> results,
                                  const type_details* details) const {
    index_t bytes = aligned(place_bytes(operands.size, results.size));
    const auto add = [&](index_t more) { bytes = bytes > INT64_MAX - more ? INT64_MAX : bytes + more; };
    const int inputs = int(operand_segment_sizes[0]), outputs = int(result_segment_sizes[0]);
    for (const tensor_type& input : operands.part(0, inputs)) add(aligned(part_of(input).copied_bytes()));
    for (const tensor_type& output : results.part(0, outputs)) add(aligned(part_of(output).copied_bytes()));
    for (const tensor_type& carry : operands.part(inputs, operands.size - inputs)) {
      add(aligned(value_bytes(carry, details)));
      add(aligned(value_bytes(carry, details)));
    }
    return bytes;
  }

  template <class>
  void evaluate(const evaluation& e) const {
    const int inputs = int(operand_segment_sizes[0]), outputs = int(result_segment_sizes[0]);
    const int carries = e.operands.size - inputs;
    const index_t count = inputs > 0    ? part_of(e.operand_types.data[0]).count
                          : outputs > 0 ? part_of(e.result_types.data[0]).count
                                        : 0;
    if (const compiled_region& body = e.compiled_of(0); body.take_turns != nullptr && lies_in_order(e))
      return body.take_turns(e.operands.data, e.results.data, count, e.operand_types.data[inputs].size(), is_reverse);
    prepared_body body;
    const bool is_ready = e.prepare(0, false, body);
    auto* memory = static_cast<unsigned char*>(e.scratch);
    const auto take = [&](index_t bytes) {
      void* const at = memory;
      memory += aligned(bytes);
      return at;
    };
    void* const places = take(place_bytes(e.operands.size, e.results.size));
    auto** const arguments = static_cast<const void**>(places);
    auto** const own = static_cast<void**>(places) + e.operands.size;  // the same, where they are copies
    auto** const given = own + e.operands.size;
    for (int i = 0; i < inputs; ++i) arguments[i] = own[i] = take(part_of(e.operand_types.data[i]).copied_bytes());
    for (int i = 0; i < outputs; ++i) given[i] = take(part_of(e.result_types.data[i]).copied_bytes());
    for (int i = 0; i < carries; ++i) {
      const index_t bytes = value_bytes(e.operand_types.data[inputs + i], e.details);
      arguments[inputs + i] = own[inputs + i] = take(bytes);
      given[outputs + i] = take(bytes);
      copy_bytes(own[inputs + i], e.operands.data[inputs + i], bytes);
    }
    for (index_t turn = 0; turn < count; ++turn) {
      const index_t at = is_reverse ? count - 1 - turn : turn;
      for (int i = 0; i < inputs; ++i) {
        const dimension_part part = part_of(e.operand_types.data[i]);
        const auto* const whole = e.operand<unsigned char>(i);
        if (part.outer == 1) {
          arguments[i] = whole + at * part.inner;
        } else {
          auto* const slice = static_cast<unsigned char*>(own[i]);
          for (index_t k = 0; k < part.outer; ++k)
            copy_bytes(slice + k * part.inner, whole + (k * part.count + at) * part.inner, part.inner);
        }
      }
      for (int i = 0; i < outputs; ++i)
        if (const dimension_part part = part_of(e.result_types.data[i]); part.outer == 1)
          given[i] = e.result<unsigned char>(i) + at * part.inner;
      if (is_ready)
        body(arguments, given, body.elements());
      else
        e.run(0, arguments, given);
      for (int i = 0; i < outputs; ++i) {
        const dimension_part part = part_of(e.result_types.data[i]);
        auto* const whole = e.result<unsigned char>(i);
        const auto* const slice = static_cast<const unsigned char*>(given[i]);
        for (index_t k = 0; part.outer > 1 && k < part.outer; ++k)
          copy_bytes(whole + (k * part.count + at) * part.inner, slice + k * part.inner, part.inner);
      }
      for (int i = 0; i < carries; ++i) {
        std::swap(own[inputs + i], given[outputs + i]);
        arguments[inputs + i] = own[inputs + i];
      }
    }
    for (int i = 0; i < carries; ++i)
      copy_bytes(e.results.data[outputs + i], arguments[inputs + i],
                 value_bytes(e.operand_types.data[inputs + i], e.details));
  }

 private:
  static constexpr index_t place_bytes(int operands, int results) {
    return (2 * operands + results) * index_t(sizeof(void*));
  }

  // A tensor as `outer` times `count` pieces of `inner` bytes, `count` along the dimension.
  struct dimension_part {
    index_t outer, count, inner;

    // Of a slice that has to be put together: others are used where they lie.
    constexpr index_t copied_bytes() const { return outer == 1 ? 0 : outer * inner; }
  };
  constexpr dimension_part part_of(const tensor_type& type) const {
    dimension_part part{1, type.dim(int(dimension)), storage_bytes(type.element)};
    for (int d = 0; d < type.rank(); ++d) {
      if (d < dimension) part.outer *= type.dim(d);
      if (d > dimension) part.inner *= type.dim(d);
    }
    return part;
  }
  // Whether the slices of all turns lie one behind the other.
  constexpr bool lies_in_order(const evaluation& e) const {
    const auto is_in_order = [&](const tensor_type& type) { return part_of(type).outer == 1; };
    for (const tensor_type& input : e.operand_types.part(0, int(operand_segment_sizes[0])))
      if (!is_in_order(input)) return false;
    for (const tensor_type& output : e.result_types.part(0, int(result_segment_sizes[0])))
      if (!is_in_order(output)) return false;
    return true;
  }
  constexpr tensor_type slice_of(const tensor_type& type) const {
    return type.with_shape(type.shape.select(ints::range(type.rank()).without({dimension})));
  }
  constexpr ints with_dimension(const ints& shape, index_t size) const {
    ints result;
    for (int d = 0; d < shape.size; ++d) {
      if (d == dimension) result.push(size);
      result.push(shape[d]);
    }
    if (dimension == shape.size) result.push(size);
    return result;
  }
};

}  // namespace tenon::ops

namespace tenon {

// scan<Dimension, Inputs, Carries, Outputs>(inputs..., inits..., what a turn makes of a slice of each input and of the
// carries); IsReverse: from the end.
template <index_t Dimension, int Inputs, int Carries, int Outputs, bool IsReverse = false, class... Arguments>
constexpr auto scan(Arguments&&... arguments) {
  static_assert(sizeof...(Arguments) == Inputs + Carries + 1, "scan: as many inputs and inits as said, and a body");
  constexpr ops::scan op{.dimension = Dimension,
                         .is_reverse = IsReverse,
                         .operand_segment_sizes = {Inputs, Carries},
                         .result_segment_sizes = {Outputs, Carries}};
  return call_with_regions<op>(static_cast<Arguments&&>(arguments)...);
}

}  // namespace tenon
