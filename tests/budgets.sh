#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Reads include/tenon and fails where something outgrows its budget: a header, the file of an op, a room, a line of
# classes, the questions for an op by its name, the headers with intrinsics. A limit above its target has a reason: what
# was added since the target was set. Whoever makes a room smaller writes the smaller figure here.
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

  compare.hpp              220  a total order, which lanes and scalars spell apart
  convolution.hpp          324  34 constraints, output features side by side, copies of narrow elements
  custom_call.hpp          200  targets that users register, shapes of results that are open
  dot_general.hpp          194  24 constraints
  process_groups.hpp       231  the groups of all collectives
  scatter.hpp              226  25 constraints
  tensor.hpp               537  tensors and views, what they hold, their parts, and how both are made from lists
  numpy.hpp                341  NumPy's names for all ops
  numpy_arrays.hpp         217  NumPy's names for whole arrays, einsum among them
  numpy_random.hpp         220  one generator, and what is drawn from it
  operators.hpp            242  every operator, and what it says of what it refuses, in place and before a condition too
"

# Lines of each room: the limit, the target, and what was added since the target was set.
rooms="
  core           6230   4500  lane functions, vectors that Highway has not, parts of tensors, a bit_cast for compilers without one, vectors that fill registers, what tensors refuse, namespaces of rooms
  math           5590   5000  special functions in vectors, divisors that are known, division by multiplication, sin, cos and tan of f32 in f64, powers of f32 in f64
  indexing       4620   4300  tiles as functions of tiles
  ops           15640  12500  names that the C library has too, words of NumPy, random numbers, linear systems, checks where functions are called, comments, what functions of arrays refuse, batch dimensions, copies of narrow images
  graph         10655   8550  types of traced values, errors first, elements that repeat, indices that are known, walks that programs say, constant folding, loop-invariant code motion, split folds, products of elements, updates of windows
  kernels       13450   9500  loops out of ops/, lane programs, narrow integers, operands that repeat, reading by index, short rows side by side and joined, transforms of real lines, blocks of rows, ops divided along batch dimensions, convolutions of narrow elements, complex products
  run            3720   2750  budgets by estimated time, programs without graph or plan, calls with open sizes, structs of tensors, branches for other platforms
  lapack          880    500  spectra without a symmetry
  text           9800   7300  what JAX prints, open sizes, HLO without line ends, manual computations of Shardy, linear algebra in HLO
  xla            2600   2200  every name of XLA's pages, as a function and as a member of the builder
  distributed    1300   1100  MPI, time lines, what a run would cost
  all           74935  55000  the sum, and tree.hpp
"

deepest_line=3     # classes in one line of inheritance
most_by_name=15    # kind_of_op< outside text/; target 15
most_intrinsics=4  # headers with vector intrinsics; target 1

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
while read -r room limit target reason; do
  if [ -z "$room" ]; then continue; fi
  if [ -z "$reason" ] && [ "$limit" -gt "$target" ]; then complain "tests/budgets.sh: $room has no reason to be larger"; fi
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
