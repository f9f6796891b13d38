// SPDX-License-Identifier: Apache-2.0
//
// Every collective under MPI, beside what the model of docs/distributed.md predicts for it: rows of a table in
// Markdown. Latency and bandwidth are those of collective_permute round all ranks, what a process computes is the time
// of a predicted_grid; both are measured on all ranks at the same time, which may have to share their cores.
#include "collectives.hpp"

#include <tenon/distributed/mpi.hpp>
#include <tenon/distributed/predicted.hpp>

#include <cstdio>

namespace {

using namespace tenon;

// What a message to the next rank costs, while another one comes from the one before.
template <int Count>
network measured_network() {
  static constexpr id_table pairs{Count, 2, &collectives::ring<Count>};
  constexpr auto go_round = trace([](auto x) { return collective_permute<ops::collective_permute{pairs}>(x); });
  using little = tensor<f32, 4>;
  using much = tensor<f32, 262144>;
  mpi_grid grid;
  const double latency = collectives::seconds<little, little>(grid, 100, 20, go_round);
  const double all = collectives::seconds<much, much>(grid, 20, 10, go_round);
  return {latency, double(sizeof(f32) * much::size) / (all - latency)};
}

void print_row(const network& costs, const char* name, index_t bytes, int rounds, const auto& seconds_of) {
  constexpr int calls = 10;
  mpi_grid grid;
  const double measured = seconds_of(grid, rounds, calls);
  predicted_grid by_itself(grid.grid(), grid.id());
  MPI_Barrier(MPI_COMM_WORLD);
  const double computed = seconds_of(by_itself, rounds, calls);
  const communication all = by_itself.counted();
  const double times = rounds * calls + 1;
  const communication each{all.messages / times, all.bytes / times};
  if (grid.id().replica == 0)
    std::printf("| %s | %d | %d | %.3g | %.3g |\n", name, grid.grid().size(), int(bytes),
                1000 * (computed + each.seconds(costs)), 1000 * measured);
}

// A step of training: products, the mean of gradients, and what the neighbour has.
template <int Count>
constexpr auto step = trace([](auto weights, auto inputs) {
  constexpr id_table group{1, Count, &collectives::everybody<Count>}, pairs{Count, 2, &collectives::ring<Count>};
  const auto outputs = tanh(dot(inputs, weights));
  const auto gradient = all_reduce<ops::all_reduce{group}>(dot(outputs, weights), ops::add{});
  return weights - 0.01f * gradient + 0.001f * collective_permute<ops::collective_permute{pairs}>(outputs);
});

template <int Count>
void print_rows() {
  const network costs = measured_network<Count>();
  const auto print = [&](int rounds) {
    return [=](const char* name, index_t bytes, const auto& seconds_of) {
      print_row(costs, name, bytes, rounds, seconds_of);
    };
  };
  collectives::for_each_collective<Count, 4>(print(100));
  collectives::for_each_collective<Count, 262144>(print(10));
  using matrix = tensor<f32, 256, 256>;
  constexpr auto one_step = trace([](auto x) { return step<Count>(x, x); });
  print(10)("a step of training", matrix::size * 4, [&](auto& transport, int rounds, int calls) {
    return collectives::seconds<matrix, matrix>(transport, rounds, calls, one_step);
  });
  if (mpi_grid().id().replica == 0)
    std::printf("\n%d ranks: %.3g us for a message, %.3g GB/s.\n\n", Count, 1e6 * costs.latency, costs.bandwidth / 1e9);
}

}  // namespace

int main() {
  switch (mpi_grid::process_count()) {
    case 2:
      return print_rows<2>(), 0;
    case 4:
      return print_rows<4>(), 0;
    case 8:
      return print_rows<8>(), 0;
    default:
      std::puts("2, 4 or 8 ranks");
      return 1;
  }
}
