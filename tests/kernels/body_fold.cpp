// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/body_fold.hpp>

#include <tenon/ops/reduction/reduce.hpp>
#include <tenon/ops/reduction/reduce_window.hpp>

#include "kernels/written_lanes.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

template <class T>
value numbers(const ints& shape) {
  std::vector<T> elements;
  for (index_t i = 0; i < shape.product(); ++i) {
    if constexpr (std::is_integral_v<T>)
      elements.push_back(T(i * i % 37 - 9));
    else
      elements.push_back(convert_to<T>(f32(i * i % 37) * 0.75f - 9));
  }
  return tensor_of<T>(shape, elements);
}
value places(const ints& shape) {
  std::vector<i32> elements;
  for (index_t i = 0; i < shape.product(); ++i) elements.push_back(i32(i));
  return tensor_of<i32>(shape, elements);
}

// By the op itself, element by element, and for many at a time.
template <class Op>
void check(const Op& op, const std::vector<value>& operands, const std::vector<tensor_type>& types,
           const surroundings& plain, const surroundings& prepared) {
  const auto wanted = evaluate<std::uint8_t>(op, operands, types, plain);
  bool served = false;
  const auto found =
      evaluate_by([&](const evaluation& e) { served = fold_by_body<Op>(e); }, op, operands, types, prepared);
  CHECK(served);
  for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(found[i].bytes == wanted[i].bytes);
}

template <class T>
void check_folds(const T& factor, const T& initial) {
  const auto both = [&](const ints& shape, const ints& axes) {
    check(ops::reduce{axes}, {numbers<T>(shape), scalar_of(initial)}, {type_of(dtype_of<T>, shape.without(axes))},
          weighted(factor, false), weighted(factor, true));
  };
  both({40, 33}, {1}), both({40, 33}, {0}), both({7, 40, 33}, {1}), both({7, 40, 3}, {1}), both({7, 40, 3}, {0, 2});
  both({5, 1, 300, 3}, {3, 1}), both({1300, 2}, {1}), both({2, 1300}, {0}), both({3, 4}, {0, 1}), both({3, 4}, {});
  both({1000}, {0}), both({}, {}), both({0, 5}, {0}), both({5, 0}, {0}), both({4, 3, 5, 7}, {1, 3}), both({1, 1}, {0});
}

template <class T>
void check_windows(const T& factor, const T& initial) {
  const auto both = [&](const ints& shape, const ops::window_attributes& window) {
    const ops::reduce_window op{window.dimensions, window.strides, window.base_dilations, window.window_dilations,
                                window.padding};
    check(op, {numbers<T>(shape), scalar_of(initial)}, {type_of(dtype_of<T>, window.count(shape))},
          weighted(factor, false), weighted(factor, true));
  };
  const ints_table none{};
  both({40, 37}, {{3, 3}, {}, {}, {}, none});
  both({1, 9, 11, 37}, {{1, 2, 2, 1}, {1, 2, 2, 1}, {}, {}, none});
  both({1, 9, 11, 3}, {{1, 3, 3, 1}, {1, 1, 1, 1}, {}, {}, {{0, 0}, {1, 1}, {1, 1}, {0, 0}}});
  both({3, 9, 70}, {{1, 3, 3}, {1, 2, 2}, {}, {}, {{0, 0}, {0, 1}, {2, 1}}});
  both({2500}, {{8}, {1}, {}, {}, none});
  both({2500}, {{5}, {2}, {}, {3}, {{4, 9}}});
  both({40, 3}, {{5, 1}, {3, 1}, {2, 1}, {2, 1}, {{-2, 3}, {0, 0}}});
  both({40, 33}, {{2, 4}, {1, 1}, {1, 2}, {1, 3}, {{0, 0}, {-1, 2}}});
  both({3, 20, 70}, {{2, 3, 3}, {}, {}, {}, none});
  both({5, 12, 90}, {{2, 2, 3}, {2, 1, 1}, {}, {1, 2, 4}, none});
  both({2, 9, 11, 3}, {{1, 3, 3, 1}, {}, {}, {}, none});
  both({30, 40}, {{3, 38}, {}, {}, {}, none});
  both({3, 2}, {{4, 1}, {}, {}, {}, none});
  both({}, {});
  // Parted by strides, with and without padding, holes and dimensions in front.
  both({3, 8, 34}, {{1, 2, 2}, {1, 2, 2}, {}, {}, none});
  both({2, 3, 9, 21}, {{1, 1, 3, 3}, {1, 1, 2, 2}, {}, {}, {{0, 0}, {0, 0}, {1, 1}, {1, 1}}});
  both({3, 7, 131}, {{1, 3, 2}, {1, 2, 2}, {}, {1, 3, 1}, {{0, 0}, {5, 4}, {0, 3}}});
  both({3, 7, 40}, {{2, 2, 3}, {1, 3, 2}, {2, 1, 1}, {1, 1, 2}, {{1, 1}, {0, 1}, {2, 3}}});
  both({6, 50}, {{2, 3}, {2, 2}, {2, 3}, {1, 2}, {{1, 2}, {3, 1}}});
  both({12, 50}, {{3, 3}, {3, 3}, {}, {}, none});
  both({12, 50}, {{3, 4}, {4, 5}, {}, {2, 3}, {{-1, 2}, {7, -3}}});
  both({12, 50}, {{3, 3}, {9, 11}, {}, {}, {{1, 1}, {1, 1}}});
  both({5, 3000}, {{3, 3}, {2, 2}, {}, {}, {{1, 1}, {1, 1}}});
  both({4, 5, 6, 7}, {{2, 2, 2, 2}, {2, 2, 2, 2}, {}, {}, {{1, 0}, {0, 1}, {1, 1}, {0, 1}}});
  both({4, 5, 6, 1}, {{1, 2, 2, 1}, {1, 2, 2, 1}, {}, {}, {{0, 0}, {0, 1}, {1, 1}, {0, 0}}});
  both({5, 6}, {{2, 2}, {2, 2}, {}, {}, {{9, 9}, {9, 9}}});
  both({5, 6}, {{2, 2}, {2, 2}, {}, {}, {{-2, -1}, {-3, 0}}});
}

}  // namespace

TEST_CASE("bodies of several ops fold many results at a time as they fold one") {
  check_folds<f32>(0.5f, 0.25f), check_folds<f64>(0.5, 0.25), check_folds<i32>(3, 1), check_folds<i8>(i8(3), i8(1));
  check_folds<f16>(convert_to<f16>(0.5f), convert_to<f16>(0.25f));
  check_folds<complex<f64>>({0.5, 1}, {1, 2});
}

TEST_CASE("bodies of several ops fold what is under many windows at a time as they fold one") {
  check_windows<f32>(0.5f, 0.25f), check_windows<f64>(0.5, 0.25), check_windows<i8>(i8(3), i8(1));
  check_windows<bf16>(convert_to<bf16>(0.5f), convert_to<bf16>(0.25f));
  check_windows<complex<f64>>({0.5, 1}, {1, 2});
}

TEST_CASE("the place of the largest element: two inputs, and long rows in parts") {
  const auto both = [](const ints& shape, const ints& axes) {
    const ints to = shape.without(axes);
    check(ops::reduce{axes}, {numbers<f32>(shape), places(shape), scalar_of(-100.0f), scalar_of(i32(-1))},
          {type_of(dtype::f32, to), type_of(dtype::i32, to)}, place_of_largest<f32>(false),
          place_of_largest<f32>(true));
    check(ops::reduce{axes}, {numbers<i8>(shape), places(shape), scalar_of(i8(-100)), scalar_of(i32(-1))},
          {type_of(dtype::i8, to), type_of(dtype::i32, to)}, place_of_largest<i8>(false), place_of_largest<i8>(true));
  };
  both({37, 41}, {1}), both({37, 41}, {0}), both({3, 50, 41}, {0, 2});
  both({20000}, {0}), both({3, 1025}, {1}), both({2, 1, 70, 53}, {1, 2, 3}), both({5, 16385}, {1}),
      both({2, 1024}, {1});
}

TEST_CASE("the place of the largest under windows: two inputs of elements of one size, or two") {
  const auto both = [](const ints& shape, const ops::window_attributes& window) {
    const ops::reduce_window op{window.dimensions, window.strides, window.base_dilations, window.window_dilations,
                                window.padding};
    const ints to = window.count(shape);
    check(op, {numbers<f32>(shape), places(shape), scalar_of(-100.0f), scalar_of(i32(-1))},
          {type_of(dtype::f32, to), type_of(dtype::i32, to)}, place_of_largest<f32>(false),
          place_of_largest<f32>(true));
    check(op, {numbers<i8>(shape), places(shape), scalar_of(i8(-100)), scalar_of(i32(-1))},
          {type_of(dtype::i8, to), type_of(dtype::i32, to)}, place_of_largest<i8>(false), place_of_largest<i8>(true));
  };
  both({4, 8, 34}, {{1, 2, 2}, {1, 2, 2}, {}, {}, {}});
  both({4, 9, 35}, {{1, 3, 3}, {1, 2, 2}, {}, {}, {{0, 0}, {1, 1}, {1, 1}}});
  both({40, 33}, {{2, 4}, {1, 1}, {1, 2}, {1, 3}, {{0, 0}, {-1, 2}}});
  both({2, 7, 9, 5}, {{1, 2, 2, 1}, {1, 2, 2, 1}, {}, {}, {{0, 0}, {1, 1}, {0, 1}, {0, 0}}});
  // Growing windows, from the first place on and up to the last.
  both({19, 40}, {{1, 40}, {}, {}, {}, {{0, 0}, {39, 0}}}), both({19, 40}, {{1, 40}, {}, {}, {}, {{0, 0}, {0, 39}}});
  both({3, 21, 18}, {{1, 21, 1}, {}, {}, {}, {{0, 0}, {20, 0}, {0, 0}}});
  both({3, 21, 18}, {{1, 21, 1}, {}, {}, {}, {{0, 0}, {3, 40}, {0, 0}}});
}

TEST_CASE("growing windows are combined in order, if the initial value stands for any number of itself") {
  for (const f32 initial : {0.0f, 0.25f})
    for (const ops::window_attributes& window : {ops::window_attributes{{1, 40}, {}, {}, {}, {{0, 0}, {39, 0}}},
                                                 {{19, 1}, {}, {}, {}, {{18, 0}, {0, 0}}},
                                                 {{30, 1}, {}, {}, {}, {{29, 5}, {0, 0}}}}) {
      const ops::reduce_window op{window.dimensions, window.strides, window.base_dilations, window.window_dilations,
                                  window.padding};
      check(op, {numbers<f32>({19, 40}), scalar_of(initial)}, {type_of(dtype::f32, window.count({19, 40}))},
            weighted(0.5f, false), weighted(0.5f, true));
    }
}

TEST_CASE("regions that are not made of ops on elements, or of elements of other types, are left alone") {
  const auto is_supported = [](const surroundings& around, dtype result) {
    bool served = true;
    evaluate_by([&](const evaluation& e) { served = fold_by_body<ops::reduce>(e); }, ops::reduce{{0}},
                {numbers<f32>({5}), scalar_of(0.0f)}, {type_of(result)}, around);
    return served;
  };
  CHECK(is_supported(weighted(0.5f, true), dtype::f32));
  CHECK(!is_supported(weighted(0.5f, false), dtype::f32));
  CHECK(!is_supported({nullptr, {combining<dtype::f64>}, nullptr, weighted(0.5f, true).lanes}, dtype::f64));
}
