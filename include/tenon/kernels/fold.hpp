// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/copy/strided.hpp>
#include <tenon/kernels/elementwise.hpp>
#include <tenon/kernels/needs.hpp>
#include <tenon/kernels/tuning.hpp>

#include <algorithm>
#include <cstdint>

namespace tenon::kernels {

// Whether an op gives one of its operands, which is as exact as they are.
template <class Op>
concept gives_an_operand = Op::gives_an_operand;

// Vectors of neighbouring results that a body combines with one element each, rounded to T after every step.
template <class Body, class T, class S = T, class Tag = hn::ScalableTag<lane_t<T>>>
struct body_lanes {
  // Emulated lanes of f32 are no faster than elements, and much more code.
  static constexpr bool is_slow = is_narrow_lane<T>() && has_emulated_lanes;
  static constexpr bool is_supported =
      !is_slow && lane_form_of<Body, T, T, 2> == lane_form::numbers && (std::is_same_v<S, T> || is_narrow_lane<S>());
  using D = Tag;

  static index_t count() { return index_t(hn::Lanes(D())); }
  static HWY_INLINE auto load(const auto* from, index_t some = count()) {
    return load_elements(D(), from, std::size_t(some), hn::Lanes(D()));
  }
  template <class V>
  static HWY_INLINE void store(V value, T* to, index_t some = count()) {
    store_elements(value, D(), to, std::size_t(some), hn::Lanes(D()));
  }
  static HWY_INLINE auto repeated(const T& element) {
    if constexpr (is_narrow_lane<T>())
      return hn::Set(D(), convert_to<f32>(element));
    else
      return hn::Set(D(), element);
  }
  template <class V>
  static HWY_INLINE V combine(V total, V element) {
    const V value = Body::lanes(D(), total, element);
    if constexpr (is_narrow_lane<T>() && !gives_an_operand<Body>)
      return decode_lanes<dtype_of<T>>(D(), encode_lanes<dtype_of<T>>(D(), value));
    else
      return value;
  }
};

template <class Body, class T, class S>
constexpr T combine_elements(const T& total, const S& element) {
  using C = compute_t<T>;
  const C value = element_of_op<Body, T>(Body{}, C(total), C(element));
  if constexpr (std::is_same_v<C, T>)
    return value;
  else
    return convert_to<T>(value);
}

// Whether a body gives for the bytes of booleans what it gives for them.
template <class Body>
constexpr bool combines_bytes_of_booleans() {
  for (const bool a : {false, true})
    for (const bool b : {false, true})
      if (combine_elements<Body, std::uint8_t>(a, b) != std::uint8_t(combine_elements<Body, bool>(a, b))) return false;
  return true;
}
// The type in which a body folds elements of T: bytes have lanes.
template <class Body, class T>
constexpr auto folded_as() {
  if constexpr (!std::is_same_v<T, bool>)
    return T{};
  else if constexpr (combines_bytes_of_booleans<Body>())
    return std::uint8_t{};
  else
    return bool{};
}

// The lanes of a vector, combined pairwise: each with the one half a vector further on.
template <class Body, class D>
HWY_INLINE hn::TFromD<D> combine_halves(D d, hn::Vec<D> all) {
  if constexpr (hn::MaxLanes(d) == 1) {
    return hn::GetLane(all);
#if HWY_TARGET != HWY_SCALAR
  } else if constexpr (HWY_HAVE_SCALABLE || sizeof(hn::TFromD<D>) < 4) {
    HWY_ALIGN hn::TFromD<D> kept[hn::MaxLanes(d)];
    hn::Store(all, d, kept);
    for (std::size_t half = hn::Lanes(d) / 2; half > 0; half /= 2)
      for (std::size_t i = 0; i < half; ++i) kept[i] = combine_elements<Body>(kept[i], kept[half + i]);
    return kept[0];
  } else {
    const hn::Half<D> half;
    return combine_halves<Body>(half, Body::lanes(half, hn::LowerHalf(half, all), hn::UpperHalf(half, all)));
#endif
  }
}

enum class fold_branch { one_row, each_row, added_rows, distant_rows, many_levels, rows_of_groups };

// The axes of a fold; neighbours that are both folded or both kept count as one.
class fold_levels {
 public:
  constexpr fold_levels(const ints& shape, const ints& axes) {
    for (int axis = 0; axis < shape.size; ++axis) {
      if (shape.at[axis] == 1) continue;
      const bool folded = axes.contains(axis);
      if (levels_ > 0 && folded_[levels_ - 1] == folded) {
        sizes_[levels_ - 1] *= shape.at[axis];
      } else {
        sizes_[levels_] = shape.at[axis];
        folded_[levels_++] = folded;
      }
    }
    index_t stride = 1, result_stride = 1;
    for (int level = levels_ - 1; level >= 0; --level) {
      strides_[level] = stride;
      result_strides_[level] = result_stride;
      stride *= sizes_[level];
      if (!folded_[level]) result_stride *= sizes_[level];
    }
  }

  constexpr needs needs_of(index_t bytes, bool is_large) const {
    needs all;
    if (is_large || levels_ > 2) all.add(fold_branch::many_levels);
    if (levels_ == 0 || (levels_ == 1 && folded_[0])) {
      all.add(fold_branch::one_row);
    } else if (folded_[levels_ - 1]) {
      all.add(fold_branch::each_row), all.add(fold_branch::added_rows);
    } else {
      const index_t above = levels_ > 1 ? sizes_[levels_ - 2] * strides_[levels_ - 2] * bytes : 0;
      all.add(above > tuning::first_cache_bytes ? fold_branch::distant_rows : fold_branch::added_rows);
    }
    return all;
  }

 protected:
  index_t sizes_[max_rank]{}, strides_[max_rank]{}, result_strides_[max_rank]{};
  bool folded_[max_rank]{};
  int levels_ = 0;
};

// Combines elements by an associative op: the order is fixed by shape and target alone. Along the innermost axis four
// vectors collect elements round robin, and are combined pairwise at the end; along any other axis elements are taken
// in ascending order. Elements may be narrower floats than totals are.
template <class Body, class T, class S = T, needs Needs = needs::all()>
class fold : fold_levels {
  // Vectors of no more than 256 bytes, so that four of them fit what is kept of a row.
  using lanes_tag = hn::CappedTag<T, 256 / sizeof(T)>;
  using lanes = body_lanes<Body, T, S>;

 public:
  // Whether four vectors collect the elements of a row that fills them.
  static constexpr bool vectorised = std::is_same_v<S, T> && has_lanes<T> && lanes::is_supported;

  // result[...] = body(init, elements along `axes`). All dense and row-major.
  static void run(const S* from, const T& init, T* to, const ints& shape, const ints& axes,
                  const workers& helpers = {}) {
    const index_t results = shape.without(axes).product();
    for (index_t i = 0; i < results; ++i) to[i] = init;
    if (results == 0 || shape.product() == 0) return;
    const fold walk(shape, axes);
    if (walk.levels_ == 0) {
      *to = combine(*to, *from);
      return;
    }
    const bool is_divided = helpers.count() > 1 && shape.product() >= tuning::least_shared_elements;
    if (!is_divided && walk.levels_ <= 2) return walk.combine_last_levels(from, to);
    begin_branch<Needs, fold_branch::many_levels>();
    if (is_divided)
      walk.divide(from, to, helpers);
    else
      walk.descend(0, from, to);
  }

  // result[0] = body(init, a row), given part after part: all but the last one a multiple of four vectors. `state`
  // keeps 1,024 bytes in between. Gives what `run` gives.
  static HWY_INLINE void run_part(const S* from, const T& init, T* to, index_t count, bool begins, bool ends,
                                  void* state) {
    if constexpr (vectorised) {
      const lanes_tag d;
      const index_t width = index_t(hn::Lanes(d));
      T* const kept = static_cast<T*>(state);
      index_t done = begins ? 4 * width : 0;
      auto a = hn::LoadU(d, begins ? from : kept), b = hn::LoadU(d, (begins ? from : kept) + width);
      auto c = hn::LoadU(d, (begins ? from : kept) + 2 * width), e = hn::LoadU(d, (begins ? from : kept) + 3 * width);
      for (; done + 4 * width <= count; done += 4 * width) {
        a = Body::lanes(d, a, hn::LoadU(d, from + done));
        b = Body::lanes(d, b, hn::LoadU(d, from + done + width));
        c = Body::lanes(d, c, hn::LoadU(d, from + done + 2 * width));
        e = Body::lanes(d, e, hn::LoadU(d, from + done + 3 * width));
      }
      if (!ends) {
        hn::StoreU(a, d, kept), hn::StoreU(b, d, kept + width);
        hn::StoreU(c, d, kept + 2 * width), hn::StoreU(e, d, kept + 3 * width);
        return;
      }
      const auto take_left = [&](auto& total) HWY_ATTR {
        if (done >= count) return;
        const std::size_t some = std::size_t(std::min(count - done, width));
        const auto value = Body::lanes(d, total, load_elements(d, from + done, some, hn::Lanes(d)));
        total = hn::IfThenElse(hn::FirstN(d, some), value, total);
        done += width;
      };
      take_left(a), take_left(b), take_left(c), take_left(e);
      *to = combine(init, combine_halves<Body>(d, Body::lanes(d, Body::lanes(d, a, b), Body::lanes(d, c, e))));
    } else {
      T& total = *static_cast<T*>(state);
      if (begins) total = init;
      for (index_t i = 0; i < count; ++i) total = combine(total, from[i]);
      if (ends) *to = total;
    }
  }

 private:
  using fold_levels::fold_levels;

  // Elements of a result that are worked on together, so that they stay in the first cache.
  static constexpr index_t block = tuning::results_together;

  // For remainders and short rows: vectors of sixteen bytes.
  using short_lanes = body_lanes<Body, T, S, hn::CappedTag<lane_t<T>, 16 / sizeof(lane_t<T>)>>;

  static T combine(const T& total, const S& element) { return combine_elements<Body, T>(total, element); }

  // Each part works on results of its own, as the undivided loop does.
  void divide(const S* from, T* to, const workers& helpers) const {
    if (levels_ == 2 && !folded_[0]) {
      helpers.for_each_range(sizes_[0], 64, [&](index_t first, index_t last) {
        combine_each_row(from + first * strides_[0], last - first, strides_[0], to + first);
      });
    } else if (levels_ > 1 && !folded_[0]) {
      helpers.for_each_range(sizes_[0], 1, [&](index_t first, index_t last) {
        for (index_t i = first; i < last; ++i) descend(1, from + i * strides_[0], to + i * result_strides_[0]);
      });
    } else if (levels_ == 2) {
      constexpr index_t least_columns = 128;
      helpers.for_each_range(sizes_[1], least_columns, [&](index_t first, index_t last) {
        for (index_t i = first; i < last; i += block)
          add_rows(from + i, strides_[0], sizes_[0], to + i, last - i < block ? last - i : block);
      });
    } else {
      descend(0, from, to);
    }
  }

  // Folds the levels below `level`. Not inlined, as its loops: there are several for each op and element type.
  HWY_NOINLINE void descend(int level, const S* from, T* to) const {
    const bool short_rows = levels_ - 3 >= level && !folded_[levels_ - 3] && sizes_[levels_ - 1] <= 16;
    const int first_below = short_rows ? levels_ - 3 : levels_ > 2 ? levels_ - 2 : 0;
    index_t at[max_rank]{};
    for (int moved = level; moved >= level;) {
      if (short_rows)
        combine_short_rows(from, to);
      else
        combine_last_levels(from, to);
      for (moved = first_below - 1; moved >= level; --moved) {
        const index_t result_stride = folded_[moved] ? 0 : result_strides_[moved];
        from += strides_[moved], to += result_stride;
        if (++at[moved] < sizes_[moved]) break;
        from -= sizes_[moved] * strides_[moved], to -= sizes_[moved] * result_stride;
        at[moved] = 0;
      }
    }
  }

  HWY_NOINLINE void combine_last_levels(const S* from, T* to) const {
    const index_t inner = sizes_[levels_ - 1];
    const bool one_level = levels_ == 1;
    if (one_level && folded_[0]) {
      begin_branch<Needs, fold_branch::one_row>();
      *to = combine_row(*to, from, inner);
    } else if (one_level || folded_[levels_ - 2]) {
      const index_t rows = one_level ? 1 : sizes_[levels_ - 2], stride = one_level ? 0 : strides_[levels_ - 2];
      for (index_t first = 0; first < inner; first += block)
        add_rows(from + first, stride, rows, to + first, inner - first < block ? inner - first : block);
    } else {
      begin_branch<Needs, fold_branch::each_row>();
      combine_each_row(from, sizes_[levels_ - 2], strides_[levels_ - 2], to);
    }
  }
  HWY_NOINLINE void combine_short_rows(const S* from, T* to) const {
    const int level = levels_ - 3;
    const index_t size = sizes_[level], stride = strides_[level], result_stride = result_strides_[level];
    const index_t rows = sizes_[level + 1], row = sizes_[level + 2];
    for (index_t i = 0; i < size; ++i) add_few_rows<false>(from + i * stride, row, rows, to + i * result_stride, row);
  }

  // to[i] = body(to[i], a row of `count` elements), for adjacent rows.
  static HWY_NOINLINE void combine_each_row(const S* from, index_t rows, index_t count, T* to) {
    index_t i = 0;
    // Where the elements of a row are combined one by one, many rows are worked on at a time.
    if constexpr (lanes::is_supported) {
      constexpr index_t most_rows = 64, depth = 8192 / (most_rows * index_t(sizeof(S)));
      bool one_by_one = true;
      if constexpr (vectorised) one_by_one = count < 4 * index_t(hn::Lanes(lanes_tag()));
      while (one_by_one && count > 1 && rows - i >= 8) {
        const index_t some = rows - i < most_rows ? rows - i : most_rows;
        alignas(64) std::byte turned[most_rows * depth * sizeof(S)];
        for (index_t first = 0; first < count; first += depth) {
          const index_t columns = count - first < depth ? count - first : depth;
          copy_box(reinterpret_cast<bytes_like<S>*>(turned), most_rows,
                   reinterpret_cast<const bytes_like<S>*>(from + i * count + first), 1, count, columns, some);
          add_rows(reinterpret_cast<const S*>(turned), most_rows, columns, to + i, some);
        }
        i += some;
      }
    }
    for (; i < rows; ++i) to[i] = combine_row(to[i], from + i * count, count);
  }

  // to[j] = body(...body(to[j], from[j])..., from[(rows - 1) * stride + j])
  static HWY_NOINLINE void add_rows(const S* from, index_t stride, index_t rows, T* to, index_t count) {
    if constexpr (lanes::is_supported) {
      // Two rows at a time halve the loads and stores of results, while rows stay in the first cache.
      if (is_narrow_lane<T>() || rows * stride * index_t(sizeof(S)) <= tuning::first_cache_bytes) {
        begin_branch<Needs, fold_branch::added_rows>();
        index_t i = 0;
        for (; i + 2 <= rows; i += 2) add_few_rows<true>(from + i * stride, stride, 2, to, count);
        if (i < rows) add_few_rows<true>(from + i * stride, stride, 1, to, count);
      } else {
        begin_branch<Needs, fold_branch::distant_rows>();
        constexpr int vectors = is_complex(dtype_of<T>) ? 8 : 16;
        const index_t done = add_long_rows(from, stride, rows, to, count, std::make_integer_sequence<int, vectors>());
        for (index_t i = 0; i < rows && done < count; ++i)
          add_few_rows<true>(from + i * stride + done, stride, 1, to + done, count - done);
      }
    } else {
      for (index_t i = 0; i < rows; ++i)
        for (index_t j = 0; j < count; ++j) to[j] = combine(to[j], from[i * stride + j]);
    }
  }
  // `Wide`: in the longest vectors that there are, too.
  template <bool Wide>
  static HWY_INLINE void add_few_rows(const S* from, index_t stride, index_t rows, T* to, index_t count) {
    index_t j = 0;
    if constexpr (lanes::is_supported) {
      if constexpr (Wide) j = add_vectors<lanes>(from, stride, rows, to, 0, count);
      j = add_vectors<short_lanes>(from, stride, rows, to, j, count);
    }
    for (; j < count; ++j) {
      T total = to[j];
      for (index_t r = 0; r < rows; ++r) total = combine(total, from[r * stride + j]);
      to[j] = total;
    }
  }
  // Combines whole groups of vectors of each row; returns the number of elements done. Totals stay in registers where
  // there are enough; elsewhere rows are read one after another, in the order that hardware prefetches.
  template <int... I>
  static index_t add_long_rows(const S* from, index_t stride, index_t rows, T* to, index_t count,
                               std::integer_sequence<int, I...> all_of_them) {
    const index_t width = lanes::count(), all = index_t(sizeof...(I)) * width, whole = count / all * all;
    if constexpr (HWY_TARGET <= HWY_AVX3) {
      for (index_t j = 0; j < whole; j += all)
        add_to_held(from + j, stride, rows, to + j, all_of_them, lanes::load(to + j + I * width)...);
    } else {
      for (index_t i = 0; i < rows; ++i, from += stride)
        for (index_t j = 0; j < whole; j += all)
          (lanes::store(lanes::combine(lanes::load(to + j + I * width), lanes::load(from + j + I * width)),
                        to + j + I * width),
           ...);
    }
    return whole;
  }
  template <int... I, class... V>
  static HWY_INLINE void add_to_held(const S* from, index_t stride, index_t rows, T* to,
                                     std::integer_sequence<int, I...>, V... totals) {
    const index_t width = lanes::count();
    for (index_t i = 0; i < rows; ++i, from += stride)
      ((totals = lanes::combine(totals, lanes::load(from + I * width))), ...);
    (lanes::store(totals, to + I * width), ...);
  }
  template <class Lanes>
  static HWY_INLINE index_t add_vectors(const S* row, index_t stride, index_t rows, T* to, index_t j, index_t count) {
    const index_t width = Lanes::count();
    for (; j + width <= count; j += width) {
      auto total = Lanes::load(to + j);
      for (index_t r = 0; r < rows; ++r) total = Lanes::combine(total, Lanes::load(row + r * stride + j));
      Lanes::store(total, to + j);
    }
    return j;
  }

  static T combine_row(T total, const S* from, index_t count) {
    if constexpr (vectorised)
      if (count >= 4 * index_t(hn::Lanes(lanes_tag()))) {
        run_part(from, total, &total, count, true, true, nullptr);
        return total;
      }
    for (index_t done = 0; done < count; ++done) total = combine(total, from[done]);
    return total;
  }
};

// An op that folds whole axes of its one input says which: `folded_axes`.
template <class Op>
concept folds_axes = requires(const Op& self) {
  { self.folded_axes() } -> std::convertible_to<ints>;
};

// Runs an op that folds axes by one op, on one input: all of it, or rows of a fused group.
template <class Op, class Body, class T, class S = T, needs Needs = needs::all()>
void fold_kernel(const evaluation& e) {
  using folding = fold<Body, T, S, Needs>;
  const S* const from = e.operand<S>(0);
  const T& init = *e.operand<T>(1);
  if (e.row > 0) begin_branch<Needs, fold_branch::rows_of_groups>();
  if (e.row > 0 && e.begins_row && e.ends_row)
    return folding::run(from, init, e.result<T>(0), ints{e.count, e.row}, ints{1});
  if (e.row > 0) return folding::run_part(from, init, e.result<T>(0), e.row, e.begins_row, e.ends_row, e.scratch);
  folding::run(from, init, e.result<T>(0), e.operand_types.data[0].shape, read_attributes<Op>(e.words).folded_axes(),
               e.helpers != nullptr ? *e.helpers : workers{});
}
constexpr needs needs_of_rows() {
  needs all;
  all.add(fold_branch::rows_of_groups), all.add(fold_branch::one_row), all.add(fold_branch::each_row),
      all.add(fold_branch::added_rows);
  return all;
}
template <class Op, class T, class S>
constexpr needs needs_of_fold(const evaluation& e) {
  const ints& shape = e.operand_types.data[0].shape;
  return fold_levels(shape, read_attributes<Op>(e.words).folded_axes())
      .needs_of(is_narrow_lane<T>() ? 0 : sizeof(S), shape.product() >= tuning::least_shared_elements);
}

}  // namespace tenon::kernels
