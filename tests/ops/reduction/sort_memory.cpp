// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/reduction/sort_memory.hpp>

using namespace tenon;

namespace {

constexpr ops::sort_memory memory_of(dtype element, const ints& shape, int axis, int operands = 1) {
  const tensor_type types[] = {type_of(element, shape), type_of(dtype::i64, shape), type_of(dtype::f64, shape)};
  return ops::sort_memory({types, operands}, axis);
}

}  // namespace

// Short rows are sorted together, but no more than there are.
static_assert(memory_of(dtype::f32, {600, 100}, 1).rows_together == 5);
static_assert(memory_of(dtype::f32, {3, 100}, 1).rows_together == 3);
static_assert(memory_of(dtype::f32, {3, 1000}, 1).rows_together == 1);
static_assert(memory_of(dtype::f32, {100, 7}, 0).rows_together == 5);
static_assert(memory_of(dtype::f32, {0}, 0).rows_together == 0);
static_assert(memory_of(dtype::f32, {3, 100}, 1).column_length == 304);

// One operand moves itself; of several, positions move with as much as there is room for.
static_assert(memory_of(dtype::i8, {100}, 0).moved == 1 && memory_of(dtype::f32, {100}, 0, 2).moved == 16);
static_assert(memory_of(dtype::i8, {100}, 0, 2).moved == 13);

// Pointers stand behind what is sorted, two for each operand, and counts behind these where rows are long enough.
static_assert(memory_of(dtype::f32, {100}, 0).arguments >= 2 * 4 * 100);
static_assert(memory_of(dtype::f32, {100}, 0, 3).counts ==
              memory_of(dtype::f32, {100}, 0, 3).arguments + 6 * index_t(sizeof(void*)));
static_assert(memory_of(dtype::f32, {63}, 0).bytes == memory_of(dtype::f32, {63}, 0).counts);
static_assert(memory_of(dtype::f32, {64}, 0).bytes ==
              memory_of(dtype::f32, {64}, 0).counts + ops::sort_memory::counts_bytes);
