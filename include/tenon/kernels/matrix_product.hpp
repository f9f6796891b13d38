// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/core/lanes.hpp>
#include <tenon/core/narrow_lanes.hpp>
#include <tenon/ops/contraction/packing.hpp>

#include <cstring>
#include <utility>

namespace tenon::inline HWY_NAMESPACE {

// A matrix whose entry (i, j) lies at data[i * row + j * column].
template <class T>
struct strided_matrix {
  T* data;
  index_t row, column;

  constexpr strided_matrix transposed() const { return {data, column, row}; }
  constexpr T* at(index_t i, index_t j) const { return data + i * row + j * column; }
};

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

// An element as a lane of T, which is wider: floats by value, integers with their sign.
template <class T, class E>
HWY_INLINE T widened(const E& element) {
  if constexpr (std::is_integral_v<E>)
    return T(element);
  else
    return convert_to<T>(element);
}

// The vectors of at most so many bytes that products are computed in.
#if HWY_ARCH_X86 && (HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128)
// Without flags Highway has no instructions for x86, although all processors of 64 bits have SSE2.
template <class T, index_t = packing::vector_bytes>
struct product_lanes {
  typedef T raw_vector __attribute__((vector_size(16)));
  struct V {
    raw_vector raw;
  };
  static constexpr bool reads_parts_cheaply = false;

  static constexpr index_t most_lanes = 16 / index_t(sizeof(T));
  static constexpr index_t count() { return most_lanes; }
  static HWY_INLINE V zero() { return broadcast(0); }
  static HWY_INLINE V broadcast(T value) { return V{raw_vector{} + value}; }
  static HWY_INLINE V load(const T* from) {
    V value;
    std::memcpy(&value.raw, from, sizeof value.raw);
    return value;
  }
  static HWY_INLINE V load_first(const T* from, index_t size) {
    V value = zero();
    for (index_t i = 0; i < count(); ++i)
      if (i < size) value.raw[i] = from[i];
    return value;
  }
  template <class E>
  static HWY_INLINE V load_widened(const E* from, index_t size) {
    V value = zero();
    for (index_t i = 0; i < count(); ++i)
      if (i < size) value.raw[i] = widened<T>(from[i]);
    return value;
  }
  // Of the elements from there on, those at even distances; the one behind the last of them is read as well.
  static HWY_INLINE V load_every_other(const T* from) {
    V value = zero();
    for (index_t i = 0; i < count(); ++i) value.raw[i] = from[2 * i];
    return value;
  }
  static HWY_INLINE void store(V value, T* to) { std::memcpy(to, &value.raw, sizeof value.raw); }
  static HWY_INLINE void store_first(V value, T* to, index_t size) {
    for (index_t i = 0; i < count(); ++i)
      if (i < size) to[i] = value.raw[i];
  }
  static HWY_INLINE V add(V a, V b) { return V{a.raw + b.raw}; }
  static HWY_INLINE V multiply_add(V a, V b, V sum) { return V{a.raw * b.raw + sum.raw}; }
  static HWY_INLINE T total(V value) {
    T sum = value.raw[0];
    for (index_t i = 1; i < count(); ++i) sum += value.raw[i];
    return sum;
  }
};
#else
template <class T, index_t Bytes = packing::vector_bytes>
struct product_lanes {
  using D = hn::CappedTag<T, std::size_t(Bytes) / sizeof(T)>;
  using V = hn::Vec<D>;
  // Whether reading a part of a vector costs no more than reading all of it.
  static constexpr bool reads_parts_cheaply = HWY_TARGET <= HWY_AVX3 || HWY_HAVE_SCALABLE;

  static constexpr index_t most_lanes = index_t(hn::MaxLanes(D()));
  static HWY_INLINE index_t count() { return index_t(hn::Lanes(D())); }
  static HWY_INLINE V zero() { return hn::Zero(D()); }
  static HWY_INLINE V broadcast(T value) { return hn::Set(D(), value); }
  static HWY_INLINE V load(const T* from) { return hn::LoadU(D(), from); }
  static HWY_INLINE V load_first(const T* from, index_t size) {
    return tenon::load_first(D(), from, std::size_t(size));
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
      const auto loaded = size == count() ? hn::LoadU(d, at) : tenon::load_first(d, at, std::size_t(size));
      return hn::BitCast(D(), hn::PromoteTo(hn::RebindToSigned<D>(), loaded));
    } else {
      return load_elements(D(), from, std::size_t(size), std::size_t(count()));
    }
  }
  // Of the elements from there on, those at even distances; the one behind the last of them is read as well.
  static HWY_INLINE V load_every_other(const T* from) {
#if HWY_TARGET == HWY_SCALAR
    return load(from);
#else
    return hn::ConcatEven(D(), load(from + count()), load(from));
#endif
  }
  static HWY_INLINE void store(V value, T* to) { hn::StoreU(value, D(), to); }
  static HWY_INLINE void store_first(V value, T* to, index_t size) {
    tenon::store_first(value, D(), to, std::size_t(size));
  }
  static HWY_INLINE V add(V a, V b) { return hn::Add(a, b); }
  static HWY_INLINE V multiply_add(V a, V b, V sum) {
    if constexpr (std::is_integral_v<T>)
      return hn::Add(hn::Mul(a, b), sum);
    else
      return hn::MulAdd(a, b, sum);
  }
  static HWY_INLINE T total(V value) { return hn::GetLane(hn::SumOfLanes(D(), value)); }
};
#endif

// What a tile of a product is made of: per row of A its entries, in one or several runs that may lie anywhere, and a
// panel of B, whose columns are neighbours.
template <class T, class B = T>
struct tile_factors {
  const T* const* a;  // where run s of row r begins: a[s * height + r]
  index_t runs;
  index_t a_step;  // from one entry of a run to the next
  const B* b;      // elements may be narrower than those of the product
  index_t b_step;  // from one row of B to the next
  index_t depth;   // entries of a run
};

// A few rows and columns of a product, computed in registers: every entry is summed up from zero by multiply-adds, run
// by run, on whichever row and column of the tile it stands.
template <class T, index_t Bytes = packing::vector_bytes>
class product_tile {
 public:
  using vec = product_lanes<T, Bytes>;
  using V = typename vec::V;

  static constexpr bool has_32_registers = HWY_ARCH_ARM_A64 || HWY_TARGET <= HWY_AVX3;
  static constexpr int rows = HWY_TARGET == HWY_SCALAR && !HWY_ARCH_X86 ? 4 : has_32_registers ? 8 : 6;
  static constexpr int vectors = 2;
  // Vectors of a tile of a single row.
  static constexpr int vectors_of_one_row = 8;
  // Whether the last vector of a panel may be cut off in memory.
  static constexpr bool reads_cut_panels = vec::reads_parts_cheaply;

  static index_t lanes() { return vec::count(); }
  static index_t panel() { return vectors * lanes(); }

  // c[r] (+)= row r of a * b for `height` <= rows rows and `width` <= panel() columns, or one row and
  // vectors_of_one_row * lanes() columns.
  static void run(index_t height, index_t width, const tile_factors<T>& factors, T* const* c, bool accumulate) {
    if (width > panel())
      tile<1, vectors_of_one_row>(width, factors, c, accumulate);
    else if (width > lanes())
      tiles<vectors>::of_height[height - 1](width, factors, c, accumulate);
    else
      tiles<1>::of_height[height - 1](width, factors, c, accumulate);
  }

  // The same for a single row and panels of narrower elements.
  template <class B>
  static void run_row(index_t width, const tile_factors<T, B>& factors, T* const* c, bool accumulate) {
    if (width > panel())
      tile<1, vectors_of_one_row>(width, factors, c, accumulate);
    else if (width > lanes())
      tile<1, vectors>(width, factors, c, accumulate);
    else
      tile<1, 1>(width, factors, c, accumulate);
  }

  template <int Rows, int Vectors, class B>
  static HWY_INLINE void tile(index_t width, const tile_factors<T, B>& factors, T* const* c, bool accumulate) {
    const index_t last = width - (Vectors - 1) * lanes();
    with_zeros<Rows, Vectors>(std::make_integer_sequence<int, Rows * Vectors>(), last, factors, c, accumulate);
  }

 private:
  using function = void (*)(index_t, const tile_factors<T>&, T* const*, bool);

  template <int Vectors, class Rows = std::make_integer_sequence<int, rows>>
  struct tiles;
  template <int Vectors, int... Row>
  struct tiles<Vectors, std::integer_sequence<int, Row...>> {
    static constexpr function of_height[] = {&tile<Row + 1, Vectors, T>...};
  };

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
    with_sums<Rows, Vectors>(indices, last, factors, c, accumulate, ((void)I, vec::zero())...);
  }
  // The sums are parameters, because vectors of unknown length cannot stand in an array.
  template <int Rows, int Vectors, class B, int... I, class... Sums>
  static HWY_INLINE void with_sums(std::integer_sequence<int, I...>, index_t last, const tile_factors<T, B>& factors,
                                   T* const* c, bool accumulate, Sums... sums) {
    const index_t n = lanes(), depth = factors.depth, a_step = factors.a_step, b_step = factors.b_step;
    const T* const* a = factors.a;
    const B* b = factors.b;
    for (index_t run = 0; run < factors.runs; ++run, a += Rows) {
      index_t at = 0;
      for (index_t k = 0; k < depth; ++k) {
        ((sums = vec::multiply_add(vec::broadcast(a[I / Vectors][at]),
                                   load_panel < I % Vectors == Vectors - 1 > (b + I % Vectors * n, last), sums)),
         ...);
        at += a_step;
        b += b_step;
      }
    }
    if (accumulate)
      (store_sum < I % Vectors == Vectors - 1, true > (sums, c[I / Vectors] + I % Vectors * n, last), ...);
    else
      (store_sum < I % Vectors == Vectors - 1, false > (sums, c[I / Vectors] + I % Vectors * n, last), ...);
  }
};

// to[k * row + j] = from[j * from_row + k] for small blocks of k and j.
template <class T>
HWY_INLINE void transpose_block(const T* from, [[maybe_unused]] index_t from_row, T* to, [[maybe_unused]] index_t row) {
#if HWY_TARGET == HWY_SCALAR
  *to = *from;
#else
  const hn::FixedTag<T, 16 / sizeof(T)> d;
  const auto a = hn::LoadU(d, from), b = hn::LoadU(d, from + from_row);
  if constexpr (sizeof(T) == 8) {
    hn::StoreU(hn::InterleaveLower(d, a, b), d, to);
    hn::StoreU(hn::InterleaveUpper(d, a, b), d, to + row);
  } else {
    const auto c = hn::LoadU(d, from + 2 * from_row), e = hn::LoadU(d, from + 3 * from_row);
    const auto ac_lower = hn::InterleaveLower(d, a, c), ac_upper = hn::InterleaveUpper(d, a, c);
    const auto be_lower = hn::InterleaveLower(d, b, e), be_upper = hn::InterleaveUpper(d, b, e);
    hn::StoreU(hn::InterleaveLower(d, ac_lower, be_lower), d, to);
    hn::StoreU(hn::InterleaveUpper(d, ac_lower, be_lower), d, to + row);
    hn::StoreU(hn::InterleaveLower(d, ac_upper, be_upper), d, to + 2 * row);
    hn::StoreU(hn::InterleaveUpper(d, ac_upper, be_upper), d, to + 3 * row);
  }
#endif
}

// Lanes of T for `count` neighbouring elements.
template <class T, class E>
void widen_run(const E* from, index_t count, T* to) {
  using vec = product_lanes<T>;
  const index_t lanes = vec::count();
  index_t i = 0;
  for (; i + lanes <= count; i += lanes) vec::store(vec::load_widened(from + i, lanes), to + i);
  if (i < count) vec::store_first(vec::load_widened(from + i, count - i), to + i, count - i);
}

// Copies `depth` x `width` entries of B to a panel, whose rows are a whole number of vectors; what is left of them
// becomes zero. Gives the length of those rows.
template <class T, class E>
index_t pack_panel(const strided_matrix<const E>& b, index_t depth, index_t width, T* to) {
  using tile = product_tile<T>;
  constexpr bool widens = !std::is_same_v<T, E>;
  const index_t lanes = tile::lanes(), panel = width > lanes ? tile::panel() : lanes;
  if (b.column == 1) {
    using vec = product_lanes<T>;
    const auto load = [&](const E* from, index_t count) {
      if constexpr (widens)
        return vec::load_widened(from, count);
      else
        return count == lanes ? vec::load(from) : vec::load_first(from, count);
    };
    for (index_t k = 0; k < depth; ++k)
      for (index_t j = 0; j < panel; j += lanes) {
        const index_t left = width - j;
        vec::store(left > 0 ? load(b.at(k, j), left < lanes ? left : lanes) : vec::zero(), to + k * panel + j);
      }
    return panel;
  }
  index_t whole_columns = 0, whole_depth = 0;
  if constexpr (!widens) {
    constexpr index_t block = HWY_TARGET == HWY_SCALAR ? 1 : 16 / index_t(sizeof(T));
    whole_columns = b.row == 1 ? width / block * block : 0;
    whole_depth = depth / block * block;
    for (index_t j = 0; j < whole_columns; j += block)
      for (index_t k = 0; k < whole_depth; k += block) transpose_block(b.at(k, j), b.column, to + k * panel + j, panel);
  } else if (b.row == 1) {
    T column[packing::block_depth];
    whole_columns = width;
    whole_depth = depth;
    for (index_t j = 0; j < width; ++j) {
      widen_run(b.at(0, j), depth, column);
      for (index_t k = 0; k < depth; ++k) to[k * panel + j] = column[k];
    }
  }
  for (index_t j = 0; j < panel; ++j)
    for (index_t k = j < whole_columns ? whole_depth : 0; k < depth; ++k)
      to[k * panel + j] = j < width ? widened<T>(*b.at(k, j)) : T{};
  return panel;
}

// to[i * to_step] (+)= sum over j of rows[i * row + j] * vector[j]. Two vectors collect the products of a row in turn.
template <class T>
class row_products {
 public:
  static void run(index_t count, index_t length, const T* rows, index_t row, const T* vector, T* to, index_t to_step,
                  bool accumulate) {
    index_t i = 0;
    for (; i + 4 <= count; i += 4)
      with_zeros<4>(length, rows + i * row, row, vector, to + i * to_step, to_step, accumulate);
    for (; i < count; ++i) with_zeros<1>(length, rows + i * row, row, vector, to + i * to_step, to_step, accumulate);
  }

 private:
  using vec = product_lanes<T>;

  template <int Rows>
  static void with_zeros(index_t length, const T* rows, index_t row, const T* vector, T* to, index_t to_step,
                         bool accumulate) {
    [&]<int... I>(std::integer_sequence<int, I...> indices) {
      with_sums<Rows>(indices, length, rows, row, vector, to, to_step, accumulate, ((void)I, vec::zero())...);
    }(std::make_integer_sequence<int, 2 * Rows>());
  }
  // Sum I is that of row I % Rows over every other vector.
  template <int Rows, int... I, class... Sums>
  static HWY_INLINE void with_sums(std::integer_sequence<int, I...>, index_t length, const T* rows, index_t row,
                                   const T* vector, T* to, index_t to_step, bool accumulate, Sums... sums) {
    const index_t n = vec::count();
    index_t j = 0;
    for (; j + 2 * n <= length; j += 2 * n)
      ((sums = vec::multiply_add(vec::load(rows + I % Rows * row + j + I / Rows * n),
                                 vec::load(vector + j + I / Rows * n), sums)),
       ...);
    if (j < length) {
      const index_t first = length - j < n ? length - j : n, second = length - j - first;
      const auto part = [&](const T* from, int half) {
        return vec::load_first(from + (half == 0 ? j : j + first), half == 0 ? first : second);
      };
      ((sums = vec::multiply_add(part(rows + I % Rows * row, I / Rows), part(vector, I / Rows), sums)), ...);
    }
    const T totals[] = {vec::total(sums)...};
    for (int i = 0; i < Rows; ++i) {
      const T total = totals[i] + totals[Rows + i];
      to[i * to_step] = accumulate ? to[i * to_step] + total : total;
    }
  }
};

}  // namespace tiling

// c (+)= a * b for an m x k matrix a and a k x n matrix b of f32 or f64; the entries of a row of c are neighbours.
// `scratch` has packing::product(m, n, k, sizeof(T)) bytes. The order of every sum depends on the sizes and strides
// alone.
template <class T>
void matrix_product(index_t m, index_t n, index_t k, const strided_matrix<const T>& a, const strided_matrix<const T>& b,
                    T* c, index_t c_row, bool accumulate, void* scratch) {
  using tile = tiling::product_tile<T>;
  if (n == 1 && a.column == 1 && b.row == 1)
    return tiling::row_products<T>::run(m, k, a.data, a.row, b.data, c, c_row, accumulate);
  if (m == 1 && a.column == 1 && b.row == 1)
    return tiling::row_products<T>::run(n, k, b.data, b.column, a.data, c, 1, accumulate);
  if (n == 1 && c_row == 1 && m > 1)
    return matrix_product(n, m, k, b.transposed(), a.transposed(), c, m, accumulate, scratch);

  const index_t panel = tile::panel();
  T* const packed = static_cast<T*>(scratch);
  const auto multiply = [&](index_t k0, index_t depth, index_t j, index_t width, const T* from, index_t step) {
    tiling::for_each_piece(m, tile::rows, [&](index_t i, index_t height) {
      const T* from_rows[tile::rows];
      T* to_rows[tile::rows];
      for (index_t r = 0; r < height; ++r) {
        from_rows[r] = a.at(i + r, k0);
        to_rows[r] = c + (i + r) * c_row + j;
      }
      tile::run(height, width, {from_rows, 1, a.column, from, step, depth}, to_rows, accumulate || k0 > 0);
    });
  };
  const bool fits_first_cache = n * k * index_t(sizeof(T)) <= 64 * 1024;
  if (b.column == 1 && (fits_first_cache || m <= 3 * tile::rows)) {
    // Few rows: all of b is read once, in the order of its rows.
    const index_t most = !fits_first_cache ? 32 : tile::reads_cut_panels ? k : packing::block_depth;
    index_t k0 = 0;
    do {
      const index_t depth = k - k0 < most ? k - k0 : most;
      for (index_t j = 0, width = 0; j < n; j += width) {
        const index_t wide = tile::vectors_of_one_row * tile::lanes();
        width = m == 1 && n - j >= wide ? wide : n - j < panel ? n - j : panel;
        if (!tile::reads_cut_panels && width % tile::lanes() != 0) {
          const index_t step = tiling::pack_panel<T, T>({b.at(k0, j), b.row, b.column}, depth, width, packed);
          multiply(k0, depth, j, width, packed, step);
        } else {
          multiply(k0, depth, j, width, b.at(k0, j), b.row);
        }
      }
      k0 += most;
    } while (k0 < k);
    return;
  }
  constexpr index_t block_columns = packing::block_bytes / index_t(sizeof(T));
  for (index_t j0 = 0; j0 < n; j0 += block_columns) {
    const index_t columns = n - j0 < block_columns ? n - j0 : block_columns;
    index_t k0 = 0;
    do {
      const index_t depth = k - k0 < packing::block_depth ? k - k0 : packing::block_depth;
      for (index_t j = 0; j < columns; j += panel) {
        const index_t width = columns - j < panel ? columns - j : panel;
        T* const to = packed + j * depth;
        const index_t step = tiling::pack_panel<T, T>({b.at(k0, j0 + j), b.row, b.column}, depth, width, to);
        multiply(k0, depth, j0 + j, width, to, step);
      }
      k0 += packing::block_depth;
    } while (k0 < k);
  }
}

// The same for elements narrower than the lanes T of the product, depth by depth. `scratch` has in addition
// packing::widened_rows(k, sizeof(T)) bytes.
template <class T, class E>
void widening_product(index_t m, index_t n, index_t k, const strided_matrix<const E>& a,
                      const strided_matrix<const E>& b, T* c, index_t c_row, bool accumulate, void* scratch) {
  using tile = tiling::product_tile<T>;
  T* const rows = static_cast<T*>(scratch);
  T* const packed = rows + packing::widened_rows(k, sizeof(T)) / index_t(sizeof(T));
  const index_t panel = tile::panel(), wide = tile::vectors_of_one_row * tile::lanes();
  const auto widen_rows = [&](index_t i, index_t height, index_t k0, index_t depth, const T** from) {
    for (index_t r = 0; r < height; ++r) {
      T* const row = rows + r * depth;
      from[r] = row;
      if (a.column == 1)
        tiling::widen_run(a.at(i + r, k0), depth, row);
      else
        for (index_t p = 0; p < depth; ++p) row[p] = tiling::widened<T>(*a.at(i + r, k0 + p));
    }
  };
  constexpr index_t block_columns = packing::block_bytes / index_t(sizeof(T));
  const bool reads_in_place = m == 1 && b.column == 1;
  for (index_t j0 = 0; j0 < n; j0 += block_columns) {
    const index_t columns = n - j0 < block_columns ? n - j0 : block_columns;
    index_t k0 = 0;
    do {
      const index_t depth = k - k0 < packing::block_depth ? k - k0 : packing::block_depth;
      const T* from[tile::rows];
      T* to[tile::rows];
      if (reads_in_place) {
        widen_rows(0, 1, k0, depth, from);
        for (index_t j = 0, width = 0; j < columns; j += width) {
          width = columns - j >= wide ? wide : columns - j < panel ? columns - j : panel;
          to[0] = c + j0 + j;
          tile::template run_row<E>(width, {from, 1, 1, b.at(k0, j0 + j), b.row, depth}, to, accumulate || k0 > 0);
        }
      } else {
        for (index_t j = 0; j < columns; j += panel)
          tiling::pack_panel<T, E>({b.at(k0, j0 + j), b.row, b.column}, depth,
                                   columns - j < panel ? columns - j : panel, packed + j * depth);
        tiling::for_each_piece(m, tile::rows, [&](index_t i, index_t height) {
          widen_rows(i, height, k0, depth, from);
          for (index_t j = 0; j < columns; j += panel) {
            const index_t width = columns - j < panel ? columns - j : panel;
            for (index_t r = 0; r < height; ++r) to[r] = c + (i + r) * c_row + j0 + j;
            tile::run(height, width,
                      {from, 1, 1, packed + j * depth, width > tile::lanes() ? panel : tile::lanes(), depth}, to,
                      accumulate || k0 > 0);
          }
        });
      }
      k0 += packing::block_depth;
    } while (k0 < k);
  }
}

}  // namespace tenon::inline HWY_NAMESPACE
