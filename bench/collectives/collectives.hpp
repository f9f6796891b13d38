// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/distributed/transport.hpp>
#include <tenon/tensors.hpp>

#include <chrono>
#include <cstdio>

// What collectives cost on a transport, in milliseconds for each: rows of a table in Markdown.
namespace collectives {

using namespace tenon;

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// `rounds` times function(x) -> y on all processes, behind one that does not count. The time of process 0.
template <class Result, class Argument, class Function>
double milliseconds(auto& transport, int rounds, const Function& function) {
  double spent = 0;
  transport.run([&](process_context& process) {
    Argument x;
    Result y;
    for (index_t i = 0; i < Argument::size; ++i) x.data()[i] = f32(i % 17);
    function.as(process).into(y)(x);
    const double begin = now();
    for (int round = 0; round < rounds; ++round) function.as(process).into(y)(x);
    if (flat_id(process.grid(), process.id()) == 0) spent = now() - begin;
  });
  return 1000 * spent / rounds;
}

template <int Size>
void print_row(const char* name, auto& transport, int rounds) {
  static constexpr auto sum = trace([](auto x) { return all_reduce<ops::all_reduce{}>(x, ops::add{}); });
  static constexpr auto broadcast = trace([](auto x) { return all_reduce<ops::all_reduce{}>(x, ops::maximum{}); });
  using vector = tensor<f32, Size>;
  const int count = transport.grid().size();
  const double first = milliseconds<vector, vector>(transport, rounds, sum);
  const double second = milliseconds<vector, vector>(transport, rounds, broadcast);
  if (first > 0)
    std::printf("| %s | %d | %d | %.3g | %.3g |\n", name, count, Size * 4, first, second), std::fflush(stdout);
}

}  // namespace collectives
