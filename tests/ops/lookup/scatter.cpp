// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/lookup/scatter.hpp>

#include <ops/bodies.hpp>
#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

#include <functional>

namespace tenon::test {
using namespace core;

namespace {

constexpr tensor_type input_type = type_of(dtype::i64, {2, 3, 4, 2}), indices_type = type_of(dtype::i64, {2, 2, 3, 2}),
                      updates_type = type_of(dtype::i64, {2, 2, 3, 2, 2});
constexpr signature adds = combining<dtype::i64>;
constexpr ops::scatter batched{{{3, 4}, {1}, {0}, {1}, {2, 1}, 3}};

static_assert(result_type(batched, {input_type, indices_type, updates_type}, {}, {adds}) == input_type);
static_assert(result_type(ops::scatter{{{}, {0}, {}, {}, {0}, 1}},
                          {type_of(dtype::f32, {3}), type_of(dtype::i32, {2}), type_of(dtype::f32, {2})},
                          {type_of(dtype::f64, {3})}, {combining<dtype::f64>}) == type_of(dtype::f64, {3}));

// `batched` with something changed.
template <class Change>
constexpr std::string_view broken(Change change, const signature& body = adds,
                                  std::initializer_list<tensor_type> operands = {input_type, indices_type,
                                                                                 updates_type},
                                  std::initializer_list<tensor_type> declared = {}) {
  ops::scatter self = batched;
  change(self.scatter_dimension_numbers);
  return broken_by(self, operands, declared, {body});
}
constexpr auto nothing = [](scatter_dimension_numbers&) {};

static_assert(broken(nothing).empty());
static_assert(broken(nothing, adds, {token, indices_type, updates_type}) == "scatter_i1");
static_assert(broken(nothing, adds, {input_type, f32_2x3, updates_type}) == "scatter_i2");
static_assert(broken(nothing, adds, {input_type, indices_type, token}) == "scatter_i3");
static_assert(broken(nothing, adds, {input_type, i64_2x3, indices_type, updates_type, updates_type}) == "scatter_c1");
static_assert(broken([](auto& s) { s.inserted_window_dims = {}; }) == "scatter_c2");
static_assert(broken(nothing, adds, {input_type, input_type, indices_type, updates_type, i64_2x3}) == "scatter_c3");
static_assert(broken(nothing, adds, {input_type, indices_type, updates_type.with_shape({2, 2, 3, 2})}) == "scatter_c8");
static_assert(broken(nothing, adds, {input_type, indices_type, updates_type.with_shape({2, 3, 3, 2, 2})}) ==
              "scatter_c4");
static_assert(broken(nothing, adds, {input_type, indices_type, updates_type.with_shape({2, 2, 3, 5, 2})}) ==
              "scatter_c4");
static_assert(broken(nothing, adds, {}) == "scatter_c5");
static_assert(broken(nothing, adds, {input_type, indices_type}) == "scatter_c5");
static_assert(broken(nothing, adds, {input_type, indices_type, updates_type.with_element(dtype::f64)}) == "scatter_c6");
static_assert(broken([](auto& s) { s.update_window_dims = {4, 3}; }) == "scatter_c7");
static_assert(broken([](auto& s) { s.update_window_dims = {4, 4}; }) == "scatter_c7");
static_assert(broken([](auto& s) { s.update_window_dims = {3, 5}; }) == "scatter_c8");
static_assert(broken([](auto& s) { s.inserted_window_dims = {0}; }) == "scatter_c9");
static_assert(broken([](auto& s) {
                s.inserted_window_dims = {2, 1};
                s.update_window_dims = {3};
              }) == "scatter_c10");
static_assert(broken([](auto& s) { s.inserted_window_dims = {4}; }) == "scatter_c11");
static_assert(broken([](auto& s) { s = {{3, 4}, {}, {1, 0}, {0, 1}, {2, 3}, 3}; }) == "scatter_c12");
static_assert(broken([](auto& s) { s.input_batching_dims = {-1}; }) == "scatter_c13");
static_assert(broken([](auto& s) { s = {{3, 4}, {}, {0, 1}, {1, 1}, {2, 3}, 3}; }) == "scatter_c14");
static_assert(broken([](auto& s) { s.scatter_indices_batching_dims = {4}; }) == "scatter_c15");
static_assert(broken([](auto& s) { s.scatter_indices_batching_dims = {3}; }) == "scatter_c16");
static_assert(broken([](auto& s) { s.scatter_indices_batching_dims = {1, 0}; }) == "scatter_c17");
static_assert(broken([](auto& s) { s.scatter_indices_batching_dims = {2}; }) == "scatter_c18");
static_assert(broken([](auto& s) { s.scatter_dims_to_operand_dims = {2}; }) == "scatter_c19");
static_assert(broken([](auto& s) { s.scatter_dims_to_operand_dims = {0, 1}; }) == "scatter_c20");
static_assert(broken([](auto& s) { s.scatter_dims_to_operand_dims = {4, 1}; }) == "scatter_c21");
static_assert(broken([](auto& s) { s.index_vector_dim = 5; }) == "scatter_c22");
static_assert(broken([](auto& s) { s.index_vector_dim = -1; }) == "scatter_c22");
static_assert(broken(nothing, combining<dtype::i8>) == "scatter_c23");
static_assert(broken(nothing, comparing<dtype::i64>) == "scatter_c23");
static_assert(broken_by(batched, {input_type, indices_type, updates_type}) == "scatter_c23");
static_assert(broken(nothing, adds, {input_type, indices_type, updates_type}, {i64_2x3}) == "scatter_c24");
static_assert(broken(nothing, adds, {input_type, indices_type, updates_type}, {input_type.with_element(dtype::i32)}) ==
              "scatter_c25");

TEST_CASE("the specification's example") {
  const ops::scatter self{{{3, 4}, {1}, {0}, {1}, {2, 1}, 3}};
  const value indices =
      tensor_of<i64>({2, 2, 3, 2}, {0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 0, 9, 0, 0, 2, 1, 2, 2, 1, 2, 0, 1, 1, 0});
  const value updates = tensor_of<i64>({2, 2, 3, 2, 2}, std::vector<i64>(48, 1));
  const value result = evaluate<ui64>(self, {counting<i64>({2, 3, 4, 2}), indices, updates}, {input_type},
                                      combined_by<i64>(std::plus<>()))[0];
  CHECK(result.as<i64>() == std::vector<i64>{3,  4,  6,  7,  6,  7,  7,  8,  9,  10, 11, 12, 15, 16, 17, 18,
                                             17, 18, 19, 20, 22, 23, 24, 25, 25, 26, 28, 29, 30, 31, 31, 32,
                                             35, 36, 38, 39, 38, 39, 39, 40, 41, 42, 44, 45, 46, 47, 47, 48});
}

// The specification's formula, index by index, for a sum.
template <class Index>
bool follows_the_formula(const scatter_dimension_numbers& n, const ints& shape, const ints& indices_shape,
                         const std::vector<Index>& indices, const ints& updates_shape) {
  const value input = counting<i32>(shape), updates = counting<i32>(updates_shape),
              scatter_indices = tensor_of<Index>(indices_shape, indices);
  std::vector<i32> expected = input.as<i32>();
  const std::vector<i32> more = updates.as<i32>();
  for_each_index(updates_shape, [&](const ints& index) {
    const ints scattered = index.without(n.update_window_dims), window = index.select(n.update_window_dims);
    ints at = ints::filled(shape.size, 0);
    for (int k = 0; k < n.scatter_dims_to_operand_dims.size; ++k) {
      ints position;
      int s = 0;
      for (int i = 0; i < indices_shape.size; ++i) position.push(i == n.index_vector_dim ? k : scattered[s++]);
      at.set(n.scatter_dims_to_operand_dims[k], index_t(indices[std::size_t(offset_of(indices_shape, position))]));
    }
    for (int k = 0; k < n.input_batching_dims.size; ++k) {
      const index_t d = n.scatter_indices_batching_dims[k];
      at.set(n.input_batching_dims[k], scattered[d - (d < n.index_vector_dim ? 0 : 1)]);
    }
    int w = 0;
    bool inside = true;
    for (int axis = 0; axis < shape.size; ++axis) {
      if (!n.inserted_window_dims.contains(axis) && !n.input_batching_dims.contains(axis))
        at.set(axis, at[axis] + window[w++]);
      inside = inside && 0 <= at[axis] && at[axis] < shape[axis];
    }
    if (inside) expected[std::size_t(offset_of(shape, at))] += more[std::size_t(offset_of(updates_shape, index))];
  });
  const value result = evaluate<ui32>(ops::scatter{n}, {input, scatter_indices, updates}, {input.type},
                                      combined_by<i32>(std::plus<>()))[0];
  return result.as<i32>() == expected && expected != input.as<i32>();
}

std::vector<i16> scattered_indices(index_t count, int lowest, int highest) {
  std::vector<i16> result;
  unsigned state = 54321;
  for (index_t i = 0; i < count; ++i) {
    state = state * 1103515245u + 12345u;
    result.push_back(i16(lowest + int(state >> 16) % (highest - lowest + 1)));
  }
  return result;
}

TEST_CASE("every element is where the formula says") {
  CHECK(follows_the_formula(batched.scatter_dimension_numbers, {2, 3, 4, 2}, {2, 2, 3, 2}, scattered_indices(24, -2, 5),
                            {2, 2, 3, 2, 2}));
  CHECK(follows_the_formula({{0, 2}, {1}, {}, {}, {1, 2}, 0}, {5, 4, 3}, {2, 7}, scattered_indices(14, -2, 4),
                            {3, 7, 2}));
  CHECK(follows_the_formula({{1}, {0}, {}, {}, {0}, 2}, {6, 3}, {2, 2}, scattered_indices(4, -1, 6), {2, 3, 2}));
  CHECK(follows_the_formula({{2}, {}, {0, 2}, {2, 0}, {1}, 1}, {3, 4, 2}, {2, 1, 3}, scattered_indices(6, -3, 6),
                            {2, 3, 3}));
  CHECK(follows_the_formula({{1, 2}, {}, {}, {}, {}, 1}, {3, 3}, {4, 0}, std::vector<i16>{}, {4, 2, 1}));
}

TEST_CASE("indices far outside are dropped, and parts of windows too") {
  const ops::scatter self{{{1}, {}, {}, {}, {0}, 1}};
  const value indices = tensor_of<i64>({5, 1}, {INT64_MIN, INT64_MAX, -1, 2, -2});
  const value updates = tensor_of<i32>({5, 2}, {1, 1, 1, 1, 100, 10, 20, 200, 300, 300});
  const value result = evaluate<ui32>(self, {tensor_of<i32>({3}, {0, 0, 0}), indices, updates},
                                      {type_of(dtype::i32, {3})}, combined_by<i32>(std::plus<>()))[0];
  CHECK(result.as<i32>() == std::vector<i32>{10, 0, 20});
}

TEST_CASE("the body sees the element first, then the update, in the order of the index vectors") {
  const ops::scatter self{{{}, {0}, {}, {}, {0}, 1}};
  const value indices = tensor_of<i32>({3, 1}, {1, 1, 0}), updates = tensor_of<f32>({3}, {2, 3, 4});
  const value result = evaluate<ui32>(self, {tensor_of<f32>({2}, {10, 20}), indices, updates},
                                      {type_of(dtype::f32, {2})}, combined_by<f32>(std::minus<>()))[0];
  CHECK(result.as<f32>() == std::vector<f32>{6, 15});
}

TEST_CASE("elements are promoted to the types of the body") {
  const ops::scatter self{{{}, {0}, {}, {}, {0}, 1}};
  const value result = evaluate<ui8>(
      self, {tensor_of<i8>({2}, {100, -100}), tensor_of<i32>({2, 1}, {0, 0}), tensor_of<i8>({2}, {100, 100})},
      {type_of(dtype::i32, {2})}, combined_by<i32>(std::plus<>()))[0];
  CHECK(result.as<i32>() == std::vector<i32>{300, -100});
}

TEST_CASE("several inputs") {
  const ops::scatter self{{{}, {0}, {}, {}, {0}, 1}};
  const region_code swaps = [](int, const void* const* arguments, void* const* results) {
    *static_cast<f32*>(results[0]) = f32(*static_cast<const i32*>(arguments[3]));
    *static_cast<i32*>(results[1]) = i32(*static_cast<const f32*>(arguments[2]));
  };
  const auto results = evaluate<ui32>(self,
                                      {tensor_of<f32>({2}, {1, 2}), tensor_of<i32>({2}, {3, 4}),
                                       tensor_of<ui8>({1}, {1}), tensor_of<f32>({1}, {50}), tensor_of<i32>({1}, {60})},
                                      {type_of(dtype::f32, {2}), type_of(dtype::i32, {2})},
                                      {swaps, {combining_two<dtype::f32, dtype::i32>}});
  CHECK(results[0].as<f32>() == std::vector<f32>{1, 60});
  CHECK(results[1].as<i32>() == std::vector<i32>{3, 50});
}

}  // namespace
}  // namespace tenon::test
