#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Builds and runs the digit classifier, a network exported from JAX that the C++ compiler turns into a program. On
# Debian 12 it installs what that needs.
set -euo pipefail
cd "$(dirname "$0")/.."

bash cmake/need_packages.sh g++ cmake ninja-build libhwy-dev libeigen3-dev

folder=build/examples
mkdir -p $folder
started=$SECONDS
if ! { cmake --preset examples && cmake --build --preset examples --target digits; } >$folder/run.log 2>&1; then
  tail -n 60 $folder/run.log
  exit 1
fi
echo "Compiled examples/digits in $((SECONDS - started)) s"
cd examples/digits
exec "../../$folder/examples/digits"
