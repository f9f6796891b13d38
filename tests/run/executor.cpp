// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/executor.hpp>

#include <tenon/core/tensor.hpp>
#include <tenon/numpy/arrays.hpp>
#include <tenon/numpy/elementwise.hpp>
#include <tenon/ops/all.hpp>
#include <tenon/ops/operators.hpp>
#include <tenon/run/trace.hpp>

#include <doctest/doctest.h>

#include <cmath>
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
  CHECK(f.by(workers)(small)(1) == 27);
  CHECK(workers.parts_done == 0);
}

// Parts that several workers do of f(x), which gives the same bytes as by one.
template <class Function, class X>
int parts_of(const Function& f, const X& x) {
  backwards workers;
  const auto divided = f.by(workers)(x), whole = f(x);
  CHECK(std::memcmp(divided.data(), whole.data(), sizeof(*whole.data()) * std::size_t(whole.size)) == 0);
  return workers.parts_done;
}
template <class X>
X numbered() {
  X x;
  for (index_t i = 0; i < x.size; ++i) x.data()[i] = f32(i * 7919 % 977) * 0.125f - 50;
  return x;
}

// What docs/threads.md says of folds and groups.
TEST_CASE("results of folds are divided, and the sum of all elements in partial sums") {
  const auto x = numbered<tensor<f32, 300, 301>>();
  CHECK(parts_of(trace([](auto a) { return a * a + 1.0f; }), x) > 1);
  CHECK(parts_of(trace([](auto a) { return softmax(a); }), x) > 1);
  CHECK(parts_of(trace([](auto a) { return reduce<ints{0}>(a, 0.0f, ops::add{}); }), x) > 1);
  constexpr auto all = trace([](auto a) { return reduce<ints{0, 1}>(a, 1.5f, ops::add{}); });
  CHECK(parts_of(all, x) <= 1);
  const auto large = numbered<tensor<f32, 512, 300>>();
  CHECK(parts_of(all, large) > 1);
  f64 sum = 1.5;
  for (index_t i = 0; i < large.size; ++i) sum += f64(large.data()[i]);
  CHECK(std::abs(f64(all(large)()) - sum) < 1e-5 * 50 * f64(large.size));
  const auto line = numbered<tensor<f32, 153600>>();
  CHECK(parts_of(trace([](auto a) { return reduce<ints{0}>(a * a, 0.0f, ops::add{}); }), line) > 1);
  CHECK(parts_of(trace([](auto a) { return reduce<ints{0}>(a, -1.0f, ops::maximum{}); }), line) > 1);
}

// What docs/threads.md says of ops with loops of their own.
TEST_CASE("batches of ops with loops of their own are divided") {
  const auto x = numbered<tensor<f32, 30, 10, 160>>();
  CHECK(parts_of(trace([](auto a) { return sort<2>(a, [](auto p, auto q) { return p < q; }); }), x) > 1);
  CHECK(parts_of(trace([](auto a) { return sort<2>(a, [](auto p, auto q) { return p * p < q * q; }); }), x) > 1);
  CHECK(parts_of(trace([](auto a) { return sort<0>(a, [](auto p, auto q) { return p < q; }); }), x) <= 1);
  CHECK(parts_of(trace([](auto a) {
                   auto [values, places] = top_k<7>(a);
                   return values;
                 }),
                 x) > 1);
  CHECK(parts_of(trace([](auto a) { return cumsum<2>(a); }), x) > 1);
  CHECK(parts_of(trace([](auto a) { return cumsum<0>(a); }), x) > 1);
  CHECK(parts_of(trace([](auto a) { return abs(fft<fft_type::RFFT, ints{160}>(a)); }), x) > 1);
  CHECK(parts_of(trace([](auto a) { return pad<ints{0, 0, 3}, ints{0, 1, 0}, ints{0, 0, 1}>(a, 0.5f); }), x) > 1);

  const auto matrices = numbered<tensor<f32, 40, 30, 30>>();
  constexpr auto factor = trace([](auto a) {
    const auto product =
        dot_general<ops::dot_general{.dot_dimension_numbers = {.lhs_batching_dimensions = ints{0},
                                                               .rhs_batching_dimensions = ints{0},
                                                               .lhs_contracting_dimensions = ints{2},
                                                               .rhs_contracting_dimensions = ints{2}}}>(a, a);
    return cholesky<true>(product + product);
  });
  CHECK(parts_of(factor, matrices) > 1);

  const auto image = numbered<tensor<f32, 1, 60, 60, 24>>();
  using pool = ops::reduce_window;
  CHECK(parts_of(trace([](auto a) {
                   return reduce_window<pool{.window_dimensions = ints{1, 3, 3, 1},
                                             .window_strides = ints{1, 2, 2, 1},
                                             .padding = {{0, 0}, {1, 1}, {1, 1}, {0, 0}}}>(a, -99.0f, ops::maximum{});
                 }),
                 image) > 1);
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
