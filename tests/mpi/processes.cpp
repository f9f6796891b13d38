// SPDX-License-Identifier: Apache-2.0
#include <tenon/distributed/mpi.hpp>

#include <tenon/core/tensor.hpp>
#include <tenon/distributed/simulated.hpp>
#include <tenon/ops/all.hpp>
#include <tenon/ops/operators.hpp>
#include <tenon/run/program.hpp>
#include <tenon/run/trace.hpp>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

namespace {

using namespace tenon;

// What a process gets, as bytes.
using bytes = std::vector<unsigned char>;

template <class Tensor>
void keep(bytes& all, const Tensor& result) {
  const auto* const data = reinterpret_cast<const unsigned char*>(result.data());
  all.insert(all.end(), data, data + sizeof(*result.data()) * Tensor::size);
}

template <int Size>
tensor<f32, Size> brought_by(const process_context& process) {
  tensor<f32, Size> x;
  for (int i = 0; i < Size; ++i) x(i) = f32(1 + i) / f32(3 + flat_id(process.grid(), process.id()));
  return x;
}

template <auto Op, int Size, class... Body>
void collective(bytes& all, process_context& process, Body...) {
  static constexpr auto function = trace([](auto x) {
    if constexpr (requires { reduce_scatter<Op>(x, Body{}...); })
      return reduce_scatter<Op>(x, Body{}...);
    else if constexpr (requires { all_reduce<Op>(x, Body{}...); })
      return all_reduce<Op>(x, Body{}...);
    else if constexpr (requires { collective_reduce<Op>(x, Body{}...); })
      return collective_reduce<Op>(x, Body{}...);
    else
      return apply<Op>(x);
  });
  keep(all, function.as(process)(brought_by<Size>(process)));
}

// Partitions 0 and 1 exchange what they have.
struct over_a_channel {
  static constexpr std::string_view text = R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %t = stablehlo.after_all : !stablehlo.token
      %sent = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>,
          source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}>
          : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
      %y, %end = "stablehlo.recv"(%sent) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>,
          source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}>
          : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
      return %y : tensor<4xf32>
    })";
};

constexpr tensor_type number = type_of(dtype::f32);

void channel_without_pairs(bytes& all, process_context& process) {
  const transfer route{.op = "recv", .channel_id = 9, .types = {&number, 1}};
  f32 value = 42;
  const void* const inputs[] = {&value};
  void* const results[] = {&value};
  if (flat_id(process.grid(), process.id()) == 1) process.send(route, inputs), process.send(route, inputs);
  if (flat_id(process.grid(), process.id()) == 2) {
    value = 0;
    process.receive(route, results);
    all.push_back(value == 42);
    process.receive(route, results);
  }
}

// Everything that processes do with each other, on a grid of four.
bytes everything(process_context& process) {
  bytes all;
  if (process.grid().num_partitions == 1) {
    collective<ops::all_reduce{{{0, 1, 2, 3}}}, 1000>(all, process, ops::add{});
    collective<ops::all_reduce{{{3, 1}, {2, 0}}}, 5>(all, process, ops::multiply{});
    collective<ops::all_reduce{}, 3>(all, process, ops::add{});
    collective<ops::all_reduce{{{1, 0, 2, 3}}}, 300>(all, process, [](auto a, auto b) { return a * 0.5f + b; });
    collective<ops::cross_replica_sum{{{0, 2}, {1, 3}}}, 70>(all, process);
    collective<ops::all_gather{0, {{2, 0}, {1, 3}}}, 6>(all, process);
    collective<ops::reduce_scatter{0, {{0, 1, 2, 3}}}, 400>(all, process, ops::add{});
    collective<ops::all_to_all{0, 0, 4, {{3, 2, 1, 0}}}, 8>(all, process);
    collective<ops::collective_permute{{{0, 1}, {1, 2}, {3, 3}}}, 9>(all, process);
    collective<ops::collective_broadcast{{{2, 1, 0}}}, 9>(all, process);
    collective<ops::collective_reduce{{{3, 0}, {1, 2}}}, 99>(all, process, ops::maximum{});
    channel_without_pairs(all, process);
  } else {
    collective<ops::all_reduce{{{0, 1}}}, 200>(all, process, ops::add{});
    collective<ops::all_reduce{{{1, 0}}, 1}, 200>(all, process, ops::add{});
    collective<ops::all_reduce{{{0, 3}, {1, 2}}, 1, true}, 200>(all, process, ops::add{});
    collective<ops::all_to_all{0, 0, 2, {{0, 1}}, 1}, 8>(all, process);
    collective<ops::collective_permute{{{0, 1}, {1, 0}}, 2}, 9>(all, process);
    const auto [received] = program<over_a_channel>{}.as(process)(brought_by<4>(process));
    keep(all, received);
  }
  return all;
}

// Whether this process gets the same bits on a grid of threads.
bool equals_the_simulated_grid(const process_grid& grid) {
  mpi_grid real(grid);
  real.limit_time(30);
  bytes own, expected;
  real.run([&](process_context& process) { own = everything(process); });
  simulated_grid threads(grid);
  threads.run([&](process_context& process) {
    const bytes all = everything(process);
    if (process.id() == real.id()) expected = all;
  });
  return own == expected && !own.empty();
}

void fail_in(std::string_view mode) {
  static constexpr auto sum = trace([](auto x) { return all_reduce<ops::all_reduce{}>(x, ops::add{}); });
  static constexpr auto gather = trace([](auto x) { return all_gather<ops::all_gather{0, {{0, 1, 2, 3}}}>(x); });
  if (int level = 0; mode == "single") MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SINGLE, &level);
  mpi_grid grid;
  if (mode == "waits") grid.limit_time(1);
  grid.run([&](process_context& process) {
    const int replica = process.id().replica;
    const tensor<f32, 4> x = brought_by<4>(process);
    if (mode == "different" && replica == 1) return void(gather.as(process)(x));
    if (mode == "fails" && replica == 2) fail("the third is out of order");
    if (mode == "killed" && replica == 1) std::raise(SIGKILL);
    if (mode == "waits" && replica == 3) return;
    if (mode == "lost") {
      const void* const inputs[] = {x.data()};
      const transfer route{.op = "send", .channel_id = 3, .has_peer = true, .peer = {1, 0}, .types = {&number, 1}};
      if (replica == 0) process.send(route, inputs);
      return;
    }
    (void)sum.as(process)(x);
  });
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view mode = count > 1 ? arguments[1] : "";
  if (mode != "collectives") return fail_in(mode), 0;
  bool good = equals_the_simulated_grid({4, 1});
  good = equals_the_simulated_grid({2, 2}) && good;
  int all_good = 0;
  const int mine = good;
  MPI_Allreduce(&mine, &all_good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (tenon::mpi_grid().id() == process_id{0, 0} && all_good == 1)
    std::puts("every result is that of the simulated grid");
  return all_good == 1 ? 0 : 1;
}
