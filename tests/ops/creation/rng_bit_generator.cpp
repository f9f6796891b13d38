// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/creation/rng_bit_generator.hpp>

#include "ops/evaluate.hpp"
#include "ops/types.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::test;

namespace {

constexpr ops::rng_bit_generator standard{rng_algorithm::DEFAULT}, three_fry{rng_algorithm::THREE_FRY},
    philox_4x32{rng_algorithm::PHILOX};
constexpr tensor_type state_2 = type_of(dtype::ui64, {2}), state_3 = type_of(dtype::ui64, {3});

// Types.

static_assert(result_type(three_fry, {state_2}, {state_2, ui32_2x3}) == state_2);
static_assert(result_type(three_fry, {state_2}, {tensor_type{}, ui32_2x3}) == state_2);
static_assert(broken_by(philox_4x32, {state_3}, {state_3, f32_2x3}).empty());
static_assert(broken_by(standard, {state_2}, {state_2, i64_2x3}).empty());

// Broken rules.

static_assert(broken_by(standard, {state_2, state_2}, {state_2, ui32_2x3}) == "operands");
static_assert(broken_by(standard, {type_of(dtype::i64, {2})}, {state_2, ui32_2x3}) == "rng_bit_generator_i2");
static_assert(broken_by(standard, {type_of(dtype::ui64, {2, 1})}, {state_2, ui32_2x3}) == "rng_bit_generator_i2");
static_assert(broken_by(standard, {state_2}, {state_3, ui32_2x3}) == "rng_bit_generator_c1");
static_assert(broken_by(three_fry, {state_3}, {state_3, ui32_2x3}) == "rng_bit_generator_c2");
static_assert(broken_by(philox_4x32, {type_of(dtype::ui64, {4})}, {type_of(dtype::ui64, {4}), ui32_2x3}) ==
              "rng_bit_generator_c2");
static_assert(broken_by(standard, {state_2}, {state_2, i1_2x3}) == "rng_bit_generator_o2");
static_assert(broken_by(standard, {state_2}) == "rng_bit_generator_o2");

template <class T>
struct generated {
  std::vector<ui64> state;
  std::vector<T> bits;
};
template <class T>
generated<T> run(const ops::rng_bit_generator& op, const std::vector<ui64>& state, const ints& shape) {
  const value from = tensor_of<ui64>({index_t(state.size())}, state);
  const std::vector<value> results = evaluate<ui64>(op, {from}, {from.type, type_of(dtype_of<T>, shape)});
  return {results[0].as<ui64>(), results[1].template as<T>()};
}
template <class T>
void check(const ops::rng_bit_generator& op, const std::vector<ui64>& state, const ints& shape,
           const std::vector<ui64>& next, const std::vector<T>& bits) {
  const generated<T> result = run<T>(op, state, shape);
  CHECK(result.state == next);
  CHECK(result.bits == bits);
}
constexpr ui64 half = ui64{1} << 63, top = ~ui64{0};

}  // namespace

// The expected numbers are what XLA computes on a CPU.

TEST_CASE("rng_bit_generator: the specification's example") {
  check<ui64>(three_fry, {1, 2}, {2, 2}, {1, 6},
              {9236835810183407956u, 16087790271692313299u, 18212823393184779219u, 2658481902456610144u});
}

TEST_CASE("rng_bit_generator: THREE_FRY cuts the tensor in two halves") {
  check<ui32>(three_fry, {1, 2}, {2, 2}, {1, 4}, {43444564, 3979645651, 2150618427, 3745730563});
  check<ui32>(three_fry, {1, 2}, {5}, {1, 5}, {43444564, 2150618427, 3979645651, 3745730563, 1672743891});
  check<ui32>(
      three_fry, {half + 5, top - 1}, {3, 3}, {half + 5, 4},
      {3331914273, 345986348, 1337340255, 3936478428, 3545832757, 840010968, 2123567228, 628704676, 2633866934});
  check<ui32>(three_fry, {1, 2}, {}, {1, 3}, {43444564});
  check<ui32>(three_fry, {1, 2}, {0}, {1, 2}, {});
  CHECK(run<ui32>(three_fry, {1, 2}, {3, 4, 6}).state[1] == 38);
  CHECK(run<ui32>(three_fry, {1, 2}, {3, 4, 6}).bits[6] == 2150618427);
  CHECK(run<ui32>(three_fry, {1, 2}, {2, 3, 5}).state[1] == 17);
  CHECK(run<ui32>(three_fry, {1, 2}, {7, 9}).state[1] == 37);
  CHECK(run<ui32>(three_fry, {1, 2}, {7, 9}).bits[9] == 2868795927);
  CHECK(run<ui32>(three_fry, {1, 2}, {9, 7, 1}).bits[7] == 2150618427);
  CHECK(run<ui32>(three_fry, {1, 2}, {5, 5, 3}).state[1] == 47);
  CHECK(run<ui32>(three_fry, {1, 2}, {5, 5, 3}).bits[8] == 299673330);
}

TEST_CASE("rng_bit_generator: PHILOX counts in 128 bits") {
  check<ui32>(philox_4x32, {1, 2}, {2, 2}, {1, 3}, {2100602697, 2847456232, 2074354647, 800269529});
  check<ui32>(philox_4x32, {half + 5, top - 1}, {5}, {half + 5, 0},
              {911437490, 932094173, 4121853611, 1078865787, 3729030871});
  check<ui32>(philox_4x32, {7, top}, {6}, {7, 1},
              {3825527345, 2929620239, 4033760259, 866587273, 2720144846, 492154188});
  check<ui32>(philox_4x32, {1, 2, 3}, {9}, {1, 5, 3},
              {4031113034, 1366700262, 495645701, 3051723414, 89414891, 1917262711, 278163116, 614958348, 1116983156});
  check<ui32>(philox_4x32, {1, top, 5}, {5}, {1, 1, 6}, {2444045480, 1820157809, 3691035625, 462474752, 1447212011});
  check<ui32>(
      philox_4x32, {1, top, top}, {9}, {1, 2, 0},
      {1931622801, 1853353218, 1556166440, 2727226841, 3823634032, 3842641596, 2515673792, 3054873127, 2886210587});
  check<ui64>(philox_4x32, {1, 2}, {5}, {1, 5},
              {12229731395331991369u, 3437131457114678231u, 13465615291114923006u, 9328616520744100567u,
               10786996542579945571u});
}

TEST_CASE("rng_bit_generator: DEFAULT is PHILOX") {
  check<ui64>(
      standard, {1, 2, 3}, {5}, {1, 5, 3},
      {5869932932755744586u, 13107052260063114245u, 8234580641674714347u, 2641225993340350124u, 1962472297844690804u});
  check<ui32>(standard, {1, 2}, {2, 2}, {1, 3}, {2100602697, 2847456232, 2074354647, 800269529});
}

TEST_CASE("rng_bit_generator: types are filled with the low bits") {
  check<ui16>(philox_4x32, {1, 2}, {5}, {1, 4}, {42825, 48104, 9175, 9433, 9214});
  check<ui8>(three_fry, {1, 2}, {2, 2}, {1, 4}, {84, 211, 59, 3});
  check<i8>(philox_4x32, {1, 2}, {2}, {1, 3}, {i8(73), i8(-24)});
  const generated<f32> floats = run<f32>(three_fry, {1, 2}, {3});
  CHECK(floats.state[1] == 4);
  CHECK(to_bits(floats.bits[1]) == 2150618427);
  const generated<f64> doubles = run<f64>(three_fry, {1, 2}, {3});
  CHECK(doubles.state[1] == 5);
  CHECK(to_bits(doubles.bits[2]) == 18212823393184779219u);
  CHECK(to_bits(run<f16>(philox_4x32, {1, 2}, {3}).bits[2]) == 9175);
  CHECK(run<i4>(philox_4x32, {1, 2}, {3}).bits == std::vector<i4>{i4(9), i4(8), i4(7)});
}

TEST_CASE("rng_bit_generator: many blocks of PHILOX are those made one by one") {
  for (const ui64 counter : {ui64{2}, top - 50, top - 127, top})
    for (const index_t count : {63, 256, 1001}) {
      const generated<ui32> words = run<ui32>(philox_4x32, {77, counter, 3}, {count});
      const generated<f64> numbers = run<f64>(philox_4x32, {77, counter, 3}, {count});
      bool right = true;
      for (index_t i = 0; i < count; ++i) {
        const auto block_of = [&](index_t n) {
          return ops::philox(77, counter + ui64(n), counter + ui64(n) < counter ? 4 : 3);
        };
        const ops::philox_block here = block_of(i / 4), pair = block_of(i / 2);
        right = right && words.bits[std::size_t(i)] == here.words[i % 4] &&
                to_bits(numbers.bits[std::size_t(i)]) == ops::joined(pair.words[i % 2 * 2], pair.words[i % 2 * 2 + 1]);
      }
      CHECK(right);
      const ui64 next = counter + ui64((count + 3) / 4);
      CHECK(words.state == std::vector<ui64>{77, next, next < counter ? ui64{4} : ui64{3}});
    }
}
