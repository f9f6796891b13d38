// SPDX-License-Identifier: Apache-2.0
//
// What compilers call for copies, in place of a C library. Compiled with -fno-tree-loop-distribute-patterns, or these
// loops would become calls of themselves.

#include <cstddef>
#include <cstdint>

namespace {

// These processors load and store words wherever they lie, Cortex-M55 vectors as well.
using word = std::uint32_t __attribute__((may_alias, aligned(1)));
using block = std::uint32_t __attribute__((vector_size(16), may_alias, aligned(1)));

template <class T>
void copy(char*& to, const char*& from, std::size_t& size) {
  for (; size >= sizeof(T); size -= sizeof(T), to += sizeof(T), from += sizeof(T))
    *reinterpret_cast<T*>(to) = *reinterpret_cast<const T*>(from);
}
template <class T>
void fill(char*& to, const T& value, std::size_t& size) {
  for (; size >= sizeof(T); size -= sizeof(T), to += sizeof(T)) *reinterpret_cast<T*>(to) = value;
}

}  // namespace

extern "C" {

void* memcpy(void* to, const void* from, std::size_t size) {
  char* target = static_cast<char*>(to);
  const char* source = static_cast<const char*>(from);
  copy<block>(target, source, size);
  copy<word>(target, source, size);
  copy<char>(target, source, size);
  return to;
}

void* memmove(void* to, const void* from, std::size_t size) {
  if (to < from) return memcpy(to, from, size);
  while (size-- > 0) static_cast<char*>(to)[size] = static_cast<const char*>(from)[size];
  return to;
}

void* memset(void* to, int value, std::size_t size) {
  char* target = static_cast<char*>(to);
  const std::uint32_t four = static_cast<unsigned char>(value) * 0x01010101u;
  fill<block>(target, block{} + four, size);
  fill<word>(target, four, size);
  fill<char>(target, char(value), size);
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
