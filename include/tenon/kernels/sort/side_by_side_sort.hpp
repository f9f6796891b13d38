// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/copy_run.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/kernels/lanes/lane_program.hpp>
#include <tenon/ops/reduction/sort_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tenon::kernels {

// Sorts rows, stably, by a comparator that is asked about many pairs of elements at a time: many merges go on side by
// side, each of which takes one element after every answer. Where merges are few, they are cut into parts, which begin
// where binary searches say, side by side too.
//
// less(first, second, answers, count) says for so many pairs whether the first element comes before the second one:
// first[c] and second[c] point to what they have in column c. Whatever it says, elements are permuted.
template <class Less>
class batched_merge {
 public:
  static constexpr int most_columns = 16;

  explicit batched_merge(Less less) : less_(less) {}

  // Records are stored by columns. Parts of a column move, to `other`, which is as long, and back, or stay
  // where they are and are found by the numbers in column 0, of four bytes.
  bool has_room() const { return count_ < most_columns; }
  void add_moved(int bytes, void* elements, void* other) { columns_[count_++] = {bytes, elements, elements, other}; }
  void add_found(int bytes, const void* elements) { columns_[count_++] = {bytes, elements, nullptr, nullptr}; }
  // Where those that move are, before they are sorted and when they are; the others: null.
  void* elements(int c) const { return columns_[c].moved; }

  // Rows lie one behind the other. All together they have less than 2^31 elements.
  void sort(index_t rows, index_t row) {
    rows_ = rows, row_ = row;
    if (rows == 0 || row < 2) return;
    divide_memory();
    int bits = 0;
    while (row > (longest_block << bits)) ++bits;
    sort_blocks(bits);
    while (bits > 0) merge_runs(--bits);
  }

 private:
  using number = std::uint32_t;
  struct column {
    int bytes;
    const void* elements;
    void *moved, *other;
    void *left = nullptr, *right = nullptr;  // in pairs
  };
  static constexpr index_t most_lanes = 256, memory_bytes = 4096, longest_block = 8, shortest_part = 16;

  Less less_;
  column columns_[most_columns];
  int count_ = 0;
  index_t rows_ = 0, row_ = 0, lanes_ = 0;
  // For each lane: what is compared next, where the parts of both runs end, where the first element goes, which one is
  // taken, and what comes behind that.
  number left_[most_lanes], right_[most_lanes], left_end_[most_lanes], right_end_[most_lanes];
  number target_[most_lanes], is_right_[most_lanes], next_[most_lanes];
  unsigned char answers_[most_lanes];
  alignas(64) std::byte memory_[memory_bytes];

  void divide_memory() {
    index_t bytes = 0;
    for (int c = 0; c < count_; ++c) bytes += 2 * columns_[c].bytes;
    for (lanes_ = most_lanes; lanes_ * bytes > memory_bytes;) lanes_ /= 2;
    std::byte* next = memory_;
    for (int c = 0; c < count_; ++c) {
      columns_[c].left = next, next += lanes_ * columns_[c].bytes;
      columns_[c].right = next, next += lanes_ * columns_[c].bytes;
    }
  }

  // Where a piece begins, if each row is divided into 2^bits pieces as evenly as can be.
  number begin_of(index_t piece, int bits) const {
    const index_t in_row = piece & ((index_t(1) << bits) - 1);
    return number((piece >> bits) * row_ + ((in_row * row_) >> bits));
  }
  number kept_inside(number at) const {
    const number last = number(rows_ * row_ - 1);
    return at < last ? at : last;
  }
  // Without branches, half of which would be guessed wrong.
  template <class T>
  static T chosen(number second, const T& a, const T& b) {
    if constexpr (std::is_integral_v<T>)
      return T(a ^ ((a ^ b) & T(T(0) - T(second))));
    else
      return {chosen(second, a.low, b.low), chosen(second, a.high, b.high)};
  }
  // f(the element of a column that has a number).
  template <class Function>
  void with_elements(const column& each, Function f) const {
    with_bytes(each.bytes, [&]<class T>(T) {
      const T* const from = static_cast<const T*>(each.elements);
      if (each.moved != nullptr) return f([from](number i) { return from[i]; });
      const number* const places = static_cast<const number*>(columns_[0].elements);
      f([from, places](number i) { return from[places[i]]; });
    });
  }
  void load_pairs(index_t count) {
    for (int c = 0; c < count_; ++c)
      with_elements(columns_[c], [&](auto element) {
        using T = decltype(element(0));
        T *const left = static_cast<T*>(columns_[c].left), *const right = static_cast<T*>(columns_[c].right);
        for (index_t k = 0; k < count; ++k) left[k] = element(kept_inside(left_[k]));
        for (index_t k = 0; k < count; ++k) right[k] = element(kept_inside(right_[k]));
      });
  }
  // Whether the right element of each pair comes before the left one.
  void compare_pairs(index_t count) {
    const void *lefts[most_columns], *rights[most_columns];
    for (int c = 0; c < count_; ++c) lefts[c] = columns_[c].left, rights[c] = columns_[c].right;
    less_(rights, lefts, answers_, count);
  }

  // Neighbours are exchanged, first those of even and odd numbers, then those of odd and even ones, and so on: n
  // iterations sort n elements. Pair after pair, blocks lie side by side.
  void sort_blocks(int bits) {
    const index_t blocks = rows_ << bits, longest = (row_ + (index_t(1) << bits) - 1) >> bits;
    const index_t pairs = (longest + 1) / 2, together = lanes_ / pairs;
    for (index_t first = 0; first < blocks; first += together) {
      const index_t some = blocks - first < together ? blocks - first : together;
      for (index_t k = 0; k < some; ++k) {
        const number begin = begin_of(first + k, bits), end = begin_of(first + k + 1, bits);
        for (index_t p = 0; p < pairs; ++p) {
          left_[p * some + k] = begin + number(2 * p);
          right_[p * some + k] = begin + number(2 * p + 1);
          left_end_[p * some + k] = end;
        }
      }
      load_pairs(pairs * some);
      for (index_t turn = 0; turn < longest; turn += 2) {
        exchange(pairs * some, 0);
        if (pairs > 1) exchange((pairs - 1) * some, some);
      }
      for (int c = 0; c < count_; ++c)
        if (columns_[c].moved != nullptr) store_pairs(columns_[c], pairs * some);
    }
  }
  // The left and the right element of each pair or, if there is a distance, the right one and the left one so many
  // lanes further on.
  void exchange(index_t count, index_t distance) {
    void *firsts[most_columns], *seconds[most_columns];
    for (int c = 0; c < count_; ++c) {
      const column& each = columns_[c];
      firsts[c] = distance == 0 ? each.left : each.right;
      seconds[c] = distance == 0 ? each.right : static_cast<std::byte*>(each.left) + distance * each.bytes;
    }
    less_(seconds, firsts, answers_, count);
    const number* const places = distance == 0 ? right_ : left_ + distance;
    for (index_t k = 0; k < count; ++k) is_right_[k] = number(answers_[k] != 0) & number(places[k] < left_end_[k]);
    for (int c = 0; c < count_; ++c)
      with_bytes(columns_[c].bytes, [&]<class T>(T) {
        T *const first = static_cast<T*>(firsts[c]), *const second = static_cast<T*>(seconds[c]);
        for (index_t k = 0; k < count; ++k) {
          const T a = first[k], b = second[k];
          first[k] = chosen(is_right_[k], a, b);
          second[k] = chosen(is_right_[k], b, a);
        }
      });
  }
  void store_pairs(const column& each, index_t count) {
    with_bytes(each.bytes, [&]<class T>(T) {
      T* const to = static_cast<T*>(each.moved);
      const T *const left = static_cast<const T*>(each.left), *const right = static_cast<const T*>(each.right);
      for (index_t k = 0; k < count; ++k) {
        if (left_[k] < left_end_[k]) to[left_[k]] = left[k];
        if (right_[k] < left_end_[k]) to[right_[k]] = right[k];
      }
    });
  }

  // Of each two of 2^(bits + 1) runs, one.
  void merge_runs(int bits) {
    int part_bits = 0;
    while (rows_ << (bits + part_bits + 1) <= lanes_ && row_ >> (bits + part_bits + 1) >= shortest_part) ++part_bits;
    const index_t parts = rows_ << (bits + part_bits);
    for (index_t first = 0; first < parts; first += lanes_) {
      const index_t some = parts - first < lanes_ ? parts - first : lanes_;
      find_parts(first, some, bits, part_bits);
      merge_parts(some);
    }
    for (int c = 0; c < count_; ++c)
      if (column& each = columns_[c]; each.moved != nullptr) {
        void* const merged = each.other;
        each.other = each.moved;
        each.elements = each.moved = merged;
      }
  }
  // The merge-path split of both runs for each part: the parts in front of it have taken the elements in
  // front of the split.
  void find_parts(index_t first, index_t count, int bits, int part_bits) {
    number *const low = left_end_, *const high = right_end_, widest = 0;
    for (index_t k = 0; k < count; ++k) {
      const index_t pair = (first + k) >> part_bits;
      const number begin = begin_of(pair, bits), middle = begin_of(2 * pair + 1, bits + 1);
      const number end = begin_of(pair + 1, bits), target = begin_of(first + k, bits + part_bits);
      low[k] = target - begin > end - middle ? target - (end - middle) : begin;
      high[k] = target < middle ? target : middle;
      target_[k] = target, next_[k] = target + middle;
      widest = widest < high[k] - low[k] ? high[k] - low[k] : widest;
    }
    for (; widest > 0; widest /= 2) {
      for (index_t k = 0; k < count; ++k) {
        left_[k] = low[k] + (high[k] - low[k]) / 2;
        right_[k] = next_[k] - left_[k] - 1;
      }
      load_pairs(count);
      compare_pairs(count);
      for (index_t k = 0; k < count; ++k) {
        const number is_open = low[k] < high[k], is_right = answers_[k] != 0;
        high[k] = chosen(is_open & is_right, high[k], left_[k]);
        low[k] = chosen(is_open & (is_right ^ 1), low[k], left_[k] + 1);
      }
    }
    const index_t in_pair = (index_t(1) << part_bits) - 1;
    for (index_t k = 0; k < count; ++k) {
      left_[k] = low[k];
      if (((first + k) & in_pair) != 0) {
        // If the comparator is no order, searches may contradict each other.
        const number least = left_[k - 1], most = least + (target_[k] - target_[k - 1]);
        left_[k] = left_[k] < least ? least : left_[k] > most ? most : left_[k];
      }
      right_[k] = next_[k] - left_[k];
    }
    for (index_t k = 0; k < count; ++k) {
      const index_t pair = (first + k) >> part_bits;
      const bool is_last = ((first + k + 1) & in_pair) == 0;
      left_end_[k] = is_last ? begin_of(2 * pair + 1, bits + 1) : left_[k + 1];
      right_end_[k] = is_last ? begin_of(pair + 1, bits) : right_[k + 1];
    }
  }
  void merge_parts(index_t count) {
    load_pairs(count);
    for (index_t done = 0;;) {
      number rounds = ~number(0);
      for (index_t k = 0; k < count;) {
        const number left = (left_end_[k] - left_[k]) + (right_end_[k] - right_[k]);
        if (left == 0) {
          move_lane(--count, k);
        } else {
          rounds = left < rounds ? left : rounds;
          ++k;
        }
      }
      if (count == 0) return;
      for (; rounds > 0; --rounds, ++done) {
        compare_pairs(count);
        choose(count);
        for (int c = 0; c < count_; ++c) take(c, done, count);
      }
    }
  }
  void move_lane(index_t from, index_t to) {
    for (number* each : {left_, right_, left_end_, right_end_, target_}) each[to] = each[from];
    for (int c = 0; c < count_; ++c)
      for (void* each : {columns_[c].left, columns_[c].right}) {
        const std::size_t bytes = std::size_t(columns_[c].bytes);
        std::byte* const elements = static_cast<std::byte*>(each);
        std::memmove(elements + std::size_t(to) * bytes, elements + std::size_t(from) * bytes, bytes);
      }
  }
  void choose(index_t count) {
    for (index_t k = 0; k < count; ++k) {
      const number left = left_[k], right = right_[k];
      const number is_right =
          (number(answers_[k] != 0) & number(right != right_end_[k])) | number(left == left_end_[k]);
      left_[k] = left + (is_right ^ 1);
      right_[k] = right + is_right;
      is_right_[k] = is_right;
      next_[k] = kept_inside(chosen(is_right, left, right) + 1);
    }
  }
  void take(int c, index_t done, index_t count) {
    with_elements(columns_[c], [&](auto element) {
      using T = decltype(element(0));
      T* const __restrict left = static_cast<T*>(columns_[c].left);
      T* const __restrict right = static_cast<T*>(columns_[c].right);
      if (columns_[c].moved != nullptr) {
        T* const __restrict to = static_cast<T*>(columns_[c].other) + done;
        for (index_t k = 0; k < count; ++k) to[target_[k]] = chosen(is_right_[k], left[k], right[k]);
      }
      for (index_t k = 0; k < count; ++k) {
        const T a = left[k], b = right[k], next = element(next_[k]);
        left[k] = chosen(is_right_[k], next, a);
        right[k] = chosen(is_right_[k], b, next);
      }
    });
  }
};

// Sorts along an axis by a comparator of ops that work element by element, which says for many pairs at a time how they
// stand. Short rows are sorted some at a time. Of several operands, positions are sorted, together with what the
// comparator looks at as far as there is room for it; in the end all are fetched.
class side_by_side_sort {
 public:
  side_by_side_sort(const evaluation& e, const lane_function& comparator, int axis)
      : e_(e), comparator_(comparator), axis_(axis) {
    const ops::sort_memory sizes(e.operand_types, axis);
    index_t room = sizes.moved;
    std::byte* memory = static_cast<std::byte*>(e.scratch);
    const index_t length = sizes.column_length;
    const auto add = [&](int operand, index_t bytes) {
      is_supported_ = is_supported_ && merge_.has_room();
      if (!is_supported_) return;
      operands_[columns_++] = operand;
      if (bytes > room) return merge_.add_found(int(bytes), e.operands.data[operand]);
      merge_.add_moved(int(bytes), memory, memory + bytes * length);
      memory += 2 * bytes * length;
      room -= bytes;
    };
    is_supported_ = e.operands.size <= most_operands && e.operand_types.data[0].size() <= 0x7FFFFFFF;
    if (!is_alone()) add(positions, sizeof(std::uint32_t));
    for (int i = 0; i < e.operands.size && is_supported_; ++i)
      if (is_alone() || comparator.program->reads_argument(2 * i) || comparator.program->reads_argument(2 * i + 1))
        add(i, storage_bytes(e.operand_types.data[i].element));
  }
  bool is_supported() const { return is_supported_; }

  void run() {
    const ints& shape = e_.operand_types.data[0].shape;
    const index_t row = shape[axis_], rows = row > 0 ? shape.product() / row : 0,
                  most = ops::sort_memory(e_.operand_types, axis_).rows_together;
    for (index_t first = 0; first < rows; first += most) {
      const index_t some = rows - first < most ? rows - first : most;
      for (int c = 0; c < columns_; ++c)
        if (merge_.elements(c) != nullptr) begin(c, first, some);
      merge_.sort(some, row);
      for (int i = 0; i < e_.operands.size; ++i) end(i, first, some);
    }
  }

 private:
  static constexpr int most_operands = 32, positions = -1;

  struct question {
    side_by_side_sort& self;
    void operator()(const void* const* first, const void* const* second, void* answers, index_t count) const {
      self.compare(first, second, answers, count);
    }
  };

  const evaluation& e_;
  const lane_function& comparator_;
  int axis_, columns_ = 0;
  bool is_supported_;
  int operands_[batched_merge<question>::most_columns];  // which one is a column
  const void* arguments_[2 * most_operands]{};
  batched_merge<question> merge_{question{*this}};

  bool is_alone() const { return e_.operands.size == 1; }
  void compare(const void* const* first, const void* const* second, void* answers, index_t count) {
    for (int c = 0; c < columns_; ++c)
      if (const int i = operands_[c]; i != positions) arguments_[2 * i] = first[c], arguments_[2 * i + 1] = second[c];
    comparator_.interpret(comparator_.context, *comparator_.program, arguments_, &answers, count);
  }

  // f(where it begins in its tensor, where it begins in a column) for each of these rows.
  template <class Function>
  void for_each_row(index_t first, index_t count, Function f) const {
    const ints& shape = e_.operand_types.data[0].shape;
    const index_t row = shape[axis_], stride = strides_of(shape)[axis_];
    for (index_t r = 0; r < count; ++r)
      f((first + r) / stride * stride * row + (first + r) % stride, r * row, row, stride);
  }
  void begin(int c, index_t first, index_t count) {
    if (operands_[c] == positions)
      return for_each_row(first, count, [&](index_t from, index_t to, index_t row, index_t stride) {
        std::uint32_t* const column = static_cast<std::uint32_t*>(merge_.elements(c)) + to;
        for (index_t k = 0; k < row; ++k) column[k] = std::uint32_t(from + k * stride);
      });
    with_bytes(storage_bytes(e_.operand_types.data[operands_[c]].element), [&]<class T>(T) {
      for_each_row(first, count, [&](index_t from, index_t to, index_t row, index_t stride) {
        copy_run(static_cast<T*>(merge_.elements(c)) + to, e_.operand<T>(operands_[c]) + from, stride, row);
      });
    });
  }
  void end(int i, index_t first, index_t count) const {
    with_bytes(storage_bytes(e_.operand_types.data[i].element), [&]<class T>(T) {
      const T *const operand = e_.operand<T>(i), *const sorted = static_cast<const T*>(merge_.elements(0));
      const std::uint32_t* const places = static_cast<const std::uint32_t*>(merge_.elements(0));
      for_each_row(first, count, [&](index_t to, index_t from, index_t row, index_t stride) {
        T* const result = e_.result<T>(i) + to;
        for (index_t k = 0; k < row; ++k)
          result[k * stride] = is_alone() ? sorted[from + k] : operand[places[from + k]];
      });
    });
  }
};

}  // namespace tenon::kernels
