// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <shared/read_program.hpp>

// Programs of HLO text, and what tests ask of them.
namespace tenon::hlo_programs {

// The simplified program as StableHLO text, or the label of the error. Compiled in hlo/parser.cpp only.
std::string simplified_text(std::string_view text);

inline constexpr std::string_view helpers = R"(
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
less {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=LT
}
at_least {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=GE
}
last {
  a = f32[] parameter(0)
  ROOT b = f32[] parameter(1)
}
twice {
  a = f32[3] parameter(0)
  ROOT b = f32[3] add(a, a)
}
negative {
  a = f32[3] parameter(0)
  ROOT b = f32[3] negate(a)
}
)";
inline constexpr std::string_view stable_sum = R"(({ ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
    %both = stablehlo.add %lhs, %rhs : tensor<f32>
    stablehlo.return %both : tensor<f32> }))";

// The same text in one line, and with a line for nearly every word.
inline std::string joined(std::string text) {
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}
inline std::string split(std::string_view text) {
  constexpr std::string_view before_words = "(),={}[";
  std::string result;
  bool quoted = false;
  for (const char c : text) {
    quoted = quoted != (c == '"');
    result += c == ' ' && !quoted ? '\n' : c;
    if (before_words.find(c) != before_words.npos && !quoted) result += '\n';
  }
  return result;
}

// The instructions of an entry computation, and the body of the function that says the same.
inline void check_same(std::string_view hlo, std::string_view arguments, std::string_view results,
                       std::string_view ops) {
  const std::string one = "HloModule test, entry_computation_layout={()->f32[]}\n" + std::string(helpers) +
                          "\nENTRY main.7 {\n" + std::string(hlo) + "\n}\n";
  const std::string other = "func.func @main(" + std::string(arguments) + ") -> (" + std::string(results) + ") {\n" +
                            std::string(ops) + "\n}\n";
  const std::string expected = simplified_text(other);
  REQUIRE_MESSAGE(expected.find("func.func") == 0, expected);
  CHECK(simplified_text(one) == expected);
  if (hlo.find("//") != hlo.npos) return;  // a comment ends with its line
  CHECK(simplified_text(joined(one)) == expected);
  CHECK(simplified_text(split(one)) == expected);
}

inline std::string error_of(std::string_view text) {
  const graph_owner program = read_program(text);
  if (!program.error()) return "none";
  return std::string(program.error().label) + " " + std::to_string(program.error().line) + ":" +
         std::to_string(program.error().column);
}
inline std::string entry(std::string_view lines) { return "ENTRY e {\n" + std::string(lines) + "\n}\n"; }

}  // namespace tenon::hlo_programs
