// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/distributed/transport.hpp>
#include <tenon/tensors.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

// Every collective among `Count` replicas: function, operand and result, and how long it takes on a transport.
namespace collectives {

using namespace tenon;

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Seconds for function(x) -> y on all processes, called `calls` times in each of `rounds` behind one that does not
// count: the lower quartile, since others interrupt, of the process that needs longest among those that live here.
template <class Operand, class Result, class Function>
double seconds(auto& transport, int rounds, int calls, const Function& function) {
  std::vector<double> all(std::size_t(transport.grid().size()));
  transport.run([&](process_context& process) {
    const auto x = std::make_unique<Operand>();
    const auto y = std::make_unique<Result>();
    for (index_t i = 0; i < Operand::size; ++i) x->data()[i] = f32(i % 17);
    function.as(process).into (*y)(*x);
    std::vector<double> spent;
    for (int round = 0; round < rounds; ++round) {
      const double begin = now();
      for (int call = 0; call < calls; ++call) function.as(process).into (*y)(*x);
      spent.push_back((now() - begin) / calls);
    }
    std::nth_element(spent.begin(), spent.begin() + rounds / 4, spent.end());
    all[std::size_t(flat_id(process.grid(), process.id()))] = spent[std::size_t(rounds / 4)];
  });
  return *std::max_element(all.begin(), all.end());
}

template <int Count>
inline constexpr id_formula everybody{[](int, int column) { return index_t{column}; }};
template <int Count>
inline constexpr id_formula ring{[](int row, int column) { return index_t{(row + column) % Count}; }};

// Calls visit(name, bytes, seconds_of), seconds_of(transport, rounds, calls), for every collective. Operands, or the
// result of all_gather, have Size elements, or one for each process if these are more.
template <int Count, int Size, class Visit>
void for_each_collective(const Visit& visit) {
  static constexpr id_table group{1, Count, &everybody<Count>}, pairs{Count, 2, &ring<Count>};
  constexpr int part = Size < Count ? 1 : Size / Count;
  using whole = tensor<f32, Size>;
  using parts = tensor<f32, part * Count>;
  using one_part = tensor<f32, part>;
  const auto measure = [&]<class Operand, class Result, class Function>(const char* name, const Function& function,
                                                                        const Operand*, const Result*) {
    visit(name, std::max(Operand::size, Result::size) * index_t(sizeof(f32)),
          [&](auto& transport, int rounds, int calls) {
            return seconds<Operand, Result>(transport, rounds, calls, function);
          });
  };
  constexpr const whole* all = nullptr;
  constexpr const parts* divided = nullptr;
  constexpr const one_part* own = nullptr;
  measure("all_reduce, add", trace([](auto x) { return all_reduce<ops::all_reduce{group}>(x, ops::add{}); }), all, all);
  measure("all_reduce, maximum", trace([](auto x) { return all_reduce<ops::all_reduce{group}>(x, ops::maximum{}); }),
          all, all);
  measure("cross_replica_sum", trace([](auto x) { return cross_replica_sum<ops::cross_replica_sum{group}>(x); }), all,
          all);
  measure("reduce_scatter", trace([](auto x) { return reduce_scatter<ops::reduce_scatter{0, group}>(x, ops::add{}); }),
          divided, own);
  measure("all_gather", trace([](auto x) { return all_gather<ops::all_gather{0, group}>(x); }), own, divided);
  measure("all_to_all", trace([](auto x) { return all_to_all<ops::all_to_all{0, 0, Count, group}>(x); }), divided,
          divided);
  measure("collective_broadcast",
          trace([](auto x) { return collective_broadcast<ops::collective_broadcast{group}>(x); }), all, all);
  measure("collective_reduce",
          trace([](auto x) { return collective_reduce<ops::collective_reduce{group}>(x, ops::add{}); }), all, all);
  measure("collective_permute", trace([](auto x) { return collective_permute<ops::collective_permute{pairs}>(x); }),
          all, all);
  measure("send, recv", trace([](auto x) {
            const auto sent = send<ops::send{.source_target_pairs = pairs}>(x, create_token());
            return get<0>(recv<ops::recv{.source_target_pairs = pairs}, whole::type>(sent));
          }),
          all, all);
}

}  // namespace collectives
