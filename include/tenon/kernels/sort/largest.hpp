// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/ops/elementwise/order.hpp>

#include <cstdint>
#include <type_traits>

namespace tenon::kernels {

// An op that gives the `k` largest elements along the last dimension, and where they stand.
template <class Op>
concept selects_largest = Op::selects_largest;

// Keeps the k best while walking through a row. Most elements are none of them: they are looked at some at a time.
template <class T>
class largest_elements {
 public:
  static void select(const evaluation& e, index_t k) {
    constexpr index_t few = 16;
    if (k <= few)
      choose<ranking<item>>(e, k);
    else
      choose<heap<item>>(e, k);
  }

 private:
  static constexpr auto key(const T& x) { return ops::order_of_element(x); }
  using key_type = decltype(ops::order_of_element(T{}));

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
  using item = std::conditional_t<(sizeof(key_type) > 4), wide_item<key_type>, packed_item<key_type>>;
  static_assert(sizeof(item) <= 16);

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

  template <class Best>
  static void choose(const evaluation& e, index_t k) {
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
        if (const key_type it = key(from[i]); it > best.worst().key()) best.replace_worst(item(it, i));
      };
      index_t i = k;
      for (; i + together <= count; i += together) {
        key_type largest = key(from[i]);
        for (index_t j = 1; j < together; ++j) {
          const key_type it = key(from[i + j]);
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

template <class Op, class T>
void largest_kernel(const evaluation& e) {
  largest_elements<T>::select(e, read_attributes<Op>(e.words).k);
}

}  // namespace tenon::kernels
