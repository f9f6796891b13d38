// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/invoke.hpp>

#include <tenon/run/thread_pool.hpp>

#include "core/failure_of.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <type_traits>

using namespace tenon;
using namespace tenon::execution;

namespace {

// What a run was told.
struct told {
  const void* arena = nullptr;
  std::uint64_t seed = 0;
  int workers = 0;
  process_context* process = nullptr;
  int runs = 0;
} last;

// Of two columns, and of at most four rows.
constexpr tensor_type rows_type = [] {
  tensor_type type = type_of(dtype::f32, {4, 2});
  type.bounded = 1;
  return type;
}();

// Stands for a compiled program: doubles numbers, as many of %x as its sizes say, and all of %y.
struct doubling_program {
  static constexpr int argument_count = 2, result_count = 2, argument_sizes = 1, result_sizes = 1;
  static constexpr index_t arena_bytes = 100;
  static constexpr tensor_type argument_type(int i) { return i == 0 ? rows_type : type_of(dtype::f32, {3}); }
  static constexpr tensor_type result_type(int i) { return argument_type(i); }

  static void run_sized(const void* const* arguments, const index_t* sizes, void* const* results, index_t* sizes_given,
                        void* arena, const run_options& options) {
    last = {arena, options.seed, options.workers.count(), options.process, last.runs + 1};
    for (int i = 0; i < 2; ++i)
      for (index_t k = 0; k < (i == 0 ? 2 * sizes[0] : 3); ++k)
        static_cast<f32*>(results[i])[k] = 2 * static_cast<const f32*>(arguments[i])[k];
    sizes_given[0] = sizes[0];
  }
  static void run_sized(const void* const* arguments, const index_t* sizes, void* const* results, index_t* sizes_given,
                        const run_options& options) {
    run_sized(arguments, sizes, results, sizes_given, nullptr, options);
  }
};
struct doubling : callable<doubling> {
  static constexpr bool gives_single_tensors = false;
  template <class...>
  static constexpr bool valid = true;
  template <class...>
  struct checked {};
  template <class...>
  using program_for = doubling_program;

  template <class... Arguments>
  auto operator()(const Arguments&... arguments) const {
    return this->directed()(arguments...);
  }
};

using sized = bounded_tensor<f32, 4, 2>;
using line = tensor<f32, 3>;

sized some_rows() {
  sized x(ints{2, 2});
  x(0, 0) = 1, x(0, 1) = 2, x(1, 0) = 3, x(1, 1) = 4;
  return x;
}

// Types.

static_assert(room_of<line>() == type_of(dtype::f32, {3}));
static_assert(room_of<sized>() == type_of(dtype::f32, {4, 2}));
static_assert(fits_within(type_of(dtype::f32, {3, 2}), room_of<sized>()));
static_assert(!fits_within(type_of(dtype::f32, {5, 2}), room_of<sized>()));
static_assert(!fits_within(type_of(dtype::f32, {2}), room_of<sized>()));
static_assert(!fits_within(type_of(dtype::f64, {3, 2}), room_of<sized>()));

using signature_of_doubling = signature_of<doubling_program>;
static_assert(std::is_same_v<signature_of_doubling::argument<0>, sized>);
static_assert(std::is_same_v<signature_of_doubling::results_type, results<sized, line>>);
static_assert(signature_of_doubling::takes<sized>(0) && signature_of_doubling::takes<line>(1));
static_assert(signature_of_doubling::takes<tensor<f32, 3, 2>>(0));
static_assert(signature_of_doubling::takes<tensor_view<const f32, 3>>(1) && !signature_of_doubling::takes<line>(0));
static_assert(std::is_same_v<argument_tensor<f64>, tensor<f64>>);
static_assert(std::is_same_v<argument_tensor<tensor_view<const f32, 3>>, line>);

}  // namespace

TEST_CASE("a call gives all results, with their sizes") {
  const line y{5, 6, 7};
  const auto [rows, doubled] = doubling{}(some_rows(), y);
  CHECK(rows.shape() == ints{2, 2});
  CHECK(equal(rows.as<2, 2>(), tensor<f32, 2, 2>{{2, 4}, {6, 8}}));
  CHECK(equal(doubled, line{10, 12, 14}));
  CHECK(last.workers == 1);
  CHECK(last.seed == 0);
  CHECK(last.arena == nullptr);
  // A tensor that is smaller than its room is an argument of its own size.
  const auto [one, again] = doubling{}(tensor<f32, 1, 2>{{8, 9}}, y);
  CHECK(equal(one.as<1, 2>(), tensor<f32, 1, 2>{{16, 18}}));
}

TEST_CASE("what a call is told reaches the program, in any order") {
  const line y{5, 6, 7};
  arena<100> memory;
  thread_pool pool(2);
  sized rows;
  line doubled;
  process_context* const process = reinterpret_cast<process_context*>(&memory);
  doubling{}.with_seed(7).by(pool).on(memory).as(*process).into(rows, doubled)(some_rows(), y);
  CHECK(last.arena == memory.bytes);
  CHECK(last.seed == 7);
  CHECK(last.workers == 2);
  CHECK(last.process == process);
  CHECK(rows.shape() == ints{2, 2});
  CHECK(equal(doubled, line{10, 12, 14}));
  doubled = {};
  doubling{}.into(rows, doubled).as(*process).on(memory).by(pool).with_seed(8)(some_rows(), y);
  CHECK(last.arena == memory.bytes);
  CHECK(last.seed == 8);
  CHECK(last.workers == 2);
  CHECK(last.process == process);
  CHECK(equal(doubled, line{10, 12, 14}));
}

TEST_CASE("working memory that does not suffice is an error, and nothing runs") {
  const line y;
  alignas(64) std::byte memory[164];
  const int runs = last.runs;
  CHECK(failure_of([&] { doubling{}.on(std::span<std::byte>(memory, 99))(some_rows(), y); }) ==
        "the program needs 100 bytes of working memory, but was given 99");
  CHECK(failure_of([&] { doubling{}.on(std::span<std::byte>(memory + 32, 100))(some_rows(), y); }) ==
        "the working memory of a program begins at a multiple of 64");
  CHECK(last.runs == runs);
  doubling{}.on(std::span<std::byte>(memory + 64, 100))(some_rows(), y);
  CHECK(last.runs == runs + 1);
}

TEST_CASE("results that lie where arguments are read take their place afterwards") {
  f32 memory[] = {1, 2, 3, 4};
  sized rows = some_rows();
  doubling{}.into(rows, tensor_view<f32, 3>(memory + 1))(rows, tensor_view<f32, 3>(memory));
  CHECK(memory[0] == 1);
  CHECK(memory[1] == 2);
  CHECK(memory[2] == 4);
  CHECK(memory[3] == 6);
  CHECK(equal(rows.as<2, 2>(), tensor<f32, 2, 2>{{2, 4}, {6, 8}}));
}

TEST_CASE("memory overlaps where a byte is shared") {
  const std::byte bytes[8]{};
  CHECK(overlap(bytes, 4, bytes + 3, 4));
  CHECK(overlap(bytes + 3, 4, bytes, 4));
  CHECK(overlap(bytes, 8, bytes + 3, 1));
  CHECK(!overlap(bytes, 4, bytes + 4, 4));
  CHECK(!overlap(bytes + 4, 4, bytes, 4));
}

TEST_CASE("sizes are written and read in order, and checked where they are no bounds") {
  index_t sizes[2] = {-1, -1};
  index_t* to = sizes;
  write_sizes(rows_type, {3, 2}, 0, to);
  CHECK(to == sizes + 1);
  CHECK(sizes[0] == 3);
  const index_t* from = sizes;
  CHECK(read_sizes(rows_type, from) == ints{3, 2});
  CHECK(from == sizes + 1);
  CHECK(failure_of([&] { write_sizes(rows_type, {3, 1}, 5, to); }) ==
        "argument 5: dimension 1 has size 1 where 2 is needed");
}
