// SPDX-License-Identifier: Apache-2.0
#include <tenon/loaded_programs.hpp>
#include <tenon/xla.hpp>

#include <doctest/doctest.h>

#include <string_view>

using namespace tenon;

// docs/xla.md shows the first two.

TEST_CASE("a computation that is built at run time") {
  xla::XlaBuilder b("sum");
  auto x = xla::Parameter(&b, 0, xla::ShapeUtil::MakeShape(xla::F32, {2, 3}), "x");
  xla::Add(x, xla::ConstantR1<float>(&b, {1, 2, 3}), {1});
  xla::XlaComputation sum = b.Build().value();

  loaded_program program(sum.program(), &find_any_kernel);
  tensor<f32, 2, 3> argument{{0, 0, 0}, {10, 10, 10}}, result;
  const void* const arguments[] = {argument.data()};
  void* const results[] = {result.data()};
  program(arguments, results);
  CHECK(equal(result, tensor<f32, 2, 3>{{1, 2, 3}, {11, 12, 13}}));
}

TEST_CASE("a computation that is compiled with the program") {
  constexpr auto factorial = xla::Build([] {
    auto state = xla::ShapeUtil::MakeTupleShape(
        {xla::ShapeUtil::MakeShape(xla::S32, {}), xla::ShapeUtil::MakeShape(xla::F32, {})});

    xla::XlaBuilder condition("condition");
    auto left = xla::GetTupleElement(xla::Parameter(&condition, 0, state, "state"), 0);
    xla::Gt(left, xla::ConstantR0<int>(&condition, 0));

    xla::XlaBuilder body("body");
    auto now = xla::Parameter(&body, 0, state, "state");
    auto n = xla::GetTupleElement(now, 0), product = xla::GetTupleElement(now, 1);
    auto next = xla::Mul(product, xla::ConvertElementType(n, xla::F32));
    xla::Tuple(&body, {xla::Sub(n, xla::ConstantR0<int>(&body, 1)), next});

    xla::XlaBuilder b("factorial");
    auto from = xla::Parameter(&b, 0, xla::ShapeUtil::MakeShape(xla::S32, {}), "n");
    auto init = xla::Tuple(&b, {from, xla::ConstantR0<float>(&b, 1)});
    auto last = xla::While(condition.Build().value(), body.Build().value(), init);
    xla::GetTupleElement(last, 1);
    return b.Build();
  });
  tensor<f32> product = factorial(tensor<i32>(5));
  CHECK(equal(product, tensor<f32>(120)));
}

namespace {

// A function that builds in constant evaluation and at run time.
constexpr xla::XlaComputation maximum_of_rows(index_t rows, index_t columns) {
  xla::XlaBuilder b("maximum");
  const auto x = b.Parameter(0, xla::ShapeUtil::MakeShape(xla::F32, {rows, columns}));
  b.Reduce(x, b.ConstantLiteral(xla::LiteralUtil::MinValue(xla::F32)), xla::Max, {1});
  return b.Build();
}

}  // namespace

TEST_CASE("a constexpr function builds both ways") {
  constexpr auto compiled_one = xla::Build([] { return maximum_of_rows(2, 3); });
  const tensor<f32, 2, 3> x{{1, 5, 2}, {-7, -8, -6}};
  const tensor<f32, 2> y = compiled_one(x);
  CHECK(equal(y, tensor<f32, 2>{5, -6}));
  const xla::XlaComputation loaded = maximum_of_rows(2, 3);
  loaded_program program(loaded.program(), &find_any_kernel);
  tensor<f32, 2> z;
  const void* const arguments[] = {x.data()};
  void* const results[] = {z.data()};
  program(arguments, results);
  CHECK(equal(y, z));
}

TEST_CASE("a broken rule has its label, and ends what is built") {
  xla::XlaBuilder b("broken");
  const auto x = b.Parameter(0, xla::ShapeUtil::MakeShape(xla::F32, {2}));
  xla::Neg(xla::Transpose(x, {1}));
  const xla::XlaComputation broken = b.Build();
  CHECK(!broken.ok());
  CHECK(std::string_view(broken.label) == "transpose_c2");
  xla::XlaBuilder user("user");
  user.Call(broken, {user.Parameter(0, xla::ShapeUtil::MakeShape(xla::F32, {2}))});
  CHECK(std::string_view(user.Build().label) == "transpose_c2");
}
