// SPDX-License-Identifier: Apache-2.0
//
// Ops that programs replace by others give what their references give.
#include <tenon/ops/contraction/dot_general.hpp>

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

// None of dot_general: programs that keep one do not load.
kernel find(const kernel_key& key) {
  switch (key.kind) {
    case kind_of_op<ops::add>:
      return computing<ops::add>(key);
    case kind_of_op<ops::multiply>:
      return computing<ops::multiply>(key);
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
    case kind_of_op<ops::reshape>:
      return moving<ops::reshape>(key);
    case kind_of_op<ops::broadcast_in_dim>:
      return moving<ops::broadcast_in_dim>(key);
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
