// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/list.hpp>
#include <tenon/core/tensor_type.hpp>
#include <tenon/ops/contraction/product_dimensions.hpp>

#include <algorithm>

namespace tenon::core {

// Asks an op how many elements its kernel can give at a time, or any multiple of these, in order, to what follows it:
// the rows of a product, the pixels of a convolution. 0: what follows has to wait for all of them.
struct find_epilogue_unit {
  list<tensor_type> operands;
  const tensor_type& result;
  index_t found = 0;

  template <class Op>
  constexpr bool operator()(const Op& op) {
    if constexpr (requires { op.epilogue_unit(operands, result); })
      found = op.epilogue_unit(operands, result);
    else if constexpr (requires { op.product(operands, nullptr); })
      found = op.product(operands, nullptr).epilogue_unit(operands[0].element, result.element);
    return found > 0;
  }
  static constexpr bool otherwise() { return false; }
};

// How many elements are given at a time: few, as they wait in memory of their own, and of two units at least, which
// some kernels work on together.
constexpr index_t epilogue_elements(index_t count, index_t unit) {
  constexpr index_t some = 256;
  return std::min(count, std::max(some / unit, index_t{2}) * unit);
}

}  // namespace tenon::core
