#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# documented_sizes.sh [ROW...]
#
# Sizes in README.md and docs/*.md are within 2 % of what docs/everywhere.md says (rounded figures: of its figure, rounded
# alike), and the page of the demo is as large as it says. A ROW is what tests/everywhere.sh wrote of a program that it
# built: code, weights, arena and stack of docs/everywhere.md are within 2 % of it, where it names the same compiler.
# tests/everywhere.sh --page docs/everywhere.md writes the page anew.
set -u
cd "$(dirname "$0")/.." || exit 1
page=docs/everywhere.md
failures=0
compared=0

# compare NAME DOCUMENTED BUILT
compare() {
  compared=$((compared + 1))
  if ! awk -v a="$2" -v b="$3" 'BEGIN { difference = a > b ? a - b : b - a; exit !(difference <= 0.02 * b) }'; then
    echo "$1: documented $2, is $3"
    failures=$((failures + 1))
  fi
}

cell() { # target program column
  awk -F ' *[|] *' -v target="$1" -v program="$2" -v column="$3" \
    '$2 == target && $3 == program { gsub(",", "", $column); print $column }' $page
}

for row in "$@"; do
  IFS='|' read -r target program compiler _ _ _ _ code weights arena stack _ <"$row"
  if [ "$(cell "$target" "$program" 4)" != "$compiler" ]; then
    echo "$page: nothing about $target $program by $compiler"
    continue
  fi
  memory=$(cell "$target" "$program" 12)
  compare "$page: $target $program, code" "$(cell "$target" "$program" 9)" "$code"
  if [ "$weights" != - ]; then compare "$page: $target $program, weights" "$(cell "$target" "$program" 10)" "$weights"; fi
  compare "$page: $target $program, arena" "${memory% + *}" "${arena% bytes}"
  if [ "${stack% bytes}" != 0 ]; then compare "$page: $target $program, stack" "${memory#* + }" "${stack% bytes}"; fi
done
if [ $# -gt 0 ]; then exit $((failures > 0)); fi

# compare_rounded FILE PATTERN FIGURE UNIT: the number that PATTERN finds in FILE is FIGURE in UNITs, as precisely as it
# is written.
compare_rounded() {
  local number decimals
  number=$(tr '\n' ' ' <"$1" | sed -nE "s/.*$2.*/\1/p")
  decimals=$(sed -nE 's/.*\.//p' <<<"$number")
  compare "$1: $2" "${number:-nothing}" "$(awk -v n="$3" -v unit="$4" -v d="${#decimals}" 'BEGIN { printf "%.*f", d, n / unit }')"
}

compare_rounded README.md 'Cortex-M4 it takes ([0-9.]+) kB of flash' "$(cell m4 digits 9)" 1000
compare_rounded docs/programs.md 'Cortex-M4 such a filter takes ([0-9.]+) kB of flash' "$(cell m4 kalman 9)" 1000
stack() { cell m4 "$1" 12 | sed 's/.*+ //'; }
compare_rounded docs/firmware.md '2 to ([0-9]+) kB for three of the examples' "$(stack digits_i8)" 1000
compare_rounded docs/firmware.md 'three of the examples, ([0-9]+) kB for the network' "$(stack digits)" 1000
instructions() { cell "$1" "$2" 8 | sed 's/ .*//'; }
compare_rounded docs/firmware.md 'a digit in f32 is ([0-9]+) thousand instructions' "$(instructions m55 digits)" 1000
compare_rounded docs/firmware.md 'in i8 ([0-9]+) instead of' "$(instructions m55 digits_i8)" 1000
compare_rounded $page '\]\(demo\/index.html\) of ([0-9]+) kB' "$(stat -c %s docs/demo/index.html)" 1000
compare_rounded $page 'kB, ([0-9]+) kB of it WebAssembly' \
  "$(sed -n '/wasm_in_base64 = /{n;p}' docs/demo/index.html | base64 -d | wc -c)" 1000

echo "$compared sizes, $failures differ"
[ $failures -eq 0 ]
