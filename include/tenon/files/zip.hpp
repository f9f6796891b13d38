// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/files/inflate.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

// The members of a .zip file in memory, stored or deflated, as numpy.savez and numpy.savez_compressed write them.
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
namespace tenon::detail {

// Numbers of a file, the lowest byte first.
class byte_reader {
 public:
  explicit byte_reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool has(std::uint64_t at, std::uint64_t count) const { return at <= bytes_.size() && count <= bytes_.size() - at; }
  // @pre has(at, size)
  std::uint64_t number(std::uint64_t at, int size) const {
    std::uint64_t value = 0;
    for (int i = size - 1; i >= 0; --i) value = value << 8 | std::uint64_t(bytes_[std::size_t(at) + std::size_t(i)]);
    return value;
  }
  std::span<const std::byte> bytes(std::uint64_t at, std::uint64_t count) const {
    return bytes_.subspan(std::size_t(at), std::size_t(count));
  }
  std::uint64_t size() const { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
};

inline std::uint32_t checksum(std::span<const std::byte> bytes) {
  static constexpr auto steps = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      table[i] = i;
      for (int bit = 0; bit < 8; ++bit) table[i] = table[i] >> 1 ^ (table[i] & 1) * 0xEDB88320u;
    }
    return table;
  }();
  std::uint32_t value = 0xFFFFFFFF;
  for (const std::byte each : bytes) value = value >> 8 ^ steps[(value ^ std::uint32_t(each)) & 0xFF];
  return ~value;
}

struct zip_member {
  std::string_view name;
  std::span<const std::byte> packed;
  std::uint64_t size = 0;
  std::uint32_t checksum = 0;
  bool is_deflated = false;
};

class zip_reader {
 public:
  explicit zip_reader(std::span<const std::byte> file) : in_(file) {}

  // False if the file is no .zip file, or has what this does not read.
  bool read(std::vector<zip_member>& members) const {
    std::uint64_t at = 0, count = 0;
    if (!find_directory(at, count)) return false;
    for (; count > 0; --count) {
      if (!in_.has(at, 46) || in_.number(at, 4) != 0x02014B50) return false;
      const std::uint64_t name = in_.number(at + 28, 2), extra = in_.number(at + 30, 2),
                          comment = in_.number(at + 32, 2);
      const std::uint64_t flags = in_.number(at + 8, 2), method = in_.number(at + 10, 2);
      if (!in_.has(at + 46, name + extra + comment) || (flags & 1) != 0 || (method != 0 && method != 8)) return false;
      std::uint64_t size = in_.number(at + 24, 4), packed = in_.number(at + 20, 4), local = in_.number(at + 42, 4);
      for (std::uint64_t field = at + 46 + name, end = field + extra; end - field >= 4;) {
        const std::uint64_t length = in_.number(field + 2, 2);
        if (end - field - 4 < length) return false;
        if (in_.number(field, 2) == 1 && !read_long(field + 4, length, {&size, &packed, &local})) return false;
        field += 4 + length;
      }
      if (!in_.has(local, 30) || in_.number(local, 4) != 0x04034B50) return false;
      const std::uint64_t data = local + 30 + in_.number(local + 26, 2) + in_.number(local + 28, 2);
      // No byte stands for more than 1032.
      if (!in_.has(data, packed) || (method == 0 ? size != packed : size / 1032 > packed)) return false;
      const std::span<const std::byte> text = in_.bytes(at + 46, name);
      members.push_back({{reinterpret_cast<const char*>(text.data()), text.size()},
                         in_.bytes(data, packed),
                         size,
                         std::uint32_t(in_.number(at + 16, 4)),
                         method == 8});
      at += 46 + name + extra + comment;
    }
    return true;
  }

 private:
  byte_reader in_;

  bool find_directory(std::uint64_t& at, std::uint64_t& count) const {
    if (in_.size() < 22) return false;
    std::uint64_t end = in_.size() - 22;
    for (int longest = 0xFFFF; in_.number(end, 4) != 0x06054B50; --end)
      if (end == 0 || longest-- == 0) return false;
    count = in_.number(end + 10, 2), at = in_.number(end + 16, 4);
    if ((count != 0xFFFF && at != 0xFFFFFFFF) || end < 20 || in_.number(end - 20, 4) != 0x07064B50) return true;
    const std::uint64_t longer = in_.number(end - 12, 8);
    if (!in_.has(longer, 56) || in_.number(longer, 4) != 0x06064B50) return false;
    count = in_.number(longer + 32, 8), at = in_.number(longer + 48, 8);
    return true;
  }
  // Numbers that are too large for their fields, in order.
  bool read_long(std::uint64_t at, std::uint64_t length, std::array<std::uint64_t*, 3> numbers) const {
    for (std::uint64_t* const each : numbers) {
      if (*each != 0xFFFFFFFF) continue;
      if (length < 8) return false;
      *each = in_.number(at, 8);
      at += 8, length -= 8;
    }
    return true;
  }
};

// The bytes of a member, in memory of its size; false if they are not well formed.
inline bool unpack(const zip_member& member, std::vector<std::byte>& to) {
  to.resize(std::size_t(member.size));
  if (!member.is_deflated) {
    to.assign(member.packed.begin(), member.packed.end());
  } else if (!inflater(member.packed, to).run()) {
    return false;
  }
  return checksum(to) == member.checksum;
}

}  // namespace tenon::detail
