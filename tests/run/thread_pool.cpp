// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/thread_pool.hpp>

#include <tenon/core/tensor.hpp>
#include <tenon/numpy/elementwise.hpp>
#include <tenon/ops/all.hpp>
#include <tenon/ops/operators.hpp>
#include <tenon/run/trace.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace tenon::test {
using namespace execution;

namespace {

template <class Work>
void divide(thread_pool& pool, int parts, const Work& work) {
  workers(pool).for_each(parts, work);
}

TEST_CASE("every part is done once") {
  for (int threads : {1, 2, 3}) {
    thread_pool pool(threads);
    CHECK(pool.worker_count() == threads);
    for (int parts : {0, 1, 2, 7, 100}) {
      std::vector<int> done(std::size_t(parts), 0);
      divide(pool, parts, [&](int part) { ++done[std::size_t(part)]; });
      CHECK(done == std::vector<int>(std::size_t(parts), 1));
    }
  }
}

TEST_CASE("ranges make up the whole and begin at multiples") {
  thread_pool pool(3);
  for (index_t size : {0, 1, 63, 64, 65, 6400, 6401}) {
    std::vector<int> done(std::size_t(size), 0);
    std::vector<int> aligned(std::size_t(size), 1);
    workers(pool).for_each_range(size, 64, [&](index_t first, index_t last) {
      for (index_t i = first; i < last; ++i) {
        ++done[std::size_t(i)];
        aligned[std::size_t(i)] = first % 64 == 0;
      }
    });
    CHECK(done == std::vector<int>(std::size_t(size), 1));
    CHECK(aligned == std::vector<int>(std::size_t(size), 1));
  }
}

TEST_CASE("parts may divide their work, and the first failure is thrown") {
  thread_pool pool(2);
  std::vector<int> done(16, 0);
  divide(pool, 4, [&](int outer) { divide(pool, 4, [&](int inner) { ++done[std::size_t(4 * outer + inner)]; }); });
  CHECK(done == std::vector<int>(16, 1));
  CHECK_THROWS_WITH(divide(pool, 2,
                           [](int part) {
                             if (part == 0) fail("part zero");
                             fail("part one");
                           }),
                    "part zero");
}

TEST_CASE("memory is aligned and belongs to a thread") {
  auto* const first = static_cast<unsigned char*>(thread_pool::memory(100));
  CHECK(reinterpret_cast<std::uintptr_t>(first) % 64 == 0);
  std::memset(first, 1, 100);
  std::memset(thread_pool::memory(100000), 2, 100000);
}

// The bytes of f(x) for every executor.
template <class Function, class Argument>
void check_same(const Function& f, const Argument& x) {
  const auto expected = f(x);
  const std::size_t bytes = std::size_t(byte_size(expected.type));
  inline_executor none;
  const auto same = [&](const auto& got) { return std::memcmp(got.data(), expected.data(), bytes) == 0; };
  CHECK(same(f.by(none)(x)));
  for (int threads : {1, 2, 3}) {
    thread_pool pool(threads);
    for (int repeat = 0; repeat < 3; ++repeat) CHECK(same(f.by(pool)(x)));
  }
}

template <index_t... Dims>
tensor<f32, Dims...> waves() {
  tensor<f32, Dims...> x;
  for (index_t i = 0; i < x.size; ++i) x.data()[i] = f32(i % 1013) * 0.01f - 3;
  return x;
}

TEST_CASE("results do not depend on the number of threads") {
  // A size that no tile divides; a row that is loaded once per tile; a transposed operand.
  check_same(trace([](auto x) { return tanh(x) * x + exponential(-x * x); }), waves<100003>());
  check_same(trace([](auto x) {
               const auto row = slice<ints{0, 0}, ints{1, 257}>(x);
               return x * 2.0f + broadcast_in_dim<ints{257, 257}, ints{0, 1}>(row) + transpose<ints{1, 0}>(x);
             }),
             waves<257, 257>());
  check_same(trace([](auto x) { return reduce<ints{1}>(x, 0.0f, ops::add{}); }), waves<513, 300>());
  check_same(trace([](auto x) { return reduce<ints{0}>(x, 0.0f, ops::add{}); }), waves<33, 5003>());
  check_same(trace([](auto x) { return reduce<ints{0, 2}>(x, 0.0f, ops::maximum{}); }), waves<40, 41, 42>());
  check_same(trace([](auto x) { return reduce<ints{0, 1}>(x, 0.0f, ops::add{}); }), waves<300, 300>());
  // Products that are done in parts, and what is computed before and after each.
  check_same(trace([](auto x) {
               constexpr ops::dot_general by_weights{{{}, {}, ints{1}, ints{0}}};
               const auto weights = slice<ints{0, 0}, ints{64, 64}>(x);
               const auto layer = [&](auto y) { return maximum(dot_general<by_weights>(y, weights) + 0.5f, 0.0f); };
               return layer(tanh(layer(x * 0.25f)));
             }),
             waves<5000, 64>());
  check_same(trace([](auto x) {
               const auto scores = dot_general<ops::dot_general{{ints{0}, ints{0}, ints{2}, ints{2}}}>(x, x) * 0.125f;
               return dot_general<ops::dot_general{{ints{0}, ints{0}, ints{2}, ints{1}}}>(softmax(scores), x);
             }),
             waves<3, 400, 16>());
}

}  // namespace
}  // namespace tenon::test
