// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/group/loop_nest.hpp>

#include <shared/read_function.hpp>
#include <shared/simplified_program.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::passes;
using namespace tenon::planning;
using namespace tenon::kernels;

namespace {

// A program of these arguments, and the nest of its last step.
struct planned {
  test::read_function source;
  owned_graph simple;
  owned_plan steps;

  planned(const std::string& arguments, const std::string& ops, const std::string& results)
      : source(test::function_text(arguments, "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n" + ops, results)),
        simple(simplified_program(source.program())),
        steps(tenon::planned_program(simple.get())) {
    REQUIRE(steps.get().steps.size > 0);
  }
  loop_nest nest() const {
    const plan& p = steps.get();
    return nest_of(simple.get(), p, p.steps.data[p.steps.size - 1]);
  }
};
loop_nest nest(const std::string& arguments, const std::string& ops, const std::string& results) {
  return planned(arguments, ops, results).nest();
}
// Of one op on %b, a matrix of this shape, and what these ops make of %a.
loop_nest reading(const std::string& a, const std::string& ops, const std::string& shape) {
  return nest("%a: tensor<" + a + ">, %b: tensor<" + shape + "xf32>",
              ops + "\n%r = stablehlo.add %v, %b : tensor<" + shape + "xf32>", "%r : tensor<" + shape + "xf32>");
}

int kept(const loop_nest& nest) {
  int count = 0;
  for (int n = 0; n < nest.node_count; ++n) count += nest.nodes[n].kept >= 0;
  return count;
}

const std::string vectors = "%a: tensor<100xf32>, %b: tensor<100xf32>";

}  // namespace

TEST_CASE("a nest of elements") {
  const loop_nest found =
      nest(vectors,
           "%p = stablehlo.compare LT, %a, %b : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xi1>\n"
           "%s = stablehlo.add %a, %b : tensor<100xf32>\n"
           "%r = stablehlo.select %p, %s, %a : tensor<100xi1>, tensor<100xf32>",
           "%r : tensor<100xf32>");
  REQUIRE(found.fits);
  CHECK(found.element == dtype::f32);
  CHECK(found.sizes == ints{100});
  CHECK(found.count() == 100);
  CHECK(found.row() == 100);
  CHECK(found.input_count == 2);
  CHECK(found.node_count == 3);
  CHECK(found.pass_count == 1);
  CHECK(!found.has_rows);
  CHECK(found.transposed_axis == -1);
  const loop_nest::node& root = found.nodes[2];
  CHECK(root.key.kind == kind_of_op<ops::select>);
  CHECK(root.operand_count == 3);
  // Nodes before it, and an argument.
  CHECK(found.nodes[root.operands[0]].key.kind == kind_of_op<ops::compare>);
  CHECK(found.nodes[root.operands[1]].key.kind == kind_of_op<ops::add>);
  REQUIRE(root.operands[2] < 0);
  CHECK(found.inputs[~root.operands[2]].strides == ints{1});
}

TEST_CASE("other results of a group are stored by their nodes") {
  const loop_nest found = nest(vectors,
                               "%e = stablehlo.exponential %a : tensor<100xf32>\n"
                               "%r = stablehlo.add %e, %b : tensor<100xf32>",
                               "%r, %e : tensor<100xf32>, tensor<100xf32>");
  REQUIRE(found.fits);
  REQUIRE(found.node_count == 2);
  CHECK(found.nodes[0].value >= 0);
  CHECK(found.nodes[1].value == -1);
  CHECK(found.nodes[0].stored.base != found.result.base);
}

TEST_CASE("elements of several types") {
  const loop_nest found = nest(vectors,
                               "%s = stablehlo.add %a, %b : tensor<100xf32>\n"
                               "%r = stablehlo.convert %s : (tensor<100xf32>) -> tensor<100xi64>\n"
                               "%n = stablehlo.negate %r : tensor<100xi64>",
                               "%n : tensor<100xi64>");
  CHECK(found.fits);
  CHECK(found.element == dtype::i64);
  CHECK(!nest("%a: tensor<0xf32>", "%s = stablehlo.add %a, %a : tensor<0xf32>\n%r = stablehlo.tanh %s : tensor<0xf32>",
              "%r : tensor<0xf32>")
             .fits);
}

TEST_CASE("as many nodes and inputs as there is room for") {
  const auto chain = [](int length) {
    std::string ops = "%v0 = stablehlo.add %a, %b : tensor<100xf32>\n";
    for (int i = 1; i < length; ++i)
      ops += "%v" + std::to_string(i) + " = stablehlo.tanh %v" + std::to_string(i - 1) + " : tensor<100xf32>\n";
    return nest(vectors, ops, "%v" + std::to_string(length - 1) + " : tensor<100xf32>");
  };
  CHECK(chain(loop_nest::most_nodes).fits);
  CHECK(chain(loop_nest::most_nodes + 1).node_count == loop_nest::most_nodes);
  const auto sum = [](int inputs) {
    std::string arguments = "%a0: tensor<100xf32>", ops, last = "%a0";
    for (int i = 1; i < inputs; ++i) {
      const std::string at = std::to_string(i);
      arguments += ", %a" + at + ": tensor<100xf32>";
      ops += "%v" + at + " = stablehlo.add " + last + ", %a" + at + " : tensor<100xf32>\n";
      last = "%v" + at;
    }
    return nest(arguments, ops, last + " : tensor<100xf32>");
  };
  CHECK(sum(loop_nest::most_inputs).fits);
  CHECK(!sum(loop_nest::most_inputs + 1).fits);
}

TEST_CASE("the index space is cut where an access begins a new dimension") {
  const loop_nest columns =
      reading("6xf32", "%v = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<6xf32>) -> tensor<6x16xf32>", "6x16");
  REQUIRE(columns.fits);
  CHECK(columns.sizes == ints{6, 16});
  const loop_nest rows = reading(
      "16xf32", "%v = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<16xf32>) -> tensor<6x16xf32>", "6x16");
  REQUIRE(rows.fits);
  CHECK(rows.sizes == ints{6, 16});
  int once = 0, again = 0, in_order = 0;
  for (int i = 0; i < 2; ++i) {
    once += columns.inputs[i].strides == ints{1, 0};
    again += rows.inputs[i].strides == ints{0, 1};
    in_order += (columns.inputs[i].strides == ints{16, 1}) + (rows.inputs[i].strides == ints{16, 1});
  }
  CHECK(once == 1);
  CHECK(again == 1);
  CHECK(in_order == 2);
  // Rows that are shorter than vectors lie side by side, and are turned where they are written.
  const loop_nest short_rows = reading(
      "96xf32", "%v = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<96xf32>) -> tensor<96x4xf32>", "96x4");
  REQUIRE(short_rows.fits);
  CHECK(short_rows.has_short_rows());
  CHECK(short_rows.rows_together() == loop_nest::most_rows_together(dtype::f32));
  CHECK(kept(short_rows) == 1);
}

TEST_CASE("short rows are joined where what they repeat is spread once, or where they fill no vectors") {
  const loop_nest groups = reading(
      "8xf32", "%v = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<8xf32>) -> tensor<320x8x4xf32>", "320x8x4");
  REQUIRE(groups.fits);
  if (!loop_nest::joins_rows) {
    CHECK(groups.joined.empty());
    return;
  }
  CHECK(groups.sizes == ints{10, 1024});
  CHECK(groups.joined == ints{32, 8, 4});
  int spread = 0;
  for (int i = 0; i < groups.input_count; ++i) {
    spread += groups.inputs[i].spread == ints{0, 1, 0} && groups.inputs[i].strides == ints{0, 0};
    CHECK(!groups.inputs[i].changes() == !groups.inputs[i].spread.empty());
  }
  CHECK(spread == 1);
  // Each row has another element.
  const loop_nest rows = reading(
      "99xf32", "%v = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<99xf32>) -> tensor<99x2x4xf32>", "99x2x4");
  REQUIRE(rows.fits);
  CHECK(rows.joined.empty());
  const loop_nest few =
      reading("8xf32", "%v = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<8xf32>) -> tensor<8x4xf32>", "8x4");
  REQUIRE(few.fits);
  CHECK(few.sizes == ints{32});
}

TEST_CASE("short strides, and rows in reverse") {
  const auto apart = [](int stride, const std::string& begin = "0") {
    return reading("6x200xf32",
                   "%v = stablehlo.slice %a [0:6, " + begin + ":" + std::to_string(15 * stride + 1) + ":" +
                       std::to_string(stride) + "] : (tensor<6x200xf32>) -> tensor<6x16xf32>",
                   "6x16");
  };
  for (int stride = 1; stride <= 4; ++stride) CHECK(apart(stride).fits);
  CHECK(!apart(5).fits);
  const loop_nest reversed = reading("6x16xf32", "%v = stablehlo.reverse %a, dims = [1] : tensor<6x16xf32>", "6x16");
  REQUIRE(reversed.fits);
  int backwards = 0;
  for (int i = 0; i < reversed.input_count; ++i)
    backwards += reversed.inputs[i].strides == ints{16, -1} && reversed.inputs[i].base == 15;
  CHECK(backwards == 1);
  // Of booleans there are no such loads.
  CHECK(!nest("%a: tensor<6x32xi1>, %b: tensor<6x16xf32>",
              "%v = stablehlo.slice %a [0:6, 0:32:2] : (tensor<6x32xi1>) -> tensor<6x16xi1>\n"
              "%n = stablehlo.negate %b : tensor<6x16xf32>\n"
              "%r = stablehlo.select %v, %n, %b : tensor<6x16xi1>, tensor<6x16xf32>",
              "%r : tensor<6x16xf32>")
             .fits);
}

TEST_CASE("what is read across has a block") {
  const loop_nest found = reading(
      "96x64xf32", "%v = stablehlo.transpose %a, dims = [1, 0] : (tensor<96x64xf32>) -> tensor<64x96xf32>", "64x96");
  REQUIRE(found.fits);
  CHECK(found.transposed_axis == 0);
  CHECK(found.box_rows > 0);
  CHECK(found.box_row > 0);
  CHECK(found.block_rows > 0);
  int blocks = 0;
  for (int i = 0; i < found.input_count; ++i) {
    blocks += found.inputs[i].block >= 0;
    CHECK((found.inputs[i].block >= 0) == (found.inputs[i].strides == ints{1, 64}));
  }
  CHECK(blocks == 1);
}

TEST_CASE("a fold of one pass keeps nothing") {
  const loop_nest found =
      nest("%a: tensor<6x40xf32>",
           "%p = stablehlo.multiply %a, %a : tensor<6x40xf32>\n"
           "%s = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [1] : "
           "(tensor<6x40xf32>, tensor<f32>) -> tensor<6xf32>\n%r = stablehlo.sqrt %s : tensor<6xf32>",
           "%r : tensor<6xf32>");
  REQUIRE(found.fits);
  CHECK(found.has_rows);
  CHECK(found.sizes == ints{6, 40});
  CHECK(found.pass_count == 1);
  CHECK(kept(found) == 0);
  REQUIRE(found.node_count == 3);
  CHECK(!found.gives_rows(0));
  CHECK((found.nodes[1].folds && found.gives_rows(1)));
  CHECK((found.nodes[2].per_row && found.gives_rows(2)));
  CHECK(found.nodes[1].key.body == kind_of_op<ops::add>);
  // A pass has to end before what it folds is there.
  CHECK(found.ready_for(~0) == 0);
  CHECK(found.ready_for(0) == 0);
  CHECK(found.ready_for(1) == 1);
  CHECK(found.nodes[2].pass == 1);
}

TEST_CASE("a row is passed over as often as folds wait for each other") {
  const std::string sum =
      " applies stablehlo.add across dimensions = [1] : (tensor<6x40xf32>, tensor<f32>) -> tensor<6xf32>\n";
  const std::string spread = ", dims = [0] : (tensor<6xf32>) -> tensor<6x40xf32>\n";
  const loop_nest found =
      nest("%a: tensor<6x40xf32>",
           "%s = stablehlo.reduce(%a init: %zero)" + sum + "%d = stablehlo.broadcast_in_dim %s" + spread +
               "%c = stablehlo.subtract %a, %d : tensor<6x40xf32>\n"
               "%p = stablehlo.multiply %c, %c : tensor<6x40xf32>\n"
               "%q = stablehlo.reduce(%p init: %zero)" +
               sum + "%e = stablehlo.broadcast_in_dim %q" + spread + "%r = stablehlo.divide %c, %e : tensor<6x40xf32>",
           "%r : tensor<6x40xf32>");
  REQUIRE(found.fits);
  CHECK(found.pass_count == 3);
  // What was centred is read by the last pass again; it is not computed twice.
  CHECK(kept(found) == 1);
  for (int n = 0; n < found.node_count; ++n) {
    const loop_nest::node& node = found.nodes[n];
    CHECK((node.kept >= 0) == (node.key.kind == kind_of_op<ops::subtract>));
    if (node.key.kind == kind_of_op<ops::divide>) CHECK(node.pass == 2);
    if (node.key.kind == kind_of_op<ops::multiply>) CHECK(node.pass == 1);
  }
}

TEST_CASE("behind an op with loops of its own") {
  const std::string product =
      "%d = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<16x8xf32>, "
      "tensor<16x8xf32>) -> tensor<16x16xf32>\n";
  const std::string arguments = "%a: tensor<16x8xf32>, %b: tensor<16x8xf32>", square = "tensor<16x16xf32>";
  const planned in_place(arguments,
                         product + "%n = stablehlo.negate %d : " + square + "\n%r = stablehlo.tanh %n : " + square,
                         "%r : " + square);
  CHECK(in_place.nest().fits);
  // The pass that writes a row is the last one that reads it.
  const auto behind_product = [&](const std::string& results) {
    return planned(arguments,
                   product + "%s = stablehlo.exponential %d : " + square +
                       "\n%t = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1] : (" +
                       square +
                       ", tensor<f32>) -> tensor<16xf32>\n%u = stablehlo.broadcast_in_dim %t, dims = [0] : "
                       "(tensor<16xf32>) -> " +
                       square + "\n%r = stablehlo.divide %s, %u : " + square,
                   results);
  };
  const planned rows = behind_product("%r : " + square);
  REQUIRE(rows.steps.get().steps.size == 1);
  CHECK(rows.nest().fits);
  CHECK(rows.nest().pass_count == 2);
}

TEST_CASE("a loop reads where indices say") {
  CHECK(nest("%a: tensor<100xf32>, %i: tensor<16x1xi32>, %b: tensor<16xf32>",
             "%g = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], "
             "start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<100xf32>, "
             "tensor<16x1xi32>) -> tensor<16xf32>\n%s = stablehlo.add %g, %b : tensor<16xf32>\n"
             "%r = stablehlo.tanh %s : tensor<16xf32>",
             "%r : tensor<16xf32>")
            .fits);
}
