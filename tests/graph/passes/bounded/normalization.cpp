// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/passes/bounded/normalization.hpp>

#include <graph/passes/bounded/static_form.hpp>

using namespace tenon;
using namespace tenon::test;

namespace {

static_form training(const std::string& type, const std::string& features) {
  return {"%a: " + type + ", %s: " + features + ", %o: " + features,
          "%r:3 = \"stablehlo.batch_norm_training\"(%a, %s, %o) <{epsilon = 0.5 : f32, feature_index = 1 : i64}> : (" +
              type + ", " + features + ", " + features + ") -> (" + type + ", " + features + ", " + features + ")",
          "%r#0, %r#1, %r#2 : " + type + ", " + features + ", " + features};
}

}  // namespace

TEST_CASE("means are sums divided by how many elements there are") {
  const static_form written = training("tensor<?5x3xf32>", "tensor<3xf32>");
  CHECK(written.count<ops::batch_norm_training>() == 0);
  CHECK(written.count<ops::reduce>() == 2);
  CHECK(written.masks() > 0);
}

TEST_CASE("features do not see each other") {
  const static_form inference("%a: tensor<?5x3xf32>, %s: tensor<3xf32>",
                              "%r = \"stablehlo.batch_norm_inference\"(%a, %s, %s, %s, %s) <{epsilon = 0.5 : f32, "
                              "feature_index = 1 : i64}> : (tensor<?5x3xf32>, tensor<3xf32>, tensor<3xf32>, "
                              "tensor<3xf32>, tensor<3xf32>) -> tensor<?5x3xf32>",
                              "%r : tensor<?5x3xf32>");
  CHECK(inference.count<ops::batch_norm_inference>() == 1);
  CHECK(inference.masks() == 0);
  const static_form features = training("tensor<5x?3xf32>", "tensor<?3xf32>");
  CHECK(features.refusal().empty());
}
