// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/lookup/indexed_fold.hpp>

#include <tenon/ops/elementwise/add.hpp>
#include <tenon/ops/elementwise/maximum.hpp>
#include <tenon/ops/lookup/scatter.hpp>

#include "kernels/written_lanes.hpp"
#include "ops/bodies.hpp"
#include "ops/evaluate.hpp"

#include <doctest/doctest.h>
#include <shared/inference.hpp>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

constexpr bool is_range(const index_range& range, index_t begin, index_t end) {
  return range.begin == begin && range.end == end;
}
static_assert(is_range(part_inside(0, 3, 5), 0, 3));
static_assert(is_range(part_inside(3, 3, 5), 0, 2));
static_assert(is_range(part_inside(4, 3, 5), 0, 1));
static_assert(is_range(part_inside(-1, 3, 5), 1, 3));
static_assert(is_range(part_inside(-1, 5, 3), 1, 4));
static_assert(is_range(part_inside(5, 3, 5), 0, 0));
static_assert(is_range(part_inside(-3, 3, 5), 0, 0));
static_assert(is_range(part_inside(INT64_MIN, 3, 5), 0, 0));
static_assert(is_range(part_inside(INT64_MAX, 3, 5), 0, 0));

template <class Body, class T>
struct by_kernel : ops::scatter {
  template <class>
  void evaluate(const evaluation& e) const {
    indexed_fold_kernel<ops::scatter, Body, T>(e);
  }
};

struct by_region : ops::scatter {
  template <class>
  void evaluate(const evaluation& e) const {
    scatter_kernel<ops::scatter>(e);
  }
};

template <class T>
value sample(const ints& shape, int low, int high, unsigned state) {
  std::vector<T> elements;
  for (index_t i = 0; i < shape.product(); ++i) {
    state = state * 1664525u + 1013904223u;
    elements.push_back(convert_to<T>(f32(low + int(state >> 16) % (high - low))));
  }
  return tensor_of<T>(shape, elements);
}

// Against the op itself, which calls its region for one element after the other.
template <class Body, class T, class I>
void check(const ops::scatter& op, const ints& shape, const ints& indices, const ints& updates) {
  const value input = sample<T>(shape, -9, 9, 1), update = sample<T>(updates, -9, 9, 2);
  const index_t longest = shape.product() == 0 ? 1 : shape[0];
  const value places = sample<I>(indices, std::is_signed_v<I> ? -2 : 0, int(longest < 60 ? longest + 3 : 60), 3);
  const auto body = combined_by<T>([](T a, T b) { return combine_elements<Body, T>(a, b); });
  REQUIRE(broken_by(op, {input.type, places.type, update.type}, {}, {combining<dtype_of<T>>}) == "");
  const value wanted = evaluate<T>(op, {input, places, update}, {input.type}, body)[0];
  const value got = evaluate<T>(by_kernel<Body, T>{op}, {input, places, update}, {input.type})[0];
  CHECK(got.bytes == wanted.bytes);
  for (const bool prepared : {false, true}) {
    const auto region = weighted<T>(convert_to<T>(2.0f), prepared);
    const value each = evaluate<T>(op, {input, places, update}, {input.type}, region)[0];
    const value many = evaluate<T>(by_region{op}, {input, places, update}, {input.type}, region)[0];
    CHECK(many.bytes == each.bytes);
  }
}

template <class T, class I>
void check_all() {
  const auto both = [](const ops::scatter& op, const ints& shape, const ints& indices, const ints& updates) {
    check<ops::add, T, I>(op, shape, indices, updates);
    check<ops::maximum, T, I>(op, shape, indices, updates);
  };
  const auto numbers = [](const ints& window_dims, const ints& inserted, const ints& batching, const ints& with,
                          const ints& map, index_t vector) {
    return ops::scatter{{window_dims, inserted, batching, with, map, vector}};
  };
  // Single elements: many times the same ones, some outside.
  both(numbers({}, {0}, {}, {}, {0}, 1), {50}, {700, 1}, {700});
  both(numbers({}, {0}, {}, {}, {0}, 1), {50}, {700}, {700});
  both(numbers({}, {0}, {}, {}, {0}, 0), {50}, {1, 300}, {300});
  both(numbers({}, {0, 1}, {}, {}, {1, 0}, 2), {7, 9}, {5, 67, 2}, {5, 67});
  both(numbers({}, {0, 1}, {}, {}, {1, 0}, 1), {7, 9}, {5, 2, 67}, {5, 67});
  both(numbers({}, {1}, {0}, {0}, {1}, 2), {3, 9}, {3, 40, 1}, {3, 40});
  both(numbers({}, {0}, {1}, {1}, {0}, 2), {9, 300}, {4, 300, 1}, {4, 300});
  both(numbers({1, 2}, {}, {}, {}, {0, 1}, 1), {7, 9}, {60, 2}, {60, 1, 1});
  both(numbers({}, {0}, {}, {}, {0}, 0), {5}, {1}, {});
  both(numbers({}, {0}, {}, {}, {0}, 1), {5}, {0, 1}, {0});
  // Windows, of which some lie outside in part.
  both(numbers({1}, {0}, {}, {}, {0}, 1), {7, 37}, {9, 1}, {9, 37});
  both(numbers({1}, {}, {}, {}, {0}, 1), {50}, {9, 1}, {9, 20});
  both(numbers({0}, {}, {}, {}, {0}, 1), {50}, {9, 1}, {20, 9});
  both(numbers({1, 2}, {}, {}, {}, {1, 0}, 1), {12, 40}, {9, 2}, {9, 3, 33});
}

}  // namespace

TEST_CASE("updates are combined one after the other, as the op does it") {
  check_all<f32, i32>();
  check_all<i8, i64>();
  check_all<bf16, i32>();
  check_all<f16, ui8>();
  check_all<f64, ui32>();
  check_all<i32, i16>();
}
