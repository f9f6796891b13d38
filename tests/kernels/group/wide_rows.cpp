// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/group/row_reduction_loop.hpp>

#include <tenon/ops/operators.hpp>
#include <tenon/run/trace.hpp>

#include <run/single_ops.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

// Rows of floats that are made of wider integers.
template <index_t Rows, index_t Columns>
constexpr auto scores = trace([](auto whole) {
  auto x = convert<f32>(whole * whole) * 0.001f;
  const auto spread = [](auto each) { return broadcast_in_dim<ints{Rows, Columns}, ints{0}>(each); };
  auto each = exponential(x - spread(reduce<ints{1}>(x, -1e30f, ops::maximum{})));
  return each / spread(reduce<ints{1}>(each, 0.0f, ops::add{}));
});

template <index_t Rows, index_t Columns>
void check() {
  const ints shape{Rows, Columns};
  using program = program_of<decltype(scores<Rows, Columns>), tensor<i64, Rows, Columns>>;
  const value whole = some_elements<i64>(shape, 5);
  std::vector<f32> x(std::size_t(shape.product()));
  for (index_t i = 0; i < shape.product(); ++i) {
    const i64 n = whole.template as<i64>()[std::size_t(i)];
    x[std::size_t(i)] = f32(n * n) * 0.001f;
  }
  const value of_x = test::tensor_of(shape, x);
  const value e = power(minus(of_x, along_rows(fold_of_rows<ops::maximum>(of_x, -1e30f), of_x)));
  CHECK(same_bits(results_of<program>({whole})[0], over(e, along_rows(sum_of_rows(e), of_x))));
}

}  // namespace

TEST_CASE("rows of floats that are made of wider integers") {
  check<1, 12>();
  check<3, 100>();
}
