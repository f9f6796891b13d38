// SPDX-License-Identifier: Apache-2.0
#include <tenon/pictures/explain.hpp>

#include <tenon/tenon.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::kernels;
using namespace tenon::planning;

namespace {

constexpr index_t rows = 256, columns = 384;
constexpr ints shape{rows, columns};
using whole = tensor<f32, rows, columns>;
using line = tensor<f32, columns>;

template <auto& Function, class... Arguments>
constexpr index_t bytes() {
  using program = typename std::remove_cvref_t<decltype(Function)>::template program_for<Arguments...>;
  return bytes_moved(program::graph(), program::plan());
}
// What memory sees is at most a tenth more than what it must see.
template <auto& Function, class... Arguments>
constexpr bool one_pass() {
  using program = typename std::remove_cvref_t<decltype(Function)>::template program_for<Arguments...>;
  const index_t least = minimum_bytes(program::graph(), program::plan());
  return least > 0 && bytes<Function, Arguments...>() * 10 <= least * 11;
}
template <auto& Function, class... Arguments>
std::string explained() {
  std::string text;
  explain<typename std::remove_cvref_t<decltype(Function)>::template program_for<Arguments...>>(
      [&](std::string_view part) { text += part; });
  return text;
}

constexpr auto chain = trace([](auto x, auto a, auto b) { return tanh(x * a + b) * 0.5f - x; });
constexpr auto bias_and_activation =
    trace([](auto x, auto b) { return maximum(x + broadcast_in_dim<shape, ints{1}>(b), 0.0f); });
constexpr auto softmax_rows = trace([](auto x) { return softmax(x); });
constexpr auto layer_norm = trace([](auto x, auto scale, auto shift) {
  const auto spread = [](auto each) { return broadcast_in_dim<shape, ints{0}>(each); };
  auto centred = x - spread(reduce<ints{1}>(x, 0.0f, ops::add{}) / f32(columns));
  auto variance = reduce<ints{1}>(centred * centred, 0.0f, ops::add{}) / f32(columns);
  return centred * spread(rsqrt(variance + 1e-5f)) * broadcast_in_dim<shape, ints{1}>(scale) +
         broadcast_in_dim<shape, ints{1}>(shift);
});
// As JAX writes it: folded dimensions are kept, of size one, and the mean is computed twice.
constexpr auto layer_norm_of_columns = trace([](auto x, auto scale, auto shift) {
  const auto mean = [](auto each) {
    return broadcast_in_dim<ints{rows, 1}, ints{0}>(reduce<ints{1}>(each, 0.0f, ops::add{})) / f32(columns);
  };
  const auto spread = [](auto each) { return broadcast_in_dim<shape, ints{0, 1}>(each); };
  const auto along = [](auto each) {
    return broadcast_in_dim<shape, ints{0, 1}>(broadcast_in_dim<ints{1, columns}, ints{1}>(each));
  };
  auto apart = x - spread(mean(x));
  return (x - spread(mean(x))) * spread(rsqrt(mean(apart * apart) + 1e-5f)) * along(scale) + along(shift);
});
constexpr auto root_mean_square_norm = trace([](auto x, auto scale) {
  auto mean = broadcast_in_dim<ints{rows, 1}, ints{0}>(reduce<ints{1}>(x * x, 0.0f, ops::add{})) / f32(columns);
  return x * broadcast_in_dim<shape, ints{0, 1}>(rsqrt(mean + 1e-5f)) * broadcast_in_dim<shape, ints{1}>(scale);
});
constexpr auto log_softmax = trace([](auto x) {
  const auto spread = [](auto each) { return broadcast_in_dim<shape, ints{0}>(each); };
  auto shifted = x - spread(max<ints{1}>(x));
  return shifted - spread(log(reduce<ints{1}>(exponential(shifted), 0.0f, ops::add{})));
});
constexpr auto normalised =
    trace([](auto x) { return x * broadcast_in_dim<shape, ints{0}>(rsqrt(reduce<ints{1}>(x * x, 0.0f, ops::add{}))); });
constexpr auto sum_of_squares = trace([](auto x) { return sqrt(reduce<ints{0, 1}>(x * x, 0.0f, ops::add{})); });
constexpr auto turned = trace([](auto x, auto y) { return tanh(transpose<ints{1, 0}>(x * 2.0f)) + y; });
constexpr auto every_other =
    trace([](auto x, auto y) { return slice<ints{0, 0}, ints{rows, columns}, ints{1, 2}>(x * 2.0f) + y; });

static_assert(one_pass<chain, whole, whole, whole>());
static_assert(bytes<chain, whole, whole, whole>() == 4 * 4 * rows * columns + 4);
static_assert(one_pass<bias_and_activation, whole, line>());
static_assert(one_pass<softmax_rows, whole>());
static_assert(one_pass<layer_norm, whole, line, line>());
static_assert(one_pass<layer_norm_of_columns, whole, line, line>());
static_assert(one_pass<root_mean_square_norm, whole, line>());
static_assert(one_pass<log_softmax, whole>());
static_assert(one_pass<normalised, whole>());
static_assert(one_pass<sum_of_squares, whole>());
static_assert(one_pass<turned, tensor<f32, columns, rows>, whole>());
static_assert(one_pass<every_other, whole, tensor<f32, rows, columns / 2>>());

// Two passes over memory are seen as such.
constexpr auto twice = trace([](auto x) {
  auto y = exponential(x);
  return results(y, reverse<ints{1}>(y) * y);
});
static_assert(!one_pass<twice, whole>());

// What is read in order may be a result too.
constexpr auto both = trace([](auto x) {
  auto y = exponential(x);
  return results(y, y * 2.0f);
});
static_assert(one_pass<both, whole>());
// As an optimiser updates numbers and what it remembers of them.
constexpr auto update = trace([](auto x, auto slope, auto mean, auto square) {
  auto next_mean = 0.9f * mean + 0.1f * slope;
  auto next_square = 0.999f * square + 0.001f * slope * slope;
  return results(x - 0.001f * next_mean / (sqrt(next_square) + 1e-8f), next_mean, next_square);
});
static_assert(one_pass<update, whole, whole, whole, whole>());
static_assert(bytes<update, whole, whole, whole, whole>() < (7 * rows * columns + 8) * 4);
// As between the parts of a transformer: the sum goes on.
constexpr auto residual_and_norm = trace([](auto x, auto y) {
  auto sum = x + y;
  auto mean = reduce<ints{1}>(sum * sum, 0.0f, ops::add{}) / f32(columns);
  return results(sum * broadcast_in_dim<shape, ints{0}>(rsqrt(mean + 1e-5f)), sum);
});
static_assert(one_pass<residual_and_norm, whole, whole>());
// What a gradient needs beside, with an element per row.
constexpr auto norm_and_factors = trace([](auto x) {
  auto factor = rsqrt(reduce<ints{1}>(x * x, 0.0f, ops::add{}) / f32(columns) + 1e-5f);
  return results(x * broadcast_in_dim<shape, ints{0}>(factor), factor);
});
static_assert(one_pass<norm_and_factors, whole>());
// A mask costs no more than the numbers of its rows and columns.
constexpr auto causal =
    trace([](auto x) { return select(iota<i32, shape, 0>() >= iota<i32, shape, 1>(), x, x * -1e9f); });
static_assert(bytes<causal, whole>() < (2 * rows * columns + 2 * (rows + columns) + 8) * 4);
// A group whose rows are too long for tiles keeps no elements.
constexpr auto powers_and_sum_of_squares = trace([](auto x) {
  auto power = exponential(x);
  return results(power, reduce<ints{0, 1}>(power * power, 0.0f, ops::add{}));
});

// A region that is called by a kernel, whose work several threads may divide.
constexpr auto places_of_largest = trace([](auto x) { return argmax(x); });

TEST_CASE("a program says which of its steps keeps tables") {
  const auto keeps_tables = [](const std::string& text) {
    return text.find("\nkeeps tables because of step ") != std::string::npos;
  };
  CHECK(!keeps_tables(explained<softmax_rows, tensor<f32, 2, 3>>()));
  CHECK(!keeps_tables(explained<places_of_largest, tensor<f32, 2, 3>>()));
  CHECK(keeps_tables(explained<places_of_largest, whole>()));
}

TEST_CASE("a group says what it does and how it reads") {
  const std::string text = explained<layer_norm, whole, line, line>();
  INFO(text);
  const auto has = [&](const char* part) { return text.find(part) != text.npos; };
  CHECK(has("1 step, 1 of them fused groups"));
  CHECK(has("over 256 rows of 384 elements, "));
  CHECK(has("folds each row"));
  CHECK(has("spread along each row"));
  CHECK(has("once per row"));
  CHECK(has("(d0, d1) -> (d1)"));
  CHECK(has("tensor<384xf32>: broadcast, (i0, i1) -> i1, i0 < 256, i1 < 384; argument 1"));
  CHECK(has("tensor<256x384xf32>: contiguous"));
}

TEST_CASE("a value that stands apart says why") {
  const std::string text = explained<twice, whole>();
  INFO(text);
  CHECK(text.find("not fused with exponential: the group reads it through maps that differ") != text.npos);
  const std::string other = explained<powers_and_sum_of_squares, whole>();
  INFO(other);
  CHECK(other.find("2 steps, ") != text.npos);
  CHECK(other.find("not fused with exponential: another step or the caller reads it too") != text.npos);
}

TEST_CASE("strides are explained") {
  const std::string text = explained<every_other, whole, tensor<f32, rows, columns / 2>>();
  INFO(text);
  CHECK(text.find("strided, (i0) -> i0 * 2, i0 < 49152") != text.npos);
}

constexpr ops::gather rows_of{.dimension_numbers = {.offset_dims = ints{1},
                                                    .collapsed_slice_dims = ints{0},
                                                    .start_index_map = ints{0},
                                                    .index_vector_dim = 1},
                              .slice_sizes = ints{1, 16}};
constexpr auto embedded =
    trace([](auto table, auto ids, auto positions) { return gather<rows_of>(table, ids) * 4.0f + positions; });
constexpr auto window_of =
    trace([](auto x, auto y, auto i, auto j) { return dynamic_slice<ints{8, 384}>(x * 2.0f, i, j) + y; });
constexpr auto moving_part = trace(
    [](auto x, auto y, auto i, auto j) { return transpose<ints{1, 0}>(dynamic_slice<ints{8, 16}>(x, i, j)) + y; });

TEST_CASE("what indices name is read where it is used") {
  const std::string text = explained<embedded, tensor<f32, 100, 16>, tensor<i32, 8>, tensor<f32, 8, 16>>();
  INFO(text);
  CHECK(text.find("1 step, 1 of them fused groups") != text.npos);
  CHECK(
      text.find("tensor<100x16xf32>: gather, (i0, i1) -> i1 + %1[(i0, i1) -> i0] * 16, i0 < 8, i1 < 16; argument 0") !=
      text.npos);
  tensor<f32, 100, 16> table;
  tensor<f32, 8, 16> positions;
  tensor<i32, 8> ids;
  for (index_t i = 0; i < 1600; ++i) table.data()[i] = f32(i);
  for (index_t i = 0; i < 128; ++i) positions.data()[i] = f32(i);
  for (index_t i = 0; i < 8; ++i) ids.data()[i] = i32(i * i * i - 4);
  const auto result = embedded(table, ids, positions);
  bool same = true;
  for (index_t i = 0; i < 128; ++i) {
    const index_t id = i / 16 * (i / 16) * (i / 16) - 4, row = id < 0 ? 0 : id > 99 ? 99 : id;
    same = same && result.data()[i] == f32(row * 16 + i % 16) * 4 + f32(i);
  }
  CHECK(same);
}

TEST_CASE("what is known when the program runs moves a walk") {
  const std::string text = explained<window_of, whole, tensor<f32, 8, 384>, tensor<i32>, tensor<i32>>();
  INFO(text);
  CHECK(text.find("1 step, 1 of them fused groups") != text.npos);
  CHECK(text.find("tensor<256x384xf32>: contiguous, (i0) -> i0 + %2[(i0) -> 0] * 384, i0 < 3072") != text.npos);
  const std::string other = explained<moving_part, whole, tensor<f32, 16, 8>, tensor<i32>, tensor<i32>>();
  INFO(other);
  CHECK(other.find("tensor<256x384xf32>: strided, (i0, i1) -> i0 + i1 * 384 + %2[") != other.npos);
}

constexpr auto turn = [](auto x) { return transpose<ints{1, 0, 2}>(x); };
constexpr auto attention = trace([](auto q, auto k, auto v) {
  auto scores = dot_general<ops::dot_general{{{0}, {0}, {2}, {2}}}>(turn(q), turn(k)) * 0.125f;
  return dot_general<ops::dot_general{{{0}, {0}, {2}, {1}}}>(softmax(scores), turn(v));
});
using heads = tensor<f32, 32, 4, 8>;

TEST_CASE("products read what was transposed, and what follows them works in place") {
  const std::string text = explained<attention, heads, heads, heads>();
  INFO(text);
  CHECK(text.find("transpose") == text.npos);
  CHECK(text.find("2 steps, 1 of them fused groups") != text.npos);
  CHECK(text.find("in place: a group of") != text.npos);
}

constexpr auto of_views = trace([](auto x, auto y) {
  const auto spread = broadcast_in_dim<ints{12, 9}, ints{1}>(slice<ints{0}, ints{17}, ints{2}>(y));
  return dot_general<ops::dot_general{{{}, {}, ints{1}, ints{0}}}>(reverse<ints{0}>(x), spread);
});

TEST_CASE("products read slices, repetitions and reversals where they come from") {
  const std::string text = explained<of_views, tensor<f32, 8, 12>, tensor<f32, 17>>();
  INFO(text);
  CHECK(text.find("1 step, 0 of them fused groups") != text.npos);
  CHECK(text.find("tensor<8x12xf32>: strided, (i0, i1) -> i0 * -12 + i1 + 84, ") != text.npos);
  CHECK(text.find("tensor<17xf32>: strided, (i0, i1) -> i1 * 2, ") != text.npos);
  tensor<f32, 8, 12> x;
  tensor<f32, 17> y;
  for (index_t i = 0; i < x.size; ++i) x.data()[i] = f32(i % 7) - 3;
  for (index_t i = 0; i < y.size; ++i) y.data()[i] = f32(i);
  const auto result = of_views(x, y);
  bool same = true;
  for (index_t i = 0; i < 8; ++i)
    for (index_t j = 0; j < 9; ++j) {
      f32 sum = 0;
      for (index_t k = 0; k < 12; ++k) sum += x.data()[(7 - i) * 12 + k] * y.data()[2 * j];
      same = same && result.data()[i * 9 + j] == sum;
    }
  CHECK(same);
}

constexpr ops::dot_general by_weights{{{}, {}, ints{1}, ints{0}}};
constexpr auto layers = trace([](auto x, auto w, auto b) {
  const auto layer = [&](auto y) {
    return maximum(dot_general<by_weights>(y, w) + broadcast_in_dim<ints{2048, 64}, ints{1}>(b), 0.0f);
  };
  return layer(layer(x * 2.0f));
});

TEST_CASE("a product is done part by part between what comes before and after it") {
  const std::string text = explained<layers, tensor<f32, 2048, 64>, tensor<f32, 64, 64>, tensor<f32, 64>>();
  INFO(text);
  CHECK(text.find("3 steps, 3 of them fused groups") != text.npos);
  CHECK(text.find("part by part for the next step: dot_general") != text.npos);
  CHECK(text.find("parts along d0, each followed by its group") != text.npos);
  CHECK(text.find("computed part by part, just before it is read") != text.npos);
}
// Neither the operand of a product nor what one layer hands to the next is written to memory.
static_assert(bytes<layers, tensor<f32, 2048, 64>, tensor<f32, 64, 64>, tensor<f32, 64>>() <
              2 * 4 * 2048 * 64 + 3 * 4 * 64 * 65);

constexpr auto through = trace([](auto x, auto y) {
  const auto permuted = [](auto z) { return transpose<ints{2, 0, 1}>(z); };
  return dot_general<ops::dot_general{{{1}, {1}, {0}, {0}}}>(permuted(x), permuted(y));
});
constexpr auto copied = trace([](auto x, auto y) {
  const auto permuted = [](auto z) { return transpose<ints{2, 0, 1}>(z) + 0.0f; };
  return dot_general<ops::dot_general{{{1}, {1}, {0}, {0}}}>(permuted(x), permuted(y));
});

TEST_CASE("a product of transposed operands is that of the transposes") {
  tensor<f32, 5, 6, 7> x;
  tensor<f32, 5, 9, 7> y;
  for (index_t i = 0; i < x.size; ++i) x.data()[i] = f32(i % 13) - 6;
  for (index_t i = 0; i < y.size; ++i) y.data()[i] = f32(i % 11) - 5;
  const auto a = through(x, y), b = copied(x, y);
  bool same = true;
  for (index_t i = 0; i < a.size; ++i) same = same && a.data()[i] == b.data()[i];
  CHECK(same);
}

}  // namespace
