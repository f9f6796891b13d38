// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/passes/simplify.hpp>

#include <tenon/tenon.hpp>

#include <doctest/doctest.h>

#include <numeric>

using namespace tenon;
using namespace tenon::ir;

namespace {

template <class Program>
constexpr int count(std::string_view name) {
  int found = 0;
  for (const graph_node& node : Program::graph().nodes) found += detail::same_text(name_of_kind(node.kind), name);
  return found;
}

// Those that give one number.
template <class Program>
constexpr int count_single(std::string_view name) {
  constexpr graph g = Program::graph();
  int found = 0;
  for (const graph_node& node : g.nodes)
    found += detail::same_text(name_of_kind(node.kind), name) && g.type_of_value(node.results).rank() == 0;
  return found;
}

template <class Function>
using code_for = typename traced<Function>::template program_for<tensor<f32, 2, 3>, tensor<f32, 2, 3>>;

}  // namespace

TEST_CASE("equal ops become one") {
  constexpr auto function = [](auto x, auto y) { return tanh(x + y) * tanh(x + y) - (y + x); };
  using code = code_for<decltype(function)>;
  static_assert(count<code>("tanh") == 1);
  static_assert(count<code>("add") == 2, "the order of operands counts");
}

TEST_CASE("ops with other attributes or in other regions stay apart") {
  constexpr auto compared = [](auto x, auto y) { return and_(x < y, x <= y); };
  static_assert(count<code_for<decltype(compared)>>("compare") == 2);
  constexpr auto reduced = [](auto x, auto y) {
    const auto body = [](auto a, auto b) { return a * b + 1; };
    return reduce<ints{0}>(x, 0, body) + reduce<ints{0}>(y, 0, body);
  };
  static_assert(count<code_for<decltype(reduced)>>("multiply") == 2);
}

TEST_CASE("what nobody needs is left out") {
  constexpr auto function = [](auto x, auto y) {
    auto unused = tanh(exponential(x));
    (void)unused;
    return x + y;
  };
  static_assert(code_for<decltype(function)>::graph().nodes.size == 1);
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

TEST_CASE("a function of its own result moves elements again") {
  using net = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>) {
      %0 = call @turned(%x) : (tensor<2x3xi32>) -> tensor<2x3xi32>
      %1 = call @turned(%0) : (tensor<2x3xi32>) -> tensor<2x3xi32>
      %2 = call @turned(%1) : (tensor<2x3xi32>) -> tensor<2x3xi32>
      return %0, %1, %2 : tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>
    }
    func.func private @turned(%x: tensor<2x3xi32>) -> tensor<2x3xi32> {
      %0 = stablehlo.reverse %x, dims = [1] : tensor<2x3xi32>
      return %0 : tensor<2x3xi32>
    }
  )");
  static_assert(count<net::code>("reverse") == 1, "the second undoes the first, and the third is the first again");
  const tensor<i32, 2, 3> x{{1, 2, 3}, {4, 5, 6}}, turned{{3, 2, 1}, {6, 5, 4}};
  const auto [once, twice, thrice] = net{}(x);
  CHECK(equal(once, turned));
  CHECK(equal(twice, x));
  CHECK(equal(thrice, turned));
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

TEST_CASE("equal regions make equal ops") {
  constexpr auto variance = [](auto x, auto y) {
    const auto mean = reduce<ints{1}>(x, 0.0f, ops::add{}) / 3.0f;
    const auto again = reduce<ints{1}>(x, 0.0f, ops::add{}) / 3.0f;
    return mean * again - reduce<ints{1}>(x, 0.0f, ops::maximum{}) + reduce<ints{1}>(y, 0.0f, ops::add{});
  };
  using code = code_for<decltype(variance)>;
  static_assert(count<code>("reduce") == 3, "two sums of x are one");
  static_assert(count<code>("divide") == 1);
  const tensor<f32, 2, 3> x{{1, 2, 3}, {4, 5, 9}}, y{{1, 1, 1}, {2, 2, 2}};
  const tensor<f32, 2> z = trace(variance)(x, y);
  CHECK(equal(z, tensor<f32, 2>{4 - 3 + 3, 36 - 9 + 6}));
}

TEST_CASE("regions that see other values, or draw random numbers, stay apart") {
  using outer = TENON_PROGRAM(R"(
    func.func @main(%p: tensor<i1>, %x: tensor<f32>, %y: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
      %0 = "stablehlo.if"(%p) ({ stablehlo.return %x : tensor<f32> }, { stablehlo.return %y : tensor<f32> })
          : (tensor<i1>) -> tensor<f32>
      %1 = "stablehlo.if"(%p) ({ stablehlo.return %y : tensor<f32> }, { stablehlo.return %x : tensor<f32> })
          : (tensor<i1>) -> tensor<f32>
      %2 = "stablehlo.if"(%p) ({ stablehlo.return %x : tensor<f32> }, { stablehlo.return %y : tensor<f32> })
          : (tensor<i1>) -> tensor<f32>
      return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
    }
  )");
  static_assert(count<outer::code>("if") == 2);
  const auto [a, b, c] = outer{}(tensor<bool>(true), tensor<f32>(1), tensor<f32>(2));
  CHECK(a() == 1);
  CHECK(b() == 2);
  CHECK(c() == 1);
  using drawn = TENON_PROGRAM(R"(
    func.func @main(%p: tensor<i1>, %x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
      %s = stablehlo.constant dense<> : tensor<0xi64>
      %0 = "stablehlo.if"(%p) ({
        %r = stablehlo.rng %x, %x, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<0xi64>) -> tensor<f32>
        stablehlo.return %r : tensor<f32> }, { stablehlo.return %x : tensor<f32> }) : (tensor<i1>) -> tensor<f32>
      %1 = "stablehlo.if"(%p) ({
        %r = stablehlo.rng %x, %x, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<0xi64>) -> tensor<f32>
        stablehlo.return %r : tensor<f32> }, { stablehlo.return %x : tensor<f32> }) : (tensor<i1>) -> tensor<f32>
      return %0, %1 : tensor<f32>, tensor<f32>
    }
  )");
  static_assert(count<drawn::code>("rng") == 2);
}

TEST_CASE("equal constants become one, whatever they are called") {
  using net = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %a = stablehlo.constant dense<0.5> : tensor<2xf32>
      %b = stablehlo.constant dense<0.5> : tensor<2xf32>
      %c = stablehlo.constant dense<0.25> : tensor<2xf32>
      %0 = stablehlo.multiply %x, %a : tensor<2xf32>
      %1 = stablehlo.multiply %x, %b : tensor<2xf32>
      %2 = stablehlo.add %0, %1 : tensor<2xf32>
      %3 = stablehlo.add %2, %c : tensor<2xf32>
      return %3 : tensor<2xf32>
    }
  )");
  static_assert(count<net::code>("constant") == 2);
  static_assert(count<net::code>("multiply") == 1);
  const auto [y] = net{}(tensor<f32, 2>{1, 2});
  CHECK(equal(y, tensor<f32, 2>{1.25, 2.25}));
}

TEST_CASE("numbers that are combined are counted along one dimension") {
  using net = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi8>, tensor<1x4xi32>, tensor<0x4xi32>) {
      %i = stablehlo.iota dim = 0 : tensor<3x4xi32>
      %j = stablehlo.iota dim = 1 : tensor<3x4xi32>
      %p = stablehlo.compare GE, %i, %j : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi1>
      %z = stablehlo.constant dense<0.0> : tensor<3x4xf32>
      %y = stablehlo.select %p, %x, %z : tensor<3x4xi1>, tensor<3x4xf32>
      %b = stablehlo.iota dim = 1 : tensor<3x4xi8>
      %one = stablehlo.iota dim = 1 : tensor<1x4xi32>
      %none = stablehlo.iota dim = 1 : tensor<0x4xi32>
      return %y, %b, %one, %none : tensor<3x4xf32>, tensor<3x4xi8>, tensor<1x4xi32>, tensor<0x4xi32>
    }
  )");
  static_assert(count<net::code>("iota") == 5 && count<net::code>("broadcast_in_dim") == 2);
  const auto [y, b, one, none] = net{}(tensor<f32, 3, 4>{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}});
  CHECK(equal(y, tensor<f32, 3, 4>{{1, 0, 0, 0}, {5, 6, 0, 0}, {9, 10, 11, 0}}));
  CHECK(equal(b, tensor<i8, 3, 4>{{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}}));
  CHECK(equal(one, tensor<i32, 1, 4>{{0, 1, 2, 3}}));
  CHECK(none.size == 0);
}

TEST_CASE("what keeps the order of the elements is a reshape") {
  constexpr auto function = [](auto x, auto) {
    const auto column = broadcast_in_dim<ints{2, 3, 1}, ints{0, 1}>(x);
    const auto turned = transpose<ints{2, 0, 1}>(column);
    const auto same = slice<ints{0, 0, 0}, ints{1, 2, 3}>(turned);
    return transpose<ints{2, 1, 0}>(same);
  };
  using code = code_for<decltype(function)>;
  static_assert(count<code>("broadcast_in_dim") == 0 && count<code>("slice") == 0);
  static_assert(count<code>("transpose") == 1, "only the last one moves anything");
  const tensor<f32, 2, 3> x{{1, 2, 3}, {4, 5, 6}};
  const tensor<f32, 3, 2, 1> y = trace(function)(x, x);
  CHECK(equal(y, tensor<f32, 3, 2, 1>{{{1}, {4}}, {{2}, {5}}, {{3}, {6}}}));
}

TEST_CASE("what is joined with nothing stays what it is") {
  constexpr auto function = [](auto x, auto) {
    const auto none = slice<ints{0, 3}, ints{2, 3}>(x);
    return concatenate<1>(none, concatenate<1>(x, none)) + x;
  };
  using code = code_for<decltype(function)>;
  static_assert(count<code>("concatenate") == 0 && count<code>("slice") == 0);
  const tensor<f32, 2, 3> x{{1, 2, 3}, {4, 5, 6}};
  CHECK(equal(tensor<f32, 2, 3>(trace(function)(x, x)), tensor<f32, 2, 3>{{2, 4, 6}, {8, 10, 12}}));
}

TEST_CASE("a permuted product is a product in the other order") {
  using net = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<5x2x3xf32>, %y: tensor<5x3x4xf32>, %v: tensor<3x2xf32>)
        -> (tensor<5x4x2xf32>, tensor<2x4x5x5xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<2x4xf32>) {
      %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1]
        : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
      %1 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<5x2x4xf32>) -> tensor<5x4x2xf32>
      %2 = stablehlo.dot_general %x, %y, contracting_dims = [2] x [1]
        : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x5x4xf32>
      %3 = stablehlo.transpose %2, dims = [1, 3, 0, 2] : (tensor<5x2x5x4xf32>) -> tensor<2x4x5x5xf32>
      %4 = call @gradient(%v, %y) : (tensor<3x2xf32>, tensor<5x3x4xf32>) -> tensor<4x2xf32>
      %5 = stablehlo.add %v, %v : tensor<3x2xf32>
      %6 = call @gradient(%5, %y) : (tensor<3x2xf32>, tensor<5x3x4xf32>) -> tensor<4x2xf32>
      %7 = stablehlo.slice %y [1:2, 0:3, 0:4] : (tensor<5x3x4xf32>) -> tensor<1x3x4xf32>
      %8 = stablehlo.reshape %7 : (tensor<1x3x4xf32>) -> tensor<3x4xf32>
      %9 = stablehlo.dot_general %v, %8, contracting_dims = [0] x [0]
        : (tensor<3x2xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
      %10 = stablehlo.transpose %9, dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
      %11 = stablehlo.add %10, %4 : tensor<4x2xf32>
      return %1, %3, %11, %6, %9
        : tensor<5x4x2xf32>, tensor<2x4x5x5xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<2x4xf32>
    }
    func.func private @gradient(%v: tensor<3x2xf32>, %y: tensor<5x3x4xf32>) -> tensor<4x2xf32> {
      %0 = stablehlo.slice %y [0:1, 0:3, 0:4] : (tensor<5x3x4xf32>) -> tensor<1x3x4xf32>
      %1 = stablehlo.reshape %0 : (tensor<1x3x4xf32>) -> tensor<3x4xf32>
      %2 = stablehlo.dot_general %v, %1, contracting_dims = [0] x [0]
        : (tensor<3x2xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
      %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
      return %3 : tensor<4x2xf32>
    })");
  // Not where the dimensions are permuted otherwise, nor where the product is also read as it is.
  static_assert(count<net::code>("dot_general") == 5 && count<net::code>("transpose") <= 3);

  tensor<f32, 5, 2, 3> x;
  tensor<f32, 5, 3, 4> y;
  std::iota(x.begin(), x.end(), -7.0f);
  std::iota(y.begin(), y.end(), 0.5f);
  tensor<f32, 3, 2> v = {{1, -2}, {3, 4}, {-5, 6}};
  const auto [batches, all, sum, twice, plain] = net{}(x, y, v);
  for (index_t i = 0; i < 4; ++i)
    for (index_t j = 0; j < 2; ++j) {
      const auto product = [&](index_t batch) {
        f32 total = 0;
        for (index_t k = 0; k < 3; ++k) total += v(k, j) * y(batch, k, i);
        return total;
      };
      CHECK(sum(i, j) == product(1) + product(0));
      CHECK(twice(i, j) == 2 * product(0));
      CHECK(plain(j, i) == product(1));
      for (index_t b = 0; b < 5; ++b)
        for (index_t c = 0; c < 5; ++c) {
          f32 total = 0;
          for (index_t k = 0; k < 3; ++k) total += x(b, j, k) * y(c, k, i);
          CHECK(all(j, i, b, c) == total);
          if (b == c) CHECK(batches(b, i, j) == total);
        }
    }
}

TEST_CASE("an op on numbers that are broadcast is done once") {
  using net = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<100xi32>, %n: tensor<i32>) -> (tensor<100xi32>, tensor<100xi1>, tensor<4xi32>) {
      %two = stablehlo.constant dense<2> : tensor<100xi32>
      %five = stablehlo.constant dense<5> : tensor<100xi32>
      %all = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<i32>) -> tensor<100xi32>
      %half = stablehlo.divide %all, %two : tensor<100xi32>
      %rest = stablehlo.remainder %all, %two : tensor<100xi32>
      %odd = stablehlo.compare EQ, %rest, %five : (tensor<100xi32>, tensor<100xi32>) -> tensor<100xi1>
      %same = stablehlo.divide %all, %two : tensor<100xi32>
      %sum = stablehlo.add %half, %same : tensor<100xi32>
      %ten = stablehlo.add %five, %five : tensor<100xi32>
      %y = stablehlo.add %x, %sum : tensor<100xi32>
      %z = stablehlo.add %y, %ten : tensor<100xi32>
      %few = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %fewer = stablehlo.add %few, %few : tensor<4xi32>
      return %z, %odd, %fewer : tensor<100xi32>, tensor<100xi1>, tensor<4xi32>
    })");
  // Constants alone, and what is small, are left as they are.
  using code = net::code;
  static_assert(count_single<code>("divide") == 1 && count_single<code>("remainder") == 1);
  static_assert(count_single<code>("compare") == 1 && count_single<code>("add") == 1);
  static_assert(count<code>("divide") == 1 && count<code>("add") == 5);
  tensor<i32, 100> x;
  for (index_t i = 0; i < 100; ++i) x(i) = i32(i);
  const auto [z, odd, fewer] = net{}(x, tensor<i32>(-7));
  bool holds = true;
  for (index_t i = 0; i < 100; ++i) holds = holds && z(i) == i32(i) - 6 + 10 && !odd(i);
  CHECK(holds);
  CHECK(equal(fewer, tensor<i32, 4>{-14, -14, -14, -14}));
}

struct divided {
  static constexpr std::string_view text = R"(
    func.func @main(%x: tensor<8xi32>) -> tensor<8xi32> {
      %two = stablehlo.constant dense<2> : tensor<i32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %is_zero = stablehlo.compare EQ, %two, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %chosen = stablehlo.select %is_zero, %one, %two : tensor<i1>, tensor<i32>
      %sign = stablehlo.sign %chosen : tensor<i32>
      %divisor = stablehlo.add %chosen, %sign : tensor<i32>
      %all = stablehlo.broadcast_in_dim %divisor, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %r = stablehlo.remainder %x, %all : tensor<8xi32>
      return %r : tensor<8xi32>
    })";
};

TEST_CASE("a number that is computed of constants is a constant") {
  using code = program<divided>::code;
  static_assert(code::plan().steps.size == 1);
  const auto [r] = program<divided>{}(tensor<i32, 8>{0, 1, 2, 3, 4, -4, -5, 100});
  const i32 wanted[] = {0, 1, 2, 0, 1, -1, -2, 1};
  for (int i = 0; i < 8; ++i) CHECK(r(i) == wanted[i]);
}
