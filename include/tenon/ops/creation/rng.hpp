// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/math/logarithm.hpp>
#include <tenon/math/root.hpp>
#include <tenon/math/trigonometric.hpp>
#include <tenon/ops/creation/random_bits.hpp>
#include <tenon/ops/shape_operand.hpp>
#include <tenon/ops/tensor_op.hpp>

namespace tenon {

enum class rng_distribution { UNIFORM, NORMAL };
template <>
inline constexpr std::string_view core::enumerators<rng_distribution>[] = {"UNIFORM", "NORMAL"};

}  // namespace tenon

namespace tenon::ops {

// Random numbers without a state. Each time the op runs it gives other numbers; a program that is run again with the
// same seed gives the same ones. https://openxla.org/stablehlo/spec#rng
struct rng {
  static constexpr std::string_view name = "rng";
  static constexpr op_notation notation = op_notation::attributes;
  static constexpr bool asks_for_constants = true;
  static constexpr bool is_impure = true, draws_numbers = true;
  tenon::rng_distribution rng_distribution{};

  static constexpr bool attributes(auto& self, auto visit) { return visit("rng_distribution", self.rng_distribution); }

  // The third operand is the shape; where it is no constant, the result's type is the written one.
  constexpr tensor_type infer(rules& rule, const tensor_type& a, const tensor_type& b, const tensor_type& shape) const {
    constexpr kinds accepted = kinds::boolean | kinds::integer | kinds::floating_point;
    rule("rng_i1", "a: 0-dimensional tensor of boolean, integer, or floating-point type",
         rule.is(a, accepted) && a.rank() == 0);
    rule("rng_i2", "b: 0-dimensional tensor of boolean, integer, or floating-point type",
         rule.is(b, accepted) && b.rank() == 0);
    rule("rng_i3", "shape: 1-dimensional tensor of type si64",
         is_shape_operand(rule, shape) && shape.element == dtype::i64);
    rule("rng_c1", "element_type(a) = element_type(b) = element_type(result)", a.element == b.element);
    if (rule.declared[0].element != dtype::none)
      rule.result_element("rng_c1", "element_type(a) = element_type(b) = element_type(result)", a);
    rule("rng_c2", "if rng_distribution = NORMAL, then is_float(a)",
         rng_distribution != tenon::rng_distribution::NORMAL || is_float(a.element));
    if (is_known(rule, 2, shape)) {
      const ints known = known_value(rule, 2);
      rule.result_shape("rng_c3", "shape(result) = shape", known);
      return a.with_shape(known);
    }
    rule("rng_c3", "the result's type is written where its shape is not constant", !rule.declared.empty());
    rule("rng_c3", "shape(result) = shape", rule.declared[0].rank() == shape.dim(0));
    return a.with_shape(rule.declared[0].shape);
  }

  // The shape is a whole, the bounds are scalars.
  static constexpr indexing::indexing_map reads(int operand, int, list<tensor_type> operands,
                                                list<tensor_type> results) {
    return indexing::whole_map(results[0].shape, operands[operand].shape);
  }

  // UNIFORM spreads 64 bits over [a, b), for floats 53 of them. NORMAL is the method of Box and Muller in f64, of a
  // block for each element. Programs run kernels/random/numbers.hpp.
  template <class T>
  void evaluate(const evaluation& e) const {
    if constexpr (!is_complex(dtype_of<T>)) {
      const draw_of_numbers draw = next_draw(e);
      for (index_t i = 0; i < e.result_types.data[0].size(); ++i)
        e.result<T>()[i] = number(e.operand<T>(0)[0], e.operand<T>(1)[0], draw, i);
    }
  }

  // Numbers of draw n come from blocks of Philox4x32 with the seed as key and counters (i, n): of 64 elements, the
  // first 32 take the first two words of as many blocks, the others the last two.
  static constexpr index_t half_group = 32, group = 2 * half_group;
  struct draw_of_numbers {
    ui64 seed, number;

    constexpr ui64 bits(index_t element) const {
      const index_t in_group = element % group;
      const philox_block block = philox(seed, ui64(element / group * half_group + in_group % half_group), number);
      return in_group < half_group ? joined(block.words[0], block.words[1]) : joined(block.words[2], block.words[3]);
    }
  };
  static draw_of_numbers next_draw(const evaluation& e) {
    random_source unseeded;
    random_source& source = e.random != nullptr ? *e.random : unseeded;
    return {source.seed, source.draws++};
  }

  // Element i of a draw.
  template <class T>
  T number(T a, T b, const draw_of_numbers& draw, index_t i) const {
    if constexpr (is_float(dtype_of<T>))
      return rng_distribution == tenon::rng_distribution::NORMAL ? normal(a, b, philox(draw.seed, ui64(i), draw.number))
                                                                 : uniform(a, b, draw.bits(i));
    else
      return uniform_integer(a, b, draw.bits(i));
  }
  template <class T>
  static constexpr T uniform_integer(T a, T b, ui64 bits) {
    if (!(a < b)) return a;
    const ui64 first = ui64(convert_to<i64>(a)), range = ui64(convert_to<i64>(b)) - first;
    return convert_to<T>(i64(first + scaled(bits, range)));
  }
  // Rounding may reach b, which is outside: such a number becomes a.
  template <class T>
  static constexpr T below(T value, T a, T b) {
    return value < b ? value : a;
  }

 private:
  static constexpr f64 fraction(ui64 bits) { return f64(bits >> 11) * 0x1p-53; }

  // The product of a 64-bit fraction and a range, without its fraction.
  static constexpr ui64 scaled(ui64 bits, ui64 range) {
    const ui64 low = joined(low_word(range), 0), high = range >> 32;
    const ui64 middle = high_word((bits & 0xFFFFFFFFu) * low) + (bits >> 32) * low % (ui64{1} << 32) +
                        (bits & 0xFFFFFFFFu) * high % (ui64{1} << 32);
    return (bits >> 32) * high + ((bits >> 32) * low >> 32) + ((bits & 0xFFFFFFFFu) * high >> 32) + (middle >> 32);
  }
  template <class T>
  static constexpr T uniform(T a, T b, ui64 bits) {
    const f64 u = fraction(bits);
    return below(
        convert_to<T>(ieee::add(ieee::multiply(convert_to<f64>(a), 1 - u), ieee::multiply(convert_to<f64>(b), u))), a,
        b);
  }
  template <class T>
  static T normal(T mean, T deviation, const philox_block& block) {
    const ui64 first = joined(block.words[0], block.words[1]), second = joined(block.words[2], block.words[3]);
    const f64 radius = math::sqrt(ieee::multiply(-2.0, math::log(1 - fraction(first))));
    const f64 z = ieee::multiply(radius, math::cosine(ieee::multiply(6.283185307179586, fraction(second))));
    return convert_to<T>(ieee::add(convert_to<f64>(mean), ieee::multiply(convert_to<f64>(deviation), z)));
  }
};

}  // namespace tenon::ops

namespace tenon {

// Random numbers from a (inclusive) to b (exclusive), or of mean a and deviation b, by the distribution. a and b have
// no dimensions and one type, which the result has: booleans (uniform), integers (uniform) and floats. `Shape` is what
// the operand `shape` must turn out to hold.
template <rng_distribution Distribution, ints Shape, operand_like A, operand_like B, operand_like ShapeOperand>
constexpr auto rng(
    A&& a, B&& b, ShapeOperand&& shape,
    op_check<ops::rng{Distribution}, result_types<type_of(dtype::none, Shape)>, A, B, ShapeOperand> = {}) {
  return apply<ops::rng{Distribution}, result_types<type_of(dtype::none, Shape)>>(
      static_cast<A&&>(a), static_cast<B&&>(b), static_cast<ShapeOperand&&>(shape));
}

}  // namespace tenon
