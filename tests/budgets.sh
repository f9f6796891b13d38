#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Reads include/tenon and fails where something outgrows its budget: a header, the file of an op, a room, a line of
# classes, the questions for an op by its name, the headers with intrinsics. What is above its target has today's
# figure as its limit, which may fall and never rise: whoever makes it smaller writes the smaller figure here.
# On 2026-11-23 some rose, for what was added: math (3890, special functions in vectors), kernels (11700, loops out of
# ops/, narrow integers in pairs, lane programs out of core/ and run/, which fell), text (9000, what JAX prints, open
# sizes), lapack (880, spectra without a symmetry), xla (2600, every name of XLA's pages, as a function and as a member
# of the builder), distributed (490, MPI, time lines), ops (14500, checks where
# functions are called, words of NumPy), run (3530, programs that keep neither graph nor plan), core (5620, a bit_cast for
# compilers without one) and all (67500, these). Then text (9150, HLO text without regard to line ends and its last
# opcodes, open sizes while compiling), run (3560, calls of such programs) and all (67850, that and tiles as functions of
# tiles, in indexing, 4620; in all, later, 69720). Then kernels (11840, operands that repeat, loops that read where indices say) and all (68100, that and division by multiplication).
# Then core (5760), ops (15060) and graph (9170), parts of tensors, padding, random numbers and linear systems, and all (68850).
# Then distributed (1300), what a run would cost, and all (69000).
# Then run (3590) and all (69450), structs of tensors by Boost.Hana.
# Then kernels (11920), products of short rows, graph (9310), elements that repeat, and all (69650).
# Then ops (15260), all (70000) and seven headers by one to five lines, for comments at every function, which the
# reference shows.
set -u
cd "$(dirname "$0")/../include/tenon" || exit 1

failures=0
complain() {
  echo "$1"
  failures=$((failures + 1))
}

longest_header=500
longest_op=180
# Headers that may be longer, with their limits and why. A header is named without its folder: it may move.
longer="
  element.hpp              538  every element type with its conversions, and a number is nothing without the others
  npy.hpp                  508  reader and writer of one format
  simplifier.hpp           652  the rewriting rules of one expression language

  compare.hpp              219  a total order, which lanes and scalars spell apart
  convolution.hpp          280  34 constraints
  custom_call.hpp          195  targets that users register
  dot_general.hpp          194  24 constraints
  process_groups.hpp       231  the groups of all collectives
  scatter.hpp              226  25 constraints
  tensor.hpp               528  tensors and views, what they hold, and their parts
  numpy.hpp                341  NumPy's names for all ops
  numpy_arrays.hpp         252  NumPy's names for whole arrays, einsum among them
  numpy_random.hpp         220  one generator, and what is drawn from it
  operators.hpp            197  every operator, and what it says of what it refuses
"

# Lines of each room: the limit, which is 5 % above what it has or is to have, and the target.
rooms="
  core           5760   4500
  math           5400   5000
  indexing       4620   4300
  ops           15260  12500
  graph          9310   8550
  kernels       11920   9500
  run            3590   2750
  lapack          880    500
  text           9150   7300
  xla            2600   2200
  distributed    1300   1100
  all            70000  55000
"

deepest_line=3     # classes in one line of inheritance
most_by_name=15    # kind_of_op< outside text/; target 15
most_intrinsics=5  # headers with vector intrinsics; target 1

declare -A limit_of
while read -r file limit reason; do
  if [ -z "$file" ]; then continue; fi
  limit_of[$file]=$limit
  if [ -z "$reason" ]; then complain "tests/budgets.sh: $file has no reason to be longer"; fi
done <<<"$longer"

# Limits that are above what is there are named, so that they fall; those of files that are gone do no harm.
while read -r lines file; do
  file=${file#./}
  limit=$longest_header
  if [[ $file == ops/* ]]; then limit=$longest_op; fi
  if [ "$lines" -le "$limit" ]; then continue; fi
  named=${limit_of[${file##*/}]:-$limit}
  if [ "$lines" -gt "$named" ]; then complain "include/tenon/$file: $lines lines, at most $named"; fi
  if [ "$lines" -lt "$named" ]; then echo "include/tenon/$file: its limit of $named may fall to $lines"; fi
done < <(find . -name '*.hpp' -exec awk '!/^\/\/ Public, in / { ++lines } END { print lines, FILENAME }' {} \;)

lines_in() { find "$1" -name '*.hpp' -exec cat {} + | awk 'END { print NR }'; }
printf '%-14s %8s %8s %8s\n' room lines limit target
while read -r room limit target; do
  if [ -z "$room" ]; then continue; fi
  folder=$room
  if [ "$room" = all ]; then folder=.; fi
  lines=$(lines_in "$folder")
  printf '%-14s %8d %8d %8d\n' "$room" "$lines" "$limit" "$target"
  if [ "$lines" -gt "$limit" ]; then complain "include/tenon/$room: $lines lines, at most $limit"; fi
done <<<"$rooms"
for folder in */; do
  if ! grep -q "^  ${folder%/} " <<<"$rooms"; then complain "include/tenon/$folder: a room without a budget"; fi
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
by_name=$(grep -rho --include='*.hpp' 'kind_of_op<' --exclude-dir=text . | wc -l)
mapfile -t with_intrinsics < <(
  grep -rlE --include='*.hpp' '\b(_mm[0-9]*_[a-z0-9_]+|v(ld|st|tbl|qtbl)[1-4]q?_[a-z0-9_]+|__riscv_v[a-z0-9_]+|svld[1-4]_[a-z0-9_]+) *\(' . | sort)

printf '%-36s %6s %6s %6s\n' "" now limit target
printf '%-36s %6d %6d %6d\n' "classes in one line" "${deepest%% *}" "$deepest_line" 3 \
  "ops asked for by name" "$by_name" "$most_by_name" 15 "headers with intrinsics" ${#with_intrinsics[@]} "$most_intrinsics" 1
if [ "${deepest%% *}" -gt $deepest_line ]; then complain "too deep: ${deepest#* }"; fi
if [ "$by_name" -gt $most_by_name ]; then complain "kind_of_op< outside text/: $by_name, at most $most_by_name; ask what the op says of itself"; fi
if [ ${#with_intrinsics[@]} -gt $most_intrinsics ]; then complain "intrinsics in ${with_intrinsics[*]}"; fi

echo "$failures above their budgets"
[ $failures -eq 0 ]
