// SPDX-License-Identifier: Apache-2.0
#include <tenon/xla/xla_builder.hpp>

#include <tenon/core/tensor.hpp>
#include <tenon/ops/operators.hpp>
#include <tenon/run/program.hpp>
#include <tenon/run/trace.hpp>

#include <doctest/doctest.h>

#include <string_view>
#include <type_traits>
#include <vector>

namespace tenon::test {
using namespace ir;

namespace {

using xla::XlaBuilder;

// The constant 100, beside a value.
constexpr xla::XlaOp hundred(const xla::XlaOp& x) { return xla::ConstantR0<f32>(x.builder(), 100); }

constexpr xla::Shape shape(const ints& dimensions) { return xla::ShapeUtil::MakeShape(xla::F32, dimensions); }

template <class Tensor>
std::vector<f32> list_of(const Tensor& x) {
  return std::vector<f32>(x.data(), x.data() + x.size);
}

constexpr auto layer = xla::Build([](XlaBuilder* b) {
  const auto x = xla::Parameter(b, 0, shape({2, 3}), "x");
  const auto w = xla::Parameter(b, 1, shape({3, 2}), "w");
  const auto bias = xla::Parameter(b, 2, shape({2}), "bias");
  return xla::Max(xla::Add(xla::Dot(x, w), bias, {1}), xla::ConstantR0<f32>(b, 0));
});
constexpr auto traced_layer = trace(
    [](auto x, auto w, auto bias) { return maximum(dot(x, w) + broadcast_in_dim<ints{2, 2}, ints{1}>(bias), 0.0f); });
struct layer_text {
  static constexpr std::string_view text = R"(
    func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x2xf32>, %bias: tensor<2xf32>) -> tensor<2x2xf32> {
      %product = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
      %row = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>
      %sum = stablehlo.add %product, %row : tensor<2x2xf32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %result = stablehlo.maximum %sum, %zeros : tensor<2x2xf32>
      return %result : tensor<2x2xf32>
    })";
};

// The kinds and operands of all ops.
constexpr bool same_program(const graph& a, const graph& b) {
  if (a.nodes.size != b.nodes.size) return false;
  for (int i = 0; i < a.nodes.size; ++i) {
    if (a.nodes[i].kind != b.nodes[i].kind || !(a.operands_of(a.nodes[i]) == b.operands_of(b.nodes[i]))) return false;
    for (int k = 0; k < a.nodes[i].result_count; ++k)
      if (!(a.type_of_value(a.nodes[i].results + k) == b.type_of_value(b.nodes[i].results + k))) return false;
  }
  return true;
}

using text_program = program<layer_text>;
static_assert(decltype(layer)::valid<>);
static_assert(same_program(decltype(layer)::code::graph(), text_program::code::graph()));

TEST_CASE("builder, trace and text agree") {
  const tensor<f32, 2, 3> x{{1, 2, 3}, {-4, 5, 6}};
  const tensor<f32, 3, 2> w{{1, -1}, {2, 0}, {0, 1}};
  const tensor<f32, 2> bias{1, -5};
  const std::vector<f32> expected{6, 0, 7, 5};
  CHECK(list_of(layer(x, w, bias)) == expected);
  CHECK(list_of(traced_layer(x, w, bias)) == expected);
  const auto [y] = text_program{}(x, w, bias);
  CHECK(list_of(y) == expected);
}

// The label of the rule that a computation breaks.
template <class Function>
constexpr std::string_view broken_by(Function) {
  const char* const label = xla::detail::built_graph<Function>::measured.label;
  return label != nullptr ? label : "";
}

template <ints Lhs, ints Rhs, ints Dimensions = ints{}>
constexpr auto sum_of = [](XlaBuilder* b) {
  return xla::Add(xla::Parameter(b, 0, shape(Lhs), "lhs"), xla::Parameter(b, 1, shape(Rhs), "rhs"), Dimensions);
};
template <ints Lhs, ints Rhs, ints Dimensions = ints{}>
constexpr ints shape_of_sum =
    [] {
      return decltype(xla::Build(sum_of<Lhs, Rhs, Dimensions>))::code::graph().type_of_value(
          decltype(xla::Build(sum_of<Lhs, Rhs, Dimensions>))::code::graph()
              .operands[decltype(xla::Build(sum_of<Lhs, Rhs, Dimensions>))::code::graph().regions[0].yields]);
    }()
        .shape;

static_assert(shape_of_sum<ints{2, 3}, ints{}> == ints{2, 3});
static_assert(shape_of_sum<ints{}, ints{2, 3}> == ints{2, 3});
static_assert(shape_of_sum<ints{2, 1}, ints{1, 3}> == ints{2, 3});
static_assert(shape_of_sum<ints{2, 3}, ints{2}, ints{0}> == ints{2, 3});
static_assert(shape_of_sum<ints{3}, ints{2, 1}, ints{1}> == ints{2, 3});
static_assert(broken_by(sum_of<ints{2, 3}, ints{2, 3}, ints{0, 1}>).empty());
static_assert(broken_by(sum_of<ints{2, 3}, ints{3}>) == "xla_broadcast");
static_assert(broken_by(sum_of<ints{2, 3}, ints{3, 2}>) == "xla_broadcast");
static_assert(broken_by(sum_of<ints{2, 3}, ints{3}, ints{0}>) == "xla_broadcast");
static_assert(broken_by(sum_of<ints{2, 3}, ints{3}, ints{2}>) == "xla_broadcast");
static_assert(broken_by(sum_of<ints{2, 3}, ints{2, 3}, ints{1, 0}>) == "xla_broadcast");
static_assert(broken_by(sum_of<ints{0, 3}, ints{2, 3}>) == "xla_broadcast");

template <ints Dimensions>
constexpr auto collapsed =
    [](XlaBuilder* b) { return xla::Collapse(xla::Parameter(b, 0, shape({4, 2, 3}), "x"), Dimensions); };
static_assert(broken_by(collapsed<ints{0, 1, 2}>).empty());
static_assert(broken_by(collapsed<ints{1, 0}>) == "xla_collapse");
static_assert(broken_by(collapsed<ints{0, 2}>) == "xla_collapse");
static_assert(broken_by(collapsed<ints{2, 3}>) == "xla_collapse");
static_assert(broken_by([](XlaBuilder* b) {
                return xla::SliceInDim(xla::Parameter(b, 0, shape({4}), "x"), 0, 1, 1, 1);
              }) == "xla_slice_in_dim");
static_assert(broken_by([](XlaBuilder* b) {
                const auto x = xla::Parameter(b, 0, shape({}), "x");
                return xla::Dot(x, x);
              }) == "xla_dot");
static_assert(broken_by([](XlaBuilder* b) {
                return xla::GetTupleElement(xla::Tuple(b, {xla::Parameter(b, 0, shape({}), "x")}), 1);
              }) == "xla_get_tuple_element");
static_assert(broken_by([](XlaBuilder* b) {
                (void)xla::Parameter(b, 0, shape({2}), "x");
                return xla::Parameter(b, 0, shape({}), "x again");
              }) == "xla_parameter");
static_assert(broken_by([](XlaBuilder* b) {
                return xla::Transpose(xla::Parameter(b, 0, shape({4, 2}), "x"), {0, 0});
              }) == "transpose_c2");

template <class Function, class... Arguments>
std::vector<f32> run(Function function, const Arguments&... arguments) {
  return list_of(xla::Build(function)(arguments...));
}

TEST_CASE("movement") {
  const tensor<f32, 2, 3> x{{1, 2, 3}, {4, 5, 6}};
  const auto on_x = [&](auto function) { return run(function, x); };
  CHECK(on_x([](XlaBuilder* b) { return xla::Collapse(xla::Parameter(b, 0, shape({2, 3}), "x"), {0, 1}); }) ==
        std::vector<f32>{1, 2, 3, 4, 5, 6});
  CHECK(on_x([](XlaBuilder* b) { return xla::Transpose(xla::Parameter(b, 0, shape({2, 3}), "x"), {1, 0}); }) ==
        std::vector<f32>{1, 4, 2, 5, 3, 6});
  CHECK(on_x([](XlaBuilder* b) { return xla::SliceInDim(xla::Parameter(b, 0, shape({2, 3}), "x"), 0, 3, 2, 1); }) ==
        std::vector<f32>{1, 3, 4, 6});
  CHECK(on_x([](XlaBuilder* b) { return xla::Rev(xla::Parameter(b, 0, shape({2, 3}), "x"), {0}); }) ==
        std::vector<f32>{4, 5, 6, 1, 2, 3});
  CHECK(on_x([](XlaBuilder* b) {
          const auto p = xla::Parameter(b, 0, shape({2, 3}), "x");
          return xla::ConcatInDim(b, {p, p}, 1);
        }) == std::vector<f32>{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6});
  CHECK(on_x([](XlaBuilder* b) {
          return xla::Pad(xla::Parameter(b, 0, shape({2, 3}), "x"), xla::ConstantR0<f32>(b, 9),
                          xla::MakeEdgePaddingConfig({{0, 0}, {1, 0}}));
        }) == std::vector<f32>{9, 1, 2, 3, 9, 4, 5, 6});
  CHECK(run([](XlaBuilder* b) { return xla::Broadcast(xla::Parameter(b, 0, shape({2}), "x"), {2}); },
            tensor<f32, 2>{1, 2}) == std::vector<f32>{1, 2, 1, 2});
  CHECK(run(
            [](XlaBuilder* b) {
              return xla::DynamicSlice(xla::Parameter(b, 0, shape({4}), "x"), {xla::ConstantR0<i32>(b, 7)}, {2});
            },
            tensor<f32, 4>{1, 2, 3, 4}) == std::vector<f32>{3, 4});
}

TEST_CASE("reductions and windows") {
  const tensor<f32, 1, 1, 2, 3> x{{{{1, 2, 3}, {4, 5, 6}}}};
  const auto on_x = [&](auto function) { return run(function, x); };
  static constexpr ints sizes{1, 1, 2, 3};
  static constexpr auto add = xla::Build([](XlaBuilder* b) {
    return xla::Add(xla::Parameter(b, 0, shape({}), "x"), xla::Parameter(b, 1, shape({}), "y"));
  });
  CHECK(on_x([](XlaBuilder* b) {
          return xla::Reduce(xla::Parameter(b, 0, shape(sizes), "x"), xla::ConstantR0<f32>(b, 0), add, {3});
        }) == std::vector<f32>{6, 15});
  CHECK(on_x([](XlaBuilder* b) {
          return xla::ReduceAll(xla::Parameter(b, 0, shape(sizes), "x"), xla::ConstantR0<f32>(b, 0), ops::maximum{});
        }) == std::vector<f32>{6});
  CHECK(on_x([](XlaBuilder* b) {
          return xla::ReduceWindow(xla::Parameter(b, 0, shape(sizes), "x"), xla::ConstantR0<f32>(b, 0), add,
                                   {1, 1, 1, 2}, {1, 1, 1, 2}, xla::Padding::kSame);
        }) == std::vector<f32>{3, 3, 9, 6});
  CHECK(run(
            [](XlaBuilder* b) {
              return xla::Conv(xla::Parameter(b, 0, shape(sizes), "x"), xla::Parameter(b, 1, shape({1, 1, 2, 2}), "w"),
                               {1, 1}, xla::Padding::kValid);
            },
            x, tensor<f32, 1, 1, 2, 2>{{{{1, 0}, {0, 1}}}}) == std::vector<f32>{6, 8});
  CHECK(run(
            [](XlaBuilder* b) {
              return xla::Sort({xla::Parameter(b, 0, shape({4}), "x")}, [](auto a, auto c) { return xla::Gt(a, c); });
            },
            tensor<f32, 4>{2, 4, 1, 3}) == std::vector<f32>{4, 3, 2, 1});
}

TEST_CASE("wrong calls of an executable are no calls") {
  using two = tensor<f32, 2>;
  constexpr auto sum = xla::Build([](XlaBuilder* b) {
    const auto x = xla::Parameter(b, 0, shape({2}), "x");
    return xla::Add(x, x);
  });
  static_assert(std::is_invocable_v<decltype(sum), two> && std::is_invocable_v<decltype(sum), xla::XlaOp>);
  static_assert(!std::is_invocable_v<decltype(sum)> && !std::is_invocable_v<decltype(sum), two, two>);
  static_assert(!std::is_invocable_v<decltype(sum), tensor<f32, 3>>);
  static_assert(!std::is_invocable_v<decltype(sum), std::vector<f32>>);
}

TEST_CASE("control flow") {
  constexpr auto doubling = xla::Build([](XlaBuilder* b) {
    return xla::While([](auto x) { return xla::Lt(x, hundred(x)); }, [](auto x) { return xla::Add(x, x); },
                      xla::Parameter(b, 0, shape({}), "x"));
  });
  CHECK(doubling(tensor<f32>(3))() == 192);
  constexpr auto both = xla::Build([](XlaBuilder* b) {
    const auto x = xla::Parameter(b, 0, shape({}), "x");
    const auto result = xla::While(
        [](auto pair) {
          const auto first = xla::GetTupleElement(pair, 0);
          return xla::Lt(first, hundred(first));
        },
        [](auto pair) {
          const auto first = xla::GetTupleElement(pair, 0), second = xla::GetTupleElement(pair, 1);
          return xla::Tuple(pair.builder(), {xla::Add(first, second), -(-second)});
        },
        xla::Tuple(b, {x, x}));
    return xla::GetTupleElement(result, 0);
  });
  CHECK(both(tensor<f32>(30))() == 120);
  constexpr auto either = xla::Build([](XlaBuilder* b) {
    const auto x = xla::Parameter(b, 0, shape({}), "x");
    return xla::Conditional(
        xla::Gt(x, xla::ConstantR0<f32>(b, 0)), x, [](auto y) { return xla::Exp(y); }, x,
        [](auto y) { return xla::Neg(y); });
  });
  CHECK(either(tensor<f32>(-2))() == 2);
  CHECK(either(tensor<f32>(1))() == doctest::Approx(2.718281828));
}

TEST_CASE("by itself, a process has the sum already") {
  constexpr auto sum =
      xla::Build([](XlaBuilder* b) { return xla::CrossReplicaSum(xla::Parameter(b, 0, shape({2}), "x"), {{0}}); });
  CHECK(list_of(sum(tensor<f32, 2>{1, 2})) == std::vector<f32>{1, 2});
}

}  // namespace
}  // namespace tenon::test
