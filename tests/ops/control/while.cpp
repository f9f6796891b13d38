// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/control/while.hpp>

#include <ops/evaluate.hpp>
#include <ops/signatures.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

namespace tenon::test {
using namespace core;

using namespace execution;

namespace {

constexpr ops::while_ self;
constexpr tensor_type i64_scalar = type_of(dtype::i64);
using state = type_array<i64_scalar, f32_2x3, token>;
constexpr signature cond = signature_of<state, type_array<i1_scalar>>, body = signature_of<state, state>;

static_assert(result_type(self, {i64_scalar, f32_2x3, token}, {i64_scalar, f32_2x3, token}, {cond, body}) ==
              i64_scalar);
static_assert(broken_by(self, {}, {}, {signature_of<type_array<>, type_array<i1_scalar>>, signature{}}).empty());

static_assert(broken_by(self, {i64_scalar, f32_2x3, token}, {}, {cond}) == "while_i2");
static_assert(broken_by(self, {i64_scalar, f32_2x3, token}, {}, {body, body}) == "while_c1");
static_assert(broken_by(self, {i64_scalar, f32_3x2, token}, {}, {cond, body}) == "while_c1");
static_assert(broken_by(self, {i64_scalar, f32_2x3, token}, {}, {cond, cond}) == "while_c2");
static_assert(broken_by(self, {i64_scalar, f32_2x3, token}, {i64_scalar, f32_3x2, token}, {cond, body}) == "while_c3");
static_assert(broken_by(self, {i64_scalar, f32_2x3, token}, {i64_scalar}, {cond, body}) == "while_c3");

// i = start; while (i < 10) { sum = sum + i; i = i + 1; }
std::vector<value> summed(i64 start) {
  const region_code code = [](int region, const void* const* arguments, void* const* results) {
    const i64 i = *static_cast<const i64*>(arguments[0]);
    if (region == 0) {
      *static_cast<bool*>(results[0]) = i < 10;
    } else {
      *static_cast<i64*>(results[0]) = i + 1;
      for (int k = 0; k < 3; ++k) static_cast<f32*>(results[1])[k] = static_cast<const f32*>(arguments[1])[k] + f32(i);
    }
  };
  const tensor_type f32_3 = type_of(dtype::f32, {3});
  return evaluate<ui64>(self, {scalar_of(start), tensor_of<f32>({3}, {0, 1, 2}), blank(token)},
                        {i64_scalar, f32_3, token}, {code, {}});
}

TEST_CASE("the values go round until the condition fails") {
  for (i64 start = 5; start <= 12; ++start) {
    const auto results = summed(start);
    f32 sum = 0;
    for (i64 i = start; i < 10; ++i) sum += f32(i);
    CHECK(results[0].as<i64>()[0] == (start < 10 ? 10 : start));
    CHECK(results[1].as<f32>() == std::vector<f32>{sum, sum + 1, sum + 2});
  }
}

TEST_CASE("tuples go round with all their members") {
  const one_list_of_members<type_array<f32_scalar, i64_scalar>> details;
  value operand = blank(tuple_type, &details);
  operand.bytes.assign(operand.bytes.size(), 0);
  const index_t second = member_offset(tuple_type, 1, &details);
  const region_code code = [](int region, const void* const* arguments, void* const* results) {
    const auto* const from = static_cast<const unsigned char*>(arguments[0]);
    auto* const to = static_cast<unsigned char*>(results[0]);
    i64 count = 0;
    std::memcpy(&count, from + value_alignment, sizeof count);
    if (region == 0) {
      *to = count < 3;
    } else {
      f32 sum = 0;
      std::memcpy(&sum, from, sizeof sum);
      sum += 2, ++count;
      std::memcpy(to, &sum, sizeof sum);
      std::memcpy(to + value_alignment, &count, sizeof count);
    }
  };
  const auto results = evaluate<ui8>(self, {operand}, {tuple_type}, {code, {}, &details});
  f32 sum = 0;
  i64 count = 0;
  std::memcpy(&sum, results[0].bytes.data(), sizeof sum);
  std::memcpy(&count, results[0].bytes.data() + second, sizeof count);
  CHECK(sum == 6);
  CHECK(count == 3);
}

}  // namespace
}  // namespace tenon::test
