// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/execute.hpp>

#include <graph/random_program.hpp>
#include <shared/shared_program.hpp>
#include <tenon/kernels/table.hpp>

#include <doctest/doctest.h>

#include <cstring>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;
using namespace tenon::planning;
using namespace tenon::kernels;

namespace {

template <class Op>
bool consider(const kernel_key& key, kernel& found) {
  if (key.kind != kind_of_op<Op>) return false;
  if constexpr (std::is_same_v<Op, ops::reduce>)
    found = key.body == kind_of_op<ops::add>
                ? kernel(kernel_of<Op, dtype::f32, dtype::f32, kind_of_op<ops::add>>())
                : kernel(kernel_of<Op, dtype::f32, dtype::f32, kind_of_op<ops::maximum>>());
  else if constexpr (moves_bytes<Op>())
    found = kernel_of<Op, dtype::ui32, dtype::ui32>();
  else
    found = kernel_of<Op, dtype::f32, dtype::f32>();
  return true;
}

// The kernels of what random programs consist of.
kernel find(const kernel_key& key) {
  kernel found = nullptr;
  (void)(consider<ops::add>(key, found) || consider<ops::multiply>(key, found) || consider<ops::maximum>(key, found) ||
         consider<ops::tanh>(key, found) || consider<ops::broadcast_in_dim>(key, found) ||
         consider<ops::reshape>(key, found) || consider<ops::transpose>(key, found) ||
         consider<ops::reduce>(key, found) || consider<ops::dot_general>(key, found));
  return found;
}

std::vector<std::vector<float>> results_of(const std::string& text) {
  shared_program program(text, find);
  REQUIRE(program);
  std::vector<std::vector<float>> arguments, results;
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  for (int i = 0; i < program.argument_count(); ++i) {
    arguments.emplace_back(std::size_t(program.argument_type(i).size()));
    for (std::size_t j = 0; j < arguments.back().size(); ++j)
      arguments.back()[j] = float(int((j * 37 + std::size_t(i) * 11) % 101) - 50) / 64;
  }
  for (int i = 0; i < program.result_count(); ++i) results.emplace_back(std::size_t(program.result_type(i).size()));
  for (const auto& each : arguments) inputs.push_back(each.data());
  for (auto& each : results) outputs.push_back(each.data());
  program(inputs.data(), outputs.data());
  return results;
}

}  // namespace

TEST_CASE("fused results are those of the ops one by one, bit for bit") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    random_programs::generator fused(50, seed), single(50, seed);
    const std::vector<std::vector<float>> got = results_of(fused.text()), all = results_of(single.text(true));
    const std::vector<int> chosen = fused.results();
    REQUIRE(got.size() == chosen.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      const std::vector<float>& wanted = all[std::size_t(chosen[i])];
      CHECK(std::memcmp(got[i].data(), wanted.data(), wanted.size() * sizeof(float)) == 0);
    }
  }
}
