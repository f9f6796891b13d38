#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# expect_rejection.sh FILE COMPILER [FLAG...]
#
# Passes when COMPILER refuses FILE and prints every text that FILE names in lines "// expect: TEXT". Lines
# "// expect gcc: TEXT" and "// expect clang: TEXT" hold for one family of compilers. A line "// errors: COUNT" says how
# many errors there may be.
set -u
file=$1 compiler=$2
shift 2

case $(basename "$compiler") in
  *clang*) family=clang ;;
  *) family=gcc ;;
esac
mapfile -t expected < <(sed -nE "s|^// expect( $family)?: (.*)$|\2|p" "$file")
if [ ${#expected[@]} -eq 0 ]; then
  echo "$file names no text to expect: write a line '// expect: TEXT'"
  exit 1
fi

if output=$(LC_ALL=C timeout 300 "$compiler" "$@" -fsyntax-only "$file" 2>&1); then
  echo "$file compiles, but must not"
  exit 1
fi
# Clang's words come in pieces.
output=$(sed -E ':a; s/"\}, words<[0-9]+>\{"//; ta' <<<"$output")
missing=0
for text in "${expected[@]}"; do
  if [[ $output != *"$text"* ]]; then
    echo "not printed: $text"
    missing=1
  fi
done
most=$(sed -nE "s|^// errors: (.*)$|\1|p" "$file")
errors=$(grep -c 'error: ' <<<"$output")
if [ -n "$most" ] && [ "$errors" -gt "$most" ]; then
  echo "$errors errors, of which $most are expected"
  missing=1
fi
if [ $missing -ne 0 ]; then
  printf '%s\n' "The compiler's output:" "$output" | head -n 80
fi
exit $missing
