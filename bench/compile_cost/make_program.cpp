// SPDX-License-Identifier: Apache-2.0

// make_program OPS [SEED]: prints a StableHLO program of that many ops.

#include <graph/random_program.hpp>

#include <cstdio>
#include <cstdlib>

int main(int count, char** arguments) {
  const int ops = count > 1 ? std::atoi(arguments[1]) : 0;
  if (ops < 1) {
    std::fprintf(stderr, "make_program OPS [SEED]\n");
    return 1;
  }
  random_programs::generator program(ops, count > 2 ? std::uint64_t(std::atoi(arguments[2])) : 1);
  std::fputs(program.text().c_str(), stdout);
}
