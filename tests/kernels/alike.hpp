// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/evaluate.hpp"

#include <doctest/doctest.h>

namespace tenon::test {
using namespace core;

// What a kernel makes of an op.
template <class Op>
std::vector<value> evaluate_by_kernel(kernel code, const Op& self, const std::vector<value>& operands,
                                      const std::vector<tensor_type>& result_types, const surroundings& around = {}) {
  return evaluate_by(code, self, operands, result_types, around);
}

// The same, which has to be what the op itself says, bit for bit.
template <class T, class Op>
std::vector<value> evaluate_alike(kernel code, const Op& self, const std::vector<value>& operands,
                                  const std::vector<tensor_type>& result_types, const surroundings& around = {}) {
  const std::vector<value> results = evaluate_by_kernel(code, self, operands, result_types, around);
  const std::vector<value> wanted = evaluate<T>(self, operands, result_types, around);
  for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(results[i].bytes == wanted[i].bytes);
  return results;
}

}  // namespace tenon::test
