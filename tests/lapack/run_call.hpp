// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/lapack/matrices.hpp>

#include <ops/evaluate.hpp>

#include <complex>
#include <random>
#include <string>
#include <vector>

// Calls into LAPACK on random matrices, and what they give.
namespace tenon::test {
using namespace kernels;
using namespace core;

using lapack::matrix;
using lapack::real_of;

struct words_of_call final : type_details {
  std::string name, configuration;

  words_of_call(std::string of_name, std::string of_configuration)
      : name(std::move(of_name)), configuration(std::move(of_configuration)) {}
  std::string_view name_of(int which) const override { return which == 0 ? name : configuration; }
};

// As JAX lays them out: column by column, batches in order.
inline ints columns_first(int rank, int matrix_rank) {
  ints layout;
  if (matrix_rank == 2) layout = {rank - 2, rank - 1};
  for (int d = rank - 1 - layout.size; d >= 0; --d) layout.push(d);
  return layout;
}

template <class T>
std::string call_name(const std::string& routine) {
  constexpr dtype element = lapack::element_of<T>();
  const char letter = element == dtype::f32           ? 's'
                      : element == dtype::f64         ? 'd'
                      : element == dtype::complex_f32 ? 'c'
                                                      : 'z';
  return std::string("lapack_") + letter + routine + "_ffi";
}

template <class T>
value batch_of(const ints& shape, const std::vector<matrix<T>>& parts) {
  value result = blank(type_of(lapack::element_of<T>(), shape));
  std::size_t at = 0;
  for (const matrix<T>& part : parts)
    for (index_t i = 0; i < part.rows(); ++i)
      for (index_t j = 0; j < part.cols(); ++j, at += sizeof(T)) {
        const T element = part(i, j);
        std::memcpy(result.bytes.data() + at, &element, sizeof(T));
      }
  return result;
}
template <class T>
matrix<T> part_of(const value& of, index_t part, index_t rows, index_t columns) {
  return lapack::matrices<T>(of.bytes.data(), rows, columns)[part];
}

inline std::vector<std::int32_t> numbers_in(const value& of) { return of.as<std::int32_t>(); }

template <class T>
matrix<T> random_matrix(index_t rows, index_t columns, std::mt19937& source) {
  std::normal_distribution<real_of<T>> normal;
  matrix<T> result(rows, columns);
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < columns; ++j) {
      if constexpr (Eigen::NumTraits<T>::IsComplex) {
        result(i, j) = T(normal(source), normal(source));
      } else {
        result(i, j) = normal(source);
      }
    }
  return result;
}

// What is left of a matrix in units of roundoff.
template <class T>
double roundoffs(const matrix<T>& difference) {
  return difference.size() == 0 ? 0 : double(difference.norm()) / double(Eigen::NumTraits<real_of<T>>::epsilon());
}

// `ranks`: of one part of each operand and result.
inline std::vector<value> run_call(const std::string& name, const std::string& configuration,
                                   const std::vector<value>& operands, const std::vector<int>& operand_ranks,
                                   const std::vector<tensor_type>& results, const std::vector<int>& result_ranks) {
  ops::custom_call self{.call_target_name = {0}, .backend_config = {1}, .api_version = 4};
  for (std::size_t i = 0; i < operands.size(); ++i)
    self.operand_layouts.push(columns_first(operands[i].type.rank(), operand_ranks[i]));
  for (std::size_t i = 0; i < results.size(); ++i)
    self.result_layouts.push(columns_first(results[i].rank(), result_ranks[i]));
  const words_of_call details(name, configuration);
  return evaluate<std::uint8_t>(self, operands, results, {nullptr, {}, &details});
}

}  // namespace tenon::test
