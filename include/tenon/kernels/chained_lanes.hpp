// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/code_chain.hpp>
#include <tenon/kernels/elementwise.hpp>
#include <tenon/ops/elementwise.hpp>

#include <type_traits>

namespace tenon {

namespace detail {

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
template <class Op, class T, class R>
constexpr bool chains() {
  return false;
}
#else
template <class Op, class... Others>
inline constexpr bool is_one_of = (std::is_same_v<Op, Others> || ...);
template <class Op>
inline constexpr bool is_bitwise = is_one_of<Op, ops::and_, ops::or_, ops::xor_, ops::not_>;

// Which ops work in chains: those that take a few instructions, on the element types that most programs have.
template <class Op, class T, class R>
constexpr bool chains() {
  constexpr bool is_number =
      is_one_of<T, f32, f64> || (std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) >= 4);
  if constexpr (is_bitwise<Op>)
    return std::is_same_v<T, bool> || (is_number && std::is_integral_v<T>);
  else if constexpr (is_number && is_one_of<Op, ops::add, ops::subtract, ops::multiply, ops::divide, ops::maximum,
                                            ops::minimum, ops::negate, ops::abs, ops::compare, ops::select>)
    return lanes_serve<Op, T, R>(std::make_index_sequence<std::size_t(element_arity<Op, T, R>())>{});
  else
    return false;
}

// Vectors are bytes between links, whatever they hold; masks are vectors of ones and zeros.
using chain_tag = hn::ScalableTag<std::uint8_t>;
using chain_vector = hn::Vec<chain_tag>;
using chain_code = void (*)(const chain_link*, index_t, chain_vector, chain_vector, chain_vector, chain_vector,
                            chain_vector, chain_vector, chain_vector, chain_vector);
// One element of so many bytes.
template <int Bytes>
using single_tag = hn::CappedTag<std::uint8_t, std::size_t(Bytes)>;
template <int Bytes>
using single_code = void (*)(const chain_link*, index_t, hn::Vec<single_tag<Bytes>>);

template <class D>
HWY_INLINE hn::Vec<D> load_chained(const std::byte* from) {
  return hn::LoadU(D(), reinterpret_cast<const std::uint8_t*>(from));
}
template <class D>
HWY_INLINE void store_chained(hn::Vec<D> value, const std::byte* to) {
  hn::StoreU(value, D(), reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(to)));
}

// What links do with one vector of D, given their operands in memory, so many bytes further on.
struct chained_load {
  static constexpr int operands = 1;
  template <class D>
  static HWY_INLINE hn::Vec<D> apply(hn::Vec<D>, const std::byte* x, const std::byte*, index_t at) {
    return load_chained<D>(x + at);
  }
};
struct chained_store {
  static constexpr int operands = 1;
  template <class D>
  static HWY_INLINE hn::Vec<D> apply(hn::Vec<D> value, const std::byte* x, const std::byte*, index_t at) {
    store_chained<D>(value, x + at);
    return value;
  }
};
struct chained_select {
  static constexpr int operands = 2;
  template <class D>
  static HWY_INLINE hn::Vec<D> apply(hn::Vec<D> value, const std::byte* x, const std::byte* y, index_t at) {
    return hn::IfVecThenElse(value, load_chained<D>(x + at), load_chained<D>(y + at));
  }
};
template <class Op, class T>
struct chained_unary {
  static constexpr int operands = 0;
  template <class D>
  static HWY_INLINE hn::Vec<D> apply(hn::Vec<D> value, const std::byte*, const std::byte*, index_t) {
    const hn::Repartition<T, D> d;
    return hn::BitCast(D(), Op{}.lanes(d, hn::BitCast(d, value)));
  }
};
// `IsSecond`: which operand the vector is.
template <class Op, class T, bool IsSecond>
struct chained_binary {
  static constexpr int operands = 1;
  template <class D>
  static HWY_INLINE hn::Vec<D> apply(hn::Vec<D> value, const std::byte* x, const std::byte*, index_t at) {
    const hn::Repartition<T, D> d;
    const auto held = hn::BitCast(d, value), other = hn::BitCast(d, load_chained<D>(x + at));
    const auto result = IsSecond ? Op{}.lanes(d, other, held) : Op{}.lanes(d, held, other);
    if constexpr (std::is_same_v<decltype(result), const hn::Mask<decltype(d)>> &&
                  !std::is_same_v<decltype(result), const hn::Vec<decltype(d)>>)
      return hn::BitCast(D(), hn::VecFromMask(d, result));
    else
      return hn::BitCast(D(), result);
  }
};

// The same behind a product by a constant, which is loaded once.
template <class Op, class T, bool IsSecond>
struct chained_product {
  static constexpr int operands = 2;
  template <class D>
  static HWY_INLINE hn::Vec<D> apply(hn::Vec<D> value, const std::byte* x, const std::byte* y, index_t at) {
    const hn::Vec<D> product = chained_binary<ops::multiply, T, false>::template apply<D>(value, x, y, 0);
    return chained_binary<Op, T, IsSecond>::template apply<D>(product, y, x, at);
  }
};

template <class Form>
inline constexpr bool needs_masks = false;
template <class Op, class T, bool IsSecond>
inline constexpr bool needs_masks<chained_binary<Op, T, IsSecond>> =
    std::is_floating_point_v<T> && is_one_of<Op, ops::maximum, ops::minimum>;

// What has been done to some vectors is done before others are begun: of eight masks at once, compilers would keep in
// memory what does not fit into registers. For links that need masks only, as others come slower in that order.
HWY_INLINE void finish([[maybe_unused]] chain_vector& a, [[maybe_unused]] chain_vector& b,
                       [[maybe_unused]] chain_vector& c, [[maybe_unused]] chain_vector& d,
                       [[maybe_unused]] chain_vector& e, [[maybe_unused]] chain_vector& f,
                       [[maybe_unused]] chain_vector& g, [[maybe_unused]] chain_vector& h) {
#if HWY_TARGET <= HWY_AVX3
  asm("" : "+v"(a.raw), "+v"(b.raw), "+v"(c.raw), "+v"(d.raw), "+v"(e.raw), "+v"(f.raw), "+v"(g.raw), "+v"(h.raw));
#endif
}

// The call of the next link is the last thing a link does, so that compilers make a jump of it.
template <class Form>
void chained(const chain_link* at, index_t offset, chain_vector a, chain_vector b, chain_vector c, chain_vector d,
             chain_vector e, chain_vector f, chain_vector g, chain_vector h) {
  const index_t bytes = index_t(hn::Lanes(chain_tag()));
  const std::byte* const x = at->operands[0] + (offset & at->moves[0]);
  const std::byte* const y = at->operands[1] + (offset & at->moves[1]);
  a = Form::template apply<chain_tag>(a, x, y, 0), b = Form::template apply<chain_tag>(b, x, y, bytes);
  c = Form::template apply<chain_tag>(c, x, y, 2 * bytes), d = Form::template apply<chain_tag>(d, x, y, 3 * bytes);
  if constexpr (needs_masks<Form>) finish(a, b, c, d, e, f, g, h);
  e = Form::template apply<chain_tag>(e, x, y, 4 * bytes), f = Form::template apply<chain_tag>(f, x, y, 5 * bytes);
  g = Form::template apply<chain_tag>(g, x, y, 6 * bytes), h = Form::template apply<chain_tag>(h, x, y, 7 * bytes);
  ++at;
  return reinterpret_cast<chain_code>(at->code)(at, offset, a, b, c, d, e, f, g, h);
}
inline void end_chain(const chain_link*, index_t, chain_vector, chain_vector, chain_vector, chain_vector, chain_vector,
                      chain_vector, chain_vector, chain_vector) {}
inline void run_chain(const chain_link* first, index_t begin, index_t step, index_t times) {
  const chain_vector none = hn::Zero(chain_tag());
  for (; times > 0; --times, begin += step)
    reinterpret_cast<chain_code>(first->code)(first, begin, none, none, none, none, none, none, none, none);
}

template <class Form, int Bytes>
void chained_single(const chain_link* at, index_t offset, hn::Vec<single_tag<Bytes>> value) {
  const std::byte* const x = at->operands[0] + (offset & at->moves[0]);
  const std::byte* const y = at->operands[1] + (offset & at->moves[1]);
  value = Form::template apply<single_tag<Bytes>>(value, x, y, 0);
  if constexpr (Form::operands < 2) store_chained<single_tag<Bytes>>(value, y);
  ++at;
  return reinterpret_cast<single_code<Bytes>>(at->code)(at, offset, value);
}
template <int Bytes>
void end_single(const chain_link*, index_t, hn::Vec<single_tag<Bytes>>) {}
template <int Bytes>
void run_single(const chain_link* first, index_t begin, index_t step, index_t times) {
  const hn::Vec<single_tag<Bytes>> none = hn::Zero(single_tag<Bytes>());
  for (; times > 0; --times, begin += step) reinterpret_cast<single_code<Bytes>>(first->code)(first, begin, none);
}

template <class Code>
void (*link_of(Code code))() {
  return reinterpret_cast<void (*)()>(code);
}
inline const chain_machine& machine_of_strips() {
  static const chain_machine machine{
      &run_chain,          link_of(&chained<chained_load>),     link_of(&chained<chained_store>),
      link_of(&end_chain), 8 * index_t(hn::Lanes(chain_tag())), false};
  return machine;
}
template <int Bytes>
const chain_machine& machine_of_singles() {
  static const chain_machine machine{&run_single<Bytes>,
                                     link_of(&chained_single<chained_load, Bytes>),
                                     link_of(&chained_single<chained_store, Bytes>),
                                     link_of(&end_single<Bytes>),
                                     Bytes,
                                     true};
  return machine;
}

// An op as links, on strips and on single elements.
template <class First, class Second = void>
void answer_strips(chained_op& answer) {
  answer.strips.machine = &machine_of_strips();
  answer.strips.on_first = link_of(&chained<First>);
  if constexpr (!std::is_void_v<Second>) answer.strips.on_second = link_of(&chained<Second>);
}
template <int Bytes, class First, class Second = void>
void answer_singles(chained_op& answer) {
  chain_form& form = answer.singles[Bytes / 8];
  form.machine = &machine_of_singles<Bytes>();
  form.on_first = link_of(&chained_single<First, Bytes>);
  if constexpr (!std::is_void_v<Second>) form.on_second = link_of(&chained_single<Second, Bytes>);
}

// Says how an op works in chains.
template <class Op, class T, class R>
void answer_chain(const Op& self, chained_op& answer) {
  constexpr int arity = element_arity<Op, T, R>();
  answer.element_bytes = std::is_same_v<T, bool> ? 0 : int(sizeof(T));
  answer.is_product = std::is_same_v<Op, ops::multiply>;
  const auto answer_forms = [&]<class... Form>() {
    answer_strips<Form...>(answer);
    if constexpr (sizeof(T) != 8) answer_singles<4, Form...>(answer);
    if constexpr (sizeof(T) != 4) answer_singles<8, Form...>(answer);
  };
  const auto give = [&]<class Form, class E>(Form*, E*) {
    if constexpr (arity == 1)
      answer_forms.template operator()<chained_unary<Form, E>>();
    else
      answer_forms.template operator()<chained_binary<Form, E, false>, chained_binary<Form, E, true>>();
    if constexpr (is_one_of<Op, ops::add, ops::subtract> && std::is_signed_v<E>) {
      answer.strips.after_product[0] = link_of(&chained<chained_product<Op, E, false>>);
      answer.strips.after_product[1] = link_of(&chained<chained_product<Op, E, true>>);
    }
  };
  if constexpr (std::is_same_v<Op, ops::select>) {
    answer_forms.template operator()<chained_select>();
  } else if constexpr (std::is_same_v<Op, ops::compare>) {
    if (std::is_floating_point_v<T> && self.compare_type == comparison_type::TOTALORDER) return;
    self.template fix_attributes<T>([&]<class Fixed>(Fixed) {
      if constexpr (!std::is_same_v<Fixed, Op>) give(static_cast<Fixed*>(nullptr), static_cast<T*>(nullptr));
    });
  } else if constexpr (is_bitwise<Op>) {
    give(static_cast<Op*>(nullptr), static_cast<std::uint8_t*>(nullptr));
  } else {
    give(static_cast<Op*>(nullptr), static_cast<T*>(nullptr));
  }
}
#endif

// The code of an element by element op for programs that are read at run time.
template <class Op, class T, class R>
void chainable_kernel(const evaluation& e) {
  if constexpr (chains<Op, T, R>())
    if (e.chained != nullptr) return answer_chain<Op, T, R>(read_attributes<Op>(e.words), *e.chained);
  elementwise_kernel<Op, T, R>(e);
}

}  // namespace detail

}  // namespace tenon
