// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/indexing.hpp>.
#pragma once

#include <tenon/indexing/simplify.hpp>

namespace tenon::indexing {

// base + sum of stride * variable, if `affine`.
template <class Map>
struct linear_form {
  bool affine = false;
  std::int64_t base = 0;
  std::int64_t dimension_strides[Map::rank_capacity]{};
  std::int64_t range_strides[Map::symbol_capacity]{};
  std::int64_t runtime_strides[Map::symbol_capacity]{};

  constexpr std::int64_t& stride(operation variable, std::int64_t i) {
    if (variable == operation::dimension) return dimension_strides[i];
    return variable == operation::range ? range_strides[i] : runtime_strides[i];
  }
  constexpr bool uses_symbols() const {
    for (int i = 0; i < Map::symbol_capacity; ++i)
      if (range_strides[i] != 0 || runtime_strides[i] != 0) return true;
    return false;
  }
};

namespace detail {

template <class Map>
constexpr void add_linear(const Map& map, std::int16_t id, std::int64_t factor, linear_form<Map>& form) {
  const node& step = map.nodes[id];
  if (step.op == operation::constant) {
    form.base = saturating_add(form.base, saturating_multiply(step.value, factor));
  } else if (is_variable(step.op)) {
    std::int64_t& stride = form.stride(step.op, step.value);
    stride = saturating_add(stride, factor);
  } else if (step.op == operation::add) {
    add_linear(map, step.lhs, factor, form);
    add_linear(map, step.rhs, factor, form);
  } else if (step.op == operation::multiply && map.nodes[step.rhs].op == operation::constant) {
    add_linear(map, step.lhs, saturating_multiply(factor, map.nodes[step.rhs].value), form);
  } else {
    form.affine = false;
  }
}

}  // namespace detail

// @post if affine: result i at a point = base + sum of stride * variable
template <class Map>
constexpr linear_form<Map> linear_form_of(const Map& map, int result) {
  linear_form<Map> form;
  if (!map.is_defined() || result < 0 || result >= map.result_count) return form;
  form.affine = has_short_expressions(map);
  if (!form.affine) return form;
  detail::add_linear(map, map.results[result], 1, form);
  return form;
}

// Row-major position, within `shape`, of an index that lies within it.
// @post the value is the sum of index[i] * shape[i + 1] * shape[i + 2] * ...
template <class Map>
constexpr expression<Map> linearize(Map& map, std::span<const expression<Map>> index, integers shape) {
  expression<Map> offset = map.constant(0);
  std::int64_t stride = 1;
  for (std::size_t i = index.size(); i-- > 0;) {
    if (shape[i] == 1) continue;
    offset = index[i] * stride + offset;
    stride = saturating_multiply(stride, shape[i]);
  }
  return offset;
}

// Appends as results the index of the element at a row-major position within `shape`.
// @post for 0 <= offset < product of shape: linearize of the appended results = offset
template <class Map>
constexpr void delinearize(Map& map, expression<Map> offset, integers shape) {
  std::int64_t stride = 1;
  for (const std::int64_t size : shape) stride = saturating_multiply(stride, size);
  bool outermost = true;
  for (const std::int64_t size : shape) {
    if (size <= 1) {
      map.add_result(map.constant(0));
      continue;
    }
    stride /= size;
    expression<Map> index = floordiv(offset, stride);
    if (!outermost) index = mod(index, size);
    outermost = false;
    map.add_result(index);
  }
}

// @post the one result is the row-major position, within `shape`, of the results of `map`
template <class Map>
constexpr Map linearized(Map map, integers shape) {
  if (map.is_known_empty()) {
    map.result_count = 1;
    return map;
  }
  if (!map.is_defined()) return map;
  if (static_cast<int>(shape.size()) != map.result_count) return unknown_map<Map>();
  expression<Map> index[Map::rank_capacity]{};
  for (int i = 0; i < map.result_count; ++i) index[i] = map.result(i);
  const std::span<const expression<Map>> results(index, shape.size());
  map.result_count = 0;
  map.add_result(linearize(map, results, shape));
  if (map.is_unknown()) return unknown_map<Map>();
  remove_unused_nodes(map);
  simplify(map);
  return map;
}

// @post true implies: no constraints, no symbols, and evaluate(map, d) = d everywhere in the domain
template <class Map>
constexpr bool is_identity(const Map& map) {
  if (!map.is_defined() || map.constraint_count > 0 || map.symbol_count() > 0 ||
      map.result_count != map.dimension_count)
    return false;
  for (int i = 0; i < map.result_count; ++i) {
    const node& step = map.nodes[map.results[i]];
    const bool same = step.op == operation::dimension && step.value == i;
    const bool same_point = step.op == operation::constant && map.dimension_bounds[i] == point(step.value);
    if (!same && !same_point) return false;
  }
  return true;
}

enum class access_kind : std::uint8_t {
  constant,    // one element
  contiguous,  // base + n
  strided,     // base + stride * n
  gathered     // anything else
};

struct access {
  access_kind kind = access_kind::gathered;
  std::int64_t base = 0;
  std::int64_t stride = 0;
  bool uses_symbols = false;  // adds a multiple of range or runtime variables, the same for all n
};

// The row-major position in an operand of type `shape` that is read for the n-th point of the domain, in row-major
// order of its dimensions.
// @post if not gathered: position(n) = base + stride * n + multiples of the symbols, at every point of the domain
template <class Map>
constexpr access classify(const Map& map, integers shape) {
  const Map position = linearized(map, shape);
  linear_form<Map> form = linear_form_of(position, 0);
  if (!form.affine) return {};
  std::int64_t extent = 1;
  bool started = false;
  std::int64_t stride = 0;
  for (int i = map.dimension_count - 1; i >= 0; --i) {
    const interval bounds = map.dimension_bounds[i];
    const std::int64_t given = form.dimension_strides[i];
    form.base = saturating_add(form.base, saturating_multiply(given, bounds.lower));
    if (bounds.count() <= 1) continue;
    if (!started) stride = given;
    if (given != saturating_multiply(stride, extent)) return {};
    started = true;
    extent = saturating_multiply(extent, bounds.count());
  }
  const access_kind kind =
      stride == 0 ? access_kind::constant : (stride == 1 ? access_kind::contiguous : access_kind::strided);
  return {kind, form.base, stride, form.uses_symbols()};
}

}  // namespace tenon::indexing
