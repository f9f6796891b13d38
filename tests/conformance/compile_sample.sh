#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# compile_sample.sh N|all FOLDER...: compiles N programs of the folders, the same ones every time, and runs each in a
# process of its own. Lines and totals are those of tests/conformance.sh. Neighbours, which mostly need the same code, are
# compiled together; where that fails, in halves, down to the one program that does not compile. What was compiled before
# with the same headers is not compiled again. Fails if another program fails than those of known_failures.txt.
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
vectors=""
if [ "$(uname -m)" = x86_64 ]; then vectors=-msse4.2; fi
compiler="${CXX:-g++} -std=c++20 -O1 $vectors -DHWY_COMPILE_ONLY_STATIC -DHWY_DISABLE_PCLMUL_AES"
# What all of them include is compiled once.
common=$build/common.hpp
if [ ! -e "$common.gch" ]; then
  echo '#include "compiled_case.hpp"' >"$common"
  $compiler -I "$root/include" -I "$here" -x c++-header "$common" -o "$common.gch" || exit 2
fi

name_of() { printf '%s/%s' "$(basename "$(dirname "$1")")" "$(basename "$1" .mlir)"; }

has_result() {
  local folder
  folder=$build/$(name_of "$1")
  [ -e "$folder/result" ] && cmp -s "$1" "$folder/case.mlir"
}

# One source for all of these programs.
write_source() {
  local source=$1 file name types='' number=0
  shift
  for file in "$@"; do
    name=$(name_of "$file")
    cmake -D INPUT="$file" -D OUTPUT="$build/$name/case.inc" -P "$root/cmake/tenon_add_program.cmake" >/dev/null
    printf 'struct case_%d {\n  static constexpr std::string_view text =\n#include "%s/case.inc"\n      ;\n' $number "$name"
    printf '  static constexpr std::string_view foreign_dialects = "check interpreter";\n};\n'
    types+=${types:+, }case_$number
    number=$((number + 1))
  done >"$source"
  printf 'int main(int, char** arguments) { return judge_one_of<%s>(arguments); }\n' "$types" >>"$source"
}

judge() {
  local binary file folder result number=0
  for file in "$@"; do
    folder=$build/$(name_of "$file")
    mkdir -p "$folder"
    cp "$file" "$folder/case.mlir"
  done
  binary=$build/$(name_of "$1")/cases
  write_source "$binary.cpp" "$@"
  if timeout 600 $compiler -I "$root/include" -I "$here" -I "$build" -include "$common" "$binary.cpp" -o "$binary" \
    >"$binary.log" 2>&1; then
    for file in "$@"; do
      result=$(timeout 60 "$binary" $number) || result=$'crash\t'
      printf '%s\n' "$result" >"$build/$(name_of "$file")/result"
      number=$((number + 1))
    done
  elif [ $# -gt 1 ]; then
    judge "${@:1:$#/2}"
    judge "${@:$#/2+1}"
  else
    printf 'fail\t%s\n' "$(grep -m 1 -E 'error' "$binary.log" | cut -c1-200)" >"$build/$(name_of "$1")/result"
  fi
  rm -f "$binary"
}

judge_and_show() {
  local file
  local -a left=()
  for file in "$@"; do has_result "$file" || left+=("$file"); done
  [ ${#left[@]} -eq 0 ] || judge "${left[@]}"
  for file in "$@"; do printf '%s\t%s\n' "$(name_of "$file")" "$(cat "$build/$(name_of "$file")/result")"; done
}
export -f name_of has_result write_source judge judge_and_show
export here root build compiler common

# Every k-th program of the sorted list.
mapfile -t files < <(for folder in "$@"; do find "$folder" -maxdepth 1 -name '*.mlir'; done | sort)
total=${#files[@]}
if [ "$count" = all ] || [ "$count" -gt "$total" ]; then count=$total; fi
sample=()
for ((i = 0; i < count; ++i)); do sample+=("${files[$((i * total / count))]}"); done

printf '%s\0' "${sample[@]}" | xargs -0 -n 20 -P "$(nproc)" bash -c 'judge_and_show "$@"' judge | tee "$build/results.tsv"
awk -F'\t' 'NR == FNR { if ($0 !~ /^#/) known[$1] = 1; next }
            $2 == "pass" { p++ } $2 == "unsupported" { u++ }
            $2 == "fail" || $2 == "crash" { f++; unexpected += !($1 in known) }
            END { printf "%d passed, %d failed, %d unsupported\n", p, f, u; exit unexpected > 0 }' \
  "$here/known_failures.txt" "$build/results.tsv"
