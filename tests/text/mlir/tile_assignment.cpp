// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/mlir/tile_assignment.hpp>

#include <tenon/core/tensor.hpp>
#include <tenon/distributed/simulated.hpp>
#include <tenon/run/program.hpp>

#include <text/stablehlo_programs.hpp>

#include <doctest/doctest.h>

#include <mutex>
#include <string>

namespace tenon::test {
namespace {

using namespace stablehlo_programs;

// As JAX wrote shard_map before Shardy: process p has rows p % 2, since its device is number p / 2 + 2 (p % 2) of the
// tiles. Each adds its number.
struct numbered_parts {
  static constexpr std::string_view text = R"(
    func.func @main(%x: tensor<4x2xi32>) -> tensor<4x2xi32> {
      %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"} : (tensor<4x2xi32>) -> tensor<4x2xi32>
      %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<4x2xi32>) -> tensor<2x2xi32>
      %2 = stablehlo.partition_id : tensor<ui32>
      %3 = stablehlo.constant dense<2> : tensor<ui32>
      %4 = stablehlo.remainder %2, %3 : tensor<ui32>
      %5 = stablehlo.convert %4 : (tensor<ui32>) -> tensor<i32>
      %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
      %7 = stablehlo.add %1, %6 : tensor<2x2xi32>
      %8 = "stablehlo.custom_call"(%7) <{call_target_name = "Sharding"}> {mhlo.sharding = "{manual}"} : (tensor<2x2xi32>) -> tensor<2x2xi32>
      %9 = stablehlo.custom_call @SPMDShardToFullShape(%8) {mhlo.sharding = "{devices=[2,1,2]0,2,1,3 last_tile_dim_replicate}"} : (tensor<2x2xi32>) -> tensor<4x2xi32>
      return %9 : tensor<4x2xi32>
    })";
};

TEST_CASE("custom calls cut wholes into parts and put them together") {
  const tensor<i32, 4, 2> x{{10, 20}, {30, 40}, {50, 60}, {70, 80}};
  int good = 0;
  std::mutex mutex;
  simulated_grid grid({1, 4});
  grid.run([&](process_context& process) {
    const tensor<i32, 4, 2> y = program<numbered_parts>{}.as(process)(x);
    const std::lock_guard lock(mutex);
    good += equal(y, tensor<i32, 4, 2>{{10, 20}, {30, 40}, {51, 61}, {71, 81}});
  });
  CHECK(good == 4);
}

TEST_CASE("what no mesh divides is refused") {
  const auto label = [](const std::string& sharding, const std::string& part) {
    return label_of(body("%x: tensor<8x6xf32>",
                         "%0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = \"" + sharding +
                             "\"} : (tensor<8x6xf32>) -> tensor<8x6xf32>\n" +
                             "%1 = stablehlo.custom_call @SPMDFullToShardShape(%0) : (tensor<8x6xf32>) -> tensor<" +
                             part + "xf32>"));
  };
  CHECK(label("{devices=[4,3]<=[12]}", "2x2") == "");
  CHECK(label("{devices=[4,3]<=[3,2,2]T(2,1,0)}", "2x2") == "");
  CHECK(label("{devices=[2,3]5,4,3,2,1,0}", "4x2") == "not_supported");
  CHECK(label("{devices=[2,3]0,1,2}", "4x2") == "not_supported");
  CHECK(label("{devices=[2]<=[2]}", "4x6") == "attribute");
  CHECK(label("{devices=[2,3]<=[2,3]T(1,1)}", "4x2") == "attribute");
  CHECK(label("{devices=[0,3]<=[0]}", "4x2") == "attribute");
  CHECK(label("{devices=[2,3]<=[6]}", "2x2") == "attribute");
  CHECK(label("{replicated}", "4x6") == "attribute");
  CHECK(label("", "4x6") == "attribute");
  CHECK(label_of(body("%x: tensor<8xf32>",
                      "%0 = stablehlo.custom_call @SPMDFullToShardShape(%x) : (tensor<8xf32>) -> tensor<4xf32>")) ==
        "attribute");
}

}  // namespace
}  // namespace tenon::test
