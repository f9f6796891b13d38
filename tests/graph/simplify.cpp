// SPDX-License-Identifier: Apache-2.0
#include <tenon/tenon.hpp>

#include <doctest/doctest.h>

using namespace tenon;

namespace {

template <class Program>
constexpr int count(std::string_view name) {
  int found = 0;
  for (const graph_node& node : Program::graph().nodes) found += detail::same_text(name_of_kind(node.kind), name);
  return found;
}

template <class Function>
using code_of = typename traced<Function>::template program_for<tensor<f32, 2, 3>, tensor<f32, 2, 3>>;

}  // namespace

TEST_CASE("equal ops become one") {
  constexpr auto function = [](auto x, auto y) { return tanh(x + y) * tanh(x + y) - (y + x); };
  using code = code_of<decltype(function)>;
  static_assert(count<code>("tanh") == 1);
  static_assert(count<code>("add") == 2, "the order of operands counts");
}

TEST_CASE("ops with other attributes or in other regions stay apart") {
  constexpr auto compared = [](auto x, auto y) { return and_(x < y, x <= y); };
  static_assert(count<code_of<decltype(compared)>>("compare") == 2);
  constexpr auto reduced = [](auto x, auto y) {
    const auto body = [](auto a, auto b) { return a * b + 1; };
    return reduce<ints{0}>(x, 0, body) + reduce<ints{0}>(y, 0, body);
  };
  static_assert(count<code_of<decltype(reduced)>>("multiply") == 2);
}

TEST_CASE("what nobody needs is left out") {
  constexpr auto function = [](auto x, auto y) {
    auto unused = tanh(exponential(x));
    (void)unused;
    return x + y;
  };
  static_assert(code_of<decltype(function)>::graph().nodes.size == 1);
}

TEST_CASE("calls are replaced by the bodies of functions") {
  using net = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = call @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>
      %1 = call @twice(%0) : (tensor<2xf32>) -> tensor<2xf32>
      %2 = call @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>
      %3 = stablehlo.add %1, %2 : tensor<2xf32>
      return %3 : tensor<2xf32>
    }
    func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.constant dense<[2.0, 4.0]> : tensor<2xf32>
      %1 = stablehlo.multiply %x, %0 : tensor<2xf32>
      return %1 : tensor<2xf32>
    }
  )");
  static_assert(count<net::code>("call") == 0);
  static_assert(count<net::code>("multiply") == 2, "the third call is the first again");
  static_assert(count<net::code>("constant") == 1);
  const tensor<f32, 2> x{1, 2};
  const auto [y] = net{}(x);
  CHECK(equal(y, tensor<f32, 2>{6, 40}));
}

TEST_CASE("the elements of constants come along") {
  constexpr auto function = [](auto x, auto y) {
    auto unused = x * 7;
    (void)unused;
    return x * 2 + y * tensor<f32, 2, 3>{{1, 2, 3}, {4, 5, 6}};
  };
  tensor<f32, 2, 3> one = tensor<f32, 2, 3>::filled(1);
  const tensor<f32, 2, 3> z = trace(function)(one, one);
  CHECK(equal(z, tensor<f32, 2, 3>{{3, 4, 5}, {6, 7, 8}}));
}
