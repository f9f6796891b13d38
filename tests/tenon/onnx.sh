#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# onnx.sh TENON [COMPILER]: models of ONNX are read by Python; where it has not got the packages, a message says so.
set -uo pipefail
tenon=$(realpath "$1")
compiler=${2:-g++}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
mkdir stub empty temporary
export TMPDIR=$folder/temporary

failed=0
# refused PATTERN WORDS...: one message, and no file.
refused() {
  local pattern=$1
  shift
  "$tenon" "$@" >output 2>&1 && echo "tenon $*: exit code 0" && failed=$((failed + 1))
  if [ "$(grep -c . output)" -ne 1 ] || ! grep -q -- "$pattern" output; then
    echo "tenon $*: '$pattern' is expected:"
    sed 's/^/  /' output | head -n 5
    failed=$((failed + 1))
  fi
  local left
  left=$(find empty temporary -mindepth 1 -name '[^.]*')
  if [ -n "$left" ]; then
    echo "tenon $*: files are left: $left"
    failed=$((failed + 1))
  fi
}

printf 'nothing' >x.onnx
refused 'absent.onnx: the file cannot be opened' build absent.onnx -o empty/x
refused 'x.onnx: no-such-python: No such file or directory (Python reads ONNX' build x.onnx -o empty/x --python no-such-python
if python=$(command -v python3); then
  printf '#!/bin/sh\nexec "%s" -I -S "$@"\n' "$python" >stub/python3
  chmod +x stub/python3
  for command in "build x.onnx -o empty/x" "run x.onnx" "inspect x.onnx" "explain x.onnx" "grad x.onnx"; do
    # shellcheck disable=SC2086
    TENON_PYTHON="" PATH=$folder/stub:$PATH refused 'x.onnx: the Python package jax is missing: .* -m pip install jax onnx' $command
  done
fi

python=${TENON_PYTHON:-python3}
if "$python" -c 'import jax, onnx' 2>/dev/null; then
  refused 'x.onnx: .*parsing' build x.onnx -o empty/x --python "$python"
  TENON_PYTHON=$python "$python" "$here/onnx_models.py" "$tenon" "$compiler" || failed=$((failed + 1))
  "$python" "$here/onnx_operators.py" "$tenon" || failed=$((failed + 1))
  [ -z "$(ls temporary)" ] || { echo "files are left: $(ls temporary)"; failed=$((failed + 1)); }
else
  echo "skipped: models, since $python lacks the packages jax and onnx (pip install jax onnx; TENON_PYTHON names another)"
fi
echo "$failed wrong"
exit $((failed > 0))
