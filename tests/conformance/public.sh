#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# public.sh RUNNER: runs the third-party programs that lie beside the repository, and fails if another case fails than
# those of known_failures.txt. Without the programs it is skipped.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
public=$here/../../../shared/conformance/stablehlo/public
if [ ! -d "$public" ]; then
  echo "skipped: the third-party programs are not there ($public)"
  exit 77
fi
results=$("$1" "$public"/*/) || true
tail -n 1 <<<"$results"
unexpected=$(awk -F'\t' 'NR == FNR { if ($0 !~ /^#/) known[$1] = 1; next }
                         ($2 == "fail" || $2 == "crash") && !($1 in known)' "$here/known_failures.txt" - <<<"$results")
if [ -n "$unexpected" ]; then
  echo "$unexpected"
  exit 1
fi
