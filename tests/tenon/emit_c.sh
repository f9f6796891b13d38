#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# emit_c.sh TENON: a model becomes a function of C, which gcc compiles and a program calls, and what has no form in C is
# refused without a file. tests/c99/ compares what such functions give.
set -uo pipefail
tenon=$(realpath "$1")
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

failed=0
expect() {  # CODE PATTERN WORDS...: the exit code of tenon, and a line of its output
  local code=$1 pattern=$2 seen
  shift 2
  "$tenon" "$@" >output 2>&1
  seen=$?
  if [ $seen -ne "$code" ] || ! grep -q -- "$pattern" output; then
    echo "tenon $*: exit code $seen, expected $code and a line with '$pattern'"
    head -n 5 output
    failed=1
  fi
}

expect 0 'FILE.c' emit-c --help
expect 2 'model is required' emit-c
expect 0 '^digits.c$' emit-c "$examples/digits/model.mlir" -o digits.c
expect 0 '^void classify(' emit-c "$examples/digits/model.mlir" --name classify
expect 1 'a name that C allows' emit-c "$examples/digits/model.mlir" --name 2d
cat >sum.mlir <<'END'
func.func @main(%t_1: tensor<3xf32>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %t_1, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
END
expect 0 '^sum.c$' emit-c sum.mlir -o sum.c
cat >zeta.mlir <<'END'
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = chlo.zeta %x, %x : tensor<f32>, tensor<f32> -> tensor<f32>
  return %0 : tensor<f32>
}
END
expect 1 'zeta.mlir:2:3: not_in_c: zeta has no form in C' emit-c zeta.mlir -o zeta.c
if [ -e zeta.c ]; then
  echo "a file was written of what was refused"
  failed=1
fi

if command -v gcc >/dev/null; then
  cat >call.c <<'END'
#include <stdio.h>
void sum(const float *, const float *, float *, void *);
int main(void) {
  const float x[3] = {1, 2, 3}, y[3] = {10, 20, 30};
  float z[3];
  sum(x, y, z, 0);
  printf("%g %g %g\n", z[0], z[1], z[2]);
  return 0;
}
END
  flags="-std=c99 -O2 -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Werror"
  if ! gcc $flags -c digits.c || ! gcc $flags call.c sum.c -o call || [ "$(./call)" != "11 22 33" ]; then
    echo "the function of C does not compile, or gives something else"
    failed=1
  fi
else
  echo "skipped: there is no gcc"
fi
exit $failed
