// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/tensor.hpp>
#include <tenon/ops/contraction.hpp>
#include <tenon/quantize.hpp>
#include <tenon/run/trace.hpp>

#include <calibration/kernels.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

using namespace tenon;

namespace {

// Numbers that look random, between -1 and 1.
std::vector<f32> numbers(index_t count, unsigned seed) {
  std::vector<f32> result;
  for (index_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    result.push_back(f32(int(seed >> 8) - (1 << 23)) / f32(1 << 23));
  }
  return result;
}
std::string dense(index_t count, unsigned seed, f32 scale) {
  std::string result = "dense<\"0x";
  for (const f32 each : numbers(count, seed)) {
    const auto bits = std::bit_cast<std::uint32_t>(each * scale);
    for (int byte = 0; byte < 4; ++byte)
      for (const int shift : {4, 0}) result += "0123456789ABCDEF"[bits >> (8 * byte + shift) & 15];
  }
  return result + "\">";
}

struct quantized_case {
  std::string text;
  std::vector<std::vector<f32>> inputs;
  std::vector<program_sample> samples;
  loaded_program program;
  quantized_program made;

  quantized_case(std::string of, f32 scale = 1, const quantize_options& how = {}, int count = 24)
      : text(std::move(of)), program(text, &find_network_kernel), made([&] {
          for (int s = 0; s < count; ++s) {
            samples.emplace_back();
            for (int a = 0; a < program.argument_count(); ++a) {
              const bool is_weight = std::find(how.weights.begin(), how.weights.end(), a) != how.weights.end();
              inputs.push_back(numbers(program.argument_type(a).size(), is_weight ? 5u : unsigned(100 * s + a)));
              for (f32& each : inputs.back()) each *= scale;
              samples.back().push_back({program.argument_type(a), inputs.back().data()});
            }
          }
          return quantize<i8>(program, samples, how);
        }()) {}

  int count(std::string_view part) const {
    int found = 0;
    for (std::size_t at = 0; (at = made.text().find(part, at)) != std::string::npos; ++at) ++found;
    return found;
  }
  double decibels() const { return made.report.layers.back().decibels; }
  // How far the first results of the program that was printed are from those of the one in f32.
  double largest_error() {
    const std::size_t size = std::size_t(program.result_type(0).size());
    std::vector<f32> before(size), after(size);
    double largest = 0;
    for (const program_sample& sample : samples) {
      program({sample[0]}, {result_view(program.result_type(0), before.data())});
      made.program({sample[0]}, {result_view(program.result_type(0), after.data())});
      for (std::size_t i = 0; i < size; ++i)
        largest = std::max(largest, std::abs(double(before[i]) - double(after[i])));
    }
    return largest;
  }
};

std::string failure_of(const auto& f) {
  try {
    f();
  } catch (const error& thrown) {
    return thrown.what();
  }
  return "none";
}

const std::string head = "func.func @main(%x: tensor<2x16xf32>) -> tensor<2x10xf32> {\n";

std::string network() {
  return R"(func.func @main(%x: tensor<1x8x8x3xf32>) -> tensor<1x5xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %six = stablehlo.constant dense<6.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %k1 = stablehlo.constant )" +
         dense(3 * 3 * 3 * 8, 1, 1) + R"( : tensor<3x3x3x8xf32>
  %b1 = stablehlo.constant )" +
         dense(8, 2, 1) + R"( : tensor<8xf32>
  %k2 = stablehlo.constant )" +
         dense(3 * 3 * 8, 3, 0.5f) + R"( : tensor<3x3x1x8xf32>
  %factors = stablehlo.constant )" +
         dense(8, 4, 2) + R"( : tensor<8xf32>
  %w = stablehlo.constant )" +
         dense(5 * 8, 5, 1) + R"( : tensor<5x8xf32>
  %count = stablehlo.constant dense<16.0> : tensor<1x8xf32>
  %0 = stablehlo.convolution(%x, %k1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x8x8x3xf32>, tensor<3x3x3x8xf32>) -> tensor<1x8x8x8xf32>
  %1 = stablehlo.broadcast_in_dim %b1, dims = [3] : (tensor<8xf32>) -> tensor<1x8x8x8xf32>
  %2 = stablehlo.add %0, %1 : tensor<1x8x8x8xf32>
  %3 = stablehlo.clamp %zero, %2, %six : (tensor<f32>, tensor<1x8x8x8xf32>, tensor<f32>) -> tensor<1x8x8x8xf32>
  %4 = stablehlo.convolution(%3, %k2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 8 : i64}
    : (tensor<1x8x8x8xf32>, tensor<3x3x1x8xf32>) -> tensor<1x8x8x8xf32>
  %5 = stablehlo.broadcast_in_dim %factors, dims = [3] : (tensor<8xf32>) -> tensor<1x8x8x8xf32>
  %6 = stablehlo.multiply %4, %5 : tensor<1x8x8x8xf32>
  %7 = stablehlo.add %6, %3 : tensor<1x8x8x8xf32>
  %8 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<1x8x8x8xf32>
  %9 = stablehlo.maximum %7, %8 : tensor<1x8x8x8xf32>
  %10 = "stablehlo.reduce_window"(%9, %lowest) <{window_dimensions = array<i64: 1, 2, 2, 1>,
    window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<1x8x8x8xf32>, tensor<f32>) -> tensor<1x4x4x8xf32>
  %11 = stablehlo.reduce(%10 init: %zero) applies stablehlo.add across dimensions = [1, 2]
    : (tensor<1x4x4x8xf32>, tensor<f32>) -> tensor<1x8xf32>
  %12 = stablehlo.divide %11, %count : tensor<1x8xf32>
  %13 = stablehlo.dot_general %12, %w, contracting_dims = [1] x [1]
    : (tensor<1x8xf32>, tensor<5x8xf32>) -> tensor<1x5xf32>
  return %13 : tensor<1x5xf32>
})";
}

std::string layer(const std::string& lines) {
  return head + "  %w = stablehlo.constant " + dense(16 * 10, 7, 1) + " : tensor<16x10xf32>\n" +
         "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]"
         " : (tensor<2x16xf32>, tensor<16x10xf32>) -> tensor<2x10xf32>\n" +
         lines + "}";
}

}  // namespace

TEST_CASE("grids hold zero") {
  for (const auto& [low, high] :
       {std::pair{-1.0, 3.0}, {0.0, 2.5}, {0.5, 2.0}, {-3.0, -1.0}, {0.0, 0.0}, {-1e-44, 1e-44}, {-3e38, 3e38}}) {
    const quantized_grid grid = calibration::grid_of(low, high);
    CHECK(int(grid(0)) == grid.zero_point);
    CHECK(-128 <= grid.zero_point);
    CHECK(grid.zero_point <= 127);
    CHECK(double(float(grid.scale)) == grid.scale);
    for (const double each : {low, high})
      CHECK(std::abs((int(grid(each)) - grid.zero_point) * grid.scale - each) <= 1.01 * grid.scale);
  }
  const quantized_grid weights = calibration::symmetric_grid_of(-2, 1);
  CHECK(int(weights(-2)) == -127);
  CHECK(weights.zero_point == 0);
}

TEST_CASE("a network is integers from its argument to its result") {
  quantized_case net(network());
  CHECK(net.count("uniform_quantize") == 1);
  CHECK(net.count("uniform_dequantize") == 1);
  CHECK(net.count("xf32>") == 5);  // and nothing else is in f32
  CHECK(net.made.report.layers.size() == 3);
  for (const quantized_layer& each : net.made.report.layers) {
    CHECK(each.is_quantized);
    CHECK(each.decibels > 27);
  }
  CHECK(net.largest_error() == doctest::Approx(net.made.report.layers.back().largest_error).epsilon(1e-4));
  CHECK(net.made.report.agreeing >= net.made.report.rows - 1);
  CHECK(net.made.report.layers[0].low == 0);
  CHECK(net.made.report.layers[0].high > 5);

  quantize_options stored;
  stored.stores_border = true;
  const quantized_case whole(network(), 1, stored);
  CHECK(whole.count("uniform_quantize") + whole.count("uniform_dequantize") == 0);
  CHECK(whole.made.program.argument_type(0).is_quantized());
  CHECK(whole.made.report.arguments[0].scale > 0);
  CHECK(whole.made.report.results[0].scale > 0);
  CHECK(whole.decibels() > 27);

  quantize_options symmetric;
  symmetric.is_symmetric = true;
  const quantized_case unpadded(network(), 1, symmetric);
  CHECK(unpadded.count("stablehlo.pad") == 0);
  CHECK(unpadded.made.report.layers[0].grid.zero_point == 0);
  CHECK(unpadded.decibels() > 21);
}

TEST_CASE("what follows a product is part of it") {
  const std::string row = "  %c = stablehlo.constant " + dense(10, 9, 2) + " : tensor<10xf32>\n" +
                          "  %b = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<10xf32>) -> tensor<2x10xf32>\n";
  SUBCASE("a summand and factors of either sign") {
    const quantized_case net(layer(row + "  %1 = stablehlo.subtract %b, %0 : tensor<2x10xf32>\n"
                                         "  %2 = stablehlo.multiply %1, %b : tensor<2x10xf32>\n"
                                         "  return %2 : tensor<2x10xf32>\n"));
    CHECK(net.count("stablehlo.multiply") == 0);
    CHECK(net.decibels() > 35);
  }
  SUBCASE("normalization") {
    const quantized_case net(layer(
        "  %c = stablehlo.constant " + dense(10, 9, 2) +
        " : tensor<10xf32>\n  %v = stablehlo.multiply %c, %c : tensor<10xf32>\n" +
        "  %1 = \"stablehlo.batch_norm_inference\"(%0, %c, %v, %c, %v) <{epsilon = 0.001 : f32, feature_index = 1 : "
        "i64}>"
        " : (tensor<2x10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>, tensor<10xf32>) -> tensor<2x10xf32>\n"
        "  return %1 : tensor<2x10xf32>\n"));
    CHECK(net.count("batch_norm") == 0);
    CHECK(net.decibels() > 30);
  }
  SUBCASE("weights on the left") {
    const quantized_case net(R"(func.func @main(%x: tensor<16x3xf32>) -> tensor<10x3xf32> {
  %w = stablehlo.constant )" +
                             dense(160, 3, 1) + R"( : tensor<10x16xf32>
  %0 = stablehlo.dot_general %w, %x, contracting_dims = [1] x [0]
    : (tensor<10x16xf32>, tensor<16x3xf32>) -> tensor<10x3xf32>
)" + "  %c = stablehlo.constant " +
                             dense(10, 9, 2) + R"( : tensor<10xf32>
  %b = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<10xf32>) -> tensor<10x3xf32>
  %1 = stablehlo.add %0, %b : tensor<10x3xf32>
  return %1 : tensor<10x3xf32>
})");
    CHECK(net.decibels() > 35);
  }
}

TEST_CASE("results in a range that is small beside the sums") {
  // x - x * (1 - 2^-10) by a product: factors of more than a quarter.
  const quantized_case net(R"(func.func @main(%x: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %w = stablehlo.constant dense<0.25> : tensor<1x1xf32>
  %one = stablehlo.constant dense<0.001> : tensor<f32>
  %low = stablehlo.constant dense<-0.001> : tensor<f32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>
  %1 = stablehlo.clamp %low, %0, %one : (tensor<f32>, tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0]
    : (tensor<4x1xf32>, tensor<1x1xf32>) -> tensor<4x1xf32>
  return %2 : tensor<4x1xf32>
})");
  CHECK(net.made.report.layers[0].grid.scale < 0.00001);
  CHECK(net.made.report.layers[0].largest_error < 0.0021);
}

TEST_CASE("differences that are small beside their operands") {
  // No integers of 32 bits hold both grids.
  const quantized_case net(layer(R"(  %one = stablehlo.constant dense<1000.0> : tensor<2x10xf32>
  %other = stablehlo.constant dense<1000.001> : tensor<2x10xf32>
  %1 = stablehlo.add %0, %one : tensor<2x10xf32>
  %2 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<2x16xf32>, tensor<16x10xf32>) -> tensor<2x10xf32>
  %3 = stablehlo.add %2, %other : tensor<2x10xf32>
  %4 = stablehlo.subtract %1, %3 : tensor<2x10xf32>
  %5 = stablehlo.dot_general %4, %w, contracting_dims = [1] x [1]
    : (tensor<2x10xf32>, tensor<16x10xf32>) -> tensor<2x16xf32>
  %6 = stablehlo.dot_general %5, %w, contracting_dims = [1] x [0]
    : (tensor<2x16xf32>, tensor<16x10xf32>) -> tensor<2x10xf32>
  return %6 : tensor<2x10xf32>
)"));
  CHECK(net.decibels() > 30);
}

TEST_CASE("elements that are moved, and sums of two values") {
  const quantized_case net(layer(R"(  %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<2x16xf32>, tensor<16x10xf32>) -> tensor<2x10xf32>
  %k = stablehlo.constant dense<3.0> : tensor<2x2xf32>
  %two = stablehlo.constant dense<-2.0> : tensor<2x10xf32>
  %2 = stablehlo.multiply %0, %two : tensor<2x10xf32>
  %3 = stablehlo.subtract %2, %1 : tensor<2x10xf32>
  %4 = stablehlo.concatenate %3, %0, %k, dim = 1 : (tensor<2x10xf32>, tensor<2x10xf32>, tensor<2x2xf32>) -> tensor<2x22xf32>
  %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<2x22xf32>) -> tensor<22x2xf32>
  %v = stablehlo.constant )" + dense(220, 8, 1) +
                                 R"( : tensor<22x10xf32>
  %6 = stablehlo.dot_general %5, %v, contracting_dims = [0] x [0]
    : (tensor<22x2xf32>, tensor<22x10xf32>) -> tensor<2x10xf32>
  return %6 : tensor<2x10xf32>
)"));
  CHECK(net.count("uniform_quantize") == 1);
  CHECK(net.count("uniform_dequantize") == 1);
  CHECK(net.decibels() > 30);
}

TEST_CASE("weights that are arguments, and ops without a form in integers") {
  const std::string text = R"(func.func @main(%x: tensor<2x16xf32>, %w: tensor<16x10xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<2x16xf32>, tensor<16x10xf32>) -> tensor<2x10xf32>
  %1 = stablehlo.exponential %0 : tensor<2x10xf32>
  %2 = stablehlo.dot_general %1, %1, contracting_dims = [1] x [1]
    : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
})";
  const quantized_case variable(text, 0.5f);
  CHECK(variable.made.program.argument_count() == 2);
  CHECK(variable.count("stablehlo.exponential") == 1);
  CHECK(variable.decibels() > 30);
  quantize_options how;
  how.weights = {1};
  const quantized_case constant(text, 0.5f, how);
  CHECK(constant.made.program.argument_count() == 1);
  CHECK(constant.decibels() > 30);
}

TEST_CASE("ranges without width") {
  const quantized_case zeros(layer("  return %0 : tensor<2x10xf32>\n"), 0);
  CHECK(zeros.made.report.layers[0].largest_error == 0);
  // A channel without weights has its summand all the same.
  const quantized_case net(R"(func.func @main(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %w = stablehlo.constant dense<[[0.0, 1.0], [0.0, 1e-40]]> : tensor<2x2xf32>
  %b = stablehlo.constant dense<[[5.0, 100000.0]]> : tensor<1x2xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  %1 = stablehlo.add %0, %b : tensor<1x2xf32>
  return %1 : tensor<1x2xf32>
})");
  CHECK(net.made.report.layers[0].largest_error < 0.02);
}

TEST_CASE("a traced function is quantized") {
  constexpr auto scores = trace([](auto x, auto w) { return dot(dot(x, w), w); });
  using square = tensor<f32, 4, 4>;
  std::vector<std::tuple<tensor<f32, 2, 4>, square>> samples;
  for (unsigned s = 0; s < 8; ++s) {
    samples.emplace_back();
    const std::vector<f32> x = numbers(8, s), w = numbers(16, 77);
    std::copy(x.begin(), x.end(), std::get<0>(samples.back()).data());
    std::copy(w.begin(), w.end(), std::get<1>(samples.back()).data());
  }
  quantize_options how;
  how.weights = {1};
  const quantized_program made = quantize<i8>(scores, &find_network_kernel, samples, how);
  CHECK(made.report.layers.size() == 2);
  CHECK(made.report.layers[1].decibels > 35);
}

TEST_CASE("what cannot be quantized says so") {
  const auto said = [](const std::string& text, std::vector<program_sample> samples, const quantize_options& how = {}) {
    const loaded_program program(text, &find_network_kernel);
    return failure_of([&] { (void)quantize<i8>(program, samples, how); });
  };
  const std::string good = layer("  return %0 : tensor<2x10xf32>\n");
  std::vector<f32> zeros(32), broken = zeros;
  broken[3] = std::nanf("");
  const tensor_type type = type_of(dtype::f32, {2, 16}), other = type_of(dtype::f32, {16, 2});
  CHECK(said(good, {}).find("quantize_samples: ranges come from samples") == 0);
  CHECK(said(good, {{}}).find("quantize_samples: sample 0 has 0 arguments, the program has 1") == 0);
  CHECK(
      said(good, {{{type, zeros.data()}}, {{other, zeros.data()}}})
          .find(
              "quantize_samples: argument 0 of sample 1 is tensor<16x2xf32>, where the program has tensor<2x16xf32>") ==
      0);
  CHECK(said(good, {{{type, broken.data()}}}).find("quantize_finite: argument 0 of sample 0") == 0);
  quantize_options how;
  how.labels = {1};
  CHECK(said(good, {{{type, zeros.data()}}}, how).find("quantize_labels: there are 1 labels, for 2 rows") == 0);
  how = {}, how.weights = {0};
  std::vector<f32> ones(32, 1.0f);
  CHECK(said(good, {{{type, zeros.data()}}, {{type, ones.data()}}}, how)
            .find("quantize_weights: argument 0 is not the same") == 0);
  how = {}, how.percentile = 0;
  CHECK(said(good, {{{type, zeros.data()}}}, how).find("quantize_percentile: ") == 0);
  const std::string integers = R"(func.func @main(%x: tensor<2x2xi32>) -> tensor<2x2xi32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]
    : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
})";
  std::vector<i32> whole(4);
  CHECK(said(integers, {{{type_of(dtype::i32, {2, 2}), whole.data()}}}).find("quantize_products: ") == 0);
  const std::string bounded =
      R"(func.func @main(%x: tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<?xf32, #stablehlo.bounds<4>> {
  %0 = stablehlo.add %x, %x : tensor<?xf32, #stablehlo.bounds<4>>
  return %0 : tensor<?xf32, #stablehlo.bounds<4>>
})";
  CHECK(said(bounded, {{{type, zeros.data()}}}).find("quantize_sizes: ") == 0);
  const std::string unknown = "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n  return %x : tensor<?xf32>\n}";
  CHECK(said(unknown, {{{type, zeros.data()}}}).find("quantize_program: ") == 0);
  const quantized_case once(good);
  CHECK(failure_of([&] {
          (void)quantize<i8>(once.made.program, once.samples);
        }).find("quantize_program: its arithmetic is") == 0);
  // Values that are no numbers matter where they would be stored.
  const std::string endless = layer(R"(  %e = stablehlo.constant dense<1e38> : tensor<2x10xf32>
  %1 = stablehlo.multiply %0, %e : tensor<2x10xf32>
  %2 = stablehlo.multiply %1, %e : tensor<2x10xf32>
  %3 = stablehlo.dot_general %2, %w, contracting_dims = [1] x [1]
    : (tensor<2x10xf32>, tensor<16x10xf32>) -> tensor<2x16xf32>
  %4 = stablehlo.dot_general %3, %w, contracting_dims = [1] x [0]
    : (tensor<2x16xf32>, tensor<16x10xf32>) -> tensor<2x10xf32>
  return %4 : tensor<2x10xf32>
)");
  CHECK(said(endless, {{{type, ones.data()}}}).find("quantize_finite: ") == 0);
}

TEST_CASE("rare elements are clamped where that is wanted") {
  const std::string text = layer(
      "  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [1]\n"
      "    : (tensor<2x10xf32>, tensor<16x10xf32>) -> tensor<2x16xf32>\n"
      "  %2 = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0]\n"
      "    : (tensor<2x16xf32>, tensor<16x10xf32>) -> tensor<2x10xf32>\n"
      "  return %2 : tensor<2x10xf32>\n");
  quantize_options how;
  how.percentile = 50;
  const quantized_case all(text), most(text, 1, how);
  const quantized_layer &wide = all.made.report.layers[0], &narrow = most.made.report.layers[0];
  CHECK(narrow.grid.scale < 0.9 * wide.grid.scale);
  CHECK(wide.low < narrow.low);
  CHECK(narrow.high < wide.high);
  CHECK(wide.largest_error < narrow.largest_error);
}
