// SPDX-License-Identifier: Apache-2.0
//
// expect: all_gather_c1: 0 <= all_gather_dim < rank(operands...); operands: tensor<4x4xf32>
// expect: collective.cpp:18
// expect: all_to_all_c2: dim(operands..., split_dimension) % split_count = 0; operands: tensor<4x4xf32>
// expect: collective.cpp:19
// expect: collective_permute_c2: is_unique(source_target_pairs[:, 0]); operands: tensor<4x4xf32>
// expect: collective.cpp:20

#include <tenon/tenon.hpp>

using namespace tenon;

int main() {
  tensor<f32, 4, 4> x;
  constexpr ops::all_to_all split{
      .split_dimension = 0, .concat_dimension = 1, .split_count = 3, .replica_groups = {{0, 1, 2}}};
  auto gathered = all_gather<ops::all_gather{.all_gather_dim = 2, .replica_groups = {{0, 1}}}>(x);
  auto moved = all_to_all<split>(x);
  auto sent = collective_permute<ops::collective_permute{.source_target_pairs = {{0, 1}, {0, 2}}}>(x);
}
