// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/passes/bounded/exchange.hpp>

#include <graph/passes/bounded/static_form.hpp>

#include <string>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;
using namespace tenon::test;

namespace {

const std::string pair = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>",
                  alone = "replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>";

static_form exchanged(const std::string& op, const std::string& attributes, const std::string& from,
                      const std::string& to, const std::string& body = "") {
  return {"%a: " + from,
          "%r = \"stablehlo." + op + "\"(%a) <{" + attributes + "}> " + body + " : (" + from + ") -> " + to,
          "%r : " + to};
}
const std::string adding =
    "({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n%s = stablehlo.add %x, %y : tensor<f32>\n"
    "stablehlo.return %s : tensor<f32>\n})";

int agreements(const static_form& form) {
  int count = 0;
  for (const graph_node& node : form.program().nodes)
    if (node.kind == kind_of_op<ops::bounded_size>)
      count +=
          read_attributes<ops::bounded_size>(form.program().words.data + node.words).relation == size_relation::AGREE;
  return count;
}

}  // namespace

TEST_CASE("members of a group that reduces agree on sizes before") {
  const auto reduced = [](const std::string& groups, const std::string& type) {
    return exchanged("all_reduce", groups, type, type, adding);
  };
  const static_form group = reduced(pair, "tensor<?5x3xf32>");
  CHECK(group.count<ops::all_reduce>() == 2);
  CHECK(agreements(group) == 1);
  // Two sizes meet once.
  const static_form both = reduced(pair, "tensor<?5x?3xf32>");
  CHECK(both.count<ops::all_reduce>() == 2);
  CHECK(agreements(both) == 2);
  // Who is alone need not ask.
  const static_form single = reduced(alone, "tensor<?5x3xf32>");
  CHECK(single.count<ops::all_reduce>() == 1);
  CHECK(agreements(single) == 0);
}

TEST_CASE("what is gathered lies without gaps") {
  const auto gathered = [](const std::string& along, const std::string& to) {
    return exchanged("all_gather", "all_gather_dim = " + along + " : i64, " + pair, "tensor<?5x3xf32>", to);
  };
  // Along the dimension every member may have a size of its own.
  const static_form lines = gathered("0", "tensor<?10x3xf32>");
  CHECK(lines.count<ops::all_gather>() == 2);
  CHECK(lines.gathers() == 1);
  CHECK(lines.count<ops::all_reduce>() == 0);
  const static_form columns = gathered("1", "tensor<?5x6xf32>");
  CHECK(columns.count<ops::all_gather>() == 1);
  CHECK(columns.gathers() == 0);
  CHECK(columns.count<ops::all_reduce>() == 1);
  CHECK(agreements(columns) == 1);
}

TEST_CASE("parts of a size below its bound are of one size") {
  const auto scattered = [](const std::string& along, const std::string& to) {
    return exchanged("reduce_scatter", "scatter_dimension = " + along + " : i64, " + pair, "tensor<?6x4xf32>", to,
                     adding);
  };
  const static_form lines = scattered("0", "tensor<?3x4xf32>");
  CHECK(lines.count<ops::reduce_scatter>() == 1);
  // In the group, and with what the parts are together.
  CHECK(agreements(lines) == 2);
  CHECK(lines.gathers() == 1);
  const static_form columns = scattered("1", "tensor<?6x2xf32>");
  CHECK(agreements(columns) == 1);
  CHECK(columns.gathers() == 0);
}

TEST_CASE("sizes travel with the elements") {
  const std::string type = "tensor<?5x3xf32>";
  const static_form permuted =
      exchanged("collective_permute", "source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>", type, type);
  CHECK(permuted.count<ops::collective_permute>() == 2);
  CHECK(agreements(permuted) == 0);
  CHECK(exchanged("collective_broadcast", pair, type, type).count<ops::collective_broadcast>() == 2);
  CHECK(exchanged("collective_broadcast", alone, type, type).count<ops::collective_broadcast>() == 1);
}

TEST_CASE("parts that are exchanged") {
  const auto exchange = [](const std::string& split, const std::string& concat, const std::string& to) {
    return exchanged("all_to_all",
                     "split_dimension = " + split + " : i64, concat_dimension = " + concat +
                         " : i64, split_count = 2 : i64, " + pair,
                     "tensor<?6x4xf32>", to);
  };
  // What stays must be of one size; what is put together is not.
  const static_form appended = exchange("1", "0", "tensor<?12x2xf32>");
  CHECK(agreements(appended) == 0);
  CHECK(appended.count<ops::all_to_all>() == 2);
  CHECK(appended.gathers() == 1);
  const static_form divided = exchange("0", "1", "tensor<?3x8xf32>");
  CHECK(agreements(divided) == 2);
  CHECK(divided.gathers() == 1);
}
