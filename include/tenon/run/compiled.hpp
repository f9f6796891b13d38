// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/diagnostic.hpp>
#include <tenon/graph/passes/bounded.hpp>
#include <tenon/graph/passes/simplify.hpp>
#include <tenon/graph/passes/wide_folds.hpp>
#include <tenon/graph/plan/planner.hpp>
#include <tenon/quantized/expressed_source.hpp>
#include <tenon/run/compiled_plan.hpp>
#include <tenon/run/constants.hpp>
#include <tenon/run/writing_budget.hpp>

#include <string_view>
#include <type_traits>

// The passes of a program, in constant evaluation: conversions, simplification, static shapes, and the plan.
namespace tenon::execution {

// Ops in a program after the bodies of functions have taken the places of calls, at most.
inline constexpr int most_inlined_nodes = 200000;

// Compilers bound one constant evaluation: a pass stops in time, and another evaluation continues its state.
inline constexpr int simplified_at_a_time = 2000, planned_at_a_time = 8000;

// A pass from one constant evaluation to the next, and its state when it is done.
template <class Pass, int Chunk = 0>
inline constexpr auto in_chunks = [] {
  auto state = Pass::template begin<Chunk>();
  Pass::run(state);
  return state;
}();
template <class Pass, int Chunk = 0>
constexpr const auto& finished() {
  if constexpr (requires { typename std::enable_if_t<!in_chunks<Pass, Chunk>.done>; })
    return finished<Pass, Chunk + 1>();
  else
    return in_chunks<Pass, Chunk>;
}

template <graph_sizes Source>
struct simplifying_notes {
  bool live[Source.nodes + 1]{};
  int values[Source.values + 1]{}, regions[Source.regions + 1]{};
  simplifying_progress progress;
  bool done = false;
};
template <graph_sizes Room, graph_sizes Source>
struct simplifying_state : simplifying_notes<Source> {
  static constexpr graph_sizes room = Room;
  graph_storage<Room> target;
  int next[Room.nodes + 1]{};

  constexpr simplifying_state() = default;
  template <graph_sizes Less>
  constexpr explicit simplifying_state(const simplifying_state<Less, Source>& other)
      : simplifying_notes<Source>(other) {
    target.take(other.target.view());
    for (int n = 0; n < Less.nodes; ++n) next[n] = other.next[n];
  }

  constexpr void run(const graph& from, const graph_function& function) {
    graph to = target.open();
    simplifier pass(from, to,
                    {{this->live, 0, Source.nodes + 1},
                     {this->values, 0, Source.values + 1},
                     {this->regions, 0, Source.regions + 1},
                     {next, 0, Room.nodes + 1}},
                    this->progress);
    this->done = pass.run(function, simplified_at_a_time, most_inlined_nodes);
    target.close(to);
  }
};

// Continues with twice the memory where there was no room for another step.
template <class Source>
struct simplifying_pass {
  template <int Chunk>
  static constexpr auto begin() {
    if constexpr (Chunk > 0) {
      constexpr const auto& last = in_chunks<simplifying_pass, Chunk - 1>;
      constexpr bool fits = has_room(last.target.view(), simplifier::room_for_step(Source::graph()));
      return simplifying_state<fits ? last.room : last.room + last.room, Source::graph().sizes()>(last);
    } else {
      return simplifying_state<simplifier::room_to_begin(Source::graph()), Source::graph().sizes()>();
    }
  }
  static constexpr void run(auto& state) {
    if constexpr (requires { Source::choose_rewrites(state.progress); }) Source::choose_rewrites(state.progress);
    state.run(Source::graph(), Source::function());
  }
};

template <graph_sizes Sizes, int Types, plan_sizes Room>
struct planning_state {
  plan_storage<Room> target;
  static constexpr int values = Sizes.values + 1;
  int uses[values]{}, alias[values]{}, block_of_value[values]{}, writer[values]{}, last_use[values]{},
      next_dying[values]{};
  bool needed[values]{}, read_again[values]{};
  int first_dying[Sizes.nodes + 2]{};
  int block_of_region[Sizes.regions + 1]{};
  planning_progress progress;
  bool done = false;

  constexpr void run(const graph& g) {
    plan p = target.open();
    tensor_type types[Types + 1]{};
    const auto notes = []<class T>(T* at) { return table<T>{at, 0, values}; };
    plan_draft draft(g, p,
                     {notes(uses), notes(needed), notes(alias), notes(block_of_value), notes(writer), notes(last_use),
                      notes(read_again), notes(next_dying), table<int>{first_dying, 0, Sizes.nodes + 2},
                      table<int>{block_of_region, 0, Sizes.regions + 1}, table<tensor_type>{types, 0, Types + 1}});
    done = planner(draft, progress).run(planned_at_a_time);
    target.close(p);
  }
};

// `Program` has `storage`, a simplified graph.
template <class Program>
struct planning_pass {
  static constexpr graph from = Program::storage.view();
  template <int Chunk>
  static constexpr auto begin() {
    if constexpr (Chunk > 0)
      return in_chunks<planning_pass, Chunk - 1>;
    else
      return planning_state<from.sizes(), most_operands_and_results(from), sizes_of_plan(from)>();
  }
  static constexpr void run(auto& state) { state.run(from); }
};

// A program with static shapes in place of bounds; with more memory where there was not enough.
template <class Program, int Effort>
struct fixing_state {
  graph_storage<sizes_with_static_shapes(Program::storage.view(), Effort)> storage;
  bounded_refusal refusal;
  bool is_static = false, done = false;

  constexpr void run() {
    constexpr tenon::ir::graph from = Program::storage.view();
    tenon::ir::graph to = storage.open();
    int values[from.values.size + 1]{}, sizes[(from.values.size + 1) * max_rank]{}, regions[from.regions.size + 1]{},
        owners[from.regions.size + 1]{};
    agreed_sizes agreed[64 * Effort]{};
    is_static = give_static_shapes(from, to, from.functions.data[0],
                                   {{values, 0, from.values.size + 1},
                                    {sizes, 0, (from.values.size + 1) * max_rank},
                                    {regions, 0, from.regions.size + 1},
                                    {owners, 0, from.regions.size + 1},
                                    {agreed, 0, 64 * Effort}},
                                   refusal);
    done = is_static || refusal || Effort >= 4096;
    storage.close(to);
  }
};
template <class Program>
struct fixing_pass {
  template <int Chunk>
  static constexpr auto begin() {
    return fixing_state<Program, 1 << 2 * Chunk>();
  }
  static constexpr void run(auto& state) { state.run(); }
};

// "line 7, column 10: fft: the op cannot ..."
constexpr message_text<400> message_of_refusal(const bounded_refusal& refusal, std::string_view text) {
  message_text<400> result;
  if (!refusal) return result;
  if (refusal.source >= 0) {
    const auto [line, column] = tenon::detail::text_position(text, refusal.source);
    result << "line " << line << ", column " << column << ": ";
  }
  if (refusal.kind >= 0) result << name_of_kind(refusal.kind) << ": ";
  if (refusal.dimension >= 0) result << "dimension " << refusal.dimension << ": ";
  result << refusal.sentence;
  return result;
}

// `Program` has `storage`, a simplified graph with bounded dimensions. Where these cannot be removed, they stay: that
// is reported elsewhere, once.
template <class Program>
struct fixed_source {
  static constexpr const auto& attempt = finished<fixing_pass<Program>>();
  static constexpr auto storage = [] {
    if constexpr (attempt.is_static)
      return cut_graph<attempt.storage.used>(attempt.storage.view());
    else
      return Program::storage;
  }();
  static constexpr tenon::ir::graph graph() { return storage.view(); }
  static constexpr graph_function function() { return storage.view().functions[0]; }
};

void this_program_has_no_static_form();
constexpr bool require_static_form(bool exists, const char* /*sentence*/, int /*op*/, int /*dimension*/) {
  if (!exists) this_program_has_no_static_form();
  return true;
}

// Ends the compilation where bounded dimensions cannot be removed.
template <class Program>
struct checked_shapes {
  static constexpr const auto& attempt = finished<fixing_pass<Program>>();
  static constexpr auto message = message_of_refusal(attempt.refusal, Program::storage.view().text);
#if defined(__clang__) && __clang_major__ < 15
  static_assert(require_static_form(!attempt.refusal, attempt.refusal.sentence, attempt.refusal.kind,
                                    attempt.refusal.dimension),
                "tenon: the program has a bounded dimension along which one of its ops cannot work");
#else
  static_assert(obeys_the_specification<cut_message<message.length>(message)>,
                "tenon: the program has a bounded dimension along which one of its ops cannot work");
#endif
  static_assert(attempt.is_static || attempt.refusal, "tenon: the program is too large for its bounded dimensions");
};

// The simplified graph of a program, and its plan, in memory of the size that they take.
template <class Source>
struct simplified_source {
  static constexpr const auto& wide = finished<simplifying_pass<Source>>();
  static_assert(!wide.progress.failure, "tenon: calls are recursive, too deep or without a body, or grow too large");
  static constexpr auto storage = cut_graph<wide.target.used>(wide.target.view());
  static constexpr tenon::ir::graph graph() { return storage.view(); }
  static constexpr graph_function function() { return graph().functions[0]; }
};
// The simplified graph without bounds, and with folds of narrow floats in f32.
template <class Source>
struct prepared_program {
  using simplified = simplified_source<Source>;
  static constexpr bool is_bounded = has_bounded_dimensions(simplified::graph());
  using check = std::conditional_t<is_bounded, checked_shapes<simplified>, simplified>;
  using static_form = std::conditional_t<is_bounded, simplified_source<fixed_source<simplified>>, simplified>;
  using type = std::conditional_t<wide_folds{static_form::graph()}.has_any(),
                                  simplified_source<converted_source<static_form, wide_folds>>, static_form>;
};
template <class Program>
struct planned_program {
  static constexpr const auto& wide = finished<planning_pass<Program>>().target;
  static_assert(wide.view().main_block >= 0, "tenon: the program could not be planned");
  static constexpr plan_storage<wide.used> storage = [] {
    plan_storage<wide.used> cut;
    cut.take(wide.view());
    return cut;
  }();
};

// A program for `compiled_plan`. Types are with bounds; of quantized tensors, those of the stored numbers.
template <class Source>
class planned_source {
  using prepared = prepared_program<expressed_source<Source>>;
  static_assert(sizeof(typename prepared::check) > 0);
  static constexpr tenon::ir::graph source = Source::graph();
  static constexpr const graph_region& region = source.regions.data[Source::function().region];
  struct stored_types {
    tensor_type at[region.argument_count + region.yield_count + 1];
  };
  static constexpr stored_types types = [] {
    stored_types all;
    for (int i = 0; i < region.argument_count + region.yield_count; ++i) {
      const int result = i - region.argument_count;
      all.at[i] = source.type_of_value(result < 0 ? region.arguments + i : source.yields_of(region).data[result]);
      all.at[i] = all.at[i].with_element(all.at[i].element);
    }
    return all;
  }();

 public:
  using literals = text_literals;
  static constexpr int writing_budget = execution::writing_budget<Source>();
  static constexpr tenon::ir::graph graph() { return prepared::type::storage.view(); }
  static constexpr tenon::planning::plan plan() { return planned_program<typename prepared::type>::storage.view(); }
  static constexpr const auto& applied_rewrites() { return prepared::simplified::wide.progress.applied; }
  static constexpr list<tensor_type> arguments{types.at, region.argument_count};
  static constexpr list<tensor_type> results{types.at + region.argument_count, region.yield_count};
};

// A program planned while compiling: `Source` has `graph()`, a constant graph, and `function()`, which function of it
// to run.
template <class Source>
using compiled = compiled_plan<planned_source<Source>>;

}  // namespace tenon::execution
