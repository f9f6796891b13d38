// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/files/npy.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The tensors of a .safetensors file in memory: the size of a header, the header in JSON, the elements.
// https://huggingface.co/docs/safetensors
namespace tenon::detail {

struct named_array {
  std::string name;
  npy_header header;
  std::span<const std::byte> data;
};

class safetensors_reader {
 public:
  explicit safetensors_reader(std::span<const std::byte> file) : file_(file) {}

  // Says what is wrong, or nothing.
  std::string_view read(std::vector<named_array>& arrays) {
    std::uint64_t size = 0;
    if (file_.size() < 8) return "the file is no .safetensors file";
    for (int i = 7; i >= 0; --i) size = size << 8 | std::uint64_t(file_[std::size_t(i)]);
    if (size > file_.size() - 8) return "the file is no .safetensors file, or ends too early";
    text_ = {reinterpret_cast<const char*>(file_.data() + 8), std::size_t(size)};
    data_ = file_.subspan(8 + std::size_t(size));
    if (!accept('{')) return not_well_formed;
    if (accept('}')) return "";
    do {
      named_array next;
      if (!string(next.name) || !accept(':')) return not_well_formed;
      if (next.name == "__metadata__") {
        if (!skip_value(0)) return not_well_formed;
      } else {
        if (const std::string_view problem = entry(next); !problem.empty()) return problem;
        arrays.push_back(std::move(next));
      }
    } while (accept(','));
    return accept('}') ? "" : not_well_formed;
  }

 private:
  static constexpr std::string_view not_well_formed = "the header of the .safetensors file is not well formed";
  std::span<const std::byte> file_, data_;
  std::string_view text_;
  std::size_t at_ = 0;

  bool accept(char wanted) {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  bool whole(std::uint64_t& value) {
    accept('\0');
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) return false;
    at_ = std::size_t(end - text_.data());
    return true;
  }
  bool string(std::string& value) {
    if (!accept('"')) return false;
    for (value.clear(); at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] != '\\') {
        value += text_[at_];
        continue;
      }
      if (++at_ == text_.size()) return false;
      constexpr std::string_view escapes = "\"\\/bfnrt", characters = "\"\\/\b\f\n\r\t";
      if (const std::size_t which = escapes.find(text_[at_]); which != escapes.npos) {
        value += characters[which];
      } else if (unsigned code = 0;
                 text_[at_] == 'u' && text_.size() - at_ > 4 &&
                 std::from_chars(&text_[at_ + 1], &text_[at_ + 1] + 4, code, 16).ptr == &text_[at_] + 5) {
        if (code >= 0x800) value += char(0xE0 | code >> 12);
        if (code >= 0x80) value += char(code >= 0x800 ? 0x80 | (code >> 6 & 0x3F) : 0xC0 | code >> 6);
        value += char(code >= 0x80 ? 0x80 | (code & 0x3F) : code);
        at_ += 4;
      } else {
        return false;
      }
    }
    return accept('"');
  }
  bool skip_value(int depth) {
    std::string ignored;
    if (depth > 100) return false;
    if (accept('{') || accept('[')) {
      const char end = text_[at_ - 1] == '{' ? '}' : ']';
      if (accept(end)) return true;
      do {
        if (end == '}' && !(string(ignored) && accept(':'))) return false;
        if (!skip_value(depth + 1)) return false;
      } while (accept(','));
      return accept(end);
    }
    if (accept('"')) return --at_, string(ignored);
    const std::size_t first = at_;
    while (at_ < text_.size() && std::string_view(",]} \n\t\r").find(text_[at_]) == std::string_view::npos) ++at_;
    return at_ > first;
  }
  bool list(std::vector<std::uint64_t>& values) {
    if (!accept('[')) return false;
    if (accept(']')) return true;
    do {
      if (!whole(values.emplace_back())) return false;
    } while (accept(','));
    return accept(']');
  }

  static dtype element_named(std::string_view name) {
    constexpr npy_type_name names[] = {{"BOOL", dtype::i1},          {"I8", dtype::i8},
                                       {"I16", dtype::i16},          {"I32", dtype::i32},
                                       {"I64", dtype::i64},          {"U8", dtype::ui8},
                                       {"U16", dtype::ui16},         {"U32", dtype::ui32},
                                       {"U64", dtype::ui64},         {"F16", dtype::f16},
                                       {"BF16", dtype::bf16},        {"F32", dtype::f32},
                                       {"F64", dtype::f64},          {"C64", dtype::complex_f32},
                                       {"F8_E4M3", dtype::f8E4M3FN}, {"F8_E5M2", dtype::f8E5M2},
                                       {"F8_E8M0", dtype::f8E8M0FNU}};
    return find_npy_type(names, name);
  }
  // {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}
  std::string_view entry(named_array& to) {
    std::string key, type;
    std::vector<std::uint64_t> shape, offsets;
    if (!accept('{')) return not_well_formed;
    do {
      if (!string(key) || !accept(':')) return not_well_formed;
      const bool is_read = key == "dtype" ? string(type) : key == "shape" ? shape.clear(),
                 list(shape) : key == "data_offsets" ? offsets.clear(), list(offsets) : skip_value(0);
      if (!is_read) return not_well_formed;
    } while (accept(','));
    if (!accept('}') || offsets.size() != 2) return not_well_formed;
    to.header.element = element_named(type);
    if (to.header.element == dtype::none) return "the file holds no element type of StableHLO";
    to.header.item_bytes = storage_bytes(to.header.element);
    to.header.swapped = std::endian::native == std::endian::big;
    for (const std::uint64_t size : shape) {
      if (size > std::uint64_t(INT64_MAX)) return not_well_formed;
      to.header.shape.push(index_t(size));
    }
    if (to.header.shape.dropped > 0) return message(npy_error::too_many_dimensions);
    std::size_t bytes = 0;
    if (!npy_byte_count(to.header.shape, to.header.item_bytes, bytes)) return message(npy_error::too_large);
    if (offsets[0] > offsets[1] || offsets[1] > data_.size()) return message(npy_error::truncated);
    if (offsets[1] - offsets[0] != bytes) return not_well_formed;
    to.data = data_.subspan(std::size_t(offsets[0]), bytes);
    return "";
  }
};

}  // namespace tenon::detail
