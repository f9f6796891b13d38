// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shared/read_program.hpp>

#include <doctest/doctest.h>

#include <string>

namespace tenon::test {

// The function of these arguments that ends with these results, "%r, %s : type, type".
inline std::string function_text(const std::string& arguments, const std::string& ops, const std::string& results) {
  return "func.func @main(" + arguments + ") -> (" + results.substr(results.find(':') + 1) + ") {\n" + ops +
         "\nreturn " + results + "\n}";
}

// A program together with its text, to which literals refer.
class read_function {
 public:
  explicit read_function(std::string text) : text_(static_cast<std::string&&>(text)), owner_(read_program(text_)) {
    REQUIRE_MESSAGE(!owner_.error(), std::string(owner_.error() ? owner_.error().sentence : ""));
  }
  read_function(const read_function&) = delete;
  read_function& operator=(const read_function&) = delete;

  const ir::graph& program() const { return owner_.program(); }

 private:
  std::string text_;
  graph_owner owner_;
};

}  // namespace tenon::test
