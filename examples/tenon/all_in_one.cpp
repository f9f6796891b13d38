// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "emit_c.hpp"
#include "model.hpp"
#include "print.hpp"
#include "quantize.hpp"
#include "run.hpp"

#include <tenon/core/fail.hpp>

#include <CLI/CLI.hpp>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

namespace {

// The text as a literal, whose end no text has in it, and a program of it.
void write_header(const std::string& path, const model& of) {
  const std::string& text = of.text;
  const tenon::loaded_program& program = *of.program;
  std::string name = std::filesystem::path(path).stem().string(), end = "tenon";
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  name = "program_" + name;  // which is no keyword
  while (text.find(")" + end + "\"") != text.npos) end += "_";
  std::ofstream file(path, std::ios::binary);
  file << "// Written by tenon-run --emit-header from " << of.path << ".\n#pragma once\n\n"
       << "#include <tenon/programs.hpp>\n#include <tenon/tensors.hpp>\n\n#include <string_view>\n\nstruct " << name
       << "_text {\n  static constexpr std::string_view text = std::string_view(R\"" << end << "(" << text << ")" << end
       << "\", " << text.size() << ");\n};\n\n// Takes";
  for (int i = 0; i < program.argument_count(); ++i) file << (i == 0 ? " " : ", ") << text_of(program.argument_type(i));
  file << (program.argument_count() == 0 ? " nothing" : "") << "; gives";
  for (int i = 0; i < program.result_count(); ++i) file << (i == 0 ? " " : ", ") << text_of(program.result_type(i));
  file << ".\nusing " << name << " = tenon::program<" << name << "_text>;\n";
  file.close();
  if (!file) tenon::fail(path, ": the file cannot be written");
}

struct settings : run_settings {
  std::string header;
  bool emits_grad = false, explains = false, passes = false, draws = false, inspects = false, quantizes = false,
       emits_c = false;
  quantize_settings quantized;
};

}  // namespace

command add_all_in_one(CLI::App& app) {
  const auto how = std::make_shared<settings>();
  add_run_options(app, *how);
  app.add_flag("--inspect", how->inspects,
               "Print the arguments, results, ops and memory of the program, and do not run it");
  app.add_flag("--explain", how->explains, "Print which ops share a loop, and why others do not");
  app.add_flag("--passes", how->passes, "Print which rewrites were applied to the program, and how often");
  app.add_flag("--dot", how->draws, "Draw that for Graphviz: tenon-run --dot MODEL | dot -Tsvg");
  app.add_option("--emit-header", how->header, "Write a header that compiles the program, and do not run it")
      ->type_name("FILE.hpp");
  app.add_flag("--emit-c", how->emits_c, "Print the program as a function of plain C, and do not run it");
  app.add_flag("--emit-grad", how->emits_grad,
               "Print the text of that program (--grad 0 without numbers), and do not run it");
  app.add_flag("--quantize", how->quantizes,
               "Print the program with products in integers of 8 bits; the arguments are samples to see ranges of");
  add_quantize_options(app, how->quantized);
  return [how] {
    if (how->quantizes) {
      quantize_settings& to = how->quantized;
      to.model = how->model, to.samples = how->arguments, to.weights = how->weights, to.output = how->output;
      return quantize_program(to);
    }
    if (how->emits_grad) return print_gradient(how->model, how->grad.empty() ? "0" : how->grad), 0;
    return run_program(*how, [&](const model& loaded) {
      if (how->passes) print_rewrites(loaded);
      if (how->explains) explain(loaded, false);
      if (how->draws) explain(loaded, true);
      if (how->inspects) inspect(loaded);
      if (!how->header.empty()) write_header(how->header, loaded);
      if (how->emits_c) emit_c(loaded, {}, {});
      const bool has_no_arguments = how->arguments.empty() && !how->random && !how->zeros;
      return how->inspects || how->emits_c || !how->header.empty() ||
             ((how->passes || how->explains || how->draws) && has_no_arguments);
    });
  };
}
