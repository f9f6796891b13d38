// SPDX-License-Identifier: Apache-2.0
#include <tenon/math/one_lane.hpp>

#include <doctest/doctest.h>

namespace {

using tenon::one_lane::lane;
using tenon::one_lane::tag;

constexpr tag<float> d;
constexpr lane<float> one{1.0f}, minus_two{-2.0f};
constexpr float nan = tenon::ieee::nan<float>;

static_assert(Add(one, minus_two).raw == -1.0f && Sub(one, minus_two).raw == 3.0f);
static_assert(Mul(minus_two, minus_two).raw == 4.0f && Div(one, minus_two).raw == -0.5f);
static_assert(MulAdd(minus_two, minus_two, one).raw == 5.0f && MulSub(minus_two, one, one).raw == -3.0f);
static_assert(NegMulAdd(minus_two, one, one).raw == 3.0f && Sqrt(Set(d, 9.0f)).raw == 3.0f);
static_assert(Neg(one).raw == -1.0f && Abs(minus_two).raw == 2.0f && CopySign(one, minus_two).raw == -1.0f);
static_assert(Lt(minus_two, one).raw && Le(one, one).raw && Gt(one, minus_two).raw && Ge(one, one).raw);
static_assert(!Eq(Set(d, nan), Set(d, nan)).raw && !Ge(one, Set(d, nan)).raw);
static_assert(IfThenElse(Lt(one, minus_two), one, minus_two).raw == -2.0f);
static_assert(IfThenElseZero(Not(Eq(one, one)), one).raw == 0.0f && IfThenZeroElse(Eq(one, one), one).raw == 0.0f);
static_assert(And(Eq(one, one), Or(Lt(one, one), Eq(one, one))).raw && !Xor(Eq(one, one), Eq(one, one)).raw);

constexpr tag<std::uint32_t> db;
static_assert(BitCast(db, one).raw == 0x3f800000u);
static_assert(BitCast(d, Set(db, 0xc0000000u)).raw == -2.0f);
static_assert(ShiftLeft<4>(Set(db, 0x1fffffffu)).raw == 0xfffffff0u && ShiftRight<31>(Set(db, 0x80000000u)).raw == 1u);
static_assert(And(one, minus_two).raw == 0.0f && Or(Set(db, 5u), Set(db, 2u)).raw == 7u);
static_assert(Xor(one, Set(d, -0.0f)).raw == -1.0f);
static_assert(RebindMask(db, Eq(one, one)).raw && AllFalse(d, Lt(one, one)));

TEST_CASE("loads and stores move one element") {
  float memory[2] = {3.0f, 4.0f};
  Store(Load(d, memory), d, memory + 1);
  CHECK(memory[1] == 3.0f);
  CHECK(Lanes(d) == 1);
}

}  // namespace
