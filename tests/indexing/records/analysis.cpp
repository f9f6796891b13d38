// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"
#include "hlo_maps.hpp"

#include <memory>

namespace records {

namespace {

struct expected_map {
  map value{};
  std::string error;
  std::vector<std::pair<std::string, map>> sources;  // names of instructions
};

// A set of maps: each begins with a line with an arrow, or is a word; `runtime rtN = X:` and lines indented further
// give the map of a runtime variable.
std::vector<expected_map> read_map_set(const std::string& given) {
  std::vector<std::string> blocks;
  for (const std::string& line : lines_of(given)) {
    const bool is_nested = starts_with(line, " ");
    const bool is_word = is_one_of(line, {"KNOWN EMPTY", "UNKNOWN", "UNDEFINED"});
    if (!is_nested && (is_word || line.find("->") != std::string::npos)) blocks.emplace_back();
    if (!blocks.empty()) blocks.back() += line + "\n";
  }
  std::vector<expected_map> result;
  for (const std::string& block : blocks) {
    expected_map made;
    std::string main;
    std::vector<std::pair<std::string, std::string>> nested;
    for (const std::string& line : lines_of(block)) {
      if (starts_with(line, "runtime ")) {
        const std::size_t equals = line.find('=');
        nested.emplace_back(trimmed(line.substr(equals + 1, line.rfind(':') - equals - 1)), "");
      } else if (starts_with(line, " ") && !nested.empty()) {
        nested.back().second += trimmed(line) + "\n";
      } else {
        main += line + "\n";
      }
    }
    const auto parsed = indexing::parse<map>(main);
    made.value = parsed.map;
    made.error = std::string(parsed.error);
    for (const auto& one : nested) {
      const auto source = indexing::parse<map>(one.second);
      if (made.error.empty()) made.error = std::string(source.error);
      made.sources.emplace_back(one.first, source.map);
    }
    result.push_back(made);
  }
  return result;
}

std::string source_difference(const module& program, const expected_map& expected, const located_map& actual) {
  if (expected.sources.empty()) return {};
  if (expected.sources.size() != actual.sources.size()) return "numbers of runtime variables differ";
  for (std::size_t i = 0; i < expected.sources.size(); ++i) {
    const std::string name(program.instructions[actual.sources[i].producer].name);
    if (name != expected.sources[i].first) return "runtime variable " + std::to_string(i) + " comes from " + name;
    if (const std::string found = difference(expected.sources[i].second, actual.sources[i].element); !found.empty())
      return "runtime variable " + std::to_string(i) + ": " + found;
  }
  return {};
}

// Both are sets: every expected map pairs with one actual map.
std::string set_difference(const module& program, const std::string& expected_text, const map_set& actual,
                           bool is_quirk) {
  const std::vector<expected_map> expected = read_map_set(expected_text);
  if (expected.size() != actual.size()) {
    std::string found = std::to_string(expected.size()) + " maps expected, found " + std::to_string(actual.size());
    for (const located_map& one : actual) found += " " + text_of(one.value);
    return found;
  }
  std::vector<bool> taken(actual.size());
  for (const expected_map& one : expected) {
    if (!one.error.empty()) return one.error;
    std::string reason;
    bool matched = false;
    for (std::size_t i = 0; i < actual.size() && !matched; ++i) {
      if (taken[i]) continue;
      reason = difference(one.value, actual[i].value);
      if (reason.empty() && length_of_results(actual[i].value) > length_of_results(one.value))
        reason = "longer than expected: " + text_of(actual[i].value);
      if (reason.empty()) reason = source_difference(program, one, actual[i]);
      // What is recorded may be loose: then a map that reads a part of it is as good.
      if (!reason.empty() && is_quirk && excess(one.value, actual[i].value).empty()) reason.clear();
      matched = reason.empty();
      taken[i] = matched;
    }
    if (!matched) return reason.empty() ? "no such map" : reason;
  }
  return {};
}

map physical(const map& logical, const text::hlo_shape& from, const text::hlo_shape& to) {
  const map enter = indexing::transpose_map<map>(from.dimensions.select(from.major_to_minor), from.major_to_minor);
  const map leave = indexing::transpose_output_map<map>(to.dimensions, to.major_to_minor);
  map result = indexing::compose(indexing::compose(enter, logical), leave);
  indexing::simplify(result);
  return result;
}

std::vector<std::string> words_of(const std::string& given) { return split(given, " "); }

std::string either_expected(const record& given, const std::string& key, const std::string& value,
                            const module& program, const map_set& actual) {
  std::string found = set_difference(program, value, actual, given.has("quirk") && !given.has("exact"));
  for (const char* const other : {"exact", "also_accepted"}) {
    for (const std::string& name : {std::string(other), std::string(other) + " " + key})
      if (!found.empty() && given.has(name) && set_difference(program, given[name], actual, false).empty())
        found.clear();
  }
  return found;
}

}  // namespace

outcome run_analysis(const record& given) {
  const std::string program_text = given["hlo"];
  const auto program = std::make_unique<module>();
  text::parse_hlo(program_text, *program);
  if (!program->ok())
    return unsupported("hlo: " + std::string(program->error.message) + " at " +
                       std::to_string(program->error.position));
  const analysis maps(*program);
  const text::hlo_computation& entry = program->computations[program->entry];
  const int root = entry.root;
  const bool is_physical = given["layout"] == "physical";
  const bool is_fusion = maps.opcode(root) == "fusion";
  int checks = 0;

  // The cluster: listed instructions, and everything inside of listed fusions.
  const auto find_anywhere = [&](const std::string& name) {
    for (int c = program->computation_count - 1; c >= 0; --c) {
      // The entry first, then the others.
      const int at = c == program->computation_count - 1 ? program->entry : (c >= program->entry ? c + 1 : c);
      if (const int id = program->find(at, name); id >= 0) return id;
    }
    return -1;
  };
  std::set<int> cluster;
  std::map<int, map_set> groups;
  int target = -1;
  if (given.has("target")) {
    target = find_anywhere(given["target"]);
    if (target < 0) return unsupported("no target " + given["target"]);
    std::string listed = given["cluster"].substr(0, given["cluster"].find(';'));
    for (std::string name : split(listed, ",")) {
      name = name.substr(0, name.find(' '));
      const int id = find_anywhere(name);
      if (id < 0) return unsupported("no instruction " + name + " of the cluster");
      cluster.insert(id);
    }
    if (cluster.empty())
      for (int i = entry.first; i < entry.first + entry.count; ++i) cluster.insert(i);
    for (bool again = true; again;) {
      again = false;
      for (const int id : std::set<int>(cluster)) {
        if (maps.opcode(id) != "fusion" || maps.called_computation(id) < 0) continue;
        const text::hlo_computation& inside = program->computations[maps.called_computation(id)];
        for (int i = inside.first; i < inside.first + inside.count; ++i) again = cluster.insert(i).second || again;
      }
    }
    target = maps.resolved(target, cluster);
    groups = maps.grouped(target, cluster);
  }

  for (const auto& [key, value] : given.fields) {
    const std::vector<std::string> words = words_of(key);
    const std::vector<std::int64_t> numbers = integers_in(key);
    map_set actual;
    const bool is_replica = words[0].starts_with("replica");
    if (words[0] == "output_to_input" || words[0] == "input_to_output" || is_replica) {
      ++checks;
      if (value == "NONE") {
        if (numbers.empty() && maps.operand_count(root) > 0) return failure(key + ": there are operands");
        if (!numbers.empty() && numbers[0] < maps.operand_count(root))
          return failure(key + ": there is such an operand");
        continue;
      }
      const int operand = numbers.empty() ? 0 : static_cast<int>(numbers[0]);
      const int output = numbers.size() > 1 ? static_cast<int>(numbers[1]) : 0;
      if (operand >= maps.operand_count(root) || output >= program->instructions[root].shape_count)
        return failure(key + ": no such operand or output");
      const text::hlo_shape& output_shape = program->shape(root, output);
      const text::hlo_shape& operand_shape = program->shape(program->operand(root, operand));
      if (is_replica) {
        actual.push_back({maps.replicas(root, output, operand), {}});
        indexing::simplify(actual[0].value);
      } else if (words[0] == "output_to_input") {
        actual = maps.output_to_input(root, output, operand);
        for (located_map& one : actual) {
          if (is_physical) one.value = physical(one.value, output_shape, operand_shape);
          if (!is_fusion) indexing::simplify(one.value);
        }
      } else {
        actual.push_back({maps.input_to_output(root, operand, output), {}});
        if (is_physical) actual[0].value = physical(actual[0].value, operand_shape, output_shape);
        indexing::simplify(actual[0].value);
      }
    } else if (words[0] == "grouped" || words[0] == "by_producer") {
      ++checks;
      if (words.size() != 2) return unsupported(key);
      const std::string& name = words[1];
      // A name of the cluster may stand for what it resolves to.
      for (const auto& [id, set] : groups)
        if (program->instructions[id].name == name) actual = set;
      for (int id = 0; id < program->instruction_count && actual.empty(); ++id)
        if (program->instructions[id].name == name)
          if (const auto found = groups.find(maps.resolved(id, cluster)); found != groups.end()) actual = found->second;
    } else if (words[0] == "epilogue" && words.size() == 4) {
      ++checks;
      const int from = find_anywhere(words[1]);
      const int to = find_anywhere(words[3]);
      if (from < 0 || to < 0) return unsupported(key);
      std::map<int, map_set> reached;
      reached[from].push_back({indexing::identity_map<map>(maps.dimensions(from)), {}});
      for (int id = from + 1; id <= to; ++id)
        for (int k = 0; k < maps.operand_count(id); ++k)
          for (const located_map& one : map_set(reached[program->operand(id, k)])) {
            located_map composed = compose(one, {maps.input_to_output(id, k, 0), {}});
            simplify_and_prune(composed);
            add_unique(reached[id], composed);
          }
      actual = reached[to];
    } else {
      continue;
    }
    if (const std::string found = either_expected(given, key, value, *program, actual); !found.empty())
      return failure(key + ": " + found);
  }
  return checks > 0 ? outcome{} : unsupported("nothing to check");
}

}  // namespace records
