// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/copy_run.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/kernels/lanes/lane_program.hpp>
#include <tenon/kernels/sort/batched_merge.hpp>
#include <tenon/ops/reduction/sort_memory.hpp>

#include <cstddef>
#include <cstdint>

namespace tenon::kernels {

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
