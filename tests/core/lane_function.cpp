// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/lane_function.hpp>

#include <doctest/doctest.h>

namespace tenon::kernels {
struct lane_program {
  int factor;
};
}  // namespace tenon::kernels

using namespace tenon;
using namespace tenon::kernels;
using namespace tenon::core;

namespace {

void multiply(const void* context, const lane_program& program, const void* const* arguments, void* const* results,
              index_t count) {
  const int offset = *static_cast<const int*>(context);
  for (index_t k = 0; k < count; ++k)
    static_cast<int*>(results[0])[k] = static_cast<const int*>(arguments[0])[k] * program.factor + offset;
}
void negate(const void* const* arguments, void* const* results, index_t count) {
  for (index_t k = 0; k < count; ++k) static_cast<int*>(results[0])[k] = -static_cast<const int*>(arguments[0])[k];
}

}  // namespace

TEST_CASE("a region is interpreted, unless it has loops of its own") {
  const lane_program program{3};
  const int offset = 1, from[] = {4, 5};
  int to[2];
  const void* const arguments[] = {from};
  void* const results[] = {to};
  CHECK(!lane_function());
  lane_function lanes;
  lanes.program = &program, lanes.interpret = &multiply, lanes.context = &offset;
  REQUIRE(lanes);
  lanes(arguments, results, 2);
  CHECK(to[0] == 13);
  CHECK(to[1] == 16);
  lanes.compiled.apply = &negate;
  lanes(arguments, results, 2);
  CHECK(to[1] == -5);
}
