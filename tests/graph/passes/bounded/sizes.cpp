// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/passes/bounded/sizes.hpp>

#include <shared/read_program.hpp>
#include <shared/simplified_program.hpp>
#include <tenon/ops/control/bounded_size.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;
using namespace tenon::passes;

namespace {

// How often the static form of a program checks a size, by what it asks of it.
struct checks {
  int agree = 0, at_most = 0, exact = 0;

  friend bool operator==(const checks&, const checks&) = default;
};
doctest::String toString(const checks& each) {
  return ("agree " + std::to_string(each.agree) + ", at most " + std::to_string(each.at_most) + ", exact " +
          std::to_string(each.exact))
      .c_str();
}

// Of a function of a, b, c: vectors of at most four numbers, whose type is !x, of v: four of them, and of a boolean p.
// `also` is a second result. That the three are no larger than their bounds is checked too.
checks checks_of(const std::string& ops, const std::string& also = "%a") {
  std::string text = "func.func @main(%a: !x, %b: !x, %c: !x, %v: tensor<4xf32>, %p: tensor<i1>) -> (!x, !x) {\n" +
                     ops + "\n return %r, " + also + " : !x, !x\n}";
  for (std::size_t at = text.find("!x"); at != std::string::npos; at = text.find("!x"))
    text.replace(at, 2, "tensor<?xf32, #stablehlo.bounds<4>>");
  const graph_owner program = read_program(text);
  REQUIRE_MESSAGE(!program.error(), std::string(program.error() ? program.error().sentence : ""));
  bounded_refusal refusal;
  const owned_graph simple = simplified_program(program.program());
  const owned_graph fixed = static_program(simple.get(), refusal);
  REQUIRE(!refusal);
  checks found;
  for (const graph_node& node : fixed.get().nodes) {
    if (node.kind != kind_of_op<ops::bounded_size>) continue;
    const auto relation = read_attributes<ops::bounded_size>(fixed.get().words.data + node.words).relation;
    found.agree += relation == size_relation::AGREE;
    found.at_most += relation == size_relation::AT_MOST;
    found.exact += relation == size_relation::EXACT;
  }
  for (const graph_value& each : fixed.get().values) CHECK(fixed.get().types.data[each.type].bounded == 0);
  return found;
}

}  // namespace

TEST_CASE("a size agrees with itself") {
  CHECK(checks_of("%r = stablehlo.add %a, %a : !x") == checks{.at_most = 3});
  CHECK(checks_of("%s = stablehlo.negate %a : !x\n %r = stablehlo.add %a, %s : !x") == checks{.at_most = 3});
}

TEST_CASE("sizes that have been found to be the same are not compared again") {
  CHECK(checks_of("%r = stablehlo.add %a, %b : !x") == checks{.agree = 1, .at_most = 3});
  CHECK(checks_of("%s = stablehlo.add %a, %b : !x\n %t = stablehlo.multiply %b, %a : !x\n"
                  "%r = stablehlo.add %s, %t : !x") == checks{.agree = 1, .at_most = 3});
  // Through a third one, too.
  CHECK(checks_of("%s = stablehlo.add %a, %b : !x\n %t = stablehlo.multiply %b, %c : !x\n"
                  "%u = stablehlo.add %c, %a : !x\n %w = stablehlo.add %s, %t : !x\n"
                  "%r = stablehlo.add %w, %u : !x") == checks{.agree = 2, .at_most = 3});
}

// The product of a vector and one of four numbers, under this name.
std::string dot(const std::string& name, const std::string& vector) {
  return name + " = stablehlo.dot_general " + vector +
         ", %v, contracting_dims = [0] x [0] : (!x, tensor<4xf32>) -> tensor<f32>\n";
}
// It as a vector of as many elements as b has.
const std::string spread =
    "%w = stablehlo.broadcast_in_dim %d, dims = [] : (tensor<f32>) -> tensor<4xf32>\n"
    "%i = stablehlo.get_dimension_size %b, dim = 0 : (!x) -> tensor<i32>\n"
    "%r = stablehlo.set_dimension_size %w, %i, dim = 0 : (tensor<4xf32>, tensor<i32>) -> !x\n";
const std::string sum = "%d = stablehlo.add %0, %1 : tensor<f32>\n";

TEST_CASE("a size beside a static dimension is compared with it, once") {
  CHECK(checks_of(dot("%d", "%a") + spread) == checks{.at_most = 3, .exact = 1});
  CHECK(checks_of("%n = stablehlo.negate %a : !x\n" + dot("%0", "%a") + dot("%1", "%n") + sum + spread) ==
        checks{.at_most = 3, .exact = 1});
  CHECK(checks_of(dot("%0", "%a") + dot("%1", "%c") + sum + spread) == checks{.at_most = 3, .exact = 2});
  // One that agrees with it needs no other look.
  CHECK(checks_of("%n = stablehlo.add %a, %c : !x\n" + dot("%0", "%a") + dot("%1", "%c") + sum + spread, "%n") ==
        checks{.agree = 1, .at_most = 3, .exact = 1});
}

TEST_CASE("what a branch has compared with a bound holds within it only") {
  const std::string branches = "%0 = \"stablehlo.if\"(%p) ({\n" + dot("%s", "%a") +
                               " stablehlo.return %s : tensor<f32>\n}, {\n" + dot("%t", "%a") +
                               " stablehlo.return %t : tensor<f32>\n}) : (tensor<i1>) -> tensor<f32>\n";
  CHECK(checks_of(branches + dot("%1", "%a") + sum + spread) == checks{.at_most = 3, .exact = 3});
  CHECK(checks_of(dot("%1", "%a") + branches + sum + spread) == checks{.at_most = 3, .exact = 1});
}

TEST_CASE("what a branch has found out holds within it only") {
  const std::string branches =
      "%s = \"stablehlo.if\"(%p) ({\n %t = stablehlo.add %a, %b : !x\n stablehlo.return %t : !x\n}, {\n"
      " stablehlo.return %a : !x\n}) : (tensor<i1>) -> !x\n";
  const checks inside = checks_of(branches + "%r = stablehlo.negate %s : !x");
  CHECK(inside.agree == 1);
  CHECK(checks_of(branches + "%r = stablehlo.multiply %a, %b : !x", "%s").agree == 2);
  // What is known before the branches holds in them.
  CHECK(checks_of("%k = stablehlo.multiply %a, %b : !x\n" + branches + "%r = stablehlo.negate %k : !x", "%s").agree ==
        1);
}
