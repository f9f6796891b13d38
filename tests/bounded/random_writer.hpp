// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::test {

struct random_numbers {
  std::uint64_t state;
  int below(int count) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return int((state >> 33) % std::uint64_t(count));
  }
};

struct random_dimension {
  index_t bound = 1, size = 1;
  bool bounded = false;
  std::string name;  // equal names, equal sizes
};
inline random_dimension fixed(index_t size) { return {size, size, false, std::to_string(size)}; }

struct random_type {
  std::string element = "f32";
  std::vector<random_dimension> dimensions;

  int rank() const { return int(dimensions.size()); }
  bool same_shape(const random_type& other) const {
    if (rank() != other.rank()) return false;
    for (int d = 0; d < rank(); ++d)
      if (dimensions[std::size_t(d)].name != other.dimensions[std::size_t(d)].name) return false;
    return true;
  }
  index_t room() const {
    index_t room = 1;
    for (const random_dimension& each : dimensions) room *= each.bound;
    return room;
  }
  random_type of(std::string other) const { return {other, dimensions}; }

  std::string text(bool with_bounds) const {
    std::string result = "tensor<", bounds;
    bool any = false;
    for (const random_dimension& each : dimensions) {
      const bool open = with_bounds && each.bounded;
      any = any || open;
      result += (open ? "?" : std::to_string(each.size)) + "x";
      bounds += (bounds.empty() ? "" : ", ") + (open ? std::to_string(each.bound) : "?");
    }
    return result + element + (any ? ", #stablehlo.bounds<" + bounds + ">>" : ">");
  }
};

struct random_value {
  std::string name;
  random_type type;
};

// Writes both texts, op by op, and knows the values that there are.
class random_writer {
 public:
  explicit random_writer(unsigned seed) : random_{seed * 2654435761u + 1} {}

  std::vector<random_value> arguments, results;

  std::string text(bool with_bounds) const {
    std::string head = "func.func @main(", given, types;
    for (const random_value& each : arguments)
      head += (&each == arguments.data() ? "" : ", ") + each.name + ": " + each.type.text(with_bounds);
    for (const random_value& each : results) {
      given += (given.empty() ? "" : ", ") + each.name;
      types += (types.empty() ? "" : ", ") + each.type.text(with_bounds);
    }
    return head + ") -> (" + types + ") {\n" + body_[with_bounds ? 1 : 0] + "  return " + given + " : " + types +
           "\n}\n";
  }

 protected:
  random_numbers random_;
  std::vector<random_value> values_;
  std::string body_[2];
  int next_ = 0;

  void add_argument(const random_type& type) {
    arguments.push_back({"%a" + std::to_string(arguments.size()), type});
    values_.push_back(arguments.back());
  }
  const random_value& any() { return values_[std::size_t(random_.below(int(values_.size())))]; }
  std::string fresh() { return "%v" + std::to_string(next_++); }
  // `line(b)` gives the text behind the equals sign, with bounds or without.
  template <class Line>
  random_value write(const random_type& type, Line line) {
    const std::string name = fresh();
    for (bool b : {false, true}) body_[b ? 1 : 0] += "  " + name + " = " + line(b) + "\n";
    return {name, type};
  }
  template <class Line>
  bool add(const random_type& type, Line line) {
    values_.push_back(write(type, line));
    return true;
  }
  std::string number(const random_type& type) { return type.element == "f32" ? "0.5" : "3"; }
  random_value constant(const random_type& type, const std::string& elements) {
    return write(type, [&](bool b) { return "stablehlo.constant dense<" + elements + "> : " + type.text(b); });
  }
  static std::string signature(std::vector<random_type> from, const random_type& to, bool b) {
    std::string text = "(";
    for (std::size_t i = 0; i < from.size(); ++i) text += (i > 0 ? ", " : "") + from[i].text(b);
    return text + ") -> " + to.text(b);
  }
  static std::string listed(const std::vector<int>& numbers) {
    std::string text;
    for (int each : numbers) text += (text.empty() ? "" : ", ") + std::to_string(each);
    return "[" + text + "]";
  }
  static std::string array(const std::vector<index_t>& numbers) {
    std::string text;
    for (index_t each : numbers) text += (text.empty() ? ": " : ", ") + std::to_string(each);
    return "array<i64" + text + ">";
  }
};

}  // namespace tenon::test
