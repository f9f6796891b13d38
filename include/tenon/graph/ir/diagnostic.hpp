// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/message.hpp>
#include <tenon/core/rules.hpp>

#include <string_view>
#include <utility>

namespace tenon::detail {

// How a broken rule becomes a compile error that can be read. Where a rule breaks in a type, the text of the message is
// a template argument of a condition that fails, which GCC, and clang from version 15 on, print in full:
// static_assert(obeys_the_specification<Message>), with an empty message for what is right.
#if defined(__clang__)
template <auto Message>
concept obeys_the_specification = Message.length == 0;
#else
template <auto Message>
inline constexpr bool obeys_the_specification = Message.length == 0;
#endif

// "add_c1: type(lhs) = type(rhs) = type(result); operands: tensor<2x3xf32>, tensor<3x2xf32>"; empty without a label.
constexpr message_text<1000> message_of_rule(const char* label, const char* sentence, list<tensor_type> operands,
                                             list<tensor_type> results = {}) {
  message_text<1000> result;
  if (sentence != nullptr) result << label << ": " << sentence << "; operands: " << operands;
  if (sentence != nullptr && !results.empty()) result << "; result: " << results;
  return result;
}

// The line and column of a byte of a text, from 1 on.
struct text_position {
  int line = 1, column = 1;

  constexpr text_position(std::string_view text, int byte) {
    for (int i = 0; i < byte && i < int(text.size()); ++i) {
      ++column;
      if (text[std::size_t(i)] == '\n') ++line, column = 1;
    }
  }
};

// A type as compilers print it within a note.
template <int Rank>
struct operand_type {
  const char* element;
  int rank;
  index_t shape[Rank];
};

template <int Rank>
constexpr operand_type<Rank> printed_type(const tensor_type& type) {
  operand_type<Rank> result{name(type.element).data(), type.rank(), {}};
  for (int i = 0; i < Rank; ++i) result.shape[i] = type.shape[i];
  return result;
}

// Where a rule breaks in constant evaluation, and on clang 14, the call below is what fails. It is not constexpr, so
// that reaching it is an error; a note shows the arguments of its caller: the rule's label, the specification's
// formula, the types that break it. More notes lead to the line in the user's function.
inline void this_program_breaks_a_rule() {}

template <class... Operands>
constexpr bool require_rule(bool holds, const char* /*label*/, const char* /*formula*/, Operands...) {
  if (!holds) this_program_breaks_a_rule();
  return true;
}

template <int Rank, int... I>
constexpr bool report_broken(const char* label, const char* sentence, [[maybe_unused]] list<tensor_type> operands,
                             std::integer_sequence<int, I...>) {
  return require_rule(sentence == nullptr, label, sentence, printed_type<Rank>(operands[I])...);
}

// Fails if there is a label; shows the first operands, as many as `Count`, four at most.
template <int Count>
constexpr bool report_broken(const char* label, const char* sentence, list<tensor_type> operands) {
  constexpr auto shown = std::make_integer_sequence<int, (Count < 4 ? Count : 4)>{};
  int rank = 0;
  for (const tensor_type& each : operands) rank = each.rank() > rank ? each.rank() : rank;
  if (rank <= 1) return report_broken<1>(label, sentence, operands, shown);
  if (rank == 2) return report_broken<2>(label, sentence, operands, shown);
  if (rank == 3) return report_broken<3>(label, sentence, operands, shown);
  if (rank == 4) return report_broken<4>(label, sentence, operands, shown);
  return report_broken<max_rank>(label, sentence, operands, shown);
}

}  // namespace tenon::detail
