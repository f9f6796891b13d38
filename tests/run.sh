#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# tests/run.sh [PRESET... | all]
#
# Builds and runs tests; on Debian 12 it installs what they need. The presets are those of CMakePresets.json: by default
# gcc, with portable lanes, and gcc-native, with those of this machine. `all` adds
#   clang-native    this machine's lanes
#   clang-sanitize  with sanitizers for addresses and undefined behaviour
#   headers         each header compiled alone, where gcc compiles it after lanes.hpp
#   compilers       programs that must not compile, with clang 19 and 14, where gcc has its own messages alone
#   emulators       programs for Cortex-M, aarch64 and WebAssembly
# The last line is "N passed, N failed".
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
. cmake/progress.sh

presets=("$@")
if [ ${#presets[@]} -eq 0 ]; then
  presets=(gcc gcc-native)
elif [ "${presets[*]}" = all ]; then
  presets=(gcc gcc-native clang-native clang-sanitize headers compilers emulators)
fi
packages=(g++ cmake ninja-build libhwy-dev libeigen3-dev doctest-dev libopenmpi-dev openmpi-bin libcli11-dev libzip-dev libboost-dev)
if [[ " ${presets[*]} " =~ \ (clang|compilers) ]]; then
  packages+=(clang-19 libclang-rt-19-dev)
fi
if [[ " ${presets[*]} " == *" compilers "* ]]; then
  packages+=(clang-14)
fi
echo "Tests: ${presets[*]}, in $((2 * ${#presets[@]})) steps. They need the packages ${packages[*]}; those that are missing are installed."
if [[ " ${presets[*]} " == *" emulators "* ]]; then
  echo "The emulators install $(bash tests/everywhere.sh --packages m4 m55 aarch64 wasm), where they can be had."
fi
bash cmake/need_packages.sh "${packages[@]}" || exit 1

passed=0
failed=0
jobs=$(nproc)
step=0
steps=$((2 * ${#presets[@]}))

# Says which step begins, and leaves that in `label`.
begin_step() {
  step=$((step + 1))
  label="[$step/$steps] $1"
  echo "$label"
}

run_preset() {
  local preset=$1 folder=build/$1 labels=("${@:2}")
  local log=$folder/run.log started=$SECONDS summary label
  mkdir -p "$folder"

  begin_step "$preset: configure and build"
  if ! cmake --preset "$preset" >"$log" 2>&1; then
    tail -n 40 "$log"
    echo "$preset: configuring failed, see $log"
    failed=$((failed + 1))
    step=$((step + 1))
    return
  fi
  # Whatever does not compile is one failure, and the rest is still built and run.
  if ! cmake --build --preset "$preset" -j "$jobs" -- -k 0 2>&1 | tee "$log" | progress "$label"; then
    grep -E -A 12 '^FAILED:|error' "$log" | head -n 120
    echo "$preset: building failed, see $log"
    failed=$((failed + 1))
  fi
  local built=$((SECONDS - started))

  begin_step "$preset: run"
  ctest --preset "$preset" -j "$jobs" "${labels[@]}" 2>&1 | tee "$log.ctest" | progress "$label"
  summary=$(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests failed out of ([0-9]+)$/\1 \2/p' "$log.ctest")
  if [ -z "$summary" ]; then
    tail -n 40 "$log.ctest"
    echo "$preset: no tests ran, see $log.ctest"
    failed=$((failed + 1))
    return
  fi
  local bad=${summary% *} all=${summary#* }
  if [ "$bad" -ne 0 ]; then
    grep -vE '^ *[0-9]+/[0-9]+ Test .* Passed |^ *Start ' "$log.ctest" | head -n 200
  fi
  passed=$((passed + all - bad))
  failed=$((failed + bad))
  echo "$preset: $((all - bad)) of $all passed; $built s to build, $((SECONDS - started - built)) s to run"
}

# Tests of the sources, which no preset changes, run with the first preset only.
labels=()
for preset in "${presets[@]}"; do
  run_preset "$preset" "${labels[@]}"
  labels=(-LE source)
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
