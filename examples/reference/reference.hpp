// SPDX-License-Identifier: Apache-2.0
//
// The examples of the reference. A section begins with example("name of the function") and ends with the next one; the
// pages show its lines, and what it prints.
#pragma once

#include <tenon/programs.hpp>
#include <tenon/tensors.hpp>

#include <cstdio>

inline void example(const char* name) { std::printf("# %s\n", name); }

// Stands for tenon::print, with as many digits as all targets agree on.
struct shown {
  void operator()(const auto& value) const { tenon::print(value, stdout, {.most_digits = 5}); }
};

void arrays();
void elementwise();
void special_functions();
void movement();
void lookup();
void creation();
void reduction();
void contraction();
void control();
void collective();
void decompositions();
