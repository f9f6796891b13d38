// SPDX-License-Identifier: Apache-2.0
//
// driver PREFIX SECONDS in0.npy in1.npy ...: runs the program of MODEL, which a script wraps, writes its results to
// PREFIX0.npy and so on, and prints the processor time of a run in microseconds. With GRADIENT_BY, the numbers of
// arguments, it is the program's value and gradients.
#include <tenon/programs.hpp>
#ifdef GRADIENT_BY
#include <tenon/gradients.hpp>
#endif

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <tuple>
#include <utility>

namespace {

struct model {
  static constexpr std::string_view text =
#include MODEL
      ;
};
#ifdef GRADIENT_BY
using net = decltype(tenon::value_and_grad<GRADIENT_BY>(tenon::program<model>{}));
#else
using net = tenon::program<model>;
#endif

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

template <int... I, int... R>
int run(char** words, std::integer_sequence<int, I...>, std::integer_sequence<int, R...>) {
  static std::tuple<net::argument<I>...> arguments;
  static std::tuple<net::result<R>...> results;
  (tenon::load_npy(words[3 + I], std::get<I>(arguments)), ...);
  const auto once = [&] { net{}.into(std::get<R>(results)...)(std::get<I>(arguments)...); };
  once();
  (tenon::save_npy((words[1] + std::to_string(R) + ".npy").c_str(), std::get<R>(results)), ...);
  const double seconds = std::atof(words[2]);
  double spent = 0;
  long runs = 0;
  // So many between two looks at the clock that these cost nothing.
  for (long some = 1; spent < seconds; runs = some, some *= 2) {
    const double begin = processor_seconds();
    for (long i = 0; i < some; ++i) once();
    spent = processor_seconds() - begin;
  }
  std::printf("%.4f\n", spent / double(runs) * 1e6);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3 + net::code::argument_count) return 2;
  return run(words, std::make_integer_sequence<int, net::code::argument_count>(),
             std::make_integer_sequence<int, net::code::result_count>());
}
