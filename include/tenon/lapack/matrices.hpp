// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/attributes.hpp>
#include <tenon/core/eigen.hpp>
#include <tenon/core/evaluation.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/ops/control/custom_call.hpp>

#include TENON_EIGEN(Core)

#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

namespace tenon::lapack {

template <class T>
using matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using rows_first = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
template <class T>
using real_of = typename Eigen::NumTraits<T>::Real;

template <class T>
constexpr T not_a_number = std::numeric_limits<real_of<T>>::quiet_NaN();

// The element type of decompositions that take long to compile: two types instead of four.
template <class T>
using wide_of = std::conditional_t<Eigen::NumTraits<T>::IsComplex, std::complex<double>, double>;

// The element type of a program whose bytes are those of a T.
template <class T>
constexpr dtype element_of() {
  if constexpr (std::is_same_v<T, float>) return dtype::f32;
  if constexpr (std::is_same_v<T, double>) return dtype::f64;
  if constexpr (std::is_same_v<T, std::complex<float>>) return dtype::complex_f32;
  if constexpr (std::is_same_v<T, std::complex<double>>) return dtype::complex_f64;
  return dtype::i32;
}

// Matrices of one size that lie one behind the other, each row by row. Vectors are matrices of one column.
template <class T>
class matrices {
 public:
  matrices(const void* first, index_t rows, index_t columns)
      : first_(static_cast<const unsigned char*>(first)), rows_(rows), columns_(columns) {}

  matrix<T> operator[](index_t i) const {
    rows_first<T> result(rows_, columns_);
    if (bytes() > 0) std::memcpy(static_cast<void*>(result.data()), first_ + i * bytes(), std::size_t(bytes()));
    return result;
  }

 private:
  const unsigned char* first_;
  index_t rows_, columns_;

  index_t bytes() const { return rows_ * columns_ * index_t(sizeof(T)); }
};

// Those that a call computes.
template <class T>
class computed_matrices {
 public:
  computed_matrices(void* first, index_t rows, index_t columns)
      : first_(static_cast<unsigned char*>(first)), rows_(rows), columns_(columns) {}

  // @pre `value` has as many rows and columns
  void set(index_t i, const matrix<T>& value) const {
    const rows_first<T> by_rows = value;
    const std::size_t bytes = std::size_t(rows_ * columns_) * sizeof(T);
    if (bytes > 0) std::memcpy(first_ + std::size_t(i) * bytes, by_rows.data(), bytes);
  }
  void fill(index_t i, T value) const { set(i, matrix<T>::Constant(rows_, columns_, value)); }

 private:
  unsigned char* first_;
  index_t rows_, columns_;
};

// A call into LAPACK as JAX writes it: matrices are the last two dimensions of operands and results, the dimensions
// before them are the same everywhere and count the batch. Layouts say that a matrix lies column by column, as LAPACK
// wants it: then element (i, j) of the tensor is element (i, j) of the matrix. Another layout, or none, would mean the
// transposed matrix and is refused.
class call {
 public:
  // `first_rank`: of one part of operand 0, a matrix or a vector.
  call(const evaluation& e, int operands, int results, int first_rank = 2)
      : e_(e), self_(read_attributes<ops::custom_call>(e.words)), name_(text_of(self_.call_target_name.id)) {
    demand(e.operands.size == operands && e.results.size == results, "another number of operands or results");
    demand(e.operand_types[0].rank() >= first_rank, "operand 0 is no matrix");
    demand(!says_layouts() || (self_.operand_layouts.size == operands && self_.result_layouts.size == results),
           "operand_layouts and result_layouts are to say that matrices lie column by column");
    const ints& shape = e.operand_types[0].shape;
    for (int d = 0; d + first_rank < shape.size; ++d) batch_.push(shape[d]);
  }

  index_t batches() const { return batch_.product(); }
  // Of the matrices of operand 0.
  index_t rows() const { return size_of_operand(0, 2); }
  index_t columns() const { return size_of_operand(0, 1); }

  // Operand or result i, of which each part has the shape {rows, columns}, {elements} or {}.
  template <class T>
  matrices<T> operand(int i, const ints& part) const {
    check(e_.operand_types[i], element_of<T>(), self_.operand_layouts, i, part);
    return {e_.operands[i], part.empty() ? 1 : part[0], part.size < 2 ? 1 : part[1]};
  }
  template <class T>
  computed_matrices<T> result(int i, const ints& part) const {
    check(e_.result_types[i], element_of<T>(), self_.result_layouts, i, part);
    return {e_.results[i], part.empty() ? 1 : part[0], part.size < 2 ? 1 : part[1]};
  }
  // Dimension `back` from behind of an operand or result, or 0.
  index_t size_of_operand(int i, int back) const { return size_of(e_.operand_types[i], back); }
  index_t size_of_result(int i, int back) const { return size_of(e_.result_types[i], back); }

  // The letter that the backend_config has for a name, one of `letters`: `{uplo = 76 : ui8}` says L.
  char option(std::string_view name, std::string_view letters) const {
    const index_t number = this->number(name);
    for (const char letter : letters)
      if (letter == number) return letter;
    fail(name_, ": backend_config is to say ", name, ", one of the letters ", letters);
  }

  // The number that the backend_config has for a name, or -1.
  index_t number(std::string_view name) const {
    index_t result = -1;
    for (const char digit : written(name)) {
      if (digit < '0' || '9' < digit || result > 1'000'000'000) return -1;
      result = (result < 0 ? 0 : result * 10) + (digit - '0');
    }
    return result;
  }
  bool flag(std::string_view name) const {
    demand(written(name) == "true" || written(name) == "false", "backend_config is to say true or false");
    return written(name) == "true";
  }

  void demand(bool holds, std::string_view otherwise) const {
    if (!holds) fail(name_, ": ", otherwise);
  }

 private:
  const evaluation& e_;
  ops::custom_call self_;
  std::string_view name_;
  ints batch_;

  std::string_view text_of(int id) const {
    return e_.details != nullptr ? e_.details->name_of(id) : std::string_view();
  }
  // XLA's builder has names of its own, and speaks of matrices wherever they lie.
  bool says_layouts() const { return name_.substr(0, 7) == "lapack_"; }
  static index_t size_of(const tensor_type& type, int back) {
    return back <= type.rank() ? type.dim(type.rank() - back) : 0;
  }

  void check(const tensor_type& type, dtype element, const auto& layouts, int i, const ints& part) const {
    ints shape = batch_, columns_first;
    for (const index_t size : part) shape.push(size);
    demand(type.element == element && type.shape == shape, "an operand or result of another type");
    const int rank = type.rank();
    if (part.size == 2) columns_first = {rank - 2, rank - 1};
    for (int d = rank - 1 - columns_first.size; d >= 0; --d) columns_first.push(d);
    demand(!says_layouts() || layouts[i] == columns_first,
           "matrices are to lie column by column, and batches one behind the other");
  }

  static bool is_of_word(char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_' || c == '.';
  }
  // The value of `name = value` in the dictionary of the call, without its type.
  std::string_view written(std::string_view name) const {
    const std::string_view dictionary = text_of(self_.backend_config.id);
    for (std::size_t at = 1; at + name.size() < dictionary.size(); ++at) {
      if (is_of_word(dictionary[at - 1]) || dictionary.substr(at, name.size()) != name) continue;
      std::size_t first = dictionary.find_first_not_of(' ', at + name.size());
      if (first == dictionary.npos || dictionary[first] != '=') continue;
      first = dictionary.find_first_not_of(' ', first + 1);
      const std::size_t last = dictionary.find_first_of(" ,:}", first);
      return first == dictionary.npos ? std::string_view() : dictionary.substr(first, last - first);
    }
    return {};
  }
};

// Runs run.operator()<T> as `lapack_spotrf_ffi` and so on: s and d stand before the name `real`, c and z before
// `complex`.
template <class Run>
class targets {
 public:
  targets(std::string_view real, std::string_view complex, Run)
      : s_('s', real, &run_as<float>),
        d_('d', real, &run_as<double>),
        c_('c', complex, &run_as<std::complex<float>>),
        z_('z', complex, &run_as<std::complex<double>>) {}

  static void run(const evaluation& e) {
    const dtype element = e.operand_types[0].element;
    if (element == dtype::f32) return run_as<float>(e);
    if (element == dtype::f64) return run_as<double>(e);
    if (element == dtype::complex_f32) return run_as<std::complex<float>>(e);
    if (element == dtype::complex_f64) return run_as<std::complex<double>>(e);
    fail("a custom call on matrices of ", name(element), " is run by nobody");
  }

 private:
  struct named {
    std::string name;
    custom_call_target target;
    named(char letter, std::string_view of, core::kernel run)
        : name(std::string("lapack_") + letter + std::string(of) + "_ffi"), target(name, run) {}
  };
  named s_, d_, c_, z_;

  template <class T>
  static void run_as(const evaluation& e) {
    Run{}.template operator()<T>(e);
  }
};

}  // namespace tenon::lapack
