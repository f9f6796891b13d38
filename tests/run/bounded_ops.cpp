// SPDX-License-Identifier: Apache-2.0
#include <shared/shared_program.hpp>
#include <tenon/core/bounded_tensor.hpp>
#include <tenon/run/program.hpp>

#include "core/failure_of.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string_view>

// Ops that look along a dimension whose size is below its bound, on tensors of a few elements; what is behind the sizes
// is NaN.
using namespace tenon;

namespace {

using lines = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<?x4xf32, #stablehlo.bounds<3, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<3, ?>> {
    %0 = stablehlo.fft %x, type = RFFT, length = [4]
        : (tensor<?x4xf32, #stablehlo.bounds<3, ?>>) -> tensor<?x3xcomplex<f32>, #stablehlo.bounds<3, ?>>
    %1 = stablehlo.real %0
        : (tensor<?x3xcomplex<f32>, #stablehlo.bounds<3, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<3, ?>>
    return %1 : tensor<?x3xf32, #stablehlo.bounds<3, ?>>
  }
)");

using unpooled = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<?xf32, #stablehlo.bounds<6>>, %s: tensor<?xf32, #stablehlo.bounds<3>>)
      -> tensor<?xf32, #stablehlo.bounds<6>> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.select_and_scatter"(%x, %s, %zero) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
    }, {
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %c : tensor<f32>
    }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}
        : (tensor<?xf32, #stablehlo.bounds<6>>, tensor<?xf32, #stablehlo.bounds<3>>, tensor<f32>)
        -> tensor<?xf32, #stablehlo.bounds<6>>
    return %0 : tensor<?xf32, #stablehlo.bounds<6>>
  }
)");

using normalized = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<?x2xf32, #stablehlo.bounds<4, ?>>)
      -> (tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<2xf32>, tensor<2xf32>,
          tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<2xf32>, tensor<2xf32>) {
    %one = stablehlo.constant dense<1.0> : tensor<2xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<2xf32>
    %y:3 = "stablehlo.batch_norm_training"(%x, %one, %zero) {epsilon = 0.0 : f32, feature_index = 1 : i64}
        : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<2xf32>, tensor<2xf32>)
        -> (tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<2xf32>, tensor<2xf32>)
    %g:3 = "stablehlo.batch_norm_grad"(%x, %one, %y#1, %y#2, %x) {epsilon = 0.0 : f32, feature_index = 1 : i64}
        : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
           tensor<?x2xf32, #stablehlo.bounds<4, ?>>)
        -> (tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<2xf32>, tensor<2xf32>)
    return %y#0, %y#1, %y#2, %g#0, %g#1, %g#2
        : tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<2xf32>, tensor<2xf32>,
          tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<2xf32>, tensor<2xf32>
  }
)");

// A product, a sum that the first operand knows nothing of, and the sum of a diagonal.
using letters = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<?x2xf32, #stablehlo.bounds<4, ?>>, %y: tensor<2xf32>,
                  %z: tensor<?x?xf32, #stablehlo.bounds<4, 4>>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<f32>) {
    %0 = stablehlo.einsum %x, %x, config = "ab,ac->bc"
        : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<?x2xf32, #stablehlo.bounds<4, ?>>) -> tensor<2x2xf32>
    %1 = stablehlo.einsum %y, %x, config = "b,ab->b"
        : (tensor<2xf32>, tensor<?x2xf32, #stablehlo.bounds<4, ?>>) -> tensor<2xf32>
    %2 = "stablehlo.unary_einsum"(%z) {einsum_config = "aa->"}
        : (tensor<?x?xf32, #stablehlo.bounds<4, 4>>) -> tensor<f32>
    return %0, %1, %2 : tensor<2x2xf32>, tensor<2xf32>, tensor<f32>
  }
)");

using largest = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<?xi8, #stablehlo.bounds<5>>, %y: tensor<?xf32, #stablehlo.bounds<5>>)
      -> (tensor<2xi8>, tensor<2xi32>, tensor<2xf32>, tensor<2xi32>) {
    %0:2 = chlo.top_k(%x, k = 2) : tensor<?xi8, #stablehlo.bounds<5>> -> (tensor<2xi8>, tensor<2xi32>)
    %1:2 = chlo.top_k(%y, k = 2) : tensor<?xf32, #stablehlo.bounds<5>> -> (tensor<2xf32>, tensor<2xi32>)
    return %0#0, %0#1, %1#0, %1#1 : tensor<2xi8>, tensor<2xi32>, tensor<2xf32>, tensor<2xi32>
  }
)");

// From the end: what stands behind each element, and the sum of all.
using totals = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<?xi32, #stablehlo.bounds<5>>)
      -> (tensor<?xi32, #stablehlo.bounds<5>>, tensor<i32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = "chlo.scan"(%x, %zero) <{dimension = 0 : i64, is_reverse = true, operandSegmentSizes = array<i32: 1, 1>,
        resultSegmentSizes = array<i32: 1, 1>}> ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %c = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %b, %c : tensor<i32>, tensor<i32>
    }) : (tensor<?xi32, #stablehlo.bounds<5>>, tensor<i32>) -> (tensor<?xi32, #stablehlo.bounds<5>>, tensor<i32>)
    return %0#0, %0#1 : tensor<?xi32, #stablehlo.bounds<5>>, tensor<i32>
  }
)");

// Rows in groups, of which the first has the first matrix; the second dimension is summed over.
using grouped = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<?x?xf32, #stablehlo.bounds<4, 3>>, %w: tensor<2x?x1xf32, #stablehlo.bounds<?, 3, ?>>,
                  %n: tensor<2xi32>) -> tensor<?x1xf32, #stablehlo.bounds<4, ?>> {
    %0 = "chlo.ragged_dot"(%x, %w, %n) {ragged_dot_dimension_numbers = #chlo.ragged_dot<
        lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1],
        rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>,
        precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]}
        : (tensor<?x?xf32, #stablehlo.bounds<4, 3>>, tensor<2x?x1xf32, #stablehlo.bounds<?, 3, ?>>, tensor<2xi32>)
        -> tensor<?x1xf32, #stablehlo.bounds<4, ?>>
    return %0 : tensor<?x1xf32, #stablehlo.bounds<4, ?>>
  }
)");

// A window over quantized elements whose zero is 3, and one of padding behind; and an op of CHLO that spreads.
using quantized = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<1x?x1xf32, #stablehlo.bounds<?, 4, ?>>)
      -> tensor<1x?x1xf32, #stablehlo.bounds<?, 4, ?>> {
    %w = stablehlo.constant dense<[[[1]], [[1]]]> : tensor<2x1x1x!quant.uniform<i8:f32, 1.0:0>>
    %q = stablehlo.uniform_quantize %x : (tensor<1x?x1xf32, #stablehlo.bounds<?, 4, ?>>)
        -> tensor<1x?x1x!quant.uniform<i8:f32, 1.0:3>, #stablehlo.bounds<?, 4, ?>>
    %c = "stablehlo.convolution"(%q, %w) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
        feature_group_count = 1 : i64, batch_group_count = 1 : i64, padding = dense<[[0, 1]]> : tensor<1x2xi64>}
        : (tensor<1x?x1x!quant.uniform<i8:f32, 1.0:3>, #stablehlo.bounds<?, 4, ?>>,
           tensor<2x1x1x!quant.uniform<i8:f32, 1.0:0>>)
        -> tensor<1x?x1x!quant.uniform<i32:f32, 1.0:0>, #stablehlo.bounds<?, 4, ?>>
    %d = stablehlo.uniform_dequantize %c : (tensor<1x?x1x!quant.uniform<i32:f32, 1.0:0>, #stablehlo.bounds<?, 4, ?>>)
        -> tensor<1x?x1xf32, #stablehlo.bounds<?, 4, ?>>
    %half = stablehlo.constant dense<0.5> : tensor<f32>
    %0 = chlo.broadcast_add %d, %half : (tensor<1x?x1xf32, #stablehlo.bounds<?, 4, ?>>, tensor<f32>)
        -> tensor<1x?x1xf32, #stablehlo.bounds<?, 4, ?>>
    return %0 : tensor<1x?x1xf32, #stablehlo.bounds<?, 4, ?>>
  }
)");

using from_hlo = TENON_PROGRAM(R"(
HloModule unpooled
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
at_least {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=GE
}
ENTRY main {
  x = f32[<=4,3] parameter(0)
  zero = f32[] constant(0)
  one = f32[3] constant({1, 1, 1})
  y = f32[<=4,3] all-reduce(x), replica_groups={{0}}, to_apply=sum
  p = f32[<=2,3] reduce-window(y, zero), window={size=2x1 stride=2x1}, to_apply=sum
  s = f32[<=4,3] select-and-scatter(y, p, zero), window={size=2x1 stride=2x1}, select=at_least, scatter=sum
  n = (f32[<=4,3], f32[3], f32[3]) batch-norm-training(s, one, one), epsilon=0.5, feature_index=1
  ROOT m = f32[3] get-tuple-element(n), index=1
}
)");

// NaN, but for these elements.
template <index_t... Bounds, index_t... Sizes>
bounded_tensor<f32, Bounds...> room_for(const tensor<f32, Sizes...>& x) {
  bounded_tensor<f32, Bounds...> all;
  f32* const first = all.data();
  for (index_t i = 0; i < ints{Bounds...}.product(); ++i) first[i] = std::numeric_limits<f32>::quiet_NaN();
  all = x;
  return all;
}

// Why a program is refused when it is loaded.
std::string_view refusal(std::string_view text) {
  const shared_program program(text, [](const planning::kernel_key&) -> core::kernel { return nullptr; });
  return program.error() ? program.error().sentence : "";
}

}  // namespace

TEST_CASE("fft: lines along other dimensions") {
  const auto [y] = lines{}(tensor<f32, 2, 4>{{1, 0, 0, 0}, {1, 1, 1, 1}});
  CHECK(equal(y.as<2, 3>(), tensor<f32, 2, 3>{{1, 1, 1}, {4, 0, 0}}));
  CHECK(std::get<0>(lines{}(tensor<f32, 0, 4>())).shape() == ints{0, 3});
}

TEST_CASE("select_and_scatter: windows over the elements that are there") {
  const tensor<f32, 5> x{1, 5, 2, 7, 9};
  const auto [y] = unpooled{}(x, tensor<f32, 2>{10, 20});
  CHECK(equal(y.as<5>(), tensor<f32, 5>{0, 10, 0, 20, 0}));
  const auto [none] = unpooled{}(tensor<f32, 1>{1}, tensor<f32, 0>());
  CHECK(equal(none.as<1>(), tensor<f32, 1>{0}));
  CHECK(failure_of([&] { unpooled{}(x, tensor<f32, 3>{1, 2, 3}); }) ==
        "select_and_scatter: the sizes 2 and 3 of dimension 0 differ");
}

TEST_CASE("batch_norm: as many elements as there are") {
  const auto [y, mean, variance, grad, grad_scale, grad_offset] = normalized{}(tensor<f32, 2, 2>{{1, 2}, {3, 6}});
  CHECK(equal(y.as<2, 2>(), tensor<f32, 2, 2>{{-1, -1}, {1, 1}}));
  CHECK(equal(mean, tensor<f32, 2>{2, 4}));
  CHECK(equal(variance, tensor<f32, 2>{1, 4}));
  CHECK(equal(grad.as<2, 2>(), tensor<f32, 2, 2>{{0, 0}, {0, 0}}));
  CHECK(equal(grad_scale, tensor<f32, 2>{2, 4}));
  CHECK(equal(grad_offset, tensor<f32, 2>{4, 8}));
  const auto all = normalized{}(tensor<f32, 0, 2>());
  CHECK(std::isnan(std::get<1>(all)(0)));
  CHECK(std::get<5>(all)(1) == 0);
}

TEST_CASE("einsum: sums over what is there, also where the other factor is infinite") {
  const f32 infinity = std::numeric_limits<f32>::infinity();
  const auto [product, spread, trace] =
      letters{}(tensor<f32, 2, 2>{{1, 2}, {3, 4}}, tensor<f32, 2>{infinity, 1}, tensor<f32, 2, 2>{{1, 2}, {3, 4}});
  CHECK(equal(product, tensor<f32, 2, 2>{{10, 14}, {14, 20}}));
  CHECK(equal(spread, tensor<f32, 2>{infinity, 6}));
  CHECK(*trace.data() == 5);
  CHECK(failure_of([&] { letters{}(tensor<f32, 2, 2>(), tensor<f32, 2>(), tensor<f32, 2, 3>()); }) ==
        "unary_einsum: the sizes 2 and 3 of dimension 1 differ");
}

TEST_CASE("top_k: at least k elements") {
  const auto [values, places, reals, more] = largest{}(tensor<i8, 3>{-128, -3, -128}, tensor<f32, 2>{-1, -INFINITY});
  CHECK(equal(values, tensor<i8, 2>{-3, -128}));
  CHECK(equal(places, tensor<i32, 2>{1, 0}));
  CHECK(equal(reals, tensor<f32, 2>{-1, -INFINITY}));
  CHECK(equal(more, tensor<i32, 2>{0, 1}));
  CHECK(failure_of([] { largest{}(tensor<i8, 1>{1}, tensor<f32, 2>{1, 2}); }) ==
        "top_k: dimension 0 has size 2, it may have 0 to 1");
}

TEST_CASE("scan: turns over the elements that are there") {
  const auto [behind, sum] = totals{}(tensor<i32, 3>{1, 2, 3});
  CHECK(equal(behind.as<3>(), tensor<i32, 3>{5, 3, 0}));
  CHECK(*sum.data() == 6);
  const auto none = totals{}(tensor<i32, 0>());
  CHECK(*std::get<1>(none).data() == 0);
}

TEST_CASE("ragged_dot: rows and sums of some size") {
  const auto [y] = grouped{}(room_for<4, 3>(tensor<f32, 3, 2>{{1, 2}, {3, 4}, {5, 6}}),
                             room_for<2, 3, 1>(tensor<f32, 2, 2, 1>{{{1}, {1}}, {{10}, {10}}}), tensor<i32, 2>{1, 1});
  CHECK(equal(y.as<3, 1>(), tensor<f32, 3, 1>{{3}, {70}, {0}}));
}

TEST_CASE("quantized padding is zero") {
  const auto [y] = quantized{}(tensor<f32, 1, 2, 1>{{{5}, {7}}});
  CHECK(equal(y.as<1, 2, 1>(), tensor<f32, 1, 2, 1>{{{12.5}, {7.5}}}));
}

TEST_CASE("HLO") {
  const auto [mean] = from_hlo{}(tensor<f32, 3, 3>{{0, 1, 2}, {4, 5, 6}, {6, 7, 8}});
  CHECK(equal(mean, tensor<f32, 3>{4.0f / 3, 2, 8.0f / 3}));
}

TEST_CASE("what has no meaning at another size is refused with the reason") {
  CHECK(
      refusal(R"(
    func.func @main(%x: tensor<?xcomplex<f32>, #stablehlo.bounds<4>>) -> tensor<4xcomplex<f32>> {
      %0 = stablehlo.fft %x, type = FFT, length = [4]
          : (tensor<?xcomplex<f32>, #stablehlo.bounds<4>>) -> tensor<4xcomplex<f32>>
      return %0 : tensor<4xcomplex<f32>>
    })") ==
      "fft_length is fixed while compiling, so a transformed dimension has to be as large as that: pad it, or give it "
      "a static size first");
  CHECK(refusal(R"(
    func.func @main(%x: tensor<?x?xi32, #stablehlo.bounds<4, 2>>, %c: tensor<?xi32, #stablehlo.bounds<2>>)
        -> tensor<?x2xi32, #stablehlo.bounds<4, ?>> {
      %0:2 = "chlo.scan"(%x, %c) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>,
          resultSegmentSizes = array<i32: 1, 1>}> ({
        ^bb0(%a: tensor<2xi32>, %b: tensor<?xi32, #stablehlo.bounds<2>>):
          stablehlo.return %a, %b : tensor<2xi32>, tensor<?xi32, #stablehlo.bounds<2>>
      }) : (tensor<?x?xi32, #stablehlo.bounds<4, 2>>, tensor<?xi32, #stablehlo.bounds<2>>)
          -> (tensor<?x2xi32, #stablehlo.bounds<4, ?>>, tensor<?xi32, #stablehlo.bounds<2>>)
      return %0#0 : tensor<?x2xi32, #stablehlo.bounds<4, ?>>
    })") == "the body would have to know the size of this dimension: give the dimension a static size first");
}
