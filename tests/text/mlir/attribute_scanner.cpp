// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/mlir/attribute_scanner.hpp>

#include <text/stablehlo_programs.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::stablehlo_programs;

TEST_CASE("attributes that are almost well formed") {
  const auto sent = [](std::string_view channel) {
    return label_of(body("%x: tensor<4xf32>, %token: !stablehlo.token",
                         "%0 = \"stablehlo.send\"(%x, %token) {channel_handle = #stablehlo.channel_handle<" +
                             std::string(channel) + ">} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token"));
  };
  CHECK(sent("handle = 1, type = 1") == "");
  CHECK(sent("handle = 1") == "attribute");
  CHECK(sent("type = 1") == "attribute");
  const auto with = [](std::string_view value) {
    return label_of(
        body("%x: tensor<4xf32>", "%0 = stablehlo.abs %x {a.b = " + std::string(value) + "} : tensor<4xf32>"));
  };
  for (std::string_view good : {"1", "-1.5e-3 : f32", "1.", "0x7F : i8", "2.5E+7"}) CHECK(with(good) == "");
  for (std::string_view bad : {"0.0.0", "1e5e6", "0x1G", "1.5.", "--1"}) CHECK(with(bad) != "");
  const auto reversed = [](std::string_view type) {
    return label_of(body("%x: tensor<4x2xf32>",
                         "%0 = \"stablehlo.collective_broadcast\"(%x) {replica_groups = "
                         "dense<[[0, 1]]> : tensor<1x2x" +
                             std::string(type) + ">} : (tensor<4x2xf32>) -> tensor<4x2xf32>"));
  };
  CHECK(reversed("i64") == "");
  CHECK(reversed("ui8") == "attribute");
}
