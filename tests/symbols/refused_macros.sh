#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# refused_macros.sh COMPILER
#
# Each macro that tenon does not compile beside is refused, by every public header, with one error that names it and no
# others after it.
set -u
compiler=$1
cd "$(dirname "$0")/../../include" || exit 1
failures=0
refused=0
complain() {
  echo "$1"
  failures=$((failures + 1))
}

refuse() { # macro header
  refused=$((refused + 1))
  local messages errors
  if messages=$(printf '#include <vector>\n#define %s 0\n#include <%s>\n' "$1" "$2" |
    "$compiler" -std=c++20 -fsyntax-only -I . -x c++ - 2>&1); then
    complain "<$2> compiles beside a macro $1"
  fi
  errors=$(grep -cE '(error|fatal error):' <<<"$messages")
  local name=$1
  if [[ $1 == [A-Z] ]]; then name="A to Z"; fi
  if [ "$errors" -gt 2 ] || ! grep -m 1 -E 'error:' <<<"$messages" | grep -qE "tenon: .*\b$name\b.* is a macro"; then
    complain "<$2> beside a macro $1: $errors errors, the first of them"
    grep -m 1 error <<<"$messages"
  fi
}

mapfile -t macros < <(sed -n '/^#if defined(A)/,/^#error/p' tenon/core/translation_unit.hpp | grep -oE 'defined\(\w+\)' | sed 's/defined(//; s/)//')
for macro in "${macros[@]}"; do refuse "$macro" tenon/tenon.hpp; done
for header in tenon/*.hpp; do
  if [[ $header != */lapack.hpp && $header != */tree.hpp ]]; then refuse I "$header"; fi
done
refuse Complex tenon/xla.hpp
echo "$refused refused, $failures failures"
[ $failures -eq 0 ] && [ ${#macros[@]} -ge 30 ]
