// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "model.hpp"
#include "print.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <map>
#include <memory>
#include <string_view>

void inspect(const model& of) {
  const tenon::loaded_program& program = *of.program;
  std::printf("arguments%s\nresults", signature_of(program).c_str());
  tenon::index_t passed = 0;
  for (int i = 0; i < program.argument_count(); ++i) passed += tenon::byte_size(program.argument_type(i));
  for (int i = 0; i < program.result_count(); ++i) {
    passed += tenon::byte_size(program.result_type(i));
    std::printf("\n  result %d: %s", i, text_of(program.result_type(i)).c_str());
  }
  std::map<std::string_view, int> ops;
  for (const tenon::ir::graph_node& node : program.program().nodes) ++ops[tenon::ir::name_of_kind(node.kind)];
  std::printf("\nops, after simplification");
  for (const auto& [name, count] : ops) std::printf("\n  %6d %.*s", count, int(name.size()), name.data());
  std::printf("\nmemory\n  %lld bytes of arguments and results\n  %lld bytes of constants\n  %lld bytes to work in\n",
              static_cast<long long>(passed), static_cast<long long>(program.plan().constant_bytes),
              static_cast<long long>(program.arena_bytes()));
}

command add_inspect(CLI::App& app) {
  struct options {
    model_file model;
    bool prints_text = false;
  };
  const auto how = std::make_shared<options>();
  add_model_options(app, how->model);
  app.add_flag("--text", how->prints_text, "Print its text, to which positions in messages refer, and nothing else");
  return [how] {
    if (how->prints_text)
      std::fputs(model_text(how->model).text.c_str(), stdout);
    else
      inspect(model(how->model, {}));
    return 0;
  };
}
