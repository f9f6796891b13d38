// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/tensor.hpp>
#include <tenon/distributed/simulated.hpp>
#include <tenon/ops/all.hpp>
#include <tenon/run/loaded_program.hpp>
#include <tenon/run/program.hpp>

#include <text/stablehlo_programs.hpp>

#include <doctest/doctest.h>

#include <mutex>
#include <string>

// What jax.shard_map writes before XLA divides it.
namespace tenon::test {
namespace {

using namespace kernels;
using namespace stablehlo_programs;

// Rows are divided along x, columns along y; sums along x are whole along y again.
struct sums_of_columns {
  static constexpr std::string_view text = R"(
    module @jit attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
      sdy.mesh @mesh = <["x"=2, "y"=3]>
      func.func public @main(%arg0: tensor<4x6xi32>) -> (tensor<2x6xi32>, tensor<4x6xi32>) {
        %0:2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {"y"}]>]
            out_shardings=[<@mesh, [{}, {"y"}]>, <@mesh, [{"x"}, {"y", ?}], replicated={}>] manual_axes={"x", "y"} (%arg1: tensor<2x2xi32>) {
          %1 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
              replica_groups = dense<[[0, 3], [1, 4], [2, 5]]> : tensor<3x2xi64>, use_global_device_ids}> ({
          ^bb0(%a: tensor<i32>, %b: tensor<i32>):
            %s = stablehlo.add %a, %b : tensor<i32>
            stablehlo.return %s : tensor<i32>
          }) : (tensor<2x2xi32>) -> tensor<2x2xi32>
          %2 = stablehlo.multiply %arg1, %arg1 : tensor<2x2xi32>
          sdy.return %1, %2 : tensor<2x2xi32>, tensor<2x2xi32>
        } : (tensor<4x6xi32>) -> (tensor<2x6xi32>, tensor<4x6xi32>)
        %3 = stablehlo.add %0#1, %arg0 : tensor<4x6xi32>
        return %0#0, %3 : tensor<2x6xi32>, tensor<4x6xi32>
      }
    })";
};

tensor<i32, 4, 6> whole() {
  tensor<i32, 4, 6> x;
  for (int i = 0; i < 24; ++i) x.data()[i] = i * i - 7 * i;
  return x;
}

TEST_CASE("wholes go in and come out, compiled") {
  const tensor<i32, 4, 6> x = whole();
  int good = 0;
  std::mutex mutex;
  simulated_grid grid({1, 6});
  grid.run([&](process_context& process) {
    const auto [sums, squares] = program<sums_of_columns>{}.as(process)(x);
    bool equal = true;
    for (int c = 0; c < 6; ++c) {
      for (int r = 0; r < 2; ++r) equal = equal && sums(r, c) == x(r, c) + x(r + 2, c);
      for (int r = 0; r < 4; ++r) equal = equal && squares(r, c) == x(r, c) * x(r, c) + x(r, c);
    }
    const std::lock_guard lock(mutex);
    good += equal;
  });
  CHECK(good == 6);
}

TEST_CASE("parts go in and come out, read") {
  const ints shapes[] = {{2, 2}};
  load_options options;
  options.in_parts = true;
  options.argument_shapes = {shapes, 1};
  // Its types are asked for alone: no kernel is called.
  const auto find = [](const kernel_key&) -> kernel { return [](const evaluation&) {}; };
  std::string text(sums_of_columns::text);
  const loaded_program whole_argument(text, find, options);
  CHECK(whole_argument.error().label == "not_supported");
  CHECK(whole_argument.error().line == 16);

  const std::string_view argument = "%arg0: tensor<4x6xi32>";
  text.insert(text.find(argument) + argument.size(), " {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>}");
  const loaded_program read(text, find, options);
  REQUIRE_MESSAGE(!read.error(), std::string(read.error().sentence));
  CHECK(read.argument_type(0) == type_of(dtype::i32, {2, 2}));
  CHECK(read.result_type(0) == type_of(dtype::i32, {2, 2}));
  CHECK(read.result_type(1) == type_of(dtype::i32, {4, 6}));  // computed of wholes, and no sharding says otherwise
}

// A computation of one operand and one result, along the only axis of a mesh of two, and what stands behind it.
std::string computation(std::string_view in, std::string_view out, std::string_view argument, std::string_view result,
                        std::string_view behind = "return %0 : tensor<4xf32>") {
  return "sdy.mesh @mesh = <[\"x\"=2]>\nfunc.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n%0 = "
         "sdy.manual_computation(%a) in_shardings=[" +
         std::string(in) + "] out_shardings=[" + std::string(out) +
         "] manual_axes={\"x\"} (%b: " + std::string(argument) + ") {\nsdy.return %b : " + std::string(argument) +
         "\n} : (tensor<4xf32>) -> " + std::string(result) + "\n" + std::string(behind) + " }";
}

TEST_CASE("shardings that do not fit") {
  constexpr std::string_view x = "<@mesh, [{\"x\"}]>", all = "<@mesh, [{}]>", half = "tensor<2xf32>",
                             four = "tensor<4xf32>";
  CHECK(label_of(computation(x, x, half, four)) == "");
  CHECK(label_of(computation("<mesh<[\"x\"=2]>, [{\"x\"}]>", x, half, four)) == "");
  CHECK(label_of(computation("<@mesh, [{\"x\":(1)2, ?}p1]>", x, half, four)) == "");
  CHECK(label_of(computation(all, x, half, four)) == "manual_computation");
  CHECK(label_of(computation(x, all, half, four)) == "manual_computation");
  CHECK(label_of(computation("<@mesh, [{}, {\"x\"}]>", x, half, four)) == "manual_computation");
  CHECK(label_of(computation("<@grid, [{\"x\"}]>", x, half, four)) == "attribute");
  CHECK(label_of(computation("<@mesh, [{\"y\"}]>", x, half, four)) == "attribute");
  CHECK(label_of(computation("<@mesh, [{\"x\":(1)3}]>", x, half, four)) == "attribute");
  CHECK(label_of(computation("<@mesh, [{\"x\"}], unreduced={\"x\"}>", x, half, four)) == "not_supported");
  CHECK(label_of(computation("", x, half, four)) == "syntax");
  CHECK(label_of(computation(x, x, half, four, "return %b : tensor<2xf32>")) == "name");
  CHECK(label_of("sdy.mesh @mesh = <[\"x\"=2], device_ids=[1, 0]>\nfunc.func @main(%a: tensor<4xf32>) {\n%0 = "
                 "sdy.manual_computation(%a) in_shardings=[<@mesh, [{\"x\"}]>]") == "syntax");
}

}  // namespace
}  // namespace tenon::test
