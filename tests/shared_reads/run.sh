#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# run.sh COMPILER [FLAG...]: program.cpp under ThreadSanitizer, where there is one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

echo 'int main() {}' >"$folder/empty.cpp"
if ! "$1" -fsanitize=thread "$folder/empty.cpp" -o "$folder/empty" 2>/dev/null || ! "$folder/empty" 2>/dev/null; then
  echo "skipped: $1 has no ThreadSanitizer that runs here"
  exit 0
fi
"$@" -O1 -g1 -fsanitize=thread "$(dirname "$0")/program.cpp" -pthread -o "$folder/program"
TSAN_OPTIONS=halt_on_error=1 "$folder/program"
