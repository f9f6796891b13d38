#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# networks_page.sh PAGE: writes the figures of the networks of MLPerf Tiny, which the last calls of tests/everywhere.sh for
# m4 and m55 found, between the two comments in docs/firmware.md that name this script.
set -euo pipefail
page=$1
cd "$(dirname "$0")/.."
thousands() { sed -E ':again; s/^([0-9]+)([0-9]{3})/\1,\2/; t again' <<<"$1"; }
a_product() { awk -v n="$1" -v products="$2" 'BEGIN { printf "%.2f\n", n / products }'; }

network() { # program title products published
  printf '\n### %s\n\n%s products. ' "$2" "$(thousands "$3")"
  printf 'Published, MLPerf Tiny 1.1 closed, Cortex-M4 at 120 MHz, million cycles: %s.\n\n' "$4"
  echo '| | instructions | a product | code | weights | arena | stack |'
  echo '|---|--:|--:|--:|--:|--:|--:|'
  for target in m4 m55; do
    read -r instructions code weights arena stack <"build/everywhere/$target/$1.figures"
    echo "| tenon, Cortex-${target^^} | $(thousands "$instructions") | $(a_product "$instructions" "$3") | $(thousands "$code") |" \
      "$(thousands "$weights") | $(thousands "$arena") | $(thousands "$stack") |"
  done
}
cmsis_nn() { # processor instructions products code
  echo "| CMSIS-NN 99f736a6 (\`-O2\`, made-up weights, constants in its code), $1 | $(thousands "$2") | $(a_product "$2" "$3") | $4 | | | |"
}

{
  sed '/^<!-- networks_page.sh: begin/q' "$page"
  cat <<EOF
Written on $(date +%F) by the two lines below; code, weights, arena and stack are bytes, code is all of flash but the weights, with
start-up code, at \`-Os\`.

\`\`\`sh
tests/everywhere.sh m4 m55 --programs "keyword_spotting anomalies images wake_words"
tests/networks_page.sh docs/firmware.md
\`\`\`
EOF
  network keyword_spotting 'Keyword spotting, DS-CNN' 2656768 \
    '7.5 (Bosch), 7.5 (ST), 12.0 (microTVM with CMSIS-NN)'
  cmsis_nn Cortex-M4 7698720 2656768 23,900
  cmsis_nn Cortex-M55 1855904 2656768 18,700
  echo '| TensorFlow Lite Micro | | | | | 21 kB | |'
  network anomalies 'Anomaly detection, autoencoder' 264192 \
    '0.68 (Bosch), 0.82 (ST), 1.03 (microTVM with CMSIS-NN)'
  network images 'Images, ResNet-8' 12501632 \
    '21.5 (Bosch), 25.7 (ST), 46.7 (microTVM with CMSIS-NN)'
  network wake_words 'Visual wake words, MobileNet v1 0.25' 7489664 \
    '21.7 (Bosch), 14.2 (ST), 36.1 (microTVM with CMSIS-NN)'
  echo '| TensorFlow Lite Micro | | | | | 136 kB | |'
  echo
  sed -n '/^<!-- networks_page.sh: end/,$p' "$page"
} >"$page.new"
mv "$page.new" "$page"
