#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# symbols.sh OBJECT PLANNED_OBJECT: fails if programs that were planned ahead have other loops and kernels than the same
# ones planned by the compiler.
set -u
functions_of() {
  nm -C "$1" | grep -E ' [tTwW] ' | cut -c20- |
    sed -E 's/planned_source<tenon::detail::program_source<([a-z_]+), tenon::parsed<\1> > >/\1/g
            s/printed_plan<([a-z_]+)>/\1/g; s/group_of_step<[0-9]+>/group_of_step/g' |
    grep -E 'tenon::(kernels|ops|math|execution)' | grep -vE 'tenon::text|text_literals|decoded_constants|store_bits' | sort -u
}
found=$(diff <(functions_of "$1") <(functions_of "$2"))
[ -z "$found" ] || { head -20 <<<"$found" | cut -c1-300; exit 1; }
