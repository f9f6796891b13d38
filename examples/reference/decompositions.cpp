// SPDX-License-Identifier: Apache-2.0
#include "reference.hpp"

using namespace tenon;

void decompositions() {
  constexpr shown print;
  // Given.
  const tensor<f32, 3> v{1, 2, 3};
  const tensor<f32, 2, 3> x{{1, 2, 3}, {4, 5, 6}};
  const tensor<f32, 3, 2> b{{3, 0}, {4, 5}, {0, 12}};
  const tensor<f32, 6> d{0, 1, 1, 2, 3, 6};

  example("diag");
  print(diag(v));
  print(diag(x));

  example("qr");
  const auto [q, r] = qr(b);
  print(q);
  print(r);

  example("lstsq");
  print(lstsq(b, tensor<f32, 3>{3, 9, 12}));

  example("svd");
  const auto [u, s, v_adjoint] = svd(b);
  print(u);
  print(s);
  print(v_adjoint);

  example("histogram");
  const auto [counts, edges] = histogram<3>(d);
  print(counts);
  print(edges);
  const auto [below_two, of_two] = histogram<2>(d, 0, 4);
  print(below_two);
}
