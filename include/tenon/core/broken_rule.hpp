// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/message.hpp>

#include <string_view>
#include <type_traits>
#include <utility>

namespace tenon::core {

// A rule that a call breaks, in words, and the types that break it. Compilers say it on the line of the call: GCC as it
// makes a default argument of this type, clang as it finds no `type` for it, and both as they choose a deleted overload
// with the template argument `broken`. Where a function is deleted and no operator, clang goes on with what it would
// give, and says of operator() twice that it is deleted: those have the template argument `broken_function`, which
// clang does not find, and it says why the other one does not fit.
template <auto... Words>
struct broken_rule {
  broken_rule() = delete;
  using broken = broken_rule;
#if !defined(__clang__)
  using type = broken_rule;
  using broken_function = broken_rule;
#endif
};

// A broken rule, if any: its label, then its sentence.
struct complaint {
  const char* label = nullptr;
  message_text<400> message;
};

template <class... Parts>
constexpr complaint complain(const char* label, const Parts&... parts) {
  complaint result{label, {}};
  result.message << label << ": ";
  ((result.message << parts), ...);
  return result;
}

// Clang prints short texts in full, clang 14 none but characters: there the label has to do.
#if !defined(__clang__)
inline constexpr int longest_words = 1000;
#else
inline constexpr int longest_words = 30;
#endif

template <int Size>
struct words {
  char at[Size + 1]{};
};
template <const auto& Complaint, int First, int Size>
constexpr words<Size> words_of_message() {
  words<Size> result;
  for (int i = 0; i <= Size; ++i) result.at[i] = i < Size ? Complaint.message.at[First + i] : '\0';
  return result;
}

// How long the words are that begin at `first`: they end behind a blank, if there is one.
constexpr int size_of_words(std::string_view text, int first) {
  const int rest = int(text.size()) - first;
  if (rest <= longest_words) return rest;
  for (int size = longest_words; size > 0; --size)
    if (text[std::size_t(first + size) - 1] == ' ') return size;
  return longest_words;
}

template <template <auto...> class Rule, const auto& Complaint, int First = 0, auto... Words>
constexpr auto rule_in_words() {
#if defined(__clang__) && __clang_major__ < 15
  return []<int... I>(std::integer_sequence<int, I...>) {
    return std::type_identity<Rule<Complaint.label[I]...>>{};
  }(std::make_integer_sequence<int, int(std::string_view(Complaint.label).size())>{});
#else
  if constexpr (First >= Complaint.message.length) {
    return std::type_identity<Rule<Words...>>{};
  } else {
    constexpr int size = size_of_words(Complaint.message.view(), First);
    return rule_in_words<Rule, Complaint, First + size, Words..., words_of_message<Complaint, First, size>()>();
  }
#endif
}

// Stands behind the operands of a call that breaks no rule; whoever gives an argument there reads the words.
template <auto... Words>
struct no_argument {
  no_argument() = default;
  template <class Given>
  no_argument(const Given&) = delete;
  using type = no_argument;
  using kept = no_argument;
};
inline constexpr auto complaint_about_further_arguments =
    complain("arguments", "axes, shapes and counts are template arguments: sum<ints{0}>(x)");
using kept_rules = typename decltype(rule_in_words<no_argument, complaint_about_further_arguments>())::type;

template <const auto& Complaint>
constexpr auto find_outcome() {
  if constexpr (Complaint.message.length == 0)
    return std::type_identity<kept_rules>{};
  else
    return rule_in_words<broken_rule, Complaint>();
}
// kept_rules without a label, else a broken_rule; `Complaint` has a label and a message.
template <const auto& Complaint>
using outcome_of = typename decltype(find_outcome<Complaint>())::type;

}  // namespace tenon::core
