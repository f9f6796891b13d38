// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/passes/bounded/regions.hpp>

#include <tenon/ops/elementwise.hpp>

#include <graph/passes/bounded/static_form.hpp>

#include <cstring>
#include <initializer_list>
#include <limits>
#include <string>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::ir;
using namespace tenon::passes;
using namespace tenon::test;

namespace {

// Whether the number that is put in place of padding leaves every one of these as it is, to the last bit, on both
// sides.
template <class Op, class T>
bool leaves_alone(std::initializer_list<T> numbers) {
  index_t bits = 0;
  if (!neutral_bits(Op::neutral, dtype_of<T>, bits)) return false;
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
  CHECK(facts_of(kind_of_op<ops::subtract>).neutral == neutral_element::none);
  CHECK(facts_of(kind_of_op<ops::maximum>).neutral == neutral_element::lowest);
  CHECK(facts_of(-1).neutral == neutral_element::none);
  CHECK(!neutral_bits(neutral_element::none, dtype::f32, bits));
  CHECK(!neutral_bits(ops::maximum::neutral, dtype::complex_f32, bits));
  CHECK(!neutral_bits(ops::and_::neutral, dtype::f32, bits));
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

TEST_CASE("bodies of loops are told the sizes of what they are given") {
  const std::string type = "tensor<?5xf32>";
  const static_form loop("%a: " + type,
                         "%r = \"stablehlo.while\"(%a) ({\n^bb0(%x: " + type +
                             "):\n%t = stablehlo.constant dense<false> : tensor<i1>\n"
                             "stablehlo.return %t : tensor<i1>\n}, {\n^bb0(%x: " +
                             type + "):\n%y = stablehlo.negate %x : " + type + "\nstablehlo.return %y : " + type +
                             "\n}) : (" + type + ") -> " + type,
                         "%r : " + type);
  const graph& g = loop.program();
  const graph_node& node = loop.only<ops::while_>();
  CHECK(node.operand_count == 2);
  CHECK(node.result_count == 2);
  for (int region : g.regions_of(node)) CHECK(g.regions[region].argument_count == 2);
  CHECK(g.regions[g.regions_of(node)[0]].yield_count == 1);
  CHECK(g.regions[g.regions_of(node)[1]].yield_count == 2);
}
