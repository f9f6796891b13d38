// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/hlo/instruction_reader.hpp>

namespace tenon::text::hlo {

// Reads the attributes of an instruction into the op that it is, and the computations that it applies into regions.
class op_attribute_reader : public reader_part {
 public:
  instruction_reader& lines;

  constexpr explicit op_attribute_reader(instruction_reader& of_lines) : reader_part(of_lines), lines(of_lines) {}

  // Templates stand before what calls them: some compilers want them to be known there.
  constexpr bool read_product(auto& numbers) {
    return attributes.read("lhs_batch_dims", numbers.lhs_batching_dimensions) &&
           attributes.read("rhs_batch_dims", numbers.rhs_batching_dimensions) &&
           attributes.read("lhs_contracting_dims", numbers.lhs_contracting_dimensions) &&
           attributes.read("rhs_contracting_dims", numbers.rhs_contracting_dimensions);
  }
  constexpr bool read_batch_norm(auto& self) {
    return attributes.read("epsilon", self.epsilon) && attributes.read("feature_index", self.feature_index);
  }
  constexpr bool read_groups(auto& self) {
    return attributes.read("channel_id", self.channel_id) && attributes.read("replica_groups", self.replica_groups);
  }

  // Movement, and ops on elements.
  constexpr bool read_into(ops::broadcast_in_dim& self) {
    return attributes.read("dimensions", self.broadcast_dimensions);
  }
  constexpr bool read_into(ops::transpose& self) { return attributes.read("dimensions", self.permutation); }
  constexpr bool read_into(ops::reverse& self) { return attributes.read("dimensions", self.dimensions); }
  constexpr bool read_into(ops::concatenate& self) { return attributes.read_single("dimensions", self.dimension); }
  constexpr bool read_into(ops::iota& self) { return attributes.read("iota_dimension", self.iota_dimension); }
  constexpr bool read_into(ops::slice& self) { return attributes.read_slices(self); }
  constexpr bool read_into(ops::pad& self) { return attributes.read_padding(self); }
  constexpr bool read_into(ops::dynamic_slice& self) {
    return attributes.read("dynamic_slice_sizes", self.slice_sizes);
  }
  constexpr bool read_into(ops::get_dimension_size& self) {
    return attributes.read_single("dimensions", self.dimension);
  }
  constexpr bool read_into(ops::set_dimension_size& self) {
    return attributes.read_single("dimensions", self.dimension);
  }
  constexpr bool read_into(ops::reduce_precision& self) {
    return attributes.read("exponent_bits", self.exponent_bits) && attributes.read("mantissa_bits", self.mantissa_bits);
  }
  constexpr bool read_into(ops::compare& self) {
    using enum comparison_direction;
    return attributes.read_choice("direction", self.comparison_direction, {"EQ", "NE", "GE", "GT", "LE", "LT"},
                                  {EQ, NE, GE, GT, LE, LT}) &&
           attributes.read_choice("type", self.compare_type, {"FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"},
                                  {comparison_type::FLOAT, comparison_type::TOTALORDER, comparison_type::SIGNED,
                                   comparison_type::UNSIGNED});
  }

  // Products.
  constexpr bool read_into(ops::dot_general& self) { return read_product(self.dot_dimension_numbers); }
  constexpr bool read_into(ops::ragged_dot& self) {
    auto& numbers = self.ragged_dot_dimension_numbers;
    return read_product(numbers) && attributes.read("lhs_ragged_dims", numbers.lhs_ragged_dimensions) &&
           attributes.read("rhs_group_dims", numbers.rhs_group_dimensions);
  }
  constexpr bool read_into(ops::convolution& self) {
    attribute_reader::window over;
    if (!attributes.read_window(over) || !attributes.read_labels(self.dimension_numbers) ||
        !attributes.read("feature_group_count", self.feature_group_count) ||
        !attributes.read("batch_group_count", self.batch_group_count))
      return false;
    const auto& spatial = self.dimension_numbers.kernel_spatial_dimensions;
    for (int i = 0; i < over.size.size; ++i)
      if (over.size[i] != emit.type_of_operand(1).dim(spatial[i]))
        return in.fail("attribute", "the window has the size of the kernel", now.opcode.first);
    self.window_strides = over.stride;
    self.padding = over.padding();
    self.lhs_dilation = over.lhs_dilate;
    self.rhs_dilation = over.rhs_dilate;
    self.window_reversal = over.rhs_reversal;
    return true;
  }
  constexpr bool read_into(ops::fft& self) {
    using enum fft_type;
    return attributes.read_choice("fft_type", self.fft_type, {"FFT", "IFFT", "RFFT", "IRFFT"},
                                  {FFT, IFFT, RFFT, IRFFT}) &&
           attributes.read("fft_length", self.fft_length);
  }
  constexpr bool read_into(ops::cholesky& self) { return attributes.read("lower", self.lower); }
  constexpr bool read_into(ops::triangular_solve& self) {
    using enum transpose_a_kind;
    return attributes.read("left_side", self.left_side) && attributes.read("lower", self.lower) &&
           attributes.read("unit_diagonal", self.unit_diagonal) &&
           attributes.read_choice("transpose_a", self.transpose_a, {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"},
                                  {NO_TRANSPOSE, TRANSPOSE, ADJOINT});
  }

  // Folds, windows, lookup and sorting.
  constexpr bool read_into(ops::reduce& self) {
    return attributes.read("dimensions", self.dimensions) && emit.add_region("to_apply");
  }
  constexpr bool read_into(ops::map& self) {
    return attributes.read("dimensions", self.dimensions) && emit.add_region("to_apply");
  }
  constexpr bool read_into(ops::reduce_window& self) {
    attribute_reader::window over;
    if (!attributes.read_window(over)) return false;
    self.window_dimensions = over.size;
    self.window_strides = over.stride;
    self.base_dilations = over.lhs_dilate;
    self.window_dilations = over.rhs_dilate;
    self.padding = over.padding();
    return emit.add_region("to_apply");
  }
  constexpr bool read_into(ops::select_and_scatter& self) {
    attribute_reader::window over;
    if (!attributes.read_window(over)) return false;
    if (!over.lhs_dilate.empty() || !over.rhs_dilate.empty()) return emit.unsupported("the window is not dilated");
    self.window_dimensions = over.size;
    self.window_strides = over.stride;
    self.padding = over.padding();
    return emit.add_region("select") && (build.full() || emit.add_region("scatter"));
  }
  constexpr bool read_into(ops::sort& self) {
    return attributes.read_single("dimensions", self.dimension) && attributes.read("is_stable", self.is_stable) &&
           emit.add_region("to_apply");
  }
  // The carries are the last of the operands, and of what the computation gives.
  constexpr bool read_into(ops::scan& self) {
    index_t carries = 0;
    if (!attributes.read_single("dimensions", self.dimension) || !attributes.read("num_carries", carries) ||
        !attributes.read("is_reverse", self.is_reverse) || !attributes.read("is_associative", self.is_associative))
      return false;
    if (carries < 0 || carries > now.parts.operand_count || carries > now.type_count)
      return attributes.missing("scan has num_carries operands and results or more");
    self.operand_segment_sizes = {now.parts.operand_count - carries, carries};
    self.result_segment_sizes = {now.type_count - carries, carries};
    return emit.add_region("to_apply");
  }
  constexpr bool read_into(ops::gather& self) {
    auto& numbers = self.dimension_numbers;
    return attributes.read("offset_dims", numbers.offset_dims) &&
           attributes.read("collapsed_slice_dims", numbers.collapsed_slice_dims) &&
           attributes.read("operand_batching_dims", numbers.operand_batching_dims) &&
           attributes.read("start_indices_batching_dims", numbers.start_indices_batching_dims) &&
           attributes.read("start_index_map", numbers.start_index_map) &&
           attributes.read("index_vector_dim", numbers.index_vector_dim) &&
           attributes.read("slice_sizes", self.slice_sizes) &&
           attributes.read("indices_are_sorted", self.indices_are_sorted);
  }
  constexpr bool read_into(ops::scatter& self) {
    auto& numbers = self.scatter_dimension_numbers;
    return attributes.read("update_window_dims", numbers.update_window_dims) &&
           attributes.read("inserted_window_dims", numbers.inserted_window_dims) &&
           attributes.read("input_batching_dims", numbers.input_batching_dims) &&
           attributes.read("scatter_indices_batching_dims", numbers.scatter_indices_batching_dims) &&
           attributes.read("scatter_dims_to_operand_dims", numbers.scatter_dims_to_operand_dims) &&
           attributes.read("index_vector_dim", numbers.index_vector_dim) &&
           attributes.read("indices_are_sorted", self.indices_are_sorted) &&
           attributes.read("unique_indices", self.unique_indices) && emit.add_region("to_apply");
  }

  // Batch norms and random bits.
  constexpr bool read_into(ops::batch_norm_training& self) { return read_batch_norm(self); }
  constexpr bool read_into(ops::batch_norm_inference& self) { return read_batch_norm(self); }
  constexpr bool read_into(ops::batch_norm_grad& self) { return read_batch_norm(self); }
  constexpr bool read_into(ops::rng_bit_generator& self) {
    return attributes.read_choice("algorithm", self.rng_algorithm, {"rng_default", "rng_three_fry", "rng_philox"},
                                  {rng_algorithm::DEFAULT, rng_algorithm::THREE_FRY, rng_algorithm::PHILOX});
  }

  constexpr bool read_into(ops::rng_get_and_update_state& self) { return attributes.read("delta", self.delta); }

  // Several processes, and the world outside.
  constexpr bool read_into(ops::all_reduce& self) {
    return read_groups(self) && attributes.read("use_global_device_ids", self.use_global_device_ids) &&
           emit.add_region("to_apply");
  }
  constexpr bool read_into(ops::all_gather& self) {
    if (!read_groups(self) || !attributes.read("use_global_device_ids", self.use_global_device_ids) ||
        !attributes.read_single("dimensions", self.all_gather_dim))
      return false;
    // (operands..., results...)
    if (in.is(now.opcode, "all-gather-start") && now.type_count == 2 * now.parts.operand_count)
      lines.keep_types(now.parts.operand_count, now.parts.operand_count);
    return true;
  }
  constexpr bool read_into(ops::reduce_scatter& self) {
    return read_groups(self) && attributes.read("use_global_device_ids", self.use_global_device_ids) &&
           attributes.read_single("dimensions", self.scatter_dimension) && emit.add_region("to_apply");
  }
  constexpr bool read_into(ops::collective_broadcast& self) {
    return read_groups(self) && attributes.read("has_dynamic_root", self.has_dynamic_root);
  }
  constexpr bool read_into(ops::collective_reduce& self) {
    return read_groups(self) && attributes.read("use_global_device_ids", self.use_global_device_ids) &&
           attributes.read("has_dynamic_root", self.has_dynamic_root) && emit.add_region("to_apply");
  }
  constexpr bool read_into(ops::ragged_all_to_all& self) { return read_groups(self); }
  constexpr bool read_into(ops::collective_permute& self) {
    if (!attributes.read("channel_id", self.channel_id) ||
        !attributes.read("source_target_pairs", self.source_target_pairs))
      return false;
    // (operand, result, contexts...)
    if (in.is(now.opcode, "collective-permute-start") && now.type_count > 1) lines.keep_types(1, 1);
    return true;
  }
  // (data, context, token)
  constexpr bool read_into(ops::send& self) {
    if (!attributes.read("channel_id", self.channel_id) || !attributes.read("is_host_transfer", self.is_host_transfer))
      return false;
    if (self.is_host_transfer) self.channel_type = channel_types::DEVICE_TO_HOST;
    if (now.type_count == 0) return emit.wrong_type();
    lines.keep_types(now.type_count - 1, 1);
    return true;
  }
  constexpr bool read_into(ops::recv& self) {
    if (!attributes.read("channel_id", self.channel_id) || !attributes.read("is_host_transfer", self.is_host_transfer))
      return false;
    if (self.is_host_transfer) self.channel_type = channel_types::HOST_TO_DEVICE;
    if (now.type_count > 2) {
      state.signature_types.data[now.types + now.type_count - 2] = emit.type(now.type_count - 1);
      lines.keep_types(0, now.type_count - 1);
    }
    return true;
  }
  constexpr bool read_into(ops::while_&) {
    return emit.add_region("condition") && (build.full() || emit.add_region("body"));
  }
  // An attribute-free one.
  constexpr bool read_into(auto&) { return true; }

 private:
  emitter& emit = lines.emit;
  attribute_reader& attributes = emit.attributes;
  instruction& now = attributes.now;
};

}  // namespace tenon::text::hlo
