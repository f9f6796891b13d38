// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/element.hpp>
#include <tenon/core/format/number.hpp>
#include <tenon/core/tensor_type.hpp>

#include <cstdio>
#include <string>

inline std::string text_of(const tenon::tensor_type& type) {
  std::string text = "tensor<";
  for (int d = 0; d < type.rank(); ++d) text += (type.is_bounded(d) ? "<=" : "") + std::to_string(type.dim(d)) + "x";
  return text + std::string(tenon::name(type.element)) + ">";
}

// Nested lists; of a large tensor only the beginning.
template <class T>
void print_elements(const tenon::tensor_type& type, const T* elements) {
  constexpr tenon::index_t most = 1000;
  const int rank = type.rank();
  tenon::ints index = tenon::ints::filled(rank, 0);
  const tenon::index_t size = type.size();
  for (tenon::index_t i = 0; i < size; ++i) {
    int opened = rank;
    while (opened > 0 && index[opened - 1] == 0) --opened;
    if (i > 0) std::printf(opened == rank ? ", " : ",\n");
    for (int level = opened; level < rank; ++level) std::putchar('[');
    if (i == most) {
      std::printf("... %lld more", static_cast<long long>(size - most));
      break;
    }
    char text[tenon::core::number_text_size];
    const char* const end = tenon::core::write_number(text, text + sizeof text, elements[i]);
    std::printf("%.*s", int(end - text), text);
    tenon::advance(type.shape, index);
    int closed = rank;
    while (closed > 0 && index[closed - 1] == 0) --closed;
    for (int level = closed; level < rank; ++level) std::putchar(']');
  }
  std::putchar('\n');
}
