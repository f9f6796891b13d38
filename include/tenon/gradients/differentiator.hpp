// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/gradients/collective.hpp>
#include <tenon/gradients/contraction.hpp>
#include <tenon/gradients/control.hpp>
#include <tenon/gradients/elementwise.hpp>
#include <tenon/gradients/lookup.hpp>
#include <tenon/gradients/matrices.hpp>
#include <tenon/gradients/movement.hpp>
#include <tenon/gradients/none.hpp>
#include <tenon/gradients/reduction.hpp>
#include <tenon/gradients/refusal.hpp>
#include <tenon/gradients/value.hpp>
#include <tenon/graph/ir/facts.hpp>

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace tenon::gradients {

// Some kinds of ops: rules are instantiated for those that a program contains.
struct kind_set {
  std::uint64_t words[4]{};

  constexpr bool has(int kind) const { return kind >= 0 && (words[kind / 64] >> (kind % 64) & 1) != 0; }
  constexpr void add(int kind) {
    if (kind >= 0) words[kind / 64] |= std::uint64_t(1) << (kind % 64);
  }
  constexpr void add(const kind_set& others) {
    for (int i = 0; i < 4; ++i) words[i] |= others.words[i];
  }
  friend constexpr bool operator==(const kind_set&, const kind_set&) = default;
};
static_assert(ops::all::size <= 256);

inline constexpr kind_set every_kind{{~std::uint64_t(0), ~std::uint64_t(0), ~std::uint64_t(0), ~std::uint64_t(0)}};

// "grad_sort" for the op of that name.
template <class Op>
struct gradient_label {
  char text[Op::name.size() + 6]{'g', 'r', 'a', 'd', '_'};
  constexpr gradient_label() {
    for (std::size_t i = 0; i < Op::name.size(); ++i) text[5 + i] = Op::name[i];
  }
};
template <class Op>
inline constexpr gradient_label<Op> label_of_gradient{};

// How a rule sees the node that it differentiates: x(i), its operands, y(r), its results, and going backwards the
// cotangents of results, going forwards the tangents of operands. A value without a number is zero.
template <class Engine>
struct node_view {
  Engine& engine;
  graph_node node;

  constexpr builder& to() const { return engine.to; }
  constexpr const graph& g() const { return engine.to.g; }
  constexpr int operand_count() const { return node.operand_count; }
  constexpr value x(int i) const { return to().at(g().operands.data[node.operands + i]); }
  constexpr value y(int r = 0) const { return to().at(node.results + r); }
  constexpr bool is_active(int i) const { return engine.is_active(x(i).id); }

  constexpr value ct(int r = 0) const { return engine.derivative(node.results + r); }
  constexpr void give(int i, value ct) const { engine.add_to(x(i).id, ct); }

  constexpr value dx(int i) const { return engine.derivative(x(i).id); }
  constexpr value tangent(int i) const { return dx(i) ? dx(i) : to().zeros(x(i).type()); }
  constexpr void set(int r, value tangent) const { engine.set(node.results + r, tangent); }

  constexpr void refuse(const char* label, const char* sentence) const {
    engine.refuse({label, sentence, node.source, operand_count() > 0 ? x(0).type() : tensor_type{}, {}});
  }
};

template <kind_set Kinds>
class differentiator;

// The view for a pushforward that is to be transposed: its tangents are values that stand for any.
template <class Engine>
struct linearized_view : node_view<Engine> {
  const int* tangents;
  int* results;

  constexpr value dx(int i) const { return this->to().at(tangents[i]); }
  constexpr value tangent(int i) const { return dx(i) ? dx(i) : this->to().zeros(this->x(i).type()); }
  constexpr void set(int r, value tangent) const { results[r] = tangent.id; }
};

// The rules: overloads for an op, which stand in the headers beside this one, named after the folders of ops.
//
// partial(op, at, i)         dy / dx_i, where the op works element by element
// transposed(op, at, ct, i)  the cotangent of an operand in which the op is linear; linear_operands(op) has a bit for
//                            each of these. is_bilinear(op): in each of the two operands, not in both
// pullback(op, at)           gives cotangents to the operands
// pushforward(op, at)        sets the tangents of the results; without a pullback, or where linearizes(op, at), it is
//                            transposed, op by op
// decomposed(op, at, y)      writes the op as other ops, whose results it sets y[r] to; beside other rules where
//                            decomposes(op, at)
// no_gradient(op)            why the gradient is zero where there is one
// refused(op)                why there is no rule

template <class Op, class View>
concept has_partial = requires(const Op& op, const View& at) { partial(op, at, 0); };
template <class Op, class View>
concept has_transposed = requires(const Op& op, const View& at) { transposed(op, at, value{}, 0); };
template <class Op, class View>
concept has_pullback = requires(const Op& op, const View& at) { pullback(op, at); };
template <class Op, class View>
concept has_pushforward = requires(const Op& op, const View& at) { pushforward(op, at); };
template <class Op, class View>
concept has_decomposition = requires(const Op& op, const View& at, value* y) { decomposed(op, at, y); };
template <class Op>
concept has_no_gradient = requires(const Op& op) { no_gradient(op); };
template <class Op>
concept is_refused_by_name = requires(const Op& op) { refused(op); };
template <class Op>
concept changes_again = requires(const Op& op) { differs_again(op); };
template <class Op, class View>
concept may_decompose = requires(const Op& op, const View& at) { decomposes(op, at); };
// Rules for both modes.
template <class Op, class View>
concept has_gradient =
    has_partial<Op, View> || has_transposed<Op, View> || has_pushforward<Op, View> || has_decomposition<Op, View>;
template <class Op, class View>
concept may_linearize = requires(const Op& op, const View& at) { linearizes(op, at); };
// Going backwards the ops of its pushforward are transposed.
template <class Op, class View>
concept is_linearized = has_pushforward<Op, View> && !has_pullback<Op, View> && !has_partial<Op, View> &&
                        !has_transposed<Op, View> && !has_decomposition<Op, View>;
template <class Op>
concept bilinear = requires(const Op& op) { is_bilinear(op); };

// The reason for which an op has no rule.
template <class Op>
constexpr const char* reason_of() {
  if constexpr (is_refused_by_name<Op>)
    return refused(Op{});
  else
    return "the op has no rule for its gradient";
}

// Whether a fold or a scatter has a rule of its own, whatever is differentiated by: one sum, minimum or maximum.
constexpr bool is_simple_fold(const graph& g, const graph_node& node) {
  const int region = node.region_count == 1 ? g.regions_of(node)[0] : -1;
  if (region < 0 || g.type_of_value(g.operands_of(node)[0]).element != g.type_of_value(node.results).element)
    return false;
  const bool extremum = is_region_of<ops::maximum>(g, region) || is_region_of<ops::minimum>(g, region);
  return node.result_count == 1 &&
         (is_region_of<ops::add>(g, region) || is_region_of_second(g, region) || (extremum && !is<ops::scatter>(node)));
}

// The kinds whose rules write other ops.
template <int... I>
constexpr kind_set find_writing_kinds(std::integer_sequence<int, I...>) {
  using probe = node_view<differentiator<kind_set{}>>;
  kind_set set;
  ((has_decomposition<op_of_kind<I>, probe> || is_linearized<op_of_kind<I>, probe> ||
            may_linearize<op_of_kind<I>, probe>
        ? set.add(I)
        : void()),
   ...);
  return set;
}

constexpr kind_set kinds_named(std::initializer_list<std::string_view> names) {
  kind_set set;
  for (std::string_view name : names)
    for (int kind = 0; kind < ops::all::size; ++kind)
      if (same_text(name_of_kind(kind), name)) set.add(kind);
  return set;
}

// The kinds of the ops of a program, and of those that rules write in their place, which are differentiated in turn.
// A template, so that programs without gradients do not pay for it.
template <std::same_as<graph> Graph>
constexpr kind_set kinds_of(const Graph& g) {
  constexpr kind_set writing =
      find_writing_kinds(std::make_integer_sequence<int, sizeof(Graph) ? ops::all::size : 0>{});
  constexpr kind_set few = kinds_named({"add", "broadcast_in_dim", "complex", "divide", "dot_general", "multiply",
                                        "negate", "real", "reduce", "reshape", "select"});
  constexpr kind_set written =
      kinds_named({"abs", "concatenate", "convert", "convolution", "gather", "imag", "maximum", "minimum", "pad",
                   "reduce_window", "scatter", "slice", "sqrt", "subtract", "transpose", "triangular_solve"});
  constexpr kind_set of_loops = kinds_named({"dynamic_slice", "dynamic_update_slice", "reshape", "while"});
  constexpr kind_set folding = kinds_named({"reduce", "reduce_window", "scatter"});
  constexpr kind_set renaming =
      kinds_named({"abs", "broadcast", "clamp", "dot", "dynamic_reshape", "dynamic_broadcast_in_dim"});
  kind_set result;
  for (const graph_node& node : g.nodes) {
    result.add(node.kind);
    if (!writing.has(node.kind)) continue;
    if (is<ops::map>(node) || is<ops::scan>(node)) result.add(of_loops);
    const bool is_few = renaming.has(node.kind) || (folding.has(node.kind) && is_simple_fold(g, node));
    result.add(few), result.add(is_few ? few : written);
  }
  return result;
}

// Writes derivatives behind the nodes of a graph, into the region `to.region`: backwards (`pull`) cotangents, forwards
// (`push`) tangents.
template <kind_set Kinds>
class differentiator {
 public:
  using view = node_view<differentiator>;
  static constexpr int max_results = most_operands;
  builder to;
  int levels = 0;  // of loops that a loop is divided into, so that its stacks have fewer rows

  constexpr explicit differentiator(graph& g, int region) : to{g, region} {}

  constexpr bool is_active(int value) const { return active_[value]; }
  // Marks a value to differentiate by, if it has elements, and all that depends on it among the nodes of a region.
  constexpr void activate(int value) { active_.set(value, value >= 0 && to.g.type_of_value(value).size() > 0); }
  constexpr void activate_nodes(int region, int first, int last) {
    for (int n = first; n < last; ++n) {
      const graph_node& node = to.g.nodes.data[n];
      if (node.region != region || !reads_active(node) || all_rules::is_flat[node.kind]) continue;
      if (all_rules::is_lost[node.kind]) (this->*all_rules::pulls[node.kind])(node);
      if (facts_of(node.kind).places_results && !has_rule(node)) {
        activate_within(node);
        continue;
      }
      for (int r = 0; r < node.result_count; ++r)
        if (may_be_active(to.g.type_of_value(node.results + r))) activate(node.results + r);
    }
  }

  constexpr value derivative(int value) { return to.at(derivatives_[value]); }
  constexpr value derivative_or_zeros(int value) {
    const gradients::value found = derivative(value);
    return found ? found : to.zeros(to.g.type_of_value(value));
  }
  constexpr void set(int value, gradients::value derivative) { derivatives_.set(value, derivative.id); }
  constexpr void add_to(int value, gradients::value cotangent) {
    if (cotangent && is_active(value)) set(value, derivative(value) + cotangent);
  }

  // From the cotangents of what the nodes compute to those of what they read.
  constexpr void pull(int region, int first, int last) {
    for (int n = last; n-- > first && !refused_;) {
      const graph_node node = to.g.nodes.data[n];
      if (node.region != region || !reads_active(node) || !has_derivative(node)) continue;
      (this->*all_rules::pulls[node.kind])(node);
    }
  }
  // From the tangents of what the nodes read to those of what they compute, where that leads to a value of `wanted`.
  constexpr void push(int region, int first, int last, list<int> wanted) {
    numbered<bool> live(false);
    for (int value : wanted) live.set(value, true);
    mark_live(to.g, region, first, last, live);
    for (int n = first; n < last && !refused_; ++n) {
      const graph_node node = to.g.nodes.data[n];
      bool is_wanted = false;
      for (int r = 0; r < node.result_count; ++r)
        is_wanted = is_wanted || (live[node.results + r] && is_active(node.results + r));
      if (node.region == region && is_wanted) (this->*all_rules::pushes[node.kind])(node);
    }
  }

  constexpr void refuse(const refusal& why) {
    if (!refused_) refused_ = why;
  }
  constexpr const refusal& refused() const { return refused_; }

  constexpr bool reads_active(const graph_node& node) const {
    bool found = false;
    for (int value : to.g.operands_of(node)) found = found || is_active(value);
    for (int region : to.g.regions_of(node))
      for_each_read(to.g, region, [&](int value) { found = found || is_active(value); });
    return found;
  }

  // The ops of the pushforward, which are linear in the tangents, backwards.
  template <class Op>
  constexpr void pull_linearized(const Op& op, const view& at) {
    pull_transposed(at, to.g.operands_of(at.node), [&](list<int> tangents, int* results) {
      pushforward(op, linearized_view<differentiator>{{*this, at.node}, tangents.data, results});
    });
  }
  // Backwards what `write(tangents, results)` writes, which is linear in values that stand for tangents of these.
  constexpr void pull_transposed(const view& at, list<int> operands, const auto& write) {
    growing_list<int> tangents, results, by;
    for (int value : operands) {
      by.push(value), tangents.push(is_active(value) ? to.zeros(to.g.type_of_value(value)).id : -1);
      activate(tangents[by.size() - 1]);
    }
    for (int r = 0; r < at.node.result_count; ++r) results.push(-1);
    const int first = to.g.nodes.size;
    write(tangents.all(), &results[0]);
    const int last = to.g.nodes.size;
    activate_nodes(to.region, first, last);
    for (int r = 0; r < results.size(); ++r) add_to(results[r], at.ct(r));
    pull(to.region, first, last);
    for (int i = 0; i < by.size(); ++i) add_to(by[i], derivative(tangents[i]));
  }

 private:
  numbered<bool> active_{false};
  numbered<int> derivatives_{-1};
  refusal refused_;

  using rule = void (differentiator::*)(const graph_node&);
  template <class Op, bool IsContained, bool Backwards>
  static constexpr rule rule_for() {
    if constexpr (IsContained) return &differentiator::template derive<Op, Backwards>;
    return nullptr;
  }
  template <class Op, bool Backwards>
  constexpr void derive(const graph_node& node) {
    to.source = node.source;
    if (!is_repeatable(node)) return;
    const Op op = read_attributes<Op>(to.g.words.data + node.words);
    if constexpr (Backwards)
      pull_as(op, view{*this, node});
    else
      push_as(op, view{*this, node});
  }

  template <class List, class Positions>
  struct rules_of;
  template <class... Ops, int... I>
  struct rules_of<op_list<Ops...>, std::integer_sequence<int, I...>> {
    static constexpr rule pulls[sizeof...(Ops)] = {rule_for<Ops, Kinds.has(I), true>()...},
                          pushes[sizeof...(Ops)] = {rule_for<Ops, Kinds.has(I), false>()...};
    static constexpr bool is_flat[sizeof...(Ops)] = {has_no_gradient<Ops>...},
                          is_lost[sizeof...(Ops)] = {std::is_same_v<Ops, ops::send>...},
                          changes[sizeof...(Ops)] = {changes_again<Ops>...};
  };
  using all_rules = rules_of<ops::all, std::make_integer_sequence<int, ops::all::size>>;

  // Rules write nodes with regions again.
  constexpr bool is_repeatable(const graph_node& node) {
    for (int region : to.g.regions_of(node))
      for (int n = to.g.regions.data[region].first; n < to.g.regions.data[region].last; ++n)
        if (const graph_node& inner = to.g.nodes.data[n]; inner.kind >= 0 && all_rules::changes[inner.kind])
          refuse({"grad_again", "a loop or a branch that is computed again draws or receives other numbers",
                  inner.source, to.g.type_of_value(inner.results), message_text<40>() << name_of_kind(inner.kind)});
    return !refused_;
  }

  // Of branches the results, and of loops the carried values.
  constexpr void activate_within(const graph_node& node) {
    const bool is_loop = facts_of(node.kind).carries_in_place;
    for (bool changes = true; changes;) {
      changes = false;
      for (int region : to.g.regions_of(node)) {
        const graph_region& inside = to.g.regions.data[region];
        for (int i = 0; is_loop && i < node.operand_count; ++i)
          if (is_active(to.g.operands_of(node)[i]) || is_active(node.results + i)) activate(inside.arguments + i);
        activate_nodes(region, inside.first, inside.last);
        if (inside.yield_count != node.result_count || (is_loop && region != to.g.regions_of(node)[1])) continue;
        for (int r = 0; r < node.result_count; ++r) {
          const bool carried = is_loop && is_active(inside.arguments + r);
          if (is_active(node.results + r) || !(carried || is_active(to.g.yields_of(inside)[r]))) continue;
          activate(node.results + r);
          changes = true;
        }
      }
    }
  }

  // Tuples and futures hold what may be; their ops have no rules.
  static constexpr bool may_be_active(const tensor_type& type) {
    return is_float(type.element) || is_complex(type.element) || type.is_quantized() || type.members != 0;
  }

  constexpr bool has_derivative(const graph_node& node) const {
    for (int r = 0; r < node.result_count; ++r)
      if (derivatives_[node.results + r] >= 0) return true;
    return false;
  }

  template <class Op>
  constexpr void pull_as(const Op& op, const view& at) {
    if constexpr (may_decompose<Op, view>)
      if (decomposes(op, at)) return derive_decomposed<true>(op, at);
    if constexpr (may_linearize<Op, view>)
      if (linearizes(op, at)) return pull_linearized(op, at);
    if constexpr (has_pullback<Op, view>) {
      pullback(op, at);
    } else if constexpr (has_partial<Op, view>) {
      for (int i = 0; i < at.operand_count(); ++i)
        if (at.is_active(i)) at.give(i, at.ct() * partial(op, at, i));
    } else if constexpr (has_transposed<Op, view>) {
      for (int i = 0; i < at.operand_count(); ++i) {
        if (!at.is_active(i)) continue;
        if constexpr (!bilinear<Op>)
          if (!(i >= 32 || (linear_operands(op) >> i & 1))) return refuse<Op>(at);
        at.give(i, transposed(op, at, at.ct(), i));
      }
    } else if constexpr (has_decomposition<Op, view>) {
      derive_decomposed<true>(op, at);
    } else if constexpr (is_linearized<Op, view>) {
      pull_linearized(op, at);
    } else {
      refuse<Op>(at);
    }
  }

  template <class Op>
  constexpr void push_as(const Op& op, const view& at) {
    if constexpr (may_decompose<Op, view>)
      if (decomposes(op, at)) return derive_decomposed<false>(op, at);
    if constexpr (has_pushforward<Op, view>) {
      pushforward(op, at);
    } else if constexpr (has_partial<Op, view>) {
      value sum;
      for (int i = 0; i < at.operand_count(); ++i)
        if (at.dx(i)) sum = sum + at.dx(i) * partial(op, at, i);
      at.set(0, sum);
    } else if constexpr (has_transposed<Op, view>) {
      value sum;
      if constexpr (bilinear<Op>) {
        const value x = at.x(0), y = at.x(1);
        const tensor_type type = at.y().type();
        if (at.dx(0)) sum = to.emit(op, {at.dx(0), y}, type);
        if (at.dx(1)) sum = sum + to.emit(op, {x, at.dx(1)}, type);
      } else {
        int operands[most_operands]{};
        const int count = at.operand_count() < most_operands ? at.operand_count() : most_operands;
        for (int i = 0; i < count; ++i) {
          const bool linear = i >= 32 || (linear_operands(op) >> i & 1);
          if (!linear && at.dx(i)) return refuse<Op>(at);
          operands[i] = linear ? at.tangent(i).id : at.x(i).id;
        }
        if (at.operand_count() > most_operands) return refuse<Op>(at);
        sum = to.append(op, {operands, count}, at.y().type());
      }
      at.set(0, sum);
    } else if constexpr (has_decomposition<Op, view>) {
      derive_decomposed<false>(op, at);
    } else {
      refuse<Op>(at);
    }
  }

  template <bool Backwards, class Op>
  constexpr void derive_decomposed(const Op& op, const view& at) {
    const int first = to.g.nodes.size, count = at.node.result_count;
    if (count > max_results) return refuse<Op>(at);
    value y[max_results]{};
    int wanted[max_results]{};
    decomposed(op, at, y);
    const int last = to.g.nodes.size;
    activate_nodes(to.region, first, last);
    for (int r = 0; Backwards && r < count; ++r) add_to(y[r].id, at.ct(r));
    for (int r = 0; r < count; ++r) wanted[r] = y[r].id;
    Backwards ? pull(to.region, first, last) : push(to.region, first, last, {wanted, count});
    for (int r = 0; !Backwards && r < count; ++r) at.set(r, derivative(wanted[r]));
  }

  template <class Op>
  constexpr void refuse(const view& at) {
    at.refuse(label_of_gradient<Op>.text, reason_of<Op>());
  }
};

}  // namespace tenon::gradients
