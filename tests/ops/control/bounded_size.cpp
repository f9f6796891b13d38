// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/control/bounded_size.hpp>

#include <ops/evaluate.hpp>
#include <ops/signatures.hpp>
#include <ops/types.hpp>

#include <doctest/doctest.h>

#include <string>

namespace tenon::test {
using namespace core;

namespace {

using op = ops::bounded_size;
constexpr tensor_type size = type_of(dtype::i64);
constexpr one_list_of_members<type_array<>> named{"add"};

static_assert(result_type(op{}, {size}) == size);
static_assert(result_type(op{}, {size, size}) == size);
static_assert(broken_by(op{}, {i32_scalar}) == "bounded_size_i1");
static_assert(broken_by(op{}, {size, i32_scalar}) == "bounded_size_i1");
static_assert(broken_by(op{}, {size, size, size}) == "bounded_size_i1");

std::string run(const op& self, std::initializer_list<i64> sizes) {
  std::vector<const void*> operands;
  for (const i64& each : sizes) operands.push_back(&each);
  i64 checked = -1;
  void* const result = &checked;
  evaluation e;
  e.operands = {operands.data(), int(operands.size())};
  e.results = {&result, 1};
  e.details = &named;
  try {
    self.evaluate<ui64>(e);
  } catch (const error& failure) {
    return failure.what();
  }
  return std::to_string(checked);
}

TEST_CASE("a size that is what it has to be is handed through") {
  CHECK(run({{0}, 1, size_relation::AGREE, 0}, {3, 3}) == "3");
  CHECK(run({{0}, 1, size_relation::AT_MOST, 4}, {4}) == "4");
  CHECK(run({{0}, 1, size_relation::AT_MOST, 4}, {0}) == "0");
  CHECK(run({{0}, 1, size_relation::AT_MOST, 0}, {2, 2}) == "2");
  CHECK(run({{0}, 1, size_relation::EXACT, 4}, {4}) == "4");
}

TEST_CASE("any other one is a failure that says why") {
  CHECK(run({{0}, 1, size_relation::AGREE, 0}, {3, 4}) == "add: the sizes 3 and 4 of dimension 1 differ");
  CHECK(run({{0}, 1, size_relation::AT_MOST, 4}, {5}) == "add: dimension 1 has size 5, it may have 0 to 4");
  CHECK(run({{0}, 1, size_relation::AT_MOST, 4}, {-1}) == "add: dimension 1 has size -1, it may have 0 to 4");
  CHECK(run({{0}, 1, size_relation::AT_MOST, 0}, {3, 2}) == "add: dimension 1 has size 3, it may have 0 to 2");
  CHECK(run({{0}, 1, size_relation::EXACT, 4}, {3}) == "add: dimension 1 has size 3 where 4 is needed");
}

}  // namespace
}  // namespace tenon::test
