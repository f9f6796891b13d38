// SPDX-License-Identifier: Apache-2.0
//
// Runs, shows, differentiates, quantizes and compiles programs in StableHLO or HLO text: tenon --help. The same passes
// and kernels that serve while compiling serve here. Under its second name, tenon-run, it is one command.

#include "commands.hpp"
#include "documents.hpp"

#include <tenon/core/fail.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <filesystem>
#include <new>
#include <vector>

namespace {

int do_command(const command& chosen) {
  try {
    return chosen();
  } catch (const tenon::error& error) {
    std::fprintf(stderr, "%s\n", error.what());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "there is not enough memory\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return 1;
}

int tenon_run(int count, char** words) {
  CLI::App app("runs a StableHLO or HLO program on arrays of NumPy", "tenon-run");
  app.set_version_flag("--version", "tenon-run " TENON_VERSION, "Print the version and end");
  const command all = add_all_in_one(app);
  bool man = false, completion = false;
  app.add_flag("--man", man, "Print a man page");
  app.add_flag("--completion", completion, "Print a completion for bash: source <(tenon-run --completion)");
  try {
    app.parse(count, words);
    if (man) return print_man(app), 0;
    if (completion) return print_completion(app), 0;
    if (app.get_option("model")->empty()) throw CLI::RequiredError("model");
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return do_command(all);
}

int tenon_command(int count, char** words) {
  CLI::App app("runs, shows, differentiates and compiles StableHLO and HLO programs", "tenon");
  app.set_version_flag("--version", "tenon " TENON_VERSION, "Print the version and end");
  app.footer("tenon COMMAND --help says more of each.");
  app.require_subcommand(0, 1);
  std::vector<std::pair<CLI::App*, command>> commands;
  const auto add = [&](const char* name, const char* what, command (*options)(CLI::App&)) {
    CLI::App* const each = app.add_subcommand(name, what);
    commands.emplace_back(each, options(*each));
    each->get_option("model")->required();
  };
  add("run", "Run a program on arrays of NumPy", &add_run);
  add("inspect", "Print the arguments, results, ops and memory of a program", &add_inspect);
  add("build", "Compile a program into an object with a header for C", &add_build);
  add("grad", "Print the program that gives the gradients of a program", &add_grad);
  add("quantize", "Print a program with products in integers of 8 bits, with ranges from samples", &add_quantize);
  add("emit-c", "Print a program as plain C, one function without a library", &add_emit_c);
  add("explain", "Print which ops share a loop, and why others do not", &add_explain);
  bool man = false, completion = false;
  app.add_flag("--man", man, "Print a man page");
  app.add_flag("--completion", completion, "Print a completion for bash: source <(tenon --completion)");
  try {
    app.parse(count, words);
    if (man) return print_man(app), 0;
    if (completion) return print_completion(app), 0;
    for (const auto& [each, chosen] : commands)
      if (each->parsed()) return do_command(chosen);
    throw CLI::RequiredError("COMMAND");
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
}

}  // namespace

int main(int count, char** words) {
  const bool is_second_name = count > 0 && std::filesystem::path(words[0]).stem() == "tenon-run";
  return is_second_name ? tenon_run(count, words) : tenon_command(count, words);
}
