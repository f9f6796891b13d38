// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/xla/elementwise.hpp>

#include <utility>

namespace tenon::xla {

// Padding around and between the elements along one dimension.
struct PaddingConfigDimension {
  index_t edge_padding_low = 0, edge_padding_high = 0, interior_padding = 0;

  constexpr void set_edge_padding_low(index_t value) { edge_padding_low = value; }
  constexpr void set_edge_padding_high(index_t value) { edge_padding_high = value; }
  constexpr void set_interior_padding(index_t value) { interior_padding = value; }
};
struct PaddingConfig {
  // One more than there can be, which no op takes.
  std::array<PaddingConfigDimension, max_rank + 1> dimensions{};
  int count = 0;

  constexpr PaddingConfigDimension* add_dimensions() {
    count += count <= max_rank;
    return &dimensions[std::size_t(count - 1)];
  }
};
constexpr PaddingConfig MakeEdgePaddingConfig(Span<std::pair<std::int64_t, std::int64_t>> padding) {
  PaddingConfig config;
  for (const auto& [low, high] : padding) *config.add_dimensions() = {low, high, 0};
  return config;
}

struct GatherDimensionNumbers : gather_dimension_numbers {
  constexpr void add_offset_dims(index_t value) { offset_dims.push(value); }
  constexpr void add_collapsed_slice_dims(index_t value) { collapsed_slice_dims.push(value); }
  constexpr void add_start_index_map(index_t value) { start_index_map.push(value); }
  constexpr void add_operand_batching_dims(index_t value) { operand_batching_dims.push(value); }
  constexpr void add_start_indices_batching_dims(index_t value) { start_indices_batching_dims.push(value); }
  constexpr void set_index_vector_dim(index_t value) { index_vector_dim = value; }
};

namespace detail {

// New dimensions on the left.
struct broadcast_function {
  constexpr XlaOp operator()(const XlaOp& operand, const Int64Span& broadcast_sizes) const {
    ints dimensions;
    for (int i = 0; i < operand.type().rank(); ++i) dimensions.push(broadcast_sizes.size + i);
    return record(ops::broadcast_in_dim{dimensions}, {operand},
                  {operand.type().with_shape(broadcast_sizes + operand.type().shape)});
  }
};
struct broadcast_in_dim_function {
  constexpr XlaOp operator()(const XlaOp& operand, const Int64Span& out_dim_size,
                             const Int64Span& broadcast_dimensions) const {
    return record(ops::broadcast_in_dim{broadcast_dimensions}, {operand}, {operand.type().with_shape(out_dim_size)});
  }
};
struct transpose_function {
  constexpr XlaOp operator()(const XlaOp& operand, const Int64Span& permutation) const {
    return record(ops::transpose{permutation}, {operand});
  }
  // The order of the dimensions turned round.
  constexpr XlaOp operator()(const XlaOp& operand) const {
    ints order;
    for (int i = operand.type().rank(); i-- > 0;) order.push(i);
    return (*this)(operand, order);
  }
};
struct reshape_function {
  constexpr XlaOp operator()(const XlaOp& operand, const Int64Span& dimensions) const {
    return record(ops::reshape{}, {operand}, {operand.type().with_shape(dimensions)});
  }
  constexpr XlaOp operator()(const Shape& shape, const XlaOp& operand) const {
    return record(ops::reshape{}, {operand}, {shape.type()});
  }
  // Takes the dimensions in this order first.
  constexpr XlaOp operator()(const XlaOp& operand, const Int64Span& dimensions, const Int64Span& new_sizes) const {
    return (*this)(transpose_function{}(operand, dimensions), new_sizes);
  }
};
// Neighbouring dimensions, in order, become one.
struct collapse_function {
  constexpr XlaOp operator()(const XlaOp& operand, const Int64Span& dimensions) const {
    const ints& shape = operand.type().shape;
    bool follow = dimensions.within(0, shape.size);
    for (int i = 1; i < dimensions.size; ++i) follow = follow && dimensions[i] == dimensions[i - 1] + 1;
    recorder& r = recorder_of(operand);
    if (!r.check("xla_collapse", "dimensions are neighbours, in order", follow, {operand}) || dimensions.size <= 1)
      return r.again(operand);
    ints collapsed;
    for (int i = 0; i < shape.size; ++i) {
      if (i == dimensions[0]) collapsed.push(shape.select(dimensions).product());
      if (!dimensions.contains(i)) collapsed.push(shape[i]);
    }
    return reshape_function{}(operand, collapsed);
  }
};
struct slice_function {
  constexpr XlaOp operator()(const XlaOp& operand, const Int64Span& start_indices, const Int64Span& limit_indices,
                             const Int64Span& strides = {}) const {
    const ints every = ints::filled(operand.type().rank(), 1);
    return record(ops::slice{start_indices, limit_indices, strides.empty() ? every : static_cast<const ints&>(strides)},
                  {operand});
  }
};
struct slice_in_dim_function {
  constexpr XlaOp operator()(const XlaOp& operand, std::int64_t start_index, std::int64_t limit_index,
                             std::int64_t stride, std::int64_t dimno) const {
    const ints& shape = operand.type().shape;
    recorder& r = recorder_of(operand);
    if (!r.check("xla_slice_in_dim", "0 <= dimno < rank(operand)", 0 <= dimno && dimno < shape.size, {operand}))
      return r.nothing();
    ints start = ints::filled(shape.size, 0), limit = shape, strides = ints::filled(shape.size, 1);
    start.set(dimno, start_index), limit.set(dimno, limit_index), strides.set(dimno, stride);
    return slice_function{}(operand, start, limit, strides);
  }
};
struct concatenate_function {
  constexpr XlaOp operator()(Span<XlaOp> operands, std::int64_t dimension) const {
    return record(ops::concatenate{dimension}, operands);
  }
  constexpr XlaOp operator()(recorder* builder, Span<XlaOp> operands, std::int64_t dimension) const {
    return recorder_of(builder).record(ops::concatenate{dimension}, operands);
  }
};
struct pad_function {
  constexpr XlaOp operator()(const XlaOp& operand, const XlaOp& padding_value, const PaddingConfig& config) const {
    ops::pad op;
    for (int i = 0; i < config.count; ++i) {
      const PaddingConfigDimension& each = config.dimensions[std::size_t(i)];
      op.edge_padding_low.push(each.edge_padding_low), op.edge_padding_high.push(each.edge_padding_high);
      op.interior_padding.push(each.interior_padding);
    }
    return record(op, {operand, padding_value});
  }
};
struct reverse_function {
  constexpr XlaOp operator()(const XlaOp& operand, const Int64Span& dimensions) const {
    return record(ops::reverse{dimensions}, {operand});
  }
};
// The same bytes, in another shape of elements of another type.
struct bitcast_function {
  constexpr XlaOp operator()(const XlaOp& operand, const Shape& shape) const {
    const tensor_type from = operand.type(), to = shape.type();
    const int narrow = num_bits(from.element), wide = num_bits(to.element);
    recorder& r = recorder_of(operand);
    if (!r.admit({&to, 1}) ||
        !r.check("xla_bitcast", "both shapes take the same bytes",
                 narrow > 0 && wide > 0 && ints{from.size(), narrow}.product() == ints{to.size(), wide}.product() &&
                     (wide % narrow == 0 || narrow % wide == 0),
                 {operand}))
      return r.nothing();
    ints grouped = to.shape;
    if (wide > narrow) grouped.push(wide / narrow);
    XlaOp result = operand;
    if (wide >= narrow) result = reshape_function{}(result, grouped);
    if (from.element != to.element) result = bitcast_convert_function{}(result, to.element);
    return wide < narrow ? reshape_function{}(result, to.shape) : result;
  }
};
struct gather_function {
  constexpr XlaOp operator()(const XlaOp& input, const XlaOp& start_indices,
                             const GatherDimensionNumbers& dimension_numbers, const Int64Span& slice_sizes,
                             bool indices_are_sorted = false) const {
    return record(ops::gather{dimension_numbers, slice_sizes, indices_are_sorted}, {input, start_indices});
  }
};
struct index_select_function {
  constexpr XlaOp operator()(const XlaOp& input, const XlaOp& index, std::int64_t dim,
                             std::int64_t batch_dims = 0) const {
    return record(ops::torch_index_select{dim, batch_dims}, {input, index});
  }
};

// The elements of a vector, or the scalars themselves.
constexpr std::vector<XlaOp> scalars_of(Span<XlaOp> starts) {
  std::vector<XlaOp> scalars;
  for (const XlaOp& each : starts) {
    if (each.type().rank() != 1) {
      scalars.push_back(each);
      continue;
    }
    for (index_t i = 0; i < each.type().dim(0) && i <= max_rank; ++i)
      scalars.push_back(reshape_function{}(slice_function{}(each, {i}, {i + 1}), {}));
  }
  return scalars;
}
// The start is a scalar for each dimension, or a vector.
struct dynamic_slice_function {
  constexpr XlaOp operator()(const XlaOp& operand, Span<XlaOp> start_indices, const Int64Span& slice_sizes) const {
    return record(ops::dynamic_slice{slice_sizes}, joined(operand, scalars_of(start_indices)));
  }
};
struct dynamic_update_slice_function {
  constexpr XlaOp operator()(const XlaOp& operand, const XlaOp& update, Span<XlaOp> start_indices) const {
    return record(ops::dynamic_update_slice{}, joined({operand, update}, scalars_of(start_indices)));
  }
};

struct get_dimension_size_function {
  constexpr XlaOp operator()(const XlaOp& operand, std::int64_t dimension) const {
    return record(ops::get_dimension_size{dimension}, {operand});
  }
};
struct set_dimension_size_function {
  constexpr XlaOp operator()(const XlaOp& operand, const XlaOp& val, std::int64_t dimension) const {
    return record(ops::set_dimension_size{dimension}, {operand, val});
  }
};
struct dynamic_reshape_function {
  constexpr XlaOp operator()(const XlaOp& operand, Span<XlaOp> dim_sizes, const Int64Span& new_size_bounds,
                             const std::vector<bool>& dims_are_dynamic) const {
    std::vector<XlaOp> sizes;
    for (const XlaOp& each : dim_sizes) sizes.push_back(reshape_function{}(each, {1}));
    const tensor_type result = ShapeUtil::MakeShape(operand.type().element, new_size_bounds, dims_are_dynamic).type();
    return record(ops::dynamic_reshape{}, {operand, concatenate_function{}(sizes, 0)}, {result});
  }
};

}  // namespace detail

inline constexpr detail::broadcast_function Broadcast;
inline constexpr detail::broadcast_in_dim_function BroadcastInDim;
inline constexpr detail::transpose_function Transpose;
inline constexpr detail::reshape_function Reshape;
inline constexpr detail::collapse_function Collapse;
inline constexpr detail::slice_function Slice;
inline constexpr detail::slice_in_dim_function SliceInDim;
inline constexpr detail::concatenate_function ConcatInDim, Concatenate;
inline constexpr detail::pad_function Pad;
inline constexpr detail::reverse_function Rev;
inline constexpr detail::bitcast_function Bitcast;
inline constexpr detail::gather_function Gather;
inline constexpr detail::index_select_function TorchIndexSelect;
inline constexpr detail::dynamic_slice_function DynamicSlice;
inline constexpr detail::dynamic_update_slice_function DynamicUpdateSlice;
inline constexpr detail::get_dimension_size_function GetDimensionSize;
inline constexpr detail::set_dimension_size_function SetDimensionSize;
inline constexpr detail::dynamic_reshape_function DynamicReshape;

}  // namespace tenon::xla
