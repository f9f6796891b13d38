// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <shared/shared_program.hpp>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

// Runs of the programs of random_program.hpp.
namespace tenon::test {

using namespace core;
using namespace ir;
using namespace planning;
using namespace kernels;

// Kernels of the ops of random programs, in random_programs.cpp.
kernel find_random_kernel(const kernel_key& key);

// Halves, whose sums are mostly exact, or numbers that use all bits of a float.
enum class numbers : int { halves, any };

inline std::vector<std::vector<float>> arguments_of(const loaded_program& program, numbers wanted) {
  std::mt19937 random(unsigned(program.argument_count()));
  std::vector<std::vector<float>> arguments;
  for (int i = 0; i < program.argument_count(); ++i) {
    std::vector<float> values(std::size_t(program.argument_type(i).size()));
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = wanted == numbers::halves ? float(int(k * 37 + std::size_t(i) * 11) % 17) * 0.5f - 4.0f
                                            : float(int(random() & 0xffffffu) - 0x800000) * 0x1p-21f;
    arguments.push_back(std::move(values));
  }
  return arguments;
}

// run(arguments, results)
template <class Run>
std::vector<std::vector<float>> results_of(const loaded_program& program, numbers wanted, Run run) {
  const std::vector<std::vector<float>> arguments = arguments_of(program, wanted);
  std::vector<std::vector<float>> results;
  std::vector<const void*> from;
  std::vector<void*> to;
  for (int i = 0; i < program.result_count(); ++i)
    results.emplace_back(std::size_t(program.result_type(i).size()), -99.0f);
  for (const auto& each : arguments) from.push_back(each.data());
  for (auto& each : results) to.push_back(each.data());
  run(from.data(), to.data());
  return results;
}
inline std::vector<std::vector<float>> results_of(shared_program& program, numbers wanted = numbers::halves) {
  return results_of(program, wanted, [&](const void* const* from, void* const* to) { program(from, to); });
}

// The sign and the payload of a NaN depend on the machine's choice among two of them.
inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::memcmp(&a[i], &b[i], sizeof(float)) != 0 && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
  return true;
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
