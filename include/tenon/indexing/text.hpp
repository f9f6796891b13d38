// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/indexing.hpp>.
#pragma once

#include <tenon/indexing/map.hpp>

#include <string_view>

// Maps as text:
//   (d0, d1)[s0]{rt0} -> (d0 * 8 + s0, (d1 + rt0) mod 4)
//   d0 in [0, 9]
//   ...
//   d0 + s0 in [0, 12]
// First the bounds of all variables, in order, then constraints, one a line. Empty groups are left out.
namespace tenon::indexing {

// Names of the variables of a map. Those without one are printed as d0, s0, rt0, ... by their number.
template <class Map>
struct variable_names {
  std::string_view dimensions[Map::rank_capacity]{};
  std::string_view ranges[Map::symbol_capacity]{};
  std::string_view runtimes[Map::symbol_capacity]{};

  constexpr std::string_view& at(operation variable, std::int64_t i) {
    return variable == operation::dimension ? dimensions[i] : (variable == operation::range ? ranges[i] : runtimes[i]);
  }
};

// Text of limited length; `complete` is false if more was written.
template <int Capacity = 4096>
struct map_text {
  char data[Capacity]{};
  int size = 0;
  bool complete = true;

  constexpr std::string_view view() const { return {data, static_cast<std::size_t>(size)}; }
  constexpr void put(char c) {
    if (size < Capacity)
      data[size++] = c;
    else
      complete = false;
  }
  constexpr void put(std::string_view text) {
    for (const char c : text) put(c);
  }
  constexpr void put(std::int64_t value) {
    char digits[20]{};
    int count = 0;
    std::uint64_t rest = value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
    do {
      digits[count++] = static_cast<char>('0' + static_cast<int>(rest % 10));
      rest /= 10;
    } while (rest > 0);
    if (value < 0) put('-');
    while (count > 0) put(digits[--count]);
  }
};

namespace detail {

template <class Map, int Capacity>
class printer {
 public:
  constexpr printer(const Map& map, const variable_names<Map>& names) : map_(map), names_(names) {}

  constexpr map_text<Capacity> print() {
    if (map_.is_undefined()) out_.put("UNDEFINED");
    if (map_.is_known_empty()) out_.put("KNOWN EMPTY");
    if (map_.is_unknown()) out_.put("UNKNOWN");
    if (!map_.is_defined()) return out_;
    put_variables(operation::dimension, '(', ')');
    if (map_.range_count > 0) put_variables(operation::range, '[', ']');
    if (map_.runtime_count > 0) put_variables(operation::runtime, '{', '}');
    out_.put(" -> (");
    for (int i = 0; i < map_.result_count; ++i) {
      if (i > 0) out_.put(", ");
      put_sum(map_.results[i]);
    }
    out_.put(')');
    for (const operation op : {operation::dimension, operation::range, operation::runtime})
      for (int i = 0; i < map_.count(op); ++i) {
        out_.put('\n');
        put_name(op, i);
        put_interval(map_.bounds(op)[i]);
      }
    for (int i = 0; i < map_.constraint_count; ++i) {
      out_.put('\n');
      put_sum(map_.constraints[i].value);
      put_interval(map_.constraints[i].bounds);
    }
    return out_;
  }

  constexpr map_text<Capacity> print(std::int16_t id) {
    put_sum(id);
    return out_;
  }

 private:
  constexpr void put_name(operation op, std::int64_t i) {
    if (const std::string_view name = names_.at(op, i); !name.empty()) return out_.put(name);
    out_.put(op == operation::dimension ? "d" : (op == operation::range ? "s" : "rt"));
    out_.put(i);
  }
  constexpr void put_variables(operation op, char open, char close) {
    out_.put(open);
    for (int i = 0; i < map_.count(op); ++i) {
      if (i > 0) out_.put(", ");
      put_name(op, i);
    }
    out_.put(close);
  }
  constexpr void put_interval(interval bounds) {
    out_.put(" in [");
    out_.put(bounds.lower);
    out_.put(", ");
    out_.put(bounds.upper);
    out_.put(']');
  }

  constexpr bool is_multiple(const node& step) const {
    return step.op == operation::multiply && map_.nodes[step.rhs].op == operation::constant;
  }

  constexpr void put_sum(std::int16_t id) {
    if (!out_.complete) return;
    const node& step = map_.nodes[id];
    if (step.op != operation::add) return put_product(id);
    put_sum(step.lhs);
    const node& rhs = map_.nodes[step.rhs];
    const bool negative_constant = rhs.op == operation::constant && rhs.value < 0;
    const bool negative_multiple = is_multiple(rhs) && map_.nodes[rhs.rhs].value < 0;
    if (!negative_constant && !negative_multiple) {
      out_.put(" + ");
      return rhs.op == operation::add ? put_operand(step.rhs) : put_product(step.rhs);
    }
    out_.put(" - ");
    const std::int64_t value = saturating_negate(negative_constant ? rhs.value : map_.nodes[rhs.rhs].value);
    if (negative_constant) return out_.put(value);
    if (value == 1) return put_operand(rhs.lhs);
    put_operand(rhs.lhs);
    out_.put(" * ");
    out_.put(value);
  }

  constexpr void put_product(std::int16_t id) {
    const node& step = map_.nodes[id];
    switch (step.op) {
      case operation::constant:
        return out_.put(step.value);
      case operation::dimension:
      case operation::range:
      case operation::runtime:
        return put_name(step.op, step.value);
      case operation::minimum:
      case operation::maximum:
        out_.put(step.op == operation::minimum ? "min(" : "max(");
        put_sum(step.lhs);
        out_.put(", ");
        put_sum(step.rhs);
        return out_.put(')');
      default:
        break;
    }
    if (is_multiple(step) && map_.nodes[step.rhs].value == -1) {
      out_.put('-');
      return put_operand(step.lhs);
    }
    put_operand(step.lhs);
    out_.put(step.op == operation::multiply ? " * " : (step.op == operation::floordiv ? " floordiv " : " mod "));
    put_operand(step.rhs);
  }

  constexpr void put_operand(std::int16_t id) {
    const operation op = map_.nodes[id].op;
    const bool plain = is_leaf(op) || op == operation::minimum || op == operation::maximum;
    if (!plain) out_.put('(');
    put_sum(id);
    if (!plain) out_.put(')');
  }

  const Map& map_;
  variable_names<Map> names_;
  map_text<Capacity> out_;
};

}  // namespace detail

// @post parse(print(map)) = map, if it is defined; for other maps, the state
template <int Capacity = 4096, class Map>
constexpr map_text<Capacity> print(const Map& map, const variable_names<Map>& names = {}) {
  return detail::printer<Map, Capacity>(map, names).print();
}
// @post parse_expression of the text has the same value everywhere
template <int Capacity = 4096, class Map>
constexpr map_text<Capacity> print(expression<Map> value, const variable_names<Map>& names = {}) {
  return detail::printer<Map, Capacity>(*value.map, names).print(value.id);
}

// `error` is empty if the text is a map; `position` is where it begins to be none.
template <class Map>
struct parsed_map {
  Map map{};
  variable_names<Map> names{};
  std::string_view error{};
  int position = 0;
};

namespace detail {

template <class Map>
class parser {
 public:
  constexpr parser(std::string_view text, parsed_map<Map>& result)
      : text_(text), map_(result.map), names_(result.names), result_(result) {}

  constexpr void parse_map() {
    if (accept("UNDEFINED")) return finish();
    map_.state = map_state::defined;
    if (accept("KNOWN EMPTY")) {
      map_.set_empty();
      return finish();
    }
    if (accept("UNKNOWN")) {
      map_.fail();
      return finish();
    }
    parse_variables(operation::dimension, "(", ")");
    if (peek("[")) parse_variables(operation::range, "[", "]");
    if (peek("{")) parse_variables(operation::runtime, "{", "}");
    expect("->");
    expect("(");
    for (bool first = true; !failed() && !accept(")"); first = false) {
      if (!first) expect(",");
      const expression<Map> result = parse_sum();
      if (!failed()) map_.add_result(result);
    }
    while (!failed()) {
      accept(",") || accept(";");
      accept("domain:");
      skip_space();
      if (at_ == length()) break;
      parse_constraint();
    }
  }

  constexpr void parse_constraint() {
    const expression<Map> value = parse_sum();
    expect("in");
    expect("[");
    interval bounds{};
    bounds.lower = parse_integer();
    expect(",");
    bounds.upper = parse_integer();
    expect("]");
    if (!failed()) map_.add_constraint(value, bounds);
  }

  constexpr expression<Map> parse_sum() {
    expression<Map> value = parse_product();
    while (!failed()) {
      if (accept("+"))
        value = value + parse_product();
      else if (!peek("->") && accept("-"))
        value = value - parse_product();
      else
        break;
    }
    return value;
  }

  constexpr void finish() {
    skip_space();
    if (at_ != length()) fail("text after the end");
  }
  constexpr bool failed() const { return !result_.error.empty(); }

 private:
  constexpr int length() const { return static_cast<int>(text_.size()); }
  constexpr char at(int i) const { return i < length() ? text_[static_cast<std::size_t>(i)] : '\0'; }
  static constexpr bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
  }
  static constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

  constexpr void skip_space() {
    while (at_ < length() && (at(at_) == ' ' || at(at_) == '\n' || at(at_) == '\t' || at(at_) == '\r')) ++at_;
  }
  constexpr bool peek(std::string_view token) {
    skip_space();
    const int size = static_cast<int>(token.size());
    for (int i = 0; i < size; ++i)
      if (at(at_ + i) != token[static_cast<std::size_t>(i)]) return false;
    const char next = at(at_ + size);
    return !is_letter(token[0]) || !(is_letter(next) || is_digit(next));
  }
  constexpr bool accept(std::string_view token) {
    if (!peek(token)) return false;
    at_ += static_cast<int>(token.size());
    return true;
  }
  constexpr void expect(std::string_view token) {
    if (!failed() && !accept(token)) fail("unexpected text");
  }
  constexpr void fail(std::string_view reason) {
    if (failed()) return;
    result_.error = reason;
    result_.position = at_;
  }

  constexpr std::string_view parse_name() {
    skip_space();
    const int begin = at_;
    if (is_letter(at(at_)))
      while (is_letter(at(at_)) || is_digit(at(at_))) ++at_;
    return text_.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(at_ - begin));
  }

  constexpr void parse_variables(operation op, std::string_view open, std::string_view close) {
    expect(open);
    for (bool first = true; !failed() && !accept(close); first = false) {
      if (!first) expect(",");
      const std::string_view name = parse_name();
      if (name.empty()) return fail("expected the name of a variable");
      for (const operation other : {operation::dimension, operation::range, operation::runtime})
        for (int i = 0; i < map_.count(other); ++i)
          if (names_.at(other, i) == name) return fail("two variables of one name");
      if (map_.count(op) == (op == operation::dimension ? Map::rank_capacity : Map::symbol_capacity))
        return fail("too many variables");
      names_.at(op, map_.count(op)) = name;
      if (op == operation::dimension) map_.add_dimension(all_integers);
      if (op == operation::range) map_.add_range(all_integers);
      if (op == operation::runtime) map_.add_runtime(all_integers);
    }
  }

  constexpr std::int64_t parse_integer() {
    skip_space();
    const bool negative = accept("-");
    skip_space();
    if (!is_digit(at(at_))) fail("expected a number");
    std::int64_t value = 0;
    for (; is_digit(at(at_)); ++at_) {
      const std::int64_t digit = at(at_) - '0';
      value = saturating_add(saturating_multiply(value, 10), negative ? -digit : digit);
    }
    return value;
  }

  constexpr expression<Map> parse_product() {
    expression<Map> value = parse_unary();
    while (!failed()) {
      if (accept("*"))
        value = value * parse_unary();
      else if (accept("floordiv"))
        value = floordiv(value, parse_unary());
      else if (accept("mod"))
        value = mod(value, parse_unary());
      else
        break;
    }
    return value;
  }

  constexpr expression<Map> parse_unary() {
    if (++depth_ > 200) fail("expression nests too deeply");
    expression<Map> value{&map_, -1};
    if (failed()) {
    } else if (accept("-")) {
      value = is_digit(at(at_)) ? map_.constant(saturating_negate(parse_integer())) : -parse_unary();
    } else if (accept("(")) {
      value = parse_sum();
      expect(")");
    } else if (skip_space(); is_digit(at(at_))) {
      value = map_.constant(parse_integer());
    } else {
      value = parse_named();
    }
    --depth_;
    if (value.id < 0) fail("expression does not fit");
    return value;
  }

  constexpr expression<Map> parse_named() {
    const std::string_view name = parse_name();
    if ((name == "min" || name == "max") && peek("(")) {
      expect("(");
      const expression<Map> lhs = parse_sum();
      expect(",");
      const expression<Map> rhs = parse_sum();
      expect(")");
      return name == "min" ? minimum(lhs, rhs) : maximum(lhs, rhs);
    }
    for (const operation op : {operation::dimension, operation::range, operation::runtime})
      for (int i = 0; i < map_.count(op); ++i)
        if (names_.at(op, i) == name) return map_.variable(op, i);
    fail("expected an expression");
    return {&map_, -1};
  }

  std::string_view text_;
  Map& map_;
  variable_names<Map>& names_;
  parsed_map<Map>& result_;
  int at_ = 0;
  int depth_ = 0;
};

}  // namespace detail

// @post parse(print(map)).map = map, if that is defined
// Bounds that are not given are unlimited. Commas and semicolons may part the lines, and `domain:` may precede them.
template <class Map = indexing_map>
constexpr parsed_map<Map> parse(std::string_view text) {
  parsed_map<Map> result;
  detail::parser<Map>(text, result).parse_map();
  return result;
}

// One expression over the variables of a map, into that map; the handle is empty (id -1) if the text is none.
// @post parse_expression(map, names, print(x, names)) = x everywhere
template <class Map>
constexpr expression<Map> parse_expression(Map& map, const variable_names<Map>& names, std::string_view text) {
  parsed_map<Map> result{map, names};
  detail::parser<Map> reader(text, result);
  const expression<Map> value = reader.parse_sum();
  reader.finish();
  if (reader.failed() || result.map.is_unknown()) return {&map, -1};
  map = result.map;
  return {&map, value.id};
}

}  // namespace tenon::indexing
