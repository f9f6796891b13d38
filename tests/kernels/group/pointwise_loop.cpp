// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/group/pointwise_loop.hpp>

#include <tenon/run/thread_pool.hpp>
#include <tenon/tenon.hpp>

#include <run/single_ops.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

using namespace tenon;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

template <class A, class B>
bool same_bits(const A& a, const B& b) {
  return std::memcmp(a.data(), b.data(), std::size_t(byte_size(A::type))) == 0;
}

constexpr auto products = trace([](auto x, auto a, auto b) { return x * a + b; });
constexpr auto chain = trace([](auto x, auto a, auto b) {
  auto y = tanh(x * a + b);
  return select(x < a, y * 0.3f - x, y * a);
});
// Another result, a truth for each element, and one whose elements are used again.
constexpr auto several = trace([](auto x, auto a, auto b) {
  auto sum = x * a + b;
  auto less = x < a;
  auto y = tanh(sum);
  return results(select(less, y * 0.3f - x, y * a), less, y, sum);
});

// What the programs compute, op by op.
struct expected {
  value x, a, b;
  value sum = plus(times(x, a), b), smaller = less(x, a), y = elementwise<ops::tanh, f32>({sum});
  value factor = test::tensor_of(x.type.shape, std::vector<f32>(std::size_t(x.type.size()), 0.3f));
  value selected = chosen(smaller, minus(times(y, factor), x), times(y, a));
};

template <index_t Size>
void check() {
  using vector = tensor<f32, Size>;
  const expected e{some_elements<f32>({Size}, 1), some_elements<f32>({Size}, 2), some_elements<f32>({Size}, 3)};
  CHECK(same_bits(results_of<program_of<decltype(products), vector, vector, vector>>({e.x, e.a, e.b})[0], e.sum));
  CHECK(same_bits(results_of<program_of<decltype(chain), vector, vector, vector>>({e.x, e.a, e.b})[0], e.selected));
}

TEST_CASE("a loop of a whole group gives what its ops give one by one, bit for bit") {
  check<1>();
  check<3>();
  check<16>();
  check<61>();
  check<1000>();
  check<5001>();
}

template <index_t Size>
void check_results() {
  using vector = tensor<f32, Size>;
  const expected e{some_elements<f32>({Size}, 1), some_elements<f32>({Size}, 2), some_elements<f32>({Size}, 3)};
  using program = program_of<decltype(several), vector, vector, vector>;
  static_assert(program::plan().steps.size == 1);
  static_assert(program::plan().steps[0].result_count == 4);
  CHECK(same_bits(results_of<program>({e.x, e.a, e.b}), {e.selected, e.smaller, e.y, e.sum}));
}

TEST_CASE("a loop of several results") {
  check_results<2>();
  check_results<16>();
  check_results<61>();
  check_results<5001>();
}

constexpr auto within = trace([](auto x, auto low, auto high, auto allowed) {
  auto inside = ((low < x) & (x < high)) | !allowed;
  return results(select(inside, x, low) + convert<f32>(inside), inside);
});
constexpr auto both_or_neither = trace([](auto p, auto q, auto r) { return select(r, p == q, !p); });

// What a program gives that is one loop.
template <class Function, class... X>
auto as_one_loop(const Function& function, const X&... x) {
  using program = typename Function::template program_for<X...>;
  static_assert(program::plan().steps.size == 1);
  static_assert(nest_of(program::graph(), program::plan(), program::plan().steps.data[0]).fits);
  return function(x...);
}
template <index_t Size>
void check_truths() {
  tensor<f32, Size> x, low, high;
  tensor<bool, Size> p, q, r;
  for (index_t i = 0; i < Size; ++i) {
    x(i) = f32(i * 7 % 11), low(i) = f32(i % 5), high(i) = f32(i % 13);
    p(i) = i % 3 == 0, q(i) = i % 5 < 2, r(i) = i % 7 > 3;
  }
  const auto [limited, insides] = as_one_loop(within, x, low, high, p);
  const auto same = as_one_loop(both_or_neither, p, q, r);
  bool holds = true;
  for (index_t i = 0; i < Size; ++i) {
    const bool inside = (low(i) < x(i) && x(i) < high(i)) || !p(i);
    holds = holds && limited(i) == (inside ? x(i) : low(i)) + f32(inside) && insides(i) == inside;
    holds = holds && same(i) == (r(i) ? p(i) == q(i) : !p(i));
  }
  CHECK(holds);
}

TEST_CASE("booleans are masks within a loop") {
  check_truths<2>();
  check_truths<61>();
  check_truths<200>();
  check_truths<5001>();
}

// A divisor that is the same for all elements may be used otherwise, too.
template <class T, index_t Size>
void check_repeated_divisor() {
  constexpr auto divided = trace([](auto x, auto by) {
    const auto divisor = broadcast<ints{Size}>(by);
    return minimum(x / divisor, divisor) - remainder(x, divisor) + x / T(7);
  });
  tensor<T, Size> x;
  for (index_t i = 0; i < Size; ++i) x(i) = T(std::uint64_t(i) * 0x9E3779B97F4A7C15u >> (64 - 8 * sizeof(T)));
  x(0) = std::numeric_limits<T>::min();
  bool holds = true;
  for (T by : {T(0), T(1), T(-1), T(3), T(-10), std::numeric_limits<T>::min(), std::numeric_limits<T>::max()}) {
    const auto y = as_one_loop(divided, x, tensor<T>(by));
    for (index_t i = 0; i < Size; ++i) {
      const T least = std::min(ops::divide::element(x(i), by), by), rest = ops::remainder::element(x(i), by);
      holds = holds && y(i) == ops::add::element(ops::subtract::element(least, rest), T(x(i) / 7));
    }
  }
  CHECK(holds);
}

TEST_CASE("a divisor that is the same for all elements") {
  check_repeated_divisor<std::int8_t, 200>();
  check_repeated_divisor<std::uint16_t, 200>();
  check_repeated_divisor<std::int32_t, 61>();
  check_repeated_divisor<std::int64_t, 200>();
}

// Some ops have no vectors: they take one lane after the other, among others that have.
constexpr auto without_vectors = trace([](auto x, auto n) {
  const auto zeros = count_leading_zeros(n) * sign(n);
  return results(select(zeros < n, x * 0.5f, x), convert<i64>(x * 1000.0f), convert<f16>(zeros));
});
template <index_t Size>
void check_without_vectors() {
  using program = program_of<decltype(without_vectors), tensor<f32, Size>, tensor<i32, Size>>;
  static_assert(program::plan().steps.size <= 3);
  tensor<f32, Size> x;
  tensor<i32, Size> n;
  for (int i = 0; i < Size; ++i) x.data()[i] = 0.37f * float(i - 9), n.data()[i] = (i - 7) * (1 << (i % 24));
  const auto [chosen, whole, narrow] = without_vectors(x, n);
  for (int i = 0; i < Size; ++i) {
    const f32 at = x.data()[i];
    const i32 number = n.data()[i], zeros = std::countl_zero(ui32(number)) * ((number > 0) - (number < 0));
    CHECK(chosen.data()[i] == (zeros < number ? at * 0.5f : at));
    CHECK(whole.data()[i] == i64(at * 1000.0f));
    CHECK(float(narrow.data()[i]) == float(zeros));
  }
}
TEST_CASE("ops without vectors in a loop") {
  check_without_vectors<3>();
  check_without_vectors<61>();
}

// The indices are read from the other end, so that all of them have to be there first.
TEST_CASE("indices of a group are no results of it") {
  using program = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<9000x1xi32>, %table: tensor<9000xi32>) -> tensor<9000xi32> {
      %c = stablehlo.constant dense<1> : tensor<9000x1xi32>
      %v = stablehlo.subtract %x, %c : tensor<9000x1xi32>
      %g = "stablehlo.gather"(%table, %v) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0],
          start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}>
          : (tensor<9000xi32>, tensor<9000x1xi32>) -> tensor<9000xi32>
      %r = stablehlo.reverse %g, dims = [0] : tensor<9000xi32>
      %w = stablehlo.reshape %v : (tensor<9000x1xi32>) -> tensor<9000xi32>
      %y = stablehlo.add %r, %w : tensor<9000xi32>
      return %y : tensor<9000xi32>
    }
  )");
  tensor<i32, 9000, 1> x;
  tensor<i32, 9000> table;
  for (index_t i = 0; i < 9000; ++i) x.data()[i] = i32(i * 7 % 9000 + 1), table.data()[i] = i32(i * 3 + 5);
  const auto [y] = program{}(x, table);
  index_t wrong = 0;
  for (index_t i = 0; i < 9000; ++i) wrong += y(i) != table(index_t(x.data()[8999 - i] - 1)) + x.data()[i] - 1;
  CHECK(wrong == 0);
}

// The root only moves, and gives the elements of what others read too.
TEST_CASE("a value that is the result of the root by movements is no other result of the group") {
  using program = TENON_PROGRAM(R"(
    func.func @main(%x: tensor<4x6xf32>) -> (tensor<24x1xf32>, tensor<4x6xf32>, tensor<4x1xf32>, tensor<4xf32>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %v = stablehlo.abs %x : tensor<4x6xf32>
      %f = stablehlo.reshape %v : (tensor<4x6xf32>) -> tensor<24xf32>
      %b = stablehlo.broadcast_in_dim %f, dims = [0] : (tensor<24xf32>) -> tensor<24x3xf32>
      %s = stablehlo.slice %b [0:24, 0:1] : (tensor<24x3xf32>) -> tensor<24x1xf32>
      %w = stablehlo.negate %x : tensor<4x6xf32>
      %sum = stablehlo.reduce(%w init: %zero) applies stablehlo.add across dimensions = [1]
          : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
      %d = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<4xf32>) -> tensor<4x3xf32>
      %t = stablehlo.slice %d [0:4, 0:1] : (tensor<4x3xf32>) -> tensor<4x1xf32>
      return %s, %v, %t, %sum : tensor<24x1xf32>, tensor<4x6xf32>, tensor<4x1xf32>, tensor<4xf32>
    }
  )");
  tensor<f32, 4, 6> x;
  for (index_t i = 0; i < 24; ++i) x.data()[i] = f32(i % 5) - 2;
  const auto [s, v, t, sum] = program{}(x);
  for (index_t i = 0; i < 24; ++i) {
    CHECK(v.data()[i] == (x.data()[i] < 0 ? -x.data()[i] : x.data()[i]));
    CHECK(s.data()[i] == v.data()[i]);
  }
  for (index_t i = 0; i < 4; ++i) {
    f32 expected = 0;
    for (index_t j = 0; j < 6; ++j) expected -= x(i, j);
    CHECK(sum(i) == expected);
    CHECK(t.data()[i] == expected);
  }
}

template <class T, index_t... Dims>
tensor<T, Dims...> counted(int step) {
  tensor<T, Dims...> result;
  for (index_t i = 0; i < result.size; ++i) result.data()[i] = T(i * step % 101 + 1);
  return result;
}

constexpr auto rows = trace([](auto x, auto b, auto s) {
  return (x + broadcast_in_dim<ints{7, 33}, ints{1}>(b)) * broadcast_in_dim<ints{7, 33}, ints{0}>(s);
});

TEST_CASE("operands that repeat along rows, or with the rows") {
  tensor<f32, 7, 33> x;
  const auto b = counted<f32, 33>(4);
  const auto s = counted<f32, 7>(5);
  for (index_t i = 0; i < x.size; ++i) x.data()[i] = f32(i % 29) / 7;
  const auto y = rows(x, b, s);
  bool same = true;
  for (index_t i = 0; i < 7; ++i)
    for (index_t j = 0; j < 33; ++j) {
      const volatile f32 sum = x.data()[i * 33 + j] + b.data()[j];
      same = same && y.data()[i * 33 + j] == f32(sum * s.data()[i]);
    }
  CHECK(same);
}

template <index_t Rows, index_t Columns, index_t Stride>
constexpr auto apart = trace([](auto x, auto y) {
  return slice<ints{0, 1}, ints{Rows, 2 + Stride * (Columns - 1)}, ints{1, Stride}>(x) * y + y;
});
template <index_t... Order>
constexpr auto reversed = trace([](auto x, auto y) { return reverse<ints{Order...}>(x) * y + y; });
template <index_t... Order>
constexpr auto turned = trace([](auto x, auto y) { return transpose<ints{Order...}>(x) * y + y; });
constexpr auto turned_truth = trace([](auto p, auto x, auto y) { return select(transpose<ints{1, 0}>(p), x, y); });

// The group is a loop of its own, and gives x[position(index)] * y + y.
template <class T, index_t... Dims, class Function, class X, class Position>
bool moves_and_computes(const Function& function, const X& x, Position position) {
  const auto y = counted<T, Dims...>(7);
  using program = typename Function::template program_for<X, tensor<T, Dims...>>;
  static_assert(nest_of(program::graph(), program::plan(), program::plan().steps.data[0]).fits);
  thread_pool pool(2);
  const auto z = function(x, y), shared = function.by(pool)(x, y);
  bool same = same_bits(z, shared);
  for (index_t i = 0; i < y.size; ++i)
    same = same && z.data()[i] == T(T(x.data()[position(i)] * y.data()[i]) + y.data()[i]);
  return same;
}
template <class T, index_t Rows, index_t Columns, index_t Stride>
bool reads_apart() {
  constexpr index_t width = 2 + Stride * (Columns - 1);
  return moves_and_computes<T, Rows, Columns>(apart<Rows, Columns, Stride>, counted<T, Rows, width>(3),
                                              [](index_t i) { return i / Columns * width + 1 + i % Columns * Stride; });
}

TEST_CASE("short strides end with the tensor") {
  CHECK(reads_apart<f32, 1, 5, 2>());
  CHECK(reads_apart<f32, 3, 16, 2>());
  CHECK(reads_apart<f32, 5, 77, 2>());
  CHECK(reads_apart<f32, 40, 1024, 2>());
  CHECK(reads_apart<f32, 5, 77, 3>());
  CHECK(reads_apart<f32, 5, 77, 4>());
  CHECK(reads_apart<i16, 5, 177, 2>());
  CHECK(reads_apart<i16, 5, 177, 3>());
  CHECK(reads_apart<std::uint8_t, 2, 300, 4>());
  CHECK(reads_apart<i64, 4, 33, 2>());
  CHECK(reads_apart<i64, 4, 33, 3>());
}

TEST_CASE("rows in reverse") {
  const auto from_end = [](index_t i) { return i / 77 * 77 + 76 - i % 77; };
  CHECK(moves_and_computes<f32, 5, 77>(reversed<1>, counted<f32, 5, 77>(3), from_end));
  CHECK(moves_and_computes<i16, 5, 77>(reversed<1>, counted<i16, 5, 77>(3), from_end));
  CHECK(moves_and_computes<i8, 5, 77>(reversed<1>, counted<i8, 5, 77>(3), from_end));
  CHECK(moves_and_computes<f32, 5, 77>(reversed<0, 1>, counted<f32, 5, 77>(3), [](index_t i) { return 384 - i; }));
}

template <class T, index_t Rows, index_t Columns>
bool reads_across() {
  return moves_and_computes<T, Rows, Columns>(turned<1, 0>, counted<T, Columns, Rows>(3),
                                              [](index_t i) { return i % Columns * Rows + i / Columns; });
}

TEST_CASE("what is read across is turned in boxes") {
  CHECK(reads_across<f32, 64, 64>());
  CHECK(reads_across<f32, 70, 131>());
  CHECK(reads_across<f32, 19, 1000>());
  CHECK(reads_across<f32, 1000, 17>());
  CHECK(reads_across<i64, 70, 131>());
  CHECK(reads_across<i64, 64, 200>());
  CHECK(reads_across<i16, 200, 131>());
  CHECK(reads_across<std::uint8_t, 300, 131>());
  CHECK(moves_and_computes<f32, 3, 50, 5, 70>(turned<0, 3, 2, 1>, counted<f32, 3, 70, 5, 50>(3), [](index_t i) {
    return ((i / 17500 * 70 + i % 70) * 5 + i / 70 % 5) * 50 + i / 350 % 50;
  }));
  const auto x = counted<f32, 70, 131>(3), y = counted<f32, 70, 131>(7);
  tensor<bool, 131, 70> p;
  for (index_t i = 0; i < p.size; ++i) p.data()[i] = i % 3 == 0;
  const auto z = turned_truth(p, x, y);
  bool same = true;
  for (index_t i = 0; i < 70; ++i)
    for (index_t j = 0; j < 131; ++j)
      same = same && z.data()[i * 131 + j] == (p.data()[j * 70 + i] ? x : y).data()[i * 131 + j];
  CHECK(same);
}

}  // namespace
