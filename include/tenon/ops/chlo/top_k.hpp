// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/indexing/builders.hpp>
#include <tenon/ops/op.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace tenon::ops {

// https://openxla.org/stablehlo/generated/chlo#chlotop_k_chlotopkop
// The k largest elements along the last dimension, largest first, and where they stand (i32); equal ones in the order
// of the operand. Floats are in total order: -NaN, -infinity, ..., -0, 0, ..., infinity, NaN.
struct top_k {
  static constexpr std::string_view dialect = "chlo", name = "top_k";
  index_t k = 0;
  bool is_stable = true;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("k", self.k) && visit("is_stable", self.is_stable);
  }

  constexpr void infer(rules& rule, list<tensor_type> operands, table<tensor_type>& results) const {
    rule("operands", "the number of operands is the one that the op takes", operands.size == 1);
    const tensor_type operand = operands.size == 1 ? operands[0] : tensor_type{};
    rule("top_k_i1", "operand: tensor of boolean, integer or floating-point type",
         rule.is(operand, kinds::boolean | kinds::integer | kinds::floating_point));
    rule("top_k_i2", "k: not negative", k >= 0);
    const int rank = operand.rank();
    const bool fits = rank > 0 && k >= 0 && k <= operand.shape[rank - 1];
    rule("top_k_c1", "0 < rank(operand) and k <= dim(operand, -1)", fits);
    const tensor_type values = fits ? operand.with_size(rank - 1, k) : operand,
                      indices = values.with_element(dtype::i32);
    results.push(
        rule.result("top_k_c2", "values: the operand's type, but for k elements in the last dimension", values));
    results.push(rule.result("top_k_c3", "indices: i32, of the shape of values", indices, 1));
  }

  // What stands at a place depends on all that stands along the last dimension.
  constexpr indexing::indexing_map reads(int, int, list<tensor_type> operands, list<tensor_type> results) const {
    const ints& shape = operands[0].shape;
    return indexing::whole_axes_map(results[0].shape, shape, {shape.size - 1});
  }

  constexpr index_t scratch_bytes(list<tensor_type>, list<tensor_type>) const {
    return k > 0 && k < INT64_MAX / 16 ? k * 16 : 0;
  }

  // Keeps the k best while walking through a row. Most elements are none of them: they are looked at some at a time.
  template <class T>
  void evaluate(const evaluation& e) const {
    static_assert(sizeof(item_of<T>) <= 16);
    constexpr index_t few = 16;
    if (k <= few)
      choose<T, ranking<item_of<T>>>(e);
    else
      choose<T, heap<item_of<T>>>(e);
  }

 private:
  // Integers in the order of the elements.
  static constexpr bool key(bool x) { return x; }
  template <std::integral T>
  static constexpr T key(T x) {
    return x;
  }
  static constexpr std::uint32_t key(float x) { return ordered(std::bit_cast<std::uint32_t>(x), 0x80000000u); }
  static constexpr std::uint64_t key(double x) {
    return ordered(std::bit_cast<std::uint64_t>(x), std::uint64_t(1) << 63);
  }
  template <class Self, dtype Type>
  static constexpr std::uint32_t key(const small_float<Self, Type>& x) {
    return ordered(std::uint32_t(x.bits), std::uint32_t(format_of(Type).sign()));
  }
  template <class Self, dtype Type>
  static constexpr int key(const small_integer<Self, Type>& x) {
    return int(x.value);
  }
  template <class T>
  using key_of = decltype(key(T{}));
  template <class Bits>
  static constexpr Bits ordered(Bits bits, Bits sign) {
    return (bits & sign) != 0 ? sign - 1 - (bits & (sign - 1)) : bits | sign;
  }

  // A key and where it stands, as one number where it fits: the larger, the better.
  template <class Key>
  struct packed_item {
    std::uint64_t bits = 0;

    packed_item() = default;
    packed_item(Key key, index_t index)
        : bits(std::uint64_t(std::uint32_t(key) ^ flip) << 32 | (0xFFFFFFFFu - std::uint32_t(index))) {}
    Key key() const { return Key(std::uint32_t(bits >> 32) ^ flip); }
    index_t index() const { return index_t(0xFFFFFFFFu - std::uint32_t(bits)); }
    friend bool operator<(const packed_item& a, const packed_item& b) { return a.bits < b.bits; }

   private:
    static constexpr std::uint32_t flip = std::is_signed_v<Key> ? 0x80000000u : 0;
  };
  template <class Key>
  struct wide_item {
    Key number = 0;
    index_t place = 0;

    wide_item() = default;
    wide_item(Key key, index_t index) : number(key), place(index) {}
    Key key() const { return number; }
    index_t index() const { return place; }
    friend bool operator<(const wide_item& a, const wide_item& b) {
      return a.number != b.number ? a.number < b.number : a.place > b.place;
    }
  };
  template <class T>
  using item_of = std::conditional_t<(sizeof(key_of<T>) > 4), wide_item<key_of<T>>, packed_item<key_of<T>>>;

  // The best items of those that were given, the best one first. Each takes its turn without a branch, which pays while
  // they are few.
  template <class Item>
  struct ranking {
    Item* items;
    index_t size;

    void begin() {
      for (index_t i = 1; i < size; ++i) {
        const Item next = items[i];
        index_t at = i;
        for (; at > 0 && items[at - 1] < next; --at) items[at] = items[at - 1];
        items[at] = next;
      }
    }
    const Item& worst() const { return items[size - 1]; }
    void replace_worst(Item next) {
      Item before = worse(items[0], next);
      items[0] = better(items[0], next);
      for (index_t i = 1; i < size; ++i) {
        const Item here = items[i];
        items[i] = better(here, before);
        before = worse(here, before);
      }
    }
    void end() {}
    static Item better(Item a, Item b) { return a < b ? b : a; }
    static Item worse(Item a, Item b) { return a < b ? a : b; }
  };

  // The same as a heap whose root is the worst one, until its roots are taken off one by one.
  template <class Item>
  struct heap {
    Item* items;
    index_t size;

    void begin() {
      for (index_t i = size / 2; i-- > 0;) sift(i, size);
    }
    const Item& worst() const { return items[0]; }
    void replace_worst(Item next) {
      items[0] = next;
      sift(0, size);
    }
    void end() {
      for (index_t left = size - 1; left > 0; --left) {
        const Item worst = items[0];
        items[0] = items[left];
        items[left] = worst;
        sift(0, left);
      }
    }
    // Brings an item down to where it belongs among the first `count`.
    void sift(index_t at, index_t count) {
      const Item sunk = items[at];
      for (index_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        child += index_t(child + 1 < count && items[child + 1] < items[child]);
        if (!(items[child] < sunk)) break;
        items[at] = items[child];
        at = child;
      }
      items[at] = sunk;
    }
  };

  template <class T, class Best>
  void choose(const evaluation& e) const {
    using item = item_of<T>;
    constexpr index_t together = 32;
    const ints& shape = e.operand_types.data[0].shape;
    const index_t count = shape[shape.size - 1];
    if (k == 0 || count == 0) return;
    const index_t rows = e.operand_types.data[0].size() / count;
    Best best{static_cast<item*>(e.scratch), k};
    for (index_t row = 0; row < rows; ++row) {
      const T* const from = e.operand<T>(0) + row * count;
      for (index_t i = 0; i < k; ++i) best.items[i] = item(key(from[i]), i);
      best.begin();
      // An equal one that comes later is worse.
      const auto take = [&](index_t i) {
        if (const key_of<T> it = key(from[i]); it > best.worst().key()) best.replace_worst(item(it, i));
      };
      index_t i = k;
      for (; i + together <= count; i += together) {
        key_of<T> largest = key(from[i]);
        for (index_t j = 1; j < together; ++j) {
          const key_of<T> it = key(from[i + j]);
          largest = it > largest ? it : largest;
        }
        if (largest <= best.worst().key()) continue;
        for (index_t j = 0; j < together; ++j) take(i + j);
      }
      for (; i < count; ++i) take(i);
      best.end();
      for (index_t j = 0; j < k; ++j) {
        e.result<T>(0)[row * k + j] = from[best.items[j].index()];
        e.result<i32>(1)[row * k + j] = i32(best.items[j].index());
      }
    }
  }
};

}  // namespace tenon::ops

namespace tenon {

// top_k<3>(x): values and indices, results 0 and 1.
template <index_t K, operand_like Operand>
constexpr auto top_k(Operand&& operand) {
  return apply<ops::top_k{K}>(static_cast<Operand&&>(operand));
}

}  // namespace tenon
