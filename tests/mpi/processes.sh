#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# processes.sh [PROGRAM [TRAINING FOLDER]]: runs it under mpirun -np 4: collectives, and what goes wrong; then the
# training example.
set -u

if [ $# -eq 0 ] || ! command -v mpirun >/dev/null; then
  echo "skipped: there is no MPI library (Debian: libopenmpi-dev openmpi-bin)"
  exit 0
fi
options=(--oversubscribe --bind-to none --mca mpi_yield_when_idle 1 --mca btl_vader_single_copy_mechanism none -np 4)
if [ "$(id -u)" -eq 0 ]; then options+=(--allow-run-as-root); fi
failures=0

# expect STATUS SECONDS TEXT MODE: status 0, or 1 for any other; the output contains the text.
expect() {
  local started=$SECONDS output status
  output=$(timeout 240 mpirun "${options[@]}" "$program" "$4" 2>&1)
  status=$?
  if [ $status -ne 0 ]; then status=1; fi
  if [ $status -ne "$1" ] || [[ $output != *"$3"* ]] || [ $((SECONDS - started)) -gt "$2" ]; then
    printf '%s: status %s, %s s\n%s\n' "$4" $status $((SECONDS - started)) "$output"
    failures=$((failures + 1))
  fi
}

program=$1
expect 0 60 "every result is that of the simulated grid" collectives
expect 1 10 "processes meet in different ops: (0, 0) comes to all_reduce(tensor<4xf32>) on channel 0, (1, 0) to all_gather(tensor<4xf32>) on channel 0" different
expect 1 10 "process (0, 0) has sent over channel 3 to (1, 0), but nobody has received it" lost
expect 1 10 "process (2, 0): the third is out of order" fails
expect 1 10 "signal 9 (Killed)" killed
# The first of the three that wait to see its limit ends the program.
expect 1 10 ", 0) waits in all_reduce(tensor<4xf32>) on channel 0 for [(0, 0), (1, 0), (2, 0), (3, 0)]" waits
expect 1 10 "MPI was begun for one thread: MPI_Init_thread takes MPI_THREAD_FUNNELED" single
if [ $# -eq 3 ]; then
  program=$2
  expect 0 240 "the same weights as on the simulated grid" "$3"
fi
echo "$failures failed"
[ $failures -eq 0 ]
