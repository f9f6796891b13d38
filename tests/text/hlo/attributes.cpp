// SPDX-License-Identifier: Apache-2.0
#include <tenon/text/hlo/attributes.hpp>

#include <text/hlo/programs.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;
using namespace tenon::hlo_programs;

static_assert(text::hlo::ignored_attributes.contains(text::key_of("metadata")));
static_assert(text::hlo::ignored_attributes.contains(text::key_of("sharding")));
static_assert(!text::hlo::ignored_attributes.contains(text::key_of("dimensions")));
static_assert(!text::hlo::ignored_attributes.contains(text::key_of("to_apply")));

namespace {

// The attributes of an all-reduce of the sum, and its groups as StableHLO has them.
std::string groups_of(const std::string& groups) {
  const std::string text = std::string(helpers) + entry(
                                                      "x = f32[2] parameter(0)\nROOT y = f32[2] all-reduce(x), "
                                                      "channel_id=1, use_global_device_ids=true, replica_groups=" +
                                                      groups + ", to_apply=sum");
  const graph_owner program = read_program(text);
  if (program.error()) return program.error().label;
  for (const graph_node& node : program.program().nodes) {
    if (node.kind != kind_of_op<ops::all_reduce>) continue;
    const auto op = read_attributes<ops::all_reduce>(program.program().words.data + node.words);
    std::string result;
    for (int r = 0; r < op.replica_groups.rows; ++r) {
      result += r > 0 ? " |" : "";
      for (int c = 0; c < op.replica_groups.columns; ++c) result += " " + std::to_string(op.replica_groups(r, c));
    }
    return result;
  }
  return "no op";
}
std::string error_with(const std::string& attributes) {
  return error_of(std::string(helpers) +
                  entry("x = f32[6] parameter(0)\nz = f32[] constant(0)\nROOT y = f32[6] " + attributes));
}

}  // namespace

TEST_CASE("groups of processes are lists, counted, or the axes of a mesh") {
  CHECK(groups_of("{{0,1},{2,3}}") == " 0 1 | 2 3");
  CHECK(groups_of("[2,2]<=[4]") == " 0 1 | 2 3");
  CHECK(groups_of("[2,2]<=[2,2]T(1,0)") == " 0 2 | 1 3");
  CHECK(groups_of("[4,2]<=[2,2,2]T(2,0,1)") == " 0 2 | 4 6 | 1 3 | 5 7");
  CHECK(groups_of("mesh['x'=2,'y'=2] {'x'}") == " 0 2 | 1 3");
  CHECK(groups_of("mesh['x'=2,'y'=2] {'y'}") == " 0 1 | 2 3");
  CHECK(groups_of("mesh['x'=2,'y'=2] {'y','x'}") == " 0 2 1 3");
  CHECK(groups_of("mesh['x'=2,'y'=2], device_ids=([2,2]T(1,0)) {'x'}") == " 0 1 | 2 3");
  CHECK(groups_of("mesh['x'=2,'y'=2], device_ids=(3,2,1,0) {'y'}") == " 3 2 | 1 0");
  for (const std::string wrong :
       {"{0,1}", "[2,2]<=[5]", "[2,2]<=[2,2]T(1,1)", "[2,2]<=[2,2]T(0)", "[4]<=[4]", "mesh['x'=2] {'y'}",
        "mesh['x'=0] {'x'}", "mesh['x'=2], device_ids=(0) {'x'}", "mesh['x'=2] {'x','x'}", "[0,0]<=[0]"})
    CHECK_MESSAGE(groups_of(wrong) == "attribute", wrong);
  CHECK(groups_of("{{0,1},{2}}") == "not_supported");
  CHECK(groups_of("[1,1024]<=[1024]").ends_with(" 1022 1023"));
  CHECK(groups_of("[1000,1]<=[1000]").ends_with(" 998 | 999"));
  CHECK(groups_of("mesh['x'=99] {'x'}").ends_with(" 97 98"));
  for (const std::string large : {"[1,2097152]<=[2097152]", "mesh['x'=2097152] {'x'}"})
    CHECK_MESSAGE(groups_of(large) == "too_large", large);
}

TEST_CASE("windows, paddings and slices that are not well formed") {
  for (const std::string window :
       {"2", "{size=}", "{size=2x}", "{length=2}", "{size 2}", "{size=2 pad=1}", "{size=2 pad=1_}"})
    CHECK_MESSAGE(error_with("reduce-window(x, z), window=" + window + ", to_apply=sum") != "none", window);
  CHECK(error_with("reduce-window(x, z), window={size=3 pad=1_1}, to_apply=sum") == "none");
  for (const std::string padding : {"1", "1_", "_1", "1_1_", "1_1x1_1", "1_1_-1"})
    CHECK_MESSAGE(error_with("pad(x, z), padding=" + padding) != "none", padding);
  CHECK(error_with("pad(x, z), padding=-1_1_0") == "none");
  CHECK(error_with("pad(x, z)") == "attribute 32:17");
  for (const std::string slice : {"[0:6]", "{[0]}", "{[0:6}", "{0:6}", "{[0:6:0]}", "{[0:7]}", "{[0:6], [0:6]}"})
    CHECK_MESSAGE(error_with("slice(x), slice=" + slice) != "none", slice);
  CHECK(error_with("slice(x), slice={[0:6:1]}") == "none");
}

TEST_CASE("labels of a convolution name every dimension once") {
  const auto labels = [](const std::string& text) {
    return error_of(
        entry("x = f32[1,4,2] parameter(0)\nk = f32[1,2,3] parameter(1)\nROOT y = f32[1,4,3] convolution(x, "
              "k), window={size=1}, dim_labels=" +
              text));
  };
  CHECK(labels("b0f_0io->b0f") == "none");
  for (const std::string wrong :
       {"b0f", "b0f_0io", "b0f_0io->", "b0f0io->b0f", "bb0_0io->b0f", "b1f_0io->b0f", "b0f_0ii->b0f", "bf_io->bf", "x"})
    CHECK_MESSAGE(labels(wrong) != "none", wrong);
}

TEST_CASE("choices, flags and numbers") {
  const auto compare = [](const std::string& rest) {
    return error_of(entry("x = f32[2] parameter(0)\nROOT y = pred[2] compare(x, x), " + rest));
  };
  CHECK(compare("direction=EQ, type=TOTALORDER") == "none");
  CHECK(compare("direction=SAME") == "attribute 3:43");
  CHECK(compare("direction=EQ, type=REAL") == "attribute 3:52");
  CHECK(compare("direction=EQ, is_stable=true") == "attribute 3:47");
  CHECK(compare("direction=") == "syntax 4:1");
  CHECK(compare("direction") == "syntax 4:1");
  CHECK(error_with("sort(x), dimensions={0}, is_stable=yes, to_apply=less") == "attribute 32:55");
  CHECK(error_with("sort(x), dimensions={0,0}, to_apply=less") == "attribute 32:42");
  CHECK(error_with("reverse(x), dimensions={99999999999999999999}") == "syntax 32:60");
  CHECK(error_with("reverse(x), dimensions={0,1,2,3,4,5,6,7,8}") == "not_supported 32:58");
}
