// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <tenon/indexing.hpp>

using namespace tenon;
using namespace tenon::indexing;

namespace {

constexpr bool is(const indexing_map& map, std::string_view text) { return map == parse(text).map; }
constexpr indexing_map simplified(indexing_map map) {
  simplify(map);
  remove_unused_symbols(map);
  return map;
}
constexpr indexing_map composed(const indexing_map& consumer, const indexing_map& producer) {
  return simplified(compose(consumer, producer));
}

// The examples of the indexing analysis document: one operation each.
static_assert(is(identity_map({10, 20}), "(d0, d1) -> (d0, d1) d0 in [0, 9] d1 in [0, 19]"));
static_assert(is(broadcast_in_dim_map({10, 20, 30}, {20}, {1}),
                 "(d0, d1, d2) -> (d1) d0 in [0, 9] d1 in [0, 19] d2 in [0, 29]"));
static_assert(is(broadcast_in_dim_output_map({10, 20, 30}, {20}, {1}),
                 "(d0)[s0, s1] -> (s0, d0, s1) d0 in [0, 19] s0 in [0, 9] s1 in [0, 29]"));
static_assert(is(dynamic_slice_map({1, 2, 32}, {2, 2, 258}),
                 "(d0, d1, d2){s0, s1, s2} -> (d0 + s0, d1 + s1, d2 + s2) d0 in [0, 0] d1 in [0, 1] d2 in [0, 31] "
                 "s0 in [0, 1] s1 in [0, 0] s2 in [0, 226]"));
static_assert(is(scalar_map({1, 2, 32}), "(d0, d1, d2) -> () d0 in [0, 0] d1 in [0, 1] d2 in [0, 31]"));
static_assert(is(dynamic_update_slice_map({20, 30}, {5, 10}),
                 "(d0, d1){s0, s1} -> (d0 - s0, d1 - s1) d0 in [0, 19] d1 in [0, 29] s0 in [0, 15] s1 in [0, 20]"));
constexpr gather_numbers gathered{
    .offset_dims = {1, 2, 3}, .start_index_map = {0, 1}, .index_vector_dim = 1, .slice_sizes = {7, 8, 4}};
static_assert(is(gather_operand_map({1806, 7, 8, 4}, {33, 76, 70}, gathered),
                 "(d0, d1, d2, d3){s0, s1} -> (d1 + s0, d2 + s1, d3) d0 in [0, 1805] d1 in [0, 6] d2 in [0, 7] "
                 "d3 in [0, 3] s0 in [0, 26] s1 in [0, 68]"));
static_assert(
    is(gather_indices_map({1806, 7, 8, 4}, {1806, 2}, gathered),
       "(d0, d1, d2, d3)[s0] -> (d0, s0) d0 in [0, 1805] d1 in [0, 6] d2 in [0, 7] d3 in [0, 3] s0 in [0, 1]"));
static_assert(is(gather_indices_map({1806, 7, 8, 4}, {1806, 2}, gathered, 1),
                 "(d0, d1, d2, d3) -> (d0, 1) d0 in [0, 1805] d1 in [0, 6] d2 in [0, 7] d3 in [0, 3]"));
static_assert(is(transpose_map({3, 6, 128, 12288}, {0, 2, 3, 1}),
                 "(d0, d1, d2, d3) -> (d0, d3, d1, d2) d0 in [0, 2] d1 in [0, 5] d2 in [0, 127] d3 in [0, 12287]"));
static_assert(is(transpose_output_map({3, 12288, 6, 128}, {0, 2, 3, 1}),
                 "(d0, d1, d2, d3) -> (d0, d2, d3, d1) d0 in [0, 2] d1 in [0, 12287] d2 in [0, 5] d3 in [0, 127]"));
static_assert(
    is(reverse_map({1, 17, 9, 9}, {1, 2}),
       "(d0, d1, d2, d3) -> (d0, -d1 + 16, -d2 + 8, d3) d0 in [0, 0] d1 in [0, 16] d2 in [0, 8] d3 in [0, 8]"));
static_assert(is(reduce_map({10}, {256, 10}, {0}), "(d0)[s0] -> (s0, d0) d0 in [0, 9] s0 in [0, 255]"));
static_assert(is(scalar_map({10}), "(d0) -> () d0 in [0, 9]"));
static_assert(is(reduce_output_map({256, 10}, {0}), "(d0, d1) -> (d1) d0 in [0, 255] d1 in [0, 9]"));
static_assert(is(scalar_output_map({10}), "()[s0] -> (s0) s0 in [0, 9]"));
static_assert(is(slice_map({5, 3, 25}, {5, 3, 0}, {1, 7, 2}),
                 "(d0, d1, d2) -> (d0 + 5, d1 * 7 + 3, d2 * 2) d0 in [0, 4] d1 in [0, 2] d2 in [0, 24]"));
static_assert(
    is(slice_output_map({5, 3, 25}, {5, 3, 0}, {1, 7, 2}),
       "(d0, d1, d2) -> (d0 - 5, (d1 - 3) floordiv 7, d2 floordiv 2) d0 in [5, 9] d1 in [3, 17] d2 in [0, 48] "
       "(d1 - 3) mod 7 in [0, 0] d2 mod 2 in [0, 0]"));
static_assert(is(reshape_map({32}, {4, 8}), "(d0) -> (d0 floordiv 8, d0 mod 8) d0 in [0, 31]"));
static_assert(is(reshape_map({4, 8}, {32}), "(d0, d1) -> (d0 * 8 + d1) d0 in [0, 3] d1 in [0, 7]"));
static_assert(
    is(reshape_map({2, 4, 4}, {4, 8}),
       "(d0, d1, d2) -> (d0 * 2 + d1 floordiv 2, d2 + (d1 mod 2) * 4) d0 in [0, 1] d1 in [0, 3] d2 in [0, 3]"));
static_assert(is(reshape_map({4, 8}, {2, 4, 4}),
                 "(d0, d1) -> (d0 floordiv 2, d1 floordiv 4 + (d0 mod 2) * 2, d1 mod 4) d0 in [0, 3] d1 in [0, 7]"));
static_assert(is(reshape_map({32, 3, 4}, {4, 8, 12}),
                 "(d0, d1, d2) -> (d0 floordiv 8, d0 mod 8, d1 * 4 + d2) d0 in [0, 31] d1 in [0, 2] d2 in [0, 3]"));
static_assert(is(reshape_map({4, 8, 12}, {32, 3, 4}),
                 "(d0, d1, d2) -> (d0 * 8 + d1, d2 floordiv 4, d2 mod 4) d0 in [0, 3] d1 in [0, 7] d2 in [0, 11]"));
static_assert(is(concatenate_map({2, 33, 7}, 1, 0, 5),
                 "(d0, d1, d2) -> (d0, d1, d2) d0 in [0, 1] d1 in [0, 4] d2 in [0, 6]"));
static_assert(is(concatenate_map({2, 33, 7}, 1, 5, 11),
                 "(d0, d1, d2) -> (d0, d1 - 5, d2) d0 in [0, 1] d1 in [5, 15] d2 in [0, 6]"));
static_assert(is(concatenate_map({2, 33, 7}, 1, 16, 17),
                 "(d0, d1, d2) -> (d0, d1 - 16, d2) d0 in [0, 1] d1 in [16, 32] d2 in [0, 6]"));
static_assert(is(concatenate_output_map({2, 5, 7}, 1, 0),
                 "(d0, d1, d2) -> (d0, d1, d2) d0 in [0, 1] d1 in [0, 4] d2 in [0, 6]"));
static_assert(is(concatenate_output_map({2, 17, 7}, 1, 16),
                 "(d0, d1, d2) -> (d0, d1 + 16, d2) d0 in [0, 1] d1 in [0, 16] d2 in [0, 6]"));
static_assert(is(dot_general_lhs_map({4, 128, 64}, {4, 128, 256}, {0}, {2}),
                 "(d0, d1, d2)[s0] -> (d0, d1, s0) d0 in [0, 3] d1 in [0, 127] d2 in [0, 63] s0 in [0, 255]"));
static_assert(is(dot_general_rhs_map({4, 128, 64}, {4, 256, 64}, {0}, {1}),
                 "(d0, d1, d2)[s0] -> (d0, s0, d2) d0 in [0, 3] d1 in [0, 127] d2 in [0, 63] s0 in [0, 255]"));
static_assert(is(dot_general_lhs_output_map({4, 128, 64}, {4, 128, 256}, {0}, {2}),
                 "(d0, d1, d2)[s0] -> (d0, d1, s0) d0 in [0, 3] d1 in [0, 127] d2 in [0, 255] s0 in [0, 63]"));
// The document prints d1 in the last place, which is the contracted dimension.
static_assert(is(dot_general_rhs_output_map({4, 128, 64}, {4, 256, 64}, {0}, {1}),
                 "(d0, d1, d2)[s0] -> (d0, s0, d2) d0 in [0, 3] d1 in [0, 255] d2 in [0, 63] s0 in [0, 127]"));
static_assert(is(pad_map({12, 16}, {4, 4}, {1, 4}, {1, 0}),
                 "(d0, d1) -> ((d0 - 1) floordiv 2, d1 - 4) d0 in [1, 7] d1 in [4, 7] (d0 - 1) mod 2 in [0, 0]"));
static_assert(is(scalar_map({12, 16}), "(d0, d1) -> () d0 in [0, 11] d1 in [0, 15]"));
static_assert(is(reduce_window_map({1024, 3}, {1024, 514}, {1, 512}, {1, 1}, {1, 1}, {1, 1}, {0, 0}),
                 "(d0, d1)[s0] -> (d0, d1 + s0) d0 in [0, 1023] d1 in [0, 2] s0 in [0, 511]"));

// The examples of the document that are compositions: p0 + transpose(p0), two paths to one map, softmax, reshapes.
static_assert(is(composed(identity_map({1000, 1000}), transpose_map({1000, 1000}, {1, 0})),
                 "(d0, d1) -> (d1, d0) d0 in [0, 999] d1 in [0, 999]"));
static_assert(composed(transpose_map({10, 50, 20}, {0, 2, 1}), transpose_map({10, 20, 50}, {1, 0, 2})) ==
              composed(transpose_map({10, 50, 20}, {1, 0, 2}), transpose_map({50, 10, 20}, {2, 1, 0})));
static_assert(is(composed(transpose_map({10, 50, 20}, {0, 2, 1}), transpose_map({10, 20, 50}, {1, 0, 2})),
                 "(d0, d1, d2) -> (d2, d0, d1) d0 in [0, 9] d1 in [0, 49] d2 in [0, 19]"));
static_assert(is(composed(broadcast_in_dim_map({2, 65, 125}, {2, 65}, {0, 1}), reduce_map({2, 65}, {2, 65, 125}, {2})),
                 "(d0, d1, d2)[s0] -> (d0, d1, s0) d0 in [0, 1] d1 in [0, 64] d2 in [0, 124] s0 in [0, 124]"));
static_assert(is_identity(composed(reshape_map({10, 10, 10}, {50, 20}), reshape_map({50, 20}, {10, 10, 10}))));

// Corners.
static_assert(is(broadcast_in_dim_map({3, 4}, {3, 1}, {0, 1}), "(d0, d1) -> (d0, 0) d0 in [0, 2] d1 in [0, 3]"));
static_assert(is(broadcast_in_dim_output_map({3, 4}, {3, 1}, {0, 1}),
                 "(d0, d1)[s0] -> (d0, s0) d0 in [0, 2] d1 in [0, 0] s0 in [0, 3]"));
static_assert(reshape_map({0, 3}, {3, 0, 2}).is_known_empty() && reshape_map({0, 3}, {3, 0, 2}).result_count == 3);
static_assert(is(reshape_map({1, 6, 1}, {6}), "(d0, d1, d2) -> (d1) d0 in [0, 0] d1 in [0, 5] d2 in [0, 0]"));
static_assert(is(reshape_map({}, {1, 1}), "() -> (0, 0)"));
static_assert(is(whole_map({2}, {3}), "(d0)[s0] -> (s0) d0 in [0, 1] s0 in [0, 2]"));
static_assert(is(bitcast_map({51, 16}, {1, 0}, {16, 17, 3}, {0, 1, 2}),
                 "(d0, d1) -> (d1, d0 floordiv 3, d0 mod 3) d0 in [0, 50] d1 in [0, 15]"));

// Wrong attributes give an unknown map, or at least one that names its own variables only.
static_assert(reshape_map({4}, {5}).is_unknown());
static_assert(transpose_map({4, 5}, {0, 0}).is_unknown());
static_assert(broadcast_in_dim_map({4}, {4}, {3}).is_unknown());
static_assert(reduce_map({4}, {4, 5}, {}).is_unknown());
static_assert(dot_general_lhs_map({4}, {4, 5, 6}, {}, {9}).is_unknown());

// The elements that a convolution reads for output element `at`, against the definition.
struct convolution_case {
  ints result, lhs, rhs;
  convolution_numbers numbers;
};

constexpr bool reads_as_defined(const convolution_case& given) {
  const convolution_numbers& n = given.numbers;
  const indexing_map lhs_map = convolution_lhs_map(given.result, given.lhs, given.rhs, n);
  const indexing_map rhs_map = convolution_rhs_map(given.result, given.rhs, n);
  if (!lhs_map.is_defined() || !rhs_map.is_defined()) return false;
  const std::int64_t features = given.rhs[n.kernel_output_feature_dimension];
  const std::int64_t inner = given.rhs[n.kernel_input_feature_dimension];
  const std::int64_t window = given.rhs[n.kernel_spatial_dimensions[0]];
  bool right = true;
  for_each_index(given.result, [&](const ints& at) {
    const std::int64_t feature = at[n.output_feature_dimension];
    for (std::int64_t place = 0; place < window; ++place)
      for (std::int64_t i = 0; i < inner; ++i) {
        ints symbols;
        if (window > 1) symbols.push(place);
        if (inner > 1) symbols.push(i);
        const std::int64_t dilated =
            at[n.output_spatial_dimensions[0]] * n.window_strides[0] + place * n.rhs_dilation[0] - n.padding_low[0];
        const std::int64_t size = given.lhs[n.input_spatial_dimensions[0]];
        const bool inside = dilated >= 0 && dilated % n.lhs_dilation[0] == 0 && dilated / n.lhs_dilation[0] < size;
        if (in_domain(lhs_map, at, symbols) != inside) right = false;
        if (inside) {
          const auto lhs = evaluate(lhs_map, at, symbols);
          const std::int64_t batch_group = feature / (features / n.batch_group_count);
          const std::int64_t feature_group = feature / (features / n.feature_group_count);
          right = right && lhs[static_cast<int>(n.input_spatial_dimensions[0])] == dilated / n.lhs_dilation[0] &&
                  lhs[static_cast<int>(n.input_feature_dimension)] == feature_group * inner + i &&
                  lhs[static_cast<int>(n.input_batch_dimension)] ==
                      at[n.output_batch_dimension] +
                          batch_group * (given.lhs[n.input_batch_dimension] / n.batch_group_count);
        }
        const auto rhs = evaluate(rhs_map, at, symbols);
        right = right && rhs[static_cast<int>(n.kernel_output_feature_dimension)] == feature &&
                rhs[static_cast<int>(n.kernel_input_feature_dimension)] == i &&
                rhs[static_cast<int>(n.kernel_spatial_dimensions[0])] ==
                    (n.reversed_windows[0] != 0 ? window - 1 - place : place);
      }
  });
  return right;
}

constexpr convolution_case convolution(std::int64_t stride, std::int64_t low, std::int64_t lhs_dilation,
                                       std::int64_t rhs_dilation, bool reversed, std::int64_t feature_groups,
                                       std::int64_t batch_groups) {
  convolution_case made;
  made.lhs = {2 * batch_groups, 7, 2 * feature_groups};
  made.rhs = {3, 2, 6};
  const std::int64_t padded = (7 - 1) * lhs_dilation + 1 + 2 * low;
  made.result = {2, (padded - 2 * rhs_dilation - 1) / stride + 1, 6};
  convolution_numbers& n = made.numbers;
  n.window_strides = {stride};
  n.padding_low = {low};
  n.lhs_dilation = {lhs_dilation};
  n.rhs_dilation = {rhs_dilation};
  n.reversed_windows = {reversed ? 1 : 0};
  n.input_batch_dimension = 0;
  n.input_spatial_dimensions = {1};
  n.input_feature_dimension = 2;
  n.kernel_spatial_dimensions = {0};
  n.kernel_input_feature_dimension = 1;
  n.kernel_output_feature_dimension = 2;
  n.output_batch_dimension = 0;
  n.output_spatial_dimensions = {1};
  n.output_feature_dimension = 2;
  n.feature_group_count = feature_groups;
  n.batch_group_count = batch_groups;
  return made;
}

// One way of the map there, the other way back: together they stay within the element.
constexpr bool are_inverse(const indexing_map& output_to_input, const indexing_map& input_to_output) {
  const indexing_map there = composed(output_to_input, input_to_output);
  const indexing_map back = composed(input_to_output, output_to_input);
  return is_identity(there) && is_identity(back);
}
static_assert(are_inverse(transpose_map({4, 2, 3}, {2, 0, 1}), transpose_output_map({2, 3, 4}, {2, 0, 1})));
static_assert(are_inverse(reverse_map({4, 2}, {0}), reverse_map({4, 2}, {0})));
static_assert(are_inverse(reshape_map({6, 4}, {8, 3}), reshape_map({8, 3}, {6, 4})));
static_assert(are_inverse(bitcast_map({6, 4}, {1, 0}, {8, 3}, {0, 1}), bitcast_map({8, 3}, {0, 1}, {6, 4}, {1, 0})));

}  // namespace

TEST_CASE("convolution reads what its definition says") {
  CHECK(reads_as_defined(convolution(1, 0, 1, 1, false, 1, 1)));
  CHECK(reads_as_defined(convolution(2, 1, 1, 1, true, 1, 1)));
  CHECK(reads_as_defined(convolution(1, 2, 2, 1, false, 2, 1)));
  CHECK(reads_as_defined(convolution(2, 2, 3, 2, true, 3, 1)));
  CHECK(reads_as_defined(convolution(1, 1, 1, 2, false, 1, 2)));
  CHECK(reads_as_defined(convolution(1, 1, 2, 2, true, 1, 3)));
}

TEST_CASE("reshape and bitcast keep the position in memory") {
  const ints shapes[] = {{24}, {4, 6}, {6, 4}, {2, 3, 4}, {4, 3, 2}, {8, 3}, {1, 24}, {2, 1, 12}, {3, 2, 2, 2}};
  for (const ints& result : shapes)
    for (const ints& operand : shapes) {
      const indexing_map map = reshape_map(result, operand);
      REQUIRE(map.is_defined());
      bool right = true;
      for_each_index(result, [&](const ints& at) {
        const auto values = evaluate(map, at);
        ints there;
        for (int i = 0; i < values.size; ++i) {
          there.push(values[i]);
          right = right && 0 <= values[i] && values[i] < operand[i];
        }
        right = right && offset_of(operand, there) == offset_of(result, at);
      });
      CHECK(right);
      CHECK(is_identity(composed(map, reshape_map(operand, result))));

      ints reversed_axes;
      for (int i = operand.size - 1; i >= 0; --i) reversed_axes.push(i);
      const indexing_map cast = bitcast_map(result, ints::range(result.size), operand, reversed_axes);
      for_each_index(result, [&](const ints& at) {
        const auto values = evaluate(cast, at);
        ints memory;
        for (int i = values.size - 1; i >= 0; --i) memory.push(values[i]);
        right = right && offset_of(operand.select(reversed_axes), memory) == offset_of(result, at);
      });
      CHECK(right);
    }
}

TEST_CASE("pad: an element of the result is padding or the element that lands there") {
  for (std::int64_t low = -3; low <= 3; ++low)
    for (std::int64_t high = -3; high <= 3; ++high)
      for (std::int64_t interior = 0; interior <= 2; ++interior)
        for (std::int64_t size = 0; size <= 4; ++size) {
          const std::int64_t padded = size + (size > 0 ? size - 1 : 0) * interior + low + high;
          if (padded < 0) continue;
          const indexing_map map = pad_map({padded}, {size}, {low}, {interior});
          const indexing_map output = pad_output_map({padded}, {size}, {low}, {interior});
          bool right = !map.is_unknown() && !output.is_unknown();
          for (std::int64_t at = 0; at < padded; ++at) {
            const std::int64_t inside = at - low;
            const bool is_element = inside >= 0 && inside % (interior + 1) == 0 && inside / (interior + 1) < size;
            right = right && in_domain(map, ints{at}) == is_element;
            if (is_element) right = right && evaluate(map, ints{at})[0] == inside / (interior + 1);
          }
          for (std::int64_t at = 0; at < size; ++at) {
            const std::int64_t lands = at * (interior + 1) + low;
            right = right && in_domain(output, ints{at}) == (0 <= lands && lands < padded);
            if (0 <= lands && lands < padded) right = right && evaluate(output, ints{at})[0] == lands;
          }
          CHECK(right);
        }
}

TEST_CASE("reduce_window: a place in the window is over an element, or not in the domain") {
  for (std::int64_t stride = 1; stride <= 2; ++stride)
    for (std::int64_t base = 1; base <= 3; ++base)
      for (std::int64_t dilation = 1; dilation <= 2; ++dilation)
        for (std::int64_t low = 0; low <= 3; ++low) {
          const std::int64_t size = 5;
          const std::int64_t padded = (size - 1) * base + 1 + low + 1;
          const std::int64_t window = 3;
          const std::int64_t count = (padded - (window - 1) * dilation - 1) / stride + 1;
          const indexing_map map = reduce_window_map({count}, {size}, {window}, {stride}, {base}, {dilation}, {low});
          bool right = map.is_defined();
          for (std::int64_t at = 0; at < count; ++at)
            for (std::int64_t place = 0; place < window; ++place) {
              const std::int64_t inside = at * stride + place * dilation - low;
              const bool is_element = inside >= 0 && inside % base == 0 && inside / base < size;
              right = right && in_domain(map, ints{at}, ints{place}) == is_element;
              if (is_element) right = right && evaluate(map, ints{at}, ints{place})[0] == inside / base;
            }
          CHECK(right);
        }
}

TEST_CASE("slice: from the operand, exactly the elements that the slice has") {
  const indexing_map forward = slice_map({3, 2}, {1, 2}, {3, 2});
  const indexing_map output = slice_output_map({3, 2}, {1, 2}, {3, 2});
  int found = 0;
  bool right = true;
  for_each_index(ints{10, 6}, [&](const ints& at) {
    if (!in_domain(output, at)) return;
    ++found;
    const auto values = evaluate(output, at);
    const auto back = evaluate(forward, ints{values[0], values[1]});
    right = right && back[0] == at[0] && back[1] == at[1];
  });
  CHECK(right);
  CHECK(found == 6);
}

TEST_CASE("gather with batching, collapsed and offset dimensions") {
  // operand [2, 5, 6], start_indices [4, 2, 2]: batch of the operand along axis 1 of the indices.
  const gather_numbers numbers{.offset_dims = {2},
                               .collapsed_slice_dims = {1},
                               .operand_batching_dims = {0},
                               .start_indices_batching_dims = {1},
                               .start_index_map = {2, 1},
                               .index_vector_dim = 2,
                               .slice_sizes = {1, 1, 3}};
  const ints result{4, 2, 3};
  const indexing_map operand = gather_operand_map(result, {2, 5, 6}, numbers);
  const indexing_map indices = gather_indices_map(result, {4, 2, 2}, numbers);
  REQUIRE(operand.is_defined());
  CHECK(operand.runtime_bounds[0] == interval{0, 3});
  CHECK(operand.runtime_bounds[1] == interval{0, 4});
  for_each_index(result, [&](const ints& at) {
    const auto read = evaluate(operand, at, ints{2, 4});
    CHECK((read[0] == at[1] && read[1] == 4 && read[2] == at[2] + 2));
    const auto vector = evaluate(indices, at, ints{1});
    CHECK((vector[0] == at[0] && vector[1] == at[1] && vector[2] == 1));
  });
}

TEST_CASE("dot_general with several batching and contracting dimensions") {
  // lhs [K0, B, M, K1], rhs [K1, N, B, K0] -> [B, M, N]
  const ints result{2, 3, 4};
  const indexing_map lhs = dot_general_lhs_map(result, {5, 2, 3, 6}, {1}, {3, 0});
  const indexing_map rhs = dot_general_rhs_map(result, {6, 4, 2, 5}, {2}, {0, 3});
  for_each_index(result, [&](const ints& at) {
    const auto left = evaluate(lhs, at, ints{4, 1});
    const auto right = evaluate(rhs, at, ints{4, 1});
    CHECK((left[0] == 1 && left[1] == at[0] && left[2] == at[1] && left[3] == 4));
    CHECK((right[0] == 4 && right[1] == at[2] && right[2] == at[0] && right[3] == 1));
  });
  const indexing_map back = dot_general_rhs_output_map(result, {6, 4, 2, 5}, {2}, {0, 3});
  const auto written = evaluate(back, ints{5, 3, 1, 4}, ints{2});
  CHECK((written[0] == 1 && written[1] == 2 && written[2] == 3));
}

TEST_CASE("maps between processes") {
  // Two processes gather along dimension 1, cut it up, or exchange parts: every element by its definition.
  const ints part{2, 3}, whole{2, 6};
  const indexing_map gathered_from = all_gather_map(whole, part, 1), process = all_gather_replica_map(whole, part, 1);
  const indexing_map scattered = reduce_scatter_map(part, whole, 1);
  const indexing_map exchanged = all_to_all_map({2, 6}, {4, 3}, 0, 1, 2);
  const indexing_map exchanger = all_to_all_replica_map({2, 6}, 1, 2);
  for (std::int64_t i = 0; i < 2; ++i)
    for (std::int64_t j = 0; j < 6; ++j) {
      const auto from = evaluate(gathered_from, ints{i, j});
      CHECK(from[0] == i);
      CHECK(from[1] + 3 * evaluate(process, ints{i, j})[0] == j);
      for (std::int64_t self = 0; self < 2; ++self) {
        if (j < 3) CHECK(evaluate(scattered, ints{i, j}, ints{self})[1] == j + 3 * self);
        const auto sent = evaluate(exchanged, ints{i, j}, ints{self});
        CHECK(sent[0] == i + 2 * self);
        CHECK(sent[1] + 3 * evaluate(exchanger, ints{i, j})[0] == j);
      }
    }
  CHECK(is(all_replicas_map({2}, 3), "(d0)[s0] -> (s0) d0 in [0, 1] s0 in [0, 2]"));
  CHECK(all_replicas_map({2}, 0).is_unknown());
  CHECK(all_to_all_map({2}, {2}, 0, 0, 0).is_unknown());
  CHECK(all_to_all_replica_map({2}, 0, -1).is_unknown());
  CHECK(is(one_replica_map({2}), "(d0){rt0} -> (rt0) d0 in [0, 1] rt0 in [0, 2147483647]"));
}

TEST_CASE("lines, vectors, bits, and windows that are placed at run time") {
  CHECK(is(whole_axes_map({2, 3}, {2, 5}, {1}), "(d0, d1)[s0] -> (d0, s0) d0 in [0, 1] d1 in [0, 2] s0 in [0, 4]"));
  CHECK(is(axis_map({2, 3}, 1), "(d0, d1) -> (d1) d0 in [0, 1] d1 in [0, 2]"));
  CHECK(is(bitcast_convert_map({2, 4}, {2}), "(d0, d1) -> (d0) d0 in [0, 1] d1 in [0, 3]"));
  CHECK(is(bitcast_convert_map({2}, {2, 4}), "(d0)[s0] -> (d0, s0) d0 in [0, 1] s0 in [0, 3]"));
  CHECK(nothing_map({2}, {3, 4}).is_known_empty());
  CHECK(nothing_map({2}, {3, 4}).result_count == 2);
  const gather_numbers rows{
      .offset_dims = {1}, .collapsed_slice_dims = {0}, .start_index_map = {0}, .index_vector_dim = 1};
  CHECK(is(scatter_update_output_map({9, 4}, {3, 2}, rows),
           "(d0, d1){rt0} -> (rt0, d1) d0 in [0, 2] d1 in [0, 1] rt0 in [0, 8]"));
  const indexing_map sliced = real_dynamic_slice_map({2}, {9}), padded = dynamic_pad_map({9}, {3});
  for (std::int64_t start = 0; start < 9; ++start)
    for (std::int64_t stride = 1; stride < 4; ++stride)
      for (std::int64_t d = 0; d < 2; ++d) {
        const std::int64_t index = d * stride + start;
        CHECK(in_domain(sliced, ints{d}, ints{start, stride}) == (index < 9));
        CHECK(evaluate(sliced, ints{d}, ints{start, stride})[0] == index);
      }
  for (std::int64_t low = -2; low < 4; ++low)
    for (std::int64_t between = 0; between < 3; ++between)
      for (std::int64_t d = 0; d < 9; ++d) {
        std::int64_t found = -1;
        for (std::int64_t i = 0; i < 3; ++i)
          if (i * (between + 1) + low == d) found = i;
        CHECK(in_domain(padded, ints{d}, ints{low, between}) == (found >= 0));
        if (found >= 0) CHECK(evaluate(padded, ints{d}, ints{low, between})[0] == found);
      }
}
