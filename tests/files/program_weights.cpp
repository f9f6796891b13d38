// SPDX-License-Identifier: Apache-2.0
#include <tenon/files/program_weights.hpp>

#include <tenon/core/tensor.hpp>

#include <shared/shared_program.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <string>

using namespace tenon;

namespace {

core::kernel find(const planning::kernel_key& key) {
  if (key.kind != kind_of_op<ops::subtract> || key.element != dtype::f32) return nullptr;
  return kernels::kernel_of<ops::subtract, dtype::f32, dtype::f32>();
}

void write_safetensors(const char* path, const std::string& header, const std::string& elements) {
  std::string bytes(8, '\0');
  bytes[0] = char(header.size());
  std::FILE* const file = std::fopen(path, "wb");
  bytes += header + elements;
  std::fwrite(bytes.data(), 1, bytes.size(), file);
  std::fclose(file);
}

}  // namespace

TEST_CASE("a program that is read takes arguments from a file by name") {
  const char* const path = "program_weights.safetensors";
  write_safetensors(path, R"({"params/w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})",
                    std::string("\0\0\x80\x3f\0\0\0\x40", 8));

  const std::string before = "func.func @main(%x: tensor<2xf32>, %arg1: ",
                    after =
                        " loc(\"params['w']\")) -> tensor<2xf32> {\n  %y = stablehlo.subtract %x, %x : tensor<2xf32>\n "
                        " %z = stablehlo.subtract ";
  const std::string text =
      before + "tensor<2xf32>" + after + "%x, %arg1 : tensor<2xf32>\n  return %z : tensor<2xf32>\n}\n";
  shared_program net(text, &find);
  REQUIRE(net);
  const program_weights weights(net, path);
  CHECK(!weights.has(0));
  CHECK(weights.has(1));
  CHECK(weights.names().arguments[1].path == "params['w']");
  const tensor<f32, 2> x{5, 7};
  tensor<f32, 2> y;
  void* const results[] = {y.data()};
  net(weights.with({x}).data(), results);
  CHECK(y(0) == 4);
  CHECK(y(1) == 5);
  CHECK_THROWS_WITH(weights.with({}), "argument 0, x, is neither in the file nor given");
  CHECK_THROWS_WITH(weights.with({x, x}), "1 more arguments are given than the file lacks");
  CHECK_THROWS_WITH((weights.with({tensor_view<const f32, 1>(x.data())})),
                    "argument 0 is tensor<1xf32>, where the program has tensor<2xf32>");

  const std::string other =
      before + "tensor<3xf32>" + after + "%x, %x : tensor<2xf32>\n  return %z : tensor<2xf32>\n}\n";
  const shared_program misshapen(other, &find);
  CHECK_THROWS_WITH(
      program_weights(misshapen, path),
      "program_weights.safetensors: argument 1, params['w'], is tensor<3xf32>, the file holds tensor<2xf32> "
      "as params/w");
  std::remove(path);
}

TEST_CASE("the number of an argument is no name where its location has one") {
  const char* const path = "numbered_weights.safetensors";
  write_safetensors(path,
                    R"({"arg1":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
                    R"("arg0":{"dtype":"F32","shape":[],"data_offsets":[4,8]}})",
                    std::string("\0\0\x80\x3f\0\0\0\x40", 8));
  shared_program net(
      "func.func @main(%arg0: tensor<f32> loc(\"w['arg1']\"), %arg1: tensor<f32> loc(\"w['arg0']\"), "
      "%arg2: tensor<f32> loc(\"x\")) -> tensor<f32> {\n"
      "  %0 = stablehlo.subtract %arg0, %arg1 : tensor<f32>\n  return %0 : tensor<f32>\n}\n",
      &find);
  REQUIRE(net);
  const program_weights weights(net, path);
  CHECK(*static_cast<const float*>(weights.data(0)) == 1);
  CHECK(*static_cast<const float*>(weights.data(1)) == 2);
  CHECK(!weights.has(2));
  std::remove(path);
}
