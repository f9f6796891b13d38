// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/gradients/value.hpp>

// Ops with windows, as rules write them.
namespace tenon::gradients {

constexpr index_t step_of(const ints& steps, int d) { return steps.empty() ? 1 : steps[d]; }
constexpr index_t dilated_size(index_t size, index_t dilation) { return size > 0 ? (size - 1) * dilation + 1 : 0; }

// The source's elements, added up where the chosen elements of the windows stand.
constexpr value select_and_scatter(const ops::select_and_scatter& op, comparison_direction direction, value x,
                                   value source) {
  builder& to = *x.to;
  const tensor_type type = x.type(), scalar = type.with_shape({});
  const int operands[] = {x.id, source.id, to.zeros(scalar).id};
  const int choice = region_of_op(to, comparison_of(direction), scalar, scalar.with_element(dtype::i1));
  const int scatter = region_of_op(to, ops::add{}, scalar, scalar);
  return to.at(to.emit_with_regions(op, {operands, 3}, {choice, scatter}, {&type, 1}));
}
// The elements of `other` where the chosen elements of the windows of x stand: pairs are folded.
constexpr value select_and_gather(const ops::reduce_window& windows, comparison_direction direction, value x,
                                  value other, const tensor_type& type) {
  using enum comparison_direction;
  builder& to = *x.to;
  const tensor_type scalar = type.with_shape({}), results[] = {type, type};
  const bool largest = direction == GE || direction == GT;
  const value start = to.number(largest ? -__builtin_inf() : __builtin_inf(), scalar);
  const int operands[] = {x.id, other.id, start.id, to.zeros(scalar).id};
  const tensor_type arguments[] = {scalar, scalar, scalar, scalar};
  const int body = region_with(to, {arguments, 4}, [&](builder& inside, int first) {
    const auto argument = [&](int i) { return inside.at(first + i); };
    const value keeps = compare(argument(0), direction, argument(2));
    return std::array<int, 2>{{select(keeps, argument(0), argument(2)).id, select(keeps, argument(1), argument(3)).id}};
  });
  return to.at(to.emit_with_regions(windows, {operands, 4}, {body}, {results, 2}) + 1);
}

}  // namespace tenon::gradients
