// SPDX-License-Identifier: Apache-2.0
//
// With MAIN the program, without it the part that it calls: two sources of one program, which share inline functions.
#include TENON_HEADER

int value_of_part(int argument);

#ifdef MAIN
int main() { return value_of_part(41) - 42; }
#else
int value_of_part(int argument) { return argument + 1; }
#endif
