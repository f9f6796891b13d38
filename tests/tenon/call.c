/* SPDX-License-Identifier: Apache-2.0 */
#include "net-1.h"

#include <stdio.h>
#include <string.h>

static unsigned char memory[net_1_arena_bytes + 64];

int main(void) {
  static const float w[6] = {1, 2, 3, 4, 5, 6}, b[2] = {10, 20}, x[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
  static const float wanted[8] = {11, 22, 13, 24, 15, 26, 19, 32};
  static const int32_t wanted_sums[4] = {33, 37, 41, 51};
  float y[8];
  int32_t sums[4];
  unsigned char* arena = memory + (64 - (uintptr_t)memory % 64) % 64;
  if (net_1(w, b, x, y, sums, arena) != 0) return 1;
  if (memcmp(y, wanted, sizeof y) != 0 || memcmp(sums, wanted_sums, sizeof sums) != 0) return 2;
  if (net_1(NULL, b, x, y, sums, arena) != 1 || net_1(w, b, x, y, NULL, arena) != 1) return 3;
  if (net_1((const float*)(const void*)((const char*)(const void*)w + 1), b, x, y, sums, arena) != 2) return 4;
  if (net_1(w, b, x, y, sums, arena + 1) != 3) return 5;
  if (net_1_argument_count != 3 || net_1_result_count != 2) return 6;
  if (strcmp(net_1_arguments[0].name, "params_layers_0_w") != 0) return 7;
  if (strcmp(net_1_arguments[0].path, "params['layers'][0]['w']") != 0) return 8;
  if (strcmp(net_1_arguments[1].name, "int_") != 0 || strcmp(net_1_arguments[2].name, "x") != 0) return 9;
  if (strcmp(net_1_results[0].name, "y") != 0 || strcmp(net_1_results[1].name, "result_1") != 0) return 10;
  if (net_1_arguments[0].rank != 2 || net_1_arguments[0].shape[0] != 3 || net_1_arguments[0].bytes != 24) return 11;
  if (strcmp(net_1_results[1].element, "i32") != 0) return 12;
  return 0;
}
