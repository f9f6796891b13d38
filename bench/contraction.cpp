// SPDX-License-Identifier: Apache-2.0

// Matrix products, convolutions, transforms and factorisations, beside plain loops and Eigen.

#include "programs.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <unsupported/Eigen/FFT>

#include <bit>
#include <complex>
#include <numbers>

using namespace bench;

namespace {

template <class T>
using matrix = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
template <class T>
using const_matrix = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

std::string sizes_text(index_t m, index_t n, index_t k) {
  return std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
}

template <class T, class R>
std::string product_text(index_t m, index_t n, index_t k, bool transposed) {
  return std::string("%r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [") + (transposed ? "1" : "0") +
         "] : (" + type_text<T>({m, k}) + ", " + type_text<T>(transposed ? ints{n, k} : ints{k, n}) + ") -> " +
         type_text<R>({m, n});
}

// With b stored by rows: the order of loops that vectorises.
template <class T>
void product(index_t m, index_t n, index_t k, double tolerance) {
  compare_program<T>("dot_general " + std::string(name(dtype_of<T>)) + " " + sizes_text(m, n, k), result_of<T>({m, n}),
                     product_text<T, T>(m, n, k, false), tolerance,
                     std::tuple{argument<T>({m, k}), argument<T>({k, n}, -1, 1, 2)},
                     way{"plain",
                         [=](T* c, const T* a, const T* b) {
                           for (index_t i = 0; i < m; ++i) {
                             for (index_t j = 0; j < n; ++j) c[i * n + j] = 0;
                             for (index_t l = 0; l < k; ++l)
                               for (index_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + l] * b[l * n + j];
                           }
                         }},
                     way{"eigen", [=](T* c, const T* a, const T* b) {
                           matrix<T>(c, m, n).noalias() = const_matrix<T>(a, m, k) * const_matrix<T>(b, k, n);
                         }});
}

// With b stored by columns, as the weights of a layer often are.
void transposed_product(index_t m, index_t n, index_t k) {
  compare_program<f32>(
      "dot_general f32 " + sizes_text(m, n, k) + " transposed", result_of<f32>({m, n}),
      product_text<f32, f32>(m, n, k, true), 1e-4, std::tuple{argument<f32>({m, k}), argument<f32>({n, k}, -1, 1, 2)},
      way{"plain",
          [=](f32* c, const f32* a, const f32* b) {
            for (index_t i = 0; i < m; ++i)
              for (index_t j = 0; j < n; ++j) {
                f32 sum = 0;
                for (index_t l = 0; l < k; ++l) sum += a[i * k + l] * b[j * k + l];
                c[i * n + j] = sum;
              }
          }},
      way{"eigen", [=](f32* c, const f32* a, const f32* b) {
            matrix<f32>(c, m, n).noalias() = const_matrix<f32>(a, m, k) * const_matrix<f32>(b, n, k).transpose();
          }});
}

// Sizes that are known while compiling, to all.
constexpr auto product_of_rows =
    trace([](auto a, auto b) { return dot_general<ops::dot_general{{{}, {}, {1}, {0}}}>(a, b); });
constexpr auto product_of_columns =
    trace([](auto a, auto b) { return dot_general<ops::dot_general{{{}, {}, {1}, {1}}}>(a, b); });
template <class T, index_t M, index_t N, index_t K, bool Transposed = false>
void known_product() {
  using function = std::conditional_t<Transposed, decltype(product_of_columns), decltype(product_of_rows)>;
  using code =
      typename function::template program_for<tensor<T, M, K>,
                                              std::conditional_t<Transposed, tensor<T, N, K>, tensor<T, K, N>>>;
  using left = Eigen::Matrix<T, M, K, Eigen::RowMajor>;
  using right =
      std::conditional_t<Transposed, Eigen::Matrix<T, K, N, Eigen::ColMajor>, Eigen::Matrix<T, K, N, Eigen::RowMajor>>;
  compare_compiled<code, T>("dot_general " + std::string(name(dtype_of<T>)) + " " + sizes_text(M, N, K) +
                                (Transposed ? " transposed" : "") + ", known sizes",
                            M * N, 1e-4, std::tuple{argument<T>({M, K}), argument<T>({K, N}, -1, 1, 2)},
                            way{"plain",
                                [](T* c, const T* a, const T* b) {
                                  for (index_t i = 0; i < M; ++i)
                                    for (index_t j = 0; j < N; ++j) {
                                      T sum = 0;
                                      for (index_t l = 0; l < K; ++l)
                                        sum += a[i * K + l] * b[Transposed ? j * K + l : l * N + j];
                                      c[i * N + j] = sum;
                                    }
                                }},
                            way{"eigen", [](T* c, const T* a, const T* b) {
                                  Eigen::Map<Eigen::Matrix<T, M, N, Eigen::RowMajor>>(c).noalias() =
                                      Eigen::Map<const left>(a) * Eigen::Map<const right>(b);
                                }});
}

float widened(bf16 x) { return std::bit_cast<float>(std::uint32_t(x.bits) << 16); }
float widened(f16 x) { return float(std::bit_cast<_Float16>(x.bits)); }
i32 widened(i8 x) { return x; }

// Narrow elements, summed up in R.
template <class T, class R>
void narrow_product(index_t m, index_t n, index_t k, double tolerance) {
  compare_program<R>("dot_general " + std::string(name(dtype_of<T>)) + " to " + std::string(name(dtype_of<R>)) + " " +
                         sizes_text(m, n, k),
                     result_of<R>({m, n}), product_text<T, R>(m, n, k, false), tolerance,
                     std::tuple{argument<T>({m, k}, -3, 3), argument<T>({k, n}, -3, 3, 2)},
                     way{"plain", [=](R* c, const T* a, const T* b) {
                           for (index_t i = 0; i < m; ++i) {
                             for (index_t j = 0; j < n; ++j) c[i * n + j] = 0;
                             for (index_t l = 0; l < k; ++l)
                               for (index_t j = 0; j < n; ++j)
                                 c[i * n + j] += R(widened(a[i * k + l])) * R(widened(b[l * n + j]));
                           }
                         }});
}

void products() {
  for (index_t each : {4, 8, 16, 32, 64, 128, 256, 512}) product<f32>(each, each, each, 1e-4);
  for (index_t each : {4, 16, 64, 256}) product<f64>(each, each, each, 1e-12);
  known_product<f32, 4, 4, 4>();
  known_product<f32, 8, 8, 8>();
  known_product<f32, 16, 16, 16>();
  known_product<f32, 16, 16, 16, true>();
  known_product<f64, 4, 4, 4>();
  known_product<f64, 16, 16, 16>();
  product<f32>(1, 128, 784, 1e-4);
  product<f32>(512, 10, 784, 1e-4);
  product<f32>(32, 3072, 768, 1e-4);
  product<f32>(128, 768, 768, 1e-4);
  for (index_t each : {16, 64, 256}) transposed_product(each, each, each);
  transposed_product(1, 128, 784);
  transposed_product(128, 768, 768);
  narrow_product<i8, i32>(40, 40, 40, 0);
  narrow_product<i8, i32>(128, 128, 128, 0);
  narrow_product<bf16, f32>(128, 128, 128, 1e-3);
  narrow_product<f16, f32>(128, 128, 128, 1e-3);
  narrow_product<i8, i32>(1, 256, 256, 0);
  narrow_product<bf16, f32>(1, 256, 256, 1e-3);
  compare_program<i32>("dot_general i32 64x64x64", result_of<i32>({64, 64}), product_text<i32, i32>(64, 64, 64, false),
                       0, std::tuple{argument<i32>({64, 64}, -9, 9), argument<i32>({64, 64}, -9, 9, 2)},
                       way{"plain", [](i32* c, const i32* a, const i32* b) {
                             for (index_t i = 0; i < 64; ++i) {
                               for (index_t j = 0; j < 64; ++j) c[i * 64 + j] = 0;
                               for (index_t l = 0; l < 64; ++l)
                                 for (index_t j = 0; j < 64; ++j) c[i * 64 + j] += a[i * 64 + l] * b[l * 64 + j];
                             }
                           }});
  compare_program<f32>("dot_general f32 16 x 64x64x64", result_of<f32>({16, 64, 64}),
                       "%r = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
                       "(tensor<16x64x64xf32>, tensor<16x64x64xf32>) -> tensor<16x64x64xf32>",
                       1e-4, std::tuple{argument<f32>({16, 64, 64}), argument<f32>({16, 64, 64}, -1, 1, 2)},
                       way{"plain",
                           [](f32* c, const f32* a, const f32* b) {
                             for (index_t batch = 0; batch < 16; ++batch, a += 4096, b += 4096, c += 4096)
                               for (index_t i = 0; i < 64; ++i) {
                                 for (index_t j = 0; j < 64; ++j) c[i * 64 + j] = 0;
                                 for (index_t l = 0; l < 64; ++l)
                                   for (index_t j = 0; j < 64; ++j) c[i * 64 + j] += a[i * 64 + l] * b[l * 64 + j];
                               }
                           }},
                       way{"eigen", [](f32* c, const f32* a, const f32* b) {
                             for (index_t batch = 0; batch < 16; ++batch, a += 4096, b += 4096, c += 4096)
                               matrix<f32>(c, 64, 64).noalias() =
                                   const_matrix<f32>(a, 64, 64) * const_matrix<f32>(b, 64, 64);
                           }});
  const auto square = [] { return std::tuple{argument<f32>({256, 256}), argument<f32>({256, 256}, -1, 1, 2)}; };
  const auto by_eigen = [](f32* c, const f32* a, const f32* b) {
    matrix<f32>(c, 256, 256).noalias() = const_matrix<f32>(a, 256, 256) * const_matrix<f32>(b, 256, 256);
  };
  const auto by_loops = [](f32* c, const f32* a, const f32* b) {
    for (index_t i = 0; i < 256; ++i) {
      for (index_t j = 0; j < 256; ++j) c[i * 256 + j] = 0;
      for (index_t l = 0; l < 256; ++l)
        for (index_t j = 0; j < 256; ++j) c[i * 256 + j] += a[i * 256 + l] * b[l * 256 + j];
    }
  };
  const std::string types = " : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>";
  compare_program<f32>("dot f32 256x256x256", result_of<f32>({256, 256}), "%r = stablehlo.dot %a, %b" + types, 1e-4,
                       square(), way{"plain", by_loops}, way{"eigen", by_eigen});
  compare_program<f32>("einsum f32 ij,jk->ik 256", result_of<f32>({256, 256}),
                       "%r = \"stablehlo.einsum\"(%a, %b) {einsum_config = \"ij,jk->ik\"}" + types, 1e-4, square(),
                       way{"plain", by_loops}, way{"eigen", by_eigen});
  compare_program<f32>("unary_einsum f32 ij->i 256", result_of<f32>({256}),
                       "%r = \"stablehlo.unary_einsum\"(%a) {einsum_config = \"ij->i\"} : (tensor<256x256xf32>) -> "
                       "tensor<256xf32>",
                       1e-4, std::tuple{argument<f32>({256, 256})},
                       way{"plain",
                           [](f32* to, const f32* x) {
                             for (index_t i = 0; i < 256; ++i) {
                               f32 sum = 0;
                               for (index_t j = 0; j < 256; ++j) sum += x[i * 256 + j];
                               to[i] = sum;
                             }
                           }},
                       way{"eigen", [](f32* to, const f32* x) {
                             Eigen::Map<Eigen::VectorXf>(to, 256) = const_matrix<f32>(x, 256, 256).rowwise().sum();
                           }});
}

struct layer {
  const char* name;
  index_t size, inputs, outputs, window, stride, groups;
  bool channels_last;
};

// A square image with as much padding as keeps its size, if the stride is 1.
template <bool Dynamic = false>
void convolve(const layer& l) {
  const index_t pad = l.window / 2, out = (l.size + 2 * pad - l.window) / l.stride + 1, inputs = l.inputs / l.groups;
  const index_t outputs = l.outputs / l.groups;
  const auto image = [&](index_t size, index_t features) {
    return l.channels_last ? ints{1, size, size, features} : ints{1, features, size, size};
  };
  const ints lhs = image(l.size, l.inputs), result = image(out, l.outputs);
  const ints rhs =
      l.channels_last ? ints{l.window, l.window, inputs, l.outputs} : ints{l.outputs, inputs, l.window, l.window};
  const std::string dimensions =
      l.channels_last ? "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]" : "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]";
  const std::string p = std::to_string(pad), s = std::to_string(l.stride);
  const std::string groups =
      "batch_group_count = 1 : i64, feature_group_count = " + std::to_string(l.groups) + " : i64";
  const std::string fixed = "%r = stablehlo.convolution(%a, %b) dim_numbers = " + dimensions +
                            ", window = {stride = [" + s + ", " + s + "], pad = [[" + p + ", " + p + "], [" + p + ", " +
                            p + "]]} {" + groups + "} : (" + type_text<f32>(lhs) + ", " + type_text<f32>(rhs) +
                            ") -> " + type_text<f32>(result);
  const std::string dynamic = "%p = stablehlo.constant dense<" + p + "> : tensor<2x2xi64>\n" +
                              "%r = \"stablehlo.dynamic_conv\"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<" +
                              dimensions + ">, window_strides = array<i64: " + s + ", " + s + ">, " + groups + "} : (" +
                              type_text<f32>(lhs) + ", " + type_text<f32>(rhs) + ", tensor<2x2xi64>) -> " +
                              type_text<f32>(result);
  // The loop that vectorises: over output features where they are neighbours, else over a row of pixels.
  const auto plain = [=](f32* to, const f32* x, const f32* w) {
    for (index_t i = 0; i < out * out * l.outputs; ++i) to[i] = 0;
    if (l.channels_last) {
      for (index_t y = 0; y < out; ++y)
        for (index_t v = 0; v < l.window; ++v) {
          const index_t row = y * l.stride + v - pad;
          if (row < 0 || row >= l.size) continue;
          for (index_t z = 0; z < out; ++z)
            for (index_t h = 0; h < l.window; ++h) {
              const index_t column = z * l.stride + h - pad;
              if (column < 0 || column >= l.size) continue;
              const f32* const from = x + (row * l.size + column) * l.inputs;
              const f32* const weights = w + (v * l.window + h) * inputs * l.outputs;
              f32* const sums = to + (y * out + z) * l.outputs;
              if (inputs == 1 && outputs == 1) {
                for (index_t c = 0; c < l.inputs; ++c) sums[c] += from[c] * weights[c];
                continue;
              }
              for (index_t g = 0; g < l.groups; ++g)
                for (index_t c = 0; c < inputs; ++c)
                  for (index_t o = g * outputs; o < (g + 1) * outputs; ++o)
                    sums[o] += from[g * inputs + c] * weights[c * l.outputs + o];
            }
        }
      return;
    }
    for (index_t o = 0; o < l.outputs; ++o)
      for (index_t c = 0; c < inputs; ++c)
        for (index_t v = 0; v < l.window; ++v)
          for (index_t h = 0; h < l.window; ++h) {
            const f32 weight = w[((o * inputs + c) * l.window + v) * l.window + h];
            const f32* const plane = x + (o / outputs * inputs + c) * l.size * l.size;
            const index_t first = h < pad ? (pad - h + l.stride - 1) / l.stride : 0;
            for (index_t y = 0; y < out; ++y) {
              const index_t row = y * l.stride + v - pad;
              if (row < 0 || row >= l.size) continue;
              f32* const sums = to + (o * out + y) * out;
              const f32* const from = plane + row * l.size + h - pad;
              for (index_t z = first; z < out && z * l.stride + h - pad < l.size; ++z)
                sums[z] += from[z * l.stride] * weight;
            }
          }
  };
  // The image taken apart to a matrix, then a product.
  const auto eigen = [=](f32* to, const f32* x, const f32* w) {
    static Eigen::Matrix<f32, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> taken;
    taken.resize(out * out, l.window * l.window * l.inputs);
    for (index_t y = 0; y < out; ++y)
      for (index_t z = 0; z < out; ++z)
        for (index_t v = 0; v < l.window; ++v)
          for (index_t h = 0; h < l.window; ++h) {
            const index_t row = y * l.stride + v - pad, column = z * l.stride + h - pad;
            f32* const at = &taken(y * out + z, (v * l.window + h) * l.inputs);
            if (row < 0 || row >= l.size || column < 0 || column >= l.size)
              std::memset(at, 0, std::size_t(l.inputs) * sizeof(f32));
            else
              std::memcpy(at, x + (row * l.size + column) * l.inputs, std::size_t(l.inputs) * sizeof(f32));
          }
    matrix<f32>(to, out * out, l.outputs).noalias() =
        taken * const_matrix<f32>(w, l.window * l.window * l.inputs, l.outputs);
  };
  const auto arguments = [&] { return std::tuple{argument<f32>(lhs), argument<f32>(rhs, -1, 1, 2)}; };
  const std::string workload = std::string(Dynamic ? "dynamic_conv " : "convolution ") + l.name;
  if (l.channels_last && l.groups == 1)
    compare_program<f32>(workload, result_of<f32>(result), Dynamic ? dynamic : fixed, 1e-4, arguments(),
                         way{"plain", plain}, way{"eigen", eigen});
  else
    compare_program<f32>(workload, result_of<f32>(result), Dynamic ? dynamic : fixed, 1e-4, arguments(),
                         way{"plain", plain});
}

void convolutions() {
  convolve({"3x3 NHWC 56x56x64 to 64", 56, 64, 64, 3, 1, 1, true});
  convolve({"3x3 NHWC 28x28x128 to 128", 28, 128, 128, 3, 1, 1, true});
  convolve({"1x1 NHWC 14x14x256 to 1024", 14, 256, 1024, 1, 1, 1, true});
  convolve({"7x7 stride 2 NHWC 224x224x3 to 64", 224, 3, 64, 7, 2, 1, true});
  convolve({"3x3 NHWC 8x8x8 to 16", 8, 8, 16, 3, 1, 1, true});
  convolve({"depthwise 3x3 NHWC 112x112x32", 112, 32, 32, 3, 1, 32, true});
  convolve({"in 4 groups 3x3 NHWC 28x28x64", 28, 64, 64, 3, 1, 4, true});
  convolve({"3x3 NCHW 64x56x56 to 64", 56, 64, 64, 3, 1, 1, false});
  convolve({"1x1 NCHW 256x14x14 to 1024", 14, 256, 1024, 1, 1, 1, false});
  convolve({"7x7 stride 2 NCHW 3x224x224 to 64", 224, 3, 64, 7, 2, 1, false});
  convolve({"depthwise 3x3 NCHW 32x112x112", 112, 32, 32, 3, 1, 32, false});
  convolve({"depthwise 3x3 stride 2 NCHW 32x112x112", 112, 32, 32, 3, 2, 32, false});
  convolve({"in 4 groups 3x3 NCHW 64x28x28", 28, 64, 64, 3, 1, 4, false});
  convolve<true>({"3x3 NHWC 28x28x128 to 128", 28, 128, 128, 3, 1, 1, true});
}

template <class T>
argument<T> positive_definite(index_t n) {
  argument<T> a({n, n});
  const buffer<T> b = numbers<T>(n * n);
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j) {
      T sum = i == j ? T(n) : 0;
      for (index_t k = 0; k < n; ++k) sum += b[i * n + k] * b[j * n + k];
      a.elements[i * n + j] = sum;
    }
  return a;
}

template <class T>
void factorise(index_t n, double tolerance) {
  const std::string of = " " + std::string(name(dtype_of<T>)) + " " + std::to_string(n);
  const std::string type = type_text<T>({n, n});
  compare_program<T>("cholesky" + of, result_of<T>({n, n}), "%r = stablehlo.cholesky %a, lower = true : " + type,
                     tolerance, std::tuple{positive_definite<T>(n)},
                     way{"plain",
                         [n](T* l, const T* a) {
                           for (index_t i = 0; i < n; ++i) {
                             for (index_t j = 0; j <= i; ++j) {
                               T sum = a[i * n + j];
                               for (index_t k = 0; k < j; ++k) sum -= l[i * n + k] * l[j * n + k];
                               l[i * n + j] = i == j ? std::sqrt(sum) : sum / l[j * n + j];
                             }
                             for (index_t j = i + 1; j < n; ++j) l[i * n + j] = 0;
                           }
                         }},
                     way{"eigen", [n](T* l, const T* a) {
                           using square = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
                           const Eigen::LLT<square> factor(const_matrix<T>(a, n, n));
                           matrix<T>(l, n, n) = factor.matrixL();
                         }});
  argument<T> lower = positive_definite<T>(n);
  for (index_t i = 0; i < n; ++i)
    for (index_t j = i + 1; j < n; ++j) lower.elements[i * n + j] = 0;
  compare_program<T>("triangular_solve" + of + " x 64", result_of<T>({n, 64}),
                     "%r = \"stablehlo.triangular_solve\"(%a, %b) {left_side = true, lower = true, unit_diagonal = "
                     "false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (" +
                         type + ", " + type_text<T>({n, 64}) + ") -> " + type_text<T>({n, 64}),
                     tolerance, std::tuple{std::move(lower), argument<T>({n, 64}, -1, 1, 2)},
                     way{"plain",
                         [n](T* x, const T* a, const T* b) {
                           for (index_t i = 0; i < n; ++i) {
                             for (index_t j = 0; j < 64; ++j) x[i * 64 + j] = b[i * 64 + j];
                             for (index_t k = 0; k < i; ++k)
                               for (index_t j = 0; j < 64; ++j) x[i * 64 + j] -= a[i * n + k] * x[k * 64 + j];
                             for (index_t j = 0; j < 64; ++j) x[i * 64 + j] /= a[i * n + i];
                           }
                         }},
                     way{"eigen", [n](T* x, const T* a, const T* b) {
                           matrix<T> solution(x, n, 64);
                           solution = const_matrix<T>(b, n, 64);
                           const_matrix<T>(a, n, n).template triangularView<Eigen::Lower>().solveInPlace(solution);
                         }});
}

// Radix 2, in place, after the elements were put in the order of reversed bits.
void plain_fourier(std::complex<f32>* x, index_t n, const std::complex<f32>* roots) {
  for (index_t i = 1, j = 0; i < n; ++i) {
    index_t bit = n / 2;
    for (; j & bit; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (index_t half = 1; half < n; half *= 2)
    for (index_t i = 0; i < n; i += 2 * half)
      for (index_t j = 0; j < half; ++j) {
        const std::complex<f32> w = roots[j * (n / 2 / half)], b = x[i + j + half];
        const std::complex<f32> product(w.real() * b.real() - w.imag() * b.imag(),
                                        w.real() * b.imag() + w.imag() * b.real());
        x[i + j + half] = x[i + j] - product;
        x[i + j] += product;
      }
}

void fourier(index_t rows, index_t n) {
  using c32 = tenon::complex<f32>;
  const ints shape{rows, n};
  argument<c32> given(shape);
  const buffer<f32> imag = numbers<f32>(rows * n, -1, 1, 2);
  for (index_t i = 0; i < rows * n; ++i) given.elements[i].imag = imag[i];
  auto* const roots = new std::vector<std::complex<f32>>;
  for (index_t i = 0; i < n / 2; ++i)
    roots->push_back(std::complex<f32>(std::polar(1.0, -2 * std::numbers::pi * double(i) / double(n))));
  const std::string type = type_text<c32>(shape);
  compare_program<c32>(
      "fft complex<f32> " + std::to_string(rows) + " x " + std::to_string(n), result_of<c32>(shape),
      "%r = stablehlo.fft %a, type = FFT, length = [" + std::to_string(n) + "] : (" + type + ") -> " + type, 1e-4,
      std::tuple{std::move(given)},
      way{"plain",
          [=](c32* to, const c32* from) {
            std::memcpy(static_cast<void*>(to), from, std::size_t(rows * n) * sizeof(c32));
            for (index_t i = 0; i < rows; ++i)
              plain_fourier(reinterpret_cast<std::complex<f32>*>(to) + i * n, n, roots->data());
          }},
      way{"eigen", [=](c32* to, const c32* from) {
            static Eigen::FFT<f32> plan;
            for (index_t i = 0; i < rows; ++i)
              plan.fwd(reinterpret_cast<std::complex<f32>*>(to) + i * n,
                       reinterpret_cast<const std::complex<f32>*>(from) + i * n, n);
          }});
}

[[maybe_unused]] const bool registered =
    (products(), convolutions(), factorise<f32>(64, 1e-3), factorise<f32>(256, 1e-3), factorise<f64>(256, 1e-10),
     fourier(64, 1024), fourier(1, 65536), true);

}  // namespace
