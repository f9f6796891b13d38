// SPDX-License-Identifier: Apache-2.0
//
// round_trip FOLDER...: reads the StableHLO programs of the folders, prints each in both forms, reads what was printed,
// and names those that are then another program. The last line is "N round trips, N failed".

#include <shared/print_program.hpp>
#include <shared/read_program.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <text/graphs.hpp>

namespace {

constexpr tenon::parse_options dialects{"check interpreter chlo"};

// What goes wrong, or nothing.
std::string broken(const tenon::ir::graph& program, tenon::text_form form) {
  const std::string printed = tenon::print_program(program, form);
  const tenon::graph_owner again = tenon::read_program(printed, dialects);
  if (again.error())
    return std::to_string(again.error().line) + ":" + std::to_string(again.error().column) + ": " +
           again.error().sentence;
  return tenon::same_program(program, again.program()) ? std::string() : "another program";
}

}  // namespace

int main(int count, char** arguments) {
  int done = 0, failed = 0;
  for (int i = 1; i < count; ++i) {
    std::vector<std::filesystem::path> cases;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(arguments[i]))
      if (entry.path().extension() == ".mlir") cases.push_back(entry.path());
    std::sort(cases.begin(), cases.end());
    for (const auto& path : cases) {
      std::ifstream file(path, std::ios::binary);
      const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
      const tenon::graph_owner program = tenon::read_program(text, dialects);
      if (program.error()) continue;
      for (const tenon::text_form form : {tenon::text_form::own, tenon::text_form::generic}) {
        ++done;
        const std::string wrong = broken(program.program(), form);
        if (wrong.empty()) continue;
        ++failed;
        std::printf("%s\t%s\t%s\n", path.string().c_str(), form == tenon::text_form::own ? "own" : "generic",
                    wrong.c_str());
      }
    }
  }
  std::printf("%d round trips, %d failed\n", done, failed);
  return failed == 0 && done > 0 ? 0 : 1;
}
