// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/math/lanes/exponential.hpp>
#include <tenon/math/lanes/in_f64.hpp>

#include <type_traits>

namespace tenon::inline HWY_NAMESPACE {

namespace math {

namespace lanes {

namespace detail {

// e^-x I1(x) for x >= 0: below 8 x times a polynomial in x^2, all of whose coefficients are positive, beyond that one
// in 1 / x divided by the square root of x.
template <class D, class V>
HWY_INLINE constexpr V bessel_i1e_of_f64(D d, V x) {
  const V eight = Set(d, 8.0);
  const auto inner = Lt(x, eight);
  const V below = IfThenElse(inner, x, eight), beyond = IfThenElse(inner, eight, x);
  V tail = x, error = x;
  auto exponent = Zero(bits_tag<D>());
  V square_low = x;
  const V square = exact_product(d, below, below, square_low);
  // The sum's derivative divided by the sum, to five bits: for what the rounded square lacks.
  const V growth =
      polynomial(d, square, 0x1.f1e12bd6ab4fcp-4, -0x1.aa7347a1ec5c4p-9, 0x1.f457155243ee3p-15, -0x1.b6a5d3beffffcp-22);
  const V sum =
      polynomial(d, square, 0x1p-1, 0x1.0000000000001p-4, 0x1.555555555554p-9, 0x1.c71c71c71c9ecp-15,
                 0x1.6c16c16c13a93p-21, 0x1.845c8a0d26f8p-28, 0x1.27e4fb73f1ad7p-35, 0x1.522a443ba2a26p-43,
                 0x1.2c97552280795p-51, 0x1.ab8234c2c46fbp-60, 0x1.f17258b099a34p-69, 0x1.e290ec0d14f98p-78,
                 0x1.8a6faa072cdf9p-87, 0x1.1dc3a22d140b2p-96, 0x1.1ec8e2d9b0ddbp-106, 0x1.20de50ee937a2p-115);
  const V r = reduce_exponential(d, Neg(below), tail, exponent);
  const V power = ordered_sum(Set(d, 1.0), r, error);
  const V share = product(below, sum);
  const V close = scale(
      d, multiply_add(d, share, power, product(share, Add(Add(tail, error), product(growth, square_low)))), exponent);

  const V inverse = Div(Set(d, 1.0), beyond);
  const V bend =
      polynomial(d, Sub(inverse, Set(d, 0.0625)), 0x1.8ebe783a8403p-2, -0x1.3f796198ee5e3p-3, -0x1.cbc54df1e8a3p-5,
                 -0x1.f89c230c1c6c7p-5, -0x1.ec8e10cda9622p-4, -0x1.76136c8d9dbb3p-2, -0x1.ad8c9576be72ap+0,
                 -0x1.7280f7124367dp+3, -0x1.91b62a0449ae7p+6, -0x1.20dfa102cdc55p+9, 0x1.d2f43270388f8p+12,
                 0x1.df68969b0012bp+17, 0x1.89426861550d7p+20, -0x1.fec28b5e30e16p+24, -0x1.f053fd33757dcp+28,
                 0x1.a62d3a5241febp+31, 0x1.5e0ee1eae723fp+36, -0x1.1ff732137576bp+38, -0x1.5873a50ddf275p+43,
                 0x1.1be99bbf474cep+44, 0x1.ac4bf6a87bc29p+49, -0x1.1f6f8a3689d3bp+49, -0x1.f23ff1f27dca9p+54);
  return IfThenElse(inner, close, Div(bend, Sqrt(beyond)));
}

}  // namespace detail

// e^-|x| I1(x), the modified Bessel function of the first kind.
template <class D, class V>
HWY_INLINE constexpr V bessel_i1e(D d, V x) {
  if constexpr (one_by_one<D>) {
    return each_lane([](auto one, auto a) { return bessel_i1e(one, a); }, d, x);
  } else {
    V result = x;
    if constexpr (std::is_same_v<TFromD<D>, float>)
      result = detail::in_f64(d, [](auto wide, auto a) HWY_ATTR { return detail::bessel_i1e_of_f64(wide, a); }, Abs(x));
    else
      result = detail::bessel_i1e_of_f64(d, Abs(x));
    return CopySign(result, x);
  }
}

}  // namespace lanes

}  // namespace math

}  // namespace tenon::inline HWY_NAMESPACE
