// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/process_context.hpp>

#include <tenon/core/element.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/failure_of.hpp"

namespace tenon {
using namespace core;

namespace {

// A process of 2 x 3 that meets itself only, and keeps what it was asked.
class lonely_process final : public process_context {
 public:
  lonely_process() : process_context({2, 3}, {1, 2}) {}
  void meet(const meeting& all, const visitor& use) override {
    op = std::string(all.op);
    channel_id = all.channel_id;
    members = all.group.size();
    types = all.types.size;
    const std::vector<const void* const*> operands(std::size_t(members), all.operands.data);
    for (int from = 0; from < members; ++from) part_bytes += int(all.part(from, all.group.find(id()), 0).bytes);
    use({operands.data()});
  }
  void send(const transfer&, const void* const*) override {}
  void receive(const transfer&, void* const*) override {}
  void infeed(list<tensor_type>, void* const*) override {}
  void outfeed(list<tensor_type>, const void* const*) override {}

  std::string op;
  index_t channel_id = 0;
  int members = 0, types = 0, part_bytes = 0;
};

// Two operands of one element each.
struct call_with_operands {
  f32 numbers[2] = {3, 4};
  const void* operands[2] = {&numbers[0], &numbers[1]};
  tensor_type types[2] = {type_of(dtype::f32, {}), type_of(dtype::f32, {})};
  evaluation at;

  explicit call_with_operands(process_context* process) {
    at.operands = {operands, 2};
    at.operand_types = {types, 2};
    at.process = process;
  }
};

// Everybody takes all of every operand.
constexpr auto whole = [](int, int, int) { return operand_part{0, 4}; };

TEST_CASE("parts lie where they are in whole operands, or one run behind the other") {
  const std::byte bytes[8]{};
  const void* operands[] = {bytes};
  const void* const* members[] = {operands};
  const operand_part part{2, 1, 2, 4};
  CHECK(gathered_operands{members}.run(0, 0, part, 1) == bytes + 6);
  CHECK(gathered_operands{members, true}.run(0, 0, part, 1) == bytes + 1);
}

TEST_CASE("a program that runs by itself is the only process") {
  const call_with_operands call(nullptr);
  CHECK(grid_of(call.at) == process_grid{1, 1});
  CHECK(process_of(call.at) == process_id{0, 0});
  const id_table groups = {{0}};
  const process_group group = own_group_of("all_reduce", call.at, process_grouping::cross_replica, groups);
  REQUIRE(group.size() == 1);
  f32 sum = 0;
  meet("all_reduce", 0, group, call.at, 2, whole, [&](const gathered_operands& all) {
    sum = *static_cast<const f32*>(all.operands[0][0]) + *static_cast<const f32*>(all.operands[0][1]);
  });
  CHECK(sum == 7);
}

TEST_CASE("the members of a group meet through their context") {
  lonely_process process;
  const call_with_operands call(&process);
  CHECK(grid_of(call.at) == process_grid{2, 3});
  CHECK(process_of(call.at) == process_id{1, 2});
  const id_table groups = {{0, 2}, {1, no_process}};
  const process_group group = own_group_of("all_gather", call.at, process_grouping::cross_partition, groups);
  REQUIRE(group.size() == 2);
  CHECK(group.member(1) == process_id{1, 2});
  int seen = 0;
  meet("all_gather", 5, group, call.at, 1, whole, [&](const gathered_operands& all) {
    for (int member = 0; member < 2; ++member) seen += *static_cast<const f32*>(all.operands[member][0]) == 3;
  });
  CHECK(seen == 2);
  CHECK(process.part_bytes == 8);
  CHECK(process.op == "all_gather");
  CHECK(process.channel_id == 5);
  CHECK(process.members == 2);
  CHECK(process.types == 1);
}

TEST_CASE("groups that do not fit the grid are named") {
  lonely_process process;
  const call_with_operands call(&process);
  const auto group_under = [&](process_grouping grouping, const id_table& groups) {
    return failure_of([&] { own_group_of("all_reduce", call.at, grouping, groups); });
  };
  CHECK(group_under(process_grouping::cross_replica, {{0, 1}}).empty());
  CHECK(group_under(process_grouping::cross_replica, {{0, 2}}) ==
        "all_reduce: process 2 takes part, but the program runs on 2 x 3 processes");
  CHECK(group_under(process_grouping::flattened_ids, {{0, 5}}).empty());
  CHECK(group_under(process_grouping::flattened_ids, {{0, 6}}) ==
        "all_reduce: process 6 takes part, but the program runs on 2 x 3 processes");
  CHECK(group_under(process_grouping::cross_partition, {{0, 1}}) ==
        "all_reduce: process (1, 2) is in no group of replica_groups");
  CHECK(group_of("collective_permute", call.at, process_grouping::cross_partition, {{0, 1}}).size() == 0);
}

TEST_CASE("who runs by itself meets nobody, and has no streams") {
  const call_with_operands call(nullptr);
  const process_group group = group_of_all({2, 1}, process_grouping::cross_replica, {0, 0});
  REQUIRE(group.size() == 2);
  CHECK(failure_of([&] { meet("all_reduce", 0, group, call.at, 1, whole, [](const gathered_operands&) {}); }) ==
        "all_reduce: the program runs by itself");
  struct : host_streams {
  } streams;
  CHECK(failure_of([&] { streams.infeed({}, {}, nullptr); }) == "infeed: there is nobody to feed the program");
  CHECK(failure_of([&] { streams.outfeed({}, {}, nullptr); }) ==
        "outfeed: there is nobody to take what the program hands out");
}

}  // namespace
}  // namespace tenon
