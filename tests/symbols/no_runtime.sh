#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# no_runtime.sh OBJECT: fails if the object asks for a heap, exceptions, RTTI or threads.
set -u
undefined=$(nm -u -C "$1" | sed -E 's/^ *[Uw] //') || exit 1
echo "undefined symbols:"
echo "$undefined"
if grep -E 'operator (new|delete)|malloc|calloc|realloc|free|__cxa_|_Unwind|typeinfo|vtable for __cxxabiv1|pthread|__tls|std::__throw|abort' <<<"$undefined"; then
  echo "the object needs a runtime"
  exit 1
fi
