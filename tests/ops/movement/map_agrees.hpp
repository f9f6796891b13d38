// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/indexing/map.hpp>

#include <ops/evaluate.hpp>

#include <cstring>
#include <span>
#include <vector>

namespace tenon::test {
using namespace core;

// Whether every element of the result is the one that the indexing maps of the operands name; where several operands
// have the element in their domain, the first counts.
template <class Op>
bool map_agrees(const Op& self, const std::vector<value>& operands, const tensor_type& result_type) {
  const value result = move(self, operands, result_type);
  std::vector<tensor_type> types;
  for (const value& operand : operands) types.push_back(operand.type);
  const list<tensor_type> operand_types{types.data(), int(types.size())};
  const std::size_t size = std::size_t(storage_bytes(result_type.element));
  const auto span = [](const ints& index) {
    return std::span<const std::int64_t>(index.at, static_cast<std::size_t>(index.size));
  };
  bool same = true;
  for_each_index(result_type.shape, [&](const ints& index) {
    bool found = false;
    for (int k = 0; k < operand_types.size && !found; ++k) {
      const auto map = self.reads(k, operand_types, result_type);
      if (!indexing::in_domain(map, span(index))) continue;
      const auto at = indexing::evaluate(map, span(index));
      ints source;
      for (int i = 0; i < at.size; ++i) source.push(at[i]);
      const ints& shape = types[std::size_t(k)].shape;
      found = source.size == shape.size;
      for (int i = 0; i < source.size; ++i) found = found && 0 <= source[i] && source[i] < shape[i];
      found = found && std::memcmp(result.bytes.data() + std::size_t(offset_of(result_type.shape, index)) * size,
                                   operands[std::size_t(k)].bytes.data() + std::size_t(offset_of(shape, source)) * size,
                                   size) == 0;
      if (!found) break;
    }
    same = same && found;
  });
  return same;
}

}  // namespace tenon::test
