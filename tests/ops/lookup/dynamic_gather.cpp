// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/lookup/dynamic_gather.hpp>

#include <ops/constants.hpp>
#include <ops/evaluate.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
namespace {

constexpr tensor_type operand_type = type_of(dtype::i64, {3, 4, 2}), indices_type = type_of(dtype::i64, {2, 3, 2}),
                      sizes_type = type_of(dtype::i32, {3}), result = type_of(dtype::i64, {2, 3, 2, 2});
constexpr ops::dynamic_gather self{{{2, 3}, {0}, {}, {}, {1, 0}, 2}};

// `self` with other dimension numbers.
constexpr std::string_view broken(const gather_dimension_numbers& numbers) {
  return broken_by(ops::dynamic_gather{numbers}, {operand_type, indices_type, sizes_type}, {result});
}
constexpr std::string_view broken_by_sizes(std::initializer_list<index_t> sizes) {
  return broken_by_constants(self, {operand_type, indices_type, sizes_type}, {result}, {{}, {}, sizes});
}

static_assert(result_type(self, {operand_type, indices_type, sizes_type}, {result}) == result);
static_assert(result_type(self, {operand_type, indices_type, sizes_type}, {type_of(dtype::none, result.shape)}) ==
              result);
static_assert(broken_by_sizes({1, 2, 2}).empty());

static_assert(broken_by(self, {token, indices_type, sizes_type}, {result}) == "dynamic_gather_i1");
static_assert(broken_by(self, {operand_type, f32_2x3, sizes_type}, {result}) == "dynamic_gather_i2");
static_assert(broken_by(self, {operand_type, indices_type, i32_scalar}, {result}) == "dynamic_gather_i3");
static_assert(broken_by(self, {operand_type, indices_type, sizes_type}) == "dynamic_gather_o1");
static_assert(broken({{2, 3}, {}, {}, {}, {1, 0}, 2}) == "dynamic_gather_c1");
static_assert(broken({{2, 3}, {0}, {}, {}, {1, 0}, 4}) == "dynamic_gather_c2");
static_assert(broken({{2, 3}, {0}, {}, {}, {1}, 2}) == "dynamic_gather_c3");
static_assert(broken({{3, 2}, {0}, {}, {}, {1, 0}, 2}) == "dynamic_gather_c4");
static_assert(broken({{2, 4}, {0}, {}, {}, {1, 0}, 2}) == "dynamic_gather_c5");
static_assert(broken({{2}, {1, 0}, {}, {}, {1, 0}, 2}) == "dynamic_gather_c6");
static_assert(broken({{2, 3}, {3}, {}, {}, {1, 0}, 2}) == "dynamic_gather_c7");
static_assert(broken_by_sizes({2, 2, 2}) == "dynamic_gather_c8");
static_assert(broken({{2, 3}, {0}, {}, {}, {1, 1}, 2}) == "dynamic_gather_c9");
static_assert(broken({{2, 3}, {0}, {}, {}, {1, 3}, 2}) == "dynamic_gather_c10");
static_assert(broken_by(self, {operand_type, indices_type, type_of(dtype::i32, {2})}, {result}) ==
              "dynamic_gather_c11");
static_assert(broken_by_sizes({1, 5, 2}) == "dynamic_gather_c12");
static_assert(broken_by_sizes({1, -1, 2}) == "dynamic_gather_c12");
static_assert(broken_by_sizes({1, 2, 1}) == "dynamic_gather_c13");
static_assert(broken_by(self, {operand_type, indices_type, sizes_type}, {type_of(dtype::i64, {2, 4, 2, 2})}) ==
              "dynamic_gather_c13");
static_assert(broken_by(self, {operand_type, indices_type, sizes_type}, {result.with_element(dtype::f64)}) ==
              "dynamic_gather_c14");

TEST_CASE("the specification's example") {
  const value indices = tensor_of<i64>({2, 3, 2}, {0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 0, 9});
  const value found = move(self, {counting<i64>({3, 4, 2}), indices, tensor_of<i32>({3}, {1, 2, 2})}, result);
  CHECK(found.as<i64>() ==
        std::vector<i64>{1, 2, 3, 4, 3, 4, 5, 6, 13, 14, 15, 16, 9, 10, 11, 12, 11, 12, 13, 14, 17, 18, 19, 20});
}

TEST_CASE("sizes that the type does not promise") {
  const value indices = blank(indices_type);
  CHECK_THROWS_AS(move(self, {counting<i64>({3, 4, 2}), indices, tensor_of<i32>({3}, {1, 1, 2})}, result), error);
}

}  // namespace
}  // namespace tenon::test
