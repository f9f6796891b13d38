// SPDX-License-Identifier: Apache-2.0

#include "reference.hpp"

using namespace tenon;

void arrays() {
  constexpr shown print;

  // Given.
  const tensor<f32, 2, 3> x{{1, 2, 3}, {4, 5, 6}};
  const tensor<f32, 3> v{1, 0, -1};

  example("sum");
  print(sum(x));
  print(sum<ints{0}>(x));
  const f32 total = sum(x);  // a tensor without dimensions is a number where one is wanted
  std::printf("%g\n", total);

  example("product");
  print(product<ints{-1}>(x));

  example("mean");
  print(mean<ints{0}>(x));
  print(mean<ints{1}, keepdims>(x));

  example("max");
  print(max<ints{1}>(x));

  example("min");
  print(min<ints{1}>(x));

  example("argmax");
  print(argmax(x));

  example("argmin");
  print(argmin<0>(x));

  example("softmax");
  print(softmax(x));

  example("relu");
  print(relu(v));

  example("matmul");
  print(matmul(x, v));
  print(matmul(x, transpose(x)));

  example("transpose");
  print(transpose(x));
  print(transpose<ints{1, 0}>(x));

  example("broadcast");
  print(broadcast<ints{2, 3}>(v));

  example("broadcast_like");
  print(x + broadcast_like(v, x));

  example("where");
  print(where(x > 3, x, 0));

  example("expand_dims");
  print(expand_dims<0>(v));

  example("stack");
  print(stack(v, v + 1));

  example("split");
  auto [top, bottom] = split<2>(x);
  print(bottom);

  example("roll");
  print(roll<1>(v));

  example("take");
  print(take<1>(x, tensor<i32, 2>{2, 0}));

  example("cumsum");
  print(cumsum(x));

  example("full");
  print(full<f32, ints{2, 3}>(1.5));

  example("zeros");
  print(zeros<f32, ints{3}>());

  example("ones");
  print(ones<f32, ints{3}>());

  example("arange");
  print(arange<f32, 3>());

  example("linspace");
  print(linspace<f32, 3>(0, 1));

  example("einsum");
  print(einsum<"ij,kj->ik">(x, x));

  example("conv2d");
  const tensor<f32, 1, 3, 3, 1> image = ones<f32, ints{1, 3, 3, 1}>();
  const tensor<f32, 2, 2, 1, 1> kernel = ones<f32, ints{2, 2, 1, 1}>();
  print(reshape<ints{2, 2}>(conv2d(image, kernel)));
  print(reshape<ints{3, 3}>(conv2d<conv2d_options{.padding = padding_kind::same}>(image, kernel)));

  example("solve");
  const tensor<f32, 2, 2> a{{2, 1}, {1, 3}};
  print(solve(a, tensor<f32, 2>{3, 5}));

  example("inv");
  print(inv(a));

  example("det");
  print(det(a));

  example("pad");
  print(pad<1>(x));
  print(pad<2, pad_mode::reflect>(v));
  print(pad<ints{1}, ints{0}, ints{1}>(v, 9.0f));  // before, behind, and between two

  example("at");
  const tensor<f32, 3> row = x(at<0>, all);
  print(row);

  example("range");
  const tensor<f32, 2, 2> columns = x(all, range<1, 3>);
  const tensor<f32, 2> ends = v[range<0, 3, 2>];
  print(columns);
  print(ends);

  example("random::key");
  const random_key key = random::key(42);
  print(key);

  example("random::split");
  const auto [first, second] = random::split(key);
  print(first);

  example("random::fold_in");
  print(random::fold_in(key, 1));

  example("random::bits");
  print(random::bits<ui32, ints{2}>(first));

  example("random::uniform");
  print(random::uniform<f32, ints{3}>(first));

  example("random::normal");
  print(random::normal<f32, ints{3}>(first));

  example("random::bernoulli");
  print(random::bernoulli<ints{4}>(first));

  example("random::randint");
  print(random::randint<i32, ints{4}>(first, 1, 7));

  example("exp");
  print(exp(v));

  example("expm1");
  print(expm1(v));

  example("log1p");
  print(log1p(v));

  example("sin");
  print(sin(v));

  example("cos");
  print(cos(v));

  example("arctan2");
  print(arctan2(v, v + 1));

  example("pow");
  print(pow(x, 2));

  example("clip");
  print(clip(x, 2, 5));

  example("isfinite");
  print(isfinite(1 / v));

  example("isinf");
  print(isinf(1 / v));

  example("sigmoid");
  print(sigmoid(v));

  example("silu");
  print(silu(v));

  example("softplus");
  print(softplus(v));

  example("gelu");
  print(gelu(v));
  print(gelu<false>(v));

  example("var");
  print(var<ints{1}>(x));

  example("standard_deviation");
  print(standard_deviation<ints{1}>(x));

  example("norm");
  print(norm(x));
  print(norm<ints{1}>(x));

  example("any_of");
  print(any_of(x > 5));

  example("all_of");
  print(all_of<ints{0}>(x > 0));

  example("argsort");
  print(argsort(-v));

  example("eye");
  print(eye<f32, 3>());

  example("zeros_like");
  print(zeros_like(x));

  example("ones_like");
  print(ones_like(x));

  example("one_hot");
  print(one_hot<3>(tensor<i32, 2>{0, 2}));
}
