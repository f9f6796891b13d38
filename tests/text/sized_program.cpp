// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/sized_program.hpp>

#include <tenon/core/tensor.hpp>

#include <text/graphs.hpp>

#include <string_view>

using namespace tenon;
using namespace tenon::ir;

namespace {

// The specification's program of mismatching shapes.
struct sum {
  static constexpr std::string_view text = R"(
    func.func @foo(%arg0: tensor<?xi32>, %arg1: tensor<?xi32>) -> tensor<?xi32> {
      %0 = stablehlo.add %arg0, %arg1 : tensor<?xi32>
      func.return %0 : tensor<?xi32>
    })";
};
struct sum_of_three {
  static constexpr std::string_view text = R"(
    func.func @foo(%arg0: tensor<3xi32>, %arg1: tensor<3xi32>) -> tensor<3xi32> {
      %0 = stablehlo.add %arg0, %arg1 : tensor<3xi32>
      func.return %0 : tensor<3xi32>
    })";
};
template <class Program, index_t... Sizes>
using sized_by = sized_program<Program, tensor<i32, Sizes>...>;

static_assert(parsed<sum>::is_open && !parsed<sum_of_three>::is_open);
static_assert(!sized_by<sum, 3, 3>::error);
static_assert(same_program(sized_by<sum, 3, 3>::view(), parsed<sum_of_three>::view()));
static_assert(std::string_view(sized_by<sum, 3, 4>::error.label) == "add_c1");
static_assert(sized_by<sum, 3, 4>::error.line == 3 && sized_by<sum, 3, 4>::error.column == 7);
static_assert(std::string_view(sized_by<sum, 3>::error.label) == "type");
static_assert(std::string_view(sized_program<sum, tensor<i32, 3>, tensor<i32, 3, 1>>::error.label) == "type");

// A custom call becomes several ops, for which the first memory has no room.
struct many_calls {
  static constexpr std::string_view text = R"(
    func.func private @twice(%x: tensor<?xi32>) -> tensor<?xi32> {
      %0 = stablehlo.add %x, %x : tensor<?xi32>
      return %0 : tensor<?xi32>
    }
    func.func @main(%x: tensor<?xi32>) -> (tensor<?xi32>, tensor<i32>) {
      %a = func.call @twice(%x) : (tensor<?xi32>) -> tensor<?xi32>
      %b = func.call @twice(%a) : (tensor<?xi32>) -> tensor<?xi32>
      %c = stablehlo.concatenate %a, %b, dim = 0 : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>
      %n = stablehlo.get_dimension_size %c, dim = 0 : (tensor<?xi32>) -> tensor<i32>
      return %c, %n : tensor<?xi32>, tensor<i32>
    })";
};
constexpr tensor_type result_of(const graph& g, int i) {
  return g.type_of_value(g.yields_of(g.regions.data[g.functions.data[0].region])[i]);
}
static_assert(result_of(sized_by<many_calls, 5>::view(), 0) == type_of(dtype::i32, {10}));
static_assert(sized_by<many_calls, 5>::view().functions.size == 1);
static_assert(result_of(sized_by<many_calls, 0>::view(), 0) == type_of(dtype::i32, {0}));

// A bound is no open size.
struct bounded {
  static constexpr std::string_view text = R"(
    func.func @main(%x: tensor<?xi32, #stablehlo.bounds<4>>) -> tensor<?xi32, #stablehlo.bounds<4>> {
      return %x : tensor<?xi32, #stablehlo.bounds<4>>
    })";
};
static_assert(!parsed<bounded>::error && !parsed<bounded>::is_open);

}  // namespace
