#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# one_target.sh COMPILER [FLAG...]
#
# Two sources of a program link and run if they have the same target, and are refused with a name that says why if not:
# for pairs of targets, at -O0 to -O2, with each installed linker, with and without -flto, and for every public header.
set -u
compiler=$1
shift
include=("$@")
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
links=0
complain() {
  echo "$1"
  failures=$((failures + 1))
}

compile() { # object, flags: with MAIN=1 the one that has main
  "$compiler" -std=c++20 -w "${include[@]}" ${MAIN:+-DMAIN} "${@:2}" -c "$here/target_source.cpp" -o "$1" ||
    complain "does not compile: ${*:2}"
}

# expect runs|SYMBOL FLAGS_OF_MAIN FLAGS_OF_PART FLAGS_OF_BOTH
expect() {
  # shellcheck disable=SC2086
  MAIN=1 compile "$folder/main.o" $2 $4
  # shellcheck disable=SC2086
  MAIN='' compile "$folder/part.o" $3 $4
  links=$((links + 1))
  # shellcheck disable=SC2086
  if "$compiler" $4 "$folder/main.o" "$folder/part.o" -o "$folder/program" 2>"$folder/messages"; then
    if [ "$1" != runs ]; then complain "linked: '$2' and '$3', both $4"; fi
    "$folder/program" || complain "wrong: '$2' and '$3', both $4"
  elif [ "$1" = runs ] || ! grep -q "$1" "$folder/messages"; then
    complain "refused without $1: '$2' and '$3', both $4"
    cat "$folder/messages"
  fi
}

linkers=()
for linker in bfd lld gold; do
  if echo 'int main() {}' | "$compiler" -fuse-ld=$linker -x c++ - -o "$folder/any" 2>/dev/null; then
    linkers+=("-fuse-ld=$linker")
  fi
done

small=-DTENON_HEADER=\<tenon/core/fail.hpp\>
tensors=-DTENON_HEADER=\<tenon/tensors.hpp\>
whole=-flto
targets=("")
vectors=
if [ "$(uname -m)" = x86_64 ]; then
  vectors=-msse4.2
  targets+=(-msse4.2 -mavx -mavx2 -march=x86-64-v3 -march=native -ffast-math)
fi
for linker in "${linkers[@]}"; do
  for level in -O0 -O2; do
    expect runs "" "" "$small $level $linker"
    expect tenon_sources_have_different_targets "" -ffast-math "$small $level $linker"
    if [ "$linker" = -fuse-ld=bfd ]; then
      expect runs "" "" "$small $level $linker $whole"
      expect tenon_sources_have_different_targets "" -ffast-math "$small $level $linker $whole"
    fi
  done
done
for ((a = 0; a < ${#targets[@]}; ++a)); do
  for ((b = a; b < ${#targets[@]}; ++b)); do
    expected=tenon_sources_have_different_targets
    if [ $a = $b ]; then expected=runs; fi
    if [ "${targets[a]}" = -march=native ] && ! grep -q avx2 /proc/cpuinfo; then continue; fi
    expect $expected "${targets[a]}" "${targets[b]}" "$small -O1"
  done
done

# Highway's own macros choose the lanes, and NDEBUG the layout of tensors.
expect tenon_sources_have_different_lanes "" -DHWY_COMPILE_ONLY_SCALAR "$tensors -O1 $vectors"
expect tenon_sources_differ_in_NDEBUG "" -DNDEBUG "$tensors -O1 -DHWY_COMPILE_ONLY_SCALAR"
expect runs -O0 -O2 "$tensors -DHWY_COMPILE_ONLY_SCALAR"

for header in "$here"/../../include/tenon/*.hpp; do
  name=${header##*/}
  if [[ $name == lapack.hpp || $name == tree.hpp ]]; then continue; fi
  if ! "$compiler" -std=c++20 -w "${include[@]}" -x c++ -E - <<<"#include <tenon/$name>" | grep -q tenon_sources_have_different_targets; then
    complain "<tenon/$name> leaves it out"
  fi
done

echo "$links pairs of sources, $failures failures"
[ $failures -eq 0 ]
