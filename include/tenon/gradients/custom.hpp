// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/gradients.hpp>.
#pragma once

#include <tenon/gradients/functions.hpp>
#include <tenon/ops/control/while.hpp>

namespace tenon::gradients {

// A call of a function with a rule of its own is a `case` with two branches, of which the first one always runs. The
// second one is the rule: it begins with an optimization_barrier, whose operands are the leaves of the arguments and
// then numbers in whose places the rule reads tangents, or results and their cotangents.
template <class Function, class Rule, rule_of_call Mode>
struct with_rule {
  constexpr auto operator()(const auto&... arguments) const {
    recording& r = recording_of(arguments...);
    graph& g = r.program;
    const auto all = std::tuple(in_recording(r, arguments)...);
    builder to{g, r.region};
    growing_list<int> given, yields, ends;
    growing_list<tensor_type> types, results_of_call;
    const auto read = [&](tracer& leaf) { given.push(leaf.value), types.push(leaf.type()); };
    const auto replace = [&](tracer& leaf) { given.push(to.zeros(leaf.type()).id), types.push(leaf.type()); };
    const auto for_all = [](auto values, const auto& f) { for_each_leaf(values, f); };

    const int outside = r.region, call = open_region(g, outside, {});
    r.region = call;
    auto result = std::apply([&](const auto&... each) { return in_recording(r, Function{}(each...)); }, all);
    for_each_leaf(result, [&](tracer& leaf) { yields.push(leaf.value), results_of_call.push(leaf.type()); });
    r.region = outside;
    close_region(g, call, yields.all());

    for_all(all, read);
    if constexpr (Mode == rule_of_call::tangents) {
      for_all(all, replace);
    } else {
      for_all(std::tuple(result, result), replace);
    }
    const int rule = open_region(g, outside, {});
    builder inside{g, rule};
    const node_parts parts{given.all(), {}, {}, rule, -1};
    int next = g.nodes.data[append_unchecked(g, ops::optimization_barrier{}, parts, types.all())].results;
    const auto renamed = [&](auto values) {
      for_each_leaf(values, [&](tracer& leaf) { leaf.value = next++; });
      return values;
    };
    const auto record = [&](const auto& values, growing_list<int>& made, list<tensor_type> wanted) {
      const auto rule_of_values = [](const auto&... each) { return Rule{}(each...); };
      record_results(r, rule, rule_of_values, values, made, wanted, "grad_custom",
                     "a rule gives a tangent for each result, or a cotangent for each argument, of its type");
    };
    const auto x = renamed(all);
    if constexpr (Mode == rule_of_call::tangents) {
      record(std::tuple_cat(x, renamed(all)), ends, results_of_call.all());
    } else {
      const auto y = renamed(std::tuple(result)), ct = renamed(std::tuple(result));
      growing_list<int> cotangents;
      record(std::tuple_cat(ct, y, x), cotangents, types.all().part(0, leaf_count_of<decltype(all)>));
      append_unchecked(g, ops::optimization_barrier{}, {cotangents.all(), {}, {}, rule, -1},
                       types.all().part(0, cotangents.size()));
      for (const tensor_type& type : results_of_call.all()) ends.push(inside.zeros(type).id);
    }
    close_region(g, rule, ends.all());

    const int first = to.zeros(type_of(dtype::i32)).id, branches[] = {call, rule};
    const int node =
        append_unchecked(g, ops::case_{}, {{&first, 1}, {branches, 2}, {}, outside, -1}, results_of_call.all());
    g.words.push(index_t(Mode));
    g.nodes.data[node].word_count = 1;
    next = g.nodes.data[node].results;
    for_each_leaf(result, [&](tracer& leaf) { leaf.value = next++; });
    return result;
  }
};

template <class Tree>
concept tree_of_tracers = is_traced_tree<Tree> && requires(const Tree& tree) { tree.leaves; };

template <template <class, class...> class Form, class Tree, class... Leaves>
constexpr auto same_form(const Form<Tree, Leaves...>&, const auto&... leaf) {
  return Form<Tree, std::remove_cvref_t<decltype(leaf)>...>{std::tuple(leaf...)};
}

}  // namespace tenon::gradients

namespace tenon {

// The function, whose tangents a rule gives: rule(x..., dx...) for its arguments and their tangents gives the tangents
// of its results. Backwards the ops of the rule are transposed, so it is linear in dx.
//
//   constexpr auto safe_sqrt = custom_jvp(trace([](auto x) { return sqrt(x); }),
//                                         trace([](auto x, auto dx) { return 0.5f * dx / sqrt(x + 1e-6f); }));
template <class Function, class Rule>
constexpr auto custom_jvp(traced<Function>, traced<Rule>) {
  using enum gradients::rule_of_call;
  return traced<gradients::with_rule<traced<Function>, traced<Rule>, tangents>>{};
}
// The function, whose cotangents a rule gives: rule(ct, y, x...) for those of its result y gives those of its
// arguments, several as `results`. Forwards it is refused.
template <class Function, class Rule>
constexpr auto custom_vjp(traced<Function>, traced<Rule>) {
  using enum gradients::rule_of_call;
  return traced<gradients::with_rule<traced<Function>, traced<Rule>, cotangents>>{};
}

// Within a traced function: f of the leaves that stand in the same place of trees of one form, as a tree of that form.
template <class Function, gradients::tree_of_tracers Tree>
constexpr auto tree_map(Function f, const Tree& tree, const gradients::tree_of_tracers auto&... more) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto at = [&](auto i) { return f(std::get<i>(tree.leaves), std::get<i>(more.leaves)...); };
    return gradients::same_form(tree, at(std::integral_constant<std::size_t, I>{})...);
  }(std::make_index_sequence<std::tuple_size_v<decltype(tree.leaves)>>{});
}

// `using namespace tenon::tree_arithmetic` gives trees of one form + and -, and * by a number, leaf by leaf.
namespace tree_arithmetic {

template <gradients::tree_of_tracers Tree>
constexpr auto operator+(const Tree& x, const gradients::tree_of_tracers auto& y) {
  return tree_map([](auto a, auto b) { return a + b; }, x, y);
}
template <gradients::tree_of_tracers Tree>
constexpr auto operator-(const Tree& x, const gradients::tree_of_tracers auto& y) {
  return tree_map([](auto a, auto b) { return a - b; }, x, y);
}
template <class Number, gradients::tree_of_tracers Tree>
  requires(std::is_arithmetic_v<Number>)
constexpr auto operator*(Number factor, const Tree& x) {
  return tree_map([factor](auto a) { return factor * a; }, x);
}
template <class Number, gradients::tree_of_tracers Tree>
  requires(std::is_arithmetic_v<Number>)
constexpr auto operator*(const Tree& x, Number factor) {
  return factor * x;
}

}  // namespace tree_arithmetic

}  // namespace tenon
