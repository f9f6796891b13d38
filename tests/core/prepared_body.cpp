// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/prepared_body.hpp>

#include <kernels/prepared_bodies.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace tenon;
using namespace tenon::test;

namespace {

template <class Op>
prepared_body::step step_of(body_place a, body_place b, body_place to) {
  return {&elementwise_kernel<Op, float, float>, nullptr, 2, {a, b, {}}, to};
}

// Runs on `count` elements: the arguments count up from 1, 1001, 2001 ...
std::vector<float> run(prepared_body& body, int arguments, index_t count, bool over_arguments = false) {
  std::vector<std::vector<float>> values;
  std::vector<const void*> from;
  for (int i = 0; i < arguments; ++i) {
    values.emplace_back();
    for (index_t k = 0; k < count; ++k) values.back().push_back(float(1000 * i + 1 + k));
  }
  for (const auto& each : values) from.push_back(each.data());
  std::vector<float> result(std::size_t(count), -1.0f);
  void* to = over_arguments ? values[0].data() : result.data();
  body(from.data(), &to, count);
  return over_arguments ? values[0] : result;
}

}  // namespace

TEST_CASE("steps are done one after the other, on any number of elements") {
  prepared_body body;
  REQUIRE(prepare_weighted(false, 3.0f, body));
  CHECK(body.at_once() >= 16);
  CHECK(body.at_once() <= prepared_body::most_at_once);
  for (const index_t count : {index_t(1), index_t(5), body.at_once(), body.at_once() + 1, 3 * body.at_once() + 7}) {
    const std::vector<float> result = run(body, 2, count);
    for (index_t k = 0; k < count; ++k) REQUIRE(result[std::size_t(k)] == 3 * float(1 + k) + float(1001 + k));
  }
}

TEST_CASE("more values of its own leave room for fewer elements at once") {
  prepared_body few, many;
  for (prepared_body* each : {&few, &many}) {
    each->begin(nullptr);
    body_place at = argument_of_body(0, 4);
    for (int i = 0; i < (each == &few ? 1 : 40); ++i) {
      const body_place next = each->own(4);
      REQUIRE(each->add(step_of<ops::add>(at, argument_of_body(1, 4), next)));
      at = next;
    }
    REQUIRE(each->add(prepared_body::copy{at, result_of_body(0, 4)}));
    REQUIRE(each->end());
  }
  CHECK(many.at_once() < few.at_once());
  const std::vector<float> once = run(few, 2, 100), forty = run(many, 2, 100);
  for (int k = 0; k < 100; ++k) {
    CHECK(once[std::size_t(k)] == float(1 + k) + float(1001 + k));
    CHECK(forty[std::size_t(k)] == float(1 + k) + 40 * float(1001 + k));
  }
}

TEST_CASE("there is room for so many steps and copies") {
  prepared_body body;
  body.begin(nullptr);
  const body_place x = argument_of_body(0, 4), y = result_of_body(0, 4);
  for (int i = 0; i < prepared_body::most_steps; ++i) REQUIRE(body.add(step_of<ops::add>(x, x, y)));
  CHECK(!body.add(step_of<ops::add>(x, x, y)));
  for (int i = 0; i < prepared_body::most_copies; ++i) REQUIRE(body.add(prepared_body::copy{x, y}));
  CHECK(!body.add(prepared_body::copy{x, y}));
  CHECK(body.steps().size == prepared_body::most_steps);
  CHECK(body.copies().size == prepared_body::most_copies);
  // Hundreds of values would leave room for hardly an element.
  for (int i = 0; i < 300; ++i) body.own(4);
  CHECK(!body.end());
}

TEST_CASE("a result over an argument that is still read is kept until it is not") {
  const auto write = [](prepared_body& body) {
    body.begin(nullptr);
    const body_place x = argument_of_body(0, 4), y = argument_of_body(1, 4), to = result_of_body(0, 4);
    // to = x + y, then to = to * x: reads x after the first result.
    REQUIRE(body.add(step_of<ops::add>(x, y, to)));
    REQUIRE(body.add(step_of<ops::multiply>(to, x, to)));
  };
  prepared_body apart, over;
  write(apart);
  REQUIRE(apart.end());
  write(over);
  REQUIRE(over.keep_arguments());
  REQUIRE(over.end());
  CHECK(over.copies().size > apart.copies().size);
  CHECK(run(apart, 2, 50) == run(over, 2, 50, true));
}

TEST_CASE("steps can be left out, and what they gave be put there by others") {
  prepared_body body;
  body.begin(nullptr);
  const body_place x = argument_of_body(0, 4), y = argument_of_body(1, 4);
  const body_place sum = body.own(4), product = body.own(4);
  REQUIRE(body.add(step_of<ops::add>(x, y, sum)));
  REQUIRE(body.add(step_of<ops::multiply>(x, y, product)));
  REQUIRE(body.end());
  CHECK(body.writer_of(sum) == 0);
  CHECK(body.writer_of(product) == 1);
  CHECK(body.writer_of(x) == -1);
  const bool wanted[prepared_body::most_steps] = {false, true};
  body.keep_only(wanted);
  CHECK(body.steps().size == 1);
  REQUIRE(body.add(prepared_body::copy{product, result_of_body(0, 4)}));
  CHECK(run(body, 2, 3) == std::vector<float>{1001, 2004, 3009});
  CHECK(static_cast<const float*>(body.own_memory(product))[2] == 3009);
}
