// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/kernels/fourier/fourier_line.hpp>

#include <cstddef>

namespace tenon::kernels {

// The discrete Fourier transform of one long line, which is taken for a table: its columns are transformed several at
// a time, what they give is turned by a root of unity each, and then so are its rows. So everything is done in vectors,
// and each line stays in the first caches. https://en.wikipedia.org/wiki/Bailey%27s_FFT_algorithm
class fourier_table {
  using numbers = lines_in_lanes;
  using stored = numbers::stored;
  using number = numbers::number;
  using root = complex<double>;
  using line = fourier_line<numbers>;
  static constexpr index_t together = numbers::count;

 public:
  static constexpr bool is_supported(index_t n) { return together > 1 && ops::fourier::is_table(n); }
  static constexpr index_t scratch_bytes(index_t n) { return ops::fourier::table_bytes(n); }

  fourier_table(index_t n, void* memory)
      : n_(n),
        rows_(ops::fourier::table_rows(n)),
        columns_(n / rows_),
        table_(static_cast<stored*>(memory)),
        down_(rows_, behind(memory, ops::fourier::cells_bytes(rows_, columns_))),
        along_(columns_, behind(memory, ops::fourier::cells_bytes(rows_, columns_) +
                                            ops::fourier::line_bytes(rows_, ops::fourier::most_together, false))) {
    own_ = static_cast<root*>(behind(memory, scratch_bytes(n) - (n + 1) * index_t(sizeof(root))));
    fine_ = own_ - columns_;
    coarse_ = fine_ - rows_;
    list_roots_of_unity(rows_, coarse_);
    for (index_t k = 0; k < columns_; ++k) fine_[k] = ops::root_of_unity(k, n);
  }

  // Room for n + 1 numbers of its caller.
  root* own() { return own_; }
  // root_of_unity(k, 2 n)
  root half_turn(index_t k) const {
    return k % 2 == 0 ? power(k / 2) : product(power(k / 2), ops::root_of_unity(1, 2 * n_));
  }

  // read(i) gives as many numbers side by side as there are lanes, from number i on; write(k, count, z) is called with
  // what comes out at `count` frequencies from k on.
  template <class Read, class Write>
  void run(Read read, Write write) {
    for (index_t first = 0; first < columns_; first += together) {
      const index_t column = first + together <= columns_ ? first : columns_ - together;
      for (index_t r = 0; r < rows_; ++r) numbers::store(read(r * columns_ + column), down_[r]);
      down_.run();
      turn_columns(column);
    }
    for (index_t first = 0; first < rows_; first += together) {
      const stored* const block = table_ + first / together * columns_;
      for (index_t c = 0; c < columns_; ++c) along_[c] = block[c];
      along_.run();
      const index_t some = rows_ - first < together ? rows_ - first : together;
      for (index_t c = 0; c < columns_; ++c) write(c * rows_ + first, some, along_[c]);
    }
  }

 private:
  static void* behind(void* memory, index_t bytes) { return static_cast<std::byte*>(memory) + bytes; }

  root power(index_t exponent) const { return product(coarse_[exponent / columns_], fine_[exponent % columns_]); }
  static root product(root a, root b) {
    root result;
    one_line::store(one_line::load(a) * b, result);
    return result;
  }
  number powers(index_t row, index_t column) const {
    stored all;
    for (index_t l = 0; l < together; ++l) numbers::set(all, l, power(row * (column + l)));
    return numbers::load(all);
  }

  // table[r, column + l] = down[r, l] * root^(r * (column + l)), a product of two listed roots.
  void turn_columns(index_t column) {
    constexpr index_t few = 16;
    static_assert(few % together == 0);
    stored low[few];
    for (index_t r = 0; r < few; ++r) numbers::store(powers(r, column), low[r]);
    for (index_t first = 0; first < rows_; first += few) {
      const number high = powers(first, column);
      const index_t end = rows_ - first < few ? rows_ - first : few;
      for (index_t part = 0; part < end; part += together) {
        number square[together];
        for (index_t l = 0; l < together; ++l)
          square[l] = part + l < end ? numbers::load(down_[first + part + l]) * (high * numbers::load(low[part + l]))
                                     : numbers::load(numbers::filled({}));
        numbers::transpose(square);
        for (index_t l = 0; l < together; ++l)
          numbers::store(square[l], table_[(first + part) / together * columns_ + column + l]);
      }
    }
  }

  index_t n_, rows_, columns_;
  stored* table_;
  line down_, along_;
  root *own_, *coarse_, *fine_;
};

}  // namespace tenon::kernels
