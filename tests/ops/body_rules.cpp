// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/body_rules.hpp>

using namespace tenon;
using namespace tenon::core;

namespace {

static_assert(ops::is_subsequence({}, {}) && ops::is_subsequence({}, {2, 3}) && ops::is_subsequence({3}, {2, 3}));
static_assert(ops::is_subsequence({2, 2}, {2, 3, 2}) && ops::is_subsequence({2, 3, 2}, {2, 3, 2}));
static_assert(!ops::is_subsequence({2}, {}) && !ops::is_subsequence({3, 2}, {2, 3}) &&
              !ops::is_subsequence({2, 2}, {2, 3}));

constexpr tensor_type f32_scalar = type_of(dtype::f32), f64_scalar = type_of(dtype::f64),
                      line = type_of(dtype::f32, {5});
constexpr tensor_type two_floats[] = {f32_scalar, f32_scalar}, two_doubles[] = {f64_scalar, f64_scalar},
                      both[] = {f32_scalar, f64_scalar}, four[] = {f32_scalar, f64_scalar, f32_scalar, f64_scalar},
                      lines[] = {line, line};

constexpr bool combines_with(list<tensor_type> arguments, list<tensor_type> results, list<tensor_type> inputs,
                             const ints& slice = {}) {
  const rules rule;
  return ops::combines(rule, {arguments, results}, inputs, slice);
}

// (E, E) -> E, where the elements can be promoted to E.
static_assert(combines_with({two_floats, 2}, {two_floats, 1}, {two_floats, 1}));
static_assert(combines_with({two_doubles, 2}, {two_doubles, 1}, {two_floats, 1}));
static_assert(!combines_with({two_floats, 2}, {two_floats, 1}, {two_doubles, 1}));
static_assert(!combines_with({two_floats, 1}, {two_floats, 1}, {two_floats, 1}));
static_assert(!combines_with({two_floats, 2}, {two_floats, 2}, {two_floats, 1}));
static_assert(!combines_with({both, 2}, {two_floats, 1}, {two_floats, 1}));
static_assert(!combines_with({two_floats, 2}, {two_doubles, 1}, {two_floats, 1}));
// Two tensors: all accumulators first.
static_assert(combines_with({four, 4}, {both, 2}, {both, 2}));
static_assert(!combines_with({four, 4}, {two_floats, 2}, {both, 2}));
// Some of the sizes of a slice.
static_assert(combines_with({lines, 2}, {lines, 1}, {lines, 1}, {3, 5}));
static_assert(!combines_with({lines, 2}, {lines, 1}, {lines, 1}, {3}));
static_assert(!combines_with({lines, 2}, {lines, 1}, {lines, 1}));

static_assert([] {
  tensor_type memory[4];
  table<tensor_type> arguments{memory, 0, 4};
  const tensor_type inputs[] = {type_of(dtype::f32, {2, 3}), type_of(dtype::i32, {4})};
  ops::arguments_of_combiner({inputs, 2}, arguments);
  return arguments.size == 4 && memory[0] == f32_scalar && memory[1] == type_of(dtype::i32) &&
         memory[2] == f32_scalar && memory[3] == type_of(dtype::i32);
}());

}  // namespace
