// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/plan/planner.hpp>

#include <graph/random_program.hpp>
#include <shared/read_program.hpp>
#include <shared/simplified_program.hpp>
#include <tenon/graph/owned.hpp>

#include <doctest/doctest.h>

#include <memory>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;
using namespace tenon::passes;
using namespace tenon::planning;

namespace {

// A plan made in many small steps, each by a planner of its own.
struct plan_in_steps {
  plan p;

  plan_in_steps(const graph& g, index_t budget) : tables(p, sizes_of_plan(g)) {
    std::vector<int> numbers[8];
    const std::unique_ptr<bool[]> needed(new bool[std::size_t(g.values.size) + 1]{}),
        read_again(new bool[std::size_t(g.values.size) + 1]{});
    std::vector<tensor_type> types(std::size_t(most_operands_and_results(g)) + 1);
    table<int> lists[8];
    for (int i = 0; i < 8; ++i) {
      numbers[i].resize(std::size_t(g.values.size + g.nodes.size + g.regions.size) + 2);
      lists[i] = {numbers[i].data(), 0, int(numbers[i].size())};
    }
    planning_progress progress;
    const planning_memory memory{lists[0],
                                 {needed.get(), 0, g.values.size + 1},
                                 lists[1],
                                 lists[2],
                                 lists[3],
                                 lists[4],
                                 {read_again.get(), 0, g.values.size + 1},
                                 lists[5],
                                 lists[6],
                                 lists[7],
                                 {types.data(), 0, int(types.size())}};
    while (true) {
      plan_draft draft(g, p, memory);
      if (planner(draft, progress).run(budget)) return;
      ++interruptions;
    }
  }

  int interruptions = 0;

 private:
  owned_tables<plan_tables> tables;
};

owned_graph simplified(const graph_owner& parsed) { return simplified_program(parsed.program(), 100000); }

}  // namespace

TEST_CASE("a plan does not depend on where planning was interrupted") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::string text = random_programs::generator(60, seed).text();
    const graph_owner parsed = read_program(text);
    REQUIRE_FALSE(parsed.error());
    const owned_graph g = simplified(parsed);
    const plan_in_steps whole(g.get(), INT64_MAX), pieces(g.get(), 1);
    CHECK(whole.interruptions == 0);
    CHECK(pieces.interruptions > g.get().nodes.size);
    const plan &a = whole.p, &b = pieces.p;
    REQUIRE(a.steps.size == b.steps.size);
    CHECK(a.arena_bytes == b.arena_bytes);
    CHECK(a.constant_bytes == b.constant_bytes);
    CHECK(a.groups == b.groups);
    CHECK(a.instructions.size == b.instructions.size);
    CHECK(a.main_block == b.main_block);
    for (int i = 0; i < a.steps.size; ++i) {
      CHECK(a.steps[i].node == b.steps[i].node);
      CHECK(a.steps[i].kernel == b.steps[i].kernel);
      CHECK(a.steps[i].scratch.offset == b.steps[i].scratch.offset);
    }
    for (int v = 0; v < a.places.size; ++v) {
      CHECK(a.places[v].base == b.places[v].base);
      CHECK(a.places[v].offset == b.places[v].offset);
    }
  }
}

TEST_CASE("values that are alive together do not overlap") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::string text = random_programs::generator(80, seed).text();
    const graph_owner parsed = read_program(text);
    REQUIRE_FALSE(parsed.error());
    const owned_graph owned = simplified(parsed);
    const graph& g = owned.get();
    const owned_plan planned(g);
    const plan& p = planned.get();
    std::vector<int> written(std::size_t(g.values.size), -1), read(std::size_t(g.values.size), -1);
    for (int s = 0; s < p.steps.size; ++s) {
      const plan_step& step = p.steps[s];
      for (int i = 0; i < step.operand_count; ++i) read[std::size_t(p.values[step.first + i])] = s;
      for (int i = 0; i < step.result_count; ++i)
        written[std::size_t(p.values[step.first + step.operand_count + i])] = s;
    }
    // A view is the value that it shares its memory with, so its readers count for both.
    for (int v = g.values.size - 1; v >= 0; --v) {
      const int n = g.values[v].node;
      if (n < 0 || !facts_of(g.nodes[n].kind).is_view || written[std::size_t(v)] >= 0) continue;
      int& of_operand = read[std::size_t(g.operands_of(g.nodes[n])[0])];
      of_operand = std::max(of_operand, read[std::size_t(v)]);
    }
    for (int a = 0; a < g.values.size; ++a)
      for (int b = 0; b < a; ++b) {
        const auto alive = [&](int v, int s) { return written[std::size_t(v)] <= s && s <= read[std::size_t(v)]; };
        if (written[std::size_t(a)] < 0 || written[std::size_t(b)] < 0) continue;
        if (p.places[a].base != place::arena || p.places[b].base != place::arena) continue;
        if (!alive(a, written[std::size_t(b)]) && !alive(b, written[std::size_t(a)])) continue;
        const index_t a_end = p.places[a].offset + byte_size(g.type_of_value(a));
        const index_t b_end = p.places[b].offset + byte_size(g.type_of_value(b));
        CHECK((a_end <= p.places[b].offset || b_end <= p.places[a].offset));
      }
  }
}

TEST_CASE("planning takes time in proportion to the program") {
  const std::string text = random_programs::generator(20000, 1).text();
  const graph_owner parsed = read_program(text);
  REQUIRE_FALSE(parsed.error());
  const owned_graph g = simplified(parsed);
  const plan_in_steps pieces(g.get(), 8000);
  CHECK(pieces.interruptions < 60);
}
