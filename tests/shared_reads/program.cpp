// SPDX-License-Identifier: Apache-2.0
//
// Two threads read tensors that neither of them writes. For ThreadSanitizer, which ends the program at a race.
#include <tenon/core/tensor.hpp>

#include <cstdio>
#include <thread>
#include <utility>

using namespace tenon;

namespace {

using large = tensor<f32, 100, 100>;

struct found {
  f32 element = 0;
  bool moved_failed = false;
};

found read(const large& kept, const large& moved) {
  found result{.element = large(kept)(99, 99)};
  try {
    result.element += moved(99, 99);
  } catch (const error&) {
    result.moved_failed = true;
  }
  return result;
}

}  // namespace

int main() {
  large moved = large::filled(2);
  const large kept = std::move(moved);
  found results[2];
  std::thread other([&] { results[1] = read(kept, moved); });
  results[0] = read(kept, moved);
  other.join();
  for (const found& each : results)
    if (each.element != 2 || !each.moved_failed) return std::puts("wrong elements"), 1;
}
