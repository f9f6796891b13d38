// SPDX-License-Identifier: Apache-2.0
#include "built_model.hpp"
#include "commands.hpp"
#include "compiler.hpp"
#include "model.hpp"
#include "print.hpp"
#include "process.hpp"

#include <tenon/core/fail.hpp>
#include <tenon/files/program_weights.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;

struct build_settings {
  model_file model;
  std::string output, name, weights;
  bool makes_library = false;
  compiler_settings compiling;
};

std::string joined(const std::vector<std::string>& components) {
  std::string text;
  for (const std::string& each : components) text += (text.empty() ? "" : ".") + each;
  return text;
}

// Values with names of their own.
std::vector<built_value> name_values(const std::vector<tenon::value_name>& names, bool are_results,
                                     std::set<std::string>& used) {
  std::vector<built_value> values;
  for (const tenon::value_name& each : names) {
    std::vector<std::string> components = tenon::detail::components_of(each.path);
    // JAX calls results "result['y']".
    if (are_results && components.size() > 1 && components[0] == "result" &&
        !std::isdigit(static_cast<unsigned char>(components[1][0])))
      components.erase(components.begin());
    const std::string name = identifier(components.empty() ? each.name : joined(components));
    std::string unique = name;
    for (int i = 2; !used.insert(unique).second; ++i)
      unique = name + (name.back() == '_' ? "" : "_") + std::to_string(i);
    values.push_back({unique, each.path, {}});
  }
  return values;
}

// A program alone has nobody to talk to.
void refuse_processes(const model& of) {
  static constexpr std::string_view names[] = {"all_gather",
                                               "all_reduce",
                                               "all_to_all",
                                               "collective_broadcast",
                                               "collective_permute",
                                               "cross-replica-sum",
                                               "cross_replica_sum",
                                               "ragged_all_to_all",
                                               "reduce_scatter",
                                               "infeed",
                                               "outfeed",
                                               "send",
                                               "recv"};
  for (const tenon::ir::graph_node& node : of.program->program().nodes) {
    const std::string_view name = tenon::ir::name_of_kind(node.kind);
    if (std::find(std::begin(names), std::end(names), name) == std::end(names)) continue;
    int line = 0, column = 0;
    if (node.source >= 0 && node.source < int(of.text.size())) {
      line = 1 + int(std::count(of.text.begin(), of.text.begin() + node.source, '\n'));
      column = node.source - int(of.text.rfind('\n', std::size_t(node.source)));
    }
    tenon::fail(of.path, ":", line, ":", column, ": not_supported: an op of several processes cannot be built: ", name,
                "; tenon run --grid runs it");
  }
}

// The headers that run what the program calls of LAPACK.
std::vector<std::string> lapack_parts_of(const std::string& text) {
  static constexpr struct {
    const char *routine, *part;
  } all[] = {{"potrf", "factorization"}, {"trsm", "factorization"}, {"getrf", "factorization"}, {"geev", "general"},
             {"gees", "general"},        {"gehrd", "general"},      {"geqrf", "orthogonal"},    {"geqp3", "orthogonal"},
             {"orgqr", "orthogonal"},    {"ungqr", "orthogonal"},   {"ormqr", "orthogonal"},    {"unmqr", "orthogonal"},
             {"syevd", "spectral"},      {"heevd", "spectral"},     {"gesdd", "spectral"},      {"gesvd", "spectral"},
             {"sytrd", "tridiagonal"},   {"hetrd", "tridiagonal"},  {"gtsv", "tridiagonal"}};
  std::set<std::string> parts;
  for (std::size_t at = text.find("lapack_"); at != text.npos; at = text.find("lapack_", at + 1))
    for (const auto& each : all)
      if (std::string_view(text).substr(std::min(at + 8, text.size())).starts_with(std::string(each.routine) + "_ffi"))
        parts.insert(each.part);
  return {parts.begin(), parts.end()};
}

// Writes the elements of arguments that a file has by name, each at a multiple of 64 bytes.
void build_in(const std::string& weights, const model& of, const std::string& path, built_model& to) {
  const tenon::program_weights read(*of.program, weights.c_str());
  std::ofstream file(path, std::ios::binary);
  long long at = 0;
  for (int i = 0; i < of.program->argument_count(); ++i) {
    if (!read.has(i)) continue;
    const long long bytes = tenon::byte_size(of.program->argument_type(i)), padding = (64 - bytes % 64) % 64;
    to.arguments[std::size_t(i)].weight_offset = at;
    file.write(static_cast<const char*>(read.data(i)), bytes);
    file.write(std::string(64, '\0').data(), padding);
    at += bytes + padding;
  }
  file.close();
  if (!file) tenon::fail(path, ": the file cannot be written");
  if (at > 0) to.weights = path;
}

int build(const build_settings& how) {
  fs::path output = how.output.empty() ? fs::path(how.model.path).stem() : fs::path(how.output);
  if (output.extension() == ".o") output.replace_extension();
  const fs::path folder = output.parent_path();
  if (output.filename().empty() || (!folder.empty() && !fs::is_directory(folder)))
    tenon::fail(output.string(), ": there is no folder ", folder.string());
  (void)is_hosted(how.compiling);  // an unknown target is refused before anything else is done
  const std::string file = output.filename().string();
  if (file.find_first_of("\"\\\n") != file.npos) tenon::fail(output.string(), ": a name without quotes is expected");
  const std::string symbol = identifier(how.name.empty() ? file : how.name);
  if (!how.name.empty() && symbol != how.name) tenon::fail("--name ", how.name, ": a name that C allows is expected");
  const model loaded(how.model, {});
  refuse_processes(loaded);
  built_model described = describe(loaded, symbol, file);
  const work_folder work(output.string());  // beside what will be written, so that files move to it in one step
  const std::string& weights = how.weights.empty() ? loaded.weights : how.weights;
  if (!weights.empty()) build_in(weights, loaded, work.file("weights"), described);
  std::vector<std::pair<std::string, fs::path>> written;
  const auto add = [&](const std::string& from, const fs::path& name) {
    written.emplace_back(work.file(from), folder / name);
  };
  write_file(work.file(file + ".h"), c_header(described));
  write_file(work.file(file + ".hpp"), cpp_header(described));
  write_file(work.file("source.cpp"), cpp_source(described));
  compile_object(how.compiling, work.path(), work.file("source.cpp"), work.file("object.o"));
  add(file + ".h", file + ".h");
  add(file + ".hpp", file + ".hpp");
  add("object.o", file + ".o");
  if (how.makes_library) {
    make_archive(how.compiling, work.path(), work.file("object.o"), work.file("archive.a"));
    add("archive.a", "lib" + file + ".a");
    if (is_hosted(how.compiling)) {
      link_shared(how.compiling, work.path(), work.file("object.o"), work.file("lib" + file + ".so"));
      add("lib" + file + ".so", "lib" + file + ".so");
    }
  }
  for (const auto& [from, to] : written) {
    std::error_code error;
    fs::rename(from, to, error);
    if (error) tenon::fail(to.string(), ": the file cannot be written");
    std::printf("%s\n", to.string().c_str());
  }
  return 0;
}

}  // namespace

built_model describe(const model& of, const std::string& symbol, const std::string& file) {
  const tenon::loaded_program& program = *of.program;
  built_model result;
  result.symbol = symbol;
  result.file = file;
  result.source = fs::path(of.path).filename().string();
  result.text = of.text;
  result.arena_bytes = program.arena_bytes();
  result.lapack_parts = lapack_parts_of(of.text);
  const tenon::function_names names = tenon::program_weights::names_of(program);
  std::set<std::string> used{symbol};
  result.arguments = name_values(names.arguments, false, used);
  result.results = name_values(names.results, true, used);
  for (int i = 0; i < program.argument_count(); ++i) result.arguments[std::size_t(i)].type = program.argument_type(i);
  for (int i = 0; i < program.result_count(); ++i) result.results[std::size_t(i)].type = program.result_type(i);
  return result;
}

command add_build(CLI::App& app) {
  const auto how = std::make_shared<build_settings>();
  add_model_options(app, how->model);
  app.add_option("-o,--output", how->output,
                 "Write NAME.h for C, NAME.hpp for C++ and NAME.o; as the model if none is named")
      ->type_name("NAME");
  app.add_option("--weights", how->weights, "Build these arguments in, by name")
      ->type_name("WEIGHTS.npz|WEIGHTS.safetensors");
  app.add_flag("--library", how->makes_library, "Write libNAME.a and libNAME.so, too");
  app.add_option("--name", how->name, "The name of the function, that of the files if none is given")
      ->type_name("NAME");
  app.add_option("--target", how->compiling.target,
                 "The machine that runs it: " + names_of_targets() + "; this one if none is named")
      ->type_name("MACHINE");
  app.add_option("--march", how->compiling.march,
                 "The processor that runs it, as the compiler calls it; none: say nothing")
      ->type_name("PROCESSOR")
      ->capture_default_str();
  app.add_option("--compiler", how->compiling.compiler, "g++ or clang++ in any version; $CXX if none is named")
      ->type_name("COMMAND");
  app.add_option("--flags", how->compiling.flags, "More flags for the compiler, which come last")
      ->type_name("\"FLAGS\"")
      ->allow_extra_args(false);
  app.add_option("--include", how->compiling.include_folders, "A folder with tenon, Highway or Eigen")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
  return [how] { return build(*how); };
}
