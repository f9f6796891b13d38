// SPDX-License-Identifier: Apache-2.0
#include "model.hpp"

#include "gradient.hpp"
#include "print.hpp"

#include <tenon/bytecode/print.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/files/program_weights.hpp>
#include <tenon/kernels/all.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

std::string read_text(const std::string& path) {
  constexpr std::uintmax_t most = std::uintmax_t(1) << 30;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) tenon::fail(path, ": the file cannot be opened");
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(path, unknown);
  if (!unknown && size > most) tenon::fail(path, ": the file is larger than 1 GB");
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) tenon::fail(path, ": the file cannot be read");
  std::string read = std::move(text).str();
  if (tenon::find_bytecode(read) == read.npos) return read;
  try {
    return tenon::text_of_bytecode(read);
  } catch (const tenon::error& problem) {
    tenon::fail(path, ": ", problem.what());
  }
}

model::model(const std::string& file, const load_settings& how) : path(file), text(read_text(file)) {
  tenon::load_options loading;
  loading.argument_shapes = {how.shapes.data(), int(how.shapes.size())};
  loading.in_parts = how.in_parts;
  if (how.grad.empty()) {
    program = std::make_unique<tenon::loaded_program>(text, &tenon::find_any_kernel, loading);
  } else {
    derived = gradient_of(path, text, how.grad);
    program = std::make_unique<tenon::loaded_program>(derived.get(), &tenon::find_any_kernel, loading);
  }
  if (const tenon::load_error& error = program->error()) {
    const std::string op = !error.name.empty() ? ": " + std::string(error.name)
                           : error.kind >= 0   ? ": " + std::string(tenon::ir::name_of_kind(error.kind))
                                               : std::string();
    const std::string where = error.dimension >= 0 ? ", dimension " + std::to_string(error.dimension) : std::string();
    tenon::fail(path, ":", error.line, ":", error.column, ": ", error.label, ": ", error.sentence, op, where);
  }
  if (!program->has_entry()) tenon::fail(path, ": there is no function main, nor a single other one");
}

std::string signature_of(const tenon::loaded_program& program) {
  const tenon::function_names names = tenon::program_weights::names_of(program);
  std::string text;
  for (int i = 0; i < program.argument_count(); ++i) {
    const tenon::value_name& name = names.arguments[std::size_t(i)];
    text += "\n  argument " + std::to_string(i) + ": " + text_of(program.argument_type(i)) + " " +
            (name.path.empty() ? name.name : name.path);
  }
  return text;
}
