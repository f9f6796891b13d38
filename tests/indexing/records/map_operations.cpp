// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"

#include <algorithm>

namespace records {

namespace indexing = tenon::indexing;
using indexing::interval;
using handle = indexing::expression<map>;

namespace {

struct named_map {
  map value{};
  names variables{};
  std::string error;
};

named_map read_map(const std::string& text) {
  named_map result;
  if (trimmed(text).empty()) {
    result.error = "no map is given";
    return result;
  }
  // The parsed names point into the text.
  static std::vector<std::string> kept;
  kept.reserve(100000);
  kept.push_back(text);
  const auto parsed = indexing::parse<map>(kept.back());
  result.value = parsed.map;
  result.variables = parsed.names;
  if (!parsed.error.empty())
    result.error = std::string(parsed.error) + " at " + std::to_string(parsed.position) + " of " + text;
  return result;
}

// `expression in [lo, hi]`, several parted by semicolons or lines.
std::string add_constraints(named_map& to, const std::string& text) {
  std::string joined = text;
  std::replace(joined.begin(), joined.end(), '\n', ';');
  for (const std::string& one : split(joined, ";")) {
    const std::size_t in = one.rfind(" in ");
    const std::vector<std::int64_t> ends = in == std::string::npos ? point{} : integers_in(one.substr(in));
    if (ends.size() != 2) return "no constraint: " + one;
    const handle value = indexing::parse_expression(to.value, to.variables, one.substr(0, in));
    if (value.id < 0) return "no expression: " + one;
    to.value.add_constraint(value, {ends[0], ends[1]});
  }
  return {};
}

bool is_yes(const std::string& text) { return starts_with(text, "yes") || starts_with(text, "true"); }

std::string name_of(const named_map& from, indexing::operation op, int i) {
  names copy = from.variables;
  return std::string(copy.at(op, i));
}

std::vector<std::string> names_of(const named_map& from, indexing::variable_set<map> set) {
  std::vector<std::string> result;
  for (const indexing::operation op : indexing::variable_kinds)
    for (int i = 0; i < from.value.count(op); ++i)
      if (set.at(op, i)) result.push_back(name_of(from, op, i));
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<std::string> sorted_words(std::string text) {
  std::replace(text.begin(), text.end(), ',', ' ');
  std::vector<std::string> words = split(text, " ");
  if (words == std::vector<std::string>{"none"}) words.clear();
  std::sort(words.begin(), words.end());
  return words;
}

indexing::variable_set<map> all_variables(const map& given) {
  indexing::variable_set<map> all;
  for (const indexing::operation op : indexing::variable_kinds)
    for (int i = 0; i < given.count(op); ++i) all.at(op, i) = true;
  return all;
}

struct applied {
  bool known = true;
  bool changed = false;
  bool reports_removed = false;
  indexing::variable_set<map> removed{};
};

// Operations that change one map.
applied apply(const std::string& operation, map& value, const record& given) {
  applied result;
  const map before = value;
  const auto removal = [&](indexing::variable_set<map> removed) {
    result.removed = removed;
    result.reports_removed = true;
    result.changed = removed.count() > 0;
  };
  if (operation == "simplify") {
    result.changed = indexing::simplify(value, {.keep_point_variables = given["mode"] == "keep_point_dims"});
  } else if (operation == "rescale_symbols") {
    result.changed = indexing::rescale_symbols(value);
  } else if (operation == "remove_unused_vars") {
    removal(indexing::remove_unused_vars(value));
  } else if (operation == "remove_unused_symbols") {
    removal(indexing::remove_unused_symbols(value));
  } else if (operation == "remove_unused_dimensions" || operation == "remove_unused_dims") {
    removal(indexing::remove_unused_dimensions(value));
  } else if (operation == "symbols_to_dims") {
    value = indexing::symbols_to_dims(value);
    result.changed = !(value == before);
  } else if (operation == "range_vars_to_dims") {
    const point indices = integers_in(given["indices"]);
    value = indexing::range_vars_to_dims(value, std::span<const std::int64_t>(indices));
    result.changed = !(value == before);
  } else {
    result.known = operation == "construct" || operation == "add_constraint" || operation == "none";
  }
  return result;
}

// One of the alternatives `result N is E ; constraint E in [lo, hi]` of rescale_symbols, over the variables of
// `actual`.
std::string difference_from_alternative(const std::string& text, const named_map& actual) {
  named_map expected = actual;
  expected.value.constraint_count = 0;
  for (const std::string& part : split(text, ";")) {
    if (starts_with(part, "constraint ")) {
      if (const std::string error = add_constraints(expected, part.substr(11)); !error.empty()) return error;
    } else if (const std::size_t is = part.find(" is "); starts_with(part, "result ") && is != std::string::npos) {
      const handle value = indexing::parse_expression(expected.value, expected.variables, part.substr(is + 4));
      const std::vector<std::int64_t> index = integers_in(part.substr(0, is));
      if (value.id < 0 || index.size() != 1 || index[0] >= expected.value.result_count) return "no result: " + part;
      expected.value.results[index[0]] = value.id;
    } else {
      return "no alternative: " + part;
    }
  }
  return difference(expected.value, actual.value);
}

// The actual map against `expected`, or `exact` or `also_accepted`. A simplified result must not be longer.
outcome compare_with_expected(const record& given, const named_map& input, const map& actual, bool simplified) {
  std::string reason;
  for (const char* const key : {"expected", "exact", "also_accepted"}) {
    if (!given.has(key)) continue;
    std::string found;
    named_map wanted;
    if (given[key] == "unchanged" || given[key] == "equivalent" || starts_with(given[key], "equivalent ")) {
      wanted.value = input.value;
    } else {
      wanted = read_map(given[key]);
    }
    found = wanted.error.empty() ? difference(wanted.value, actual) : wanted.error;
    if (found.empty() && simplified && length_of_results(actual) > length_of_results(wanted.value))
      found = "longer than expected: " + text_of(actual);
    if (found.empty() && given[key] == "unchanged" && !(actual == input.value)) found = "changed: " + text_of(actual);
    if (found.empty()) return {};
    if (reason.empty()) reason = found;
  }
  return failure(reason.empty() ? "nothing is expected" : reason);
}

outcome check_flag(const record& given, const std::string& key, bool actual) {
  if (!given.has(key) || is_yes(given[key]) == actual) return {};
  return failure(key + " should be " + given[key] + " but is " + (actual ? "yes" : "no"));
}

outcome run_transformation(const record& given) {
  const std::string operation = given["op"];
  named_map input = read_map(given["input"]);
  if (!input.error.empty()) return failure(input.error);
  for (const char* const key : {"constraints", "add_constraint"})
    if (const std::string error = add_constraints(input, given[key]); !error.empty()) return failure(error);

  named_map actual = input;
  const applied result = apply(operation, actual.value, given);
  if (!result.known) return unsupported("op " + operation);
  if (const outcome flag = check_flag(given, "changed", result.changed); flag.state != status::pass) return flag;
  if (given.has("changed_again")) {
    map again = actual.value;
    const bool changed = apply(operation, again, given).changed;
    if (const outcome flag = check_flag(given, "changed_again", changed); flag.state != status::pass) return flag;
    actual.value = again;
  }
  if (given.has("removed") && result.reports_removed) {
    const std::vector<std::string> known = names_of(input, all_variables(input.value));
    const std::vector<std::string> wanted = sorted_words(given["removed"]);
    if (!std::includes(known.begin(), known.end(), wanted.begin(), wanted.end()))
      return unsupported("removed " + given["removed"]);
    if (names_of(input, result.removed) != wanted)
      return failure("other variables were removed than " + given["removed"]);
  }
  if (given.has("then")) {
    const applied then = apply(given["then"], actual.value, given);
    if (!then.known) return unsupported("then " + given["then"]);
    if (const outcome flag = check_flag(given, "changed_then", then.changed); flag.state != status::pass) return flag;
  }
  if (given.has("results") && integers_in(given["results"]) != point{actual.value.result_count})
    return failure("number of results is " + std::to_string(actual.value.result_count));
  if (given.has("constraints_left") && integers_in(given["constraints_left"]) != point{actual.value.constraint_count})
    return failure("number of constraints left is " + std::to_string(actual.value.constraint_count));
  if (given.has("simplified")) {
    map simplified = actual.value;
    indexing::simplify(simplified);
    const named_map wanted = read_map(given["simplified"]);
    if (!wanted.error.empty()) return failure(wanted.error);
    if (const std::string found = difference(wanted.value, simplified); !found.empty()) return failure(found);
    if (length_of_results(simplified) > length_of_results(wanted.value))
      return failure("longer than expected: " + text_of(simplified));
  }
  bool has_alternatives = false;
  std::string reason;
  for (const auto& field : given.fields) {
    if (!starts_with(field.first, "one_of")) continue;
    has_alternatives = true;
    const std::string found = difference_from_alternative(field.second, actual);
    if (found.empty()) return {};
    reason += found + " ";
  }
  if (has_alternatives) return failure(reason);
  if (!given.has("expected")) return {};
  return compare_with_expected(given, input, actual.value, operation == "simplify" || given["then"] == "simplify");
}

outcome run_compose(const record& given) {
  const named_map producer = read_map(given["producer"]);
  const named_map consumer = read_map(given["consumer"]);
  if (!producer.error.empty()) return failure(producer.error);
  if (!consumer.error.empty()) return failure(consumer.error);
  map composed = indexing::compose(consumer.value, producer.value);
  if (given.has("results") && integers_in(given["results"]) != point{composed.result_count})
    return failure("number of results is " + std::to_string(composed.result_count));
  const bool then_simplify = given["then"] == "simplify" || given["after"] == "simplify";
  if (given.has("expected")) {
    map compared = composed;
    if (then_simplify) indexing::simplify(compared);
    const outcome result = compare_with_expected(given, {}, compared, then_simplify);
    if (result.state != status::pass) return result;
  }
  if (given.has("simplified")) {
    const bool changed = indexing::simplify(composed);
    if (const outcome flag = check_flag(given, "changed", changed); flag.state != status::pass) return flag;
    const named_map wanted = read_map(given["simplified"]);
    if (!wanted.error.empty()) return failure(wanted.error);
    if (const std::string found = difference(wanted.value, composed); !found.empty()) return failure(found);
    if (length_of_results(composed) > length_of_results(wanted.value))
      return failure("longer than expected: " + text_of(composed));
  }
  return {};
}

outcome run_verify(const record& given) {
  const named_map expression = read_map(given[given.has("expression") ? "expression" : "input"]);
  // Symbols are range variables, then runtime variables, whatever the brackets say.
  bool valid = expression.error.empty() && indexing::verify(expression.value);
  std::size_t dimensions = 0;
  std::size_t symbols = 0;
  for (const std::string& group : split(given["variables"], ";")) {
    const std::size_t count = integers_in(group.substr(group.find(' '))).size() / 2;
    (starts_with(group, "dim") ? dimensions : symbols) += count;
  }
  if (given.has("variables"))
    valid = valid && static_cast<int>(dimensions) == expression.value.dimension_count &&
            static_cast<int>(symbols) == expression.value.symbol_count();
  if (valid == starts_with(given["expected"], "valid")) return {};
  return failure(std::string("found ") + (valid ? "valid" : "invalid"));
}

outcome run_print(const record& given) {
  const named_map input = read_map(given["input"]);
  if (!input.error.empty()) return failure(input.error);
  std::string wanted = given.has("printed") ? given["printed"] : given["expected"];
  if (starts_with(wanted, "same")) wanted = given["input"];
  const std::string printed(indexing::print(input.value, input.variables).view());
  if (without_spaces(printed) == without_spaces(wanted)) return {};
  // The order of summands is free.
  const named_map expected = read_map(wanted);
  const named_map again = read_map(printed);
  const auto head = [](const std::string& text) { return without_spaces(text.substr(0, text.find("->"))); };
  if (expected.error.empty() && again.error.empty() && expected.value == again.value && head(printed) == head(wanted))
    return {};
  return failure("printed as " + printed);
}

outcome run_point(const record& given) {
  const named_map input = read_map(given["input"]);
  if (!input.error.empty()) return failure(input.error);
  const point dimensions = integers_in(given["dims"]);
  const point symbols = integers_in(given["symbols"]);
  if (given["op"] == "constraints_satisfied")
    return check_flag(given, "expected", indexing::constraints_satisfied(input.value, dimensions, symbols));
  const auto values = indexing::evaluate(input.value, dimensions, symbols);
  const point actual(values.at, values.at + values.size);
  if (actual == integers_in(given["expected"])) return {};
  std::string text = "found";
  for (const std::int64_t value : actual) text += " " + std::to_string(value);
  return failure(text);
}

outcome run_queries(const record& given) {
  named_map input;
  if (given.has("input")) {
    input = read_map(given["input"]);
  } else {
    std::string ranges;
    std::string dimensions;
    for (const std::string& name : split(given["variables"], " "))
      (name[0] == 'd' ? dimensions : ranges) += (name[0] == 'd' ? dimensions : ranges).empty() ? name : ", " + name;
    input = read_map("(" + dimensions + ")[" + ranges + "] -> ()");
  }
  if (!input.error.empty()) return failure(input.error);
  for (const std::string& line : lines_of(given["queries"])) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) return unsupported("query " + line);
    const std::string question = trimmed(line.substr(0, colon));
    const std::string answer = trimmed(line.substr(colon + 1));
    named_map asked = input;
    if (given["op"] == "used_parameters") {
      asked.value.result_count = 0;
      for (const std::string& text : split(question, " , ")) {
        const handle value = indexing::parse_expression(asked.value, asked.variables, text);
        if (value.id < 0) return failure("no expression: " + text);
        asked.value.add_result(value);
      }
      if (names_of(asked, indexing::used_variables(asked.value)) != sorted_words(answer))
        return failure("wrong answer to " + line);
      continue;
    }
    const std::string kind = question.substr(0, question.find(' '));
    const handle value =
        indexing::parse_expression(asked.value, asked.variables, question.substr(question.find(' ') + 1));
    if (value.id < 0) return failure("no expression: " + question);
    const interval range = indexing::expression_range(asked.value, value);
    bool right = false;
    if (kind == "range") {
      right = integers_in(answer) == point{range.lower, range.upper};
    } else if (kind == "nonnegative") {
      right = is_yes(answer) == (range.lower >= 0);
    } else if (kind == "positive") {
      right = is_yes(answer) == (range.lower > 0);
    } else if (kind == "nonpositive") {
      right = is_yes(answer) == (range.upper <= 0);
    } else if (kind == "negative") {
      right = is_yes(answer) == (range.upper < 0);
    } else {
      return unsupported("query " + line);
    }
    if (!right)
      return failure("wrong answer to " + line + ": [" + std::to_string(range.lower) + ", " +
                     std::to_string(range.upper) + "]");
  }
  return {};
}

outcome run_result_ranges(const record& given) {
  const named_map input = read_map(given["input"]);
  if (!input.error.empty()) return failure(input.error);
  const auto ranges = indexing::result_ranges(input.value);
  point actual;
  for (int i = 0; i < ranges.size; ++i) {
    actual.push_back(ranges.at[i].lower);
    actual.push_back(ranges.at[i].upper);
  }
  if (actual == integers_in(given["expected"])) return {};
  std::string text = "found";
  for (const std::int64_t value : actual) text += " " + std::to_string(value);
  return failure(text);
}

outcome run_equality(const record& given) {
  std::vector<std::pair<std::string, named_map>> maps;
  for (const auto& field : given.fields)
    if (field.first.size() == 2 && field.first[0] == 'm') maps.emplace_back(field.first, read_map(field.second));
  std::vector<std::string> equal;
  for (std::size_t i = 0; i < maps.size(); ++i)
    for (std::size_t k = i + 1; k < maps.size(); ++k) {
      if (!maps[i].second.error.empty()) return failure(maps[i].second.error);
      const bool same = maps[i].second.value == maps[k].second.value;
      if (same && indexing::hash(maps[i].second.value) != indexing::hash(maps[k].second.value))
        return failure("equal maps have different hashes");
      if (same) equal.push_back(maps[i].first + " " + maps[k].first);
    }
  // The pairs that the text names, "m0 m3"; none in "no equal pair"; "equal" alone says it of all.
  std::vector<std::string> expected;
  std::string text = given["expected"];
  if (text == "equal" || is_yes(text))
    for (std::size_t i = 0; i < maps.size(); ++i)
      for (std::size_t k = i + 1; k < maps.size(); ++k) expected.push_back(maps[i].first + " " + maps[k].first);
  std::replace(text.begin(), text.end(), ',', ' ');
  const std::vector<std::string> words = split(text.substr(0, text.find(';')), " ");
  std::string first;
  for (const std::string& word : words) {
    if (word.size() != 2 || word[0] != 'm') continue;
    if (!first.empty()) expected.push_back(first + " " + word);
    first = first.empty() ? word : "";
  }
  std::sort(equal.begin(), equal.end());
  std::sort(expected.begin(), expected.end());
  if (equal == expected) return {};
  std::string detail = "equal pairs:";
  for (const std::string& pair : equal) detail += " " + pair + ";";
  return failure(detail);
}

}  // namespace

outcome run_map_operation(const record& given) {
  const std::string operation = given["op"];
  if (operation == "compose") return run_compose(given);
  if (operation == "verify") return run_verify(given);
  if (operation == "print") return run_print(given);
  if (operation == "evaluate" || operation == "constraints_satisfied") return run_point(given);
  if (operation == "expression_range" || operation == "used_parameters") return run_queries(given);
  if (operation == "result_ranges") return run_result_ranges(given);
  if (operation == "equality") return run_equality(given);
  if (operation == "is_undefined") {
    const named_map input = read_map(given["input"]);
    if (!input.error.empty()) return failure(input.error);
    return check_flag(given, "expected", input.value.is_undefined());
  }
  return run_transformation(given);
}

}  // namespace records
