// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/bounded_tensor.hpp>
#include <tenon/distributed/simulated.hpp>
#include <tenon/run/program.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

// Collectives over tensors whose sizes are known when the processes run.
namespace tenon::test {
namespace {

using gathering = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<2x?xi32, #stablehlo.bounds<?, 3>>) -> tensor<2x?xi32, #stablehlo.bounds<?, 6>> {
    %y = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
        : (tensor<2x?xi32, #stablehlo.bounds<?, 3>>) -> tensor<2x?xi32, #stablehlo.bounds<?, 6>>
    return %y : tensor<2x?xi32, #stablehlo.bounds<?, 6>>
  }
)");

using reducing = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<?xi32, #stablehlo.bounds<4>>)
      -> (tensor<?xi32, #stablehlo.bounds<4>>, tensor<?xi32, #stablehlo.bounds<2>>,
          tensor<?xi32, #stablehlo.bounds<4>>, tensor<?xi32, #stablehlo.bounds<4>>) {
    %y = "stablehlo.all_reduce"(%x) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
        : (tensor<?xi32, #stablehlo.bounds<4>>) -> tensor<?xi32, #stablehlo.bounds<4>>
    %z = "stablehlo.reduce_scatter"(%x) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
        : (tensor<?xi32, #stablehlo.bounds<4>>) -> tensor<?xi32, #stablehlo.bounds<2>>
    %u = "stablehlo.cross-replica-sum"(%x) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
        : (tensor<?xi32, #stablehlo.bounds<4>>) -> tensor<?xi32, #stablehlo.bounds<4>>
    %v = "stablehlo.collective_reduce"(%x) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %s = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %s : tensor<i32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
        : (tensor<?xi32, #stablehlo.bounds<4>>) -> tensor<?xi32, #stablehlo.bounds<4>>
    return %y, %z, %u, %v : tensor<?xi32, #stablehlo.bounds<4>>, tensor<?xi32, #stablehlo.bounds<2>>,
        tensor<?xi32, #stablehlo.bounds<4>>, tensor<?xi32, #stablehlo.bounds<4>>
  }
)");

// In parts along the rows, put together along the rows, or along the columns.
using exchanging = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<?xi32, #stablehlo.bounds<4>>, %m: tensor<?x?xi32, #stablehlo.bounds<4, 2>>)
      -> (tensor<?xi32, #stablehlo.bounds<4>>, tensor<?x?xi32, #stablehlo.bounds<2, 4>>) {
    %y = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64,
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
        : (tensor<?xi32, #stablehlo.bounds<4>>) -> tensor<?xi32, #stablehlo.bounds<4>>
    %z = "stablehlo.all_to_all"(%m) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64,
        replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
        : (tensor<?x?xi32, #stablehlo.bounds<4, 2>>) -> tensor<?x?xi32, #stablehlo.bounds<2, 4>>
    return %y, %z : tensor<?xi32, #stablehlo.bounds<4>>, tensor<?x?xi32, #stablehlo.bounds<2, 4>>
  }
)");

using sending = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<?xi32, #stablehlo.bounds<4>>, %root: tensor<1xi32>)
      -> (tensor<?xi32, #stablehlo.bounds<4>>, tensor<?xi32, #stablehlo.bounds<4>>,
          tensor<?xi32, #stablehlo.bounds<4>>) {
    %y = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}
        : (tensor<?xi32, #stablehlo.bounds<4>>) -> tensor<?xi32, #stablehlo.bounds<4>>
    %z = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}
        : (tensor<?xi32, #stablehlo.bounds<4>>) -> tensor<?xi32, #stablehlo.bounds<4>>
    %u = "stablehlo.collective_broadcast"(%x, %root) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>,
        has_dynamic_root = true} : (tensor<?xi32, #stablehlo.bounds<4>>, tensor<1xi32>)
        -> tensor<?xi32, #stablehlo.bounds<4>>
    return %y, %z, %u : tensor<?xi32, #stablehlo.bounds<4>>, tensor<?xi32, #stablehlo.bounds<4>>,
        tensor<?xi32, #stablehlo.bounds<4>>
  }
)");

constexpr process_grid pair{2, 1};
using elements = std::vector<i32>;

// 1, 2, 3 ..., of process 1 ten times as much.
template <index_t... Bounds>
bounded_tensor<i32, Bounds...> counting(const ints& shape, int process) {
  bounded_tensor<i32, Bounds...> x(shape);
  i32 next = 0;
  if constexpr (sizeof...(Bounds) == 1)
    for (index_t i = 0; i < shape[0]; ++i) x(i) = ++next * (process == 1 ? 10 : 1);
  else
    for (index_t i = 0; i < shape[0]; ++i)
      for (index_t j = 0; j < shape[1]; ++j) x(i, j) = ++next * (process == 1 ? 10 : 1);
  return x;
}

template <class Tensor>
elements elements_of(const Tensor& x) {
  elements all;
  if constexpr (Tensor::room_type.rank() == 1)
    for (index_t i = 0; i < x.shape()[0]; ++i) all.push_back(x(i));
  else
    for (index_t i = 0; i < x.shape()[0]; ++i)
      for (index_t j = 0; j < x.shape()[1]; ++j) all.push_back(x(i, j));
  return all;
}

template <class Body>
std::string failure(const Body& body) {
  simulated_grid processes(pair);
  try {
    processes.run(body);
  } catch (const error& stopped) {
    return stopped.what();
  }
  return {};
}

TEST_CASE("sizes add up where operands are put together") {
  for (index_t first = 0; first <= 3; ++first)
    for (index_t second = 0; second <= 3; ++second) {
      elements expected;
      for (index_t row = 0; row < 2; ++row) {
        for (index_t j = 0; j < first; ++j) expected.push_back(i32(row * first + j + 1));
        for (index_t j = 0; j < second; ++j) expected.push_back(10 * i32(row * second + j + 1));
      }
      CHECK(failure([&](process_context& process) {
              const int at = process.id().replica;
              const auto [all] = gathering{}.as(process)(counting<2, 3>({2, at == 0 ? first : second}, at));
              if (!(all.shape() == ints{2, first + second})) fail("another shape");
              if (elements_of(all) != expected) fail("other elements");
            }) == "");
    }
}

TEST_CASE("operands that are combined have the same size") {
  const auto reduce = [](index_t first, index_t second) {
    return failure([&](process_context& process) {
      const int at = process.id().replica;
      const index_t size = at == 0 ? first : second;
      const auto [all, part, sum, one] = reducing{}.as(process)(counting<4>({size}, at));
      elements expected, half;
      for (index_t i = 0; i < size; ++i) expected.push_back(11 * i32(i + 1));
      for (index_t i = 0; i < size / 2; ++i) half.push_back(11 * i32(at * (size / 2) + i + 1));
      if (elements_of(all) != expected || elements_of(sum) != expected) fail("other elements");
      if (elements_of(part) != half) fail("another part");
      if (elements_of(one) != (at == 0 ? expected : elements(std::size_t(size)))) fail("another root");
    });
  };
  for (const index_t size : {0, 2, 4}) CHECK(reduce(size, size) == "");
  CHECK(reduce(2, 4).find("all_reduce: the sizes 2 and 4 of dimension 0 differ") != std::string::npos);
  CHECK(reduce(3, 3).find("reduce_scatter: the sizes 2 and 3 of dimension 0 differ") != std::string::npos);
}

TEST_CASE("parts are exchanged") {
  const auto exchange = [](index_t first, index_t second, index_t rows, index_t other_rows) {
    return failure([&](process_context& process) {
      const int at = process.id().replica;
      const auto [line, matrix] = exchanging{}.as(process)(counting<4>({at == 0 ? first : second}, at),
                                                           counting<4, 2>({at == 0 ? rows : other_rows, at + 1}, at));
      elements expected, rows_expected;
      for (index_t i = 0; i < first / 2; ++i) expected.push_back(i32(at * (first / 2) + i + 1));
      for (index_t i = 0; i < second / 2; ++i) expected.push_back(10 * i32(at * (second / 2) + i + 1));
      for (index_t i = 0; i < rows / 2; ++i) {
        const i32 row = i32(at * (rows / 2) + i);
        for (const i32 each : {row + 1, 10 * (2 * row + 1), 10 * (2 * row + 2)}) rows_expected.push_back(each);
      }
      if (elements_of(line) != expected) fail("other elements");
      if (!(matrix.shape() == ints{rows / 2, 3}) || elements_of(matrix) != rows_expected) fail("another matrix");
    });
  };
  for (const index_t first : {0, 2, 4})
    for (const index_t second : {0, 2, 4}) CHECK(exchange(first, second, first, first) == "");
  CHECK(exchange(3, 2, 2, 2).find("all_to_all: the sizes 2 and 3 of dimension 0 differ") != std::string::npos);
  CHECK(exchange(2, 2, 2, 4).find("all_to_all: the sizes 2 and 4 of dimension 0 differ") != std::string::npos);
}

TEST_CASE("sizes travel with what is sent") {
  CHECK(failure([&](process_context& process) {
          const int at = process.id().replica;
          const auto [next, spread, chosen] =
              sending{}.as(process)(counting<4>({at == 0 ? 3 : 1}, at), tensor<i32, 1>{1});
          if (elements_of(next) != (at == 0 ? elements{0, 0, 0} : elements{1, 2, 3})) fail("another permutation");
          if (elements_of(spread) != elements{10}) fail("another broadcast");
          if (elements_of(chosen) != elements{1, 2, 3}) fail("another root");
        }) == "");
}

}  // namespace
}  // namespace tenon::test
