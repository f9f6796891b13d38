// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/text/graph_builder.hpp>
#include <tenon/text/parse_options.hpp>

namespace tenon::text::mlir {

// Reads types into the graph, each different one once.
// https://openxla.org/stablehlo/spec#types
class type_reader : public reader_part {
 public:
  using reader_part::reader_part;

  // The number of the type that comes next.
  constexpr bool read_type(int& type) {
    in.skip_space();
    // Most types have been met not long ago.
    for (int i = 0; i < recent_count_; ++i) {
      if (is_at(state.type_texts.data[recent_[i]].text)) {
        type = state.type_texts.data[recent_[i]].type;
        in.at += state.type_texts.data[recent_[i]].text.size;
        return true;
      }
    }
    const word text = text_of_tensor_type();
    if (text.size == 0) {
      tensor_type value;
      if (!read_any_type(value)) return false;
      type = build.intern(value);
      return true;
    }
    const int slot =
        state.type_text_slots.find(text.key, [&](int i) { return in.same(state.type_texts.data[i].text, text); });
    if (const int found = state.type_text_slots.at[slot]; found != 0) {
      in.at = text.end();
      type = state.type_texts.data[found - 1].type;
      remember(found - 1);
      return true;
    }
    tensor_type value;
    if (!read_any_type(value)) return false;
    type = build.intern(value);
    if (in.at == text.end() && !build.types_overflow()) {
      const int entry = state.type_texts.push({text, type});
      if (state.type_texts.overflow) return true;
      state.type_text_slots.at[slot] = entry + 1;
      remember(entry);
    }
    return true;
  }

 private:
  // Entries of type_texts.
  int recent_[4] = {};
  int recent_count_ = 0, next_recent_ = 0;

  constexpr void remember(int entry) {
    recent_[next_recent_] = entry;
    next_recent_ = (next_recent_ + 1) % 4;
    if (recent_count_ < 4) ++recent_count_;
  }
  // A type's text ends with its last bracket, so nothing may follow that would belong to it.
  constexpr bool is_at(const word& text) const {
    return text.size <= in.size - in.at && in.data[in.at + text.size - 1] == '>' &&
           in.same_characters(in.at, in.data + text.first, text.size);
  }

  // Recursive types (tuples in tuples) may go no deeper.
  static constexpr int deepest_type = 16;
  int type_depth_ = 0;

  // The extent of `tensor<...>`, or an empty word if something else comes next.
  constexpr word text_of_tensor_type() const {
    if (in.at + 8 > in.size || in.data[in.at] != 't' || in.data[in.at + 1] != 'e' || in.data[in.at + 6] != '<')
      return {in.at, 0, 0};
    word_key key = 0;
    int depth = 0;
    for (int i = in.at; i < in.size; ++i) {
      const char c = in.data[i];
      key = ((key << 8) | static_cast<unsigned char>(c)) + (key >> 56) * 0x9E3779B97F4A7C15u;
      if (c == '<') {
        ++depth;
      } else if (c == '>') {
        if (--depth == 0) return {in.at, i + 1 - in.at, key};
      } else if (c == '"' || c == '\n') {
        break;
      }
    }
    return {in.at, 0, 0};
  }

  constexpr bool read_any_type(tensor_type& type) {
    if (type_depth_ == deepest_type) return in.fail("too_large", "types are nested deeper than 16");
    ++type_depth_;
    const bool result = read_one_type(type);
    --type_depth_;
    return result;
  }

  constexpr bool read_one_type(tensor_type& type) {
    const char c = in.peek();
    const int start = in.at;
    if (c == '!') return read_dialect_type(type);
    if (c == '(') return in.fail("type", "a value cannot be a function");
    const word kind = in.read_word();
    if (in.is(kind, "tensor")) return read_tensor(type);
    if (in.is(kind, "token")) return type = token_type(), true;
    if (in.is(kind, "tuple")) return type.element = dtype::tuple, read_members(type);
    if (in.is(kind, "memref")) {
      // Its referent is kept as its only member.
      tensor_type target;
      if (!read_tensor(target)) return false;
      type.element = dtype::other;
      return build.intern_members({&target, 1}, type);
    }
    in.at = start;
    return in.fail("type", "a type is expected, such as tensor<2x3xf32>", start);
  }

  constexpr bool read_dialect_type(tensor_type& type) {
    const int start = in.at++;
    const word name = in.read_name();
    if (in.is(name, "stablehlo.token") || in.is(name, "mhlo.token")) return type = token_type(), true;
    if (in.is(name, "stablehlo.future")) {
      type.element = dtype::future;
      if (!read_members(type)) return false;
      for (const tensor_type& member : g.members_of(type))
        if (!member.is_tensor()) return in.fail("type", "a future stands for tensors", start);
      return true;
    }
    for (int i = 0; i < state.aliases.size; ++i) {
      const alias& known = state.aliases.data[i];
      if (known.kind != alias::what::type || !in.same(known.text, name)) continue;
      const int after = in.at;
      in.at = known.position;
      const bool result = read_any_type(type);
      in.at = after;
      return result;
    }
    return in.fail("type", "the type is unknown", start);
  }

  // `<2x3xf32>`, `<f32>`, `<?x4xf32, #stablehlo.bounds<3, ?>>`.
  constexpr bool read_tensor(tensor_type& type) {
    if (!in.expect('<', "< is expected, as in tensor<2x3xf32>")) return false;
    const int start = in.at;
    type = {};
    unsigned unknown = 0;
    if (in.peek() == '*') return in.fail("type", "tensors without a rank are not supported: give a static shape");
    while (in.at < in.size) {
      index_t extent = 0;
      if (in.data[in.at] == '?') {
        unknown |= 1u << type.shape.size;
        ++in.at;
      } else if (text::detail::is(in.data[in.at], text::detail::digit)) {
        if (!in.read_natural(extent)) return false;
      } else {
        break;
      }
      if (in.at >= in.size || in.data[in.at] != 'x') return in.fail("syntax", "x is expected between dimensions");
      ++in.at;
      if (type.shape.size == max_rank) return in.fail("too_large", "tensors have at most 8 dimensions", start);
      type.shape.push(extent);
    }
    if (!read_element(type)) return false;
    if (in.accept(',') && !read_encoding(type, unknown)) return false;
    if (unknown != 0 && state.open_sizes) {
      for (int d = 0; d < type.rank(); ++d)
        if ((unknown >> d & 1) != 0) type.shape.at[d] = open_size;
    } else if (unknown != 0)
      return in.fail("type",
                     "the size of a dimension is unknown (?): give the shapes of the arguments, or a bound as in "
                     "tensor<?xf32, #stablehlo.bounds<8>>",
                     start);
    return in.expect('>', "> is expected after the element type") && check_quantization(type, start);
  }

  constexpr bool read_element(tensor_type& type) {
    const int start = in.at;
    if (in.peek() == '!') {
      ++in.at;
      const word name = in.read_name();
      if (in.is(name, "quant.uniform")) return read_quantized(type);
      return in.fail("type", "the element type is unknown", start);
    }
    const word name = in.read_word();
    if (in.is(name, "complex")) {
      if (!in.expect('<', "< is expected after complex")) return false;
      const word part = in.read_word();
      type.element = in.is(part, "f32") ? dtype::complex_f32 : in.is(part, "f64") ? dtype::complex_f64 : dtype::none;
      if (type.element == dtype::none) return in.fail("type", "the parts of a complex number are f32 or f64", start);
      return in.expect('>', "> is expected");
    }
    if (in.is(name, "index")) return type.element = dtype::other, true;
    type.element = element_named(name);
    if (!is_element(type.element)) return in.fail("type", "the element type is unknown", start);
    return true;
  }

  // `#stablehlo.bounds<3, ?>` or `#stablehlo.type_extensions<bounds = [3, ?]>`.
  constexpr bool read_encoding(tensor_type& type, unsigned& unknown) {
    const int start = in.at;
    if (!in.accept('#')) return in.fail("type", "the encoding of this tensor type is not supported", start);
    const word name = in.read_name();
    const bool extensions = in.is(name, "stablehlo.type_extensions");
    if (!extensions && !in.is(name, "stablehlo.bounds"))
      return in.fail("type", "the encoding of this tensor type is not supported", start);
    if (!in.expect('<', "< is expected")) return false;
    if (extensions && (!in.accept("bounds") || !in.expect('=', "= is expected") || !in.expect('[', "[ is expected")))
      return in.fail("syntax", "bounds = [...] is expected");
    const char close = extensions ? ']' : '>';
    int axis = 0;
    if (in.peek() != close) {
      do {
        if (axis >= type.shape.size) return in.fail("type", "there are more bounds than dimensions", start);
        if (in.accept('?')) {
          ++axis;
          continue;
        }
        index_t bound = 0;
        if (!in.read_natural(bound)) return false;
        if ((unknown >> axis & 1) == 0) return in.fail("type", "a dimension of known size has no bound", start);
        type.shape.at[axis] = bound;
        type.bounded = std::uint8_t(type.bounded | 1u << axis);
        unknown &= ~(1u << axis);
        ++axis;
      } while (in.accept(','));
    }
    if (axis != type.shape.size) return in.fail("type", "every dimension has a bound or ?", start);
    return in.expect(close, "the list of bounds is not closed") && (!extensions || in.expect('>', "> is expected"));
  }

  // `<i8:f32, 1.0:17>`, `<i8<-127:127>:f32:1, {0.1:-30, 0.2:0}>`.
  constexpr bool read_quantized(tensor_type& type) {
    const int start = in.at;
    graph_quantization q;
    if (!in.expect('<', "< is expected after !quant.uniform")) return false;
    q.storage = element_named(in.read_word());
    if (!is_integer(q.storage) || num_bits(q.storage) > 32)
      return in.fail("type", "the storage type is an integer type", start);
    const int bits = num_bits(q.storage);
    const bool is_signed = is_signed_integer(q.storage);
    const index_t lowest = is_signed ? -(index_t{1} << (bits - 1)) : 0;
    const index_t highest = is_signed ? (index_t{1} << (bits - 1)) - 1 : (index_t{1} << bits) - 1;
    q.storage_min = lowest, q.storage_max = highest;
    if (in.accept('<')) {
      if (!in.read_integer(q.storage_min) || !in.expect(':', ": is expected") || !in.read_integer(q.storage_max) ||
          !in.expect('>', "> is expected"))
        return false;
      if (q.storage_min < lowest || q.storage_max > highest || q.storage_min >= q.storage_max)
        return in.fail("quantized_element_c3",
                       "min_value(storage_type) <= storage_min < storage_max <= max_value(storage_type)", start);
    }
    if (!in.expect(':', ": and the expressed type are expected")) return false;
    const word expressed = in.read_word();
    q.expressed = dtype_named({in.data + expressed.first, std::size_t(expressed.size)});
    if (!is_float(q.expressed)) return in.fail("type", "the expressed type is a floating-point type", start);
    if (in.accept(':')) {
      index_t dimension = 0;
      if (in.peek() == '-') return in.fail("quantized_element_c11", "0 <= quantization_dimension");
      if (in.peek() == '{') return in.fail("not_supported", "quantization along several dimensions is not supported");
      if (!in.read_natural(dimension)) return false;
      q.dimension = dimension > max_rank ? max_rank : int(dimension);
    }
    if (!in.expect(',', ", and a scale are expected")) return false;
    const bool several = in.accept('{');
    if (several != (q.dimension >= 0))
      return in.fail("quantized_element_c10", "if is_empty(quantization_dimension) then size(scales) = 1", start);
    q.first = g.scales.size;
    do {
      if (!read_scale(q)) return false;
    } while (several && in.accept(','));
    if (several && !in.expect('}', "} is expected after the scales")) return false;
    if (!in.expect('>', "> is expected after the scales")) return false;
    type.element = q.storage;
    return build.intern_quantization(q, type, start);
  }

  constexpr bool read_scale(graph_quantization& q) {
    in.skip_space();
    const int start = in.at;
    double scale = 0;
    if (in.same_characters(start, "0x", 2) ? !read_bits_of_scale(q.expressed, scale) : !in.read_float(scale))
      return false;
    if (!(scale > 0)) return in.fail("quantized_element_c5", "0 < scales", start);
    const double least = number_of(q.expressed, 1), most = number_of(q.expressed, format_of(q.expressed).max());
    if (scale < least || scale > most) return in.fail("quantized_element_c6", "is_finite(scales...)", start);
    index_t zero_point = 0;
    if (in.accept(':') && !in.read_integer(zero_point)) return false;
    if (zero_point < q.storage_min || zero_point > q.storage_max)
      return in.fail("quantized_element_c7", "storage_min <= zero_points <= storage_max", start);
    g.scales.push(scale);
    g.zero_points.push(zero_point);
    ++q.count;
    return true;
  }

  // `0x3F800000`
  constexpr bool read_bits_of_scale(dtype type, double& scale) {
    const int start = in.at;
    std::uint64_t bits = 0;
    if (!in.read_magnitude(bits)) return false;
    if (in.at - start != 2 + num_bits(type) / 4)
      return in.fail("float_constant_c2", "size(hexadecimal_digits) = num_bits(float_type) / 4", start);
    const bool finite = bits <= format_of(type).max(), negative = (bits & format_of(type).sign()) != 0;
    scale = finite ? number_of(type, bits) : negative ? -1 : std::numeric_limits<double>::infinity();
    return true;
  }

  // Integers have several spellings: i8 and si8, ui8 and u8.
  constexpr dtype element_named(const word& name) const {
    std::string_view text{in.data + name.first, std::size_t(name.size)};
    if (text.size() > 2 && text[0] == 's' && text[1] == 'i') text.remove_prefix(1);
    for (const dtype each : {dtype::ui2, dtype::ui4, dtype::ui8, dtype::ui16, dtype::ui32, dtype::ui64})
      if (text.size() > 1 && text[0] == 'u' && text.substr(1) == tenon::name(each).substr(2)) return each;
    return dtype_named(text);
  }

  // The number that has these bits in a float type, neither negative nor infinite.
  static constexpr double number_of(dtype type, std::uint64_t bits) {
    const float_format format = format_of(type);
    const int exponent = int(bits >> format.mantissa_bits);
    const std::uint64_t one = std::uint64_t{1} << format.mantissa_bits;
    const std::uint64_t significand = exponent == 0 ? bits : (bits & (one - 1)) | one;
    return double(significand) * power_of_two((exponent == 0 ? 1 : exponent) - format.bias - format.mantissa_bits);
  }
  static constexpr double power_of_two(int exponent) {
    double result = 1;
    for (; exponent > 0; --exponent) result *= 2;
    for (; exponent < 0; ++exponent) result /= 2;
    return result;
  }

  constexpr bool check_quantization(const tensor_type& type, int start) {
    if (type.quantization == 0 || g.scales.overflow || g.quantizations.overflow) return true;
    const graph_quantization& q = g.quantizations.data[type.quantization - 1];
    if (q.dimension < 0) return true;
    if (q.dimension >= type.rank())
      return in.fail("quantized_tensor_c12", "quantization_dimension < rank(self)", start);
    if (type.shape.at[q.dimension] != q.count)
      return in.fail("quantized_tensor_c13", "dim(self, quantization_dimension) = size(scales)", start);
    return true;
  }

  // `<T, T>`.
  constexpr bool read_members(tensor_type& type) {
    if (!in.expect('<', "< is expected")) return false;
    table<tensor_type>& members = state.types;
    const int first = members.size;
    if (!in.accept('>')) {
      do {
        tensor_type member;
        if (!read_any_type(member)) return false;
        members.push(member);
      } while (in.accept(','));
      if (!in.expect('>', "> is expected after the members")) return false;
    }
    const list<tensor_type> all{members.data + first, members.size - first};
    members.size = first;
    return members.overflow || build.intern_members(all, type);
  }
};

}  // namespace tenon::text::mlir
