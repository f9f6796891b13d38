// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/contraction/unary_einsum.hpp>

#include "ops/evaluate.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::test;

namespace {

struct texts final : type_details {
  std::string_view text;
  constexpr explicit texts(std::string_view t) : text(t) {}
  constexpr std::string_view name_of(int id) const override { return id == 0 ? text : std::string_view{}; }
};
constexpr ops::unary_einsum self{{0}};

// Types.

constexpr tensor_type inferred(std::string_view text, const tensor_type& operand) {
  const texts details(text);
  return result_type(self, {operand}, {}, {}, &details);
}
static_assert(inferred("ab->a", f32_2x3) == type_of(dtype::f32, {2}));
static_assert(inferred("ab->ba", f32_2x3) == f32_3x2);
static_assert(inferred("...a->...", f32_2x3) == type_of(dtype::f32, {2}));

// Broken rules.

constexpr std::string_view broken(std::string_view text, const tensor_type& operand,
                                  std::initializer_list<tensor_type> declared = {}) {
  const texts details(text);
  return broken_by(self, {operand}, declared, {}, &details);
}
static_assert(broken("ab->a", token) == "unary_einsum_i1");
static_assert(broken_by(self, {f32_2x3}) == "unary_einsum_c1");
static_assert(broken("aa->a", f32_2x3) == "unary_einsum_c1");
static_assert(broken("a,b->a", f32_2x3) == "unary_einsum_c1");
static_assert(broken("ab->a", f32_2x3, {f32_2x3}) == "unary_einsum_c2");
static_assert(broken("ab->a", f32_2x3, {type_of(dtype::i32, {2})}) == "unary_einsum_c3");

template <class T>
std::vector<T> sums(std::string_view text, const value& operand) {
  const texts details(text);
  return evaluate<T>(self, {operand}, {inferred(text, operand.type)}, surroundings{{}, {}, &details})[0]
      .template as<T>();
}

}  // namespace

TEST_CASE("unary_einsum: sums, diagonals, transposes") {
  const value x = tensor_of<i64>({2, 2}, {1, 10, 100, 1000});
  CHECK(sums<i64>("ab->a", x) == std::vector<i64>{11, 1100});
  CHECK(sums<i64>("ab->b", x) == std::vector<i64>{101, 1010});
  CHECK(sums<i64>("ab->ba", x) == std::vector<i64>{1, 100, 10, 1000});
  CHECK(sums<i64>("aa->a", x) == std::vector<i64>{1, 1000});
  CHECK(sums<i64>("aa->", x) == std::vector<i64>{1001});
  CHECK(sums<complex<f32>>("a->", tensor_of<complex<f32>>({2}, {{1, 2}, {3, 4}}))[0] == complex<f32>{4, 6});
}
