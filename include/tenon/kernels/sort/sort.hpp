// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/kernels/sort/key_columns.hpp>
#include <tenon/kernels/sort/side_by_side_sort.hpp>
#include <tenon/ops/elementwise/order.hpp>
#include <tenon/ops/reduction/sort_memory.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

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

template <class Less>
void insert_all(index_t* order, index_t low, index_t high, const Less& is_less) {
  for (index_t i = low + 1; i < high; ++i) {
    const index_t inserted = order[i];
    index_t to = i;
    for (; to > low && is_less(inserted, order[to - 1]); --to) order[to] = order[to - 1];
    order[to] = inserted;
  }
}
// Merges two parts of one length from both ends at once, so that what is compared at one end needs not wait for the
// other one. False if comparisons contradict each other; then nothing is known of what has been merged.
template <class Less>
bool merge_from_both_ends(const index_t* order, index_t* merged, index_t low, index_t middle, index_t high,
                          const Less& is_less) {
  index_t left = low, right = middle, to = low;
  index_t left_end = middle - 1, right_end = high - 1, to_end = high - 1;
  for (index_t i = low; i < middle; ++i) {
    const bool from_right = is_less(order[right], order[left]);
    const bool from_left = is_less(order[right_end], order[left_end]);
    merged[to++] = order[from_right ? right : left];
    merged[to_end--] = order[from_left ? left_end : right_end];
    right += from_right;
    left += !from_right;
    left_end -= from_left;
    right_end -= !from_left;
  }
  return left == left_end + 1 && right == right_end + 1;
}

template <class Less>
void merge(const index_t* order, index_t* merged, index_t low, index_t middle, index_t high, const Less& is_less) {
  if (middle == high || !is_less(order[middle], order[middle - 1])) {
    std::memcpy(merged + low, order + low, std::size_t(high - low) * sizeof(index_t));
    return;
  }
  if (middle - low == high - middle && merge_from_both_ends(order, merged, low, middle, high, is_less)) return;
  index_t left = low, right = middle, to = low;
  while (left < middle && right < high) {
    const bool from_right = is_less(order[right], order[left]);
    merged[to++] = order[from_right ? right : left];
    right += from_right;
    left += !from_right;
  }
  std::memcpy(merged + to, order + left, std::size_t(middle - left) * sizeof(index_t));
  std::memcpy(merged + to + (middle - left), order + right, std::size_t(high - right) * sizeof(index_t));
}

// Sorts, stably, by is_less(a, b). The result lies in `order`, or in `other`, which is as long; gives where.
template <class Less>
index_t* merge_sort(index_t* order, index_t* other, index_t count, const Less& is_less) {
  constexpr index_t run = 8;
  for (index_t low = 0; low < count; low += run) insert_all(order, low, low + run < count ? low + run : count, is_less);
  for (index_t width = run; width < count; width *= 2) {
    for (index_t low = 0; low < count; low += 2 * width) {
      const index_t middle = low + width < count ? low + width : count;
      merge(order, other, low, middle, middle + width < count ? middle + width : count, is_less);
    }
    std::swap(order, other);
  }
  return order;
}

// An op that puts the elements along its `axis` in the order of its region.
template <class Op>
concept sorts = Op::sorts;

// Sorts rows: by integer keys, if the comparator compares some; else by merging, with many questions to the comparator
// at a time if it works element by element.
class row_sort {
 public:
  row_sort(const evaluation& e, int axis)
      : e_(e),
        axis_(axis),
        shape_(e.operand_types.data[0].shape),
        strides_(strides_of(shape_)),
        count_(shape_[axis]),
        stride_(strides_[axis]),
        memory_(e.operand_types, axis),
        comparator_(e.lanes_of(0)) {}

  template <class = void>
  void run() const {
    if (!comparator_ || (!sort_by_keys<>() && !sort_side_by_side<>())) sort_by_pairs<>();
  }

 private:
  static_assert(ops::sort_memory::counts_bytes == sizeof(digit_counts) &&
                ops::sort_memory::least_counted <= tuning::least_sorted_by_digits(1));

  // A key with where it stood: what goes with it is fetched at the end.
  template <class T>
  struct placed {
    T key;
    std::uint32_t place;
  };

  const evaluation& e_;
  int axis_;
  const ints &shape_, strides_;
  index_t count_, stride_;
  ops::sort_memory memory_;
  lane_function comparator_;

  template <class Function>
  void for_each_row(Function f) const {
    if (count_ == 0) return;  // null may be all that there is
    const ints sorted{axis_};
    for_each_offset(shape_.without(sorted), f, strides_.without(sorted));
  }
  void* memory(index_t at) const { return static_cast<std::byte*>(e_.scratch) + at; }
  digit_counts& counts() const { return *static_cast<digit_counts*>(memory(memory_.counts)); }

  // result[k] = operand[place(k)] in each tensor, for the row that begins at `first`.
  template <class Place>
  void fetch_all(index_t first, Place place) const {
    for (int i = 0; i < e_.operands.size; ++i)
      with_bytes(storage_bytes(e_.operand_types.data[i].element), [&]<class Bytes>(Bytes) {
        const Bytes* const from = e_.operand<Bytes>(i) + first;
        Bytes* const to = e_.result<Bytes>(i) + first;
        for (index_t k = 0; k < count_; ++k) to[k * stride_] = from[place(k) * stride_];
      });
  }

  // Where the comparator compares keys in order, each a function of an element, as that of zeros and NaN which JAX
  // writes. Keys that fit sixty-four bits are sorted as one, the last ones first.
  template <class = void>
  bool sort_by_keys() const {
    compared_keys keys;
    if (count_ > 0xFFFFFFFF || !keys.read(comparator_)) return false;
    if (e_.operands.size == 1 && keys.size() == 1 && comparator_.program->is_argument(keys[0].left))
      if (sort_numbers<>(keys[0])) return true;
    const lane_program function = keys.functions(*comparator_.program);
    if (!function.fits) return false;
    key_columns columns(e_, keys, comparator_, function, stride_);
    if (!columns.is_supported()) return false;
    return columns.bits() <= 32 ? sort_by_columns<std::uint32_t>(columns) : sort_by_columns<std::uint64_t>(columns);
  }

  // Numbers that are their own keys: what is equal to a number may differ from it in its sign only, so that numbers
  // move and nothing is fetched. Some of them NaN: as the comparison says, which then is no order.
  template <class = void>
  bool sort_numbers(const compared_keys::key& key) const {
    return !key.total && visit<dtype::f32, dtype::f64, dtype::i8, dtype::i16, dtype::i32, dtype::i64, dtype::ui8,
                               dtype::ui16, dtype::ui32, dtype::ui64>(key.element, [&]<class T>() {
      if (key.descends)
        sort_numbers_by<T>([](T a, T b) { return b < a; }, true);
      else
        sort_numbers_by<T>([](T a, T b) { return a < b; }, false);
      return true;
    });
  }
  template <class T, class Less>
  void sort_numbers_by(Less is_less, bool descends) const {
    using digits = decltype(order_key(T{}));
    const digits flipped = descends ? digits(~digits(0)) : digits(0);
    for_each_row([&](index_t first) {
      T *const items = static_cast<T*>(e_.scratch), *const other = items + count_;
      const T* const from = e_.operand<T>(0) + first;
      bool ordered = true;
      for (index_t k = 0; k < count_; ++k) {
        items[k] = from[k * stride_];
        if constexpr (std::floating_point<T>) ordered &= items[k] == items[k];
      }
      const T* const sorted = sort_row(items, other, count_, ordered, counts(), is_less,
                                       [flipped](T x) { return digits(order_key(x) ^ flipped); });
      for (index_t k = 0; k < count_; ++k) e_.result<T>()[first + k * stride_] = sorted[k];
    });
  }

  // Computes keys once for each element, some elements at a time. False where some values of a key have no order.
  template <class Key>
  bool sort_by_columns(key_columns& columns) const {
    using item = placed<Key>;
    if (2 * count_ * index_t(sizeof(item)) > memory_.arguments) return false;
    constexpr index_t at_once = key_columns::at_once;
    Key keys[at_once];
    index_t places[at_once];
    const auto compute = [&](int group, index_t first, item* items) {
      bool ordered = true;
      for (index_t k = 0; k < count_; k += at_once) {
        const index_t some = count_ - k < at_once ? count_ - k : at_once;
        if (items != nullptr)
          for (index_t v = 0; v < some; ++v) places[v] = group == 0 ? k + v : index_t(items[k + v].place);
        ordered &= columns.compute(group, first, k, items != nullptr && group > 0 ? places : nullptr, some, keys);
        if (items != nullptr)
          for (index_t v = 0; v < some; ++v) items[k + v] = {keys[v], std::uint32_t(places[v])};
      }
      return ordered;
    };
    bool ordered = true;
    if (columns.may_be_unordered())
      for_each_row([&](index_t first) {
        for (int group = 0; group < columns.groups(); ++group) ordered &= compute(group, first, nullptr);
      });
    if (!ordered) return false;
    for_each_row([&](index_t first) {
      item *items = static_cast<item*>(e_.scratch), *other = items + count_;
      for (int group = 0; group < columns.groups(); ++group) {
        compute(group, first, items);
        item* const sorted = sort_row(
            items, other, count_, true, counts(), [](const item& a, const item& b) { return a.key < b.key; },
            [](const item& each) { return each.key; });
        if (sorted == other) other = items;
        items = sorted;
      }
      fetch_all(first, [&](index_t k) { return index_t(items[k].place); });
    });
    return true;
  }

  // By any other comparator of ops that work element by element.
  template <class = void>
  bool sort_side_by_side() const {
    side_by_side_sort rows(e_, comparator_, axis_);
    if (rows.is_supported()) rows.run();
    return rows.is_supported();
  }

  // By a comparator that answers for one pair at a time.
  template <class = void>
  void sort_by_pairs() const {
    const void** const arguments = static_cast<const void**>(memory(memory_.arguments));
    for_each_row([&](index_t first) {
      const auto comes_before = [&](index_t a, index_t b) {
        for (int i = 0; i < e_.operands.size; ++i) {
          const std::byte* const row = e_.operand<std::byte>(i);
          const index_t bytes = storage_bytes(e_.operand_types.data[i].element);
          arguments[2 * i] = row + (first + a * stride_) * bytes;
          arguments[2 * i + 1] = row + (first + b * stride_) * bytes;
        }
        bool answer = false;
        void* const results[] = {&answer};
        e_.run(0, arguments, results);
        return answer;
      };
      index_t* const order = static_cast<index_t*>(e_.scratch);
      for (index_t k = 0; k < count_; ++k) order[k] = k;
      const index_t* const sorted = merge_sort(order, order + count_, count_, comes_before);
      fetch_all(first, [=](index_t k) { return sorted[k]; });
    });
  }
};

template <class Op>
void sort_kernel(const evaluation& e) {
  row_sort(e, read_attributes<Op>(e.words).axis(e.operand_types.data[0].rank())).template run<>();
}

}  // namespace tenon::kernels
