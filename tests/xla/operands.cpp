// SPDX-License-Identifier: Apache-2.0
#include <tenon/xla/xla_builder.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

namespace tenon::test {
namespace {

using namespace xla;

constexpr std::int64_t half = std::int64_t(1) << 62;

Shape floats(const Int64Span& sizes) { return ShapeUtil::MakeShape(F32, sizes); }

// The label of the rule that statements of a builder with a vector of two floats break; empty if they break none.
template <class Statements>
std::string refusal(Statements statements) {
  XlaBuilder b("b");
  const XlaOp x = Parameter(&b, 0, floats({2}), "x");
  statements(b, x);
  const XlaComputation made = b.Build();
  return made.ok() ? "" : made.label;
}
template <class Statements>
bool refused(Statements statements) {
  return refusal(statements) == "xla_operand";
}

XlaComputation sum() {
  XlaBuilder b("sum");
  Add(Parameter(&b, 0, floats({}), "a"), Parameter(&b, 1, floats({}), "b"));
  return b.Build().value();
}

TEST_CASE("values of another builder are refused by both") {
  XlaBuilder other("other");
  const XlaOp y = Parameter(&other, 0, floats({2}), "y"), token = CreateToken(&other);
  Tuple(&other, {y});
  CHECK(refused([&](XlaBuilder&, const XlaOp& x) { Add(x, y); }));
  CHECK(refused([&](XlaBuilder&, const XlaOp& x) { Add(y, x); }));
  CHECK(refused([&](XlaBuilder&, const XlaOp& x) { Select(Lt(x, x), x, y); }));
  CHECK(refused([&](XlaBuilder& b, const XlaOp& x) { Tuple(&b, {x, y}); }));
  CHECK(refused([&](XlaBuilder&, const XlaOp& x) { ConcatInDim({x, y}, 0); }));
  CHECK(refused([&](XlaBuilder& b, const XlaOp&) { ConcatInDim(&b, {y}, 0); }));
  CHECK(refused([&](XlaBuilder&, const XlaOp& x) { AddDependency(x, token); }));
  CHECK(refused([&](XlaBuilder&, const XlaOp& x) { Outfeed(x, token, floats({2})); }));
  CHECK(refused([&](XlaBuilder& b, const XlaOp&) { AfterAll(&b, {token}); }));
  CHECK(refused([&](XlaBuilder& b, const XlaOp& x) { Reduce(x, y, sum(), {0}), b.Build(); }));
  CHECK(refused([&](XlaBuilder& b, const XlaOp&) { Map(&b, {y}, Neg, {0}); }));
  CHECK(refused([&](XlaBuilder&, const XlaOp& x) { Map({x}, Neg, {0}, {y}); }));
  CHECK(refused([&](XlaBuilder& b, const XlaOp&) { Call(&b, sum(), {y, y}); }));
  CHECK(refused([&](XlaBuilder&, const XlaOp& x) { Sort(x, y); }));
  CHECK(refused([&](XlaBuilder&, const XlaOp& x) { DynamicSlice(x, {y}, {1}); }));
  CHECK(refused([&](XlaBuilder& b, const XlaOp&) { b.Build(y), b.Tuple({y}); }));
  XlaBuilder root("root");
  Parameter(&root, 0, floats({2}), "x");
  CHECK(std::string_view(root.Build(y).label) == "xla_operand");
}

TEST_CASE("a body has the values that it is given") {
  XlaBuilder b("b");
  const XlaOp x = Parameter(&b, 0, floats({}), "x");
  XlaBuilder body("body");
  Add(Parameter(&body, 0, floats({}), "p"), x);
  const XlaComputation made = body.Build();
  CHECK(std::string_view(made.label) == "xla_operand");
  CHECK(refusal([&](XlaBuilder&, const XlaOp& y) { Map({y}, made, {0}); }) == "xla_operand");

  static XlaOp inner;  // escapes from a region
  CHECK(refused([](XlaBuilder&, const XlaOp& y) {
    Map({y}, [](const XlaOp& element) { return inner = Neg(element); }, {0});
    Neg(inner);
  }));
  CHECK(refused([](XlaBuilder&, const XlaOp& y) { Map({y}, [](const XlaOp&) { return XlaOp(); }, {0}); }));
}

TEST_CASE("values that nobody has made") {
  CHECK(refused([](XlaBuilder&, const XlaOp& x) { Add(x, XlaOp()); }));
  CHECK(refused([](XlaBuilder&, const XlaOp& x) { Add(XlaOp(), x); }));
  CHECK(refused([](XlaBuilder& b, const XlaOp&) { Tuple(&b, {XlaOp()}); }));
  CHECK(refused([](XlaBuilder&, const XlaOp& x) { Clamp(XlaOp(), x, XlaOp()); }));
  CHECK(refused([](XlaBuilder&, const XlaOp& x) { Reduce(x, XlaOp(), ops::add{}, {0}); }));
  CHECK(refused([](XlaBuilder&, const XlaOp& x) { While(sum(), sum(), Tuple(x.builder(), {x, XlaOp()})); }));
  CHECK(refused([](XlaBuilder&, const XlaOp& x) { Conditional(XlaOp(), x, sum(), x, sum()); }));
  CHECK(refused([](XlaBuilder&, const XlaOp& x) { Scatter(x, XlaOp(), x, sum(), {}); }));
  CHECK(refused([](XlaBuilder&, const XlaOp& x) { Dot(x, XlaOp()); }));
  CHECK(refused([](XlaBuilder&, const XlaOp& x) { GetTupleElement(Tuple(x.builder(), {XlaOp()}), 0); }));
  // Nobody but the handler of errors can be told.
  CHECK_THROWS_AS(Neg(XlaOp()), error);
  CHECK_THROWS_AS(XlaOp() + XlaOp(), error);
  CHECK_THROWS_AS(GetTupleElement(XlaOp(), 0), error);
  CHECK_THROWS_AS(CreateToken(nullptr), error);
  CHECK_THROWS_AS(Parameter(nullptr, 0, floats({}), "x"), error);
  CHECK(XlaOp().type().element == dtype::none);

  std::optional<XlaBuilder> builder(std::in_place, "first");
  const XlaOp gone = Parameter(&*builder, 0, floats({}), "x");
  builder.emplace("second");
  CHECK_FALSE(gone.builder()->has(gone));
  Neg(gone);
  CHECK(std::string_view(builder->Build().label) == "xla_operand");
}

TEST_CASE("lists without operands") {
  CHECK_THROWS_AS(ConcatInDim({}, 0), error);
  CHECK_THROWS_AS(Sort(Span<XlaOp>(), ops::add{}), error);
  CHECK_THROWS_AS(Map({}, ops::negate{}), error);
  CHECK_THROWS_AS(Reduce(Span<XlaOp>(), Span<XlaOp>(), ops::add{}, {0}), error);
  CHECK_THROWS_AS(Scan({}, {}, ops::add{}, 0), error);
  CHECK_THROWS_AS(AllToAllTuple(Span<XlaOp>()), error);
  CHECK_THROWS_AS(ReduceWindow(Span<XlaOp>(), Span<XlaOp>(), ops::add{}, {1}, {1}, Padding::kSame), error);
  CHECK(refusal([](XlaBuilder& b, const XlaOp&) { ConcatInDim(&b, {}, 0); }) != "");
  CHECK(refusal([](XlaBuilder& b, const XlaOp&) { Reduce(&b, {}, {}, ops::add{}, {0}); }) != "");
  CHECK(refusal([](XlaBuilder& b, const XlaOp&) { Map(&b, {}, ops::negate{}, {0}); }) != "");
  CHECK(refusal([](XlaBuilder& b, const XlaOp&) { Tuple(&b, {}); }) == "");
  CHECK(refusal([](XlaBuilder& b, const XlaOp&) { AfterAll(&b, {}); }) == "");
}

TEST_CASE("shapes that no array has") {
  const auto parameter = [](const Shape& shape) {
    XlaBuilder b("b");
    Neg(Parameter(&b, 0, shape, "p"));
    const XlaComputation made = b.Build();
    return made.ok() ? std::string() : std::string(made.label);
  };
  CHECK(parameter(floats({1, 1, 1, 1, 1, 1, 1, 1})) == "");
  CHECK(parameter(floats({1, 1, 1, 1, 1, 1, 1, 1, 5})) == "xla_operand");
  CHECK(parameter(floats({-2})) == "xla_operand");
  CHECK(parameter(floats({half, half})) == "xla_operand");
  CHECK(parameter(floats({half})) == "xla_operand");
  CHECK(parameter(Shape()) == "xla_operand");
  CHECK(parameter(ShapeUtil::MakeShape(TUPLE, {2})) != "");
  CHECK(parameter(ShapeUtil::MakeShape(F32, {2}, {false, true})) == "xla_operand");
  CHECK(refused([](XlaBuilder& b, const XlaOp&) {
    Parameter(&b, 1, ShapeUtil::MakeTupleShape({floats({1}), ShapeUtil::MakeTupleShape({floats({-1})})}), "t");
  }));
  CHECK(refused([](XlaBuilder&, const XlaOp& x) { Broadcast(x, {half, half}); }));
  CHECK(refused([](XlaBuilder&, const XlaOp& x) { Broadcast(x, {1, 1, 1, 1, 1, 1, 1, 1}); }));
  CHECK(refused([](XlaBuilder&, const XlaOp& x) { Reshape(x, {1, 1, 1, 1, 1, 1, 1, 2, 1}); }));
  CHECK(refused([](XlaBuilder&, const XlaOp& x) { Reshape(x, {-1, -2}); }));
  CHECK(refused([](XlaBuilder&, const XlaOp& x) { Bitcast(x, ShapeUtil::MakeShape(S32, {-2})); }));
  CHECK(refused([](XlaBuilder& b, const XlaOp&) { Iota(&b, S8, -1); }));
  CHECK(refused([](XlaBuilder& b, const XlaOp&) { Iota(&b, ShapeUtil::MakeTupleShape({floats({1})}), 0); }));
  CHECK(refused([](XlaBuilder&, const XlaOp& x) { RngUniform(Reshape(x, {2, 1}), x, floats({-4})); }));
  CHECK(refused([](XlaBuilder& b, const XlaOp&) { Infeed(&b, floats({-4})); }));
  CHECK(refused([](XlaBuilder& b, const XlaOp& x) { CustomCall(&b, "f", {x}, floats({half, 4})); }));
  CHECK(refused([](XlaBuilder&, const XlaOp& x) { AllGather(x, 0, half); }));
  CHECK(refused([](XlaBuilder&, const XlaOp& x) { AllGather(x, 0, -2); }));
  CHECK(refused([](XlaBuilder&, const XlaOp& x) { Transpose(x, {0, 0, 0, 0, 0, 0, 0, 0, 0}); }));
  CHECK(refused([](XlaBuilder& b, const XlaOp& x) {
    PaddingConfig config;
    for (int i = 0; i < 12; ++i) config.add_dimensions()->set_edge_padding_low(1);
    Pad(x, ConstantR0<float>(&b, 0), config);
  }));
  CHECK(refusal([](XlaBuilder&, const XlaOp& x) { Pad(x, x, MakeEdgePaddingConfig({{half, half}, {1, 1}})); }) != "");
  CHECK(refusal([](XlaBuilder&, const XlaOp& x) {
          ReduceWindow(x, x, ops::add{}, {half}, {1}, {half}, {half}, Padding::kSame);
        }) != "");
  CHECK(refusal([](XlaBuilder&, const XlaOp& x) { DynamicSlice(Broadcast(x, {2, 2}), x, {1, 1}); }) != "");
  CHECK(refusal([](XlaBuilder&, const XlaOp& x) { Conv(x, x, {1}, Padding::kSame); }) != "");
}

TEST_CASE("computations, parameters, tuples and literals") {
  const XlaComputation none, *const null = nullptr;
  CHECK(refusal([&](XlaBuilder&, const XlaOp& x) { Map({x}, none, {0}); }) == "xla_computation");
  CHECK(refusal([&](XlaBuilder&, const XlaOp& x) { CompositeCall(none, {x}, "a.n"); }) == "xla_computation");
  CHECK(refusal([&](XlaBuilder&, const XlaOp& x) { CompositeCall(sum(), {x}, "a.n"); }) == "xla_computation");
  CHECK(refusal([&](XlaBuilder&, const XlaOp& x) { While(none, none, x); }) == "xla_computation");
  CHECK(refusal([&](XlaBuilder& b, const XlaOp& x) {
          const XlaComputation* const branches[] = {null, null};
          Conditional(ConstantR0<bool>(&b, true), branches, {x, x});
        }) == "xla_computation");
  CHECK(refusal([](XlaBuilder& b, const XlaOp&) { Parameter(&b, 0, floats({}), "again"); }) == "xla_parameter");
  CHECK(refusal([](XlaBuilder& b, const XlaOp&) { Parameter(&b, -1, floats({}), "p"); }) == "xla_parameter");
  CHECK(refusal([](XlaBuilder& b, const XlaOp&) { Parameter(&b, 2, floats({}), "p"); }) == "xla_parameter");
  CHECK(refusal([](XlaBuilder& b, const XlaOp& x) { GetTupleElement(Tuple(&b, {x}), 1); }) == "xla_get_tuple_element");
  CHECK(refusal([](XlaBuilder& b, const XlaOp& x) { GetTupleElement(Tuple(&b, {x}), -1); }) == "xla_get_tuple_element");
  CHECK(refusal([](XlaBuilder&, const XlaOp& x) { GetTupleElement(x, 0); }) == "xla_get_tuple_element");
  CHECK(refusal([](XlaBuilder& b, const XlaOp&) { ConstantR2<float>(&b, {{1, 2}, {3}}); }) == "xla_literal");
  CHECK(refusal([](XlaBuilder& b, const XlaOp&) { ConstantR2<float>(&b, {{1, 2}, {3}, {4, 5, 6}}); }) == "xla_literal");
  CHECK(refusal([](XlaBuilder& b, const XlaOp&) { Constant(&b, Literal{floats({3}).type(), {1, 2}}); }) ==
        "xla_literal");
  CHECK(refused([](XlaBuilder& b, const XlaOp&) { Constant(&b, Literal{}); }));
  CHECK(refused([](XlaBuilder& b, const XlaOp&) { Constant(&b, Literal{floats({-1, -1}).type(), {1}}); }));
  CHECK(refusal([](XlaBuilder& b, const XlaOp&) { Constant(&b, LiteralUtil::MaxValue(C64)); }) == "xla_literal");
  XlaBuilder nothing("nothing");
  CHECK(std::string_view(nothing.Build().label) == "xla_operand");
}

TEST_CASE("a computation is built as often as it is asked for") {
  XlaBuilder b("b");
  const XlaOp x = Parameter(&b, 0, floats({2}), "x"), y = Neg(x);
  const XlaComputation first = b.Build(), second = b.Build(y);
  REQUIRE(first.ok());
  CHECK(first.program().nodes.size == second.program().nodes.size);
  Neg(y);
  CHECK(b.Build().program().nodes.size == 2);
}

}  // namespace
}  // namespace tenon::test
