#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds and runs the digit classifier, a network exported from JAX that the C++ compiler turns into a program. On
# Debian 12 it installs what that needs.
set -euo pipefail
cd "$(dirname "$0")/.."
. cmake/progress.sh

packages=(g++ cmake ninja-build libhwy-dev libeigen3-dev)
echo "This needs the packages ${packages[*]}; those that are missing are installed."
bash cmake/need_packages.sh "${packages[@]}"

folder=build/examples
mkdir -p $folder
started=$SECONDS
label="[1/2] Compiling examples/digits, one source, for this processor"
echo "$label"
if ! { cmake --preset examples && cmake --build --preset examples --target digits; } 2>&1 | tee $folder/run.log |
  progress "$label"; then
  tail -n 60 $folder/run.log
  exit 1
fi
echo "[2/2] Running it, after $((SECONDS - started)) s"
cd examples/digits
exec "../../$folder/examples/digits"
