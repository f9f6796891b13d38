// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shared/shared_program.hpp>

#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

// Runs of the programs of random_program.hpp.
namespace tenon::test {

using namespace core;
using namespace ir;
using namespace planning;
using namespace kernels;

// Halves, whose sums are mostly exact, or numbers that use all bits of a float.
enum class numbers : int { halves, any };

// The element types of random programs.
template <class Visitor>
auto visit_random_type(dtype type, Visitor&& visitor) {
  return visit<dtype::f32, dtype::f64, dtype::f16, dtype::bf16, dtype::i64, dtype::i32, dtype::i16, dtype::i8>(type,
                                                                                                               visitor);
}

struct stored_values {
  dtype element = dtype::f32;
  std::vector<std::byte> bytes;

  explicit stored_values(const tensor_type& type)
      : element(type.element),
        bytes(std::size_t(type.size()) * std::size_t(num_bits(type.element) / 8), std::byte{0x55}) {}
};

inline std::vector<stored_values> arguments_of(const loaded_program& program, numbers wanted) {
  std::mt19937 random(unsigned(program.argument_count()));
  std::vector<stored_values> arguments;
  for (int i = 0; i < program.argument_count(); ++i) {
    stored_values& values = arguments.emplace_back(program.argument_type(i));
    visit_random_type(values.element, [&]<class T>() {
      for (std::size_t k = 0; k * sizeof(T) < values.bytes.size(); ++k) {
        const float number = wanted == numbers::halves ? float(int(k * 37 + std::size_t(i) * 11) % 17) * 0.5f - 4.0f
                                                       : float(int(random() & 0xffffffu) - 0x800000) * 0x1p-21f;
        const T stored = convert_to<T>(is_float(dtype_of<T>) ? number : number * 8);
        std::memcpy(&values.bytes[k * sizeof(T)], &stored, sizeof(T));
      }
    });
  }
  return arguments;
}

// run(arguments, results)
template <class Run>
std::vector<stored_values> results_of(const loaded_program& program, numbers wanted, Run run) {
  const std::vector<stored_values> arguments = arguments_of(program, wanted);
  std::vector<stored_values> results;
  std::vector<const void*> from;
  std::vector<void*> to;
  for (int i = 0; i < program.result_count(); ++i) results.emplace_back(program.result_type(i));
  for (const auto& each : arguments) from.push_back(each.bytes.data());
  for (auto& each : results) to.push_back(each.bytes.data());
  run(from.data(), to.data());
  return results;
}
inline std::vector<stored_values> results_of(shared_program& program, numbers wanted = numbers::halves) {
  return results_of(program, wanted, [&](const void* const* from, void* const* to) { program(from, to); });
}

// The sign and the payload of a NaN depend on the machine's choice among two of them.
inline bool same_bits(const stored_values& a, const stored_values& b) {
  if (a.element != b.element || a.bytes.size() != b.bytes.size()) return false;
  return visit_random_type(a.element, [&]<class T>() {
    for (std::size_t at = 0; at < a.bytes.size(); at += sizeof(T)) {
      T x, y;
      std::memcpy(&x, &a.bytes[at], sizeof(T));
      std::memcpy(&y, &b.bytes[at], sizeof(T));
      bool same = std::memcmp(&x, &y, sizeof(T)) == 0;
      if constexpr (is_float(dtype_of<T>)) same = same || (x != x && y != y);
      if (!same) return false;
    }
    return true;
  });
}

// A product by a vector adds in an order that depends on how its operands lie, which is read through movements.
inline bool multiplies_moved_vectors(const loaded_program& program) {
  const graph& g = program.program();
  for (const plan_step& step : program.plan().steps) {
    if (step.first_view < 0 || g.nodes[step.node].kind != kind_of_op<ops::dot_general>) continue;
    const graph_node& node = g.nodes[step.node];
    const auto product = read_attributes<ops::dot_general>(g.words.data + node.words).dot_dimension_numbers;
    const list<int> operands = g.operands_of(node);
    index_t rows = g.type_of_value(operands[0]).size(), columns = g.type_of_value(operands[1]).size();
    if (rows == 0 || columns == 0) continue;
    for (const ints& axes : {product.lhs_batching_dimensions, product.lhs_contracting_dimensions})
      for (index_t axis : axes) {
        rows /= g.type_of_value(operands[0]).shape.at[axis];
        columns /= g.type_of_value(operands[0]).shape.at[axis];
      }
    if (rows == 1 || columns == 1) return true;
  }
  return false;
}

}  // namespace tenon::test
