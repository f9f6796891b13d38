// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/hlo/instruction_reader.hpp>

namespace tenon::text::hlo {

// Reads the attributes of an instruction into the op that it is, and the computations that it applies into regions.
class op_attribute_reader : public reader_part {
 public:
  instruction_reader& lines;

  constexpr explicit op_attribute_reader(instruction_reader& of_lines) : reader_part(of_lines), lines(of_lines) {}

  // Most ops: the computation that they apply is in to_apply.
  template <class Op>
  constexpr bool read_into(Op& self) {
    if (!attributes.read_fields(self)) return false;
    if constexpr (requires { &Op::region_arguments; }) return emit.add_region("to_apply");
    return true;
  }
  constexpr bool read_into(ops::slice& self) { return attributes.read_slices(self); }
  constexpr bool read_into(ops::pad& self) { return attributes.read_padding(self); }
  constexpr bool read_into(ops::dynamic_slice& self) {
    return attributes.read("dynamic_slice_sizes", self.slice_sizes);
  }

  // Products. HLO's algorithm is a hint.
  constexpr bool read_into(ops::dot_general& self) { return attributes.read_fields(self.dot_dimension_numbers); }
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

  // Windows and scans.
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
  // The carries are the last of the operands, and of what the computation gives.
  constexpr bool read_into(ops::scan& self) {
    index_t carries = 0;
    if (!attributes.read("dimensions", self.dimension) || !attributes.read("num_carries", carries) ||
        !attributes.read("is_reverse", self.is_reverse) || !attributes.read("is_associative", self.is_associative))
      return false;
    if (carries < 0 || carries > now.parts.operand_count || carries > now.type_count)
      return attributes.missing("scan has num_carries operands and results or more");
    self.operand_segment_sizes = {now.parts.operand_count - carries, carries};
    self.result_segment_sizes = {now.type_count - carries, carries};
    return emit.add_region("to_apply");
  }

  // Several processes, and the world outside.
  constexpr bool read_into(ops::all_gather& self) {
    if (!attributes.read_fields(self)) return false;
    // (operands..., results...)
    if (in.is(now.opcode, "all-gather-start") && now.type_count == 2 * now.parts.operand_count)
      lines.keep_types(now.parts.operand_count, now.parts.operand_count);
    return true;
  }
  constexpr bool read_into(ops::collective_permute& self) {
    if (!attributes.read_fields(self)) return false;
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

 private:
  emitter& emit = lines.emit;
  attribute_reader& attributes = emit.attributes;
  instruction& now = attributes.now;
};

}  // namespace tenon::text::hlo
