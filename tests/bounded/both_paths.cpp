// SPDX-License-Identifier: Apache-2.0
#include <shared/shared_program.hpp>
#include <tenon/kernels/all.hpp>
#include <tenon/run/program.hpp>

#include <cstdio>
#include <cstring>

// The same texts compiled, and read when the program runs, give the same bytes at every size.
using namespace tenon;
using namespace tenon::passes;

namespace {

// Lookups and sums of rows, sorted, and put together.
struct rows {
  static constexpr std::string_view text = R"(
    func.func @main(%x: tensor<?x3xf32, #stablehlo.bounds<6, ?>>, %at: tensor<?xi32, #stablehlo.bounds<4>>)
        -> (tensor<?x3xf32, #stablehlo.bounds<10, ?>>, tensor<?xf32, #stablehlo.bounds<6>>) {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %found = "stablehlo.gather"(%x, %at) {dimension_numbers = #stablehlo.gather<offset_dims = [1],
          collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}
          : (tensor<?x3xf32, #stablehlo.bounds<6, ?>>, tensor<?xi32, #stablehlo.bounds<4>>)
          -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>
      %all = stablehlo.concatenate %x, %found, dim = 0
          : (tensor<?x3xf32, #stablehlo.bounds<6, ?>>, tensor<?x3xf32, #stablehlo.bounds<4, ?>>)
          -> tensor<?x3xf32, #stablehlo.bounds<10, ?>>
      %sums = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
          : (tensor<?x3xf32, #stablehlo.bounds<6, ?>>, tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<6>>
      %sorted = "stablehlo.sort"(%sums) ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %less = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %less : tensor<i1>
      }) {dimension = 0 : i64} : (tensor<?xf32, #stablehlo.bounds<6>>) -> tensor<?xf32, #stablehlo.bounds<6>>
      return %all, %sorted : tensor<?x3xf32, #stablehlo.bounds<10, ?>>, tensor<?xf32, #stablehlo.bounds<6>>
    })";
};

// The largest element and where it is, of the products of all columns.
struct largest {
  static constexpr std::string_view text = R"(
    func.func @main(%x: tensor<?x3xf32, #stablehlo.bounds<6, ?>>, %at: tensor<?xi32, #stablehlo.bounds<4>>)
        -> (tensor<3xf32>, tensor<3xi32>, tensor<?xi32, #stablehlo.bounds<8>>) {
      %product = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0]
          : (tensor<?x3xf32, #stablehlo.bounds<6, ?>>, tensor<?x3xf32, #stablehlo.bounds<6, ?>>) -> tensor<3x3xf32>
      %y = stablehlo.dot_general %x, %product, contracting_dims = [1] x [0]
          : (tensor<?x3xf32, #stablehlo.bounds<6, ?>>, tensor<3x3xf32>) -> tensor<?x3xf32, #stablehlo.bounds<6, ?>>
      %places = stablehlo.iota dim = 0 : tensor<?x3xi32, #stablehlo.bounds<6, ?>>
      %low = stablehlo.constant dense<-1000.0> : tensor<f32>
      %none = stablehlo.constant dense<-1> : tensor<i32>
      %best:2 = "stablehlo.reduce"(%y, %places, %low, %none) ({
        ^bb0(%a: tensor<f32>, %i: tensor<i32>, %b: tensor<f32>, %j: tensor<i32>):
          %more = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %value = stablehlo.select %more, %a, %b : tensor<i1>, tensor<f32>
          %place = stablehlo.select %more, %i, %j : tensor<i1>, tensor<i32>
          stablehlo.return %value, %place : tensor<f32>, tensor<i32>
      }) {dimensions = array<i64: 0>}
          : (tensor<?x3xf32, #stablehlo.bounds<6, ?>>, tensor<?x3xi32, #stablehlo.bounds<6, ?>>, tensor<f32>, tensor<i32>)
          -> (tensor<3xf32>, tensor<3xi32>)
      %twice = stablehlo.concatenate %at, %at, dim = 0
          : (tensor<?xi32, #stablehlo.bounds<4>>, tensor<?xi32, #stablehlo.bounds<4>>)
          -> tensor<?xi32, #stablehlo.bounds<8>>
      %back = stablehlo.reverse %twice, dims = [0] : tensor<?xi32, #stablehlo.bounds<8>>
      return %best#0, %best#1, %back : tensor<3xf32>, tensor<3xi32>, tensor<?xi32, #stablehlo.bounds<8>>
    })";
};

// Statistics, pooling backwards, products by letters, and what goes from row to row.
struct mixing {
  static constexpr std::string_view text = R"(
    func.func @main(%x: tensor<?x3xf32, #stablehlo.bounds<6, ?>>, %at: tensor<?xi32, #stablehlo.bounds<4>>)
        -> (tensor<?x3xf32, #stablehlo.bounds<6, ?>>, tensor<?x3xf32, #stablehlo.bounds<6, ?>>,
            tensor<3x3xf32>, tensor<?x2xf32, #stablehlo.bounds<6, ?>>, tensor<3xf32>, tensor<3x1xi32>) {
      %one = stablehlo.constant dense<1.0> : tensor<3xf32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %n:3 = "stablehlo.batch_norm_training"(%x, %one, %one) {epsilon = 0.5 : f32, feature_index = 1 : i64}
          : (tensor<?x3xf32, #stablehlo.bounds<6, ?>>, tensor<3xf32>, tensor<3xf32>)
          -> (tensor<?x3xf32, #stablehlo.bounds<6, ?>>, tensor<3xf32>, tensor<3xf32>)
      %pooled = "stablehlo.reduce_window"(%x, %zero) ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %s = stablehlo.add %p, %q : tensor<f32>
          stablehlo.return %s : tensor<f32>
      }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>,
          padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}
          : (tensor<?x3xf32, #stablehlo.bounds<6, ?>>, tensor<f32>) -> tensor<?x3xf32, #stablehlo.bounds<3, ?>>
      %back = "stablehlo.select_and_scatter"(%x, %pooled, %zero) ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %s = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %s : tensor<i1>
      }, {
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %s = stablehlo.add %p, %q : tensor<f32>
          stablehlo.return %s : tensor<f32>
      }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>,
          padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>}
          : (tensor<?x3xf32, #stablehlo.bounds<6, ?>>, tensor<?x3xf32, #stablehlo.bounds<3, ?>>, tensor<f32>)
          -> tensor<?x3xf32, #stablehlo.bounds<6, ?>>
      %square = stablehlo.einsum %x, %n#0, config = "ab,ac->bc"
          : (tensor<?x3xf32, #stablehlo.bounds<6, ?>>, tensor<?x3xf32, #stablehlo.bounds<6, ?>>) -> tensor<3x3xf32>
      %spectrum = stablehlo.fft %x, type = RFFT, length = [3]
          : (tensor<?x3xf32, #stablehlo.bounds<6, ?>>) -> tensor<?x2xcomplex<f32>, #stablehlo.bounds<6, ?>>
      %real = stablehlo.real %spectrum
          : (tensor<?x2xcomplex<f32>, #stablehlo.bounds<6, ?>>) -> tensor<?x2xf32, #stablehlo.bounds<6, ?>>
      %sums:2 = "chlo.scan"(%x, %one) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>,
          resultSegmentSizes = array<i32: 1, 1>}> ({
        ^bb0(%row: tensor<3xf32>, %sum: tensor<3xf32>):
          %next = stablehlo.add %row, %sum : tensor<3xf32>
          stablehlo.return %next, %next : tensor<3xf32>, tensor<3xf32>
      }) : (tensor<?x3xf32, #stablehlo.bounds<6, ?>>, tensor<3xf32>)
          -> (tensor<?x3xf32, #stablehlo.bounds<6, ?>>, tensor<3xf32>)
      %columns = stablehlo.transpose %sums#0, dims = [1, 0]
          : (tensor<?x3xf32, #stablehlo.bounds<6, ?>>) -> tensor<3x?xf32, #stablehlo.bounds<?, 6>>
      %best:2 = chlo.top_k(%columns, k = 1)
          : tensor<3x?xf32, #stablehlo.bounds<?, 6>> -> (tensor<3x1xf32>, tensor<3x1xi32>)
      return %n#0, %back, %square, %real, %sums#1, %best#1
          : tensor<?x3xf32, #stablehlo.bounds<6, ?>>, tensor<?x3xf32, #stablehlo.bounds<6, ?>>,
            tensor<3x3xf32>, tensor<?x2xf32, #stablehlo.bounds<6, ?>>, tensor<3xf32>, tensor<3x1xi32>
    })";
};

// What both give, cut to the sizes.
struct given {
  std::vector<std::vector<std::byte>> results;
  std::vector<index_t> sizes;

  friend bool operator==(const given&, const given&) = default;
};

template <class Run>
given run_with(const loaded_program& program, const std::vector<index_t>& argument_sizes, Run run) {
  std::vector<std::vector<std::byte>> memory;
  std::vector<const void*> arguments;
  std::vector<void*> results;
  for (int i = 0; i < program.argument_count(); ++i) {
    const tensor_type& type = program.argument_type(i);
    memory.emplace_back(std::size_t(byte_size(type)));
    for (index_t k = 0; k < type.size(); ++k) {
      const float real = float((k * 7 + 3) % 11) - 4;
      const int whole = int(k * 5 % 7) - 1;
      std::memcpy(&memory.back()[std::size_t(k) * 4], i == 0 ? static_cast<const void*>(&real) : &whole, 4);
    }
    arguments.push_back(memory.back().data());
  }
  given all;
  for (int i = 0; i < program.result_count(); ++i) {
    memory.emplace_back(std::size_t(byte_size(program.result_type(i))));
    results.push_back(memory.back().data());
    all.sizes.resize(all.sizes.size() + std::size_t(bounded_dimensions(program.result_type(i))));
  }
  run(arguments.data(), argument_sizes.data(), results.data(), all.sizes.data());
  std::size_t next = 0;
  for (int i = 0; i < program.result_count(); ++i) {
    const tensor_type& type = program.result_type(i);
    ints shape = type.shape;
    for (int d = 0; d < type.rank(); ++d)
      if (type.is_bounded(d)) shape.set(d, all.sizes[next++]);
    all.results.emplace_back(std::size_t(byte_size(type.with_shape(shape))));
    collect_from_bounds(shape, type.shape, 4, results[std::size_t(i)], all.results.back().data());
  }
  return all;
}

template <class Text>
int differences(const char* name) {
  shared_program loaded(Text::text, &find_any_kernel);
  if (loaded.error()) {
    std::printf("%s: %d:%d %s: %s\n", name, loaded.error().line, loaded.error().column, loaded.error().label,
                loaded.error().sentence);
    return 1;
  }
  int failures = 0;
  for (index_t n = 1; n <= 6; ++n)
    for (index_t m = 0; m <= 4; ++m) {
      const given a = run_with(loaded, {n, m}, [&](auto... all) { loaded(all...); });
      const given b = run_with(loaded, {n, m}, [](auto... all) { program<Text>::code::run_sized(all...); });
      if (a == b) continue;
      ++failures;
      std::printf("%s differs at %d, %d\n", name, int(n), int(m));
    }
  return failures;
}

}  // namespace

int main() {
  const int failures = differences<rows>("rows") + differences<largest>("largest") + differences<mixing>("mixing");
  std::printf("%d differences\n", failures);
  return failures == 0 ? 0 : 1;
}
