#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes index.html, which is committed: page.html with the network as WebAssembly inside, so that a browser shows it from
# a file as well as from a server. On Debian 12 it installs emscripten.
set -euo pipefail
cd "$(dirname "$0")"
root=$PWD/../..

bash "$root/cmake/need_packages.sh" emscripten libhwy-dev libeigen3-dev

folder=$root/build/demo
mkdir -p "$folder/include"
for library in /usr/include/hwy /usr/include/eigen3/Eigen; do ln -sfn "$library" "$folder/include/${library##*/}"; done
{
  printf 'R"tenon('
  sed -E 's/-> \(tensor<1x10xf32> \{[^}]*\}\)/-> (tensor<1x10xf32>, tensor<1x8x8x8xf32>, tensor<1x8x8x16xf32>)/
          s/return %18 : tensor<1x10xf32>/return %18, %7, %12 : tensor<1x10xf32>, tensor<1x8x8x8xf32>, tensor<1x8x8x16xf32>/' \
    "$root/examples/digits/model.mlir"
  printf ')tenon"'
} >"$folder/include/layers.mlir.inc"

em++ -Os -msimd128 -std=c++20 -Wall -Wextra -Werror -DNDEBUG -fno-exceptions -fno-rtti -fno-threadsafe-statics \
  -isystem "$folder/include" -I "$root/include" -c demo.cpp -o "$folder/demo.o"
NODE_PATH=/usr/share/nodejs:/usr/lib/nodejs em++ -Os -msimd128 --no-entry -sSTANDALONE_WASM=1 -sINITIAL_MEMORY=262144 -sTOTAL_STACK=65536 \
  -sEXPORTED_FUNCTIONS=_pixels,_scores,_first_layer,_second_layer,_arena_bytes,_classify "$folder/demo.o" \
  -o "$folder/demo.wasm"

{
  sed '/@wasm@/,$d' page.html
  base64 -w 0 "$folder/demo.wasm"
  echo
  sed '1,/@wasm@/d' page.html
} >index.html
echo "docs/demo/index.html: $(stat -c %s index.html) bytes, of which $(stat -c %s "$folder/demo.wasm") of WebAssembly"
