// SPDX-License-Identifier: Apache-2.0
#include "random_program.hpp"

#include <shared/shared_program.hpp>
#include <tenon/core/bounded_tensor.hpp>
#include <tenon/kernels/all.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

// Random programs over bounded dimensions, at every size below the bounds: they give what the same program gives that
// is written for these sizes. What lies behind the arguments' sizes is NaN, or a large number.
using namespace tenon;
using namespace tenon::core;
using namespace tenon::test;

namespace {

struct tensors {
  std::vector<std::vector<std::byte>> memory;
  std::vector<ints> shapes;
};

ints shape_of(const random_type& type, bool bounds) {
  ints shape;
  for (const random_dimension& each : type.dimensions) shape.push(bounds ? each.bound : each.size);
  return shape;
}

// Dense arguments, a few different numbers.
std::vector<std::vector<std::byte>> dense_arguments(const random_program& program) {
  std::vector<std::vector<std::byte>> all;
  unsigned state = 12345;
  for (const random_value& each : program.arguments) {
    const index_t count = shape_of(each.type, false).product();
    std::vector<std::byte> bytes(std::size_t(count) * 4 + 4);
    for (index_t i = 0; i < count; ++i) {
      state = state * 1664525u + 1013904223u;
      const int number = int(state >> 16) % 9 - 3;
      const float real = float(number) * 0.5f;
      std::memcpy(&bytes[std::size_t(i) * 4], each.type.element == "f32" ? static_cast<const void*>(&real) : &number,
                  4);
    }
    all.push_back(bytes);
  }
  return all;
}

bool load(const loaded_program& program, const std::string& text) {
  if (!program.error()) return true;
  std::printf("%d:%d %s: %s (op %d, dimension %d)\n%s\n", program.error().line, program.error().column,
              program.error().label, program.error().sentence, program.error().kind, program.error().dimension,
              text.c_str());
  return false;
}

std::string run_both(unsigned seed, index_t n, index_t m, bool show) {
  const random_program source(seed, n, m);
  const std::string with_bounds = source.text(true), without = source.text(false);
  if (show) std::printf("%s%s", with_bounds.c_str(), without.c_str());
  shared_program bounded(with_bounds, &find_any_kernel), fixed(without, &find_any_kernel);
  if (!load(bounded, with_bounds) || !load(fixed, without)) return "a program was not accepted";
  const auto dense = dense_arguments(source);

  std::vector<const void*> arguments;
  std::vector<void*> results;
  std::vector<std::vector<std::byte>> memory, wanted;
  for (const auto& each : dense) arguments.push_back(each.data());
  for (const random_value& each : source.results) {
    wanted.emplace_back(std::size_t(shape_of(each.type, false).product()) * 4 + 4);
    results.push_back(wanted.back().data());
  }
  fixed(arguments.data(), results.data());

  std::vector<index_t> sizes, sizes_given(64);
  for (std::size_t i = 0; i < dense.size(); ++i) {
    const random_type& type = source.arguments[i].type;
    const ints bounds = shape_of(type, true), shape = shape_of(type, false);
    memory.emplace_back(std::size_t(bounds.product()) * 4 + 4);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const int large = 1 << 20;
    for (index_t k = 0; k < bounds.product(); ++k)
      std::memcpy(&memory[i][std::size_t(k) * 4], type.element == "f32" ? static_cast<const void*>(&nan) : &large, 4);
    spread_to_bounds(shape, bounds, 4, dense[i].data(), memory[i].data());
    for (const random_dimension& each : type.dimensions)
      if (each.bounded) sizes.push_back(each.size);
  }
  arguments.clear(), results.clear();
  for (const auto& each : memory) arguments.push_back(each.data());
  std::vector<std::vector<std::byte>> given;
  for (const random_value& each : source.results) {
    given.emplace_back(std::size_t(each.type.room()) * 4 + 4);
    results.push_back(given.back().data());
  }
  bounded(arguments.data(), sizes.data(), results.data(), sizes_given.data());

  std::size_t at = 0;
  for (std::size_t r = 0; r < source.results.size(); ++r) {
    const random_type& type = source.results[r].type;
    ints shape = shape_of(type, true);
    for (int d = 0; d < type.rank(); ++d)
      if (type.dimensions[std::size_t(d)].bounded) shape.set(d, sizes_given[at++]);
    if (!(shape == shape_of(type, false))) return "a result has another shape";
    std::vector<std::byte> got(std::size_t(shape.product()) * 4 + 4);
    collect_from_bounds(shape, shape_of(type, true), 4, given[r].data(), got.data());
    for (index_t i = 0; i < shape.product(); ++i) {
      const std::byte *a = &got[std::size_t(i) * 4], *b = &wanted[r][std::size_t(i) * 4];
      if (std::memcmp(a, b, 4) == 0) continue;
      float x = 0, y = 0;
      std::memcpy(&x, a, 4), std::memcpy(&y, b, 4);
      // Sums may be taken in another order.
      if (type.element == "f32" &&
          (x == y || std::abs(x - y) <= 1e-5f * (1 + std::abs(y)) || (std::isnan(x) && std::isnan(y))))
        continue;
      return "element " + std::to_string(i) + " of result " + std::to_string(r) + " is " + std::to_string(x) +
             " instead of " + std::to_string(y);
    }
  }
  return "";
}

}  // namespace

// random_programs [COUNT [SEED N M]]
int main(int count, char** words) {
  const int programs = count > 1 ? std::atoi(words[1]) : 300;
  int failures = 0, runs = 0;
  const auto test = [&](unsigned seed, index_t n, index_t m, bool show) {
    std::string failure;
    try {
      failure = run_both(seed, n, m, show);
    } catch (const error& thrown) {
      failure = thrown.what();
    }
    ++runs;
    if (failure.empty()) return;
    if (++failures <= 10) std::printf("program %u at %d, %d: %s\n", seed, int(n), int(m), failure.c_str());
  };
  if (count > 4) {
    test(unsigned(std::atoi(words[2])), std::atoi(words[3]), std::atoi(words[4]), true);
  } else {
    for (unsigned seed = 0; seed < unsigned(programs); ++seed)
      for (index_t n = 0; n <= 5; ++n)
        for (index_t m = 0; m <= 4; ++m) test(seed, n, m, false);
  }
  std::printf("%d programs, %d runs, %d failures\n", programs, runs, failures);
  return failures == 0 ? 0 : 1;
}
