// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/bounded/folding.hpp>

#include <tenon/ops/elementwise.hpp>

#include <graph/bounded/static_form.hpp>

#include <cstring>
#include <initializer_list>
#include <limits>
#include <string>

using namespace tenon;
using namespace tenon::test;

namespace {

struct folding : detail::sized_folding {
  using detail::sized_folding::neutral;
};

// Whether the number that is put in place of padding leaves every one of these as it is, to the last bit, on both
// sides.
template <class Op, class T>
bool leaves_alone(std::initializer_list<T> numbers) {
  index_t bits = 0;
  if (!folding::neutral(kind_of_op<Op>, dtype_of<T>, bits)) return false;
  T neutral{};
  std::memcpy(&neutral, &bits, sizeof neutral);
  using wide = compute_t<T>;
  for (const T number : numbers) {
    const wide one = convert_to<wide>(number), other = convert_to<wide>(neutral);
    const T after = convert_to<T>(Op::element(one, other)), before = convert_to<T>(Op::element(other, one));
    if (std::memcmp(&after, &number, sizeof number) != 0 || std::memcmp(&before, &number, sizeof number) != 0)
      return false;
  }
  return true;
}
template <class Op, class T>
bool leaves_floats_alone() {
  const f32 infinity = std::numeric_limits<f32>::infinity();
  return leaves_alone<Op, T>({convert_to<T>(0.0f), convert_to<T>(-0.0f), convert_to<T>(1.5f), convert_to<T>(-3.0f),
                              convert_to<T>(infinity), convert_to<T>(-infinity)});
}
template <class Op, class T>
bool leaves_integers_alone() {
  return leaves_alone<Op, T>({T(0), T(1), T(-1), T(5), std::numeric_limits<T>::max(), std::numeric_limits<T>::min()});
}

const std::string sum_of =
    "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n%r = stablehlo.reduce(%a init: %zero) "
    "applies stablehlo.add across dimensions = ";

}  // namespace

TEST_CASE_TEMPLATE("numbers that leave others alone: floats", T, f32, f64, f16, bf16) {
  CHECK(leaves_floats_alone<ops::add, T>());
  CHECK(leaves_floats_alone<ops::multiply, T>());
  CHECK(leaves_floats_alone<ops::maximum, T>());
  CHECK(leaves_floats_alone<ops::minimum, T>());
}
TEST_CASE_TEMPLATE("numbers that leave others alone: integers", T, i8, i32, i64, std::uint8_t, std::uint64_t) {
  CHECK(leaves_integers_alone<ops::add, T>());
  CHECK(leaves_integers_alone<ops::multiply, T>());
  CHECK(leaves_integers_alone<ops::maximum, T>());
  CHECK(leaves_integers_alone<ops::minimum, T>());
  CHECK(leaves_integers_alone<ops::and_, T>());
  CHECK(leaves_integers_alone<ops::or_, T>());
  CHECK(leaves_integers_alone<ops::xor_, T>());
}
TEST_CASE("numbers that leave others alone: booleans, and what has none") {
  CHECK(leaves_alone<ops::and_, bool>({false, true}));
  CHECK(leaves_alone<ops::or_, bool>({false, true}));
  CHECK(leaves_alone<ops::xor_, bool>({false, true}));
  CHECK(leaves_alone<ops::maximum, bool>({false, true}));
  CHECK(leaves_alone<ops::minimum, bool>({false, true}));
  index_t bits = 0;
  CHECK(!folding::neutral(kind_of_op<ops::subtract>, dtype::f32, bits));
  CHECK(!folding::neutral(kind_of_op<ops::maximum>, dtype::complex_f32, bits));
  CHECK(!folding::neutral(kind_of_op<ops::and_>, dtype::f32, bits));
  CHECK(!folding::neutral(-1, dtype::f32, bits));
}

TEST_CASE("sums hide padding where they fold it") {
  const static_form along("%a: tensor<?5x3xf32>", sum_of + "[0] : (tensor<?5x3xf32>, tensor<f32>) -> tensor<3xf32>",
                          "%r : tensor<3xf32>");
  CHECK(along.masks() == 1);
  CHECK(along.only<ops::reduce>().operand_count == 2);
  const static_form across("%a: tensor<?5x3xf32>", sum_of + "[1] : (tensor<?5x3xf32>, tensor<f32>) -> tensor<?5xf32>",
                           "%r : tensor<?5xf32>");
  CHECK(across.masks() == 0);
  const static_form both("%a: tensor<?5x?3xf32>", sum_of + "[0, 1] : (tensor<?5x?3xf32>, tensor<f32>) -> tensor<f32>",
                         "%r : tensor<f32>");
  CHECK(both.masks() == 1);
}

TEST_CASE("bodies without a neutral element are told which elements count") {
  const static_form found("%a: tensor<?5xf32>",
                          "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
                          "%r = \"stablehlo.reduce\"(%a, %zero) <{dimensions = array<i64: 0>}> ({\n"
                          "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n%d = stablehlo.subtract %x, %y : tensor<f32>\n"
                          "stablehlo.return %d : tensor<f32>\n}) : (tensor<?5xf32>, tensor<f32>) -> tensor<f32>",
                          "%r : tensor<f32>");
  const graph_node& fold = found.only<ops::reduce>();
  CHECK(fold.operand_count == 4);
  CHECK(fold.result_count == 2);
  const graph& g = found.program();
  CHECK(g.type_of_value(g.operands_of(fold)[1]) == type_of(dtype::i1, {5}));
  CHECK(g.regions[g.regions_of(fold)[0]].argument_count == 4);
}

TEST_CASE("comparators are told which elements count, along the dimension that is sorted") {
  const auto sorted = [](const std::string& type, const std::string& along) {
    return static_form("%a: " + type,
                       "%r = \"stablehlo.sort\"(%a) <{dimension = " + along +
                           " : i64}> ({\n"
                           "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
                           "%p = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                           "stablehlo.return %p : tensor<i1>\n}) : (" +
                           type + ") -> " + type,
                       "%r : " + type);
  };
  const static_form along = sorted("tensor<?5x3xf32>", "0");
  CHECK(along.only<ops::sort>().operand_count == 2);
  CHECK(along.program().regions[along.program().regions_of(along.only<ops::sort>())[0]].argument_count == 4);
  const static_form across = sorted("tensor<?5x3xf32>", "1");
  CHECK(across.only<ops::sort>().operand_count == 1);
}

TEST_CASE("windows see initial values behind the end") {
  const auto windows = [](const std::string& size, const std::string& type, const std::string& result) {
    return static_form("%a: " + type,
                       "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
                       "%r = \"stablehlo.reduce_window\"(%a, %zero) <{window_dimensions = array<i64: " +
                           size +
                           ">}> ({\n"
                           "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n%s = stablehlo.add %x, %y : tensor<f32>\n"
                           "stablehlo.return %s : tensor<f32>\n}) : (" +
                           type + ", tensor<f32>) -> " + result,
                       "%r : " + result);
  };
  CHECK(windows("2, 1", "tensor<?5x3xf32>", "tensor<?4x3xf32>").masks() == 1);
  CHECK(windows("1, 2", "tensor<?5x3xf32>", "tensor<?5x2xf32>").masks() == 0);
}
