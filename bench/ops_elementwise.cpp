// SPDX-License-Identifier: Apache-2.0

// Every elementwise op on 64 K elements, beside the loop that one would write.

#include "programs.hpp"

#include <algorithm>
#include <bit>
#include <complex>
#include <cstring>
#include <limits>

using namespace bench;

namespace {

constexpr index_t size = 65536;
const ints shape{size};

// What a C++ programmer has for the narrow floats: GCC's half, and bfloat16 by hand.
struct plain_bf16 {
  std::uint16_t bits;
  operator float() const { return std::bit_cast<float>(std::uint32_t(bits) << 16); }
  plain_bf16(float value) {
    const std::uint32_t all = std::bit_cast<std::uint32_t>(value);
    bits = value != value ? 0x7FC0 : std::uint16_t((all + 0x7FFF + ((all >> 16) & 1)) >> 16);
  }
};
template <class T>
struct plain_element {
  using type = T;
};
template <>
struct plain_element<bf16> {
  using type = plain_bf16;
};
template <>
struct plain_element<f16> {
  using type = _Float16;
};
template <class T>
using plain_t = typename plain_element<T>::type;

// `function` says what one element of the result is. Ops of other dialects have their name in front.
template <class R, class... T, class Function>
void elementwise(const std::string& op, std::tuple<argument<T>...> given, Function function, double tolerance = 0,
                 const std::string& attributes = "", std::string label = "") {
  std::string names, types;
  std::apply(
      [&](const auto&... each) {
        char letter = 'a';
        ((names += std::string(letter == 'a' ? "%" : ", %") + letter, types += (letter == 'a' ? "" : ", ") + each.type,
          ++letter),
         ...);
      },
      given);
  const std::string text = std::string("%r = \"") + (op.find('.') < op.size() ? "" : "stablehlo.") + op + "\"(" +
                           names + ") {" + attributes + "} : (" + types + ") -> " + type_text<R>(shape);
  if (label.empty()) label = op + " " + std::string(name(dtype_of<R>));
  compare_program<R>(label, result_of<R>(shape), text, tolerance, std::move(given),
                     way{"plain", [function](R* result, const T*... from) {
                           plain_t<R>* const to = reinterpret_cast<plain_t<R>*>(result);
                           for (index_t i = 0; i < size; ++i)
                             to[i] = plain_t<R>(function(reinterpret_cast<const plain_t<T>*>(from)[i]...));
                         }});
}

template <class T = f32, class Function>
void unary(const std::string& op, double low, double high, Function function, double tolerance = 0,
           const std::string& attributes = "") {
  elementwise<T>(op, std::tuple{argument<T>(shape, low, high)}, function, tolerance, attributes);
}
template <class T = f32, class Function>
void binary(const std::string& op, double low, double high, Function function, double tolerance = 0) {
  elementwise<T>(op, std::tuple{argument<T>(shape, low, high), argument<T>(shape, low, high, 2)}, function, tolerance);
}
template <class T, class R>
void conversion(double low, double high) {
  elementwise<R>(
      "convert", std::tuple{argument<T>(shape, low, high)}, [](auto x) { return x; }, 0, "",
      "convert " + std::string(name(dtype_of<T>)) + " to " + std::string(name(dtype_of<R>)));
}

void arithmetic() {
  const auto add = [](auto x, auto y) { return x + y; };
  const auto multiply = [](auto x, auto y) { return x * y; };
  const auto divide = [](auto x, auto y) { return x / y; };
  const auto less = [](auto x, auto y) { return x < y; };
  const auto larger = [](auto x, auto y) { return x > y ? x : y; };
  const auto for_type = [&]<class T>(double low, double high, double low_divisor) {
    binary<T>("add", low, high, add);
    binary<T>("multiply", low, high, multiply);
    elementwise<T>("divide", std::tuple{argument<T>(shape, low, high), argument<T>(shape, low_divisor, high, 2)},
                   divide);
    binary<T>("maximum", low, high, larger);
    elementwise<bool>("compare", std::tuple{argument<T>(shape, low, high), argument<T>(shape, low, high, 2)}, less, 0,
                      "comparison_direction = #stablehlo<comparison_direction LT>",
                      "compare " + std::string(name(dtype_of<T>)));
    elementwise<T>(
        "select",
        std::tuple{argument<bool>(shape, 0, 2), argument<T>(shape, low, high), argument<T>(shape, low, high, 2)},
        [](bool p, auto x, auto y) { return p ? x : y; });
  };
  for_type.operator()<f32>(-2, 2, 0.5);
  for_type.operator()<f64>(-2, 2, 0.5);
  for_type.operator()<f16>(-2, 2, 0.5);
  for_type.operator()<bf16>(-2, 2, 0.5);
  for_type.operator()<i32>(-1000, 1000, 1);
  for_type.operator()<i64>(-1000, 1000, 1);
  for_type.operator()<i8>(-10, 11, 1);
  for_type.operator()<ui8>(0, 15, 1);

  binary("subtract", -2, 2, [](auto x, auto y) { return x - y; });
  binary("minimum", -2, 2, [](auto x, auto y) { return x < y ? x : y; });
  binary("remainder", -20, 20, [](auto x, auto y) { return std::fmod(x, y); });
  binary<i32>("remainder", 1, 1000, [](auto x, auto y) { return x % y; });
  binary("power", 0.1, 4, [](auto x, auto y) { return std::pow(x, y); }, 1e-6);
  binary<i32>("power", 0, 5, [](auto x, auto y) {
    int result = 1;
    for (int i = 0; i < y; ++i) result *= x;
    return result;
  });
  binary("atan2", -2, 2, [](auto y, auto x) { return std::atan2(y, x); }, 1e-6);
  unary("negate", -2, 2, [](auto x) { return -x; });
  unary<i32>("negate", -100, 100, [](auto x) { return -x; });
  unary("abs", -2, 2, [](auto x) { return std::fabs(x); });
  unary<i32>("abs", -100, 100, [](auto x) { return x < 0 ? -x : x; });
  unary<f16>("abs", -2, 2, [](auto x) { return x < 0 ? -x : x; });
  unary("sign", -2, 2, [](auto x) { return x > 0 ? 1.0f : x < 0 ? -1.0f : x; });
  unary<i32>("sign", -2, 3, [](auto x) { return (x > 0) - (x < 0); });
  elementwise<f32>(
      "clamp", std::tuple{argument<f32>(shape, -2, -1), argument<f32>(shape, -3, 3, 2), argument<f32>(shape, 1, 2, 3)},
      [](auto low, auto x, auto high) { return x < low    ? low
                                               : x > high ? high
                                                          : x; });
  elementwise<i32>(
      "clamp",
      std::tuple{argument<i32>(shape, -20, -10), argument<i32>(shape, -30, 30, 2), argument<i32>(shape, 10, 20, 3)},
      [](auto low, auto x, auto high) { return x < low    ? low
                                               : x > high ? high
                                                          : x; });
  elementwise<bool>(
      "is_finite", std::tuple{argument<f32>(shape)}, [](auto x) { return std::isfinite(x); }, 0, "", "is_finite f32");
}

void functions() {
  unary("exponential", -10, 10, [](auto x) { return std::exp(x); }, 1e-6);
  unary("exponential_minus_one", -2, 2, [](auto x) { return std::expm1(x); }, 1e-6);
  unary("log", 0.001, 1000, [](auto x) { return std::log(x); }, 1e-6);
  unary("log_plus_one", -0.9, 100, [](auto x) { return std::log1p(x); }, 1e-6);
  unary("logistic", -8, 8, [](auto x) { return 1 / (1 + std::exp(-x)); }, 1e-6);
  unary("tanh", -4, 4, [](auto x) { return std::tanh(x); }, 1e-6);
  unary("sine", -10, 10, [](auto x) { return std::sin(x); }, 1e-6);
  unary("cosine", -10, 10, [](auto x) { return std::cos(x); }, 1e-6);
  unary("tan", -1.5, 1.5, [](auto x) { return std::tan(x); }, 1e-6);
  unary("sqrt", 0, 100, [](auto x) { return std::sqrt(x); });
  unary("rsqrt", 0.01, 100, [](auto x) { return 1 / std::sqrt(x); }, 1e-6);
  unary("cbrt", -100, 100, [](auto x) { return std::cbrt(x); }, 1e-6);
  unary("ceil", -10, 10, [](auto x) { return std::ceil(x); });
  unary("floor", -10, 10, [](auto x) { return std::floor(x); });
  unary("round_nearest_afz", -10, 10, [](auto x) { return std::round(x); });
  unary("round_nearest_even", -10, 10, [](auto x) { return std::nearbyint(x); });
  const auto in_f64 = [](const char* op, double low, double high, auto function) {
    unary<f64>(op, low, high, function, 1e-14);
  };
  in_f64("exponential", -10, 10, [](auto x) { return std::exp(x); });
  in_f64("log", 0.001, 1000, [](auto x) { return std::log(x); });
  in_f64("tanh", -4, 4, [](auto x) { return std::tanh(x); });
  in_f64("logistic", -8, 8, [](auto x) { return 1 / (1 + std::exp(-x)); });
  in_f64("sine", -10, 10, [](auto x) { return std::sin(x); });
  in_f64("sqrt", 0, 100, [](auto x) { return std::sqrt(x); });
  in_f64("cbrt", -100, 100, [](auto x) { return std::cbrt(x); });
  unary("chlo.erf", -3, 3, [](auto x) { return std::erf(x); }, 1e-6);
  unary("chlo.erfc", -3, 3, [](auto x) { return std::erfc(x); }, 1e-6);
  unary("chlo.sinh", -5, 5, [](auto x) { return std::sinh(x); }, 1e-6);
  unary("chlo.cosh", -5, 5, [](auto x) { return std::cosh(x); }, 1e-6);
  unary("chlo.asin", -1, 1, [](auto x) { return std::asin(x); }, 1e-6);
  unary("chlo.acos", -1, 0.9, [](auto x) { return std::acos(x); }, 1e-6);
  unary("chlo.atan", -5, 5, [](auto x) { return std::atan(x); }, 1e-6);
  unary("chlo.asinh", -5, 5, [](auto x) { return std::asinh(x); }, 1e-6);
  unary("chlo.acosh", 1.1, 10, [](auto x) { return std::acosh(x); }, 1e-6);
  unary("chlo.atanh", -0.99, 0.99, [](auto x) { return std::atanh(x); }, 1e-6);
  unary("chlo.lgamma", 2.5, 20, [](auto x) { return std::lgamma(x); }, 1e-6);
  in_f64("chlo.erfc", -3, 3, [](auto x) { return std::erfc(x); });
  in_f64("chlo.sinh", -5, 5, [](auto x) { return std::sinh(x); });
  in_f64("chlo.lgamma", 2.5, 20, [](auto x) { return std::lgamma(x); });
  unary<f16>("exponential", -5, 5, [](auto x) { return std::exp(float(x)); }, 2e-3);
  unary<bf16>("exponential", -5, 5, [](auto x) { return std::exp(float(x)); }, 1e-2);
  unary<f16>("tanh", -4, 4, [](auto x) { return std::tanh(float(x)); }, 2e-3);
  unary<bf16>("tanh", -4, 4, [](auto x) { return std::tanh(float(x)); }, 1e-2);
}

void bits() {
  const auto for_type = [&]<class T>() {
    using U = std::make_unsigned_t<T>;
    const double high = double(std::numeric_limits<T>::max()) / 2;
    binary<T>("and", -high, high, [](auto x, auto y) { return x & y; });
    binary<T>("or", -high, high, [](auto x, auto y) { return x | y; });
    binary<T>("xor", -high, high, [](auto x, auto y) { return x ^ y; });
    unary<T>("not", -high, high, [](auto x) { return ~x; });
    unary<T>("popcnt", -high, high, [](auto x) { return std::popcount(U(x)); });
    unary<T>("count_leading_zeros", -high, high, [](auto x) { return std::countl_zero(U(x)); });
    const auto shift = [&](const char* op, auto function) {
      elementwise<T>(op, std::tuple{argument<T>(shape, -high, high), argument<T>(shape, 0, 8, 2)}, function);
    };
    shift("shift_left", [](auto x, auto y) { return T(U(x) << y); });
    shift("shift_right_arithmetic", [](auto x, auto y) { return x >> y; });
    shift("shift_right_logical", [](auto x, auto y) { return T(U(x) >> y); });
  };
  for_type.operator()<i32>();
  for_type.operator()<i8>();
  elementwise<bool>("and", std::tuple{argument<bool>(shape, 0, 2), argument<bool>(shape, 0, 2, 2)},
                    [](bool x, bool y) { return x && y; });
  elementwise<bool>("not", std::tuple{argument<bool>(shape, 0, 2)}, [](bool x) { return !x; });
  elementwise<bool>(
      "select", std::tuple{argument<bool>(shape, 0, 2), argument<bool>(shape, 0, 2, 2), argument<bool>(shape, 0, 2, 3)},
      [](bool p, bool x, bool y) { return p ? x : y; });
}

void conversions() {
  conversion<f32, f64>(-100, 100);
  conversion<f64, f32>(-100, 100);
  conversion<f32, f16>(-100, 100);
  conversion<f16, f32>(-100, 100);
  conversion<f32, bf16>(-100, 100);
  conversion<bf16, f32>(-100, 100);
  conversion<f32, i32>(-100, 100);
  conversion<i32, f32>(-100, 100);
  conversion<f32, i8>(-100, 100);
  conversion<i8, f32>(-100, 100);
  conversion<ui8, f32>(0, 255);
  conversion<f32, ui8>(0, 255);
  conversion<i8, i32>(-100, 100);
  conversion<i32, i8>(-100, 100);
  conversion<i32, i64>(-100, 100);
  conversion<i64, i32>(-100, 100);
  conversion<f64, i64>(-100, 100);
  conversion<i64, f64>(-100, 100);
  conversion<bool, f32>(0, 2);
  conversion<f32, bool>(-1, 1);
  elementwise<f32>(
      "reduce_precision", std::tuple{argument<f32>(shape)},
      [](float x) {
        const std::uint32_t all = std::bit_cast<std::uint32_t>(x), magnitude = all & 0x7FFFFFFF;
        const std::uint32_t rounded = (all + 0xFFF + ((all >> 13) & 1)) & ~std::uint32_t(0x1FFF);
        return std::bit_cast<float>(magnitude >= 0x7F800000 ? all : rounded);
      },
      0, "exponent_bits = 8 : i32, mantissa_bits = 10 : i32");
}

void complex_numbers() {
  using c32 = tenon::complex<f32>;
  elementwise<c32>(
      "complex", std::tuple{argument<f32>(shape), argument<f32>(shape, -1, 1, 2)},
      [](float x, float y) { return c32{x, y}; }, 0, "", "complex");
  argument<c32> a(shape), b(shape);
  for (index_t i = 0; i < size; ++i) a.elements[i].imag = 0.5f, b.elements[i].imag = b.elements[i].real + 2;
  elementwise<f32>("real", std::tuple{a.copy()}, [](c32 x) { return x.real; }, 0, "", "real");
  elementwise<f32>("imag", std::tuple{a.copy()}, [](c32 x) { return x.imag; }, 0, "", "imag");
  elementwise<c32>("add", std::tuple{a.copy(), b.copy()},
                   [](c32 x, c32 y) { return c32{x.real + y.real, x.imag + y.imag}; });
  elementwise<c32>(
      "multiply", std::tuple{a.copy(), b.copy()},
      [](c32 x, c32 y) { return c32{x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real}; }, 1e-6);
  const auto of_one = [&](const char* op, auto function) {
    elementwise<c32>(
        op, std::tuple{b.copy()},
        [function](c32 x) {
          const std::complex<float> y = function(std::complex<float>(x.real, x.imag));
          return c32{y.real(), y.imag()};
        },
        1e-6);
  };
  of_one("exponential", [](auto x) { return std::exp(x); });
  of_one("log", [](auto x) { return std::log(x); });
  of_one("sqrt", [](auto x) { return std::sqrt(x); });
  of_one("tanh", [](auto x) { return std::tanh(x); });
  const auto of_two = [&](const char* op, auto function) {
    elementwise<c32>(
        op, std::tuple{b.copy(), a.copy()},
        [function](c32 x, c32 y) {
          const std::complex<float> z =
              function(std::complex<float>(x.real, x.imag), std::complex<float>(y.real, y.imag));
          return c32{z.real(), z.imag()};
        },
        1e-5);
  };
  of_two("divide", [](auto x, auto y) { return x / y; });
  of_two("power", [](auto x, auto y) { return std::pow(x, y); });
  elementwise<f32>(
      "abs", std::tuple{b.copy()}, [](c32 x) { return std::hypot(x.real, x.imag); }, 1e-6, "", "abs complex<f32>");
}

// A quantized type with i8 as storage.
void quantized() {
  const std::string type = "tensor<65536x!quant.uniform<i8:f32, 0.5:3>>";
  compare_program<i8>("uniform_quantize", {type, size},
                      "%r = stablehlo.uniform_quantize %a : (tensor<65536xf32>) -> " + type, 0,
                      std::tuple{argument<f32>(shape, -40, 40)},
                      way{"plain", [](i8* to, const f32* x) {
                            for (index_t i = 0; i < size; ++i) {
                              const float scaled = std::nearbyint(x[i] / 0.5f) + 3;
                              to[i] = i8(scaled < -128 ? -128.0f : scaled > 127 ? 127.0f : scaled);
                            }
                          }});
  compare_program<f32>("uniform_dequantize", result_of<f32>(shape),
                       "%r = stablehlo.uniform_dequantize %a : (" + type + ") -> tensor<65536xf32>", 0,
                       std::tuple{argument<i8>(type, numbers<i8>(size, -100, 100))},
                       way{"plain", [](f32* to, const i8* x) {
                             for (index_t i = 0; i < size; ++i) to[i] = float(x[i] - 3) * 0.5f;
                           }});
}

[[maybe_unused]] const bool registered =
    (arithmetic(), functions(), bits(), conversions(), complex_numbers(), quantized(), true);

}  // namespace
