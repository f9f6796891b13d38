// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <shared/read_program.hpp>
#include <tenon/graph/ir/computed_from.hpp>
#include <tenon/indexing/text.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace tenon;
using namespace tenon::ir;

// Thousands of generated programs: composing maps is composing them element by element, and simplifying keeps what a
// map means and makes nothing longer.
namespace {

using point = std::vector<index_t>;

// Programs of ops that move elements, combine them, or reduce them, on tensors of a few elements.
class generator {
 public:
  explicit generator(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}

  std::string text() {
    std::string arguments;
    for (int i = 0; i < 2; ++i) {
      const ints shape = draw_shape(1 + below(3), 18);
      arguments += (i > 0 ? ", %v" : "%v") + std::to_string(i) + ": " + type(shape);
      values_.push_back(shape);
    }
    const int ops = 2 + below(5);
    for (int i = 0; i < ops; ++i) add_op();
    const std::string last = "%v" + std::to_string(values_.size() - 1);
    return "func.func @main(" + arguments + ") -> " + type(values_.back()) +
           " {\n  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n" + body_ + "  return " + last + " : " +
           type(values_.back()) + "\n}\n";
  }

 private:
  std::uint64_t state_;
  std::vector<ints> values_;
  std::string body_;

  int below(index_t limit) {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return int(state_ % std::uint64_t(limit));
  }
  ints draw_shape(int rank, index_t most) {
    ints shape;
    for (int i = 0; i < rank; ++i) {
      const index_t size = 1 + below(4);
      shape.push(shape.product() * size <= most ? size : 1);
    }
    return shape;
  }
  static std::string type(const ints& shape) {
    std::string text = "tensor<";
    for (const index_t size : shape) text += std::to_string(size) + "x";
    return text + "f32>";
  }
  static std::string list(const ints& values) {
    std::string text = "[";
    for (int i = 0; i < values.size; ++i) text += (i > 0 ? ", " : "") + std::to_string(values[i]);
    return text + "]";
  }
  void emit(const ints& shape, const std::string& op, const std::string& types) {
    body_ += "  %v" + std::to_string(values_.size()) + " = " + op + " : " + types + "\n";
    values_.push_back(shape);
  }

  void add_op() {
    const int count = int(values_.size());
    // Mostly what was made last, so that programs are deep.
    const int from = below(4) > 0 ? count - 1 : below(count);
    const ints shape = values_[std::size_t(from)];
    const int rank = shape.size;
    const std::string x = "%v" + std::to_string(from), own = type(shape);
    switch (below(11)) {
      case 0: {
        ints order = ints::range(rank);
        for (int i = rank - 1; i > 0; --i) {
          const index_t other = below(i + 1), kept = order[i];
          order.set(i, order[other]);
          order.set(other, kept);
        }
        const ints to = shape.select(order);
        return emit(to, "stablehlo.transpose " + x + ", dims = " + list(order), "(" + own + ") -> " + type(to));
      }
      case 1: {
        const index_t size = shape.product();
        index_t first = 1 + below(size);
        while (size % first != 0) --first;
        index_t second = 1 + below(size / first);
        while ((size / first) % second != 0) --second;
        const ints to{first, second, size / first / second};
        return emit(to, "stablehlo.reshape " + x, "(" + own + ") -> " + type(to));
      }
      case 2: {
        std::string ranges;
        ints to;
        for (int i = 0; i < rank; ++i) {
          const index_t start = below(shape[i]), stride = 1 + below(2);
          const index_t limit = start + 1 + below(shape[i] - start);
          to.push((limit - start + stride - 1) / stride);
          ranges +=
              (i > 0 ? ", " : "") + std::to_string(start) + ":" + std::to_string(limit) + ":" + std::to_string(stride);
        }
        return emit(to, "stablehlo.slice " + x + " [" + ranges + "]", "(" + own + ") -> " + type(to));
      }
      case 3: {
        ints low, high, interior, to;
        for (int i = 0; i < rank; ++i) {
          low.push(below(3) - 1), high.push(below(2)), interior.push(below(2));
          to.push(shape[i] + (shape[i] - 1) * interior[i] + low[i] + high[i]);
        }
        if (to.product() > 40 || to.product() < 1) break;
        return emit(to,
                    "stablehlo.pad " + x + ", %zero, low = " + list(low) + ", high = " + list(high) +
                        ", interior = " + list(interior),
                    "(" + own + ", tensor<f32>) -> " + type(to));
      }
      case 4:
        return emit(shape, "stablehlo.reverse " + x + ", dims = " + list({below(rank)}), own);
      case 5: {
        if (rank > 2 || shape.product() > 12) break;
        const int at = below(rank + 1);
        ints to, axes;
        for (int i = 0; i <= rank; ++i) {
          if (i == at) to.push(2);
          if (i < rank) axes.push(i < at ? i : i + 1), to.push(shape[i]);
        }
        return emit(to, "stablehlo.broadcast_in_dim " + x + ", dims = " + list(axes), "(" + own + ") -> " + type(to));
      }
      case 6: {
        if (shape.product() > 18) break;
        ints to = shape;
        to.set(0, 2 * shape[0]);
        return emit(to, "stablehlo.concatenate " + x + ", " + x + ", dim = 0",
                    "(" + own + ", " + own + ") -> " + type(to));
      }
      case 7: {
        if (rank < 2) break;
        const index_t axis = below(rank);
        const ints to = shape.without({axis});
        return emit(to,
                    "stablehlo.reduce(" + x + " init: %zero) applies stablehlo.add across dimensions = " + list({axis}),
                    "(" + own + ", tensor<f32>) -> " + type(to));
      }
      case 8: {
        ints window = ints::filled(rank, 1);
        window.set(0, shape[0] < 2 ? 1 : 2);
        ints to = shape;
        to.set(0, shape[0] - window[0] + 1);
        std::string sizes;
        for (const index_t size : window) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
        return emit(to,
                    "\"stablehlo.reduce_window\"(" + x + ", %zero) <{window_dimensions = array<i64: " + sizes +
                        ">}> ({ ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %c = stablehlo.add %a, %b : tensor<f32>\n "
                        "   stablehlo.return %c : tensor<f32> })",
                    "(" + own + ", tensor<f32>) -> " + type(to));
      }
      default:
        break;
    }
    for (int i = count - 1; i >= 0; --i)
      if (i != from && values_[std::size_t(i)] == shape)
        return emit(shape, "stablehlo.add " + x + ", %v" + std::to_string(i), own);
    emit(shape, "stablehlo.tanh " + x, own);
  }
};

// Calls visit(dimensions, results) for every point of the domain of a map without runtime variables.
template <class Visit>
void for_each_point(const indexing::indexing_map& map, Visit visit) {
  if (!map.is_defined()) return;
  std::vector<indexing::interval> box(map.dimension_bounds, map.dimension_bounds + map.dimension_count);
  box.insert(box.end(), map.range_bounds, map.range_bounds + map.range_count);
  point at;
  for (const auto& bounds : box) at.push_back(bounds.lower);
  while (true) {
    const point d(at.begin(), at.begin() + map.dimension_count), s(at.begin() + map.dimension_count, at.end());
    if (indexing::constraints_satisfied(map, d, s)) {
      const auto found = indexing::evaluate(map, d, s);
      visit(d, point(found.at, found.at + found.size));
    }
    std::size_t i = at.size();
    while (i > 0 && at[i - 1] == box[i - 1].upper) --i, at[i] = box[i].lower;
    if (i == 0) return;
    ++at[i - 1];
  }
}

using relation = std::set<std::pair<point, point>>;
relation relation_of(const indexing::indexing_map& map) {
  relation result;
  for_each_point(map, [&](const point& d, const point& found) { result.insert({d, found}); });
  return result;
}
std::int64_t length_of(const indexing::indexing_map& map) {
  std::int64_t total = 0;
  for (int i = 0; i < map.result_count; ++i) total += indexing::detail::cost_of(map, map.results[i]);
  return total;
}

indexing::indexing_map reads_of_node(const graph& g, const graph_node& node, int operand) {
  const operand_types operands(g, g.operands_of(node));
  const tensor_type result = g.type_of_value(node.results);
  return reads_of(node.kind, g.words.data + node.words, operand, 0, operands.all, {&result, 1});
}

}  // namespace

TEST_CASE("composed maps relate what goes from element to element") {
  int programs = 0, ways = 0, simplified = 0, shortened = 0;
  for (std::uint64_t seed = 1; seed <= 5000; ++seed) {
    const std::string text = generator(seed).text();
    const graph_owner program = read_program(text);
    REQUIRE_MESSAGE(!program.error(), text);
    const graph& g = program.program();
    const graph_region& body = g.regions.data[g.functions.data[0].region];
    const int result = g.yields_of(body)[0];
    CAPTURE(text);

    // Element by element: from each value to the elements of the result that need it.
    std::map<int, relation> reached;
    for_each_index(g.type_of_value(result).shape, [&](const ints& index) {
      const point at(index.begin(), index.end());
      reached[result].insert({at, at});
    });
    for (int number = g.nodes.size - 1; number >= 0; --number) {
      const graph_node& node = g.nodes.data[number];
      if (node.region != g.functions.data[0].region || reached.count(node.results) == 0) continue;
      std::map<point, std::set<point>> needed;
      for (const auto& [from, to] : reached[node.results]) needed[to].insert(from);
      for (int k = 0; k < node.operand_count; ++k)
        for_each_point(reads_of_node(g, node, k), [&](const point& d, const point& read) {
          if (const auto found = needed.find(d); found != needed.end())
            for (const point& from : found->second) reached[g.operands_of(node)[k]].insert({from, read});
        });
    }
    const computed_from composed(g, result);
    for (int argument = 0; argument < body.argument_count; ++argument) {
      relation all;
      for (const auto& one : composed.maps(body.arguments + argument)) {
        REQUIRE(one.value.is_defined());
        const relation part = relation_of(one.value);
        all.insert(part.begin(), part.end());
        ++ways;
      }
      CHECK(all == reached[body.arguments + argument]);
    }
    ++programs;

    // Along the first operands, map by map.
    indexing::indexing_map map = indexing::identity_map(g.type_of_value(result).shape);
    for (int value = result; g.values.data[value].node >= 0;) {
      const graph_node& node = g.nodes.data[g.values.data[value].node];
      if (node.operand_count == 0) break;
      const indexing::indexing_map before = compose(map, reads_of_node(g, node, 0));
      REQUIRE(!before.is_unknown());
      map = before;
      indexing::simplify(map);
      CHECK(relation_of(before) == relation_of(map));
      if (map.is_known_empty()) break;
      CHECK(length_of(map) <= length_of(before));
      CHECK(map.constraint_count <= before.constraint_count);
      ++simplified;
      shortened += length_of(map) < length_of(before) ? 1 : 0;
      value = g.operands_of(node)[0];
    }
  }
  CHECK(programs == 5000);
  CHECK(ways > 4000);
  CHECK(simplified > 9000);
  CHECK(shortened > 1000);
}
