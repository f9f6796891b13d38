// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/ints.hpp>

#include <string_view>

namespace tenon::ops {

// The loops of "ab,bc->ac": letters of the result are outer indices, all others are summed over. A letter twice in one
// operand is a diagonal; "..." is the dimensions without letters, aligned at the last, broadcast where their size is 1.
class einsum_plan {
 public:
  bool valid = false;  // the text is well formed, and equal letters have equal sizes
  ints result;         // shape
  ints summed;         // sizes of the indices summed over
  // Of each operand along the indices of the result and the summed ones; and which index each of its dimensions has.
  struct operand_strides {
    ints along_result, along_summed;
    ints indices;
  } operands[2];
  ints result_indices;
  static constexpr int most_indices = 2 * max_rank;

  constexpr einsum_plan(std::string_view text, const ints* shapes, int count) {
    int written = 0;
    std::size_t at = 0;
    valid = true;
    while (at < text.size() && text[at] != '-') {
      if (text[at] == ',') {
        ++at;
        ++written;
      }
      if (written >= count) {
        valid = false;
        return;
      }
      at = read_operand(text, at, shapes[written], written);
    }
    valid = valid && written + 1 == count && at + 1 < text.size() && text[at + 1] == '>';
    if (!valid) return;
    at += 2;
    while (at < text.size()) at = read_result(text, at);
    for (int i = 0; i < label_count_; ++i)
      if (!labels_[i].in_result) {
        summed.push(labels_[i].size);
        for (int k = 0; k < count; ++k) operands[k].along_summed.push(labels_[i].strides[k]);
      }
    valid = valid && result.dropped == 0 && summed.dropped == 0;
  }

 private:
  // Letters; numbers 0, 1, ... for the dimensions of "...", from the last.
  struct label {
    int name = -1;
    index_t size = 1;
    index_t strides[2]{};
    bool in_result = false;
  };
  label labels_[most_indices]{};
  int label_count_ = 0;
  int ellipsis_size_ = 0;

  static constexpr bool is_letter(char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); }
  static constexpr bool is_ellipsis(std::string_view text, std::size_t at) {
    return at + 2 < text.size() && text[at] == '.' && text[at + 1] == '.' && text[at + 2] == '.';
  }

  constexpr label* find(int name) {
    for (int i = 0; i < label_count_; ++i)
      if (labels_[i].name == name) return &labels_[i];
    return nullptr;
  }
  constexpr void add_dimension(int name, index_t size, index_t stride, int operand, bool broadcasts) {
    label* found = find(name);
    if (found == nullptr) {
      if (label_count_ == most_indices) {
        valid = false;
        return;
      }
      found = &labels_[label_count_++];
      found->name = name;
      found->size = size;
    }
    operands[operand].indices.push(found - labels_);
    if (broadcasts && found->size == 1) found->size = size;
    if (found->size == size)
      found->strides[operand] += size == 1 ? 0 : stride;
    else if (!broadcasts || size != 1)
      valid = false;
  }

  constexpr std::size_t read_operand(std::string_view text, std::size_t at, const ints& shape, int operand) {
    const ints strides = strides_of(shape);
    int letters = 0;
    for (std::size_t i = at; i < text.size() && text[i] != ',' && text[i] != '-'; ++i) letters += is_letter(text[i]);
    int axis = 0;
    bool has_ellipsis = false;
    for (; at < text.size() && text[at] != ',' && text[at] != '-'; ++at) {
      if (is_letter(text[at])) {
        add_dimension(text[at], shape[axis], strides[axis], operand, false);
        ++axis;
      } else if (is_ellipsis(text, at) && !has_ellipsis) {
        has_ellipsis = true;
        const int extra = shape.size - letters;
        if (extra > ellipsis_size_) ellipsis_size_ = extra;
        for (int i = 0; i < extra; ++i, ++axis) add_dimension(extra - 1 - i, shape[axis], strides[axis], operand, true);
        at += 2;
      } else if (text[at] != ' ') {
        valid = false;
      }
    }
    valid = valid && axis == shape.size;
    return at;
  }

  constexpr void add_to_result(label* found) {
    if (found == nullptr || found->in_result) {
      valid = false;
      return;
    }
    found->in_result = true;
    result.push(found->size);
    result_indices.push(found - labels_);
    for (int k = 0; k < 2; ++k) operands[k].along_result.push(found->strides[k]);
  }
  constexpr std::size_t read_result(std::string_view text, std::size_t at) {
    if (is_letter(text[at])) {
      add_to_result(find(text[at]));
    } else if (is_ellipsis(text, at)) {
      for (int i = ellipsis_size_ - 1; i >= 0; --i) add_to_result(find(i));
      return at + 3;
    } else if (text[at] != ' ') {
      valid = false;
    }
    return at + 1;
  }
};

}  // namespace tenon::ops
