// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <type_traits>
#include <utility>

// Every op by name, declared here, so that its number is known without its header. The order is alphabetical; what the
// specification has dropped but programs still carry, `call` of the func dialect, what only the passes write, and the
// ops of CHLO stand at the end: those of the specification keep their numbers whatever comes or goes there.
namespace tenon {

template <class... Ops>
struct op_list {
  static constexpr int size = sizeof...(Ops);
};

}  // namespace tenon

namespace tenon::ops {

struct complex;  // beside the numbers of that name

using all = op_list<
    struct abs, struct add, struct after_all, struct all_gather, struct all_reduce, struct all_to_all, struct and_,
    struct async_done, struct async_start, struct atan2, struct batch_norm_grad, struct batch_norm_inference,
    struct batch_norm_training, struct bitcast_convert, struct broadcast_in_dim, struct case_, struct cbrt, struct ceil,
    struct cholesky, struct clamp, struct collective_broadcast, struct collective_permute, struct collective_reduce,
    struct compare, struct complex, struct composite, struct concatenate, struct constant, struct convert,
    struct convolution, struct cosine, struct count_leading_zeros, struct custom_call, struct divide,
    struct dot_general, struct dynamic_broadcast_in_dim, struct dynamic_conv, struct dynamic_gather,
    struct dynamic_iota, struct dynamic_pad, struct dynamic_reshape, struct dynamic_slice, struct dynamic_update_slice,
    struct exponential, struct exponential_minus_one, struct fft, struct floor, struct gather,
    struct get_dimension_size, struct get_tuple_element, struct if_, struct imag, struct infeed, struct iota,
    struct is_finite, struct log, struct log_plus_one, struct logistic, struct map, struct maximum, struct minimum,
    struct multiply, struct negate, struct not_, struct optimization_barrier, struct or_, struct outfeed, struct pad,
    struct partition_id, struct popcnt, struct power, struct real, struct recv, struct reduce, struct reduce_precision,
    struct reduce_scatter, struct reduce_window, struct remainder, struct replica_id, struct reshape, struct reverse,
    struct rng, struct rng_bit_generator, struct round_nearest_afz, struct round_nearest_even, struct rsqrt,
    struct scatter, struct select, struct select_and_scatter, struct send, struct shift_left,
    struct shift_right_arithmetic, struct shift_right_logical, struct sign, struct sine, struct slice, struct sort,
    struct sqrt, struct subtract, struct tan, struct tanh, struct transpose, struct triangular_solve, struct tuple,
    struct uniform_dequantize, struct uniform_quantize, struct while_, struct xor_, struct broadcast,
    struct create_token, struct cross_replica_sum, struct dot, struct einsum, struct real_dynamic_slice,
    struct set_dimension_size, struct unary_einsum, struct call, struct bounded_size, struct square, struct erf,
    struct erfc, struct erf_inv, struct asin, struct acos, struct atan, struct asinh, struct acosh, struct atanh,
    struct sinh, struct cosh, struct top_k, struct next_after, struct lgamma, struct digamma, struct bessel_i1e,
    struct zeta, struct polygamma, struct conj, struct is_inf, struct is_pos_inf, struct is_neg_inf, struct mulhi,
    struct ragged_dot, struct scan, struct torch_index_select, struct ragged_all_to_all,
    struct rng_get_and_update_state>;

}  // namespace tenon::ops

namespace tenon {

namespace detail {

template <int I, class T>
struct indexed_type {};
template <class Positions, class... Ops>
struct indexed_types;
template <int... I, class... Ops>
struct indexed_types<std::integer_sequence<int, I...>, Ops...> : indexed_type<I, Ops>... {};
template <class List>
struct indexed_list;
template <class... Ops>
struct indexed_list<op_list<Ops...>> : indexed_types<std::make_integer_sequence<int, int(sizeof...(Ops))>, Ops...> {};
template <int I, class T>
T* type_at(const indexed_type<I, T>*);
template <class T, int I>
constexpr int position_of(const indexed_type<I, T>*) {
  return I;
}
template <class>
constexpr int position_of(const void*) {
  return -1;
}
inline constexpr const indexed_list<ops::all>* all_ops = nullptr;

}  // namespace detail

// The op's number in a graph; -1 for a type that is no op of the library.
template <class Op>
inline constexpr int kind_of_op = detail::position_of<Op>(detail::all_ops);

// The op with this number.
template <int Kind>
using op_of_kind = std::remove_pointer_t<decltype(detail::type_at<Kind>(detail::all_ops))>;

}  // namespace tenon
