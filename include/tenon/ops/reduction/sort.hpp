// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/apply.hpp>
#include <tenon/core/copy_run.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/prepared_body.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/indexing/builders.hpp>
#include <tenon/ops/elementwise/compare.hpp>
#include <tenon/ops/list.hpp>
#include <tenon/ops/op.hpp>
#include <tenon/ops/reduction/digit_sort.hpp>
#include <tenon/ops/reduction/key_columns.hpp>
#include <tenon/ops/reduction/merge_sort.hpp>
#include <tenon/ops/reduction/side_by_side_sort.hpp>
#include <tenon/ops/trailing_bodies.hpp>

#include <cstddef>
#include <cstring>

namespace tenon::ops {

// https://openxla.org/stablehlo/spec#sort
struct sort {
  static constexpr std::string_view name = "sort";
  static constexpr bool moves_bytes = true, sorts = true;
  index_t dimension = -1;  // negative: counted from the last
  bool is_stable = false;

  static constexpr bool attributes(auto& self, auto visit) {
    return visit("dimension", self.dimension) && visit("is_stable", self.is_stable);
  }

  constexpr void infer(rules& rule, list<tensor_type> inputs, table<tensor_type>& results) const {
    const signature comparator = rule.regions[0];
    const index_t rank = inputs[0].rank();
    rule("sort_c1", "0 < size(inputs)", !inputs.empty());
    rule("sort_c4", "-R <= dimension < R, where R = rank(inputs[0])", -rank <= dimension && dimension < rank);
    bool compares = rule.regions.size == 1 && comparator.arguments.size == 2 * inputs.size &&
                    comparator.results.size == 1 && comparator.results[0] == type_of(dtype::i1);
    for (int i = 0; i < inputs.size; ++i) {
      rule("sort_i1", "inputs: tensors or per-tensor quantized tensors",
           rule.is(inputs[i], kinds::any | kinds::per_tensor_quantized));
      rule("sort_c3", "same(shape(inputs...) + shape(results...))", inputs[i].shape == inputs[0].shape);
      rule.result_shape("sort_c3", "same(shape(inputs...) + shape(results...))", inputs[0].shape, i);
      rule.result("sort_c2", "type(inputs...) = type(results...)", inputs[i], i);
      results.push(inputs[i]);
      const tensor_type element = inputs[i].with_shape({});
      compares = compares && comparator.arguments[2 * i] == element && comparator.arguments[2 * i + 1] == element;
    }
    rule("sort_c5", "comparator: (tensor<E1>, tensor<E1>, ..., tensor<EN-1>, tensor<EN-1>) -> tensor<i1>", compares);
  }

  // What the arguments of the comparator are, for front ends that have yet to write it.
  constexpr void region_arguments(int, list<tensor_type> inputs, table<tensor_type>& arguments) const {
    for (const tensor_type& input : inputs)
      for (int side = 0; side < 2; ++side) arguments.push(input.with_shape({}));
  }

  constexpr index_t scratch_bytes(list<tensor_type> inputs, list<tensor_type>) const {
    return digits_at(inputs) +
           index_t(length(inputs[0].shape) < least_sorted_by_digits<ui8> ? 0 : sizeof(digit_counts));
  }

  // What stands at a place depends on all that stands along the dimension.
  constexpr indexing::indexing_map reads(int, int, list<tensor_type>, list<tensor_type> results) const {
    const ints shape = results[0].shape;
    return indexing::whole_axes_map(shape, shape, {dimension < 0 ? dimension + shape.size : dimension});
  }

  // A merge sort, so that equal elements keep their order whether that is asked for or not, and a comparator that is no
  // order does no harm: it permutes the elements in some way.
  template <class>
  void evaluate(const evaluation& e) const {
    const ints &shape = e.operand_types.data[0].shape, strides = strides_of(shape);
    const ints sorted_axis{axis(shape)};
    const index_t count = length(shape), stride = strides[axis(shape)];
    slice sorted{e, stride, static_cast<index_t*>(e.scratch)};
    sorted.order = sorted.memory + count;
    sorted.less = e.code_of(0);
    if (sorted.less.kind == kind_of_op<compare> && sorted.less.operand_count == 2 && count <= 0xFFFFFFFF &&
        sorted.less.arguments[0] / 2 == sorted.less.arguments[1] / 2)
      if (visit<dtype::f32, dtype::f64, dtype::i8, dtype::i16, dtype::i32, dtype::i64, dtype::ui8, dtype::ui16,
                dtype::ui32, dtype::ui64>(e.operand_types.data[sorted.less.arguments[0] / 2].element,
                                          [&]<class T>() { return sort_numbers<T>(e, sorted.less); }))
        return;
    sorted.arguments = static_cast<const void**>(static_cast<void*>(sorted.order + count));
    if (sort_by_keys(e) || sort_side_by_side(e)) return;
    for_each_offset(
        shape.without(sorted_axis),
        [&](index_t first) {
          sorted.first = first;
          sorted.sort(count);
          for (int i = 0; i < e.operands.size; ++i) {
            const index_t bytes = storage_bytes(e.operand_types.data[i].element);
            for (index_t k = 0; k < count; ++k)
              std::memcpy(static_cast<std::byte*>(e.results.data[i]) + (first + k * stride) * bytes,
                          sorted.element(i, sorted.order[k]), std::size_t(bytes));
          }
        },
        strides.without(sorted_axis));
  }

 private:
  constexpr int axis(const ints& shape) const { return int(dimension < 0 ? dimension + shape.size : dimension); }
  constexpr index_t length(const ints& shape) const { return shape[axis(shape)]; }
  // The working memory: the order of a row, keys with where they stood, or columns of rows, twice; pointers to the
  // arguments of the comparator; the counts of digits.
  constexpr index_t arguments_at(list<tensor_type> inputs) const {
    const index_t of_row = (inputs.size > 1 || storage_bytes(inputs[0].element) > 4 ? 4 : 2) * length(inputs[0].shape) *
                           index_t(sizeof(index_t));
    const index_t of_columns = side_by_side_sort::scratch_bytes(inputs, axis(inputs[0].shape));
    return of_row < of_columns ? of_columns : of_row;
  }
  constexpr index_t digits_at(list<tensor_type> inputs) const {
    return arguments_at(inputs) + 2 * inputs.size * index_t(sizeof(void*));
  }

  // The same for numbers in their natural order or its reverse, which need no call for each comparison; false if the
  // comparison is another one.
  template <class T>
  bool sort_numbers(const evaluation& e, const body_code& less) const {
    const compare op = read_attributes<compare>(less.words);
    const bool is_less = op.comparison_direction == comparison_direction::LT;
    if (!is_less && op.comparison_direction != comparison_direction::GT) return false;
    if (op.compare_type == comparison_type::TOTALORDER) return false;
    const int key = less.arguments[0] / 2;
    if (less.arguments[0] == less.arguments[1]) return false;
    if (is_less == (less.arguments[0] % 2 == 0))
      sort_by<T>(e, key, [](T a, T b) { return a < b; }, false);
    else
      sort_by<T>(e, key, [](T a, T b) { return b < a; }, true);
    return true;
  }
  template <class T, class Less>
  void sort_by(const evaluation& e, int key, Less is_less, bool descends) const {
    const T* const keys = e.operand<T>(key);
    const auto key_of = [flipped = digit_key<T>(descends ? -1 : 0)](T x) {
      return digit_key<T>(order_key(x) ^ flipped);
    };
    if (e.operands.size == 1) {
      const auto load = [&](index_t at, index_t) { return keys[at]; };
      const auto store = [&](const T* sorted, index_t count, index_t first, index_t stride) {
        for (index_t k = 0; k < count; ++k) e.result<T>()[first + k * stride] = sorted[k];
      };
      return sort_items<T>(e, load, store, is_less, [](T x) { return x; }, key_of);
    }
    using item = placed<T>;
    const auto load = [&](index_t at, index_t k) { return item{keys[at], std::uint32_t(k)}; };
    const auto store = [&](const item* sorted, index_t count, index_t first, index_t stride) {
      fetch_all(e, sorted, count, first, stride);
    };
    sort_items<item>(
        e, load, store, [&](const item& a, const item& b) { return is_less(a.key, b.key); },
        [](const item& each) { return each.key; }, key_of);
  }
  template <class T>
  using digit_key = decltype(order_key(T{}));
  // Keys with where they stood: what goes with them is fetched at the end.
  template <class T>
  struct placed {
    T key;
    std::uint32_t place;
  };
  template <class Item>
  static void fetch_all(const evaluation& e, const Item* sorted, index_t count, index_t first, index_t stride) {
    for (int i = 0; i < e.operands.size; ++i) {
      const auto fetch = [&]<class Bytes>(Bytes) {
        const Bytes* const from = e.operand<Bytes>(i) + first;
        Bytes* const to = e.result<Bytes>(i) + first;
        for (index_t k = 0; k < count; ++k) to[k * stride] = from[index_t(sorted[k].place) * stride];
      };
      tenon::detail::with_bytes(storage_bytes(e.operand_types.data[i].element), fetch);
    }
  }

  // The same where the comparator compares keys in order, each a function of an element, as that of zeros and NaN which
  // JAX writes. Keys are computed once for each element, some elements at a time; those that fit sixty-four bits are
  // sorted as one, the last ones first.
  bool sort_by_keys(const evaluation& e) const {
    chained_body function;
    compared_keys keys;
    const index_t count = length(e.operand_types.data[0].shape);
    if (count > 0xFFFFFFFF || !e.prepare_steps(0, false, function) || !keys.read(function)) return false;
    if (!e.prepare_steps(0, false, function) || !keys.leave_functions(function)) return false;
    key_columns columns(e, keys, function,
                        strides_of(e.operand_types.data[0].shape)[axis(e.operand_types.data[0].shape)]);
    if (!columns.serve()) return false;
    return columns.bits() <= 32 ? sort_by_columns<std::uint32_t>(e, columns)
                                : sort_by_columns<std::uint64_t>(e, columns);
  }
  // The same by any other comparator of ops that work element by element, unless it has better code for one pair.
  bool sort_side_by_side(const evaluation& e) const {
    prepared_body comparator;
    if (e.fused_of(0).order != nullptr || !e.prepare_steps(0, false, comparator)) return false;
    side_by_side_sort rows(e, comparator, axis(e.operand_types.data[0].shape));
    if (rows.serves()) rows.run();
    return rows.serves();
  }
  // False where some values of a key have no order.
  template <class Key>
  bool sort_by_columns(const evaluation& e, key_columns& columns) const {
    using item = placed<Key>;
    const ints &shape = e.operand_types.data[0].shape, strides = strides_of(shape), sorted_axis{axis(shape)};
    const index_t count = length(shape), stride = strides[axis(shape)];
    if (2 * count * index_t(sizeof(item)) > arguments_at(e.operand_types)) return false;
    constexpr index_t at_once = key_columns::at_once;
    Key keys[at_once];
    index_t places[at_once];
    const auto compute = [&](int group, index_t first, item* items) {
      bool ordered = true;
      for (index_t k = 0; k < count; k += at_once) {
        const index_t some = count - k < at_once ? count - k : at_once;
        if (items != nullptr)
          for (index_t v = 0; v < some; ++v) places[v] = group == 0 ? k + v : index_t(items[k + v].place);
        ordered &= columns.compute(group, first, k, items != nullptr && group > 0 ? places : nullptr, some, keys);
        if (items != nullptr)
          for (index_t v = 0; v < some; ++v) items[k + v] = {keys[v], std::uint32_t(places[v])};
      }
      return ordered;
    };
    bool ordered = true;
    const auto look = [&](index_t first) {
      for (int group = 0; group < columns.groups(); ++group) ordered &= compute(group, first, nullptr);
    };
    if (columns.may_be_unordered()) for_each_offset(shape.without(sorted_axis), look, strides.without(sorted_axis));
    if (!ordered) return false;
    for_each_offset(
        shape.without(sorted_axis),
        [&](index_t first) {
          item *items = static_cast<item*>(e.scratch), *other = items + count;
          for (int group = 0; group < columns.groups(); ++group) {
            compute(group, first, items);
            const auto key_of = [](const item& each) { return each.key; };
            item* const sorted = sort_row(
                items, other, count, true, counts_of(e), [](const item& a, const item& b) { return a.key < b.key; },
                key_of);
            if (sorted == other) other = items;
            items = sorted;
          }
          fetch_all(e, items, count, first, stride);
        },
        strides.without(sorted_axis));
    return true;
  }
  template <class Item, class Load, class Store, class Less, class NumberOf, class KeyOf>
  void sort_items(const evaluation& e, Load load, Store store, Less is_less, NumberOf number_of, KeyOf key_of) const {
    using number = decltype(number_of(*static_cast<Item*>(nullptr)));
    const ints &shape = e.operand_types.data[0].shape, strides = strides_of(shape);
    const ints sorted_axis{axis(shape)};
    const index_t count = length(shape), stride = strides[axis(shape)];
    for_each_offset(
        shape.without(sorted_axis),
        [&](index_t first) {
          Item *const items = static_cast<Item*>(e.scratch), *const other = items + count;
          bool ordered = true;
          for (index_t k = 0; k < count; ++k) {
            items[k] = load(first + k * stride, k);
            if constexpr (std::floating_point<number>) ordered &= number_of(items[k]) == number_of(items[k]);
          }
          store(sort_row(items, other, count, ordered, counts_of(e), is_less,
                         [&](const Item& each) { return key_of(number_of(each)); }),
                count, first, stride);
        },
        strides.without(sorted_axis));
  }
  digit_counts& counts_of(const evaluation& e) const {
    return *static_cast<digit_counts*>(
        static_cast<void*>(static_cast<std::byte*>(e.scratch) + digits_at(e.operand_types)));
  }
  // Elements along the dimension, from position `first` on.
  struct slice {
    const evaluation& e;
    index_t stride;
    index_t* memory;
    index_t* order = nullptr;  // which element comes where
    const void** arguments = nullptr;
    index_t first = 0;
    body_code less{};

    const std::byte* element(int operand, index_t k) const {
      return static_cast<const std::byte*>(e.operands.data[operand]) +
             (first + k * stride) * storage_bytes(e.operand_types.data[operand].element);
    }
    bool is_less(index_t a, index_t b) const {
      for (int i = 0; i < e.operands.size; ++i) {
        arguments[2 * i] = element(i, a);
        arguments[2 * i + 1] = element(i, b);
      }
      unsigned char result = 0;
      void* const results[] = {&result};
      e.run(0, arguments, results);
      return result != 0;
    }
    void sort(index_t count) {
      for (index_t i = 0; i < count; ++i) order[i] = i;
      index_t* sorted;
      if (const auto fused = e.fused_of(0).order; fused != nullptr) {
        for (int i = 0; i < e.operands.size; ++i) arguments[i] = element(i, 0);
        sorted = fused(arguments, stride, order, memory, count);
      } else {
        sorted = merge_sort(order, memory, count, [this](index_t a, index_t b) { return is_less(a, b); });
      }
      if (sorted == memory) memory = order;
      order = sorted;
    }
  };
};

}  // namespace tenon::ops

namespace tenon {

// Sorted by a comparator, an op or a function of two scalars per input: sort<-1>(x, less). Inputs first, the comparator
// last.
template <index_t Dimension, bool IsStable = false, class... Arguments>
constexpr auto sort(Arguments&&... arguments) {
  return apply_with_bodies<ops::sort{Dimension, IsStable}>(static_cast<Arguments&&>(arguments)...);
}

}  // namespace tenon
