// SPDX-License-Identifier: Apache-2.0
//
// Groups that only copy, whose rows have several dimensions, or whose rows are single elements: loops of their own,
// which give the bits of tiles, and leave no tables in a program.
#include <tenon/run/program.hpp>
#include <tenon/run/thread_pool.hpp>

#include <run/single_ops.hpp>

#include <doctest/doctest.h>

using namespace tenon;
using namespace tenon::test;

namespace {

struct copies {
  static constexpr std::string_view text = R"(
func.func @main(%x: tensor<12x90x80xf32>, %b: tensor<300x70xi8>, %w: tensor<50x7xcomplex<f64>>, %t: tensor<60x24xf32>,
                %i: tensor<40x1xi32>, %at: tensor<i32>) -> (tensor<5x9x80xf32>, tensor<12x80x90xf32>,
    tensor<70x300xi8>, tensor<7x50xcomplex<f64>>, tensor<25x3xcomplex<f64>>, tensor<300x70xi8>, tensor<3x60x24xf32>,
    tensor<40x24xf32>, tensor<2x90x5xf32>, tensor<7xf32>) {
  %slice = stablehlo.slice %x [1:11:2, 3:90:10, 0:80] : (tensor<12x90x80xf32>) -> tensor<5x9x80xf32>
  %across = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<12x90x80xf32>) -> tensor<12x80x90xf32>
  %bytes = stablehlo.transpose %b, dims = [1, 0] : (tensor<300x70xi8>) -> tensor<70x300xi8>
  %wide = stablehlo.transpose %w, dims = [1, 0] : (tensor<50x7xcomplex<f64>>) -> tensor<7x50xcomplex<f64>>
  %part = stablehlo.slice %w [0:50:2, 2:7:2] : (tensor<50x7xcomplex<f64>>) -> tensor<25x3xcomplex<f64>>
  %back = stablehlo.reverse %b, dims = [0, 1] : tensor<300x70xi8>
  %again = stablehlo.broadcast_in_dim %t, dims = [1, 2] : (tensor<60x24xf32>) -> tensor<3x60x24xf32>
  %rows = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
    collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 24>,
    indices_are_sorted = false}> : (tensor<60x24xf32>, tensor<40x1xi32>) -> tensor<40x24xf32>
  %box = stablehlo.dynamic_slice %x, %at, %at, %at, sizes = [2, 90, 5]
    : (tensor<12x90x80xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x90x5xf32>
  %piece = stablehlo.slice %t [3:4, 2:9] : (tensor<60x24xf32>) -> tensor<1x7xf32>
  %few = stablehlo.reshape %piece : (tensor<1x7xf32>) -> tensor<7xf32>
  return %slice, %across, %bytes, %wide, %part, %back, %again, %rows, %box, %few : tensor<5x9x80xf32>,
    tensor<12x80x90xf32>, tensor<70x300xi8>, tensor<7x50xcomplex<f64>>, tensor<25x3xcomplex<f64>>, tensor<300x70xi8>,
    tensor<3x60x24xf32>, tensor<40x24xf32>, tensor<2x90x5xf32>, tensor<7xf32>
})";
};

// Sums of x * exp(v + w) and maxima, along rows of two dimensions.
#define TENON_ROWS(NAME, SHAPE, R, A, B)                                                                         \
  struct NAME {                                                                                                  \
    static constexpr std::string_view text =                                                                     \
        "func.func @main(%x: tensor<" SHAPE "xf32>, %v: tensor<" A "xf32>, %w: tensor<" B "xf32>) -> (tensor<" R \
        "xf32>, tensor<" R                                                                                       \
        "xf32>) {\n"                                                                                             \
        "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n"                                                  \
        "%low = stablehlo.constant dense<-9.0> : tensor<f32>\n"                                                  \
        "%a = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<" A "xf32>) -> tensor<" SHAPE                  \
        "xf32>\n"                                                                                                \
        "%b = stablehlo.broadcast_in_dim %w, dims = [2] : (tensor<" B "xf32>) -> tensor<" SHAPE                  \
        "xf32>\n"                                                                                                \
        "%c = stablehlo.add %a, %b : tensor<" SHAPE                                                              \
        "xf32>\n"                                                                                                \
        "%e = stablehlo.exponential %c : tensor<" SHAPE                                                          \
        "xf32>\n"                                                                                                \
        "%m = stablehlo.multiply %x, %e : tensor<" SHAPE                                                         \
        "xf32>\n"                                                                                                \
        "%s = stablehlo.reduce(%m init: %zero) applies stablehlo.add across "                                    \
        "dimensions = [1, 2] : (tensor<" SHAPE "xf32>, tensor<f32>) -> tensor<" R                                \
        "xf32>\n"                                                                                                \
        "%h = stablehlo.reduce(%e init: %low) applies stablehlo.maximum "                                        \
        "across dimensions = [1, 2] : (tensor<" SHAPE "xf32>, tensor<f32>) -> tensor<" R                         \
        "xf32>\n"                                                                                                \
        "return %s, %h : tensor<" R "xf32>, tensor<" R "xf32>\n}";                                               \
  }
TENON_ROWS(short_rows, "21x3x4", "21", "3", "4");
TENON_ROWS(rows, "5x20x30", "5", "20", "30");
TENON_ROWS(one_row, "1x100x90", "1", "100", "90");
#undef TENON_ROWS

struct rows_of_one {
  static constexpr std::string_view text = R"(
func.func @main(%x: tensor<75x1xf32>, %y: tensor<1x75xi32>) -> (tensor<75xf32>, tensor<75xi32>, tensor<75xf32>) {
  %start = stablehlo.constant dense<-0.0> : tensor<f32>
  %least = stablehlo.constant dense<1> : tensor<i32>
  %sum = stablehlo.reduce(%x init: %start) applies stablehlo.add across dimensions = [1]
    : (tensor<75x1xf32>, tensor<f32>) -> tensor<75xf32>
  %most = stablehlo.reduce(%y init: %least) applies stablehlo.maximum across dimensions = [0]
    : (tensor<1x75xi32>, tensor<i32>) -> tensor<75xi32>
  %q = stablehlo.divide %x, %x : tensor<75x1xf32>
  %all = stablehlo.reduce(%q init: %start) applies stablehlo.add across dimensions = [1]
    : (tensor<75x1xf32>, tensor<f32>) -> tensor<75xf32>
  %last = stablehlo.multiply %all, %sum : tensor<75xf32>
  return %sum, %most, %last : tensor<75xf32>, tensor<75xi32>, tensor<75xf32>
})";
};

template <class Model>
struct in_tiles : Model {
  static constexpr int writing_budget = 0;
};

value counting(const tensor_type& type) {
  value result = blank(type);
  visit(type.element, [&]<class T>() {
    for (index_t i = 0; i < type.size(); ++i) {
      const T element = convert_to<T>(f32(i * 7919 % 40));
      std::memcpy(result.bytes.data() + i * index_t(sizeof(T)), &element, sizeof(T));
    }
  });
  return result;
}

template <class Model>
void check() {
  using own = typename program<Model>::code;
  using tiles = typename program<in_tiles<Model>>::code;
  static_assert(own::first_kept() < 0);
  std::vector<value> arguments;
  for (int i = 0; i < own::argument_count; ++i) arguments.push_back(counting(own::argument_type(i)));
  const std::vector<value> wanted = results_of<tiles>(arguments), found = results_of<own>(arguments);
  thread_pool pool(3);
  const std::vector<value> divided = results_of<own>(arguments, {.workers = workers(pool)});
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CAPTURE(i);
    CHECK(same_bits(found[i], wanted[i]));
    CHECK(same_bits(divided[i], wanted[i]));
  }
}

}  // namespace

TEST_CASE("groups that only copy have loops of their own") { check<copies>(); }

TEST_CASE("rows of several dimensions") {
  check<short_rows>();
  check<rows>();
  check<one_row>();
}

TEST_CASE("rows of one element") { check<rows_of_one>(); }
