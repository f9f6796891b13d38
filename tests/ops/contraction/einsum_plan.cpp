// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/contraction/einsum_plan.hpp>

#include <doctest/doctest.h>

namespace {

using namespace tenon;

constexpr ops::einsum_plan plan_of(std::string_view text, ints lhs, ints rhs) {
  const ints shapes[] = {lhs, rhs};
  return ops::einsum_plan(text, shapes, 2);
}
constexpr ops::einsum_plan plan_of(std::string_view text, ints operand) { return ops::einsum_plan(text, &operand, 1); }

constexpr ops::einsum_plan product = plan_of("mk,kn->mn", {2, 3}, {3, 4});
static_assert(product.valid && product.result == ints{2, 4} && product.summed == ints{3});
static_assert(product.operands[0].along_result == ints{3, 0} && product.operands[0].along_summed == ints{1});
static_assert(product.operands[1].along_result == ints{0, 1} && product.operands[1].along_summed == ints{4});

// A letter twice in an operand is its diagonal.
constexpr ops::einsum_plan trace_of = plan_of("ii->", {3, 3});
static_assert(trace_of.valid && trace_of.result == ints{} && trace_of.operands[0].along_summed == ints{4});

constexpr ops::einsum_plan batched = plan_of("...ij,...jk->...ik", {5, 2, 3}, {5, 3, 4});
static_assert(batched.valid && batched.result == ints{5, 2, 4} && batched.summed == ints{3});
constexpr ops::einsum_plan broadcast = plan_of("...i,...i->...", {5, 1, 3}, {4, 3});
static_assert(broadcast.valid && broadcast.result == ints{5, 4} && broadcast.operands[0].along_result == ints{3, 0});

static_assert(plan_of(" a b -> b a ", {2, 3}).result == ints{3, 2});

// Malformed texts, and shapes that do not fit.
static_assert(!plan_of("", {2}).valid && !plan_of("a", {2}).valid && !plan_of("a-", {2}).valid);
static_assert(!plan_of("ab->a", {2}).valid && !plan_of("a->ab", {2}).valid && !plan_of("a->aa", {2}).valid);
static_assert(!plan_of("a,b->ab", {2}).valid && !plan_of("a->a", {2}, {3}).valid &&
              !plan_of("a,b,c->a", {2}, {3}).valid);
static_assert(!plan_of("mk,kn->mn", {2, 3}, {4, 4}).valid && !plan_of("ii->i", {2, 3}).valid);
static_assert(!plan_of("a?->a", {2}).valid && !plan_of("a->a!", {2}).valid && !plan_of("......->", {2}).valid);
static_assert(!plan_of("abcdefgh,ijklmnop->abcdefghi", ints::filled(8, 1), ints::filled(8, 1)).valid);

}  // namespace

TEST_CASE("no text is too strange") {
  constexpr char letters[] = "ab.,-> ?";
  for (int code = 0; code < 8 * 8 * 8 * 8 * 8; ++code) {
    char text[5];
    for (int i = 0, rest = code; i < 5; ++i, rest /= 8) text[i] = letters[rest % 8];
    const ops::einsum_plan plan = plan_of({text, 5}, {2, 3}, {3, 2});
    if (plan.valid) CHECK(plan.result.size + plan.summed.size <= max_rank);
  }
}
