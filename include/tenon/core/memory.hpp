// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tenon/core/broken_rule.hpp>
#include <tenon/core/fail.hpp>
#include <tenon/core/refusals.hpp>
#include <tenon/core/tensor_type.hpp>

#include <cstddef>
#include <iterator>
#include <string_view>
#include <tuple>
#include <type_traits>

// Which objects a tensor_view takes as memory: contiguous ranges, and matrices and spans of several dimensions that
// state their strides. No library is named; members are looked for.
namespace tenon::detail {

// Sizes and strides, in elements. `unknown` in the layout of a type: only the object knows.
struct memory_layout {
  static constexpr index_t unknown = INT64_MIN;
  ints shape, strides;
};

template <class Memory>
concept matrix_like = requires(const Memory& memory) {
  Memory::IsRowMajor + memory.innerStride() + memory.outerStride() + memory.rows() + memory.cols();
};
template <class Memory>
concept mdspan_like = requires(const Memory& memory) { Memory::rank() + memory.extent(0) + memory.stride(0); };
template <class Memory>
concept flat_range = requires(Memory& memory) {
  memory.size();
  requires std::contiguous_iterator<decltype(memory.begin())>;
} && !requires(Memory& memory) { memory.rows(); };

template <class Memory>
constexpr auto elements_in(Memory& memory) {
  if constexpr (requires { memory.data_handle(); })
    return memory.data_handle();
  else if constexpr (requires { std::data(memory); })
    return std::data(memory);
}

// A vector of a library of matrices has one dimension.
template <class Memory>
constexpr memory_layout matrix_layout(index_t rows, index_t columns, index_t inner, index_t outer) {
  if constexpr (requires { requires Memory::RowsAtCompileTime == 1 || Memory::ColsAtCompileTime == 1; })
    return {ints{Memory::RowsAtCompileTime == 1 ? columns : rows}, ints{inner}};
  else
    return {{rows, columns}, Memory::IsRowMajor ? ints{outer, inner} : ints{inner, outer}};
}
template <class Memory>
constexpr memory_layout layout_of_type() {
  constexpr index_t unknown = memory_layout::unknown;
  constexpr auto known = [](auto value) { return index_t(value) < 0 ? unknown : index_t(value); };
  if constexpr (requires { Memory::RowsAtCompileTime + Memory::InnerStrideAtCompileTime; })
    return matrix_layout<Memory>(known(Memory::RowsAtCompileTime), known(Memory::ColsAtCompileTime),
                                 known(Memory::InnerStrideAtCompileTime), known(Memory::OuterStrideAtCompileTime));
  else if constexpr (requires { std::tuple_size<Memory>::value; })
    return {ints{index_t(std::tuple_size<Memory>::value)}, ints{1}};
  else if constexpr (requires { known(Memory::extent); })
    return {ints{known(Memory::extent)}, ints{1}};
  else
    return {ints{unknown}, ints{unknown}};
}
template <class Memory>
constexpr memory_layout layout_of_object(const Memory& memory) {
  if constexpr (matrix_like<Memory>) {
    return matrix_layout<Memory>(memory.rows(), memory.cols(), memory.innerStride(), memory.outerStride());
  } else if constexpr (mdspan_like<Memory>) {
    memory_layout result;
    for (int d = 0; d < int(Memory::rank()); ++d)
      result.shape.push(index_t(memory.extent(d))), result.strides.push(index_t(memory.stride(d)));
    return result;
  } else {
    return {ints{index_t(memory.size())}, ints{1}};
  }
}

// Why memory is not that of a dense row-major tensor of this shape, as far as its layout is known; empty: it may be.
// Memory of one dimension takes any shape.
constexpr message_text<200> misfit_of(const ints& shape, const memory_layout& memory) {
  message_text<200> why;
  const bool is_aligned = memory.shape.size == shape.size;
  if (!is_aligned && memory.shape.size > 1 && memory.shape.contains(memory_layout::unknown)) return why;
  ints sizes, strides;
  for (int d = 0; d < memory.shape.size; ++d)
    if (is_aligned || memory.shape.at[d] != 1) sizes.push(memory.shape.at[d]), strides.push(memory.strides.at[d]);
  const ints wanted = sizes.size == 1 ? ints::filled(1, shape.product()) : shape;
  for (int d = 0; d < sizes.size; ++d)
    if (sizes.at[d] == memory_layout::unknown) sizes.at[d] = wanted.at[d];
  if (!(sizes == wanted)) {
    for (int d = 0; d < sizes.size; ++d) why << (d > 0 ? " x " : "") << sizes.at[d];
    why << " elements were given where the tensor has ";
    for (int d = 0; d < wanted.size; ++d) why << (d > 0 ? " x " : "") << wanted.at[d];
    return why;
  }
  const ints dense = strides_of(sizes);
  for (int d = 0; d < sizes.size; ++d)
    if (sizes.at[d] > 1 && sizes.product() > 0 && strides.at[d] != memory_layout::unknown &&
        strides.at[d] != dense.at[d] && why.length == 0)
      why << "axis " << d << " has stride " << strides.at[d] << " where a dense tensor has " << dense.at[d];
  return why;
}
template <class Memory>
constexpr void check_memory(const ints& shape, const Memory& memory) {
  if constexpr (!std::is_array_v<Memory>)
    if (const auto why = misfit_of(shape, layout_of_object(memory)); why.length > 0) fail("memory: ", why.view());
}

// Whether what it refers to ends with the statement that makes it.
template <class Memory>
concept ends_with_its_elements = !std::ranges::enable_borrowed_range<Memory> && !requires(Memory& memory) {
  memory.data_handle();
} && !(matrix_like<Memory> && requires { requires !std::is_same_v<Memory, typename Memory::PlainObject>; });

template <class T, class Pointer>
inline constexpr bool points_to = false;
template <class T, class Element>
inline constexpr bool points_to<T, Element*> = std::is_convertible_v<Element (*)[1], T (*)[1]>;

template <class T, tensor_type Type, class Memory>
inline constexpr auto complaint_about_memory = [] {
  using memory_type = std::remove_reference_t<Memory>;
  using owner = std::remove_const_t<memory_type>;
  complaint result;
  const auto refuse = [&](const auto&... parts) { result = complain("memory", parts...); };
  if constexpr (has_type<owner>) {
    result = complaint_about_assignment<Type, owner::type>;
  } else if constexpr (!points_to<T, decltype(elements_in(std::declval<memory_type&>()))>) {
    refuse("its elements are not those of a view of a ", Type,
           ", or const where those of the view are not: tensor_view<const f32, ...>");
  } else if constexpr (std::is_array_v<memory_type>) {
    if (index_t(std::extent_v<memory_type>) < Type.shape.product())
      refuse(index_t(std::extent_v<memory_type>), " elements were given where a ", Type, " has ", Type.shape.product());
  } else if constexpr (!matrix_like<owner> && !mdspan_like<owner> && !flat_range<memory_type>) {
    refuse("a view of a ", Type, " is of contiguous elements, or of a matrix that states its strides");
  } else if constexpr (!std::is_lvalue_reference_v<Memory> && ends_with_its_elements<owner>) {
    result = complaint_about_temporaries;
  } else if (const auto why = misfit_of(Type.shape, layout_of_type<owner>()); why.length > 0) {
    refuse(why.view());
  }
  return result;
}();

template <class Pointer, class T>
concept pointer_to = std::is_pointer_v<std::remove_reference_t<Pointer>> && points_to<T, std::remove_cvref_t<Pointer>>;
// A source of a view of a Type that is neither a tensor of that type nor a pointer.
template <class T, tensor_type Type, class Memory>
struct checked_memory : outcome_of<complaint_about_memory<T, Type, Memory>> {};
template <class T, tensor_type Type, class Memory>
  requires(pointer_to<Memory, T> || requires { requires std::remove_cvref_t<Memory>::type == Type; })
struct checked_memory<T, Type, Memory> {};

}  // namespace tenon::detail
