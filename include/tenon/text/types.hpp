// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/format/number.hpp>
#include <tenon/text/state.hpp>

namespace tenon::text {

// Reads types into the graph, each different one once.
// https://openxla.org/stablehlo/spec#types
class type_reader : public lexer {
 public:
  graph& g;
  parser_tables& state;

  constexpr type_reader(graph& program, parser_tables& memory, int from)
      : lexer(program.text, from), g(program), state(memory) {}

  // The number of the type that comes next.
  constexpr bool read_type(int& type) {
    skip_space();
    // Most types have been met not long ago.
    for (int i = 0; i < recent_count_; ++i) {
      if (is_at(state.type_texts.data[recent_[i]].text)) {
        type = state.type_texts.data[recent_[i]].type;
        at += state.type_texts.data[recent_[i]].text.size;
        return true;
      }
    }
    const word text = text_of_tensor_type();
    if (text.size == 0) {
      tensor_type value;
      return read_any_type(value) && intern(value, type);
    }
    const int slot =
        state.type_text_slots.find(text.key, [&](int i) { return same(state.type_texts.data[i].text, text); });
    if (const int found = state.type_text_slots.at[slot]; found != 0) {
      at = text.end();
      type = state.type_texts.data[found - 1].type;
      remember(found - 1);
      return true;
    }
    tensor_type value;
    if (!read_any_type(value) || !intern(value, type)) return false;
    if (at == text.end() && !types_overflow()) {
      const int entry = state.type_texts.push({text, type});
      if (state.type_texts.overflow) return true;
      state.type_text_slots.at[slot] = entry + 1;
      remember(entry);
    }
    return true;
  }

  constexpr bool intern(const tensor_type& value, int& type) {
    type = 0;
    if (types_overflow()) return true;
    const int slot = state.type_slots.find(key_of_type(value), [&](int i) { return g.types.data[i] == value; });
    if (const int found = state.type_slots.at[slot]; found != 0) {
      type = found - 1;
      return true;
    }
    type = g.types.push(value);
    if (!g.types.overflow) state.type_slots.at[slot] = type + 1;
    return true;
  }

  // The number of a name or text, without the quotes. Escapes are resolved unless it is kept as it is written.
  constexpr int intern_text(int first, int count, bool as_written = false) {
    bool escapes = false;
    word_key key = 0;
    for (int i = first; i < first + count; ++i) {
      key = extend(key, data[i]);
      escapes = escapes || (data[i] == '\\' && !as_written);
    }
    if (escapes) return intern_escaped(first, count);
    const int slot = slot_of_string(key, data + first, count);
    if (const int found = state.string_slots.at[slot]; found != 0) return found - 1;
    if (no_room_for_name(count)) return 0;
    const int before = g.characters.size;
    for (int i = first; i < first + count; ++i) g.characters.push(data[i]);
    return add_name(before, slot);
  }

  static constexpr word_key key_of_type(const tensor_type& type) {
    word_key key = word_key(type.element) + (word_key(type.quantization) << 8) + (word_key(type.members) << 24) +
                   (word_key(type.bounded) << 40);
    for (int i = 0; i < type.shape.size; ++i) key = key * 0x100000001B3u + word_key(type.shape.at[i]) + 1;
    return key;
  }

  constexpr bool types_overflow() const {
    return g.types.overflow || g.quantizations.overflow || g.scales.overflow || g.member_lists.overflow ||
           g.member_types.overflow;
  }
  constexpr bool names_overflow() const {
    return g.names.overflow || g.characters.overflow || state.function_of_name.overflow;
  }

 private:
  // What the escapes stand for is the name: it may be written in several ways.
  constexpr int intern_escaped(int first, int count) {
    if (no_room_for_name(count)) return 0;
    const int before = g.characters.size;
    word_key key = 0;
    for (int i = first; i < first + count; ++i) {
      const char c = data[i] == '\\' ? unescape(i, first + count) : data[i];
      key = extend(key, c);
      g.characters.push(c);
    }
    const int slot = slot_of_string(key, g.characters.data + before, g.characters.size - before);
    if (const int found = state.string_slots.at[slot]; found != 0) {
      g.characters.size = before;
      return found - 1;
    }
    return add_name(before, slot);
  }
  constexpr int slot_of_string(word_key key, const char* characters, int count) const {
    return state.string_slots.find(key, [&](int i) {
      const graph_name& name = g.names.data[i];
      if (name.size != count) return false;
      for (int c = 0; c < count; ++c)
        if (g.characters.data[name.first + c] != characters[c]) return false;
      return true;
    });
  }
  constexpr bool no_room_for_name(int count) {
    if (g.characters.capacity - g.characters.size < count) g.characters.overflow = true;
    if (g.names.size == g.names.capacity) g.names.overflow = true;
    if (state.function_of_name.size == state.function_of_name.capacity) state.function_of_name.overflow = true;
    return names_overflow();
  }
  // Its characters stand from `first` on.
  constexpr int add_name(int first, int slot) {
    const int id = g.names.push({first, g.characters.size - first});
    state.function_of_name.push(-1);
    state.string_slots.at[slot] = id + 1;
    return id;
  }

  // Entries of type_texts.
  int recent_[4];
  int recent_count_ = 0, next_recent_ = 0;

  constexpr void remember(int entry) {
    recent_[next_recent_] = entry;
    next_recent_ = (next_recent_ + 1) % 4;
    if (recent_count_ < 4) ++recent_count_;
  }
  // A type's text ends with its last bracket, so nothing may follow that would belong to it.
  constexpr bool is_at(const word& text) const {
    return text.size <= size - at && data[at + text.size - 1] == '>' &&
           same_characters(at, data + text.first, text.size);
  }

  // Recursive types (tuples in tuples) may go no deeper.
  static constexpr int deepest_type = 16;
  int type_depth_ = 0;

  // The extent of `tensor<...>`, or an empty word if something else comes next.
  constexpr word text_of_tensor_type() const {
    if (at + 8 > size || data[at] != 't' || data[at + 1] != 'e' || data[at + 6] != '<') return {at, 0, 0};
    word_key key = 0;
    int depth = 0;
    for (int i = at; i < size; ++i) {
      const char c = data[i];
      key = ((key << 8) | static_cast<unsigned char>(c)) + (key >> 56) * 0x9E3779B97F4A7C15u;
      if (c == '<') {
        ++depth;
      } else if (c == '>') {
        if (--depth == 0) return {at, i + 1 - at, key};
      } else if (c == '"' || c == '\n') {
        break;
      }
    }
    return {at, 0, 0};
  }

  constexpr char unescape(int& i, int end) const {
    constexpr auto value = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
    if (++i >= end) return '\\';
    const char c = data[i];
    if (c == 'n') return '\n';
    if (c == 't') return '\t';
    if (text::detail::is(c, text::detail::hex) && i + 1 < end && text::detail::is(data[i + 1], text::detail::hex)) {
      ++i;
      return char(value(c) * 16 + value(data[i]));
    }
    return c;
  }

  constexpr bool read_any_type(tensor_type& type) {
    if (type_depth_ == deepest_type) return fail("too_large", "types are nested deeper than 16");
    ++type_depth_;
    const bool result = read_one_type(type);
    --type_depth_;
    return result;
  }

  constexpr bool read_one_type(tensor_type& type) {
    const char c = peek();
    const int start = at;
    if (c == '!') return read_dialect_type(type);
    if (c == '(') return fail("type", "a value cannot be a function");
    const word kind = read_word();
    if (is(kind, "tensor")) return read_tensor(type);
    if (is(kind, "tuple")) {
      type.element = dtype::tuple;
      return read_members(type);
    }
    if (is(kind, "memref")) {
      // What it refers to is kept as its only member.
      tensor_type target;
      if (!read_tensor(target)) return false;
      type.element = dtype::other;
      return intern_members({&target, 1}, type);
    }
    at = start;
    return fail("type", "a type is expected, such as tensor<2x3xf32>", start);
  }

  constexpr bool read_dialect_type(tensor_type& type) {
    const int start = at++;
    const word name = read_name();
    if (is(name, "stablehlo.token")) {
      type = token_type();
      return true;
    }
    if (is(name, "stablehlo.future")) {
      type.element = dtype::future;
      if (!read_members(type)) return false;
      for (const tensor_type& member : g.members_of(type))
        if (!member.is_tensor()) return fail("type", "a future stands for tensors", start);
      return true;
    }
    for (int i = 0; i < state.aliases.size; ++i) {
      const alias& known = state.aliases.data[i];
      if (known.kind != alias::what::type || !same(known.text, name)) continue;
      const int after = at;
      at = known.position;
      const bool result = read_any_type(type);
      at = after;
      return result;
    }
    return fail("type", "the type is unknown", start);
  }

  // `<2x3xf32>`, `<f32>`, `<?x4xf32, #stablehlo.bounds<3, ?>>`.
  constexpr bool read_tensor(tensor_type& type) {
    if (!expect('<', "< is expected, as in tensor<2x3xf32>")) return false;
    const int start = at;
    type = {};
    unsigned unknown = 0;
    if (peek() == '*') return fail("type", "tensors without a rank are not supported: give a static shape");
    while (at < size) {
      index_t extent = 0;
      if (data[at] == '?') {
        unknown |= 1u << type.shape.size;
        ++at;
      } else if (text::detail::is(data[at], text::detail::digit)) {
        if (!read_natural(extent)) return false;
      } else {
        break;
      }
      if (at >= size || data[at] != 'x') return fail("syntax", "x is expected between dimensions");
      ++at;
      if (type.shape.size == max_rank) return fail("too_large", "tensors have at most 8 dimensions", start);
      type.shape.push(extent);
    }
    if (!read_element(type)) return false;
    if (accept(',') && !read_encoding(type, unknown)) return false;
    if (unknown != 0)
      return fail("type",
                  "the size of a dimension is unknown (?): export the program with static shapes, or give a bound as "
                  "in tensor<?xf32, #stablehlo.bounds<8>>",
                  start);
    return expect('>', "> is expected after the element type") && check_quantization(type, start);
  }

  constexpr bool read_element(tensor_type& type) {
    const int start = at;
    if (peek() == '!') {
      ++at;
      const word name = read_name();
      if (is(name, "quant.uniform")) return read_quantized(type);
      return fail("type", "the element type is unknown", start);
    }
    const word name = read_word();
    if (is(name, "complex")) {
      if (!expect('<', "< is expected after complex")) return false;
      const word part = read_word();
      type.element = is(part, "f32") ? dtype::complex_f32 : is(part, "f64") ? dtype::complex_f64 : dtype::none;
      if (type.element == dtype::none) return fail("type", "the parts of a complex number are f32 or f64", start);
      return expect('>', "> is expected");
    }
    if (is(name, "index")) {
      type.element = dtype::other;
      return true;
    }
    type.element = dtype_named({data + name.first, std::size_t(name.size)});
    if (!is_element(type.element)) return fail("type", "the element type is unknown", start);
    return true;
  }

  // `#stablehlo.bounds<3, ?>` or `#stablehlo.type_extensions<bounds = [3, ?]>`.
  constexpr bool read_encoding(tensor_type& type, unsigned& unknown) {
    const int start = at;
    if (!accept('#')) return fail("type", "the encoding of this tensor type is not supported", start);
    const word name = read_name();
    const bool extensions = is(name, "stablehlo.type_extensions");
    if (!extensions && !is(name, "stablehlo.bounds"))
      return fail("type", "the encoding of this tensor type is not supported", start);
    if (!expect('<', "< is expected")) return false;
    if (extensions && (!accept("bounds") || !expect('=', "= is expected") || !expect('[', "[ is expected")))
      return fail("syntax", "bounds = [...] is expected");
    const char close = extensions ? ']' : '>';
    int axis = 0;
    if (peek() != close) {
      do {
        if (axis >= type.shape.size) return fail("type", "there are more bounds than dimensions", start);
        if (accept('?')) {
          ++axis;
          continue;
        }
        index_t bound = 0;
        if (!read_natural(bound)) return false;
        if ((unknown >> axis & 1) == 0) return fail("type", "a dimension of known size has no bound", start);
        type.shape.at[axis] = bound;
        type.bounded = std::uint8_t(type.bounded | 1u << axis);
        unknown &= ~(1u << axis);
        ++axis;
      } while (accept(','));
    }
    if (axis != type.shape.size) return fail("type", "every dimension has a bound or ?", start);
    return expect(close, "the list of bounds is not closed") && (!extensions || expect('>', "> is expected"));
  }

  // `<i8:f32, 1.0:17>`, `<i8<-127:127>:f32:1, {0.1:-30, 0.2:0}>`.
  constexpr bool read_quantized(tensor_type& type) {
    const int start = at;
    graph_quantization q;
    if (!expect('<', "< is expected after !quant.uniform")) return false;
    q.storage = storage_named(read_word());
    if (q.storage == dtype::none) return fail("type", "the storage type is an integer type", start);
    const int bits = num_bits(q.storage);
    const bool is_signed = is_signed_integer(q.storage);
    const index_t lowest = is_signed ? -(index_t{1} << (bits - 1)) : 0;
    const index_t highest = is_signed ? (index_t{1} << (bits - 1)) - 1 : (index_t{1} << bits) - 1;
    q.storage_min = lowest, q.storage_max = highest;
    if (accept('<')) {
      if (!read_integer(q.storage_min) || !expect(':', ": is expected") || !read_integer(q.storage_max) ||
          !expect('>', "> is expected"))
        return false;
      if (q.storage_min < lowest || q.storage_max > highest || q.storage_min >= q.storage_max)
        return fail("quantized_element_c3",
                    "min_value(storage_type) <= storage_min < storage_max <= max_value(storage_type)", start);
    }
    if (!expect(':', ": and the expressed type are expected")) return false;
    const word expressed = read_word();
    q.expressed = dtype_named({data + expressed.first, std::size_t(expressed.size)});
    if (!is_float(q.expressed)) return fail("type", "the expressed type is a floating-point type", start);
    if (accept(':')) {
      index_t dimension = 0;
      if (peek() == '-') return fail("quantized_element_c11", "0 <= quantization_dimension");
      if (peek() == '{') return fail("not_supported", "quantization along several dimensions is not supported");
      if (!read_natural(dimension)) return false;
      q.dimension = dimension > max_rank ? max_rank : int(dimension);
    }
    if (!expect(',', ", and a scale are expected")) return false;
    const bool several = accept('{');
    if (several != (q.dimension >= 0))
      return fail("quantized_element_c10", "if is_empty(quantization_dimension) then size(scales) = 1", start);
    q.first = g.scales.size;
    do {
      if (!read_scale(q)) return false;
    } while (several && accept(','));
    if (several && !expect('}', "} is expected after the scales")) return false;
    if (!expect('>', "> is expected after the scales")) return false;
    type.element = q.storage;
    return intern_quantization(q, type, start);
  }

  constexpr bool read_scale(graph_quantization& q) {
    const int start = at;
    double scale = 0;
    if (!read_float(scale)) return false;
    if (!(scale > 0)) return fail("quantized_element_c5", "0 < scales", start);
    const double least = smallest_positive(q.expressed), most = largest(q.expressed);
    if (scale < least || scale > most) return fail("quantized_element_c6", "is_finite(scales...)", start);
    index_t zero_point = 0;
    if (accept(':') && !read_integer(zero_point)) return false;
    if (zero_point < q.storage_min || zero_point > q.storage_max)
      return fail("quantized_element_c7", "storage_min <= zero_points <= storage_max", start);
    g.scales.push(scale);
    g.zero_points.push(zero_point);
    ++q.count;
    return true;
  }

  // i8, u8 or ui8: both spellings of unsigned types are in use.
  constexpr dtype storage_named(const word& name) const {
    std::string_view text{data + name.first, std::size_t(name.size)};
    dtype type = dtype_named(text);
    if (is(name, "u2")) type = dtype::ui2;
    if (is(name, "u4")) type = dtype::ui4;
    if (is(name, "u8")) type = dtype::ui8;
    if (is(name, "u16")) type = dtype::ui16;
    if (is(name, "u32")) type = dtype::ui32;
    return is_integer(type) && num_bits(type) <= 32 ? type : dtype::none;
  }

  static constexpr double smallest_positive(dtype type) {
    const auto format = format_of(type);
    return power_of_two(1 - format.bias - format.mantissa_bits);
  }
  static constexpr double largest(dtype type) {
    if (type == dtype::f64) return 1.7976931348623157e308;
    const auto format = format_of(type);
    const std::uint64_t most = format.max();
    const int exponent = int(most >> format.mantissa_bits) - format.bias;
    const std::uint64_t one = std::uint64_t{1} << format.mantissa_bits;
    return double((most & (one - 1)) | one) * power_of_two(exponent - format.mantissa_bits);
  }
  static constexpr double power_of_two(int exponent) {
    double result = 1;
    for (; exponent > 0; --exponent) result *= 2;
    for (; exponent < 0; ++exponent) result /= 2;
    return result;
  }

  constexpr bool intern_quantization(const graph_quantization& q, tensor_type& type, int start) {
    if (types_overflow()) {
      g.scales.size = g.zero_points.size = q.first;
      return true;
    }
    for (int i = 0; i < g.quantizations.size; ++i) {
      if (!same_quantization(g.quantizations.data[i], q)) continue;
      g.scales.size = g.zero_points.size = q.first;
      type.quantization = std::int16_t(i + 1);
      return true;
    }
    if (g.quantizations.size == most_small_tables) return fail("too_large", "too many quantized types", start);
    if (g.quantizations.size == g.quantizations.capacity) g.quantizations.overflow = true;
    if (g.quantizations.overflow) {
      g.scales.size = g.zero_points.size = q.first;
      return true;
    }
    type.quantization = std::int16_t(g.quantizations.push(q) + 1);
    return true;
  }
  constexpr bool same_quantization(const graph_quantization& a, const graph_quantization& b) const {
    if (a.storage != b.storage || a.expressed != b.expressed || a.storage_min != b.storage_min ||
        a.storage_max != b.storage_max || a.dimension != b.dimension || a.count != b.count)
      return false;
    for (int i = 0; i < a.count; ++i)
      if (g.scales.data[a.first + i] != g.scales.data[b.first + i] ||
          g.zero_points.data[a.first + i] != g.zero_points.data[b.first + i])
        return false;
    return true;
  }
  constexpr bool check_quantization(const tensor_type& type, int start) {
    if (type.quantization == 0 || g.scales.overflow || g.quantizations.overflow) return true;
    const graph_quantization& q = g.quantizations.data[type.quantization - 1];
    if (q.dimension < 0) return true;
    if (q.dimension >= type.rank()) return fail("quantized_tensor_c12", "quantization_dimension < rank(self)", start);
    if (type.shape.at[q.dimension] != q.count)
      return fail("quantized_tensor_c13", "dim(self, quantization_dimension) = size(scales)", start);
    return true;
  }

  // `<T, T>`.
  constexpr bool read_members(tensor_type& type) {
    if (!expect('<', "< is expected")) return false;
    tensor_type members[max_members];
    int count = 0;
    if (!accept('>')) {
      do {
        if (count == max_members) return fail("too_large", "a tuple has at most 64 members");
        if (!read_any_type(members[count++])) return false;
      } while (accept(','));
      if (!expect('>', "> is expected after the members")) return false;
    }
    return intern_members({members, count}, type);
  }

 protected:
  constexpr bool intern_members(list<tensor_type> members, tensor_type& type) {
    for (int i = 0; i < g.member_lists.size; ++i) {
      const graph_members& known = g.member_lists.data[i];
      bool equal = known.count == members.size;
      for (int m = 0; equal && m < members.size; ++m) equal = g.member_types.data[known.first + m] == members.data[m];
      if (equal) {
        type.members = std::int16_t(i + 1);
        return true;
      }
    }
    if (g.member_lists.size == most_small_tables) return fail("too_large", "too many tuple types");
    if (g.member_lists.size == g.member_lists.capacity) g.member_lists.overflow = true;
    if (g.member_types.capacity - g.member_types.size < members.size) g.member_types.overflow = true;
    if (types_overflow()) return true;
    const graph_members added{g.member_types.size, members.size};
    for (const tensor_type& member : members) g.member_types.push(member);
    type.members = std::int16_t(g.member_lists.push(added) + 1);
    return true;
  }

  static constexpr int max_members = 64;
  static constexpr int most_small_tables = 1024;

  // A whole number with an optional minus.
  constexpr bool read_integer(index_t& value) {
    const bool negative = accept('-');
    std::uint64_t magnitude = 0;
    if (!read_magnitude(magnitude)) return false;
    if (magnitude > std::uint64_t{INT64_MAX} + (negative ? 1 : 0)) return fail("syntax", "the number is too large");
    value = negative ? index_t(-magnitude) : index_t(magnitude);
    return true;
  }
  // Decimal or 0x hexadecimal.
  constexpr bool read_magnitude(std::uint64_t& value) {
    skip_space();
    const int start = at;
    std::uint64_t result = 0;
    if (at < size && data[at] == '0' && peek_at(1) == 'x') {
      at += 2;
      for (; at < size && text::detail::is(data[at], text::detail::hex); ++at) {
        if (result >> 60 != 0) return fail("syntax", "the number is too large", start);
        const char c = data[at];
        result = result * 16 + std::uint64_t(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
      }
      if (at == start + 2) return fail("syntax", "a hexadecimal number is expected", start);
    } else {
      for (; at < size && data[at] >= '0' && data[at] <= '9'; ++at) {
        const auto d = std::uint64_t(data[at] - '0');
        if (result > (UINT64_MAX - d) / 10) return fail("syntax", "the number is too large", start);
        result = result * 10 + d;
      }
      if (at == start) return fail("syntax", "a whole number is expected", start);
    }
    value = result;
    return true;
  }
  constexpr bool read_float(double& value) {
    skip_space();
    const int start = at;
    if (at < size && data[at] == '-') ++at;
    while (at < size && text::detail::is(data[at], text::detail::digit)) ++at;
    if (at < size && data[at] == '.') {
      ++at;
      while (at < size && text::detail::is(data[at], text::detail::digit)) ++at;
    }
    if (at < size && (data[at] == 'e' || data[at] == 'E')) {
      ++at;
      if (at < size && (data[at] == '+' || data[at] == '-')) ++at;
      while (at < size && text::detail::is(data[at], text::detail::digit)) ++at;
    }
    const number_result<f64> number = read_number<f64>({data + start, std::size_t(at - start)});
    value = number.value;
    if (number.status == number_status::out_of_range) return fail("syntax", "the number is too large for f64", start);
    return number.status == number_status::ok || fail("syntax", "a number is expected", start);
  }
};

}  // namespace tenon::text
