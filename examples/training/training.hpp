// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/tensor.hpp>
#include <tenon/distributed/transport.hpp>
#include <tenon/files/npy.hpp>
#include <tenon/run/loaded_program.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

// Training of the digit classifier by one or several processes, each with its part of every batch.
namespace training {

using namespace tenon;

inline constexpr int image_count = 360, image_bytes = 64, batch = 120, batches = image_count / batch;

struct examples {
  std::vector<std::byte> images = std::vector<std::byte>(image_count * image_bytes);
  std::vector<std::int32_t> labels = std::vector<std::int32_t>(image_count);

  // From the folder of the example digits.
  explicit examples(const std::string& folder) {
    if (load_npy((folder + "/images.npy").c_str(), dtype::ui8, {image_count, 8, 8, 1}, images) != npy_error::none ||
        load_npy((folder + "/labels.npy").c_str(), dtype::i32, {image_count},
                 std::as_writable_bytes(std::span(labels))) != npy_error::none)
      fail("images.npy and labels.npy of examples/digits are missing");
  }
};

// Weights, then momenta.
using parameters = std::vector<std::vector<f32>>;

inline parameters first_parameters(const loaded_program& step) {
  parameters all;
  std::uint32_t state = 1797;
  const auto uniform = [&] { return f32((state = state * 1664525u + 1013904223u) >> 8) / f32(1 << 24); };
  for (int i = 0; i < 12; ++i) {
    const tensor_type& type = step.argument_type(i);
    all.emplace_back(std::size_t(type.size()));
    const index_t outputs = type.dim(type.rank() - 1);
    if (i < 6 && type.rank() > 1)
      for (f32& each : all.back())
        each = std::sqrt(f32(6 * outputs) / f32(type.size())) * (2 * uniform() - 1);  // of variance 2 / inputs
  }
  return all;
}

// Trains as this process of a grid whose size divides the batch; the loss after each batch.
inline std::vector<f32> train(const loaded_program& step, const examples& data, int epochs, process_context& process,
                              parameters& weights) {
  const int part = batch / process.grid().size(), self = flat_id(process.grid(), process.id());
  parameters next = weights;
  std::vector<std::byte> arena(std::size_t(step.arena_bytes()) + 64);
  void* memory = arena.data();
  std::size_t room = arena.size();
  std::align(64, std::size_t(step.arena_bytes()), memory, room);
  std::vector<f32> losses;
  run_options options;
  options.process = &process;
  for (int epoch = 0; epoch < epochs; ++epoch)
    for (int b = 0; b < batches; ++b) {
      const int first = b * batch + self * part;
      std::vector<const void*> arguments;
      std::vector<void*> results;
      for (std::size_t i = 0; i < weights.size(); ++i)
        arguments.push_back(weights[i].data()), results.push_back(next[i].data());
      arguments.push_back(data.images.data() + first * image_bytes);
      arguments.push_back(data.labels.data() + first);
      results.push_back(&losses.emplace_back());
      step(arguments.data(), results.data(), memory, options);
      weights.swap(next);
    }
  return losses;
}

inline bool same_bits(const parameters& a, const parameters& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::memcmp(a[i].data(), b[i].data(), a[i].size() * sizeof(f32)) != 0) return false;
  return true;
}
// The largest difference of two weights.
inline double largest_difference(const parameters& a, const parameters& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t k = 0; k < a[i].size(); ++k)
      largest = std::max(largest, std::abs(double(a[i][k]) - double(b[i][k])));
  return largest;
}

inline std::string read_text(const std::string& path) {
  std::string text;
  if (std::FILE* const file = std::fopen(path.c_str(), "rb")) {
    char buffer[65536];
    for (std::size_t count; (count = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, count);
    std::fclose(file);
  }
  if (text.empty()) fail(std::string_view(path), " is missing");
  return text;
}

}  // namespace training
