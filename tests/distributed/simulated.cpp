// SPDX-License-Identifier: Apache-2.0
#include <tenon/distributed/simulated.hpp>

#include <tenon/core/tensor.hpp>
#include <tenon/ops/all.hpp>
#include <tenon/ops/operators.hpp>
#include <tenon/run/trace.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace tenon::test {
using namespace core;

namespace {

constexpr process_grid pair{2, 1}, row{1, 2}, square{2, 2};

using vector = tensor<i32, 2>;

using lists = std::vector<std::vector<i32>>;

// What the processes of a grid get from a traced function of one vector: (1, 2), (3, 4), ...
template <class Function>
lists results_on(const process_grid& grid, const Function& function) {
  lists all(std::size_t(grid.size()));
  simulated_grid processes(grid);
  processes.run([&](process_context& process) {
    const int at = flat_id(grid, process.id());
    const auto result = function.as(process)(vector{2 * at + 1, 2 * at + 2});
    all[std::size_t(at)].assign(result.data(), result.data() + result.size);
  });
  return all;
}

// What a run ends with, or nothing.
template <class Body>
std::string failure(const process_grid& grid, const Body& body) {
  simulated_grid processes(grid);
  try {
    processes.run(body);
  } catch (const error& stopped) {
    return stopped.what();
  }
  return {};
}

constexpr ops::all_reduce over_replicas{{{0, 1}}}, over_all{{{0, 1}}, 1}, flat{{{0, 3}, {1, 2}}, 1, true};

TEST_CASE("every process knows where it is") {
  constexpr auto place = trace([](auto) { return convert<i32>(replica_id()) * 10 + convert<i32>(partition_id()); });
  CHECK(results_on(square, place) == lists{{0}, {1}, {10}, {11}});
  const tensor<i32> alone = place(vector{0, 0});
  CHECK(*alone.data() == 0);
}

TEST_CASE("all_reduce under each grouping") {
  constexpr auto replicas = trace([](auto x) { return all_reduce<over_replicas>(x, ops::add{}); });
  CHECK(results_on(square, replicas) == lists{{6, 8}, {10, 12}, {6, 8}, {10, 12}});
  constexpr auto all = trace([](auto x) { return all_reduce<over_all>(x, ops::add{}); });
  CHECK(results_on(square, all) == lists(4, {16, 20}));
  constexpr auto diagonals = trace([](auto x) { return all_reduce<flat>(x, ops::add{}); });
  CHECK(results_on(square, diagonals) == lists{{8, 10}, {8, 10}, {8, 10}, {8, 10}});
  constexpr auto everybody = trace([](auto x) { return all_reduce<ops::all_reduce{}>(x, ops::maximum{}); });
  CHECK(results_on(square, everybody) == lists{{5, 6}, {7, 8}, {5, 6}, {7, 8}});
}

TEST_CASE("members are combined in the order of the group") {
  constexpr auto last = trace([](auto x) {
    return all_reduce<ops::all_reduce{{{1, 0}}}>(x, [](auto lhs, auto rhs) { return lhs * 10 + rhs; });
  });
  for (int repeat = 0; repeat < 20; ++repeat) CHECK(results_on(pair, last) == lists(2, {31, 42}));
}

TEST_CASE("all_gather, reduce_scatter, all_to_all") {
  constexpr auto gather =
      trace([](auto x) { return all_gather<ops::all_gather{.all_gather_dim = 0, .replica_groups = {{1, 0}}}>(x); });
  CHECK(results_on(pair, gather) == lists(2, {3, 4, 1, 2}));
  constexpr auto scatter = trace([](auto x) {
    return reduce_scatter<ops::reduce_scatter{.scatter_dimension = 0, .replica_groups = {{0, 1}}}>(x, ops::add{});
  });
  CHECK(results_on(pair, scatter) == lists{{4}, {6}});
  constexpr auto exchange = trace([](auto x) {
    return all_to_all<ops::all_to_all{
        .split_dimension = 0, .concat_dimension = 0, .split_count = 2, .replica_groups = {{0, 1}}, .channel_id = 1}>(x);
  });
  CHECK(results_on(row, exchange) == lists{{1, 3}, {2, 4}});
}

// Element (i, j, k) of process p is 1000 p + 100 i + 10 j + k.
template <int Split, int Concat, class Result>
void check_exchange() {
  static constexpr auto function =
      trace([](auto x) { return all_to_all<ops::all_to_all{Split, Concat, 2, {{0, 1}}}>(x); });
  std::vector<Result> received(2);
  simulated_grid grid(pair);
  grid.run([&](process_context& process) {
    tensor<i32, 2, 4, 2> x;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 4; ++j)
        for (int k = 0; k < 2; ++k) x(i, j, k) = 1000 * process.id().replica + 100 * i + 10 * j + k;
    received[std::size_t(process.id().replica)] = function.as(process)(x);
  });
  constexpr ints whole{2, 4, 2}, shape = Result::type.shape;
  for (int self = 0; self < 2; ++self)
    for_each_index(shape, [&](ints at) {
      const index_t part = (Concat == Split ? whole[Concat] / 2 : whole[Concat]), from = at[Concat] / part;
      ints there = at;
      there.at[Concat] %= part;
      there.at[Split] += self * (whole[Split] / 2);
      CHECK(received[std::size_t(self)].data()[offset_of(shape, at)] ==
            1000 * from + 100 * there[0] + 10 * there[1] + there[2]);
    });
}

TEST_CASE("all_to_all between any two dimensions") {
  check_exchange<0, 1, tensor<i32, 1, 8, 2>>();
  check_exchange<0, 2, tensor<i32, 1, 4, 4>>();
  check_exchange<1, 0, tensor<i32, 4, 2, 2>>();
  check_exchange<1, 1, tensor<i32, 2, 4, 2>>();
  check_exchange<1, 2, tensor<i32, 2, 2, 4>>();
  check_exchange<2, 0, tensor<i32, 4, 4, 1>>();
  check_exchange<2, 1, tensor<i32, 2, 8, 1>>();
  check_exchange<2, 2, tensor<i32, 2, 4, 2>>();
}

TEST_CASE("collective_broadcast, collective_reduce, collective_permute") {
  constexpr auto broadcast =
      trace([](auto x) { return collective_broadcast<ops::collective_broadcast{.replica_groups = {{1, 0}}}>(x); });
  CHECK(results_on({3, 1}, broadcast) == lists{{3, 4}, {3, 4}, {0, 0}});
  constexpr auto reduce = trace(
      [](auto x) { return collective_reduce<ops::collective_reduce{.replica_groups = {{1, 0}}}>(x, ops::multiply{}); });
  CHECK(results_on({3, 1}, reduce) == lists{{0, 0}, {3, 8}, {0, 0}});
  constexpr auto turn = trace([](auto x) {
    return collective_permute<ops::collective_permute{.source_target_pairs = {{0, 1}, {1, 2}, {2, 0}}}>(x);
  });
  CHECK(results_on({3, 1}, turn) == lists{{5, 6}, {1, 2}, {3, 4}});
  constexpr auto shift =
      trace([](auto x) { return collective_permute<ops::collective_permute{.source_target_pairs = {{0, 1}}}>(x); });
  CHECK(results_on(pair, shift) == lists{{0, 0}, {1, 2}});
}

TEST_CASE("a loop of collectives") {
  constexpr auto twice = trace([](auto x) {
    const auto once = all_reduce<over_replicas>(x, ops::add{});
    return all_reduce<over_replicas>(once + x, ops::add{});
  });
  CHECK(results_on(pair, twice) == lists(2, {12, 18}));
}

constexpr transfer over(index_t channel, const tensor_type* type) {
  return {.op = "test", .channel_id = channel, .types = {type, 1}};
}
constexpr tensor_type scalar = type_of(dtype::i32), wide_scalar = type_of(dtype::i64);

TEST_CASE("what is sent arrives in order") {
  int received[2]{};
  CHECK(failure(pair, [&](process_context& process) {
          for (int i = 0; i < 2; ++i) {
            const int value = 7 + i;
            const void* const inputs[] = {&value};
            void* const results[] = {&received[i]};
            if (process.id().replica == 0)
              process.send(over(1, &scalar), inputs);
            else
              process.receive(over(1, &scalar), results);
          }
        }).empty());
  CHECK(received[0] == 7);
  CHECK(received[1] == 8);
}

void send(process_context& process, index_t channel, const tensor_type* type = &scalar) {
  const std::int64_t value = 0;
  const void* const inputs[] = {&value};
  process.send(over(channel, type), inputs);
}
void receive(process_context& process, index_t channel) {
  std::int64_t value = 0;
  void* const results[] = {&value};
  process.receive(over(channel, &scalar), results);
}

TEST_CASE("programs that cannot complete say who waits for whom") {
  constexpr auto sum = trace([](auto x) { return all_reduce<over_replicas>(x, ops::add{}); });
  constexpr auto other = trace([](auto x) { return all_reduce<over_all>(x, ops::add{}); });
  constexpr auto gather = trace([](auto x) { return all_gather<ops::all_gather{.replica_groups = {{0, 1}}}>(x); });
  const vector x{1, 2};
  const auto first = [](process_context& process) { return process.id().replica == 0; };
  CHECK(failure(pair,
                [&](process_context& process) {
                  if (first(process)) (void)sum.as(process)(x);
                }) ==
        "the program cannot complete: process (0, 0) waits in all_reduce(tensor<2xi32>) on channel 0 for (1, 0), which "
        "has ended");
  CHECK(failure(pair,
                [&](process_context& process) {
                  if (first(process))
                    (void)sum.as(process)(x);
                  else
                    (void)other.as(process)(x);
                }) ==
        "the program cannot complete: process (0, 0) waits in all_reduce(tensor<2xi32>) on channel 0 for (1, 0); "
        "process (1, 0) waits in all_reduce(tensor<2xi32>) on channel 1 for (0, 0)");
  CHECK(failure(pair,
                [&](process_context& process) {
                  if (first(process))
                    (void)sum.as(process)(x);
                  else
                    (void)gather.as(process)(x);
                }) ==
        "processes meet in different ops: (0, 0) comes to all_reduce(tensor<2xi32>) on channel 0, (1, 0) to "
        "all_gather(tensor<2xi32>) on channel 0");
  CHECK(failure(pair,
                [&](process_context& process) {
                  if (first(process))
                    (void)sum.as(process)(x);
                  else
                    (void)sum.as(process)(tensor<i32, 3>{1, 2, 3});
                }) ==
        "processes meet in different ops: (0, 0) comes to all_reduce(tensor<2xi32>) on channel 0, (1, 0) to "
        "all_reduce(tensor<3xi32>) on channel 0");
  CHECK(failure(pair, [&](process_context& process) {
          if (first(process)) send(process, 3);
        }) == "process (0, 0) has sent over channel 3, but nobody has received it");
  CHECK(failure(pair, [&](process_context& process) {
          if (first(process)) receive(process, 3);
        }) == "the program cannot complete: process (0, 0) waits in test on channel 3 for somebody who sends");
  CHECK(failure(pair, [&](process_context& process) {
          if (first(process))
            send(process, 3, &wide_scalar);
          else
            receive(process, 3);
        }) == "test on channel 3: process (0, 0) sends tensor<i64>, (1, 0) receives tensor<i32>");
  CHECK(failure({3, 1}, [&](process_context& process) {
          if (process.id().replica < 2) send(process, 3);
        }) == "both processes (0, 0) and (1, 0) send over channel 3 without source_target_pairs");
  CHECK(failure({3, 1}, [&](process_context& process) { (void)sum.as(process)(x); }) ==
        "all_reduce: process (2, 0) is in no group of replica_groups");
  CHECK(failure({1, 1}, [&](process_context& process) { (void)sum.as(process)(x); }) ==
        "all_reduce: process 1 takes part, but the program runs on 1 x 1 processes");
}

TEST_CASE("a run can be drawn") {
  constexpr auto sum = trace([](auto x) { return all_reduce<over_replicas>(x, ops::add{}); });
  simulated_grid processes(pair);
  processes.keep_timeline();
  processes.run([&](process_context& process) {
    (void)sum.as(process)(vector{1, 2});
    const int value = 1;
    int received = 0;
    const void* const inputs[] = {&value};
    void* const results[] = {&received};
    const tensor_type type = type_of(dtype::i32);
    const transfer route{.op = "recv", .channel_id = 4, .types = {&type, 1}};
    process.id().replica == 0 ? process.send(route, inputs) : process.receive(route, results);
  });
  int meets = 0, receives = 0;
  for (const timeline_event& each : processes.timeline().events) {
    CHECK((each.begin <= each.met && each.met <= each.end));
    meets += each.op == "all_reduce" && each.meeting >= 0;
    receives += each.op == "recv" && each.sender == 0 && each.process == 1 && each.channel_id == 4;
  }
  CHECK(meets == 4);  // slices are combined, then handed out
  CHECK(receives == 1);
  const std::string svg = to_svg(processes.timeline());
  CHECK(svg.find("<title>all_reduce, channel 0: waits") != std::string::npos);
  CHECK(svg.find("nan") == std::string::npos);

  CHECK_THROWS_AS(processes.run([&](process_context& process) {
    if (process.id().replica == 0) (void)sum.as(process)(vector{1, 2});
  }),
                  error);
  REQUIRE(processes.timeline().events.size() == 1);
  CHECK(processes.timeline().events[0].met < 0);
}

TEST_CASE("groups that differ are named as such") {
  constexpr auto sum = trace([](auto x) { return all_reduce<ops::all_reduce{{{0, 1}}}>(x, ops::add{}); });
  constexpr auto turned = trace([](auto x) { return all_reduce<ops::all_reduce{{{1, 0}}}>(x, ops::add{}); });
  const std::string text = failure(pair, [&](process_context& process) {
    if (process.id().replica == 0)
      (void)sum.as(process)(vector{1, 2});
    else
      (void)turned.as(process)(vector{1, 2});
  });
  CHECK(text.find("the program cannot complete: the groups differ, [(0, 0), (1, 0)] for (0, 0) and [(1, 0), (0, 0)] "
                  "for (1, 0): process") == 0);
}

TEST_CASE("a run may have a time limit") {
  constexpr auto sum = trace([](auto x) { return all_reduce<over_replicas>(x, ops::add{}); });
  simulated_grid processes(pair);
  processes.limit_time(0.2);
  const auto late = [&](process_context& process) {
    if (process.id().replica == 1) std::this_thread::sleep_for(std::chrono::milliseconds(500));
    (void)sum.as(process)(vector{1, 2});
  };
  CHECK_THROWS_WITH(processes.run(late),
                    "the program has not ended within 0.2 s: process (0, 0) waits in all_reduce(tensor<2xi32>) on "
                    "channel 0 for (1, 0); process (1, 0) runs");
  processes.run([&](process_context& process) { (void)sum.as(process)(vector{1, 2}); });
}

constexpr id_formula every_process{[](int, int column) { return index_t{column}; }};

TEST_CASE("a thousand processes") {
  constexpr int count = 1000;
  constexpr auto all = trace([](auto x) {
    const auto sum = all_reduce<ops::all_reduce{}>(x, ops::add{});
    const auto gathered = all_gather<ops::all_gather{.replica_groups = {1, count, &every_process}}>(x);
    return results{sum, reduce<ints{0}>(gathered, 0, ops::add{})};
  });
  std::vector<int> good(count);
  simulated_grid processes({count, 1});
  processes.run([&](process_context& process) {
    const int at = process.id().replica;
    const auto [sum, gathered] = all.as(process)(vector{at, 1});
    good[std::size_t(at)] = sum(0) == count * (count - 1) / 2 && sum(1) == count && gathered() == sum(0) + count;
  });
  CHECK(std::count(good.begin(), good.end(), 1) == count);
}

TEST_CASE("large tensors are combined in slices, in the same order") {
  constexpr int count = 5, size = 1000;
  using long_vector = tensor<f32, size>;
  constexpr auto sum = trace([](auto x) { return all_reduce<ops::all_reduce{}>(x, ops::add{}); });
  const auto element = [](int process, int i) { return f32(1 + i) / f32(3 + process); };
  std::vector<int> good(count);
  simulated_grid processes({count, 1});
  processes.run([&](process_context& process) {
    const int at = process.id().replica;
    long_vector x, in_order;
    for (int i = 0; i < size; ++i) {
      x(i) = element(at, i);
      in_order(i) = element(0, i);
      for (int other = 1; other < count; ++other) in_order(i) += element(other, i);
    }
    good[std::size_t(at)] = equal(sum.as(process)(x), in_order);
  });
  CHECK(std::count(good.begin(), good.end(), 1) == count);
}

TEST_CASE("a process that fails stops the others, and a grid can be used again") {
  constexpr auto sum = trace([](auto x) { return all_reduce<over_replicas>(x, ops::add{}); });
  simulated_grid processes(pair);
  const auto broken = [&](process_context& process) {
    if (process.id().replica == 1) fail("out of order");
    (void)sum.as(process)(vector{1, 2});
  };
  CHECK_THROWS_WITH(processes.run(broken), "out of order");
  processes.run([&](process_context& process) { (void)sum.as(process)(vector{1, 2}); });
}

// Feeds 1, 2, ... and adds up what comes back.
struct counting_streams final : host_streams {
  int next = 0, sum = 0;
  void infeed(const process_id&, list<tensor_type> types, void* const* results) override {
    CHECK(types[0] == scalar);
    *static_cast<int*>(results[0]) = ++next;
  }
  void outfeed(const process_id&, list<tensor_type>, const void* const* inputs) override {
    sum += *static_cast<const int*>(inputs[0]);
  }
};

TEST_CASE("infeed and outfeed") {
  counting_streams streams;
  const auto pass_on = [](process_context& process) {
    int value = 0;
    void* const results[] = {&value};
    const void* const inputs[] = {&value};
    process.infeed({&scalar, 1}, results);
    process.outfeed({&scalar, 1}, inputs);
  };
  simulated_grid(square, &streams).run(pass_on);
  CHECK(streams.sum == 10);
  alone(&streams).run(pass_on);
  CHECK(streams.sum == 15);
  CHECK_THROWS_AS(alone().run(pass_on), error);
  CHECK(failure({1, 1}, pass_on) == "infeed: the grid was made without streams");
}

}  // namespace
}  // namespace tenon::test
