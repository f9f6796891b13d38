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

HWY_INLINE chain_vector load_chained(const std::byte* from) {
  return hn::LoadU(chain_tag(), reinterpret_cast<const std::uint8_t*>(from));
}

// What links do with one vector, given their operands in memory, so many bytes further on.
struct chained_load {
  static HWY_INLINE chain_vector apply(chain_vector, const std::byte* x, const std::byte*, index_t at) {
    return load_chained(x + at);
  }
};
struct chained_store {
  static HWY_INLINE chain_vector apply(chain_vector value, const std::byte* x, const std::byte*, index_t at) {
    hn::StoreU(value, chain_tag(), reinterpret_cast<std::uint8_t*>(const_cast<std::byte*>(x + at)));
    return value;
  }
};
struct chained_select {
  static HWY_INLINE chain_vector apply(chain_vector value, const std::byte* x, const std::byte* y, index_t at) {
    return hn::IfVecThenElse(value, load_chained(x + at), load_chained(y + at));
  }
};
template <class Op, class T>
struct chained_unary {
  static HWY_INLINE chain_vector apply(chain_vector value, const std::byte*, const std::byte*, index_t) {
    const hn::ScalableTag<T> d;
    return hn::BitCast(chain_tag(), Op{}.lanes(d, hn::BitCast(d, value)));
  }
};
// `IsSecond`: which operand the vector is.
template <class Op, class T, bool IsSecond>
struct chained_binary {
  static HWY_INLINE chain_vector apply(chain_vector value, const std::byte* x, const std::byte*, index_t at) {
    const hn::ScalableTag<T> d;
    const auto held = hn::BitCast(d, value), other = hn::BitCast(d, load_chained(x + at));
    const auto result = IsSecond ? Op{}.lanes(d, other, held) : Op{}.lanes(d, held, other);
    if constexpr (std::is_same_v<decltype(result), const hn::Mask<decltype(d)>> &&
                  !std::is_same_v<decltype(result), const hn::Vec<decltype(d)>>)
      return hn::BitCast(chain_tag(), hn::VecFromMask(d, result));
    else
      return hn::BitCast(chain_tag(), result);
  }
};

// The same behind a product by a constant, which is loaded once.
template <class Op, class T, bool IsSecond>
struct chained_product {
  static HWY_INLINE chain_vector apply(chain_vector value, const std::byte* x, const std::byte* y, index_t at) {
    const chain_vector product = chained_binary<ops::multiply, T, false>::apply(value, x, y, 0);
    return chained_binary<Op, T, IsSecond>::apply(product, y, x, at);
  }
};

// The call of the next link is the last thing a link does, so that compilers make a jump of it.
template <class Form>
void chained(const chain_link* at, index_t offset, chain_vector a, chain_vector b, chain_vector c, chain_vector d,
             chain_vector e, chain_vector f, chain_vector g, chain_vector h) {
  const index_t bytes = index_t(hn::Lanes(chain_tag()));
  const std::byte* const x = at->operands[0] + (offset & at->moves[0]);
  const std::byte* const y = at->operands[1] + (offset & at->moves[1]);
  a = Form::apply(a, x, y, 0), b = Form::apply(b, x, y, bytes);
  c = Form::apply(c, x, y, 2 * bytes), d = Form::apply(d, x, y, 3 * bytes);
  e = Form::apply(e, x, y, 4 * bytes), f = Form::apply(f, x, y, 5 * bytes);
  g = Form::apply(g, x, y, 6 * bytes), h = Form::apply(h, x, y, 7 * bytes);
  ++at;
  return reinterpret_cast<chain_code>(at->code)(at, offset, a, b, c, d, e, f, g, h);
}
inline void end_chain(const chain_link*, index_t, chain_vector, chain_vector, chain_vector, chain_vector, chain_vector,
                      chain_vector, chain_vector, chain_vector) {}

inline void run_chain(const chain_link* first, index_t begin, index_t end) {
  const chain_vector none = hn::Zero(chain_tag());
  const index_t strip = 8 * index_t(hn::Lanes(chain_tag()));
  for (index_t offset = begin; offset < end; offset += strip)
    reinterpret_cast<chain_code>(first->code)(first, offset, none, none, none, none, none, none, none, none);
}

template <class Form>
void (*link_of())() {
  return reinterpret_cast<void (*)()>(static_cast<chain_code>(&chained<Form>));
}
inline const chain_machine& machine_of_chains() {
  static const chain_machine machine{&run_chain, link_of<chained_load>(), link_of<chained_store>(),
                                     reinterpret_cast<void (*)()>(static_cast<chain_code>(&end_chain)),
                                     8 * index_t(hn::Lanes(chain_tag()))};
  return machine;
}

// Says how an op works in chains.
template <class Op, class T, class R>
void answer_chain(const Op& self, chained_op& answer) {
  constexpr int arity = element_arity<Op, T, R>();
  answer.machine = &machine_of_chains();
  answer.element_bytes = std::is_same_v<T, bool> ? 0 : int(sizeof(T));
  const auto give = [&]<class Form, class E>(Form*, E*) {
    if constexpr (arity == 1) {
      answer.on_first = link_of<chained_unary<Form, E>>();
    } else {
      answer.on_first = link_of<chained_binary<Form, E, false>>();
      answer.on_second = link_of<chained_binary<Form, E, true>>();
      answer.is_product = std::is_same_v<Op, ops::multiply>;
      if constexpr (is_one_of<Op, ops::add, ops::subtract> && std::is_signed_v<E>) {
        answer.after_product[0] = link_of<chained_product<Op, E, false>>();
        answer.after_product[1] = link_of<chained_product<Op, E, true>>();
      }
    }
  };
  if constexpr (std::is_same_v<Op, ops::select>) {
    answer.on_first = link_of<chained_select>();
  } else if constexpr (std::is_same_v<Op, ops::compare>) {
    if (std::is_floating_point_v<T> && self.compare_type == comparison_type::TOTALORDER)
      answer.machine = nullptr;
    else
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
