// SPDX-License-Identifier: Apache-2.0
//
// What compilers call for copies, in place of a C library. Compiled with -fno-tree-loop-distribute-patterns, or these
// loops would become calls of themselves.

#include <cstddef>

extern "C" {

void* memcpy(void* to, const void* from, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) static_cast<char*>(to)[i] = static_cast<const char*>(from)[i];
  return to;
}

void* memmove(void* to, const void* from, std::size_t size) {
  if (to < from) return memcpy(to, from, size);
  while (size-- > 0) static_cast<char*>(to)[size] = static_cast<const char*>(from)[size];
  return to;
}

void* memset(void* to, int value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) static_cast<char*>(to)[i] = char(value);
  return to;
}

int memcmp(const void* a, const void* b, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i)
    if (const int order = static_cast<const unsigned char*>(a)[i] - static_cast<const unsigned char*>(b)[i]; order != 0)
      return order;
  return 0;
}

std::size_t strlen(const char* text) {
  std::size_t size = 0;
  while (text[size] != '\0') ++size;
  return size;
}
}
