// SPDX-License-Identifier: Apache-2.0
//
// Ops that programs replace by others give what their references give.
#include <tenon/ops/contraction/dot_general.hpp>
#include <tenon/ops/lookup/scatter.hpp>

#include <ops/bodies.hpp>
#include <ops/evaluate.hpp>
#include <shared/shared_program.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace tenon::test {
using namespace core;
using namespace ir;
using namespace planning;
using namespace kernels;

namespace {

template <class Op, dtype Result, dtype... Elements>
kernel one_of(const kernel_key& key) {
  kernel found = nullptr;
  (void)((key.element == Elements &&
          (found = kernel_of<Op, Elements, Result == dtype::none ? Elements : Result>()) != nullptr) ||
         ...);
  return found;
}
template <class Op>
kernel moving(const kernel_key& key) {
  return one_of<Op, dtype::none, dtype::ui8, dtype::ui32, dtype::ui64>(key);
}
template <class Op>
kernel computing(const kernel_key& key) {
  return one_of<Op, dtype::none, dtype::f32, dtype::f64, dtype::i32, dtype::i64, dtype::complex_f32, dtype::i1>(key);
}

// None of dot_general, and few of scatter: programs that keep others do not load.
kernel find(const kernel_key& key) {
  switch (key.kind) {
    case kind_of_op<ops::add>:
      return computing<ops::add>(key);
    case kind_of_op<ops::subtract>:
      return one_of<ops::subtract, dtype::none, dtype::f32, dtype::i32>(key);
    case kind_of_op<ops::maximum>:
      return computing<ops::maximum>(key);
    case kind_of_op<ops::multiply>:
      return computing<ops::multiply>(key);
    case kind_of_op<ops::select>:
      return computing<ops::select>(key);
    case kind_of_op<ops::and_>:
      return one_of<ops::and_, dtype::none, dtype::i1>(key);
    case kind_of_op<ops::clamp>:
      return one_of<ops::clamp, dtype::none, dtype::i8, dtype::ui8, dtype::i32, dtype::i64, dtype::ui64>(key);
    case kind_of_op<ops::compare>:
      return one_of<ops::compare, dtype::i1, dtype::i8, dtype::ui8, dtype::i32, dtype::i64, dtype::ui64>(key);
    case kind_of_op<ops::reduce>:
      switch (key.element) {
        case dtype::f32:
          return kernel_of<ops::reduce, dtype::f32, dtype::f32, kind_of_op<ops::add>>();
        case dtype::f64:
          return kernel_of<ops::reduce, dtype::f64, dtype::f64, kind_of_op<ops::add>>();
        case dtype::i32:
          return kernel_of<ops::reduce, dtype::i32, dtype::i32, kind_of_op<ops::add>>();
        default:
          return kernel_of<ops::reduce, dtype::complex_f32, dtype::complex_f32, kind_of_op<ops::add>>();
      }
    case kind_of_op<ops::scatter>:
      return kernel_of<ops::scatter, dtype::f32, dtype::f32, kind_of_op<ops::add>>();
    case kind_of_op<ops::slice>:
      return moving<ops::slice>(key);
    case kind_of_op<ops::reshape>:
      return moving<ops::reshape>(key);
    case kind_of_op<ops::broadcast_in_dim>:
      return moving<ops::broadcast_in_dim>(key);
    case kind_of_op<ops::dynamic_slice>:
      return moving<ops::dynamic_slice>(key);
    case kind_of_op<ops::dynamic_update_slice>:
      return moving<ops::dynamic_update_slice>(key);
    default:
      return nullptr;
  }
}

std::string text_of(const tensor_type& type) {
  std::string text = "tensor<";
  for (index_t size : type.shape) text += std::to_string(size) + "x";
  const bool is_complex_type = is_complex(type.element);
  return text + (is_complex_type ? "complex<f32>" : std::string(tenon::name(type.element))) + ">";
}
std::string text_of(const ints& numbers) {
  std::string text;
  for (index_t number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

// What a program of one op gives.
value run(const std::string& text, const std::vector<value>& arguments, const tensor_type& type) {
  shared_program program(text, &find);
  INFO(text);
  REQUIRE_FALSE(program.error());
  std::vector<const void*> from;
  for (const value& each : arguments) from.push_back(each.bytes.data());
  value result = blank(type);
  void* to[] = {result.bytes.data()};
  program(from.data(), to);
  return result;
}

template <class T>
value some_elements(const ints& shape, int seed) {
  std::vector<T> elements;
  for (int i = 0; i < int(shape.product()); ++i) elements.push_back(T(f32((i * 7 + seed * 5) % 11 - 4)));
  return tensor_of(shape, elements);
}

// The operand with a window updated where each of these index vectors says, as an argument of the program and as a
// constant in it.
template <class T, class Index, class Function>
void check_scatter(const std::string& body_op, Function f, const scatter_dimension_numbers& numbers, const ints& shape,
                   const ints& updates, const ints& vector_shape, const std::vector<std::vector<Index>>& vectors) {
  const value operand = some_elements<T>(shape, 1), update = some_elements<T>(updates, 2);
  const std::string of = text_of(operand.type), by = text_of(update.type);
  const std::string scalar = text_of(operand.type.with_shape({})),
                    index = text_of(type_of(dtype_of<Index>, vector_shape));
  const std::string op =
      "%r = \"stablehlo.scatter\"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = " +
      text_of(numbers.update_window_dims) + ", inserted_window_dims = " + text_of(numbers.inserted_window_dims) +
      ", scatter_dims_to_operand_dims = " + text_of(numbers.scatter_dims_to_operand_dims) +
      ", index_vector_dim = " + std::to_string(numbers.index_vector_dim) + ">}> ({\n^bb0(%a: " + scalar +
      ", %b: " + scalar + "):\n" + (body_op.empty() ? "" : "%c = stablehlo." + body_op + " : " + scalar + "\n") +
      "stablehlo.return " + (body_op.empty() ? "%b" : "%c") + " : " + scalar + "\n}) : (" + of + ", " + index + ", " +
      by + ") -> " + of + "\nreturn %r : " + of + "\n}";
  for (const std::vector<Index>& vector : vectors) {
    const value indices = tensor_of(vector_shape, vector);
    std::string written;
    for (Index each : vector) written += (written.empty() ? "" : ", ") + std::to_string(each);
    CAPTURE(written);
    const value wanted =
        test::evaluate<T>(ops::scatter{numbers}, {operand, indices, update}, {operand.type}, combined_by<T>(f))[0];
    const value got = run("func.func @main(%x: " + of + ", %i: " + index + ", %u: " + by + ") -> " + of + " {\n" + op,
                          {operand, indices, update}, operand.type);
    CHECK(got.bytes == wanted.bytes);
    const std::string flat = text_of(type_of(dtype_of<Index>, {index_t(vector.size())}));
    const value known =
        run("func.func @main(%x: " + of + ", %u: " + by + ") -> " + of + " {\n%f = stablehlo.constant dense<[" +
                written + "]> : " + flat + "\n%i = stablehlo.reshape %f : (" + flat + ") -> " + index + "\n" + op,
            {operand, update}, operand.type);
    CHECK(known.bytes == wanted.bytes);
  }
}

constexpr auto second = [](auto, auto b) { return b; };
constexpr auto sum = [](auto a, auto b) { return decltype(a)(a + b); };
constexpr auto greater = [](auto a, auto b) { return a < b ? b : a; };

// The product of two tensors, as their elements are multiplied and summed up one by one.
template <class T>
void check_product(const dot_dimension_numbers& numbers, const ints& lhs, const ints& rhs, const ints& shape) {
  const value a = some_elements<T>(lhs, 1), b = some_elements<T>(rhs, 2);
  const tensor_type type = a.type.with_shape(shape);
  const value got =
      run("func.func @main(%a: " + text_of(a.type) + ", %b: " + text_of(b.type) + ") -> " + text_of(type) +
              " {\n%r = stablehlo.dot_general %a, %b, batching_dims = " + text_of(numbers.lhs_batching_dimensions) +
              " x " + text_of(numbers.rhs_batching_dimensions) +
              ", contracting_dims = " + text_of(numbers.lhs_contracting_dimensions) + " x " +
              text_of(numbers.rhs_contracting_dimensions) + " : (" + text_of(a.type) + ", " + text_of(b.type) +
              ") -> " + text_of(type) + "\nreturn %r : " + text_of(type) + "\n}",
          {a, b}, type);
  // Small integers are summed up exactly, in any order.
  CHECK(got.as<T>() == evaluate<T>(ops::dot_general{numbers}, {a, b}, {type})[0].template as<T>());
}

}  // namespace

TEST_CASE("one window that is updated, wherever it lies") {
  const scatter_dimension_numbers column{{0}, {1}, {}, {}, {1}, 0}, part{{0, 1}, {}, {}, {}, {1, 0}, 0},
      element{{}, {0, 1}, {}, {}, {0, 1}, 1}, rows{{1, 2}, {}, {}, {}, {0}, 1};
  const std::vector<std::vector<i32>> places{{0}, {3}, {6}, {7}, {-1}, {2147483647}, {-2147483647 - 1}};
  check_scatter<f32, i32>("", second, column, {5, 7}, {5}, {1}, places);
  check_scatter<f32, i32>("add %a, %b", sum, column, {5, 7}, {5}, {1}, places);
  check_scatter<i32, i32>("maximum %b, %a", greater, column, {5, 7}, {5}, {1}, places);
  check_scatter<bool, i32>("", second, column, {5, 7}, {5}, {1}, places);
  check_scatter<bool, i32>("maximum %a, %b", greater, column, {5, 7}, {5}, {1}, places);
  check_scatter<f32, i32>("subtract %b, %a", [](f32 a, f32 b) { return b - a; }, column, {5, 7}, {5}, {1}, places);
  check_scatter<f32, i32>("subtract %a, %b", [](f32 a, f32 b) { return a - b; }, column, {5, 7}, {5}, {1}, places);
  // The first component is where columns begin, and a part of the window may lie in the operand.
  const std::vector<std::vector<i64>> corners{{0, 0}, {1, 3}, {4, 2}, {5, 2}, {4, 4}, {-1, 0}, {0, -1}};
  check_scatter<f32, i64>("add %a, %b", sum, part, {5, 7}, {2, 3}, {2}, corners);
  check_scatter<i32, i64>("", second, element, {5, 7}, {1}, {1, 2}, corners);
  check_scatter<f32, i32>("add %a, %b", sum, rows, {9, 4}, {1, 3, 4}, {1, 1}, {{0}, {6}, {7}, {-1}});
}

TEST_CASE("indices of narrow types, without signs and of many bits") {
  const scatter_dimension_numbers row{{0}, {0}, {}, {}, {0}, 0};
  check_scatter<f32, ui8>("", second, row, {300, 2}, {2}, {1}, {{0}, {200}, {255}});
  check_scatter<f32, ui8>("", second, row, {200, 2}, {2}, {1}, {{0}, {199}, {200}, {255}});
  check_scatter<f32, i8>("add %a, %b", sum, row, {200, 2}, {2}, {1}, {{0}, {127}, {-128}, {-1}});
  check_scatter<f32, ui64>("", second, row, {5, 2}, {2}, {1}, {{0}, {4}, {5}, {0xFFFFFFFFFFFFFFFFu}});
  check_scatter<f32, i64>("", second, row, {5, 2}, {2}, {1}, {{4}, {5}, {0x100000001}, {-0x100000000}});
}

TEST_CASE("products of elements are what products of matrices are") {
  check_product<f32>({{0, 1, 2}, {0, 1, 2}, {}, {}}, {3, 4, 5}, {3, 4, 5}, {3, 4, 5});
  check_product<i32>({{1, 0}, {0, 1}, {}, {}}, {3, 4}, {4, 3}, {4, 3});
  check_product<f64>({{1}, {0}, {}, {}}, {3, 4}, {4, 5}, {4, 3, 5});
  check_product<f32>({{}, {}, {}, {}}, {3}, {4}, {3, 4});
  check_product<f32>({{0}, {0}, {1}, {1}}, {50, 3}, {50, 3}, {50});
  check_product<f64>({{0}, {1}, {1}, {0}}, {50, 17}, {17, 50}, {50});
  check_product<i32>({{1}, {1}, {0}, {0}}, {3, 50}, {3, 50}, {50});
  check_product<f32>({{1, 0}, {0, 1}, {2}, {2}}, {3, 4, 5}, {4, 3, 5}, {4, 3});
  check_product<f32>({{1}, {1}, {2, 0}, {2, 0}}, {3, 4, 5}, {3, 4, 5}, {4});
  check_product<f32>({{0}, {0}, {2}, {1}}, {8, 1, 6}, {8, 6, 1}, {8, 1, 1});
  check_product<complex<f32>>({{0}, {0}, {1}, {1}}, {50, 3}, {50, 3}, {50});
}

}  // namespace tenon::test
