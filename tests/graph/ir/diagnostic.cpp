// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/ir/diagnostic.hpp>

#include <ops/types.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr tensor_type operands[] = {type_of(dtype::f32, {2, 3}), type_of(dtype::i1, {}),
                                    type_of(dtype::bf16, {1, 2, 3, 4, 5})};

// What is right has no message, and fails no condition.
constexpr auto no_message = tenon::detail::message_of_rule(nullptr, nullptr, {operands, 2});
static_assert(no_message.length == 0);
static_assert(tenon::detail::obeys_the_specification<no_message>);

constexpr auto message = tenon::detail::message_of_rule("add_c1", "type(lhs) = type(rhs)", {operands, 3});
static_assert(message.view() ==
              "add_c1: type(lhs) = type(rhs); operands: tensor<2x3xf32>, tensor<i1>, tensor<1x2x3x4x5xbf16>");
static_assert(!tenon::detail::obeys_the_specification<message>);

// As compilers print a type, sizes beyond its rank are zero.
constexpr auto printed = tenon::detail::printed_type<3>(operands[0]);
static_assert(std::string_view(printed.element) == "f32" && printed.rank == 2);
static_assert(printed.shape[0] == 2 && printed.shape[1] == 3 && printed.shape[2] == 0);

// A rule that holds is no error, however many operands there are and of whatever rank.
static_assert(tenon::detail::report_broken<0>(nullptr, nullptr, {}));
static_assert(tenon::detail::report_broken<1>(nullptr, nullptr, {operands + 1, 1}));
static_assert(tenon::detail::report_broken<2>(nullptr, nullptr, {operands, 2}));
static_assert(tenon::detail::report_broken<3>(nullptr, nullptr, {operands, 3}));

}  // namespace

TEST_CASE("a long list of operands is cut where the message ends") {
  const std::vector<tensor_type> many(200, operands[0]);
  const auto text = tenon::detail::message_of_rule("concatenate_c1", "", {many.data(), 200});
  CHECK(text.length == 1000);
  CHECK(std::string(text.view()).rfind("concatenate_c1: ; operands: tensor<2x3xf32>, tensor<2x3xf32>", 0) == 0);
  CHECK(text.data()[1000] == '\0');
}
