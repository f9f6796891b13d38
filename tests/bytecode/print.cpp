// SPDX-License-Identifier: Apache-2.0
#include <tenon/bytecode/print.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

using namespace tenon;

namespace {

// What jax.export(...).serialize() wrote of
//   y = tanh(x @ params["w"]) + params["b"]
//   {"sum": where([True, False, True], y, -1).sum(1), "most": max(y, 0) * arange(3)}
std::string exported() {
  std::ifstream file(TENON_SOURCE_FOLDER "/tests/bytecode/model.exported", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
std::string message_of(std::string_view file) {
  try {
    text_of_bytecode(file);
  } catch (const error& problem) {
    return problem.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a portable artifact is printed as StableHLO text") {
  const std::string text = text_of_bytecode(exported());
  for (const std::string_view line : {"@main(%v2: tensor<3xf32> loc(\"params['b']\"), %v3: tensor<2x3xf32> "
                                      "loc(\"params['w']\"), %v4: tensor<4x2xf32> loc(\"x\"))",
                                      "tensor<4xf32> {jax.result_info = \"result['sum']\"}) {\n",
                                      "stablehlo.constant dense<[true, false, true]> : tensor<3xi1>\n",
                                      "stablehlo.constant dense<0xFF800000> : tensor<f32>\n",
                                      "dense<\"0x000000000000803F00000040\"> : tensor<3xf32>\n",
                                      "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>",
                                      "<{dimensions = array<i64: 1>}> ({\n^bb0(%v", "\"stablehlo.return\"(%v",
                                      "func.call @_where(%v", "func.func private @_where("})
    CHECK_MESSAGE(text.find(line) != text.npos, line);
}

TEST_CASE("garbage is an error") {
  const std::string file = exported();
  CHECK(message_of("") == "the file is no MLIR bytecode");
  CHECK(message_of("ML\xefR") != "");
  CHECK(message_of("ML\xefR\x21") == "the version of the MLIR bytecode is not known");
  for (std::size_t size = 0; size < 1500; size += 7) CHECK(message_of(file.substr(0, size)) != "");
  std::uint32_t random = 1;
  for (int i = 0; i < 3000; ++i) {
    std::string changed = file;
    for (int k = 0; k < 2; ++k) {
      random = random * 1664525 + 1013904223;
      changed[random % changed.size()] = char(random >> 24);
    }
    message_of(changed);
  }
}
