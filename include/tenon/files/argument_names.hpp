// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/loaded_programs.hpp>.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon {

// How the text of a program calls an argument or a result. `path` is where it came from in the program that exported
// it, "params['layers'][0]['w']", and empty where the text does not say so.
struct value_name {
  std::string name, path;
};
struct function_names {
  std::vector<value_name> arguments, results;
};

namespace detail {

inline bool is_in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '$' || c == '-';
}

// A position in a text that need not be well formed.
class text_cursor {
 public:
  std::string_view text;
  std::size_t at = 0;

  bool done() const { return at >= text.size(); }
  char now() const { return done() ? '\0' : text[at]; }
  bool is_at(std::string_view word) const { return text.substr(std::min(at, text.size()), word.size()) == word; }
  void skip_space() {
    while (!done() && (now() == ' ' || now() == '\n' || now() == '\t' || now() == '\r')) ++at;
  }
  bool accept(std::string_view word) {
    skip_space();
    if (!is_at(word)) return false;
    at += word.size();
    return true;
  }
  std::string_view word() {
    skip_space();
    const std::size_t first = at;
    while (!done() && is_in_name(now())) ++at;
    return text.substr(first, at - first);
  }
  // "...", with \" and \22 in it.
  std::string quoted() {
    std::string result;
    for (++at; !done() && now() != '"'; ++at) {
      if (now() != '\\') {
        result += now();
        continue;
      }
      ++at;
      unsigned code = 0;
      const auto [end, error] = std::from_chars(text.data() + std::min(at, text.size()),
                                                text.data() + std::min(at + 2, text.size()), code, 16);
      if (error == std::errc() && end == text.data() + at + 2)
        result += char(code), ++at;
      else
        result += now();
    }
    ++at;
    return result;
  }
  // A string, a comment, or one character.
  void step() {
    if (now() == '"') {
      quoted();
    } else if (is_at("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else {
      ++at;
    }
  }
};

// loc("x") gives x; loc("file.py":1:2) and others give nothing.
inline std::string name_of_location(text_cursor in, std::string_view text) {
  if (in.accept("#")) {
    const std::string alias = "#" + std::string(in.word()) + " = loc(";
    for (std::size_t found = text.find(alias); found != text.npos; found = text.find(alias, found + 1))
      if (found == 0 || text[found - 1] == '\n')
        return text[found + alias.size()] == '#' ? "" : name_of_location({text, found + alias.size()}, text);
    return "";
  }
  in.skip_space();
  if (in.now() != '"') return "";
  std::string name = in.quoted();
  in.skip_space();
  return in.now() == ':' ? "" : name;
}

// "(%x: tensor<2xf32> {jax.arg_info = "x"} loc("x"), ...)", behind the parenthesis.
inline std::vector<value_name> list_of_values(text_cursor& in) {
  std::vector<value_name> values;
  value_name next;
  bool any = false;
  for (int depth = 0; !in.done();) {
    const char c = in.now();
    if (depth == 0 && (c == ',' || c == ')')) {
      if (any) values.push_back(std::exchange(next, {}));
      any = false;
      ++in.at;
      if (c == ')') break;
      continue;
    }
    any = any || !(c == ' ' || c == '\n');
    if (depth == 0 && c == '%') {
      ++in.at;
      next.name = in.word();
    } else if (depth == 0 && in.is_at("loc(")) {
      if (const std::string name = name_of_location({in.text, in.at + 4}, in.text); !name.empty()) next.path = name;
      in.at += 3;
    } else if (in.is_at("arg_info") || in.is_at("result_info")) {
      in.word();
      if (in.accept("=") && (in.skip_space(), in.now() == '"')) next.path = in.quoted();
    } else if (in.is_at("->")) {
      in.at += 2;
    } else {
      depth += (c == '(' || c == '[' || c == '{' || c == '<') - (c == ')' || c == ']' || c == '}' || c == '>');
      in.step();
    }
  }
  return values;
}

inline function_names names_in_mlir(std::string_view text, std::string_view function) {
  function_names result;
  for (text_cursor in{text}; !in.done();) {
    if (!in.is_at("func.func ")) {
      in.step();
      continue;
    }
    in.word();
    while (!in.done() && in.now() != '@' && in.now() != '\n') ++in.at;
    in.accept("@");
    const std::string name = in.now() == '"' ? in.quoted() : std::string(in.word());
    if (!in.accept("(")) continue;
    result.arguments = list_of_values(in);
    result.results.clear();
    if (in.accept("->") && in.accept("(")) result.results = list_of_values(in);
    if (name == function) return result;
  }
  return {};
}

// "  %w = f32[2,3]{1,0} parameter(1), metadata={op_name="params['w']"}"
inline function_names names_in_hlo(std::string_view text) {
  function_names result;
  const std::size_t entry = text.find("\nENTRY");
  std::size_t first = entry == text.npos ? 0 : entry + 1;
  while (first < text.size()) {
    const std::size_t end = std::min(text.find('\n', first), text.size());
    const std::string_view line = text.substr(first, end - first);
    first = end + 1;
    if (line.starts_with("}")) break;
    const std::size_t at = line.find(" parameter(");
    std::size_t number = 0;
    if (at == line.npos ||
        std::from_chars(line.data() + at + 11, line.data() + line.size(), number).ec != std::errc() || number > 100'000)
      continue;
    text_cursor in{line};
    in.accept("ROOT ");
    in.accept("%");
    value_name found{std::string(in.word()), ""};
    if (const std::size_t meta = line.find("op_name=\""); meta != line.npos) in.at = meta + 8, found.path = in.quoted();
    if (result.arguments.size() <= number) result.arguments.resize(number + 1);
    result.arguments[number] = found;
  }
  return result;
}

}  // namespace detail

// The names in StableHLO or HLO text, which may be any text: what is not found is called arg0 ..., result0 ...
inline function_names names_in(std::string_view text, std::string_view function, int arguments, int results) {
  function_names names = detail::names_in_mlir(text, function);
  if (names.arguments.empty() && names.results.empty()) names = detail::names_in_hlo(text);
  names.arguments.resize(std::size_t(arguments));
  names.results.resize(std::size_t(results));
  for (std::size_t i = 0; i < names.arguments.size(); ++i)
    if (names.arguments[i].name.empty()) names.arguments[i].name = "arg" + std::to_string(i);
  for (std::size_t i = 0; i < names.results.size(); ++i)
    names.results[i].name = results == 1 ? "result" : "result" + std::to_string(i);
  return names;
}

}  // namespace tenon
