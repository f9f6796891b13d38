#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# build.sh m4|m7|m55 PROGRAM FOLDER [FLAG...]
#
# Builds a program for a Cortex-M without an operating system, as FOLDER/NAME.elf: digits, digits_i8, mlp, kalman or
# learn, or one of your own, NAME.cpp, with the models that lie beside it. The linker refuses it if something of a heap,
# exceptions, run-time types, threads or static constructors is in it, or if it is larger than it may be: one of your
# own than FLASH kB, 1,024 if that is not set.
set -euo pipefail
board=$1 program=$2 folder=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..

case $board in
m4) cpu=(-mcpu=cortex-m4 -mfpu=fpv4-sp-d16) ;;
m7) cpu=(-mcpu=cortex-m7 -mfpu=fpv5-d16 -mfp16-format=ieee) ;;
m55) cpu=(-mcpu=cortex-m55) ;;
esac
source=$here/$program.cpp
if [[ $program == *.cpp ]]; then
  source=$program program=$(basename "$program" .cpp)
fi
case $program in
digits | digits_i8) flash=64 ;;
mlp) flash=24 ;;
kalman) flash=4 ;;
learn) flash=72 ;;
*) flash=${FLASH:-1024} ;;
esac
cpu+=(-mthumb -mfloat-abi=hard)

mkdir -p "$folder/include"
# A cross compiler must not see the rest of the machine's own headers.
for library in /usr/include/hwy /usr/include/eigen3/Eigen; do
  ln -sfn "$library" "$folder/include/${library##*/}"
done
for model in "$(dirname "$source")"/*.mlir "$here/../digits/model.mlir"; do
  (printf 'R"tenon('; cat "$model"; printf ')tenon"') >"$folder/include/${model##*/}.inc.new"
  mv "$folder/include/${model##*/}.inc.new" "$folder/include/${model##*/}.inc"
done

compile() {
  $(command -v ccache || true) arm-none-eabi-g++ "${cpu[@]}" -Os -std=c++20 -Wall -Wextra -Wno-psabi -Werror -DNDEBUG -DEIGEN_NO_MALLOC \
    -DEIGEN_NO_IO -DEIGEN_DONT_VECTORIZE -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-use-cxa-atexit \
    -fno-asynchronous-unwind-tables -ffunction-sections -fdata-sections -fno-tree-loop-distribute-patterns \
    -isystem "$folder/include" -I "$root/include" -I "$here" "$@"
}
compile -flto "$@" -c "$source" -o "$folder/$program.o"
compile -flto -c "$here/cortex_m/board.cpp" -o "$folder/board.o"
compile -c "$here/cortex_m/memory.cpp" -o "$folder/memory.o"
arm-none-eabi-g++ "${cpu[@]}" -Os -flto -ffunction-sections -fdata-sections -nostartfiles -nodefaultlibs -Wl,--gc-sections -Wl,--fatal-warnings \
  -Wl,--defsym=flash_limit=$((flash * 1024)) -T "$here/cortex_m/board.ld" -Wl,-Map="$folder/$program.map" \
  "$folder/$program.o" "$folder/board.o" "$folder/memory.o" -lgcc -o "$folder/$program.elf"
