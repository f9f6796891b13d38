// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernels/needs.hpp>

#include <tenon/kernels/body_fold.hpp>
#include <tenon/kernels/contraction.hpp>
#include <tenon/kernels/fourier/transform.hpp>
#include <tenon/kernels/window_fold.hpp>
#include <tenon/ops/contraction/dot_general.hpp>
#include <tenon/ops/contraction/fft.hpp>
#include <tenon/ops/elementwise/add.hpp>
#include <tenon/ops/elementwise/maximum.hpp>

#include "kernels/divided.hpp"
#include "ops/evaluate.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

using namespace tenon;
using namespace tenon::core;
using namespace tenon::kernels;
using namespace tenon::test;

namespace {

template <class T>
std::vector<T> numbers(index_t count) {
  std::vector<T> all;
  for (index_t i = 0; i < count; ++i) all.push_back(convert_to<T>(f32(i * i % 37) * 0.75f - 9));
  return all;
}

// An M x K by a K x N matrix, either of which may lie by columns.
template <class T, index_t M, index_t N, index_t K, bool LeftColumns = false, bool RightColumns = false>
struct matrices {
  static constexpr ops::dot_general op = [] {
    ops::dot_general product;
    product.dot_dimension_numbers.lhs_contracting_dimensions = {LeftColumns ? 0 : 1};
    product.dot_dimension_numbers.rhs_contracting_dimensions = {RightColumns ? 1 : 0};
    return product;
  }();
  static constexpr dtype sum = std::is_same_v<T, i8> ? dtype::i32 : dtype_of<T>;
  static constexpr tensor_type types[] = {type_of(dtype_of<T>, LeftColumns ? ints{K, M} : ints{M, K}),
                                          type_of(dtype_of<T>, RightColumns ? ints{N, K} : ints{K, N})};
  static constexpr joined_product product{op.product({types, 2}, nullptr)};

  // Whoever divides the work, a kernel cut to the needs of a product gives what the whole one gives.
  static void check() {
    constexpr needs own = needs_of_product<T>(product, sum);
    static_assert(!own.has(product_branch::otherwise));
    const std::vector<value> operands{tensor_of<T>(types[0].shape, numbers<T>(M * K)),
                                      tensor_of<T>(types[1].shape, numbers<T>(K * N))};
    const std::vector<tensor_type> results{type_of(sum, {M, N})};
    const auto run = [&](auto code) {
      return [=](evaluation e) {
        e.product = &product;
        code(e);
      };
    };
    const auto wanted = evaluate_by(run(&contraction_kernel<ops::dot_general, T, needs::all()>), op, operands, results);
    const auto cut = run(&contraction_kernel<ops::dot_general, T, own>);
    CHECK(evaluate_by(cut, op, operands, results)[0].bytes == wanted[0].bytes);
    if (product.is_large()) check_divided(cut, op, operands, results);
  }
};
template <class T, index_t M, index_t N, index_t K>
void check_orders() {
  matrices<T, M, N, K>::check(), matrices<T, M, N, K, true, false>::check();
  matrices<T, M, N, K, false, true>::check(), matrices<T, M, N, K, true, true>::check();
}

template <int>
struct windows;
template <>
struct windows<0> {
  static constexpr ints shape{2, 8, 8, 6};
  static constexpr ops::window_attributes window{{1, 2, 2, 1}, {1, 2, 2, 1}, {}, {}, {}};
};
template <>
struct windows<1> {
  static constexpr ints shape{1, 9, 11, 3};
  static constexpr ops::window_attributes window{{1, 3, 3, 1}, {1, 1, 1, 1}, {}, {}, {{0, 0}, {1, 1}, {1, 1}, {0, 0}}};
};
template <>
struct windows<2> {
  static constexpr ints shape{3, 131};
  static constexpr ops::window_attributes window{{2, 3}, {1, 2}, {1, 1}, {1, 2}, {{0, 0}, {3, 2}}};
};
template <>
struct windows<3> {
  static constexpr ints shape{9, 200};
  static constexpr ops::window_attributes window{{9, 9}, {1, 1}, {}, {}, {}};
};
template <int I>
void check_windows() {
  using each = windows<I>;
  constexpr ints result = each::window.count(each::shape);
  constexpr needs own =
      window_blocks(each::window, each::shape, result, window_fold<ops::maximum, f32>::most_copied).needs_of();
  const std::vector<f32> from = numbers<f32>(each::shape.product());
  std::vector<f32> wanted(std::size_t(result.product())), found = wanted;
  window_fold<ops::maximum, f32>(each::window, each::shape, result, from.data(), -3).run(wanted.data());
  window_fold<ops::maximum, f32, f32, own>(each::window, each::shape, result, from.data(), -3).run(found.data());
  CHECK(found == wanted);
}

template <ints Shape, ints Axes>
void check_fold() {
  constexpr bool is_large = Shape.product() >= tuning::least_shared_elements;
  constexpr needs own = fold_levels(Shape, Axes).needs_of(sizeof(f32), is_large);
  const std::vector<f32> from = numbers<f32>(Shape.product());
  std::vector<f32> wanted(std::size_t(Shape.without(Axes).product())), found = wanted;
  fold<ops::add, f32>::run(from.data(), 2, wanted.data(), Shape, Axes);
  fold<ops::add, f32, f32, own>::run(from.data(), 2, found.data(), Shape, Axes);
  CHECK(found == wanted);
  thread_pool pool(3);
  fold<ops::add, f32, f32, own>::run(from.data(), 2, found.data(), Shape, Axes, workers(pool));
  CHECK(found == wanted);
}

template <class T, class R, fft_type Type, index_t Lines, ints Length>
void check_transform() {
  static constexpr ops::fft op{Type, Length};
  static constexpr ints spectrum = [] {
    ints half = Length;
    half.set(half.size - 1, half[half.size - 1] / 2 + 1);
    return half;
  }();
  static constexpr tensor_type from = type_of(dtype_of<T>, ints{Lines} + (Type == fft_type::IRFFT ? spectrum : Length)),
                               to = type_of(dtype_of<R>, ints{Lines} + (Type == fft_type::RFFT ? spectrum : Length));
  constexpr needs own = [] {
    evaluation e;
    e.operand_types = {&from, 1}, e.result_types = {&to, 1};
    return line_transforms<ops::fft, needs::all()>::needs_of(e, op);
  }();
  const std::vector<f32> parts = numbers<f32>(from.size() * index_t(sizeof(T) / sizeof(f32)));
  std::vector<T> elements(std::size_t(from.size()));
  std::memcpy(static_cast<void*>(elements.data()), parts.data(), parts.size() * sizeof(f32));
  const std::vector<value> operands{tensor_of<T>(from.shape, elements)};
  const auto wanted = evaluate_by(&transform_kernel<ops::fft, T>, op, operands, {to});
  CHECK(evaluate_by(&transform_kernel<ops::fft, T, own>, op, operands, {to})[0].bytes == wanted[0].bytes);
}

}  // namespace

TEST_CASE("products by kernels that are cut to their needs") {
  check_orders<f32, 40, 70, 33>();
  check_orders<f32, 1, 300, 64>();
  check_orders<f32, 300, 1, 64>();
  check_orders<f32, 300, 1, 3>();
  check_orders<f32, 9, 20, 200>();
  matrices<f32, 131, 100, 100>::check(), matrices<f32, 100, 131, 100, false, true>::check();
  matrices<f32, 4001, 1, 300>::check(), matrices<f32, 4001, 1, 300, true>::check();
  matrices<f32, 1, 4001, 300>::check(), matrices<f32, 1, 4001, 300, false, true>::check();
  matrices<f64, 13, 40, 21>::check(), matrices<bf16, 70, 33, 40>::check(), matrices<bf16, 1, 300, 40>::check();
  matrices<i8, 131, 100, 100>::check();
}

TEST_CASE("folds and windows by kernels that are cut to their needs") {
  check_windows<0>(), check_windows<1>(), check_windows<2>(), check_windows<3>();
  check_fold<ints{1000}, ints{0}>(), check_fold<ints{40, 33}, ints{1}>(), check_fold<ints{40, 33}, ints{0}>();
  check_fold<ints{1, 1}, ints{0}>(), check_fold<ints{7, 40, 3}, ints{1}>(), check_fold<ints{7, 40, 3}, ints{0, 2}>();
  check_fold<ints{40, 1000}, ints{0}>(), check_fold<ints{40, 1000}, ints{1}>(), check_fold<ints{}, ints{}>();
  check_fold<ints{5, 90, 100, 3}, ints{1}>(), check_fold<ints{5, 90, 100, 3}, ints{0, 2}>();
}

TEST_CASE("transforms by kernels that are cut to their needs") {
  using c = complex<f32>;
  check_transform<f32, c, fft_type::RFFT, 9, ints{48}>(), check_transform<f32, c, fft_type::RFFT, 1, ints{15}>();
  check_transform<f32, c, fft_type::RFFT, 1, ints{4096}>(), check_transform<f32, c, fft_type::RFFT, 2, ints{6, 10}>();
  check_transform<c, f32, fft_type::IRFFT, 9, ints{48}>(), check_transform<c, f32, fft_type::IRFFT, 1, ints{2}>();
  check_transform<c, f32, fft_type::IRFFT, 1, ints{6, 11}>();
  check_transform<c, c, fft_type::FFT, 3, ints{21}>(), check_transform<c, c, fft_type::IFFT, 1, ints{4096}>();
}

#if !defined(NDEBUG) && defined(__cpp_exceptions)
namespace {
template <class Function>
std::string message_of(Function f) {
  try {
    f();
  } catch (const error& e) {
    return e.what();
  }
  return "";
}
}  // namespace

TEST_CASE("a branch that was cut and is reached fails with its name") {
  const auto names = [](const std::string& message, const char* name) {
    return message.find("no code for this branch") < message.find(name) && message.find(name) < std::string::npos;
  };
  const std::vector<f32> from = numbers<f32>(4096);
  std::vector<f32> to(4096);
  alignas(64) static std::byte scratch[1 << 16];
  const auto multiply = [&]<needs Needs>() {
    matrix_product<f32, Needs>(8, 8, 8, {from.data(), 8, 1}, {from.data(), 8, 1}, to.data(), 8, false, scratch,
                               {0, 8, 0, 8});
  };
  CHECK(names(message_of([&] { multiply.operator()<needs{}>(); }), "as_it_lies"));
  constexpr needs without_tiles = [] {
    needs some;
    some.add(product_branch::as_it_lies);
    return some;
  }();
  CHECK(names(message_of([&] { multiply.operator()<without_tiles>(); }), "tile_of_"));
  const auto add_up = [&](const ints& shape, const ints& axes) {
    return message_of([&] { fold<ops::add, f32, f32, needs{}>::run(from.data(), 0, to.data(), shape, axes); });
  };
  CHECK(names(add_up({64}, {0}), "one_row"));
  CHECK(names(add_up({64, 3}, {1}), "each_row"));
  CHECK(names(add_up({4, 4, 4}, {1}), "many_levels"));
  const window_fold<ops::add, f32, f32, needs{}> padded({{3}, {1}, {}, {}, {{1, 1}}}, {64}, {64}, from.data(), 0);
  CHECK(names(message_of([&] { padded.run(to.data()); }), "windows_at_edges"));
  CHECK(message_of([] { with_bytes<4>(2, [](auto) {}); }).find("elements of 2 bytes") != std::string::npos);
}
#endif
