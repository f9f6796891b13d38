// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/tensor.hpp>
#include <tenon/distributed/simulated.hpp>
#include <tenon/kernels/registry.hpp>
#include <tenon/ops/all.hpp>
#include <tenon/ops/operators.hpp>
#include <tenon/run/program.hpp>
#include <tenon/run/trace.hpp>
#include <tenon/xla/xla_builder.hpp>

#include <doctest/doctest.h>

#include <shared/shared_program.hpp>

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

// Groups and pairs of more ids than an op has room for: in text, in C++ and in XlaBuilder, compiled and read.
namespace tenon::test {
using namespace core;

using namespace planning;
using namespace kernels;

namespace {

constexpr int processes = 200, columns = 4, rows = processes / columns;

// Groups go through the grid in steps of `rows`: {0, 50, 100, 150}, {1, 51, ...
constexpr id_formula strided{[](int row, int column) { return index_t{rows} * column + row; }};
constexpr id_formula next{[](int row, int column) { return index_t{(row + column) % processes}; }};

// A text with these ids, made while compiling.
struct written_ids {
  char characters[8192]{};
  int size = 0;

  constexpr void put(std::string_view text) {
    for (const char each : text) characters[size++] = each;
  }
  constexpr void put_number(index_t number) {
    if (number >= 10) put_number(number / 10);
    characters[size++] = char('0' + number % 10);
  }
  constexpr void put_table(const id_table& ids) {
    put("dense<[");
    for (int row = 0; row < ids.rows; ++row) {
      put(row > 0 ? ", [" : "[");
      for (int column = 0; column < ids.columns; ++column) {
        if (column > 0) put(", ");
        put_number(ids(row, column));
      }
      put("]");
    }
    put("]> : tensor<");
    put_number(ids.rows), put("x"), put_number(ids.columns), put("xi64>");
  }
  constexpr written_ids() {
    put("func.func @main(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {\n");
    put("  %0 = \"stablehlo.all_reduce\"(%x) <{replica_groups = ");
    put_table({rows, columns, &strided});
    put("}> ({\n  ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n    %sum = stablehlo.add %a, %b : tensor<i32>\n");
    put("    \"stablehlo.return\"(%sum) : (tensor<i32>) -> ()\n  }) : (tensor<2xi32>) -> tensor<2xi32>\n");
    put("  %1 = \"stablehlo.collective_permute\"(%x) <{source_target_pairs = ");
    put_table({processes, 2, &next});
    put("}> : (tensor<2xi32>) -> tensor<2xi32>\n");
    put("  return %0, %1 : tensor<2xi32>, tensor<2xi32>\n}\n");
  }
};
constexpr written_ids written;
struct text_of_ids {
  static constexpr std::string_view text{written.characters, std::size_t(written.size)};
};

using vector = tensor<i32, 2>;

vector brought_by(int process) { return {process, 3 * process}; }
vector sum_of_group(int process) {
  vector sum{0, 0};
  for (int column = 0; column < columns; ++column) {
    const int member = int(strided.id(process % rows, column));
    sum(0) += member, sum(1) += 3 * member;
  }
  return sum;
}

// function(process, x) gives the sum of the group and what the process before has.
template <class Function>
void check(const Function& function) {
  std::vector<int> good(processes);
  simulated_grid grid({processes, 1});
  grid.run([&](process_context& process) {
    const int at = process.id().replica;
    const auto [sum, before] = function(process, brought_by(at));
    good[std::size_t(at)] = equal(sum, sum_of_group(at)) && equal(before, brought_by((at + processes - 1) % processes));
  });
  for (int at = 0; at < processes; ++at) CHECK(good[std::size_t(at)] == 1);
}

constexpr ops::all_reduce groups{{rows, columns, &strided}};
constexpr ops::collective_permute pairs{{processes, 2, &next}};

TEST_CASE("traces") {
  constexpr auto function =
      trace([](auto x) { return results{all_reduce<groups>(x, ops::add{}), collective_permute<pairs>(x)}; });
  check([&](process_context& process, const vector& x) { return function.as(process)(x); });
}

TEST_CASE("XlaBuilder") {
  constexpr auto function = xla::Build([](xla::XlaBuilder* b) {
    const auto x = xla::Parameter(b, 0, xla::ShapeUtil::MakeShape(xla::S32, {2}), "x");
    std::vector<xla::ReplicaGroup> groups_of_ids(rows);
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs_of_ids;
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column)
        groups_of_ids[std::size_t(row)].add_replica_ids(strided.id(row, column));
    for (int row = 0; row < processes; ++row) pairs_of_ids.emplace_back(next.id(row, 0), next.id(row, 1));
    return xla::Tuple(b, {xla::AllReduce(x, ops::add{}, groups_of_ids), xla::CollectivePermute(x, pairs_of_ids)});
  });
  check([&](process_context& process, const vector& x) { return function.as(process)(x); });
}

TEST_CASE("programs that are compiled") {
  check([](process_context& process, const vector& x) { return program<text_of_ids>{}.as(process)(x); });
}

kernel find(const kernel_key& key) {
  if (key.kind == kind_of_op<ops::all_reduce>) return tenon::kernels::find_for_op<ops::all_reduce>(key);
  if (key.kind == kind_of_op<ops::collective_permute>) return tenon::kernels::find_for_op<ops::collective_permute>(key);
  return key.kind == kind_of_op<ops::add> ? kernel_of<ops::add, dtype::i32, dtype::i32>() : nullptr;
}

TEST_CASE("programs that are read") {
  const shared_program read(text_of_ids::text, find);
  REQUIRE_MESSAGE(read, read.error().sentence);
  check([&](process_context& process, const vector& x) {
    vector sum, before;
    std::vector<std::max_align_t> arena(std::size_t(read.arena_bytes()) / sizeof(std::max_align_t) + 8);
    void* memory = arena.data();
    std::size_t room = arena.size() * sizeof(std::max_align_t);
    const void* const arguments[] = {x.data()};
    run_options how;
    how.process = &process;
    void* const outputs[] = {sum.data(), before.data()};
    read(arguments, outputs, std::align(64, std::size_t(read.arena_bytes()), memory, room), how);
    return results(sum, before);
  });
}

}  // namespace
}  // namespace tenon::test
