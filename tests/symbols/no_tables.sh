#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# no_tables.sh OBJECT...: fails if an object has a plan executor, an interpreter of tiles or lanes, or the tables of a
# plan that these read.
set -u
failed=0
for object in "$@"; do
  found=$(nm -C "$object" | grep -E 'plan_executor|group_tiles|lane_interpreter|linked_program<|planned_program<')
  if [ -n "$found" ]; then
    cut -c1-160 <<<"$object:
$found"
    failed=1
  fi
done
exit $failed
