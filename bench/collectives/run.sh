#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# bench/collectives/run.sh: what all_reduce costs as threads and, where there is an MPI library, as ranks on this machine;
# the table of docs/distributed.md. Milliseconds; the first column of times adds, the second takes maxima.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
flags=(-std=c++20 -O2 -march=native -DHWY_COMPILE_ONLY_STATIC -Iinclude)

echo "| transport | processes | bytes | sum, ms | maximum, ms |"
echo "|---|--:|--:|--:|--:|"
g++ "${flags[@]}" bench/collectives/threads.cpp -o "$folder/threads" -pthread
"$folder/threads"
if command -v mpicxx >/dev/null; then
  read -ra compile < <(mpicxx --showme:compile)
  read -ra link < <(mpicxx --showme:link)
  g++ "${flags[@]}" "${compile[@]}" bench/collectives/mpi.cpp -o "$folder/mpi" "${link[@]}" -pthread
  options=(--oversubscribe --bind-to none --mca mpi_yield_when_idle 1 --mca btl_vader_single_copy_mechanism none)
  if [ "$(id -u)" -eq 0 ]; then options+=(--allow-run-as-root); fi
  for count in 2 4 8; do mpirun "${options[@]}" -np $count "$folder/mpi"; done
fi
