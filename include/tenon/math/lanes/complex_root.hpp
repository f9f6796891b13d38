// SPDX-License-Identifier: Apache-2.0
#pragma once

// Magnitude, quotient and square root of complex numbers.

#include <tenon/math/lanes/complex.hpp>

namespace tenon::inline HWY_NAMESPACE::math::lanes {

namespace detail {

// Parts and squares between these have products and rounding errors that are normal numbers.
inline constexpr double least_part = 0x1p-450, most_square = 0x1p+600;

template <class D, class V>
HWY_INLINE constexpr auto is_zero_or_large(D d, V x) {
  return Or(Ge(Abs(x), Set(d, least_part)), Eq(x, Zero(d)));
}
// Whether the parts of z, whose squares have this sum, are not too small nor too large, and not both zero.
template <class D, class V>
HWY_INLINE constexpr auto is_ordinary(D d, const complex_vector<D>& z, V square) {
  return And(And(is_zero_or_large(d, z.real), is_zero_or_large(d, z.imag)),
             And(Gt(square, Zero(d)), Lt(square, Set(d, most_square))));
}

// a b + c e = result + low
template <class D, class V>
HWY_INLINE constexpr V sum_of_products(D d, V a, V b, V c, V e, V& low) {
  V first_low = a, second_low = a, error = a;
  const V first = exact_product(d, a, b, first_low), second = exact_product(d, c, e, second_low);
  const V sum = exact_sum(first, second, error);
  return exact_sum(sum, Add(error, Add(first_low, second_low)), low);
}

// The square root of x + x_low > 0 as result + low.
template <class D, class V>
HWY_INLINE constexpr V root_of_sum(D d, V x, V x_low, V& low) {
  const V root = Sqrt(x);
  low = Div(Sub(x_low, product_error(d, root, root, x)), Add(root, root));
  return root;
}

}  // namespace detail

struct magnitude_kernel {
  template <bool ForF32, class D, class M>
  static HWY_INLINE constexpr complex_vector<D> of(D d, M& usual, const complex_vector<D>& z) {
    using V = hn::Vec<D>;
    if constexpr (ForF32) {
      const V square = Add(product(z.real, z.real), product(z.imag, z.imag));
      usual = Lt(square, Set(d, ieee::infinity<double>));
      return {Sqrt(square), Zero(d)};
    } else {
      V square_low = z.real, root_low = z.real;
      const V square = detail::sum_of_products(d, z.real, z.real, z.imag, z.imag, square_low);
      usual = detail::is_ordinary(d, z, square);
      const V root = detail::root_of_sum(d, square, square_low, root_low);
      return {Add(root, root_low), Zero(d)};
    }
  }
};

// a conjugate(b) / |b|^2
struct divide_kernel {
  template <bool ForF32, class D, class M>
  static HWY_INLINE constexpr complex_vector<D> of(D d, M& usual, const complex_vector<D>& a,
                                                   const complex_vector<D>& b) {
    using V = hn::Vec<D>;
    const V zero = Zero(d);
    if constexpr (ForF32) {
      const V square = Add(product(b.real, b.real), product(b.imag, b.imag)), size = Add(Abs(a.real), Abs(a.imag));
      const V infinity = Set(d, ieee::infinity<double>);
      usual = And(And(Gt(square, zero), Lt(square, infinity)), And(Gt(size, zero), Lt(size, infinity)));
      const V inverse = Div(Set(d, 1.0), square);
      const V real = Add(product(a.real, b.real), product(a.imag, b.imag));
      const V imag = Sub(product(a.imag, b.real), product(a.real, b.imag));
      // A part that vanishes is a positive zero.
      return {Add(product(real, inverse), zero), Add(product(imag, inverse), zero)};
    } else {
      V square_low = zero, real_low = zero, imag_low = zero;
      const V square = detail::sum_of_products(d, b.real, b.real, b.imag, b.imag, square_low);
      usual = And(detail::is_ordinary(d, b, square),
                  detail::is_ordinary(d, a, Add(product(a.real, a.real), product(a.imag, a.imag))));
      const V inverse = Div(Set(d, 1.0), square);
      const V real = detail::sum_of_products(d, a.real, b.real, a.imag, b.imag, real_low);
      const V imag = detail::sum_of_products(d, a.imag, b.real, Neg(a.real), b.imag, imag_low);
      const auto quotient = [&](V high, V low) HWY_ATTR {
        const V first = product(high, inverse);
        const V rest = Sub(negative_multiply_add(d, first, square_low, low), product_error(d, first, square, high));
        return Add(multiply_add(d, rest, inverse, first), zero);
      };
      return {quotient(real, real_low), quotient(imag, imag_low)};
    }
  }
};

// sqrt((|z| + |x|) / 2) is the larger part, |y| divided by twice that the other one.
struct square_root_kernel {
  template <bool ForF32, class D, class M>
  static HWY_INLINE constexpr complex_vector<D> of(D d, M& usual, const complex_vector<D>& z) {
    using V = hn::Vec<D>;
    const V zero = Zero(d), half = Set(d, 0.5), one = Set(d, 1.0), x = Abs(z.real), y = Abs(z.imag);
    V major = x, minor = y;
    if constexpr (ForF32) {
      const V square = Add(product(x, x), product(y, y));
      usual = And(Gt(square, zero), Lt(square, Set(d, ieee::infinity<double>)));
      major = Sqrt(product(Add(Sqrt(square), x), half));
      minor = Div(product(y, half), major);
    } else {
      V square_low = x, size_low = x, sum_low = x, major_low = x;
      const V square = detail::sum_of_products(d, x, x, y, y, square_low);
      usual = detail::is_ordinary(d, z, square);
      const V size = detail::root_of_sum(d, square, square_low, size_low);
      const V sum = ordered_sum(size, x, sum_low);
      const V root = detail::root_of_sum(d, product(sum, half), product(Add(sum_low, size_low), half), major_low);
      major = Add(root, major_low);
      minor = quotient(d, product(y, half), zero, root, major_low);
    }
    const auto left = Lt(CopySign(one, z.real), zero);
    return {IfThenElse(left, minor, major), CopySign(IfThenElse(left, major, minor), z.imag)};
  }
};

}  // namespace tenon::inline HWY_NAMESPACE::math::lanes
