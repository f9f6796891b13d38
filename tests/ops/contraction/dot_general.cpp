// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/contraction/dot_general.hpp>

#include "ops/evaluate.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::test;

namespace {

constexpr ops::dot_general contracting(const ints& lhs, const ints& rhs, const ints& lhs_batching = {},
                                       const ints& rhs_batching = {}) {
  return {.dot_dimension_numbers = {lhs_batching, rhs_batching, lhs, rhs}};
}
constexpr ops::dot_general matrices = contracting({1}, {0});

// Types.

constexpr tensor_type f32_2x2 = type_of(dtype::f32, {2, 2}), f32_3x3 = type_of(dtype::f32, {3, 3});
static_assert(result_type(matrices, {f32_2x3, f32_3x2}) == f32_2x2);
static_assert(result_type(contracting({0}, {1}), {f32_2x3, f32_3x2}) == f32_3x3);
static_assert(result_type(contracting({0, 1}, {1, 0}), {f32_2x3, f32_3x2}) == f32_scalar);
static_assert(result_type(contracting({}, {}), {f32_2x3, f32_3x2}) == type_of(dtype::f32, {2, 3, 3, 2}));
static_assert(result_type(contracting({}, {}, {1}, {0}), {f32_2x3, f32_3x2}) == type_of(dtype::f32, {3, 2, 2}));
static_assert(result_type(contracting({1}, {1}, {0, 2}, {2, 0}),
                          {type_of(dtype::i8, {2, 3, 4}), type_of(dtype::i8, {4, 3, 2})}) ==
              type_of(dtype::i8, {2, 4}));
static_assert(result_type(matrices, {type_of(dtype::i8, {2, 3}), type_of(dtype::i8, {3, 2})},
                          {type_of(dtype::i32, {2, 2})}) == type_of(dtype::i32, {2, 2}));
static_assert(result_type(matrices, {type_of(dtype::bf16, {2, 3}), type_of(dtype::bf16, {3, 2})},
                          {with_open_shape(dtype::f32)}) == f32_2x2);

// Broken rules.

constexpr std::string_view broken(const ops::dot_general& op, const tensor_type& lhs = f32_2x3,
                                  const tensor_type& rhs = f32_3x2, std::initializer_list<tensor_type> declared = {}) {
  return broken_by(op, {lhs, rhs}, declared, {}, &quantized_details);
}
static_assert(broken(matrices).empty());
static_assert(broken(matrices, token) == "dot_general_i1");
static_assert(broken(matrices, axis0_2x3) == "dot_general_i1");
static_assert(broken(matrices, f32_2x3, token) == "dot_general_i2");
static_assert(broken(contracting({1}, {0}, {0}, {})) == "dot_general_c1");
static_assert(broken(contracting({1}, {})) == "dot_general_c2");
static_assert(broken(contracting({1}, {0}, {1}, {1})) == "dot_general_c3");
static_assert(broken(contracting({1}, {0}, {0}, {0})) == "dot_general_c4");
static_assert(broken(contracting({1}, {0}, {2}, {1})) == "dot_general_c5");
static_assert(broken(contracting({2}, {0})) == "dot_general_c6");
static_assert(broken(contracting({1}, {0}, {0}, {-1})) == "dot_general_c7");
static_assert(broken(contracting({1}, {2})) == "dot_general_c8");
static_assert(broken(contracting({}, {}, {0}, {0})) == "dot_general_c9");
static_assert(broken(contracting({0}, {0})) == "dot_general_c10");
static_assert(broken({.dot_dimension_numbers = matrices.dot_dimension_numbers,
                      .precision_config = {precision::HIGH}}) == "dot_general_c11");
static_assert(broken(matrices, f32_2x3, f32_3x2, {f32_3x3}) == "dot_general_c12");
constexpr tensor_type rank_5 = type_of(dtype::f32, {1, 1, 1, 1, 1});
static_assert(broken(contracting({}, {}), rank_5, rank_5) == "dot_general_c12");
static_assert(broken(matrices, f32_2x3, type_of(dtype::f64, {3, 2})) == "dot_general_c13");
static_assert(broken(matrices, f32_2x3, f32_3x2, {type_of(dtype::i32, {2, 2})}) == "dot_general_o1");

// Parameters 7 have zero points of 0 and the storage type ui8, the others of shape 3x2 have not.
constexpr tensor_type weights_3x2 = quantized(dtype::ui8, 7, {3, 2}), result_2x2 = quantized(dtype::ui8, 7, {2, 2});
static_assert(broken(matrices, qu8_2x3, weights_3x2, {result_2x2}).empty());
static_assert(broken(matrices, f32_2x3, weights_3x2).empty());
static_assert(broken(matrices, f32_2x3, weights_3x2, {result_2x2}) == "dot_general_c14");
static_assert(broken(matrices, qu8_2x3, type_of(dtype::ui8, {3, 2}), {result_2x2}) == "dot_general_c14");
static_assert(broken(matrices, f32_2x3, quantized(dtype::i8, 1, {3, 2})) == "dot_general_c15");
static_assert(broken(matrices, q8_2x3, weights_3x2, {result_2x2}) == "dot_general_c17");
static_assert(broken(matrices, qu8_2x3, weights_3x2, {quantized(dtype::i8, 4, {2, 2})}) == "dot_general_c18");
static_assert(broken(matrices, qu8_2x3, weights_3x2, {quantized(dtype::i8, 5, {2, 2})}) == "dot_general_c19");
static_assert(broken(matrices, bf16_2x3, weights_3x2) == "dot_general_c20");

struct per_axis_weights final : type_details {
  double scales[2] = {1, 2};
  index_t zero_points[2] = {0, 0};
  constexpr quantization quantization_of(const tensor_type&) const override {
    return {dtype::i8, dtype::f32, -128, 127, 0, {scales, 2}, {zero_points, 2}};
  }
};
constexpr per_axis_weights along_0;
static_assert(broken_by(matrices, {type_of(dtype::f32, {3, 2}), quantized(dtype::i8, 1, {2, 3})}, {}, {}, &along_0) ==
              "dot_general_c16");
static_assert(broken_by(contracting({0}, {1}), {f32_3x2, quantized(dtype::i8, 1, {2, 3})}, {}, {}, &along_0).empty());

constexpr ops::dot_general with_algorithm(const dot_algorithm& algorithm, const precision_list& precisions = {}) {
  return {matrices.dot_dimension_numbers, precisions, algorithm};
}
constexpr dot_algorithm tf32{dtype::tf32, dtype::tf32, dtype::f32, 1, 1, 1};
static_assert(broken(with_algorithm(tf32, {precision::DEFAULT, precision::DEFAULT})).empty());
static_assert(broken(with_algorithm(tf32, {precision::DEFAULT, precision::HIGH})) == "dot_general_c21");
static_assert(broken(with_algorithm({dtype::tf32, dtype::tf32, dtype::f32, -1, 1, 1})) == "dot_general_c22");
static_assert(broken(with_algorithm({dtype::tf32, dtype::tf32, dtype::f32, 1, 0, 1})) == "dot_general_c23");
static_assert(broken(with_algorithm({dtype::tf32, dtype::tf32, dtype::f32, 1, 1, 0})) == "dot_general_c24");
static_assert(broken(with_algorithm({dtype::i8, dtype::f32, dtype::f32, 1, 1, 1})) == "dot_general_i8");
static_assert(broken(with_algorithm({dtype::f32, dtype::i8, dtype::f32, 1, 1, 1})) == "dot_general_i9");
static_assert(broken(with_algorithm({dtype::f32, dtype::f32, dtype::i8, 1, 1, 1})) == "dot_general_i10");
static_assert(broken(with_algorithm({dtype::f32, dtype::f32, dtype::f32, 1, 3, 1})) == "dot_general_algorithm");
static_assert(broken(with_algorithm({dtype::f32, dtype::f32, dtype::f32, 1, 1, 1, true})) == "dot_general_algorithm");

constexpr bool known(dtype operands, dtype sum, index_t components, index_t operations, bool imprecise = false) {
  return dot_algorithm{operands, operands, sum, components, components, operations, imprecise}.is_known();
}
static_assert(known(dtype::f8E4M3FNUZ, dtype::f32, 1, 1, true) && known(dtype::f8E5M2, dtype::f32, 1, 1));
static_assert(known(dtype::f16, dtype::f16, 1, 1) && known(dtype::f16, dtype::f32, 1, 1));
static_assert(known(dtype::bf16, dtype::bf16, 1, 1) && known(dtype::bf16, dtype::f32, 1, 1));
static_assert(known(dtype::bf16, dtype::f32, 3, 6) && known(dtype::bf16, dtype::f32, 1, 6));
static_assert(known(dtype::tf32, dtype::f32, 1, 3) && known(dtype::f64, dtype::f64, 1, 1));
static_assert(!known(dtype::f64, dtype::f32, 1, 1) && !known(dtype::tf32, dtype::f32, 1, 2));

// The maps: contracting indices run freely.

constexpr tensor_type operands_of_map[] = {f32_2x3, f32_3x2};
static_assert(matrices.reads(0, {operands_of_map, 2}, f32_2x2).result_count == 2);
static_assert(matrices.reads(1, {operands_of_map, 2}, f32_2x2).result_count == 2);

// The definition, index by index.
template <class T>
std::vector<T> defined(const ops::dot_general& op, const value& lhs, const value& rhs, const ints& shape) {
  const auto& numbers = op.dot_dimension_numbers;
  const ints lhs_free = numbers.lhs_result_dimensions(lhs.type.rank());
  const ints rhs_free = numbers.rhs_result_dimensions(rhs.type.rank());
  const std::vector<T> a = lhs.as<T>(), b = rhs.as<T>();
  std::vector<T> result;
  for_each_index(shape, [&](const ints& index) {
    T sum{};
    for_each_index(lhs.type.shape.select(numbers.lhs_contracting_dimensions), [&](const ints& inner) {
      ints from = ints::filled(lhs.type.rank(), 0), with = ints::filled(rhs.type.rank(), 0);
      int at = 0;
      for (int i = 0; i < numbers.lhs_batching_dimensions.size; ++i, ++at) {
        from.set(numbers.lhs_batching_dimensions[i], index[at]);
        with.set(numbers.rhs_batching_dimensions[i], index[at]);
      }
      for (index_t axis : lhs_free) from.set(axis, index[at++]);
      for (index_t axis : rhs_free) with.set(axis, index[at++]);
      for (int i = 0; i < inner.size; ++i) {
        from.set(numbers.lhs_contracting_dimensions[i], inner[i]);
        with.set(numbers.rhs_contracting_dimensions[i], inner[i]);
      }
      sum = T(sum + a[std::size_t(offset_of(lhs.type.shape, from))] * b[std::size_t(offset_of(rhs.type.shape, with))]);
    });
    result.push_back(sum);
  });
  return result;
}

template <class T>
std::vector<T> product(const ops::dot_general& op, const value& lhs, const value& rhs) {
  const tensor_type result = result_type(op, {lhs.type, rhs.type});
  return evaluate<T>(op, {lhs, rhs}, {result})[0].template as<T>();
}
template <class T>
void check_against_definition(const ops::dot_general& op, const ints& lhs_shape, const ints& rhs_shape) {
  const value lhs = counting<T>(lhs_shape), rhs = counting<T>(rhs_shape);
  const tensor_type result = result_type(op, {lhs.type, rhs.type});
  CHECK(product<T>(op, lhs, rhs) == defined<T>(op, lhs, rhs, result.shape));
}

}  // namespace

TEST_CASE("dot_general: the specification's example") {
  CHECK(product<i64>(contracting({2}, {1}, {0}, {0}), tensor_of<i64>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                     tensor_of<i64>({2, 2, 2}, {1, 0, 0, 1, 1, 0, 0, 1})) == std::vector<i64>{1, 2, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("dot_general: every arrangement of dimensions against the definition") {
  check_against_definition<i64>(contracting({1}, {0}), {4, 3}, {3, 5});
  check_against_definition<i64>(contracting({0}, {0}), {3, 4}, {3, 5});
  check_against_definition<i64>(contracting({0}, {1}), {3, 4}, {5, 3});
  check_against_definition<i64>(contracting({0}, {0}), {3}, {3});
  check_against_definition<i64>(contracting({}, {}), {3}, {4});
  check_against_definition<i64>(contracting({}, {}), {}, {});
  check_against_definition<i64>(contracting({}, {}, {0}, {1}), {3}, {2, 3});
  check_against_definition<i64>(contracting({2, 0}, {1, 3}, {1}, {2}), {2, 3, 4, 5}, {6, 4, 3, 2});
  check_against_definition<i64>(contracting({1, 2}, {2, 0}, {0, 3}, {3, 1}), {2, 3, 4, 5}, {4, 5, 3, 2, 2});
  check_against_definition<f64>(contracting({3}, {0}), {1, 2, 3, 4}, {4, 2, 1});
  check_against_definition<complex<f32>>(contracting({1}, {0}), {4, 3}, {3, 5});
  // More columns than are summed up at a time, with and without columns that lie side by side.
  for (index_t columns : {63, 64, 65, 130}) {
    check_against_definition<i64>(contracting({1}, {0}), {2, 3}, {3, columns});
    check_against_definition<i64>(contracting({1}, {2}, {0}, {0}), {2, 3}, {2, columns, 3});
    check_against_definition<i64>(contracting({1}, {0}), {2, 3}, {3, columns, 2});
    check_against_definition<i64>(contracting({0, 1}, {0, 2}), {2, 3}, {2, columns, 3});
  }
}

TEST_CASE("dot_general: an empty sum is zero") {
  CHECK(product<f32>(matrices, tensor_of<f32>({2, 0}, {}), tensor_of<f32>({0, 2}, {})) == std::vector<f32>(4, 0));
  CHECK(product<f32>(matrices, tensor_of<f32>({0, 2}, {}), counting<f32>({2, 2})).empty());
}

TEST_CASE("dot_general: integers wrap around in the type of the result") {
  const value a = tensor_of<i8>({1, 2}, {100, 100}), b = tensor_of<i8>({2, 1}, {100, 27});
  CHECK(evaluate<i8>(matrices, {a, b}, {type_of(dtype::i8, {1, 1})})[0].as<i8>()[0] == -100);
  CHECK(evaluate<i8>(matrices, {a, b}, {type_of(dtype::i32, {1, 1})})[0].as<i32>()[0] == 12700);
  CHECK(evaluate<i8>(matrices, {a, b}, {type_of(dtype::i16, {1, 1})})[0].as<i16>()[0] == 12700);
  const i64 big = INT64_MAX;
  CHECK(product<i64>(matrices, tensor_of<i64>({1, 2}, {big, big}), tensor_of<i64>({2, 1}, {big, big}))[0] == 2);
  CHECK(product<i4>(matrices, tensor_of<i4>({1, 2}, {i4(7), i4(7)}), tensor_of<i4>({2, 1}, {i4(7), i4(-1)}))[0] ==
        i4(42));
}

TEST_CASE("dot_general: booleans are or-ed and-s") {
  CHECK(evaluate<bool>(contracting({0}, {0}), {tensor_of<bool>({2}, {true, false}), tensor_of<bool>({2}, {true, true})},
                       {i1_scalar})[0]
            .bytes[0] == 1);
  CHECK(evaluate<bool>(contracting({0}, {0}),
                       {tensor_of<bool>({2}, {true, false}), tensor_of<bool>({2}, {false, true})}, {i1_scalar})[0]
            .bytes[0] == 0);
}

TEST_CASE("dot_general: narrow floats are summed up in f32, or in the type of the result") {
  const std::vector<bf16> ones(1000, bf16(1.0f));
  const value a = tensor_of<bf16>({1000}, ones);
  const ops::dot_general inner = contracting({0}, {0});
  CHECK(f32(product<bf16>(inner, a, a)[0]) == 1000);
  CHECK(evaluate<bf16>(inner, {a, a}, {f32_scalar})[0].as<f32>()[0] == 1000);
  const value b = tensor_of<f32>({3}, {1.0f, 1e-8f, 0});
  CHECK(evaluate<f32>(inner, {b, tensor_of<f32>({3}, {1, 1, 1})}, {f64_scalar})[0].as<f64>()[0] == 1.0 + f64(1e-8f));
  const value c = tensor_of<f8E4M3>({8}, {f8E4M3(0.0f), f8E4M3(1.0f), f8E4M3(2.0f), f8E4M3(3.0f), f8E4M3(4.0f),
                                          f8E4M3(5.0f), f8E4M3(6.0f), f8E4M3(7.0f)});
  CHECK(f32(product<f8E4M3>(inner, c, c)[0]) == f32(f8E4M3(140.0f)));
}
