// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/value_bytes.hpp>

#include <cstring>
#include <functional>
#include <initializer_list>
#include <vector>

// Runs the `evaluate` of an op on values of a test.
namespace tenon::test {
using namespace core;

struct value {
  tensor_type type;
  std::vector<unsigned char> bytes;

  template <class T>
  std::vector<T> as() const {
    std::vector<T> elements(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(static_cast<void*>(elements.data()), bytes.data(), bytes.size());
    return elements;
  }
};

// Memory that is full of nonsense.
inline value blank(const tensor_type& type, const type_details* details = nullptr) {
  return {type, std::vector<unsigned char>(std::size_t(value_bytes(type, details)), 0xA5)};
}

template <class T>
value tensor_of(const ints& shape, const std::vector<T>& elements) {
  value result = blank(type_of(dtype_of<T>, shape));
  if (elements.size() * sizeof(T) != result.bytes.size()) throw "the number of elements is not that of the shape";
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const T element = elements[i];
    std::memcpy(result.bytes.data() + i * sizeof(T), &element, sizeof(T));
  }
  return result;
}
template <class T>
value tensor_of(const ints& shape, std::initializer_list<T> elements) {
  return tensor_of(shape, std::vector<T>(elements));
}
template <class T>
value scalar_of(T element) {
  return tensor_of({}, {element});
}
// 1, 2, 3, ...
template <class T>
value counting(const ints& shape) {
  std::vector<T> elements;
  for (index_t i = 1; i <= shape.product(); ++i) {
    if constexpr (is_complex(dtype_of<T>))
      elements.push_back({typename T::value_type(i), typename T::value_type(-i)});
    else
      elements.push_back(T(int(i)));
  };
  return tensor_of(shape, elements);
}

// What a region does: (which region, arguments, results).
using region_code = std::function<void(int, const void* const*, void* const*)>;

// A region as a function of many elements.
using lanes_of_regions = std::function<lane_function(int)>;

struct surroundings {
  region_code regions;
  std::vector<signature> signatures;
  const type_details* details = nullptr;
  lanes_of_regions lanes = nullptr;
};

// The results of an op by `run`, which takes an evaluation.
template <class Op, class Run>
std::vector<value> evaluate_by(Run run, const Op& self, const std::vector<value>& operands,
                               const std::vector<tensor_type>& result_types, const surroundings& around = {}) {
  std::vector<const void*> sources;
  std::vector<tensor_type> operand_types;
  for (const value& operand : operands) {
    sources.push_back(operand.bytes.data());
    operand_types.push_back(operand.type);
  }
  std::vector<value> results;
  for (const tensor_type& type : result_types) results.push_back(blank(type, around.details));
  std::vector<void*> targets;
  for (value& result : results) targets.push_back(result.bytes.data());

  evaluation e;
  e.operands = {sources.data(), int(sources.size())};
  e.operand_types = {operand_types.data(), int(operand_types.size())};
  e.results = {targets.data(), int(targets.size())};
  e.result_types = {result_types.data(), int(result_types.size())};
  e.regions = {around.signatures.data(), int(around.signatures.size())};
  e.details = around.details;
  e.run_region = [](const void* context, int region, const void* const* arguments, void* const* region_results) {
    static_cast<const surroundings*>(context)->regions(region, arguments, region_results);
  };
  e.region_context = &around;
  if (around.lanes)
    e.find_lanes = [](const void* context, int region) {
      return static_cast<const surroundings*>(context)->lanes(region);
    };
  index_t words[512];
  table<index_t> written{words, 0, 512};
  write_attributes(written, self);
  e.words = words;
  std::vector<unsigned char> scratch;
  if constexpr (requires { self.scratch_bytes(e.operand_types, e.result_types, e.details); })
    scratch.resize(std::size_t(self.scratch_bytes(e.operand_types, e.result_types, e.details)));
  else if constexpr (requires { self.scratch_bytes(e.operand_types, e.result_types); })
    scratch.resize(std::size_t(self.scratch_bytes(e.operand_types, e.result_types)));
  e.scratch = scratch.data();
  run(e);
  return results;
}

// T is only asked for by ops that are typed: a C++ element type.
template <class T, class Op>
std::vector<value> evaluate(const Op& self, const std::vector<value>& operands,
                            const std::vector<tensor_type>& result_types, const surroundings& around = {}) {
  return evaluate_by([&](const evaluation& e) { self.template evaluate<T>(e); }, self, operands, result_types, around);
}

// The same for ops that only move bytes and have one result.
template <class Op>
value move(const Op& self, const std::vector<value>& operands, const tensor_type& result,
           const surroundings& around = {}) {
  struct sixteen {
    std::uint64_t words[2];
  };
  switch (storage_bytes(operands.empty() ? result.element : operands[0].type.element)) {
    case 1:
      return evaluate<std::uint8_t>(self, operands, {result}, around)[0];
    case 2:
      return evaluate<std::uint16_t>(self, operands, {result}, around)[0];
    case 4:
      return evaluate<std::uint32_t>(self, operands, {result}, around)[0];
    case 8:
      return evaluate<std::uint64_t>(self, operands, {result}, around)[0];
    default:
      return evaluate<sixteen>(self, operands, {result}, around)[0];
  }
}

}  // namespace tenon::test
