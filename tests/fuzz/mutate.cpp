// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/all.hpp>
#include <tenon/ops/list.hpp>

#include <fuzz/mutate.hpp>
#include <vector>

namespace fuzz {
namespace {

constexpr std::string_view words[] = {"func.func",
                                      "module",
                                      "@main",
                                      "private",
                                      "return",
                                      "stablehlo.return",
                                      "func.call @main",
                                      "attributes {}",
                                      "cond",
                                      "do",
                                      "reducer",
                                      "across dimensions = [0]",
                                      "applies stablehlo.add",
                                      "init:",
                                      "dense<0>",
                                      "dense<>",
                                      "dense<[]>",
                                      "dense<\"0x00\">",
                                      "dense<[[1, 2], [3]]>",
                                      "dense<(1.0, nan)>",
                                      "array<i64: 0, 1>",
                                      "array<i64>",
                                      "array<i1: true>",
                                      "[#stablehlo<precision DEFAULT>]",
                                      "#stablehlo.bounds<4>",
                                      "#stablehlo.channel_handle<handle = 1, type = 0>",
                                      "#stablehlo.dot<lhs_contracting_dimensions = [0]>",
                                      "#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>",
                                      "loc(unknown)",
                                      "loc(#a)",
                                      "#a = loc(\"x\":1:2)",
                                      "!a = tensor<2xf32>",
                                      "#a",
                                      "!a",
                                      "<{",
                                      "}>",
                                      "({",
                                      "})",
                                      "^bb0(%arg0: tensor<f32>):",
                                      "%0",
                                      "%0#1",
                                      "%0:2 =",
                                      "%arg0",
                                      "->",
                                      "()",
                                      "{",
                                      "}",
                                      "(",
                                      ")",
                                      "<",
                                      ">",
                                      "[",
                                      "]",
                                      ",",
                                      ":",
                                      "=",
                                      "x",
                                      "?",
                                      "-",
                                      "\"",
                                      "//",
                                      "tensor<?xf32>",
                                      "tensor<*xf32>",
                                      "tensor<2x?xf32, #stablehlo.bounds<?, 3>>",
                                      "tuple<tensor<f32>, tuple<>>",
                                      "!stablehlo.token",
                                      "!stablehlo.future<tensor<2xf32>>",
                                      "memref<2xf32>",
                                      "index",
                                      "tensor<4x!quant.uniform<i8:f32:0, {0.1, 0.2:1, 0.3, 0.4}>>",
                                      "!quant.uniform<u8<1:9>:f32, 1.0:3>",
                                      "tensor<0x3xi4>",
                                      "tensor<complex<f64>>",
                                      "tensor<f8E8M0FNU>",
                                      "tensor<9223372036854775807xi8>",
                                      "i2",
                                      "ui4",
                                      "i64",
                                      "bf16",
                                      "f8E4M3",
                                      "complex<f32>",
                                      "true",
                                      "false",
                                      "unit",
                                      "0x7FC00000",
                                      "1.0e+400",
                                      "-0.0",
                                      "\"\\22\"",
                                      "is_stable",
                                      "sizes = [1]",
                                      "dims = [0]",
                                      "DEFAULT",
                                      "TOTALORDER",
                                      "mhlo.sharding = \"{replicated}\"",
                                      "sdy.mesh @m = <[\"x\"=2]>",
                                      "{stablehlo.x = 1 : i64}",
                                      "chlo.erf",
                                      "HloModule m",
                                      "ENTRY e {",
                                      "ROOT r = f32[2] add(p0, p0)",
                                      "p0 = f32[2]{0} parameter(0)",
                                      "f32[]",
                                      "s32[2,3]{1,0}",
                                      "(f32[], pred[2])",
                                      "to_apply=add",
                                      "dimensions={0}",
                                      "constant({1, 2})",
                                      "metadata={op_name=\"x\"}",
                                      "\"check.expect_eq\"",
                                      "strategy = 1"};

constexpr std::string_view numbers[] = {"0",
                                        "1",
                                        "-1",
                                        "2",
                                        "3",
                                        "7",
                                        "8",
                                        "64",
                                        "65",
                                        "127",
                                        "128",
                                        "255",
                                        "65536",
                                        "1000000",
                                        "2147483647",
                                        "-2147483648",
                                        "4294967296",
                                        "9223372036854775807",
                                        "-9223372036854775808",
                                        "9223372036854775808",
                                        "18446744073709551616"};

template <class... Ops>
std::string op_name(tenon::op_list<Ops...>, std::size_t which) {
  static constexpr std::string_view names[] = {Ops::name...};
  return "stablehlo." + std::string(names[which % sizeof...(Ops)]);
}

struct piece {
  std::size_t first = 0, size = 0;
};

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

piece token_at(std::string_view text, std::size_t at) {
  if (text.empty()) return {};
  if (at >= text.size()) at = text.size() - 1;
  if (!is_word(text[at])) return {at, 1};
  std::size_t first = at, last = at;
  while (first > 0 && is_word(text[first - 1])) --first;
  while (last < text.size() && is_word(text[last])) ++last;
  if (first > 0 && (text[first - 1] == '%' || text[first - 1] == '@' || text[first - 1] == '#')) --first;
  return {first, last - first};
}
piece line_at(std::string_view text, std::size_t at) {
  std::size_t first = text.rfind('\n', at);
  first = first == std::string_view::npos ? 0 : first + 1;
  std::size_t last = text.find('\n', at);
  last = last == std::string_view::npos ? text.size() : last + 1;
  if (last < first) last = first;
  return {first, last - first};
}
// From a bracket at or after `at` to the one that closes it.
piece bracketed_at(std::string_view text, std::size_t at) {
  const std::size_t first = text.find_first_of("([{<", at);
  if (first == std::string_view::npos) return {};
  int depth = 0;
  for (std::size_t i = first; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '}' || (c == '>' && text[i - 1] != '-')) --depth;
    if (depth == 0) return {first, i + 1 - first};
  }
  return {};
}
piece type_at(std::string_view text, std::size_t at) {
  const std::size_t first = text.find("tensor<", at);
  if (first == std::string_view::npos) return {};
  const piece inside = bracketed_at(text, first);
  return {first, inside.first + inside.size - first};
}
// A number that begins at or after `at`, outside of names.
piece number_at(std::string_view text, std::size_t at) {
  for (; at < text.size(); ++at) {
    if (!is_digit(text[at])) continue;
    if (at > 0 && (is_digit(text[at - 1]) || text[at - 1] == '%' || text[at - 1] == '#')) continue;
    std::size_t last = at;
    while (last < text.size() && is_digit(text[last])) ++last;
    return {at, last - at};
  }
  return {};
}

class mutation {
 public:
  mutation(std::string_view text, std::string_view other, dice& random) : text_(text), other_(other), random_(random) {}

  std::string operator()() {
    for (std::size_t count = 1 + random_.throw_one(4); count > 0; --count) change();
    return text_;
  }

 private:
  std::string text_;
  std::string_view other_;
  dice& random_;

  std::size_t anywhere(std::string_view in) { return random_.throw_one(in.size() + 1); }
  std::string_view of(std::string_view in, const piece& p) const { return in.substr(p.first, p.size); }
  void put(const piece& where, std::string_view what) {
    const std::string copy(what);
    text_.replace(where.first, where.size, copy);
  }
  std::string some_word() {
    switch (random_.throw_one(4)) {
      case 0:
        return op_name(tenon::ops::all{}, random_.throw_one(1000));
      case 1:
        return std::string(of(text_, token_at(text_, anywhere(text_))));
      case 2:
        return std::string(of(other_, token_at(other_, anywhere(other_))));
      default:
        return std::string(words[random_.throw_one(std::size(words))]);
    }
  }
  std::string_view source() { return random_.throw_one(2) == 0 ? std::string_view(text_) : other_; }

  void change() {
    switch (random_.throw_one(12)) {
      case 0:
      case 1: {  // another token
        put(token_at(text_, anywhere(text_)), some_word());
        break;
      }
      case 2:
        put({token_at(text_, anywhere(text_)).first, 0}, " " + some_word() + " ");
        break;
      case 3:
        put(token_at(text_, anywhere(text_)), "");
        break;
      case 4:
      case 5: {
        const piece where = number_at(text_, anywhere(text_));
        if (where.size > 0) put(where, numbers[random_.throw_one(std::size(numbers))]);
        break;
      }
      case 6:
      case 7: {
        const std::string_view from = source();
        const std::string type(of(from, type_at(from, anywhere(from))));
        const piece where = type_at(text_, anywhere(text_));
        if (where.size > 0 && !type.empty()) put(where, type);
        break;
      }
      case 8: {  // one type for all of its kind: the program stays consistent
        const piece where = type_at(text_, anywhere(text_));
        if (where.size == 0) break;
        const std::string old(of(text_, where));
        const std::string_view from = source();
        std::string type(of(from, type_at(from, anywhere(from))));
        if (type.empty()) type = "tensor<2xf32>";
        for (std::size_t at = 0; (at = text_.find(old, at)) != std::string::npos; at += type.size())
          text_.replace(at, old.size(), type);
        break;
      }
      case 9: {
        const std::string_view from = source();
        const std::string line(of(from, line_at(from, anywhere(from))));
        put({line_at(text_, anywhere(text_)).first, 0}, line);
        break;
      }
      case 10:
        put(line_at(text_, anywhere(text_)), "");
        break;
      default: {
        const std::string_view from = source();
        const std::string part(of(from, bracketed_at(from, anywhere(from))));
        const piece where = bracketed_at(text_, anywhere(text_));
        if (where.size > 0) put(where, part);
        break;
      }
    }
  }
};

}  // namespace

std::string mutated(std::string_view text, std::string_view other, dice& random) {
  return mutation(text, other, random)();
}

}  // namespace fuzz
