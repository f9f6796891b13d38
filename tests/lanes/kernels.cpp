// SPDX-License-Identifier: Apache-2.0
//
// The kernels of the programs that the sweep reads when it runs.
#include <tenon/kernels/registry.hpp>

#include <lanes/sweep.hpp>

namespace lane_cases {
namespace {

using namespace tenon;
using namespace tenon::kernels;

template <class Op, dtype T, dtype R>
kernel elementwise() {
  if constexpr (std::is_same_v<decltype(kernel_of<Op, T, R>()), kernel>)
    return kernel_of<Op, T, R>();
  else
    return nullptr;
}

template <dtype T>
kernel find_for_type(const kernel_key& key) {
  constexpr bool is_number = T != dtype::i1;
  switch (key.kind) {
    case kind_of_op<ops::add>:
      return elementwise<ops::add, T, T>();
    case kind_of_op<ops::multiply>:
      return elementwise<ops::multiply, T, T>();
    case kind_of_op<ops::maximum>:
      return elementwise<ops::maximum, T, T>();
    case kind_of_op<ops::compare>:
      return elementwise<ops::compare, T, dtype::i1>();
    case kind_of_op<ops::select>:
      return elementwise<ops::select, T, T>();
    case kind_of_op<ops::convert>:
      if (key.result == dtype::i1) return elementwise<ops::convert, T, dtype::i1>();
      return key.result == dtype::f32 ? elementwise<ops::convert, T, dtype::f32>() : nullptr;
    case kind_of_op<ops::reduce>:
      if (key.body == kind_of_op<ops::maximum>) return kernel_of<ops::reduce, T, T, kind_of_op<ops::maximum>>();
      if constexpr (!is_scale(T))
        return kernel_of<ops::reduce, T, tenon::ir::accumulator_of(T), kind_of_op<ops::add>>();
      return nullptr;
    case kind_of_op<ops::negate>:
      if constexpr (is_number && !is_scale(T)) return elementwise<ops::negate, T, T>();
      return nullptr;
    case kind_of_op<ops::tanh>:
      if constexpr (has_tanh(T)) return elementwise<ops::tanh, T, T>();
      return nullptr;
    case kind_of_op<ops::dot_general>:
      if constexpr (is_number && !is_scale(T)) return kernel_of<ops::dot_general, T, T>();
      return nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

tenon::core::kernel find_kernel(const tenon::planning::kernel_key& key) {
  kernel found = nullptr;
  if (key.kind == kind_of_op<ops::convert> && key.element == dtype::f32)
    visit(key.result, [&]<class R>() {
      if constexpr (!is_complex(dtype_of<R>)) found = elementwise<ops::convert, dtype::f32, dtype_of<R>>();
    });
  else if (key.kind == kind_of_op<ops::transpose>)
    found = find_for_op<ops::transpose>(key);
  else if (key.kind == kind_of_op<ops::gather>)
    found = find_for_op<ops::gather>(key);
  else if (key.kind == kind_of_op<ops::reshape>)
    found = find_for_op<ops::reshape>(key);
  else if (key.kind == kind_of_op<ops::sort>)
    found = find_for_op<ops::sort>(key);
  else
    visit(key.element, [&]<class T>() { found = find_for_type<dtype_of<T>>(key); });
  return found;
}

}  // namespace lane_cases

extern "C" [[gnu::visibility("default")]] void open_swept_target(lane_cases::swept_target& target) {
  using namespace lane_cases;
  target = {hwy::TargetName(HWY_TARGET),
            int(tenon::core::hn::MaxLanes(tenon::core::hn::ScalableTag<std::uint8_t>())),
            &lane_cases::find_kernel,
            {programs_of_floats, programs_of_narrow_floats, programs_of_integers, expressions}};
}
