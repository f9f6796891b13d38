// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/tensors.hpp>.
#pragma once

#include <tenon/numpy/arrays.hpp>
#include <tenon/numpy/matrices.hpp>

namespace tenon {

namespace detail {

struct diagonal_of {
  constexpr auto operator()(const auto& x) const {
    const tensor_type type = type_of_operand(x);
    require_rule(x, "diag_x", "x is a vector or a matrix", type.rank() == 1 || type.rank() == 2);
    const index_t size = type.rank() == 2 && type.dim(1) < type.dim(0) ? type.dim(1) : type.dim(0);
    if (type.rank() == 1)
      return select(is_diagonal(x, ints{size, size}), broadcast_to(x, ints{size, size}, ints{1}), 0);
    // Of size x size entries in a row, each that is size + 1 behind the one before.
    const auto square = slice_along(slice_along(x, 0, 0, size), 1, 0, size);
    const index_t count = size * size;
    return apply_value(ops::slice{ints{0}, ints{count}, ints{size + 1}}, {}, reshape_to(square, ints{count}));
  }
};

}  // namespace detail

// A matrix with the elements of a vector on its diagonal, and zeros; the diagonal of a matrix. Any element type.
constexpr auto diag(auto&& x, function_check<detail::diagonal_of, decltype(x)> = {}) {
  return apply_function(detail::diagonal_of{}, static_cast<decltype(x)>(x));
}

}  // namespace tenon
