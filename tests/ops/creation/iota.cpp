// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/creation/iota.hpp>

#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

static_assert(result_type(ops::iota{1}, {}, {f32_2x3}) == f32_2x3);
static_assert(result_type(ops::iota{0}, {}, {q8_2x3}, {}, &quantized_details) == q8_2x3);

static_assert(broken_by(ops::iota{0}, {}) == "iota_o1");
static_assert(broken_by(ops::iota{0}, {}, {i1_2x3}) == "iota_o1");
static_assert(broken_by_quantized(ops::iota{0}, {}, {axis0_2x3}) == "iota_o1");
static_assert(broken_by(ops::iota{2}, {}, {f32_2x3}) == "iota_c1");
static_assert(broken_by(ops::iota{-1}, {}, {f32_2x3}) == "iota_c1");

template <class T>
std::vector<T> indices(const ops::iota& self, const ints& shape) {
  return evaluate<T>(self, {}, {type_of(dtype_of<T>, shape)})[0].template as<T>();
}

TEST_CASE("the specification's example") {
  CHECK(indices<i32>({0}, {4, 5}) == std::vector<i32>{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3});
  CHECK(indices<i32>({1}, {4, 5}) == std::vector<i32>{0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4});
}

TEST_CASE("every element is its index") {
  const ints shape{3, 5, 7};
  for (int axis = 0; axis < 3; ++axis) {
    const std::vector<f64> found = indices<f64>({axis}, shape);
    for_each_index(shape,
                   [&](const ints& index) { CHECK(found[std::size_t(offset_of(shape, index))] == f64(index[axis])); });
  }
  CHECK(indices<f32>({1}, {4, 0}).empty());
}

template <class T>
bool counts(index_t size) {
  const std::vector<T> found = indices<T>({0}, {size});
  bool all = index_t(found.size()) == size;
  for (index_t k = 0; all && k < size; ++k) all = found[std::size_t(k)] == convert_to<T>(k);
  return all;
}
TEST_CASE_TEMPLATE("vectors of indices", T, i8, i16, i32, i64, ui8, ui16, ui32, ui64, f32, f64) {
  for (const index_t size : {1, 7, 64, 300, 70001}) CHECK(counts<T>(size));
}
TEST_CASE("indices beyond the digits of a float") { CHECK(counts<f32>((1 << 24) + 100)); }

TEST_CASE("elements that cannot hold every index") {
  const std::vector<i8> wrapped = indices<i8>({0}, {258});
  CHECK(wrapped[127] == 127);
  CHECK(wrapped[128] == -128);
  CHECK(wrapped[257] == 1);
  CHECK(indices<i4>({0}, {10})[9] == i4(-7));
  CHECK(indices<bf16>({0}, {258})[257] == bf16(256));
  CHECK(indices<complex<f32>>({0}, {3})[2] == complex<f32>{2, 0});
}

TEST_CASE("quantized indices") {
  // scale 0.5, zero point -20
  const value found = evaluate<i8>(ops::iota{0}, {}, {quantized(dtype::i8, 2, {80})}, {{}, {}, &quantized_details})[0];
  CHECK(found.as<i8>()[0] == -20);
  CHECK(found.as<i8>()[3] == -14);
  CHECK(found.as<i8>()[79] == 127);
}

}  // namespace
}  // namespace tenon::test
