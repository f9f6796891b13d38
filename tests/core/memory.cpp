// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/memory.hpp>

#include <tenon/core/eigen.hpp>
#include <tenon/core/tensor.hpp>

#include TENON_EIGEN(Dense)

#include <doctest/doctest.h>

#include <array>
#include <deque>
#include <list>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

using namespace tenon;

namespace {

template <class View, class Memory>
inline constexpr bool is_made_of = std::is_constructible_v<View, Memory>;

using six = tensor_view<f32, 6>;
using rows_of_three = tensor_view<f32, 2, 3>;
using constant_rows = tensor_view<const f32, 2, 3>;

// std::mdspan, as far as it says how elements lie.
struct strided {
  using element_type = f32;
  f32* elements;
  index_t sizes[2], steps[2];

  static constexpr std::size_t rank() { return 2; }
  f32* data_handle() const { return elements; }
  index_t size() const { return sizes[0] * sizes[1]; }
  index_t extent(std::size_t d) const { return sizes[d]; }
  index_t stride(std::size_t d) const { return steps[d]; }
};
// Elements that nobody promises to be next to each other.
struct buffer {
  f32 elements[12];
  f32* data() { return elements; }
  std::size_t size() const { return 6; }
};
// Rows or columns: nothing says which.
struct matrix_of_unknown_order : std::vector<f32> {
  int rows() const { return 2; }
  int cols() const { return 3; }
};

using matrix = Eigen::MatrixXf;
using row_major = Eigen::Matrix<f32, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <int Rows, int Columns>
using rows_first = Eigen::Matrix<f32, Rows, Columns, Columns == 1 ? Eigen::ColMajor : Eigen::RowMajor>;

}  // namespace

TEST_CASE("contiguous ranges are memory, sizes that types state are compared while compiling") {
  static_assert(is_made_of<six, std::vector<f32>&> && is_made_of<rows_of_three, std::vector<f32>&>);
  static_assert(is_made_of<six, std::array<f32, 6>&> && !is_made_of<six, std::array<f32, 5>&>);
  static_assert(!is_made_of<six, std::array<f32, 7>&> && !is_made_of<six, std::array<std::array<f32, 3>, 2>&>);
  static_assert(is_made_of<six, std::span<f32>> && is_made_of<six, std::span<f32, 6>>);
  static_assert(!is_made_of<six, std::span<f32, 5>> && !is_made_of<six, std::span<const f32>>);
  static_assert(is_made_of<constant_rows, std::span<const f32>> && is_made_of<constant_rows, std::span<f32, 6>&>);
  static_assert(is_made_of<six, f32(&)[6]> && is_made_of<six, f32(&)[7]> && !is_made_of<six, f32(&)[5]>);
  static_assert(!is_made_of<six, f32(&)[2][3]> && !is_made_of<six, const f32(&)[6]> && is_made_of<six, f32*>);
  static_assert(!is_made_of<six, f64*> && !is_made_of<six, const f32*> && is_made_of<constant_rows, f32*>);
  static_assert(!is_made_of<six, std::deque<f32>&> && !is_made_of<six, std::list<f32>&>);
  static_assert(!is_made_of<tensor_view<bool, 6>, std::vector<bool>&>);
  static_assert(!is_made_of<six, const std::vector<f32>&> && is_made_of<constant_rows, const std::vector<f32>&>);
  static_assert(!is_made_of<six, std::vector<f64>&> && !is_made_of<six, std::vector<i32>&>);
  static_assert(!is_made_of<six, buffer&> && !is_made_of<six, matrix_of_unknown_order&>);
  static_assert(!is_made_of<tensor_view<const i8, 3>, std::string_view> && !is_made_of<six, int>);

  std::vector<f32> five(5), seven(7);
  CHECK_THROWS_WITH(six{five}, "memory: 5 elements were given where the tensor has 6");
  CHECK_THROWS_WITH(rows_of_three{seven}, "memory: 7 elements were given where the tensor has 6");
  CHECK_THROWS_WITH(six{std::span<f32>(seven).first(2)}, "memory: 2 elements were given where the tensor has 6");
}

TEST_CASE("what ends with the statement is no memory of a view") {
  static_assert(!is_made_of<constant_rows, std::vector<f32>> && !is_made_of<constant_rows, const std::vector<f32>>);
  static_assert(!is_made_of<six, std::array<f32, 6>> && is_made_of<constant_rows, std::span<const f32>>);
  static_assert(!is_made_of<constant_rows, tensor<f32, 2, 3>> && !is_made_of<constant_rows, const tensor<f32, 2, 3>>);
  static_assert(!std::is_convertible_v<tensor<f32, 2, 3>, constant_rows>);
  static_assert(std::is_convertible_v<tensor<f32, 2, 3>&, constant_rows>);
  static_assert(std::is_convertible_v<const tensor<f32, 2, 3>&, constant_rows>);
  static_assert(!is_made_of<rows_of_three, const tensor<f32, 2, 3>&> && !is_made_of<six, tensor<f32, 2, 3>&>);
  static_assert(!is_made_of<constant_rows, matrix> && !is_made_of<constant_rows, const rows_first<2, 3>>);
  static_assert(is_made_of<constant_rows, Eigen::Map<rows_first<2, 3>>>);
}

TEST_CASE("matrices say how their rows lie") {
  static_assert(is_made_of<rows_of_three, rows_first<2, 3>&> && !is_made_of<rows_of_three, rows_first<3, 2>&>);
  static_assert(!is_made_of<rows_of_three, Eigen::Matrix<f32, 2, 3>&> && !is_made_of<six, rows_first<3, 2>&>);
  static_assert(is_made_of<rows_of_three, Eigen::Transpose<Eigen::Matrix<f32, 3, 2>>>);
  static_assert(is_made_of<six, rows_first<6, 1>&> && is_made_of<six, Eigen::VectorXf&> &&
                is_made_of<six, Eigen::RowVectorXf&>);
  static_assert(!is_made_of<six, rows_first<5, 1>&>);
  static_assert(!is_made_of<six, Eigen::Map<Eigen::VectorXf, 0, Eigen::InnerStride<2>>>);
  static_assert(!is_made_of<rows_of_three, Eigen::Map<rows_first<2, 3>, 0, Eigen::OuterStride<4>>>);
  static_assert(!is_made_of<tensor_view<f32, 3>, Eigen::Block<Eigen::Matrix3f, 1, 3>>);
  static_assert(!is_made_of<tensor_view<f32, 3>, decltype(std::declval<matrix&>() + std::declval<matrix&>())>);
  static_assert(!is_made_of<six, const matrix&> && !is_made_of<six, Eigen::MatrixXd&>);

  row_major m(3, 3);
  m << 1, 2, 3, 4, 5, 6, 7, 8, 9;
  const tensor_view<f32, 3> second_row(m.row(1));
  CHECK(equal(second_row, tensor<f32, 3>{4, 5, 6}));
  CHECK(equal(rows_of_three(m.topRows(2)), tensor<f32, 2, 3>{{1, 2, 3}, {4, 5, 6}}));
  CHECK(equal(rows_of_three(m.middleRows(1, 2)), tensor<f32, 2, 3>{{4, 5, 6}, {7, 8, 9}}));
  CHECK_THROWS_WITH((tensor_view<f32, 3>(m.col(1))), "memory: axis 0 has stride 3 where a dense tensor has 1");
  CHECK_THROWS_WITH((tensor_view<f32, 3, 2>(m.leftCols(2))), "memory: axis 0 has stride 3 where a dense tensor has 2");
  CHECK_THROWS_WITH((tensor_view<f32, 2, 2>(m.block(1, 1, 2, 2))),
                    "memory: axis 0 has stride 3 where a dense tensor has 2");
  static_assert(!is_made_of<tensor_view<f32, 3, 3>, decltype(m.transpose())>);
  CHECK_THROWS_WITH(rows_of_three{m}, "memory: 3 x 3 elements were given where the tensor has 2 x 3");
  CHECK(equal(tensor_view<f32, 1, 2>(m.block(1, 1, 1, 2)), tensor<f32, 1, 2>{{5, 6}}));
  CHECK(equal(tensor_view<f32, 2>(m.block(1, 1, 1, 2)), tensor<f32, 2>{5, 6}));

  matrix columns = m;
  CHECK_THROWS_WITH((tensor_view<f32, 3>(columns.row(0))), "memory: axis 0 has stride 3 where a dense tensor has 1");
  static_assert(!is_made_of<tensor_view<f32, 3, 3>, matrix&> && !is_made_of<rows_of_three, matrix&>);
  CHECK(tensor_view<f32, 3, 3>(columns.transpose())(0, 1) == 4);
  CHECK(equal(tensor_view<f32, 3>(columns.col(2)), tensor<f32, 3>{3, 6, 9}));
  Eigen::Map<matrix, 0, Eigen::OuterStride<>> padded(columns.data(), 2, 3, Eigen::OuterStride<>(3));
  CHECK_THROWS_AS((tensor_view<f32, 3, 2>(padded.transpose())), error);
  matrix one_row(1, 6);
  CHECK(six(one_row).data() == one_row.data());
  row_major one_long_row(1, 6);
  CHECK_THROWS_AS(rows_of_three{one_long_row}, error);
}

TEST_CASE("spans of several dimensions say their strides") {
  f32 elements[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const strided dense{elements, {2, 3}, {3, 1}}, wide{elements, {2, 3}, {6, 1}}, left{elements, {2, 3}, {1, 2}},
      tall{elements, {3, 2}, {2, 1}};
  CHECK(equal(rows_of_three(dense), tensor<f32, 2, 3>{{1, 2, 3}, {4, 5, 6}}));
  CHECK_THROWS_WITH(rows_of_three{wide}, "memory: axis 0 has stride 6 where a dense tensor has 3");
  CHECK_THROWS_WITH(rows_of_three{left}, "memory: axis 0 has stride 1 where a dense tensor has 3");
  CHECK_THROWS_WITH(rows_of_three{tall}, "memory: 3 x 2 elements were given where the tensor has 2 x 3");
  CHECK_THROWS_WITH(six{dense}, "memory: 2 x 3 elements were given where the tensor has 6");
  CHECK(rows_of_three(strided{elements, {2, 3}, {3, 1}})(1, 2) == 6);
}
