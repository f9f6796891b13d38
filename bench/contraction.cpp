// SPDX-License-Identifier: Apache-2.0

// Matrix products and convolutions beside Eigen and a plain loop. Compare ratios within one run.

#include <tenon/kernels/contraction.hpp>

#include <benchmark/benchmark.h>
#include <Eigen/Core>

#include <array>
#include <cstdlib>
#include <vector>

using namespace tenon;

namespace {

template <class T>
std::vector<T> numbers(index_t count) {
  std::vector<T> result;
  for (index_t i = 0; i < count; ++i) result.push_back(T(std::rand() % 1000) / 1000 - T(0.5));
  return result;
}

void report(benchmark::State& state, double multiply_adds) {
  state.counters["FLOP/s"] = benchmark::Counter(2 * multiply_adds, benchmark::Counter::kIsIterationInvariantRate);
}

template <class T>
struct matrices {
  index_t m, n, k;
  std::vector<T> a = numbers<T>(m * k), b = numbers<T>(k * n), c = numbers<T>(m * n);
};

template <class T>
void tenon_product(benchmark::State& state) {
  matrices<T> x{state.range(0), state.range(1), state.range(2)};
  std::vector<T> scratch(std::size_t(packing::product(x.m, x.n, x.k, sizeof(T))) / sizeof(T));
  for (auto _ : state) {
    matrix_product<T>(x.m, x.n, x.k, {x.a.data(), x.k, 1}, {x.b.data(), x.n, 1}, x.c.data(), x.n, false,
                      scratch.data());
    benchmark::ClobberMemory();
  }
  report(state, double(x.m * x.n * x.k));
}

// The right factor is stored by columns, as the weights of a layer often are.
template <class T>
void tenon_product_transposed(benchmark::State& state) {
  matrices<T> x{state.range(0), state.range(1), state.range(2)};
  std::vector<T> scratch(std::size_t(packing::product(x.m, x.n, x.k, sizeof(T))) / sizeof(T));
  for (auto _ : state) {
    matrix_product<T>(x.m, x.n, x.k, {x.a.data(), x.k, 1}, {x.b.data(), 1, x.k}, x.c.data(), x.n, false,
                      scratch.data());
    benchmark::ClobberMemory();
  }
  report(state, double(x.m * x.n * x.k));
}

template <class T>
void eigen_product(benchmark::State& state) {
  using matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  matrices<T> x{state.range(0), state.range(1), state.range(2)};
  const Eigen::Map<matrix> a(x.a.data(), x.m, x.k), b(x.b.data(), x.k, x.n);
  Eigen::Map<matrix> c(x.c.data(), x.m, x.n);
  for (auto _ : state) {
    c.noalias() = a * b;
    benchmark::ClobberMemory();
  }
  report(state, double(x.m * x.n * x.k));
}

// The sizes known while compiling.
template <class T, int Size>
void eigen_fixed_product(benchmark::State& state) {
  using matrix = Eigen::Matrix<T, Size, Size, Eigen::RowMajor>;
  matrices<T> x{Size, Size, Size};
  const Eigen::Map<matrix> a(x.a.data()), b(x.b.data());
  Eigen::Map<matrix> c(x.c.data());
  for (auto _ : state) {
    c.noalias() = a * b;
    benchmark::ClobberMemory();
  }
  report(state, double(Size) * Size * Size);
}

template <class T>
void plain_product(benchmark::State& state) {
  matrices<T> x{state.range(0), state.range(1), state.range(2)};
  for (auto _ : state) {
    for (index_t i = 0; i < x.m; ++i) {
      T* const c = x.c.data() + i * x.n;
      for (index_t j = 0; j < x.n; ++j) c[j] = 0;
      for (index_t k = 0; k < x.k; ++k) {
        const T a = x.a[std::size_t(i * x.k + k)];
        const T* const b = x.b.data() + k * x.n;
        for (index_t j = 0; j < x.n; ++j) c[j] += a * b[j];
      }
    }
    benchmark::ClobberMemory();
  }
  report(state, double(x.m * x.n * x.k));
}

void cubes(benchmark::internal::Benchmark* b) {
  for (int size : {4, 8, 16, 32, 64, 128, 256, 512}) b->Args({size, size, size});
}
void layers(benchmark::internal::Benchmark* b) {
  cubes(b);
  for (const auto& [m, n, k] : {std::array{1, 128, 784}, {32, 3072, 768}, {128, 768, 768}, {512, 10, 784}})
    b->Args({m, n, k});
}

BENCHMARK(tenon_product<float>)->Apply(layers);
BENCHMARK(tenon_product_transposed<float>)->Apply(layers);
BENCHMARK(eigen_product<float>)->Apply(layers);
BENCHMARK(plain_product<float>)->Apply(layers);
BENCHMARK(eigen_fixed_product<float, 4>);
BENCHMARK(eigen_fixed_product<float, 8>);
BENCHMARK(eigen_fixed_product<float, 16>);
BENCHMARK(eigen_fixed_product<float, 32>);
BENCHMARK(tenon_product<double>)->Apply(cubes);
BENCHMARK(eigen_product<double>)->Apply(cubes);
BENCHMARK(plain_product<double>)->Apply(cubes);

struct layer {
  index_t size, inputs, outputs, window, stride, groups;
  bool channels_last;
};
layer layer_of(const benchmark::State& state) {
  return {state.range(0), state.range(1), state.range(2),     state.range(3),
          state.range(4), state.range(5), state.range(6) != 0};
}

// Runs convolution_kernel, or the op's own loops, on a square image with as much padding as keeps its size.
template <bool ByKernel>
void convolve(benchmark::State& state) {
  const layer l = layer_of(state);
  const index_t pad = l.window / 2, out = (l.size + 2 * pad - l.window) / l.stride + 1, inputs = l.inputs / l.groups;
  ops::convolution op{.window_strides = {l.stride, l.stride},
                      .padding = {{pad, pad}, {pad, pad}},
                      .dimension_numbers = {0, 3, {1, 2}, 2, 3, {0, 1}, 0, 3, {1, 2}},
                      .feature_group_count = l.groups};
  if (!l.channels_last) op.dimension_numbers = {0, 1, {2, 3}, 1, 0, {2, 3}, 0, 1, {2, 3}};
  const auto shape = [&](index_t size, index_t features) {
    return l.channels_last ? ints{1, size, size, features} : ints{1, features, size, size};
  };
  const tensor_type types[] = {type_of(dtype::f32, shape(l.size, l.inputs)),
                               type_of(dtype::f32, l.channels_last ? ints{l.window, l.window, inputs, l.outputs}
                                                                   : ints{l.outputs, inputs, l.window, l.window})};
  const tensor_type result = type_of(dtype::f32, shape(out, l.outputs));
  const std::vector<float> lhs = numbers<float>(types[0].size()), rhs = numbers<float>(types[1].size());
  std::vector<float> to = numbers<float>(result.size());
  std::vector<char> scratch(std::size_t(op.scratch_bytes({types, 2}, {&result, 1})));
  const void* operands[] = {lhs.data(), rhs.data()};
  void* results[] = {to.data()};
  evaluation e;
  e.operands = {operands, 2};
  e.operand_types = {types, 2};
  e.results = {results, 1};
  e.result_types = {&result, 1};
  e.scratch = scratch.data();
  for (auto _ : state) {
    if constexpr (ByKernel)
      convolution_kernel<float>(op, e);
    else
      op.evaluate<float>(e);
    benchmark::ClobberMemory();
  }
  report(state, double(out * out * l.outputs) * double(l.window * l.window * inputs));
}
void tenon_convolution(benchmark::State& state) { convolve<true>(state); }
void plain_convolution(benchmark::State& state) { convolve<false>(state); }

// size, inputs, outputs, window, stride, groups, channels last
void images(benchmark::internal::Benchmark* b) {
  for (int channels_last : {1, 0}) {
    b->Args({56, 64, 64, 3, 1, 1, channels_last});
    b->Args({28, 128, 128, 3, 1, 1, channels_last});
    b->Args({14, 256, 1024, 1, 1, 1, channels_last});
    b->Args({224, 3, 64, 7, 2, 1, channels_last});
    b->Args({112, 32, 32, 3, 1, 32, channels_last});
  }
}
BENCHMARK(tenon_convolution)->Apply(images)->Unit(benchmark::kMicrosecond);
BENCHMARK(plain_convolution)->Apply(images)->Unit(benchmark::kMicrosecond)->Iterations(1);

}  // namespace
