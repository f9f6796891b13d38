#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# everywhere_page.sh ROWS SKIPS: the page docs/everywhere.md, from what tests/everywhere.sh found out.
set -euo pipefail

cat <<EOF
# Everywhere

The same five programs (\`examples/firmware\`), built for other machines, run there, and compared with JAX. Written on
$(date +%F) by

\`\`\`sh
tests/everywhere.sh --page docs/everywhere.md    # or: tests/everywhere.sh m4 wasm
\`\`\`

- *From JAX*: the largest difference of a score, or of an estimate of the filter, from what JAX 0.10.2 computes on x86-64;
  of weights that \`learn\` has trained, from what numpy computes in double precision.
- *Time* of one call: for Cortex-M the instructions that the emulator counted, elsewhere nanoseconds under an emulator (for
  WebAssembly: those of this machine), which compare programs, not machines.
- *Code* in bytes: for Cortex-M all that lies in flash but the weights, start-up code included, at -Os; for WebAssembly the
  module with its weights and C library; elsewhere what the object file of the program holds, weights included, at -O2.
- *Vectors*: how many instructions on vectors the program has, where Highway has none for them.
- *RAM* in bytes: arena + deepest stack that was seen. Cortex-M has 8 bytes of other static memory, the linker checks that;
  \`learn\` has two copies of its weights, 19,280 bytes.

What is not in the table was not run.

| target | program | compiler | run by | right | from JAX | time | code | weights | vectors | RAM |
|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|
EOF

thousands() { sed -E ':again; s/^([0-9]+)([0-9]{3})/\1,\2/; t again' <<<"$1"; }
while IFS= read -r row; do
  # As it was on the page.
  if [[ $row == "| "* ]]; then
    echo "$row"
    continue
  fi
  IFS='|' read -r target program compiler emulator right difference time code weights arena stack vectors <<<"$row"
  arena=${arena% bytes} stack=${stack% bytes}
  ram="$(thousands "$arena") + $(thousands "$stack")"
  if [ "$stack" = 0 ]; then ram="$(thousands "$arena") + ?"; fi
  difference=$(awk -v n="${difference%e-9}" 'BEGIN { if (n == 0) print 0; else printf "%.1e\n", n * 1e-9 }')
  unit=${time#* } time=${time%% *}
  echo "| $target | $program | $compiler | $emulator | ${right/ of 360/} | $difference | $(thousands "$time") ${unit/instructions/instr.} |" \
    "$(thousands "$code") | $(thousands "$weights") | $(thousands "$vectors") | $ram |"
done <"$1"

echo
if [ -s "$2" ]; then
  echo "Skipped:"
  echo
  sed 's/^/- /' "$2"
  echo
fi
demo=$(dirname "$0")/../docs/demo/index.html
whole=$(stat -c %s "$demo")
module=$(sed -n '/wasm_in_base64 = /{n;p}' "$demo" | base64 -d | wc -c)
cat <<EOF
Targets: \`m4\`, \`m7\` and \`m55\` are Cortex-M without an operating system ([firmware](firmware.md)); \`aarch64\` has NEON,
\`sve\` vectors of 256 bits, \`riscv64-v\` vectors of 128; \`wasm\` has SIMD of 128 bits; \`windows\` is mingw-w64 with SSE4.2.
Highway 1.0.3 has vectors neither for MVE (Cortex-M55) nor, with these compilers, for RISC-V. There products of matrices, and
on \`m55\` convolutions of small integers, are in vectors of \`core/own_lanes.hpp\`; other loops go element by element, but clang
makes vectors of many of them: \`mlp\` with all its pictures is 4.7 million instructions on \`riscv64-v\` at -O3, 5.0 by that
alone, 16.8 without vectors, and 19.8 with Highway's emulated ones instead of elements. QEMU 7.2 has no \`digits_i8\` there: it
stops by an assertion of its own.

In a browser: [a page](demo/index.html) of $((whole / 1000)) kB, $((module / 1000)) kB of it WebAssembly, shows scores and activations while a digit is drawn. It needs
no server; the first answer was there 0.8 to 1.3 s after it was opened, the whole browser on one busy core. \`docs/demo/build.sh\` makes it,
\`tests/demo.mjs\` draws ten digits on it in headless Chromium, with the events of a mouse, and finds all ten right.

Microsoft's compiler has not been tried. What it would need: \`__builtin_bit_cast\`, \`__builtin_trap\` and the vector extensions
of \`kernels/copy/\` (\`__builtin_shufflevector\`, \`vector_size\`) in other words, and \`__attribute__((always_inline))\` on lambdas.
clang-cl knows all of these.
EOF
