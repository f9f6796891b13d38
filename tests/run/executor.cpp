// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/executor.hpp>

#include <tenon/core/tensor.hpp>
#include <tenon/ops/all.hpp>
#include <tenon/ops/numpy.hpp>
#include <tenon/ops/operators.hpp>
#include <tenon/run/trace.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

namespace tenon::test {
using namespace execution;

namespace {

// An executor of a user: does the parts in descending order.
struct backwards {
  int parts_done = 0;
  struct alignas(64) line {
    unsigned char bytes[64];
  };
  std::vector<line> own;

  static int worker_count() { return 5; }
  void for_each(int parts, const divided_work& work) {
    parts_done += parts;
    while (parts-- > 0) work.run(work.self, parts);
  }
  void* memory(index_t bytes) {
    own.assign(std::size_t(bytes) / 64 + 1, line{});
    return own.data();
  }
};
static_assert(executor<backwards> && !executor<int>);

TEST_CASE("large groups and folds are divided, small ones are not") {
  constexpr auto f = trace([](auto x) { return reduce<ints{1}>(x * x + 1.0f, 0.0f, ops::add{}); });
  tensor<f32, 300, 301> large;
  for (index_t i = 0; i < large.size; ++i) large.data()[i] = f32(i % 97);
  backwards workers;
  const auto divided = f.by(workers)(large), whole = f(large);
  CHECK(workers.parts_done == 20);
  CHECK(std::memcmp(divided.data(), whole.data(), sizeof(f32) * 300) == 0);

  constexpr auto sum = trace([](auto x) { return reduce<ints{1}>(x, 0.0f, ops::add{}); });
  const auto divided_sum = sum.by(workers)(large), whole_sum = sum(large);
  CHECK(workers.parts_done == 25);  // of 64 rows each
  CHECK(std::memcmp(divided_sum.data(), whole_sum.data(), sizeof(f32) * 300) == 0);

  const tensor<f32, 2, 2> small{{1, 2}, {3, 4}};
  workers.parts_done = 0;
  CHECK(f.by(workers)(small).data()[1] == 27);
  CHECK(workers.parts_done == 0);
}

// What docs/threads.md says of folds and groups.
TEST_CASE("results of folds are divided, the sum of all elements is not") {
  tensor<f32, 300, 301> x;
  for (index_t i = 0; i < x.size; ++i) x.data()[i] = f32(i % 97) * 0.125f;
  const auto parts_of = [&](const auto& f) {
    backwards workers;
    const auto divided = f.by(workers)(x), whole = f(x);
    CHECK(std::memcmp(divided.data(), whole.data(), sizeof(f32) * std::size_t(whole.size)) == 0);
    return workers.parts_done;
  };
  CHECK(parts_of(trace([](auto a) { return a * a + 1.0f; })) > 1);
  CHECK(parts_of(trace([](auto a) { return softmax(a); })) > 1);
  CHECK(parts_of(trace([](auto a) { return reduce<ints{0}>(a, 0.0f, ops::add{}); })) > 1);
  CHECK(parts_of(trace([](auto a) { return reduce<ints{0, 1}>(a, 0.0f, ops::add{}); })) <= 1);
}

TEST_CASE("where results and arena lie can be said at the same time") {
  constexpr auto f = trace([](auto x) { return x + x; });
  const tensor<f32, 2> x{1, 2};
  tensor<f32, 2> y;
  backwards workers;
  arena<f.arena_bytes<tensor<f32, 2>>> memory;
  f.by(workers).on(memory).into(y)(x);
  CHECK(y.data()[1] == 4);
}

}  // namespace
}  // namespace tenon::test
