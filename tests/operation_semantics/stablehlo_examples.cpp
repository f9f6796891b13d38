// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <cmath>

// Examples of the StableHLO specification that the tests of the ops do not have, through text. Where the page prints
// rounded numbers, `within` says how near they are, relative to the larger of the number and 1; where it is wrong, a
// note says so. https://openxla.org/stablehlo/spec
namespace tenon::test {
using namespace kernels;

namespace {

struct example {
  const char* op;        // its text, of %a, %b, %c
  const char* operands;  // type = elements; ...
  const char* result;
  double within = 0;
  const char* note = "";
};

// Notes are of what the page has in place of what is here.
constexpr example examples[] = {
    {R"("stablehlo.atan2"(%a, %b))", "3xf64 = [0.0, 1.0, -1.0]; 3xf64 = [0.0, 0.0, 0.0]",
     "3xf64 = [0.0, 1.57079637, -1.57079637]", 1e-7},
    {R"("stablehlo.ceil"(%a))", "5xf32 = [-0.8166, -0.2530, 0.2530, 0.8166, 2.0]",
     "5xf32 = [-0.0, -0.0, 1.0, 1.0, 2.0]"},
    {R"("stablehlo.clamp"(%a, %b, %c))", "3xi32 = [5, 10, 15]; 3xi32 = [3, 13, 23]; 3xi32 = [10, 15, 20]",
     "3xi32 = [5, 13, 20]"},
    {R"("stablehlo.cosine"(%a))", "2x2xf32 = [[0.0, 1.57079632], [3.14159265, 4.71238898]]",
     "2x2xf32 = [[1.0, 0.0], [-1.0, 0.0]]", 1e-6},
    {R"("stablehlo.count_leading_zeros"(%a))", "2x2xi64 = [[0, 1], [128, -1]]", "2x2xi64 = [[64, 63], [56, 0]]"},
    {R"("stablehlo.divide"(%a, %b))", "4xf32 = [17.1, -17.1, 17.1, -17.1]; 4xf32 = [3.0, 3.0, -3.0, -3.0]",
     "4xf32 = [5.7, -5.7, -5.7, 5.7]", 1e-6, "the quotients of 17 and 3: 5.66666651"},
    {R"("stablehlo.exponential"(%a))", "2x2xf64 = [[0.0, 1.0], [2.0, 3.0]]",
     "2x2xf64 = [[1.0, 2.7182818284590451], [7.3890560989306504, 20.085536923187668]]", 1e-15},
    {R"("stablehlo.exponential_minus_one"(%a))", "2xf64 = [0.0, 1.0]", "2xf64 = [0.0, 1.71828187]", 1e-7},
    {R"("stablehlo.floor"(%a))", "5xf32 = [-0.8166, -0.2530, 0.2530, 0.8166, 2.0]",
     "5xf32 = [-1.0, -1.0, 0.0, 0.0, 2.0]"},
    {R"("stablehlo.is_finite"(%a))",
     "7xf64 = [0xFFF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000, -10.0, -0.0, 0.0, 10.0]",
     "7xi1 = [false, false, false, true, true, true, true]", 0, "a bracket is missing in the type"},
    {R"("stablehlo.log"(%a))", "2x2xf64 = [[1.0, 2.0], [3.0, 4.0]]",
     "2x2xf64 = [[0.0, 0.69314718055994529], [1.0986122886681098, 1.3862943611198906]]", 1e-15},
    {R"("stablehlo.log_plus_one"(%a))", "5xf64 = [0.0, -0.999, 7.0, 6.38905621, 15.0]",
     "5xf64 = [0.0, -6.90776825, 2.07944155, 2.0, 2.77258873]", 2e-6, "numbers of f32"},
    {R"("stablehlo.logistic"(%a))", "2x2xf64 = [[0.0, 1.0], [2.0, 3.0]]",
     "2x2xf64 = [[0.5, 0.73105858], [0.88079708, 0.95257413]]", 1e-7},
    {R"("stablehlo.multiply"(%a, %b))", "2x2xi32 = [[1, 2], [3, 4]]; 2x2xi32 = [[5, 6], [7, 8]]",
     "2x2xi32 = [[5, 12], [21, 32]]"},
    {R"("stablehlo.negate"(%a))", "2xi32 = [0, -2]", "2xi32 = [0, 2]"},
    {R"("stablehlo.negate"(%a))", "1xcomplex<f32> = [(2.5, 0.0)]", "1xcomplex<f32> = [(-2.5, -0.0)]", 0,
     "the brackets are those of a list of two numbers"},
    {R"("stablehlo.not"(%a))", "2x2xi32 = [[1, 2], [3, 4]]", "2x2xi32 = [[-2, -3], [-4, -5]]"},
    {R"("stablehlo.not"(%a))", "2xi1 = [true, false]", "2xi1 = [false, true]"},
    {R"("stablehlo.or"(%a, %b))", "2x2xi32 = [[1, 2], [3, 4]]; 2x2xi32 = [[5, 6], [7, 8]]",
     "2x2xi32 = [[5, 6], [7, 12]]"},
    {R"("stablehlo.or"(%a, %b))", "2x2xi1 = [[false, false], [true, true]]; 2x2xi1 = [[false, true], [false, true]]",
     "2x2xi1 = [[false, true], [true, true]]"},
    {R"("stablehlo.popcnt"(%a))", "4xi64 = [0, 1, 2, 127]", "4xi64 = [0, 1, 1, 7]"},
    {R"("stablehlo.power"(%a, %b))",
     "6xf64 = [-2.0, -0.0, -36.0, 5.0, 3.0, 10000.0]; 6xf64 = [2.0, 2.0, 1.1, 2.0, -1.0, 10.0]",
     "6xf64 = [4.0, 0.0, 0x7FF8000000000000, 25.0, 0.333333343, 1.0e40]", 1e-7, "infinity, which 1e40 is in f32 only"},
    {R"("stablehlo.reduce_precision"(%a) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32})",
     "6xf64 = [0x7FF0000000000000, 0x7FFFFFFFFFFFFFFF, 0x0000000000000001, 0.0, 65519.0, 65520.0]",
     "6xf64 = [0x7FF0000000000000, 0x7FFFFFFFFFFFFFFF, 0.0, 0.0, 65504.0, 0x7FF0000000000000]"},
    {R"("stablehlo.remainder"(%a, %b))", "4xi64 = [17, -17, 17, -17]; 4xi64 = [3, 3, -3, -3]",
     "4xi64 = [2, -2, 2, -2]"},
    {R"("stablehlo.round_nearest_afz"(%a))", "5xf64 = [-2.5, 0.4, 0.5, 0.6, 2.5]",
     "5xf64 = [-3.0, 0.0, 1.0, 1.0, 3.0]"},
    {R"("stablehlo.round_nearest_even"(%a))", "5xf64 = [-2.5, 0.4, 0.5, 0.6, 2.5]",
     "5xf64 = [-2.0, 0.0, 0.0, 1.0, 2.0]"},
    {R"("stablehlo.rsqrt"(%a))", "2x2xf32 = [[1.0, 4.0], [9.0, 25.0]]", "2x2xf32 = [[1.0, 0.5], [0.33333343, 0.2]]",
     2e-7},
    {R"("stablehlo.select"(%a, %b, %c))",
     "2x2xi1 = [[false, true], [true, false]]; 2x2xi32 = [[1, 2], [3, 4]]; 2x2xi32 = [[5, 6], [7, 8]]",
     "2x2xi32 = [[5, 2], [3, 8]]"},
    {R"("stablehlo.shift_left"(%a, %b))", "3xi64 = [-1, 0, 1]; 3xi64 = [1, 2, 3]", "3xi64 = [-2, 0, 8]"},
    {R"("stablehlo.shift_right_arithmetic"(%a, %b))", "3xi64 = [-1, 0, 8]; 3xi64 = [1, 2, 3]", "3xi64 = [-1, 0, 1]"},
    {R"("stablehlo.shift_right_logical"(%a, %b))", "3xi64 = [-1, 0, 8]; 3xi64 = [1, 2, 3]",
     "3xi64 = [9223372036854775807, 0, 1]"},
    {R"("stablehlo.sign"(%a))", "5xf64 = [0x7FFFFFFFFFFFFFFF, -1.0, -0.0, 0.0, 1.0]",
     "5xf64 = [0x7FFFFFFFFFFFFFFF, -1.0, -0.0, 0.0, 1.0]"},
    {R"("stablehlo.sine"(%a))", "2x2xf32 = [[0.0, 1.57079632], [3.14159265, 4.71238898]]",
     "2x2xf32 = [[0.0, 1.0], [0.0, -1.0]]", 1e-6},
    {R"("stablehlo.tan"(%a))", "2xf64 = [0.0, 3.14159265]", "2xf64 = [0.0, 0.0]", 1e-8,
     "at pi/2 and 3 pi/2 the values of numbers with more digits than it prints"},
    {R"("stablehlo.tanh"(%a))", "3xf32 = [-1.0, 0.0, 1.0]", "3xf32 = [-0.76159416, 0.0, 0.76159416]", 1e-7},
    {R"("stablehlo.uniform_quantize"(%a))", "2xf32 = [4.0, 15.0]",
     "2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}> = [10, 10]"},
    {R"("stablehlo.uniform_quantize"(%a))", "2x!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}> = [10, 10]",
     "2x!quant.uniform<i8:f32:0, {0.1:-20,0.2:-30}> = [20, 45]"},
    {R"("stablehlo.xor"(%a, %b))", "2x2xi32 = [[1, 2], [3, 4]]; 2x2xi32 = [[5, 6], [7, 8]]",
     "2x2xi32 = [[4, 4], [4, 12]]"},
    {R"("stablehlo.xor"(%a, %b))", "2x2xi1 = [[false, false], [true, true]]; 2x2xi1 = [[false, true], [false, true]]",
     "2x2xi1 = [[false, true], [true, false]]"},
    {R"("stablehlo.dynamic_conv"(%a, %b, %c) {window_strides = array<i64: 4, 4>, lhs_dilation = array<i64: 2, 2>,
        rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>,
        dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3,
          input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3,
          kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3,
          output_spatial_dimensions = [1, 2]>,
        feature_group_count = 1 : i64, batch_group_count = 1 : i64})",
     "1x4x4x1xi64 = [[[[1], [2], [5], [6]], [[3], [4], [7], [8]], [[10], [11], [14], [15]], [[12], [13], [16], "
     "[17]]]]; "
     "3x3x1x1xi64 = [[[[1]], [[1]], [[1]]], [[[1]], [[1]], [[1]]], [[[1]], [[1]], [[1]]]]; 2x2xi64 = [[1, 1], [1, 1]]",
     "1x2x2x1xi64 = [[[[1], [5]], [[10], [14]]]]", 0, "input_spatial_dimensions = [0, 1]"},
};

// The parts of a text between separators.
std::vector<std::string> parts_of(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t at; (at = text.find(separator, from)) != std::string::npos; from = at + separator.size())
    parts.push_back(text.substr(from, at - from));
  parts.push_back(text.substr(from));
  return parts;
}
// A constant "type = elements"; the type comes back.
std::string define(const std::string& name, const std::string& literal, std::string& text) {
  const std::vector<std::string> parts = parts_of(literal, " = ");
  const std::string type = "tensor<" + parts[0] + ">";
  text += "  " + name + " = stablehlo.constant dense<" + parts[1] + "> : " + type + "\n";
  return type;
}

std::vector<Literals> results_of(const std::string& text, const process_grid& grid) {
  std::vector<Literals> all(std::size_t(grid.size()));
  simulated_grid(grid).run([&](process_context& process) {
    shared_program program(text, &find_any_kernel);
    if (!program) throw std::runtime_error(program.error().sentence);
    all[std::size_t(flat_id(grid, process.id()))] = run(program, {}, &process);
  });
  return all;
}

double number_of(const Literal& literal, std::size_t i) {
  const dtype element = literal.type.element;
  return visit(element, [&]<class T>() -> double {
    if constexpr (requires { T{}.imag; })
      return double(from_bits<decltype(T{}.real)>(ui64(literal.words[i])));
    else
      return double(convert_to<f64>(from_bits<T>(ui64(literal.words[i]))));
  });
}

TEST_CASE("examples of the StableHLO specification") {
  for (const example& each : examples) {
    CAPTURE(each.op);
    CAPTURE(each.note);
    std::string text = "func.func @main() -> (RESULT, RESULT) {\n", types;
    char name = 'a';
    for (const std::string& operand : parts_of(each.operands, "; "))
      types += (types.empty() ? "" : ", ") + define(std::string("%") + name++, operand, text);
    const std::string type = define("%expected", each.result, text);
    text += "  %result = " + std::string(each.op) + " : (" + types + ") -> " + type +
            "\n  return %result, %expected : " + type + ", " + type + "\n}";
    for (std::size_t at; (at = text.find("RESULT")) != std::string::npos;) text.replace(at, 6, type);
    CAPTURE(text);
    const Literals results = results_of(text, {1, 1})[0];
    REQUIRE(results.size() == 2);
    if (each.within == 0) {
      CHECK(same({results[0]}, {results[1]}));
      continue;
    }
    for (std::size_t i = 0; i < results[0].words.size(); ++i) {
      const double is = number_of(results[0], i), wanted = number_of(results[1], i);
      CAPTURE(is);
      CAPTURE(wanted);
      CHECK((std::isnan(is) == std::isnan(wanted) &&
             !(std::abs(is - wanted) > each.within * std::max(1.0, std::abs(wanted)))));
    }
  }
}

// What all processes of two get from operands that are chosen by the number of the process.
std::vector<Literals> of_two(const std::string& op, const std::vector<std::string>& first,
                             const std::vector<std::string>& second, const std::string& results) {
  std::string text = "func.func @main() -> (" + results +
                     ") {\n  %id = stablehlo.replica_id : tensor<ui32>\n"
                     "  %zero = stablehlo.constant dense<0> : tensor<ui32>\n"
                     "  %is_first = stablehlo.compare EQ, %id, %zero : (tensor<ui32>, tensor<ui32>) -> tensor<i1>\n";
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::string n = std::to_string(i);
    const std::string type = define("%x" + n, first[i], text);
    define("%y" + n, second[i], text);
    text += "  %operand" + n + " = stablehlo.select %is_first, %x" + n + ", %y" + n + " : tensor<i1>, " + type + "\n";
  }
  return results_of(text + op + "}", {2, 1});
}
Literal i64s(const ints& shape, std::initializer_list<i64> elements) {
  Literal result{type_of(S64, shape), {}};
  for (const i64 each : elements) result.push(each);
  return result;
}
constexpr const char* body = R"( ({
    ^bb0(%arg0: tensor<i64>, %arg1: tensor<i64>):
      %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      "stablehlo.return"(%0) : (tensor<i64>) -> ()
  }) )";
constexpr const char* groups = R"(replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>})";

TEST_CASE("examples of the StableHLO specification: all_gather") {
  const auto all =
      of_two(R"(  %result:2 = "stablehlo.all_gather"(%operand0, %operand1) {all_gather_dim = 1 : i64, )" +
                 std::string(groups) +
                 " : (tensor<2x2xi64>, tensor<2x2xi64>) -> (tensor<2x4xi64>, tensor<2x4xi64>)\n"
                 "  return %result#0, %result#1 : tensor<2x4xi64>, tensor<2x4xi64>\n",
             {"2x2xi64 = [[1, 2], [3, 4]]", "2x2xi64 = [[11, 12], [13, 14]]"},
             {"2x2xi64 = [[5, 6], [7, 8]]", "2x2xi64 = [[15, 16], [17, 18]]"}, "tensor<2x4xi64>, tensor<2x4xi64>");
  for (const Literals& each : all)
    CHECK(same(each, {i64s({2, 4}, {1, 2, 5, 6, 3, 4, 7, 8}), i64s({2, 4}, {11, 12, 15, 16, 13, 14, 17, 18})}));
}
// The page gives the first operand twice, and the sums of both.
TEST_CASE("examples of the StableHLO specification: all_reduce") {
  const auto all =
      of_two(R"(  %result:2 = "stablehlo.all_reduce"(%operand0, %operand1))" + std::string(body) + "{" + groups +
                 " : (tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>)\n"
                 "  return %result#0, %result#1 : tensor<4xi64>, tensor<4xi64>\n",
             {"4xi64 = [1, 2, 3, 4]", "4xi64 = [9, 10, 11, 12]"}, {"4xi64 = [5, 6, 7, 8]", "4xi64 = [13, 14, 15, 16]"},
             "tensor<4xi64>, tensor<4xi64>");
  for (const Literals& each : all) CHECK(same(each, {i64s({4}, {6, 8, 10, 12}), i64s({4}, {22, 24, 26, 28})}));
}
TEST_CASE("examples of the StableHLO specification: reduce_scatter") {
  const auto all = of_two(
      R"(  %result = "stablehlo.reduce_scatter"(%operand0))" + std::string(body) + "{scatter_dimension = 1 : i64, " +
          groups + " : (tensor<2x4xi64>) -> tensor<2x2xi64>\n  return %result : tensor<2x2xi64>\n",
      {"2x4xi64 = [[1, 2, 3, 4], [5, 6, 7, 8]]"}, {"2x4xi64 = [[9, 10, 11, 12], [13, 14, 15, 16]]"}, "tensor<2x2xi64>");
  CHECK(same(all[0], {i64s({2, 2}, {10, 12, 18, 20})}));
  CHECK(same(all[1], {i64s({2, 2}, {14, 16, 22, 24})}));
}
// The page shows one of the possible results.
TEST_CASE("examples of the StableHLO specification: rng") {
  const Literals results = results_of(R"(func.func @main() -> tensor<3x3xi32> {
    %a = stablehlo.constant dense<0> : tensor<i32>
    %b = stablehlo.constant dense<2> : tensor<i32>
    %shape = stablehlo.constant dense<[3, 3]> : tensor<2xi64>
    %result = "stablehlo.rng"(%a, %b, %shape) {rng_distribution = #stablehlo<rng_distribution UNIFORM>}
        : (tensor<i32>, tensor<i32>, tensor<2xi64>) -> tensor<3x3xi32>
    return %result : tensor<3x3xi32>
  })",
                                      {1, 1})[0];
  CHECK(results[0].type == type_of(S32, {3, 3}));
  for (const index_t word : results[0].words) CHECK((word == 0 || word == 1));
}

TEST_CASE("torch_index_select in StableHLO text, ragged-all-to-all and rng-get-and-update-state in HLO text") {
  const Literals selected = results_of(R"(func.func @main() -> tensor<2x2xi64> {
    %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
    %places = stablehlo.constant dense<[2, 0]> : tensor<2xi32>
    %result = "stablehlo.torch_index_select"(%x, %places) {dim = 1 : i64, batch_dims = 0 : i64}
        : (tensor<2x3xi64>, tensor<2xi32>) -> tensor<2x2xi64>
    return %result : tensor<2x2xi64>
  })",
                                       {1, 1})[0];
  CHECK(same(selected, {i64s({2, 2}, {3, 1, 6, 4})}));
  const auto states = results_of("ROOT state = u64[2] rng-get-and-update-state(), delta=5", {1, 1})[0];
  const auto later = results_of("ROOT state = u64[2] rng-get-and-update-state(), delta=5", {1, 1})[0];
  CHECK(later[0].words[0] - states[0].words[0] == 5);
  const auto all = results_of(R"(
    id = u32[] replica-id()
    signed = s32[] convert(id)
    row = s32[1] reshape(signed)
    one = s32[1] constant({1})
    input = s32[3] concatenate(row, row, one), dimensions={0}
    output = s32[4] constant({0, 0, 0, 0})
    offsets = s32[2] constant({0, 2})
    sizes = s32[2] constant({2, 1})
    places = s32[2] concatenate(row, row), dimensions={0}
    ROOT y = s32[4] ragged-all-to-all(input, output, offsets, sizes, places, sizes), replica_groups={{0,1}}
  )",
                              {2, 1});
  CHECK(same(all[0], {R1<int>({0, 1, 1, 0})}));
  CHECK(same(all[1], {R1<int>({1, 1, 0, 0})}));
}

}  // namespace
}  // namespace tenon::test
