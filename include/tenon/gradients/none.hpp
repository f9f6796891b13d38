// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/all.hpp>

#include <concepts>

// Ops whose derivative is zero where there is one (`no_gradient`, with the reason), and ops that are refused where a
// gradient goes through them (`refused`, with the reason).
namespace tenon::gradients {

template <class Op, class... Ops>
concept one_of = (std::same_as<Op, Ops> || ...);

constexpr const char* no_gradient(
    const one_of<ops::floor, ops::ceil, ops::round_nearest_afz, ops::round_nearest_even> auto&) {
  return "steps";
}
constexpr const char* no_gradient(const ops::next_after&) { return "a neighbour in a set of numbers"; }
constexpr const char* no_gradient(
    const one_of<ops::compare, ops::is_finite, ops::is_inf, ops::is_pos_inf, ops::is_neg_inf> auto&) {
  return "truth values";
}
constexpr const char* no_gradient(
    const one_of<ops::and_, ops::or_, ops::not_, ops::xor_, ops::popcnt, ops::count_leading_zeros, ops::shift_left,
                 ops::shift_right_arithmetic, ops::shift_right_logical, ops::mulhi, ops::bitcast_convert> auto&) {
  return "bits";
}
constexpr const char* no_gradient(const one_of<ops::constant, ops::iota, ops::dynamic_iota, ops::partition_id,
                                               ops::replica_id, ops::get_dimension_size, ops::bounded_size> auto&) {
  return "depends on no real number";
}
constexpr const char* no_gradient(const one_of<ops::rng_bit_generator, ops::rng_get_and_update_state> auto&) {
  return "random bits";
}
constexpr const char* no_gradient(const one_of<ops::infeed, ops::recv> auto&) { return "comes from outside"; }
constexpr const char* no_gradient(const one_of<ops::outfeed, ops::after_all, ops::create_token> auto&) {
  return "gives a token";
}

constexpr const char* refused(const ops::rng&) { return "random numbers have no derivative by their bounds"; }
constexpr const char* refused(const ops::bessel_i1e&) {
  return "its derivative needs the function of order 0, which is no op";
}
constexpr const char* refused(const one_of<ops::tuple, ops::get_tuple_element> auto&) {
  return "a tuple has no cotangent";
}
constexpr const char* refused(const one_of<ops::async_start, ops::async_done> auto&) {
  return "a future has no cotangent";
}
constexpr const char* refused(const one_of<ops::uniform_quantize, ops::uniform_dequantize> auto&) {
  return "quantized arithmetic has no rule";
}
constexpr const char* refused(const ops::set_dimension_size&) { return "sizes below a bound have no rule"; }
constexpr const char* refused(const ops::ragged_all_to_all&) {
  return "the offsets at which the parts of other processes begin are theirs";
}
// Even where nothing comes back: the cotangent would be lost.
constexpr const char* refused(const ops::send&) { return "another process computes with the value"; }

// Ops that give other results when they run again, as in loops and branches that are computed again.
constexpr bool differs_again(const one_of<ops::rng, ops::rng_get_and_update_state, ops::infeed, ops::recv> auto&) {
  return true;
}

}  // namespace tenon::gradients
