// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shared/read_function.hpp>
#include <shared/simplified_program.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace tenon::test {
using namespace ir;

using namespace passes;

// `tensor<?4x3xf32>` stands for tensor<?x3xf32, #stablehlo.bounds<4, ?>>.
inline std::string with_bounds(const std::string& text) {
  constexpr std::string_view start = "tensor<";
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (text.compare(at, start.size(), start) != 0) {
      result += text[at++];
      continue;
    }
    std::size_t end = text.find('>', at);
    if (text.find("complex<", at) < end) ++end;
    std::string bounds;
    bool any = false;
    result += start;
    for (at += start.size(); at < end;) {
      const std::size_t next = text.find('x', at);
      if (next > end || text[at] == 'c') break;
      const bool open = text[at] == '?';
      bounds += (bounds.empty() ? "" : ", ") + (open ? text.substr(at + 1, next - at - 1) : std::string("?"));
      result += open ? "?x" : text.substr(at, next - at + 1);
      any = any || open;
      at = next + 1;
    }
    result += text.substr(at, end - at) + (any ? ", #stablehlo.bounds<" + bounds + ">>" : ">");
    at = end + 1;
  }
  return result;
}

// A function with these arguments, written out for static shapes, or why it cannot be.
class static_form {
 public:
  static_form(const std::string& arguments, const std::string& ops, const std::string& results)
      : source_(with_bounds(function_text(arguments, ops, results))) {
    simple_ = simplified_program(source_.program());
    fixed_ = static_program(simple_.get(), refusal_);
  }
  const graph& program() const { return fixed_.get(); }

  // Why there is none, and for which dimension.
  std::string refusal() const {
    return refusal_ ? std::to_string(refusal_.dimension) + ": " + refusal_.sentence : std::string();
  }
  // How many such ops there are.
  template <class Op>
  int count() const {
    REQUIRE(!refusal_);
    int found = 0;
    for (const graph_node& node : program().nodes) found += node.kind == kind_of_op<Op>;
    return found;
  }
  // The only one.
  template <class Op>
  const graph_node& only() const {
    REQUIRE(count<Op>() == 1);
    const graph_node* node = program().nodes.data;
    while (node->kind != kind_of_op<Op>) ++node;
    return *node;
  }
  // What hides padding, and what moves elements one by one.
  int masks() const { return count<ops::select>(); }
  int gathers() const { return count<ops::gather>(); }

 private:
  read_function source_;
  owned_graph simple_, fixed_;
  bounded_refusal refusal_;
};

}  // namespace tenon::test
