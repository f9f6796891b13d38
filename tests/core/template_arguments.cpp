// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/attributes.hpp>
#include <tenon/core/message.hpp>
#include <tenon/core/tensor_type.hpp>
#include <tenon/graph/ir/graph.hpp>
#include <tenon/graph/plan/plan.hpp>
#include <tenon/numpy/checks.hpp>
#include <tenon/ops/lookup/gather.hpp>
#include <tenon/ops/movement/pad.hpp>
#include <tenon/run/link.hpp>

// g++ 12 takes template arguments for one that differ only in which elements of an array, or which members without an
// initializer, were written. What the library takes as template arguments writes them from the first on.
namespace tenon::test {
namespace {

template <auto Value>
struct held {
  static constexpr auto value = Value;
};
// Each is still what was written.
template <auto... Values>
constexpr bool are_kept() {
  return ((held<Values>::value == Values) && ...);
}

static_assert(are_kept<ints{8}, ints{8, 0}, ints{0, 8}, ints{0, 0, 8}, ints{0}, ints{0, 0}, ints{}, ints::filled(2, 8),
                       ints::range(2), ints{1, 0}.without(ints{0}), strides_of(ints{0, 8}), strides_of(ints{8, 1})>());
static_assert([] {
  constexpr auto with = [](int axis) {
    ints result = ints::filled(3, 0);
    result.set(axis, 8);
    return result;
  };
  return are_kept<with(0), with(1), with(2)>();
}());
static_assert(are_kept<core::ints_table{{8, 0}}, core::ints_table{{0, 8}}, core::ints_table{{0, 0}, {8, 0}},
                       core::ints_table{{0, 0}, {0, 8}}, core::ints_table{{8}, {0}}, core::ints_table{{0}, {8}}>());
static_assert(are_kept<id_table{{8, 0}}, id_table{{0, 8}}, id_table{{8}, {0}}, id_table{{0}, {8}}>());
using flags = core::short_list<bool, 4>;
static_assert(are_kept<flags{true, false}, flags{false, true}, flags{true}, flags{false}, flags{}>());
static_assert(are_kept<type_of(dtype::f32, {8, 0}), type_of(dtype::f32, {0, 8}), type_of(dtype::f32, {0}),
                       tensor_type{}, token_type(), with_open_shape(dtype::f32)>());
static_assert(are_kept<tensor_type{.bounded = 1, .shape{}}, tensor_type{.quantization = 1, .shape{}},
                       tensor_type{.members = 1, .shape{}}>());
static_assert(
    are_kept<ir::graph_sizes{.nodes = 8}, ir::graph_sizes{.values = 8}, ir::graph_sizes{.member_types = 8}>());
static_assert(held<ir::plan_sizes{.steps = 8}>::value.steps == 8 &&
              held<ir::plan_sizes{.values = 8}>::value.values == 8);
static_assert(held<ir::plan_sizes{.indices = 8}>::value.indices == 8);

constexpr auto gather_with = [](ints offsets, ints collapsed, ints mapped) {
  ops::gather op;
  op.dimension_numbers.offset_dims = offsets;
  op.dimension_numbers.collapsed_slice_dims = collapsed;
  op.dimension_numbers.start_index_map = mapped;
  return op;
};
static_assert(held<gather_with({1}, {}, {})>::value.dimension_numbers.offset_dims == ints{1});
static_assert(held<gather_with({}, {1}, {})>::value.dimension_numbers.collapsed_slice_dims == ints{1});
static_assert(held<gather_with({}, {}, {1})>::value.dimension_numbers.start_index_map == ints{1});
static_assert(held<ops::pad{{1}, {0}, {0}}>::value.edge_padding_low == ints{1});
static_assert(held<ops::pad{{0}, {1}, {0}}>::value.edge_padding_high == ints{1});
static_assert(held<ops::pad{{0}, {0}, {1}}>::value.interior_padding == ints{1});
static_assert(held<einsum_subscripts{"i,j->ij"}>::value.result() == "ij");
static_assert(held<einsum_subscripts{"i,j->ji"}>::value.result() == "ji");
static_assert(held<conv2d_options{.stride = 2}>::value.stride == 2);
static_assert(held<conv2d_options{.dilation = 2}>::value.dilation == 2);

}  // namespace
}  // namespace tenon::test
