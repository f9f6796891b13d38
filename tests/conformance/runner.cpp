// SPDX-License-Identifier: Apache-2.0
//
// conformance FOLDER...: runs the StableHLO programs of the folders, each in a process of its own, and writes one line
// per case: name, pass | fail | unsupported | crash, detail. The last line is "N passed, N failed, N unsupported"; a
// crash counts as failed.

#include "program_checks.hpp"
#include "run_parallel.hpp"

#include <shared/read_program.hpp>
#include <shared/shared_program.hpp>
#include <tenon/kernels/all.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace conformance {
namespace {

struct outcome {
  std::string status, detail;
};

std::string where(const tenon::load_error& error) {
  std::string text =
      std::to_string(error.line) + ":" + std::to_string(error.column) + ": " + error.label + ": " + error.sentence;
  if (error.kind >= 0) text += " (" + std::string(tenon::ir::name_of_kind(error.kind)) + ")";
  return text;
}

bool is_missing(const tenon::load_error& error) {
  const std::string_view label = error.label;
  return label == "unknown_op" || label == "not_supported";
}

// What the programs of the cases call beside StableHLO. The context is the text of the module.
void run_any_foreign(const void* module, const tenon::ir::graph& g, const tenon::ir::graph_node& node,
                     const tenon::core::evaluation& e) {
  if (is_parallel_call(g, node))
    run_parallel(parallel_call_of(g, node), *static_cast<const std::string*>(module), e);
  else
    run_foreign(nullptr, g, node, e);
}

outcome run_case(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const bool expects_error = text.starts_with("// expect-error"), expects_success = text.starts_with("// expect-ok");
  tenon::load_options options;
  options.parsing.foreign_dialects = "check interpreter";
  options.foreign = &run_any_foreign;
  options.foreign_context = &text;
  if (expects_error || expects_success) {
    const tenon::graph_owner parsed = tenon::read_program(text, options.parsing);
    if (const tenon::parse_error& error = parsed.error()) {
      const tenon::load_error refused{error.label, error.sentence, error.line, error.column};
      if (is_missing(refused)) return {"unsupported", where(refused)};
      return {expects_error ? "pass" : "fail", "refused: " + where(refused)};
    }
    if (const std::string wrong = broken_parallel_call(parsed.program()); !wrong.empty())
      return {expects_error ? "pass" : "fail", "refused: " + wrong};
    return {expects_error ? "fail" : "pass", "accepted"};
  }
  if (const std::string wrong = broken_parallel_call(tenon::read_program(text, options.parsing).program());
      !wrong.empty())
    return {"fail", "refused: " + wrong};
  tenon::shared_program program(text, &tenon::find_any_kernel, options);
  if (!program.has_entry()) return {"pass", "no function"};
  if (const tenon::load_error& error = program.error())
    return {is_missing(error) ? "unsupported" : "fail", "refused: " + where(error)};
  if (program.argument_count() > 0) return {"unsupported", "the program takes arguments"};

  run_state state;
  running = &state;
  std::vector<std::string> memory;
  std::vector<void*> results;
  for (int i = 0; i < program.result_count(); ++i)
    memory.emplace_back(std::size_t(tenon::byte_size(program.result_type(i))) + 64, '\0');
  for (std::string& each : memory) results.push_back(each.data());
  try {
    program(nullptr, results.data());
  } catch (const tenon::error& error) {
    return {"fail", error.what()};
  }
  if (!state.unsupported.empty()) return {"unsupported", state.unsupported};
  if (state.total.failed) return {"fail", state.total.detail};
  char worst[64];
  std::snprintf(worst, sizeof worst, "%d checks, largest difference %g", state.checks, state.total.worst);
  return {"pass", worst};
}

// It reserves more addresses than any limit would allow.
constexpr bool has_address_sanitizer =
#if defined(__SANITIZE_ADDRESS__)
    true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    true;
#else
    false;
#endif
#else
    false;
#endif

// Runs a case where it can neither take the runner down nor hold it up.
outcome run_apart(const std::string& path) {
  int ends[2];
  if (pipe(ends) != 0) return {"crash", "no pipe"};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const rlimit memory{std::size_t(4) << 30, std::size_t(4) << 30}, seconds{30, 30};
    if (!has_address_sanitizer) setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CPU, &seconds);
    const outcome result = run_case(path);
    const std::string line = result.status + "\t" + result.detail;
    const bool written = write(ends[1], line.data(), line.size()) == ssize_t(line.size());
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string line;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;) line.append(buffer, std::size_t(count));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  const std::size_t tab = line.find('\t');
  if (status != 0 || tab == std::string::npos)
    return {"crash", WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : "no answer"};
  return {line.substr(0, tab), line.substr(tab + 1)};
}

}  // namespace
}  // namespace conformance

int main(int count, char** arguments) {
  int passed = 0, failed = 0, unsupported = 0;
  for (int i = 1; i < count; ++i) {
    std::vector<std::filesystem::path> cases;
    if (std::filesystem::is_regular_file(arguments[i]))
      cases.emplace_back(arguments[i]);
    else
      for (const auto& entry : std::filesystem::directory_iterator(arguments[i]))
        if (entry.path().extension() == ".mlir") cases.push_back(entry.path());
    std::sort(cases.begin(), cases.end());
    for (const auto& each : cases) {
      conformance::outcome result = conformance::run_apart(each.string());
      std::replace(result.detail.begin(), result.detail.end(), '\n', ' ');
      const std::string folder = each.parent_path().filename().string();
      std::printf("%s/%s\t%s\t%s\n", folder.c_str(), each.stem().string().c_str(), result.status.c_str(),
                  result.detail.c_str());
      std::fflush(stdout);
      if (result.status == "pass")
        ++passed;
      else if (result.status == "unsupported")
        ++unsupported;
      else
        ++failed;
    }
  }
  std::printf("%d passed, %d failed, %d unsupported\n", passed, failed, unsupported);
  return failed == 0 ? 0 : 1;
}
