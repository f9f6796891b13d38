// SPDX-License-Identifier: Apache-2.0
//
// tenon-plan MODEL OUTPUT: reads a program in StableHLO or HLO, simplifies and plans it, and writes what a struct has
// in place of the text (<tenon/planned_programs.hpp>). tenon_add_program(target AHEAD model.mlir) runs it while
// building. It knows no kernels, so that it is compiled quickly.

#include "print.hpp"

#include <tenon/graph/ir/diagnostic.hpp>
#include <tenon/graph/owned.hpp>
#include <tenon/quantized/owned.hpp>
#include <tenon/text/parse.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

using namespace tenon;
using namespace tenon::detail;

namespace {

// Ops in a program after the bodies of functions have taken the places of calls, at most, as for compilers.
constexpr int most_nodes = 200000;

struct refusal {
  std::string sentence;
  int byte = -1;  // in the text
};

// The message of a compiler: FILE:LINE:COLUMN: error: LABEL: SENTENCE, and the line with a mark below it.
void complain(const char* file, std::string_view text, const std::string& sentence, int byte) {
  if (byte < 0) {
    std::fprintf(stderr, "%s: error: %s\n", file, sentence.c_str());
    return;
  }
  const text_position at(text, byte);
  const std::size_t end = std::min(std::size_t(byte), text.size());
  const std::size_t first = end == 0 ? 0 : text.rfind('\n', end - 1) + 1;
  std::string line(text.substr(first, std::min(text.find('\n', first), text.size()) - first));
  std::size_t column = std::size_t(at.column > 0 ? at.column - 1 : 0), hidden = column > 120 ? column - 60 : 0;
  line = line.substr(std::min(hidden, line.size()), 160);
  std::fprintf(stderr, "%s:%d:%d: error: %s\n  %s\n  %*s\n", file, at.line, at.column, sentence.c_str(), line.c_str(),
               int(column - hidden) + 1, "^");
}

passes::owned_graph simplified(const ir::graph& from, const ir::graph_function& function,
                               int (&applied)[passes::all_rewrites::size], std::optional<refusal>& refused) {
  passes::simplifying_progress progress;
  passes::owned_graph result = passes::simplify(from, function, most_nodes, progress);
  for (int i = 0; i < passes::all_rewrites::size; ++i) applied[i] += progress.applied[i];
  if (progress.failure != nullptr) refused = {progress.failure, progress.failed_at};
  return result;
}

// The program as compiled programs are made ready (run/compiled.hpp), printed.
std::optional<refusal> plan_text(std::string_view text, std::string& printed) {
  parse_options options;
  options.open_sizes = text.find('?') != std::string_view::npos;
  const graph_owner parsed = parse(text, options);
  if (const parse_error& error = parsed.error())
    return refusal{std::string(error.label) + ": " + error.sentence, error.byte};
  const ir::graph& source = parsed.program();
  const std::optional<ir::graph_function> function = ir::entry_of(source);
  if (!function || function->region < 0) return refusal{"the program has no function to run"};
  if (has_open_types(source))
    return refusal{"sizes are open (?), so that there is a program for each list of arguments: leave out AHEAD"};

  std::optional<refusal> refused;
  int applied[passes::all_rewrites::size]{}, more[passes::all_rewrites::size]{};  // explanations list the first
  const passes::owned_graph expressed =
      source.quantizations.size > 0 ? passes::write_expressed(source) : passes::owned_graph();
  passes::owned_graph graph =
      simplified(source.quantizations.size > 0 ? expressed.get() : source, *function, applied, refused);
  if (refused) return refused;
  if (passes::has_bounded_dimensions(graph.get())) {
    passes::bounded_refusal why;
    const passes::owned_graph fixed = passes::give_static_shapes(graph.get(), why);
    if (why) {
      std::string sentence = why.kind >= 0 ? std::string(ir::name_of_kind(why.kind)) + ": " : std::string();
      if (why.dimension >= 0) sentence += "dimension " + std::to_string(why.dimension) + ": ";
      return refusal{sentence + why.sentence, why.source};
    }
    if (fixed.get().functions.size == 0) return refusal{"the program is too large for its bounded dimensions"};
    graph = simplified(fixed.get(), fixed.get().functions.data[0], more, refused);
    if (refused) return refused;
  }
  if (passes::wide_folds{graph.get()}.has_any()) {
    const passes::owned_graph wide = passes::write_conversions<passes::wide_folds>(graph.get());
    graph = simplified(wide.get(), wide.get().functions.data[0], more, refused);
    if (refused) return refused;
  }
  if (!print_planned(source, *function, graph.get(), applied, printed))
    return refusal{"the program could not be planned"};
  return {};
}

int run(const char* model, const std::filesystem::path& output) {
  std::ifstream file(model, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) return std::fprintf(stderr, "%s: error: it cannot be read\n", model), 1;
  std::string printed;
  if (const std::optional<refusal> refused = plan_text(text, printed))
    return complain(model, text, refused->sentence, refused->byte), 1;
  // Another name until it is complete.
  const std::filesystem::path begun = output.string() + ".new";
  std::ofstream to(begun, std::ios::binary);
  to << printed;
  to.close();
  std::error_code failed;
  if (to) std::filesystem::rename(begun, output, failed);
  if (!to || failed) {
    std::filesystem::remove(begun, failed);
    return std::fprintf(stderr, "%s: error: it cannot be written\n", output.c_str()), 1;
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return std::fprintf(stderr, "usage: tenon-plan MODEL OUTPUT\n"), 2;
  try {
    return run(words[1], words[2]);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: error: %s\n", words[1], problem.what());
  }
  return 1;
}
