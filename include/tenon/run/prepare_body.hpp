// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/prepared_body.hpp>
#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/graph.hpp>
#include <tenon/graph/ir/views.hpp>
#include <tenon/graph/plan/plan.hpp>

namespace tenon {

namespace detail {

// Lists the computations of a block, and where each finds what it reads.
template <class AddressOf>
class body_preparation {
 public:
  body_preparation(const graph& g, const plan& p, const kernel* kernels, const plan_block& block, AddressOf address_of,
                   prepared_body& body)
      : g_(g),
        p_(p),
        kernels_(kernels),
        block_(block),
        region_(g.regions.data[block.region]),
        shape_(region_.argument_count > 0 ? g.type_of_value(region_.arguments).shape : ints{}),
        address_of_(address_of),
        body_(body) {}

  // `over_arguments`: results lie where the arguments of the same number do.
  bool run(bool over_arguments) {
    body_.begin(&g_, shape_.product());
    for (int s = block_.first_step; s < block_.last_step; ++s)
      if (!add_step(p_.steps.data[s])) return false;
    for (int i = 0; i < block_.yield_count; ++i)
      if (!yield(i, over_arguments)) return false;
    if (over_arguments && !body_.keep_arguments()) return false;
    if (!body_.end()) return false;
    for (int i = 0; i < outside_count_; ++i) body_.repeat(outside_[i].at, address_of_(outside_[i].value));
    return true;
  }

 private:
  using place = prepared_body::place;
  struct known {
    int value;
    place at;
  };
  struct buffer {
    index_t offset;
    place at;
  };
  static constexpr int most_known = 32;

  const graph& g_;
  const plan& p_;
  const kernel* kernels_;
  const plan_block& block_;
  const graph_region& region_;
  const ints shape_;  // of all arguments
  AddressOf address_of_;
  prepared_body& body_;
  known made_[most_known];     // values that have been computed
  known outside_[most_known];  // what the block knows from outside
  buffer buffers_[most_known];
  int made_count_ = 0, outside_count_ = 0, buffer_count_ = 0;

  // Whether one element in memory stands for all.
  bool is_uniform(int value) const {
    if (g_.type_of_value(value).size() == 1) return true;
    for (const plan_constant& each : p_.constants)
      if (each.value == value) return each.count == 1;
    return false;
  }
  bool find(int value, int bytes, place& at) {
    value = root_of(g_, value);
    for (int i = 0; i < made_count_; ++i)
      if (made_[i].value == value) return at = made_[i].at, true;
    const int argument = value - region_.arguments;
    if (0 <= argument && argument < region_.argument_count)
      return at = {place::kind::argument, argument, bytes}, g_.type_of_value(value).shape == shape_;
    for (int i = 0; i < outside_count_; ++i)
      if (outside_[i].value == value) return at = outside_[i].at, true;
    if (outside_count_ == most_known || !is_uniform(value) || p_.places.data[value].base < 0) return false;
    at = body_.own(bytes);
    outside_[outside_count_++] = {value, at};
    return true;
  }
  bool find(const plan_operand& operand, place& at) {
    if (operand.per_row || operand.ranged) return false;
    if (operand.from == plan_operand::source::memory)
      return operand.bytes > 0 && find(operand.value, operand.bytes, at);
    for (int i = 0; i < buffer_count_; ++i)
      if (buffers_[i].offset == operand.offset) return at = buffers_[i].at, true;
    return false;
  }
  bool keep(const plan_operand& to, const place& at) {
    if (to.from == plan_operand::source::memory) {
      if (made_count_ == most_known) return false;
      made_[made_count_++] = {to.value, at};
      return true;
    }
    int b = 0;
    while (b < buffer_count_ && buffers_[b].offset != to.offset) ++b;
    if (b == most_known) return false;
    if (b == buffer_count_) ++buffer_count_;
    buffers_[b] = {to.offset, at};
    return true;
  }

  bool add_step(const plan_step& step) {
    if (step.kernel != -1 || step.count != shape_.product() || step.row != 1 || step.transposed_axis >= 0 ||
        step.parts > 0)
      return false;
    for (int m = 0; m < step.instruction_count; ++m) {
      const group_instruction& instruction = p_.instructions.data[step.first_instruction + m];
      const plan_operand* const operands = p_.operands.data + instruction.first;
      const plan_operand& to = operands[instruction.operand_count];
      if (instruction.does == group_instruction::action::load && instruction.gather < 0) {
        // A scalar is what it is, however it is read.
        plan_operand from = operands[0];
        from.bytes = from.bytes > 0 ? from.bytes : to.bytes;
        place at;
        if (!is_uniform(from.value) || !find(from, at) || !keep(to, at)) return false;
        continue;
      }
      if (instruction.does != group_instruction::action::compute ||
          instruction.operand_count > prepared_body::most_operands)
        return false;
      if (to.bytes == 0 || to.per_row || to.ranged) return false;
      prepared_body::step next;
      const graph_node& node = g_.nodes.data[instruction.node];
      next.code = kernels_[instruction.kernel];
      next.kind = node.kind;
      next.reads = node.operand_count > 0 ? g_.type_of_value(g_.operands_of(node)[0]).element : dtype::none;
      next.words = g_.words.data + node.words;
      next.word_count = node.word_count;
      next.operand_count = instruction.operand_count;
      for (int i = 0; i < instruction.operand_count; ++i)
        if (!find(operands[i], next.operands[i])) return false;
      next.result = place_for(to);
      if (!keep(to, next.result) || !body_.add(next)) return false;
    }
    return true;
  }
  place place_for(const plan_operand& to) {
    if (to.from == plan_operand::source::memory)
      for (int i = 0; i < block_.yield_count; ++i)
        if (const int value = p_.values.data[block_.first_yield + i]; value >= 0 && root_of(g_, value) == to.value)
          return {place::kind::result, i, to.bytes};
    return body_.own(to.bytes);
  }

  bool yield(int i, bool over_arguments) {
    int value = p_.values.data[block_.first_yield + i];
    if (value < 0) value = ~value;
    const tensor_type& type = g_.type_of_value(value);
    if (type.shape != shape_ || is_quantized_or_odd(type)) return false;
    const place to{place::kind::result, i, int(storage_bytes(type.element))};
    place from;
    if (!find(value, to.bytes, from)) return false;
    if (from == to) return true;
    if (over_arguments && from.in == place::kind::argument && from.index < block_.yield_count) return from.index == i;
    return body_.add(prepared_body::copy{from, to});
  }
  static bool is_quantized_or_odd(const tensor_type& type) { return !type.is_tensor() || type.is_quantized(); }
};

}  // namespace detail

// Makes a block of computations on scalars ready to be applied to many elements at a time; false if it is more than
// that. `address_of` says where a value lies.
template <class AddressOf>
bool prepare_body(const graph& g, const plan& p, const kernel* kernels, const plan_block& block, bool over_arguments,
                  AddressOf address_of, prepared_body& body) {
  return detail::body_preparation<AddressOf>(g, p, kernels, block, address_of, body).run(over_arguments);
}

}  // namespace tenon
