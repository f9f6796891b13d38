#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# tests/conformance.sh [--compile N] [FOLDER...]
#
# Runs third-party StableHLO programs: every .mlir file of the folders (../shared/conformance/stablehlo/public/* if none is
# given) through the run-time path, or, with --compile N, a fixed sample of N of them through the compile-time path;
# --compile all takes every one (also: cmake --build --preset compiled-cases), and goes on where it stopped.
# Writes one line per case, parted by tabs: name, pass | fail | unsupported | crash, detail. The last line is
# "N passed, N failed, N unsupported".
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")

sample=0
folders=()
while [ $# -gt 0 ]; do
  case $1 in
    --compile)
      sample=${2:-}
      [[ $sample =~ ^([0-9]+|all)$ ]] || { echo "--compile takes a number, or all" >&2; exit 2; }
      shift 2
      ;;
    *)
      folders+=("$(cd "$1" 2>/dev/null && pwd)") || { echo "no such folder: $1" >&2; exit 2; }
      shift
      ;;
  esac
done
if [ ${#folders[@]} -eq 0 ]; then
  public=$root/../shared/conformance/stablehlo/public
  if [ ! -d "$public" ]; then
    echo "skipped: the third-party programs are not there ($public)" >&2
    echo "0 passed, 0 failed, 0 unsupported"
    exit 0
  fi
  for folder in "$public"/*/; do folders+=("$(cd "$folder" && pwd)"); done
fi

cd "$root" || exit 2
bash cmake/need_packages.sh g++ cmake ninja-build libhwy-dev libeigen3-dev doctest-dev >&2 || exit 2
build=build/conformance
mkdir -p $build
if ! { cmake --preset conformance && cmake --build --preset conformance --target conformance; } >$build/run.log 2>&1; then
  grep -E -A 8 'error|FAILED' $build/run.log | head -n 60 >&2
  echo "the runner does not build, see $build/run.log" >&2
  exit 2
fi

runner=$build/tests/conformance/conformance
if [ "$sample" != 0 ]; then
  exec bash tests/conformance/compile_sample.sh "$sample" "${folders[@]}"
fi
exec $runner "${folders[@]}"
