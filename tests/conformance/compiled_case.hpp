// SPDX-License-Identifier: Apache-2.0
#pragma once

// Third-party programs through the compile-time path: what compile_sample.sh includes in the programs it writes.
#include "parallel_call.hpp"
#include "program_checks.hpp"

#include <tenon/run/program.hpp>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr bool is_any_of(std::string_view word, std::initializer_list<std::string_view> words) {
  for (std::string_view each : words)
    if (word == each) return true;
  return false;
}

template <class Text>
int run_case() {
  using code = tenon::execution::compiled<tenon::detail::program_source<Text>>;
  constexpr tenon::ir::graph_region body = code::graph().regions[code::graph().functions[0].region];
  if (body.argument_count > 0) return std::printf("unsupported\tthe program takes arguments\n"), 0;
  conformance::run_state state;
  conformance::running = &state;
  std::vector<std::vector<unsigned char>> memory;
  std::vector<void*> results;
  for (int value : code::graph().yields_of(body))
    memory.emplace_back(std::size_t(tenon::byte_size(code::graph().type_of_value(value))) + 64);
  for (auto& each : memory) results.push_back(each.data());
  tenon::run_options options;
  options.foreign = &conformance::run_foreign;
  try {
    code::run(nullptr, results.data(), options);
  } catch (const tenon::error& failure) {
    return std::printf("fail\t%s\n", failure.what()), 0;
  }
  if (!state.unsupported.empty()) return std::printf("unsupported\t%s\n", state.unsupported.c_str()), 0;
  if (state.total.failed) return std::printf("fail\t%s\n", state.total.detail.c_str()), 0;
  return std::printf("pass\t%d checks, largest difference %g\n", state.checks, state.total.worst), 0;
}

// Prints status and detail, parted by a tab.
template <class Text>
int judge_case() {
  constexpr tenon::parse_error refused = tenon::parsed<Text>::error;
  constexpr bool expects_error = Text::text.substr(0, 15) == "// expect-error",
                 expects_success = Text::text.substr(0, 12) == "// expect-ok";
  if constexpr (refused) {
    const bool missing = is_any_of(refused.label, {"unknown_op", "not_supported"});
    return std::printf("%s\trefused: %d:%d: %s: %s\n", missing ? "unsupported" : (expects_error ? "pass" : "fail"),
                       refused.line, refused.column, refused.label, refused.sentence),
           0;
  } else if constexpr (expects_error || expects_success) {
    if (const std::string wrong = conformance::broken_parallel_call(tenon::parsed<Text>::view()); !wrong.empty())
      return std::printf("%s\trefused: %s\n", expects_error ? "pass" : "fail", wrong.c_str()), 0;
    return std::printf("%s\taccepted\n", expects_error ? "fail" : "pass"), 0;
  } else if constexpr (!tenon::ir::entry_of(tenon::parsed<Text>::view())) {
    return std::printf("pass\tno function\n"), 0;
  } else {
    return run_case<Text>();
  }
}

// The case with the number that the arguments of the program give.
template <class... Texts>
int judge_one_of(char** arguments) {
  constexpr int (*judges[])() = {&judge_case<Texts>...};
  return judges[std::atoi(arguments[1])]();
}

}  // namespace
