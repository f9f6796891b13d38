/* SPDX-License-Identifier: Apache-2.0 */
#include "whole.h"

static unsigned char memory[whole_arena_bytes + 64];

int main(void) {
  static const float x[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}, wanted[8] = {11, 22, 13, 24, 15, 26, 19, 32};
  float y[8];
  int32_t sums[4];
  int i;
  if (whole(x, y, sums, memory + (64 - (uintptr_t)memory % 64) % 64) != 0) return 1;
  for (i = 0; i < 8; ++i)
    if (y[i] != wanted[i]) return 2;
  return whole_argument_count == 1 && sums[3] == 51 ? 0 : 3;
}
