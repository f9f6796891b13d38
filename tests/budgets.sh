#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Reads include/tenon and fails where something outgrows its limit: a room, a header, the file of an op, a line of
# classes, the questions for an op by its name, the headers with intrinsics. A limit is lowered in the commit that earns
# it and never raised. A new room brings a limit of its own.
set -u
cd "$(dirname "$0")/../include/tenon" || exit 1

# Lines of each room. All of gradients is in that room, wherever its files are, but for loops of unknown length and in
# bounded memory, which are in `iterations`, and LAPACK's calls for three diagonals, in `tridiagonal`; products of integers
# that share a lane are in `joined`, groups in vectors of words in `words`; `all` is the sum of the others but calibration,
# joined, words, c99, numpy, tridiagonal, by_element, planned and machine, and of headers outside rooms.
rooms="
  core          6188
  math          5455
  indexing      4596
  ops          14058
  graph        10200
  quantized      428
  pictures       726
  integers       304
  epilogues      244
  kernels      13294
  joined         167
  words          185
  run           3156
  bytecode      1137
  calibration   1499
  c99           2817
  planned        177
  machine         22
  files         1422
  lapack         853
  text          9729
  xla           2475
  distributed   1272
  gradients     4317
  iterations     260
  by_element      91
  tridiagonal     56
  habits          28
  numpy         1737
  all          76494
"

# Lines of a header, of the file of an op, and of those that may be longer, without their folders.
longest_header=500
longest_op=180
longer="
  npy.hpp             508
  simplifier.hpp      648
  tensor.hpp          506
  compare.hpp         220
  convolution.hpp     324
  custom_call.hpp     200
  dot_general.hpp     194
  operators.hpp       242
  process_groups.hpp  231
  scatter.hpp         226
"

deepest_line=3     # classes in one line of inheritance
most_by_name=9     # kind_of_op< outside text/
most_intrinsics=4  # headers with vector intrinsics

failures=0
compare() {  # NAME NOW LIMIT
  printf '%-32s %6d %6d\n' "$@"
  if [ "$2" -gt "$3" ]; then
    echo "$1: $2, at most $3"
    failures=$((failures + 1))
  fi
}

room_of() {  # FILE
  case $1 in
  gradients/iterations/*) echo iterations ;;
  gradients/by_element/*) echo by_element ;;
  gradients/lapack/*) echo tridiagonal ;;
  kernels/joined/*) echo joined ;;
  kernels/words/*) echo words ;;
  calibration/* | quantize.hpp) echo calibration ;;
  planned/* | planned_programs.hpp) echo planned ;;
  gradients/* | *_gradient.hpp | gradients.hpp | */gradients.hpp) echo gradients ;;
  */*) echo "${1%%/*}" ;;
  *) echo all ;;
  esac
}

declare -A limit_of_header limit_of_room lines_of_room=([all]=0)
while read -r header limit; do
  if [ -n "$header" ]; then limit_of_header[$header]=$limit; fi
done <<<"$longer"
while read -r room limit; do
  if [ -z "$room" ]; then continue; fi
  limit_of_room[$room]=$limit
  lines_of_room[$room]=0
done <<<"$rooms"

while read -r lines public file; do
  room=$(room_of "$file")
  lines_of_room[$room]=$((${lines_of_room[$room]:-0} + lines))
  if [[ $room != @(gradients|calibration|joined|words|c99|numpy|tridiagonal|by_element|planned|machine|all) ]]; then
    lines_of_room[all]=$((lines_of_room[all] + lines))
  fi
  limit=$longest_header
  if [[ $file == ops/* ]]; then limit=$longest_op; fi
  if [ $((lines - public)) -le "$limit" ]; then continue; fi
  compare "$file" $((lines - public)) "${limit_of_header[${file##*/}]:-$limit}"
done < <(find . -name '*.hpp' -printf '%P\n' |
  xargs awk '{ ++lines[FILENAME] } /^\/\/ Public, in / { ++public[FILENAME] }
             END { for (file in lines) print lines[file], public[file] + 0, file }' | sort -k 3)
for room in $(printf '%s\n' "${!lines_of_room[@]}" | sort); do
  compare "$room" "${lines_of_room[$room]}" "${limit_of_room[$room]:-0}"
done

# The first base of each class, by names without namespaces and arguments.
deepest=$(find . -name '*.hpp' -exec cat {} + | awk '
  /^ *(struct|class) [a-z_0-9]+( final)? : / {
    name = $2
    base = $0
    sub(/^[^:]* : /, "", base)
    gsub(/(public|protected|private|virtual) /, "", base)
    sub(/[ <{,].*/, "", base)
    sub(/.*::/, "", base)
    if (base != name) base_of[name] = base
  }
  END {
    for (name in base_of) {
      line = name
      depth = 1
      for (at = name; at in base_of && depth < 100; at = base_of[at]) {
        ++depth
        line = line " : " base_of[at]
      }
      if (depth > deepest) {
        deepest = depth
        longest = line
      }
    }
    print deepest, longest
  }')
compare "classes in one line" "${deepest%% *}" $deepest_line
if [ "${deepest%% *}" -gt $deepest_line ]; then echo "${deepest#* }"; fi
compare "ops asked for by name" "$(grep -rho --include='*.hpp' 'kind_of_op<' --exclude-dir=text . | wc -l)" $most_by_name
mapfile -t with_intrinsics < <(
  grep -rlE --include='*.hpp' '\b(_mm[0-9]*_[a-z0-9_]+|v(ld|st|tbl|qtbl)[1-4]q?_[a-z0-9_]+|__riscv_v[a-z0-9_]+|svld[1-4]_[a-z0-9_]+) *\(' . | sort)
compare "headers with intrinsics" ${#with_intrinsics[@]} $most_intrinsics
if [ ${#with_intrinsics[@]} -gt $most_intrinsics ]; then echo "${with_intrinsics[*]}"; fi

echo "$failures above their limits"
[ $failures -eq 0 ]
