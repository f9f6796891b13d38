#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# command_line.sh TENON_RUN: what a user of tenon-run meets, good input and bad.
set -uo pipefail
tenon_run=$(realpath "$1")
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

failed=0 checked=0
report() {
  echo "$1"
  sed 's/^/  /' output | head -n 20
  failed=$((failed + 1))
}
# expect CODE PATTERN WORDS...: the exit code, and a line of the output.
expect() {
  local code=$1 pattern=$2 seen
  shift 2
  checked=$((checked + 1))
  timeout 120 "$tenon_run" "$@" >output 2>&1
  seen=$?
  [ $seen -eq "$code" ] || report "tenon-run $*: exit code $seen, expected $code"
  grep -q -- "$pattern" output || report "tenon-run $*: no line with '$pattern'"
}
# Bad input: exit code 1 and no more than one message.
refused() {
  expect 1 "$@"
  [ "$(grep -c . output)" -eq 1 ] || report "tenon-run ${*:2}: more than one line"
}

cat >pair.mlir <<'END'
func.func @main() -> (tensor<2x3xf32>, tensor<3xi32>) {
  %0 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]]> : tensor<2x3xf32>
  %1 = stablehlo.constant dense<[1, -2, 3]> : tensor<3xi32>
  return %0, %1 : tensor<2x3xf32>, tensor<3xi32>
}
END
cat >double.mlir <<'END'
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.add %x, %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
END
expect 0 '^\[\[1.0, 2.0, 3.0\],' pair.mlir
expect 0 '' --output pair_ pair.mlir
expect 0 '\[8.0, 10.0, 13.0\]\]' double.mlir pair_0.npy
expect 0 '"convolution.nadd.nmaximum"' --dot "$examples/digits/model.mlir"
expect 0 'convolution' --explain "$examples/digits/model.mlir"
cat >negated.mlir <<'END'
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.negate %x : tensor<3xf32>
  %1 = stablehlo.negate %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}
END
expect 0 '^rewrites: cancel_involution 1$' --passes negated.mlir
expect 0 '^no rewrites$' --passes double.mlir
expect 0 '^no rewrites$' --explain double.mlir
expect 2 'model is required'
expect 2 'not expected: --unknown' --unknown double.mlir
expect 2 'not in range' --repeat 0 double.mlir
expect 0 '--threads N' --help
expect 0 '^tenon-run [0-9]' --version
expect 0 '^.B --output PREFIX' --man
expect 0 'complete .* tenon-run' --completion
expect 0 'argument 0: tensor<2x3xf32>' --inspect double.mlir
expect 0 '^ *1 add' --inspect double.mlir
expect 0 '^\[\[0.0, 0.0, 0.0\]' --zeros double.mlir
expect 0 '^result 0' --random 7 double.mlir
expect 0 '^5 runs: fastest' --repeat 5 --threads 2 --zeros double.mlir
expect 0 'pair.npz:result1.npy: tensor<3xi32>' --output pair.npz pair.mlir
expect 0 '' --output double.npz double.mlir pair_0.npy
expect 0 '\[16.0, 20.0, 26.0\]\]' double.mlir double.npz
expect 1 '2 were given' double.mlir pair.npz
# Arguments by name: of an .npz file whose members are called as they are, and of --weights.
cat >named.mlir <<'END'
func.func @main(%result1: tensor<3xi32>, %x: tensor<2x3xf32>, %result0: tensor<2x3xf32>) -> (tensor<3xi32>, tensor<2x3xf32>) {
  %0 = stablehlo.subtract %result0, %x : tensor<2x3xf32>
  return %result1, %0 : tensor<3xi32>, tensor<2x3xf32>
}
END
expect 0 '^\[\[0.0, 0.0, 0.0\],' named.mlir pair.npz pair_0.npy
expect 0 '^\[1, -2, 3\]' named.mlir pair_0.npy --weights pair.npz
expect 1 'takes 1 more argument, 0 were given' named.mlir pair.npz
grep -q 'argument 1: tensor<2x3xf32> x' output || report "the names of arguments are not shown"
cp pair.npz again.npz
refused 'argument 0, result1, is in two files' named.mlir pair.npz pair_0.npy --weights again.npz
sed 's/%result1: tensor<3xi32>/%y: tensor<3xi32>/; s/return %result1/return %y/' named.mlir >other.mlir
refused 'pair.npz: nothing asks for result1' other.mlir pair.npz pair_0.npy pair_1.npy
sed 's/result0: tensor<2x3xf32>/result0: tensor<3x2xf32>/' named.mlir >transposed.mlir
sed -i 's/subtract %result0/subtract %x/' transposed.mlir
refused 'pair.npz: argument 2, result0, is tensor<3x2xf32>, the file holds tensor<2x3xf32> as result0' transposed.mlir pair.npz pair_0.npy
refused 'cut.npz' named.mlir --weights cut.npz pair_0.npy
refused 'nowhere.safetensors: the file cannot be opened' named.mlir --weights nowhere.safetensors pair_0.npy
# What jax.export(...).serialize() wrote, whose arguments have names.
artifact=$examples/../tests/bytecode/model.exported
expect 0 "argument 1: tensor<2x3xf32> params\['w'\]" --inspect "$artifact"
expect 0 '^\[0.0, 0.0, 0.0\]' --zeros "$artifact"
grep -q '^\[-1.0, -1.0, -1.0, -1.0\]' output || report "the artifact gives something else"
head -c 1500 "$artifact" >cut.exported
refused 'cut.exported: the file ends before the MLIR bytecode in it does' cut.exported
"$tenon_run" --emit-header double.hpp double.mlir >output 2>&1
grep -q '^using program_double = tenon::program<' double.hpp || report "double.hpp: no program"
sed 's/2x3x/?x3x/g' double.mlir >open.mlir
expect 0 '\[8.0, 10.0, 13.0\]\]' open.mlir pair_0.npy
expect 1 'open.mlir:1:28: type: the size of a dimension is unknown' open.mlir
refused 'nowhere/x0.npy: there is no folder nowhere' --output nowhere/x double.mlir pair_0.npy
refused 'argument 0 is tensor<2x3xf32>, the file holds tensor<3xi32>' double.mlir pair_1.npy
head -c 300 pair.npz >cut.npz
refused 'cut.npz' double.mlir cut.npz

refused 'absent.mlir: the file cannot be opened' absent.mlir
refused 'absent.npy' double.mlir absent.npy
head -c 100 pair_0.npy >cut_header.npy
head -c 140 pair_0.npy >cut_data.npy
refused 'cut_header.npy' double.mlir cut_header.npy
refused 'cut_data.npy' double.mlir cut_data.npy
refused 'pair_1.npy' double.mlir pair_1.npy
refused 'double.npy' double.mlir double.npy
expect 1 'takes 1 argument, 0 were given' double.mlir
expect 1 'takes 1 argument, 2 were given' double.mlir pair_0.npy pair_0.npy

sed 's/stablehlo.add/stablehlo.ad/' double.mlir >unknown_op.mlir
refused 'unknown_op.mlir:2:8: unknown_op: the op is unknown: stablehlo.ad$' unknown_op.mlir pair_0.npy
sed 's/stablehlo.add %x, %x/stablehlo.custom_call @lapack_spotrf(%x)/; 2s/: tensor<2x3xf32>/: (tensor<2x3xf32>) -> tensor<2x3xf32>/' \
  double.mlir >unknown_target.mlir
refused 'unknown_target.mlir:2:3: not_supported: nobody runs the target of this custom call: lapack_spotrf$' \
  unknown_target.mlir pair_0.npy
sed 's/stablehlo.add %x, %x/stablehlo.custom_call @xla_ffi_python_cpu_callback(%x)/; 2s/: tensor<2x3xf32>/: (tensor<2x3xf32>) -> tensor<2x3xf32>/' \
  double.mlir >pure_callback.mlir
refused 'a function in Python computes the result' pure_callback.mlir pair_0.npy
cat >debug_print.mlir <<'END'
func.func @main(%token: !stablehlo.token, %x: tensor<2x3xf32>) -> (!stablehlo.token, tensor<2x3xf32>) {
  %0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%token, %x) {has_side_effect = true} : (!stablehlo.token, tensor<2x3xf32>) -> !stablehlo.token
  %1 = stablehlo.add %x, %x : tensor<2x3xf32>
  return %0, %1 : !stablehlo.token, tensor<2x3xf32>
}
END
expect 0 '^debug, operand 1: tensor<2x3xf32>' debug_print.mlir pair_0.npy
expect 0 '^result 0: tensor<2x3xf32>' debug_print.mlir pair_0.npy
expect 0 '^debug_0.npy' --output debug_ debug_print.mlir pair_0.npy
# As JAX exports for several platforms.
cat >platforms.mlir <<'END'
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %p = stablehlo.constant dense<PLATFORM> : tensor<i32>
  %r = "stablehlo.case"(%p) ({
    %0 = stablehlo.add %x, %x : tensor<2x3xf32>
    stablehlo.return %0 : tensor<2x3xf32>
  }, {
    %0 = stablehlo.custom_call @of_another_platform(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    stablehlo.return %0 : tensor<2x3xf32>
  }) : (tensor<i32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
END
sed 's/dense<PLATFORM>/dense<0>/' platforms.mlir >here.mlir
expect 0 '\[8.0, 10.0, 13.0\]\]' here.mlir pair_0.npy
sed 's/dense<PLATFORM>/dense<1>/' platforms.mlir >elsewhere.mlir
refused 'custom_call: nobody runs of_another_platform' elsewhere.mlir pair_0.npy
sed 's/%0 = stablehlo.add %x, %x : tensor/%0 = stablehlo.custom_call @nowhere(%x) : (tensor<2x3xf32>) -> tensor/' here.mlir >nowhere.mlir
refused 'nowhere.mlir:4:5: not_supported: nobody runs the target of this custom call: nowhere' nowhere.mlir pair_0.npy
sed 's/%x, %x/%x/' double.mlir >arity.mlir
refused 'arity.mlir:2:' arity.mlir pair_0.npy
sed 's/-> tensor<2x3xf32> {/-> tensor<3x2xf32> {/' double.mlir >shape.mlir
refused 'shape.mlir:' shape.mlir pair_0.npy
sed '2s/tensor<2x3xf32>/tensor<3x2xf32>/' double.mlir >operand.mlir
refused 'operand.mlir:2:' operand.mlir pair_0.npy
sed '3,$d' double.mlir >truncated.mlir
refused 'truncated.mlir:' truncated.mlir pair_0.npy
: >empty.mlir
refused 'empty.mlir' empty.mlir
head -c 104857600 /dev/urandom >garbage.mlir
refused 'garbage.mlir:' garbage.mlir
head -c 104857600 /dev/zero | tr '\0' '(' >deep.mlir
refused 'deep.mlir:' deep.mlir
refused 'garbage.mlir' double.mlir garbage.mlir

# What no program is, or none that could run: as StableHLO and as HLO.
for size in 4611686018427387904 9223372036854775807x9223372036854775807; do
  echo "func.func @main() -> tensor<${size}xf32> { %y = stablehlo.iota dim = 0 : tensor<${size}xf32>
    return %y : tensor<${size}xf32> }" >huge.mlir
  refused 'too_large: the program needs more memory' huge.mlir
  echo "ROOT y = f32[${size/x/,}] iota(), iota_dimension=0" >huge.hlo
  refused 'too_large: the program needs more memory' huge.hlo
done
{
  printf 'a0 = f32[4] parameter(0)\n'
  for i in $(seq 1 60); do echo "a$i = f32[4] copy-done(a$((i - 1)), a$((i - 1)))"; done
} >doubled.hlo
refused 'doubled.hlo:2:' doubled.hlo
head -c 1000000 /dev/zero | tr '\0' '(' >many
{ printf 'x = f32[4] parameter(0)\ny = f32[4] add('; cat many; } >deep.hlo
refused 'deep.hlo:2:' deep.hlo
{ printf 'x = '; cat many; } >deep_shape.hlo
refused 'deep_shape.hlo:1:' deep_shape.hlo
{ printf 'func.func @main(%%x: '; sed 's/(/tuple</g' many; } >deep_type.mlir
refused 'deep_type.mlir:1:' deep_type.mlir
printf 'func.func @main() -> tensor<f32> {\n  %%x = stablehlo.cons\0tant' >zero.mlir
refused 'zero.mlir:2:' zero.mlir
printf 'func.func @main() {\n  %%\377\376 = stablehlo.\200' >bytes.mlir
refused 'bytes.mlir:2:' bytes.mlir
printf 'x = f32[4] parameter(0), metadata={op_name="' >quote.hlo
refused 'quote.hlo:1:' quote.hlo

cat >squares.mlir <<'END'
func.func @main(%x: tensor<3xf64>, %i: tensor<3xi32>) -> tensor<f64> {
  %0 = stablehlo.constant dense<0.0> : tensor<f64>
  %1 = stablehlo.multiply %x, %x : tensor<3xf64>
  %2 = stablehlo.reduce(%1 init: %0) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
  return %2 : tensor<f64>
}
END
expect 0 '^result 1: tensor<3xf64>' --grad 0 --zeros squares.mlir
expect 0 'tensor<3xf64>, %arg1: tensor<3xi32>) -> (tensor<f64>, tensor<3xf64>)' --emit-grad squares.mlir
refused 'squares.mlir:0:0: grad_argument: ' --grad 1 --zeros squares.mlir
refused 'grad: numbers of arguments are expected' --grad x --zeros squares.mlir

echo "$checked checked, $failed wrong"
exit $((failed > 0))
