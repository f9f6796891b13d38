// SPDX-License-Identifier: Apache-2.0
#include <tenon/xla/xla_builder.hpp>

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

// Arguments of the types that XLA's pages give for them.
namespace tenon::test {
namespace {

using namespace xla;

struct built {
  XlaBuilder b{"b"};
  XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {4}), "x");

  XlaOp images() { return Reshape(x, {1, 1, 4}); }
  // The type of the last value; empty where a rule is broken.
  std::string type() {
    const XlaComputation made = b.Build();
    core::message_text<160> text;
    if (made.ok()) text << made.result.type();
    return std::string(text.view());
  }
};

const std::optional<ChannelHandle> no_channel, channel = ChannelHandle(3);
const std::optional<bool> unsaid, yes = true;
const std::vector<std::vector<std::int64_t>> lists{{0}};

TEST_CASE("collectives") {
  std::vector<ReplicaGroup> groups(1);
  groups[0].add_replica_ids(0);
  const auto type = [](auto f) {
    built a;
    f(a);
    return a.type();
  };
  CHECK(type([&](built& a) { AllGather(a.x, 0, 1, groups, no_channel); }) == "tensor<4xf32>");
  CHECK(type([&](built& a) { AllGather(a.x, 0, 2, {}, channel, std::nullopt, yes); }) == "tensor<8xf32>");
  CHECK(type([&](built& a) { AllGather(a.x, 0, 1, lists, 3, Layout{}, true); }) == "tensor<4xf32>");
  CHECK(type([&](built& a) { AllGather(a.x, 0, 1, groups, std::nullopt, std::nullopt, std::nullopt); }) ==
        "tensor<4xf32>");
  CHECK(type([&](built& a) { AllReduce(a.x, Add, groups, std::nullopt, std::nullopt, unsaid); }) == "tensor<4xf32>");
  CHECK(type([&](built& a) { CrossReplicaSum(a.x, lists); }) == "tensor<4xf32>");
  CHECK(type([&](built& a) { ReduceScatter(a.x, Add, 0, 1, lists, channel, std::nullopt, yes); }) == "tensor<4xf32>");
  CHECK(type([&](built& a) { CollectivePermute(a.x, {{0, 0}}, no_channel, std::nullopt); }) == "tensor<4xf32>");
  CHECK(type([&](built& a) {
          const std::vector<std::pair<std::int64_t, std::int64_t>> pairs{{0, 0}};
          CollectivePermute(a.x, pairs, channel, yes);
        }) == "tensor<4xf32>");
  CHECK(type([&](built& a) { AllToAll(a.x, 0, 0, 1, lists, std::nullopt, channel); }) == "tensor<4xf32>");
  CHECK(type([&](built& a) { GetTupleElement(AllGatherTuple({a.x, a.x}, 0, 1, groups), 1); }) == "tensor<4xf32>");
  CHECK(type([&](built& a) { GetTupleElement(AllReduceTuple({a.x, a.x}, Add, groups, channel), 1); }) ==
        "tensor<4xf32>");
  CHECK(type([&](built& a) { PartitionID(&a.b, ShapeUtil::MakeShape(U32, {})); }) == "tensor<ui32>");
}

TEST_CASE("elementwise functions and products") {
  built a;
  const std::optional<ResultAccuracy> accuracy;
  Exp(a.x, accuracy), Tanh(a.x, std::nullopt), Log(a.x, ResultAccuracy()), Sqrt(a.x, {});
  CHECK(Square(a.x).valid());
  CHECK(Sinh(a.x).valid());
  CHECK(Asin(a.x).valid());
  CHECK(ZerosLike(a.x).type() == a.x.type());
  const std::vector<std::pair<std::int64_t, std::int64_t>> padding{{1, 1}};
  const std::optional<std::vector<bool>> reversal = std::vector<bool>{true};
  const auto numbers = CreateDefaultConvDimensionNumbers(1);
  const XlaOp images = a.images();
  ConvWithGeneralPadding(images, images, {1}, padding);
  ConvGeneralDilated(images, images, {1}, {{0, 0}}, {1}, {1}, numbers, 1, 1, nullptr, std::nullopt, std::nullopt);
  ConvGeneralDilated(images, images, {1}, padding, {1}, {1}, numbers, 1, 1, nullptr, std::nullopt, reversal);
  ConvGeneralDilated(images, images, {1}, padding, {1}, {1}, numbers, 1, 1, nullptr, std::nullopt, {true});
  CHECK(a.type() == "tensor<1x1x3xf32>");
}

TEST_CASE("starts, lists, constants and bodies") {
  built a;
  const XlaOp start = Parameter(&a.b, 1, ShapeUtil::MakeShape(S32, {1}), "s");
  CHECK(DynamicSlice(a.x, start, {2}).type().dim(0) == 2);
  CHECK(DynamicUpdateSlice(a.x, a.x, start).valid());
  CHECK(DynamicSlice(a.x, {Reshape(start, {})}, {2}).valid());
  const XlaOp zero = a.b.ConstantR0<float>(0);
  CHECK(Reduce(&a.b, {a.x}, {zero}, Add, {0}).type().rank() == 0);
  CHECK(Reduce({a.x}, {zero}, Add, {0}).valid());
  CHECK(ConstantR1<float>(&a.b, 5, 1.0f).type().dim(0) == 5);
  CHECK(a.b.ConstantR1<float>(3, 1.0f).type().dim(0) == 3);
  const XlaOp two[] = {a.x, a.x};
  const ArraySlice<XlaOp> both = two;
  CHECK(a.b.GetShape(Tuple(&a.b, both)).element_type() == TUPLE);
  CHECK(a.b.GetShape(Infeed(&a.b, ShapeUtil::MakeNil())) == ShapeUtil::MakeNil());

  XlaBuilder c("c");
  Neg(Parameter(&c, 0, ShapeUtil::MakeShape(F32, {4}), "p"));
  const std::optional<std::int64_t> version = 1;
  const std::optional<std::string_view> attributes = "{}";
  CompositeCall(&a.b, c.Build().value(), {a.x}, "a.n", "{}", version);
  CompositeCall(&a.b, c.Build().value(), {a.x}, "a.n", attributes);
  CHECK(CompositeCall(c.Build().value(), {a.x}, "a.n", std::nullopt, std::nullopt).valid());
  CHECK(a.type() == "tensor<4xf32>");
}

}  // namespace
}  // namespace tenon::test
