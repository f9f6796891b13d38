// SPDX-License-Identifier: Apache-2.0
//
// Where the results of regions lie: where they are wanted, over the arguments of a loop's body, or as copies.
#include <tenon/tenon.hpp>

#include <doctest/doctest.h>

#include <algorithm>

using namespace tenon;
using namespace tenon::planning;

namespace {

constexpr index_t size = 300;

tensor<f32, size> values(float first) {
  tensor<f32, size> result;
  for (index_t i = 0; i < size; ++i) result.data()[i] = first + float(i % 17) * 0.25f;
  return result;
}

template <index_t... Dims>
bool same_bytes(const tensor<f32, Dims...>& got, const f32* wanted) {
  return std::equal(got.data(), got.data() + (Dims * ...), wanted);
}

}  // namespace

TEST_CASE("a loop writes over its values where nobody needs the old ones any more") {
  using turns = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<300xf32>, %y: tensor<300xf32>, %z: tensor<300xf32>) -> (tensor<i32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>) {
      %start = stablehlo.constant dense<0> : tensor<i32>
      %end = stablehlo.constant dense<5> : tensor<i32>
      %step = stablehlo.constant dense<1> : tensor<i32>
      %r:8 = "stablehlo.while"(%start, %x, %y, %z, %x, %y, %z, %x) ({
      ^bb0(%i: tensor<i32>, %a: tensor<300xf32>, %b: tensor<300xf32>, %c: tensor<300xf32>, %d: tensor<300xf32>, %e: tensor<300xf32>, %f: tensor<300xf32>, %g: tensor<300xf32>):
        %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      }, {
      ^bb0(%i: tensor<i32>, %a: tensor<300xf32>, %b: tensor<300xf32>, %c: tensor<300xf32>, %d: tensor<300xf32>, %e: tensor<300xf32>, %f: tensor<300xf32>, %g: tensor<300xf32>):
        %next = stablehlo.add %i, %step : tensor<i32>
        %new_a = stablehlo.subtract %b, %a : tensor<300xf32>
        %new_b = stablehlo.add %a, %b : tensor<300xf32>
        %turned = stablehlo.reverse %c, dims = [0] : tensor<300xf32>
        %new_c = stablehlo.subtract %turned, %c : tensor<300xf32>
        %new_f = stablehlo.constant dense<2.5> : tensor<300xf32>
        %new_g = stablehlo.negate %g : tensor<300xf32>
        stablehlo.return %next, %new_a, %new_b, %new_c, %e, %d, %new_f, %new_g : tensor<i32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>
      }) : (tensor<i32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>) -> (tensor<i32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>)
      return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7 : tensor<i32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>
    }
  )");
  const tensor<f32, size> x = values(1), y = values(-2), z = values(7);
  f32 a[size], b[size], c[size], g[size], constant[size];
  std::copy_n(x.data(), size, a), std::copy_n(y.data(), size, b), std::copy_n(z.data(), size, c);
  std::copy_n(x.data(), size, g);
  std::fill_n(constant, size, 2.5f);
  for (int turn = 0; turn < 5; ++turn) {
    f32 turned[size];
    std::reverse_copy(c, c + size, turned);
    for (index_t i = 0; i < size; ++i) {
      const f32 old = a[i];
      a[i] = b[i] - old, b[i] = old + b[i], c[i] = turned[i] - c[i], g[i] = -g[i];
    }
  }
  const auto [i, got_a, got_b, got_c, got_d, got_e, got_f, got_g] = turns{}(x, y, z);
  CHECK(i.data()[0] == 5);
  CHECK(same_bytes(got_a, a));
  CHECK(same_bytes(got_b, b));
  CHECK(same_bytes(got_c, c));
  CHECK(same_bytes(got_d, y.data()));
  CHECK(same_bytes(got_e, x.data()));
  CHECK(same_bytes(got_f, constant));
  CHECK(same_bytes(got_g, g));
  // One value is written over: that which only its own successor reads.
  constexpr plan p = turns::code::plan();
  int over = 0;
  for (const plan_block& block : p.blocks)
    for (int k = 0; k < block.yield_count && block.yield_count == 8 && block.places_results; ++k)
      if (const int value = p.values.data[block.first_yield + k]; value >= 0)
        over += p.places.data[value].base == block.first_pointer + k;
  CHECK(over >= 2);
}

TEST_CASE("branches write their results where they are wanted, and hand over what lies elsewhere") {
  using chosen = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<300xf32>, %y: tensor<300xf32>, %p: tensor<i1>, %k: tensor<i32>) -> (tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>) {
      %sum = stablehlo.add %x, %y : tensor<300xf32>
      %r:4 = "stablehlo.if"(%p) ({
        %twice = stablehlo.add %sum, %sum : tensor<300xf32>
        %half = stablehlo.constant dense<0.5> : tensor<300xf32>
        stablehlo.return %twice, %twice, %half, %x : tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>
      }, {
        %negative = stablehlo.negate %sum : tensor<300xf32>
        %turned = stablehlo.reverse %negative, dims = [0] : tensor<300xf32>
        stablehlo.return %sum, %negative, %turned, %negative : tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>
      }) : (tensor<i1>) -> (tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>)
      %s = "stablehlo.case"(%k) ({
        stablehlo.return %r#0 : tensor<300xf32>
      }, {
        %product = stablehlo.multiply %r#0, %y : tensor<300xf32>
        stablehlo.return %product : tensor<300xf32>
      }) : (tensor<i32>) -> tensor<300xf32>
      %ones = stablehlo.constant dense<1.0> : tensor<300xf32>
      return %r#0, %r#1, %r#2, %r#3, %s, %ones : tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>, tensor<300xf32>
    }
  )");
  const tensor<f32, size> x = values(1), y = values(-2);
  for (int k = 0; k < 2; ++k)
    for (const bool p : {true, false}) {
      const auto [first, second, third, fourth, last, ones] = chosen{}(x, y, tensor<bool>(p), tensor<i32>(k));
      bool right = true;
      for (index_t i = 0; i < size; ++i) {
        const f32 sum = x.data()[i] + y.data()[i], mirrored = x.data()[size - 1 - i] + y.data()[size - 1 - i];
        const f32 wanted = p ? sum + sum : sum;
        right = right && first.data()[i] == wanted && second.data()[i] == (p ? sum + sum : -sum);
        right = right && third.data()[i] == (p ? 0.5f : -mirrored) && fourth.data()[i] == (p ? x.data()[i] : -sum);
        right = right && last.data()[i] == (k == 0 ? wanted : wanted * y.data()[i]) && ones.data()[i] == 1;
      }
      CHECK(right);
    }
}

TEST_CASE("what is done to each element is done to all at once") {
  using mapped = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<300xf32>, %y: tensor<300xf32>) -> (tensor<300xf32>, tensor<300xf32>, tensor<300xf32>) {
      %0 = "stablehlo.map"(%x, %y) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.subtract %b, %a : tensor<f32>
        stablehlo.return %c : tensor<f32>
      }) {dimensions = array<i64: 0>} : (tensor<300xf32>, tensor<300xf32>) -> tensor<300xf32>
      %1 = "stablehlo.map"(%x, %y) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        stablehlo.return %b : tensor<f32>
      }) {dimensions = array<i64: 0>} : (tensor<300xf32>, tensor<300xf32>) -> tensor<300xf32>
      %2 = "stablehlo.map"(%x, %y) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.multiply %b, %a : tensor<f32>
        %d = stablehlo.add %c, %a : tensor<f32>
        stablehlo.return %d : tensor<f32>
      }) {dimensions = array<i64: 0>} : (tensor<300xf32>, tensor<300xf32>) -> tensor<300xf32>
      return %0, %1, %2 : tensor<300xf32>, tensor<300xf32>, tensor<300xf32>
    }
  )");
  const tensor<f32, size> x = values(1), y = values(-2);
  const auto [difference, forwarded, computed] = mapped{}(x, y);
  bool right = true;
  for (index_t i = 0; i < size; ++i) {
    const f32 product = x.data()[i] * y.data()[i];
    right = right && difference.data()[i] == y.data()[i] - x.data()[i] && forwarded.data()[i] == y.data()[i];
    right = right && computed.data()[i] == product + x.data()[i];
  }
  CHECK(right);
}
