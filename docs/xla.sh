#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# docs/xla.sh
#
# Writes docs/xla.md: the rows of XLA's pages of operations, which names the builder has and which tests call them, and
# the examples of the pages. Reads tests/operation_semantics: rows.txt, and the names of its tests, which begin with
# the rows that they show and the pages that have them. Exits with 1 where a row has a name without a function or test.
set -euo pipefail
cd "$(dirname "$0")/.."
tests=tests/operation_semantics

# "file TAB name of a test"
titles=$(
  for file in "$tests"/*.cpp; do
    tr '\n' ' ' <"$file" | grep -oE 'TEST_CASE\( *"[^"]*"( *"[^"]*")*' |
      sed -E "s/\" +\"//g; s/TEST_CASE\( *\"//; s/\"\$//; s|^|$(basename "$file")\t|"
  done)
# What can be called: functions, objects, and those that take a builder.
functions=$({
  tr '\n' ' ' <<<"$(cat include/tenon/xla/*.hpp)" | grep -oE 'inline constexpr detail::[A-Za-z0-9_<>:{}, ]* [A-Z][A-Za-z0-9, ]*;' |
    sed -E 's/.*detail::[a-z_]+(<[^;]*>)? //; s/[,;]/ /g' | tr ' ' '\n'
  grep -ohE '^constexpr XlaOp [A-Z][A-Za-z0-9]*' include/tenon/xla/*.hpp | sed 's/.* //'
} | sort -u)

# What stands in a test, as a block.
body_of() {
  echo '```cpp'
  awk -v title="$1" '/^}/ { inside = 0 } inside { print substr($0, 3) } index($0, title) { inside = 1 }' \
    $tests/statements.cpp
  echo '```'
}
table=$(
  while IFS=$'\t' read -r names pages; do
    lacking=''
    for name in $names; do
      grep -qx "$name" <<<"$functions" || lacking+="no $name; "
      grep -qw "$name" <<<"$titles" || lacking+="no test of $name; "
    done
    shown=$(grep -wE "${names// /|}" <<<"$titles" | cut -f1 | sort | uniq -c |
      awk '{ sub(/\.cpp$/, "", $2); printf "%s%d in %s", (NR > 1 ? ", " : ""), $1, $2 }' || true)
    echo "| ${names// /, } | $pages | ${lacking:-yes} | $shown |"
  done <$tests/rows.txt
)
rows=$(wc -l <$tests/rows.txt)
missing=$(grep -vc '| yes |' <<<"$table" || true)
{
  cat <<END
# XLA's pages of operations

Made by \`docs/xla.sh\` on $(date -u +%Y-%m-%d); do not edit.

The pages are [that of today](https://openxla.org/xla/operation_semantics) (current), that of 2019, and that of
ComputationBuilder, 2017. What they name is in namespace \`tenon::xla\`, as a function, and, where its operands say which
builder it belongs to, as a member of the builder too.

## A computation that runs where it is built

END
  body_of "a computation that is built at run time"
  cat <<END

A builder is an object with a state, and the shapes of a C++ tensor are part of its type: they cannot follow from what
statements of a function do when it runs. So a builder that stands in ordinary code makes its computation at run time, for
\`loaded_program\`. In constant evaluation the same statements make the same computation: within a function that
\`xla::Build\` is given, they are compiled with the program, and a broken rule ends the compilation.

END
  body_of "a computation that is compiled with the program"
  cat <<END

- Layouts, names of computations and parameters, clients and \`result_accuracy\` are taken and mean nothing: memory is
  row-major, and functions are as accurate as [accuracy](accuracy.md) says. \`value()\`, \`ConsumeValueOrDie()\` and \`*\` of
  what \`Build\` gives are the computation; \`ok()\` is false after a broken rule, whose label and sentence it has.
- What HLO splits in two (\`AllReduceStart\`, \`AllReduceDone\`, \`CopyStart\`, \`AsyncDone\` ...) is done by the first, and passed
  on by the second. \`Send\` and \`Recv\` without tokens happen in the order in which they are written.
- Values of another builder or of none, and shapes that no array has, are errors of the builder: \`Build()\` is not ok, with
  the label \`xla_operand\`. Ops without any value of a builder go through \`tenon::on_failure\`. A builder outlives its values.
- \`CrossReplicaSum\` of 2019 has the group of each replica as a list of numbers; here groups are lists of their members.
- \`RngGetAndUpdateState\` keeps one state for all programs of a process of the system.

## Rows

$rows rows; those without a function or without a test: $missing. The last column says how many tests name the row, and in
which file of \`$tests\`.

| row | pages | there | tests |
|---|---|---|---|
$table

## Examples

Every test of \`$tests/examples.cpp\`, which ctest runs.

END
  awk -F'\t' '$1 == "examples.cpp" { print "- " $2 }' <<<"$titles"
} >docs/xla.md
echo "docs/xla.md: $rows rows, $missing not as they should be"
[ "$missing" = 0 ]
