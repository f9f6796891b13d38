#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# compile_sample.sh N|all FOLDER...: compiles and runs N programs of the folders, the same ones every time, each in a
# translation unit of its own. Lines and totals are those of tests/conformance.sh. What was compiled before with the same
# headers is not compiled again.
set -uo pipefail
count=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$root/build/compiled_cases
mkdir -p "$build"
version=$(cd "$root" && find include tests/conformance -type f -newer "$build/.stamp" -print -quit 2>/dev/null)
if [ ! -e "$build/.stamp" ] || [ -n "$version" ]; then
  rm -rf "$build" && mkdir -p "$build" && touch "$build/.stamp"
fi
compiler="${CXX:-g++} -std=c++20 -O1 -DHWY_COMPILE_ONLY_STATIC -DHWY_DISABLE_PCLMUL_AES"
# What all of them include is compiled once.
common=$build/common.hpp
if [ ! -e "$common.gch" ]; then
  grep '^#include [<"].*hpp' "$here/compiled_case.cpp" >"$common"
  $compiler -I "$root/include" -I "$here" -x c++-header "$common" -o "$common.gch" || exit 2
fi

run_one() {
  local file=$1 name folder result
  name=$(basename "$(dirname "$file")")/$(basename "$file" .mlir)
  folder=$build/$name
  if [ ! -e "$folder/result" ] || ! cmp -s "$file" "$folder/case.mlir"; then
    mkdir -p "$folder"
    cp "$file" "$folder/case.mlir"
    cmake -D INPUT="$file" -D OUTPUT="$folder/case.inc" -P "$root/cmake/tenon_add_program.cmake" >/dev/null
    if ! timeout 600 $compiler -I "$root/include" -I "$folder" -include "$common" "$here/compiled_case.cpp" \
      -o "$folder/case" >"$folder/log" 2>&1; then
      result=$'fail\t'$(grep -m 1 -E 'error' "$folder/log" | cut -c1-200)
    elif ! result=$(timeout 60 "$folder/case"); then
      result=$'crash\t'
    fi
    rm -f "$folder/case"
    printf '%s\n' "$result" >"$folder/result"
  fi
  printf '%s\t%s\n' "$name" "$(cat "$folder/result")"
}
export -f run_one
export here root build compiler common

# Every k-th program of the sorted list.
mapfile -t files < <(for folder in "$@"; do find "$folder" -maxdepth 1 -name '*.mlir'; done | sort)
total=${#files[@]}
if [ "$count" = all ] || [ "$count" -gt "$total" ]; then count=$total; fi
sample=()
for ((i = 0; i < count; ++i)); do sample+=("${files[$((i * total / count))]}"); done

printf '%s\0' "${sample[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'run_one "$0"' | tee "$build/results.tsv"
awk -F'\t' '$2 == "pass" { p++ } $2 == "unsupported" { u++ } $2 == "fail" || $2 == "crash" { f++ }
            END { printf "%d passed, %d failed, %d unsupported\n", p, f, u; exit f > 0 }' "$build/results.tsv"
