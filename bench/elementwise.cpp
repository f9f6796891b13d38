// SPDX-License-Identifier: Apache-2.0

#include "compare.hpp"

#include <Eigen/Core>

using namespace bench;

namespace {

constexpr index_t k64 = 65536, m1 = 1 << 20;

template <index_t Size>
using vector = tensor_view<f32, Size>;
template <index_t Size>
using values = tensor_view<const f32, Size>;
using array = Eigen::Map<Eigen::ArrayXf>;
using matrix = Eigen::Map<Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

constexpr auto chain_of = trace([](auto x, auto a, auto b) { return tanh(x * a + b) * 0.5f; });

template <index_t Size>
void chain(const char* name) {
  static const buffer<float> x = numbers(Size, -2, 2), a = numbers(Size, -1, 1, 2), b = numbers(Size, -1, 1, 3);
  compare<float>(
      name, Size, 1e-6,
      way{"plain",
          [](float* to) {
            for (index_t i = 0; i < Size; ++i) to[i] = std::tanh(x[i] * a[i] + b[i]) * 0.5f;
          }},
      way{"tenon",
          [](float* to) {
            chain_of.into(vector<Size>(to))(values<Size>(x.data()), values<Size>(a.data()), values<Size>(b.data()));
          }},
      way{"eigen", [](float* to) {
            array(to, Size) = (array(x.data(), Size) * array(a.data(), Size) + array(b.data(), Size)).tanh() * 0.5f;
          }});
}

template <class Tenon, class Plain, class EigenWay>
void unary(const char* name, double low, double high, Tenon ours, Plain plain, EigenWay eigen) {
  struct input {
    buffer<float> x;
  };
  // Alive until the program ends, as the registered benchmarks are.
  const buffer<float>& x = (new input{numbers(k64, low, high)})->x;
  compare<float>(name, k64, 2e-6,
                 way{"plain",
                     [&x, plain](float* to) {
                       for (index_t i = 0; i < k64; ++i) to[i] = plain(x[i]);
                     }},
                 way{"tenon", [&x, ours](float* to) { ours.into(vector<k64>(to))(values<k64>(x.data())); }},
                 way{"eigen", [&x, eigen](float* to) { array(to, k64) = eigen(array(x.data(), k64)); }});
}

void functions() {
  unary(
      "exponential 64K", -10, 10, trace([](auto x) { return exponential(x); }), [](float x) { return std::exp(x); },
      [](const auto& x) { return x.exp(); });
  unary(
      "tanh 64K", -4, 4, trace([](auto x) { return tanh(x); }), [](float x) { return std::tanh(x); },
      [](const auto& x) { return x.tanh(); });
  unary(
      "logistic 64K", -8, 8, trace([](auto x) { return logistic(x); }), [](float x) { return 1 / (1 + std::exp(-x)); },
      [](const auto& x) { return x.logistic(); });
  unary(
      "log 64K", 0.001, 1000, trace([](auto x) { return log(x); }), [](float x) { return std::log(x); },
      [](const auto& x) { return x.log(); });
  // Eigen's is an approximation: one result in three is not the nearest float, and of subnormal numbers it is 0.
  unary(
      "sqrt 64K", 0, 1000, trace([](auto x) { return sqrt(x); }), [](float x) { return std::sqrt(x); },
      [](const auto& x) { return x.sqrt(); });
}

void additions() {
  static const buffer<float> x = numbers(m1), y = numbers(m1, -1, 1, 2), row = numbers(1024, -1, 1, 3);
  compare<float>("add 1M", m1, 0,
                 way{"plain",
                     [](float* to) {
                       for (index_t i = 0; i < m1; ++i) to[i] = x[i] + y[i];
                     }},
                 way{"tenon",
                     [](float* to) {
                       vector<m1> sum(to);
                       sum = values<m1>(x.data()) + values<m1>(y.data());
                     }},
                 way{"eigen", [](float* to) { array(to, m1) = array(x.data(), m1) + array(y.data(), m1); }});

  static constexpr auto plus_row = trace([](auto a, auto b) { return a + broadcast<ints{1024, 1024}>(b); });
  compare<float>("broadcast add 1024x1024 + 1024", m1, 0,
                 way{"plain",
                     [](float* to) {
                       for (index_t i = 0; i < 1024; ++i)
                         for (index_t j = 0; j < 1024; ++j) to[i * 1024 + j] = x[i * 1024 + j] + row[j];
                     }},
                 way{"tenon",
                     [](float* to) {
                       plus_row.into(tensor_view<f32, 1024, 1024>(to))(tensor_view<const f32, 1024, 1024>(x.data()),
                                                                       values<1024>(row.data()));
                     }},
                 way{"eigen", [](float* to) {
                       matrix(to, 1024, 1024) = matrix(x.data(), 1024, 1024).rowwise() +
                                                Eigen::Map<Eigen::Array<float, 1, 1024>>(row.data());
                     }});

  static constexpr auto plus_column =
      trace([](auto a, auto b) { return a + broadcast_in_dim<ints{1024, 1024}, ints{0}>(b); });
  compare<float>("broadcast add 1024x1024 + 1024x1", m1, 0,
                 way{"plain",
                     [](float* to) {
                       for (index_t i = 0; i < 1024; ++i)
                         for (index_t j = 0; j < 1024; ++j) to[i * 1024 + j] = x[i * 1024 + j] + row[i];
                     }},
                 way{"tenon",
                     [](float* to) {
                       plus_column.into(tensor_view<f32, 1024, 1024>(to))(tensor_view<const f32, 1024, 1024>(x.data()),
                                                                          values<1024>(row.data()));
                     }},
                 way{"eigen", [](float* to) {
                       matrix(to, 1024, 1024) = matrix(x.data(), 1024, 1024).colwise() +
                                                Eigen::Map<Eigen::Array<float, 1024, 1>>(row.data());
                     }});
}

void choices() {
  static const buffer<float> x = numbers(k64), y = numbers(k64, -1, 1, 2);
  static constexpr auto larger_or_half =
      trace([](auto a, auto b) { return select(compare<comparison_direction::GT>(a, b), a, b * 0.5f); });
  compare<float>(
      "select and compare 64K", k64, 0,
      way{"plain",
          [](float* to) {
            for (index_t i = 0; i < k64; ++i) to[i] = x[i] > y[i] ? x[i] : y[i] * 0.5f;
          }},
      way{"tenon",
          [](float* to) { larger_or_half.into(vector<k64>(to))(values<k64>(x.data()), values<k64>(y.data())); }},
      way{"eigen", [](float* to) {
            const array a(x.data(), k64), b(y.data(), k64);
            array(to, k64) = (a > b).select(a, b * 0.5f);
          }});

  static constexpr auto is_greater = trace([](auto a, auto b) { return compare<comparison_direction::GT>(a, b); });
  compare<bool>(
      "compare 64K", k64, 0,
      way{"plain",
          [](bool* to) {
            for (index_t i = 0; i < k64; ++i) to[i] = x[i] > y[i];
          }},
      way{"tenon",
          [](bool* to) { is_greater.into(tensor_view<bool, k64>(to))(values<k64>(x.data()), values<k64>(y.data())); }},
      way{"eigen", [](bool* to) {
            Eigen::Map<Eigen::Array<bool, Eigen::Dynamic, 1>>(to, k64) = array(x.data(), k64) > array(y.data(), k64);
          }});

  static constexpr auto within = trace([](auto a) { return clamp(-0.5f, a, 0.5f); });
  compare<float>("clamp 64K", k64, 0,
                 way{"plain",
                     [](float* to) {
                       for (index_t i = 0; i < k64; ++i) to[i] = x[i] < -0.5f ? -0.5f : x[i] > 0.5f ? 0.5f : x[i];
                     }},
                 way{"tenon", [](float* to) { within.into(vector<k64>(to))(values<k64>(x.data())); }},
                 way{"eigen", [](float* to) { array(to, k64) = array(x.data(), k64).max(-0.5f).min(0.5f); }});
}

template <class T>
void integers_of(const char* name) {
  static const buffer<T> x = numbers<T>(k64, -100, 100), y = numbers<T>(k64, 1, 50, 2);
  static constexpr auto product_and_sum = trace([](auto a, auto b) { return a * b + a; });
  compare<T>(name, k64, 0,
             way{"plain",
                 [](T* to) {
                   for (index_t i = 0; i < k64; ++i) to[i] = T(x[i] * y[i] + x[i]);
                 }},
             way{"tenon", [](T* to) {
                   product_and_sum.into(tensor_view<T, k64>(to))(tensor_view<const T, k64>(x.data()),
                                                                 tensor_view<const T, k64>(y.data()));
                 }});
}

[[maybe_unused]] const bool registered =
    (chain<4096>("chain tanh(x*a+b)*0.5 4K"), chain<k64>("chain tanh(x*a+b)*0.5 64K"),
     chain<m1>("chain tanh(x*a+b)*0.5 1M"), functions(), additions(), choices(), integers_of<i32>("i32 x*y+x 64K"),
     integers_of<i8>("i8 x*y+x 64K"), true);

}  // namespace
