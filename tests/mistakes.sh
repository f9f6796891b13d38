#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# mistakes.sh COMPILER [FLAG...]
#
# Compiles every mistake of tests/mistakes.txt and passes when COMPILER refuses each with one error, which names the
# user's line and the broken rule in the first five lines of its message, and has 16 lines at most, 25 on clang. Clang 14
# prints no texts, and the label has to do; clang says how a traced function was reached before it says the rule, and
# lists members with the same name.
set -u
table=$(dirname "$0")/mistakes.txt
compiler=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

clang=$("$compiler" -dM -E -x c++ - </dev/null | sed -n 's/^#define __clang_major__ //p')
most=16
if [ -n "$clang" ]; then most=25; fi

# Writes the program to mistake.cpp, with the user's line as line 21.
write_program() {  # KIND LINE
  local before='void f() {' after='}'
  if [ "$1" = trace ]; then
    before='constexpr auto function = trace([]([[maybe_unused]] auto x, [[maybe_unused]] auto y, [[maybe_unused]] auto v) {'
    after='}); void f() { function(x, y, v); }'
  fi
  cat <<PROGRAM
#include <tenon/tenon.hpp>
#include <deque>
#include <vector>
using namespace tenon;

using net = TENON_PROGRAM(R"(
  func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
    %sum = stablehlo.add %x, %y : tensor<4xf32>
    return %sum : tensor<4xf32>
  }
)");
tensor<f32, 2, 3> x;
tensor<f32, 3, 2> y;
tensor<f32, 3> v;
tensor<f64, 2, 3> d;
tensor<i32, 2, 3> n;
tensor<ui8, 2> u;
tensor<f32, 4> four, result;

$before
  $2
$after
PROGRAM
}

check() {  # NUMBER KIND LINE WORDS
  local source=$folder/$1/mistake.cpp message=$folder/$1/message text count first words word
  mkdir "$folder/$1"
  write_program "$2" "$3" >"$source"
  if LC_ALL=C "$compiler" "${flags[@]}" -fsyntax-only "$source" >"$message" 2>&1; then
    echo "compiles, but must not: $3"
    return
  fi
  # Clang's words come in pieces.
  text=$(sed -E ':a; s/"\}, words<[0-9]+>\{"//; ta' "$message")
  count=$(wc -l <"$message")
  first=$(head -n 5 <<<"$text")
  if [ "$(grep -c 'error: ' "$message")" -ne 1 ]; then echo "more than one error: $3"; fi
  if [ -z "$clang" ] || [ "$2" = expression ]; then
    if [ "$count" -gt "$most" ]; then echo "$count lines: $3"; fi
  fi
  if [[ $first != *"mistake.cpp:21:"* ]]; then echo "the line is not among the first: $3"; fi
  if [ -n "$clang" ] && [ "$2" = trace ]; then first=$text; fi
  IFS='|' read -ra words <<<"$4"
  for word in "${words[@]}"; do
    word=$(sed 's/^ *//; s/ *$//' <<<"$word")
    if [ "${clang:-99}" -lt 15 ]; then
      if [[ ! $word =~ ^[a-z_]+[0-9]*(:|$) ]]; then continue; fi
      word=$(sed "s/:.*//; s/./'&', /g; s/, $//" <<<"$word")
    fi
    if [[ $first != *"$word"* ]]; then echo "not among the first lines: $word: $3"; fi
  done
}

flags=("$@")
number=0
while IFS='|' read -r kind line words; do
  kind=${kind%% *}
  if [ -z "$kind" ] || [[ $kind == \#* ]]; then continue; fi
  line=$(sed 's/^ *//; s/ *$//' <<<"$line")
  number=$((number + 1))
  check $number "$kind" "$line" "$words" >"$folder/$number.report" &
  while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n; done
done <"$table"
wait
cat "$folder"/*.report
failures=$(cat "$folder"/*.report | wc -l)
echo "$number mistakes, $failures messages that are not as they should be"
[ "$number" -gt 0 ] && [ "$failures" -eq 0 ]
