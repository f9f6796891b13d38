// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/lookup/gather.hpp>

#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
using namespace core;

namespace {

constexpr tensor_type operand_type = type_of(dtype::i32, {2, 3, 4, 2}),
                      indices_type = type_of(dtype::i64, {2, 2, 3, 2}),
                      result_shape = type_of(dtype::i32, {2, 2, 3, 2, 2});
constexpr gather_dimension_numbers numbers{{3, 4}, {1}, {0}, {1}, {2, 1}, 3};
constexpr ops::gather batched{numbers, {1, 1, 2, 2}};

static_assert(result_type(batched, {operand_type, indices_type}) == result_shape);
static_assert(result_type(ops::gather{{{1}, {0}, {}, {}, {0}, 1}, {1, 3}}, {f32_2x3, type_of(dtype::ui8, {5})}) ==
              type_of(dtype::f32, {5, 3}));

// `batched` with something changed.
template <class Change>
constexpr std::string_view broken(Change change, const tensor_type& operand = operand_type,
                                  const tensor_type& indices = indices_type,
                                  std::initializer_list<tensor_type> declared = {}) {
  ops::gather self = batched;
  change(self);
  return broken_by(self, {operand, indices}, declared);
}
constexpr auto nothing = [](ops::gather&) {};

static_assert(broken(nothing).empty());
static_assert(broken(nothing, token) == "gather_i1");
static_assert(broken_by_quantized(batched, {quantized(dtype::i8, 5, {2, 3, 4, 2}), indices_type}) == "gather_i1");
static_assert(broken(nothing, operand_type, f32_2x3) == "gather_i2");
static_assert(broken([](auto& g) { g.dimension_numbers.collapsed_slice_dims = {}; }) == "gather_c1");
static_assert(broken([](auto& g) { g.dimension_numbers.index_vector_dim = -1; }) == "gather_c2");
static_assert(broken([](auto& g) { g.dimension_numbers.index_vector_dim = 5; }) == "gather_c2");
static_assert(broken([](auto& g) { g.dimension_numbers.start_index_map = {2}; }) == "gather_c3");
static_assert(broken([](auto& g) { g.dimension_numbers.index_vector_dim = 4; }) == "gather_c3");
static_assert(broken([](auto& g) { g.dimension_numbers.offset_dims = {4, 3}; }) == "gather_c4");
static_assert(broken([](auto& g) { g.dimension_numbers.offset_dims = {3, 3}; }) == "gather_c4");
static_assert(broken([](auto& g) { g.dimension_numbers.offset_dims = {3, 5}; }) == "gather_c5");
static_assert(broken([](auto& g) { g.dimension_numbers.collapsed_slice_dims = {0}; }) == "gather_c6");
static_assert(broken([](auto& g) {
                g.dimension_numbers.collapsed_slice_dims = {2, 1};
                g.dimension_numbers.offset_dims = {3};
              }) == "gather_c7");
static_assert(broken([](auto& g) { g.dimension_numbers.collapsed_slice_dims = {4}; }) == "gather_c8");
static_assert(broken([](auto& g) { g.dimension_numbers.collapsed_slice_dims = {-1}; }) == "gather_c8");
static_assert(broken([](auto& g) { g.slice_sizes = {1, 2, 2, 2}; }) == "gather_c9");
static_assert(broken([](auto& g) { g.dimension_numbers = {{3, 4}, {}, {1, 0}, {0, 1}, {2, 3}, 3}; }) == "gather_c10");
static_assert(broken([](auto& g) { g.dimension_numbers.operand_batching_dims = {4}; }) == "gather_c11");
static_assert(broken([](auto& g) { g.slice_sizes = {2, 1, 2, 2}; }) == "gather_c12");
static_assert(broken([](auto& g) { g.dimension_numbers = {{3, 4}, {}, {0, 1}, {1, 1}, {2, 3}, 3}; }) == "gather_c13");
static_assert(broken([](auto& g) { g.dimension_numbers.start_indices_batching_dims = {-1}; }) == "gather_c14");
static_assert(broken([](auto& g) { g.dimension_numbers.start_indices_batching_dims = {3}; }) == "gather_c15");
static_assert(broken([](auto& g) { g.dimension_numbers.start_indices_batching_dims = {1, 0}; }) == "gather_c16");
static_assert(broken([](auto& g) { g.dimension_numbers.start_indices_batching_dims = {2}; }) == "gather_c17");
static_assert(broken([](auto& g) { g.dimension_numbers.start_index_map = {0, 1}; }) == "gather_c18");
static_assert(broken([](auto& g) { g.dimension_numbers.start_index_map = {2, 4}; }) == "gather_c19");
static_assert(broken([](auto& g) { g.slice_sizes = {1, 1, 2}; }) == "gather_c20");
static_assert(broken([](auto& g) { g.slice_sizes = {1, 1, 5, 2}; }) == "gather_c21");
static_assert(broken([](auto& g) { g.slice_sizes = {1, 1, -1, 2}; }) == "gather_c21");
static_assert(broken(nothing, operand_type, indices_type, {f32_2x3.with_element(dtype::i32)}) == "gather_c22");
static_assert(broken(nothing, operand_type, indices_type, {result_shape.with_element(dtype::f32)}) == "gather_c23");

TEST_CASE("the specification's example") {
  const value indices =
      tensor_of<i64>({2, 2, 3, 2}, {0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 0, 9, 0, 0, 2, 1, 2, 2, 1, 2, 0, 1, 1, 0});
  const value found = move(batched, {counting<i32>({2, 3, 4, 2}), indices}, result_shape);
  CHECK(found.as<i32>() == std::vector<i32>{1,  2,  3,  4,  3,  4,  5,  6,  13, 14, 15, 16, 33, 34, 35, 36,
                                            35, 36, 37, 38, 41, 42, 43, 44, 1,  2,  3,  4,  13, 14, 15, 16,
                                            21, 22, 23, 24, 43, 44, 45, 46, 33, 34, 35, 36, 27, 28, 29, 30});
}

// The specification's formula, index by index.
template <class T, class Index>
bool follows_the_formula(const ops::gather& self, const ints& shape, const ints& indices_shape,
                         const std::vector<Index>& indices) {
  const gather_dimension_numbers& n = self.dimension_numbers;
  const value operand = counting<T>(shape), start_indices = tensor_of<Index>(indices_shape, indices);
  const tensor_type type = result_type(self, {operand.type, start_indices.type});
  const std::vector<T> from = operand.as<T>(), to = move(self, {operand, start_indices}, type).template as<T>();
  bool same = type.rank() > 0;
  for_each_index(type.shape, [&](const ints& index) {
    const ints batch = index.without(n.offset_dims), offset = index.select(n.offset_dims);
    ints operand_index = ints::filled(shape.size, 0);
    for (int k = 0; k < n.start_index_map.size; ++k) {
      ints position;
      int b = 0;
      for (int i = 0; i < indices_shape.size; ++i) position.push(i == n.index_vector_dim ? k : batch[b++]);
      const index_t axis = n.start_index_map[k], last = shape[axis] - self.slice_sizes[axis];
      const auto start = index_t(indices[std::size_t(offset_of(indices_shape, position))]);
      operand_index.set(axis, start < 0 ? 0 : start > last ? last : start);
    }
    for (int k = 0; k < n.operand_batching_dims.size; ++k) {
      const index_t d = n.start_indices_batching_dims[k];
      operand_index.set(n.operand_batching_dims[k], batch[d - (d < n.index_vector_dim ? 0 : 1)]);
    }
    int o = 0;
    for (int axis = 0; axis < shape.size; ++axis)
      if (!n.collapsed_slice_dims.contains(axis) && !n.operand_batching_dims.contains(axis))
        operand_index.set(axis, operand_index[axis] + offset[o++]);
    same = same && to[std::size_t(offset_of(type.shape, index))] == from[std::size_t(offset_of(shape, operand_index))];
  });
  return same;
}

template <class Index>
std::vector<Index> scattered_indices(index_t count, int lowest, int highest) {
  std::vector<Index> result;
  unsigned state = 12345;
  for (index_t i = 0; i < count; ++i) {
    state = state * 1103515245u + 12345u;
    result.push_back(Index(lowest + int(state >> 16) % (highest - lowest + 1)));
  }
  return result;
}

TEST_CASE("every element is where the formula says") {
  CHECK(follows_the_formula<i32>(batched, {2, 3, 4, 2}, {2, 2, 3, 2}, scattered_indices<i64>(24, -2, 5)));
  // the index vectors lie along the first dimension, the offsets come first
  CHECK(follows_the_formula<ui8>({{{0, 2}, {1}, {}, {}, {1, 2}, 0}, {3, 1, 2}}, {5, 4, 3}, {2, 7},
                                 scattered_indices<i8>(14, -1, 4)));
  // no dimension of index vectors
  CHECK(
      follows_the_formula<f64>({{{1}, {0}, {}, {}, {0}, 2}, {1, 3}}, {6, 3}, {2, 2}, scattered_indices<ui32>(4, 0, 9)));
  // two batching dimensions in another order, on both sides of the index vectors
  CHECK(follows_the_formula<complex<f64>>({{{2}, {}, {0, 2}, {2, 0}, {1}, 1}, {1, 2, 1}}, {3, 4, 2}, {2, 1, 3},
                                          scattered_indices<i16>(6, -3, 6)));
  // no start indices at all: every slice begins at the origin
  CHECK(follows_the_formula<f32>({{{1, 2}, {}, {}, {}, {}, 1}, {2, 1}}, {3, 3}, {4, 0}, std::vector<i32>{}));
}

TEST_CASE("indices of any size are moved inside") {
  const ops::gather self{{{}, {0}, {}, {}, {0}, 1}, {1}};
  const value indices = tensor_of<i64>({4}, {INT64_MIN, INT64_MAX, -1, 2});
  CHECK(move(self, {counting<i32>({3}), indices}, type_of(dtype::i32, {4})).as<i32>() == std::vector<i32>{1, 3, 1, 3});
  const value narrow = tensor_of<i32>({4}, {INT32_MIN, INT32_MAX, -1, 2});
  CHECK(move(self, {counting<i32>({3}), narrow}, type_of(dtype::i32, {4})).as<i32>() == std::vector<i32>{1, 3, 1, 3});
  const value large = tensor_of<ui64>({2}, {UINT64_MAX, 1});
  CHECK(move(self, {counting<i32>({3}), large}, type_of(dtype::i32, {2})).as<i32>() == std::vector<i32>{3, 2});
}

TEST_CASE("slices without elements are not written") {
  const f32 operand[2] = {1, 2};
  const i32 indices[3] = {0, 1, 0};
  f32 behind[1] = {7};
  const void* const operands[] = {operand, indices};
  void* const results[] = {behind};
  const tensor_type operand_types[] = {type_of(dtype::f32, {2, 1}), type_of(dtype::i32, {3})},
                    result_types[] = {type_of(dtype::f32, {3, 0})};
  evaluation e;
  e.operands = {operands, 2}, e.results = {results, 1};
  e.operand_types = {operand_types, 2}, e.result_types = {result_types, 1};
  const gather_dimension_numbers of_rows{{1}, {0}, {}, {}, {0}, 1};
  gather_slices<f32>(e, of_rows.windows());
  CHECK(behind[0] == 7);
}

}  // namespace
}  // namespace tenon::test
