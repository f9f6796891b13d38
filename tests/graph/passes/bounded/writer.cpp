// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/passes/bounded/writer.hpp>

#include <doctest/doctest.h>

#include <initializer_list>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;
using namespace tenon::passes;

namespace {

using passes::extent;

struct writer : size_writer {
  using size_writer::broadcast, size_writer::convert, size_writer::reshape, size_writer::keep, size_writer::conjunction;
  using size_writer::check, size_writer::type_of_target;
  using size_writer::dilated, size_writer::least, size_writer::minus, size_writer::most, size_writer::over;
  using size_writer::listed, size_writer::plus, size_writer::sliced, size_writer::times, size_writer::windows;
  using size_writer::number_at, size_writer::scalar_type, size_writer::take, size_writer::value_of;
  using size_writer::size_writer;
};

constexpr graph_sizes room = {.nodes = 64,
                              .values = 64,
                              .operands = 128,
                              .words = 512,
                              .types = 32,
                              .literals = 32,
                              .names = 8,
                              .characters = 256};

// A graph without nodes but for an argument %n, a size that is known when the program runs, and %x of this type.
struct opened {
  graph_storage<room> memory;
  graph source, target;
  int n = 0, x = 0;

  bounded_progress progress;

  constexpr explicit opened(const tensor_type& type) : target(memory.open()), progress(source, target, {}) {
    n = target.values.push({target.intern_type(writer::scalar_type), -1, 0, -1});
    x = target.values.push({target.intern_type(type), -1, 1, -1});
  }
};

constexpr extent known(index_t size) { return {-1, size}; }
constexpr bool is(const extent& e, index_t size) { return e.is_known() && e.known == size; }

constexpr bool knows_sums() {
  opened o(type_of(dtype::f32));
  writer w(o.progress);
  constexpr index_t large = INT64_MAX;
  return is(w.plus(known(3), known(4)), 7) && is(w.plus(known(large), known(1)), large) &&
         is(w.minus(known(3), known(4)), -1) && is(w.times(known(3), known(4)), 12) &&
         is(w.times(known(large), known(2)), large) && is(w.over(known(7), known(2)), 3) &&
         is(w.over(known(-7), known(2)), -3) && is(w.least(known(3), known(4)), 3) &&
         is(w.most(known(3), known(4)), 4) && o.target.nodes.size == 0;
}
static_assert(knows_sums());

// What changes nothing is not computed.
constexpr bool leaves_sizes_alone() {
  opened o(type_of(dtype::f32));
  writer w(o.progress);
  const extent n{o.n, 0};
  for (const extent& each : {w.plus(n, known(0)), w.plus(known(0), n), w.minus(n, known(0)), w.times(n, known(1)),
                             w.times(known(1), n), w.over(n, known(1)), w.dilated(n, known(1))})
    if (each.value != o.n) return false;
  return o.target.nodes.size == 0 && w.value_of(n) == o.n && w.plus(n, known(2)).value >= 0 && o.target.nodes.size == 2;
}
static_assert(leaves_sizes_alone());

// Against the elements of a line, one by one.
constexpr bool counts_windows() {
  opened o(type_of(dtype::f32));
  writer w(o.progress);
  for (index_t size = 0; size <= 6; ++size) {
    for (index_t dilation = 1; dilation <= 3; ++dilation) {
      index_t length = 0;
      for (index_t i = 0; i < size; ++i) length = i * dilation + 1;
      if (!is(w.dilated(known(size), known(dilation)), length)) return false;
    }
    for (index_t window = 1; window <= 3; ++window)
      for (index_t stride = 1; stride <= 3; ++stride) {
        index_t count = 0;
        for (index_t at = 0; at + window <= size; at += stride) ++count;
        if (!is(w.windows(known(size), window, stride), count)) return false;
      }
    for (index_t start = 0; start <= size; ++start)
      for (index_t stride = 1; stride <= 3; ++stride) {
        index_t count = 0;
        for (index_t at = start; at < size; at += stride) ++count;
        if (!is(w.sliced(known(start), known(size), known(stride)), count)) return false;
      }
  }
  return is(w.sliced(known(4), known(2), known(1)), 0);
}
static_assert(counts_windows());

constexpr int kind_behind(const graph& g, int value) {
  const int node = g.values.data[value].node;
  return node < 0 ? -1 : g.nodes.data[node].kind;
}

// A value of the shape and the type that are wanted is that value.
constexpr bool writes_what_is_needed() {
  opened o(type_of(dtype::f32, {2, 3}));
  writer w(o.progress);
  if (w.broadcast(o.x, {2, 3}, {0, 1}) != o.x || w.reshape(o.x, {2, 3}) != o.x || w.convert(o.x, dtype::f32) != o.x)
    return false;
  if (w.keep(-1, o.x, o.n) != o.x || w.conjunction(-1, o.x) != o.x || w.conjunction(o.x, -1) != o.x) return false;
  if (o.target.nodes.size != 0) return false;
  const int turned = w.broadcast(o.x, {3, 2}, {1, 0}), flat = w.reshape(o.x, {6}), wide = w.convert(o.x, dtype::f64);
  return kind_behind(o.target, turned) == kind_of_op<ops::broadcast_in_dim> &&
         w.type_of_target(turned) == type_of(dtype::f32, {3, 2}) &&
         kind_behind(o.target, flat) == kind_of_op<ops::reshape> &&
         w.type_of_target(flat) == type_of(dtype::f32, {6}) &&
         kind_behind(o.target, wide) == kind_of_op<ops::convert> &&
         w.type_of_target(wide) == type_of(dtype::f64, {2, 3}) && o.target.nodes.size == 3;
}
static_assert(writes_what_is_needed());

// Along a dimension as many elements as there are indices.
constexpr bool takes() {
  opened o(type_of(dtype::f32, {2, 3}));
  writer w(o.progress);
  const int scalars[] = {o.n, o.n, o.n, o.n};
  const int indices = w.listed({scalars, 4}, dtype::i64), taken = w.take(o.x, 1, indices);
  const graph_node& node = o.target.nodes.data[o.target.values.data[taken].node];
  const auto op = read_attributes<ops::gather>(o.target.words.data + node.words);
  const int one[] = {o.n};
  return w.type_of_target(indices) == type_of(dtype::i64, {4}) &&
         w.type_of_target(taken) == type_of(dtype::f32, {2, 4}) && op.slice_sizes == ints{2, 1} &&
         op.dimension_numbers.offset_dims == ints{0} &&
         w.type_of_target(w.number_at(indices, 3)) == writer::scalar_type &&
         w.type_of_target(w.listed({one, 1}, dtype::i32)) == type_of(dtype::i32, {1});
}
static_assert(takes());

// Beside a number that is known the check says it; otherwise it has two operands.
constexpr bool checks() {
  opened o(type_of(dtype::i64));
  writer w(o.progress);
  const auto written = [&](int value) { return o.target.nodes.data[o.target.values.data[value].node]; };
  const graph_node at_most = written(w.check(size_relation::AT_MOST, 2, {o.n, 0}, known(9), "argument 7"));
  const graph_node agree = written(w.check(size_relation::AGREE, 1, {o.n, 0}, {o.x, 0}, "add"));
  const auto op = read_attributes<ops::bounded_size>(o.target.words.data + at_most.words);
  return at_most.operand_count == 1 && op.bound == 9 && op.dimension == 2 && op.relation == size_relation::AT_MOST &&
         agree.operand_count == 2 && agree.kind == kind_of_op<ops::bounded_size>;
}
static_assert(checks());

}  // namespace

TEST_CASE("sizes are written the same way when the program runs") {
  CHECK(knows_sums());
  CHECK(leaves_sizes_alone());
  CHECK(counts_windows());
  CHECK(writes_what_is_needed());
  CHECK(takes());
  CHECK(checks());
}
