// SPDX-License-Identifier: Apache-2.0
#include <tenon/distributed/predicted.hpp>

#include <tenon/core/tensor.hpp>
#include <tenon/ops/all.hpp>
#include <tenon/ops/operators.hpp>
#include <tenon/run/trace.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr id_formula every{[](int, int column) { return index_t{column}; }};
template <int Count>
constexpr id_table everybody{1, Count, &every};

template <class Tensor>
Tensor ones() {
  Tensor x;
  for (index_t i = 0; i < Tensor::size; ++i) x.data()[i] = 1;
  return x;
}

template <int Count, class Function, class Tensor>
communication counted(const Function& function, const Tensor& x, int replica = 0) {
  predicted_grid grid({Count, 1}, {replica, 0});
  grid.run([&](process_context& process) { (void)function.as(process)(x); });
  return grid.counted();
}

TEST_CASE("messages and bytes of collectives") {
  const auto x = ones<tensor<f32, 16>>();
  constexpr auto gathers =
      trace([](auto a) { return all_gather<ops::all_gather{.replica_groups = everybody<1000>}>(a); });
  CHECK(counted<1000>(gathers, x).messages == 20);
  CHECK(counted<1000>(gathers, x).bytes == 999 * 64);
  constexpr auto exchanges =
      trace([](auto a) { return all_to_all<ops::all_to_all{.split_count = 8, .replica_groups = everybody<8>}>(a); });
  CHECK(counted<8>(exchanges, x).messages == 3 + 7);
  CHECK(counted<8>(exchanges, x).bytes == 7 * 8);
  constexpr auto scatters =
      trace([](auto a) { return reduce_scatter<ops::reduce_scatter{.replica_groups = everybody<16>}>(a, ops::add{}); });
  CHECK(counted<16>(scatters, x, 3).bytes == 15 * 4);
  constexpr auto tells = trace(
      [](auto a) { return collective_broadcast<ops::collective_broadcast{.replica_groups = everybody<100>}>(a); });
  CHECK(counted<100>(tells, x, 0).bytes == 64);
  CHECK(counted<100>(tells, x, 7).bytes == 64);
}

TEST_CASE("one process of 100,000") {
  const auto x = ones<tensor<f32, 1024>>();
  constexpr auto adds = trace([](auto a) { return all_reduce<ops::all_reduce{}>(a, ops::add{}); });
  const communication all = counted<100'000>(adds, x, 3);
  // Two checks, slices of 64 elements from everybody, and all slices but its own.
  CHECK(all.messages == 17 + 99'999 + 17 + 17);
  CHECK(all.bytes == 99'999 * 256 + 15 * 256);
  CHECK(all.seconds({1e-6, 1e9}) == doctest::Approx(all.messages * 1e-6 + all.bytes * 1e-9));
}

TEST_CASE("messages say what was sent last") {
  constexpr auto goes_round = trace([](auto a) {
    constexpr ops::collective_permute next{.source_target_pairs = {{0, 1}, {1, 2}, {2, 0}}};
    const auto one = collective_permute<next>(a * 2.0f);
    return one + collective_permute<next>(one);
  });
  predicted_grid grid({3, 1});
  tensor<f32, 2> result;
  grid.run([&](process_context& process) { result = goes_round.as(process)(tensor<f32, 2>{1, 5}); });
  CHECK(equal(result, tensor<f32, 2>{4, 20}));
  CHECK(grid.counted().messages == 2);
  CHECK(grid.counted().bytes == 16);
}

TEST_CASE("messages to whoever receives go to everybody") {
  constexpr tensor_type number = type_of(dtype::f32);
  predicted_grid grid({5, 1});
  grid.run([&](process_context& process) {
    f32 value = 3;
    const transfer route{.op = "send", .channel_id = 4, .types = {&number, 1}};
    const void* const inputs[] = {&value};
    void* const results[] = {&value};
    process.receive(route, results);
    CHECK(value == 0);
    process.send(route, inputs);
  });
  CHECK(grid.counted().messages == 1 + 3);
}

}  // namespace
}  // namespace tenon::test
