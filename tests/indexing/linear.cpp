// SPDX-License-Identifier: Apache-2.0
#include "random_maps.hpp"

#include <doctest/doctest.h>

#include <tenon/indexing/builders.hpp>
#include <tenon/indexing/linear.hpp>

#include <array>

using namespace tenon;
using namespace tenon::indexing;

namespace {

constexpr indexing_map read(std::string_view text) { return parse(text).map; }

constexpr indexing_map example = read(
    "(d0, d1)[s0]{rt0} -> (d0 * 8 - d1 + s0 * 3 + rt0 + 7 - d0 * 2, d0 floordiv 3, 5) "
    "d0 in [0, 9] d1 in [0, 9] s0 in [0, 2] rt0 in [0, 1]");
constexpr auto form = linear_form_of(example, 0);
static_assert(form.affine && form.base == 7 && form.dimension_strides[0] == 6 && form.dimension_strides[1] == -1);
static_assert(form.range_strides[0] == 3 && form.runtime_strides[0] == 1 && form.uses_symbols());
static_assert(!linear_form_of(example, 1).affine && linear_form_of(example, 2).affine);
static_assert(!linear_form_of(example, 3).affine && !linear_form_of(example, -1).affine);
static_assert(!linear_form_of(unknown_map(), 0).affine);

static_assert(is_identity(identity_map({3, 4})) && is_identity(identity_map({})));
static_assert(is_identity(read("(d0, d1) -> (0, d1) d0 in [0, 0] d1 in [0, 4]")));
static_assert(!is_identity(read("(d0, d1) -> (d1, d0) d0 in [0, 3] d1 in [0, 4]")));
static_assert(!is_identity(read("(d0) -> (d0) d0 in [0, 9] d0 mod 2 in [0, 0]")));
static_assert(!is_identity(read("(d0) -> (d0 + 0, 1) d0 in [0, 9]")) && !is_identity(unknown_map()));

static_assert(linearized(identity_map({3, 4, 5}), ints{3, 4, 5}) ==
              read("(d0, d1, d2) -> (d0 * 20 + d1 * 5 + d2) d0 in [0, 2] d1 in [0, 3] d2 in [0, 4]"));
static_assert(linearized(identity_map({3}), ints{3, 4}).is_unknown());
static_assert(linearized(identity_map({0}), ints{0}).is_known_empty());

constexpr access classified(const indexing_map& map, const ints& shape) { return classify(map, shape); }
static_assert(classified(identity_map({3, 4}), {3, 4}).kind == access_kind::contiguous);
static_assert(classified(identity_map({3, 4}), {3, 5}).kind == access_kind::gathered);
static_assert(classified(reshape_map({3, 4}, {2, 6}), {2, 6}).kind == access_kind::contiguous);
static_assert(classified(transpose_map({3, 4}, {1, 0}), {4, 3}).kind == access_kind::gathered);
static_assert(classified(transpose_map({3, 1}, {1, 0}), {1, 3}).kind == access_kind::contiguous);
static_assert(classified(scalar_map({3, 4}), {}).kind == access_kind::constant);
static_assert(classified(broadcast_in_dim_map({3, 4}, {4}, {1}), {4}).kind == access_kind::gathered);
static_assert(classified(slice_map({2, 4}, {1, 0}, {1, 1}), {3, 4}).kind == access_kind::contiguous);
static_assert(classified(slice_map({2, 4}, {1, 0}, {1, 1}), {3, 4}).base == 4);
static_assert(classified(slice_map({3, 2}, {0, 1}, {1, 2}), {3, 4}).stride == 2);
static_assert(classified(reverse_map({3, 4}, {0, 1}), {3, 4}).stride == -1);
static_assert(classified(reduce_map({3}, {3, 4}, {1}), {3, 4}).kind == access_kind::strided);
static_assert(classified(reduce_map({3}, {3, 4}, {1}), {3, 4}).uses_symbols);

// @post of linearize and delinearize, over all indices of a shape.
constexpr bool inverts(const ints& from, const ints& to) {
  indexing_map map = map_over(from);
  std::array<indexing_map::handle, 3> index{};
  for (int i = 0; i < from.size; ++i) index[static_cast<std::size_t>(i)] = map.dimension(i);
  const auto offset =
      linearize(map, std::span<const indexing_map::handle>(index).first(static_cast<std::size_t>(from.size)), from);
  delinearize(map, offset, to);
  map.add_result(offset);
  bool right = true;
  for_each_index(from, [&](const ints& at) {
    const auto values = evaluate(map, at);
    ints there;
    for (int i = 0; i < to.size; ++i) there.push(values[i]);
    right = right && offset_of(to, there) == offset_of(from, at) && values[to.size] == offset_of(from, at);
    for (int i = 0; i < to.size; ++i) right = right && 0 <= there[i] && there[i] < to[i];
  });
  return right && map.is_defined();
}
static_assert(inverts({4, 6}, {3, 8}) && inverts({24}, {2, 3, 4}) && inverts({2, 1, 6}, {1, 12}) &&
              inverts({}, {1, 1}));

}  // namespace

TEST_CASE("a linear form has the value of the result") {
  random_maps::source random{23};
  int affine = 0;
  for (int i = 0; i < 2000; ++i) {
    const random_maps::map map = random_maps::draw_map(random, 2, 1, 3);
    const auto linear = linear_form_of(map, 0);
    if (!linear.affine) continue;
    ++affine;
    bool right = true;
    random_maps::for_each_point(map, [&](const random_maps::tuple& d, const random_maps::tuple& s) {
      std::int64_t value = linear.base;
      for (std::size_t k = 0; k < d.size(); ++k) value += linear.dimension_strides[k] * d[k];
      for (int k = 0; k < map.symbol_count(); ++k)
        value += s[static_cast<std::size_t>(k)] *
                 (k < map.range_count ? linear.range_strides[k] : linear.runtime_strides[k - map.range_count]);
      right = right && value == random_maps::results_of(map, d, s)[0];
    });
    CHECK(right);
  }
  CHECK(affine > 300);
}

TEST_CASE("a classified map reads base + stride * n") {
  random_maps::source random{29};
  int kinds[4] = {};
  for (int i = 0; i < 3000; ++i) {
    ints shape;
    for (std::int64_t k = random.draw(1, 3); k > 0; --k) shape.push(random.draw(1, 4));
    ints reshaped = random.draw(0, 1) == 0 ? shape : ints{shape.product()};
    ints zeros = ints::filled(shape.size, 0);
    ints strides = zeros;
    ints operand = zeros;
    for (int k = 0; k < shape.size; ++k) {
      zeros.set(k, random.draw(0, 1));
      strides.set(k, random.draw(1, 2));
      operand.set(k, zeros[k] + shape[k] * strides[k]);
    }
    const indexing_map sliced = compose(reshape_map(reshaped, shape), slice_map(shape, zeros, strides));
    const access found = classify(sliced, operand);
    ++kinds[static_cast<int>(found.kind)];
    if (found.kind == access_kind::gathered) continue;
    CHECK((found.kind == access_kind::constant) == (found.stride == 0));
    CHECK((found.kind == access_kind::contiguous) == (found.stride == 1));
    std::int64_t n = 0;
    bool right = true;
    for_each_index(reshaped, [&](const ints& at) {
      const auto values = evaluate(sliced, at);
      ints there;
      for (int k = 0; k < values.size; ++k) there.push(values[k]);
      right = right && offset_of(operand, there) == found.base + found.stride * n++;
    });
    CHECK(right);
  }
  for (const int count : kinds) CHECK(count > 0);
}
