// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/ir/diagnostic.hpp>
#include <tenon/graph/passes/bounded.hpp>
#include <tenon/graph/passes/converted_values.hpp>
#include <tenon/graph/passes/dequantize.hpp>
#include <tenon/graph/passes/simplify.hpp>
#include <tenon/graph/passes/wide_folds.hpp>
#include <tenon/graph/plan/planner.hpp>

#include <string_view>
#include <type_traits>

// The passes that make a program ready, in constant evaluation: quantized arithmetic is written out, calls are replaced
// by what they call, bounded dimensions by static ones, and what is left is planned.
namespace tenon::execution {

// Ops in a program after the bodies of functions have taken the places of calls, at most.
inline constexpr int most_inlined_nodes = 200000;

constexpr int power_of_two_above(int count) {
  int result = 16;
  while (result < 2 * count) result *= 2;
  return result;
}

// Compilers bound what one constant evaluation may do, so a pass stops in time, and another evaluation goes on from a
// copy of all that it has written.
inline constexpr int simplified_at_a_time = 2000, planned_at_a_time = 8000;

template <graph_sizes Room, graph_sizes Source>
struct simplifying_state {
  graph_storage<Room> target;
  bool live[Source.nodes + 1]{};
  int values[Source.values + 1]{};
  int regions[Source.regions + 1]{};
  int slots[power_of_two_above(Room.nodes)]{};
  simplifying_progress progress;
  bool done = false;

  constexpr void run(const graph& from, const graph_function& function) {
    graph to = target.open();
    simplifier pass(from, to,
                    {{live, 0, Source.nodes + 1},
                     {values, 0, Source.values + 1},
                     {regions, 0, Source.regions + 1},
                     {slots, 0, power_of_two_above(Room.nodes)}},
                    progress);
    done = pass.run(function, simplified_at_a_time);
    target.close(to);
  }
};

template <class Source>
struct simplifying_pass {
  static constexpr graph_sizes room = sizes_of_simplified(Source::graph(), Source::function(), most_inlined_nodes);
  using state = simplifying_state<room, Source::graph().sizes()>;
  static constexpr void go_on(state& next) { next.run(Source::graph(), Source::function()); }
};

// A pass from one constant evaluation to the next, and its state when it is done.
template <class Pass, int Chunk = 0>
inline constexpr auto in_chunks = [] {
  auto next = in_chunks<Pass, Chunk - 1>;
  Pass::go_on(next);
  return next;
}();
template <class Pass>
inline constexpr auto in_chunks<Pass, 0> = [] {
  typename Pass::state next;
  Pass::go_on(next);
  return next;
}();
template <class Pass, int Chunk = 0>
constexpr const auto& finished() {
  if constexpr (in_chunks<Pass, Chunk>.done)
    return in_chunks<Pass, Chunk>;
  else
    return finished<Pass, Chunk + 1>();
}

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
  using state = planning_state<from.sizes(), most_operands_and_results(from), sizes_of_plan(from)>;
  static constexpr void go_on(state& next) { next.run(from); }
};

template <plan_sizes Sizes>
constexpr auto cut_plan(const plan& p) {
  plan_storage<Sizes> storage;
  storage.take(p);
  return storage;
}

// A program with conversions where its nodes compute in other types than those of their operands and results.
template <class Source, class Types>
struct converted_source {
  static constexpr auto storage = [] {
    constexpr tenon::ir::graph from = Source::graph();
    graph_storage<sizes_with_conversions(from, Types{from})> result;
    tenon::ir::graph to = result.open();
    int moved[from.nodes.size + 1]{};
    write_conversions(from, to, {moved, 0, from.nodes.size + 1}, Types{from});
    result.close(to);
    return result;
  }();
  static constexpr tenon::ir::graph graph() { return storage.view(); }
  static constexpr graph_function function() { return Source::function(); }
};
// With its quantized arithmetic written out.
template <class Source>
using expressed_source =
    std::conditional_t<(Source::graph().quantizations.size > 0), converted_source<Source, expressed_types>, Source>;

// A program with static shapes in place of bounds; with more memory where there was not enough.
template <class Program, int Effort>
struct fixed_shapes {
  struct attempt {
    graph_storage<sizes_with_static_shapes(Program::storage.view(), Effort)> storage;
    bounded_refusal refusal;
    bool done = false;
  };
  static constexpr attempt result = [] {
    attempt made;
    constexpr tenon::ir::graph from = Program::storage.view();
    tenon::ir::graph to = made.storage.open();
    int values[from.values.size + 1]{}, sizes[(from.values.size + 1) * max_rank]{}, regions[from.regions.size + 1]{},
        owners[from.regions.size + 1]{};
    agreed_sizes agreed[64 * Effort]{};
    made.done = give_static_shapes(from, to, from.functions.data[0],
                                   {{values, 0, from.values.size + 1},
                                    {sizes, 0, (from.values.size + 1) * max_rank},
                                    {regions, 0, from.regions.size + 1},
                                    {owners, 0, from.regions.size + 1},
                                    {agreed, 0, 64 * Effort}},
                                   made.refusal);
    made.storage.close(to);
    return made;
  }();
};
template <class Program, int Effort = 1>
constexpr const auto& with_fixed_shapes() {
  constexpr int most_effort = 4096;
  if constexpr (fixed_shapes<Program, Effort>::result.done || fixed_shapes<Program, Effort>::result.refusal ||
                Effort >= most_effort)
    return fixed_shapes<Program, Effort>::result;
  else
    return with_fixed_shapes<Program, 4 * Effort>();
}

// "line 7, column 10: fft: the op cannot ..."
constexpr message_text<400> message_of_refusal(const bounded_refusal& refusal, std::string_view text) {
  message_text<400> result;
  if (!refusal) return result;
  if (refusal.source >= 0) {
    int line = 1, column = 1;
    for (int i = 0; i < refusal.source && i < int(text.size()); ++i) {
      ++column;
      if (text[std::size_t(i)] == '\n') ++line, column = 1;
    }
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
  static constexpr const auto& attempt = with_fixed_shapes<Program>();
  static constexpr auto storage = [] {
    if constexpr (attempt.done)
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
  static constexpr const auto& attempt = with_fixed_shapes<Program>();
  static constexpr auto message = message_of_refusal(attempt.refusal, Program::storage.view().text);
#if defined(__clang__) && __clang_major__ < 15
  static_assert(require_static_form(!attempt.refusal, attempt.refusal.sentence, attempt.refusal.kind,
                                    attempt.refusal.dimension),
                "tenon: the program has a bounded dimension along which one of its ops cannot work");
#else
  static_assert(obeys_the_specification<cut_message<message.length>(message)>,
                "tenon: the program has a bounded dimension along which one of its ops cannot work");
#endif
  static_assert(attempt.done || attempt.refusal, "tenon: the program is too large for its bounded dimensions");
};

// The simplified graph of a program, and its plan, in memory of the size that they take.
template <class Source>
struct simplified_source {
  static_assert(simplifying_pass<Source>::room.nodes >= 0,
                "tenon: the calls of the program go round in a circle or lead to a function without a body, or it "
                "grows too large");
  static constexpr const auto& wide = finished<simplifying_pass<Source>>();
  static_assert(!wide.progress.failed, "tenon: the regions of the program are nested too deep");
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
  static constexpr auto storage = cut_plan<wide.used>(wide.view());
};

}  // namespace tenon::execution
