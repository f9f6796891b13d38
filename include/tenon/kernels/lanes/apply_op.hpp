// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/lanes/lane_program.hpp>
#include <tenon/kernels/lanes/load_store.hpp>
#include <tenon/math/lanes/convert.hpp>
#include <tenon/ops/all.hpp>

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

// How an op that works element by element is applied: to single elements by its scalar function, to vectors by one of
// the forms below. All loops over elements, whatever drives them, apply ops here. An op is typed by the element type T
// that its kernel is chosen by, and by the element type R of its result.
namespace tenon::kernels {

template <class Op>
constexpr int typed_by() {
  if constexpr (requires { Op::typed_by; })
    return Op::typed_by;
  else
    return 0;
}

// The element type of operand I of an op that is typed by T: operands in front of the one that counts are booleans.
template <class Op, class T, std::size_t I>
using operand_element = std::conditional_t<(int(I) < typed_by<Op>()), bool, T>;

template <class Op, class R, class... T>
concept element_by_result = requires(const Op& self, T... x) { self.template element<R>(x...); };
template <class Op, class... T>
concept element_by_operands = requires(const Op& self, T... x) { self.element(x...); };

template <class Op, class R, class... T>
constexpr auto element_of_op(const Op& self, T... x) {
  if constexpr (element_by_operands<Op, T...>)
    return self.element(x...);
  else
    return self.template element<R>(x...);
}

// How many operands the op's scalar function takes for these element types; 0 if it takes them not at all.
template <class Op, class T, class R>
constexpr int element_arity() {
  using C = compute_t<T>;
  using first = compute_t<operand_element<Op, T, 0>>;
  using second = compute_t<operand_element<Op, T, 1>>;
  if constexpr (element_by_operands<Op, first> || element_by_result<Op, R, first>)
    return 1;
  else if constexpr (element_by_operands<Op, first, second> || element_by_result<Op, R, first, second>)
    return 2;
  else if constexpr (element_by_operands<Op, first, second, C> || element_by_result<Op, R, first, second, C>)
    return 3;
  else
    return 0;
}

// The truth table of a function of booleans: bit 0 for operands that are all false, the first operand is the highest
// bit of the index.
template <class F, std::size_t... I>
constexpr unsigned truth_table(const F& f, std::index_sequence<I...>) {
  unsigned table = 0;
  for (unsigned row = 0; row < 1u << sizeof...(I); ++row)
    if (f((row >> (sizeof...(I) - 1 - I) & 1u) != 0 ...)) table |= 1u << row;
  return table;
}

// A function of booleans, given as its truth table, on masks.
template <unsigned Table, class D>
HWY_INLINE hn::Mask<D> mask_by_table(D d) {
  return hn::FirstN(d, Table != 0 ? hn::Lanes(d) : 0);
}
template <unsigned Table, class D, class M, class... Rest>
HWY_INLINE hn::Mask<D> mask_by_table(D d, M first, Rest... rest) {
  constexpr unsigned rows = 1u << sizeof...(Rest), all = (1u << rows) - 1, low = Table & all, high = Table >> rows;
  if constexpr (low == high)
    return mask_by_table<low>(d, rest...);
  else if constexpr (low == 0 && high == all)
    return first;
  else if constexpr (low == all && high == 0)
    return hn::Not(first);
  else if constexpr (low == 0)
    return hn::And(first, mask_by_table<high>(d, rest...));
  else if constexpr (high == 0)
    return hn::AndNot(first, mask_by_table<low>(d, rest...));
  else if constexpr (high == all)
    return hn::Or(first, mask_by_table<low>(d, rest...));
  else if constexpr ((low ^ high) == all)
    return hn::Xor(first, mask_by_table<low>(d, rest...));
  else
    return hn::Or(hn::And(first, mask_by_table<high>(d, rest...)), hn::AndNot(first, mask_by_table<low>(d, rest...)));
}

enum class lane_form {
  none,
  numbers,     // `lanes`, or `lanes_of_result<R>`, of the op
  complex,     // `complex_lanes` of the op: its operands or its result are pairs of vectors
  booleans,    // the truth table of the op's scalar function, on masks
  conversion,  // the operand in another element type
};

template <class Op, class D, class R, class... V>
concept has_lane_form = requires(const Op& self, D d, V... v) {
  { self.lanes(d, v...) } -> std::same_as<lanes_of<R, D>>;
} || requires(const Op& self, D d, V... v) {
  { self.template lanes_of_result<R>(d, v...) } -> std::same_as<lanes_of<R, D>>;
};
template <class Op, class D, class R, class... V>
concept has_complex_lane_form = requires(const Op& self, D d, V... v) {
  { self.complex_lanes(d, v...) } -> std::same_as<lanes_of<R, D>>;
};

// Whether vectors are converted from T to R. A number that is rounded to a float of at most 16 bits must not have been
// rounded before.
template <class Op, class T, class R>
constexpr bool is_lane_conversion() {
  if constexpr (!requires { Op::converts; })
    return false;
  else if constexpr ((std::is_same_v<T, bool> && std::is_same_v<R, bool>) || is_complex(dtype_of<T>) ||
                     is_complex(dtype_of<R>))
    return false;
  else if constexpr (std::is_same_v<T, bool>)
    return has_lanes<lane_t<R>>;
  else if constexpr (std::is_same_v<R, bool>)
    return has_lanes<lane_t<T>>;
  else if constexpr (is_narrow_lane<R>() && (std::is_same_v<T, f64> || (std::is_integral_v<T> && sizeof(T) > 2)))
    return false;
  else
    return math::lanes::converts_lanes<lane_t<R>, lane_t<T>>();
}

template <class Op, class T, class R, std::size_t... I>
constexpr lane_form find_lane_form(std::index_sequence<I...>) {
  constexpr bool has_complex = is_complex(dtype_of<T>) || is_complex(dtype_of<R>);
  if constexpr (!has_complex && has_lanes<lane_t<T>> && (std::is_same_v<T, R> || std::is_same_v<R, bool>)) {
    using D = hn::ScalableTag<lane_t<T>>;
    if (has_lane_form<Op, D, R, lanes_of<operand_element<Op, T, I>, D>...>) return lane_form::numbers;
  }
  if constexpr (has_complex && has_complex_lanes<lane_t<T>>) {
    using D = hn::ScalableTag<lane_t<T>>;
    if (has_complex_lane_form<Op, D, R, lanes_of<operand_element<Op, T, I>, D>...>) return lane_form::complex;
  }
  if (std::is_same_v<T, bool> && std::is_same_v<R, bool>) return lane_form::booleans;
  return is_lane_conversion<Op, T, R>() ? lane_form::conversion : lane_form::none;
}
// The form of an op with `Arity` operands.
template <class Op, class T, class R, int Arity>
inline constexpr lane_form lane_form_of = find_lane_form<Op, T, R>(std::make_index_sequence<std::size_t(Arity)>());

template <int Arity, class Op>
constexpr unsigned table_of_op(const Op& self) {
  return truth_table([&](auto... x) { return element_of_op<Op, bool>(self, x...); },
                     std::make_index_sequence<std::size_t(Arity)>{});
}

// Vectors of elements of E with the lane count of D; booleans are masks over D itself.
template <class E, class D>
using tag_of_lanes = hn::Rebind<std::conditional_t<std::is_same_v<E, bool>, hn::TFromD<D>, lane_t<E>>, D>;
// The vector of elements of E among others: a mask over the lanes of From becomes one over those of To.
template <class E, class From, class To, class V>
HWY_INLINE auto among([[maybe_unused]] From from, [[maybe_unused]] To to, const V& value) {
  if constexpr (!std::is_same_v<E, bool>) {
    return value;
  } else if constexpr (sizeof(hn::TFromD<From>) == sizeof(hn::TFromD<To>)) {
    return hn::RebindMask(to, value);
  } else {
    const hn::RebindToSigned<From> given;
    const hn::RebindToSigned<To> wanted;
    const auto all_bits = hn::VecFromMask(given, hn::RebindMask(given, value));
    return hn::RebindMask(
        to, hn::MaskFromVec(resize_lanes<decltype(wanted), hn::TFromD<decltype(given)>>(wanted, given, all_bits)));
  }
}

// The vector of T as one of R; masks are over the lanes of the other one.
template <class T, class R, class Source, class Target, class V>
HWY_INLINE auto converted_lanes(Source source, Target target, V value) {
  if constexpr (std::is_same_v<T, bool>)
    return hn::IfThenElseZero(value, hn::Set(target, hn::TFromD<Target>(1)));
  else if constexpr (std::is_same_v<R, bool> && std::is_floating_point_v<hn::TFromD<Source>>)
    // All bits but the sign: whether Highway's Ne holds for NaN differs between targets.
    return hn::RebindMask(source, hn::Ne(hn::BitCast(hn::RebindToUnsigned<Source>(), hn::Abs(value)),
                                         hn::Zero(hn::RebindToUnsigned<Source>())));
  else if constexpr (std::is_same_v<R, bool>)
    return hn::Ne(value, hn::Zero(source));
  else
    return math::lanes::convert_lanes<Target, hn::TFromD<Source>>(target, source, value);
}

// Whether the op, typed by T, has a way of its own to take a second operand that is the same in all lanes. What it
// makes of it has the operand itself as its `value`.
template <class Op, class T, class D>
inline constexpr bool takes_repeated_rhs =
    hn::MaxLanes(D()) > 1 && requires(D d, T element) { Op::repeated_rhs(d, element); };

// The attributes that apply_op reads: constants, or those that a program has when it runs.
template <class Op>
struct no_attributes {
  static constexpr Op value{};
};
template <class Op>
struct given_attributes {
  Op value;
};

template <lane_form Form, class Op, class T, class R, class Attributes, class D, class Numbers, std::size_t... I,
          class... V>
HWY_INLINE auto apply_to_numbers(const Attributes& attributes, D d, Numbers numbers, std::index_sequence<I...>,
                                 V... v) {
  if constexpr (Form == lane_form::complex)
    return attributes.value.complex_lanes(numbers, among<operand_element<Op, T, I>>(d, numbers, v)...);
  else if constexpr (requires { attributes.value.lanes(numbers, among<operand_element<Op, T, I>>(d, numbers, v)...); })
    return attributes.value.lanes(numbers, among<operand_element<Op, T, I>>(d, numbers, v)...);
  else
    return attributes.value.template lanes_of_result<R>(numbers, among<operand_element<Op, T, I>>(d, numbers, v)...);
}

// Whether an op without a form for vectors can be applied to one lane after the other: a loop of which it is a part
// keeps its other ops in vectors.
template <class E>
constexpr bool holds_computed_elements() {
  if constexpr (std::is_same_v<E, bool>)
    return true;
  else if constexpr (is_complex(dtype_of<E>))
    return false;
  else
    return has_lanes<lane_t<E>> && std::is_same_v<lane_t<E>, compute_t<E>>;
}
template <class Op, class T, class R, int Arity>
inline constexpr bool is_applied_to_each = !HWY_HAVE_SCALABLE && lane_form_of<Op, T, R, Arity> == lane_form::none &&
                                           holds_computed_elements<T>() && holds_computed_elements<R>();

template <class E, class D>
struct lanes_in_memory {
  static constexpr bool is_mask = std::is_same_v<E, bool>;
  using tag = std::conditional_t<is_mask, hn::RebindToUnsigned<D>, tag_of_lanes<E, D>>;
  HWY_ALIGN hn::TFromD<tag> lanes[hn::MaxLanes(D())];

  template <class V>
  HWY_INLINE void store(const V& value) {
    if constexpr (is_mask)
      hn::Store(hn::VecFromMask(tag(), hn::RebindMask(tag(), value)), tag(), lanes);
    else
      hn::Store(value, tag(), lanes);
  }
  HWY_INLINE auto load() const {
    if constexpr (is_mask)
      return hn::RebindMask(D(), hn::Ne(hn::Load(tag(), lanes), hn::Zero(tag())));
    else
      return hn::Load(tag(), lanes);
  }
  auto element(std::size_t lane) const {
    if constexpr (is_mask)
      return lanes[lane] != 0;
    else
      return lanes[lane];
  }
};

// @pre is_applied_to_each<Op, T, R, sizeof...(V)>
template <class Op, class T, class R, class Attributes, class D, class... V>
HWY_INLINE auto apply_to_each(const Attributes& attributes, D, const V&... v) {
  lanes_in_memory<R, D> result;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    std::tuple<lanes_in_memory<operand_element<Op, T, I>, D>...> operands;
    (std::get<I>(operands).store(v), ...);
    for (std::size_t lane = 0; lane < hn::MaxLanes(D()); ++lane)
      result.lanes[lane] = convert_to<hn::TFromD<typename lanes_in_memory<R, D>::tag>>(
          element_of_op<Op, R>(attributes.value, std::get<I>(operands).element(lane)...));
  }(std::index_sequence_for<V...>());
  return result.load();
}

// Applies an op to the vectors of its operands, which have the lane count of D; booleans are masks over D.
// @pre is_applied_to_each, or lane_form_of is not `none`; of `booleans`, attributes.value is a constant
template <class Op, class T, class R, class Attributes, class D, class... V>
HWY_INLINE auto apply_op([[maybe_unused]] const Attributes& attributes, D d, V... v) {
  constexpr int arity = sizeof...(V);
  constexpr lane_form form = lane_form_of<Op, T, R, arity>;
  if constexpr (is_applied_to_each<Op, T, R, arity>) {
    return apply_to_each<Op, T, R>(attributes, d, v...);
  } else if constexpr (form == lane_form::booleans) {
    constexpr unsigned table = table_of_op<arity>(Attributes::value);
    return mask_by_table<table>(d, v...);
  } else if constexpr (form == lane_form::conversion) {
    const tag_of_lanes<std::conditional_t<std::is_same_v<T, bool>, R, T>, D> source;
    const tag_of_lanes<std::conditional_t<std::is_same_v<R, bool>, T, R>, D> target;
    return among<R>(source, d, converted_lanes<T, R>(source, target, among<T>(d, target, v)...));
  } else {
    static_assert(form == lane_form::numbers || form == lane_form::complex);
    const tag_of_lanes<T, D> numbers;
    return among<R>(numbers, d,
                    apply_to_numbers<form, Op, T, R>(attributes, d, numbers, std::index_sequence_for<V...>(), v...));
  }
}

// Value I of a pack, by one call whatever I is.
template <class Before>
struct value_behind;
template <std::size_t... Before>
struct value_behind<std::index_sequence<Before...>> {
  template <std::size_t>
  using any = const void*;
  template <class V, class... After>
  static HWY_INLINE const V& pick(any<Before>..., const V* value, const After*...) {
    return *value;
  }
};
template <int I, class... V>
HWY_INLINE auto pick(const V&... values) {
  return value_behind<std::make_index_sequence<I>>::pick(&values...);
}

// The executor of a lane program that is known while compiling: every value of a block of lanes is a vector, in a
// register if there is one. A block of one lane is scalar code. `Source` has the constants `program`, with nodes and
// inputs, and `words()`, the attributes in its graph.
template <class Source>
struct static_lanes {
  static constexpr const auto& program = Source::program;

  template <int N>
  using op_of = op_of_kind<program.nodes[N].key.kind>;
  template <int N>
  using taken_element = element_t<program.nodes[N].key.element>;
  template <int N>
  using node_element = element_t<program.nodes[N].key.result>;
  template <int N>
  static constexpr lane_form form =
      lane_form_of<op_of<N>, taken_element<N>, node_element<N>, program.nodes[N].operand_count>;

  template <int N>
  static constexpr bool is_supported() {
    return element_arity<op_of<N>, taken_element<N>, node_element<N>>() == program.nodes[N].operand_count &&
           (form<N> != lane_form::none ||
            is_applied_to_each<op_of<N>, taken_element<N>, node_element<N>, program.nodes[N].operand_count>);
  }
  template <int... N>
  static constexpr bool are_supported(std::integer_sequence<int, N...>) {
    return (is_supported<N>() && ...);
  }

  // Where the value of an operand stands among those of the inputs and the nodes.
  static constexpr int position_of(int operand) { return operand < 0 ? ~operand : program.input_count + operand; }

  // The vector of node N, given those of the inputs and of the nodes before: the values from `Begin` on.
  template <int N, int Begin = 0, class D, class... V>
  static HWY_INLINE auto apply(D d, const V&... values) {
    return apply_to<N, Begin>(d, std::make_index_sequence<program.nodes[N].operand_count>{}, values...);
  }

  // An element of input I in all lanes of D, which are of its type.
  template <int I, class D, class E>
  static HWY_INLINE auto repeat(D d, const E& element) {
    constexpr int by = node_with_rhs<I, E, D>(std::make_integer_sequence<int, program.node_count>{});
    if constexpr (by < 0 && is_known<I>())
      return repeat_element(d, E(Source::template known_number<I>()));
    else if constexpr (by < 0)
      return repeat_element(d, element);
    else if constexpr (is_known<I>())
      return op_of<by>::template known_rhs<D, Source::template known_number<I>()>(d);
    else
      return op_of<by>::repeated_rhs(d, element);
  }

 private:
  template <int N, class E, class D>
  static constexpr bool takes_repeated_rhs =
      std::is_same_v<taken_element<N>, E> && kernels::takes_repeated_rhs<op_of<N>, E, D>;
  // Whether input I is a number that is known while compiling.
  template <int I>
  static constexpr bool is_known() {
    if constexpr (requires { Source::template is_known<I>; })
      return Source::template is_known<I>;
    else
      return false;
  }
  // A node that takes input I as a repeated second operand; -1: there is none.
  template <int I, class E, class D, int... N>
  static constexpr int node_with_rhs(std::integer_sequence<int, N...>) {
    int found = -1;
    ((takes_repeated_rhs<N, E, D> && program.nodes[N].operands[1] == ~I ? found = N : 0), ...);
    return found;
  }
  // The plain vector of an operand, unless the op takes it in a form of its own.
  template <int N, std::size_t I, class D, class V>
  static HWY_INLINE auto as_operand(D, const V& value) {
    using E = taken_element<N>;
    if constexpr (requires { value.value; } && !(I == 1 && takes_repeated_rhs<N, E, tag_of_lanes<E, D>>))
      return value.value;
    else
      return value;
  }

  template <int N>
  struct attributes {
    static constexpr op_of<N> value = read_attributes<op_of<N>>(Source::words() + program.nodes[N].words);
  };
  template <int N, int Begin, class D, std::size_t... I, class... V>
  static HWY_INLINE auto apply_to(D d, std::index_sequence<I...>, const V&... values) {
    auto value = apply_op<op_of<N>, taken_element<N>, node_element<N>>(
        attributes<N>(), d, as_operand<N, I>(d, pick<position_of(program.nodes[N].operands[I]) + Begin>(values...))...);
    // A product of two words is an instruction where these are seen as such, rather than as halves of longer ones.
    if constexpr (requires { requires std::is_same_v<decltype(value.raw), std::int32_t>; })
      if constexpr (sizeof(taken_element<N>) == 8) value.raw = in_register(value.raw);
    // Each result is rounded to its element type, and not contracted with the next op.
    if constexpr (is_narrow_lane<node_element<N>>())
      return rounded_to<dtype_of<node_element<N>>>(tag_of_lanes<node_element<N>, D>(), value);
    else if constexpr (program.nodes[N].key.result != dtype::i1 &&
                       (form<N> == lane_form::numbers || form<N> == lane_form::complex))
      return rounded(value);
    else
      return value;
  }
};

}  // namespace tenon::kernels
