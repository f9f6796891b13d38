/* SPDX-License-Identifier: Apache-2.0 */
#include "squared.h"

#include <math.h>

static unsigned char memory[squared_arena_bytes + 64];

int main(void) {
  static const float z[6] = {1, 2, 3, 4, 5, 6};
  static const bool mask[3] = {true, false, true};
  static const double b = 1;
  float result0[6];
  double result1;
  unsigned char* arena = memory + (64 - (uintptr_t)memory % 64) % 64;
  if (squared(z, mask, &b, result0, &result1, arena) != 0) return 1;
  if (result0[0] != -3 || result0[1] != 4 || result0[2] != 3 || result0[5] != 60) return 2;
  return fabs(result1 - exp(1)) < 1e-12 ? 0 : 3;
}
