// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <array>
#include <cmath>

// What the pages of operations name without an example in numbers: every name is called with the arguments of its
// section, and gives what the section says.
namespace tenon::test {
using namespace core;

namespace {

XlaOp parameter(XlaBuilder& b, int number, PrimitiveType type, const ints& shape) {
  return Parameter(&b, number, ShapeUtil::MakeShape(type, shape), "p");
}
// What a function of one value gives for a vector.
template <class T, class Function>
Literals of(Function f, Span<T> values) {
  XlaBuilder b("one");
  f(ConstantR1<T>(&b, values));
  return run(b.Build());
}
template <class T, class Function>
Literals of(Function f, Span<T> lhs, Span<T> rhs) {
  XlaBuilder b("two");
  f(ConstantR1<T>(&b, lhs), ConstantR1<T>(&b, rhs));
  return run(b.Build());
}
template <class Function>
bool near(Function f, float x, double expected) {
  const Literals result = of<float>(f, {x});
  return std::abs(from_bits<float>(ui32(result[0].words[0])) - expected) < 1e-6 * (1 + std::abs(expected));
}
using f1 = std::initializer_list<float>;
using i1s = std::initializer_list<int>;

TEST_CASE("Abs, Neg, Sign (current, 2019, 2017)") {
  CHECK(same(of<int>(Abs, {-1, 2}), {R1<int>({1, 2})}));
  CHECK(same(of<int>(Neg, {-1, 2}), {R1<int>({1, -2})}));
  CHECK(same(of<float>(Sign, {-7, 0, 3}), {R1<float>({-1, 0, 1})}));
}
TEST_CASE("Cbrt, Cosh, Erf, Expm1, Log1p, Logistic, Rsqrt, Sin, Sqrt, Tan (current)") {
  CHECK(near(Cbrt, 27, 3));
  CHECK(near(Cosh, 1, std::cosh(1.0)));
  CHECK(near(Erf, 0.5f, std::erf(0.5)));
  CHECK(near(Expm1, 0.5f, std::expm1(0.5)));
  CHECK(near(Log1p, 0.5f, std::log1p(0.5)));
  CHECK(near(Logistic, 0.5f, 1 / (1 + std::exp(-0.5))));
  CHECK(near(Rsqrt, 4, 0.5));
  CHECK(near(Sin, 0.5f, std::sin(0.5)));
  CHECK(near(Sqrt, 4, 2));
  CHECK(near(Tan, 0.5f, std::tan(0.5)));
}
TEST_CASE("Cos, Exp, Log, Tanh (current, 2019, 2017)") {
  CHECK(near(Cos, 0.5f, std::cos(0.5)));
  CHECK(near(Exp, 0.5f, std::exp(0.5)));
  CHECK(near(Log, 0.5f, std::log(0.5)));
  CHECK(near(Tanh, 0.5f, std::tanh(0.5)));
}
TEST_CASE(
    "result_accuracy (current) of Cbrt, Cos, Cosh, Erf, Exp, Expm1, Log, Log1p, Logistic, Rsqrt, Sin, Sqrt, Tan, "
    "Tanh") {
  const ResultAccuracy highest{.mode = result_accuracy_mode::HIGHEST};
  const auto agree = [&](const auto&... functions) {
    const auto accurate = [&](const auto& f) {
      return same(of<float>([&](const XlaOp& x) { return f(x, highest); }, {0.25f, 2}), of<float>(f, {0.25f, 2}));
    };
    return (accurate(functions) && ...);
  };
  CHECK(agree(Cbrt, Cos, Cosh, Erf, Exp, Expm1, Log, Log1p, Logistic, Rsqrt, Sin, Sqrt, Tan, Tanh));
}
TEST_CASE("Ceil, Floor (current, 2019, 2017) and Round, RoundNearestAfz, RoundNearestEven (current)") {
  const f1 x{-1.5f, 0.5f, 1.25f, 2.5f};
  CHECK(same(of<float>(Ceil, x), {R1<float>({-1, 1, 2, 3})}));
  CHECK(same(of<float>(Floor, x), {R1<float>({-2, 0, 1, 2})}));
  CHECK(same(of<float>(Round, x), {R1<float>({-2, 1, 1, 3})}));
  CHECK(same(of<float>(RoundNearestAfz, x), {R1<float>({-2, 1, 1, 3})}));
  CHECK(same(of<float>(RoundNearestEven, x), {R1<float>({-2, 0, 1, 2})}));
}
TEST_CASE("Clz, PopulationCount (current), Not (current, 2019, 2017), LogicalNot (2017)") {
  CHECK(same(of<ui32>(Clz, {0, 1, 0x80000000}), {R1<ui32>({32, 31, 0})}));
  CHECK(same(of<ui32>(PopulationCount, {0, 1, 0xFF}), {R1<ui32>({0, 1, 8})}));
  CHECK(same(of<int>(Not, {0, 5}), {R1<int>({-1, -6})}));
  CHECK(same(of<bool>(LogicalNot, {true, false}), {R1<bool>({false, true})}));
}
TEST_CASE("IsFinite (current, 2019, 2017)") {
  CHECK(same(of<float>(IsFinite, {1, INFINITY, -INFINITY, NAN}), {R1<bool>({true, false, false, false})}));
}
TEST_CASE("Add, Sub, Mul, Div, Rem, Max, Min (current, 2019, 2017) and Pow, Atan2 (current)") {
  const i1s x{7, -7}, y{2, 3};
  CHECK(same(of<int>(Add, x, y), {R1<int>({9, -4})}));
  CHECK(same(of<int>(Sub, x, y), {R1<int>({5, -10})}));
  CHECK(same(of<int>(Mul, x, y), {R1<int>({14, -21})}));
  CHECK(same(of<int>(Div, x, y), {R1<int>({3, -2})}));
  CHECK(same(of<int>(Rem, x, y), {R1<int>({1, -1})}));
  CHECK(same(of<int>(Max, x, y), {R1<int>({7, 3})}));
  CHECK(same(of<int>(Min, x, y), {R1<int>({2, -7})}));
  CHECK(same(of<int>(Pow, x, y), {R1<int>({49, -343})}));
  CHECK(same(of<float>(Atan2, {0, 0}, {1, 2}), {R1<float>({0, 0})}));
}
TEST_CASE("broadcast_dimensions (current, 2019, 2017) of Add, Sub, Mul, Div, Rem, Max, Min, Eq, Lt") {
  XlaBuilder b("broadcast");
  const auto matrix = ConstantR2<int>(&b, {{1, 2, 3}, {4, 5, 6}}), column = ConstantR1<int>(&b, {10, 20});
  Tuple(&b, {Add(matrix, column, {0}), Max(ConstantR1<int>(&b, {3, 3, 3}), matrix, {1}), Lt(matrix, column, {0})});
  CHECK(gives(b, {R2<int>({{11, 12, 13}, {24, 25, 26}}), R2<int>({{3, 3, 3}, {4, 5, 6}}),
                  R2<bool>({{true, true, true}, {true, true, true}})}));
}
TEST_CASE("And, Or (current, 2019), Xor (current), LogicalAnd, LogicalOr (2019, 2017)") {
  CHECK(same(of<int>(And, {6}, {3}), {R1<int>({2})}));
  CHECK(same(of<int>(Or, {6}, {3}), {R1<int>({7})}));
  CHECK(same(of<int>(Xor, {6}, {3}), {R1<int>({5})}));
  CHECK(same(of<bool>(LogicalAnd, {true, true}, {true, false}), {R1<bool>({true, false})}));
  CHECK(same(of<bool>(LogicalOr, {true, false}, {false, false}), {R1<bool>({true, false})}));
}
TEST_CASE("ShiftLeft, ShiftRightArithmetic, ShiftRightLogical (current)") {
  CHECK(same(of<int>(ShiftLeft, {3}, {2}), {R1<int>({12})}));
  CHECK(same(of<int>(ShiftRightArithmetic, {-8}, {1}), {R1<int>({-4})}));
  CHECK(same(of<int>(ShiftRightLogical, {-8}, {1}), {R1<int>({0x7FFFFFFC})}));
}
TEST_CASE("Compare, Eq, Ne, Ge, Gt, Le, Lt (current, 2019, 2017)") {
  const i1s x{1, 2, 3}, y{2, 2, 2};
  CHECK(same(of<int>(Eq, x, y), {R1<bool>({false, true, false})}));
  CHECK(same(of<int>(Ne, x, y), {R1<bool>({true, false, true})}));
  CHECK(same(of<int>(Ge, x, y), {R1<bool>({false, true, true})}));
  CHECK(same(of<int>(Gt, x, y), {R1<bool>({false, false, true})}));
  CHECK(same(of<int>(Le, x, y), {R1<bool>({true, true, false})}));
  CHECK(same(of<int>(Lt, x, y), {R1<bool>({true, false, false})}));
  CHECK(same(of<int>([](auto a, auto b) { return Compare(a, b, ComparisonDirection::GT); }, x, y),
             {R1<bool>({false, false, true})}));
}
TEST_CASE("EqTotalOrder, NeTotalOrder, GeTotalOrder, GtTotalOrder, LeTotalOrder, LtTotalOrder (current): Compare") {
  // -NaN < -Inf < -1 < -0 < +0 < 1 < Inf < NaN
  const f1 x{-NAN, -INFINITY, -1, -0.0f, 0, 1, INFINITY}, y{-INFINITY, -1, -0.0f, 0, 1, INFINITY, NAN};
  const Literal yes = R1<bool>({true, true, true, true, true, true, true}),
                no = R1<bool>({false, false, false, false, false, false, false});
  CHECK(same(of<float>(LtTotalOrder, x, y), {yes}));
  CHECK(same(of<float>(LeTotalOrder, x, y), {yes}));
  CHECK(same(of<float>(NeTotalOrder, x, y), {yes}));
  CHECK(same(of<float>(EqTotalOrder, x, y), {no}));
  CHECK(same(of<float>(GeTotalOrder, x, y), {no}));
  CHECK(same(of<float>(GtTotalOrder, x, y), {no}));
  CHECK(same(of<float>(EqTotalOrder, {NAN}, {NAN}), {R1<bool>({true})}));
}
TEST_CASE("Complex, Real, Imag (current); a real operand is its real part, and has none other") {
  XlaBuilder b("complex");
  const auto x = ConstantR1<float>(&b, {1, 2}), y = ConstantR1<float>(&b, {3, 4});
  const auto z = Complex(x, y);
  Tuple(&b, {Real(z), Imag(z), Real(x), Imag(x)});
  CHECK(gives(b, {R1<float>({1, 2}), R1<float>({3, 4}), R1<float>({1, 2}), R1<float>({0, 0})}));
}
TEST_CASE("BroadcastInDim (current)") {
  XlaBuilder b("broadcast_in_dim");
  BroadcastInDim(ConstantR2<float>(&b, {{1}, {2}}), {2, 3}, {0, 1});
  CHECK(gives(b, {R2<float>({{1, 1, 1}, {2, 2, 2}})}));
}
TEST_CASE("Bitcast (current): the same bytes in another shape and type") {
  XlaBuilder b("bitcast");
  const auto ones = ConstantR2<float>(&b, {{1, 1}, {1, 1}});
  Tuple(&b, {Bitcast(ones, ShapeUtil::MakeShape(U32, {4})), Bitcast(ones, ShapeUtil::MakeShape(U16, {2, 4})),
             Bitcast(ones, ShapeUtil::MakeShape(U64, {2}))});
  CHECK(gives(b, {R1<ui32>({0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000}),
                  R2<ui16>({{0, 0x3F80, 0, 0x3F80}, {0, 0x3F80, 0, 0x3F80}}),
                  R1<ui64>({0x3F8000003F800000, 0x3F8000003F800000})}));
}
TEST_CASE("Transpose (current, 2019, 2017), Rev (current, 2019, 2017), SliceInDim") {
  XlaBuilder b("movement");
  const auto x = ConstantR2<int>(&b, {{1, 2, 3}, {4, 5, 6}});
  Tuple(&b, {Transpose(x, {1, 0}), Transpose(x), Rev(x, {1}), SliceInDim(x, 0, 3, 2, 1)});
  CHECK(gives(b, {R2<int>({{1, 4}, {2, 5}, {3, 6}}), R2<int>({{1, 4}, {2, 5}, {3, 6}}), R2<int>({{3, 2, 1}, {6, 5, 4}}),
                  R2<int>({{1, 3}, {4, 6}})}));
}
TEST_CASE("Pad (current, 2019, 2017): edges, negative ones too, and between elements") {
  XlaBuilder b("pad");
  PaddingConfig config;
  auto* const rows = config.add_dimensions();
  rows->set_edge_padding_low(1);
  rows->set_edge_padding_high(-1);
  config.add_dimensions()->set_interior_padding(1);
  Pad(ConstantR2<int>(&b, {{1, 2}, {3, 4}}), ConstantR0<int>(&b, 9), config);
  CHECK(gives(b, {R2<int>({{9, 9, 9}, {1, 9, 2}})}));
}
TEST_CASE("DynamicReshape, GetDimensionSize (current)") {
  XlaBuilder b("dynamic_reshape");
  const auto x = ConstantR1<int>(&b, {1, 2, 3, 4, 5, 6});
  const auto reshaped = DynamicReshape(x, {ConstantR0<int>(&b, 2), ConstantR0<int>(&b, 3)}, {2, 3}, {false, false});
  Tuple(&b, {reshaped, GetDimensionSize(reshaped, 1)});
  CHECK(gives(b, {R2<int>({{1, 2, 3}, {4, 5, 6}}), R0<int>(3)}));
}
TEST_CASE("torch_index_select, of StableHLO") {
  XlaBuilder b("select");
  TorchIndexSelect(ConstantR2<int>(&b, {{1, 2, 3}, {4, 5, 6}}), ConstantR1<int>(&b, {2, 0}), 1);
  CHECK(gives(b, {R2<int>({{3, 1}, {6, 4}})}));
}

TEST_CASE("Dot (current, 2019, 2017): vectors and matrices, precision_config and preferred_element_type") {
  XlaBuilder b("dot");
  const auto v = ConstantR1<float>(&b, {1, 2}), w = ConstantR1<float>(&b, {3, 4});
  const auto m = ConstantR2<float>(&b, {{1, 2}, {3, 4}});
  const auto s = ConstantR1<i8>(&b, {100, 100});
  PrecisionConfig precise;
  precise.add_operand_precision(PrecisionConfig::HIGHEST);
  precise.add_operand_precision(PrecisionConfig::HIGHEST);
  Tuple(&b, {Dot(v, w), Dot(m, w), Dot(m, m, precise), Dot(s, s, nullptr, S32)});
  CHECK(gives(b, {R0<float>(11), R1<float>({11, 25}), R2<float>({{7, 10}, {15, 22}}), R0<int>(20000)}));
}
TEST_CASE("ScaledDot (current): a scale for two elements") {
  XlaBuilder b("scaled_dot");
  DotDimensionNumbers numbers;
  numbers.add_lhs_contracting_dimensions(1);
  numbers.add_rhs_contracting_dimensions(0);
  ScaledDot(ConstantR2<float>(&b, {{1, 2, 3, 4}}), ConstantR2<float>(&b, {{10, 100}}),
            ConstantR2<float>(&b, {{1}, {1}, {1}, {1}}), ConstantR2<float>(&b, {{1}, {2}}), numbers);
  CHECK(gives(b, {R2<float>({{10 + 20 + 600 + 800}})}));
}
TEST_CASE("RaggedDot (current): rows of two groups meet a matrix each") {
  XlaBuilder b("ragged_dot");
  RaggedDotDimensionNumbers numbers;
  numbers.mutable_dot_dimension_numbers()->add_lhs_contracting_dimensions(1);
  numbers.mutable_dot_dimension_numbers()->add_rhs_contracting_dimensions(1);
  numbers.add_lhs_ragged_dimensions(0);
  numbers.add_rhs_group_dimensions(0);
  RaggedDot(ConstantR2<float>(&b, {{1, 2}, {3, 4}, {5, 6}}), ConstantR3<float>(&b, {{{1}, {1}}, {{10}, {100}}}),
            ConstantR1<int>(&b, {1, 2}), numbers);
  CHECK(gives(b, {R2<float>({{3}, {430}, {650}})}));
}
TEST_CASE(
    "Conv, ConvWithGeneralPadding, ConvWithGeneralDimensions, ConvGeneral, ConvGeneralDilated (current, 2019, 2017)") {
  XlaBuilder b("conv");
  const auto lhs = Reshape(ConstantR1<float>(&b, {1, 2, 3, 4}), {1, 1, 4}),
             rhs = Reshape(ConstantR1<float>(&b, {1, 10}), {1, 1, 2});
  ConvolutionDimensionNumbers numbers;
  numbers.set_input_batch_dimension(0), numbers.set_input_feature_dimension(1), numbers.add_input_spatial_dimensions(2);
  numbers.set_kernel_output_feature_dimension(0), numbers.set_kernel_input_feature_dimension(1);
  numbers.add_kernel_spatial_dimensions(2);
  numbers.set_output_batch_dimension(0), numbers.set_output_feature_dimension(1);
  numbers.add_output_spatial_dimensions(2);
  const auto flat = [](const XlaOp& x) { return Reshape(x, {x.type().size()}); };
  Tuple(&b,
        {flat(Conv(lhs, rhs, {1}, Padding::kValid)), flat(ConvWithGeneralPadding(lhs, rhs, {2}, {{1, 1}})),
         flat(ConvWithGeneralDimensions(lhs, rhs, {1}, Padding::kSame, numbers)),
         flat(ConvGeneral(lhs, rhs, {1}, {{0, 0}}, numbers, 1, 1, PrecisionConfig(), F32)),
         flat(ConvGeneralDilated(lhs, rhs, {1}, {{0, 0}}, {1}, {2}, numbers)),
         flat(ConvGeneralDilated(lhs, rhs, {1}, {{0, 0}}, {1}, {1}, numbers, 1, 1, nullptr, std::nullopt, {true}))});
  CHECK(gives(b, {R1<float>({21, 32, 43}), R1<float>({10, 32, 4}), R1<float>({21, 32, 43, 4}), R1<float>({21, 32, 43}),
                  R1<float>({31, 42}), R1<float>({12, 23, 34})}));
}
TEST_CASE("Cholesky, TriangularSolve, Fft (current)") {
  XlaBuilder b("linear_algebra");
  const auto a = ConstantR2<float>(&b, {{4, 2}, {2, 5}});
  const auto lower = Cholesky(a, true);
  const auto triangle =
      Select(Ge(Iota(&b, ShapeUtil::MakeShape(S32, {2, 2}), 0), Iota(&b, ShapeUtil::MakeShape(S32, {2, 2}), 1)), lower,
             Broadcast(ConstantR0<float>(&b, 0), {2, 2}));
  const auto solved = TriangularSolve(lower, ConstantR2<float>(&b, {{2}, {5}}), true, true, false,
                                      TriangularSolveOptions::NO_TRANSPOSE);
  const auto transformed = Fft(ConstantR1<float>(&b, {1, 2, 3, 4}), FftType::RFFT, {4});
  Tuple(&b, {triangle, solved, Real(transformed), Imag(transformed), Fft(transformed, FftType::IRFFT, {4})});
  CHECK(gives(b, {R2<float>({{2, 0}, {1, 2}}), R2<float>({{1}, {2}}), R1<float>({10, -2, -2}), R1<float>({0, 2, 0}),
                  R1<float>({1, 2, 3, 4})}));
}
TEST_CASE("BatchNormTraining, BatchNormInference, BatchNormGrad (current, 2019, 2017)") {
  XlaBuilder b("batch_norm");
  const auto x = ConstantR2<float>(&b, {{1, 10}, {3, 10}});
  const auto one = ConstantR1<float>(&b, {1, 1}), zero = ConstantR1<float>(&b, {0, 0});
  const auto training = BatchNormTraining(x, one, zero, 0.0f, 1);
  const auto mean = GetTupleElement(training, 1), variance = GetTupleElement(training, 2);
  const auto inference = BatchNormInference(x, one, zero, mean, one, 0.0f, 1);
  const auto gradients = BatchNormGrad(x, one, mean, one, x, 0.0f, 1);
  Tuple(&b, {mean, variance, inference, GetTupleElement(gradients, 1), GetTupleElement(gradients, 2)});
  CHECK(gives(
      b, {R1<float>({2, 10}), R1<float>({1, 0}), R2<float>({{-1, 0}, {1, 0}}), R1<float>({2, 0}), R1<float>({4, 20})}));
}
TEST_CASE("TopK (current): the largest and the smallest, the lower index first") {
  XlaBuilder b("top_k");
  const auto x = ConstantR1<int>(&b, {3, 1, 3, 2});
  const auto largest = TopK(x, 2, true), smallest = TopK(x, 2, false);
  Tuple(&b, {largest, smallest});
  CHECK(gives(b, {R1<int>({3, 3}), R1<int>({0, 2}), R1<int>({1, 2}), R1<int>({1, 3})}));
}
TEST_CASE("Scan (current): f(x, c) -> (y, c'), forwards and in reverse") {
  XlaBuilder f("f"), b("scan");
  const auto x = parameter(f, 0, S32, {}), c = parameter(f, 1, S32, {});
  const auto sum = Add(x, c);
  Tuple(&f, {Mul(sum, ConstantR0<int>(&f, 10)), sum});
  const XlaComputation turn = f.Build().value();
  const auto a = ConstantR1<int>(&b, {1, 2, 3}), i = ConstantR0<int>(&b, 100);
  Tuple(&b, {Scan({a}, {i}, turn, 0, false, true), Scan({a}, {i}, turn, 0, true)});
  CHECK(gives(b, {R1<int>({1010, 1030, 1060}), R0<int>(106), R1<int>({1060, 1050, 1030}), R0<int>(106)}));
}
TEST_CASE("SelectAndScatter (current, 2019, 2017): the largest of each window gets the source") {
  XlaBuilder b("select_and_scatter");
  SelectAndScatter(ConstantR1<float>(&b, {1, 5, 2, 8, 3, 4}), scalar_computation(F32, Ge), {2}, {2}, Padding::kValid,
                   ConstantR1<float>(&b, {10, 20, 30}), ConstantR0<float>(&b, 0), scalar_computation(F32, Add));
  CHECK(gives(b, {R1<float>({0, 10, 0, 20, 0, 30})}));
}
TEST_CASE("Scatter (current), of two operands at once") {
  XlaBuilder f("f"), b("scatter");
  const auto x0 = parameter(f, 0, S32, {}), x1 = parameter(f, 1, F32, {}), u0 = parameter(f, 2, S32, {}),
             u1 = parameter(f, 3, F32, {});
  Tuple(&f, {Add(x0, u0), Mul(x1, u1)});
  ScatterDimensionNumbers numbers;
  numbers.add_inserted_window_dims(0);
  numbers.add_scatter_dims_to_operand_dims(0);
  numbers.set_index_vector_dim(1);
  Scatter({ConstantR1<int>(&b, {1, 2, 3}), ConstantR1<float>(&b, {1, 2, 3})}, ConstantR2<int>(&b, {{2}, {0}}),
          {ConstantR1<int>(&b, {10, 20}), ConstantR1<float>(&b, {10, 20})}, f.Build().value(), numbers);
  CHECK(gives(b, {R1<int>({21, 2, 13}), R1<float>({20, 2, 30})}));
}
TEST_CASE("ReduceWindow (current), variadic and with dilations before Padding") {
  XlaBuilder f("f"), b("reduce_window");
  const auto x0 = parameter(f, 0, S32, {}), x1 = parameter(f, 1, F32, {}), y0 = parameter(f, 2, S32, {}),
             y1 = parameter(f, 3, F32, {});
  Tuple(&f, {Add(x0, y0), Max(x1, y1)});
  const auto ints_ = ConstantR1<int>(&b, {1, 2, 3}), floats = ConstantR1<float>(&b, {1, 2, 3});
  const auto zero = ConstantR0<int>(&b, 0), least = ConstantLiteral(&b, LiteralUtil::MinValue(F32));
  const auto both = ReduceWindow({ints_, floats}, {zero, least}, f.Build().value(), {2}, {1}, Padding::kValid);
  const auto dilated = ReduceWindow(ints_, zero, scalar_computation(S32, Add), {2}, {1}, {1}, {2}, Padding::kValid);
  Tuple(&b, {both, dilated});
  CHECK(gives(b, {R1<int>({3, 5}), R1<float>({2, 3}), R1<int>({4})}));
}
TEST_CASE("ReducePrecision (current, 2019, 2017); the older pages name the bits of the mantissa first") {
  XlaBuilder b("reduce_precision");
  ReducePrecision(ConstantR1<float>(&b, {1.0009765625f, 1.00048828125f}), 5, 10);
  CHECK(gives(b, {R1<float>({1.0009765625f, 1})}));
}

TEST_CASE("Constant (current), Parameter (current, 2019, 2017) and LiteralUtil::MinValue, in any order of numbers") {
  XlaBuilder b("parameters");
  const auto y = parameter(b, 1, F32, {}), x = parameter(b, 0, F32, {});
  Tuple(&b, {Sub(x, y), Constant(&b, LiteralUtil::MinValue(S8)), Constant(&b, LiteralUtil::MaxValue(F16)),
             b.Constant(LiteralUtil::CreateR3<int>({{{1, 2}}}))});
  CHECK(gives(b, {R0<float>(4), R0<i8>(-128), LiteralUtil::MaxValue(F16), R3<int>({{{1, 2}}})},
              {R0<float>(7), R0<float>(3)}));
  XlaBuilder missing("missing"), twice("twice");
  parameter(missing, 1, F32, {});
  CHECK(refusal(missing) == "xla_parameter");
  parameter(twice, 0, F32, {}), parameter(twice, 0, F32, {});
  CHECK(refusal(twice) == "xla_parameter");
}
TEST_CASE("Call (current, 2019, 2017), Fusion, AsyncStart, AsyncUpdate, AsyncDone (current)") {
  XlaBuilder f("f"), b("call");
  const auto x = parameter(f, 0, S32, {}), y = parameter(f, 1, S32, {});
  Sub(x, y);
  const XlaComputation sub = f.Build().value();
  const auto seven = ConstantR0<int>(&b, 7), two = ConstantR0<int>(&b, 2);
  const auto called = Call(&b, sub, {seven, two}), fused = Fusion({two, seven}, sub);
  const auto done = AsyncDone(AsyncUpdate(AsyncStart({called, fused}, sub)));
  Tuple(&b, {called, fused, done});
  CHECK(gives(b, {R0<int>(5), R0<int>(-5), R0<int>(10)}));
  XlaBuilder wrong("wrong");
  Call(&wrong, sub, {ConstantR0<float>(&wrong, 1), ConstantR0<float>(&wrong, 2)});
  CHECK(refusal(wrong) == "xla_computation");
}
TEST_CASE("CompositeCall (current): foo.bar, twice, and within a branch") {
  XlaBuilder f("f"), g("g"), b("composite");
  Add(parameter(f, 0, F32, {}), ConstantR0<float>(&f, 1));
  const XlaComputation next = f.Build().value();
  const auto cst = ConstantR0<float>(&b, 5);
  const auto first = CompositeCall(next, {cst}, "foo.bar", "{n = 1 : i32, tensor = dense<1> : tensor<i32>}", 1);
  const auto second = CompositeCall(next, {first}, "foo.bar");
  CompositeCall(next, {parameter(g, 0, F32, {})}, "foo.other");
  const auto chosen = Conditional(ConstantR0<bool>(&b, true), second, g.Build().value(), cst, next);
  Tuple(&b, {second, chosen});
  CHECK(gives(b, {R0<float>(7), R0<float>(8)}));
  XlaBuilder unnamed("unnamed");
  CompositeCall(next, {ConstantR0<float>(&unnamed, 5)}, "foo");
  CHECK(refusal(unnamed) == "composite_c1");
}
TEST_CASE("Conditional (current, 2019): two branches, N branches, tuples, an index outside") {
  XlaBuilder up("up"), down("down"), pair("pair");
  const auto u = parameter(up, 0, S32, {});
  Tuple(&up, {Add(u, ConstantR0<int>(&up, 1)), u});
  const auto d = parameter(down, 0, S32, {});
  Tuple(&down, {Sub(d, ConstantR0<int>(&down, 1)), d});
  const Shape s32 = ShapeUtil::MakeShape(S32, {});
  const auto both = Parameter(&pair, 0, ShapeUtil::MakeTupleShape({s32, s32}), "both");
  Tuple(&pair, {GetTupleElement(both, 1), GetTupleElement(both, 0)});
  const XlaComputation first = up.Build().value(), second = down.Build().value(), third = pair.Build().value();
  for (const int index : {-1, 0, 1, 2, 7}) {
    XlaBuilder b("conditional");
    const auto x = ConstantR0<int>(&b, 10), y = ConstantR0<int>(&b, 20);
    Conditional(ConstantR0<int>(&b, index), {&first, &second, &third}, {x, y, Tuple(&b, {x, y})});
    CHECK(gives(b, index == 0   ? Literals{R0<int>(11), R0<int>(10)}
                   : index == 1 ? Literals{R0<int>(19), R0<int>(20)}
                                : Literals{R0<int>(20), R0<int>(10)}));
  }
  for (const bool predicate : {true, false}) {
    XlaBuilder b("conditional");
    Conditional(ConstantR0<bool>(&b, predicate), ConstantR0<int>(&b, 10), first, ConstantR0<int>(&b, 20), second);
    CHECK(gives(b, predicate ? Literals{R0<int>(11), R0<int>(10)} : Literals{R0<int>(19), R0<int>(20)}));
  }
}
TEST_CASE("Select (current, 2019, 2017) between tuples, nested, which are parameters") {
  const Shape s32 = ShapeUtil::MakeShape(S32, {}), inner = ShapeUtil::MakeTupleShape({s32, s32}),
              outer = ShapeUtil::MakeTupleShape({s32, inner});
  XlaBuilder b("select");
  const auto x = Parameter(&b, 0, outer, "x"), y = Parameter(&b, 1, outer, "y");
  const auto chosen = Select(ConstantR0<bool>(&b, false), x, y);
  GetTupleElement(GetTupleElement(chosen, 1), 0);
  CHECK(gives(b, {R0<int>(5)}, {R0<int>(1), R0<int>(2), R0<int>(3), R0<int>(4), R0<int>(5), R0<int>(6)}));
  XlaBuilder wrong("wrong");
  const auto z = Parameter(&wrong, 0, outer, "z");
  Select(ConstantR0<bool>(&wrong, false), z, GetTupleElement(z, 1));
  CHECK(refusal(wrong) == "xla_select");
}
TEST_CASE("Copy, CopyStart, CopyDone, Domain, AddDependency, AfterAll, OptimizationBarrier (current)") {
  XlaBuilder b("passing_on");
  const auto x = ConstantR0<int>(&b, 5);
  const auto token = AfterAll(&b, {CreateToken(&b), CreateToken(&b)});
  const auto pair = OptimizationBarrier(Tuple(&b, {x, Neg(x)}));
  Tuple(&b, {Copy(x), CopyDone(CopyStart(x)), Domain(x), AddDependency(x, token), GetTupleElement(pair, 1)});
  CHECK(gives(b, {R0<int>(5), R0<int>(5), R0<int>(5), R0<int>(5), R0<int>(-5)}));
}
TEST_CASE("RngUniform, RngNormal (current, 2019, 2017) and RngBernoulli (2017)") {
  XlaBuilder b("rng");
  const auto zero = ConstantR0<float>(&b, 0), one = ConstantR0<float>(&b, 1);
  const Shape shape = ShapeUtil::MakeShape(F32, {4000});
  const XlaComputation add = scalar_computation(F32, Add);
  const auto mean = [&](const XlaOp& x) { return Div(Reduce(x, zero, add, {0}), ConstantR0<float>(&b, 4000)); };
  const auto heads = RngBernoulli(ConstantR0<float>(&b, 0.25f), ShapeUtil::MakeShape(U32, {4000}));
  Tuple(&b, {mean(RngUniform(ConstantR0<float>(&b, 2), ConstantR0<float>(&b, 4), shape)),
             mean(RngNormal(ConstantR0<float>(&b, 5), one, shape)), mean(ConvertElementType(heads, F32))});
  const Literals results = run(b.Build());
  const auto number = [&](std::size_t i) { return from_bits<float>(ui32(results[i].words[0])); };
  CHECK(std::abs(number(0) - 3) < 0.1);
  CHECK(std::abs(number(1) - 5) < 0.1);
  CHECK(std::abs(number(2) - 0.25) < 0.05);
}
TEST_CASE("RngBitGenerator (current): a state that moves on") {
  XlaBuilder b("bits");
  const auto state = ConstantR1<ui64>(&b, {1, 2});
  const auto first = RngBitGenerator(RNG_PHILOX, state, ShapeUtil::MakeShape(U32, {4}));
  RngBitGenerator(RNG_PHILOX, GetTupleElement(first, 0), ShapeUtil::MakeShape(U32, {4}));
  Tuple(&b, {first, b.last()});
  const Literals results = run(b.Build());
  CHECK(results[1].type == type_of(U32, {4}));
  CHECK(results[0].words != results[2].words);
  CHECK(results[1].words != results[3].words);
}
TEST_CASE("RngGetAndUpdateState (current): the state before, which the next run finds grown") {
  XlaBuilder b("state");
  RngGetAndUpdateState(&b, 3);
  const XlaComputation computation = b.Build();
  const Literals first = run(computation), second = run(computation);
  CHECK(second[0].words[0] - first[0].words[0] == 3);
}

constexpr process_grid two{2, 1};
Literals none(int) { return {}; }

TEST_CASE(
    "AllGatherStart, AllGatherDone, AllReduceStart, AllReduceDone, CollectivePermuteStart, CollectivePermuteDone "
    "(current)") {
  XlaBuilder b("start");
  const auto x = Add(ConstantR1<float>(&b, {1}), ConvertElementType(ReplicaId(&b), F32));
  Tuple(&b, {AllGatherDone(AllGatherStart(x, 0, 2, {{0, 1}}, std::nullopt, LayoutUtil::MakeLayout({0}), false)),
             AllReduceDone(AllReduceStart(x, ops::add{}, {{0, 1}}, std::nullopt, ShapeUtil::MakeShape(F32, {1}))),
             CollectivePermuteDone(CollectivePermuteStart(x, {{0, 1}, {1, 0}}, std::nullopt, true))});
  const auto all = run_on(two, b.Build(), none);
  CHECK(same(all[0], {R1<float>({1, 2}), R1<float>({3}), R1<float>({2})}));
  CHECK(same(all[1], {R1<float>({1, 2}), R1<float>({3}), R1<float>({1})}));
}
TEST_CASE("CollectiveBroadcast, CollectivePermute (current): who gets nothing has zeros") {
  XlaBuilder b("permute");
  const auto x = Add(ConstantR1<float>(&b, {1}), ConvertElementType(ReplicaId(&b), F32));
  const auto sent = CollectivePermute(x, {{0, 1}});
  Tuple(&b, {CollectiveBroadcast(x, {{1, 0}}), sent});
  const auto all = run_on(two, b.Build(), none);
  CHECK(same(all[0], {R1<float>({2}), R1<float>({0})}));
  CHECK(same(all[1], {R1<float>({2}), R1<float>({1})}));
}
TEST_CASE("AllToAll (current, 2019) of a tuple") {
  XlaBuilder b("all_to_all");
  const auto x = ConvertElementType(ReplicaId(&b), S32);
  AllToAllTuple({x, Sub(x, ConstantR0<int>(&b, 10))});
  const auto all = run_on(two, b.Build(), none);
  CHECK(same(all[0], {R0<int>(0), R0<int>(1)}));
  CHECK(same(all[1], {R0<int>(-10), R0<int>(-9)}));
}
TEST_CASE("ReplicaId, PartitionId (current)") {
  XlaBuilder b("ids");
  Tuple(&b, {ReplicaId(&b), PartitionId(&b, ShapeUtil::MakeShape(U32, {}))});
  const auto all = run_on(process_grid{2, 2}, b.Build(), none);
  CHECK(same(all[2], {R0<ui32>(1), R0<ui32>(0)}));
  CHECK(same(all[3], {R0<ui32>(1), R0<ui32>(1)}));
}
TEST_CASE("Send, Recv, SendDone, RecvDone (current, 2019), SendWithTokens, RecvWithTokens (current)") {
  XlaBuilder sender("sender"), receiver("receiver");
  ChannelHandle first(1), second(2);
  const auto sent = Send(ConstantR1<int>(&sender, {1, 2}), first);
  SendDone(SendWithTokens(ConstantR0<int>(&sender, 3), sent, second));
  const auto got = RecvDone(Recv(&receiver, ShapeUtil::MakeShape(S32, {2}), first));
  const auto more = RecvWithTokens(CreateToken(&receiver), ShapeUtil::MakeShape(S32, {}), second);
  Tuple(&receiver, {got, GetTupleElement(more, 0)});
  const XlaComputation sends = sender.Build(), receives = receiver.Build();
  Literals results;
  simulated_grid(process_grid{1, 2}).run([&](process_context& process) {
    if (process.id().partition == 0)
      run(sends, {}, &process);
    else
      results = run(receives, {}, &process);
  });
  CHECK(same(results, {R1<int>({1, 2}), R0<int>(3)}));
}

// Gives 1, 2, ... to who asks, and keeps what it is given.
struct counting_streams final : host_streams {
  std::vector<int> kept;
  int next = 0;

  void infeed(const process_id&, list<tensor_type> types, void* const* results) override {
    for (int i = 0; i < types.size; ++i)
      for (index_t k = 0; k < types[i].size(); ++k) static_cast<int*>(results[i])[k] = ++next;
  }
  void outfeed(const process_id&, list<tensor_type> types, const void* const* inputs) override {
    for (int i = 0; i < types.size; ++i)
      for (index_t k = 0; k < types[i].size(); ++k) kept.push_back(static_cast<const int*>(inputs[i])[k]);
  }
};
TEST_CASE("Infeed (current, 2019, 2017), Outfeed (current): arrays and tuples") {
  XlaBuilder b("streams");
  const Shape s32 = ShapeUtil::MakeShape(S32, {}),
              pair = ShapeUtil::MakeTupleShape({s32, ShapeUtil::MakeShape(S32, {2})});
  const auto first = Infeed(&b, s32, "config");
  const auto second = Infeed(&b, pair);
  Outfeed(Tuple(&b, {second, first}), ShapeUtil::MakeTupleShape({pair, s32}), "");
  counting_streams streams;
  run_on(process_grid{1, 1}, b.Build(), none, &streams);
  CHECK(streams.kept == std::vector<int>{2, 3, 4, 1});
}
TEST_CASE("SendToHost, RecvToHost (current) are transfers to and from the host") {
  XlaBuilder b("host");
  const auto token = SendToHost(ConstantR0<int>(&b, 1), CreateToken(&b), ShapeUtil::MakeShape(S32, {}), 1);
  const auto got = RecvToHost(token, ShapeUtil::MakeShape(S32, {}), 2);
  GetTupleElement(got, 0);
  const XlaComputation made = b.Build();
  CHECK(made.ok());
  CHECK(made.result == ShapeUtil::MakeShape(S32, {}));
}

TEST_CASE("members of the builder are the functions") {
  XlaBuilder b("members");
  const auto x = b.Parameter(0, ShapeUtil::MakeShape(F32, {2, 2}), "x");
  const auto y = b.Add(b.Dot(x, b.Transpose(x, {1, 0})), b.ConstantR0<float>(1));
  b.Tuple(
      {b.Reduce(y, b.ConstantR0<float>(0), scalar_computation(F32, b.Max), {0}), b.Sort(b.ConstantR1<int>({2, 1}))});
  CHECK(gives(b, {R1<float>({12, 26}), R1<int>({1, 2})}, {R2<float>({{1, 2}, {3, 4}})}));
}

}  // namespace
}  // namespace tenon::test
