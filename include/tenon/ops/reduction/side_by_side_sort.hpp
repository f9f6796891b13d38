// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/copy_run.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/prepared_body.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/ops/reduction/batched_merge.hpp>

#include <cstddef>
#include <cstdint>

namespace tenon {

// Sorts along an axis by a comparator of ops that work element by element, which says for many pairs at a time how they
// stand. Short rows are sorted some at a time. Of several operands, positions are sorted, together with what the
// comparator looks at as far as there is room for it; in the end all are fetched.
class side_by_side_sort {
 public:
  side_by_side_sort(const evaluation& e, prepared_body& comparator, int axis)
      : e_(e), comparator_(comparator), axis_(axis) {
    index_t room = moved_bytes(e.operand_types);
    std::byte* memory = static_cast<std::byte*>(e.scratch);
    const index_t length = column_length(e.operand_types.data[0].shape, axis);
    const auto add = [&](int operand, index_t bytes) {
      serves_ = serves_ && merge_.has_room();
      if (!serves_) return;
      operands_[columns_++] = operand;
      if (bytes > room) return merge_.add_found(int(bytes), e.operands.data[operand]);
      merge_.add_moved(int(bytes), memory, memory + bytes * length);
      memory += 2 * bytes * length;
      room -= bytes;
    };
    serves_ = e.operands.size <= most_operands && e.operand_types.data[0].size() <= 0x7FFFFFFF;
    if (!is_alone()) add(positions, sizeof(std::uint32_t));
    for (int i = 0; i < e.operands.size && serves_; ++i)
      if (is_alone() || comparator.reads(2 * i) || comparator.reads(2 * i + 1))
        add(i, storage_bytes(e.operand_types.data[i].element));
  }
  bool serves() const { return serves_; }

  // How much memory is worked in.
  static constexpr index_t scratch_bytes(list<tensor_type> operands, int axis) {
    return 2 * moved_bytes(operands) * column_length(operands[0].shape, axis);
  }

  void run() {
    const ints& shape = e_.operand_types.data[0].shape;
    const index_t row = shape[axis_], rows = row > 0 ? shape.product() / row : 0, most = rows_together(shape, axis_);
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
  static constexpr index_t most_together = 512, most_moved = 16;

  struct question {
    side_by_side_sort& self;
    void operator()(const void* const* first, const void* const* second, void* answers, index_t count) const {
      self.compare(first, second, answers, count);
    }
  };

  const evaluation& e_;
  prepared_body& comparator_;
  int axis_, columns_ = 0;
  bool serves_;
  int operands_[batched_merge<question>::most_columns];  // which one is a column
  const void* arguments_[2 * most_operands]{};
  batched_merge<question> merge_{question{*this}};

  static constexpr index_t rows_together(const ints& shape, int axis) {
    const index_t row = shape[axis], rows = row > 0 ? shape.product() / row : 0;
    const index_t together = row > 0 && row < most_together ? most_together / row : 1;
    return rows < together ? rows : together;
  }
  // Of which every multiple is aligned.
  static constexpr index_t column_length(const ints& shape, int axis) {
    return (rows_together(shape, axis) * shape[axis] + 15) / 16 * 16;
  }
  static constexpr index_t moved_bytes(list<tensor_type> operands) {
    if (operands.size == 1) return storage_bytes(operands[0].element);
    index_t bytes = sizeof(std::uint32_t);
    for (const tensor_type& each : operands) bytes += storage_bytes(each.element);
    return bytes < most_moved ? bytes : most_moved;
  }

  bool is_alone() const { return e_.operands.size == 1; }
  void compare(const void* const* first, const void* const* second, void* answers, index_t count) {
    for (int c = 0; c < columns_; ++c)
      if (const int i = operands_[c]; i != positions) arguments_[2 * i] = first[c], arguments_[2 * i + 1] = second[c];
    comparator_(arguments_, &answers, count);
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
    detail::with_bytes(storage_bytes(e_.operand_types.data[operands_[c]].element), [&]<class T>(T) {
      for_each_row(first, count, [&](index_t from, index_t to, index_t row, index_t stride) {
        copy_run(static_cast<T*>(merge_.elements(c)) + to, e_.operand<T>(operands_[c]) + from, stride, row);
      });
    });
  }
  void end(int i, index_t first, index_t count) const {
    detail::with_bytes(storage_bytes(e_.operand_types.data[i].element), [&]<class T>(T) {
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

}  // namespace tenon
