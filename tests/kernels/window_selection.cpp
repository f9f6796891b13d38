// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/window_selection.hpp>

#include <tenon/ops/reduction/select_and_scatter.hpp>

#include "kernels/written_lanes.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

template <class T>
value numbers(const ints& shape, index_t seed) {
  std::vector<T> elements;
  for (index_t i = 0; i < shape.product(); ++i) elements.push_back(convert_to<T>(f32((i + seed) * i % 13) - 4));
  return tensor_of<T>(shape, elements);
}

// Selects by x >= y, and combines by x * factor + y.
template <class T>
surroundings around(bool has_lanes_of_it) {
  const T factor = convert_to<T>(3.0f);
  const surroundings scatter = weighted(factor, true);
  surroundings result{[scatter](int region, const void* const* arguments, void* const* results) {
                        if (region == 1) return scatter.regions(region, arguments, results);
                        const T x = *static_cast<const T*>(arguments[0]), y = *static_cast<const T*>(arguments[1]);
                        const bool stays = convert_to<f32>(x) >= convert_to<f32>(y);
                        std::memcpy(results[0], &stays, 1);
                      },
                      {comparing<dtype_of<T>>, combining<dtype_of<T>>}};
  if (has_lanes_of_it)
    result.lanes = [keeps = lanes_of_at_least<T>(), weights = weighted_lanes(factor)](int region) {
      return region == 1 ? weights->function() : keeps->function();
    };
  return result;
}

template <class T>
void check(const ints& shape, const ops::window_attributes& window) {
  const ops::select_and_scatter op{window.dimensions, window.strides, window.padding};
  const std::vector<value> operands{numbers<T>(shape, 3), numbers<T>(window.count(shape), 5),
                                    scalar_of(convert_to<T>(1.0f))};
  const tensor_type type = type_of(dtype_of<T>, shape);
  const auto wanted = evaluate<std::uint8_t>(op, operands, {type}, around<T>(false));
  bool served = false;
  const auto found =
      evaluate_by([&](const evaluation& e) { served = select_by_bodies<ops::select_and_scatter, bytes_like<T>>(e); },
                  op, operands, {type}, around<T>(true));
  CHECK(served);
  CHECK(found[0].bytes == wanted[0].bytes);
}

template <class T>
void check_shapes() {
  const ints_table none{};
  check<T>({10, 12, 70}, {{2, 2, 1}, {2, 2, 1}, {}, {}, none});
  check<T>({9, 11, 7}, {{3, 3, 1}, {2, 2, 1}, {}, {}, {{1, 1}, {0, 1}, {0, 0}}});
  check<T>({9, 11, 7}, {{3, 3, 1}, {1, 1, 1}, {}, {}, none});
  check<T>({3, 40, 41}, {{1, 3, 3}, {1, 2, 2}, {}, {}, {{0, 0}, {1, 1}, {2, 1}}});
  check<T>({3, 40, 41}, {{1, 2, 2}, {}, {}, {}, none});
  check<T>({2, 30, 31}, {{1, 5, 4}, {1, 2, 3}, {}, {}, {{0, 0}, {4, 1}, {2, 3}}});
  check<T>({5000}, {{3}, {2}, {}, {}, {{1, 1}}});
  check<T>({5000}, {{50}, {7}, {}, {}, none});
  check<T>({4, 6}, {{1, 3}, {1, 1}, {}, {}, {{2, 3}, {4, -2}}});
  check<T>({2, 2}, {{3, 3}, {}, {}, {}, none});
  check<T>({}, {});
}

}  // namespace

TEST_CASE("many windows at a time choose and scatter as one after the other does") {
  check_shapes<f32>(), check_shapes<f64>(), check_shapes<bf16>(), check_shapes<i32>(), check_shapes<i8>();
}
