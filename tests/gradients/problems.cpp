// SPDX-License-Identifier: Apache-2.0
//
// Gradients of whole programs that JAX has exported, beside those of JAX.
#include <gradients/checked_gradient.hpp>

#include <tenon/files/npy.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>

using namespace tenon;
using namespace tenon::gradients;

namespace {

std::vector<float> read(const std::string& path, const tensor_type& type) {
  std::vector<float> numbers(std::size_t(type.size()));
  REQUIRE(type.element == dtype::f32);
  REQUIRE(load_npy(path.c_str(), type.element, type.shape, std::as_writable_bytes(std::span(numbers))) ==
          npy_error::none);
  return numbers;
}

}  // namespace

TEST_CASE("gradients are those of JAX") {
  const std::string folder = TENON_SOURCE_FOLDER "/../shared/gradients/problems/";
  if (!std::filesystem::exists(folder)) {
    std::cout << "skipped: " << folder << " is not there\n";
    return;
  }
  const struct {
    const char* name;
    std::vector<int> by;
  } problems[] = {{"gmm", {0, 1, 2, 3}}, {"ba", {0, 1, 2}}, {"lstm", {0, 1}}, {"ode", {0}}, {"leaves16", {0}}};
  for (const auto& [name, by] : problems) {
    CAPTURE(name);
    std::ifstream file(folder + name + ".fwd.mlir");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    refusal why;
    const ir::growing_graph made =
        derivative_of_text(text, {by.data(), int(by.size())}, derivative::value_and_gradients, why);
    REQUIRE(why.label == nullptr);
    shared_program program(made.get(), &find_wide_kernel);
    REQUIRE_MESSAGE(!program.error(), program.error().label, ": ", std::string(ir::name_of_kind(program.error().kind)));
    std::vector<std::vector<float>> arguments, results;
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
    for (int i = 0; i < program.argument_count(); ++i)
      arguments.push_back(read(folder + name + ".in" + std::to_string(i) + ".npy", program.argument_type(i)));
    for (int i = 0; i < program.result_count(); ++i) results.emplace_back(std::size_t(program.result_type(i).size()));
    for (const auto& each : arguments) inputs.push_back(each.data());
    for (auto& each : results) outputs.push_back(each.data());
    program(inputs.data(), outputs.data());
    for (int i = 0; i < program.result_count(); ++i) {
      const std::vector<float> wanted =
          read(folder + name + ".out" + std::to_string(i) + ".npy", program.result_type(i));
      double largest = 0, difference = 0;
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        largest = std::max(largest, std::abs(double(wanted[k])));
        difference = std::max(difference, std::abs(double(wanted[k]) - double(results[std::size_t(i)][k])));
      }
      CAPTURE(i);
      CHECK(difference <= 1e-5 * largest);
    }
  }
}
