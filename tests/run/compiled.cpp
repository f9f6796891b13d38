// SPDX-License-Identifier: Apache-2.0
#include <tenon/run/compiled.hpp>

#include <tenon/run/program.hpp>
#include <tenon/text/program_graph.hpp>

#include <doctest/doctest.h>

#include <string_view>

using namespace tenon;
using namespace tenon::ir;
using namespace tenon::passes;
using namespace tenon::execution;

namespace {

// A text as what `compiled` takes.
template <class Program>
struct source {
  static_assert(!parsed<Program>::error);
  static constexpr tenon::ir::graph graph() { return parsed<Program>::view(); }
  static constexpr graph_function function() { return *entry_of(graph()); }
};

struct column_sums {
  static constexpr std::string_view text = R"(
  func.func @main(%x: tensor<?x2xf32, #stablehlo.bounds<4, ?>>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<?x2xf32, #stablehlo.bounds<4, ?>>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x2xf32, #stablehlo.bounds<4, ?>>, tensor<f32>) -> tensor<2xf32>
    %t = stablehlo.add %s, %y : tensor<2xf32>
    %n = stablehlo.negate %x : tensor<?x2xf32, #stablehlo.bounds<4, ?>>
    return %t, %n : tensor<2xf32>, tensor<?x2xf32, #stablehlo.bounds<4, ?>>
  })";
};
using sums = compiled<source<column_sums>>;
static_assert(sums::argument_count == 2 && sums::result_count == 2);
static_assert(sums::argument_type(0).is_bounded(0) && !sums::argument_type(0).is_bounded(1));
static_assert(sums::argument_type(1) == type_of(dtype::f32, {2}) && sums::result_type(0) == sums::argument_type(1));
static_assert(sums::result_type(1) == sums::argument_type(0));
static_assert(sums::argument_sizes == 1 && sums::result_sizes == 1);
// What runs knows no bounds: sizes are numbers beside the values.
static_assert(!has_bounded_dimensions(sums::graph()));
static_assert(sums::graph().regions[sums::graph().functions[0].region].argument_count == 3);

struct halves {
  static constexpr std::string_view text = R"(
  func.func @main(%x: tensor<3x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<3xf32> {
    %s = stablehlo.add %x, %x : tensor<3x!quant.uniform<i8:f32, 0.5:2>>
    %y = stablehlo.uniform_dequantize %s : (tensor<3x!quant.uniform<i8:f32, 0.5:2>>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  })";
};
using quantized = compiled<source<halves>>;
static_assert(quantized::argument_type(0) == type_of(dtype::i8, {3}));  // as it is stored
static_assert(std::is_same_v<expressed_source<source<column_sums>>, source<column_sums>>);
static_assert(!std::is_same_v<expressed_source<source<halves>>, source<halves>>);

// How much of a program is written out is up to it: two sums, the first of more elements.
constexpr std::string_view two_sums = R"(
  func.func @main(%x: tensor<8xf32>, %y: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
    %s = stablehlo.add %x, %x : tensor<8xf32>
    %t = stablehlo.add %y, %y : tensor<4xf32>
    return %s, %t : tensor<8xf32>, tensor<4xf32>
  })";
template <int Budget>
struct with_budget {
  static constexpr std::string_view text = two_sums;
  static constexpr int writing_budget = Budget;
};
struct without_budget {
  static constexpr std::string_view text = two_sums;
};
template <class Program>
constexpr int written_out = [] {
  using source = detail::program_source<Program>;
  using code = compiled<source>;
  bool chosen[2]{};
  choose_steps_to_write_out(code::graph(), code::plan(), writing_budget<source>(), chosen);
  return (chosen[0] ? 1 : 0) + (chosen[1] ? 2 : 0);
}();
static_assert(written_out<without_budget> == 3);
static_assert(written_out<with_budget<2>> == 3);
static_assert(written_out<with_budget<1>> == 1);
static_assert(written_out<with_budget<0>> == 0);

// Refusals.
constexpr bool says(const bounded_refusal& refusal, std::string_view text, std::string_view expected) {
  const auto message = message_of_refusal(refusal, text);
  return std::string_view(message.at, std::size_t(message.length)) == expected;
}
static_assert(says({}, "text", ""));
static_assert(says({"the sentence"}, "text", "the sentence"));
static_assert(says({"the sentence", -1, 2}, "text", "dimension 2: the sentence"));
static_assert(says({"the sentence", kind_of_op<ops::fft>, 0, 8}, "ab\ncd\nef",
                   "line 3, column 3: fft: dimension 0: the sentence"));
static_assert(says({"the sentence", kind_of_op<ops::fft>, -1, 3}, "ab\ncd\nef", "line 2, column 1: fft: the sentence"));

}  // namespace

TEST_CASE("a program runs at smaller sizes, and looks at nothing behind them") {
  const f32 x[8] = {1, 2, 3, 4, 1e30f, 1e30f, 1e30f, 1e30f}, y[2] = {10, 20};
  const void* const arguments[] = {x, y};
  for (index_t rows = 0; rows <= 2; ++rows) {
    f32 total[2] = {}, negated[8] = {};
    void* const results[] = {total, negated};
    index_t size = -1;
    sums::run_sized(arguments, &rows, results, &size);
    CHECK(size == rows);
    CHECK(total[0] == (rows == 0 ? 10 : rows == 1 ? 11 : 14));
    CHECK(total[1] == (rows == 0 ? 20 : rows == 1 ? 22 : 26));
    for (index_t i = 0; i < 2 * rows; ++i) CHECK(negated[i] == -x[i]);
  }
}

TEST_CASE("without sizes a program runs at its bounds, in memory of the caller or its own") {
  const f32 x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[2] = {10, 20};
  const void* const arguments[] = {x, y};
  alignas(64) unsigned char arena[sums::arena_bytes];
  f32 total[2] = {}, negated[8] = {}, again[2] = {};
  void* results[] = {total, negated};
  sums::run(arguments, results, arena);
  CHECK(total[0] == 26);
  CHECK(total[1] == 40);
  CHECK(negated[7] == -8);
  results[0] = again;
  sums::run(arguments, results);
  CHECK(again[0] == 26);
  CHECK(again[1] == 40);
}

TEST_CASE("quantized arithmetic is written out") {
  const i8 x[3] = {2, 4, 127};
  f32 y[3] = {};
  const void* const arguments[] = {x};
  void* const results[] = {y};
  quantized::run(arguments, results);
  CHECK(y[0] == 0);
  CHECK(y[1] == 2);
  // The sum of two times 62.5 is as large as there is room for.
  CHECK(y[2] == 62.5f);
}
