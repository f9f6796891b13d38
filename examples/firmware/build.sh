#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# build.sh m4|m7|m55 PROGRAM FOLDER [FLAG...]
#
# Builds a program for a Cortex-M without an operating system, as FOLDER/NAME.elf: digits, digits_i8, mlp, kalman or
# learn, or one of your own, NAME.cpp, with the models that lie beside it, or the network of NAME.mlir that from_tflite.py
# wrote, with its weights in NAME.bin if they are arguments (tiny.cpp). The linker refuses it if something of a heap,
# exceptions, run-time types, threads or static constructors is in it, or if it is larger than it may be: one of your
# own than FLASH kB, all that is there if that is not set.
set -euo pipefail
board=$1 program=$2 folder=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..

case $board in
m4) cpu=(-mcpu=cortex-m4 -mfpu=fpv4-sp-d16) flash_at_most=1024 weights_at=0x00100000 ;;
m7) cpu=(-mcpu=cortex-m7 -mfpu=fpv5-d16 -mfp16-format=ieee) flash_at_most=1024 weights_at=0x00100000 ;;
m55) cpu=(-mcpu=cortex-m55) flash_at_most=512 weights_at=0x28000000 ;;
esac
source=$here/$program.cpp
network=
case $program in
*.cpp) source=$program program=$(basename "$program" .cpp) ;;
*.mlir) source=$here/tiny.cpp network=$program program=$(basename "$program" .mlir) ;;
esac
case $program in
digits | digits_i8) flash=64 ;;
mlp) flash=24 ;;
kalman) flash=4 ;;
learn) flash=72 ;;
*) flash=${FLASH:-$flash_at_most} ;;
esac
cpu+=(-mthumb -mfloat-abi=hard)

mkdir -p "$folder/include"
# A cross compiler must not see the rest of the machine's own headers.
for library in /usr/include/hwy /usr/include/eigen3/Eigen; do
  ln -sfn "$library" "$folder/include/${library##*/}"
done
literal() { # model name
  (printf 'R"tenon('; cat "$1"; printf ')tenon"') >"$folder/include/$2.inc.new"
  mv "$folder/include/$2.inc.new" "$folder/include/$2.inc"
}
shopt -s nullglob
for model in "$(dirname "$source")"/*.mlir "$here/../digits/model.mlir"; do literal "$model" "${model##*/}"; done
if [ -n "$network" ]; then literal "$network" network.mlir; fi

compile() {
  $(command -v ccache || true) arm-none-eabi-g++ "${cpu[@]}" -Os -std=c++20 -Wall -Wextra -Wno-psabi -Werror -DNDEBUG -DEIGEN_NO_MALLOC \
    -DEIGEN_NO_IO -DEIGEN_DONT_VECTORIZE -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-use-cxa-atexit \
    -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections -fno-tree-loop-distribute-patterns \
    -isystem "$folder/include" -I "$root/include" -I "$here" "$@"
}
compile -flto "$@" -c "$source" -o "$folder/$program.o"
compile -flto -c "$here/cortex_m/board.cpp" -o "$folder/board.o"
compile -c "$here/cortex_m/memory.cpp" -o "$folder/memory.o"
objects=("$folder/$program.o" "$folder/board.o" "$folder/memory.o")
if [ -f "${network%.mlir}.bin" ]; then
  printf '.section .weights, "a"\n.balign 64\n.global network_weights\nnetwork_weights: .incbin "%s"\n' "${network%.mlir}.bin" |
    arm-none-eabi-gcc "${cpu[@]}" -x assembler -c - -o "$folder/$program.weights.o"
  objects+=("$folder/$program.weights.o")
fi
arm-none-eabi-g++ "${cpu[@]}" -Os -flto -ffunction-sections -fdata-sections -nostartfiles -nodefaultlibs -Wl,--gc-sections -Wl,--fatal-warnings \
  -Wl,--defsym=flash_limit=$((flash * 1024)) -Wl,--defsym=flash_size=$((flash_at_most * 1024)) \
  -Wl,--defsym=weights_at=$weights_at -T "$here/cortex_m/board.ld" -Wl,-Map="$folder/$program.map" \
  "${objects[@]}" -lgcc -o "$folder/$program.elf"
