#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# bench/collectives/run.sh [threads | 10000 | mpi]: what every collective costs on this machine, the tables of
# docs/distributed.md: as threads, milliseconds and megabytes of 1,000 processes and of 1 MB on 64; the same of 10,000;
# and, where there is an MPI library, as ranks, beside what the model says.
set -euo pipefail
cd "$(dirname "$0")/../.."
wanted=${1:-threads mpi}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
flags=(-std=c++20 -O2 -march=native -DHWY_COMPILE_ONLY_STATIC -Iinclude)

if [[ $wanted == *threads* || $wanted == 10000 ]]; then
  g++ "${flags[@]}" bench/collectives/threads.cpp -o "$folder/threads" -pthread
  echo "| collective | processes | bytes | ms | MB |"
  echo "|---|--:|--:|--:|--:|"
  "$folder/threads" "$wanted"
fi
if [[ $wanted == *mpi* ]] && command -v mpicxx >/dev/null; then
  read -ra compile < <(mpicxx --showme:compile)
  read -ra link < <(mpicxx --showme:link)
  g++ "${flags[@]}" "${compile[@]}" bench/collectives/mpi.cpp -o "$folder/mpi" "${link[@]}" -pthread
  options=(--oversubscribe --bind-to none --mca mpi_yield_when_idle 1 --mca btl_vader_single_copy_mechanism none)
  if [ "$(id -u)" -eq 0 ]; then options+=(--allow-run-as-root); fi
  for count in 2 4 8; do
    echo
    echo "| collective | ranks | bytes | predicted, ms | measured, ms |"
    echo "|---|--:|--:|--:|--:|"
    mpirun "${options[@]}" -np $count "$folder/mpi"
  done
fi
