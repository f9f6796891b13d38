// SPDX-License-Identifier: Apache-2.0
#include <tenon/distributed/simulated.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

// Random programs of meetings and messages: correct ones end with the right sums, and of wrong ones it is said who
// waits. TENON_SCHEDULES=100000 runs as many of each.
namespace tenon::test {
namespace {

constexpr tensor_type number = type_of(dtype::i64);

// One step: groups of processes that add up what they have, or one message.
struct step {
  index_t channel_id = 0;
  id_table groups;  // {{sender, receiver}} of a message
  bool message = false;
};
struct schedule {
  int processes = 0;
  std::vector<step> steps;

  explicit schedule(std::mt19937& random) {
    const auto below = [&](int count) { return int(random() % unsigned(count)); };
    processes = 2 + below(7);
    for (int count = 1 + below(8); count > 0; --count) {
      std::vector<index_t> order;
      for (int i = 0; i < processes; ++i) order.insert(order.begin() + below(i + 1), i);
      step next{below(3), {}, below(3) == 0};
      if (next.message) {
        next.groups.push({order[0], order[1]});
      } else {
        // Groups of one size, so that some processes may be in none.
        const int size = 1 + below(processes);
        for (int first = 0; first + size <= processes; first += size) {
          ints row;
          for (int i = 0; i < size; ++i) row.push(order[std::size_t(first + i)]);
          next.groups.push(row);
        }
      }
      steps.push_back(next);
    }
  }

  // What a process has after this step: a sum, or what was sent.
  void take(const step& each, process_context& process, std::int64_t& value) const {
    const int self = process.id().replica;
    if (each.message) {
      const index_t from = each.groups(0, 0), to = each.groups(0, 1);
      transfer route{.op = "send", .channel_id = each.channel_id, .has_peer = true, .types = {&number, 1}};
      route.peer = {self == from ? int(to) : int(from), 0};
      const void* const inputs[] = {&value};
      void* const results[] = {&value};
      if (self == from) process.send(route, inputs);
      if (self == to) process.receive(route, results);
      return;
    }
    const process_group group = group_of(process.grid(), process_grouping::cross_replica, process.id(), each.groups);
    if (group.size() == 0) return;
    const void* const inputs[] = {&value};
    std::int64_t sum = 0;
    process.meet({"sum",
                  each.channel_id,
                  group,
                  {&number, 1},
                  {inputs, 1},
                  [](int, int, int) { return operand_part{0, sizeof(std::int64_t)}; }},
                 [&](const gathered_operands& brought) {
                   for (int member = 0; member < group.size(); ++member)
                     sum += *static_cast<const std::int64_t*>(brought.operands[member][0]);
                 });
    value = sum;
  }

  // What is to come of it, one step after the other.
  std::vector<std::int64_t> expected() const {
    std::vector<std::int64_t> values;
    for (int i = 0; i < processes; ++i) values.push_back(i + 1);
    for (const step& each : steps) {
      const std::vector<std::int64_t> before = values;
      const auto at = [](index_t id) { return std::size_t(id); };
      if (each.message) values[at(each.groups(0, 1))] = before[at(each.groups(0, 0))];
      for (int row = 0; row < each.groups.rows && !each.message; ++row) {
        std::int64_t sum = 0;
        for (int i = 0; i < each.groups.columns; ++i) sum += before[at(each.groups(row, i))] % 1'000'003;
        for (int i = 0; i < each.groups.columns; ++i) values[at(each.groups(row, i))] = sum;
      }
    }
    return values;
  }
};

int schedules() {
  const char* const wanted = std::getenv("TENON_SCHEDULES");
  return wanted != nullptr ? std::atoi(wanted) : 200;
}

TEST_CASE("correct programs end") {
  for (int seed = 0; seed < schedules(); ++seed) {
    std::mt19937 random{unsigned(seed)};
    const schedule program(random);
    std::vector<std::int64_t> values(std::size_t(program.processes));
    simulated_grid grid({program.processes, 1});
    grid.run([&](process_context& process) {
      std::int64_t value = process.id().replica + 1;
      for (const step& each : program.steps) {
        // No sum grows without bound.
        std::int64_t small = each.message ? value : value % 1'000'003;
        const bool takes_part =
            each.message ||
            group_of(grid.grid(), process_grouping::cross_replica, process.id(), each.groups).size() > 0;
        program.take(each, process, small);
        if (takes_part) value = small;
      }
      values[std::size_t(process.id().replica)] = value;
    });
    CHECK_MESSAGE(values == program.expected(), seed);
  }
}

TEST_CASE("of wrong programs it is said who waits for whom") {
  int reported = 0;
  for (int seed = 0; seed < schedules(); ++seed) {
    std::mt19937 random{unsigned(seed)};
    const schedule program(random);
    // One process leaves out the last step, in which another one counts on it.
    const step& last = program.steps.back();
    const index_t absent = last.groups(0, last.message ? int(random() % 2) : 0);
    if (!last.message && last.groups.columns == 1) continue;
    std::string report;
    simulated_grid grid({program.processes, 1});
    try {
      grid.run([&](process_context& process) {
        std::int64_t value = 1;
        for (const step& each : program.steps)
          if (&each != &last || process.id().replica != absent) program.take(each, process, value);
      });
    } catch (const error& failure) {
      report = failure.what();
    }
    const std::string name = "(" + std::to_string(absent) + ", 0)";
    const bool waits =
        report.find("waits in") != std::string::npos && report.find(name + ", which has ended") != std::string::npos;
    const bool lost = report.find("to " + name + ", but nobody has received it") != std::string::npos;
    CHECK_MESSAGE((waits || lost), seed << ": " << report);
    ++reported;
  }
  CHECK(reported > schedules() / 2);
}

}  // namespace
}  // namespace tenon::test
