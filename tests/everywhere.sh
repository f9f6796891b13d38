#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# tests/everywhere.sh [TARGET...] [--programs "NAME..."] [--page FILE] [--packages]
#
# Builds the programs of examples/firmware for targets other than this machine, and runs each of them there: Cortex-M
# without an operating system under qemu-system-arm, aarch64 and riscv64 under qemu-user, WebAssembly under node, Windows
# under wine. On Debian 12 it installs what is missing. Each program compares its results with those of JAX, or of learn.py. Targets:
# m4 m7 m55 aarch64 aarch64-clang sve riscv64 riscv64-v wasm windows; all of them if none is named. --page writes a page with the
# results, as docs/everywhere.md is, with those of earlier calls for other targets, or what the page says of them already;
# without it, sizes that differ from that page by 2 % are a failure. The networks of MLPerf Tiny (keyword_spotting anomalies
# images wake_words, the last two only if they are named) are for Cortex-M4 and M55; they come from ../shared/tiny, give the
# bits of TensorFlow Lite, and have bounds here. --packages only says which packages the targets need.
# The last line is "N passed, N failed, N skipped".
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

all=(m4 m7 m55 aarch64 aarch64-clang sve riscv64 riscv64-v wasm windows)
targets=()
programs=(digits digits_i8 mlp kalman learn keyword_spotting anomalies)
page=
only_packages=
while [ $# -gt 0 ]; do
  case $1 in
  --programs) read -ra programs <<<"$2" && shift ;;
  --page) page=$2 && shift ;;
  --packages) only_packages=1 ;;
  *) targets+=("$1") ;;
  esac
  shift
done
if [ ${#targets[@]} -eq 0 ]; then targets=("${all[@]}"); fi

packages_of() {
  echo libhwy-dev libeigen3-dev
  case $1 in
  m4 | m7 | m55) echo gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-dev qemu-system-arm ;;
  aarch64 | sve) echo g++-aarch64-linux-gnu qemu-user ;;
  aarch64-clang) echo g++-aarch64-linux-gnu clang-19 qemu-user ;;
  riscv64) echo g++-riscv64-linux-gnu qemu-user ;;
  riscv64-v) echo g++-riscv64-linux-gnu clang-19 qemu-user ;;
  wasm) echo emscripten nodejs ;;
  windows) echo g++-mingw-w64-x86-64-posix wine64 ;;
  esac
}
if [ -n "$only_packages" ]; then
  for target in "${targets[@]}"; do packages_of "$target"; done | tr ' ' '\n' | sort -u | paste -sd ' '
  exit 0
fi

root=$PWD
output=$root/build/everywhere
data=$output/data
mkdir -p "$data"
cp examples/digits/*.npy examples/firmware/*.npy "$data"
passed=0
failed=0
skipped=0
drifted=0
cached=$(command -v ccache || true)

compiler_of() {
  case $1 in
  m4 | m7 | m55) echo arm-none-eabi-g++ ;;
  aarch64 | sve) echo aarch64-linux-gnu-g++ ;;
  aarch64-clang | riscv64-v) echo clang++-19 ;;
  riscv64) echo riscv64-linux-gnu-g++ ;;
  wasm) echo em++ ;;
  windows) echo x86_64-w64-mingw32-g++-posix ;;
  esac
}

flags_of() {
  case $1 in
  aarch64) echo -static ;;
  aarch64-clang) echo --target=aarch64-linux-gnu -static -Wno-unused-command-line-argument ;;
  sve) echo -march=armv8.2-a+sve -static ;;
  riscv64) echo -static ;;
  # Highway 1.0.3 calls the functions of <riscv_vector.h> by names that clang 19 has no more.
  riscv64-v)
    echo --target=riscv64-linux-gnu -march=rv64gcv -DHWY_COMPILE_ONLY_SCALAR -static -Wno-unused-command-line-argument
    ;;
  wasm) echo -msimd128 ;;
  windows) echo -msse4.2 -static ;;
  esac
}

file_of() {
  case $1 in
  m4 | m7 | m55) echo "$2.elf" ;;
  wasm) echo "$2.js" ;;
  windows) echo "$2.exe" ;;
  *) echo "$2" ;;
  esac
}

build() { # target program folder
  case $1 in
  m4 | m7 | m55) bash examples/firmware/build.sh "$1" "$2" "$3" ;;
  *)
    mkdir -p "$3/include"
    local library model compiler
    for library in /usr/include/hwy /usr/include/eigen3/Eigen; do ln -sfn "$library" "$3/include/${library##*/}"; done
    for model in examples/firmware/*.mlir examples/digits/model.mlir; do
      (printf 'R"tenon('; cat "$model"; printf ')tenon"') >"$3/include/${model##*/}.inc"
    done
    compiler=$(compiler_of "$1")
    # shellcheck disable=SC2046
    $([ "$1" = wasm ] || echo "$cached") "$compiler" $(flags_of "$1") -O2 -std=c++20 -Wall -Wextra -Wno-psabi -Werror \
      -DNDEBUG -isystem "$3/include" -I include -c "examples/firmware/$2.cpp" -o "$3/$2.o" &&
      NODE_PATH=/usr/share/nodejs:/usr/lib/nodejs "$compiler" $(flags_of "$1") $([ "$1" != wasm ] || echo -sNODERAWFS=1 -sEXIT_RUNTIME=1) -O2 -std=c++20 \
        "$3/$2.o" examples/firmware/hosted.cpp -o "$3/$(file_of "$1" "$2")"
    ;;
  esac
}

run() { # target file, in the folder of data
  local system=(qemu-system-arm -nographic -monitor none -serial none -icount shift=0
                -semihosting-config enable=on,target=native -kernel "$2")
  case $1 in
  m4) "${system[@]}" -M mps2-an386 ;;
  m7) "${system[@]}" -M mps2-an500 ;;
  m55) "${system[@]}" -M mps3-an547 ;;
  aarch64 | aarch64-clang) qemu-aarch64 "$2" ;;
  sve) qemu-aarch64 -cpu max,sve256=on "$2" ;;
  riscv64) qemu-riscv64 "$2" ;;
  riscv64-v) qemu-riscv64 -cpu rv64,v=true,vlen=128 "$2" ;;
  wasm) node --no-experimental-fetch "$2" ;;  # or the glue of Emscripten 3.1.6 asks a server for the module
  windows) WINEDEBUG=-all WINEPREFIX=$output/wine "$(command -v wine64 || echo /usr/lib/wine/wine64)" "$2" ;;
  esac
}

size_of() { # target program folder: code and constants, and weights apart where they are
  case $1 in
  m4 | m7 | m55)
    arm-none-eabi-size -A "$3/$2.elf" |
      awk '$1 == ".vectors" || $1 == ".text" || $1 == ".data" { code += $2 } $1 == ".weights" { weights = $2 }
           END { print code, weights + 0 }'
    ;;
  wasm) echo "$(stat -c %s "$3/$2.wasm") -" ;;
  *) echo "$(size -t "$3/$2.o" 2>/dev/null | awk 'END { print $1 }') -" ;;
  esac
}

# What Highway has no vectors for, and the processor has: how many instructions on vectors are in the program.
vectors_of() { # target program folder
  case $1 in
  m55) arm-none-eabi-objdump -m armv8.1-m.main -d --no-show-raw-insn "$3/$2.elf" | grep -cE '\bq[0-7]\b' ;;
  riscv64-v) riscv64-linux-gnu-objdump -d --no-show-raw-insn "$3/$2.o" | grep -cE $'\tv[a-z]' ;;
  *) echo - ;;
  esac
}

emulator_of() {
  case $1 in
  m4 | m7 | m55) qemu-system-arm --version | sed -nE '1s/.*version ([0-9.]+).*/qemu-system \1/p' ;;
  wasm) echo "node $(node --version)" ;;
  windows) echo "wine $("$(command -v wine64 || echo /usr/lib/wine/wine64)" --version | sed 's/^wine-//; s/ .*//')" ;;
  *) qemu-aarch64 --version | sed -nE '1s/.*version ([0-9.]+).*/qemu-user \1/p' ;;
  esac
}

model_of() {
  case $1 in
  keyword_spotting) echo kws_ref_model ;;
  anomalies) echo ad01_int8 ;;
  images) echo pretrainedResnet_quant ;;
  wake_words) echo vww_96_int8 ;;
  esac
}

# The most instructions, bytes of code, of arena and of stack that a network may take: 10 % above what it took.
bounds_of() {
  case "$1 $2" in
  "m4 keyword_spotting") echo 7515000 38100 31000 7200 ;;
  "m55 keyword_spotting") echo 2532000 39700 31000 7200 ;;
  "m4 anomalies") echo 532000 27900 3500 3100 ;;
  "m55 anomalies") echo 85900 31200 3500 3100 ;;
  "m4 images") echo 30493000 89200 89700 7400 ;;
  "m55 images") echo 9341000 43300 89700 7400 ;;
  "m4 wake_words") echo 27294000 120000 83500 7700 ;;
  "m55 wake_words") echo 10109000 58600 83500 7700 ;;
  esac
}

# Those with more than 64 KiB of weights have them as arguments.
import_network() { # program folder
  local from=../shared/tiny/$(model_of "$1")
  mkdir -p "$2" "$data/$1" && cp "$from.inputs.npy" "$data/$1/inputs.npy" && cp "$from.outputs.npy" "$data/$1/outputs.npy" &&
    # shellcheck disable=SC2046
    python3 examples/firmware/from_tflite.py "$from.tflite" "$2/$1.mlir" \
      $([ "$1" = keyword_spotting ] || echo --weights "$2/$1.bin")
}

figure() { sed -nE "s/^$1 //p" "$2" | tr -d '\r'; }

for target in "${targets[@]}"; do
  # shellcheck disable=SC2046
  if ! problem=$(bash cmake/need_packages.sh $(packages_of "$target") 2>&1); then
    echo "$target: skipped: its packages cannot be had: $(packages_of "$target" | tail -n 1)"
    mkdir -p "$output/$target"
    echo "$target: its packages could not be installed" >"$output/$target/skipped"
    echo "$problem" >"$output/$target/packages.log"
    skipped=$((skipped + 1))
    continue
  fi
  folder=$output/$target
  mkdir -p "$folder"
  rm -f "$folder/skipped"
  version=$("$(compiler_of "$target")" -dumpfullversion 2>/dev/null || "$(compiler_of "$target")" -dumpversion)
  for program in "${programs[@]}"; do
    log=$folder/$program.log
    rm -f "$folder/$program.row"
    source=$program
    files=$data
    bounds=$(bounds_of "$target" "$program")
    if [ -n "$(model_of "$program")" ]; then
      [ -n "$bounds" ] || continue
      source=$output/$program/$program.mlir
      files=$data/$program
      if ! import_network "$program" "$output/$program" 2>"$log"; then
        echo "$target $program: skipped: ../shared/tiny or the package tflite of Python is not there"
        skipped=$((skipped + 1))
        continue
      fi
    fi
    if [ "$target $program" = "riscv64-v digits_i8" ]; then
      echo "$target $program: skipped: QEMU 7.2 stops at it, by an assertion of its own"
      skipped=$((skipped + 1))
      continue
    fi
    started=$SECONDS
    if ! build "$target" "$source" "$folder" >"$log" 2>&1; then
      grep -vE '^lto-wrapper' "$log" | head -n 40
      echo "$target $program: building failed, see $log"
      failed=$((failed + 1))
      continue
    fi
    built=$((SECONDS - started))
    # What no image may have: symbols of a runtime, and tables of graph, plan and ops, which are for compiling alone.
    if [[ $target =~ ^m[0-9]+$ ]] && arm-none-eabi-nm "$folder/$program.elf" |
      grep -E ' (malloc|free|_Zn[wa]|_Zd[la]|__cxa_|_Unwind|_ZTI|_ZTS|pthread_|__emutls|__gthread)|op_tables|_programI.*storage'; then
      echo "$target $program: the image has symbols that it must not have"
      failed=$((failed + 1))
      continue
    fi
    if ! (cd "$files" && run "$target" "$folder/$(file_of "$target" "$program")") >"$log" 2>&1; then
      tail -n 20 "$log"
      echo "$target $program: running failed, see $log"
      failed=$((failed + 1))
      continue
    fi
    vectors=$(vectors_of "$target" "$program" "$folder")
    if [ "$vectors" = 0 ]; then
      echo "$target $program: no instruction works on vectors"
      failed=$((failed + 1))
      continue
    fi
    read -r code weights <<<"$(size_of "$target" "$program" "$folder")"
    difference=$(figure difference "$log") time=$(figure time "$log")
    if [ -n "$bounds" ]; then
      memory="$(figure arena "$log" | cut -d ' ' -f 1) $(figure stack "$log" | cut -d ' ' -f 1)"
      took="${time% *} $code $memory"
      echo "${time% *} $code $weights $memory" >"$folder/$program.figures"  # for tests/networks_page.sh
      echo "$target $program: $took of at most $bounds instructions, bytes of code, arena and stack"
      if ! awk -v took="$took" -v most="$bounds" \
        'BEGIN { n = split(took, a); split(most, b); for (i = 1; i <= n; ++i) if (a[i] > b[i] + 0) exit 1 }'; then
        echo "$target $program: larger or slower than it may be"
        failed=$((failed + 1))
      else
        passed=$((passed + 1))
      fi
      continue
    fi
    passed=$((passed + 1))
    right=$(figure right "$log")
    echo "$target $program: ${right:+$right right, }$difference from JAX, $time, code $code," \
      "$vectors instructions on vectors; $built s to build," \
      "$((SECONDS - started - built)) s to run"
    echo "$target|$program|$(compiler_of "$target") $version|$(emulator_of "$target")|${right:--}|$difference|$time|$code|$weights|$(
      figure arena "$log"
    )|$(figure stack "$log")|$vectors" >"$folder/$program.row"
    if [ -z "$page" ] && ! bash tests/documented_sizes.sh "$folder/$program.row"; then drifted=$((drifted + 1)); fi
  done
done

if [ -n "$page" ]; then
  for target in "${all[@]}"; do
    for program in digits digits_i8 mlp kalman learn; do
      cat "$output/$target/$program.row" 2>/dev/null || grep "^| $target | $program |" "$page" 2>/dev/null
    done
  done >"$output/rows"
  cat "$output"/*/skipped >"$output/skips" 2>/dev/null
  bash tests/everywhere_page.sh "$output/rows" "$output/skips" >"$page"
fi
if [ $drifted -gt 0 ]; then echo "$drifted programs are not as large as docs/everywhere.md says"; fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ $drifted -eq 0 ]
