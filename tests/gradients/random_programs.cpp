// SPDX-License-Identifier: Apache-2.0
//
// Programs of random ops in f64: reverse beside forward mode, and forward mode beside central differences.
#include <gradients/checked_gradient.hpp>

#include <run/random_program.hpp>

#include <cstdlib>

using namespace tenon;
using namespace tenon::gradients;

namespace {

std::string in_f64(std::string text) {
  for (std::size_t at = text.find("f32"); at != text.npos; at = text.find("f32", at)) text.replace(at, 3, "f64");
  return text;
}
double size_of(const std::vector<array>& values) {
  double largest = 0;
  for (const array& each : values)
    for (double number : each.numbers) largest = std::isfinite(number) ? std::fmax(largest, std::fabs(number)) : 1e300;
  return largest;
}

}  // namespace

TEST_CASE("gradients of random programs") {
  const char* const more = std::getenv("TENON_RANDOM_GRADIENTS");
  const unsigned count = more != nullptr ? unsigned(std::atoi(more)) : 400;
  int compared = 0, at_edges = 0;
  for (unsigned seed = 0; seed < count; ++seed) {
    const random_program source(seed);
    const std::string text = in_f64(source.text(random_program::results::last));
    CAPTURE(seed);
    CAPTURE(text);
    shared_program program = load(text);
    std::vector<int> by;
    for (int i = 0; i < program.argument_count(); ++i) by.push_back(i);
    const std::string forward = derivative_text(text, by, derivative::pushforward),
                      backward = derivative_text(text, by, derivative::pullback);
    shared_program push = load(forward), pull = load(backward);
    std::mt19937 numbers(seed);
    const auto random = [&](const tensor_type& type) {
      array made(type);
      for (double& number : made.numbers) number = double(numbers()) / 0x1p31 - 1;
      return made;
    };
    std::vector<array> x, above, below, dx;
    for (int i = 0; i < program.argument_count(); ++i) {
      x.push_back(random(program.argument_type(i))), dx.push_back(random(program.argument_type(i)));
      above.push_back(x.back()), below.push_back(x.back());
      for (std::size_t k = 0; k < x.back().numbers.size(); ++k)
        above.back().numbers[k] += 1e-6 * dx.back().numbers[k], below.back().numbers[k] -= 1e-6 * dx.back().numbers[k];
    }
    const array ct = random(program.result_type(0));
    std::vector<array> pushing = x, pulling = x;
    pushing.insert(pushing.end(), dx.begin(), dx.end()), pulling.push_back(ct);
    const std::vector<array> pushed = run(push, pushing), pulled = run(pull, pulling);
    if (size_of(pushed) > 1e4 || size_of(pulled) > 1e4) continue;
    ++compared;
    double by_pull = 0, size = 1;
    for (std::size_t i = 0; i < dx.size(); ++i) {
      by_pull += product(pulled[1 + i], dx[i]);
      for (double number : pulled[1 + i].numbers) size += std::fabs(number);
    }
    CHECK(std::fabs(product(ct, pushed[1]) - by_pull) <= 1e-10 * size);
    const std::vector<array> high = run(program, above), low = run(program, below);
    bool near = true;
    for (std::size_t k = 0; k < ct.numbers.size(); ++k) {
      const double expected = (high[0].numbers[k] - low[0].numbers[k]) / 2e-6;
      near = near && std::fabs(pushed[1].numbers[k] - expected) <= 1e-4 * (1 + std::fabs(expected));
    }
    // A few programs have an edge between the two points.
    if (!near) ++at_edges;
    if (!near && more != nullptr) MESSAGE("differs from differences: ", seed);
  }
  MESSAGE(compared, " of ", count, " programs compared, ", at_edges, " at edges");
  CHECK(compared > int(count) / 2);
  CHECK(at_edges * 50 <= compared);
}
