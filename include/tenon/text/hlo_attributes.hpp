// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/hlo_shape.hpp>

namespace tenon::text {

namespace detail {

// What an attribute says that has no meaning for the result.
constexpr bool means_nothing(word_key name) {
  for (const word_key each : {key_of("metadata"),
                              key_of("backend_config"),
                              key_of("frontend_attributes"),
                              key_of("sharding"),
                              key_of("control-predecessors"),
                              key_of("operand_precision"),
                              key_of("algorithm"),
                              key_of("kind"),
                              key_of("outer_dimension_partitions"),
                              key_of("origin"),
                              key_of("statistics"),
                              key_of("output_to_operand_aliasing"),
                              key_of("constrain_layout"),
                              key_of("channel_id"),
                              key_of("async_execution_thread"),
                              key_of("execution_thread"),
                              key_of("parameter_replication"),
                              key_of("original_value"),
                              key_of("schedule"),
                              key_of("custom_call_schedule"),
                              key_of("custom_call_has_side_effect"),
                              key_of("api_version"),
                              key_of("operand_layout_constraints"),
                              key_of("called_computations"),
                              key_of("is_host_transfer"),
                              key_of("infeed_config"),
                              key_of("outfeed_config"),
                              key_of("outfeed_shape"),
                              key_of("result_accuracy"),
                              key_of("indices_are_sorted"),
                              key_of("unique_indices"),
                              key_of("inferred_dimension"),
                              key_of("cross_program_prefetch_index"),
                              key_of("is_composite"),
                              key_of("allow_spmd_sharding_propagation_to_output")})
    if (each == name) return true;
  return false;
}

// Axis of each letter of b01f_01io->b01f.
struct hlo_labels {
  index_t first = -1, second = -1;  // batch or input feature; feature or output feature
  ints spatial;
};

}  // namespace detail

// Reads the attributes of an instruction of HLO text.
class hlo_attribute_reader : public hlo_shape_reader {
 public:
  using hlo_shape_reader::hlo_shape_reader;

 protected:
  static constexpr int most_listed_operands = 64;

  // The instruction that is being read. Its types are the last ones of signature_types.
  struct instruction {
    word name, opcode;
    int types = 0, type_count = 0;
    bool nested = false;    // tuples within the tuple
    int operand_count = 0;  // as they are listed; a tuple counts as one
    value_name first_operand;
    ints layout;  // of a single array: minor to major
  };

  instruction now_;
  op_parts parts_;
  int first_leaves_[most_listed_operands] = {};  // of the operands: where their values begin

  constexpr bool full() { return g.overflow() || state.overflow(); }

  constexpr bool read_hlo_attributes() {
    while (at < size && next() == ',') {
      ++at;
      const word name = read_symbol();
      if (name.size == 0) return fail("syntax", "the name of an attribute is expected after ,");
      if (!need('=', "= is expected after the name of an attribute")) return false;
      skip_blank();
      attribute_entry entry;
      entry.name = name;
      entry.position = at;
      state.attributes.push(entry);
      if (!skip_attribute_value()) return false;
    }
    return true;
  }

  // Where the value of an attribute begins, or -1.
  constexpr int find_attribute(const keyword& name) {
    for (int i = 0; i < state.attributes.size; ++i) {
      attribute_entry& each = state.attributes.data[i];
      if (!is(each.name, name)) continue;
      each.used = true;
      return each.position;
    }
    return -1;
  }
  constexpr bool missing(const char* sentence) { return fail("attribute", sentence, now_.opcode.first); }
  constexpr bool expected(const char* sentence) { return fail("attribute", sentence); }

  // {1,0}
  constexpr bool read(const keyword& name, ints& list) {
    const int position = find_attribute(name);
    if (position < 0) return true;
    at = position;
    return read_list(list);
  }
  constexpr bool read_list(ints& list) {
    if (!take('{')) return expected("a list such as {0,1} is expected");
    if (take('}')) return true;
    do {
      index_t value = 0;
      if (!read_number(value)) return false;
      list.push(value);
    } while (take(','));
    if (list.dropped > 0) return fail("not_supported", "a list has at most 8 numbers");
    return take('}') || expected(", or } is expected");
  }
  constexpr bool read_number(index_t& value) {
    skip_blank();
    const bool negative = at < size && data[at] == '-';
    if (negative) ++at;
    if (!read_natural(value)) return false;
    if (negative) value = -value;
    return true;
  }
  constexpr bool read(const keyword& name, index_t& value) {
    const int position = find_attribute(name);
    if (position < 0) return true;
    at = position;
    return read_number(value);
  }
  constexpr bool read(const keyword& name, std::int32_t& value) {
    index_t wide = value;
    if (!read(name, wide)) return false;
    value = std::int32_t(wide > INT32_MAX ? INT32_MAX : wide < INT32_MIN ? INT32_MIN : wide);
    return true;
  }
  constexpr bool read(const keyword& name, bool& value) {
    const int position = find_attribute(name);
    if (position < 0) return true;
    at = position;
    const word written = read_word();
    value = is(written, "true");
    return value || is(written, "false") || expected("true or false is expected");
  }
  constexpr bool read(const keyword& name, double& value) {
    const int position = find_attribute(name);
    if (position < 0) return true;
    at = position;
    return read_float(value);
  }
  // One of the words of an enumeration.
  template <class Enum, int Count>
  constexpr bool read_choice(const keyword& name, Enum& value, const keyword (&words)[Count],
                             const Enum (&values)[Count]) {
    const int position = find_attribute(name);
    if (position < 0) return true;
    at = position;
    const word written = read_word();
    for (int i = 0; i < Count; ++i)
      if (is(written, words[i])) {
        value = values[i];
        return true;
      }
    return fail("attribute", "the value of the attribute is unknown", position);
  }
  // A list of one number.
  constexpr bool read_single(const keyword& name, index_t& value) {
    ints list;
    if (!read(name, list)) return false;
    if (list.size == 1) value = list[0];
    return list.size <= 1 || expected("one dimension is expected");
  }

  // {{0,1},{2,3}}, {} or the short form [2,2]<=[4] or [2,2]<=[2,2]T(1,0).
  constexpr bool read(const keyword& name, ints_table& rows) {
    const int position = find_attribute(name);
    if (position < 0) return true;
    at = position;
    if (next() == '[') return read_counted_rows(rows);
    if (next() == 'm') return read_mesh_rows(rows);
    if (!take('{')) return expected("lists such as {{0,1},{2,3}} are expected");
    if (take('}')) return true;
    do {
      ints row;
      if (!read_list(row)) return false;
      rows.push(row);
    } while (take(','));
    if (rows.dropped > 0)
      return fail("not_supported", "groups have equal sizes, and there are at most 64 numbers", position);
    return take('}') || expected(", or } is expected");
  }
  // The numbers 0, 1, ... as an array of the second shape, transposed, then cut into rows of the first shape.
  constexpr bool read_counted_rows(ints_table& rows) {
    const int position = at;
    ints shape, counted, order;
    if (!read_bracketed(shape)) return false;
    if (!take('<') || !take('=')) return expected("<= is expected");
    if (!read_bracketed(counted)) return false;
    if (take('T')) {
      if (!take('(')) return expected("( is expected");
      do {
        index_t axis = 0;
        if (!read_natural(axis)) return false;
        order.push(axis);
      } while (take(','));
      if (!take(')')) return expected(", or ) is expected");
    } else {
      order = ints::range(counted.size);
    }
    const bool good = shape.size == 2 && order.size == counted.size && order.unique() &&
                      order.within(0, counted.size) && shape.product() == counted.product() && counted.positive();
    if (!good) return fail("attribute", "groups such as [2,2]<=[4] are expected", position);
    if (shape.product() > ints_table::capacity || shape[1] > max_rank)
      return fail("not_supported", "there are at most 64 processes in groups of at most 8", position);
    const ints strides = strides_of(counted).select(order), sizes = counted.select(order);
    ints row;
    for_each_index(sizes, [&](const ints& index) {
      index_t number = 0;
      for (int i = 0; i < index.size; ++i) number += index[i] * strides[i];
      row.push(number);
      if (row.size == shape[1]) {
        rows.push(row);
        row = ints{};
      }
    });
    return true;
  }
  // mesh['x'=2,'y'=4] {'y'}: the numbers of a grid with these axes, in rows along the axes in braces.
  constexpr bool read_mesh_rows(ints_table& rows) {
    const int position = at;
    word names[max_rank];
    ints sizes, along;
    const word title = read_word();
    bool good = is(title, "mesh") && take('[');
    while (good && !take(']')) {
      word name;
      index_t count = 0;
      good =
          (sizes.empty() || take(',')) && read_axis(name) && take('=') && read_natural(count) && sizes.size < max_rank;
      if (good) names[sizes.size] = name, sizes.push(count);
    }
    good = good && take('{');
    while (good && !take('}')) {
      word name;
      good = (along.empty() || take(',')) && read_axis(name);
      index_t axis = 0;
      while (good && axis < sizes.size && !same(names[axis], name)) ++axis;
      good = good && axis < sizes.size && !along.contains(axis);
      if (good) along.push(axis);
    }
    if (!good || !sizes.positive())
      return fail("attribute", "groups such as mesh['x'=2,'y'=2] {'y'} are expected", position);
    const ints across = ints::range(sizes.size).without(along), strides = strides_of(sizes);
    const index_t columns = sizes.select(along).product();
    if (sizes.product() > ints_table::capacity || columns > max_rank)
      return fail("not_supported", "there are at most 64 processes in groups of at most 8", position);
    for_each_index(sizes.select(across), [&](const ints& row) {
      index_t first = 0;
      for (int i = 0; i < row.size; ++i) first += row[i] * strides[across[i]];
      ints numbers;
      for_each_index(sizes.select(along), [&](const ints& column) {
        index_t number = first;
        for (int i = 0; i < column.size; ++i) number += column[i] * strides[along[i]];
        numbers.push(number);
      });
      rows.push(numbers);
    });
    return true;
  }
  // 'x'
  constexpr bool read_axis(word& name) {
    if (!take('\'')) return false;
    name = read_name();
    return name.size > 0 && take('\'');
  }
  constexpr bool read_bracketed(ints& list) {
    if (!take('[')) return expected("[ is expected");
    do {
      index_t value = 0;
      if (!read_natural(value)) return false;
      list.push(value);
    } while (take(','));
    if (list.dropped > 0) return fail("not_supported", "a list has at most 8 numbers");
    return take(']') || expected(", or ] is expected");
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
    const int position = find_attribute("window");
    if (position < 0) return true;
    at = position;
    if (!take('{')) return expected("a window such as {size=2x2 stride=1x1} is expected");
    while (!take('}')) {
      const word name = read_word();
      if (!take('=')) return expected("= is expected in a window");
      ints* const list = is(name, "size")           ? &into.size
                         : is(name, "stride")       ? &into.stride
                         : is(name, "pad")          ? &into.low
                         : is(name, "lhs_dilate")   ? &into.lhs_dilate
                         : is(name, "rhs_dilate")   ? &into.rhs_dilate
                         : is(name, "rhs_reversal") ? &into.rhs_reversal
                                                    : nullptr;
      if (list == nullptr) return fail("attribute", "a window has no such part", name.first);
      do {
        index_t value = 0;
        if (!read_number(value)) return false;
        list->push(value);
        if (list == &into.low) {
          if (at >= size || data[at] != '_') return expected("a padding such as 1_1 is expected");
          ++at;
          if (!read_number(value)) return false;
          into.high.push(value);
        }
      } while (at < size && data[at] == 'x' && ++at);
      if (list->dropped > 0) return fail("not_supported", "a window has at most 8 dimensions");
    }
    return true;
  }
  // 1_4_1x4_8_0
  constexpr bool read_padding(ops::pad& self) {
    const int position = find_attribute("padding");
    if (position < 0) return missing("pad has the attribute padding");
    at = position;
    // A scalar has no padding at all.
    if (type_of_operand(0).rank() == 0) return true;
    do {
      index_t low = 0, high = 0, interior = 0;
      if (!read_number(low)) return false;
      if (at >= size || data[at] != '_') return expected("a padding such as 1_1 or 1_1_0 is expected");
      ++at;
      if (!read_number(high)) return false;
      if (at < size && data[at] == '_') {
        ++at;
        if (!read_number(interior)) return false;
      }
      self.edge_padding_low.push(low), self.edge_padding_high.push(high), self.interior_padding.push(interior);
    } while (at < size && data[at] == 'x' && ++at);
    return true;
  }
  // {[0:2], [1:9:3]}
  constexpr bool read_slices(ops::slice& self) {
    const int position = find_attribute("slice");
    if (position < 0) return missing("slice has the attribute slice");
    at = position;
    if (!take('{')) return expected("slices such as {[0:2], [1:9:3]} are expected");
    if (take('}')) return true;
    do {
      index_t start = 0, limit = 0, stride = 1;
      if (!take('[')) return expected("[ is expected");
      if (!read_number(start)) return false;
      if (!take(':')) return expected(": is expected");
      if (!read_number(limit)) return false;
      if (take(':') && !read_number(stride)) return false;
      if (!take(']')) return expected("] is expected");
      self.start_indices.push(start), self.limit_indices.push(limit), self.strides.push(stride);
    } while (take(','));
    return take('}') || expected(", or } is expected");
  }
  // b01f_01io->b01f
  constexpr bool read_labels(auto& numbers) {
    const int position = find_attribute("dim_labels");
    if (position < 0) return missing("convolution has the attribute dim_labels");
    at = position;
    text::detail::hlo_labels lhs, rhs, output;
    if (!read_side(lhs, 'b', 'f')) return false;
    if (at >= size || data[at] != '_') return expected("_ is expected between the labels of lhs and rhs");
    ++at;
    if (!read_side(rhs, 'i', 'o')) return false;
    if (!accept_arrow()) return expected("-> is expected before the labels of the result");
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
  constexpr bool read_side(text::detail::hlo_labels& side, char first, char second) {
    const int start = at;
    index_t axis = 0;
    ints spatial = ints::filled(max_rank, -1);
    int count = 0;
    for (; at < size && axis <= max_rank; ++at, ++axis) {
      const char c = data[at];
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
    return good || fail("attribute", "labels such as b01f_01io->b01f are expected", start);
  }

  constexpr tensor_type type_of_operand(int i) const {
    return i < parts_.operand_count ? g.types.data[g.values.data[g.operands.data[parts_.operands + i]].type]
                                    : tensor_type{};
  }
};

}  // namespace tenon::text
