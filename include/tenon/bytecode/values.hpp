// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/bytecode/module_reader.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Types and attributes of VHLO, the versioned form of StableHLO in files. https://openxla.org/stablehlo/vhlo
namespace tenon::bytecode {

// An attribute as StableHLO writes it, and its parts for who puts several together.
struct attribute {
  enum class kind { absent, text, string, flag, number, array, dictionary, tensor, other } is = kind::absent;
  std::string text;                   // of a string without quotes
  std::vector<std::int64_t> numbers;  // of a number, a flag, or a tensor of integers
  std::vector<attribute> members;     // of an array or a dictionary
  std::vector<std::string> names;     // of the members of a dictionary
  std::string type_text;              // of a tensor
  int rank = 0;
  std::string elements;  // of a tensor, behind "dense"

  bool exists() const { return is != kind::absent; }
};

inline std::string quoted(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code >= 32 && code < 127 && c != '"' && c != '\\')
      result += c;
    else
      ((result += '\\') += digits[code >> 4]) += digits[code & 15];
  }
  return result + '"';
}

// A name without quotes, if it needs none.
inline std::string bare(std::string_view name) {
  for (const char c : name)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
          c == '$'))
      return quoted(name);
  return name.empty() ? quoted(name) : std::string(name);
}

class value_reader {
 public:
  const char* problem = nullptr;

  explicit value_reader(const module_reader& from) : from_(from) {}

  std::string type(std::uint64_t index) { return read_type(index).text; }
  attribute read(std::uint64_t index) {
    attribute result;
    const scope each(*this);
    if (index >= from_.attributes.size() || problem != nullptr) return fail(), result;
    const entry& at = from_.attributes[std::size_t(index)];
    stream in(at.encoding);
    if (at.is_text) {
      result.is = attribute::kind::text;
      result.text = in.text();
    } else if (at.dialect == "vhlo") {
      read_versioned(in, result);
    } else if (at.dialect == "builtin") {
      read_builtin(in, result);
    }
    if (in.failed()) fail();
    return result;
  }
  // loc("x") gives x.
  std::string name_of_location(std::uint64_t index) {
    if (index >= from_.attributes.size()) return "";
    const entry& at = from_.attributes[std::size_t(index)];
    stream in(at.encoding);
    constexpr std::uint64_t named = 14;
    return at.dialect == "builtin" && !at.is_text && in.number() == named ? read(in.number()).text : "";
  }

 private:
  struct type_value {
    std::string text, element;  // of a tensor
    std::vector<std::int64_t> shape;
    int bits = 0;  // of an element
    bool is_float = false, is_complex = false, is_signed = false;
  };
  // Entries refer to entries, in a circle if somebody means harm.
  class scope {
   public:
    explicit scope(value_reader& of) : of_(of) {
      if (++of.depth_ > 64 || ++of.work_ > 20'000'000) of.fail();
    }
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;
    ~scope() { --of_.depth_; }

   private:
    value_reader& of_;
  };

  const module_reader& from_;
  int depth_ = 0;
  std::int64_t work_ = 0;

  void fail() {
    if (problem == nullptr) problem = "an attribute or a type of the MLIR bytecode is not well formed, or not known";
  }
  std::string string_in(stream& in) {
    const std::uint64_t index = in.number();
    return index < from_.strings.size() ? std::string(from_.strings[std::size_t(index)]) : (fail(), std::string());
  }
  static std::vector<std::int64_t> signed_numbers(stream& in) {
    std::vector<std::int64_t> result(std::size_t(in.count()));
    for (std::int64_t& each : result) each = in.signed_number();
    return result;
  }
  static std::string list(const std::vector<std::int64_t>& numbers, std::int64_t open_size = INT64_MIN) {
    std::string text;
    for (const std::int64_t each : numbers)
      text += (text.empty() ? "" : ", ") + (each == open_size ? std::string("?") : std::to_string(each));
    return text;
  }
  static std::string hexadecimal(std::uint64_t value, int bits) {
    std::string text = "0x";
    for (int i = (bits + 3) / 4 - 1; i >= 0; --i) text += "0123456789ABCDEF"[value >> 4 * i & 15];
    return text;
  }

  type_value read_type(std::uint64_t index) {
    type_value result;
    const scope each(*this);
    if (index >= from_.types.size() || problem != nullptr) return fail(), result;
    const entry& at = from_.types[std::size_t(index)];
    stream in(at.encoding);
    if (at.is_text)
      result.text = in.text();
    else if (at.dialect == "vhlo")
      read_versioned_type(in, result);
    else
      fail();
    if (in.failed()) fail();
    return result;
  }
  void read_versioned_type(stream& in, type_value& to) {
    static constexpr struct {
      int code;
      const char* name;
      int bits;
      bool is_float, is_signed;
    } simple[] = {{0, "i1", 1, false, false},
                  {2, "bf16", 16, true, false},
                  {3, "f16", 16, true, false},
                  {4, "f32", 32, true, false},
                  {5, "f64", 64, true, false},
                  {6, "f8E4M3FN", 8, true, false},
                  {7, "f8E5M2", 8, true, false},
                  {9, "index", 64, false, true},
                  {10, "i4", 4, false, true},
                  {11, "i8", 8, false, true},
                  {12, "i16", 16, false, true},
                  {13, "i32", 32, false, true},
                  {14, "i64", 64, false, true},
                  {15, "ui4", 4, false, false},
                  {16, "ui8", 8, false, false},
                  {17, "ui16", 16, false, false},
                  {18, "ui32", 32, false, false},
                  {19, "ui64", 64, false, false},
                  {22, "!stablehlo.token", 0, false, false},
                  {27, "f8E4M3FNUZ", 8, true, false},
                  {28, "f8E5M2FNUZ", 8, true, false},
                  {29, "f8E4M3B11FNUZ", 8, true, false},
                  {31, "i2", 2, false, true},
                  {32, "ui2", 2, false, false},
                  {33, "none", 0, false, false},
                  {34, "tf32", 19, true, false},
                  {35, "f8E4M3", 8, true, false},
                  {36, "f8E3M4", 8, true, false},
                  {37, "f4E2M1FN", 4, true, false},
                  {38, "f6E2M3FN", 6, true, false},
                  {39, "f6E3M2FN", 6, true, false},
                  {40, "f8E8M0FNU", 8, true, false}};
    const std::uint64_t code = in.number();
    for (const auto& each : simple)
      if (code == std::uint64_t(each.code)) {
        to.text = each.name, to.bits = each.bits, to.is_float = each.is_float, to.is_signed = each.is_signed;
        return;
      }
    if (code == 1) {
      const type_value part = read_type(in.number());
      to.text = "complex<" + part.text + ">", to.bits = 2 * part.bits, to.is_complex = true;
    } else if (code == 8) {
      to.text = types(in);
      to.text += " -> " + types(in);
    } else if (code == 20 || code == 21) {
      std::string encoding;
      if (code == 21) encoding = ", " + read(in.number()).text;
      const std::vector<std::int64_t> shape = signed_numbers(in);
      to = read_type(in.number());
      to.element = to.text, to.shape = shape;
      to.text = "tensor<";
      for (const std::int64_t size : shape) to.text += (size < 0 ? "?" : std::to_string(size)) + "x";
      to.text += to.element + encoding + ">";
    } else if (code == 23) {
      const std::string elements = types(in);
      to.text = "tuple<" + elements.substr(1, elements.size() - 2) + ">";
    } else if (code == 24 || code == 30) {
      read_quantized(in, code == 30, to);
    } else {
      fail();
    }
  }
  // "(f32, i32)"
  std::string types(stream& in) {
    std::string text;
    for (std::uint64_t count = in.count(); count > 0; --count) text += (text.empty() ? "" : ", ") + type(in.number());
    return "(" + text + ")";
  }
  void read_quantized(stream& in, bool per_axis, type_value& to) {
    const std::uint64_t flags = in.number();
    const type_value storage = read_type(in.number());
    const std::string expressed = type(in.number());
    const std::string name = (flags & 1) != 0         ? storage.text
                             : storage.text[0] == 'u' ? storage.text
                                                      : "u" + storage.text;
    const auto scale = [&] { return hexadecimal(std::uint64_t(in.signed_number()), 64); };
    std::string numbers;
    std::int64_t least = 0, most = 0;
    if (per_axis) {
      const std::uint64_t dimension = in.number();
      least = in.signed_number(), most = in.signed_number();
      std::vector<std::string> scales(std::size_t(in.count()));
      for (std::string& each : scales) each = scale();
      const std::vector<std::int64_t> zeros = signed_numbers(in);
      numbers = ":" + std::to_string(dimension) + ", {";
      for (std::size_t i = 0; i < scales.size(); ++i)
        numbers += (i == 0 ? "" : ", ") + scales[i] + ":" + std::to_string(i < zeros.size() ? zeros[i] : 0);
      numbers += "}";
    } else {
      numbers = ", " + scale();
      numbers += ":" + std::to_string(in.signed_number());
      least = in.signed_number(), most = in.signed_number();
    }
    to = storage;
    to.text = "!quant.uniform<" + name + "<" + std::to_string(least) + ":" + std::to_string(most) + ">:" + expressed +
              numbers + ">";
  }

  void read_builtin(stream& in, attribute& to) {
    using enum attribute::kind;
    switch (in.number()) {
      case 0:
        return read_array(in, to);
      case 1:
        return read_dictionary(in, to);
      case 2:
        to.is = attribute::kind::string, to.text = string_in(in);
        return;
      case 7:
        to.is = text;
        to.text = "unit";
        return;
      default:
        to.is = other;
    }
  }
  void read_array(stream& in, attribute& to) {
    to.is = attribute::kind::array;
    for (std::uint64_t count = in.count(); count > 0 && problem == nullptr; --count) {
      to.members.push_back(read(in.number()));
      to.text += (to.text.empty() ? "" : ", ") + to_text(to.members.back());
    }
    to.text = "[" + to.text + "]";
  }
  void read_dictionary(stream& in, attribute& to) {
    to.is = attribute::kind::dictionary;
    for (std::uint64_t count = in.count(); count > 0 && problem == nullptr; --count) {
      const attribute name = read(in.number());
      to.names.push_back(name.text);
      to.members.push_back(read(in.number()));
      to.text += (to.text.empty() ? "" : ", ") + bare(name.text) + " = " + to_text(to.members.back());
    }
    to.text = "{" + to.text + "}";
  }

  void read_versioned(stream& in, attribute& to) {
    using enum attribute::kind;
    static constexpr const char *directions[] = {"EQ", "NE", "GE", "GT", "LE", "LT"},
                                *comparisons[] = {nullptr, "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"},
                                *transforms[] = {"FFT", "IFFT", "RFFT", "IRFFT"},
                                *precisions[] = {"DEFAULT", "HIGH", "HIGHEST"},
                                *algorithms[] = {"DEFAULT", "THREE_FRY", "PHILOX"},
                                *distributions[] = {nullptr, "UNIFORM", "NORMAL"},
                                *transposes[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
    switch (in.number()) {
      case 1:
        return read_array(in, to);
      case 2:
        to.is = flag, to.numbers = {std::int64_t(in.number() != 0)};
        to.text = to.numbers[0] != 0 ? "true" : "false";
        return;
      case 3:
        return name_one(in, "comparison_direction", directions, to);
      case 4:
        return name_one(in, "comparison_type", comparisons, to);
      case 5:
        to.is = number, to.numbers = {std::int64_t(in.number())};
        to.text = std::to_string(to.numbers[0]) + " : i32";
        return;
      case 6:
        return read_dictionary(in, to);
      case 7:
        return name_one(in, "fft_type", transforms, to);
      case 8: {
        const type_value type = read_type(in.number());
        to.is = text;
        to.text =
            hexadecimal(std::uint64_t(type.bits <= 8 ? in.byte() : in.signed_number()), type.bits) + " : " + type.text;
        return;
      }
      case 9: {
        const type_value type = read_type(in.number());
        to.is = number;
        to.numbers = {type.bits > 8    ? in.signed_number()
                      : type.is_signed ? std::int64_t(std::int8_t(in.byte()))
                                       : std::int64_t(in.byte())};
        to.text = (type.is_signed ? std::to_string(to.numbers[0]) : std::to_string(std::uint64_t(to.numbers[0]))) +
                  " : " + type.text;
        return;
      }
      case 10: {
        const std::vector<std::int64_t> results = signed_numbers(in);
        const std::int64_t operand = in.signed_number();
        to.is = text;
        to.text = "#stablehlo.output_operand_alias<output_tuple_indices = [" + list(results) +
                  "], operand_index = " + std::to_string(operand) + ", operand_tuple_indices = [" +
                  list(signed_numbers(in)) + "]>";
        return;
      }
      case 11:
        return name_one(in, "precision", precisions, to);
      case 12:
        return name_one(in, "rng_algorithm", algorithms, to);
      case 13:
        return name_one(in, "rng_distribution", distributions, to);
      case 14:
        to.is = attribute::kind::string, to.text = string_in(in);
        return;
      case 15:
        return read_tensor(in, to);
      case 16:
        return name_one(in, "transpose", transposes, to);
      case 17:
        to.text = type(in.number());
        to.is = to.text == "none" ? absent : text;
        return;
      case 18:
        to.is = text, to.text = "#stablehlo.bounds<" + list(signed_numbers(in)) + ">";
        return;
      case 19:
      case 20:
        to.is = other;
        return;  // how accurate a function is
      default:
        fail();
    }
  }
  template <std::size_t Count>
  void name_one(stream& in, const char* what, const char* const (&names)[Count], attribute& to) {
    const std::uint64_t which = in.number();
    if (which >= Count) return fail();
    if (names[which] == nullptr) return;
    to.is = attribute::kind::text;
    to.text = std::string("#stablehlo<") + what + " " + names[which] + ">";
  }

  void read_tensor(stream& in, attribute& to) {
    const type_value type = read_type(in.number());
    const std::uint64_t size = in.number();
    std::vector<std::byte> data;
    for (const std::byte each : in.take(size)) data.push_back(each);
    if (problem != nullptr || in.failed() || (type.bits == 0 && !type.shape.empty())) return fail();
    std::uint64_t count = 1;
    for (const std::int64_t each : type.shape) {
      if (each < 0 || (each > 0 && count > (std::uint64_t(1) << 40) / std::uint64_t(each))) return fail();
      count *= std::uint64_t(each);
    }
    to.is = attribute::kind::tensor;
    to.type_text = type.text, to.rank = int(type.shape.size());
    const std::size_t bytes_each = std::size_t(type.bits + 7) / 8;
    if (type.bits == 1) unpack_flags(data, std::size_t(count));
    const bool is_splat = data.size() == bytes_each;
    if (!is_splat && data.size() != count * bytes_each) return fail();
    if (count == 0) {
      to.elements = "<>";
    } else if (is_splat) {
      to.elements = "<" + element(type, data, 0) + ">";
    } else if (type.bits < 8 || (type.bits == 64 && !type.is_float && !type.is_complex && count < 1000)) {
      to.elements = "<" + nested(type, data, 0, 0, std::size_t(count)) + ">";
    } else {
      to.elements = "<\"0x";
      for (const std::byte each : data)
        (to.elements += "0123456789ABCDEF"[unsigned(each) >> 4]) += "0123456789ABCDEF"[unsigned(each) & 15];
      to.elements += "\">";
    }
    to.text = "dense" + to.elements + " : " + type.text;
    if (type.is_float || type.is_complex || count > 100'000) return;
    for (std::size_t i = 0; i < count; ++i) to.numbers.push_back(integer(type, data, is_splat ? 0 : i * bytes_each));
    if (type.shape.size() == 1 && (type.element == "i64" || type.element == "i1"))
      to.text = "array<" + type.element + (count > 0 ? ": " : "") +
                (type.bits == 1 ? flags(to.numbers) : list(to.numbers)) + ">";
  }
  static std::string flags(const std::vector<std::int64_t>& numbers) {
    std::string text;
    for (const std::int64_t each : numbers)
      text += (text.empty() ? "" : ", ") + std::string(each != 0 ? "true" : "false");
    return text;
  }
  // Flags are packed, 8 in a byte, or one in each; all bits are set if all flags are.
  static void unpack_flags(std::vector<std::byte>& data, std::size_t count) {
    if (data.size() == 1 && data[0] == std::byte(0xFF)) {
      data[0] = std::byte(1);
    } else if (data.size() == (count + 7) / 8 && data.size() != count && count > 0) {
      std::vector<std::byte> each(count);
      for (std::size_t i = 0; i < count; ++i) each[i] = data[i / 8] >> (i % 8) & std::byte(1);
      data = std::move(each);
    }
  }
  static std::uint64_t bits_at(const std::vector<std::byte>& data, std::size_t at, int bits) {
    std::uint64_t value = 0;
    for (int i = (bits + 7) / 8 - 1; i >= 0; --i) value = value << 8 | std::uint64_t(data[at + std::size_t(i)]);
    return value;
  }
  static std::int64_t integer(const type_value& type, const std::vector<std::byte>& data, std::size_t at) {
    const std::uint64_t value = bits_at(data, at, type.bits);
    const int unused = 64 - type.bits;
    return type.is_signed ? std::int64_t(value << unused) >> unused : std::int64_t(value << unused >> unused);
  }
  static std::string element(const type_value& type, const std::vector<std::byte>& data, std::size_t at) {
    if (type.is_complex) {
      const int bits = type.bits / 2;
      return "(" + hexadecimal(bits_at(data, at, bits), bits) + ", " +
             hexadecimal(bits_at(data, at + std::size_t(bits / 8), bits), bits) + ")";
    }
    if (type.is_float) return hexadecimal(bits_at(data, at, type.bits), type.bits);
    const std::int64_t value = integer(type, data, at);
    if (type.bits == 1) return value != 0 ? "true" : "false";
    return type.is_signed ? std::to_string(value) : std::to_string(std::uint64_t(value));
  }
  static std::string nested(const type_value& type, const std::vector<std::byte>& data, std::size_t dimension,
                            std::size_t first, std::size_t count) {
    if (dimension == type.shape.size()) return element(type, data, first * (std::size_t(type.bits + 7) / 8));
    const std::size_t size = std::size_t(type.shape[dimension]);
    std::string text;
    for (std::size_t i = 0; i < size; ++i)
      text += (i == 0 ? "" : ", ") + nested(type, data, dimension + 1, first + i * (count / size), count / size);
    return "[" + text + "]";
  }

 public:
  static std::string to_text(const attribute& of) {
    return of.is == attribute::kind::string ? quoted(of.text) : of.text;
  }
};

}  // namespace tenon::bytecode
