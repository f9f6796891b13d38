// SPDX-License-Identifier: Apache-2.0
//
// Every collective among 1,000 and 10,000 threads, and of 1 MB among 64: rows of a table in Markdown. Each is measured
// in a program of its own, of which the memory is known.
#include "collectives.hpp"

#include <tenon/distributed/simulated.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

template <int Count, int Size>
void print_rows(int rounds, int calls) {
  collectives::for_each_collective<Count, Size>([&](const char* name, tenon::index_t bytes, const auto& seconds_of) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      tenon::simulated_grid grid({Count, 1});
      std::printf("| %s | %d | %d | %.3g |", name, Count, int(bytes), 1000 * seconds_of(grid, rounds, calls));
      std::fflush(stdout);
      std::_Exit(0);
    }
    int status = 0;
    rusage used{};
    if (child < 0 || wait4(child, &status, 0, &used) != child || status != 0) std::exit(1);
    std::printf(" %.3g |\n", double(used.ru_maxrss) / 1024);
  });
}

// What memory gives at best: bytes read and written in a second when a thread copies 64 MB.
double copied_per_second() {
  std::vector<char> from(64 << 20, 1), to(64 << 20);
  std::memcpy(to.data(), from.data(), from.size());
  const double begin = collectives::now();
  for (int round = 0; round < 5; ++round) std::memcpy(to.data(), from.data(), from.size());
  return 2 * 5 * double(from.size()) / (collectives::now() - begin);
}

}  // namespace

int main(int count, char** words) {
  if (count > 1 && std::strcmp(words[1], "10000") == 0) {
    print_rows<10000, 4>(1, 1);
  } else {
    print_rows<1000, 4>(4, 5);
    print_rows<64, 262144>(4, 5);
    std::printf("\nA thread that copies 64 MB moves %.3g GB/s.\n", copied_per_second() / 1e9);
  }
}
