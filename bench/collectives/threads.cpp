// SPDX-License-Identifier: Apache-2.0
#include "collectives.hpp"

#include <tenon/distributed/simulated.hpp>

int main() {
  using namespace collectives;
  for (const int count : {2, 4, 8, 64, 256, 1000}) {
    simulated_grid grid({count, 1});
    print_row<4>("threads", grid, 5);
  }
  for (const int count : {2, 4, 8, 64}) {
    simulated_grid grid({count, 1});
    print_row<262144>("threads", grid, 3);
  }
}
