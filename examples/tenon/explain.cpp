// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "model.hpp"

#include <tenon/pictures/dump.hpp>
#include <tenon/pictures/explain.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>
#include <string_view>

namespace {

constexpr auto to_output = [](std::string_view part) { std::fwrite(part.data(), 1, part.size(), stdout); };

}  // namespace

void explain(const model& of, bool as_picture) {
  if (as_picture) return tenon::write_dot(of.program->program(), of.program->plan(), to_output);
  print_rewrites(of);
  tenon::explain(of.program->program(), of.program->plan(), to_output);
}

void print_rewrites(const model& of) { tenon::explain_rewrites(of.program->applied_rewrites(), to_output); }

command add_explain(CLI::App& app) {
  struct options {
    model_file model;
    bool dot = false;
  };
  const auto how = std::make_shared<options>();
  add_model_options(app, how->model);
  app.add_flag("--dot", how->dot, "Draw that for Graphviz: tenon explain --dot MODEL | dot -Tsvg");
  return [how] { return explain(model(how->model, {}), how->dot), 0; };
}
