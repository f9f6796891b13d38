// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/core/bit_cast.hpp>
#include <tenon/core/written_number.hpp>
#include <tenon/numpy/checks.hpp>
#include <tenon/numpy/functions.hpp>
#include <tenon/ops/chlo/erf_inv.hpp>
#include <tenon/ops/creation/random_bits.hpp>
#include <tenon/ops/movement/bitcast_convert.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

// Random numbers as jax.random has them: a key gives the same numbers whenever it is used, so that every use takes a
// key of its own. The bits are those of JAX for the same key (Threefry, `jax_threefry_partitionable`); numbers between
// two others are rounded twice, where XLA may round once.
//
//   const random_key key = random::key(42);
//   const auto [first, second] = random::split(key);
//   tensor<f32, 784, 10> weights = random::normal<f32, ints{784, 10}>(first) * 0.1;
namespace tenon {

using random_key = tensor<ui32, 2>;

namespace detail {

// Takes three times the memory of an op while it is checked.
struct threefry_function {
  static constexpr int parts = 3;
};
constexpr auto word_of(const auto& vector, index_t i) {
  return apply_value(ops::slice{ints{i}, ints{i + 1}, {}}, {}, vector);
}

// The two words of Threefry for each of these counters, whose high words are 0.
constexpr auto threefry_words(const auto& key, const auto& counters) {
  const ints shape = type_of_operand(counters).shape;
  const auto first = broadcast_to(word_of(key, 0), shape, ints{0});
  const auto second = broadcast_to(word_of(key, 1), shape, ints{0});
  const decltype(first) keys[] = {first, second, xor_(xor_(first, second), ops::threefry_parity)};
  auto x = first, y = add(counters, second);
  for (std::uint32_t group = 0; group < 5; ++group) {
    for (std::uint32_t distance : ops::threefry_rotations[group % 2]) {
      x = add(x, y);
      y = xor_(or_(shift_left(y, distance), shift_right_logical(y, 32 - distance)), x);
    }
    x = add(x, keys[(group + 1) % 3]);
    y = add(add(y, keys[(group + 2) % 3]), group + 1);
  }
  return results(x, y);
}
constexpr auto counters_beside(const auto& key, index_t count) {
  const tensor_type type = type_of(dtype::ui32, ints{count});
  return apply_value_beside(key, ops::iota{0}, {&type, 1});
}

template <index_t Count>
struct keys_of : threefry_function {
  constexpr auto operator()(const auto& key) const {
    const auto [x, y] = threefry_words(key, counters_beside(key, Count));
    return [&, &first = x, &second = y]<index_t... I>(std::integer_sequence<index_t, I...>) {
      return results(apply_value(ops::concatenate{0}, {}, word_of(first, I), word_of(second, I))...);
    }(std::make_integer_sequence<index_t, Count>{});
  }
};
struct key_with : threefry_function {
  constexpr auto operator()(const auto& key, const auto& data) const {
    const auto [x, y] = threefry_words(key, reshape_to(data, ints{1}));
    return apply_value(ops::concatenate{0}, {}, x, y);
  }
};

template <class T, ints Shape>
struct random_bits : threefry_function {
  constexpr auto operator()(const auto& key) const {
    const auto [x, y] = threefry_words(key, counters_beside(key, Shape.product()));
    if constexpr (sizeof(T) == 8)
      return reshape_to(or_(shift_left(convert<ui64>(x), 32), convert<ui64>(y)), Shape);
    else
      return reshape_to(converted(xor_(x, y), dtype_of<T>), Shape);
  }
};

template <class T>
using word_for = element_t<sizeof(T) == 1   ? dtype::ui8
                           : sizeof(T) == 2 ? dtype::ui16
                           : sizeof(T) == 4 ? dtype::ui32
                                            : dtype::ui64>;

// From 0 up to 1: random bits are the mantissa of a number from 1 up to 2.
template <class T, ints Shape>
struct unit_numbers : threefry_function {
  constexpr auto operator()(const auto& key) const {
    constexpr int mantissa = element_traits<T>::mantissa_bits;
    using word = word_for<T>;
    using drawn = std::conditional_t<(mantissa < 8), ui8, word>;
    const auto bits = convert<word>(random_bits<drawn, Shape>{}(key));
    const auto fraction = shift_right_logical(bits, int(8 * sizeof(drawn)) - mantissa);
    return subtract(bitcast_convert<T>(or_(fraction, word(to_bits(convert_to<T>(1.0f))))), 1);
  }
};
template <class T, ints Shape>
struct numbers_between : threefry_function {
  constexpr auto operator()(const auto& key, const auto& low, const auto& high) const {
    return maximum(low, add(multiply(unit_numbers<T, Shape>{}(key), subtract(high, low)), low));
  }
};
template <class T, ints Shape>
struct normal_numbers : threefry_function {
  constexpr auto operator()(const auto& key) const {
    // The numbers next to -1 and below 1 have finite images.
    constexpr T low = from_bits<T>(to_bits(convert_to<T>(-1.0f)) - 1);
    const auto u = unit_numbers<T, Shape>{}(key);
    const auto between = maximum(add(multiply(u, convert_to<T>(1.0 - double(low))), low), low);
    return multiply(erf_inv(between), convert_to<T>(1.4142135623730951));
  }
};
template <ints Shape>
struct true_with : threefry_function {
  constexpr auto operator()(const auto& key, const auto& probability) const {
    return compare<comparison_direction::LT>(unit_numbers<f32, Shape>{}(key), probability);
  }
};
// Twice as many bits as an integer has, modulo the distance; at least 32 each.
template <class T>
using drawn_for = std::conditional_t<(sizeof(T) < 4), i32, T>;
template <class T, ints Shape>
struct integers_between {
  static constexpr int parts = 8;
  constexpr auto operator()(const auto& key, const auto& first, const auto& limit) const {
    using drawn = drawn_for<T>;
    using word = word_for<drawn>;
    const auto low = convert<drawn>(first), high = convert<drawn>(limit);
    const auto keys = keys_of<2>{}(key);
    const auto upper = random_bits<word, Shape>{}(std::get<0>(keys)),
               lower = random_bits<word, Shape>{}(std::get<1>(keys));
    const auto count =
        select(compare<comparison_direction::LE>(high, low), word(1), convert<word>(subtract(high, low)));
    // 2^bits modulo the distance is what the upper bits count.
    const auto half = remainder(add(multiply(count, 0), word(1) << (4 * sizeof(word))), count);
    const auto weight = remainder(multiply(half, half), count);
    const auto offset = remainder(add(multiply(remainder(upper, count), weight), remainder(lower, count)), count);
    return convert<T>(add(low, convert<drawn>(offset)));
  }
};

template <class Function, class T, class Key, class... Numbers>
constexpr auto draw(Key&& key, Numbers&&... numbers) {
  return apply_function(Function{}, static_cast<Key&&>(key), as_scalar<T>(static_cast<Numbers&&>(numbers))...);
}

}  // namespace detail

namespace random {

// A key from a number, as jax.random.key makes it.
constexpr random_key key(ui64 seed) { return random_key{ui32(seed >> 32), ui32(seed)}; }

// auto [a, b] = split(key): one key for each use. The one that is split is used up.
template <index_t Count = 2, class Key>
constexpr auto split(Key&& key, detail::draw_check<detail::keys_of<Count>, ui32, Key> = {}) {
  return detail::draw<detail::keys_of<Count>, ui32>(static_cast<Key&&>(key));
}
// A key for one of many uses, such as the steps of a loop: `data` is its number.
template <class Key, class Data>
constexpr auto fold_in(Key&& key, Data&& data, detail::draw_check<detail::key_with, ui32, Key, Data> = {}) {
  return detail::draw<detail::key_with, ui32>(static_cast<Key&&>(key), static_cast<Data&&>(data));
}

// Random bits as unsigned integers of at least 8 bits.
template <std::unsigned_integral T, ints Shape, class Key>
constexpr auto bits(Key&& key, detail::draw_check<detail::random_bits<T, Shape>, T, Key> = {}) {
  return detail::draw<detail::random_bits<T, Shape>, T>(static_cast<Key&&>(key));
}
// Floats from 0 up to 1, or from `low` up to `high`.
template <class T, ints Shape, class Key>
constexpr auto uniform(Key&& key, detail::draw_check<detail::unit_numbers<T, Shape>, T, Key> = {}) {
  return detail::draw<detail::unit_numbers<T, Shape>, T>(static_cast<Key&&>(key));
}
template <class T, ints Shape, class Key, class Low, class High>
constexpr auto uniform(Key&& key, Low&& low, High&& high,
                       detail::draw_check<detail::numbers_between<T, Shape>, T, Key, Low, High> = {}) {
  return detail::draw<detail::numbers_between<T, Shape>, T>(static_cast<Key&&>(key), static_cast<Low&&>(low),
                                                            static_cast<High&&>(high));
}
// Floats of mean 0 and variance 1. JAX computes erf_inv otherwise, so that the last bits may be others.
template <class T, ints Shape, class Key>
constexpr auto normal(Key&& key, detail::draw_check<detail::normal_numbers<T, Shape>, T, Key> = {}) {
  return detail::draw<detail::normal_numbers<T, Shape>, T>(static_cast<Key&&>(key));
}
// i1: true with this probability.
template <ints Shape, class Key, class Probability = float>
constexpr auto bernoulli(Key&& key, Probability&& probability = 0.5f,
                         detail::draw_check<detail::true_with<Shape>, f32, Key, Probability> = {}) {
  return detail::draw<detail::true_with<Shape>, f32>(static_cast<Key&&>(key), static_cast<Probability&&>(probability));
}
// Integers from `low` up to `high`, which is none of them.
template <class T, ints Shape, class Key, class Low, class High, class Drawn = detail::drawn_for<T>>
constexpr auto randint(Key&& key, Low&& low, High&& high,
                       detail::draw_check<detail::integers_between<T, Shape>, Drawn, Key, Low, High> = {}) {
  return detail::draw<detail::integers_between<T, Shape>, Drawn>(static_cast<Key&&>(key), static_cast<Low&&>(low),
                                                                 static_cast<High&&>(high));
}

}  // namespace random

}  // namespace tenon
