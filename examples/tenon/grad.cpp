// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "gradient.hpp"
#include "model.hpp"

#include <tenon/core/fail.hpp>
#include <tenon/gradients/programs.hpp>
#include <tenon/text/parse.hpp>
#include <tenon/text/print.hpp>

#include <CLI/CLI.hpp>

#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace {

[[noreturn]] void refuse(const std::string& model, const std::string& text, const tenon::gradients::refusal& why) {
  int line = 0, column = 0;
  if (why.source >= 0) line = column = 1;
  for (int i = 0; i < why.source && i < int(text.size()); ++i) {
    ++column;
    if (text[std::size_t(i)] == '\n') ++line, column = 1;
  }
  tenon::fail(model, ":", line, ":", column, ": ", why.label, ": ", why.sentence, why.target.length > 0 ? " " : "",
              why.target.view());
}

std::vector<int> numbers_of(std::string_view arguments) {
  std::vector<int> numbers;
  for (std::size_t first = 0; first <= arguments.size();) {
    const std::size_t end = std::min(arguments.find(',', first), arguments.size());
    int number = -1;
    const auto [read, error] = std::from_chars(arguments.data() + first, arguments.data() + end, number);
    if (error != std::errc() || read != arguments.data() + end)
      tenon::fail("--grad: numbers of arguments are expected, such as 0,2");
    numbers.push_back(number);
    first = end + 1;
  }
  return numbers;
}

}  // namespace

tenon::ir::growing_graph gradient_of(const std::string& model, const std::string& text, const std::string& arguments) {
  const std::vector<int> numbers = numbers_of(arguments);
  const tenon::graph_owner program = tenon::parse(text);
  if (const tenon::parse_error& error = program.error())
    tenon::fail(model, ":", error.line, ":", error.column, ": ", error.label, ": ", error.sentence);
  const std::optional<tenon::ir::graph_function> function = tenon::ir::entry_of(program.program());
  if (!function) tenon::fail(model, ": there is no function main, nor a single other one");
  tenon::gradients::refusal why;
  tenon::ir::growing_graph result =
      tenon::gradients::differentiated(program.program(), *function, {numbers.data(), int(numbers.size())},
                                       tenon::gradients::derivative::value_and_gradients, why);
  if (why.label != nullptr) refuse(model, text, why);
  return result;
}

void print_gradient(const model_file& of, const std::string& arguments) {
  const model_text read(of);
  std::fputs(tenon::to_text(gradient_of(of.path, read.text, arguments).get()).c_str(), stdout);
}

command add_grad(CLI::App& app) {
  struct options {
    model_file model;
    std::string by = "0";
  };
  const auto how = std::make_shared<options>();
  add_model_options(app, how->model);
  app.add_option("--by", how->by, "The numbers of the arguments; 0 if none are named")->type_name("0,2,...");
  return [how] { return print_gradient(how->model, how->by), 0; };
}
