// SPDX-License-Identifier: Apache-2.0
//
// Ops on tensors, called one by one.
#include <tenon/tensors.hpp>

#include <lanes/compiled_cases.hpp>

#include <cstring>
#include <iterator>

namespace lane_cases {
namespace {

template <dtype Type, int Size>
struct expressions_of {
  using T = element_t<Type>;
  template <class R>
  using vector = tensor<R, Size>;

  static void run(const void* const* arguments, void* const* results) {
    const auto argument = [&](int i) {
      vector<T> value;
      std::memcpy(value.data(), arguments[i], sizeof(T) * Size);
      return value;
    };
    const vector<T> a = argument(0), b = argument(1);
    int next = 0;
    const auto give = [&]<class R>(const vector<R>& value) {
      std::memcpy(results[next++], value.data(), sizeof(R) * Size);
    };
    give(vector<T>(a + b));
    give(vector<T>(a * b));
    give(vector<T>(maximum(a, b)));
    if constexpr (Type != dtype::i1 && !is_scale(Type)) give(vector<T>(-a));
    if constexpr (has_order(Type)) {
      give(vector<bool>(a < b));
      give(vector<T>(select(a < b, a + b, b)));
    } else {
      give(vector<bool>(a == b));
      give(vector<T>(select(a == b, a + b, b)));
    }
    give(vector<f32>(convert<f32>(a)));
    give(vector<bool>(convert<bool>(a)));
    if constexpr (returns_from_f32(Type)) give(vector<T>(convert<T>(convert<f32>(a) + convert<f32>(a))));
    if constexpr (has_tanh(Type)) give(vector<T>(tanh(a)));
  }
  static constexpr lane_case only{group_of_ops::elements, Type, 0, Size};
  static constexpr compiled_cases entry{"expression", &only, 1, &run};
};

constexpr compiled_cases entries[] = {
    expressions_of<dtype::bf16, lanes_of(dtype::bf16) / 2 - 1>::entry,
    expressions_of<dtype::f16, lanes_of(dtype::f16) / 2>::entry,
    expressions_of<dtype::f8E4M3FN, lanes_of(dtype::bf16) / 2 - 1>::entry,
    expressions_of<dtype::f32, lanes_of(dtype::f32) / 2 + 1>::entry,
    expressions_of<dtype::complex_f32, 3>::entry,
    expressions_of<dtype::i1, 3>::entry,
    expressions_of<dtype::i4, 5>::entry,
    expressions_of<dtype::i8, lanes_of(dtype::i8) / 2 - 1>::entry,
};

}  // namespace

const compiled_list expressions{entries, int(std::size(entries))};

}  // namespace lane_cases
