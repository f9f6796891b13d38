// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/ir/known_indices.hpp>

#include <doctest/doctest.h>

#include <shared/read_program.hpp>
#include <shared/simplified_program.hpp>
#include <tenon/graph/owned.hpp>
#include <tenon/graph/plan/known_walks.hpp>
#include <tenon/indexing/text.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::passes;

namespace {

owned_graph simplified(std::string_view text) {
  const graph_owner program = read_program(text);
  REQUIRE(!program.error());
  return simplified_program(program.program());
}

int argument_of(const graph& g, int i) { return g.regions.data[entry_of(g)->region].arguments + i; }

// From the result of a program to the first operand of the op that gives it.
indexing::located_map<indexing::indexing_map> reads_of_result(const graph& g) {
  const int value = g.yields_of(g.regions.data[entry_of(g)->region])[0];
  const graph_node& node = g.nodes.data[g.values.data[value].node];
  const operand_types operands(g, g.operands_of(node));
  return known_reads_of(g, node, 0, operands.all, 0, {&g.type_of_value(value), 1});
}

// Rows of a 9 x 4 matrix, the indices being `value` of type `type` x 3 after `lines`.
owned_graph gathered(std::string_view type, std::string_view lines) {
  const std::string t(type);
  return simplified("p0 = f32[9,4] parameter(0)\n" + std::string(lines) + "\ncolumn = " + t +
                    "[3,1] reshape(value)\nROOT g = f32[3,4] gather(p0, column), offset_dims={1}, "
                    "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}");
}
bool reads(std::string_view type, std::string_view lines, const std::string& map) {
  const owned_graph program = gathered(type, lines);
  return reads_of_result(program.get()).value == indexing::parse(map).map;
}
bool reads_rows(std::string_view type, std::string_view lines, const std::string& rows) {
  return reads(type, lines, "(d0, d1) -> (" + rows + ", d1) d0 in [0, 2] d1 in [0, 3]");
}
bool reads_unknown_rows(std::string_view type, std::string_view lines) {
  return reads(type, lines, "(d0, d1){rt0} -> (rt0, d1) d0 in [0, 2] d1 in [0, 3] rt0 in [0, 8]");
}

}  // namespace

TEST_CASE("what is found in an iota or in a constant is no runtime variable") {
  CHECK(reads_rows("s32", "value = s32[3] iota(), iota_dimension=0", "d0"));
  CHECK(reads_rows("s32", "value = s32[3] constant({4, 4, 4})", "4"));
  CHECK(reads_rows("s32", "value = s32[3] constant({7, 5, 3})", "d0 * -2 + 7"));
  CHECK(
      reads_rows("u8", "i = u8[3] iota(), iota_dimension=0\nvalue = u8[3] reverse(i), dimensions={0}", "d0 * -1 + 2"));
  CHECK(reads_rows("s64",
                   "i = s32[6] iota(), iota_dimension=0\nj = s64[6] convert(i)\n"
                   "value = s64[3] slice(j), slice={[1:6:2]}",
                   "d0 * 2 + 1"));
  CHECK(reads_rows("s32",
                   "i = s32[2,3] constant({{1, 9, 4}, {0, 3, 6}})\nj = s32[1,3] slice(i), slice={[1:2], [0:3]}\n"
                   "value = s32[3] reshape(j)",
                   "d0 * 3"));
  CHECK(reads_rows("s32",
                   "i = s32[3] iota(), iota_dimension=0\nn = s32[3] negate(i)\nc = s32[3] constant({8, 8, 8})\n"
                   "value = s32[3] add(c, n)",
                   "d0 * -1 + 8"));
}

TEST_CASE("an index that may count from the end is known where its sign is") {
  const std::string wrapped =
      "\nzero = s32[3] constant({0, 0, 0})\nnine = s32[3] constant({9, 9, 9})\n"
      "negative = pred[3] compare(i, zero), direction=LT\nsum = s32[3] add(i, nine)\n"
      "value = s32[3] select(negative, sum, i)";
  CHECK(reads_rows("s32", "i = s32[3] iota(), iota_dimension=0" + wrapped, "d0"));
  CHECK(reads_rows("s32", "i = s32[3] constant({-3, -2, -1})" + wrapped, "d0 + 6"));
  CHECK(reads_unknown_rows("s32", "i = s32[3] constant({-1, 0, 1})" + wrapped));
}

TEST_CASE("what may be clamped, wraps around or is no expression stays a runtime variable") {
  CHECK(reads_unknown_rows("s32", "value = s32[3] constant({7, 8, 9})"));
  CHECK(reads_unknown_rows("s32", "value = s32[3] constant({-1, 0, 1})"));
  CHECK(reads_unknown_rows("s32", "value = s32[3] constant({0, 1, 3})"));
  CHECK(reads_unknown_rows("s32", "f = f32[3] constant({0, 1, 2})\nvalue = s32[3] convert(f)"));
  // 254, 255, 0
  CHECK(reads_unknown_rows("u8",
                           "i = u8[3] iota(), iota_dimension=0\nc = u8[3] constant({254, 254, 254})\n"
                           "value = u8[3] add(i, c)"));
  // 128 and more is negative.
  CHECK(reads_unknown_rows("s8",
                           "i = s32[3] iota(), iota_dimension=0\nc = s32[3] constant({128, 128, 128})\n"
                           "s = s32[3] add(i, c)\nvalue = s8[3] convert(s)"));
  CHECK(reads_unknown_rows("s32", "i = s32[3] iota(), iota_dimension=0\nvalue = s32[3] multiply(i, i)"));
}

TEST_CASE("of several runtime variables those stay whose values nobody knows") {
  const owned_graph program = simplified(R"(
    p0 = f32[9,8] parameter(0)
    p1 = s32[] parameter(1)
    two = s32[] constant(2)
    ROOT s = f32[3,4] dynamic-slice(p0, two, p1), dynamic_slice_sizes={3,4})");
  const indexing::located_map<indexing::indexing_map> reads = reads_of_result(program.get());
  CHECK(reads.value ==
        indexing::parse("(d0, d1){rt0} -> (d0 + 2, d1 + rt0) d0 in [0, 2] d1 in [0, 3] rt0 in [0, 4]").map);
  REQUIRE(reads.sources.size() == 1);
  CHECK(reads.sources[0].producer == argument_of(program.get(), 1));
}

TEST_CASE("two constants of a vector of indices are two expressions") {
  const owned_graph program = simplified(R"(
    p0 = f32[9,8] parameter(0)
    i = s32[3,2] constant({{1, 7}, {2, 5}, {3, 3}})
    ROOT g = f32[3] gather(p0, i), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1})");
  CHECK(reads_of_result(program.get()).value == indexing::parse("(d0) -> (d0 + 1, d0 * -2 + 7) d0 in [0, 2]").map);
}

TEST_CASE("indices that are joined are taken from the part that has them") {
  const owned_graph program = simplified(R"(
    p0 = f32[9,8] parameter(0)
    i = s32[3,1] iota(), iota_dimension=0
    five = s32[3,1] constant({{5}, {5}, {5}})
    pair = s32[3,2] concatenate(i, five), dimensions={1}
    ROOT g = f32[3] gather(p0, pair), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,1})");
  CHECK(reads_of_result(program.get()).value == indexing::parse("(d0) -> (d0, 5) d0 in [0, 2]").map);
}

TEST_CASE("where a tensor may be smaller than its bound, an index stays a runtime variable") {
  const owned_graph program = simplified(R"(
    func.func @main(%p0: tensor<?xf32, #stablehlo.bounds<9>>) -> tensor<3xf32> {
      %two = stablehlo.constant dense<2> : tensor<i32>
      %s = "stablehlo.dynamic_slice"(%p0, %two) <{slice_sizes = array<i64: 3>}>
        : (tensor<?xf32, #stablehlo.bounds<9>>, tensor<i32>) -> tensor<3xf32>
      return %s : tensor<3xf32>
    })");
  CHECK(reads_of_result(program.get()).value.runtime_count == 1);
}

TEST_CASE("random indices are what the program computes") {
  constexpr int size = 6, rows = 40;
  std::mt19937 random(24);
  const auto below = [&](int end) { return int(random() % unsigned(end)); };
  const auto wrapped = [](const std::string& type, std::int64_t value) {
    return type == "s8" ? std::int64_t(std::int8_t(value)) : std::int64_t(type == "u8" ? std::uint8_t(value) : value);
  };
  int known = 0, unknown = 0, walks = 0;
  for (int round = 0; round < 4000; ++round) {
    const std::string type = std::array{"s8", "u8", "s32"}[std::size_t(below(3))];
    std::vector<std::vector<std::int64_t>> values{{0, 1, 2, 3, 4, 5}};
    const std::string shape = type + "[" + std::to_string(size) + "] ";
    std::string text = "p0 = f32[40,1] parameter(0)\nv0 = " + shape + "iota(), iota_dimension=0\n";
    const auto append = [&](const std::string& op, auto value_at) {
      text += "v" + std::to_string(values.size()) + " = " + shape + op + "\n";
      std::vector<std::int64_t> made;
      for (std::size_t i = 0; i < size; ++i) made.push_back(wrapped(type, value_at(i)));
      values.push_back(made);
    };
    const int steps = 1 + below(6);
    for (int step = 0; step < steps; ++step) {
      const int last = int(values.size()) - 1, other = below(last + 1);
      const std::vector<std::int64_t> a = values.back(), b = values[std::size_t(other)];
      const std::string one = "(v" + std::to_string(last) + ")";
      const std::string both = "(v" + std::to_string(last) + ", v" + std::to_string(other) + ")";
      switch (below(8)) {
        case 0: {
          const int first = below(30) - (type == "u8" ? 0 : 10), slope = below(4) - (first >= 15 ? 3 : 0),
                    bent = below(4 * size);
          std::string all;
          for (int i = 0; i < size; ++i)
            all += (i > 0 ? ", " : "") + std::to_string(first + slope * i + (bent == i ? 1 : 0));
          append("constant({" + all + "})", [&](std::size_t i) { return first + slope * int(i) + (bent == int(i)); });
          break;
        }
        case 1:
          append("add" + both, [&](std::size_t i) { return a[i] + b[i]; });
          break;
        case 2:
          append("subtract" + both, [&](std::size_t i) { return a[i] - b[i]; });
          break;
        case 3:
          append("multiply" + both, [&](std::size_t i) { return a[i] * b[i]; });
          break;
        case 4:
          append("minimum" + both, [&](std::size_t i) { return std::min(a[i], b[i]); });
          break;
        case 5:
          append("maximum" + both, [&](std::size_t i) { return std::max(a[i], b[i]); });
          break;
        case 6:
          append("reverse" + one + ", dimensions={0}", [&](std::size_t i) { return a[size - 1 - i]; });
          break;
        default: {
          const int direction = below(4);
          const std::string condition = "c" + std::to_string(values.size());
          text += condition + " = pred[6] compare" + both +
                  ", direction=" + std::array{"LT", "LE", "GT", "GE"}[std::size_t(direction)] + "\n";
          append("select(" + condition + ", v" + std::to_string(other) + ", v0)", [&](std::size_t i) {
            const bool chosen[] = {a[i]<b[i], a[i] <= b[i], a[i]> b[i], a[i] >= b[i]};
            return chosen[direction] ? b[i] : values[0][i];
          });
        }
      }
    }
    text += "column = " + type + "[6,1] reshape(v" + std::to_string(values.size() - 1) +
            ")\nROOT g = f32[6,1] gather(p0, column), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
            "index_vector_dim=1, slice_sizes={1,1}";
    CAPTURE(text);
    const owned_graph program = simplified(text);
    // What plans make of the same indices.
    const graph& g = program.get();
    const graph_node& last = g.nodes.data[g.values.data[g.yields_of(g.regions.data[entry_of(g)->region])[0]].node];
    if (strided_access walk; planning::known_walks(g, size).find(g.operands_of(last)[1], {{size}, {1}, 0}, walk)) {
      ++walks;
      for (index_t i = 0; i < size; ++i)
        CHECK(walk.base + (walk.sizes.empty() ? 0 : i * walk.strides.at[0]) == values.back()[std::size_t(i)]);
    }
    const auto reads = reads_of_result(program.get());
    if (reads.value.runtime_count > 0) {
      ++unknown;
      continue;
    }
    ++known;
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t at[] = {i, 0}, row = std::clamp<std::int64_t>(values.back()[std::size_t(i)], 0, rows - 1);
      CHECK(indexing::evaluate(reads.value, at)[0] == row);
    }
  }
  CHECK(known > 1000);
  CHECK(unknown > 1000);
  CHECK(walks > 1000);
}
