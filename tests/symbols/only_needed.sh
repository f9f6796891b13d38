#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# only_needed.sh LAYER NETWORK PRODUCTS: fails if these objects have branches of kernels that their programs do not take.
# The rows and columns of the products fill whole tiles of one shape, on every target.
set -u
failed=0
absent() {  # OBJECT PATTERN
  local found
  found=$(nm -C "$1" | grep -E "$2")
  if [ -n "$found" ]; then
    cut -c1-160 <<<"$1 has no need of:
$found"
    failed=1
  fi
}
absent "$1" 'product_tile<.*>::tile<|fold_in_parts|<unsigned char>\(unsigned char\*|reduce::evaluate'
absent "$2" 'depthwise|multiply_images|plane_convolution|sum_up|row_products<|combine_copied|cumulative_fold|add_long_rows'
absent "$3" 'row_products<|products_of_short_rows|product_dimensions|sum_in_blocks|widening_product'
shapes=$(nm -C "$3" | grep -oE '::tile<[0-9]+, [0-9]+, float>' | sort -u)
if [ "$(wc -l <<<"$shapes")" -ne 1 ]; then
  echo "$3: tiles of several shapes: $shapes"
  failed=1
fi
exit $failed
