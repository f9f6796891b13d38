#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Every ```cpp, ```python and ```cmake block of README.md and docs/*.md stands, up to white space, in a file below
# examples/, include/ or tests/, which are built and run, so that the pages cannot say what does not compile; and every
# ```output block in the expected output of an example. What docs/numpy.md has on the right stands there too. Headers and
# files that pages name in `code` exist.
set -u
shopt -s nullglob
cd "$(dirname "$0")/.." || exit 1

normalise() { tr -s '[:space:]' ' ' | sed -E 's/^ //; s/ $//'; }

# All files in one text, with a mark between two.
everything=$(find examples include tests \( -name "*.cpp" -o -name "*.hpp" -o -name "*.expected" -o -name "*.py" -o -name CMakeLists.txt \) \
  -exec awk 'FNR == 1 { print "\001" } { print }' {} + | normalise)

blocks=0
failures=0
for page in README.md docs/*.md; do
  [ -e "$page" ] || continue
  block="" inside=0 number=0 start=0
  while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    if [ $inside -eq 0 ]; then
      if [[ $line =~ ^[[:space:]]*'```'(cpp|python|cmake|output)[[:space:]]*$ ]]; then inside=1 block="" start=$number; fi
      continue
    fi
    if [[ ! $line =~ ^[[:space:]]*'```'[[:space:]]*$ ]]; then
      block+=$line$'\n'
      continue
    fi
    inside=0
    blocks=$((blocks + 1))
    wanted=$(normalise <<<"$block")
    if [[ $everything != *"$wanted"* ]]; then
      echo "$page:$start: this block stands in no file of examples/, include/ or tests/"
      failures=$((failures + 1))
    fi
  done <"$page"
done

# Expressions in the last column; links and single names are for the reader.
expressions=0
while IFS= read -r expression; do
  expressions=$((expressions + 1))
  if [[ $everything != *"$expression"* ]]; then
    echo "docs/numpy.md: $expression stands in no file of examples/, include/ or tests/"
    failures=$((failures + 1))
  fi
done < <(sed -nE 's/^\|.*\| ([^|]*) \|$/\1/p' docs/numpy.md | grep -oE '`[^`]*`' | grep '[<({]' | tr -d '`')

headers=$(find include/tenon -name '*.hpp')
while IFS=: read -r page number name; do
  name=${name#\`} name=${name%\`} name=${name#<} name=${name%>} name=${name#include/} name=${name#tenon/}
  if [[ $name == *.hpp ]]; then
    grep -qE "(^|/)$name\$" <<<"$headers" && continue
  elif [ -e "$name" ]; then
    continue
  fi
  echo "$page:$number: there is no $name"
  failures=$((failures + 1))
done < <(grep -noHE '`(<?[a-z_/0-9]+\.hpp>?|(tests|bench|examples|cmake|docs)/[A-Za-z0-9_/.-]+)`' README.md docs/*.md)

echo "$blocks blocks, $expressions expressions, $failures not as it says"
[ $failures -eq 0 ]
