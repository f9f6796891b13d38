#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# quantize.sh TENON: networks of examples/ in integers of 8 bits are as good as in f32, and what cannot be quantized is
# refused with one message.
set -uo pipefail
tenon=$(realpath "$1")
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
ln -s "$tenon" tenon-run

failed=0
complain() {
  echo "$1"
  head -n 20 output
  failed=$((failed + 1))
}
# The images as rows of 64: the same elements behind another header of as many bytes.
head -c 128 "$examples/digits/images.npy" | sed 's/(360, 8, 8, 1), }/(360, 64), }     /' >rows.npy
tail -c +129 "$examples/digits/images.npy" >>rows.npy

# good NAME MODEL IMAGES OPTIONS...: accuracy within 1 %, the same class for at least 98 %.
good() {
  if ! "$tenon" quantize "$2" --samples "$3" --labels "$examples/digits/labels.npy" --output "$1.mlir" "${@:4}" >output 2>&1; then
    complain "$1 was not quantized"
    return
  fi
  awk '/^same class/ { same = $4 / $6 } /^right in f32/ { gsub(",", ""); lost = ($4 - $9) / $6; seen = 1 }
       END { print same, lost; exit !(seen && same >= 0.98 && lost <= 0.01) }' output || complain "$1 is not as good as in f32"
  grep -q 'quant.uniform<i8:f32' "$1.mlir" || complain "$1 has no quantized types"
  "$tenon" run "$1.mlir" --random 3 >output 2>&1 || complain "$1 does not run"
  grep -q '^result 0: tensor<1x10xf32>' output || complain "$1 gives other results"
}
good digits "$examples/digits/model.mlir" "$examples/digits/images.npy"
good mlp "$examples/firmware/mlp.mlir" rows.npy
good symmetric "$examples/digits/model.mlir" "$examples/digits/images.npy" --symmetric
grep -q 'stablehlo.pad' digits.mlir || complain "zeros around images are not the zero point"
grep -q 'stablehlo.pad' symmetric.mlir && complain "zeros around images are copied"
good percentile "$examples/digits/model.mlir" "$examples/digits/images.npy" --percentile 99.9

# tenon-run has the same as an option, and both print the same text.
./tenon-run --quantize "$examples/digits/model.mlir" "$examples/digits/images.npy" >text 2>output
cmp -s text digits.mlir || complain "tenon-run --quantize prints another text"

# refused PATTERN WORDS...
refused() {
  "$tenon" quantize "${@:2}" >output 2>&1 && complain "${*:2}: was not refused"
  grep -q -- "$1" output || complain "${*:2}: no message with '$1'"
  [ "$(grep -cv '^  argument' output)" -eq 1 ] || complain "${*:2}: more than one message"
}
cat >pair.mlir <<'END'
func.func @main() -> tensor<2x3xf32> {
  %0 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]]> : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
END
"$tenon" run pair.mlir --output pair >output 2>&1 || complain "no samples"
cat >products.mlir <<'END'
func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
END
cat >integers.mlir <<'END'
func.func @main(%x: tensor<360x64xui8>) -> tensor<360x64xui8> {
  %0 = stablehlo.add %x, %x : tensor<360x64xui8>
  return %0 : tensor<360x64xui8>
}
END
refused 'which is no list of samples of it' "$examples/digits/model.mlir" --samples "$examples/digits/logits.npy"
refused 'there are no samples of argument 1' products.mlir --samples pair0.npy
refused 'the program has no argument for it' integers.mlir --samples rows.npy rows.npy
refused 'quantize_products: ' integers.mlir --samples rows.npy
refused 'quantize_labels: ' "$examples/firmware/mlp.mlir" --samples rows.npy --labels rows.npy
refused 'quantize_program: ' digits.mlir --samples "$examples/digits/images.npy"
"$tenon" quantize "$examples/digits/model.mlir" >output 2>&1 && complain "no samples were not refused"
grep -q -- '--samples' output || complain "nobody says that samples are missing"

[ $failed -eq 0 ]
