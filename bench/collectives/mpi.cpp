// SPDX-License-Identifier: Apache-2.0
#include <tenon/distributed/mpi.hpp>

#include "collectives.hpp"

int main() {
  using namespace collectives;
  mpi_grid grid;
  print_row<4>("MPI", grid, 20);
  print_row<1024>("MPI", grid, 20);
  print_row<16384>("MPI", grid, 10);
  print_row<262144>("MPI", grid, 5);
}
