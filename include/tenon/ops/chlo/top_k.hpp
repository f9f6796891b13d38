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

  // Keeps the k best in a heap whose root is the worst of them, then takes the roots off one by one.
  template <class T>
  void evaluate(const evaluation& e) const {
    const ints& shape = e.operand_types.data[0].shape;
    const index_t count = shape[shape.size - 1];
    if (k == 0 || count == 0) return;
    const index_t rows = e.operand_types.data[0].size() / count;
    for (index_t row = 0; row < rows; ++row) {
      const T* const from = e.operand<T>(0) + row * count;
      heap<T> best{e.result<T>(0) + row * k, e.result<i32>(1) + row * k};
      for (index_t i = 0; i < k; ++i) best.values[i] = from[i], best.indices[i] = i32(i);
      for (index_t i = k / 2; i-- > 0;) best.sift(i, k);
      key_of<T> worst = key(best.values[0]);
      for (index_t i = k; i < count; ++i) {
        // An equal one that comes later is worse.
        if (key(from[i]) <= worst) continue;
        best.values[0] = from[i], best.indices[0] = i32(i);
        best.sift(0, k);
        worst = key(best.values[0]);
      }
      for (index_t left = k - 1; left > 0; --left) {
        best.exchange(0, left);
        best.sift(0, left);
      }
    }
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

  template <class T>
  struct heap {
    T* values;
    i32* indices;

    void exchange(index_t a, index_t b) {
      const T value = values[a];
      const i32 index = indices[a];
      values[a] = values[b], indices[a] = indices[b];
      values[b] = value, indices[b] = index;
    }
    bool is_worse(index_t a, index_t b) const {
      const key_of<T> first = key(values[a]), second = key(values[b]);
      return first != second ? first < second : indices[a] > indices[b];
    }
    // Brings the element at a place down to where it belongs among the first `size`.
    void sift(index_t at, index_t size) {
      for (index_t child = 2 * at + 1; child < size; child = 2 * at + 1) {
        if (child + 1 < size && is_worse(child + 1, child)) ++child;
        if (!is_worse(child, at)) return;
        exchange(child, at);
        at = child;
      }
    }
  };
};

}  // namespace tenon::ops

namespace tenon {

// top_k<3>(x): values and indices, results 0 and 1.
template <index_t K, operand_like Operand>
constexpr auto top_k(Operand&& operand) {
  return apply<ops::top_k{K}>(static_cast<Operand&&>(operand));
}

}  // namespace tenon
