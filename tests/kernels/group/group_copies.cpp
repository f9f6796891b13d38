// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/group/group_tiles.hpp>

#include <tenon/tenon.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

using namespace tenon;
using namespace tenon::planning;
using namespace tenon::kernels;

namespace {

// Element i of `bytes` bytes, which all differ from those of its neighbours.
std::vector<unsigned char> numbers(index_t count, index_t bytes) {
  std::vector<unsigned char> all;
  for (index_t i = 0; i < count; ++i)
    for (index_t b = 0; b < bytes; ++b) all.push_back(static_cast<unsigned char>(i * 5 + b));
  return all;
}

constexpr group_copies copies = copies_for<needs::all()>;

constexpr auto turned = trace([](auto x, auto y) { return exponential(transpose<ints{1, 0}>(x)) * y; });
constexpr auto reversed_bytes = trace([](auto x, auto y) { return reverse<ints{0}>(x) + y; });

template <class Function, class... Arguments>
constexpr needs needed_by(const Function&) {
  using program = typename Function::template program_for<Arguments...>;
  needs result;
  for (const plan_step& step : program::plan().steps) result.add(needs_of_tiles(program::plan(), step));
  return result;
}
constexpr needs only(copy_branch how, index_t bytes) {
  needs result;
  result.add_size(how, bytes);
  return result;
}
constexpr auto of_floats = needed_by<decltype(turned), tensor<f32, 90, 80>, tensor<f32, 80, 90>>(turned);
static_assert(of_floats.bits == only(copy_branch::box, 4).bits);
constexpr auto of_bytes = needed_by<decltype(reversed_bytes), tensor<i8, 5000>, tensor<i8, 5000>>(reversed_bytes);
static_assert(of_bytes.bits == only(copy_branch::strided, 1).bits);

}  // namespace

TEST_CASE("copies of elements of every size") {
  for (const index_t bytes : {1, 2, 4, 8, 16}) {
    CAPTURE(bytes);
    const auto from = numbers(12, bytes);
    std::vector<unsigned char> to(from.size());
    const auto holds = [&](auto position) {
      bool same = true;
      for (index_t i = 0; i < 12; ++i)
        same = same && std::memcmp(to.data() + i * bytes, from.data() + position(i) * bytes, std::size_t(bytes)) == 0;
      return same;
    };
    copies.strided(bytes, to.data(), from.data(), {{12}, {-1}, 11}, 0, 12);
    CHECK(holds([](index_t i) { return 11 - i; }));
    copies.box(bytes, to.data(), 3, from.data(), 1, 4, 4, 3);
    CHECK(holds([](index_t i) { return i % 3 * 4 + i / 3; }));
    copies.repeated(bytes, to.data(), from.data(), 4, 3);
    CHECK(holds([](index_t i) { return i / 3; }));
    const strided_access walk{{12}, {0}, 2}, in_order{{12}, {1}, 0};
    const std::int8_t places[] = {0, 1, 2, 3, 4, 5, 4, 3, 2, 1, 0, 9};
    const index_walk index[] = {{places, dtype::i8, &in_order, 1, 0, 9}};
    copies.gathered(bytes, to.data(), from.data(), {&walk, {index, 1}, 1, nullptr}, 0, 12);
    CHECK(holds([&](index_t i) { return 2 + places[i]; }));
  }
}
