// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/ops/all.hpp>
#include <tenon/text/hlo/instruction.hpp>
#include <tenon/text/mlir/attribute_fields.hpp>

namespace tenon::text::hlo {

// Attributes that mean nothing for the result.
inline constexpr key_list<35> ignored_attributes(
    "metadata backend_config frontend_attributes sharding control-predecessors operand_precision algorithm kind "
    "outer_dimension_partitions origin statistics output_to_operand_aliasing constrain_layout channel_id "
    "async_execution_thread execution_thread parameter_replication original_value schedule custom_call_schedule "
    "custom_call_has_side_effect api_version operand_layout_constraints called_computations is_host_transfer "
    "infeed_config outfeed_config outfeed_shape result_accuracy indices_are_sorted unique_indices inferred_dimension "
    "cross_program_prefetch_index is_composite allow_spmd_sharding_propagation_to_output");

// Fields of ops that HLO has by another name.
inline constexpr mlir::short_name hlo_names[] = {{"broadcast_dimensions", "dimensions"},
                                                 {"permutation", "dimensions"},
                                                 {"dimension", "dimensions"},
                                                 {"all_gather_dim", "dimensions"},
                                                 {"scatter_dimension", "dimensions"},
                                                 {"comparison_direction", "direction"},
                                                 {"compare_type", "type"},
                                                 {"rng_algorithm", "algorithm"},
                                                 {"rng_distribution", "distribution"},
                                                 {"lhs_batching_dimensions", "lhs_batch_dims"},
                                                 {"rhs_batching_dimensions", "rhs_batch_dims"},
                                                 {"lhs_contracting_dimensions", "lhs_contracting_dims"},
                                                 {"rhs_contracting_dimensions", "rhs_contracting_dims"},
                                                 {"lhs_ragged_dimensions", "lhs_ragged_dims"},
                                                 {"rhs_group_dimensions", "rhs_group_dims"}};

// Axis of each letter of b01f_01io->b01f.
struct labels {
  index_t first = -1, second = -1;  // batch or input feature; feature or output feature
  ints spatial;
};

// Notes the attributes of an instruction and reads them.
class attribute_reader : public reader_part {
 public:
  instruction& now;

  constexpr attribute_reader(const reader_part& other, instruction& that_is_read)
      : reader_part(other), now(that_is_read) {}

  constexpr bool note_attributes() {
    while (in.at < in.size && in.next() == ',') {
      ++in.at;
      const word name = in.read_symbol();
      if (name.size == 0) return in.fail("syntax", "the name of an attribute is expected after ,");
      if (!in.need('=', "= is expected after the name of an attribute")) return false;
      in.skip_blank();
      attribute_entry entry;
      entry.name = name;
      entry.position = in.at;
      state.attributes.push(entry);
      if (!in.skip_attribute_value()) return false;
    }
    return true;
  }

  // Where the value of an attribute begins, or -1.
  constexpr int find_attribute(const keyword& name) {
    for (int i = 0; i < state.attributes.size; ++i) {
      attribute_entry& each = state.attributes.data[i];
      if (!in.is(each.name, name)) continue;
      each.used = true;
      return each.position;
    }
    return -1;
  }
  // Whether there is such an attribute; then its value is next.
  constexpr bool go_to(const keyword& name) {
    const int position = find_attribute(name);
    if (position >= 0) in.at = position;
    return position >= 0;
  }
  // Numbers between commas, and what closes the list.
  constexpr bool read_numbers(char close, ints& list, const char* sentence) {
    do {
      index_t value = 0;
      if (!in.read_number(value)) return false;
      list.push(value);
    } while (in.take(','));
    if (list.dropped > 0) return in.fail("not_supported", "a list has at most 8 numbers");
    return in.take(close) || expected(sentence);
  }
  constexpr bool missing(const char* sentence) { return in.fail("attribute", sentence, now.opcode.first); }
  constexpr bool expected(const char* sentence) { return in.fail("attribute", sentence); }

  // {1,0}
  constexpr bool read(const keyword& name, ints& list) {
    if (!go_to(name)) return true;
    return read_list(list);
  }
  constexpr bool read_list(ints& list) {
    if (!in.take('{')) return expected("a list such as {0,1} is expected");
    return in.take('}') || read_numbers('}', list, ", or } is expected");
  }
  // A number, or a list of one.
  template <std::signed_integral Integer>
  constexpr bool read(const keyword& name, Integer& value) {
    constexpr index_t lowest = std::numeric_limits<Integer>::min(), highest = std::numeric_limits<Integer>::max();
    if (!go_to(name)) return true;
    index_t wide = value;
    if (in.next() == '{') {
      ints list;
      if (!read_list(list)) return false;
      if (list.size > 1) return expected("one dimension is expected");
      if (list.size == 1) wide = list[0];
    } else if (!in.read_number(wide)) {
      return false;
    }
    value = Integer(wide > highest ? highest : wide < lowest ? lowest : wide);
    return true;
  }
  constexpr bool read(const keyword& name, bool& value) {
    if (!go_to(name)) return true;
    const word written = in.read_word();
    value = in.is(written, "true");
    return value || in.is(written, "false") || expected("true or false is expected");
  }
  constexpr bool read(const keyword& name, double& value) {
    if (!go_to(name)) return true;
    return in.read_float(value);
  }
  // One of the words of an enumeration; those of random numbers begin with rng_ and have small letters.
  template <class Enum>
    requires std::is_enum_v<Enum>
  constexpr bool read(const keyword& name, Enum& value) {
    if (!go_to(name)) return true;
    const word written = in.read_word();
    const bool is_small = in.same_characters(written.first, "rng_", 4);
    word_key key = 0;
    for (int i = written.first + (is_small ? 4 : 0); i < written.end(); ++i)
      key = extend(key, is_small && in.data[i] >= 'a' ? char(in.data[i] - 'a' + 'A') : in.data[i]);
    for (int i = 0; i < int(std::size(enumerators<Enum>)); ++i)
      if (key == key_of(enumerators<Enum>[i])) return value = Enum(i), true;
    return in.fail("attribute", "the value of the attribute is unknown", written.first);
  }

  // {{0,1},{2,3}}, {} or the short form [2,2]<=[4] or [2,2]<=[2,2]T(1,0). The ids are kept as the only constants.
  constexpr bool read(const keyword& name, id_table& rows) {
    const int position = find_attribute(name);
    if (position < 0) return true;
    in.at = position;
    state.constants.size = 0;
    if (in.next() == '[') return read_counted_rows(rows);
    if (in.next() == 'm') return read_mesh_rows(rows);
    if (!in.take('{')) return expected("lists such as {{0,1},{2,3}} are expected");
    if (in.take('}')) return true;
    int count = 0, columns = 0, row = 0;
    do {
      const int first = count;
      if (!in.take('{')) return expected("a list such as {0,1} is expected");
      if (!in.take('}')) {
        do {
          index_t value = 0;
          if (!in.read_number(value)) return false;
          state.constants.push(value);
          ++count;
        } while (in.take(','));
        if (!in.take('}')) return expected(", or } is expected");
      }
      if (row++ == 0) columns = count;
      if (count - first != columns) return in.fail("not_supported", "groups have equal sizes", position);
    } while (in.take(','));
    keep_ids(rows, columns > 0 ? row : 0, columns);
    return in.take('}') || expected(", or } is expected");
  }
  constexpr void keep_ids(id_table& rows, index_t count, index_t columns) const {
    if (!state.constants.overflow) rows = id_table(int(count), int(columns), state.constants.data);
  }
  // The numbers 0, 1, ... as an array of the second shape, transposed, then cut into rows of the first shape.
  constexpr bool read_counted_rows(id_table& rows) {
    const int position = in.at;
    ints shape, counted, order;
    if (!read_bracketed(shape)) return false;
    if (!in.take('<') || !in.take('=')) return expected("<= is expected");
    if (!read_order(counted, order)) return false;
    const bool good =
        shape.size == 2 && shape.positive() && is_order(counted, order) && shape.product() == counted.product();
    if (!good) return in.fail("attribute", "groups such as [2,2]<=[4] are expected", position);
    if (shape.product() > id_table::most_processes) return too_many_processes(position);
    push_ids(counted.select(order), strides_of(counted).select(order));
    keep_ids(rows, shape[0], shape[1]);
    return true;
  }
  // [2,4] or [2,4]T(1,0).
  constexpr bool read_order(ints& counted, ints& order) {
    if (!read_bracketed(counted)) return false;
    order = ints::range(counted.size);
    if (!in.take('T')) return true;
    order = {};
    return in.take('(') ? read_numbers(')', order, ", or ) is expected") : expected("( is expected");
  }
  static constexpr bool is_order(const ints& counted, const ints& order) {
    return order.size == counted.size && order.unique() && order.within(0, counted.size) && counted.positive();
  }
  constexpr bool too_many_processes(int position) {
    return in.fail("too_large", "there are at most 1,048,576 processes", position);
  }
  constexpr void push_ids(const ints& sizes, const ints& strides) {
    for_each_index(sizes, [&](const ints& index) {
      index_t number = 0;
      for (int i = 0; i < index.size; ++i) number += index[i] * strides[i];
      state.constants.push(number);
    });
  }
  // device_ids=([2,4]T(1,0)) or device_ids=(0,2,1,3): the numbers of the processes in the order of a mesh.
  constexpr bool read_device_ids() {
    if (!in.is(in.read_word(), "device_ids") || !in.take('=') || !in.take('(')) return false;
    if (in.next() == '[') {
      ints counted, order;
      if (!read_order(counted, order) || !is_order(counted, order)) return false;
      if (counted.product() > id_table::most_processes) return false;
      push_ids(counted.select(order), strides_of(counted).select(order));
    } else {
      do {
        index_t id = 0;
        if (!in.read_natural(id)) return false;
        state.constants.push(id);
      } while (in.take(','));
    }
    return in.take(')');
  }
  // mesh['x'=2,'y'=4] {'y'}: the numbers of a grid with these axes, in rows along the axes in braces. Between the two
  // there may be `, device_ids=(...)`.
  constexpr bool read_mesh_rows(id_table& rows) {
    const int position = in.at;
    word names[max_rank];
    ints sizes, along;
    const word title = in.read_word();
    bool good = in.is(title, "mesh") && in.take('[');
    while (good && !in.take(']')) {
      word name;
      index_t count = 0;
      good = (sizes.empty() || in.take(',')) && read_axis(name) && in.take('=') && in.read_natural(count) &&
             sizes.size < max_rank;
      if (good) names[sizes.size] = name, sizes.push(count);
    }
    good = good && (!in.take(',') || read_device_ids()) && in.take('{');
    const int devices = state.constants.size;
    while (good && !in.take('}')) {
      word name;
      good = (along.empty() || in.take(',')) && read_axis(name);
      index_t axis = 0;
      while (good && axis < sizes.size && !in.same(names[axis], name)) ++axis;
      good = good && axis < sizes.size && !along.contains(axis);
      if (good) along.push(axis);
    }
    if (!good || !sizes.positive() || (devices > 0 && devices != sizes.product()))
      return in.fail("attribute", "groups such as mesh['x'=2,'y'=2] {'y'} are expected", position);
    if (sizes.product() > id_table::most_processes) return too_many_processes(position);
    const ints across = ints::range(sizes.size).without(along), strides = strides_of(sizes);
    push_ids(sizes.select(across) + sizes.select(along), strides.select(across) + strides.select(along));
    if (state.constants.overflow) return true;
    index_t* const ids = state.constants.data + devices;
    for (int i = 0; i < devices; ++i) ids[i] = state.constants.data[ids[i]];
    rows = id_table(int(sizes.select(across).product()), int(sizes.select(along).product()), ids);
    return true;
  }
  // 'x'
  constexpr bool read_axis(word& name) {
    if (!in.take('\'')) return false;
    name = in.read_name();
    return name.size > 0 && in.take('\'');
  }
  constexpr bool read_bracketed(ints& list) {
    return in.take('[') ? read_numbers(']', list, ", or ] is expected") : expected("[ is expected");
  }

  // The fields of an op, or of a group of them, that HLO writes as they are.
  template <class Op>
  constexpr bool read_fields(Op& self) {
    return mlir::for_fields(self, [&]<class T>(const mlir::field_name& name, T& field) {
      keyword known(name.characters, name.size, name.key);
      for (const mlir::short_name& each : hlo_names)
        if (each.field.key == name.key) known = each.text;
      if constexpr (mlir::group<T>)
        return read_fields(field);
      else if constexpr (requires { read(known, field); })
        return read(known, field);
      else
        return true;
    });
  }

  // size=3x2 stride=2x1 pad=1_1x0_1 lhs_dilate=1x1 rhs_dilate=1x1 rhs_reversal=0x1
  struct window {
    ints size, stride, lhs_dilate, rhs_dilate, rhs_reversal;
    ints low, high;

    constexpr ints_table padding() const {
      ints_table rows;
      for (int i = 0; i < low.size; ++i) rows.push({low[i], high[i]});
      return rows;
    }
  };
  constexpr bool read_window(window& into) {
    if (!go_to("window")) return true;
    if (!in.take('{')) return expected("a window such as {size=2x2 stride=1x1} is expected");
    while (!in.take('}')) {
      const word name = in.read_word();
      if (!in.take('=')) return expected("= is expected in a window");
      ints* const list = in.is(name, "size")           ? &into.size
                         : in.is(name, "stride")       ? &into.stride
                         : in.is(name, "pad")          ? &into.low
                         : in.is(name, "lhs_dilate")   ? &into.lhs_dilate
                         : in.is(name, "rhs_dilate")   ? &into.rhs_dilate
                         : in.is(name, "rhs_reversal") ? &into.rhs_reversal
                                                       : nullptr;
      if (list == nullptr) return in.fail("attribute", "a window has no such part", name.first);
      do {
        index_t edge[2]{};
        const bool pads = list == &into.low;
        if (!read_joined(edge, pads ? 2 : 1, pads ? 2 : 1)) return false;
        list->push(edge[0]);
        if (pads) into.high.push(edge[1]);
      } while (in.at < in.size && in.data[in.at] == 'x' && ++in.at);
      if (list->dropped > 0) return in.fail("not_supported", "a window has at most 8 dimensions");
    }
    return true;
  }
  // 1_1 or 1_1_0
  constexpr bool read_joined(index_t* numbers, int least, int most) {
    int count = 0;
    do {
      if (!in.read_number(numbers[count++])) return false;
    } while (count < most && in.peek_at(0) == '_' && ++in.at);
    return count >= least || expected("a padding such as 1_1 or 1_1_0 is expected");
  }
  // 1_4_1x4_8_0
  constexpr bool read_padding(ops::pad& self) {
    if (!go_to("padding")) return missing("pad has the attribute padding");
    // A scalar has no padding at all.
    if (type_of_operand(build, now, 0).rank() == 0) return true;
    do {
      index_t edge[3]{};
      if (!read_joined(edge, 2, 3)) return false;
      self.edge_padding_low.push(edge[0]), self.edge_padding_high.push(edge[1]), self.interior_padding.push(edge[2]);
    } while (in.at < in.size && in.data[in.at] == 'x' && ++in.at);
    return true;
  }
  // {[0:2], [1:9:3]}
  constexpr bool read_slices(ops::slice& self) {
    if (!go_to("slice")) return missing("slice has the attribute slice");
    if (!in.take('{')) return expected("slices such as {[0:2], [1:9:3]} are expected");
    if (in.take('}')) return true;
    do {
      index_t start = 0, limit = 0, stride = 1;
      if (!in.take('[')) return expected("[ is expected");
      if (!in.read_number(start)) return false;
      if (!in.take(':')) return expected(": is expected");
      if (!in.read_number(limit)) return false;
      if (in.take(':') && !in.read_number(stride)) return false;
      if (!in.take(']')) return expected("] is expected");
      self.start_indices.push(start), self.limit_indices.push(limit), self.strides.push(stride);
    } while (in.take(','));
    return in.take('}') || expected(", or } is expected");
  }
  // b01f_01io->b01f
  constexpr bool read_labels(auto& numbers) {
    if (!go_to("dim_labels")) return missing("convolution has the attribute dim_labels");
    labels lhs, rhs, output;
    if (!read_side(lhs, 'b', 'f')) return false;
    if (in.at >= in.size || in.data[in.at] != '_') return expected("_ is expected between the labels of lhs and rhs");
    ++in.at;
    if (!read_side(rhs, 'i', 'o')) return false;
    if (!in.accept_arrow()) return expected("-> is expected before the labels of the result");
    if (!read_side(output, 'b', 'f')) return false;
    numbers.input_batch_dimension = lhs.first;
    numbers.input_feature_dimension = lhs.second;
    numbers.input_spatial_dimensions = lhs.spatial;
    numbers.kernel_input_feature_dimension = rhs.first;
    numbers.kernel_output_feature_dimension = rhs.second;
    numbers.kernel_spatial_dimensions = rhs.spatial;
    numbers.output_batch_dimension = output.first;
    numbers.output_feature_dimension = output.second;
    numbers.output_spatial_dimensions = output.spatial;
    return true;
  }
  constexpr bool read_side(labels& side, char first, char second) {
    const int start = in.at;
    index_t axis = 0;
    ints spatial = ints::filled(max_rank, -1);
    int count = 0;
    for (; in.at < in.size && axis <= max_rank; ++in.at, ++axis) {
      const char c = in.data[in.at];
      if (c == first && side.first < 0) {
        side.first = axis;
      } else if (c == second && side.second < 0) {
        side.second = axis;
      } else if (c >= '0' && c < '0' + max_rank && spatial[c - '0'] < 0) {
        spatial.set(c - '0', axis);
        ++count;
      } else {
        break;
      }
    }
    for (int i = 0; i < count; ++i) side.spatial.push(spatial[i]);
    const bool good = side.first >= 0 && side.second >= 0 && !side.spatial.contains(-1);
    return good || in.fail("attribute", "labels such as b01f_01io->b01f are expected", start);
  }
};

}  // namespace tenon::text::hlo
