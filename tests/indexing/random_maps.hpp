// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/indexing.hpp>

#include <cstdint>
#include <vector>

// Random maps over small domains, and all points of a domain: what the tests of every indexing function walk over.
namespace random_maps {

namespace indexing = tenon::indexing;
using map = indexing::basic_indexing_map<160, 8, 8, 12>;
using handle = indexing::expression<map>;
using tuple = std::vector<std::int64_t>;

struct source {
  std::uint64_t state = 1;

  std::int64_t draw(std::int64_t low, std::int64_t high) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return low + static_cast<std::int64_t>(state % static_cast<std::uint64_t>(high - low + 1));
  }
};

inline indexing::interval draw_bounds(source& random) {
  const std::int64_t low = random.draw(0, 2) > 0 ? 0 : random.draw(-6, 3);
  return {low, low + random.draw(0, 8)};
}

inline handle draw_expression(source& random, map& to, int depth) {
  const int variables = to.dimension_count + to.symbol_count();
  if (depth == 0 || random.draw(0, 4) == 0) {
    if (variables == 0 || random.draw(0, 5) == 0) return to.constant(random.draw(-9, 12));
    const std::int64_t i = random.draw(0, variables - 1);
    if (i < to.dimension_count) return to.dimension(i);
    if (i < to.dimension_count + to.range_count) return to.range(i - to.dimension_count);
    return to.runtime(i - to.dimension_count - to.range_count);
  }
  const handle lhs = draw_expression(random, to, depth - 1);
  const std::int64_t constant = random.draw(0, 9) == 0 ? random.draw(-7, -1) : random.draw(1, 12);
  switch (random.draw(0, 11)) {
    case 0:
    case 1:
      return lhs + draw_expression(random, to, depth - 1);
    case 2:
      return lhs - draw_expression(random, to, depth - 1);
    case 3:
      return lhs + random.draw(-9, 9);
    case 4:
      return lhs * constant;
    case 5:
    case 6:
      return floordiv(lhs, constant);
    case 7:
    case 8:
      return mod(lhs, constant);
    case 9:
      return minimum(lhs, draw_expression(random, to, depth - 1));
    case 10:
      return maximum(lhs, draw_expression(random, to, depth - 1));
    default:
      if (random.draw(0, 2) == 0) return lhs * draw_expression(random, to, depth - 1);
      return random.draw(0, 1) == 0 ? floordiv(lhs, draw_expression(random, to, depth - 1))
                                    : mod(lhs, draw_expression(random, to, depth - 1));
  }
}

inline map draw_map(source& random, int dimensions, int results, int depth) {
  map made;
  made.state = indexing::map_state::defined;
  for (int i = 0; i < dimensions; ++i) made.add_dimension(draw_bounds(random));
  for (std::int64_t i = random.draw(0, 2); i > 0; --i) made.add_range(draw_bounds(random));
  for (std::int64_t i = random.draw(0, 1); i > 0; --i) made.add_runtime(draw_bounds(random));
  for (int i = 0; i < results; ++i) made.add_result(draw_expression(random, made, depth));
  for (std::int64_t i = random.draw(0, 3) - 1; i > 0; --i) {
    const handle value = draw_expression(random, made, 2);
    const std::int64_t low = random.draw(-6, 6);
    made.add_constraint(value, {low, low + (random.draw(0, 1) == 0 ? 0 : random.draw(0, 12))});
  }
  return made;
}

// Calls visit(dimensions, symbols) for every tuple within the bounds of the variables.
template <class Visit>
void for_each_point(const map& given, Visit visit) {
  std::vector<indexing::interval> box;
  for (int i = 0; i < given.dimension_count; ++i) box.push_back(given.dimension_bounds[i]);
  for (int i = 0; i < given.range_count; ++i) box.push_back(given.range_bounds[i]);
  for (int i = 0; i < given.runtime_count; ++i) box.push_back(given.runtime_bounds[i]);
  tuple at;
  for (const indexing::interval bounds : box) {
    if (bounds.is_empty()) return;
    at.push_back(bounds.lower);
  }
  while (true) {
    visit(tuple(at.begin(), at.begin() + given.dimension_count), tuple(at.begin() + given.dimension_count, at.end()));
    std::size_t i = at.size();
    while (i > 0 && at[i - 1] == box[i - 1].upper) {
      at[i - 1] = box[i - 1].lower;
      --i;
    }
    if (i == 0) return;
    ++at[i - 1];
  }
}

inline tuple results_of(const map& given, const tuple& dimensions, const tuple& symbols) {
  const auto values = indexing::evaluate(given, dimensions, symbols);
  return tuple(values.at, values.at + values.size);
}

inline std::int64_t cost_of_results(const map& given) {
  std::int64_t total = 0;
  for (int i = 0; i < given.result_count; ++i) total += indexing::detail::cost_of(given, given.results[i]);
  return total;
}

}  // namespace random_maps
