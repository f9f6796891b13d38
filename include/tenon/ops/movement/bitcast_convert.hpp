// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/ops/result_rules.hpp>
#include <tenon/ops/tensor_op.hpp>

#include <cstring>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#bitcast_convert
struct bitcast_convert {
  static constexpr std::string_view name = "bitcast_convert";
  static constexpr bool moves_bytes = true;

  // The declared type says what to convert to.
  static constexpr tensor_type infer(rules& rule, const tensor_type& operand) {
    rule("bitcast_convert_i1", "operand: tensor or quantized tensor", rule.is(operand, kinds::any | kinds::quantized));
    tensor_type result = declared_result(rule, "bitcast_convert_o1");
    rule("bitcast_convert_o1", "result: tensor or quantized tensor", rule.is(result, kinds::any | kinds::quantized));
    const int from = num_bits(operand.element), to = num_bits(result.element);
    ints shape = operand.shape;
    bool fits = from > 0 && to > 0;
    if (fits && to < from) {
      fits = from % to == 0 && shape.size < max_rank;
      shape.push(from / to);
    } else if (fits && to > from) {
      fits = shape.size > 0 && to % from == 0 && shape[shape.size - 1] == to / from;
      if (shape.size > 0) shape.at[--shape.size] = 0;
    }
    if (has_open_shape(result)) {
      result.shape = shape;
      result.bounded = operand.bounded;
    }
    rule("bitcast_convert_c1",
         "shape(result) = shape(operand), but for a last dimension of the narrower one that holds the bits of an "
         "element "
         "of the wider one",
         fits && result.shape == shape);
    rule("bitcast_convert_c2", "is_complex(operand) = is_complex(result)",
         is_complex(operand.element) == is_complex(result.element));
    return result;
  }

  // The same index, but for a last dimension that one of the two does not have.
  static constexpr indexing::indexing_map reads(int, int, list<tensor_type> operands, list<tensor_type> results) {
    return indexing::bitcast_convert_map(results[0].shape, operands[0].shape);
  }

  // The lowest bits of a wide element are the first of the narrow ones.
  template <class T>
  void evaluate(const evaluation& e) const {
    const tensor_type &operand = e.operand_types.data[0], &result = e.result_types.data[0];
    const auto* from = e.operand<unsigned char>(0);
    auto* to = e.result<unsigned char>();
    const int from_bits = num_bits(operand.element), to_bits = num_bits(result.element);
    if (from_bits >= 8 && to_bits >= 8) {
      if (const index_t bytes = byte_size(result); bytes > 0) std::memcpy(to, from, std::size_t(bytes));
      return;
    }
    // Elements of less than a byte each stand in a byte of their own.
    const int group = from_bits > to_bits ? from_bits : to_bits;
    const bool repeats_sign = is_signed_integer(result.element);
    const index_t groups = operand.size() * from_bits / group;
    for (index_t i = 0; i < groups; ++i) {
      std::uint64_t bits = 0;
      for (int at = 0; at < group; at += from_bits, from += storage_bytes(operand.element))
        bits |= read_bits(from, from_bits) << at;
      for (int at = 0; at < group; at += to_bits, to += storage_bytes(result.element))
        write_bits(to, to_bits, repeats_sign, bits >> at);
    }
  }

 private:
  static std::uint64_t read_bits(const unsigned char* from, int count) {
    std::uint64_t bits = 0;
    for (int at = 0; at < count; at += 8) bits |= std::uint64_t(*from++) << at;
    return count < 64 ? bits & ((std::uint64_t{1} << count) - 1) : bits;
  }
  static void write_bits(unsigned char* to, int count, bool repeat_sign, std::uint64_t bits) {
    if (count < 8) {
      const int spare = 8 - count;
      const auto top = std::uint8_t(bits << spare);
      *to = repeat_sign ? std::uint8_t(std::int8_t(top) >> spare) : std::uint8_t(top >> spare);
      return;
    }
    for (int at = 0; at < count; at += 8) *to++ = static_cast<unsigned char>(bits >> at);
  }
};

}  // namespace tenon::ops

namespace tenon {

// `bitcast_convert<ui32>(x)`: the bits of x as elements of the type R. Of another width the last axis goes or comes:
// ... x 4 elements of 8 bits are ... elements of 32 bits. Any element type.
template <element_like R, operand_like Operand>
constexpr auto bitcast_convert(
    Operand&& operand, op_check<ops::bitcast_convert{}, result_types<with_open_shape(dtype_of<R>)>, Operand> = {}) {
  return apply<ops::bitcast_convert{}, result_types<with_open_shape(dtype_of<R>)>>(static_cast<Operand&&>(operand));
}

}  // namespace tenon
