#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs records of indexing maps: tests/indexing.sh [FOLDER ...]
# Each folder holds files *analysis.txt and *maps.txt. One line per record: name, pass or fail or unsupported, detail,
# parted by tabs; then "N passed, N failed, N unsupported". Fails if a record fails.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- "$top/../shared/conformance/indexing"

files=()
for folder in "$@"; do
  for file in "$folder"/*analysis.txt "$folder"/*maps.txt; do
    if [ -f "$file" ]; then files+=("$file"); fi
  done
done
if [ ${#files[@]} -eq 0 ]; then
  echo "skipped: no records (*analysis.txt, *maps.txt) in $*"
  exit 0
fi

build=$top/build/indexing
mkdir -p "$build"
compiler=${CXX:-g++}
objects=()
for source in "$top"/tests/indexing/records/*.cpp; do
  object=$build/$(basename "$source" .cpp).o
  depends=$build/$(basename "$source" .cpp).d
  objects+=("$object")
  # Compiled anew when a file that it includes is newer.
  if [ -f "$object" ] && [ -f "$depends" ]; then
    newer=$(sed 's/^[^:]*://; s/\\$//' "$depends" | tr ' ' '\n' | sed '/^$/d' |
      while read -r file; do if [ ! "$object" -nt "$file" ]; then echo "$file"; fi; done)
    if [ -z "$newer" ]; then continue; fi
  fi
  "$compiler" -std=c++20 -O1 -I "$top/include" -MMD -MF "$depends" -c "$source" -o "$object"
done
"$compiler" "${objects[@]}" -o "$build/records"
"$build/records" "${files[@]}"
