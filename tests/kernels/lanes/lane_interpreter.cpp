// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/lanes/lane_interpreter.hpp>

#include <tenon/ops/elementwise/convert.hpp>

#include "kernels/written_lanes.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

// The first result for `count` elements: the arguments count up from 1, 1001, 2001 ...
std::vector<float> run(const written_lanes& lanes, index_t count, bool over_arguments = false) {
  std::vector<std::vector<float>> values, given;
  std::vector<const void*> from;
  std::vector<void*> to;
  for (int i = 0; i < lanes.program.argument_count; ++i) {
    values.emplace_back();
    for (index_t k = 0; k < count; ++k) values.back().push_back(float(1000 * i + 1 + k));
  }
  for (const auto& each : values) from.push_back(each.data());
  for (int i = 0; i < lanes.program.result_count; ++i) given.emplace_back(std::size_t(count), -1.0f);
  for (std::size_t i = 0; i < given.size(); ++i)
    to.push_back(over_arguments && i < values.size() ? values[i].data() : given[i].data());
  lanes.function()(from.data(), to.data(), count);
  return over_arguments ? values[0] : given[0];
}

}  // namespace

TEST_CASE("ops are done one after the other, on any number of elements") {
  const shared_lanes lanes = weighted_lanes(3.0f);
  for (const index_t count : {0, 1, 5, 1023, 1024, 1025, 3 * 1024 + 7}) {
    const std::vector<float> result = run(*lanes, count);
    for (index_t k = 0; k < count; ++k) REQUIRE(result[std::size_t(k)] == 3 * float(1 + k) + float(1001 + k));
    CHECK(run(*lanes, count, true) == result);
  }
}

TEST_CASE("as many ops as there is room for, all of whose values are read again") {
  written_lanes lanes{dtype::f32, dtype::f32};
  int sum = lanes.argument(0);
  for (int n = 0; n < lane_program::most_nodes - 1; ++n) sum = lanes.apply<ops::add, f32>({sum, lanes.argument(1)});
  lanes.give({lanes.apply<ops::add, f32>({sum, 0})});
  const std::vector<float> result = run(lanes, 1000);
  for (int k = 0; k < 1000; ++k) {
    const float x = float(1 + k), y = float(1001 + k);
    REQUIRE(result[std::size_t(k)] == x + (lane_program::most_nodes - 1) * y + (x + y));
  }
}

TEST_CASE("a result over an argument that is still read waits until it is not") {
  written_lanes lanes{dtype::f32, dtype::f32};
  const int sum = lanes.apply<ops::add, f32>({~0, ~1}), product = lanes.apply<ops::multiply, f32>({sum, ~0});
  lanes.give({sum, product});
  CHECK(lanes.program.nodes[sum].result == -1);
  CHECK(lanes.program.nodes[product].result == 1);
  CHECK(run(lanes, 50, true) == run(lanes, 50));
}

TEST_CASE("arguments change places, constants and one value twice are results") {
  written_lanes turned{dtype::f32, dtype::f32};
  turned.give({~1, ~0});
  CHECK(run(turned, 2000, true) == run(turned, 2000));
  CHECK(run(turned, 3) == std::vector<float>{1001, 1002, 1003});

  written_lanes constant{dtype::f32, dtype::f32};
  const int seven = constant.repeated(7.0f);
  constant.give({seven});
  CHECK(run(constant, 3, true) == std::vector<float>{7, 7, 7});

  written_lanes kept{dtype::f32, dtype::f32};
  const int sum = kept.apply<ops::add, f32>({~0, ~1});
  kept.give({~0, sum});
  CHECK(run(kept, 2, true) == std::vector<float>{1, 2});
  CHECK(kept.program.forwarded() == -1);
}

TEST_CASE("a part of a program computes what it is asked for, of what it is given") {
  written_lanes lanes{dtype::f32, dtype::f32};
  const int half = lanes.repeated(0.5f), sum = lanes.apply<ops::add, f32>({~0, ~1});
  const int product = lanes.apply<ops::multiply, f32>({sum, half});
  const int number = lanes.apply<ops::convert, f32, i32>({product});
  lanes.give({number});
  const int wanted[] = {number, product}, given[] = {sum};
  const lane_program part = part_of(lanes.program, {given, 1}, {wanted, 2});
  REQUIRE(part.fits);
  CHECK(part.node_count == 2);
  CHECK(part.argument_count == 1);
  const float x[] = {4, 7};
  i32 whole[2];
  float halves[2];
  const void* const from[] = {x};
  void* const to[] = {whole, halves};
  const lane_function function = lanes.function();
  function.interpret(function.context, part, from, to, 2);
  CHECK(whole[0] == 2);
  CHECK(whole[1] == 3);
  CHECK(halves[1] == 3.5f);
  // An argument of the whole is none of the part.
  const int argument[] = {~1};
  CHECK(!part_of(lanes.program, {given, 1}, {argument, 1}).fits);
}
