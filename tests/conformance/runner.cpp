// SPDX-License-Identifier: Apache-2.0
//
// conformance FOLDER...: runs the StableHLO programs of the folders, each in a process of its own, and writes one line per
// case: name, pass | fail | unsupported | crash, detail. The last line is "N passed, N failed, N unsupported"; a crash
// counts as failed.

#include "checks.hpp"

#include <tenon/kernels/all.hpp>
#include <tenon/run/loaded_program.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace conformance {
namespace {

struct outcome {
  std::string status, detail;
};

// What the checks of the running program have found, and what its probes have kept.
struct run_state {
  int checks = 0;
  verdict total;
  std::string unsupported;
  std::map<std::string, std::vector<std::string>> probes;

  void add(const verdict& one, const std::string& name) {
    ++checks;
    if (one.worst > total.worst) total.worst = one.worst;
    if (one.failed && !total.failed) {
      total.failed = true;
      total.detail = name + ": " + one.detail;
    }
  }
};

run_state* running = nullptr;

// The number or word behind `key =` in a piece of text.
std::string attribute(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  std::size_t first = text.find('=', at);
  if (first == std::string_view::npos) return {};
  first = text.find_first_not_of(" \"", first + 1);
  const std::size_t last = text.find_first_of(" \",:}", first);
  return std::string(text.substr(first, last == std::string_view::npos ? last : last - first));
}

double number(const std::string& text, double otherwise) { return text.empty() ? otherwise : std::stod(text); }

bool has_type(const tenon::tensor_type& a, const tenon::tensor_type& b) {
  return a.element == b.element && a.shape == b.shape;
}

void run_foreign(const void*, const tenon::graph& g, const tenon::graph_node& node, const tenon::evaluation& e) {
  run_state& state = *running;
  const std::string name(tenon::name_of_foreign(g, node));
  const tenon::index_t* const words = g.words.data + node.words;
  const std::string_view attributes = g.text.substr(std::size_t(words[0]), std::size_t(words[1]));
  const auto literal_of = [&](const tenon::tensor_type& type) {
    std::string bytes(std::size_t(tenon::byte_size(type)) + 16, '\0');
    if (words[2] < 0 || !tenon::decode_literal(g, g.literals.data[words[2]], type, type.size(),
                                               reinterpret_cast<unsigned char*>(bytes.data())))
      state.unsupported = name + " without a literal";
    return bytes;
  };
  const bool constant = name.ends_with("_const");
  if (name.starts_with("check.expect_") && !name.ends_with("serialized_eq")) {
    const tenon::tensor_type& type = e.operand_types.data[0];
    const std::string bytes = constant ? literal_of(type) : std::string();
    const void* const expected = constant ? bytes.data() : e.operands[1];
    if (name.starts_with("check.expect_eq"))
      state.add(compare(check::equal, type, e.operands[0], expected, 0), name);
    else if (name.starts_with("check.expect_almost_eq"))
      state.add(compare(check::almost_equal, type, e.operands[0], expected,
                        number(attribute(attributes, "tolerance"), 1e-4)),
                name);
    else
      state.add(compare(check::close, type, e.operands[0], expected,
                        number(attribute(attributes, "max_ulp_difference"), 1),
                        number(attribute(attributes, "min_ulp_difference"), 0)),
                name);
  } else if (name == "interpreter.probe") {
    const tenon::tensor_type& type = e.operand_types.data[0];
    const std::size_t bytes = std::size_t(tenon::byte_size(type));
    std::memcpy(e.results[0], e.operands[0], bytes);
    state.probes[attribute(attributes, "probe_id")].emplace_back(static_cast<const char*>(e.operands[0]), bytes);
  } else if (name == "check.expect_serialized_eq") {
    const auto& kept = state.probes[attribute(attributes, "probe_id")];
    const std::size_t which = std::size_t(number(attribute(attributes, "iter"), 0));
    const tenon::tensor_type& type = e.operand_types.data[0];
    verdict found;
    if (which >= kept.size() || kept[which].size() != std::size_t(tenon::byte_size(type)))
      found.fail(0, "no such probe", "a tensor");
    else
      found = compare(check::equal, type, kept[which].data(), e.operands[0], 0);
    state.add(found, name);
  } else if (name == "interpreter.print") {
    ++state.checks;
  } else {
    state.unsupported = name;
  }
}

// Custom calls of the checks that JAX-written programs use.
void run_custom_call(const tenon::evaluation& e) {
  run_state& state = *running;
  const auto call = tenon::read_attributes<tenon::ops::custom_call>(e.words);
  const std::string name(e.details->name_of(call.call_target_name.id));
  if (name.starts_with("check.") && e.operands.size == 2) {
    if (!has_type(e.operand_types[0], e.operand_types[1])) {
      verdict wrong;
      wrong.fail(0, "another type", "the same type");
      return state.add(wrong, name);
    }
    if (name == "check.expect_eq")
      return state.add(compare(check::equal, e.operand_types[0], e.operands[0], e.operands[1], 0), name);
    if (name == "check.expect_almost_eq")
      return state.add(compare(check::almost_equal, e.operand_types[0], e.operands[0], e.operands[1], 1e-3), name);
    if (name == "check.eq")
      return state.add(compare(check::almost_equal, e.operand_types[0], e.operands[0], e.operands[1], 1e-4), name);
    if (name == "check.expect_close")
      return state.add(compare(check::close, e.operand_types[0], e.operands[0], e.operands[1], 3), name);
  }
  state.unsupported = "custom_call @" + name;
}

tenon::kernel find(const tenon::kernel_key& key) {
  if (key.kind == tenon::kind_of_op<tenon::ops::custom_call>) return &run_custom_call;
  return tenon::find_any_kernel(key);
}

std::string where(const tenon::load_error& error) {
  std::string text = std::to_string(error.line) + ":" + std::to_string(error.column) + ": " + error.label + ": " +
                     error.sentence;
  if (error.kind >= 0) text += " (" + std::string(tenon::name_of_kind(error.kind)) + ")";
  return text;
}

bool is_missing(const tenon::load_error& error) {
  const std::string_view label = error.label;
  return label == "unknown_op" || label == "not_supported";
}

outcome run_case(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const bool expects_error = text.starts_with("// expect-error"), expects_success = text.starts_with("// expect-ok");
  tenon::load_options options;
  options.parsing.foreign_dialects = "check interpreter";
  options.foreign = &run_foreign;
  if (expects_error || expects_success) {
    const tenon::graph_owner parsed = tenon::parse(text, options.parsing);
    if (const tenon::parse_error& error = parsed.error()) {
      const tenon::load_error refused{error.label, error.sentence, error.line, error.column};
      if (is_missing(refused)) return {"unsupported", where(refused)};
      return {expects_error ? "pass" : "fail", "refused: " + where(refused)};
    }
    return {expects_error ? "fail" : "pass", "accepted"};
  }
  tenon::loaded_program program(text, &find, options);
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

// Runs a case where it can neither take the runner down nor hold it up.
outcome run_apart(const std::string& path) {
  int ends[2];
  if (pipe(ends) != 0) return {"crash", "no pipe"};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const rlimit memory{std::size_t(4) << 30, std::size_t(4) << 30}, seconds{30, 30};
#if !defined(__SANITIZE_ADDRESS__)
    setrlimit(RLIMIT_AS, &memory);
#endif
    (void)memory;
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
    if (std::filesystem::is_regular_file(arguments[i])) cases.emplace_back(arguments[i]);
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
      if (result.status == "pass") ++passed;
      else if (result.status == "unsupported") ++unsupported;
      else ++failed;
    }
  }
  std::printf("%d passed, %d failed, %d unsupported\n", passed, failed, unsupported);
  return failed == 0 ? 0 : 1;
}
