// SPDX-License-Identifier: Apache-2.0
//
// Which programs of others can be differentiated, by all arguments of real and complex numbers.
#include <gradients/differentiated.hpp>
#include <shared/read_program.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace tenon;
using namespace tenon::gradients;

namespace {

struct outcome {
  int differentiated = 0, skipped = 0;
  std::map<std::string, int> refused;
};

void differentiate(const std::filesystem::path& path, outcome& all) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const graph_owner program = read_program(text);
  const std::optional<ir::graph_function> entry = program.error() ? std::nullopt : ir::entry_of(program.program());
  std::vector<int> by;
  if (entry && entry->region >= 0) {
    const ir::graph& g = program.program();
    const ir::graph_region& body = g.regions.data[entry->region];
    for (int i = 0; i < body.argument_count; ++i) {
      const auto& type = g.type_of_value(body.arguments + i);
      if (type.is_tensor() && !type.is_quantized() && (is_float(type.element) || is_complex(type.element)))
        by.push_back(i);
    }
  }
  if (by.empty()) {
    ++all.skipped;
    return;
  }
  refusal why;
  derivative_of_text(text, {by.data(), int(by.size())}, derivative::pullback, why);
  if (why.label == nullptr)
    ++all.differentiated;
  else
    ++all.refused[std::string(why.label) + " " + std::string(why.target.view()) + " " + path.filename().string()];
}

}  // namespace

TEST_CASE("programs of others") {
  for (const char* name : {"torch", "gradients", "zoo"}) {
    const std::filesystem::path folder = std::filesystem::path(TENON_SOURCE_FOLDER "/../shared") / name;
    if (!std::filesystem::exists(folder)) {
      std::cout << "skipped: " << folder << " is not there\n";
      continue;
    }
    outcome all;
    for (const auto& each : std::filesystem::recursive_directory_iterator(folder))
      if (each.path().extension() == ".mlir") differentiate(each.path(), all);
    std::cout << name << ": " << all.differentiated << " differentiated, " << all.skipped
              << " without real arguments\n";
    for (const auto& [why, count] : all.refused) std::cout << "  refused: " << why << '\n';
  }
}
