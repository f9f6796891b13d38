#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# bench/compile_cost.sh [FILTER]
#
# What compiling costs, per installed compiler at -O2 and without any other flag: seconds, peak memory and size of the
# object, for each header that users include alone, for generated StableHLO programs of 10, 100 and 1,000 ops, and for
# the examples. FILTER picks the rows whose name contains it. Prints a table, writes build/compile_cost/compile_cost.tsv,
# and, where all headers were measured, what they cost in docs/headers.md and in their comments.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
filter=${1:-}

bash cmake/need_packages.sh g++ cmake time libhwy-dev libeigen3-dev

compilers=()
for name in g++-12 clang++-14 clang++-19; do
  if command -v "$name" >/dev/null; then compilers+=("$name"); fi
done
if [ ${#compilers[@]} -eq 0 ]; then compilers=("${CXX:-g++}"); fi

folder=$root/build/compile_cost
mkdir -p "$folder"
table=$folder/compile_cost.tsv
printf 'program\tcompiler\tseconds\tprocessor seconds\tpeak MB\tobject kB\n' >"$table"

wrap() {  # FILE.mlir FILE.inc
  cmake -D INPUT="$1" -D OUTPUT="$2" -P cmake/tenon_add_program.cmake
}

measure() {  # NAME SOURCE FLAG...
  local name=$1 source=$2
  shift 2
  if [[ $name != *"$filter"* ]]; then return; fi
  for compiler in "${compilers[@]}"; do
    local object=$folder/object.o log=$folder/log row
    row=$name$'\t'$compiler
    if /usr/bin/time -o "$folder/time" -f '%e %U %S %M' \
      "$compiler" -std=c++20 -O2 -I include -isystem /usr/include/eigen3 "$@" -c "$source" -o "$object" >"$log" 2>&1; then
      row+=$(awk '{ printf "\t%.1f\t%.1f\t%.0f", $1, $2 + $3, $4 / 1024 }' "$folder/time")
      row+=$(printf '\t%d' $((($(stat -c %s "$object") + 1023) / 1024)))
    else
      row+=$'\tfailed\t\t\t'
      head -n 5 "$log" >&2
    fi
    printf '%s\n' "$row" | tee -a "$table" | awk -F '\t' '{ printf "%-28s %-12s %8s %10s %8s %10s\n", $1, $2, $3, $4, $5, $6 }'
  done
}

printf '%-28s %-12s %8s %10s %8s %10s\n' program compiler seconds processor "peak MB" "object kB"
umbrellas=(tensors programs planned_programs xla explain indexing threads grid loaded_programs tenon)
for umbrella in "${umbrellas[@]}"; do
  echo "#include <tenon/$umbrella.hpp>" >"$folder/include.cpp"
  measure "<tenon/$umbrella.hpp>" "$folder/include.cpp"
done

# The first paragraph of a header's comment says what it is for, the last one what it costs.
if [[ "<tenon/>" == *"$filter"* ]]; then
  document=docs/headers.md
  sed -i '/^| header /,$d' $document
  {
    printf '| header | for |'
    for compiler in "${compilers[@]}"; do printf ' %s, s | MB |' "$compiler"; done
    printf '\n|---|---|'
    for compiler in "${compilers[@]}"; do printf -- '--:|--:|'; done
    printf '\n'
    for umbrella in "${umbrellas[@]}"; do
      purpose=$(sed -n '/^\/\/ [^SC]/,/[:.;]/p' "include/tenon/$umbrella.hpp" | sed 's/^\/\/ //; s/[:.;].*//' | head -n 1)
      printf '| `<tenon/%s.hpp>` | %s |' "$umbrella" "$purpose"
      for compiler in "${compilers[@]}"; do
        awk -F '\t' -v name="<tenon/$umbrella.hpp>" -v compiler="$compiler" \
          '$1 == name && $2 == compiler { printf " %s | %s |", $4, $5 }' "$table"
      done
      seconds=$(awk -F '\t' -v name="<tenon/$umbrella.hpp>" '$1 == name && $2 == "g++-12" { print $4 }' "$table")
      if [ -n "$seconds" ]; then
        sed -i "s|^// Costs .* s to include|// Costs $seconds s to include|" "include/tenon/$umbrella.hpp"
      fi
      printf '\n'
    done
  } >>$document
fi

make_program=$folder/make_program
"${compilers[0]}" -std=c++20 -O1 -I tests bench/compile_cost/make_program.cpp -o "$make_program"
for ops in 10 100 1000; do
  mkdir -p "$folder/$ops"
  "$make_program" $ops >"$folder/$ops/generated.mlir"
  wrap "$folder/$ops/generated.mlir" "$folder/$ops/generated.mlir.inc"
  measure "$ops ops" bench/compile_cost/program.cpp -I "$folder/$ops"
done

for source in examples/*.cpp examples/*/*.cpp; do
  name=${source#examples/}
  if [[ ! -f $source || $name == reject/* ]]; then continue; fi
  texts=$folder/${name%.cpp}
  mkdir -p "$texts"
  if [[ $name == */* ]]; then
    for text in "$(dirname "$source")"/*.mlir; do
      if [ -f "$text" ]; then wrap "$root/$text" "$texts/$(basename "$text").inc"; fi
    done
  fi
  measure "examples/$name" "$source" -I "$texts"
done
