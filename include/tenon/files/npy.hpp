// SPDX-License-Identifier: Apache-2.0
// Public, in <tenon/loaded_programs.hpp>.
#pragma once

#include <tenon/core/dtype.hpp>
#include <tenon/core/ints.hpp>
#include <tenon/core/message.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <span>
#include <string_view>

// Tensors in files of NumPy's .npy format, versions 1 to 3. Garbage in a file is an error value, never a crash.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
namespace tenon {

enum class npy_error : std::uint8_t {
  none,
  cannot_open,
  cannot_read,
  cannot_write,
  truncated,
  bad_magic,
  bad_version,
  bad_header,
  unsupported_type,
  too_many_dimensions,
  too_large,
  wrong_type,
  wrong_shape,
  wrong_size
};

// The error as text.
constexpr std::string_view message(npy_error error) {
  constexpr std::string_view texts[] = {"no error",
                                        "the file cannot be opened",
                                        "the file cannot be read",
                                        "the file cannot be written",
                                        "the file ends before its data do",
                                        "the file is no .npy file",
                                        "the file has an unknown version of the .npy format",
                                        "the header of the .npy file is not well formed",
                                        "the .npy file holds no element type of StableHLO",
                                        "the array has more dimensions than a tensor can have",
                                        "the array is too large for the address space",
                                        "the array has another element type than the tensor",
                                        "the array has another shape than the tensor",
                                        "the memory is not as large as the tensor"};
  return std::size_t(error) < std::size(texts) ? texts[std::size_t(error)] : "unknown error";
}

namespace detail {

struct npy_type_name {
  std::string_view text;
  dtype type;
};

// The types that Python's ml_dtypes adds to NumPy's.
inline constexpr npy_type_name npy_type_names[] = {{"bfloat16", dtype::bf16},
                                                   {"float4_e2m1fn", dtype::f4E2M1FN},
                                                   {"float6_e2m3fn", dtype::f6E2M3FN},
                                                   {"float6_e3m2fn", dtype::f6E3M2FN},
                                                   {"float8_e3m4", dtype::f8E3M4},
                                                   {"float8_e4m3", dtype::f8E4M3},
                                                   {"float8_e4m3b11fnuz", dtype::f8E4M3B11FNUZ},
                                                   {"float8_e4m3fn", dtype::f8E4M3FN},
                                                   {"float8_e4m3fnuz", dtype::f8E4M3FNUZ},
                                                   {"float8_e5m2", dtype::f8E5M2},
                                                   {"float8_e5m2fnuz", dtype::f8E5M2FNUZ},
                                                   {"float8_e8m0fnu", dtype::f8E8M0FNU},
                                                   {"int2", dtype::i2},
                                                   {"int4", dtype::i4},
                                                   {"uint2", dtype::ui2},
                                                   {"uint4", dtype::ui4}};

// Kinds and sizes of numbers. ml_dtypes calls its float8_e5m2 "f1".
inline constexpr npy_type_name npy_numbers[] = {
    {"b1", dtype::i1},   {"i1", dtype::i8},          {"i2", dtype::i16},         {"i4", dtype::i32},
    {"i8", dtype::i64},  {"u1", dtype::ui8},         {"u2", dtype::ui16},        {"u4", dtype::ui32},
    {"u8", dtype::ui64}, {"f1", dtype::f8E5M2},      {"f2", dtype::f16},         {"f4", dtype::f32},
    {"f8", dtype::f64},  {"c8", dtype::complex_f32}, {"c16", dtype::complex_f64}};

constexpr dtype find_npy_type(std::span<const npy_type_name> names, std::string_view text) {
  for (const npy_type_name& each : names)
    if (same_text(text, each.text)) return each.type;
  return dtype::none;
}
constexpr bool is_known_to_numpy(dtype type) {
  for (const npy_type_name& each : npy_type_names)
    if (each.type == type) return false;
  return is_element(type);
}

}  // namespace detail

struct npy_header {
  // `none` for "V1" and "V2", which stand for any type of that size that NumPy does not know.
  dtype element = dtype::none;
  int item_bytes = 0;
  bool swapped = false;  // bytes of an item are not in the order of this machine
  bool fortran_order = false;
  ints shape = {};
  std::size_t data_offset = 0;

  constexpr bool holds(dtype type) const {
    if (element != dtype::none) return element == type;
    return is_element(type) && !detail::is_known_to_numpy(type) && storage_bytes(type) == item_bytes;
  }
};

struct npy_header_result {
  npy_header header;
  npy_error error = npy_error::none;
};

// No header that is written is longer, and none that is read from a file may be.
inline constexpr std::size_t npy_written_header_size = 384;
inline constexpr std::size_t npy_read_header_size = 1024;

namespace detail {

// The number of bytes of the tensor; false if that is no number of bytes.
constexpr bool npy_byte_count(const ints& shape, int item_bytes, std::size_t& bytes) {
  constexpr std::size_t most = ~std::size_t{} / 2;
  std::size_t factor = std::size_t(item_bytes);
  bool empty = false, fits = true;
  for (const index_t size : shape) {
    if (size == 0)
      empty = true;
    else if (std::uint64_t(size) > most / factor)
      fits = false;
    else
      factor *= std::size_t(size);
  }
  bytes = empty ? 0 : factor;
  return empty || fits;
}

// The Python dictionary that is the header, as far as numpy.save writes it.
struct npy_dictionary {
  std::string_view text;
  std::size_t at = 0;

  constexpr void skip_space() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r')) ++at;
  }
  constexpr bool accept(char c) {
    skip_space();
    if (at == text.size() || text[at] != c) return false;
    ++at;
    return true;
  }
  constexpr bool accept(std::string_view word) {
    if (text.size() - at < word.size() || !same_text(text.substr(at, word.size()), word)) return false;
    at += word.size();
    return true;
  }
  constexpr bool quoted(std::string_view& content) {
    const char quote = accept('\'') ? '\'' : accept('"') ? '"' : '\0';
    if (quote == '\0') return false;
    const std::size_t begin = at;
    while (at < text.size() && text[at] != quote) ++at;
    content = text.substr(begin, at - begin);
    return accept(quote);
  }
  constexpr bool boolean(bool& value) {
    skip_space();
    value = accept("True");
    return value || accept("False");
  }
  constexpr bool whole(index_t& value) {
    skip_space();
    const std::size_t begin = at;
    value = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      const index_t digit = text[at] - '0';
      if (value > (INT64_MAX - digit) / 10) return false;
      value = value * 10 + digit;
    }
    const bool any = at > begin;
    accept("L");  // as Python 2 wrote them
    return any;
  }
  constexpr bool tuple(ints& values) {
    if (!accept('(')) return false;
    while (!accept(')')) {
      index_t value = 0;
      if (!whole(value)) return false;
      values.push(value);
      if (!accept(',')) return accept(')');
    }
    return true;
  }
};

// "<f4": the order of bytes, the kind, the size.
constexpr bool read_npy_type(std::string_view text, npy_header& header) {
  header.element = find_npy_type(npy_type_names, text);
  header.item_bytes = storage_bytes(header.element);
  if (header.element != dtype::none) return true;
  if (text.size() > 0 && (text[0] == '<' || text[0] == '>' || text[0] == '=' || text[0] == '|')) {
    const bool big = std::endian::native == std::endian::big;
    header.swapped = text[0] == (big ? '<' : '>');
    text.remove_prefix(1);
  }
  header.element = find_npy_type(npy_numbers, text);
  header.item_bytes = same_text(text, "V1") ? 1 : same_text(text, "V2") ? 2 : storage_bytes(header.element);
  return header.item_bytes > 0;
}

[[gnu::cold]] constexpr npy_error read_npy_dictionary(std::string_view text, npy_header& header) {
  npy_dictionary dictionary{text};
  bool has_type = false, has_order = false, has_shape = false, supported = true;
  if (!dictionary.accept('{')) return npy_error::bad_header;
  for (bool open = !dictionary.accept('}'); open;) {
    std::string_view key;
    if (!dictionary.quoted(key) || !dictionary.accept(':')) return npy_error::bad_header;
    if (same_text(key, "descr") && !has_type) {
      has_type = true;
      std::string_view type;
      // A list describes the fields of a record.
      if (!dictionary.quoted(type)) return dictionary.accept('[') ? npy_error::unsupported_type : npy_error::bad_header;
      supported = read_npy_type(type, header);
    } else if (same_text(key, "fortran_order") && !has_order) {
      has_order = true;
      if (!dictionary.boolean(header.fortran_order)) return npy_error::bad_header;
    } else if (same_text(key, "shape") && !has_shape) {
      has_shape = true;
      if (!dictionary.tuple(header.shape)) return npy_error::bad_header;
    } else {
      return npy_error::bad_header;
    }
    const bool comma = dictionary.accept(',');
    open = !dictionary.accept('}');
    if (open && !comma) return npy_error::bad_header;
  }
  dictionary.skip_space();
  if (!has_type || !has_order || !has_shape || dictionary.at < text.size()) return npy_error::bad_header;
  if (!supported) return npy_error::unsupported_type;
  if (header.shape.dropped > 0) return npy_error::too_many_dimensions;
  std::size_t bytes = 0;
  return npy_byte_count(header.shape, header.item_bytes, bytes) ? npy_error::none : npy_error::too_large;
}

// Where the dictionary begins and ends; 12 bytes of the file are enough to know.
struct npy_preamble {
  std::size_t begin = 0, end = 0;
  npy_error error = npy_error::none;
};

constexpr npy_preamble read_npy_preamble(std::span<const std::byte> file) {
  constexpr unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
  for (std::size_t i = 0; i < sizeof magic; ++i)
    if (i < file.size() && file[i] != std::byte(magic[i])) return {0, 0, npy_error::bad_magic};
  if (file.size() < 10) return {0, 0, npy_error::truncated};
  const auto version = int(file[6]);
  if (version < 1 || version > 3 || file[7] != std::byte(0)) return {0, 0, npy_error::bad_version};
  const std::size_t begin = version == 1 ? 10 : 12;
  if (file.size() < begin) return {0, 0, npy_error::truncated};
  std::uint32_t length = 0;
  for (std::size_t i = begin; i > 8; --i) length = length << 8 | std::uint32_t(file[i - 1]);
  if (length < 2 || length > npy_read_header_size - begin) return {0, 0, npy_error::bad_header};
  return {begin, begin + length, npy_error::none};
}

}  // namespace detail

// The header of a file of which at least the beginning is given.
constexpr npy_header_result read_npy_header(std::span<const std::byte> file) {
  npy_header_result result;
  const detail::npy_preamble place = detail::read_npy_preamble(file);
  result.error = place.error;
  if (result.error != npy_error::none) return result;
  if (file.size() < place.end) {
    result.error = npy_error::truncated;
    return result;
  }
  char text[npy_read_header_size] = {};
  std::size_t size = 0;
  for (std::size_t at = place.begin; at < place.end; ++at) text[size++] = char(file[at]);
  result.error = detail::read_npy_dictionary({text, size}, result.header);
  result.header.data_offset = place.end;
  return result;
}

// Writes the header of a file for a row-major tensor and returns its size, a multiple of 64; 0 if that is no type or
// shape of a tensor, or `to` is shorter than the header, which npy_written_header_size never is.
[[gnu::cold]] constexpr std::size_t write_npy_header(std::span<std::byte> to, dtype type, const ints& shape) {
  if (!is_element(type) || shape.dropped > 0) return 0;
  for (const index_t size : shape)
    if (size < 0) return 0;
  char text[npy_written_header_size] = {};
  std::size_t size = 10;
  const auto add = [&](std::string_view part) {
    for (const char c : part) text[size++] = c;
  };
  const auto add_whole = [&](index_t value) { core::write_integer(value, [&](char c) { text[size++] = c; }); };
  const bool known = detail::is_known_to_numpy(type);
  const int bytes = storage_bytes(type);
  add("{'descr': '");
  add(bytes == 1 && known ? "|" : std::endian::native == std::endian::big ? ">" : "<");
  add(!known                      ? "V"
      : is_boolean(type)          ? "b"
      : is_signed_integer(type)   ? "i"
      : is_unsigned_integer(type) ? "u"
      : is_complex(type)          ? "c"
                                  : "f");
  add_whole(bytes);
  add("', 'fortran_order': False, 'shape': (");
  for (int axis = 0; axis < shape.size; ++axis) {
    if (axis > 0) add(" ");
    add_whole(shape.at[axis]);
    if (axis + 1 < shape.size || axis == 0) add(",");
  }
  add("), }");
  while (size % 64 != 63) text[size++] = ' ';
  text[size++] = '\n';
  constexpr char magic[] = {char(0x93), 'N', 'U', 'M', 'P', 'Y', 1, 0};
  for (std::size_t i = 0; i < sizeof magic; ++i) text[i] = magic[i];
  text[8] = char((size - 10) & 0xFF);
  text[9] = char((size - 10) >> 8);
  if (to.size() < size) return 0;
  for (std::size_t i = 0; i < size; ++i) to[i] = std::byte(text[i]);
  return size;
}

namespace detail {

// The byte of an element narrower than a byte, whatever stands in the bits above it.
constexpr std::byte clean_npy_byte(dtype type, std::byte byte) {
  const auto bits = unsigned(byte);
  if (is_boolean(type)) return std::byte(bits != 0);
  const unsigned mask = (1u << num_bits(type)) - 1, sign = is_signed_integer(type) ? (mask >> 1) + 1 : 0;
  return std::byte((((bits & mask) ^ sign) - sign) & 0xFF);
}

// Puts `count` elements that are numbered from `first` in a file to their places in a row-major tensor.
constexpr void place_npy_elements(const npy_header& header, dtype type, const std::byte* from, std::size_t first,
                                  std::size_t count, std::byte* to) {
  const auto bytes = std::size_t(storage_bytes(type));
  const std::size_t part = is_complex(type) ? bytes / 2 : bytes;
  const ints strides = strides_of(header.shape);
  const bool by_columns = header.fortran_order && header.shape.size > 1;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t place = first + i;
    if (by_columns) {
      std::size_t rest = place;
      place = 0;
      for (int axis = 0; axis < header.shape.size; ++axis) {
        const auto size = std::size_t(header.shape.at[axis]);
        place += rest % size * std::size_t(strides.at[axis]);
        rest /= size;
      }
    }
    for (std::size_t b = 0; b < bytes; ++b) {
      const std::size_t source = header.swapped ? b / part * part + (part - 1 - b % part) : b;
      to[place * bytes + b] = from[i * bytes + source];
    }
    if (num_bits(type) < 8) to[place * bytes] = clean_npy_byte(type, to[place * bytes]);
  }
}

constexpr npy_error check_npy(const npy_header_result& read, dtype type, const ints& shape, std::size_t room) {
  if (read.error != npy_error::none) return read.error;
  if (!read.header.holds(type)) return npy_error::wrong_type;
  if (!(read.header.shape == shape)) return npy_error::wrong_shape;
  std::size_t bytes = 0;
  if (!npy_byte_count(shape, storage_bytes(type), bytes)) return npy_error::too_large;
  return bytes == room ? npy_error::none : npy_error::wrong_size;
}

struct npy_file {
  std::FILE* handle;

  npy_file(const char* path, const char* mode) : handle(std::fopen(path, mode)) {}
  npy_file(const npy_file&) = delete;
  npy_file& operator=(const npy_file&) = delete;
  ~npy_file() { close(); }

  bool close() {
    std::FILE* open = handle;
    handle = nullptr;
    return open == nullptr || std::fclose(open) == 0;
  }
  npy_error read(std::byte* to, std::size_t size) {
    if (size == 0 || std::fread(to, 1, size, handle) == size) return npy_error::none;
    return std::ferror(handle) != 0 ? npy_error::cannot_read : npy_error::truncated;
  }
  bool write(const std::byte* from, std::size_t size) {
    return size == 0 || std::fwrite(from, 1, size, handle) == size;
  }
  // Leaves the file where the data begin.
  [[gnu::cold]] npy_header_result read_header() {
    std::byte begin[npy_read_header_size];
    npy_header_result result;
    constexpr std::size_t enough = 12;  // no longer than the shortest header
    if (result.error = read(begin, enough); result.error == npy_error::none) {
      const npy_preamble place = read_npy_preamble({begin, enough});
      result.error = place.error;
      if (result.error == npy_error::none) result.error = read(begin + enough, place.end - enough);
      if (result.error == npy_error::none) result = read_npy_header({begin, place.end});
    }
    return result;
  }
};

}  // namespace detail

// The tensor in a file whose bytes are given, row-major, in this machine's form, to `to`. The element type, the shape
// and the size of `to` must be those of the tensor.
constexpr npy_error read_npy(std::span<const std::byte> file, dtype type, const ints& shape, std::span<std::byte> to) {
  const npy_header_result read = read_npy_header(file);
  if (const npy_error error = detail::check_npy(read, type, shape, to.size()); error != npy_error::none) return error;
  if (file.size() - read.header.data_offset < to.size()) return npy_error::truncated;
  detail::place_npy_elements(read.header, type, file.data() + read.header.data_offset, 0,
                             to.size() / std::size_t(storage_bytes(type)), to.data());
  return npy_error::none;
}

// The header of a file.
[[gnu::noinline]] inline npy_header_result load_npy_header(const char* path) {
  detail::npy_file file(path, "rb");
  if (file.handle == nullptr) return {{}, npy_error::cannot_open};
  return file.read_header();
}

// Reads the tensor in a file as read_npy does. After an error `to` holds anything.
[[gnu::noinline]] inline npy_error load_npy(const char* path, dtype type, const ints& shape, std::span<std::byte> to) {
  detail::npy_file file(path, "rb");
  if (file.handle == nullptr) return npy_error::cannot_open;
  const npy_header_result read = file.read_header();
  if (const npy_error error = detail::check_npy(read, type, shape, to.size()); error != npy_error::none) return error;
  const auto bytes = std::size_t(storage_bytes(type));
  std::byte chunk[4096];
  const std::size_t most = sizeof chunk / bytes, total = to.size() / bytes;
  for (std::size_t first = 0; first < total; first += most) {
    const std::size_t count = total - first < most ? total - first : most;
    if (const npy_error error = file.read(chunk, count * bytes); error != npy_error::none) return error;
    detail::place_npy_elements(read.header, type, chunk, first, count, to.data());
  }
  return npy_error::none;
}

// Writes a row-major tensor to a file, version 1.0 of the format.
[[gnu::noinline]] inline npy_error save_npy(const char* path, dtype type, const ints& shape,
                                            std::span<const std::byte> from) {
  std::byte header[npy_written_header_size];
  const std::size_t header_size = write_npy_header(header, type, shape);
  if (header_size == 0) return is_element(type) ? npy_error::wrong_shape : npy_error::wrong_type;
  std::size_t bytes = 0;
  if (!detail::npy_byte_count(shape, storage_bytes(type), bytes)) return npy_error::too_large;
  if (bytes != from.size()) return npy_error::wrong_size;
  detail::npy_file file(path, "wb");
  if (file.handle == nullptr) return npy_error::cannot_open;
  const bool written = file.write(header, header_size) && file.write(from.data(), from.size());
  return file.close() && written ? npy_error::none : npy_error::cannot_write;
}

}  // namespace tenon
