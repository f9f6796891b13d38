// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/fourier/fourier_line.hpp>

#include <cstddef>

namespace tenon {

// The discrete Fourier transform of one long line, which is taken for a table: its columns are transformed several at
// a time, what they give is turned by a root of unity each, and then so are its rows. So everything is done in vectors,
// and each line stays in the first caches. https://en.wikipedia.org/wiki/Bailey%27s_FFT_algorithm
class fourier_table {
  using numbers = eight_lines;
  using stored = numbers::stored;
  using root = complex<double>;
  using line = fourier_line<numbers>;
  static constexpr index_t together = numbers::count;

 public:
  static_assert(together == fourier::together);
  static constexpr bool is_supported(index_t n) { return fourier::is_table(n); }
  static constexpr index_t scratch_bytes(index_t n) { return fourier::table_bytes(n); }

  fourier_table(index_t n, void* memory)
      : rows_(fourier::table_rows(n)),
        columns_(n / rows_),
        table_(static_cast<stored*>(memory)),
        down_(rows_, behind(memory, fourier::cells_bytes(rows_, columns_))),
        along_(columns_, behind(memory, fourier::cells_bytes(rows_, columns_) + line::scratch_bytes(rows_))) {
    coarse_ = static_cast<root*>(behind(memory, scratch_bytes(n) - (rows_ + columns_) * index_t(sizeof(root))));
    fine_ = coarse_ + rows_;
    list_roots_of_unity(rows_, coarse_);
    for (index_t k = 0; k < columns_; ++k) fine_[k] = root_of_unity(k, n);
    // Rows that there are not.
    if (rows_ % together != 0)
      for (index_t c = 0; c < columns_; ++c) table_[rows_ / together * columns_ + c] = numbers::filled({});
  }

  // read(i) gives number i; write(k, z) is called with what comes out at frequency k.
  template <class Read, class Write>
  void run(Read read, Write write) {
    for (index_t first = 0; first < columns_; first += together) {
      const index_t column = first + together <= columns_ ? first : columns_ - together;
      for (index_t r = 0; r < rows_; ++r)
        for (index_t l = 0; l < together; ++l) numbers::set(down_[r], l, read(r * columns_ + column + l));
      down_.run();
      turn_columns(column);
    }
    for (index_t first = 0; first < rows_; first += together) {
      const stored* const block = table_ + first / together * columns_;
      for (index_t c = 0; c < columns_; ++c) along_[c] = block[c];
      along_.run();
      const index_t some = rows_ - first < together ? rows_ - first : together;
      for (index_t c = 0; c < columns_; ++c)
        for (index_t l = 0; l < some; ++l) write(c * rows_ + first + l, numbers::get(along_[c], l));
    }
  }

 private:
  static void* behind(void* memory, index_t bytes) { return static_cast<std::byte*>(memory) + bytes; }

  root power(index_t exponent) const { return coarse_[exponent / columns_] * fine_[exponent % columns_]; }

  // What stands in row r of so many columns from `column` on, to the table, times the root of unity to the power of
  // r * column: a product of two roots, of which there are few.
  void turn_columns(index_t column) {
    constexpr index_t few = 16;
    stored low[few];
    for (index_t r = 0; r < few; ++r)
      for (index_t l = 0; l < together; ++l) numbers::set(low[r], l, power(r * (column + l)));
    stored high{}, turned{};
    for (index_t r = 0; r < rows_; ++r) {
      if (r % few == 0)
        for (index_t l = 0; l < together; ++l) numbers::set(high, l, power(r * (column + l)));
      numbers::store(numbers::load(down_[r]) * (numbers::load(high) * numbers::load(low[r % few])), turned);
      for (index_t l = 0; l < together; ++l)
        numbers::set(table_[r / together * columns_ + column + l], r % together, numbers::get(turned, l));
    }
  }

  index_t rows_, columns_;
  stored* table_;
  line down_, along_;
  root *coarse_, *fine_;
};

}  // namespace tenon
