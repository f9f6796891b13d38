// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/build.hpp>
#include <tenon/graph/ir/facts.hpp>
#include <tenon/ops/all.hpp>
#include <tenon/text/literal.hpp>
#include <tenon/text/parse_options.hpp>

namespace tenon {

// The tables of a specializer, in memory of the caller.
struct specializing_memory {
  core::table<int> values, regions;  // per value and region of the source, that of the target
  core::table<index_t> numbers;      // integers that are known
  core::table<int> known;            // per value of the target: one above the first of its numbers, or 0
};

namespace text {

// Of one value: two for each dimension of a tensor.
inline constexpr int most_known_numbers = 16;

// The integers that a program computes from sizes, where these are known.
class size_calculator {
 protected:
  static constexpr int most_numbers = most_known_numbers;
  static constexpr int most_operands = tenon::ir::most_operands;
  const graph& from_;
  graph& to_;
  specializing_memory& memory_;
  graph_node node_;  // of the source: the op at hand, whose operands in the target are these
  int operands_[most_operands]{};
  tensor_type types_[most_operands];

  constexpr size_calculator(const graph& from, graph& to, specializing_memory& memory)
      : from_(from), to_(to), memory_(memory) {}

  // Templates stand above who calls them, else Clang evaluates calls of what it has not read.
  template <class... Ops>
  constexpr bool is() const {
    return ((node_.kind == kind_of_op<Ops>) || ...);
  }
  template <class Op>
  constexpr Op attributes() const {
    return read_attributes<Op>(from_.words.data + node_.words);
  }

  constexpr list<index_t> numbers_of(int value) const {
    const int first = memory_.known[value] - 1;
    return first < 0 ? list<index_t>{}
                     : list<index_t>{memory_.numbers.data + first, int(to_.type_of_value(value).size())};
  }
  constexpr list<index_t> numbers(int i) const { return numbers_of(operands_[i]); }
  constexpr bool has_numbers(int i) const { return memory_.known[operands_[i]] != 0; }

  static constexpr bool may_be_known(const tensor_type& type) {
    return (is_integer(type.element) || is_boolean(type.element)) && !type.is_quantized() && !has_open_sizes(type) &&
           type.bounded == 0 && type.size() <= most_numbers;
  }
  constexpr const tensor_type& written_result() const { return from_.type_of_value(node_.results); }

  // The numbers that the op at hand gives; -1 if it is none of those that sizes go through, if it does not know its
  // operands, or if a number would not fit its type.
  constexpr int compute(index_t* numbers) const {
    if (node_.result_count != 1 || node_.region_count != 0 || !may_be_known_result()) return -1;
    const tensor_type& type = written_result();
    int count = 0;
    if (is<ops::constant>()) {
      count = decode(type, numbers);
    } else if (is<ops::get_dimension_size>()) {
      numbers[count++] = types_[0].dim(attributes<ops::get_dimension_size>().dimension);
    } else {
      for (int i = 0; i < node_.operand_count; ++i)
        if (!has_numbers(i)) return -1;
      count = is<ops::concatenate>() ? join(numbers) : combine(type, numbers);
    }
    for (int i = 0; i < count; ++i)
      if (!fits(numbers[i], type.element)) return -1;
    return count;
  }
  constexpr bool may_be_known_result() const {
    const tensor_type& type = written_result();
    return may_be_known(type) ||
           (type.rank() == 1 && has_open_sizes(type) && (is_integer(type.element) || is_boolean(type.element)));
  }
  static constexpr bool fits(index_t number, dtype type) {
    const int bits = num_bits(type);
    if (is_boolean(type)) return number == 0 || number == 1;
    if (is_unsigned_integer(type)) return number >= 0 && (bits >= 63 || number >> bits == 0);
    return bits == 64 || (-(index_t{1} << (bits - 1)) <= number && number < index_t{1} << (bits - 1));
  }
  constexpr int decode(const tensor_type& type, index_t* numbers) const {
    const graph_literal& literal = from_.literals.data[from_.words.data[node_.words]];
    const int size = int(type.size());
    if (literal.where == graph_literal::place::words) {
      for (int i = 0; i < size; ++i) numbers[i] = from_.words.data[literal.first + (literal.size == 1 ? 0 : i)];
      return size;
    }
    literal_reader reader(from_.text, literal.first, literal.size, type, notation_of(literal));
    const bool good = reader.decode([&](index_t element, int, std::uint64_t bits) {
      if (element < size) numbers[element] = index_t(bits);
    });
    for (int i = 1; i < size && reader.is_splat(); ++i) numbers[i] = numbers[0];
    return good ? size : -1;
  }
  constexpr int join(index_t* numbers) const {
    int count = 0;
    for (int i = 0; i < node_.operand_count; ++i)
      for (const index_t number : this->numbers(i)) {
        if (count == most_numbers || attributes<ops::concatenate>().dimension != 0) return -1;
        numbers[count++] = number;
      }
    return count;
  }
  // Element by element, one operand for all where it has no dimensions.
  constexpr int combine(const tensor_type& type, index_t* numbers) const {
    const int size = has_open_sizes(type) ? (node_.operand_count > 0 ? this->numbers(0).size : 0) : int(type.size());
    if (is<ops::slice>()) {
      const ops::slice self = attributes<ops::slice>();
      if (types_[0].rank() != 1) return -1;
      for (int i = 0; i < size; ++i)
        numbers[i] = this->numbers(0)[int(self.start_indices[0] + i * (self.strides.empty() ? 1 : self.strides[0]))];
      return size;
    }
    for (int i = 0; i < size; ++i) {
      index_t x[3]{};
      for (int k = 0; k < node_.operand_count && k < 3; ++k) {
        const list<index_t> of = this->numbers(k);
        if (of.size != size && of.size != 1) return -1;
        x[k] = of[of.size == 1 ? 0 : i];
      }
      if (is<ops::broadcast_in_dim>() && this->numbers(0).size != 1 && types_[0].rank() != type.rank()) return -1;
      if (!apply(x, numbers[i])) return -1;
    }
    return size;
  }
  constexpr bool apply(const index_t* x, index_t& result) const {
    const index_t a = x[0], b = x[1];
    const auto set = [&](index_t value) { return result = value, true; };
    if (is<ops::reshape, ops::broadcast_in_dim, ops::convert>()) return set(a);
    if (is<ops::add>()) return !__builtin_add_overflow(a, b, &result);
    if (is<ops::subtract>()) return !__builtin_sub_overflow(a, b, &result);
    if (is<ops::multiply>()) return !__builtin_mul_overflow(a, b, &result);
    if (is<ops::divide>()) return b != 0 && b != -1 && set(a / b);
    if (is<ops::remainder>()) return b != 0 && b != -1 && set(a % b);
    if (is<ops::maximum>()) return set(a < b ? b : a);
    if (is<ops::minimum>()) return set(b < a ? b : a);
    if (is<ops::clamp>()) return set(x[2] < (b < a ? a : b) ? x[2] : b < a ? a : b);
    if (is<ops::negate>()) return a != INT64_MIN && set(-a);
    if (is<ops::abs>()) return a != INT64_MIN && set(a < 0 ? -a : a);
    if (is<ops::sign>()) return set(a > 0 ? 1 : a < 0 ? -1 : 0);
    if (is<ops::select>()) return set(a != 0 ? b : x[2]);
    if (is<ops::compare>()) return set(attributes<ops::compare>().element(a, b));
    if (!is_boolean(types_[0].element)) return false;
    if (is<ops::and_>()) return set(a & b);
    if (is<ops::or_>()) return set(a | b);
    if (is<ops::xor_>()) return set(a ^ b);
    return is<ops::not_>() && set(1 - a);
  }
};

}  // namespace text

}  // namespace tenon
