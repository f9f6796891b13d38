// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/evaluation.hpp>
#include <tenon/graph/plan/plan.hpp>

#include <lanes/cases.hpp>

namespace lane_cases {

using runner = void (*)(const void* const* arguments, void* const* results);

// Cases that have been compiled, as a program or as expressions.
struct compiled_cases {
  const char* form;
  const lane_case* cases;
  int count;
  runner run;
};
struct compiled_list {
  const compiled_cases* at;
  int size;
};

// Each is defined in a source that is compiled for the target of the sweep.
extern const compiled_list programs_of_floats, programs_of_narrow_floats, programs_of_integers, expressions;
tenon::core::kernel find_kernel(const tenon::planning::kernel_key& key);

// A target: a library of its own, which shares no inline functions with the program that loads it.
struct swept_target {
  const char* name;
  int vector_bytes;
  tenon::core::kernel (*find)(const tenon::planning::kernel_key& key);
  compiled_list compiled[4];
};
using open_target = void (*)(swept_target&);

}  // namespace lane_cases
