#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# bench/run.sh [--write] [FILTER]
#
# Builds the benchmarks, optimised for this machine, and runs them on one core beside plain loops and Eigen. FILTER is the
# name of a program of bench/ (elementwise, contraction, ...) or a regular expression over the workloads; without it all
# of them run. Prints a table of workload, tenon, peers and ratios (time of the peer / time of tenon, medians of processor
# time), and leaves Google Benchmark's reports in build/bench/*.json. --write also makes docs/performance_of_ops.md of the table.
#
# CXX picks the compiler, CORE the core, REPETITIONS and MIN_TIME (seconds) how long is measured.
set -euo pipefail
cd "$(dirname "$0")/.."

repetitions=${REPETITIONS:-5}
min_time=${MIN_TIME:-0.02}
command="REPETITIONS=$repetitions MIN_TIME=$min_time bench/run.sh $*"
write=
if [ "${1:-}" = --write ]; then
  write=docs/performance_of_ops.md
  shift
fi
filter=${1:-}

bash cmake/need_packages.sh g++ cmake ninja-build python3-minimal libhwy-dev libeigen3-dev libbenchmark-dev

folder=build/bench
programs=()
for source in bench/*.cpp; do
  name=$(basename "$source" .cpp)
  if grep -q '#include <mpfr' "$source"; then continue; fi
  programs+=("$name")
done
workloads=.
if [[ -n $filter && " ${programs[*]} " == *" $filter "* ]]; then
  programs=("$filter")
elif [ -n "$filter" ]; then
  workloads=$filter
fi

mkdir -p "$folder"
log=$folder/run.log
if ! cmake --preset bench >"$log" 2>&1; then
  tail -n 40 "$log" >&2
  exit 1
fi
echo "Building ${programs[*]}" >&2
if ! cmake --build --preset bench -j "$(nproc)" --target "${programs[@]/#/bench_}" >"$log" 2>&1; then
  grep -E -A 12 '^FAILED:|error' "$log" | head -n 120 >&2
  exit 1
fi

reports=()
for name in "${programs[@]}"; do
  report=$folder/$name.json
  rm -f "$report"
  echo "Running $name" >&2
  taskset -c "${CORE:-$(($(nproc) - 1))}" "$folder/bench/bench_$name" --benchmark_filter="$workloads" \
    --benchmark_repetitions="$repetitions" --benchmark_min_time="$min_time" \
    --benchmark_enable_random_interleaving=true --benchmark_display_aggregates_only=true \
    --benchmark_out="$report" --benchmark_out_format=json >"$log" 2>&1 || { tail -n 20 "$log" >&2; exit 1; }
  if [ -s "$report" ]; then reports+=("$report"); fi
done
if [ ${#reports[@]} -eq 0 ]; then
  echo "No workload matches $filter" >&2
  exit 1
fi

python3 bench/table.py "${reports[@]}"
if [ -n "$write" ]; then
  compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$folder/CMakeCache.txt")
  python3 bench/table.py --markdown --command "$command" --compiler "$("$compiler" --version | head -n 1)" \
    "${reports[@]}" >"$write"
  echo "Wrote $write" >&2
fi
