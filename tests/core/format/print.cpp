// SPDX-License-Identifier: Apache-2.0
#include <tenon/core/format/print.hpp>

#include <doctest/doctest.h>

#include <sstream>
#include <string>

using namespace tenon;

namespace {

template <class Tensor>
std::string text_of(const Tensor& x, const print_options& options = {}) {
  std::string text;
  write_text(x, [&](std::string_view part) { text += part; }, options);
  return text;
}

constexpr f32 infinity = element_traits<f32>::infinity(), nan = element_traits<f32>::nan();

}  // namespace

TEST_CASE("columns are aligned at the point") {
  CHECK(text_of(tensor<f32, 2, 3>{{1, 2, 3}, {4, 5, 6}}) == "[[1. 2. 3.]\n [4. 5. 6.]]");
  CHECK(text_of(tensor<f32, 2, 2>{{1.5, -2.25}, {100, 0.125}}) == "[[  1.5    -2.25 ]\n [100.      0.125]]");
  CHECK(text_of(tensor<i32, 2, 2>{{1, -200}, {3, 4}}) == "[[   1 -200]\n [   3    4]]");
  CHECK(text_of(tensor<bool, 2>{true, false}) == "[ true false]");
}

TEST_CASE("dimensions are brackets, scalars have none") {
  CHECK(text_of(tensor<f32>(3.5)) == "3.5");
  CHECK(text_of(tensor<i8>(-7)) == "-7");
  CHECK(text_of(tensor<i64, 2, 1, 2>{{{1, 2}}, {{3, 4}}}) == "[[[1 2]]\n\n [[3 4]]]");
  CHECK(text_of(tensor<f32, 0>{}) == "[]");
  CHECK(text_of(tensor<f32, 0, 2>{}) == "[]");
}

TEST_CASE("the fewest digits that tell neighbours apart") {
  CHECK(text_of(tensor<f32>(0.1)) == "0.1");
  CHECK(text_of(tensor<f64>(0.1)) == "0.1");
  CHECK(text_of(tensor<f16>(0.1)) == "0.1");
  CHECK(text_of(tensor<bf16>(3.14159)) == "3.14");
  CHECK(text_of(tensor<f64>(1.0 / 3)) == "0.33333333");
  CHECK(text_of(tensor<f64>(2.0 / 3)) == "0.66666667");
  CHECK(text_of(tensor<f64>(0.999999999)) == "1.");
  CHECK(text_of(tensor<f32>(2.0 / 3), {.most_digits = 3}) == "0.667");
  CHECK(text_of(tensor<f32>(9.9996), {.most_digits = 3}) == "10.");
}

TEST_CASE("very large and very small numbers have exponents") {
  CHECK(text_of(tensor<f32, 3>{1e-10, 2, 3e20}) == "[1.e-10 2.e+00 3.e+20]");
  CHECK(text_of(tensor<f64, 2>{-1.5, 1e300}) == "[ -1.5e+00  1.0e+300]");
}

TEST_CASE("what is no number") {
  CHECK(text_of(tensor<f32, 3>{infinity, -infinity, nan}) == "[ inf -inf  nan]");
  CHECK(text_of(tensor<f32, 2>{1, nan}) == "[ 1. nan]");
}

TEST_CASE("complex numbers") {
  CHECK(text_of(tensor<complex<f32>, 2>{complex<f32>{1, -2.5}, complex<f32>{0.25, 3}}) == "[1.  -2.5j 0.25+3.j ]");
}

TEST_CASE("only the edges of what is large") {
  tensor<i32, 50, 50> x;
  for (index_t i = 0; i < x.size; ++i) x.data()[i] = i32(i);
  CHECK(text_of(x, {.edge = 1}) == "[[   0 ...   49]\n ...\n [2450 ... 2499]]");
  CHECK(text_of(tensor<i32, 4>{1, 2, 3, 4}, {.threshold = 3, .edge = 1}) == "[1 ... 4]");
}

TEST_CASE("long rows are broken") {
  tensor<i32, 12> x;
  for (i32& element : x) element = 12345;
  CHECK(text_of(x, {.line_width = 30}) ==
        "[12345 12345 12345 12345\n 12345 12345 12345 12345\n 12345 12345 12345 12345]");
}

TEST_CASE("a buffer that is too short gets the beginning, and the length is told") {
  char buffer[4] = {'?', '?', '?', '?'};
  CHECK(write_text(tensor<i32, 2>{10, 20}, buffer, 3) == 7);
  CHECK(std::string_view(buffer, 4) == "[10?");
}

TEST_CASE("streams and views") {
  std::ostringstream stream;
  const tensor<f32, 2> x{1, 2};
  stream << x << ' ' << tensor_view<const f32, 2>(x);
  CHECK(stream.str() == "[1. 2.] [1. 2.]");
}
