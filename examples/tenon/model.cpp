// SPDX-License-Identifier: Apache-2.0
#include "model.hpp"

#include "gradient.hpp"
#include "print.hpp"

#include <tenon/bytecode/print.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/files/program_weights.hpp>
#include <tenon/kernels/all.hpp>

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

namespace {

constexpr std::string_view to_stablehlo_script =
#include "to_stablehlo.py.inc"
    ;
constexpr std::string_view operators_script =
#include "operators.py.inc"
    ;

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

// The scripts of examples/onnx write the text and the weights into the folder.
void convert_onnx(const model_file& of, const work_folder& folder) {
  if (!std::ifstream(of.path)) tenon::fail(of.path, ": the file cannot be opened");
  write_file(folder.file("to_stablehlo.py"), to_stablehlo_script);
  write_file(folder.file("operators.py"), operators_script);
  const char* const named = std::getenv("TENON_PYTHON");
  std::string python = of.python;
  if (python.empty()) python = named != nullptr && *named != '\0' ? named : "python3";
  std::vector<std::string> words = {python, "-B", folder.file("to_stablehlo.py"), of.path, folder.path()};
  for (const std::string& size : of.sizes) words.insert(words.end(), {"--size", size});
  const process_end end = run_process(words, folder.file("said"));
  if (end.succeeded) return;
  std::string message = end.last_line;
  for (const std::string& prefix : {of.path + ": ", std::string("error: ")})
    if (message.starts_with(prefix)) message.erase(0, prefix.size());
  const bool is_absent = message.find(" is missing: ") != message.npos || message.find(python + ": ") == 0;
  tenon::fail(
      of.path, ": ", message,
      is_absent ? " (Python reads ONNX, with its packages jax and onnx; --python or TENON_PYTHON names it)" : "");
}

}  // namespace

void add_model_options(CLI::App& app, model_file& to) {
  app.add_option("model", to.path, "The program: StableHLO text, HLO text, a portable artifact, or ONNX by Python")
      ->type_name("MODEL");
  app.add_option("--size", to.sizes, "A size that an .onnx file leaves open, by its name")
      ->type_name("NAME=N")
      ->allow_extra_args(false);
  app.add_option("--python", to.python,
                 "The Python with jax and onnx that reads .onnx; $TENON_PYTHON or python3 if none is named")
      ->type_name("COMMAND");
}

model_text::model_text(const model_file& of) {
  if (std::filesystem::path(of.path).extension() != ".onnx") {
    text = read_text(of.path);
    return;
  }
  folder = std::make_unique<work_folder>((std::filesystem::temp_directory_path() / "tenon").string());
  convert_onnx(of, *folder);
  text = read_text(folder->file("model.mlir"));
  if (std::filesystem::exists(folder->file("weights.npz"))) weights = folder->file("weights.npz");
}

model::model(const model_file& file, const load_settings& how) : model_text(file), path(file.path) {
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
