// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/random/numbers.hpp>

#include <tenon/ops/creation/rng_bit_generator.hpp>

#include "kernels/alike.hpp"

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

template <class T>
void check(rng_algorithm by, const std::vector<ui64>& state) {
  const value from = tensor_of<ui64>({index_t(state.size())}, state);
  for (const index_t count : {0, 1, 2, 3, 63, 64, 255, 256, 257, 1001}) {
    CAPTURE(count);
    evaluate_alike<ui64>(&random_bits_kernel<ops::rng_bit_generator>, ops::rng_bit_generator{by}, {from},
                         {from.type, type_of(dtype_of<T>, {count})});
  }
}

}  // namespace

TEST_CASE("random bits are those that the op says, also where the counter begins again") {
  for (const ui64 counter : {ui64{2}, ~ui64{50}, ~ui64{127}, ~ui64{0}}) {
    check<ui32>(rng_algorithm::PHILOX, {77, counter, 3});
    check<ui64>(rng_algorithm::PHILOX, {77, counter, ~ui64{0}});
    check<i4>(rng_algorithm::DEFAULT, {77, counter});
    check<ui8>(rng_algorithm::DEFAULT, {77, counter});
    check<bf16>(rng_algorithm::DEFAULT, {77, counter});
    check<f32>(rng_algorithm::PHILOX, {77, counter, 3});
    check<f64>(rng_algorithm::PHILOX, {77, counter, 3});
    check<ui32>(rng_algorithm::THREE_FRY, {77, counter});
  }
}
