// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/combiner.hpp>

#include <kernels/written_lanes.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::test;

namespace {

// An evaluation with one region, and a combiner of it.
struct combined {
  surroundings around;
  std::vector<tensor_type> inputs;
  evaluation e;
  alignas(16) std::byte memory[1024];

  combined(surroundings region, std::vector<tensor_type> types) : around(std::move(region)), inputs(std::move(types)) {
    REQUIRE(ops::combiner::scratch_bytes(int(inputs.size())) <= index_t(sizeof memory));
    e.regions = {around.signatures.data(), int(around.signatures.size())};
    e.region_context = &around;
    e.run_region = [](const void* context, int which, const void* const* arguments, void* const* results) {
      static_cast<const surroundings*>(context)->regions(which, arguments, results);
    };
    if (around.lanes)
      e.find_lanes = [](const void* context, int which) {
        return static_cast<const surroundings*>(context)->lanes(which);
      };
  }
  combined(const combined&) = delete;
  template <class Use>
  void with(Use use) {
    ops::combiner each(e, 0, {inputs.data(), int(inputs.size())}, memory);
    use(each);
  }
};
const std::vector<tensor_type> floats{type_of(dtype::f32, {4})};

}  // namespace

TEST_CASE("elements are combined one by one, whether the region is a function of many or not") {
  for (const bool has_lanes_of_it : {false, true}) {
    CAPTURE(has_lanes_of_it);
    combined(weighted<float>(2.0f, has_lanes_of_it), floats).with([&](ops::combiner& each) {
      CHECK(each.takes_elements_as_they_are());
      const float values[] = {1, 10, 100};
      const void* const from[] = {values};
      float result[] = {-1, -1};
      void* const to[] = {result};
      each.start(from, 0);
      each.take(from, 1);
      each.take(from, 2);
      each.store(to, 1);
      // (1 * 2 + 10) * 2 + 100
      CHECK(result[0] == -1);
      CHECK(result[1] == 124);
      const void* const again[] = {result};
      each.load(again, 1);
      each.take(from, 0);
      each.store(to, 0);
      CHECK(result[0] == 249);
    });
  }
}

TEST_CASE("several tensors are combined together") {
  for (const bool has_lanes_of_it : {false, true}) {
    combined(place_of_largest<float>(has_lanes_of_it), {type_of(dtype::f32, {4}), type_of(dtype::i32, {4})})
        .with([&](ops::combiner& each) {
          const float values[] = {3, 7, 7, 1};
          const std::int32_t places[] = {0, 1, 2, 3};
          const void* const from[] = {values, places};
          float largest = 0;
          std::int32_t place = -1;
          void* const to[] = {&largest, &place};
          each.start(from, 0);
          for (index_t k = 1; k < 4; ++k) each.take(from, k);
          each.store(to, 0);
          CHECK(largest == 7);
          CHECK(place == 1);
        });
  }
}

TEST_CASE("elements of a narrower type are converted to that of the region") {
  combined(combined_by<float>([](float a, float b) { return a + b; }), {type_of(dtype::f16, {4})})
      .with([&](ops::combiner& each) {
        CHECK(!each.takes_elements_as_they_are());
        const f16 values[] = {f16(2048.0f), f16(1.0f), f16(1.0f)};
        const void* const from[] = {values};
        float sum = 0;
        void* const to[] = {&sum};
        each.start(from, 0);
        each.take(from, 1);
        each.take(from, 2);
        each.store(to, 0);
        // f16 has no 2049.
        CHECK(sum == 2050);
      });
}
