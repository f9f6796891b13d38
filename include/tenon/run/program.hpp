// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/programs.hpp>.
#pragma once

#include <tenon/run/evaluate.hpp>
#include <tenon/run/invoke.hpp>
#include <tenon/text/sized_program.hpp>

#include <string_view>
#include <type_traits>

namespace tenon {

namespace detail {

// "line 7, column 10: add_c1: type(lhs) = type(rhs)", and the line itself.
constexpr message_text<1000> message_of_error(const parse_error& error, std::string_view text) {
  message_text<1000> result;
  if (!error) return result;
  result << "line " << error.line << ", column " << error.column << ": " << error.label << ": " << error.sentence;
  std::size_t first = std::size_t(error.byte) < text.size() ? std::size_t(error.byte) : text.size();
  while (first > 0 && text[first - 1] != '\n') --first;
  while (first < text.size() && text[first] == ' ') ++first;
  result << "; ";
  for (int shown = 0; first < text.size() && text[first] != '\n' && shown < 160; ++shown) result.push(text[first++]);
  return result;
}

// Runs into the error of a program, so that a note shows it.
constexpr bool require_program(bool holds, int /*line*/, int /*column*/, const char* /*label*/,
                               const char* /*sentence*/) {
  if (!holds) this_program_breaks_a_rule();
  return true;
}

// Ends the compilation if the text is no program, or none for these tensors. `Parsed` has its graph.
template <class Program, class Parsed = parsed<Program>>
struct checked_program {
  static constexpr parse_error error = Parsed::error;
  static constexpr auto message = message_of_error(error, Program::text);
#if defined(__clang__) && __clang_major__ < 15
  static_assert(require_program(!error, error.line, error.column, error.label, error.sentence),
                "tenon: the program is not well formed");
#else
  struct in_words {
    const char* label;
    message_text<1000> message;
  };
  static constexpr in_words wrong{error.label, message};
  using well_formed = typename outcome_of<wrong>::kept;  // an error that says what is wrong, and where
#endif
  static_assert(error || entry_of(Parsed::view()), "tenon: the program has no function to run");
};

// The graph of a program, for `compiled`.
template <class Program, class Parsed = parsed<Program>>
struct program_source {
  static constexpr tenon::ir::graph graph() { return Parsed::view(); }
  static constexpr graph_function function() { return *entry_of(graph()); }
  static constexpr int writing_budget = execution::writing_budget<Program>();
};

// In place of a text with an error.
struct no_program {
  static constexpr index_t arena_bytes = 0, fused_groups = 0;
  static constexpr tensor_type argument_type(int) { return {}; }
  static constexpr tensor_type result_type(int) { return {}; }
};
// In place of a program whose sizes are open: `program_for` has one for each list of arguments, and no type is known
// without.
struct sizes_are_open {
  static constexpr index_t arena_bytes = 0, fused_groups = 0;
  static constexpr tensor_type argument_type(int);
  static constexpr tensor_type result_type(int);
};

}  // namespace detail

// A program whose text is what a function object gives.
template <class Function>
struct program_text {
  static constexpr std::string_view text = Function{}();
};

// A StableHLO program that is parsed, verified, fused and planned while compiling. `Program` holds its text:
//
//   struct doubling { static constexpr std::string_view text = R"(
//     func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
//       %sum = stablehlo.add %x, %x : tensor<4xf32>
//       return %sum : tensor<4xf32>
//     })"; };
//   using net = tenon::program<doubling>;
//   auto [sum] = net{}(x);
//
// A wrong text is a compile error that shows line, column, and the label of the rule. The call takes
// tensors, views or expressions of the argument types of the function `main` (or the only one), and gives `results`;
// `net{}.into(y)(x)` writes them to memory of the caller, `net{}.on(arena)(x)` works there. Where the text leaves sizes
// open (`tensor<?xf32>`), the call makes a program for the shapes of its arguments: that is
// net::program_for<Tensor...>.
template <class Program>
class program : public execution::callable<program<Program>> {
  using checked_text = detail::checked_program<Program>;
  static_assert(sizeof(checked_text) > 0);
  template <class>
  friend struct execution::callable;
  template <class, bool, class...>
  friend class execution::directed_call;
  template <class... Arguments>
  using sized_for = sized_program<Program, execution::argument_tensor<Arguments>...>;
  template <class... Arguments>
  struct open_code {
    using type = execution::compiled<detail::program_source<Program, sized_for<Arguments...>>>;
  };
  template <class... Arguments>
  struct open_check {
    using type = detail::checked_program<Program, sized_for<Arguments...>>;
  };

 public:
  static constexpr bool gives_single_tensors = false;
  static constexpr bool is_open = parsed<Program>::is_open;
  // False where the text has an error, which is reported.
  template <class... Arguments>
  static constexpr bool valid = [] {
    if constexpr (is_open)
      return !sized_for<Arguments...>::error;
    else
      return !parsed<Program>::error;
  }();

  // The simplified graph and its plan: code::graph(), code::plan().
  using code =
      std::conditional_t<is_open, detail::sizes_are_open,
                         std::conditional_t<!parsed<Program>::error,
                                            execution::compiled<detail::program_source<Program>>, detail::no_program>>;

  // Bytes of working memory, known while compiling.
  static constexpr index_t arena_bytes = code::arena_bytes;
  // How many loop nests the elementwise and moving ops were fused into.
  static constexpr int fused_groups = int(code::fused_groups);

  // The tensors that it takes and gives.
  template <int I>
  using argument = any_tensor_of<code::argument_type(I)>;
  template <int I>
  using result = any_tensor_of<code::result_type(I)>;

  template <class... Arguments>
  using program_for = typename std::conditional_t<is_open, open_code<Arguments...>, std::type_identity<code>>::type;
  template <class... Arguments>
  using checked =
      typename std::conditional_t<is_open, open_check<Arguments...>, std::type_identity<checked_text>>::type;
};

}  // namespace tenon

// The program of a literal: using net = TENON_PROGRAM(R"(func.func @main ...)");
#define TENON_PROGRAM(...) \
  ::tenon::program<        \
      ::tenon::program_text<decltype([] { return std::string_view(__VA_ARGS__, sizeof(__VA_ARGS__) - 1); })>>
// The same for headers: TENON_PROGRAM_AS(net, R"(...)"); defines `net`, one type in all sources, so that a struct may
// have it as a member and it is compiled into one function.
#define TENON_PROGRAM_AS(name, ...)                                                                  \
  struct name##_of_text {                                                                            \
    static constexpr std::string_view text = std::string_view(__VA_ARGS__, sizeof(__VA_ARGS__) - 1); \
  };                                                                                                 \
  using name = ::tenon::program<name##_of_text>
