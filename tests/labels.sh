#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Every label that a message about a call may begin with is on the page of errors, with what it says.
set -u
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 docs/site/reference.py "$folder" >"$folder/log" || { cat "$folder/log"; exit 1; }

missing=0
mapfile -t labels < <(
  cat $(find include/tenon -name '*.hpp') | tr '\n' ' ' |
    grep -oE '(complain\( *|require_rule\([a-z]+, *|refuse\( *)"[a-z_0-9]+", ' | grep -oE '"[a-z_0-9]+"' | tr -d '"' | sort -u)
for label in "${labels[@]}"; do
  if ! grep -A 1 -x "\`$label\`" "$folder/errors.md" | grep -q '^: .'; then
    echo "docs/site/reference.py lists no $label"
    missing=1
  fi
done
echo "${#labels[@]} labels"
[ "${#labels[@]}" -gt 20 ] && [ $missing -eq 0 ]
