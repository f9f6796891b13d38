// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/mlir/mesh.hpp>

#include <text/stablehlo_programs.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::stablehlo_programs;

TEST_CASE("replica groups that the axes of a mesh decide") {
  const auto groups = [](std::string_view mesh, std::string_view axes, std::string_view before = "") {
    const std::string text = "module { " + std::string(before) +
                             body("%x: tensor<4xf32>", R"(
      %0 = "stablehlo.collective_broadcast"(%x) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = )" +
                                                           std::string(mesh) + ", axes = [" + std::string(axes) +
                                                           "]>} : (tensor<4xf32>) -> tensor<4xf32>") +
                             "}";
    return first<ops::collective_broadcast>(read_program(text)).replica_groups;
  };
  constexpr std::string_view x = "#stablehlo.axis_ref<name = \"x\">", y = "#stablehlo.axis_ref<name = \"y\">";
  constexpr std::string_view grid = "sdy.mesh @grid = <[\"x\"=2, \"y\"=3]> ";
  CHECK(groups("@grid", x, grid) == id_table{{0, 3}, {1, 4}, {2, 5}});
  CHECK(groups("@grid", y, grid) == id_table{{0, 1, 2}, {3, 4, 5}});
  CHECK(groups("@grid", std::string(y) + ", " + std::string(x), grid) == id_table{{0, 3, 1, 4, 2, 5}});
  CHECK(groups("@grid", "", grid) == id_table{{0}, {1}, {2}, {3}, {4}, {5}});
  CHECK(groups("@grid", x, "sdy.mesh @grid = <[\"x\"=2], device_ids=[1, 0]> ") == id_table{{1, 0}});
  // A mesh that is not to be seen leaves the groups open.
  CHECK(groups("@grid", x, "func.func private @grid() ").empty());
  constexpr std::string_view inlined = "#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = 4>]>";
  CHECK(groups(inlined, x) == id_table{{0, 1, 2, 3}});
  CHECK(groups(inlined, "#stablehlo.axis_ref<name = \"x\", sub_axis_info = (1)2>") == id_table{{0, 2}, {1, 3}});
  CHECK(groups(inlined, "#stablehlo.axis_ref<name = \"x\", sub_axis_info = (2)2>") == id_table{{0, 1}, {2, 3}});

  const auto label = [](std::string_view mesh, std::string_view axes) {
    return label_of(body("%x: tensor<4xf32>", R"(
      %0 = "stablehlo.collective_broadcast"(%x) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = )" +
                                                  std::string(mesh) + ", axes = " + std::string(axes) +
                                                  ">} : (tensor<4xf32>) -> tensor<4xf32>"));
  };
  CHECK(label("@none", "[]") == "attribute");
  CHECK(label(inlined, "[#stablehlo.axis_ref<name = \"z\">]") == "attribute");
  CHECK(label(inlined, "[#stablehlo.axis_ref<name = \"x\", sub_axis_info = (1)3>]") == "attribute");
  CHECK(label(inlined, "[#stablehlo.axis_ref<name = \"x\">, #stablehlo.axis_ref<name = \"x\">]") == "attribute");
  CHECK(label("#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = 1048577>]>", "[]") == "too_large");
}
