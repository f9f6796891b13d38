// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <shared/read_program.hpp>

// Programs of StableHLO text, and what tests ask of them.
namespace tenon::stablehlo_programs {

using namespace ir;
using namespace core;
// The label of the error in a program.
inline std::string label_of(std::string_view text) {
  const graph_owner program = read_program(text);
  return program.error() ? program.error().label : "";
}
// A function with these arguments and ops.
inline std::string body(std::string_view arguments, std::string_view ops) {
  return "func.func @main(" + std::string(arguments) + ") {\n" + std::string(ops) + "\nreturn }";
}
inline constexpr std::string_view two = "%a: tensor<2x3xf32>, %b: tensor<2x3xf32>";

// The attributes of the first op of that kind.
template <class Op>
Op first(const graph_owner& program) {
  REQUIRE_MESSAGE(!program.error(), std::string(program.error().sentence));
  for (const graph_node& node : program.program().nodes)
    if (node.kind == kind_of_op<Op>) return read_attributes<Op>(program.program().words.data + node.words);
  REQUIRE_MESSAGE(false, "there is no such op");
  return {};
}
template <class Op>
Op first(std::string_view arguments, std::string_view ops) {
  const std::string text = body(arguments, ops);
  return first<Op>(read_program(text));
}

}  // namespace tenon::stablehlo_programs
