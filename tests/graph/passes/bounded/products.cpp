// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/passes/bounded/products.hpp>

#include <tenon/ops/contraction.hpp>

#include <graph/passes/bounded/static_form.hpp>

using namespace tenon;
using namespace tenon::test;

namespace {

static_form product(const std::string& lhs, const std::string& rhs, const std::string& how, const std::string& result) {
  return {"%a: " + lhs + ", %b: " + rhs,
          "%r = stablehlo.dot_general %a, %b, " + how + " : (" + lhs + ", " + rhs + ") -> " + result, "%r : " + result};
}
// A convolution of images with two channels by two filters of three places, of one spatial dimension.
static_form convolution(const std::string& image, const std::string& filters, const std::string& result,
                        const std::string& groups = "1") {
  return {"%a: " + image + ", %b: " + filters,
          "%r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} "
          "{batch_group_count = 1 : i64, feature_group_count = " +
              groups + " : i64} : (" + image + ", " + filters + ") -> " + result,
          "%r : " + result};
}

}  // namespace

// Where one side alone were, it might meet what is infinite on the other.
TEST_CASE("both sides of a sum are zero behind the end") {
  const static_form summed =
      product("tensor<2x?5xf32>", "tensor<?5x3xf32>", "contracting_dims = [1] x [0]", "tensor<2x3xf32>");
  CHECK(summed.masks() == 2);
  // A size that has to be that of a static dimension leaves no padding.
  const static_form one_side =
      product("tensor<2x?5xf32>", "tensor<5x3xf32>", "contracting_dims = [1] x [0]", "tensor<2x3xf32>");
  CHECK(one_side.masks() == 0);
  CHECK(one_side.count<ops::bounded_size>() == 2);
}

TEST_CASE("rows, columns and matrices of a batch do not see each other") {
  CHECK(product("tensor<?5x2xf32>", "tensor<2x?3xf32>", "contracting_dims = [1] x [0]", "tensor<?5x?3xf32>").masks() ==
        0);
  const static_form batch = product("tensor<?4x5x2xf32>", "tensor<?4x2x3xf32>",
                                    "batching_dims = [0] x [0], contracting_dims = [2] x [1]", "tensor<?4x5x3xf32>");
  CHECK(batch.masks() == 0);
  CHECK(batch.only<ops::dot_general>().operand_count == 2);
}

TEST_CASE("convolutions") {
  const static_form images = convolution("tensor<?4x9x2xf32>", "tensor<3x2x2xf32>", "tensor<?4x7x2xf32>");
  CHECK(images.refusal().empty());
  CHECK(images.masks() == 0);
  const static_form places = convolution("tensor<4x?9x2xf32>", "tensor<3x2x2xf32>", "tensor<4x?7x2xf32>");
  CHECK(places.refusal().empty());
  const static_form channels = convolution("tensor<4x9x?2xf32>", "tensor<3x?2x2xf32>", "tensor<4x7x2xf32>");
  CHECK(channels.masks() == 2);
  const std::string cannot =
      ": the op cannot work along a dimension whose size is below its bound: give the dimension a "
      "static size first";
  CHECK(convolution("tensor<4x9x2xf32>", "tensor<?3x2x2xf32>", "tensor<4x?7x2xf32>").refusal() == "0" + cannot);
  CHECK(convolution("tensor<4x9x?2xf32>", "tensor<3x1x2xf32>", "tensor<4x7x2xf32>", "2").refusal() == "2" + cannot);
}

TEST_CASE("matrices and lines") {
  const auto one = [](const std::string& op, const std::string& type) {
    return static_form("%a: " + type, "%r = " + op + " : " + type, "%r : " + type);
  };
  const static_form matrices = one("stablehlo.cholesky %a, lower = true", "tensor<?4x3x3xf32>");
  CHECK(matrices.masks() == 0);
  CHECK(one("stablehlo.cholesky %a, lower = true", "tensor<2x?3x?3xf32>").refusal().empty());
  const auto lines = [](const std::string& type) {
    return static_form("%a: " + type, "%r = stablehlo.fft %a, type = FFT, length = [8] : (" + type + ") -> " + type,
                       "%r : " + type);
  };
  CHECK(lines("tensor<?4x8xcomplex<f32>>").refusal().empty());
  CHECK(lines("tensor<4x?8xcomplex<f32>>").refusal().substr(0, 2) == "1:");
}
