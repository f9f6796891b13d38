#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# build.sh TENON [COMPILER]: models become objects, which a program of C99 calls, and what is wrong is refused.
set -uo pipefail
tenon=$(realpath "$1")
compiler=${2:-g++}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

failed=0 checked=0
report() {
  echo "$1"
  if [ -f output ]; then sed 's/^/  /' output | head -n 20; fi
  failed=$((failed + 1))
}
# expect CODE PATTERN WORDS...: the exit code of tenon, and a line of its output.
expect() {
  local code=$1 pattern=$2 seen
  shift 2
  checked=$((checked + 1))
  "$tenon" "$@" >output 2>&1
  seen=$?
  [ $seen -eq "$code" ] || report "tenon $*: exit code $seen, expected $code"
  grep -q -- "$pattern" output || report "tenon $*: no line with '$pattern'"
}
# runs WORDS...: a command that succeeds without a warning.
runs() {
  checked=$((checked + 1))
  "$@" >output 2>&1 || report "$*: exit code $?"
  grep -q 'warning: ' output && report "$*: a warning"
}

for command in run inspect build grad explain emit-c; do expect 0 'model' $command --help; done
expect 2 'COMMAND is required'
expect 2 'model is required' build
expect 0 '^.B --march' --man
expect 0 'complete .* tenon' --completion

# Two models in one program of C, with names that C or its library has, of several element types, and a token.
cat >net-1.mlir <<'END'
#loc1 = loc("params['layers'][0]['w']")
module @jit_f {
  func.func public @main(%arg0: tensor<3x2xf32> loc(#loc1), %arg1: tensor<2xf32> {jax.arg_info = "int"}, %x: tensor<4x3xf32> loc("model.py":1:2))
      -> (tensor<4x2xf32> {jax.result_info = "result['y']"}, tensor<4xi32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.dot_general %x, %arg0, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<2xf32>) -> tensor<4x2xf32>
    %2 = stablehlo.add %0, %1 : tensor<4x2xf32>
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<4xf32>
    %4 = stablehlo.convert %3 : (tensor<4xf32>) -> tensor<4xi32>
    return %2, %4 : tensor<4x2xf32>, tensor<4xi32>
  }
}
END
cat >exp.mlir <<'END'
func.func @main(%token: !stablehlo.token, %z: tensor<3xcomplex<f32>>, %mask: tensor<3xi1>, %B: tensor<f64>) -> (!stablehlo.token, tensor<3xcomplex<f32>>, tensor<f64>) {
  %0 = stablehlo.multiply %z, %z : tensor<3xcomplex<f32>>
  %1 = stablehlo.select %mask, %0, %z : (tensor<3xi1>, tensor<3xcomplex<f32>>, tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  %2 = stablehlo.exponential %B : tensor<f64>
  return %token, %1, %2 : !stablehlo.token, tensor<3xcomplex<f32>>, tensor<f64>
}
END
expect 0 '^net-1.o$' build net-1.mlir --compiler "$compiler" --library
expect 0 '^squared.hpp$' build exp.mlir -o squared --compiler "$compiler" --march none --flags -msse4.2 --flags -O1
ls ./*.XXXXXX* ./net-1.?????? ./squared.?????? 2>/dev/null && report "a folder is left"
for file in libnet-1.a libnet-1.so net-1.h net-1.hpp net-1.o; do [ -s $file ] || report "there is no $file"; done
runs gcc -std=c99 -Wall -Wextra -Wpedantic -Werror -c net-1.h -o header.gch
runs gcc -std=c99 -O1 -Wall -Wextra -Wpedantic -Werror -I . "$here/call.c" net-1.o -o call -lm
runs ./call
runs gcc -std=c99 -O1 -Wall -Wextra -Wpedantic -Werror -I . "$here/call.c" -L . -l:libnet-1.so -Wl,-rpath,. -o call -lm
runs ./call
runs gcc -std=c99 -O1 -Wall -Wextra -Wpedantic -Werror -I . "$here/call.c" -L . -l:libnet-1.a -o call -lm
runs ./call
runs gcc -std=c99 -O1 -Wall -Wextra -Wpedantic -Werror -I . "$here/call_squared.c" squared.o -o call -lm
runs ./call
runs g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -x c++ -I . "$here/call.c" -x none net-1.o -o call -lm
runs ./call
include=$(cd "$here/../../include" && pwd)
grep -q '[^ ]' <<<"$(g++ -std=c++20 -fsyntax-only -DHWY_COMPILE_ONLY_SCALAR -isystem "$include" -I . "$here/call.cpp" 2>&1)" &&
  report "call.cpp: $(g++ -std=c++20 -fsyntax-only -DHWY_COMPILE_ONLY_SCALAR -isystem "$include" -I . "$here/call.cpp" 2>&1 | head -n 3)"
g++ -std=c++20 -fsyntax-only -DHWY_COMPILE_ONLY_SCALAR -DWRONG -isystem "$include" -I . "$here/call.cpp" >output 2>&1 &&
  report "call.cpp: a wrong shape compiles"

# Weights are built in by name.
header='{"layers.0.w":{"dtype":"F32","shape":[3,2],"data_offsets":[8,32]},"int":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
{
  printf "\\x$(printf %x ${#header})\\0\\0\\0\\0\\0\\0\\0%s" "$header"
  printf '\0\0\x20\x41\0\0\xa0\x41\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40\0\0\xa0\x40\0\0\xc0\x40'
} >weights.safetensors
expect 0 '^whole.o$' build net-1.mlir -o whole --weights weights.safetensors --compiler "$compiler" --flags -O1
runs gcc -std=c99 -Wall -Wextra -Wpedantic -Werror -I . "$here/call_whole.c" whole.o -o call -lm
runs ./call

# What cannot be built leaves nothing behind.
mkdir empty
sed 's/add %0, %1/ad %0, %1/' net-1.mlir >unknown.mlir
expect 1 'unknown.mlir:7:10: unknown_op: the op is unknown: stablehlo.ad$' build unknown.mlir -o empty/x
cat >together.mlir <<'END'
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
END
expect 1 'together.mlir:2:[0-9]*: not_supported: .*all_gather' build together.mlir -o empty/x
sed 's/4x3xf32/?x3xf32/g; s/4x2xf32/?x2xf32/g; s/4xf32/?xf32/g; s/4xi32/?xi32/g' net-1.mlir >open.mlir
expect 1 'open.mlir:3:[0-9]*: type: the size of a dimension is unknown' build open.mlir -o empty/x
expect 1 'known are cortex-m4' build net-1.mlir -o empty/x --target cortex
expect 1 '^the compiler failed: .*error: .*' build net-1.mlir -o empty/x --compiler "$compiler" --flags -fnonsense
grep -q -- '-fnonsense' output || report "the command is not shown"
expect 1 'no-such-compiler: No such file' build net-1.mlir -o empty/x --compiler no-such-compiler
expect 1 'there is no folder nowhere' build net-1.mlir -o nowhere/x
expect 1 'a name that C allows' build net-1.mlir -o empty/x --name 1st
sed 's/3x2xf32/2x3xf32/; s/contracting_dims = \[1\] x \[0\]/contracting_dims = [1] x [1]/; s/tensor<3x2xf32>) -> tensor<4x2/tensor<2x3xf32>) -> tensor<4x2/' net-1.mlir >swapped.mlir
expect 1 'argument 0, .*, is tensor<2x3xf32>, the file holds tensor<3x2xf32> as layers.0.w' \
  build swapped.mlir -o empty/x --weights weights.safetensors
expect 1 'absent.mlir: the file cannot be opened' build absent.mlir -o empty/x
[ -z "$(ls -A empty)" ] || report "files are left: $(ls -A empty)"

# CMake makes the object apart, and again when the model changes.
runs cmake -G Ninja -S "$here/project" -B project -D CMAKE_CXX_COMPILER="$compiler" -D TENON="$here/../.." \
  -D MODEL="$folder/net-1.mlir" -D TENON_COMMAND="$tenon"
runs cmake --build project
runs ./project/call
sed -i 's/dense<0.0>/dense<1.0>/' net-1.mlir
runs cmake --build project
./project/call
[ $? -eq 2 ] || report "the changed model was not compiled again"

if command -v arm-none-eabi-g++ >/dev/null; then
  expect 0 '^small.o$' build exp.mlir -o small --target cortex-m4
  arm-none-eabi-nm -u small.o | grep -vE 'memcpy|memset|memmove|expf|__aeabi' | grep . && report "small.o needs a library"
fi
echo "$checked checked, $failed wrong"
exit $((failed > 0))
