// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>
#include <tenon/indexing/map.hpp>

#include <string>
#include <utility>
#include <vector>

namespace tenon::c99 {

// base + sum of factor * name, as C writes it: an index, or a position in memory.
struct linear {
  index_t base = 0;
  std::vector<std::pair<std::string, index_t>> terms;

  linear(index_t number = 0) : base(number) {}
  explicit linear(const std::string& name) {
    if (!name.empty()) terms.emplace_back(name, 1);  // of a dimension of one element there is no name
  }

  void add(const linear& other, index_t factor = 1) {
    base += other.base * factor;
    for (const auto& [name, of_other] : other.terms) {
      std::size_t at = 0;
      while (at < terms.size() && terms[at].first != name) ++at;
      if (at == terms.size()) terms.emplace_back(name, 0);
      terms[at].second += of_other * factor;
    }
  }
  bool is_number() const {
    for (const auto& [name, factor] : terms)
      if (factor != 0) return false;
    return true;
  }
  // The factor of a name, and whether nothing else depends on it.
  index_t factor_of(const std::string& name) const {
    for (const auto& [mine, factor] : terms)
      if (mine == name) return factor;
    return 0;
  }
  bool hides(const std::string& name) const {
    for (const auto& [mine, factor] : terms)
      if (factor != 0 && mine != name && mine.find(name) != mine.npos) return true;
    return false;
  }
  std::string text() const {
    std::string result;
    const auto add_part = [&](bool is_negative, const std::string& part) {
      result += result.empty() ? (is_negative ? "-" : "") : (is_negative ? " - " : " + ");
      result += part;
    };
    for (const auto& [name, factor] : terms) {
      if (factor == 0) continue;
      const index_t size = factor < 0 ? -factor : factor;
      add_part(factor < 0, size == 1 ? name : std::to_string(size) + " * " + name);
    }
    if (base != 0 || result.empty()) add_part(base < 0, std::to_string(base < 0 ? -base : base));
    return result;
  }
};

// The variables of an indexing map by name; those of one value have empty names.
struct map_names {
  std::vector<std::string> dimensions, ranges, runtimes;
};

// Writes the expressions of an indexing map.
class map_writer {
 public:
  map_writer(const indexing::indexing_map& map, const map_names& names)
      : map_(map), names_(names), bounds_(indexing::node_ranges(map)) {}

  linear result(int i) const { return value(map_.results[i]); }

  // That the constraints hold, or nothing if they always do.
  std::string condition() const {
    std::string text;
    for (int i = 0; i < map_.constraint_count; ++i) {
      const indexing::constraint& each = map_.constraints[i];
      const indexing::interval known = bounds_.at[each.value];
      const std::string part = value(each.value).text();
      const auto add = [&](const std::string& holds) { text += (text.empty() ? "" : " && ") + holds; };
      if (each.bounds.lower == each.bounds.upper && known.lower != known.upper) {
        add(part + " == " + std::to_string(each.bounds.lower));
        continue;
      }
      if (known.lower < each.bounds.lower) add(part + " >= " + std::to_string(each.bounds.lower));
      if (known.upper > each.bounds.upper) add(part + " <= " + std::to_string(each.bounds.upper));
    }
    return text;
  }

 private:
  const indexing::indexing_map& map_;
  const map_names& names_;
  indexing::node_values<indexing::interval, indexing::indexing_map> bounds_;

  linear variable(indexing::operation op, index_t i) const {
    const auto& names = op == indexing::operation::dimension ? names_.dimensions
                        : op == indexing::operation::range   ? names_.ranges
                                                             : names_.runtimes;
    const indexing::interval bounds = map_.bounds(op)[i];
    if (bounds.lower == bounds.upper) return linear(bounds.lower);
    return linear(names[std::size_t(i)]);
  }

  linear value(int id) const {
    using indexing::operation;
    const indexing::node& step = map_.nodes[id];
    if (step.op == operation::constant) return linear(step.value);
    if (indexing::is_variable(step.op)) return variable(step.op, step.value);
    linear lhs = value(step.lhs);
    const linear rhs = value(step.rhs);
    switch (step.op) {
      case operation::add:
        lhs.add(rhs);
        return lhs;
      case operation::multiply: {
        linear product;
        if (rhs.is_number())
          product.add(lhs, rhs.base);
        else if (lhs.is_number())
          product.add(rhs, lhs.base);
        else
          product.add(linear("(" + lhs.text() + ") * (" + rhs.text() + ")"));
        return product;
      }
      case operation::floordiv:
      case operation::mod: {
        const bool divides = step.op == operation::floordiv;
        if (rhs.is_number() && rhs.base == 1) return divides ? lhs : linear(0);
        // C rounds toward zero: the quotient of what is not negative is moved back.
        const index_t least = bounds_.at[step.lhs].lower;
        index_t moved = 0;
        if (least < 0 && rhs.is_number() && rhs.base > 0) moved = (-least + rhs.base - 1) / rhs.base;
        lhs.add(linear(moved * rhs.base));
        linear result("((" + lhs.text() + ")" + (divides ? " / " : " % ") + parenthesized(rhs) + ")");
        if (divides) result.add(linear(-moved));
        return result;
      }
      default:
        const std::string a = "(" + lhs.text() + ")", b = "(" + rhs.text() + ")";
        return linear("(" + a + (step.op == operation::minimum ? " < " : " > ") + b + " ? " + a + " : " + b + ")");
    }
  }
  static std::string parenthesized(const linear& of) { return of.is_number() ? of.text() : "(" + of.text() + ")"; }
};

}  // namespace tenon::c99
