// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/hlo_instruction.hpp>

namespace tenon::text {

// Reads the attributes of an instruction into the op that it is, and the computations that it applies into regions.
class hlo_op_reader : public hlo_instruction_reader {
 public:
  using hlo_instruction_reader::hlo_instruction_reader;

 protected:
  // Templates stand before what calls them: some compilers want them to be known there.
  constexpr bool read_product(auto& numbers) {
    return read("lhs_batch_dims", numbers.lhs_batching_dimensions) &&
           read("rhs_batch_dims", numbers.rhs_batching_dimensions) &&
           read("lhs_contracting_dims", numbers.lhs_contracting_dimensions) &&
           read("rhs_contracting_dims", numbers.rhs_contracting_dimensions);
  }
  constexpr bool read_batch_norm(auto& self) {
    return read("epsilon", self.epsilon) && read("feature_index", self.feature_index);
  }
  constexpr bool read_groups(auto& self) {
    return read("channel_id", self.channel_id) && read("replica_groups", self.replica_groups);
  }

  // Movement, and ops on elements.
  constexpr bool read_into(ops::broadcast_in_dim& self) { return read("dimensions", self.broadcast_dimensions); }
  constexpr bool read_into(ops::transpose& self) { return read("dimensions", self.permutation); }
  constexpr bool read_into(ops::reverse& self) { return read("dimensions", self.dimensions); }
  constexpr bool read_into(ops::concatenate& self) { return read_single("dimensions", self.dimension); }
  constexpr bool read_into(ops::iota& self) { return read("iota_dimension", self.iota_dimension); }
  constexpr bool read_into(ops::slice& self) { return read_slices(self); }
  constexpr bool read_into(ops::pad& self) { return read_padding(self); }
  constexpr bool read_into(ops::dynamic_slice& self) { return read("dynamic_slice_sizes", self.slice_sizes); }
  constexpr bool read_into(ops::get_dimension_size& self) { return read_single("dimensions", self.dimension); }
  constexpr bool read_into(ops::set_dimension_size& self) { return read_single("dimensions", self.dimension); }
  constexpr bool read_into(ops::reduce_precision& self) {
    return read("exponent_bits", self.exponent_bits) && read("mantissa_bits", self.mantissa_bits);
  }
  constexpr bool read_into(ops::compare& self) {
    using enum comparison_direction;
    return read_choice("direction", self.comparison_direction, {"EQ", "NE", "GE", "GT", "LE", "LT"},
                       {EQ, NE, GE, GT, LE, LT}) &&
           read_choice("type", self.compare_type, {"FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"},
                       {comparison_type::FLOAT, comparison_type::TOTALORDER, comparison_type::SIGNED,
                        comparison_type::UNSIGNED});
  }

  // Products.
  constexpr bool read_into(ops::dot_general& self) { return read_product(self.dot_dimension_numbers); }
  constexpr bool read_into(ops::ragged_dot& self) {
    auto& numbers = self.ragged_dot_dimension_numbers;
    return read_product(numbers) && read("lhs_ragged_dims", numbers.lhs_ragged_dimensions) &&
           read("rhs_group_dims", numbers.rhs_group_dimensions);
  }
  constexpr bool read_into(ops::convolution& self) {
    window over;
    if (!read_window(over) || !read_labels(self.dimension_numbers) ||
        !read("feature_group_count", self.feature_group_count) || !read("batch_group_count", self.batch_group_count))
      return false;
    const auto& spatial = self.dimension_numbers.kernel_spatial_dimensions;
    for (int i = 0; i < over.size.size; ++i)
      if (over.size[i] != type_of_operand(1).dim(spatial[i]))
        return fail("attribute", "the window has the size of the kernel", now_.opcode.first);
    self.window_strides = over.stride;
    self.padding = over.padding();
    self.lhs_dilation = over.lhs_dilate;
    self.rhs_dilation = over.rhs_dilate;
    self.window_reversal = over.rhs_reversal;
    return true;
  }
  constexpr bool read_into(ops::fft& self) {
    using enum fft_type;
    return read_choice("fft_type", self.fft_type, {"FFT", "IFFT", "RFFT", "IRFFT"}, {FFT, IFFT, RFFT, IRFFT}) &&
           read("fft_length", self.fft_length);
  }
  constexpr bool read_into(ops::cholesky& self) { return read("lower", self.lower); }
  constexpr bool read_into(ops::triangular_solve& self) {
    using enum transpose_a_kind;
    return read("left_side", self.left_side) && read("lower", self.lower) &&
           read("unit_diagonal", self.unit_diagonal) &&
           read_choice("transpose_a", self.transpose_a, {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"},
                       {NO_TRANSPOSE, TRANSPOSE, ADJOINT});
  }

  // Folds, windows, lookup and sorting.
  constexpr bool read_into(ops::reduce& self) { return read("dimensions", self.dimensions) && add_region("to_apply"); }
  constexpr bool read_into(ops::map& self) { return read("dimensions", self.dimensions) && add_region("to_apply"); }
  constexpr bool read_into(ops::reduce_window& self) {
    window over;
    if (!read_window(over)) return false;
    self.window_dimensions = over.size;
    self.window_strides = over.stride;
    self.base_dilations = over.lhs_dilate;
    self.window_dilations = over.rhs_dilate;
    self.padding = over.padding();
    return add_region("to_apply");
  }
  constexpr bool read_into(ops::select_and_scatter& self) {
    window over;
    if (!read_window(over)) return false;
    if (!over.lhs_dilate.empty() || !over.rhs_dilate.empty()) return unsupported("the window is not dilated");
    self.window_dimensions = over.size;
    self.window_strides = over.stride;
    self.padding = over.padding();
    return add_region("select") && (full() || add_region("scatter"));
  }
  constexpr bool read_into(ops::sort& self) {
    return read_single("dimensions", self.dimension) && read("is_stable", self.is_stable) && add_region("to_apply");
  }
  // The carries are the last of the operands, and of what the computation gives.
  constexpr bool read_into(ops::scan& self) {
    index_t carries = 0;
    if (!read_single("dimensions", self.dimension) || !read("num_carries", carries) ||
        !read("is_reverse", self.is_reverse) || !read("is_associative", self.is_associative))
      return false;
    if (carries < 0 || carries > parts_.operand_count || carries > now_.type_count)
      return missing("scan has num_carries operands and results or more");
    self.operand_segment_sizes = {parts_.operand_count - carries, carries};
    self.result_segment_sizes = {now_.type_count - carries, carries};
    return add_region("to_apply");
  }
  constexpr bool read_into(ops::gather& self) {
    auto& numbers = self.dimension_numbers;
    return read("offset_dims", numbers.offset_dims) && read("collapsed_slice_dims", numbers.collapsed_slice_dims) &&
           read("operand_batching_dims", numbers.operand_batching_dims) &&
           read("start_indices_batching_dims", numbers.start_indices_batching_dims) &&
           read("start_index_map", numbers.start_index_map) && read("index_vector_dim", numbers.index_vector_dim) &&
           read("slice_sizes", self.slice_sizes) && read("indices_are_sorted", self.indices_are_sorted);
  }
  constexpr bool read_into(ops::scatter& self) {
    auto& numbers = self.scatter_dimension_numbers;
    return read("update_window_dims", numbers.update_window_dims) &&
           read("inserted_window_dims", numbers.inserted_window_dims) &&
           read("input_batching_dims", numbers.input_batching_dims) &&
           read("scatter_indices_batching_dims", numbers.scatter_indices_batching_dims) &&
           read("scatter_dims_to_operand_dims", numbers.scatter_dims_to_operand_dims) &&
           read("index_vector_dim", numbers.index_vector_dim) && read("indices_are_sorted", self.indices_are_sorted) &&
           read("unique_indices", self.unique_indices) && add_region("to_apply");
  }

  // Batch norms and random bits.
  constexpr bool read_into(ops::batch_norm_training& self) { return read_batch_norm(self); }
  constexpr bool read_into(ops::batch_norm_inference& self) { return read_batch_norm(self); }
  constexpr bool read_into(ops::batch_norm_grad& self) { return read_batch_norm(self); }
  constexpr bool read_into(ops::rng_bit_generator& self) {
    return read_choice("algorithm", self.rng_algorithm, {"rng_default", "rng_three_fry", "rng_philox"},
                       {rng_algorithm::DEFAULT, rng_algorithm::THREE_FRY, rng_algorithm::PHILOX});
  }

  // Several processes, and the world outside.
  constexpr bool read_into(ops::all_reduce& self) {
    return read_groups(self) && read("use_global_device_ids", self.use_global_device_ids) && add_region("to_apply");
  }
  constexpr bool read_into(ops::all_gather& self) {
    if (!read_groups(self) || !read("use_global_device_ids", self.use_global_device_ids) ||
        !read_single("dimensions", self.all_gather_dim))
      return false;
    // (operands..., results...)
    if (is(now_.opcode, "all-gather-start") && now_.type_count == 2 * parts_.operand_count)
      keep_types(parts_.operand_count, parts_.operand_count);
    return true;
  }
  constexpr bool read_into(ops::reduce_scatter& self) {
    return read_groups(self) && read("use_global_device_ids", self.use_global_device_ids) &&
           read_single("dimensions", self.scatter_dimension) && add_region("to_apply");
  }
  constexpr bool read_into(ops::collective_broadcast& self) { return read_groups(self); }
  constexpr bool read_into(ops::collective_permute& self) {
    if (!read("channel_id", self.channel_id) || !read("source_target_pairs", self.source_target_pairs)) return false;
    // (operand, result, contexts...)
    if (is(now_.opcode, "collective-permute-start") && now_.type_count > 1) keep_types(1, 1);
    return true;
  }
  // (data, context, token)
  constexpr bool read_into(ops::send& self) {
    if (!read("channel_id", self.channel_id) || !read("is_host_transfer", self.is_host_transfer)) return false;
    if (self.is_host_transfer) self.channel_type = channel_types::DEVICE_TO_HOST;
    if (now_.type_count == 0) return wrong_type();
    keep_types(now_.type_count - 1, 1);
    return true;
  }
  constexpr bool read_into(ops::recv& self) {
    if (!read("channel_id", self.channel_id) || !read("is_host_transfer", self.is_host_transfer)) return false;
    if (self.is_host_transfer) self.channel_type = channel_types::HOST_TO_DEVICE;
    if (now_.type_count > 2) {
      state.signature_types.data[now_.types + now_.type_count - 2] = type(now_.type_count - 1);
      keep_types(0, now_.type_count - 1);
    }
    return true;
  }
  constexpr bool read_into(ops::while_&) { return add_region("condition") && (full() || add_region("body")); }
  // An attribute-free one.
  constexpr bool read_into(auto&) { return true; }
};

}  // namespace tenon::text
