// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/copy_run.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/kernels/sort/compared_keys.hpp>
#include <tenon/kernels/sort/radix_sort.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tenon::kernels {

// Computes the keys that a comparator compares as integers, for some elements of a row at a time. Keys that fit
// sixty-four bits together make a group; the first group has the keys that decide last.
class key_columns {
 public:
  static constexpr index_t at_once = 128;

  // `function` gives the keys of an element, and is a part of the comparator. Neighbours in a row are `stride` elements
  // apart.
  key_columns(const evaluation& e, const compared_keys& keys, const lane_function& comparator,
              const lane_program& function, index_t stride)
      : e_(e), keys_(keys), comparator_(comparator), function_(function), stride_(stride) {
    int sum = 0;
    begins_[0] = keys_.size();
    for (int i = keys_.size() - 1; i >= 0; --i) {
      const int bits = bits_of(keys_[i].element);
      is_supported_ = is_supported_ && bits > 0;
      may_be_unordered_ = may_be_unordered_ || (is_float(keys_[i].element) && !keys_[i].total);
      if (sum + bits > 64) begins_[++groups_] = i + 1, sum = 0;
      sum += bits;
      bits_ = bits_ < sum ? sum : bits_;
    }
    begins_[++groups_] = 0;
    for (int i = 0; i < e_.operands.size; ++i)
      if (reads(i)) ++operands_read_;
    is_supported_ = is_supported_ && operands_read_ <= most_operands && e_.operands.size <= most_arguments;
  }

  bool is_supported() const { return is_supported_; }
  int groups() const { return groups_; }
  int bits() const { return bits_; }  // of the longest group
  bool may_be_unordered() const { return may_be_unordered_; }

  // The group's keys of elements first_of_row, ..., `count` of them from k on or, if there are places, those of these
  // numbers. False if some number has no order.
  template <class Key>
  bool compute(int group, index_t first_of_row, index_t k, const index_t* places, index_t count, Key* to) {
    const void* arguments[2 * most_arguments]{};
    int gathered = 0;
    for (int i = 0; i < e_.operands.size; ++i)
      if (reads(i))
        arguments[2 * i] = arguments[2 * i + 1] = gather(i, first_of_row, k, places, count, gathered_[gathered++]);
    void* results[compared_keys::most];
    for (int i = 0; i < keys_.size(); ++i) results[i] = values_[i];
    comparator_.interpret(comparator_.context, function_, arguments, results, count);
    for (index_t v = 0; v < count; ++v) to[v] = 0;
    bool ordered = true;
    for (int i = begins_[group + 1]; i < begins_[group]; ++i) ordered &= append(keys_[i], values_[i], count, to);
    return ordered;
  }

 private:
  static constexpr int most_operands = 5, most_arguments = 32;

  const evaluation& e_;
  const compared_keys& keys_;
  const lane_function& comparator_;
  const lane_program& function_;
  index_t stride_;
  int begins_[compared_keys::most + 1]{};  // group i has keys begins_[i + 1] <= k < begins_[i]
  int groups_ = 0, bits_ = 0, operands_read_ = 0;
  bool is_supported_ = true, may_be_unordered_ = false;
  alignas(64) std::byte gathered_[most_operands][at_once * 16];
  alignas(64) std::byte values_[compared_keys::most][at_once * 8];

  template <class F>
  static bool with_key(dtype element, F f) {
    if (element == dtype::i1) element = dtype::ui8;
    return visit<dtype::f16, dtype::bf16, dtype::f32, dtype::f64, dtype::i8, dtype::i16, dtype::i32, dtype::i64,
                 dtype::ui8, dtype::ui16, dtype::ui32, dtype::ui64>(element, f);
  }
  // An element of such a type as an integer in its order. Floats of sixteen bits are looked at as f32.
  template <class T>
  static auto digits(const T& value, bool total) {
    if constexpr (is_narrow_float<T>)
      return digits(convert_to<f32>(value), total);
    else
      return total ? total_order_digits(value) : order_key(value);
  }
  template <class T>
  static constexpr bool is_narrow_float = std::is_same_v<T, f16> || std::is_same_v<T, bf16>;
  static int bits_of(dtype element) {
    int bits = 0;
    with_key(element, [&]<class T>() { return bits = 8 * int(sizeof(digits(T{}, false))), true; });
    return bits;
  }

  bool reads(int operand) const {
    return function_.reads_argument(2 * operand) || function_.reads_argument(2 * operand + 1);
  }

  const void* gather(int operand, index_t first, index_t k, const index_t* places, index_t count, void* memory) const {
    const index_t bytes = storage_bytes(e_.operand_types.data[operand].element);
    const std::byte* const from = e_.operand<std::byte>(operand) + first * bytes;
    if (places == nullptr && stride_ == 1) return from + k * bytes;
    const auto copy = [&]<class Bytes>(Bytes) {
      const Bytes* const source = reinterpret_cast<const Bytes*>(from);
      Bytes* const to = static_cast<Bytes*>(memory);
      if (places == nullptr) return copy_run(to, source + k * stride_, stride_, count);
      for (index_t v = 0; v < count; ++v) to[v] = source[places[v] * stride_];
    };
    with_bytes(bytes, copy);
    return memory;
  }

  // Shifts the key in from below.
  template <class Key>
  static bool append(const compared_keys::key& key, const void* values, index_t count, Key* to) {
    bool ordered = true;
    with_key(key.element, [&]<class T>() {
      using bits = decltype(digits(T{}, false));
      const T* const from = static_cast<const T*>(values);
      const bits flipped = key.descends ? bits(~bits(0)) : bits(0);
      const auto append_all = [&](bool total) {
        for (index_t v = 0; v < count; ++v) {
          const Key each = Key(bits(digits(from[v], total) ^ flipped));
          if constexpr (sizeof(bits) >= sizeof(Key))
            to[v] = each;
          else
            to[v] = Key(to[v] << (8 * sizeof(bits))) | each;
          if constexpr (std::floating_point<T>)
            ordered &= total || from[v] == from[v];
          else if constexpr (is_narrow_float<T>)
            ordered &= total || !ieee::is_nan(convert_to<f32>(from[v]));
        }
      };
      key.total ? append_all(true) : append_all(false);
      return true;
    });
    return ordered;
  }
};

}  // namespace tenon::kernels
