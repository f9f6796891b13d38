#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# bench/accuracy.sh [STRIDE [SAMPLES]]
#
# Writes docs/accuracy.md: bench/accuracy.cpp, compiled for this machine and for the targets of x86-64 whose results
# differ from that, with and without fused multiply-add. STRIDE 1 tests every f32, two hours for each target; 16, the
# default, ten minutes. SAMPLES, 100,000, are those of f64 and of functions of two arguments. CXX picks the compiler.
set -euo pipefail
cd "$(dirname "$0")/.."
arguments=("${1:-16}" "${2:-100000}")
bash cmake/need_packages.sh g++ libhwy-dev libmpfr-dev

targets=(-march=native)
if [ "$(uname -m)" = x86_64 ]; then targets+=(-march=x86-64-v3 -msse4.2); fi
folder=build/accuracy
mkdir -p "$folder"
rm -f "$folder"/*.md
for i in "${!targets[@]}"; do
  "${CXX:-g++}" -std=c++20 -O2 "${targets[i]}" -I include bench/accuracy.cpp -lmpfr -lgmp -o "$folder/accuracy"
  section=(section)
  if [ "$i" = 0 ]; then section=(); fi
  if [ "$i" != 0 ]; then echo; fi >>"$folder/accuracy.md"
  "$folder/accuracy" "${arguments[@]}" "${section[@]}" >>"$folder/accuracy.md"
done
mv "$folder/accuracy.md" docs/accuracy.md
