// SPDX-License-Identifier: Apache-2.0

// Programs that should run in one pass over memory, beside the plain loop and a plain copy of as many bytes as the
// program must move at least: its arguments once, its result once.

#include "compare.hpp"

#include <cstring>

using namespace bench;

namespace {

constexpr index_t columns = 1024;
// In the last cache, and far beyond it.
constexpr index_t few_rows = 4096, many_rows = 32768;

using line = tensor_view<const f32, columns>;

const buffer<float>& input(int which) {
  constexpr index_t most = many_rows * columns;
  static const buffer<float> all[] = {numbers(2 * most), numbers(most, -1, 1, 2), numbers(most, -1, 1, 3)};
  return all[which];
}

// Copies half of `bytes` to another place.
void copy(const std::string& workload, index_t bytes) {
  benchmark::RegisterBenchmark(("copy_" + workload).c_str(), [bytes](benchmark::State& state) {
    const buffer<char> from(bytes / 2), to(bytes / 2);
    for (auto _ : state) {
      std::memcpy(to.data(), from.data(), std::size_t(bytes / 2));
      benchmark::DoNotOptimize(to.data());
      benchmark::ClobberMemory();
    }
  });
}

template <class Tenon, class Plain>
void fused(const std::string& workload, index_t results, index_t arguments, double tolerance, Plain plain, Tenon ours) {
  compare<float>(workload, results, tolerance, way{"plain", plain}, way{"tenon", ours});
  copy(workload, (results + arguments) * index_t(sizeof(float)));
}

// Elements of so many rows.
template <index_t rows>
struct workloads {
  static constexpr auto chain = trace([](auto x, auto a, auto b) { return maximum(x * a + b, 0.0f) * 0.5f - x; });
  static constexpr auto bias_and_activation =
      trace([](auto x, auto b) { return maximum(x + broadcast_in_dim<ints{rows, columns}, ints{1}>(b), 0.0f); });
  static constexpr auto softmax_rows = trace([](auto x) { return softmax(x); });
  static constexpr auto layer_norm = trace([](auto x, auto scale, auto shift) {
    constexpr ints shape{rows, columns};
    const auto spread = [](auto each) { return broadcast_in_dim<shape, ints{0}>(each); };
    auto centred = x - spread(reduce<ints{1}>(x, 0.0f, ops::add{}) / f32(columns));
    auto variance = reduce<ints{1}>(centred * centred, 0.0f, ops::add{}) / f32(columns);
    return centred * spread(rsqrt(variance + 1e-5f)) * broadcast_in_dim<shape, ints{1}>(scale) +
           broadcast_in_dim<shape, ints{1}>(shift);
  });
  // What a transformer does between its parts: the sum goes on, its norm into the next part.
  static constexpr auto residual_norm = trace([](auto x, auto y, auto scale, auto shift) {
    auto sum = x + y;
    return results(layer_norm(sum, scale, shift), sum);
  });
  static constexpr auto squares_of_rows = trace([](auto x) { return sqrt(reduce<ints{1}>(x * x, 0.0f, ops::add{})); });
  static constexpr auto square_sum = trace([](auto x) { return reduce<ints{0, 1}>(x * x, 0.0f, ops::add{}); });
  static constexpr auto transposed = trace([](auto x, auto y) { return transpose<ints{1, 0}>(x * 2.0f) * y + 1.0f; });
  // What the chain is measured by: memory takes a transpose in another order than a copy.
  static constexpr auto bare_transpose = trace([](auto x) { return transpose<ints{1, 0}>(x); });
  static constexpr auto strided =
      trace([](auto x, auto y) { return slice<ints{0, 0}, ints{rows, 2 * columns}, ints{1, 2}>(x * 2.0f) * y + 1.0f; });
  static constexpr auto update = trace([](auto x, auto slope, auto mean, auto square) {
    auto next_mean = 0.9f * mean + 0.1f * slope;
    auto next_square = 0.999f * abs(square) + 0.001f * slope * slope;
    return results(x - 0.001f * next_mean / (sqrt(next_square) + 1e-8f), next_mean, next_square);
  });

  static constexpr index_t size = rows * columns;
  using whole = tensor_view<const f32, rows, columns>;
  using turned = tensor_view<const f32, columns, rows>;

  static std::string named(const char* workload) {
    return std::string(workload) + " " + std::to_string(size >> 20) + "M";
  }

  static void elementwise() {
    const float *x = input(0).data(), *y = input(1).data(), *z = input(2).data();
    using out = tensor_view<f32, rows, columns>;
    fused(
        named("chain"), size, 3 * size, 1e-6,
        [=](float* to) {
          for (index_t i = 0; i < size; ++i) to[i] = std::max(x[i] * y[i] + z[i], 0.0f) * 0.5f - x[i];
        },
        [=](float* to) { chain.into(out(to))(whole(x), whole(y), whole(z)); });
    fused(
        named("bias, activation"), size, size + columns, 0,
        [=](float* to) {
          for (index_t i = 0; i < rows; ++i)
            for (index_t j = 0; j < columns; ++j) to[i * columns + j] = std::max(x[i * columns + j] + y[j], 0.0f);
        },
        [=](float* to) { bias_and_activation.into(out(to))(whole(x), line(y)); });
    const float* const square = input(0).data() + size;
    fused(
        named("update, three results"), 3 * size, 4 * size, 1e-5,
        [=](float* to) {
          for (index_t i = 0; i < size; ++i) {
            const float next_mean = 0.9f * z[i] + 0.1f * y[i];
            const float next_square = 0.999f * std::abs(square[i]) + 0.001f * y[i] * y[i];
            to[i] = x[i] - 0.001f * next_mean / (std::sqrt(next_square) + 1e-8f);
            to[size + i] = next_mean;
            to[2 * size + i] = next_square;
          }
        },
        [=](float* to) {
          update.into(out(to), out(to + size), out(to + 2 * size))(whole(x), whole(y), whole(z), whole(square));
        });
    fused(
        named("transpose in a chain"), size, 2 * size, 1e-6,
        [=](float* to) {
          for (index_t i = 0; i < rows; ++i)
            for (index_t j = 0; j < columns; ++j) to[i * columns + j] = x[j * rows + i] * 2 * y[i * columns + j] + 1;
        },
        [=](float* to) { transposed.into(out(to))(turned(x), whole(y)); });
    fused(
        named("transpose alone"), size, size, 0,
        [=](float* to) {
          for (index_t i = 0; i < rows; ++i)
            for (index_t j = 0; j < columns; ++j) to[i * columns + j] = x[j * rows + i];
        },
        [=](float* to) { bare_transpose.into(out(to))(turned(x)); });
    fused(
        named("strided slice"), size, 3 * size, 1e-6,
        [=](float* to) {
          for (index_t i = 0; i < size; ++i) to[i] = x[2 * i] * 2 * y[i] + 1;
        },
        [=](float* to) { strided.into(out(to))(tensor_view<const f32, rows, 2 * columns>(x), whole(y)); });
  }

  static void rows_at_a_time() {
    const float *x = input(0).data(), *y = input(1).data(), *z = input(2).data();
    using out = tensor_view<f32, rows, columns>;
    fused(
        named("softmax"), size, size, 1e-6,
        [=](float* to) {
          for (index_t i = 0; i < size; i += columns) {
            float most = x[i], sum = 0;
            for (index_t j = 1; j < columns; ++j) most = std::max(most, x[i + j]);
            for (index_t j = 0; j < columns; ++j) sum += to[i + j] = std::exp(x[i + j] - most);
            for (index_t j = 0; j < columns; ++j) to[i + j] /= sum;
          }
        },
        [=](float* to) { softmax_rows.into(out(to))(whole(x)); });
    fused(
        named("layer norm"), size, size + 2 * columns, 1e-4,
        [=](float* to) {
          for (index_t i = 0; i < size; i += columns) {
            float mean = 0, variance = 0;
            for (index_t j = 0; j < columns; ++j) mean += x[i + j];
            mean /= columns;
            for (index_t j = 0; j < columns; ++j) variance += (x[i + j] - mean) * (x[i + j] - mean);
            const float factor = 1 / std::sqrt(variance / columns + 1e-5f);
            for (index_t j = 0; j < columns; ++j) to[i + j] = (x[i + j] - mean) * factor * y[j] + z[j];
          }
        },
        [=](float* to) { layer_norm.into(out(to))(whole(x), line(y), line(z)); });
    const float* const residual = input(0).data() + size;
    fused(
        named("sum and its layer norm"), 2 * size, 2 * size + 2 * columns, 1e-4,
        [=](float* to) {
          for (index_t i = 0; i < size; i += columns) {
            float mean = 0, variance = 0;
            float *const norm = to + i, *const sum = to + size + i;
            for (index_t j = 0; j < columns; ++j) mean += sum[j] = x[i + j] + residual[i + j];
            mean /= columns;
            for (index_t j = 0; j < columns; ++j) variance += (sum[j] - mean) * (sum[j] - mean);
            const float factor = 1 / std::sqrt(variance / columns + 1e-5f);
            for (index_t j = 0; j < columns; ++j) norm[j] = (sum[j] - mean) * factor * y[j] + z[j];
          }
        },
        [=](float* to) { residual_norm.into(out(to), out(to + size))(whole(x), whole(residual), line(y), line(z)); });
    fused(
        named("norms of rows"), rows, size, 1e-4,
        [=](float* to) {
          for (index_t i = 0; i < rows; ++i) {
            float sum = 0;
            for (index_t j = 0; j < columns; ++j) sum += x[i * columns + j] * x[i * columns + j];
            to[i] = std::sqrt(sum);
          }
        },
        [=](float* to) { squares_of_rows.into(tensor_view<f32, rows>(to))(whole(x)); });
    fused(
        named("sum of squares"), 1, size, 1e-3,
        [=](float* to) {
          *to = 0;
          for (index_t i = 0; i < size; i += columns) {
            float sum = 0;
            for (index_t j = 0; j < columns; ++j) sum += x[i + j] * x[i + j];
            *to += sum;
          }
        },
        [=](float* to) { square_sum.into(tensor_view<f32>(to))(whole(x)); });
  }
};

const int registered = [] {
  workloads<few_rows>::elementwise(), workloads<few_rows>::rows_at_a_time();
  workloads<many_rows>::elementwise(), workloads<many_rows>::rows_at_a_time();
  return 0;
}();

}  // namespace
