// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/gradients/copied_nodes.hpp>

// Gradients of fixed points x = f(x, p). Where the loop ends, dx = (df/dx) dx + (df/dp) dp: again a fixed point, of
// tangents forwards and of cotangents backwards, whatever the number of iterations was.
namespace tenon::gradients {

// A fixed point is a loop with a word of its own, the largest number of its iterations. It carries how many there have
// been, whether values still change, and the values.
constexpr bool is_fixed_point(const graph_node& loop) { return loop.word_count == 1; }
inline constexpr int first_of_fixed_point = 2;

// Iterates until no value changes any more, at most `most` times: `step(first, next)` writes an iteration from the
// values that begin with this one. Gives the first of the values.
template <class Step>
constexpr int write_fixed_point(builder& to, list<int> start, index_t most, const Step& step) {
  growing_list<int> carried;
  carried.push(to.integers(1, type_of(dtype::i1)).id);
  for (int value : start) carried.push(value);
  const auto goes_on = [&](int count) { return to.at(count + 1); };
  const int loop = write_counted_loop(to, carried.all(), most, goes_on, [&](int count, growing_list<int>& next) {
    growing_list<int> made;
    step(count + first_of_fixed_point, made);
    value changes = to.integers(0, type_of(dtype::i1));
    for (int k = 0; k < start.size; ++k)
      changes = apply_to(ops::or_{}, changes, has_changed(to.at(count + first_of_fixed_point + k), to.at(made[k])));
    next.push(changes.id);
    for (int value : made.all()) next.push(value);
  });
  graph_node& node = to.g.nodes.data[to.g.values.data[loop].node];
  node.words = to.g.words.push(most), node.word_count = 1;
  return loop + 1;
}

// An iteration from copies of the values where the loop has ended, as that loop's body computes it. First the copies
// are written; with the iteration, what depends on active values is marked.
struct step_at_end {
  growing_list<int> x, next;
  int first = 0, last = 0;

  constexpr step_at_end(const auto& at, builder& to) {
    for (int k = first_of_fixed_point; k < at.node.result_count; ++k)
      x.push(to.emit(ops::reshape{}, {at.y(k)}, at.y(k).type()).id);
  }
  constexpr void write(const auto& at, auto& engine) {
    growing_list<int> made;
    const auto argument_of = [&](int k) {
      return k < first_of_fixed_point ? at.node.results + k : x[k - first_of_fixed_point];
    };
    first = engine.to.g.nodes.size;
    copy_body(engine.to, region_of(at, 1), argument_of, made);
    last = engine.to.g.nodes.size;
    engine.activate_nodes(engine.to.region, first, last);
    for (int k = 0; k < x.size(); ++k) next.push(made[first_of_fixed_point + k]);
  }
};

// The fixed point of A dx + change, where A are the derivatives of an iteration by the values alone, or their
// transposes: `derive(engine, step, dx)` writes a product with them and gives the list of values that it is of.
template <class Derive>
constexpr int write_linear_fixed_point(const auto& at, list<int> change, const Derive& derive) {
  auto& d = at.engine;
  const index_t most = at.g().words.data[at.node.words];
  return write_fixed_point(d.to, change, most, [&](int dx, growing_list<int>& next) {
    std::remove_cvref_t<decltype(d)> by_values(d.to.g, d.to.region);
    by_values.to.source = d.to.source;
    step_at_end step(at, by_values.to);
    for (int value : step.x.all()) by_values.activate(value);
    step.write(at, by_values);
    const list<int> products = derive(by_values, step, dx);
    for (int k = 0; k < change.size; ++k)
      next.push((by_values.derivative_or_zeros(products[k]) + d.to.at(change[k])).id);
    if (by_values.refused()) d.refuse(by_values.refused());
  });
}

constexpr void pull_fixed_point(const auto& at) {
  auto& d = at.engine;
  growing_list<int> cotangents;
  for (int k = first_of_fixed_point; k < at.node.result_count; ++k)
    cotangents.push(d.derivative_or_zeros(at.node.results + k).id);
  const auto pull = [](auto& engine, step_at_end& step, int ct) {
    for (int k = 0; k < step.next.size(); ++k) engine.add_to(step.next[k], engine.to.at(ct + k));
    engine.pull(engine.to.region, step.first, step.last);
    return step.x.all();
  };
  const int solved = write_linear_fixed_point(at, cotangents.all(), pull);
  step_at_end step(at, d.to);
  step.write(at, d);
  pull(d, step, solved);
}

constexpr void push_fixed_point(const auto& at) {
  auto& d = at.engine;
  const auto push = [](auto& engine, step_at_end& step) {
    engine.push(engine.to.region, step.first, step.last, step.next.all());
    return step.next.all();
  };
  step_at_end step(at, d.to);
  step.write(at, d);
  growing_list<int> change;
  for (int value : push(d, step)) change.push(d.derivative_or_zeros(value).id);
  const int solved = write_linear_fixed_point(at, change.all(), [&](auto& engine, step_at_end& inner, int dx) {
    for (int k = 0; k < inner.x.size(); ++k) engine.set(inner.x[k], engine.to.at(dx + k));
    return push(engine, inner);
  });
  for (int k = 0; k < change.size(); ++k) at.set(first_of_fixed_point + k, d.to.at(solved + k));
}

}  // namespace tenon::gradients
