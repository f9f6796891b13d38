#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# docs/coverage.sh [TABLE RESULTS]
#
# Writes docs/coverage.md: for every op how it runs on which element types, how many constraints it has, and how the
# third-party programs that use it fare. TABLE is what the program op_table of tests/conformance writes, RESULTS what
# tests/conformance.sh writes; both are made if they are not given. Needs ../shared/spec and ../shared/conformance.
set -euo pipefail
cd "$(dirname "$0")/.."
spec=../shared/spec public=../shared/conformance/stablehlo/public
for needed in "$spec" "$public"; do
  if [ ! -d "$needed" ]; then echo "not there: $needed" >&2; exit 1; fi
done

table=${1:-} results=${2:-}
if [ -z "$results" ]; then
  folder=build/conformance
  mkdir -p $folder
  table=$folder/op_table.txt results=$folder/results.txt
  bash tests/conformance.sh >$results || true
  cmake --build --preset conformance --target op_table >&2
  $folder/tests/conformance/op_table >$table
fi

# "folder/case TAB 1 or 0 TAB op" for every op of every case: whether the short form of the op is written in it.
uses() {
  for manifest in "$public"/*/MANIFEST.tsv; do
    local cases=${manifest%/MANIFEST.tsv}
    awk -F'\t' -v folder="$(basename "$cases")" 'FNR > 1 && FILENAME ~ /MANIFEST/ {
      name = $1
      sub(/\.mlir$/, "", name)
      count = split($3, ops, ",")
      for (i = 1; i <= count; ++i) print folder "/" name "\t" ops[i]
    }' "$manifest"
  done
}
short_forms() {
  grep -rohE --include='*.mlir' '(= |^ *)(stablehlo|chlo)\.[a-z_0-9]+' "$public" |
    sed -E 's/^[^a-z]*//; s/^stablehlo\.//' | sort -u
}

{
  cat <<END
# What tenon covers

Made by \`docs/coverage.sh\` on $(date -u +%Y-%m-%d); do not edit.

## Third-party programs

The results of \`tests/conformance.sh\` over the public half of the programs of StableHLO's own repository.

| folder | programs | passed | failed | unsupported |
|---|---:|---:|---:|---:|
END
  awk -F'\t' 'NF >= 2 {
    split($1, name, "/")
    ++count[name[1], $2 == "crash" ? "fail" : $2]
    ++total[name[1]]
  }
  END {
    for (folder in total)
      printf "| %s | %d | %d | %d | %d |\n", folder, total[folder], count[folder, "pass"], count[folder, "fail"],
             count[folder, "unsupported"]
  }' "$results" | sort
  cat <<END

Unsupported are programs with ops that tenon does not have. [Semantics](semantics.md#third-party-programs-that-fail) says why
others fail.

## Ops

\`v\` in the lanes of vectors, \`s\` one element after the other, \`o\` in loops of the op's own (lanes where they pay, see
docs/performance_of_ops.md), \`b\` by copying or passing on the bytes of any element; several letters where the types of a group
differ; nothing where the op does not take such elements. Integers are those with and without sign; ops with a region are
shown with a body of one op. Gradient: rules for both modes, or none and why ([gradients](gradients.md)). Quantized: what the op takes besides, per \`tensor\` or along an \`axis\`; it then computes with
the expressed values. Rules: how many constraints the specification has for the op; tests/coverage.sh proves that each is
checked, and broken by a test. Text: the op's own short form is read, besides the generic one. Programs: how many of those
that use the op pass, without the unsupported ones. Ops without a number of rules are not in the specification; those of CHLO
stand at the end.

END
  awk -F'\t' '
    FILENAME == ARGV[1] { status[$1] = $2; next }
    FILENAME == ARGV[2] {
      if ((sub(/^stablehlo\./, "", $2) || $2 ~ /^chlo\./) && status[$1] != "unsupported") {
        ++programs[$2]
        if (status[$1] == "pass") ++passed[$2]
      }
      next
    }
    FILENAME == ARGV[3] { short[$1] = 1; next }
    FILENAME == ARGV[4] {
      rules[$1] = $4
      quantized[$1] = $6 == "no" ? "" : $6
      gsub(/per-/, "", quantized[$1])
      sub(/\+/, ", ", quantized[$1])
      next
    }
    FNR == 1 {
      printf "|"
      for (i = 1; i <= NF; ++i) printf " %s |", $i
      print " quantized | rules | text | programs |"
      printf "|---|"
      for (i = 2; i <= NF; ++i) printf ":-:|"
      print "---|---:|:-:|---:|"
      next
    }
    {
      printf "|"
      for (i = 1; i <= NF; ++i) printf " %s |", $i
      printf " %s | %s | %s | %s |\n", quantized[$1], rules[$1], $1 in short ? "short" : "",
             programs[$1] ? passed[$1] + 0 " of " programs[$1] : ""
    }' "$results" <(uses) <(short_forms) "$spec/ops.tsv" "$table"
} >docs/coverage.md.new
mv docs/coverage.md.new docs/coverage.md
