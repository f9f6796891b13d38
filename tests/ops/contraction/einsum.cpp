// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/contraction/einsum.hpp>

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
constexpr ops::einsum self{{0}};

// Types.

constexpr tensor_type inferred(std::string_view text, const tensor_type& lhs, const tensor_type& rhs,
                               std::initializer_list<tensor_type> declared = {}) {
  const texts details(text);
  return result_type(self, {lhs, rhs}, declared, {}, &details);
}
constexpr tensor_type f32_2x2 = type_of(dtype::f32, {2, 2});
static_assert(inferred("ab,bc->ac", f32_2x3, f32_3x2) == f32_2x2);
static_assert(inferred("ab, cb -> ca", f32_2x3, f32_2x3) == f32_2x2);
static_assert(inferred("ab,ba->", f32_2x3, f32_3x2) == f32_scalar);
static_assert(inferred("ab,cd->dcba", f32_2x3, f32_3x2) == type_of(dtype::f32, {2, 3, 3, 2}));
static_assert(inferred("...b,bc->...c", type_of(dtype::f32, {4, 5, 3}), f32_3x2) == type_of(dtype::f32, {4, 5, 2}));
static_assert(inferred("...a,...a->...", type_of(dtype::f32, {4, 1, 3}), f32_2x3) == type_of(dtype::f32, {4, 2}));
static_assert(inferred("ab,bc->ac", type_of(dtype::i8, {1, 2}), type_of(dtype::i8, {2, 1}),
                       {type_of(dtype::i16, {1, 1})}) == type_of(dtype::i16, {1, 1}));
static_assert(result_type(self, {f32_2x3, f32_3x2}, {f32_2x2}) == f32_2x2);

// Broken rules.

constexpr std::string_view broken(std::string_view text, const tensor_type& lhs, const tensor_type& rhs,
                                  std::initializer_list<tensor_type> declared = {}) {
  const texts details(text);
  return broken_by(self, {lhs, rhs}, declared, {}, &details);
}
static_assert(broken("ab,bc->ac", token, f32_3x2) == "einsum_i1");
static_assert(broken("ab,bc->ac", f32_2x3, token) == "einsum_i2");
static_assert(broken_by(self, {f32_2x3, f32_3x2}) == "einsum_c1");
static_assert(broken("ab,bc->ac", f32_2x3, f32_2x3) == "einsum_c1");
static_assert(broken("ab,bc->ad", f32_2x3, f32_3x2) == "einsum_c1");
static_assert(broken("ab,bc->aa", f32_2x3, f32_3x2) == "einsum_c1");
static_assert(broken("ab->a", f32_2x3, f32_3x2) == "einsum_c1");
static_assert(broken("ab,bc,cd->a", f32_2x3, f32_3x2) == "einsum_c1");
static_assert(broken("abc,bc->a", f32_2x3, f32_3x2) == "einsum_c1");
static_assert(broken("a?,bc->a", f32_2x3, f32_3x2) == "einsum_c1");
static_assert(broken("ab,bc", f32_2x3, f32_3x2) == "einsum_c1");
static_assert(broken("ab,bc->ac", f32_2x3, f32_3x2, {f32_2x3}) == "einsum_c2");
static_assert(broken("ab,bc->ac", f32_2x3, type_of(dtype::f64, {3, 2})) == "einsum_c3");
static_assert(broken("ab,bc->ac", f32_2x3, f32_3x2, {type_of(dtype::i32, {2, 2})}) == "einsum_c3");

template <class T>
std::vector<T> sums(std::string_view text, const value& lhs, const value& rhs) {
  const texts details(text);
  const surroundings around{{}, {}, &details};
  return evaluate<T>(self, {lhs, rhs}, {inferred(text, lhs.type, rhs.type)}, around)[0].template as<T>();
}

}  // namespace

TEST_CASE("einsum: products, sums, diagonals, broadcasts") {
  const value a = counting<i64>({2, 2}), b = tensor_of<i64>({2, 2}, {1, 10, 100, 1000});
  CHECK(sums<i64>("ab,bc->ac", a, b) == std::vector<i64>{201, 2010, 403, 4030});
  CHECK(sums<i64>("ab,bc->ca", a, b) == std::vector<i64>{201, 403, 2010, 4030});
  CHECK(sums<i64>("ab,ab->", a, b) == std::vector<i64>{4321});
  CHECK(sums<i64>("aa,bb->ab", a, b) == std::vector<i64>{1, 1000, 4, 4000});
  CHECK(sums<i64>("ab,cd->", a, b) == std::vector<i64>{11110});
  CHECK(sums<i64>("...a,a...->...", a, b) == std::vector<i64>{201, 4030});
  CHECK(sums<i64>("...,...->...", tensor_of<i64>({2, 1}, {1, 2}), tensor_of<i64>({3}, {1, 10, 100})) ==
        std::vector<i64>{1, 10, 100, 2, 20, 200});
}

TEST_CASE("einsum: the sum has the type of the result") {
  const texts details("ab,bc->ac");
  const std::vector<value> result =
      evaluate<i8>(self, {tensor_of<i8>({1, 2}, {100, 100}), tensor_of<i8>({2, 1}, {100, 27})},
                   {type_of(dtype::i16, {1, 1})}, surroundings{{}, {}, &details});
  CHECK(result[0].as<i16>() == std::vector<i16>{12700});
}
