// SPDX-License-Identifier: Apache-2.0
#include "emit_c.hpp"

#include "built_model.hpp"
#include "commands.hpp"
#include "process.hpp"

#include <tenon/c99/emit.hpp>
#include <tenon/core/fail.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace {

namespace fs = std::filesystem;

struct settings {
  model_file model;
  std::string output, name;
};

std::vector<std::string> names_of(const std::vector<built_value>& values) {
  std::vector<std::string> names;
  for (const built_value& each : values) names.push_back(each.name);
  return names;
}

}  // namespace

void emit_c(const model& of, const std::string& output, const std::string& name) {
  const std::string from = output.empty() ? of.path : output,
                    symbol = identifier(name.empty() ? fs::path(from).stem().string() : name);
  if (!name.empty() && symbol != name) tenon::fail("--name ", name, ": a name that C allows is expected");
  const built_model described = describe(of, symbol, symbol);
  const tenon::c99::c_text written = tenon::c99::emit_c(
      *of.program, {symbol, names_of(described.arguments), names_of(described.results), described.source});
  if (const tenon::c99::refusal& refused = written.refused) {
    const std::string& text = of.text;
    std::ptrdiff_t line = 0, column = 0;
    if (refused.source >= 0 && refused.source < int(text.size())) {
      line = 1 + std::count(text.begin(), text.begin() + refused.source, '\n');
      column = refused.source - std::ptrdiff_t(text.rfind('\n', std::size_t(refused.source)));
    }
    tenon::fail(of.path, ":", line, ":", column, ": not_in_c: ", refused.op, " ", refused.sentence);
  }
  if (output.empty()) {
    std::fwrite(written.text.data(), 1, written.text.size(), stdout);
    return;
  }
  // Beside the file, so that it is there as a whole or not at all.
  const work_folder work(output);
  write_file(work.file("model.c"), written.text);
  std::error_code error;
  fs::rename(work.file("model.c"), output, error);
  if (error) tenon::fail(output, ": the file cannot be written");
  std::printf("%s\n", output.c_str());
}

command add_emit_c(CLI::App& app) {
  const auto how = std::make_shared<settings>();
  add_model_options(app, how->model);
  app.add_option("-o,--output", how->output, "Write the function there; without it, to the output")
      ->type_name("FILE.c");
  app.add_option("--name", how->name, "The name of the function, that of the file if none is given")->type_name("NAME");
  return [how] { return emit_c(model(how->model, {}), how->output, how->name), 0; };
}
