// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// Data that the method "deflate" has packed. https://www.rfc-editor.org/rfc/rfc1951
namespace tenon::detail {

// The bits of bytes, the lowest first. Behind the end they are zeros.
class bit_reader {
 public:
  explicit bit_reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint32_t take(int count) {
    std::uint32_t value = 0;
    for (int i = 0; i < count; ++i, ++at_)
      if (at_ / 8 < bytes_.size()) value |= (std::uint32_t(bytes_[at_ / 8]) >> (at_ % 8) & 1) << i;
    return value;
  }
  // The bytes from the next whole one on.
  std::span<const std::byte> rest() {
    at_ = (at_ + 7) / 8 * 8;
    return bytes_.subspan(at_ / 8 < bytes_.size() ? at_ / 8 : bytes_.size());
  }
  void skip_bytes(std::size_t count) { at_ += 8 * count; }
  bool is_past_end() const { return at_ > 8 * bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

// A prefix code, given by how many bits the word of each symbol has.
class prefix_code {
 public:
  // False if there are more words than such lengths allow.
  bool assign(std::span<const std::uint8_t> lengths) {
    for (std::uint16_t& count : counts_) count = 0;
    for (const std::uint8_t length : lengths) ++counts_[length];
    counts_[0] = 0;
    std::uint16_t first[longest + 1]{};
    int room = 1;
    for (int length = 1; length <= longest; ++length) {
      room = 2 * room - counts_[length];
      if (room < 0) return false;
      if (length < longest) first[length + 1] = std::uint16_t(first[length] + counts_[length]);
    }
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol)
      if (lengths[symbol] != 0) symbols_[first[lengths[symbol]]++] = std::uint16_t(symbol);
    return true;
  }
  // -1 where the bits are no word.
  int next(bit_reader& bits) const {
    int word = 0, smallest = 0, index = 0;
    for (int length = 1; length <= longest; ++length) {
      word = 2 * word + int(bits.take(1));
      smallest *= 2;
      if (word - smallest < counts_[length]) return symbols_[index + word - smallest];
      smallest += counts_[length], index += counts_[length];
    }
    return -1;
  }

 private:
  static constexpr int longest = 15;
  std::uint16_t counts_[longest + 1]{}, symbols_[288]{};
};

class inflater {
 public:
  inflater(std::span<const std::byte> packed, std::span<std::byte> to) : bits_(packed), to_(to) {}

  // False unless the data are well formed and fill the memory.
  bool run() {
    for (bool is_last = false; !is_last;) {
      is_last = bits_.take(1) != 0;
      const std::uint32_t kind = bits_.take(2);
      if (bits_.is_past_end() || !(kind == 0 ? copy() : kind == 1 ? read_fixed() : kind == 2 && read_own()))
        return false;
    }
    return size_ == to_.size();
  }

 private:
  bit_reader bits_;
  std::span<std::byte> to_;
  std::size_t size_ = 0;
  prefix_code literals_, distances_;

  bool copy() {
    const std::span<const std::byte> from = bits_.rest();
    if (from.size() < 4) return false;
    const std::size_t count = std::size_t(from[0]) | std::size_t(from[1]) << 8;
    if ((count ^ 0xFFFF) != (std::size_t(from[2]) | std::size_t(from[3]) << 8)) return false;
    if (from.size() - 4 < count || to_.size() - size_ < count) return false;
    for (std::size_t i = 0; i < count; ++i) to_[size_++] = from[4 + i];
    bits_.skip_bytes(4 + count);
    return true;
  }
  bool read_fixed() {
    std::uint8_t lengths[288];
    for (int i = 0; i < 288; ++i) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    literals_.assign(lengths);
    for (int i = 0; i < 30; ++i) lengths[i] = 5;
    distances_.assign({lengths, 30});
    return read_words();
  }
  // The codes are given first, packed by a third one.
  bool read_own() {
    static constexpr std::uint8_t order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    const std::size_t literals = 257 + bits_.take(5), distances = 1 + bits_.take(5), given = 4 + bits_.take(4);
    if (literals > 286 || distances > 30) return false;
    std::uint8_t lengths[286 + 30]{};
    for (std::size_t i = 0; i < given; ++i) lengths[order[i]] = std::uint8_t(bits_.take(3));
    prefix_code of_lengths;
    if (!of_lengths.assign({lengths, 19})) return false;
    for (std::size_t i = 0; i < literals + distances;) {
      const int symbol = of_lengths.next(bits_);
      if (symbol < 0 || bits_.is_past_end() || (symbol == 16 && i == 0)) return false;
      const std::size_t count = symbol < 16    ? 1
                                : symbol == 16 ? 3 + bits_.take(2)
                                : symbol == 17 ? 3 + bits_.take(3)
                                               : 11 + bits_.take(7);
      const auto length = std::uint8_t(symbol < 16 ? symbol : symbol == 16 ? lengths[i - 1] : 0);
      if (literals + distances - i < count) return false;
      for (std::size_t k = 0; k < count; ++k) lengths[i++] = length;
    }
    return literals_.assign({lengths, literals}) && distances_.assign({lengths + literals, distances}) && read_words();
  }
  bool read_words() {
    while (true) {
      const int symbol = literals_.next(bits_);
      if (symbol < 0 || symbol > 285 || bits_.is_past_end()) return false;
      if (symbol == 256) return true;
      if (symbol < 256) {
        if (size_ == to_.size()) return false;
        to_[size_++] = std::byte(symbol);
        continue;
      }
      // Lengths 3 to 258, and distances 1 to 32768, in ranges that double.
      const int range = symbol - 257, more = range < 8 || range == 28 ? 0 : range / 4 - 1;
      std::size_t length = range < 8 ? std::size_t(3 + range) : 3 + (std::size_t(4 + range % 4) << more);
      length = range == 28 ? 258 : length + bits_.take(more);
      const int far_range = distances_.next(bits_);
      if (far_range < 0 || far_range > 29) return false;
      const int far_more = far_range < 4 ? 0 : far_range / 2 - 1;
      const std::size_t base =
          far_range < 4 ? std::size_t(1 + far_range) : 1 + (std::size_t(2 + far_range % 2) << far_more);
      const std::size_t distance = base + bits_.take(far_more);
      if (distance > size_ || to_.size() - size_ < length || bits_.is_past_end()) return false;
      for (std::size_t i = 0; i < length; ++i, ++size_) to_[size_] = to_[size_ - distance];
    }
  }
};

}  // namespace tenon::detail
