// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/operators.hpp>
#include <tenon/run/program.hpp>

#include <doctest/doctest.h>

#include <type_traits>

using namespace tenon;

namespace {

struct two_results {
  static constexpr std::string_view text = R"(
    module @example {
      func.func public @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3x2xf32>) {
        %0 = stablehlo.add %x, %y : tensor<2x3xf32>
        %c = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
        %1 = stablehlo.multiply %0, %c : tensor<2x3xf32>
        %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
        return %1, %2 : tensor<2x3xf32>, tensor<3x2xf32>
      }
    }
  )";
};
using net = program<two_results>;

struct two_shapes {
  static constexpr std::string_view text = R"(
    func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
      %0 = "stablehlo.add"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
  )";
};

using f32_2x3 = tensor<f32, 2, 3>;
const f32_2x3 x{{1, 2, 3}, {4, 5, 6}};

}  // namespace

TEST_CASE("facts of a program are known while compiling") {
  static_assert(net::valid<> && net::arena_bytes > 0 && net::fused_groups > 0);
  static_assert(std::is_same_v<net::argument<1>, f32_2x3>);
  static_assert(std::is_same_v<net::result<1>, tensor<f32, 3, 2>>);
  static_assert(sizeof(net) == 1);
}

TEST_CASE("a call gives all results") {
  const auto [product, turned] = net{}(x, x);
  CHECK(equal(product, f32_2x3{{2, 8, 18}, {32, 50, 72}}));
  CHECK(equal(turned, tensor<f32, 3, 2>{{2, 32}, {8, 50}, {18, 72}}));
}

TEST_CASE("arguments may be expressions, results memory of the caller") {
  f32_2x3 product;
  f32 turned[6]{};
  arena<net::arena_bytes> memory;
  net{}.on(memory).into(product, tensor_view<f32, 3, 2>(turned))(x - x, x);
  CHECK(equal(product, f32_2x3{{1, 4, 9}, {16, 25, 36}}));
  CHECK(turned[1] == 16);
}

TEST_CASE("the message of an error has line, column, label and the line itself") {
  static_assert(parsed<two_shapes>::error);
  static_assert(detail::same_text(
      detail::message_of_error(parsed<two_shapes>::error, two_shapes::text).view(),
      "line 3, column 12: add_c1: type(lhs) = type(rhs) = type(result); %0 = \"stablehlo.add\"(%x, %y) : "
      "(tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>"));
}

TEST_CASE("a literal in place") {
  using doubling = TENON_PROGRAM(R"(
    func.func @double(%x: tensor<4xi32>) -> tensor<4xi32> {
      %sum = stablehlo.add %x, %x : tensor<4xi32>
      return %sum : tensor<4xi32>
    }
  )");
  const auto [sum] = doubling{}(tensor<i32, 4>{1, 2, 3, 4});
  CHECK(equal(sum, tensor<i32, 4>{2, 4, 6, 8}));
}

TEST_CASE("programs without arguments, of scalars, and that hand arguments through") {
  using constant = TENON_PROGRAM(R"(
    func.func @main() -> tensor<f32> {
      %c = stablehlo.constant dense<2.5> : tensor<f32>
      return %c : tensor<f32>
    }
  )");
  const auto [c] = constant{}();
  CHECK(c() == 2.5f);
  using twice = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
      return %x, %x : tensor<f32>, tensor<f32>
    }
  )");
  const auto [a, b] = twice{}(3.0f);
  CHECK(a() == 3);
  CHECK(b() == 3);
}

TEST_CASE("a future has memory of its own until it is waited for") {
  using later = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
      %future = "stablehlo.async_start"(%x) ({
      ^bb0(%y: tensor<4xf32>):
        %part = stablehlo.slice %y [1:3] : (tensor<4xf32>) -> tensor<2xf32>
        stablehlo.return %part : tensor<2xf32>
      }) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>>
      %result = "stablehlo.async_done"(%future) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
      return %result : tensor<2xf32>
    }
  )");
  const tensor<f32, 4> values{1, 2, 3, 4};
  const auto [part] = later{}(values);
  CHECK(equal(part, tensor<f32, 2>{2, 3}));
}

TEST_CASE("two draws differ, two runs with one seed do not") {
  using draws = TENON_PROGRAM(R"(
    func.func @main() -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %shape = stablehlo.constant dense<8> : tensor<1xi64>
      %0 = "stablehlo.rng"(%zero, %one, %shape) {rng_distribution = #stablehlo<rng_distribution UNIFORM>}
          : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<8xf32>
      %1 = "stablehlo.rng"(%zero, %one, %shape) {rng_distribution = #stablehlo<rng_distribution UNIFORM>}
          : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<8xf32>
      %start = stablehlo.constant dense<0> : tensor<i32>
      %end = stablehlo.constant dense<3> : tensor<i32>
      %step = stablehlo.constant dense<1> : tensor<i32>
      %2:2 = stablehlo.while(%i = %start, %last = %0) : tensor<i32>, tensor<8xf32>
        cond {
          %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %more : tensor<i1>
        } do {
          %next = stablehlo.add %i, %step : tensor<i32>
          %drawn = "stablehlo.rng"(%zero, %one, %shape) {rng_distribution = #stablehlo<rng_distribution UNIFORM>}
              : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<8xf32>
          %difference = stablehlo.subtract %drawn, %last : tensor<8xf32>
          stablehlo.return %next, %difference : tensor<i32>, tensor<8xf32>
        }
      return %0, %1, %2#1 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
    }
  )");
  const auto [first, second, inner] = draws{}();
  const auto [again, second_again, inner_again] = draws{}();
  const auto [other, second_other, inner_other] = draws{}.with_seed(7)();
  CHECK(equal(first, again));
  CHECK(equal(second, second_again));
  CHECK(equal(inner, inner_again));
  CHECK_FALSE(equal(first, second));
  CHECK_FALSE(equal(first, other));
  CHECK_FALSE(equal(second, second_other));
  CHECK_FALSE(equal(inner, inner_other));
  // The loop ends with x3 - (x2 - (x1 - x0)): equal draws would leave nothing.
  CHECK_FALSE(equal(inner, tensor<f32, 8>{0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST_CASE("bodies of several ops run on many elements at once, in the same order") {
  using folding_and_mapping = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<70x3xf32>, %y: tensor<3x70xf32>) -> (tensor<70xf32>, tensor<70xi32>, tensor<70xf32>, tensor<3x70xf32>) {
      %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %places = stablehlo.iota dim = 1 : tensor<70x3xi32>
      %best:2 = "stablehlo.reduce"(%x, %places, %least, %zero) ({
      ^bb0(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>):
        %first = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %value = stablehlo.select %first, %a, %b : tensor<i1>, tensor<f32>
        %place = stablehlo.select %first, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %value, %place : tensor<f32>, tensor<i32>
      }) {dimensions = array<i64: 1>} : (tensor<70x3xf32>, tensor<70x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<70xf32>, tensor<70xi32>)
      %horner = "stablehlo.reduce"(%y, %one) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %half = stablehlo.constant dense<0.5> : tensor<f32>
        %smaller = stablehlo.multiply %a, %half : tensor<f32>
        %sum = stablehlo.add %smaller, %b : tensor<f32>
        stablehlo.return %sum : tensor<f32>
      }) {dimensions = array<i64: 0>} : (tensor<3x70xf32>, tensor<f32>) -> tensor<70xf32>
      %mapped = "stablehlo.map"(%y) ({
      ^bb0(%a: tensor<f32>):
        %square = stablehlo.multiply %a, %a : tensor<f32>
        %more = stablehlo.add %square, %one : tensor<f32>
        stablehlo.return %more : tensor<f32>
      }) {dimensions = array<i64: 0, 1>} : (tensor<3x70xf32>) -> tensor<3x70xf32>
      return %best#0, %best#1, %horner, %mapped : tensor<70xf32>, tensor<70xi32>, tensor<70xf32>, tensor<3x70xf32>
    }
  )");
  tensor<f32, 70, 3> given;
  tensor<f32, 3, 70> y;
  for (int i = 0; i < 70; ++i)
    for (int j = 0; j < 3; ++j) given(i, j) = y(j, i) = f32((i * 7 + j * 5) % 11) - 4;
  const auto [largest, places, sums, mapped] = folding_and_mapping{}(given, y);
  for (int i = 0; i < 70; ++i) {
    int best = 0;
    f32 sum = 1;
    for (int j = 0; j < 3; ++j) {
      if (given(i, j) > given(i, best)) best = j;
      sum = sum * 0.5f + y(j, i);
      CHECK(mapped(j, i) == y(j, i) * y(j, i) + 1);
    }
    CHECK(largest(i) == given(i, best));
    CHECK(places(i) == best);
    CHECK(sums(i) == sum);
  }
}

TEST_CASE("bodies of one op are applied at once") {
  using scattering_and_sorting = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<5x40xf32>, %i: tensor<3x1xi32>, %u: tensor<3x40xf32>) -> (tensor<5x40xf32>, tensor<5x40xf32>, tensor<5x40xf32>) {
      %added = "stablehlo.scatter"(%x, %i, %u) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %sum = stablehlo.subtract %b, %a : tensor<f32>
        stablehlo.return %sum : tensor<f32>
      }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<5x40xf32>, tensor<3x1xi32>, tensor<3x40xf32>) -> tensor<5x40xf32>
      %replaced = "stablehlo.scatter"(%x, %i, %u) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        stablehlo.return %b : tensor<f32>
      }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<5x40xf32>, tensor<3x1xi32>, tensor<3x40xf32>) -> tensor<5x40xf32>
      %sorted = "stablehlo.sort"(%x) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %larger = stablehlo.compare LT, %b, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %larger : tensor<i1>
      }) {dimension = 1 : i64} : (tensor<5x40xf32>) -> tensor<5x40xf32>
      return %added, %replaced, %sorted : tensor<5x40xf32>, tensor<5x40xf32>, tensor<5x40xf32>
    }
  )");
  tensor<f32, 5, 40> given;
  tensor<f32, 3, 40> u;
  const tensor<i32, 3, 1> rows{{4}, {1}, {4}};
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 40; ++j) given(i, j) = f32((i * 13 + j * 17) % 23);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 40; ++j) u(i, j) = f32(100 * (i + 1) + j);
  const auto [combined, replaced, sorted] = scattering_and_sorting{}(given, rows, u);
  for (int j = 0; j < 40; ++j) {
    CHECK(combined(1, j) == u(1, j) - given(1, j));
    CHECK(combined(4, j) == u(2, j) - (u(0, j) - given(4, j)));
    CHECK(combined(0, j) == given(0, j));
    CHECK(replaced(4, j) == u(2, j));
    CHECK(replaced(2, j) == given(2, j));
    for (int i = 0; i < 5; ++i) CHECK((j == 0 || sorted(i, j - 1) >= sorted(i, j)));
  }
}

TEST_CASE("a body of several results runs on many elements at once") {
  using largest = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<70x9xf32>) -> (tensor<70xf32>, tensor<70xi32>) {
      %places = stablehlo.iota dim = 1 : tensor<70x9xi32>
      %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %0:2 = stablehlo.reduce(%x init: %lowest), (%places init: %zero) across dimensions = [1]
          : (tensor<70x9xf32>, tensor<70x9xi32>, tensor<f32>, tensor<i32>) -> (tensor<70xf32>, tensor<70xi32>)
        reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
          %greater = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %equal = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %before = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
          %first = stablehlo.and %equal, %before : tensor<i1>
          %keeps = stablehlo.or %greater, %first : tensor<i1>
          %value = stablehlo.select %keeps, %a, %b : tensor<i1>, tensor<f32>
          %place = stablehlo.select %keeps, %i, %j : tensor<i1>, tensor<i32>
          stablehlo.return %value, %place : tensor<f32>, tensor<i32>
        }
      return %0#0, %0#1 : tensor<70xf32>, tensor<70xi32>
    }
  )");
  tensor<f32, 70, 9> values;
  for (index_t row = 0; row < 70; ++row)
    for (index_t column = 0; column < 9; ++column) values(row, column) = f32((row * 7 + column * 5) % 13 % 7);
  const auto [greatest, places] = largest{}(values);
  for (index_t row = 0; row < 70; ++row) {
    index_t best = 0;
    for (index_t column = 1; column < 9; ++column)
      if (values(row, column) > values(row, best)) best = column;
    CHECK(greatest(row) == values(row, best));
    CHECK(places(row) == i32(best));
  }
}

TEST_CASE("a text that leaves sizes open becomes a program for each shape that it is called with") {
  using rows = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> (tensor<?xf32>, tensor<?x4xf32>, tensor<i32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
      %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
      %ones = stablehlo.dynamic_broadcast_in_dim %one, %s, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
      %z = stablehlo.add %x, %y : tensor<?x4xf32>
      %r = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [1]
          : (tensor<?x4xf32>, tensor<f32>) -> tensor<?xf32>
      %t = stablehlo.add %r, %ones : tensor<?xf32>
      return %t, %z, %n : tensor<?xf32>, tensor<?x4xf32>, tensor<i32>
    }
  )");
  const tensor<f32, 2, 4> x{{1, 2, 3, 4}, {5, 6, 7, 8}};
  const auto [sums, both, count] = rows{}(x, x + x);
  static_assert(std::is_same_v<decltype(sums), const tensor<f32, 2>>);
  CHECK(sums(0) == 31);
  CHECK(sums(1) == 79);
  CHECK(both(1, 3) == 24);
  CHECK(count() == 2);
  const auto [none, no_rows, no_count] = rows{}(tensor<f32, 0, 4>(), tensor<f32, 0, 4>());
  CHECK(no_count() == 0);
  static_assert(rows::program_for<tensor<f32, 2, 4>, tensor<f32, 2, 4>>::arena_bytes >= 0);
}

namespace of_a_team {

TENON_PROGRAM_AS(doubling, R"(
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %sum = stablehlo.add %x, %x : tensor<2xf32>
    return %sum : tensor<2xf32>
  }
)");
struct model {
  doubling program;
};

}  // namespace of_a_team

TEST_CASE("a program with a name is a member of a struct") {
  const tensor<f32, 2> y = of_a_team::model{}.program(tensor<f32, 2>{1, 2});
  CHECK(equal(y, tensor<f32, 2>{2, 4}));
}
