// SPDX-License-Identifier: Apache-2.0
#include <tenon/numpy/functions.hpp>
#include <tenon/ops/operators.hpp>
#include <tenon/run/trace.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;

namespace {

using f32_2x3 = tensor<f32, 2, 3>;

// The graph that a function of arguments of these types records, before any pass.
template <class Function, class... Arguments>
constexpr graph graph_of_trace(Function) {
  return detail::recorded<detail::traced_body<Function, Arguments...>>::graph();
}

template <class Function, class... Arguments>
constexpr bool breaks_a_rule(Function) {
  return !detail::recorded<detail::traced_body<Function, Arguments...>>::valid;
}

constexpr bool has_node(const graph& g, std::string_view name) {
  for (const graph_node& node : g.nodes)
    if (detail::same_text(name_of_kind(node.kind), name)) return true;
  return false;
}

constexpr tensor<f32, 3> weights{1, 2, 3};

}  // namespace

TEST_CASE("ops are recorded in order, values are shared by their number") {
  constexpr auto function = [](auto x, auto y) {
    auto sum = x + y;
    return sum * sum;
  };
  constexpr graph g = graph_of_trace<decltype(function), f32_2x3, f32_2x3>(function);
  static_assert(g.nodes.size == 2 && g.regions.size == 1 && g.functions.size == 1);
  static_assert(g.nodes[0].kind == kind_of_op<ops::add> && g.nodes[1].kind == kind_of_op<ops::multiply>);
  static_assert(g.operands_of(g.nodes[1]) == list<int>{g.operands.data + 2, 2});
  static_assert(g.operands_of(g.nodes[1])[0] == g.nodes[0].results);
  static_assert(g.yields_of(g.regions[0])[0] == g.nodes[1].results);
  static_assert(g.types.size == 1);
}

TEST_CASE("numbers and tensors that are known become constants") {
  constexpr auto function = [](auto x) { return x * 2 + broadcast<ints{2, 3}>(weights); };
  constexpr graph g = graph_of_trace<decltype(function), f32_2x3>(function);
  static_assert(g.literals.size == 2);
  static_assert(g.literals[0].size == 1 && g.literals[1].size == 3);
}

TEST_CASE("regions hold the ops of bodies") {
  constexpr auto function = [](auto x) {
    return reduce<ints{0}>(x, 0.0f, [](auto a, auto b) { return maximum(a, b) + 1; });
  };
  constexpr graph g = graph_of_trace<decltype(function), f32_2x3>(function);
  static_assert(g.regions.size == 2 && g.regions[1].parent == 0);
  static_assert(g.regions[1].argument_count == 2 && g.regions[1].yield_count == 1);
  static_assert(has_node(g, "maximum") && has_node(g, "reduce"));
  constexpr int last = g.nodes.size - 1;
  static_assert(g.nodes[last].kind == kind_of_op<ops::reduce> && g.nodes[last].region == 0);
  static_assert(g.nodes[last - 1].region == 1);
}

TEST_CASE("results are one value, several, or tuples of them") {
  constexpr auto several = [](auto x, auto y) { return results(x, results(y, x + y)); };
  constexpr graph g = graph_of_trace<decltype(several), f32_2x3, f32_2x3>(several);
  static_assert(g.regions[0].yield_count == 3);
  constexpr auto constant = [](auto) { return weights; };
  static_assert(graph_of_trace<decltype(constant), f32_2x3>(constant).nodes.size == 1);
}

TEST_CASE("broken rules are found without ending the compilation") {
  // Where types are known, a broken rule ends it.
  constexpr auto function = [](tracer x, tracer y) { return tanh(x) + y; };
  static_assert(!breaks_a_rule<decltype(function), f32_2x3, f32_2x3>(function));
  static_assert(breaks_a_rule<decltype(function), f32_2x3, tensor<f32, 3, 2>>(function));
  static_assert(breaks_a_rule<decltype(function), tensor<i32, 2>, tensor<i32, 2>>(function));
  using body = detail::traced_body<decltype(function), f32_2x3, tensor<f32, 3, 2>>;
  static_assert(
      detail::same_text(detail::recorded<body>::within::wide.message.view(),
                        "add_c1: type(lhs) = type(rhs) = type(result); operands: tensor<2x3xf32>, tensor<3x2xf32>"));
}

TEST_CASE("traced values know their types") {
  constexpr auto function = [](auto x, auto y) {
    constexpr ints shape = decltype(x)::shape;
    const auto products = dot(x, y);
    static_assert(decltype(products)::shape == ints{2, 2} && decltype(sum<ints{0}>(x) * 2)::size == 3);
    return broadcast<shape>(sum(products) + 1.0f);
  };
  static_assert(graph_of_trace<decltype(function), f32_2x3, tensor<f32, 3, 2>>(function).nodes.size > 3);
}

TEST_CASE("there is room for a thousand ops") {
  constexpr auto function = [](auto x, auto y) {
    for (int i = 0; i < 500; ++i) x = tanh(x * y);
    return x;
  };
  static_assert(graph_of_trace<decltype(function), f32_2x3, f32_2x3>(function).nodes.size == 1000);
}

TEST_CASE("there is room for a loop behind many operands") {
  constexpr auto function = [](auto x, auto y) {
    for (int i = 0; i < 150; ++i) x = clamp(x, y, x);
    return while_(
        x, y, x, [](auto a, auto, auto) { return max(a) < 1.0f; },
        [](auto a, auto b, auto c) { return results(a + a, b, c); })[2];
  };
  static_assert(graph_of_trace<decltype(function), f32_2x3, f32_2x3>(function).nodes.size > 150);
}
