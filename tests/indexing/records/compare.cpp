// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"

#include <algorithm>
#include <random>
#include <set>

namespace records {

namespace indexing = tenon::indexing;
using indexing::interval;

namespace {

constexpr int most_points = 200000;

std::vector<interval> box_of(const map& given) {
  std::vector<interval> box;
  for (const indexing::operation op : indexing::variable_kinds)
    for (int i = 0; i < given.count(op); ++i)
      box.push_back(indexing::intersection(given.bounds(op)[i], interval{-1000000, 1000000}));
  return box;
}

struct halves {
  std::span<const std::int64_t> dimensions;
  std::span<const std::int64_t> symbols;
};
halves halves_of(const map& given, const point& at) {
  const std::span<const std::int64_t> all(at);
  const auto dimensions = static_cast<std::size_t>(given.dimension_count);
  return {all.first(dimensions), all.subspan(dimensions)};
}

bool satisfied(const map& given, const point& at) {
  const halves parts = halves_of(given, at);
  return indexing::constraints_satisfied(given, parts.dimensions, parts.symbols);
}

std::vector<std::int64_t> results_at(const map& given, const point& at) {
  const halves parts = halves_of(given, at);
  const auto values = indexing::evaluate(given, parts.dimensions, parts.symbols);
  return {values.at, values.at + values.size};
}

std::string text_of(const point& at) {
  std::string text = "(";
  for (const std::int64_t value : at) text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + ")";
}

}  // namespace

std::string text_of(const map& given) {
  const auto text = indexing::print(given);
  return std::string(text.view());
}

void for_each_point(const map& guide, const std::function<bool(const point&)>& visit) {
  const std::vector<interval> box = box_of(guide);
  std::int64_t total = 1;
  for (const interval bounds : box) total = indexing::saturating_multiply(total, bounds.count());
  if (total == 0) return;
  point at;
  for (const interval bounds : box) at.push_back(bounds.lower);
  if (total <= most_points) {
    while (visit(at)) {
      std::size_t i = at.size();
      while (i > 0 && at[i - 1] == box[i - 1].upper) {
        at[i - 1] = box[i - 1].lower;
        --i;
      }
      if (i == 0) return;
      ++at[i - 1];
    }
    return;
  }
  std::mt19937_64 random(12345);
  const auto draw = [&](interval bounds) {
    return std::uniform_int_distribution<std::int64_t>(bounds.lower, bounds.upper)(random);
  };
  for (int turn = 0; turn < most_points / 10; ++turn) {
    for (std::size_t i = 0; i < at.size(); ++i) {
      const std::int64_t near = draw({0, 2});
      const std::int64_t kind = draw({0, 3});
      at[i] = kind == 0 ? box[i].lower + near : (kind == 1 ? box[i].upper - near : draw(box[i]));
      at[i] = std::clamp(at[i], box[i].lower, box[i].upper);
    }
    if (!visit(at)) return;
    for (int tries = 0; tries < 20 && !satisfied(guide, at) && !at.empty(); ++tries) {
      const auto i = static_cast<std::size_t>(draw({0, static_cast<std::int64_t>(at.size()) - 1}));
      const std::int64_t before = at[i];
      const std::int64_t first = draw(box[i]);
      for (std::int64_t step = 0; step < std::min<std::int64_t>(box[i].count(), 64) && !satisfied(guide, at); ++step)
        at[i] = box[i].lower + (first - box[i].lower + step) % box[i].count();
      if (!satisfied(guide, at) && draw({0, 1}) == 0) at[i] = before;
    }
    if (!visit(at)) return;
  }
}

std::string difference(const map& expected, const map& actual) {
  const auto both = [&] { return ": expected " + text_of(expected) + " but got " + text_of(actual); };
  if (expected.state != actual.state) return "states differ" + both();
  if (!expected.is_defined()) return {};
  for (const indexing::operation op : indexing::variable_kinds) {
    if (expected.count(op) != actual.count(op)) return "numbers of variables differ" + both();
    for (int i = 0; i < expected.count(op); ++i)
      if (expected.bounds(op)[i] != actual.bounds(op)[i]) return "bounds differ" + both();
  }
  if (expected.result_count != actual.result_count) return "numbers of results differ" + both();
  std::string found;
  const auto check = [&](const point& at) {
    const bool wanted = satisfied(expected, at);
    if (wanted != satisfied(actual, at))
      found = "domains differ at " + text_of(at) + both();
    else if (wanted && results_at(expected, at) != results_at(actual, at))
      found = "results differ at " + text_of(at) + both();
    return found.empty();
  };
  for_each_point(expected, check);
  if (found.empty() && actual.constraint_count > 0) for_each_point(actual, check);
  return found;
}

std::string excess(const map& expected, const map& actual) {
  const auto both = [&] { return ": expected " + text_of(expected) + " but got " + text_of(actual); };
  if (!expected.is_defined() || !actual.is_defined()) return "states differ" + both();
  if (expected.dimension_count != actual.dimension_count) return "numbers of dimensions differ" + both();
  for (int i = 0; i < expected.dimension_count; ++i)
    if (expected.dimension_bounds[i] != actual.dimension_bounds[i]) return "bounds differ" + both();
  // One point of the dimensions at a time: the elements read, over all symbols.
  const auto reads = [](const map& from, const point& dimensions) {
    map fixed = from;
    for (int i = 0; i < fixed.dimension_count; ++i)
      fixed.dimension_bounds[i] = indexing::point(dimensions[static_cast<std::size_t>(i)]);
    std::set<point> elements;
    for_each_point(fixed, [&](const point& at) {
      if (satisfied(fixed, at)) elements.insert(results_at(fixed, at));
      return true;
    });
    return elements;
  };
  std::string found;
  int left = 200;
  bool anything = false;
  for_each_point(expected, [&](const point& at) {
    const point dimensions(at.begin(), at.begin() + expected.dimension_count);
    const std::set<point> wanted = reads(expected, dimensions);
    const std::set<point> got = reads(actual, dimensions);
    anything = anything || !got.empty();
    if (!std::includes(wanted.begin(), wanted.end(), got.begin(), got.end()) || (got.empty() && !wanted.empty()))
      found = "other elements are read at " + text_of(dimensions) + both();
    return found.empty() && --left > 0;
  });
  return found.empty() && !anything ? "nothing is read" + both() : found;
}

std::int64_t length_of_results(const map& given) {
  std::int64_t symbols = 0;
  if (!given.is_defined()) return symbols;
  for (int i = 0; i < given.result_count; ++i) {
    map copy = given;
    const auto text = indexing::print(copy.result(i));
    bool in_word = false;
    for (const char c : text.view()) {
      const bool is_word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
      if (is_word ? !in_word : (c == '+' || c == '-' || c == '*')) ++symbols;
      in_word = is_word;
    }
  }
  return symbols;
}

}  // namespace records
