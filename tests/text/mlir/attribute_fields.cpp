// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/mlir/attribute_fields.hpp>

#include <text/stablehlo_programs.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::stablehlo_programs;

TEST_CASE("tables of numbers with long rows") {
  const auto pairs = [](std::string_view value) {
    return body("%x: tensor<4xf32>", R"(
      %0 = "stablehlo.collective_broadcast"(%x) {replica_groups = )" +
                                         std::string(value) + "} : (tensor<4xf32>) -> tensor<4xf32>");
  };
  const std::string text = pairs("dense<[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]]> : tensor<1x12xi64>");
  const id_table groups = first<ops::collective_broadcast>(read_program(text)).replica_groups;
  CHECK(groups.columns == 12);
  CHECK(groups(0, 11) == 11);
  CHECK(label_of(pairs("[[0, 1], [2]]")) == "attribute");
}
