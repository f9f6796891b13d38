// SPDX-License-Identifier: Apache-2.0
#include <tenon/programs.hpp>
#include <tenon/tree.hpp>

#include <doctest/doctest.h>

#include <array>
#include <tuple>

using namespace tenon;

namespace {

struct layer {
  BOOST_HANA_DEFINE_STRUCT(layer, (tensor<f32, 2, 2>, weights), (tensor<f32, 2>, biases));
};
struct network {
  std::array<layer, 2> layers;
  std::tuple<tensor<f32>, tensor<i32>> state;
  float rate = 0.5f;
};

}  // namespace

BOOST_HANA_ADAPT_STRUCT(network, layers, state, rate);

namespace {

constexpr auto step = trace([](auto parameters, auto x) {
  auto [layers, state, rate] = parameters;
  auto [first, second] = layers;
  auto [weights, biases] = first;
  const auto y = dot(weights, x) + biases;
  const auto next = tree<layer>(weights * 2, y);
  const auto count = get<1>(state);
  return results(tree<network>(next, second, get<0>(state) + sum(y), count + 1, rate * 2), get<"biases">(second));
});

TEST_CASE("structs, tuples and arrays through a traced function") {
  network p;
  p.layers[0] = {{{1, 2}, {3, 4}}, {10, 20}};
  p.layers[1].biases = {5, 6};
  const tensor<f32, 2> x{1, 1};
  auto [next, biases] = step(p, x);
  static_assert(std::is_same_v<decltype(next), network>);
  CHECK(equal(next.layers[0].weights, tensor<f32, 2, 2>{{2, 4}, {6, 8}}));
  CHECK(equal(next.layers[0].biases, tensor<f32, 2>{13, 27}));
  CHECK(equal(next.layers[1].biases, tensor<f32, 2>{5, 6}));
  CHECK(std::get<0>(next.state)() == 40);
  CHECK(std::get<1>(next.state)() == 1);
  CHECK(next.rate == 1);
  CHECK(equal(biases, tensor<f32, 2>{5, 6}));
}

TEST_CASE("a struct is replaced by what becomes of it") {
  constexpr auto halve = trace([](auto l) { return tree<layer>(get<"weights">(l) / 2, get<"biases">(l) / 2); });
  layer l{{{2, 4}, {6, 8}}, {10, 20}};
  l = halve(l);
  l = halve(l);
  CHECK(equal(l.weights, tensor<f32, 2, 2>{{0.5f, 1}, {1.5f, 2}}));
  CHECK(equal(l.biases, tensor<f32, 2>{2.5f, 5}));
}

using program_of_layer = TENON_PROGRAM(R"(
  func.func @main(%w: tensor<2x2xf32>, %b: tensor<2xf32>, %x: tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>) {
    %sum = stablehlo.add %b, %x : tensor<2xf32>
    return %w, %sum : tensor<2x2xf32>, tensor<2xf32>
  }
)");

struct other_layer {
  BOOST_HANA_DEFINE_STRUCT(other_layer, (tensor<f32, 2, 2>, weights), (tensor<f32, 3>, biases));
};

template <class Program, class... Arguments>
concept takes = requires(const Program& program, const Arguments&... arguments) { program(arguments...); };

TEST_CASE("programs take the leaves, and what does not fit does not compile") {
  layer l{{{1, 2}, {3, 4}}, {10, 20}};
  const tensor<f32, 2> x{1, 1};
  l = tree<layer>(program_of_layer{}(l, x));
  CHECK(equal(l.biases, tensor<f32, 2>{11, 21}));
  static_assert(takes<program_of_layer, layer, tensor<f32, 2>> &&
                !takes<program_of_layer, other_layer, tensor<f32, 2>>);
  static_assert(!takes<program_of_layer, layer>);
  constexpr auto& complaint = detail::complaint_about_leaves<program_of_layer, other_layer, tensor<f32, 2>>;
  static_assert(complaint.message.view() ==
                "tree: argument 1, member biases is a tensor<3xf32>, the program takes a tensor<2xf32>");
  constexpr auto& wrong_member = detail::complaint_about_tree<layer, tensor<f32, 2, 2>, tensor<f32, 3>>;
  static_assert(wrong_member.message.view() == "tree: member biases is a tensor<2xf32>, got a tensor<3xf32>");
  constexpr auto& nested = detail::complaint_about_tree<network, tensor<f32, 2, 2>, tensor<i32, 2>>;
  static_assert(nested.message.view() == "tree: member layers.0.biases is a tensor<2xf32>, got a tensor<2xi32>");
  constexpr auto& too_few = detail::complaint_about_tree<layer, tensor<f32, 2, 2>>;
  static_assert(too_few.message.view() == "tree: the struct has 2 leaves, got 1");
}

}  // namespace
