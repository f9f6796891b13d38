// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/plan/fuse.hpp>

#include <shared/read_function.hpp>
#include <tenon/ops/elementwise/negate.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::planning;

namespace {

constexpr std::string_view reasons[] = {"given",       "read elsewhere", "read differently", "computed again",
                                        "own loops",   "not affine",     "other rows",       "long rows",
                                        "large group", "in place",       "elsewhere",        "index"};

// The group that grows from the last op of a function of the arguments %a and %b, whose results are `results`.
class grown {
 public:
  grown(const std::string& arguments, const std::string& ops, const std::string& results, bool may_keep = true)
      : source_(
            test::function_text(arguments, "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n" + ops, results)) {
    start();
    const graph_function& main = g().functions.data[0];
    int root = g().nodes.size - 1;
    while (g().nodes.data[root].region != main.region) --root;
    grows = group->grow(root, may_keep);
  }
  const graph& g() const { return source_.program(); }

  // "negate exponential": what is computed, the root first. Other roles and what is kept are named.
  std::string members() const {
    using role = fused_group::role;
    std::string text;
    for (int m = 0; m < group->member_count; ++m) {
      const fused_group::member& each = group->members[m];
      if (m > 0) text += ", ";
      if (each.as == role::move) text += "move ";
      if (each.as == role::fold) text += "fold ";
      if (each.as == role::broadcast_along_rows) text += "spread ";
      text += name_of_kind(g().nodes.data[each.node].kind);
      if (each.kept) text += " kept";
    }
    return text;
  }
  // What the group reads, and why it does not compute that, in the order of the values.
  std::string leaves() const {
    std::string text;
    for (int value = 0; value < g().values.size; ++value)
      for (int i = 0; i < group->leaf_count; ++i) {
        if (group->leaves[i].value != value) continue;
        const int node = g().values.data[value].node;
        if (!text.empty()) text += ", ";
        text += node < 0 ? "argument" : std::string(name_of_kind(g().nodes.data[node].kind));
        text += " " + std::string(reasons[int(group->leaves[i].why)]);
      }
    return text;
  }

  bool grows = false;
  std::unique_ptr<fused_group> group;

 private:
  test::read_function source_;
  std::vector<int> uses_;
  std::unique_ptr<bool[]> needed_;

  void start() {
    uses_.assign(std::size_t(g().values.size), 0);
    needed_ = std::make_unique<bool[]>(std::size_t(g().values.size));
    for (int i = 0; i < g().operands.size; ++i) ++uses_[std::size_t(g().operands.data[i])];
    group = std::make_unique<fused_group>(g(), uses_.data(), needed_.get());
    group->gathers_left = group->indices_left = 100;
  }
};

const std::string two = "%a: tensor<6x8xf32>, %b: tensor<6x8xf32>", matrix = "tensor<6x8xf32>";

}  // namespace

TEST_CASE("producers that are read in order join") {
  const grown found(two,
                    "%s = stablehlo.add %a, %b : tensor<6x8xf32>\n%e = stablehlo.exponential %s : tensor<6x8xf32>\n"
                    "%r = stablehlo.multiply %e, %e : tensor<6x8xf32>",
                    "%r : " + matrix);
  REQUIRE(found.grows);
  CHECK(found.members() == "multiply, exponential, add");
  CHECK(found.leaves() == "argument given, argument given");
  CHECK(found.group->result.member == 0);
  CHECK(found.group->members[1].uses == 2);
  CHECK(!found.group->root_is_row());
  for (int i = 0; i < found.group->leaf_count; ++i) {
    const strided_access access = found.group->access_of(found.group->leaves[i]);
    CHECK(access.sizes == ints{48});
    CHECK(access.strides == ints{1});
  }
}

TEST_CASE("movements say how their operand is read") {
  const grown found("%a: tensor<8x6xf32>, %b: tensor<6x8xf32>",
                    "%s = stablehlo.sine %a : tensor<8x6xf32>\n"
                    "%t = stablehlo.transpose %s, dims = [1, 0] : (tensor<8x6xf32>) -> tensor<6x8xf32>\n"
                    "%r = stablehlo.add %t, %b : tensor<6x8xf32>",
                    "%r : " + matrix);
  REQUIRE(found.grows);
  CHECK(found.members() == "add, move transpose, sine");
  CHECK(found.leaves() == "argument given, argument given");
  const fused_group::member& root = found.group->members[0];
  CHECK(root.operands[0].member == 2);
  CHECK(root.operands[1].leaf >= 0);
}

TEST_CASE("a group of movements alone gives what it reads") {
  const grown found("%a: tensor<8x6xf32>",
                    "%r = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x6xf32>) -> tensor<6x8xf32>",
                    "%r : " + matrix);
  REQUIRE(found.grows);
  CHECK(found.group->result.member == -1);
  REQUIRE(found.group->result.leaf == 0);
  const strided_access access = found.group->access_of(found.group->leaves[0]);
  CHECK(access.sizes == ints{6, 8});
  CHECK(access.strides == ints{1, 6});
}

TEST_CASE("what is read through two maps stands apart") {
  const grown found("%a: tensor<6x6xf32>",
                    "%e = stablehlo.exponential %a : tensor<6x6xf32>\n"
                    "%t = stablehlo.transpose %e, dims = [1, 0] : (tensor<6x6xf32>) -> tensor<6x6xf32>\n"
                    "%r = stablehlo.add %e, %t : tensor<6x6xf32>",
                    "%r : tensor<6x6xf32>");
  REQUIRE(found.grows);
  CHECK(found.members() == "add, move transpose");
  CHECK(found.leaves() == "exponential read differently, exponential read differently");
}

TEST_CASE("no element is computed twice") {
  const grown found("%a: tensor<8xf32>, %b: tensor<6x8xf32>",
                    "%e = stablehlo.exponential %a : tensor<8xf32>\n"
                    "%s = stablehlo.broadcast_in_dim %e, dims = [1] : (tensor<8xf32>) -> tensor<6x8xf32>\n"
                    "%r = stablehlo.add %s, %b : tensor<6x8xf32>",
                    "%r : " + matrix);
  REQUIRE(found.grows);
  CHECK(found.members() == "add, move broadcast_in_dim");
  CHECK(found.leaves() == "argument given, exponential computed again");
}

TEST_CASE("what others read later is kept, if it may be") {
  const std::string ops =
      "%e = stablehlo.exponential %a : tensor<6x8xf32>\n%r = stablehlo.add %e, %b : tensor<6x8xf32>";
  const std::string both = "%r, %e : tensor<6x8xf32>, tensor<6x8xf32>";
  const grown keeping(two, ops, both);
  REQUIRE(keeping.grows);
  CHECK(keeping.members() == "add, exponential kept");
  CHECK(keeping.group->kept_count == 1);
  const grown apart(two, ops, both, false);
  CHECK(apart.members() == "add");
  CHECK(apart.leaves() == "argument given, exponential read elsewhere");
  CHECK(apart.group->kept_count == 0);
}

TEST_CASE("what others read before the root is computed is not kept") {
  const grown found(two,
                    "%e = stablehlo.exponential %a : tensor<6x8xf32>\n"
                    "%d = stablehlo.dot_general %e, %b, contracting_dims = [1] x [1] : (tensor<6x8xf32>, "
                    "tensor<6x8xf32>) -> tensor<6x6xf32>\n"
                    "%r = stablehlo.add %e, %b : tensor<6x8xf32>",
                    "%r, %d : tensor<6x8xf32>, tensor<6x6xf32>");
  REQUIRE(found.grows);
  CHECK(found.members() == "add");
  CHECK(found.leaves() == "argument given, exponential read elsewhere");
}

TEST_CASE("rows that are folded, and what is spread along them") {
  const std::string sum =
      " applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>\n";
  const std::string spread = ", dims = [0] : (tensor<6xf32>) -> tensor<6x8xf32>\n";
  const grown soft("%a: tensor<6x8xf32>",
                   "%e = stablehlo.exponential %a : tensor<6x8xf32>\n"
                   "%s = stablehlo.reduce(%e init: %zero)" +
                       sum + "%d = stablehlo.broadcast_in_dim %s" + spread +
                       "%r = stablehlo.divide %e, %d : tensor<6x8xf32>",
                   "%r : " + matrix);
  REQUIRE(soft.grows);
  CHECK(soft.members() == "divide, spread broadcast_in_dim, fold reduce, exponential");
  CHECK(!soft.group->root_is_row());
  CHECK(soft.group->gives_rows(soft.group->members[2]));
  CHECK(!soft.group->gives_rows(soft.group->members[3]));

  const grown squares("%a: tensor<6x8xf32>",
                      "%p = stablehlo.multiply %a, %a : tensor<6x8xf32>\n"
                      "%r = stablehlo.reduce(%p init: %zero)" +
                          sum,
                      "%r : tensor<6xf32>");
  REQUIRE(squares.grows);
  CHECK(squares.members() == "fold reduce, multiply");
  CHECK(squares.group->root_is_row());

  const grown alone("%a: tensor<6x8xf32>", "%r = stablehlo.reduce(%a init: %zero)" + sum, "%r : tensor<6xf32>");
  CHECK(!alone.grows);
}

TEST_CASE("folds along other axes") {
  const std::string ops =
      "%s = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : "
      "(tensor<6x8xf32>, tensor<f32>) -> tensor<8xf32>\n%r = stablehlo.negate %s : tensor<8xf32>";
  const grown alone("%a: tensor<6x8xf32>", ops, "%r : tensor<8xf32>");
  REQUIRE(alone.grows);
  CHECK(alone.members() == "negate");
  CHECK(alone.leaves() == "reduce in place");
  CHECK(alone.group->source >= 0);
  const grown shared("%a: tensor<6x8xf32>", ops, "%r, %s : tensor<8xf32>, tensor<8xf32>");
  REQUIRE(shared.grows);
  CHECK(shared.leaves() == "reduce other rows");
  CHECK(shared.group->source == -1);
}

TEST_CASE("rows that are longer than a tile are not read again") {
  const grown found("%a: tensor<2x20000xf32>",
                    "%e = stablehlo.exponential %a : tensor<2x20000xf32>\n"
                    "%s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : "
                    "(tensor<2x20000xf32>, tensor<f32>) -> tensor<2xf32>\n"
                    "%d = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<2xf32>) -> tensor<2x20000xf32>\n"
                    "%r = stablehlo.divide %e, %d : tensor<2x20000xf32>",
                    "%r : tensor<2x20000xf32>");
  REQUIRE(found.grows);
  CHECK(found.members() == "divide, move broadcast_in_dim");
  CHECK(found.leaves() == "exponential read elsewhere, reduce computed again");
}

// Rows of sums of four.
std::string sums_of_sums(const std::string& size) {
  const std::string lines = "tensor<2x" + size + "xf32>", all = "tensor<2x" + size + "x4xf32>";
  return "%s = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [2] : (" + all +
         ", tensor<f32>) -> " + lines + "\n%r = stablehlo.reduce(%s init: %zero) applies stablehlo.add across " +
         "dimensions = [1] : (" + lines + ", tensor<f32>) -> tensor<2xf32>\n%n = stablehlo.negate %r : tensor<2xf32>";
}

TEST_CASE("rows of one length in a group") {
  const grown some("%a: tensor<2x8x4xf32>", sums_of_sums("8"), "%n : tensor<2xf32>");
  REQUIRE(some.grows);
  CHECK(some.members() == "negate, fold reduce");
  CHECK(some.leaves() == "constant given, reduce other rows");
  const grown many("%a: tensor<2x20000x4xf32>", sums_of_sums("20000"), "%n : tensor<2xf32>");
  REQUIRE(many.grows);
  CHECK(many.leaves() == "constant given, reduce long rows");
}

TEST_CASE("ops with loops of their own hand their result over in place, to one group") {
  const std::string product =
      "%d = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<6x8xf32>, "
      "tensor<6x8xf32>) -> tensor<6x6xf32>\n";
  const grown found(two, product + "%r = stablehlo.tanh %d : tensor<6x6xf32>", "%r : tensor<6x6xf32>");
  REQUIRE(found.grows);
  CHECK(found.leaves() == "dot_general in place");
  const grown turned(two,
                     product +
                         "%t = stablehlo.transpose %d, dims = [1, 0] : (tensor<6x6xf32>) -> tensor<6x6xf32>\n"
                         "%r = stablehlo.tanh %t : tensor<6x6xf32>",
                     "%r : tensor<6x6xf32>");
  REQUIRE(turned.grows);
  CHECK(turned.leaves() == "dot_general own loops");
  const grown root(two, product, "%d : tensor<6x6xf32>");
  CHECK(!root.grows);
}

TEST_CASE("groups do not grow without end") {
  std::string ops = "%v0 = stablehlo.add %a, %b : tensor<6x8xf32>\n";
  for (int i = 1; i < 60; ++i)
    ops += "%v" + std::to_string(i) + " = stablehlo.negate %v" + std::to_string(i - 1) + " : tensor<6x8xf32>\n";
  const grown found(two, ops, "%v59 : " + matrix);
  REQUIRE(found.grows);
  CHECK(found.group->member_count == fused_group::most_computed);
  CHECK(found.leaves() == "negate large group");
}

TEST_CASE("groups that cannot have all producers end at narrow values") {
  const auto chain = [](int count, const std::string& from, const std::string& name) {
    std::string ops = "%" + name + "0 = stablehlo.negate " + from + " : tensor<6x8xf32>\n";
    for (int i = 1; i < count; ++i)
      ops += "%" + name + std::to_string(i) + " = stablehlo.negate %" + name + std::to_string(i - 1) +
             " : tensor<6x8xf32>\n";
    return ops;
  };
  const std::string through_i8 =
      "%narrow = stablehlo.convert %v14 : (tensor<6x8xf32>) -> tensor<6x8xi8>\n"
      "%wide = stablehlo.convert %narrow : (tensor<6x8xi8>) -> tensor<6x8xf32>\n";
  const grown large(two, chain(15, "%a", "v") + through_i8 + chain(10, "%wide", "w"), "%w9 : " + matrix);
  REQUIRE(large.grows);
  CHECK(large.group->member_count == 11);
  CHECK(large.leaves() == "convert large group");
  const grown whole(two, chain(15, "%a", "v") + through_i8 + chain(7, "%wide", "w"), "%w6 : " + matrix);
  REQUIRE(whole.grows);
  CHECK(whole.group->member_count == fused_group::most_computed);
  CHECK(whole.leaves() == "argument given");
}

TEST_CASE("what indices are read is read before") {
  const grown found("%a: tensor<6x8xf32>, %i: tensor<i32>",
                    "%j = stablehlo.add %i, %i : tensor<i32>\n"
                    "%s = stablehlo.dynamic_slice %a, %j, %i, sizes = [2, 3] : (tensor<6x8xf32>, tensor<i32>, "
                    "tensor<i32>) -> tensor<2x3xf32>\n%r = stablehlo.negate %s : tensor<2x3xf32>",
                    "%r : tensor<2x3xf32>");
  REQUIRE(found.grows);
  CHECK(found.members() == "negate, move dynamic_slice");
  CHECK(found.leaves() == "argument given, argument given, add index");
}

TEST_CASE("what another region computes is read from there") {
  const grown found("%a: tensor<6x8xf32>, %p: tensor<i1>",
                    "%e = stablehlo.exponential %a : tensor<6x8xf32>\n"
                    "%r = \"stablehlo.if\"(%p) ({\n%n = stablehlo.negate %e : tensor<6x8xf32>\n"
                    "stablehlo.return %n : tensor<6x8xf32>\n}, {\nstablehlo.return %a : tensor<6x8xf32>\n}) : "
                    "(tensor<i1>) -> tensor<6x8xf32>",
                    "%r : " + matrix);
  CHECK(!found.grows);
  int negate = 0;
  while (found.g().nodes.data[negate].kind != kind_of_op<ops::negate>) ++negate;
  REQUIRE(found.group->grow(negate, true));
  CHECK(found.leaves() == "exponential elsewhere");
}
