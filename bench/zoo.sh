#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# bench/zoo.sh [--write] [--iree] [--reuse] [PROGRAM...]
#
# Whole programs from JAX, compiled with tenon and timed beside XLA (and IREE) on one core. --write writes
# docs/performance.md. Needs the Python packages jax, jaxlib and numpy (PYTHON says whose), about 20 s of a core for each
# program, and the folder build/zoo.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
if ! "$python" -c 'import jax, numpy' 2>/dev/null; then
  echo "bench/zoo.sh: skipped, for $python has no jax: pip install jax jaxlib numpy, or PYTHON=... bench/zoo.sh" >&2
  exit 2
fi
bash cmake/need_packages.sh g++ cmake libhwy-dev libeigen3-dev
"$python" bench/zoo/measure.py build/zoo "$@"
