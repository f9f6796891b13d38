#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# symbols.sh PROGRAM_OBJECT;KERNELS_OBJECT: fails if the program holds kernels of its own, or asks for none.
set -u
program=${1%%;*}
defined=$(nm --defined-only -C "$program") || exit 1
if grep -E 'contraction_kernel|fold_kernel|matrix_product|copy_strided' <<<"$defined"; then
  echo "the program holds kernels"
  exit 1
fi
for kernel in 'library_kernel<tenon::ops::dot_general' 'library_kernel<tenon::ops::reduce'; do
  if ! nm -u -C "$program" | grep -F "$kernel"; then
    echo "the program does not ask for $kernel"
    exit 1
  fi
done
