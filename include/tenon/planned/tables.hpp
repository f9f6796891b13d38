// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/facts.hpp>
#include <tenon/graph/ir/graph.hpp>
#include <tenon/graph/plan/plan.hpp>
#include <tenon/integers/products.hpp>
#include <tenon/run/decoded_constants.hpp>
#include <tenon/run/writing_budget.hpp>

#include <cstddef>
#include <cstdint>

// A program that was planned ahead: tables that examples/tenon/planner prints.
namespace tenon::execution {

// Changes with what the numbers of printed tables mean: the ops, the element types, the layout of the tables. `form` is
// for all that these do not show.
constexpr std::uint32_t stamp_of_tables() {
  constexpr std::uint32_t form = 1;
  std::uint32_t hash = form;
  const auto add = [&](std::size_t number) { hash = (hash ^ std::uint32_t(number)) * 16777619; };
  const auto add_sizes = [&]<class... Entries>(table_list<Entries...>) {
    (add(sizeof(typename Entries::element)), ...);
  };
  add(std::size_t(dtype::other)), add_sizes(tenon::ir::graph_tables{}), add_sizes(tenon::planning::plan_tables{});
  for (const std::string_view name : tenon::ir::op_tables::names)
    for (const char c : name) add(static_cast<unsigned char>(c));
  return hash;
}

// The memory of a table, and one element behind it.
template <class T, std::size_t Size>
constexpr table<T> table_over(const T (&at)[Size]) {
  return {const_cast<T*>(at), int(Size) - 1, int(Size) - 1};
}

// The lowest one first.
constexpr index_t word_of_bytes(std::string_view bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) word |= std::uint64_t(static_cast<unsigned char>(bytes[i])) << 8 * i;
  return index_t(word);
}

// `Program` holds what was printed in place of a text.
template <class Program>
class printed_plan {
  using tables = typename Program::planned_ahead;
  using steps = std::conditional_t<multiplies_in_place, typename tables::in_place, typename tables::widened>;

 public:
  struct literals {
    // Of the whole program, in the order of the plan.
    static constexpr const char* constants = tables::bytes;

    template <dtype = dtype::none>
    static constexpr bool decode(const tenon::ir::graph& g, const tenon::ir::graph_literal& literal,
                                 const tensor_type& type, index_t count, unsigned char* to) {
      const int parts = is_complex(type.element) ? 2 : 1, bytes = int(storage_bytes(type.element)) / parts;
      const bool is_words = literal.where == tenon::ir::graph_literal::place::words;
      for (index_t i = 0; i < count * parts; ++i)
        store_bits(to + i * bytes,
                   is_words ? g.words.data[literal.first + (literal.size == parts ? i % parts : i)]
                            : word_of_bytes(g.text.substr(std::size_t(literal.first + i * bytes), std::size_t(bytes))),
                   bytes);
      return true;
    }
    static constexpr bool is_decimal(const tenon::ir::graph&, const tenon::ir::graph_literal&) { return false; }
  };
  static constexpr int writing_budget = execution::writing_budget<Program>();
  static constexpr list<tensor_type> arguments{tables::signature, tables::argument_count};
  static constexpr list<tensor_type> results{tables::signature + tables::argument_count, tables::result_count};
  static constexpr const auto& applied_rewrites() { return tables::applied; }

  static constexpr tenon::ir::graph graph() {
    tenon::ir::graph g;
    g.nodes = table_over(tables::nodes), g.values = table_over(tables::values);
    g.operands = table_over(tables::operands), g.words = table_over(tables::words);
    g.types = table_over(tables::types), g.regions = table_over(tables::regions);
    g.region_references = table_over(tables::region_references), g.functions = table_over(tables::functions);
    g.literals = table_over(tables::literals), g.names = table_over(tables::names);
    g.characters = table_over(tables::characters), g.quantizations = table_over(tables::quantizations);
    g.scales = table_over(tables::scales), g.zero_points = table_over(tables::zero_points);
    g.member_lists = table_over(tables::member_lists), g.member_types = table_over(tables::member_types);
    g.text = std::string_view(tables::bytes, sizeof(tables::bytes) - 1);
    return g;
  }
  static constexpr tenon::planning::plan plan() {
    tenon::planning::plan p;
    static_cast<tenon::planning::plan_totals&>(p) = steps::totals;
    p.steps = table_over(steps::steps), p.instructions = table_over(steps::instructions);
    p.operands = table_over(steps::operands), p.accesses = table_over(steps::accesses);
    p.values = table_over(steps::values), p.blocks = table_over(steps::blocks);
    p.block_references = table_over(steps::block_references), p.kernels = table_over(steps::kernels);
    p.places = table_over(steps::places), p.constants = table_over(steps::constants);
    p.reads = table_over(steps::reads), p.members = table_over(steps::members);
    p.gathers = table_over(steps::gathers), p.indices = table_over(steps::indices);
    return p;
  }
};

}  // namespace tenon::execution
