#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Reads the #include lines of include/tenon and fails where a room includes one that is not listed for it, where a
# header could be read twice, or where one does not say truly whether it is public.
set -u
cd "$(dirname "$0")/../include/tenon" || exit 1

# A room may include itself and the rooms listed for it.
declare -A may_include=(
  [machine]=""
  [core]="machine"
  [math]="core"
  [habits]="core"
  [indexing]="core"
  [integers]="core"
  [ops]="core machine math indexing integers"
  [epilogues]="core integers ops"
  [graph]="core math indexing ops epilogues"
  [numpy]="core ops"
  [quantized]="core indexing ops graph"
  [kernels]="core math indexing integers ops epilogues graph"
  [text]="core indexing ops graph"
  [run]="core math indexing ops graph quantized kernels text"
  [bytecode]="core"
  [files]="core math indexing ops graph kernels text run"
  [gradients]="core math indexing ops graph kernels text run"
  [calibration]="core indexing ops graph kernels text run gradients"
  [c99]="core indexing ops graph run"
  [distributed]="core math indexing ops graph kernels text run"
  [pictures]="core indexing ops graph"
  [lapack]="core ops"
  [xla]="core math indexing ops graph kernels text run"
  [planned]="core integers graph run"
)

# Headers by what a user does; what they include is public, and says so. No room includes them.
umbrellas="tensors programs planned_programs xla explain indexing threads grid loaded_programs weights lapack gradients quantize"

# Outside the headers listed for it, nobody includes it.
declare -A only_in=(
  [hwy/]="core/lanes.hpp"
  [Eigen/]="run/ kernels/ lapack/"
  [unsupported/Eigen/]="run/"
  [boost/]="tree.hpp"
  [mpi.h]="distributed/mpi.hpp"
  [thread]="run/ distributed/"
  [mutex]="run/ distributed/"
  [condition_variable]="run/ distributed/"
  [future]=""
  [iostream]=""
  [regex]=""
)

failures=0
includes=0
complain() {
  echo "include/tenon/$1:$2: $3"
  failures=$((failures + 1))
}

while IFS=: read -r file line text; do
  file=${file#./}
  includes=$((includes + 1))
  if [[ ! $text =~ ^[[:space:]]*\#[[:space:]]*include[[:space:]]*([\<\"])([^\>\"]*) ]]; then
    continue
  fi
  included=${BASH_REMATCH[2]}
  if [ "${BASH_REMATCH[1]}" = '"' ]; then
    complain "$file" "$line" "\"$included\": write the full path in angle brackets"
  fi
  for header in "${!only_in[@]}"; do
    if [[ $included == "$header" || ($header == */ && $included == "$header"*) ]]; then
      allowed=0
      for place in ${only_in[$header]}; do
        if [[ $file == "$place" || ($place == */ && $file == "$place"*) ]]; then allowed=1; fi
      done
      if [ $allowed -eq 0 ]; then complain "$file" "$line" "<$included> belongs in: ${only_in[$header]:-no header}"; fi
    fi
  done
  if [[ $included != tenon/* ]]; then continue; fi

  target=${included#tenon/}
  if [ ! -e "$target" ]; then complain "$file" "$line" "<$included> does not exist"; fi
  if [[ $file != */* ]]; then continue; fi
  if [[ $target != */* ]]; then
    complain "$file" "$line" "<$included>: a room includes what it needs, not what users do"
    continue
  fi
  room=${file%%/*} wanted=${target%%/*}
  if [ -z "${may_include[$room]+known}" ]; then
    complain "$file" "$line" "the room '$room' is not in the table of tests/include_direction.sh"
  elif [ "$room" != "$wanted" ] && [[ " ${may_include[$room]} " != *" $wanted "* ]]; then
    complain "$file" "$line" "$room may not include $wanted (<$included>)"
  fi
done < <(grep -rnE --include='*.hpp' '^[[:space:]]*#[[:space:]]*include' .)

while read -r file; do
  file=${file#./}
  directive=$(grep -nE -m 1 '^[[:space:]]*#' "$file")
  if [ "${directive#*:}" != "#pragma once" ]; then complain "$file" "${directive%%:*}" "begin with #pragma once"; fi
done < <(find . -name '*.hpp')

declare -A public_in
for umbrella in $umbrellas; do
  for target in $(sed -n 's/^#include <tenon\/\(.*\)>$/\1/p' "$umbrella.hpp"); do
    # A note to read has no names.
    if [[ $target != */* || $target == core/lanes_note.hpp ]]; then continue; fi
    public_in[$target]+="${public_in[$target]:+, }<tenon/$umbrella.hpp>"
  done
done
while read -r file; do
  file=${file#./}
  says=$(sed -n 's/^\/\/ Public, in \(.*\)\.$/\1/p' "$file")
  if [ "$says" != "${public_in[$file]-}" ]; then
    complain "$file" 2 "write '// Public, in ${public_in[$file]:-nothing, so no such line}.'"
  fi
done < <(find . -name '*.hpp')

# Names for users stand in namespace tenon: of headers that are public, and of the files of ops, whose functions they are.
# Everything else has the namespace of its room (core/rooms.hpp). What these headers keep in tenon is listed.
kept=" distributed/mpi.hpp tree.hpp weights.hpp core/rooms.hpp core/evaluation.hpp text/print.hpp text/mlir/printer.hpp text/program_graph.hpp text/size_calculator.hpp text/sized_program.hpp text/specialize.hpp text/specializer.hpp "
while IFS=: read -r file line _; do
  file=${file#./}
  if [[ $file == ops/*/* || -n ${public_in[$file]-} || $kept == *" $file "* ]]; then continue; fi
  complain "$file" "$line" "namespace tenon is for users: open the namespace of the room"
done < <(grep -rnE --include='*.hpp' '^namespace tenon \{' .)

echo "$includes includes, $failures against the direction"
[ $failures -eq 0 ]
