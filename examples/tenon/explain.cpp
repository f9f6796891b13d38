// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "model.hpp"

#include <tenon/pictures/dump.hpp>
#include <tenon/pictures/explain.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>
#include <string_view>

void explain(const model& of, bool as_picture) {
  const auto write = [](std::string_view part) { std::fwrite(part.data(), 1, part.size(), stdout); };
  if (as_picture)
    tenon::write_dot(of.program->program(), of.program->plan(), write);
  else
    tenon::explain(of.program->program(), of.program->plan(), write);
}

command add_explain(CLI::App& app) {
  struct options {
    std::string path;
    bool dot = false;
  };
  const auto how = std::make_shared<options>();
  app.add_option("model", how->path, "The program: StableHLO text, HLO text or a portable artifact")
      ->type_name("MODEL");
  app.add_flag("--dot", how->dot, "Draw that for Graphviz: tenon explain --dot MODEL | dot -Tsvg");
  return [how] { return explain(model(how->path, {}), how->dot), 0; };
}
