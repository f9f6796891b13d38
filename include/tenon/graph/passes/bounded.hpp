// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/graph/passes/bounded/exchange.hpp>
#include <tenon/graph/passes/bounded/folding.hpp>
#include <tenon/graph/passes/bounded/lookup.hpp>
#include <tenon/graph/passes/bounded/movement.hpp>
#include <tenon/graph/passes/bounded/normalization.hpp>
#include <tenon/graph/passes/bounded/products.hpp>
#include <tenon/graph/passes/bounded/regions.hpp>

#include <tuple>

namespace tenon::passes {

// Programs with dimensions whose sizes are known at run time only, below a bound: rewritten to static shapes of the
// bounds' sizes, in which every size is a number of its own, and what lies behind it is padding that nobody looks at.
// docs/bounded.md says how.

// Whether the pass has anything to do.
constexpr bool has_bounded_dimensions(const graph& g) {
  for (const tensor_type& type : g.types)
    if (type.bounded != 0) return true;
  return false;
}

template <class Op, class Handler>
concept rewritten_by = requires(Handler& handler, const Op& op) { handler.rewrite(op); };

template <class... Handlers>
struct handler_list {
  std::tuple<Handlers...> all;

  constexpr explicit handler_list(auto& progress) : all(Handlers(progress)...) {}
  template <class Op>
  static constexpr bool takes = (rewritten_by<Op, Handlers> || ...);
  template <class Op>
  constexpr bool rewrite(const Op& op) {
    bool done = false;
    const auto by = [&]<class Handler>(Handler& handler) {
      if constexpr (rewritten_by<Op, Handler>) done = handler.rewrite(op);
    };
    (by(std::get<Handlers>(all)), ...);
    return done;
  }
};

// Rewrites the ops of a function in order: each by the handler that has an overload of `rewrite` for it. A template,
// as only programs with bounded dimensions shall pay for what visits all ops.
template <class Progress>
class bounded_rewriter : size_keeper {
 public:
  constexpr explicit bounded_rewriter(Progress& progress)
      : size_keeper(progress), regions_(progress), handlers_(progress) {}

  // Writes the function, from which all calls have been removed, to the target. Its arguments and results are followed
  // by their sizes, of type i64. False: it has no static form, or the target has no room.
  // @post no value of the target has a bounded dimension
  constexpr bool run(const graph_function& function) {
    begin();
    if (!regions_.open(function.region)) return false;
    for (int n = 0; n < from_.nodes.size && !refusal_ && !to_.overflow(); ++n)
      if (encloses_in_source(function.region, from_.nodes.data[n].region)) rewrite(n);
    if (refusal_ || to_.overflow()) return false;
    const graph_region& body = from_.regions.data[function.region];
    if (!has_room(body.yield_count)) return false;
    region_ = memory_.regions.data[function.region];
    int types[operand_list::most];
    if (body.yield_count > operand_list::most) return false;
    for (int i = 0; i < body.yield_count; ++i) types[i] = from_.values.data[from_.yields_of(body).data[i]].type;
    regions_.close(function.region, {types, body.yield_count});
    to_.functions.push({function.name, region_, true});
    return !refusal_ && !to_.overflow();
  }

 private:
  constexpr void begin() {
    copy_table(from_.words, to_.words), copy_table(from_.literals, to_.literals);
    copy_references(from_, to_);
    for (tensor_type type : from_.types) type.bounded = 0, to_.types.push(type);
    for (int i = 0; i < from_.values.size * max_rank; ++i) memory_.sizes.data[i] = dimension_size::full;
    for (int i = 0; i < from_.regions.size; ++i) memory_.regions.data[i] = memory_.owners.data[i] = -1;
    for (int n = 0; n < from_.nodes.size; ++n)
      for (int region : from_.regions_of(from_.nodes.data[n])) memory_.owners.data[region] = n;
  }
  constexpr bool encloses_in_source(int outer, int inner) const {
    while (inner >= 0 && inner != outer) inner = from_.regions.data[inner].parent;
    return inner == outer;
  }

  // ---------- the op at hand

  constexpr void rewrite(int n) {
    if (!regions_.open(from_.nodes.data[n].region)) return;
    node_ = from_.nodes.data[n];
    if (!has_room(node_.operand_count + node_.result_count)) return;
    region_ = memory_.regions.data[node_.region];
    if (node_.region_count > 0) regions_.close_regions();
    if (refusal_ || to_.overflow()) return;
    bool bounded = false;
    for (int i = 0; i < node_.operand_count; ++i) bounded = bounded || operand_type(i).bounded != 0;
    for (int r = 0; r < node_.result_count; ++r) bounded = bounded || result_type(r).bounded != 0;
    if (!bounded)
      copy();
    else if (node_.operand_count > operand_list::most / 2)
      refuse(-1, too_many);
    else if (!rewrite_bounded())
      refuse(-1);
  }

  constexpr void copy() {
    const int results = write_again();
    for (int r = 0; r < node_.result_count; ++r) memory_.values.data[node_.results + r] = results + r;
  }

  constexpr bool rewrite_bounded() {
    if (tenon::ir::facts_of(node_.kind).elementwise) return std::get<0>(handlers_.all).rewrite_elementwise();
    if (node_.kind < 0) return rewrite_foreign();
    handler_of_op all{*this};
    return visit_op(node_.kind, from_.words.data + node_.words, all);
  }

  using handlers = handler_list<sized_movement, sized_folding, sized_products, sized_normalization, sized_lookup,
                                sized_exchange, sized_control>;
  struct handler_of_op {
    bounded_rewriter& self;

    template <class Op>
      requires(handlers::template takes<Op>)
    constexpr bool operator()(const Op& op) const {
      return self.handlers_.rewrite(op);
    }
    constexpr bool operator()(const ops::custom_call&) const { return self.rewrite_foreign(); }
    constexpr bool otherwise() const {
      for (int i = 0; i < self.node_.operand_count; ++i)
        for (int d = 0; d < self.operand_type(i).rank(); ++d)
          if (self.is_dynamic(i, d)) return self.refuse(d);
      return self.rewrite_foreign();
    }
  };

  // Code of others gets and gives tensors at their bounds.
  constexpr bool rewrite_foreign() {
    for (int i = 0; i < node_.operand_count; ++i)
      for (int d = 0; d < operand_type(i).rank(); ++d) exactly(code(i, d), d, operand_type(i).dim(d));
    dimension_sizes sizes;
    for (int& each : sizes.at) each = dimension_size::full;
    return give_each(write_again(), sizes);
  }

  sized_regions regions_;
  handlers handlers_;
};

// Writes a function of a graph without calls to `to`, with static shapes. False: there is no such form, and `refusal`
// says why, or one of the tables had no room.
template <class Progress = bounded_progress>
constexpr bool give_static_shapes(const graph& from, graph& to, const graph_function& function,
                                  const bounded_memory& memory, bounded_refusal& refusal) {
  Progress progress(from, to, memory);
  const bool done = bounded_rewriter(progress).run(function);
  refusal = progress.refusal;
  return done;
}

// Memory that the static form of a program takes, at a guess: `effort` 1, and more where that was too little.
constexpr graph_sizes sizes_with_static_shapes(const graph& g, int effort) {
  graph_sizes sizes = g.sizes();
  int bounded = 4;
  for (const graph_node& node : g.nodes) {
    bool any = false;
    for (int value : g.operands_of(node)) any = any || g.type_of_value(value).bounded != 0;
    for (int r = 0; r < node.result_count; ++r) any = any || g.type_of_value(node.results + r).bounded != 0;
    bounded += any ? 1 : 0;
  }
  const int more = 1024 + 12 * effort * bounded;
  sizes.nodes += more, sizes.values += 2 * more, sizes.operands += 3 * more, sizes.words += 6 * more;
  sizes.types += more, sizes.literals += more, sizes.names += 64 * effort, sizes.characters += 1024 * effort;
  sizes.regions += 4 * effort * bounded, sizes.region_references += 4 * effort * bounded;
  sizes.functions = 1;
  return sizes;
}

}  // namespace tenon::passes
