#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# run.sh KIND BUILD_FOLDER COMPILER
#
# Builds and runs the small project KIND that uses tenon, or with KIND = one_line what a single command line builds.
# BUILD_FOLDER is tenon's own, which find_package installs from.
set -eu
kind=$1 tenon_build=$2 compiler=$3
here=$(cd "$(dirname "$0")" && pwd)
tenon=$(cd "$here/../.." && pwd)
folder=$tenon_build/tests/consumer/$kind
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

if [ "$kind" = one_line ]; then
  (printf 'R"other('; cat "$here/addition.mlir"; printf ')other"') > addition.mlir.inc
  for flags in "" "-march=x86-64-v3" "-march=native"; do
    if [[ -n $flags && $(uname -m) != x86_64 ]]; then continue; fi
    # What goes wrong with Highway's targets is said in warnings, so none may appear.
    $compiler -std=c++20 -O1 $flags -Werror -I "$tenon/include" -iquote . "$here/main.cpp" -o consumer
    if [[ $flags != *x86-64-v3* ]] || grep -q avx2 /proc/cpuinfo; then ./consumer; fi
  done
  exit
fi

arguments=(-D TENON="$tenon")
if [ "$kind" = find_package ]; then
  cmake --install "$tenon_build" --prefix "$folder/installed"
  arguments=(-D CMAKE_PREFIX_PATH="$folder/installed")
fi
cmake -G Ninja -S "$here/$kind" -B build -D CMAKE_CXX_COMPILER="$compiler" "${arguments[@]}"
cmake --build build
./build/consumer
if [ -e build/precompiled ]; then ./build/precompiled; fi
if [ -e build/ahead ]; then ./build/ahead; fi
