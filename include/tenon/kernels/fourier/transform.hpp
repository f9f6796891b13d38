// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/element.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/strided.hpp>
#include <tenon/kernels/divided.hpp>
#include <tenon/kernels/fourier/fourier_line.hpp>
#include <tenon/kernels/needs.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

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

// An op that is a Fourier transform along the last dimensions.
template <class Op>
concept transforms_lines = Op::transforms_lines;

// The accesses of lines along one axis. An even number of real numbers goes through a transform of half as
// many complex ones, `halves`, which lie in memory as those do: only the last axis has real numbers. An inverse
// transform is the transform with real and imaginary parts exchanged, before and behind.
template <class From, class To>
class line_ends {
 public:
  static constexpr bool is_from_real = std::is_arithmetic_v<From>, is_to_real = std::is_arithmetic_v<To>;

  // given, wanted: how many elements a line has
  line_ends(const From* from, index_t given, index_t from_step, To* to, index_t wanted, index_t to_step, bool inverse)
      : from_(reinterpret_cast<const part*>(from)),
        to_(reinterpret_cast<part*>(to)),
        given_(given),
        wanted_(wanted),
        from_step_(2 * from_step),
        to_step_(2 * to_step),
        inverse_(inverse) {
    const index_t n = is_to_real ? wanted : given;
    has_halves_ = (is_from_real || is_to_real) && n % 2 == 0;
    length_ = has_halves_ ? n / 2 : n;
    scale_ = inverse ? 1 / double(n) : 1;
  }

  index_t length() const { return length_; }  // of the complex transform
  bool has_halves() const { return has_halves_; }
  // Whether complex numbers are read and written, be they pairs of real ones.
  bool has_numbers() const { return has_halves_ || !(is_from_real || is_to_real); }

  template <class Numbers>
  void load(const index_t (&firsts)[Numbers::count], typename Numbers::stored* to) const {
    const index_t n = is_from_real ? length_ : given_;
    if (is_from_real && !has_halves_) {
      for (index_t i = 0; i < length_; ++i)
        for (index_t l = 0; l < Numbers::count; ++l) Numbers::set(to[i], l, {double(from_[firsts[l] + i]), 0});
      return;
    }
    const bool exchange = inverse_ && !is_to_real;
    index_t i = 0;
    if (from_step_ == 2) {
      for (; i + Numbers::count <= n; i += Numbers::count) {
        typename Numbers::number square[Numbers::count];
        for (index_t l = 0; l < Numbers::count; ++l)
          square[l] = Numbers::load_adjacent(from_ + first_part(firsts[l]) + 2 * i);
        Numbers::transpose(square);
        for (index_t l = 0; l < Numbers::count; ++l)
          Numbers::store(exchange ? Numbers::exchanged(square[l]) : square[l], to[i + l]);
      }
    } else if (are_adjacent(firsts)) {
      for (; i < n; ++i) {
        const auto z = Numbers::load_adjacent(from_ + first_part(firsts[0]) + i * from_step_);
        Numbers::store(exchange ? Numbers::exchanged(z) : z, to[i]);
      }
    }
    for (; i < n; ++i)
      for (index_t l = 0; l < Numbers::count; ++l) {
        const part* const at = from_ + first_part(firsts[l]) + i * from_step_;
        Numbers::set(to[i], l, {double(at[exchange ? 1 : 0]), double(at[exchange ? 0 : 1])});
      }
    if (is_to_real && !has_halves_) {
      for (i = length_ - 1; i > 0; --i) {
        const auto z = Numbers::load(to[i < given_ ? i : length_ - i]);
        Numbers::store(Numbers::exchanged(i < given_ ? z : Numbers::conjugated(z)), to[i]);
      }
      Numbers::store(Numbers::exchanged(Numbers::load(to[0])), to[0]);
    }
  }

  template <class Numbers>
  void store(const typename Numbers::stored* from, const index_t (&targets)[Numbers::count]) const {
    const index_t n = is_to_real ? length_ : wanted_;
    if (is_to_real && !has_halves_) {
      for (index_t i = 0; i < length_; ++i)
        for (index_t l = 0; l < Numbers::count; ++l) to_[targets[l] + i] = part(Numbers::get(from[i], l).imag * scale_);
      return;
    }
    index_t i = 0;
    if (to_step_ == 2) {
      for (; i + Numbers::count <= n; i += Numbers::count) {
        typename Numbers::number square[Numbers::count];
        for (index_t l = 0; l < Numbers::count; ++l) square[l] = finished<Numbers>(from[i + l]);
        Numbers::transpose(square);
        for (index_t l = 0; l < Numbers::count; ++l)
          Numbers::store_adjacent(square[l], to_ + target_part(targets[l]) + 2 * i);
      }
    } else if (are_adjacent(targets)) {
      for (; i < n; ++i)
        Numbers::store_adjacent(finished<Numbers>(from[i]), to_ + target_part(targets[0]) + i * to_step_);
    }
    for (; i < n; ++i)
      for (index_t l = 0; l < Numbers::count; ++l) store_one(Numbers::get(from[i], l), targets[l], i);
  }

  // Neighbours in one line, from number i on.
  template <class Numbers>
  typename Numbers::number load_some(index_t first, index_t i) const {
    typename Numbers::stored gathered;
    const part* const at = from_ + first_part(first) + i * from_step_;
    if (from_step_ == 2)
      Numbers::store(Numbers::load_adjacent(at), gathered);
    else
      for (index_t l = 0; l < Numbers::count; ++l)
        Numbers::set(gathered, l, {double(at[l * from_step_]), double(at[l * from_step_ + 1])});
    const auto z = Numbers::load(gathered);
    return inverse_ ? Numbers::exchanged(z) : z;
  }
  template <class Numbers>
  void store_some(const typename Numbers::stored& from, index_t target, index_t i, index_t count) const {
    if (to_step_ == 2 && count == Numbers::count)
      Numbers::store_adjacent(finished<Numbers>(from), to_ + target_part(target) + i * to_step_);
    else
      for (index_t l = 0; l < count; ++l) store_one(Numbers::get(from, l), target, i + l);
  }

 private:
  using part = typename std::conditional_t<is_from_real, To, From>::value_type;

  static constexpr index_t first_part(index_t first) { return is_from_real ? first : 2 * first; }
  static constexpr index_t target_part(index_t target) { return is_to_real ? target : 2 * target; }
  template <std::size_t N>
  static bool are_adjacent(const index_t (&places)[N]) {
    for (std::size_t l = 1; l < N; ++l)
      if (places[l] != places[0] + index_t(l)) return false;
    return true;
  }
  template <class Numbers>
  typename Numbers::number finished(const typename Numbers::stored& from) const {
    const auto z = Numbers::load(from);
    return inverse_ ? Numbers::scaled(Numbers::exchanged(z), scale_) : z;
  }
  void store_one(const complex<double>& z, index_t target, index_t i) const {
    const auto result = finished<one_line>(z);
    part* const to = to_ + target_part(target) + i * to_step_;
    to[0] = part(result.real);
    to[1] = part(result.imag);
  }

  const part* from_;
  part* to_;
  index_t given_, wanted_, from_step_, to_step_, length_;
  double scale_;
  bool inverse_, has_halves_;
};

enum class transform_branch { in_lanes, in_tables, one_line, complex_lines, real_lines };

// Transforms all lines along one dimension after the other, in f64: the last one first, but last for IRFFT.
template <class Op, needs Needs>
class line_transforms {
 public:
  // Lines of one side's real numbers are halved where their number is even; workers take some of the lines each.
  static constexpr needs needs_of(const evaluation& e, const Op& op) {
    const tensor_type &from = e.operand_types.data[0], &to = e.result_types.data[0];
    const ints& shape = is_complex(from.element) ? from.shape : to.shape;
    needs all;
    for (int i = 0; i < op.fft_length.size; ++i) {
      const int axis = shape.size - 1 - i;
      const bool is_real = i == 0 && from.element != to.element;
      const index_t n = is_real ? op.fft_length[op.fft_length.size - 1] : shape[axis];
      const bool has_halves = is_real && n % 2 == 0;
      all.add(is_real ? transform_branch::real_lines : transform_branch::complex_lines);
      for (const index_t lines : {shape.without({axis}).product(), index_t(is_large({&from, 1}) || is_large({&to, 1}))})
        if (lines > 0) all.add(way_of(lines, has_halves ? n / 2 : n, has_halves || !is_real));
    }
    return all;
  }

  line_transforms(const evaluation& e, const Op& op) : e_(e), op_(op), inverse_(op.is_inverse()) {}

  template <class T>
  void run() const {
    const int dimensions = op_.fft_length.size;
    if constexpr (std::same_as<T, f32> || std::same_as<T, f64>) {
      const ints &from = e_.operand_types.data[0].shape, &to = e_.result_types.data[0].shape;
      transform<T, complex<T>>(e_.operand<T>(0), from, e_.result<complex<T>>(), to, from.size - 1);
      for (int i = 1; i < dimensions; ++i) {
        begin_branch<Needs, transform_branch::complex_lines>();
        complex<T>* const result = e_.result<complex<T>>();
        transform<complex<T>, complex<T>>(result, to, result, to, to.size - 1 - i);
      }
    } else if constexpr (is_complex(dtype_of<T>)) {
      const ints& shape = e_.operand_types.data[0].shape;
      const T* from = e_.operand<T>(0);
      const bool to_real = is_to_real();
      T* const complex_result = to_real ? copy_of_operand<T>() : e_.result<T>();
      for (int i = to_real ? 1 : 0; i < dimensions; ++i) {
        begin_branch<Needs, transform_branch::complex_lines>();
        transform<T, T>(from, shape, complex_result, shape, shape.size - 1 - i);
        from = complex_result;
      }
      if (to_real) {
        begin_branch<Needs, transform_branch::real_lines>();
        using R = typename T::value_type;
        transform<T, R>(from, shape, e_.result<R>(), e_.result_types.data[0].shape, shape.size - 1);
      }
    }
  }

 private:
  static constexpr transform_branch way_of(index_t lines, index_t length, bool has_numbers) {
    if (ops::fourier::are_side_by_side(lines, length)) return transform_branch::in_lanes;
    return has_numbers && fourier_table::is_supported(length) ? transform_branch::in_tables
                                                              : transform_branch::one_line;
  }

  const evaluation& e_;
  const Op& op_;
  bool inverse_;

  bool is_to_real() const { return inverse_ && e_.operand_types.data[0].element != e_.result_types.data[0].element; }
  // Memory for a tensor like the operand, behind that of the lines.
  template <class T>
  T* copy_of_operand() const {
    const index_t behind = op_.scratch_bytes(e_.operand_types, e_.result_types) -
                           (op_.needs_copy() ? byte_size(e_.operand_types.data[0]) : 0);
    return static_cast<T*>(static_cast<void*>(static_cast<std::byte*>(e_.scratch) + behind));
  }

  // Transforms all lines along `axis`. The two sides are of equal length, or one of them is the half of a spectrum that
  // determines the rest.
  template <class From, class To>
  void transform(const From* from, const ints& from_shape, To* to, const ints& to_shape, int axis) const {
    if (to_shape.product() == 0) return;
    using numbers = lines_in_lanes;
    const line_ends<From, To> ends(from, from_shape[axis], strides_of(from_shape)[axis], to, to_shape[axis],
                                   strides_of(to_shape)[axis], inverse_);
    const ints line_axis{axis}, lines = to_shape.without(line_axis);
    const auto for_each_line = [&](auto run) {
      for_each_offset(lines, run, strides_of(from_shape).without(line_axis), strides_of(to_shape).without(line_axis));
    };
    const transform_branch way = way_of(lines.product(), ends.length(), ends.has_numbers());
    if (way == transform_branch::in_lanes)
      transform_lines<numbers, transform_branch::in_lanes>(ends, for_each_line);
    else if (way == transform_branch::in_tables)
      transform_tables(ends, for_each_line);
    else
      transform_lines<one_line, transform_branch::one_line>(ends, for_each_line);
  }

  template <class Numbers, transform_branch Way, class Ends>
  void transform_lines(const Ends& ends, auto for_each_line) const {
    begin_branch<Needs, Way>();
    fourier_line<Numbers> line(ends.length(), e_.scratch, ends.has_halves());
    // Where lines begin that are yet to be transformed, and where they go.
    index_t firsts[Numbers::count], targets[Numbers::count], count = 0;
    const auto run = [&] {
      ends.template load<Numbers>(firsts, line.numbers());
      if (ends.has_halves() && ends.is_to_real) line.join();
      line.run();
      if (ends.has_halves() && ends.is_from_real) line.split();
      ends.template store<Numbers>(line.numbers(), targets);
      count = 0;
    };
    for_each_line([&](index_t first, index_t target) {
      firsts[count] = first, targets[count] = target;
      if (++count == Numbers::count) run();
    });
    if (count < 1) return;
    // Surplus lanes repeat the first line.
    for (index_t l = count; l < Numbers::count; ++l) firsts[l] = firsts[0], targets[l] = targets[0];
    run();
  }

  template <class Ends>
  void transform_tables(const Ends& ends, auto for_each_line) const {
    begin_branch<Needs, transform_branch::in_tables>();
    using numbers = lines_in_lanes;
    fourier_table table(ends.length(), e_.scratch);
    complex<double>* const own = table.own();
    const auto turn = [&](index_t k) { return table.half_turn(k); };
    for_each_line([&](index_t first, index_t target) {
      const auto read = [&](index_t i) { return ends.template load_some<numbers>(first, i); };
      const auto write = [&](index_t k, index_t count, const numbers::stored& z) {
        ends.template store_some<numbers>(z, target, k, count);
      };
      if (!ends.has_halves()) {
        table.run(read, write);
      } else if (ends.is_from_real) {
        table.run(read, [&](index_t k, index_t count, const numbers::stored& z) {
          for (index_t l = 0; l < count; ++l) own[k + l] = numbers::get(z, l);
        });
        split_spectrum<one_line>(own, ends.length(), turn);
        ends.template store<one_line>(own, {target});
      } else {
        ends.template load<one_line>({first}, own);
        join_spectrum<one_line>(own, ends.length(), turn);
        table.run([&](index_t i) { return numbers::load_adjacent(&own[i].real); }, write);
      }
    });
  }
};

template <class Op, class T, needs Needs = needs::all()>
void transform_kernel(const evaluation& e) {
  const Op op = read_attributes<Op>(e.words);
  line_transforms<Op, Needs>(e, op).template run<T>();
}

}  // namespace tenon::kernels
