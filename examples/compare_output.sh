#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# compare_output.sh EXPECTED PROGRAM [ARGUMENT...]: passes when PROGRAM succeeds and prints what the file EXPECTED holds.
set -u
expected=$1
shift
output=$("$@"; status=$?; printf .; exit $status)
status=$?
if [ $status -ne 0 ]; then
  echo "exit code $status"
  exit 1
fi
diff -u "$expected" <(printf '%s' "${output%.}")
