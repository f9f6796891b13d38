// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>

#include <cstdint>
#include <string_view>

// Reads programs as XLA prints them (HLO text): names, shapes with layouts, operands, and attributes as they stand.
// Either whole computations with braces, or the instructions of one computation alone.
namespace records::text {

using tenon::ints;

// An array, or one leaf of a tuple.
struct hlo_shape {
  std::string_view element;
  ints dimensions;
  ints major_to_minor;  // the layout: dimensions from the slowest to the fastest in memory
};

struct hlo_attribute {
  std::string_view name;
  std::string_view value;
};

struct hlo_instruction {
  std::string_view name;
  std::string_view opcode;
  std::string_view argument;  // what stands in the parentheses of constant, parameter and iota
  int computation = 0;
  int first_shape = 0;  // into shapes; a tuple has one for each leaf
  int shape_count = 0;
  bool is_tuple = false;
  int first_operand = 0;  // into operands, which are instructions
  int operand_count = 0;
  int first_attribute = 0;
  int attribute_count = 0;
};

struct hlo_computation {
  std::string_view name;
  int first = 0;
  int count = 0;
  int root = -1;
};

struct hlo_error {
  std::string_view message;
  int position = 0;
};

template <int Instructions = 512, int Computations = 64>
struct hlo_module {
  static constexpr int list_capacity = 4 * Instructions;

  hlo_error error{};
  int computation_count = 0;
  int instruction_count = 0;
  int shape_count = 0;
  int operand_count = 0;
  int attribute_count = 0;
  int entry = -1;
  hlo_computation computations[Computations]{};
  hlo_instruction instructions[Instructions]{};
  hlo_shape shapes[list_capacity]{};
  int operands[list_capacity]{};
  hlo_attribute attributes[list_capacity]{};

  constexpr bool ok() const { return error.message.empty(); }
  constexpr const hlo_shape& shape(int instruction, int leaf = 0) const {
    return shapes[instructions[instruction].first_shape + leaf];
  }
  constexpr int operand(int instruction, int i) const { return operands[instructions[instruction].first_operand + i]; }
  constexpr std::string_view attribute(int instruction, std::string_view name) const {
    const hlo_instruction& from = instructions[instruction];
    for (int i = 0; i < from.attribute_count; ++i)
      if (attributes[from.first_attribute + i].name == name) return attributes[from.first_attribute + i].value;
    return {};
  }
  constexpr int find_computation(std::string_view name) const {
    for (int i = 0; i < computation_count; ++i)
      if (computations[i].name == name) return i;
    return -1;
  }
  // Instruction of a computation by its name, or -1.
  constexpr int find(int computation, std::string_view name) const {
    const hlo_computation& in = computations[computation];
    for (int i = in.first; i < in.first + in.count; ++i)
      if (instructions[i].name == name) return i;
    return -1;
  }
};

namespace detail {

// Reads one value by characters.
struct hlo_cursor {
  std::string_view text;
  int at = 0;

  constexpr int size() const { return static_cast<int>(text.size()); }
  constexpr char here(int ahead = 0) const {
    return at + ahead < size() ? text[static_cast<std::size_t>(at + ahead)] : '\0';
  }
  constexpr void skip_space() {
    while (at < size()) {
      if (here() == ' ' || here() == '\n' || here() == '\t' || here() == '\r') {
        ++at;
      } else if (here() == '/' && here(1) == '*') {
        at += 2;
        while (at < size() && !(here() == '*' && here(1) == '/')) ++at;
        at = at + 2 < size() ? at + 2 : size();
      } else if (here() == '/' && here(1) == '/') {
        while (at < size() && here() != '\n') ++at;
      } else {
        break;
      }
    }
  }
  constexpr bool accept(char c) {
    skip_space();
    if (here() != c) return false;
    ++at;
    return true;
  }
  static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static constexpr bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '.' || c == '-' ||
           c == '%';
  }
  constexpr std::string_view cut(int begin, int end) const {
    return text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  }
  // A word without its leading percent sign.
  constexpr std::string_view name() {
    skip_space();
    accept('%');
    const int begin = at;
    while (is_name(here())) ++at;
    return cut(begin, at);
  }
  constexpr bool integer(std::int64_t& value) {
    skip_space();
    const bool negative = here() == '-';
    if (negative) ++at;
    if (!is_digit(here())) return false;
    value = 0;
    for (; is_digit(here()); ++at) {
      if (value > (INT64_MAX - 9) / 10) return false;
      value = value * 10 + (here() - '0');
    }
    if (negative) value = -value;
    return true;
  }
  // Text up to the end of the brackets that `at` is inside of, or to a comma or line end outside of brackets.
  constexpr std::string_view balanced(bool stop_at_comma) {
    skip_space();
    const int begin = at;
    int depth = 0;
    bool quoted = false;
    for (; at < size(); ++at) {
      const char c = here();
      if (c == '"' && (at == 0 || text[static_cast<std::size_t>(at - 1)] != '\\')) quoted = !quoted;
      if (quoted) continue;
      if (c == '(' || c == '{' || c == '[') ++depth;
      if (c == ')' || c == '}' || c == ']') {
        if (depth == 0) break;
        --depth;
      }
      if (depth == 0 && stop_at_comma && (c == ',' || c == '\n')) break;
    }
    int end = at;
    while (end > begin && (text[static_cast<std::size_t>(end - 1)] == ' ')) --end;
    return cut(begin, end);
  }
};

template <class Module>
class hlo_parser {
 public:
  constexpr hlo_parser(std::string_view text, Module& module) : in_{text}, module_(module) {}

  constexpr void parse() {
    skip_header();
    in_.skip_space();
    if (at_instruction()) {
      parse_body("");
      module_.entry = 0;
    } else {
      while (!failed()) {
        in_.skip_space();
        if (in_.at >= in_.size()) break;
        parse_computation();
      }
      if (module_.entry < 0) module_.entry = module_.computation_count - 1;
    }
    if (!failed() && module_.entry < 0) fail("no computation");
  }

 private:
  constexpr bool failed() const { return !module_.ok(); }
  constexpr void fail(std::string_view message) {
    if (!failed()) module_.error = {message, in_.at};
  }
  constexpr void expect(char c) {
    if (!failed() && !in_.accept(c)) fail("unexpected text");
  }

  constexpr void skip_header() {
    hlo_cursor ahead = in_;
    if (ahead.name() != "HloModule") return;
    while (ahead.at < ahead.size() && ahead.here() != '\n') ++ahead.at;
    in_ = ahead;
  }

  constexpr bool at_instruction() {
    hlo_cursor ahead = in_;
    if (ahead.name() == "ROOT") ahead.name();
    return ahead.accept('=');
  }

  constexpr void parse_computation() {
    std::string_view name = in_.name();
    const bool is_entry = name == "ENTRY";
    if (is_entry) name = in_.name();
    if (name.empty()) return fail("expected a computation");
    // A signature in front of the body repeats what the body says.
    while (in_.at < in_.size() && !in_.accept('{')) {
      if (in_.here() == '(') {
        ++in_.at;
        in_.balanced(false);
      } else if (in_.here() == '[') {
        skip_layout('[', ']');
        if (in_.here() == '{') skip_layout('{', '}');
        continue;
      }
      ++in_.at;
    }
    if (is_entry) module_.entry = module_.computation_count;
    parse_body(name);
    expect('}');
  }

  constexpr void skip_layout(char open, char close) {
    while (in_.at < in_.size() && in_.here() != open) ++in_.at;
    while (in_.at < in_.size() && in_.here() != close) ++in_.at;
    if (in_.at < in_.size()) ++in_.at;
  }

  constexpr void parse_body(std::string_view name) {
    if (module_.computation_count == static_cast<int>(sizeof(module_.computations) / sizeof(hlo_computation)))
      return fail("too many computations");
    hlo_computation& computation = module_.computations[module_.computation_count++];
    computation.name = name;
    computation.first = module_.instruction_count;
    while (!failed()) {
      in_.skip_space();
      if (in_.at >= in_.size() || in_.here() == '}') break;
      parse_instruction(computation);
    }
    computation.count = module_.instruction_count - computation.first;
    if (computation.count == 0) fail("empty computation");
    if (computation.root < 0) computation.root = module_.instruction_count - 1;
  }

  constexpr void parse_instruction(hlo_computation& computation) {
    if (module_.instruction_count == static_cast<int>(sizeof(module_.instructions) / sizeof(hlo_instruction)))
      return fail("too many instructions");
    hlo_instruction made;
    made.computation = module_.computation_count - 1;
    made.name = in_.name();
    if (made.name == "ROOT") {
      computation.root = module_.instruction_count;
      made.name = in_.name();
    }
    if (made.name.empty()) return fail("expected an instruction");
    expect('=');
    made.first_shape = module_.shape_count;
    made.is_tuple = parse_shape();
    made.shape_count = module_.shape_count - made.first_shape;
    made.opcode = in_.name();
    expect('(');
    if (failed()) return;
    made.first_operand = module_.operand_count;
    if (made.opcode == "constant" || made.opcode == "parameter" || made.opcode == "iota") {
      made.argument = in_.balanced(false);
    } else {
      parse_operands(computation);
    }
    made.operand_count = module_.operand_count - made.first_operand;
    expect(')');
    made.first_attribute = module_.attribute_count;
    while (!failed() && in_.accept(',')) {
      hlo_attribute attribute;
      attribute.name = in_.name();
      expect('=');
      attribute.value = in_.balanced(true);
      if (module_.attribute_count == Module::list_capacity) return fail("too many attributes");
      module_.attributes[module_.attribute_count++] = attribute;
    }
    made.attribute_count = module_.attribute_count - made.first_attribute;
    module_.instructions[module_.instruction_count++] = made;
  }

  constexpr void parse_operands(const hlo_computation& computation) {
    in_.skip_space();
    if (in_.here() == ')') return;
    do {
      const int shapes = module_.shape_count;
      hlo_cursor ahead = in_;
      ahead.skip_space();
      const bool is_tuple = ahead.here() == '(';
      ahead.name();
      if (is_tuple || ahead.here() == '[') parse_shape();
      module_.shape_count = shapes;
      const std::string_view name = in_.name();
      int operand = -1;
      for (int i = computation.first; i < module_.instruction_count; ++i)
        if (module_.instructions[i].name == name) operand = i;
      if (operand < 0) return fail("operand is not defined above");
      if (module_.operand_count == Module::list_capacity) return fail("too many operands");
      module_.operands[module_.operand_count++] = operand;
    } while (!failed() && in_.accept(','));
  }

  // Appends the leaves of a shape; true for a tuple.
  constexpr bool parse_shape() {
    if (in_.accept('(')) {
      if (++depth_ > 32) fail("shape nests too deeply");
      if (!in_.accept(')')) {
        do parse_shape();
        while (!failed() && in_.accept(','));
        expect(')');
      }
      --depth_;
      return true;
    }
    hlo_shape shape;
    shape.element = in_.name();
    if (shape.element.empty()) fail("expected a shape");
    expect('[');
    while (!failed() && !in_.accept(']')) {
      if (shape.dimensions.size > 0) expect(',');
      in_.skip_space();
      if (in_.here() == '<') in_.at += 2;
      std::int64_t size = 0;
      if (!in_.integer(size)) fail("expected a size");
      shape.dimensions.push(size);
    }
    for (int i = 0; i < shape.dimensions.size; ++i) shape.major_to_minor.push(i);
    if (!failed() && in_.here() == '{') parse_layout(shape);
    if (shape.dimensions.dropped > 0) fail("more than 8 dimensions");
    if (module_.shape_count == Module::list_capacity) fail("too many shapes");
    if (!failed()) module_.shapes[module_.shape_count++] = shape;
    return false;
  }

  constexpr void parse_layout(hlo_shape& shape) {
    ++in_.at;
    ints minor_to_major;
    std::int64_t axis = 0;
    while (in_.integer(axis)) {
      minor_to_major.push(axis);
      if (!in_.accept(',')) break;
    }
    in_.balanced(false);
    expect('}');
    if (minor_to_major.size == 0 && shape.dimensions.size > 0) return;
    if (minor_to_major.size != shape.dimensions.size || !minor_to_major.unique() ||
        !minor_to_major.within(0, shape.dimensions.size))
      return fail("the layout is no order of the dimensions");
    for (int i = 0; i < minor_to_major.size; ++i)
      shape.major_to_minor.set(i, minor_to_major[minor_to_major.size - 1 - i]);
  }

  hlo_cursor in_;
  Module& module_;
  int depth_ = 0;
};

}  // namespace detail

template <class Module = hlo_module<>>
constexpr void parse_hlo(std::string_view text, Module& module) {
  detail::hlo_parser<Module>(text, module).parse();
}

// {1,0} and similar lists of numbers.
constexpr ints hlo_integers(std::string_view value) {
  ints result;
  detail::hlo_cursor in{value};
  while (in.at < in.size()) {
    std::int64_t number = 0;
    if (in.integer(number))
      result.push(number);
    else
      ++in.at;
  }
  return result;
}

constexpr std::int64_t hlo_integer(std::string_view value, std::int64_t otherwise) {
  detail::hlo_cursor in{value};
  std::int64_t number = 0;
  return in.integer(number) ? number : otherwise;
}

// {[start:limit:stride], ...}
struct hlo_slice {
  ints start;
  ints limit;
  ints stride;
};
constexpr hlo_slice hlo_slice_of(std::string_view value) {
  hlo_slice result;
  detail::hlo_cursor in{value};
  while (in.at < in.size()) {
    if (!in.accept('[')) {
      ++in.at;
      continue;
    }
    std::int64_t start = 0;
    std::int64_t limit = 0;
    std::int64_t stride = 1;
    in.integer(start);
    if (in.accept(':')) in.integer(limit);
    if (in.accept(':')) in.integer(stride);
    result.start.push(start);
    result.limit.push(limit);
    result.stride.push(stride);
  }
  return result;
}

// low_high_interior, joined by x
struct hlo_padding {
  ints low;
  ints high;
  ints interior;
};
constexpr hlo_padding hlo_padding_of(std::string_view value) {
  hlo_padding result;
  detail::hlo_cursor in{value};
  do {
    std::int64_t low = 0;
    std::int64_t high = 0;
    std::int64_t interior = 0;
    if (!in.integer(low)) break;
    if (in.accept('_')) in.integer(high);
    if (in.accept('_')) in.integer(interior);
    result.low.push(low);
    result.high.push(high);
    result.interior.push(interior);
  } while (in.accept('x'));
  return result;
}

// {size=3x5 stride=2x1 pad=0_0x1_1 lhs_dilate=1x1 rhs_dilate=1x1 rhs_reversal=0x1}
struct hlo_window {
  ints size;
  ints stride;
  hlo_padding padding;
  ints lhs_dilation;
  ints rhs_dilation;
  ints reversal;
};
constexpr hlo_window hlo_window_of(std::string_view value) {
  hlo_window result;
  detail::hlo_cursor in{value};
  in.accept('{');
  while (in.at < in.size()) {
    const std::string_view key = in.name();
    if (key.empty() || !in.accept('=')) break;
    in.skip_space();
    const int begin = in.at;
    while (in.at < in.size() && in.here() != ' ' && in.here() != '}') ++in.at;
    const std::string_view text = in.cut(begin, in.at);
    if (key == "size") result.size = hlo_padding_of(text).low;
    if (key == "stride") result.stride = hlo_padding_of(text).low;
    if (key == "pad") result.padding = hlo_padding_of(text);
    if (key == "lhs_dilate") result.lhs_dilation = hlo_padding_of(text).low;
    if (key == "rhs_dilate") result.rhs_dilation = hlo_padding_of(text).low;
    if (key == "rhs_reversal") result.reversal = hlo_padding_of(text).low;
    in.skip_space();
  }
  const int rank = result.size.size;
  if (result.stride.empty()) result.stride = ints::filled(rank, 1);
  if (result.padding.low.empty()) result.padding.low = result.padding.high = ints::filled(rank, 0);
  if (result.lhs_dilation.empty()) result.lhs_dilation = ints::filled(rank, 1);
  if (result.rhs_dilation.empty()) result.rhs_dilation = ints::filled(rank, 1);
  if (result.reversal.empty()) result.reversal = ints::filled(rank, 0);
  return result;
}

// b01f_01io->b01f: for each operand and the result, the position of the batch or input feature dimension (first), the
// feature or output feature dimension (second), and the spatial ones.
struct hlo_dimension_labels {
  struct part {
    int first = -1;
    int second = -1;
    ints spatial;
  };
  part lhs;
  part rhs;
  part output;
};
constexpr hlo_dimension_labels hlo_dimension_labels_of(std::string_view value) {
  hlo_dimension_labels result;
  hlo_dimension_labels::part* part = &result.lhs;
  int position = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (c == '_' || c == '>') {
      part = c == '_' ? &result.rhs : &result.output;
      position = 0;
      continue;
    }
    const bool is_kernel = part == &result.rhs;
    if (c == (is_kernel ? 'i' : 'b')) part->first = position;
    if (c == (is_kernel ? 'o' : 'f')) part->second = position;
    if (c >= '0' && c <= '9') {
      while (part->spatial.size <= c - '0' && part->spatial.dropped == 0) part->spatial.push(-1);
      part->spatial.set(c - '0', position);
    }
    if (c != '-') ++position;
  }
  return result;
}

}  // namespace records::text
