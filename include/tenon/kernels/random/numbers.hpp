// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/kernels/random/random_lanes.hpp>
#include <tenon/ops/creation/rng.hpp>

namespace tenon::kernels {

// An op that fills its result with the numbers of a draw.
template <class Op>
concept draws_numbers = Op::draws_numbers;

// Fills elements with numbers of one draw, in vectors as far as they go.
class number_fill {
 public:
  static constexpr index_t most_together = 4 * ops::rng::group;

  number_fill(const ops::rng& op, const ops::rng::draw_of_numbers& draw) : op_(op), draw_(draw) {}

  // Elements first, first + 1, ..., of which the first one begins a group and `count` are at most `most_together`.
  template <class T>
  void fill(T* to, T a, T b, index_t first, index_t count) const {
    index_t i = 0;
    if constexpr (fills_in_lanes<T>) {
      i = fill_in_lanes(to, a, b, first, count);
    } else if constexpr (is_float(dtype_of<T>) && dtype_of<T> != dtype::f64) {
      f64 numbers[most_together];
      fill(numbers, convert_to<f64>(a), convert_to<f64>(b), first, count);
      for (; i < count; ++i)
        to[i] = is_normal() ? convert_to<T>(numbers[i]) : op_.below(convert_to<T>(numbers[i]), a, b);
    } else if constexpr (has_random_lanes && !is_float(dtype_of<T>)) {
      ui64 bits[most_together];
      const index_t some =
          for_each_group(first, count, [&](auto each, index_t at) HWY_ATTR __attribute__((always_inline)) {
            hn::StoreU(each, hn::ScalableTag<ui64>(), bits + at);
          });
      for (; i < some; ++i) to[i] = op_.uniform_integer(a, b, bits[i]);
    }
    for (; i < count; ++i) to[i] = op_.number(a, b, draw_, first + i);
  }

 private:
  const ops::rng& op_;
  const ops::rng::draw_of_numbers& draw_;

  bool is_normal() const { return op_.rng_distribution == rng_distribution::NORMAL; }

  // Gives how many elements that is.
  template <class T>
  index_t fill_in_lanes(T* to, T a, T b, index_t first, index_t count) const {
    const hn::ScalableTag<f64> numbers;
    if (is_normal())
      return for_each_philox(draw_.seed, ui64(first), draw_.number, count,
                             [&](auto words, auto more, index_t at) HWY_ATTR __attribute__((always_inline)) {
                               store_numbers(numbers, normal_lanes(numbers, f64(a), f64(b), words, more), to + at);
                             });
    return for_each_group(first, count, [&](auto bits, index_t at) HWY_ATTR __attribute__((always_inline)) {
      store_below(numbers, uniform_lanes(numbers, f64(a), f64(b), bits), a, b, to + at);
    });
  }
  // Calls store(bits, i) with vectors of those of the elements from first + i on, for whole groups; gives how many
  // elements these have.
  template <class Store>
  HWY_INLINE index_t for_each_group(index_t first, index_t count, Store store) const {
    constexpr index_t half = ops::rng::half_group, group = ops::rng::group;
    const index_t together = 4 * index_t(hn::Lanes(hn::ScalableTag<ui64>()));
    if (half % together != 0) return 0;
    return 2 * for_each_philox(draw_.seed, ui64(first / 2), draw_.number, count / group * half,
                               [&](auto words, auto more, index_t block) HWY_ATTR __attribute__((always_inline)) {
                                 const index_t at = block / half * group + block % half;
                                 store(words, at), store(more, at + half);
                               });
  }
};

// Runs an op that draws numbers.
template <class Op, class T>
void random_numbers_kernel(const evaluation& e) {
  if constexpr (!is_complex(dtype_of<T>)) {
    const Op op = read_attributes<Op>(e.words);
    const auto draw = op.next_draw(e);
    const number_fill numbers(op, draw);
    const index_t count = e.result_types.data[0].size(), most = numbers.most_together;
    for (index_t first = 0; first < count; first += most)
      numbers.fill(e.result<T>() + first, e.operand<T>(0)[0], e.operand<T>(1)[0], first,
                   count - first < most ? count - first : most);
  }
}

}  // namespace tenon::kernels
