// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/core/lanes.hpp>
#include <tenon/core/narrow_lanes.hpp>
#include <tenon/core/own_lanes.hpp>
#include <tenon/kernels/needs.hpp>
#include <tenon/ops/contraction/packing.hpp>

#include <cstring>
#include <utility>

namespace tenon::kernels::inline HWY_NAMESPACE {
namespace tiling {

// Calls f(first, count) for pieces of [0, size) of at most `most`, as even as possible.
template <class Function>
HWY_INLINE void for_each_piece(index_t size, index_t most, Function f) {
  const index_t pieces = (size + most - 1) / most;
  if (pieces == 0) return;
  const index_t least = size / pieces, longer = size % pieces;
  index_t first = 0;
  for (index_t piece = 0; piece < pieces; ++piece) {
    const index_t count = least + (piece < longer ? 1 : 0);
    f(first, count);
    first += count;
  }
}

// The vectors that products are computed in, of at most `Bytes` bytes.
template <class T, index_t Bytes = ops::packing::vector_bytes, bool HasOwn = has_own_lanes<T>>
struct product_lanes {
  using D = hn::CappedTag<T, std::size_t(Bytes) / sizeof(T)>;
  using V = hn::Vec<D>;
  // Whether reading a part of a vector costs no more than reading all of it.
  static constexpr bool reads_parts_cheaply = HWY_TARGET <= HWY_AVX3 || HWY_HAVE_SCALABLE;
  static constexpr int registers = HWY_ARCH_ARM_A64 || HWY_TARGET <= HWY_AVX3 ? 32 : 16;

  static constexpr index_t most_lanes = index_t(hn::MaxLanes(D()));
  static HWY_INLINE index_t count() { return index_t(hn::Lanes(D())); }
  static HWY_INLINE V zero() { return hn::Zero(D()); }
  static HWY_INLINE V broadcast(T value) { return hn::Set(D(), value); }
  static HWY_INLINE V load(const T* from) { return hn::LoadU(D(), from); }
  static HWY_INLINE V load_first(const T* from, index_t size) {
    return tenon::core::load_first(D(), from, std::size_t(size));
  }
  // The first `size` elements of a narrower type.
  template <class E>
  static HWY_INLINE V load_widened(const E* from, index_t size) {
    if constexpr (std::is_integral_v<E>) {
      using narrow =
          std::conditional_t<sizeof(E) == 1, std::conditional_t<std::is_signed_v<E>, std::int8_t, std::uint8_t>,
                             std::conditional_t<std::is_signed_v<E>, std::int16_t, std::uint16_t>>;
      const hn::Rebind<narrow, D> d;
      const narrow* const at = reinterpret_cast<const narrow*>(from);
      const auto loaded = size == count() ? hn::LoadU(d, at) : tenon::core::load_first(d, at, std::size_t(size));
      return hn::BitCast(D(), hn::PromoteTo(hn::RebindToSigned<D>(), loaded));
    } else {
      return load_elements(D(), from, std::size_t(size), std::size_t(count()));
    }
  }
  static HWY_INLINE void store(V value, T* to) { hn::StoreU(value, D(), to); }
  static HWY_INLINE void store_first(V value, T* to, index_t size) {
    tenon::core::store_first(value, D(), to, std::size_t(size));
  }
  static HWY_INLINE V add(V a, V b) { return hn::Add(a, b); }
  static HWY_INLINE V multiply_add(V a, V b, V sum) {
    if constexpr (std::is_integral_v<T>)
      return hn::Add(hn::Mul(a, b), sum);
    else
      return hn::MulAdd(a, b, sum);
  }
  // to[i] = the sum of the lanes of vector i, added up in the same order in all of them.
  static HWY_INLINE void totals(V a, V b, V c, V e, T* to) {
    const D d;
#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
    to[0] = hn::GetLane(hn::SumOfLanes(d, a)), to[1] = hn::GetLane(hn::SumOfLanes(d, b));
    to[2] = hn::GetLane(hn::SumOfLanes(d, c)), to[3] = hn::GetLane(hn::SumOfLanes(d, e));
#else
    // Within blocks of sixteen bytes: sums of elements that stand two apart, of a and b alternately.
    const V ab = add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
    const V ce = add(hn::InterleaveLower(d, c, e), hn::InterleaveUpper(d, c, e));
    if constexpr (sizeof(T) == 4) {
      const hn::RepartitionToWide<hn::RebindToUnsigned<D>> pairs;
      const auto first = hn::BitCast(pairs, ab), second = hn::BitCast(pairs, ce);
      store_block(d,
                  add(hn::BitCast(d, hn::InterleaveLower(pairs, first, second)),
                      hn::BitCast(d, hn::InterleaveUpper(pairs, first, second))),
                  to);
    } else {
      store_block(d, ab, to), store_block(d, ce, to + 2);
    }
#endif
  }

 private:
#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
  // Stores the sum of all blocks of sixteen bytes.
  template <class D2>
  static HWY_INLINE void store_block(D2 d, hn::Vec<D2> value, T* to) {
    if constexpr (hn::MaxLanes(d) * sizeof(T) > 16) {
      const hn::Half<D2> half;
      store_block(half, hn::Add(hn::LowerHalf(half, value), hn::UpperHalf(half, value)), to);
    } else {
      hn::StoreU(value, d, to);
    }
  }
#endif
};
template <class T, index_t Bytes>
struct product_lanes<T, Bytes, true> : own_lanes<T> {};

// The operands of a product tile: per row of A its entries, in one or several runs that may lie anywhere, and a
// panel of B, whose columns are neighbours. Rows of B follow each other, or begin anew with each run.
template <class T, class B = T>
struct tile_factors {
  const T* const* a;  // where run s of row r begins: a[s * height + r]
  index_t runs;
  index_t a_step;                   // from one entry of a run to the next
  const B* b;                       // elements may be narrower than those of the product
  index_t b_step;                   // from one row of B to the next
  index_t depth;                    // entries of a run
  const index_t* b_runs = nullptr;  // where the rows of B of each run begin
};

// A few rows and columns of a product, computed in registers: every entry is summed up from zero, run by run.
template <class T, index_t Bytes = ops::packing::vector_bytes, class Lanes = product_lanes<T, Bytes>>
class product_tile {
 public:
  using vec = Lanes;
  using V = typename vec::V;

  static constexpr bool has_few_registers = vec::registers < 16;
  static constexpr int rows = has_few_registers                           ? 3
                              : HWY_TARGET == HWY_SCALAR && !HWY_ARCH_X86 ? 4
                              : vec::registers == 32                      ? 8
                                                                          : 6;
  static constexpr int vectors = 2;
  // Vectors of a tile of a single row.
  static constexpr int vectors_of_one_row = has_few_registers ? 4 : 8;
  // Whether the first row of a panel is what sums begin with.
  static constexpr bool has_first_sums = requires { requires vec::has_first_sums; };
  // Whether the last vector of a panel may be cut off in memory.
  static constexpr bool reads_cut_panels = vec::reads_parts_cheaply;

  static index_t lanes() { return vec::count(); }
  static index_t panel() { return vectors * lanes(); }

  // c[r] (+)= row r of a * b for `height` <= rows rows and `width` <= panel() columns, or one row and
  // vectors_of_one_row * lanes() columns. Narrower elements of b meet single rows.
  template <needs Needs, class B = T>
  static void run(index_t height, index_t width, const tile_factors<T, B>& factors, T* const* c, bool accumulate) {
    using heights = std::make_integer_sequence<int, std::is_same_v<B, T> ? rows : 1>;
    function<B> tile;
    if (width > panel())
      tile = of_height<Needs, product_branch::tile_of_a_row, vectors_of_one_row, B>(
          1, std::make_integer_sequence<int, 1>());
    else if (width > lanes())
      tile = of_height<Needs, product_branch::tile_of_two_vectors, vectors, B>(height, heights());
    else
      tile = of_height<Needs, product_branch::tile_of_a_vector, 1, B>(height, heights());
    tile(width, factors, c, accumulate);
  }

  // Adds the tiles of `height` x `width` sums, or of parts of them that begin anywhere.
  static constexpr void add_needs(needs& all, index_t height, index_t width, bool any_height, bool any_width) {
    constexpr index_t one = vec::most_lanes, panel = vectors * one;
    any_width = any_width || HWY_HAVE_SCALABLE;
    if (height == 1 && (any_width || width >= vectors_of_one_row * one)) all.add(product_branch::tile_of_a_row);
    const index_t last = width % panel, pieces = (height + rows - 1) / rows;
    for (index_t each = 1; each <= rows && each <= height; ++each) {
      if (!any_height && each != height / pieces && each != (height + pieces - 1) / pieces) continue;
      if (any_width || width >= panel || last > one) all.add(product_branch::tile_of_two_vectors, each - 1);
      if (any_width || (0 < last && last <= one)) all.add(product_branch::tile_of_a_vector, each - 1);
    }
  }

  template <int Rows, int Vectors, class B>
  static HWY_INLINE void tile(index_t width, const tile_factors<T, B>& factors, T* const* c, bool accumulate) {
    const index_t last = width - (Vectors - 1) * lanes();
    with_zeros<Rows, Vectors>(std::make_integer_sequence<int, Rows * Vectors>(), last, factors, c, accumulate);
  }

 private:
  template <class B>
  using function = void (*)(index_t, const tile_factors<T, B>&, T* const*, bool);
  template <needs Needs, product_branch Which, int Vectors, class B, int... Row>
  static function<B> of_height(index_t height, std::integer_sequence<int, Row...>) {
    constexpr auto tile_of = []<int Rows>() {
      function<B> found = nullptr;
      if constexpr (Needs.has(Which, Rows - 1)) found = &tile<Rows, Vectors, B>;
      return found;
    };
    static constexpr function<B> tiles[] = { tile_of.template operator()<Row + 1>()... };
    if (tiles[height - 1] == nullptr) begin_branch<needs{}, Which>();
    return tiles[height - 1];
  }

  template <bool IsLast, class B>
  static HWY_INLINE V load_panel(const B* from, [[maybe_unused]] index_t last) {
    if constexpr (!std::is_same_v<B, T>)
      return vec::load_widened(from, IsLast ? last : lanes());
    else if constexpr (IsLast && reads_cut_panels)
      return vec::load_first(from, last);
    else
      return vec::load(from);
  }
  template <bool IsLast, bool Accumulate>
  static HWY_INLINE void store_sum(V sum, T* to, index_t last) {
    if (IsLast && last < lanes()) {
      if constexpr (Accumulate) sum = vec::add(vec::load_first(to, last), sum);
      vec::store_first(sum, to, last);
    } else {
      if constexpr (Accumulate) sum = vec::add(vec::load(to), sum);
      vec::store(sum, to);
    }
  }

  template <int Rows, int Vectors, class B, int... I>
  static HWY_INLINE void with_zeros(std::integer_sequence<int, I...> indices, index_t last,
                                    const tile_factors<T, B>& factors, T* const* c, bool accumulate) {
    with_sums<Rows, Vectors>(indices, last, factors, c, accumulate, first_sum(factors.b + I % Vectors * lanes())...);
  }
  static HWY_INLINE V first_sum([[maybe_unused]] const auto* from) {
    if constexpr (has_first_sums)
      return vec::load(from);
    else
      return vec::zero();
  }
  // The sums are parameters, because vectors of unknown length cannot stand in an array.
  template <int Rows, int Vectors, class B, int... I, class... Sums>
  static HWY_INLINE void with_sums(std::integer_sequence<int, I...>, index_t last, const tile_factors<T, B>& factors,
                                   T* const* c, bool accumulate, Sums... sums) {
    const index_t n = lanes(), depth = factors.depth, a_step = factors.a_step, b_step = factors.b_step;
    const T* const* a = factors.a;
    const B* b = factors.b + (has_first_sums ? b_step : 0);
    for (int row = 0; row < Rows; ++row) hwy::Prefetch(c[row]);
    for (index_t run = 0; run < factors.runs; ++run, a += Rows) {
      index_t at = 0;
      if (factors.b_runs != nullptr) b = factors.b + factors.b_runs[run];
      for (index_t k = 0; k < depth; ++k) {
        ((sums = vec::multiply_add(vec::broadcast(a[I / Vectors][at]),
                                   load_panel<(I % Vectors == Vectors - 1)>(b + I % Vectors * n, last), sums)),
         ...);
        at += a_step;
        b += b_step;
      }
    }
    if (accumulate)
      (store_sum<(I % Vectors == Vectors - 1), true>(sums, c[I / Vectors] + I % Vectors * n, last), ...);
    else
      (store_sum<(I % Vectors == Vectors - 1), false>(sums, c[I / Vectors] + I % Vectors * n, last), ...);
  }
};

}  // namespace tiling
}  // namespace tenon::kernels::inline HWY_NAMESPACE
