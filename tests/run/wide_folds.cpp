// SPDX-License-Identifier: Apache-2.0
//
// Sums and products of floats narrower than f32: accumulated in f32, rounded once, alike in expressions, programs that
// are compiled, and programs that are read.
#include <tenon/tensors.hpp>

#include <run/walked_alike.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace tenon;
using namespace tenon::test;

template <class T>
f32 wide(T x) {
  return convert_to<f32>(x);
}

// Numbers whose sums no narrow float holds.
template <class T, index_t... Dims>
tensor<T, Dims...> numbers() {
  tensor<T, Dims...> result;
  for (index_t i = 0; i < result.size; ++i) result.data()[i] = convert_to<T>(f32(i * 7 % 23) * 0.125f - 1.375f);
  return result;
}
template <class T>
f64 sum_of(const T* from, index_t count, index_t step = 1) {
  f64 sum = 0;
  for (index_t i = 0; i < count; ++i) sum += f64(wide(from[i * step]));
  return sum;
}

}  // namespace

TEST_CASE_TEMPLATE("sums are rounded once: all elements, rows, columns", T, bf16, f16, f8E4M3FN, f8E5M2) {
  const auto x = numbers<T, 96, 208>();
  const tensor<T, 96> rows = sum<ints{1}>(x);
  const tensor<T, 208> columns = sum<ints{0}>(x);
  const tensor<T> all = sum(x);
  CHECK(wide(*all.data()) == wide(convert_to<T>(f32(sum_of(x.data(), x.size)))));
  for (index_t i = 0; i < 96; ++i)
    CHECK(wide(rows.data()[i]) == wide(convert_to<T>(f32(sum_of(x.data() + i * 208, 208)))));
  for (index_t j = 0; j < 208; ++j)
    CHECK(wide(columns.data()[j]) == wide(convert_to<T>(f32(sum_of(x.data() + j, 96, 208)))));
  const auto middle = numbers<T, 7, 96, 5>();
  const tensor<T, 7, 5> kept = sum<ints{1}>(middle);
  for (index_t i = 0; i < 35; ++i)
    CHECK(wide(kept.data()[i]) == wide(convert_to<T>(f32(sum_of(middle.data() + i / 5 * 480 + i % 5, 96, 5)))));
}

TEST_CASE("4,096 ones are 4,096, and a sum may pass the largest number on its way") {
  tensor<bf16, 4096> ones;
  for (bf16& each : ones) each = bf16(1.0f);
  const tensor<bf16> all = sum(ones), by_op = reduce<ints{0}>(ones, tensor<bf16>(bf16(0.0f)), ops::add{});
  CHECK(wide(*all.data()) == 4096);
  CHECK(wide(*by_op.data()) == 4096);
  const tensor<f16, 3> large{f16(65504.0f), f16(65504.0f), f16(-65504.0f)};
  const tensor<f16> back = sum(large);
  CHECK(wide(*back.data()) == 65504);
  const tensor<f16, 4> factors{f16(1024.0f), f16(1024.0f), f16(0.0009765625f), f16(0.5f)};
  const tensor<f16> product = reduce<ints{0}>(factors, tensor<f16>(f16(1.0f)), ops::multiply{});
  CHECK(wide(*product.data()) == 512);
}

TEST_CASE_TEMPLATE("cumulative sums are the rounded sums so far", T, bf16, f16) {
  const auto line = numbers<T, 3000>();
  const tensor<T, 3000> so_far = cumsum(line);
  const auto block = numbers<T, 40, 33>();
  const tensor<T, 40, 33> down = cumsum<0>(block), along = cumsum<1>(block);
  for (index_t i = 0; i < 3000; ++i)
    CHECK(wide(so_far.data()[i]) == wide(convert_to<T>(f32(sum_of(line.data(), i + 1)))));
  for (index_t i = 0; i < 40; ++i)
    for (index_t j = 0; j < 33; ++j) {
      CHECK(wide(down.data()[i * 33 + j]) == wide(convert_to<T>(f32(sum_of(block.data() + j, i + 1, 33)))));
      CHECK(wide(along.data()[i * 33 + j]) == wide(convert_to<T>(f32(sum_of(block.data() + i * 33, j + 1)))));
    }
}

TEST_CASE_TEMPLATE("windows are pooled in f32", T, bf16, f16) {
  const auto x = numbers<T, 64, 48>();
  constexpr ops::reduce_window pool{.window_dimensions = {16, 12}, .window_strides = {16, 12}};
  const tensor<T, 4, 4> pooled = reduce_window<pool>(x, tensor<T>(convert_to<T>(0.0f)), ops::add{});
  for (index_t i = 0; i < 16; ++i) {
    f64 sum = 0;
    for (index_t r = 0; r < 16; ++r) sum += sum_of(x.data() + (i / 4 * 16 + r) * 48 + i % 4 * 12, 12);
    CHECK(wide(pooled.data()[i]) == wide(convert_to<T>(f32(sum))));
  }
}

TEST_CASE("scatters and scans add in f32") {
  tensor<bf16, 1000> ones;
  tensor<i32, 1000, 1> places;
  for (index_t i = 0; i < 1000; ++i) ones.data()[i] = bf16(1.0f), places.data()[i] = i32(i % 2);
  constexpr ops::scatter at{.scatter_dimension_numbers = {.inserted_window_dims = {0},
                                                          .scatter_dims_to_operand_dims = {0},
                                                          .index_vector_dim = 1}};
  const tensor<bf16, 3> counts =
      scatter<at>(tensor<bf16, 3>{bf16(1.0f), bf16(0.0f), bf16(7.0f)}, places, ones, ops::add{});
  CHECK(wide(counts.data()[0]) == wide(bf16(501.0f)));
  CHECK(wide(counts.data()[1]) == 500);
  CHECK(wide(counts.data()[2]) == 7);
  const auto [so_far, last] = scan<0, 1, 1, 1>(ones, tensor<bf16>(bf16(0.0f)), [](auto x, auto sum) {
    const auto next = sum + x;
    return results(next, next);
  });
  CHECK(wide(*last.data()) == 1000);
  CHECK(wide(so_far.data()[599]) == 600);
}

namespace {

// Bodies of several ops and inputs, conversions within a body, a constant, results that are converted elsewhere.
struct bodies_of_all_kinds {
  static constexpr std::string_view text = R"(
    func.func @main(%x: tensor<9x700xbf16>, %y: tensor<9x700xf16>, %k: tensor<9x700xi32>)
        -> (tensor<9xbf16>, tensor<9xf16>, tensor<9xi32>, tensor<700xbf16>, tensor<9xf16>, tensor<9x700xbf16>) {
      %b = stablehlo.constant dense<0.0> : tensor<bf16>
      %h = stablehlo.constant dense<0.0> : tensor<f16>
      %i = stablehlo.constant dense<0> : tensor<i32>
      %0:3 = stablehlo.reduce(%x init: %b), (%y init: %h), (%k init: %i) across dimensions = [1]
          : (tensor<9x700xbf16>, tensor<9x700xf16>, tensor<9x700xi32>, tensor<bf16>, tensor<f16>, tensor<i32>)
          -> (tensor<9xbf16>, tensor<9xf16>, tensor<9xi32>)
          reducer(%a0: tensor<bf16>, %b0: tensor<bf16>) (%a1: tensor<f16>, %b1: tensor<f16>)
                 (%a2: tensor<i32>, %b2: tensor<i32>) {
        %s = stablehlo.add %a0, %b0 : tensor<bf16>
        %m = stablehlo.maximum %a1, %b1 : tensor<f16>
        %n = stablehlo.add %a2, %b2 : tensor<i32>
        stablehlo.return %s, %m, %n : tensor<bf16>, tensor<f16>, tensor<i32>
      }
      %1 = stablehlo.reduce(%x init: %b) across dimensions = [0] : (tensor<9x700xbf16>, tensor<bf16>) -> tensor<700xbf16>
          reducer(%a: tensor<bf16>, %c: tensor<bf16>) {
        %aw = stablehlo.convert %a : (tensor<bf16>) -> tensor<f32>
        %cw = stablehlo.convert %c : (tensor<bf16>) -> tensor<f32>
        %s = stablehlo.add %aw, %cw : tensor<f32>
        %n = stablehlo.convert %s : (tensor<f32>) -> tensor<bf16>
        stablehlo.return %n : tensor<bf16>
      }
      %2 = stablehlo.reduce(%y init: %h) across dimensions = [1] : (tensor<9x700xf16>, tensor<f16>) -> tensor<9xf16>
          reducer(%a: tensor<f16>, %c: tensor<f16>) {
        %half = stablehlo.constant dense<0.5> : tensor<f16>
        %d = stablehlo.multiply %c, %half : tensor<f16>
        %s = stablehlo.add %a, %d : tensor<f16>
        stablehlo.return %s : tensor<f16>
      }
      %3 = stablehlo.multiply %x, %x : tensor<9x700xbf16>
      %4 = stablehlo.reduce(%3 init: %b) applies stablehlo.add across dimensions = [1]
          : (tensor<9x700xbf16>, tensor<bf16>) -> tensor<9xbf16>
      %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<9xbf16>) -> tensor<9x700xbf16>
      %6 = stablehlo.divide %3, %5 : tensor<9x700xbf16>
      return %0#0, %0#1, %0#2, %1, %2, %6
          : tensor<9xbf16>, tensor<9xf16>, tensor<9xi32>, tensor<700xbf16>, tensor<9xf16>, tensor<9x700xbf16>
    })";
};

// Windows, their gradient, scatters, scans and a product.
struct folds_of_all_kinds {
  static constexpr std::string_view text = R"(
    func.func @main(%x: tensor<20x36xbf16>, %g: tensor<10x12xbf16>, %at: tensor<50x1xi32>, %u: tensor<50x36xf16>,
                    %t: tensor<6x36xf16>)
        -> (tensor<10x12xbf16>, tensor<20x36xbf16>, tensor<6x36xf16>, tensor<20x36xbf16>, tensor<36xbf16>, tensor<36xbf16>) {
      %b = stablehlo.constant dense<0.0> : tensor<bf16>
      %one = stablehlo.constant dense<1.0> : tensor<bf16>
      %0 = "stablehlo.reduce_window"(%x, %b) <{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 3>}> ({
        ^bb0(%a: tensor<bf16>, %c: tensor<bf16>):
          %s = stablehlo.add %a, %c : tensor<bf16>
          stablehlo.return %s : tensor<bf16>
      }) : (tensor<20x36xbf16>, tensor<bf16>) -> tensor<10x12xbf16>
      %1 = "stablehlo.select_and_scatter"(%x, %g, %b) <{window_dimensions = array<i64: 3, 5>,
          window_strides = array<i64: 2, 3>, padding = dense<[[0, 1], [1, 1]]> : tensor<2x2xi64>}> ({
        ^bb0(%a: tensor<bf16>, %c: tensor<bf16>):
          %s = stablehlo.compare GE, %a, %c : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
          stablehlo.return %s : tensor<i1>
      }, {
        ^bb0(%a: tensor<bf16>, %c: tensor<bf16>):
          %s = stablehlo.add %a, %c : tensor<bf16>
          stablehlo.return %s : tensor<bf16>
      }) : (tensor<20x36xbf16>, tensor<10x12xbf16>, tensor<bf16>) -> tensor<20x36xbf16>
      %2 = "stablehlo.scatter"(%t, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1],
          inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
        ^bb0(%a: tensor<f16>, %c: tensor<f16>):
          %s = stablehlo.add %a, %c : tensor<f16>
          stablehlo.return %s : tensor<f16>
      }) : (tensor<6x36xf16>, tensor<50x1xi32>, tensor<50x36xf16>) -> tensor<6x36xf16>
      %3 = "stablehlo.reduce_window"(%x, %b) <{window_dimensions = array<i64: 20, 1>,
          padding = dense<[[19, 0], [0, 0]]> : tensor<2x2xi64>}> ({
        ^bb0(%a: tensor<bf16>, %c: tensor<bf16>):
          %s = stablehlo.add %a, %c : tensor<bf16>
          stablehlo.return %s : tensor<bf16>
      }) : (tensor<20x36xbf16>, tensor<bf16>) -> tensor<20x36xbf16>
      %4 = stablehlo.reduce(%x init: %b) applies stablehlo.add across dimensions = [0]
          : (tensor<20x36xbf16>, tensor<bf16>) -> tensor<36xbf16>
      %5 = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [0]
          : (tensor<20x36xbf16>, tensor<bf16>) -> tensor<36xbf16>
      return %0, %1, %2, %3, %4, %5 : tensor<10x12xbf16>, tensor<20x36xbf16>, tensor<6x36xf16>, tensor<20x36xbf16>,
          tensor<36xbf16>, tensor<36xbf16>
    })";
};

}  // namespace

TEST_CASE("bodies of several ops, and all kinds of folds: compiled and read programs give the same bits") {
  CHECK(walked_alike<program<bodies_of_all_kinds>>());
  CHECK(walked_alike<program<folds_of_all_kinds>>());
}
