// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/kernels/copy/strided.hpp>
#include <tenon/kernels/tuning.hpp>
#include <tenon/kernels/window_fold.hpp>
#include <tenon/kernels/window_rows.hpp>

#include <cstddef>
#include <cstring>
#include <utility>

namespace tenon::kernels {

enum class body_branch { rows_in_parts, side_by_side, otherwise, elements };

// Folds by regions that are more than one associative op: many results at a time, which lie in memory as they will in
// the end, so that they are the region's first arguments and its results.
template <needs Needs = needs::all()>
class body_fold {
 public:
  // The region takes totals of all inputs, then an element of each; if it is not told, it has loops of its own.
  explicit body_fold(const evaluation& e) : e_(e), inputs_(e.operands.size / 2) {
    if (e.regions.size > 0 && !takes(e)) return;
    body_ = e.lanes_of(0);
    for (int i = 0; i < inputs_; ++i) bytes_[i] = index_t(storage_bytes(e.operand_types.data[i].element));
  }
  bool is_supported() const { return body_ || body_.compiled.apply != nullptr; }
  // Whether there is one region, which takes elements and totals as they are.
  static constexpr bool takes(const evaluation& e) {
    const int inputs = e.operands.size / 2;
    if (inputs > most_inputs || e.regions.size != 1) return false;
    const signature& body = e.regions.data[0];
    if (body.arguments.size != 2 * inputs || body.results.size != inputs) return false;
    for (int i = 0; i < inputs; ++i) {
      const tensor_type& element = e.operand_types.data[i];
      for (const tensor_type& type : {body.arguments.data[i], body.arguments.data[inputs + i], body.results.data[i]})
        if (!element.is_tensor() || element.is_quantized() || type.element != element.element || type.is_quantized() ||
            type.rank() != 0)
          return false;
    }
    return true;
  }

  // Every result takes the elements in ascending order of the folded indices, from its initial value on. Where results
  // are too few to be worked on side by side, and rows are long, rows are folded in parts, which are then combined in
  // order: results are the same if the region is associative.
  void along(const ints& axes) {
    const dimensions all(e_, axes);
    if (all.results == 0) return;
    for (int i = 0; i < inputs_; ++i) fill(i, e_.result<std::byte>(i), all.results);
    if (all.row == 0) return;
    if (index_t result = 0; all.are_in_parts) {
      begin_branch<Needs, body_branch::rows_in_parts>();
      for_each_offset(all.kept, [&](index_t first) { fold_in_parts(first, all.row, result++); }, all.kept_strides);
    } else {
      begin_branch<Needs, body_branch::side_by_side>();
      fold_side_by_side(all.kept, all.kept_strides, all.folded, all.folded_strides);
    }
  }
  static constexpr needs needs_along(const evaluation& e, const ints& axes) {
    needs all;
    all.add(dimensions(e, axes).are_in_parts ? body_branch::rows_in_parts : body_branch::side_by_side);
    for (const tensor_type& type : e.operand_types) all.add_size(body_branch::elements, storage_bytes(type.element));
    return all;
  }

  // Every result takes what is under its window, in ascending order of the place in the window.
  void under(const ops::window_attributes& window) {
    const window_rows rows(window, e_.operand_types.data[0].shape, e_.result_types.data[0].shape);
    const index_t results = e_.result_types.data[0].size(), row = rows.row();
    if (results == 0) return;
    if (const cumulative_windows windows(window, e_.operand_types.data[0].shape);
        windows.is_supported() && windows.begins_with_padding() && keeps_initial_values())
      return windows.for_each_line_group({}, [&](const auto& group) { accumulate(windows.axis(), group); });
    if (rows.places() <= most_places && rows.is_flat(body_.compiled.fold != nullptr ? 5 : 1)) return under_flat(rows);
    for (int i = 0; i < inputs_; ++i) fill(i, e_.result<std::byte>(i), results);
    const index_t most = at_once(), together = row < most ? most / row : 1;
    ints index[most_rows], next = ints::filled(rows.rows().size, 0);
    index_t first_row = 0;
    for (bool more = true; more;) {
      index_t some = 0;
      while (more && some < together && some < most_rows) {
        index[some++] = next;
        more = advance(rows.rows(), next);
      }
      for (index_t first = 0; first < row; first += most) {
        const index_t count = row - first < most ? row - first : most;
        ints place = ints::filled(rows.rows_of_window().size, 0);
        do {
          for (index_t k = 0; k < rows.last().window; ++k) {
            const void* elements[most_inputs];
            for (int i = 0; i < inputs_; ++i)
              elements[i] = elements_under(rows, i, index, some, place, k, first, count);
            take(first_row * row + first, elements, some * count);
          }
        } while (advance(rows.rows_of_window(), place));
      }
      first_row += some;
    }
  }

 private:
  static constexpr int most_inputs = 4;
  static constexpr index_t most_rows = 64, memory_bytes = 32768;
  static constexpr index_t line_bytes = cumulative_windows::side_by_side * 16;
  static constexpr index_t turned_columns = 16;  // which are a line of the cache, mostly

  struct dimensions {
    ints folded, folded_strides, kept, kept_strides;
    index_t results, row;
    bool are_in_parts;

    constexpr dimensions(const evaluation& e, const ints& axes) {
      const ints &shape = e.operand_types.data[0].shape, strides = strides_of(shape);
      ints sorted;
      for (int axis = 0; axis < shape.size; ++axis)
        if (axes.contains(axis) && shape.at[axis] != 1) sorted.push(axis);
      folded = shape.select(sorted), folded_strides = strides.select(sorted);
      kept = shape.without(axes), kept_strides = strides.without(axes);
      results = kept.product(), row = folded.product();
      const bool is_row = sorted.empty() || folded_strides[0] * folded[0] == row;
      are_in_parts = is_row && results < tuning::least_side_by_side && row >= tuning::least_row_in_parts;
    }
  };

  const evaluation& e_;
  int inputs_;
  index_t bytes_[most_inputs]{};
  lane_function body_;
  void* totals_[most_inputs];
  static constexpr index_t most_places = 64;
  const void* places_[most_places * most_inputs];
  index_t place_count_ = 0;
  index_t distances_[most_places], listed_ = 0;
  alignas(64) std::byte memory_[memory_bytes];

  // Gathered elements of each input have a part of the memory.
  index_t room() const { return memory_bytes / inputs_ / 64 * 64; }
  std::byte* gathered(int input) { return memory_ + input * room(); }

  // How many results are worked on together, of each of which there is room for so many elements.
  index_t at_once(index_t columns = 1) const {
    const index_t most = room() / (columns * widest());
    return lane_function::most_at_once < most ? lane_function::most_at_once : most;
  }
  index_t widest() const {
    index_t bytes = 1;
    for (int i = 0; i < inputs_; ++i) bytes = bytes < bytes_[i] ? bytes_[i] : bytes;
    return bytes;
  }
  void fill(int input, void* to, index_t count) const {
    with_bytes<Needs.sizes(body_branch::elements)>(int(bytes_[input]), [&]<class Bytes>(Bytes) {
      fill_row(static_cast<Bytes*>(to), *e_.operand<Bytes>(inputs_ + input), count);
    });
  }
  const std::byte* from(int input, index_t position) const {
    return e_.operand<std::byte>(input) + position * bytes_[input];
  }

  // totals[i][k] = region(totals..., elements...)[i]
  void combine(void* const* totals, const void* const* elements, index_t count) {
    const void* arguments[2 * most_inputs];
    for (int i = 0; i < inputs_; ++i) arguments[i] = totals[i], arguments[inputs_ + i] = elements[i];
    body_(arguments, totals, count);
  }
  // Whether the initial values stand for any number of themselves, as in padding.
  bool keeps_initial_values() {
    const void* initial[most_inputs];
    void* totals[most_inputs];
    for (int i = 0; i < inputs_; ++i) {
      initial[i] = e_.operand<std::byte>(inputs_ + i), totals[i] = gathered(i);
      fill(i, totals[i], 1);
    }
    combine(totals, initial, 1);
    for (int i = 0; i < inputs_; ++i)
      if (std::memcmp(gathered(i), initial[i], std::size_t(bytes_[i])) != 0) return false;
    return true;
  }
  // Each result is its neighbour's and what comes with the next element, which stands in front of it where windows end
  // together.
  void accumulate(const ops::window_axis& axis, const cumulative_windows::line_group& group) {
    const auto& [first, apart, target, results_apart, step, lines] = group;
    void *totals[most_inputs], *next[most_inputs];
    const void* elements[most_inputs];
    for (int i = 0; i < inputs_; ++i) {
      totals[i] = gathered(i), next[i] = gathered(i) + line_bytes, elements[i] = gathered(i) + 2 * line_bytes;
      fill(i, totals[i], lines);
    }
    index_t end = axis.window - (step < 0 ? axis.high : axis.low), taken = 0, from = first, to = target;
    for (index_t r = 0; r < axis.count(); ++r, ++end, to += step) {
      for (; taken < end && taken < axis.size; ++taken, from += step) {
        for (int i = 0; i < inputs_; ++i)
          copy_lines(i, gathered(i) + 2 * line_bytes, 1, this->from(i, from), apart, lines);
        const void* arguments[2 * most_inputs];
        const int of_totals = step < 0 ? inputs_ : 0, of_elements = inputs_ - of_totals;
        for (int i = 0; i < inputs_; ++i)
          arguments[of_totals + i] = totals[i], arguments[of_elements + i] = elements[i];
        body_(arguments, next, lines);
        for (int i = 0; i < inputs_; ++i) std::swap(totals[i], next[i]);
      }
      for (int i = 0; i < inputs_; ++i)
        copy_lines(i, e_.result<std::byte>(i) + to * bytes_[i], results_apart, totals[i], 1, lines);
    }
  }
  void copy_lines(int input, void* to, index_t to_apart, const void* from, index_t from_apart, index_t lines) const {
    with_bytes<Needs.sizes(body_branch::elements)>(int(bytes_[input]), [&]<class Bytes>(Bytes) {
      for (index_t k = 0; k < lines; ++k)
        static_cast<Bytes*>(to)[k * to_apart] = static_cast<const Bytes*>(from)[k * from_apart];
    });
  }

  // The same for the places that are listed, one after the other. Totals begin as *initial[i], or as they are.
  void take_places(const void* const* initial, index_t count) {
    if (body_.compiled.fold != nullptr) {
      body_.compiled.fold(totals_, initial, places_, place_count_, count);
    } else {
      for (int i = 0; i < inputs_ && initial != nullptr; ++i) fill(i, totals_[i], count);
      for (index_t p = 0; p < place_count_; ++p) combine(totals_, places_ + p * inputs_, count);
    }
    place_count_ = 0;
  }
  void begin_totals(index_t first) {
    for (int i = 0; i < inputs_; ++i) totals_[i] = e_.result<std::byte>(i) + first * bytes_[i];
  }
  // Results first, first + 1, ... take an element each.
  void take(index_t first, const void* const* elements, index_t count) {
    begin_totals(first);
    combine(totals_, elements, count);
  }

  void fold_side_by_side(const ints& kept, const ints& kept_strides, const ints& folded, const ints& folded_strides) {
    // The innermost of the folded dimensions, of which some elements are turned together.
    ints outer = folded;
    const int last = folded.size - 1;
    const index_t row = last < 0 ? 1 : folded.at[last], step = last < 0 ? 1 : folded_strides.at[last];
    const bool turns = step == 1 && row >= turned_columns;
    const index_t results = kept.product(), most = at_once(turns ? turned_columns : 1);
    if (last >= 0) --outer.size;
    index_t positions[lane_function::most_at_once];
    ints index = ints::filled(kept.size, 0);
    for (index_t first = 0; first < results; first += most) {
      const index_t some = results - first < most ? results - first : most;
      for (index_t k = 0; k < some; ++k, advance(kept, index)) {
        positions[k] = 0;
        for (int axis = 0; axis < kept.size; ++axis) positions[k] += index.at[axis] * kept_strides.at[axis];
      }
      index_t distance = some > 1 ? positions[1] - positions[0] : 1;
      for (index_t k = 0; k < some; ++k)
        if (positions[k] != positions[0] + k * distance) distance = 0;
      for_each_offset(
          outer, [&](index_t offset) { take_rows(offset, row, step, first, some, positions, distance); },
          folded_strides);
    }
  }
  // Results first, first + 1, ... take `row` elements each: one `step` behind the other, from `offset` and a position
  // on. `distance`: that of the positions, if they are all as far apart.
  void take_rows(index_t offset, index_t row, index_t step, index_t first, index_t some, const index_t* positions,
                 index_t distance) {
    begin_totals(first);
    if (distance == 1) return take_rows_in_place(offset + positions[0], row, step, some);
    index_t depth = row < most_places ? row : most_places;
    for (int i = 0; i < inputs_; ++i)
      if (const index_t most = room() / (some * bytes_[i]); most < depth) depth = most;
    for (index_t done = 0; done < row; done += depth) {
      const index_t columns = row - done < depth ? row - done : depth;
      for (int i = 0; i < inputs_; ++i) gather(i, offset + done * step, columns, step, some, positions, distance);
      for (; place_count_ < columns; ++place_count_)
        for (int i = 0; i < inputs_; ++i)
          places_[place_count_ * inputs_ + i] = gathered(i) + place_count_ * some * bytes_[i];
      take_places(nullptr, some);
    }
  }
  void take_rows_in_place(index_t begin, index_t rows, index_t step, index_t some) {
    // Operands that exceed the first cache are read in the order of memory.
    constexpr index_t few_bytes = 512;
    const bool is_far = rows * step * widest() > tuning::first_cache_bytes && some * widest() > few_bytes;
    if (body_.compiled.fold_rows != nullptr && is_far) {
      const void* elements[most_inputs];
      for (int i = 0; i < inputs_; ++i) elements[i] = from(i, begin);
      return body_.compiled.fold_rows(totals_, elements, step, rows, some);
    }
    for (index_t done = 0; done < rows;) {
      for (; place_count_ < most_places && done < rows; ++place_count_, ++done)
        for (int i = 0; i < inputs_; ++i) places_[place_count_ * inputs_ + i] = from(i, begin + done * step);
      take_places(nullptr, some);
    }
  }
  void gather(int input, index_t begin, index_t columns, index_t step, index_t some, const index_t* positions,
              index_t distance) {
    with_bytes<Needs.sizes(body_branch::elements)>(int(bytes_[input]), [&]<class Bytes>(Bytes) {
      Bytes* const to = reinterpret_cast<Bytes*>(gathered(input));
      if (distance > 1)
        return copy_box(to, some, e_.operand<Bytes>(input) + begin + positions[0], step, distance, columns, some);
      for (index_t c = 0; c < columns; ++c) {
        const Bytes* const elements = e_.operand<Bytes>(input) + begin + c * step;
        for (index_t k = 0; k < some; ++k) to[c * some + k] = elements[positions[k]];
      }
    });
  }

  // One row, in parts that are folded together; the remainder comes last.
  void fold_in_parts(index_t first, index_t row, index_t result) {
    constexpr index_t most_parts = 256, few_parts = 64;
    const index_t parts = row < most_parts * 64 ? few_parts : most_parts, length = row / parts;
    alignas(64) std::byte all[most_inputs][most_parts * 16];
    void* totals[most_inputs];
    const void* elements[most_inputs];
    index_t depth = length;
    for (int i = 0; i < inputs_; ++i) {
      totals[i] = all[i];
      if (const index_t most = room() / (parts * bytes_[i]); most < depth) depth = most;
    }
    for (index_t done = 0; done < length; done += depth) {
      const index_t columns = length - done < depth ? length - done : depth;
      for (int i = 0; i < inputs_; ++i)
        with_bytes<Needs.sizes(body_branch::elements)>(int(bytes_[i]), [&]<class Bytes>(Bytes) {
          copy_box(reinterpret_cast<Bytes*>(gathered(i)), parts, e_.operand<Bytes>(i) + first + done, 1, length,
                   columns, parts);
        });
      for (index_t c = 0; c < columns; ++c) {
        for (int i = 0; i < inputs_; ++i) elements[i] = gathered(i) + c * parts * bytes_[i];
        if (done + c == 0)
          for (int i = 0; i < inputs_; ++i) std::memcpy(totals[i], elements[i], std::size_t(parts * bytes_[i]));
        else
          combine(totals, elements, parts);
      }
    }
    for (index_t left = parts / 2; left > 0; left /= 2) {
      for (int i = 0; i < inputs_; ++i) {
        elements[i] = gathered(i);
        with_bytes<Needs.sizes(body_branch::elements)>(int(bytes_[i]), [&]<class Bytes>(Bytes) {
          Bytes* const total = static_cast<Bytes*>(totals[i]);
          Bytes* const next = reinterpret_cast<Bytes*>(gathered(i));
          for (index_t k = 0; k < left; ++k) {
            next[k] = total[2 * k + 1];
            total[k] = total[2 * k];
          }
        });
      }
      combine(totals, elements, left);
    }
    for (int i = 0; i < inputs_; ++i) elements[i] = totals[i];
    take(result, elements, 1);
    for (index_t k = parts * length; k < row; ++k) {
      for (int i = 0; i < inputs_; ++i) elements[i] = from(i, first + k);
      take(result, elements, 1);
    }
  }

  // Of windows without padding and holes: where places are, from the corner of a window on.
  void list_places(const window_rows& rows) {
    ints place = ints::filled(rows.rows_of_window().size, 0);
    const ints first = ints::filled(rows.rows().size, 0);
    listed_ = 0;
    do {
      for (index_t k = 0; k < rows.last().window; ++k)
        distances_[listed_++] = rows.row_under(first, place) + rows.position(k, 0);
    } while (advance(rows.rows_of_window(), place));
  }
  // From the initial values on, totals take what lies there under windows.
  void take_listed(index_t corner, index_t count) {
    for (; place_count_ < listed_; ++place_count_)
      for (int i = 0; i < inputs_; ++i)
        places_[place_count_ * inputs_ + i] = from(i, corner + distances_[place_count_]);
    take_places(e_.operands.data + inputs_, count);
  }

  // Rows that follow each other are worked on with what lies between them, for nothing to be copied but results.
  void under_flat(const window_rows& rows) {
    ints outer = rows.rows();
    const int next = outer.size - 1;
    const index_t together = next < 0 ? 1 : outer.at[next], row = rows.row(), distance = rows.distance();
    if (next >= 0) outer.at[next] = 1;
    const index_t stride = rows.last().stride;
    list_places(rows);
    const ints corner = ints::filled(rows.rows_of_window().size, 0);
    const index_t span = (together - 1) * distance + (row - 1) * stride + 1, most = at_once();
    ints index = ints::filled(outer.size, 0);
    for (index_t result = 0;; result += together * row) {
      for (index_t first = 0; first < span; first += most) {
        const index_t count = span - first < most ? span - first : most;
        for (int i = 0; i < inputs_; ++i) totals_[i] = gathered(i);
        take_listed(rows.row_under(index, corner) + first, count);
        for (index_t r = first / distance; r < together && r * distance < first + count; ++r)
          for (int i = 0; i < inputs_; ++i) copy_results(i, result + r * row, first - r * distance, count, row, stride);
      }
      if (!advance(outer, index)) return;
    }
  }

  // Copies the results of a row that begins at place 0, of which each lies `stride` places behind the one before, as
  // far as they are among the `count` places from `first` on that have been computed.
  void copy_results(int input, index_t to, index_t first, index_t count, index_t row, index_t stride) {
    const auto result_from = [&](index_t place) {
      const index_t result = place <= 0 ? 0 : (place + stride - 1) / stride;
      return result < row ? result : row;
    };
    const index_t begin = result_from(first), end = result_from(first + count);
    if (begin >= end) return;
    with_bytes<Needs.sizes(body_branch::elements)>(int(bytes_[input]), [&]<class Bytes>(Bytes) {
      const Bytes* const from = reinterpret_cast<const Bytes*>(gathered(input)) + (begin * stride - first);
      copy_run(e_.result<Bytes>(input) + to + begin, from, stride, end - begin);
    });
  }

  // The elements at one offset of windows first, first + 1, ... of some rows.
  const void* elements_under(const window_rows& rows, int input, const ints* index, index_t some, const ints& place,
                             index_t k, index_t first, index_t count) {
    const void* result = gathered(input);
    with_bytes<Needs.sizes(body_branch::elements)>(int(bytes_[input]), [&]<class Bytes>(Bytes) {
      const Bytes* const operand = e_.operand<Bytes>(input);
      const Bytes& initial = *e_.operand<Bytes>(inputs_ + input);
      Bytes* to = reinterpret_cast<Bytes*>(gathered(input));
      for (index_t r = 0; r < some; ++r, to += count) {
        const index_t row = rows.row_under(index[r], place);
        if (row < 0)
          fill_row(to, initial, count);
        else if (some == 1 && lies_in_order(rows, k, first, count))
          result = operand + row + rows.position(k, first);
        else
          rows.copy_under(operand + row, k, first, count, initial, to);
      }
    });
    return result;
  }
  static bool lies_in_order(const window_rows& rows, index_t k, index_t first, index_t count) {
    if (rows.last().base_dilation != 1 || rows.last().stride != 1 || rows.step() != 1) return false;
    const window_rows::range inside = rows.part_inside(k, first, first + count);
    return inside.begin == first && inside.end == first + count;
  }
};

// Runs an op that folds axes, or what is under windows, by its region; false, and nothing is done, if only the op
// itself knows how.
template <class Op, needs Needs = needs::all()>
bool fold_by_body(const evaluation& e) {
  if constexpr (requires { requires Op::folds_windows; })
    if (e.compiled_of(0).windows != nullptr) {
      const int inputs = e.operands.size / 2;
      e.compiled_of(0).windows(e.operands.data, e.operands.data + inputs, e.results.data);
      return true;
    }
  body_fold<Needs> fold(e);
  if (!fold.is_supported()) return false;
  if constexpr (requires(const Op& self) { self.folded_axes(); })
    fold.along(read_attributes<Op>(e.words).folded_axes());
  else
    fold.under(read_attributes<Op>(e.words).window());
  return true;
}

}  // namespace tenon::kernels
