// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/mlir/printer.hpp>

#include <string>

namespace tenon {

// Appends the program to `out`, which takes characters as std::string does: append(data, size). The graph may come from
// any front end; what is read back is the same graph.
template <class Out>
void print(const ir::graph& program, Out& out, text_form form = text_form::own) {
  text::mlir::printer(program, text::mlir::sink_of(out), form).print_program();
}

inline std::string to_text(const ir::graph& program, text_form form = text_form::own) {
  std::string result;
  print(program, result, form);
  return result;
}

}  // namespace tenon
