// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/bytecode/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::bytecode {

// An attribute or a type, as the file encodes it.
struct entry {
  std::string_view dialect;
  bytes encoding;
  bool is_text = false;
};

// The tables of a file of MLIR's bytecode, whose ops are read one by one.
class module_reader {
 public:
  std::uint64_t version = 0;
  std::vector<std::string_view> strings;
  std::vector<std::string> op_names;
  std::vector<entry> attributes, types;
  std::vector<bytes> properties;
  bytes ops;

  // Says what is wrong, or nothing.
  const char* read(bytes file) {
    constexpr std::string_view magic = "ML\xefR";
    stream in(file);
    if (stream::characters(in.take(4)) != magic) return "the file is no MLIR bytecode";
    version = in.number();
    if (version < 1 || version > 6) return "the version of the MLIR bytecode is not known";
    in.text();
    bytes sections[section_count];
    while (!in.is_done()) {
      const section each = read_section(in);
      if (each.id < section_count) sections[each.id] = each.content;
    }
    ops = sections[4];
    if (in.failed() || !read_strings(sections[0]) || !read_dialects(sections[1]) ||
        !read_entries(sections[3], sections[2]) || !read_properties(sections[8]))
      return "the MLIR bytecode is not well formed";
    return nullptr;
  }

  struct section {
    unsigned id = 0;
    bytes content;
  };
  static section read_section(stream& in) {
    const unsigned id = in.byte();
    const std::uint64_t size = in.number();
    if ((id & 0x80) != 0) {  // the content is aligned within the file
      const std::uint64_t alignment = in.number();
      if (alignment == 0) in.fail();
      while (!in.is_done() && in.position() % alignment != 0) in.take(1);
    }
    return {id & 0x7F, in.take(size)};
  }

 private:
  static constexpr unsigned section_count = 9;
  std::vector<std::string_view> dialects_;

  std::string_view string_at(std::uint64_t index, stream& in) const {
    if (index < strings.size()) return strings[std::size_t(index)];
    in.fail();
    return {};
  }
  bool read_strings(bytes from) {
    stream in(from);
    std::vector<std::uint64_t> sizes(std::size_t(in.count()));
    for (std::size_t i = sizes.size(); i-- > 0;) sizes[i] = in.number();
    for (const std::uint64_t size : sizes) {
      const bytes text = in.take(size);
      if (in.failed() || text.empty()) return false;
      strings.push_back(stream::characters(text.first(text.size() - 1)));
    }
    return !in.failed();
  }
  bool read_dialects(bytes from) {
    stream in(from);
    for (std::uint64_t count = in.count(); count > 0 && !in.failed(); --count) {
      const std::uint64_t name = in.number();
      dialects_.push_back(string_at(name >> 1, in));
      if ((name & 1) != 0) read_section(in);
    }
    if (version >= 4) in.number();  // how many ops there are
    while (!in.is_done()) {
      const std::uint64_t dialect = in.number();
      if (dialect >= dialects_.size()) return false;
      for (std::uint64_t count = in.count(); count > 0 && !in.failed(); --count) {
        const std::uint64_t name = version >= 5 ? in.number() >> 1 : in.number();
        op_names.push_back(std::string(dialects_[std::size_t(dialect)]) + "." + std::string(string_at(name, in)));
      }
    }
    return !in.failed();
  }
  bool read_entries(bytes offsets, bytes encodings) {
    stream in(offsets), from(encodings);
    const std::uint64_t attribute_count = in.number(), type_count = in.number();
    for (std::vector<entry>* const to : {&attributes, &types}) {
      const std::uint64_t wanted = to == &types ? type_count : attribute_count;
      while (to->size() < wanted) {
        const std::uint64_t dialect = in.number();
        if (in.failed() || dialect >= dialects_.size()) return false;
        for (std::uint64_t count = in.count(); count > 0 && !in.failed(); --count) {
          const std::uint64_t size = in.number();
          to->push_back({dialects_[std::size_t(dialect)], from.take(size >> 1), (size & 1) == 0});
        }
      }
    }
    return !in.failed() && !from.failed();
  }
  bool read_properties(bytes from) {
    stream in(from);
    if (from.empty()) return true;
    for (std::uint64_t count = in.count(); count > 0 && !in.failed(); --count)
      properties.push_back(in.take(in.number()));
    return !in.failed();
  }
};

}  // namespace tenon::bytecode
