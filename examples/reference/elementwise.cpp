// SPDX-License-Identifier: Apache-2.0

#include "reference.hpp"

using namespace tenon;

void elementwise() {
  constexpr shown print;

  // Given.
  const tensor<f32, 3> x{-1.5, 0.5, 2}, y{2, 2, 3};
  const tensor<i32, 3> i{12, 10, -3}, j{10, 3, 2};
  const tensor<complex<f32>, 2> z{complex<f32>{3, 4}, complex<f32>{0, -1}};

  example("abs");
  print(abs(x));
  print(abs(z));

  example("add");
  print(add(x, y));

  example("and_");
  print(and_(i, j));

  example("atan2");
  print(atan2(x, y));

  example("cbrt");
  print(cbrt(y));

  example("ceil");
  print(ceil(x));

  example("clamp");
  print(clamp(-1, x, 1));

  example("compare");
  print(compare<comparison_direction::LT>(x, y));

  example("complex_");
  print(complex_(x, y));

  example("convert");
  print(convert<i32>(x));

  example("cosine");
  print(cosine(x));

  example("count_leading_zeros");
  print(count_leading_zeros(i));

  example("divide");
  print(divide(i, j));

  example("exponential");
  print(exponential(x));

  example("exponential_minus_one");
  print(exponential_minus_one(x));

  example("floor");
  print(floor(x));

  example("imag");
  print(imag(z));

  example("is_finite");
  print(is_finite(x));

  example("log");
  print(log(y));

  example("log_plus_one");
  print(log_plus_one(y));

  example("logistic");
  print(logistic(x));

  example("maximum");
  print(maximum(x, 0));

  example("minimum");
  print(minimum(x, y));

  example("multiply");
  print(multiply(x, y));

  example("negate");
  print(negate(x));

  example("not_");
  print(not_(i));

  example("or_");
  print(or_(i, j));

  example("popcnt");
  print(popcnt(i));

  example("power");
  print(power(x, y));

  example("real");
  print(real(z));

  example("reduce_precision");
  print(reduce_precision<5, 2>(x * 0.7));

  example("remainder");
  print(remainder(i, j));

  example("round_nearest_afz");
  print(round_nearest_afz(x));

  example("round_nearest_even");
  print(round_nearest_even(x));

  example("rsqrt");
  print(rsqrt(y));

  example("select");
  print(select(x < y, x, y));

  example("shift_left");
  print(shift_left(i, j));

  example("shift_right_arithmetic");
  print(shift_right_arithmetic(i, 1));

  example("shift_right_logical");
  print(shift_right_logical(i, 1));

  example("sign");
  print(sign(x));

  example("sine");
  print(sine(x));

  example("sqrt");
  print(sqrt(y));

  example("subtract");
  print(subtract(x, y));

  example("tan");
  print(tan(x));

  example("tanh");
  print(tanh(x));

  example("xor_");
  print(xor_(i, j));

  example("uniform_quantize");
  using quantizing = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %q = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.4>>
      %y = stablehlo.uniform_dequantize %q : (tensor<3x!quant.uniform<i8:f32, 0.4>>) -> tensor<3xf32>
      return %y : tensor<3xf32>
    }
  )");
  const tensor<f32, 3> nearest = quantizing{}(x);  // multiples of 0.4
  print(nearest);

  example("uniform_dequantize");
  using dequantizing = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %q = stablehlo.uniform_quantize %x : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0.25>>
      %y = stablehlo.uniform_dequantize %q : (tensor<3x!quant.uniform<i8:f32, 0.25>>) -> tensor<3xf32>
      return %y : tensor<3xf32>
    }
  )");
  const tensor<f32, 3> stood_for = dequantizing{}(x);
  print(stood_for);
}
