// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/ir/maps.hpp>

#include <doctest/doctest.h>
#include <shared/inference.hpp>

#include <tenon/indexing/equality.hpp>
#include <tenon/indexing/text.hpp>

#include <ops/evaluate.hpp>

#include <set>
#include <string>
#include <vector>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;

namespace {

constexpr indexing::indexing_map read(std::string_view text) { return indexing::parse(text).map; }

template <class Op>
constexpr bool is_covered() {
  if constexpr (complete<Op>)
    return has_maps<Op> != requires { Op::no_maps; };
  else
    return false;
}
template <class... Ops>
constexpr int covered(op_list<Ops...>) {
  return (0 + ... + int(is_covered<Ops>()));
}
template <class... Ops>
constexpr int mapped(op_list<Ops...>) {
  return (0 + ... + int(has_maps<Ops>));
}
static_assert(covered(ops::all{}) == ops::all::size);
static_assert(mapped(ops::all{}) == ops::all::size - 27);

constexpr tensor_type floats(const ints& shape) { return type_of(dtype::f32, shape); }
constexpr tensor_type numbers(const ints& shape) { return type_of(dtype::i32, shape); }

template <class Op>
constexpr indexing::indexing_map reads(const Op& op, int operand, std::initializer_list<tensor_type> operands,
                                       std::initializer_list<tensor_type> results, int result = 0) {
  return reads_of(op, operand, result, {operands.begin(), int(operands.size())},
                  {results.begin(), int(results.size())});
}
template <class Op>
constexpr indexing::indexing_map writes(const Op& op, int operand, std::initializer_list<tensor_type> operands,
                                        std::initializer_list<tensor_type> results, int result = 0) {
  return writes_of(op, operand, result, {operands.begin(), int(operands.size())},
                   {results.begin(), int(results.size())});
}
template <class Op>
constexpr indexing::indexing_map replicas(const Op& op, std::initializer_list<tensor_type> operands,
                                          std::initializer_list<tensor_type> results) {
  return replicas_of(op, 0, 0, {operands.begin(), int(operands.size())}, {results.begin(), int(results.size())});
}

static_assert(reads(ops::add{}, 1, {floats({2, 3}), floats({2, 3})}, {floats({2, 3})}) ==
              indexing::identity_map({2, 3}));
static_assert(reads(ops::select{}, 0, {type_of(dtype::i1), floats({2, 3}), floats({2, 3})}, {floats({2, 3})}) ==
              indexing::scalar_map({2, 3}));
static_assert(writes(ops::select{}, 0, {type_of(dtype::i1), floats({2, 3}), floats({2, 3})}, {floats({2, 3})}) ==
              indexing::scalar_output_map({2, 3}));
static_assert(writes(ops::reshape{}, 0, {floats({4, 8})}, {floats({2, 4, 4})}) ==
              read("(d0, d1) -> (d0 floordiv 2, (d0 mod 2) * 2 + d1 floordiv 4, d1 mod 4) d0 in [0, 3] d1 in [0, 7]"));
static_assert(reads(ops::sort{.dimension = -1}, 0, {floats({2, 3})}, {floats({2, 3})}) ==
              read("(d0, d1)[s0] -> (d0, s0) d0 in [0, 1] d1 in [0, 2] s0 in [0, 2]"));
static_assert(reads(ops::bitcast_convert{}, 0, {floats({2})}, {type_of(dtype::i8, {2, 4})}) ==
              read("(d0, d1) -> (d0) d0 in [0, 1] d1 in [0, 3]"));
static_assert(reads(ops::get_dimension_size{}, 0, {floats({2})}, {numbers({})}).is_known_empty());
// The windows that cover an element.
static_assert(reads(ops::select_and_scatter{.window_dimensions = {2}, .window_strides = {2}}, 1,
                    {floats({6}), floats({3}), floats({})},
                    {floats({6})}) == read("(d0)[s0] -> (s0) d0 in [0, 5] s0 in [0, 2] d0 - s0 * 2 in [0, 1]"));

// Collectives: which element, and of which process of the group.
static_assert(reads(ops::all_gather{.all_gather_dim = 0}, 0, {floats({4, 2})}, {floats({12, 2})}) ==
              read("(d0, d1) -> (d0 mod 4, d1) d0 in [0, 11] d1 in [0, 1]"));
static_assert(replicas(ops::all_gather{.all_gather_dim = 0}, {floats({4, 2})}, {floats({12, 2})}) ==
              read("(d0, d1) -> (d0 floordiv 4) d0 in [0, 11] d1 in [0, 1]"));
static_assert(replicas(ops::all_reduce{.replica_groups = {{0, 1, 2}}}, {floats({4})}, {floats({4})}) ==
              read("(d0)[s0] -> (s0) d0 in [0, 3] s0 in [0, 2]"));
static_assert(replicas(ops::all_reduce{}, {floats({4})}, {floats({4})}).is_unknown());
static_assert(reads(ops::reduce_scatter{.scatter_dimension = 0}, 0, {floats({6})}, {floats({2})}) ==
              read("(d0){rt0} -> (d0 + rt0 * 2) d0 in [0, 1] rt0 in [0, 2]"));
static_assert(reads(ops::all_to_all{.split_dimension = 0, .concat_dimension = 1, .split_count = 2}, 0, {floats({4, 3})},
                    {floats({2, 6})}) ==
              read("(d0, d1){rt0} -> (d0 + rt0 * 2, d1 mod 3) d0 in [0, 1] d1 in [0, 5] rt0 in [0, 1]"));
static_assert(replicas(ops::all_to_all{.split_dimension = 0, .concat_dimension = 1, .split_count = 2}, {floats({4, 3})},
                       {floats({2, 6})}) == read("(d0, d1) -> (d1 floordiv 3) d0 in [0, 1] d1 in [0, 5]"));
static_assert(replicas(ops::collective_permute{}, {floats({2})}, {floats({2})}).runtime_count == 1);
static_assert(replicas(ops::add{}, {floats({2}), floats({2})}, {floats({2})}).is_unknown());

// By number, with attributes as words.
static_assert([] {
  const index_t words[] = {2, 1, 0};
  const tensor_type operand = floats({2, 3}), result = floats({3, 2});
  return reads_of(kind_of_op<ops::transpose>, words, 0, 0, {&operand, 1}, {&result, 1}) ==
             indexing::transpose_map({3, 2}, {1, 0}) &&
         writes_of(kind_of_op<ops::transpose>, words, 0, 0, {&operand, 1}, {&result, 1}) ==
             indexing::transpose_output_map({2, 3}, {1, 0}) &&
         reads_of(kind_of_op<ops::while_>, words, 0, 0, {&operand, 1}, {&result, 1}).is_unknown() &&
         reads_of(-7, words, 0, 0, {&operand, 1}, {&result, 1}).is_unknown();
}());

struct source {
  std::uint64_t state = 88172645463325252u;
  index_t draw(index_t low, index_t high) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return low + index_t(state % std::uint64_t(high - low + 1));
  }
  ints shape(int rank, index_t most = 4) {
    ints result;
    for (int i = 0; i < rank; ++i) result.push(draw(1, most));
    return result;
  }
  ints permutation(int rank) {
    ints result = ints::range(rank);
    for (int i = rank - 1; i > 0; --i) {
      const index_t other = draw(0, i), kept = result[i];
      result.set(i, result[other]);
      result.set(other, kept);
    }
    return result;
  }
};

using point = std::vector<index_t>;
using relation = std::set<std::pair<point, point>>;

// All (dimensions, range variables) of a map within their bounds, with these values of the runtime variables.
template <class Visit>
void for_each_point(const indexing::indexing_map& map, Visit visit) {
  if (!map.is_defined()) return;
  std::vector<indexing::interval> box(map.dimension_bounds, map.dimension_bounds + map.dimension_count);
  box.insert(box.end(), map.range_bounds, map.range_bounds + map.range_count);
  point at;
  for (const auto& bounds : box) at.push_back(bounds.lower);
  while (true) {
    visit(point(at.begin(), at.begin() + map.dimension_count), point(at.begin() + map.dimension_count, at.end()));
    std::size_t i = at.size();
    while (i > 0 && at[i - 1] == box[i - 1].upper) --i, at[i] = box[i].lower;
    if (i == 0) return;
    ++at[i - 1];
  }
}
point results_of(const indexing::indexing_map& map, const point& d, const point& s) {
  const auto found = indexing::evaluate(map, d, s);
  return point(found.at, found.at + found.size);
}
bool is_inside(const point& index, const ints& shape) {
  for (int i = 0; i < shape.size; ++i)
    if (index[std::size_t(i)] < 0 || index[std::size_t(i)] >= shape[i]) return false;
  return true;
}

// Pairs (from, to), for runtime variables that have these values; `clamped`: these are moved into their bounds first.
relation pairs_of(const indexing::indexing_map& map, const ints& to, auto runtime_values, bool clamped) {
  relation result;
  for_each_point(map, [&](const point& d, const point& s) {
    point symbols = s;
    for (int v = 0; v < map.runtime_count; ++v) {
      index_t value = runtime_values(v, d, s);
      const auto bounds = map.runtime_bounds[v];
      if (clamped) value = value < bounds.lower ? bounds.lower : value > bounds.upper ? bounds.upper : value;
      symbols.push_back(value);
    }
    if (!indexing::in_domain(map, d, symbols)) return;
    const point found = results_of(map, d, symbols);
    CHECK(is_inside(found, to));
    result.insert({d, found});
  });
  return result;
}

int compared = 0, changed = 0;

struct surrounded_types {
  std::vector<tensor_type> operands, results;
  test::surroundings around;
  bool clamps = false;
  // The elements of operands that are indices.
  std::vector<std::vector<index_t>> indices = {};
};

// An op on operands; all that depends on which op it is comes from instance_of.
struct instance : surrounded_types {
  explicit instance(const surrounded_types& types) : surrounded_types(types) {}

  virtual std::string_view name() const = 0;
  virtual indexing::indexing_map reads(int k, int r) const = 0;
  virtual indexing::indexing_map writes(int k, int r) const = 0;
  virtual indexing::runtime_source source_of_variable(int k, int v) const = 0;
  virtual bool runs_by_itself() const = 0;
  virtual std::vector<test::value> run(const std::vector<test::value>& values) const = 0;

  list<tensor_type> operand_list() const { return {operands.data(), int(operands.size())}; }
  list<tensor_type> result_list() const { return {results.data(), int(results.size())}; }

  relation read_pairs(int k, int r) const {
    const auto map = reads(k, r);
    REQUIRE(!map.is_unknown());
    return pairs_of(
        map, operands[std::size_t(k)].shape,
        [&](int v, const point& d, const point& s) {
          const auto from = source_of_variable(k, v);
          REQUIRE(from.operand >= 0);
          const point at = results_of(from.element, d, s);
          const ints shape = operands[std::size_t(from.operand)].shape;
          REQUIRE(int(at.size()) == shape.size);
          REQUIRE(is_inside(at, shape));
          ints index;
          for (const index_t i : at) index.push(i);
          return indices[std::size_t(from.operand)][std::size_t(offset_of(shape, index))];
        },
        clamps);
  }

  // At given values of the runtime variables, whichever they are.
  void check_directions(int k, int r, source& random) const {
    const auto forth = reads(k, r), back = writes(k, r);
    REQUIRE(!back.is_unknown());
    CHECK(forth.is_known_empty() == back.is_known_empty());
    point values;
    for (int v = 0; v < forth.runtime_count; ++v) {
      const auto bounds = forth.runtime_bounds[v];
      values.push_back(random.draw(bounds.lower < -3 ? -3 : bounds.lower, bounds.upper > 3 ? 3 : bounds.upper));
    }
    const auto fixed = [&](int v, const point&, const point&) { return values[std::size_t(v)]; };
    relation turned;
    for (const auto& [from, to] : pairs_of(back, results[std::size_t(r)].shape, fixed, false))
      turned.insert({to, from});
    CAPTURE(indexing::print(forth).view());
    CAPTURE(indexing::print(back).view());
    CHECK(pairs_of(forth, operands[std::size_t(k)].shape, fixed, false) == turned);
    ++compared;
  }

  // Changing one element of an operand changes only elements of the results that need it.
  void check_influence() const {
    if (!runs_by_itself()) return;
    std::vector<test::value> values;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      values.push_back(test::blank(operands[k]));
      const index_t count = operands[k].size();
      for (index_t i = 0; i < count; ++i) {
        if (is_float(operands[k].element)) {
          const f32 element = 0.25f * f32((i * 7 + index_t(k) * 3) % 11) + 1 +
                              (i % (operands[k].dim(operands[k].rank() - 1) + 1) == 0 ? 9.0f : 0.0f);
          std::memcpy(values[k].bytes.data() + i * 4, &element, 4);
        } else {
          const std::int32_t element = std::int32_t(indices[k][std::size_t(i)]);
          std::memcpy(values[k].bytes.data() + i * 4, &element, 4);
        }
      }
    }
    const auto before = run(values);
    for (int k = 0; k < int(operands.size()); ++k) {
      if (!is_float(operands[std::size_t(k)].element)) continue;
      std::vector<relation> related;
      for (int r = 0; r < int(results.size()); ++r) related.push_back(read_pairs(k, r));
      index_t i = 0;
      for_each_index(operands[std::size_t(k)].shape, [&](const ints& at) {
        auto other = values;
        f32 element;
        std::memcpy(&element, other[std::size_t(k)].bytes.data() + i * 4, 4);
        element += 3.5f;
        std::memcpy(other[std::size_t(k)].bytes.data() + i++ * 4, &element, 4);
        const auto after = run(other);
        for (std::size_t r = 0; r < results.size(); ++r) {
          index_t j = 0;
          for_each_index(results[r].shape, [&](const ints& to) {
            const bool differs = std::memcmp(before[r].bytes.data() + j * 4, after[r].bytes.data() + j * 4, 4) != 0;
            ++j;
            if (!differs) return;
            ++changed;
            CHECK(related[r].count({point(to.begin(), to.end()), point(at.begin(), at.end())}) == 1);
          });
        }
      });
    }
  }

  void check(source& random) const {
    INFO(std::string(name()));
    for (int k = 0; k < int(operands.size()); ++k)
      for (int r = 0; r < int(results.size()); ++r) check_directions(k, r, random);
    check_influence();
  }

 protected:
  ~instance() = default;
};

template <class Op>
struct instance_of final : instance {
  static constexpr bool runs = has_evaluate<Op> && !says_replicas<Op>;
  Op op;

  instance_of(const Op& which, const surrounded_types& types) : instance(types), op(which) {}
  std::string_view name() const override { return Op::name; }
  indexing::indexing_map reads(int k, int r) const override {
    return reads_of(op, k, r, operand_list(), result_list());
  }
  indexing::indexing_map writes(int k, int r) const override {
    return writes_of(op, k, r, operand_list(), result_list());
  }
  indexing::runtime_source source_of_variable(int k, int v) const override {
    return source_of(op, k, v, operand_list(), result_list());
  }
  bool runs_by_itself() const override { return runs; }
  std::vector<test::value> run(const std::vector<test::value>& values) const override {
    if constexpr (!runs)
      return {};
    else if constexpr (moves_bytes<Op>())
      return test::evaluate<std::uint32_t>(op, values, results, around);
    else
      return test::evaluate<f32>(op, values, results, around);
  }
};

// Two numbers to one: their sum, and whether one is less than, or at least, the other.
const tensor_type two_floats[] = {type_of(dtype::f32), type_of(dtype::f32)};
const tensor_type one_boolean = type_of(dtype::i1);
const signature sums = {{two_floats, 2}, {two_floats, 1}}, compares = {{two_floats, 2}, {&one_boolean, 1}};
f32 number_at(const void* at) {
  f32 value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
void add_two(int, const void* const* arguments, void* const* results) {
  const f32 sum = number_at(arguments[0]) + number_at(arguments[1]);
  std::memcpy(results[0], &sum, sizeof sum);
}
void less(int, const void* const* arguments, void* const* results) {
  *static_cast<bool*>(results[0]) = number_at(arguments[0]) < number_at(arguments[1]);
}
void select_then_add(int region, const void* const* arguments, void* const* results) {
  if (region == 1) return add_two(region, arguments, results);
  *static_cast<bool*>(results[0]) = number_at(arguments[0]) >= number_at(arguments[1]);
}

// Infers the types of the results; nothing happens where a rule is broken.
template <class Op>
bool check_op(source& random, const Op& op, std::vector<tensor_type> operands, std::vector<tensor_type> declared = {},
              test::surroundings around = {}, bool clamps = false, std::vector<std::vector<index_t>> indices = {}) {
  rules rule;
  rule.declared = {declared.data(), int(declared.size())};
  rule.regions = {around.signatures.data(), int(around.signatures.size())};
  tensor_type storage[8];
  table<tensor_type> results{storage, 0, 8};
  infer_results(op, rule, {operands.data(), int(operands.size())}, results);
  if (rule.broken()) return false;
  instance_of<Op>(op, {operands, {storage, storage + results.size}, around, clamps, indices}).check(random);
  return true;
}

}  // namespace

TEST_CASE("both directions of every moving op agree, and its elements come from there") {
  source random;
  int accepted = 0;
  for (int round = 0; round < 40; ++round) {
    const int rank = int(random.draw(1, 3));
    const ints shape = random.shape(rank);
    const ints order = random.permutation(rank);
    accepted += check_op(random, ops::transpose{order}, {floats(shape)});
    ints wide = shape, axes = ints::range(rank);
    for (int i = 0; i < rank; ++i)
      if (shape[i] == 1 && random.draw(0, 1) == 0) wide.set(i, 3);
    wide.push(random.draw(1, 3));
    accepted += check_op(random, ops::broadcast_in_dim{axes}, {floats(shape)}, {floats(wide)});
    accepted += check_op(random, ops::dynamic_broadcast_in_dim{axes, {}, {}}, {floats(shape), numbers({rank + 1})},
                         {floats(wide)}, {}, false, {{}, {wide.begin(), wide.end()}});
    accepted += check_op(random, ops::broadcast{{2, 1}}, {floats(shape)});
    ints start, limit, strides, low, high, interior;
    for (int i = 0; i < rank; ++i) {
      start.push(random.draw(0, shape[i] - 1));
      limit.push(random.draw(start[i], shape[i]));
      strides.push(random.draw(1, 3));
      low.push(random.draw(-2, 3)), high.push(random.draw(-2, 3)), interior.push(random.draw(0, 2));
    }
    accepted += check_op(random, ops::slice{start, limit, strides}, {floats(shape)});
    accepted += check_op(random, ops::pad{low, high, interior}, {floats(shape), floats({})});
    accepted += check_op(random, ops::reverse{{random.draw(0, rank - 1)}}, {floats(shape)});
    ints longer = shape;
    longer.set(0, random.draw(1, 3));
    accepted += check_op(random, ops::concatenate{0}, {floats(shape), floats(longer), floats(shape)});
    const index_t count = shape.product();
    const index_t factor = count % 2 == 0 ? 2 : count % 3 == 0 ? 3 : 1;
    accepted += check_op(random, ops::reshape{}, {floats(shape)}, {floats({factor, count / factor})});
    accepted += check_op(random, ops::set_dimension_size{.dimension = 0}, {floats(shape), numbers({})}, {floats(shape)},
                         {}, false, {{}, {shape[0]}});
    accepted += check_op(random, ops::optimization_barrier{}, {floats(shape), floats({2})});
    std::vector<index_t> starts{random.draw(-1, 3)}, second{random.draw(-2, 5)};
    const ints square = random.shape(2, 5);
    const ints part{random.draw(1, square[0]), random.draw(1, square[1])};
    accepted += check_op(random, ops::dynamic_slice{part}, {floats(square), numbers({}), numbers({})}, {}, {}, true,
                         {{}, starts, second});
    accepted += check_op(random, ops::dynamic_update_slice{}, {floats(square), floats(part), numbers({}), numbers({})},
                         {}, {}, true, {{}, {}, starts, second});
    const std::vector<index_t> from{random.draw(0, square[0] - 1), random.draw(0, square[1] - 1)};
    const std::vector<index_t> steps{random.draw(1, 2), random.draw(1, 2)}, to{square[0], square[1]};
    const ints cut{(to[0] - from[0] + steps[0] - 1) / steps[0], (to[1] - from[1] + steps[1] - 1) / steps[1]};
    accepted += check_op(random, ops::real_dynamic_slice{}, {floats(square), numbers({2}), numbers({2}), numbers({2})},
                         {floats(cut)}, {}, false, {{}, from, to, steps});
    const std::vector<index_t> front{random.draw(0, 2), random.draw(-1, 1)}, behind{1, 2},
        between{random.draw(0, 1), 0};
    ints padded;
    for (std::size_t i = 0; i < 2; ++i) padded.push(padded_size(square[index_t(i)], front[i], behind[i], between[i]));
    accepted +=
        check_op(random, ops::dynamic_pad{}, {floats(square), floats({}), numbers({2}), numbers({2}), numbers({2})},
                 {floats(padded)}, {}, false, {{}, {}, front, behind, between});
  }
  CHECK(accepted > 500);
}

TEST_CASE("both directions of lookups agree, and their elements come from there") {
  source random{4711};
  int accepted = 0;
  for (int round = 0; round < 60; ++round) {
    const ints operand = random.shape(2, 5);
    const index_t count = random.draw(1, 3), width = random.draw(1, operand[1]);
    std::vector<index_t> indices;
    for (index_t i = 0; i < count; ++i) indices.push_back(random.draw(-1, 5));
    const gather_dimension_numbers rows{
        .offset_dims = {1}, .collapsed_slice_dims = {0}, .start_index_map = {0}, .index_vector_dim = 1};
    accepted += check_op(random, ops::gather{.dimension_numbers = rows, .slice_sizes = {1, width}},
                         {floats(operand), numbers({count, 1})}, {}, {}, true, {{}, indices});
    accepted += check_op(random, ops::dynamic_gather{.dimension_numbers = rows},
                         {floats(operand), numbers({count, 1}), numbers({2})}, {floats({count, width})}, {}, true,
                         {{}, indices, {1, width}});
    std::vector<index_t> both = indices;
    for (index_t i = 0; i < count; ++i) both.push_back(random.draw(-1, 4));
    accepted += check_op(
        random,
        ops::gather{.dimension_numbers = {.offset_dims = {0, 2}, .start_index_map = {1, 0}, .index_vector_dim = 0},
                    .slice_sizes = {random.draw(1, operand[0]), width}},
        {floats(operand), numbers({2, count})}, {}, {}, true, {{}, both});
    const test::surroundings add{add_two, {sums}};
    accepted +=
        check_op(random,
                 ops::scatter{.scatter_dimension_numbers = {.update_window_dims = {1},
                                                            .inserted_window_dims = {0},
                                                            .scatter_dims_to_operand_dims = {0},
                                                            .index_vector_dim = 1}},
                 {floats(operand), numbers({count, 1}), floats({count, width})}, {}, add, false, {{}, indices, {}});
    accepted += check_op(random,
                         ops::scatter{.scatter_dimension_numbers = {.update_window_dims = {0, 1},
                                                                    .scatter_dims_to_operand_dims = {1, 0},
                                                                    .index_vector_dim = 0}},
                         {floats(operand), numbers({2, count}), floats({random.draw(1, operand[0]), width, count})}, {},
                         add, false, {{}, both, {}});
  }
  CHECK(accepted > 200);
}

TEST_CASE("both directions of products, windows and reductions agree, and their elements come from there") {
  source random{99};
  int accepted = 0;
  const test::surroundings add{add_two, {sums}};
  for (int round = 0; round < 30; ++round) {
    const ints shape = random.shape(2, 4);
    accepted += check_op(random, ops::reduce{{random.draw(0, 1)}}, {floats(shape), floats({})}, {}, add);
    accepted += check_op(random, ops::sort{.dimension = random.draw(-2, 1)}, {floats(shape)}, {}, {less, {compares}});
    accepted += check_op(random, ops::map{{0, 1}}, {floats(shape), floats(shape)}, {}, add);
    const ints window{random.draw(1, 3), random.draw(1, 2)}, strides{random.draw(1, 2), random.draw(1, 2)};
    ints_table padding;
    padding.push({random.draw(0, 2), random.draw(0, 1)}), padding.push({0, random.draw(0, 2)});
    accepted += check_op(random,
                         ops::reduce_window{.window_dimensions = window,
                                            .window_strides = strides,
                                            .base_dilations = {random.draw(1, 2), 1},
                                            .window_dilations = {1, random.draw(1, 2)},
                                            .padding = padding},
                         {floats(shape), floats({})}, {}, add);
    const ops::reduce_window same{.window_dimensions = window, .window_strides = strides, .padding = padding};
    const tensor_type pooled = result_type(same, {floats(shape), floats({})}, {}, {sums});
    if (pooled.is_tensor())
      accepted += check_op(
          random, ops::select_and_scatter{.window_dimensions = window, .window_strides = strides, .padding = padding},
          {floats(shape), pooled, floats({})}, {}, {select_then_add, {compares, sums}});
    const index_t batch = random.draw(1, 2), m = random.draw(1, 3), n = random.draw(1, 3), k = random.draw(1, 3);
    ops::dot_general product;
    product.dot_dimension_numbers = {{0}, {1}, {2}, {0}};
    accepted += check_op(random, product, {floats({batch, m, k}), floats({k, batch, n})});
    const index_t groups = random.draw(1, 2), features = random.draw(1, 2);
    ops::convolution conv;
    conv.dimension_numbers = {0, 3, {1, 2}, 2, 3, {0, 1}, 0, 3, {1, 2}};
    conv.window_strides = strides, conv.lhs_dilation = {random.draw(1, 2), 1},
    conv.rhs_dilation = {1, random.draw(1, 2)};
    conv.window_reversal = {random.draw(0, 1), 0};
    conv.padding = padding;
    conv.feature_group_count = groups;
    const tensor_type lhs = floats({1, random.draw(3, 4), 3, groups * features}),
                      rhs = floats({window[0], window[1], features, groups * 2});
    accepted += check_op(random, conv, {lhs, rhs});
    if (const tensor_type result = result_type(conv, {lhs, rhs}); result.is_tensor())
      accepted += check_op(random,
                           ops::dynamic_conv{conv.window_strides,
                                             conv.lhs_dilation,
                                             conv.rhs_dilation,
                                             conv.window_reversal,
                                             conv.dimension_numbers,
                                             groups,
                                             1,
                                             {}},
                           {lhs, rhs, numbers({2, 2})}, {result}, {}, false,
                           {{}, {}, {padding(0, 0), padding(0, 1), padding(1, 0), padding(1, 1)}});
    conv.feature_group_count = 1;
    conv.batch_group_count = groups;
    accepted += check_op(random, conv,
                         {floats({groups * 2, 3, 3, features}), floats({window[0], window[1], features, groups * 2})});
    const tensor_type matrix = floats({2, 3, 3});
    accepted += check_op(random, ops::cholesky{.lower = round % 2 == 0}, {matrix});
    accepted += check_op(random, ops::triangular_solve{.left_side = round % 2 == 0, .lower = true},
                         {matrix, floats({2, 3, 3})});
    const ints batch_shape = random.shape(3, 3);
    const index_t feature = random.draw(0, 2);
    const tensor_type vector = floats({batch_shape[feature]}), data = floats(batch_shape);
    accepted +=
        check_op(random, ops::batch_norm_training{.epsilon = 0.5, .feature_index = feature}, {data, vector, vector});
    accepted += check_op(random, ops::batch_norm_inference{.epsilon = 0.5, .feature_index = feature},
                         {data, vector, vector, vector, vector});
    accepted += check_op(random, ops::batch_norm_grad{.epsilon = 0.5, .feature_index = feature},
                         {data, vector, vector, vector, data});
  }
  CHECK(accepted > 350);
  CHECK(compared > 2000);
  CHECK(changed > 5000);
}

TEST_CASE("both directions of collectives agree") {
  source random{5};
  int accepted = 0;
  for (int round = 0; round < 30; ++round) {
    const ints shape = random.shape(2, 4);
    const index_t processes = random.draw(1, 3), dimension = random.draw(0, 1);
    ints groups = ints::range(int(processes)), gathered = shape;
    gathered.set(dimension, shape[dimension] * processes);
    accepted += check_op(random, ops::all_gather{.all_gather_dim = dimension, .replica_groups = {groups}},
                         {floats(shape)}, {floats(gathered)});
    accepted += check_op(random,
                         ops::all_to_all{.split_dimension = dimension,
                                         .concat_dimension = 1 - dimension,
                                         .split_count = processes,
                                         .replica_groups = {groups}},
                         {floats(gathered)});
    accepted += check_op(random,
                         ops::all_to_all{.split_dimension = dimension,
                                         .concat_dimension = dimension,
                                         .split_count = processes,
                                         .replica_groups = {groups}},
                         {floats(gathered)});
    accepted += check_op(random, ops::all_reduce{.replica_groups = {groups}}, {floats(shape)}, {}, {add_two, {sums}});
    accepted += check_op(random, ops::reduce_scatter{.scatter_dimension = dimension, .replica_groups = {groups}},
                         {floats(gathered)}, {floats(shape)}, {add_two, {sums}});
    accepted += check_op(random, ops::collective_permute{}, {floats(shape)});
  }
  CHECK(accepted == 180);
}
